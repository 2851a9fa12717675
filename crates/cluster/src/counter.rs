//! A number that all ranks count up, each step by one of them alone.

use mpi::collective::SystemOperation;
use mpi::datatype::Equivalence;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;

/// A counter in the memory of rank 0, which others reach one-sided: nobody has to answer for it, but
/// on networks that cannot do that by themselves rank 0 must call MPI now and then.
#[derive(Debug)]
pub(crate) struct Counter {
    window: ffi::MPI_Win,
}

impl Counter {
    /// A counter at 0. All ranks make it together, and drop it together. `None` if this rank's MPI has
    /// no way to.
    pub(crate) fn new(world: &SimpleCommunicator, rank: i32) -> Option<Counter> {
        let bytes = if rank == 0 { size_of::<u64>() } else { 0 };
        let mut base: *mut u64 = std::ptr::null_mut();
        let mut window = std::mem::MaybeUninit::<ffi::MPI_Win>::uninit();
        // SAFETY: the window has room for one number on rank 0 and none elsewhere, is made and freed
        // by all ranks together, and is in passive epochs from here to its end. The number is set
        // before all ranks agree that there is one, after which it is reached by atomic operations alone.
        unsafe {
            ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_RETURN);
            let made = ffi::MPI_Win_allocate(
                bytes as ffi::MPI_Aint,
                size_of::<u64>() as i32,
                ffi::RSMPI_INFO_NULL,
                world.as_raw(),
                (&raw mut base).cast(),
                window.as_mut_ptr(),
            );
            ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_ARE_FATAL);
            if made != 0 {
                return None;
            }
            let window = window.assume_init();
            ffi::MPI_Win_lock_all(0, window);
            if rank == 0 {
                base.write(0);
                ffi::MPI_Win_sync(window);
            }
            Some(Counter { window })
        }
    }

    /// The number, which then is so much higher.
    pub(crate) fn add(&self, step: u64) -> u64 {
        let mut before = 0_u64;
        let datatype = u64::equivalent_datatype();
        let sum = SystemOperation::sum();
        // SAFETY: both numbers live until the flush, which completes the operation.
        unsafe {
            ffi::MPI_Fetch_and_op(
                (&raw const step).cast(),
                (&raw mut before).cast(),
                datatype.as_raw(),
                0,
                0,
                sum.as_raw(),
                self.window,
            );
            ffi::MPI_Win_flush(0, self.window);
        }
        before
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once, by all ranks together.
        unsafe {
            ffi::MPI_Win_unlock_all(self.window);
            ffi::MPI_Win_free(&raw mut self.window);
        }
    }
}
