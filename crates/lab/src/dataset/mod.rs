//! Positions by the million, with the exact value of every move.

#[cfg(feature = "parquet")]
mod parquet_file;
mod rows;
mod source;

use std::ops::RangeInclusive;
use std::sync::Arc;

use rayon::prelude::*;
use sowing_players::{Opponent, Player, PlayerOptions, random_opening};
use sowing_rules::{
    Board, CompactBoard, CompiledRules, Family, Game, House, Move, Playthrough, Position,
    SeededRng, WideBoard,
};
use sowing_tables::{Error, RowIndex, Tables, live_positions};

#[cfg(feature = "parquet")]
pub use parquet_file::ParquetFile;
pub use rows::{DatasetFormat, dataset_columns};
pub use source::{ParseSourceError, RANDOM_MOVES, SampleSource};

/// What a data set is of.
#[derive(Clone, Debug)]
pub struct DatasetSpec {
    /// The game.
    pub game: Game,
    /// Where positions are from.
    pub source: SampleSource,
    /// How many seeds lie in houses, from 2 on.
    pub layers: RangeInclusive<u32>,
    /// Whether each layer has as many positions as any other, chance aside.
    pub even: bool,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl DatasetSpec {
    /// Fails if there can be no such data set, before tables are built for it. The board that games
    /// start with.
    pub fn check(&self) -> Result<CompactBoard, DatasetError> {
        let game = self.game;
        if game.rules().pie {
            return Err(DatasetError::Pie(game));
        }
        Family::for_game(&game).map_err(Error::from)?;
        let Ok(start) = CompactBoard::new(Position::start(game).board()) else {
            return Err(DatasetError::Seeds { game });
        };
        let (total, layers) = (game.total(), self.layers.clone());
        let within = *layers.start() >= 2 && u64::from(*layers.end()) <= total;
        if !within || layers.is_empty() {
            return Err(DatasetError::Layers { game, total, layers });
        }
        Ok(start)
    }
}

/// Positions of a game with exact values, each by its number: which one it is depends on the seed and
/// the number alone. A position can come up more than once.
///
/// ```
/// use sowing_lab::{Dataset, DatasetSpec};
/// use sowing_tables::{BuildOptions, build_in_memory};
///
/// let game = "kalah(3,3)".parse()?;
/// let tables = build_in_memory(&game, 10, &BuildOptions::default())?;
/// let spec = DatasetSpec { game, source: "random".parse()?, layers: 2..=10, even: false, seed: 1 };
/// let dataset = Dataset::new(spec, tables.into())?;
/// let sample = dataset.sample(0)?;
/// assert_eq!(sample.moves.iter().map(|(_, value)| *value).max(), Some(sample.value));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Dataset {
    spec: DatasetSpec,
    tables: Arc<Tables>,
    rules: CompiledRules<CompactBoard>,
    ranks: RowIndex,
    start: CompactBoard,
}

/// A position of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// How many moves were played before it; `None` if it is from no game.
    pub played: Option<u32>,
    /// The mover's margin with perfect play.
    pub value: i64,
    /// The mover's margin after each legal move, with perfect play from there on.
    pub moves: Vec<(Move, i64)>,
}

/// Why there is no data set.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A swap is not in the tables.
    #[error("a data set is of games without pie, as in kalah(6,4), not of {0}")]
    Pie(Game),
    /// The start does not fit the board of the tables.
    #[error("a data set is of games with up to {max} seeds, as in kalah(6,4), not of {game}", max = CompactBoard::MAX_SEEDS)]
    Seeds {
        /// The game.
        game: Game,
    },
    /// There are no such layers.
    #[error("seeds in houses are a range within 2..{total} for {game}, as in 2..{}, not {}..{}", (*.total).min(12), .layers.start(), .layers.end())]
    Layers {
        /// The game.
        game: Game,
        /// Its seeds.
        total: u64,
        /// What was asked for.
        layers: RangeInclusive<u32>,
    },
    /// Games do not come by there.
    #[error(
        "no position with {} to {} seeds in houses came up in {TRIES} games of {source_name} at {game}: ask for \
         more layers, or for uniform positions", .layers.start(), .layers.end()
    )]
    Unreached {
        /// The game.
        game: Game,
        /// Who played.
        source_name: SampleSource,
        /// What was asked for.
        layers: RangeInclusive<u32>,
    },
    /// The values do not fit each other.
    #[error("the endgame tables contradict themselves at {0}")]
    Contradiction(Box<Position>),
    /// The tables are not for the game, or damaged.
    #[error(transparent)]
    Tables(#[from] Error),
}

/// Games that are played before a layer is taken to be out of reach.
const TRIES: u32 = 10_000;

/// A position of a game, with what it takes to make a [`Position`] of it.
#[derive(Clone, Copy)]
struct Found {
    board: CompactBoard,
    /// The mover's store and the opponent's.
    stores: [u64; 2],
    played: Option<u32>,
}

/// One position of those that were shown, each as likely as the other.
struct Pick {
    layers: RangeInclusive<u32>,
    seen: u64,
    found: Option<Found>,
}

impl Pick {
    fn show(&mut self, random: &mut SeededRng, found: Found) {
        let layer = found.board.own_seeds() + found.board.other_seeds();
        if self.layers.contains(&(layer as u32)) && !found.board.is_finished() {
            self.seen += 1;
            if random.below(self.seen) == 0 {
                self.found = Some(found);
            }
        }
    }
}

impl Dataset {
    /// A data set, with tables that reach as far as its layers do.
    pub fn new(spec: DatasetSpec, tables: Arc<Tables>) -> Result<Dataset, DatasetError> {
        let start = spec.check()?;
        let game = spec.game;
        tables.require(&game)?;
        let (layer, max) = (*spec.layers.end(), tables.max_layer());
        if max < layer {
            return Err(Error::Layer { family: *tables.family(), layer, max }.into());
        }
        let (rules, ranks) = (CompiledRules::new(&game), RowIndex::new(game.houses()));
        Ok(Dataset { spec, tables, rules, ranks, start })
    }

    /// The tables that its values are from.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// What it is of.
    pub fn spec(&self) -> &DatasetSpec {
        &self.spec
    }

    /// The positions with these numbers, in order, found on the threads of the current pool.
    pub fn samples(&self, numbers: std::ops::Range<u64>) -> Result<Vec<Sample>, DatasetError> {
        let many = usize::try_from(numbers.end - numbers.start).unwrap_or(usize::MAX);
        let sample = |offset: usize| self.sample(numbers.start + offset as u64);
        let found: Result<Vec<Sample>, DatasetError> =
            (0..many).into_par_iter().with_min_len(64).map(sample).collect();
        match self.tables.integrity_error() {
            Some(damage) => Err(damage.into()),
            None => found,
        }
    }

    /// The position with this number.
    pub fn sample(&self, number: u64) -> Result<Sample, DatasetError> {
        let mut random = SeededRng::new(self.spec.seed, number);
        let mut layers = self.spec.layers.clone();
        if self.spec.even {
            let layer = layers.start() + random.below(layers.clone().count() as u64) as u32;
            layers = layer..=layer;
        }
        if self.spec.source == SampleSource::Uniform {
            return self.valued(self.uniform(&mut random, layers));
        }
        let mut pick = Pick { layers: layers.clone(), seen: 0, found: None };
        for _ in 0..TRIES {
            match self.spec.source {
                SampleSource::Games(Opponent::Random) => self.walk(&mut random, &mut pick, false),
                SampleSource::Games(Opponent::Perfect) => self.walk(&mut random, &mut pick, true),
                SampleSource::Games(opponent) => self.game_of(opponent, &mut random, &mut pick),
                SampleSource::Uniform => {}
            }
            if let Some(found) = pick.found {
                return self.valued(found);
            }
        }
        let (game, source_name) = (self.spec.game, self.spec.source);
        Err(DatasetError::Unreached { game, source_name, layers })
    }

    /// A game of random moves, or of the best ones as far as the tables know them.
    fn walk(&self, random: &mut SeededRng, pick: &mut Pick, perfect: bool) {
        let (mut board, mut stores) = (self.start, [0, 0]);
        for played in 0.. {
            pick.show(random, Found { board, stores, played: Some(played) });
            let mut choices: Vec<usize> = board.occupied().collect();
            if perfect && self.tables.probe(board).is_some() {
                let values: Vec<Option<i64>> = choices
                    .iter()
                    .map(|slot| self.tables.probe_move(&self.rules, board, *slot))
                    .collect();
                let best = values.iter().flatten().max();
                let keeps = |value: &Option<i64>| value.as_ref() == best;
                let kept = choices.iter().zip(&values).filter(|(_, value)| keeps(value));
                choices = kept.map(|(slot, _)| *slot).collect();
            }
            let slot = choices[random.below(choices.len() as u64) as usize];
            let next = self.rules.play_unchecked(board, slot);
            board = next.board;
            stores[0] += next.gain;
            if !next.again {
                stores.swap(0, 1);
            }
            if next.finished {
                return;
            }
        }
    }

    /// A game of a player against itself.
    fn game_of(&self, opponent: Opponent, random: &mut SeededRng, pick: &mut Pick) {
        let seed = random.below(u64::MAX);
        let options = PlayerOptions { seed, ..PlayerOptions::default() };
        let mut player =
            Player::new(opponent, self.spec.game, options).expect("only perfect can fail");
        let opening = random_opening(self.spec.game, RANDOM_MOVES, seed, 0);
        let mut play = Playthrough::new(*opening.start());
        for number in 0.. {
            let position = play.position();
            let board = CompactBoard::new(position.board()).expect("the start did fit");
            let stores = [position.board().store(), position.board().other_store()];
            pick.show(random, Found { board, stores, played: Some(number) });
            let given = opening.plays().get(number as usize).map(|play| play.action);
            let chosen = given.or_else(|| player.choose(&play).ok());
            let Some(action) = chosen else { return };
            play.try_play(action).expect("players choose legal moves");
            if play.result().is_some() {
                return;
            }
        }
    }

    /// Any position of some layers, each as likely as the other.
    fn uniform(&self, random: &mut SeededRng, layers: RangeInclusive<u32>) -> Found {
        let houses = self.spec.game.houses();
        let many = |layer: u32| live_positions(houses, layer) as u64;
        let mut number = random.below(layers.clone().map(many).sum());
        let mut layer = *layers.start();
        while number >= many(layer) {
            number -= many(layer);
            layer += 1;
        }
        let (layer, mut own) = (layer as usize, 1);
        let pairs = |own: usize| (self.ranks.count(own) * self.ranks.count(layer - own)) as u64;
        while number >= pairs(own) {
            number -= pairs(own);
            own += 1;
        }
        let other = layer - own;
        let width = self.ranks.count(other) as u64;
        let rows = [(own, number / width), (other, number % width)];
        let [own, other] = rows.map(|(seeds, rank)| self.ranks.row(seeds, rank as usize));
        let rest = self.spec.game.total() - layer as u64;
        let store = random.below(rest + 1);
        Found {
            board: CompactBoard::from_rows(own, other),
            stores: [store, rest - store],
            played: None,
        }
    }

    fn valued(&self, found: Found) -> Result<Sample, DatasetError> {
        let Found { board, stores: [store, other_store], played } = found;
        let houses = usize::from(self.spec.game.houses());
        let row = |first: usize| (first..first + houses).map(|slot| board.seeds(slot));
        let (own, other): (Vec<u64>, Vec<u64>) =
            (row(0).collect(), row(CompactBoard::ROW).collect());
        let wide = WideBoard::new(&own, store, &other, other_store);
        let position =
            Position::new(self.spec.game, &wide.into()).expect("all seeds of the game are there");
        let lost = || match self.tables.integrity_error() {
            Some(damage) => DatasetError::from(damage),
            None => DatasetError::Contradiction(Box::new(position)),
        };
        let lead = position.lead();
        let moves: Option<Vec<(Move, i64)>> = board
            .occupied()
            .map(|slot| {
                let house = House::new(slot as u8 + 1).expect("a house of the row");
                Some((Move::House(house), lead + self.tables.probe_move(&self.rules, board, slot)?))
            })
            .collect();
        let moves = moves.ok_or_else(lost)?;
        let value = moves.iter().map(|(_, value)| *value).max();
        let looked_up = self.tables.probe(board).map(|gain| lead + i64::from(gain));
        match value {
            // What is looked up of the position and of its moves must be one.
            Some(value) if looked_up == Some(value) => {
                Ok(Sample { position, played, value, moves })
            }
            _ => Err(lost()),
        }
    }
}
