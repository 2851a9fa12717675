//! Maps of files that others may cut or write to.
//!
//! A mapped file that shrinks leaves pages with nothing behind them, and reading one raises a signal
//! that ends the program. Here such pages are replaced by zeros and the map is marked as
//! [lost](FileMap::is_lost), which readers look at after they have read and before they believe it.
//! Bytes that were written to in place show in the file's time of change; for that,
//! [`still`](FileMap::still) is asked before anything that was read is given out.

use std::fs::File;
use std::io;
use std::sync::OnceLock;
use std::time::SystemTime;

use memmap2::Mmap;

/// A file mapped to be read, as it was when it was opened.
#[derive(Debug)]
pub(crate) struct FileMap {
    /// Dropped first: afterwards the addresses may be somebody else's.
    watch: fault::Watch,
    map: Mmap,
    file: File,
    stamp: Stamp,
    /// What was found to have become of the file, once: it is not trusted again, whatever it is later.
    changed: OnceLock<String>,
}

/// What changes when a file is written to. A file that is renamed over or unlinked keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        Ok(Stamp { len: found.len(), modified: found.modified().ok() })
    }
}

impl FileMap {
    pub(crate) fn new(file: File) -> io::Result<FileMap> {
        let stamp = Stamp::of(&file)?;
        // SAFETY: nothing of ours writes to a table in place. What others do to it is found by its
        // checksums, by the watch and by the stamp before a value is believed; until then its
        // bytes are only read, and every bit pattern is a byte.
        let map = unsafe { Mmap::map(&file)? };
        let watch = fault::Watch::new(&map);
        Ok(FileMap { watch, map, file, stamp, changed: OnceLock::new() })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether some of the bytes read so far may not have been the file's.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        fault::any() && self.watch.is_lost()
    }

    /// Fails if the file has changed since it was opened, and from then on always.
    pub(crate) fn still(&self) -> Result<(), String> {
        let found = match self.changed.get() {
            Some(changed) => return Err(changed.clone()),
            None => self.compare(),
        };
        found.map_err(|what| self.changed.get_or_init(|| what).clone())
    }

    fn compare(&self) -> Result<(), String> {
        let now = Stamp::of(&self.file);
        if self.is_lost() || now.as_ref().is_ok_and(|now| now.len < self.stamp.len) {
            return Err("it was cut short while it was in use".to_string());
        }
        match now {
            Ok(now) if now == self.stamp => Ok(()),
            Ok(_) => Err("it was written to while it was in use".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(unix)]
mod fault {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst, fence};
    use std::sync::{Mutex, Once, OnceLock, PoisonError};

    /// Addresses under watch. Once made it stays, for the handler may look at it at any time; it is
    /// used again when it is free.
    #[derive(Debug)]
    struct Region {
        start: AtomicUsize,
        end: AtomicUsize,
        lost: AtomicBool,
        free: AtomicBool,
        next: *const Region,
    }

    /// So that no address is in a region that is not in use.
    const NOWHERE: usize = usize::MAX;

    static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());
    static ANY: AtomicBool = AtomicBool::new(false);
    static PAGE: AtomicUsize = AtomicUsize::new(4096);
    static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

    /// Whether any map was ever lost. What is read before this is asked was read before.
    #[inline(always)]
    pub(super) fn any() -> bool {
        // The handler marks first and replaces pages then; this is the other half.
        fence(std::sync::atomic::Ordering::Acquire);
        ANY.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[derive(Debug)]
    pub(super) struct Watch(&'static Region);

    // SAFETY: a region has atomic fields and a pointer that never changes.
    unsafe impl Send for Watch {}
    // SAFETY: as above.
    unsafe impl Sync for Watch {}

    fn regions() -> impl Iterator<Item = &'static Region> {
        // SAFETY: regions are leaked, so the pointers are good for ever.
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
                    start: AtomicUsize::new(NOWHERE),
                    end: AtomicUsize::new(0),
                    lost: AtomicBool::new(false),
                    free: AtomicBool::new(true),
                    next,
                }));
                REGIONS.store(region, SeqCst);
                region
            });
            region.free.store(false, SeqCst);
            region.lost.store(false, SeqCst);
            let start = bytes.as_ptr() as usize;
            region.end.store((start + bytes.len()).next_multiple_of(PAGE.load(SeqCst)), SeqCst);
            region.start.store(start, SeqCst);
            Watch(region)
        }

        pub(super) fn is_lost(&self) -> bool {
            self.0.lost.load(SeqCst)
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.0.start.store(NOWHERE, SeqCst);
            self.0.free.store(true, SeqCst);
        }
    }

    /// Takes the signal, once. What is not ours goes on to whoever had it before.
    fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: plain calls of the system with valid structures; the handler does only what
            // a handler may.
            unsafe {
                if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                    PAGE.store(page, SeqCst);
                }
                let mut previous: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous);
                let _ = PREVIOUS.set(previous);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
            }
        });
    }

    type Simple = extern "C" fn(libc::c_int);
    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    extern "C" fn on_fault(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the system passes a valid structure. A signal that somebody sent has no address.
        let (address, fault) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
        let mut replaced = false;
        for region in regions().filter(|_| fault) {
            let (start, end) = (region.start.load(SeqCst), region.end.load(SeqCst));
            if start <= address && address < end {
                region.lost.store(true, SeqCst);
                ANY.store(true, SeqCst);
                replaced = replaced || zeros(address, end);
            }
        }
        if !replaced {
            pass_on(signal, info, context);
        }
    }

    /// Puts zeros in place of what has nothing behind it, which goes on to the end.
    fn zeros(address: usize, end: usize) -> bool {
        let page = address & !(PAGE.load(SeqCst) - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the pages are of a map of ours, which is read only and stays until its watch is
        // dropped.
        let made = unsafe { libc::mmap(page as *mut _, end - page, libc::PROT_READ, flags, -1, 0) };
        made != libc::MAP_FAILED
    }

    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let previous = PREVIOUS
            .get()
            .filter(|previous| ![libc::SIG_DFL, libc::SIG_IGN].contains(&previous.sa_sigaction));
        // SAFETY: the address is a handler of the kind that its flags say; and taking the default
        // action is always allowed: the fault comes again and ends the program as it should.
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

/// Elsewhere a file that is mapped cannot be cut.
#[cfg(not(unix))]
mod fault {
    #[inline(always)]
    pub(super) fn any() -> bool {
        false
    }

    #[derive(Debug)]
    pub(super) struct Watch;

    impl Watch {
        pub(super) fn new(_: &[u8]) -> Watch {
            Watch
        }

        pub(super) fn is_lost(&self) -> bool {
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

    /// A map of a file of so many bytes of 1, and the file to do something to.
    fn mapped(len: usize) -> (FileMap, File) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![1; len]).unwrap();
        let writable = OpenOptions::new().write(true).open(file.path()).unwrap();
        // So that a later change has another time.
        std::thread::sleep(Duration::from_millis(20));
        (FileMap::new(file.reopen().unwrap()).unwrap(), writable)
    }

    #[test]
    fn a_file_that_shrinks_is_lost_and_no_other_is() {
        let ((cut, file), (other, _)) = (mapped(1 << 20), mapped(1 << 20));
        assert!(cut.still().is_ok() && other.still().is_ok());
        file.set_len(5000).unwrap();
        assert!(!cut.is_lost(), "nothing was read yet");
        assert!(cut.still().unwrap_err().contains("cut short"));
        let sum = |map: &FileMap| map.bytes().iter().map(|byte| usize::from(*byte)).sum::<usize>();
        // What is left of the last page is the file's, as zeros.
        assert_eq!((sum(&cut), sum(&other)), (5000, 1 << 20));
        assert!(cut.is_lost() && !other.is_lost());
        file.set_len(1 << 20).unwrap();
        assert!(cut.still().is_err(), "what was lost stays lost");
        drop(cut);
        // The place in the list is used again, without the mark.
        let (third, _) = mapped(100);
        assert!(!third.is_lost() && third.still().is_ok());
    }

    #[test]
    fn many_threads_at_once_see_the_mark() {
        for _ in 0..20 {
            let (map, file) = mapped(1 << 22);
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let map = &map;
                    scope.spawn(move || {
                        for at in (0..map.bytes().len()).skip(thread * 1000).step_by(4096).cycle() {
                            // SAFETY: as a probe reads: at once, whatever lies there.
                            let byte = unsafe { std::ptr::read_volatile(&map.bytes()[at]) };
                            if map.is_lost() {
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
    fn what_is_written_in_place_is_noticed_and_a_rename_is_not() {
        let (map, mut file) = mapped(100);
        file.write_all(b"x").unwrap();
        assert!(map.still().unwrap_err().contains("written to"));
        // Written back, with the old time: what was read in between was not the file's.
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(&[1]).unwrap();
        file.set_modified(map.stamp.modified.unwrap()).unwrap();
        assert_eq!(Stamp::of(&map.file).unwrap(), map.stamp);
        assert!(map.still().unwrap_err().contains("written to"));
        let dir = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
        std::fs::write(&old, "old").unwrap();
        std::fs::write(&new, "new").unwrap();
        let map = FileMap::new(File::open(&old).unwrap()).unwrap();
        std::fs::rename(&new, &old).unwrap();
        assert!(map.still().is_ok());
        assert_eq!(map.bytes(), b"old");
    }
}
