//! Published tables, computed and set beside the print; and tables that nobody printed.
//!
//! A [`Study`] names a table and where it was printed; running it gives a [`StudyReport`], one cell a
//! figure, each with what was printed, what was computed, and whether they agree.

mod complexity;
mod endgames;
mod first_turns;
mod kalah;
mod losses;
mod matrices;
mod openings;
mod published;
mod report;
mod states;
mod three_games;
mod values;

use std::time::{Duration, Instant};

pub use report::{Cell, Comparison, Computed, Figure, FigureSource, StudyKind, StudyReport};

/// A published table, or one that should be.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// The name to call it by, as in `thesis-7`.
    pub name: &'static str,
    /// What the table shows.
    pub title: &'static str,
    /// Where it was printed, or that it was not.
    pub citation: &'static str,
    /// What its figures are.
    pub kind: StudyKind,
    /// What rows and columns are labelled with.
    labels: [&'static str; 2],
    /// How the figures are to be read.
    note: &'static str,
    cells: fn(&Work) -> Vec<Cell>,
}

/// What a study may use.
#[derive(Clone, Copy, Debug)]
pub struct StudyOptions {
    /// When to leave what is not computed yet, for the whole study.
    pub time: Duration,
    /// Random games a cell, where games are played at random.
    pub games: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Threads of a search. What else runs in parallel uses the current pool.
    pub threads: usize,
    /// Bytes for a search or a count.
    pub memory: u64,
}

impl Default for StudyOptions {
    /// One minute, a million games, all cores, two gibibytes.
    fn default() -> StudyOptions {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let time = Duration::from_secs(60);
        StudyOptions { time, games: 1_000_000, seed: 1, threads, memory: 2 << 30 }
    }
}

const THESIS: &str =
    "Carlotta Kvitberg, S-Kalaha: Solving a Swedish variant of Kalah, Stockholm University, 2026";
const IRVING: &str = "Geoffrey Irving, Jeroen Donkers and Jos Uiterwijk, Solving Kalah, ICGA \
                      Journal 23(3), 2000, 139-147";
const MATRICES: &str = "Mancala Matrices, 2012";
const ARTICLE: &str = "Mark Rawlings, 2015, in Wikipedia, Kalah, 21 July 2018";

/// All studies, in the order of their sources.
pub fn all() -> &'static [Study] {
    &ALL
}

/// The study of this name.
pub fn find(name: &str) -> Option<&'static Study> {
    ALL.iter().find(|study| study.name.eq_ignore_ascii_case(name.trim()))
}

static ALL: [Study; 28] = [
    states::TABLE_1,
    states::TABLE_2,
    complexity::TABLE_3,
    openings::TABLE_4,
    values::TABLE_5,
    losses::TABLE_7,
    losses::TABLE_8,
    losses::TABLE_9,
    states::IRVING_2,
    values::IRVING_9,
    values::IRVING_10,
    first_turns::ARTICLE_4,
    first_turns::ARTICLE_5,
    first_turns::ARTICLE_6,
    first_turns::ARTICLE_6_OPEN,
    endgames::ARTICLE_COST,
    endgames::ARTICLE_ENDGAMES,
    kalah::VALUES,
    kalah::NODES,
    losses::LOSSES,
    matrices::BOARDS,
    matrices::MOVES,
    three_games::VALUES,
    three_games::POSITIONS,
    three_games::LENGTHS,
    three_games::BRANCHING,
    three_games::ADVANTAGE,
    three_games::FIRST_TURNS,
];

impl Study {
    /// Computes the table, as far as the time goes.
    pub fn run(&self, options: &StudyOptions) -> StudyReport {
        self.run_observed(options, &|_| {})
    }

    /// Runs like [`run`](Study::run), and shows each cell when it is done.
    pub fn run_observed(&self, options: &StudyOptions, observe: &dyn Fn(&Cell)) -> StudyReport {
        // Instants have an end; a lifetime is far from it.
        let time = options.time.min(Duration::from_secs(1 << 32));
        let work = Work { options: *options, end: Instant::now() + time, observe };
        let cells = (self.cells)(&work);
        let text = str::to_string;
        StudyReport {
            name: text(self.name),
            title: text(self.title),
            citation: text(self.citation),
            kind: self.kind,
            row_label: text(self.labels[0]),
            column_label: text(self.labels[1]),
            note: text(self.note),
            cells,
        }
    }
}

/// A run of a study: what it may use, until when, and who watches.
struct Work<'a> {
    options: StudyOptions,
    end: Instant,
    observe: &'a dyn Fn(&Cell),
}

impl Work<'_> {
    /// The time left.
    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Computes cells one after the other; those that the time does not reach are left.
    fn each(
        &self,
        cells: impl IntoIterator<Item = Cell>,
        mut compute: impl FnMut(&mut Cell),
    ) -> Vec<Cell> {
        let done = cells.into_iter().map(|mut cell| {
            if !self.left().is_zero() {
                compute(&mut cell);
            }
            (self.observe)(&cell);
            cell
        });
        done.collect()
    }

    /// What a solver may use for the rest of the time, or a part of it.
    fn solver(&self, time: Duration) -> sowing_solver::SolverOptions {
        sowing_solver::SolverOptions {
            threads: self.options.threads,
            memory: self.options.memory,
            time: Some(time),
            ..sowing_solver::SolverOptions::default()
        }
    }
}
