//! Commands as seen from outside: how they end, how long they take, and how much memory.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// At most [`READ`] bytes of it; then the pipe is closed.
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) time: Duration,
    /// What it used of the processors. However busy the machine is, a command that keeps its time
    /// uses no more than that on each core.
    pub(crate) processor: Duration,
    /// The most memory it held, in bytes.
    pub(crate) peak: u64,
}

/// More than any answer that a test looks at; what prints without end meets a closed pipe.
const READ: u64 = 1 << 20;

/// Far more than any command here may take: so that one that takes all there is takes only itself.
const ROOM: u64 = 6 << 30;

/// Runs a command to its end, or kills it after a while, which its status then shows.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it, and tells what it used")]
pub(crate) fn run(command: &mut Command, patience: Duration) -> Ended {
    let room = libc::rlimit { rlim_cur: ROOM, rlim_max: ROOM };
    // SAFETY: setrlimit may be called between fork and exec.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_AS, &raw const room) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || text(out));
    let err = std::thread::spawn(move || text(err));
    let pid = child.id() as libc::pid_t;
    let (status, usage) = loop {
        if let Some(ended) = wait(pid) {
            break ended;
        }
        if start.elapsed() > patience {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let time = start.elapsed();
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    let seconds = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    let processor = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    // Linux counts kilobytes, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ended { status, out, err, time, processor, peak: usage.ru_maxrss as u64 * unit }
}

fn text(from: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.take(READ).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The end of a child and what it used, if it has ended.
fn wait(pid: libc::pid_t) -> Option<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: all zeros is a value of this plain struct, and both pointers are to locals.
    let (found, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage), usage)
    };
    assert!(found >= 0, "{}", std::io::Error::last_os_error());
    (found == pid).then(|| (ExitStatus::from_raw(status), usage))
}

/// Does something with each of many things, on two threads.
pub(crate) fn each<T: Sync>(things: &[T], job: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(thing) =
                    things.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    job(thing);
                }
            });
        }
    });
}
