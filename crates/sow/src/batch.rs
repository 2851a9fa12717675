//! Work that falls into independent pieces: for whoever hands it out to many processes, so that what
//! comes out is the file that one of them would have written.

use std::ops::Range;
use std::path::Path;

use crate::failure::Failure;
use crate::made::Made;
use crate::resumable::{Kind, Resumable};

pub use crate::dataset::DatasetArgs;
pub use crate::fair::FairArgs;
pub use crate::positions::PositionsArgs;
pub use crate::sweep::SweepArgs;

/// A list of pieces, the rows that they give, and the file that these go to.
pub trait Batch: Sync {
    /// What a thread keeps from piece to piece.
    type Worker: Send;

    /// The file.
    fn path(&self) -> &Path;
    /// What kind of rows it has, what they are of, and the line above them.
    fn kind(&self) -> Kind;
    /// What the rows are of.
    fn work(&self) -> String;
    /// The line above the rows.
    fn header(&self) -> String;
    /// How many pieces there are.
    fn many(&self) -> u64;
    /// The most pieces that are handed out together.
    fn most(&self) -> u64;
    /// How many pieces are done in a file that says so much of itself.
    fn done(&self, file: &Resumable) -> u64;
    /// What a file says of itself when so many pieces are done.
    fn mark(&self, done: u64) -> (u64, u64);
    /// A thread's own things.
    fn worker(&self) -> Result<Self::Worker, Failure>;
    /// The rows of some pieces.
    fn rows(&self, worker: &mut Self::Worker, pieces: Range<u64>) -> Result<Vec<String>, Failure>;
    /// What is written down about the finished file.
    fn about(&self) -> serde_json::Value {
        serde_json::json!({ "what": self.work() })
    }
    /// The seed of its random numbers, if it has one.
    fn seed(&self) -> Option<u64> {
        None
    }
}

/// Opens the file of a batch, or takes it up again.
pub fn open<B: Batch>(batch: &B) -> Result<Resumable, Failure> {
    Resumable::open(batch.path(), batch.kind(), &batch.work(), &batch.header())
}

/// Closes a file in which all is done, by somebody.
pub fn finish<B: Batch>(
    batch: &B,
    file: Resumable,
    by: impl FnOnce(Option<u64>) -> Made,
) -> Result<(), Failure> {
    by(batch.seed()).beside(batch.path(), batch.about())?;
    file.finish()
}
