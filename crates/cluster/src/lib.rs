//! What `sow-cluster` knows without MPI: how lists are cut into pieces, and what tables take on many
//! machines. The program itself needs the feature `mpi`.
#![deny(missing_docs)]

mod model;
mod pieces;

pub use model::{LayerCost, Rates, layer_cost};
pub use pieces::Pieces;
