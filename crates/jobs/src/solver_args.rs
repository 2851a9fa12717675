//! The limits, tables and books of a command that solves many positions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sowing_command::failure::Failure;
use sowing_command::units;
use sowing_rules::Game;
use sowing_solver::{Book, BookError, Solver, SolverOptions};
use sowing_tables::{
    BuildOptions, Tables, build_in_memory, default_directory, format_bytes, memory_to_build,
};

/// The tables of `dir`, or those of the data directory if there are any.
pub fn open_tables(dir: Option<&Path>, game: &Game) -> Result<Option<Arc<Tables>>, Failure> {
    match (dir, default_directory()) {
        (Some(dir), _) => Ok(Some(Arc::new(Tables::open(dir, game)?))),
        (None, Some(dir)) => Ok(Tables::open_if_any(&dir, game)?.map(Arc::new)),
        (None, None) => Ok(None),
    }
}

/// The built-in book of a game merged with `own`.
pub fn known_book(game: &Game, own: Option<&Book>) -> Result<Option<Arc<Book>>, BookError> {
    match (sowing_books::book_for(game), own) {
        (Some(built_in), Some(own)) => {
            let mut both = own.clone();
            both.merge(&built_in)?;
            Ok(Some(Arc::new(both)))
        }
        (None, Some(own)) => Ok(Some(Arc::new(own.clone()))),
        (built_in, None) => Ok(built_in),
    }
}

/// Limits, tables and books of a solver.
#[derive(Args, Debug)]
pub struct SolverArgs {
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub threads: Option<usize>,
    /// Memory to use at most, as in 512M or 4G; tables in files come on top
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = units::bytes)]
    pub memory: u64,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    /// Give up after this long, as in 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub time: Option<Duration>,
}

impl SolverArgs {
    /// Tables that know every position with up to `layer` seeds in houses: those of a folder if they
    /// reach as far, else built in memory, of which `beside` bytes are for other work.
    pub fn tables_to(&self, game: &Game, layer: u32, beside: u64) -> Result<Arc<Tables>, Failure> {
        if let Some(tables) = open_tables(self.tables.as_deref(), game)?
            && (self.tables.is_some() || tables.max_layer() >= layer)
        {
            return Ok(tables);
        }
        let cores = SolverOptions::default().threads;
        let threads = self.threads.map_or(cores, |threads| threads.min(4 * cores));
        let memory = self.memory.saturating_sub(beside).max(self.memory / 4);
        let least = memory_to_build(game, layer, 1)?;
        if least > memory {
            let need = least.saturating_add(beside);
            return Err(Failure::Input(format!(
                "values of positions with {layer} seeds in houses take {} of memory: ask for fewer \
                 seeds, as in --seeds 2..12, or allow for more, as in --memory {}G",
                format_bytes(need),
                (need >> 30) + 1
            )));
        }
        let fits = |threads: &usize| {
            memory_to_build(game, layer, *threads).is_ok_and(|need| need <= memory)
        };
        let threads = (1..=threads).rev().find(fits).unwrap_or(1);
        let options = BuildOptions { threads, memory, ..BuildOptions::default() };
        Ok(Arc::new(build_in_memory(game, layer, &options)?))
    }

    /// Sets one thread unless a number was given, for one of many processes. Returns the memory that it may use.
    pub fn one_thread(&mut self) -> u64 {
        self.threads.get_or_insert(1);
        self.memory
    }

    /// A solver that keeps within the limits.
    pub fn solver(&self, game: Game) -> Result<Solver, Failure> {
        let options = SolverOptions {
            threads: self.threads.unwrap_or(SolverOptions::default().threads),
            memory: self.memory,
            time: self.time,
            tables: open_tables(self.tables.as_deref(), &game)?,
            book: known_book(&game, None)?,
            ..SolverOptions::default()
        };
        Ok(Solver::with_options(game, options)?)
    }
}
