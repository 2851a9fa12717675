//! What a command that solves many positions may use.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sowing::Game;
use sowing_solver::{Solver, SolverOptions};
use sowing_tables::{BuildOptions, Tables, build_in_memory, bytes, memory_to_build};

use crate::failure::Failure;
use crate::{book, tables, units};

/// Limits, tables and books of a solver.
#[derive(Args, Debug)]
pub struct WorkArgs {
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
    /// Memory to use at most, as in 512M or 4G; tables in files come on top
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = units::bytes)]
    pub(crate) memory: u64,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// Give up after this long, as in 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub(crate) time: Option<Duration>,
}

impl WorkArgs {
    /// Tables that know every position with so many seeds in houses: those of a folder if they reach
    /// as far, else built in memory.
    pub(crate) fn tables_to(&self, game: &Game, layer: u32) -> Result<Arc<Tables>, Failure> {
        if let Some(tables) = tables::given(self.tables.as_deref(), game)?
            && (self.tables.is_some() || tables.max_layer() >= layer)
        {
            return Ok(tables);
        }
        let cores = SolverOptions::default().threads;
        let threads = self.threads.map_or(cores, |threads| threads.min(4 * cores));
        let need = memory_to_build(game, layer, threads)?;
        if need > self.memory {
            return Err(Failure::Input(format!(
                "values of positions with {layer} seeds in houses take {} of memory: ask for fewer \
                 seeds, as in --seeds 2..12, or allow for more, as in --memory {}G",
                bytes(need),
                (need >> 30) + 1
            )));
        }
        let options = BuildOptions { threads, memory: self.memory, ..BuildOptions::default() };
        Ok(Arc::new(build_in_memory(game, layer, &options)?))
    }

    /// One thread unless more were asked for, for one of many processes. The memory that it may use.
    pub fn one_thread(&mut self) -> u64 {
        self.threads.get_or_insert(1);
        self.memory
    }

    /// A solver that keeps within the limits.
    pub(crate) fn solver(&self, game: Game) -> Result<Solver, Failure> {
        let options = SolverOptions {
            threads: self.threads.unwrap_or(SolverOptions::default().threads),
            memory: self.memory,
            time: self.time,
            tables: tables::given(self.tables.as_deref(), &game)?,
            build_tables: true,
            book: book::known(&game, None)?,
        };
        Ok(Solver::with_options(game, options)?)
    }
}
