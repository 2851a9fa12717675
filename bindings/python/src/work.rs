//! Long work: without Python's lock, and ended by Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Stopped, input};

/// How often somebody looks whether Ctrl-C was pressed.
const EVERY: Duration = Duration::from_millis(50);

/// What unwinds work that has no switch of its own.
struct GivenUp;

/// Does some work on a thread of its own while this one waits for signals, as only the thread that
/// Python was started on can. A signal sets the switch, which the work has to heed, and is raised
/// when it has.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let every = if hears_signals(py) { EVERY } else { Duration::MAX };
    let (done, interrupted) = py.detach(|| {
        std::thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let worker = scope.spawn(move || {
                let done = catch_unwind(AssertUnwindSafe(work));
                // Nobody listens any more only if the other thread is gone, and then nobody cares.
                let _ = tell.send(());
                done
            });
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = told.recv_timeout(every) {
                if interrupted.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    interrupted = Some(error);
                    stop.store(true, Relaxed);
                }
            }
            (worker.join().and_then(|done| done), interrupted)
        })
    });
    match (done, interrupted) {
        (_, Some(error)) => Err(error),
        (Ok(done), None) => Ok(done),
        (Err(why), None) if why.is::<GivenUp>() => {
            Err(Stopped::new_err(("the work was stopped", None::<(i64, i64)>)))
        }
        (Err(panic), None) => resume_unwind(panic),
    }
}

/// Whether this is the thread that Python was started on. Others never hear of a signal, and must not
/// ask for Python's lock in vain: a daemon thread that does while Python ends is unwound on the
/// spot, and what its work borrows from it is gone.
fn hears_signals(py: Python<'_>) -> bool {
    let asked = || -> PyResult<bool> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("main_thread")?.getattr("ident")?;
        main.eq(threading.call_method0("get_ident")?)
    };
    asked().unwrap_or(true)
}

/// Ends work that tells how far it is but does not ask whether to go on. It is unwound without a
/// word, up to [`interruptible`], which knows why.
pub(crate) fn give_up_if(stop: &AtomicBool) {
    if stop.load(Relaxed) {
        resume_unwind(Box::new(GivenUp));
    }
}

/// Calls somebody back. What that raises ends the work, and is raised in the end.
pub(crate) struct Callback {
    call: Option<Py<PyAny>>,
    raised: parking_lot::Mutex<Option<PyErr>>,
}

impl Callback {
    pub(crate) fn new(call: Option<Py<PyAny>>) -> PyResult<Callback> {
        if let Some(call) = &call {
            Python::attach(|py| match call.bind(py).is_callable() {
                true => Ok(()),
                false => Err(input("progress must be a function of what is known so far")),
            })?;
        }
        Ok(Callback { call, raised: parking_lot::Mutex::new(None) })
    }

    /// Tells, if somebody wants to know.
    pub(crate) fn tell(
        &self,
        stop: &AtomicBool,
        news: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
    ) {
        let Some(call) = &self.call else { return };
        if stop.load(Relaxed) {
            return;
        }
        // Nobody is told any more once Python ends.
        let called = Python::try_attach(|py| call.call1(py, (news(py)?,)).map(drop));
        if let Some(Err(error)) = called {
            self.raised.lock().get_or_insert(error);
            stop.store(true, Relaxed);
        }
    }

    /// What it raised, if anything.
    pub(crate) fn check(self) -> PyResult<()> {
        self.raised.into_inner().map_or(Ok(()), Err)
    }
}

/// A number as an argument.
pub(crate) trait Whole: TryFrom<u64> {
    const MOST: u64;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Whole for $type {
            const MOST: u64 = <$type>::MAX as u64;
        }
    )*};
}

whole!(u16, u32, u64, usize);

/// Reads a number that cannot be negative: one that does not fit is said to be wrong, and what fits.
pub(crate) fn whole<T: Whole>(object: &Bound<'_, PyAny>) -> PyResult<T> {
    let fault = || input(format!("a whole number from 0 to {} is needed, not {object}", T::MOST));
    match object.extract::<u64>() {
        Ok(number) => T::try_from(number).map_err(|_| fault()),
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Err(fault()),
        Err(error) => Err(error),
    }
}

pub(crate) fn whole_or_none<T: Whole>(object: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if object.is_none() { Ok(None) } else { whole(object).map(Some) }
}

/// The threads to use: all cores if nobody says how many.
pub(crate) fn threads(asked: Option<usize>) -> PyResult<usize> {
    match asked {
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Some(threads @ 1..=1024) => Ok(threads),
        Some(other) => Err(input(format!("threads must be 1 to 1024, not {other}"))),
    }
}

pub(crate) fn pool(asked: Option<usize>) -> PyResult<ThreadPool> {
    let threads = threads(asked)?;
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| crate::errors::LimitError::new_err(error.to_string()))
}

/// A time limit in seconds.
pub(crate) fn time(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let read = |seconds: f64| {
        let most = 10_000.0 * 3600.0;
        let fits = (0.0..=most).contains(&seconds);
        fits.then(|| Duration::from_secs_f64(seconds))
            .ok_or_else(|| input(format!("time is in seconds, 0 to {most}, not {seconds}")))
    };
    seconds.map(read).transpose()
}

/// Bytes of memory.
pub(crate) fn memory(bytes: Option<u64>, otherwise: u64) -> PyResult<u64> {
    match bytes.unwrap_or(otherwise) {
        bytes if bytes > 1024 << 40 => {
            Err(input(format!("memory is at most 1024 TiB, not {bytes} bytes")))
        }
        bytes => Ok(bytes),
    }
}
