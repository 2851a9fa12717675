//! Large stretches of memory.

use std::io;
use std::ops::{Deref, DerefMut};

/// Bytes that are zero at first, aligned to a page: pages of the system's own, large ones where it
/// has them, or a piece of the heap where there are no pages to be had.
#[derive(Debug)]
pub struct Zeroed(system::Pages);

impl Zeroed {
    /// So many bytes, or the system's refusal.
    pub fn new(bytes: usize) -> io::Result<Zeroed> {
        system::pages(bytes).map(Zeroed)
    }
}

impl Deref for Zeroed {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Zeroed {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(not(target_family = "wasm"))]
mod system {
    use std::io;

    use memmap2::MmapMut;

    /// Smaller pieces fit ordinary pages as well.
    #[cfg(target_os = "linux")]
    const LARGE: usize = 1 << 21;

    pub(super) type Pages = MmapMut;

    pub(super) fn pages(bytes: usize) -> io::Result<Pages> {
        let map = MmapMut::map_anon(bytes.max(1))?;
        #[cfg(target_os = "linux")]
        if bytes >= LARGE {
            // Not all systems have large pages; a refusal costs speed only.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(map)
    }
}

#[cfg(any(target_family = "wasm", test))]
mod heap {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::io;
    use std::ops::{Deref, DerefMut};
    use std::ptr::NonNull;

    const PAGE: usize = 4096;

    /// A piece of the heap.
    #[derive(Debug)]
    pub(super) struct Pages {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: it owns its bytes alone, like a box.
    unsafe impl Send for Pages {}
    // SAFETY: shared, it only lends its bytes, like a box.
    unsafe impl Sync for Pages {}

    pub(super) fn pages(bytes: usize) -> io::Result<Pages> {
        let none = || io::Error::from(io::ErrorKind::OutOfMemory);
        let layout = Layout::from_size_align(bytes.max(1), PAGE).map_err(|_| none())?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(none)?;
        Ok(Pages { start, layout })
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: allocated with this layout, and given back once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }

    impl Deref for Pages {
        type Target = [u8];

        #[inline]
        fn deref(&self) -> &[u8] {
            // SAFETY: so many bytes were allocated, zeroed, and are lent as `self` is.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
        }
    }

    impl DerefMut for Pages {
        #[inline]
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: so many bytes were allocated, zeroed, and are lent as `self` is.
            unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
        }
    }
}

#[cfg(target_family = "wasm")]
use heap as system;

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds are zero, aligned, writable, and refuse what no machine has.
    #[test]
    fn either_kind_is_zero_and_writable() {
        fn check(mut bytes: impl DerefMut<Target = [u8]>, len: usize) {
            assert_eq!(bytes.len(), len);
            assert_eq!(bytes.as_ptr() as usize % 4096, 0);
            assert!(bytes.iter().all(|byte| *byte == 0));
            bytes[len - 1] = 7;
            assert_eq!(bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 7);
        }
        for len in [1, 4095, 4097, 5 << 20] {
            check(Zeroed::new(len).unwrap(), len);
            check(heap::pages(len).unwrap(), len);
        }
        assert!(heap::pages(usize::MAX / 2).is_err());
        assert!(heap::pages(usize::MAX).is_err());
        assert!(Zeroed::new(usize::MAX / 2).is_err());
    }
}
