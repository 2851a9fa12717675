//! The heap of the process, so that limits of memory hold.

/// Keeps what is freed from staying with the process. The allocator of glibc has a heap for every thread,
/// each of which keeps what was freed in it, and takes ever larger pieces from them: with many threads
/// that is several times what is in use. Does nothing where the allocator is another.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt may be called at any time; what it does not know it ignores.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
        // Larger pieces are mapped, and go back to the system at once.
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 18);
    }
}
