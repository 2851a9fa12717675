//! Large zeroed allocations.

use std::io;
use std::ops::{Deref, DerefMut};

/// Zeroed bytes, aligned to a page: an anonymous memory map, in huge pages where the system has them. In a
/// browser the bytes are on the heap.
#[derive(Debug)]
pub struct Zeroed(system::Pages);

impl Zeroed {
    /// Allocates `bytes` bytes, at least one. Fails if the system refuses.
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

    /// The size of a huge page: smaller allocations do not ask for one.
    #[cfg(target_os = "linux")]
    const HUGE_PAGE: usize = 1 << 21;

    pub(super) type Pages = MmapMut;

    pub(super) fn pages(bytes: usize) -> io::Result<Pages> {
        let map = MmapMut::map_anon(bytes.max(1))?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE {
            // Without huge pages access is slower, nothing else.
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

    /// A page-aligned heap allocation.
    #[derive(Debug)]
    pub(super) struct Pages {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: it is the only owner of its bytes, like a box.
    unsafe impl Send for Pages {}
    // SAFETY: a shared reference only gives shared access to the bytes, like a box.
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
            // SAFETY: allocated with this layout, and freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }

    impl Deref for Pages {
        type Target = [u8];

        #[inline]
        fn deref(&self) -> &[u8] {
            // SAFETY: `layout.size()` bytes are allocated and initialized, and borrowed as long as `self`.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
        }
    }

    impl DerefMut for Pages {
        #[inline]
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: `layout.size()` bytes are allocated and initialized, and borrowed as long as `self`.
            unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
        }
    }
}

#[cfg(target_family = "wasm")]
use heap as system;

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds are zero, aligned and writable, and refuse sizes beyond the address space.
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
