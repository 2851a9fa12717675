//! The part of `sow-cluster` that needs no MPI: the cost of tables on many machines. The program itself needs the
//! feature `mpi`.
#![deny(missing_docs)]

mod model;

pub use model::{LayerCost, Rates, layer_cost};
