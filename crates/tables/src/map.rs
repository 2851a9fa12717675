//! Memory maps of files that another process may truncate or write to.
//!
//! A read beyond the end of a truncated file raises SIGBUS, which ends the process. With the feature
//! `sigbus-handler`, a handler replaces such pages by zeros and marks the map as
//! [truncated](FileMap::is_truncated). Probes check the mark after each read. Writes in place show in the
//! modification time. Every reader calls [`check_unchanged`](FileMap::check_unchanged) before it publishes a
//! result.

use std::fs::File;
use std::io;
use std::sync::OnceLock;
use std::time::SystemTime;

use memmap2::Mmap;

/// A read-only map of a file, with its length and modification time at opening.
#[derive(Debug)]
pub(crate) struct FileMap {
    /// Dropped before the map: once unmapped, the addresses may belong to another one.
    watch: sigbus::Watch,
    map: Mmap,
    file: File,
    stamp: Stamp,
    /// The first change that was found. It stays, even if the file is restored.
    changed: OnceLock<String>,
}

/// Metadata that changes when a file is written to, and not when it is renamed or unlinked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn read(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        Ok(Stamp { len: found.len(), modified: found.modified().ok() })
    }
}

impl FileMap {
    pub(crate) fn new(file: File) -> io::Result<FileMap> {
        let stamp = Stamp::read(&file)?;
        // SAFETY: no code of this crate writes to a table in place. Checksums, watch and stamp reveal changes by
        // other processes before a value is used; until then its bytes are only read, and every bit pattern is a
        // valid byte.
        let map = unsafe { Mmap::map(&file)? };
        let watch = sigbus::Watch::new(&map);
        Ok(FileMap { watch, map, file, stamp, changed: OnceLock::new() })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether bytes read so far may have been beyond the end of the truncated file.
    #[inline]
    pub(crate) fn is_truncated(&self) -> bool {
        sigbus::any_truncated() && self.watch.is_truncated()
    }

    /// Fails if the file has changed since it was opened. After the first failure it always fails.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        let found = match self.changed.get() {
            Some(changed) => return Err(changed.clone()),
            None => self.compare(),
        };
        found.map_err(|what| self.changed.get_or_init(|| what).clone())
    }

    fn compare(&self) -> Result<(), String> {
        let now = Stamp::read(&self.file);
        if self.is_truncated() || now.as_ref().is_ok_and(|now| now.len < self.stamp.len) {
            return Err("truncated while in use".to_string());
        }
        match now {
            Ok(now) if now == self.stamp => Ok(()),
            Ok(_) => Err("modified while in use".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(all(unix, feature = "sigbus-handler"))]
mod sigbus {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst, fence};
    use std::sync::{Mutex, Once, OnceLock, PoisonError};

    /// A watched range of addresses. It is never freed, since the handler may read it at any time, but reused
    /// for another map.
    #[derive(Debug)]
    struct Region {
        start: AtomicUsize,
        end: AtomicUsize,
        truncated: AtomicBool,
        free: AtomicBool,
        next: *const Region,
    }

    /// The start of a region that is not in use: no address is inside.
    const UNUSED: usize = usize::MAX;

    static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());
    static ANY_TRUNCATED: AtomicBool = AtomicBool::new(false);
    static PAGE: AtomicUsize = AtomicUsize::new(4096);
    static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

    /// Whether any map was ever truncated. The fence orders this after earlier reads of maps.
    #[inline(always)]
    pub(super) fn any_truncated() -> bool {
        // Pairs with the handler, which marks the region before it replaces pages.
        fence(std::sync::atomic::Ordering::Acquire);
        ANY_TRUNCATED.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[derive(Debug)]
    pub(super) struct Watch(&'static Region);

    // SAFETY: the fields of a region are atomic, or constant.
    unsafe impl Send for Watch {}
    // SAFETY: as above.
    unsafe impl Sync for Watch {}

    fn regions() -> impl Iterator<Item = &'static Region> {
        // SAFETY: regions are leaked, so that the pointers stay valid.
        let region = |at: *const Region| unsafe { at.as_ref() };
        std::iter::successors(region(REGIONS.load(SeqCst)), move |last| region(last.next))
    }

    impl Watch {
        pub(super) fn new(bytes: &[u8]) -> Watch {
            static ADDING: Mutex<()> = Mutex::new(());
            install();
            let _adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
            let region = regions().find(|region| region.free.load(SeqCst)).unwrap_or_else(|| {
                let next = REGIONS.load(SeqCst);
                let region = Box::leak(Box::new(Region {
                    start: AtomicUsize::new(UNUSED),
                    end: AtomicUsize::new(0),
                    truncated: AtomicBool::new(false),
                    free: AtomicBool::new(true),
                    next,
                }));
                REGIONS.store(region, SeqCst);
                region
            });
            region.free.store(false, SeqCst);
            region.truncated.store(false, SeqCst);
            let start = bytes.as_ptr() as usize;
            region.end.store((start + bytes.len()).next_multiple_of(PAGE.load(SeqCst)), SeqCst);
            region.start.store(start, SeqCst);
            Watch(region)
        }

        pub(super) fn is_truncated(&self) -> bool {
            self.0.truncated.load(SeqCst)
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.0.start.store(UNUSED, SeqCst);
            self.0.free.store(true, SeqCst);
        }
    }

    /// Installs the handler of the process, once. Signals for other addresses go to the previous handler.
    fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: system calls with valid structures; the handler is async-signal-safe.
            unsafe {
                if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                    PAGE.store(page, SeqCst);
                }
                let mut previous: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous);
                let _ = PREVIOUS.set(previous);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_sigbus as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
            }
        });
    }

    type Simple = extern "C" fn(libc::c_int);
    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    extern "C" fn on_sigbus(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the system passes a valid structure. A signal sent by a process has no address.
        let (address, fault) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
        let mut replaced = false;
        for region in regions().filter(|_| fault) {
            let (start, end) = (region.start.load(SeqCst), region.end.load(SeqCst));
            if start <= address && address < end {
                region.truncated.store(true, SeqCst);
                ANY_TRUNCATED.store(true, SeqCst);
                replaced = replaced || map_zeros(address, end);
            }
        }
        if !replaced {
            call_previous(signal, info, context);
        }
    }

    /// Maps zeros from the page of `address` to `end`. Returns whether that succeeded.
    fn map_zeros(address: usize, end: usize) -> bool {
        let page = address & !(PAGE.load(SeqCst) - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the pages belong to a watched map, which is read-only and lives until its watch is dropped.
        let made = unsafe { libc::mmap(page as *mut _, end - page, libc::PROT_READ, flags, -1, 0) };
        made != libc::MAP_FAILED
    }

    fn call_previous(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let previous = PREVIOUS
            .get()
            .filter(|previous| ![libc::SIG_DFL, libc::SIG_IGN].contains(&previous.sa_sigaction));
        // SAFETY: the address is a handler with the signature that its flags specify. The default action
        // is always allowed: the fault is raised again and ends the process.
        unsafe {
            match previous {
                Some(previous) if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                    let handler: Handler = std::mem::transmute(previous.sa_sigaction);
                    handler(signal, info, context);
                }
                Some(previous) => {
                    let handler: Simple = std::mem::transmute(previous.sa_sigaction);
                    handler(signal);
                }
                None => {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &action, ptr::null_mut());
                    if (*info).si_code <= 0 {
                        libc::raise(signal);
                    }
                }
            }
        }
    }
}

/// Without the handler. On Unix, a read beyond the end of a truncated file ends the process; elsewhere a mapped
/// file cannot be truncated.
#[cfg(not(all(unix, feature = "sigbus-handler")))]
mod sigbus {
    #[inline(always)]
    pub(super) fn any_truncated() -> bool {
        false
    }

    #[derive(Debug)]
    pub(super) struct Watch;

    impl Watch {
        pub(super) fn new(_: &[u8]) -> Watch {
            Watch
        }

        pub(super) fn is_truncated(&self) -> bool {
            false
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Seek, SeekFrom, Write};
    use std::time::Duration;

    use super::*;

    /// A map of a file with `len` bytes of 1, and the file for writing.
    fn mapped(len: usize) -> (FileMap, File) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![1; len]).unwrap();
        let writable = OpenOptions::new().write(true).open(file.path()).unwrap();
        // A later change must have another modification time.
        std::thread::sleep(Duration::from_millis(20));
        (FileMap::new(file.reopen().unwrap()).unwrap(), writable)
    }

    #[cfg(feature = "sigbus-handler")]
    #[test]
    fn a_truncated_file_is_marked_and_no_other_is() {
        let ((cut, file), (other, _)) = (mapped(1 << 20), mapped(1 << 20));
        assert!(cut.check_unchanged().is_ok() && other.check_unchanged().is_ok());
        file.set_len(5000).unwrap();
        assert!(!cut.is_truncated(), "nothing was read yet");
        assert!(cut.check_unchanged().unwrap_err().contains("truncated"));
        let sum = |map: &FileMap| map.bytes().iter().map(|byte| usize::from(*byte)).sum::<usize>();
        // The rest of the last page is zeros.
        assert_eq!((sum(&cut), sum(&other)), (5000, 1 << 20));
        assert!(cut.is_truncated() && !other.is_truncated());
        file.set_len(1 << 20).unwrap();
        assert!(cut.check_unchanged().is_err(), "a truncated map stays marked");
        drop(cut);
        // The region is reused, without the mark.
        let (third, _) = mapped(100);
        assert!(!third.is_truncated() && third.check_unchanged().is_ok());
    }

    #[cfg(feature = "sigbus-handler")]
    #[test]
    fn many_threads_at_once_see_the_mark() {
        for _ in 0..20 {
            let (map, file) = mapped(1 << 22);
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let map = &map;
                    scope.spawn(move || {
                        for at in (0..map.bytes().len()).skip(thread * 1000).step_by(4096).cycle() {
                            // SAFETY: in bounds; a probe reads in the same way.
                            let byte = unsafe { std::ptr::read_volatile(&map.bytes()[at]) };
                            if map.is_truncated() {
                                break;
                            }
                            assert_eq!(byte, 1, "zeros before the mark");
                        }
                    });
                }
                file.set_len(0).unwrap();
            });
        }
    }

    #[test]
    fn a_write_in_place_is_noticed_and_a_rename_is_not() {
        let (map, mut file) = mapped(100);
        file.write_all(b"x").unwrap();
        assert!(map.check_unchanged().unwrap_err().contains("modified"));
        // Restored with the old time: values read in between were wrong.
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(&[1]).unwrap();
        file.set_modified(map.stamp.modified.unwrap()).unwrap();
        assert_eq!(Stamp::read(&map.file).unwrap(), map.stamp);
        assert!(map.check_unchanged().unwrap_err().contains("modified"));
        let dir = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
        std::fs::write(&old, "old").unwrap();
        std::fs::write(&new, "new").unwrap();
        let map = FileMap::new(File::open(&old).unwrap()).unwrap();
        std::fs::rename(&new, &old).unwrap();
        assert!(map.check_unchanged().is_ok());
        assert_eq!(map.bytes(), b"old");
    }
}
