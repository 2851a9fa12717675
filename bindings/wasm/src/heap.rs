//! Memory with a limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's memory, up to a limit: who asks for more is refused as if there were none.
struct Limited {
    used: AtomicUsize,
    most: AtomicUsize,
    full: AtomicBool,
}

#[cfg_attr(target_family = "wasm", global_allocator)]
static HEAP: Limited = Limited {
    used: AtomicUsize::new(0),
    most: AtomicUsize::new(usize::MAX),
    full: AtomicBool::new(false),
};

/// Limits the heap to `bytes` in all.
pub(crate) fn limit(bytes: u64) {
    HEAP.most.store(usize::try_from(bytes).unwrap_or(usize::MAX), Relaxed);
}

/// Whether memory was refused since this was asked last.
pub(crate) fn was_full() -> bool {
    HEAP.full.swap(false, Relaxed)
}

impl Limited {
    /// Counts bytes that are asked for; not if they are too many.
    fn take(&self, bytes: usize) -> bool {
        let used = self.used.load(Relaxed);
        let fits = used.checked_add(bytes).is_some_and(|all| all <= self.most.load(Relaxed));
        if fits {
            self.used.store(used + bytes, Relaxed);
        } else {
            self.full.store(true, Relaxed);
        }
        fits
    }

    fn give(&self, bytes: usize) {
        self.used.store(self.used.load(Relaxed).saturating_sub(bytes), Relaxed);
    }

    /// What the system said: nothing is counted for what it refused.
    fn counted(&self, start: *mut u8, bytes: usize) -> *mut u8 {
        if start.is_null() {
            self.give(bytes);
            self.full.store(true, Relaxed);
        }
        start
    }
}

// SAFETY: all of it is the system's own; what is refused is a null pointer. There is one thread, so
// that counts need no more than to be read and written.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !self.take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller says.
        self.counted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !self.take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller says.
        self.counted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.give(layout.size());
        // SAFETY: as the caller says.
        unsafe { System.dealloc(start, layout) };
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // While it moves, both are there.
        if !self.take(bytes) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller says.
        let moved = self.counted(unsafe { System.realloc(start, layout, bytes) }, bytes);
        if !moved.is_null() {
            self.give(layout.size());
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than the limit is refused, and said to be; what is given back can be had again.
    #[test]
    fn the_limit_holds() {
        let heap = Limited {
            used: AtomicUsize::new(0),
            most: AtomicUsize::new(1000),
            full: AtomicBool::new(false),
        };
        let layout = Layout::from_size_align(600, 8).unwrap();
        // SAFETY: what is used is not null, and is given back with the layout that it has.
        unsafe {
            let first = heap.alloc(layout);
            assert!(!first.is_null() && !heap.full.load(Relaxed));
            assert!(heap.alloc_zeroed(layout).is_null() && heap.full.load(Relaxed));
            assert!(heap.realloc(first, layout, 500).is_null(), "both are there while it moves");
            let smaller = heap.realloc(first, layout, 400);
            heap.dealloc(smaller, Layout::from_size_align(400, 8).unwrap());
        }
        assert_eq!(heap.used.load(Relaxed), 0);
    }
}
