//! Many games at once: the inner loop of the vectorised environment.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sowing_rules::{Board, CompactBoard, CompiledRules, SeededRng};

use crate::errors::{IllegalMove, input};
use crate::game::{Game, GameLike};
use crate::work::{whole, whole_or_none};

/// Games side by side, each on a small board. ``sowing.vector.Env`` is what people use.
#[pyclass(module = "sowing._sowing")]
pub(crate) struct Batch {
    game: sowing_rules::Game,
    rules: CompiledRules<CompactBoard>,
    houses: usize,
    /// Whether a swap is one of the actions.
    pie: bool,
    by_outcome: bool,
    most: u32,
    start: CompactBoard,
    games: Vec<One>,
}

/// One game.
#[derive(Clone, Copy)]
struct One {
    board: CompactBoard,
    /// The mover's store and the opponent's.
    stores: [u8; 2],
    /// The player who is to move: 0 started.
    player: u8,
    pie: Pie,
    moves: u32,
    random: SeededRng,
}

/// How far the pie rule has come.
#[derive(Clone, Copy, PartialEq)]
enum Pie {
    FirstTurn,
    Offered,
    Over,
}

/// What a step gives: for each game the reward of who moved, whether the game is over, whether it was
/// given up, and whether the same player moves again.
type Stepped<'py> = (
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

impl One {
    fn new(batch: &Batch, random: SeededRng) -> One {
        let pie = if batch.pie { Pie::FirstTurn } else { Pie::Over };
        One { board: batch.start, stores: [0, 0], player: 0, pie, moves: 0, random }
    }

    /// The action that a legal move has at random: each is as likely as the other.
    #[inline]
    fn any(&mut self, houses: usize) -> usize {
        let open = self.board.occupied();
        let swap = usize::from(self.pie == Pie::Offered);
        let choice = self.random.below((open.len() + swap) as u64) as usize;
        let mut open = open;
        open.nth(choice).unwrap_or(houses)
    }

    #[inline]
    fn is_legal(&self, action: usize, houses: usize) -> bool {
        match action < houses {
            true => self.board.seeds(action) > 0,
            false => action == houses && self.pie == Pie::Offered,
        }
    }

    /// Plays a legal move. The margin of whoever made it if that ends the game, and whether the same
    /// player moves again.
    #[inline]
    fn play(
        &mut self,
        rules: &CompiledRules<CompactBoard>,
        action: usize,
        houses: usize,
    ) -> (Option<i32>, bool) {
        self.moves += 1;
        if action == houses {
            // The players change seats; the row that is to move stays the same.
            self.player ^= 1;
            self.pie = Pie::Over;
            return (None, false);
        }
        let played = rules.play_unchecked(self.board, action);
        self.board = played.board;
        self.stores[0] += played.gain as u8;
        let lead = i32::from(self.stores[0]) - i32::from(self.stores[1]);
        if !played.again {
            self.stores.swap(0, 1);
            self.player ^= 1;
        }
        self.pie = match self.pie {
            Pie::FirstTurn if played.again => Pie::FirstTurn,
            Pie::FirstTurn => Pie::Offered,
            Pie::Offered | Pie::Over => Pie::Over,
        };
        let rest = rules.remaining(&played.board) as i32;
        let margin = lead + if played.again { rest } else { -rest };
        (played.finished.then_some(margin), played.again)
    }
}

impl Batch {
    #[inline]
    fn show(&self, one: &One, row: &mut [u8]) {
        let (own, other) = row.split_at_mut(self.houses + 1);
        own[..self.houses].copy_from_slice(&one.board.own().to_le_bytes()[..self.houses]);
        other[..self.houses].copy_from_slice(&one.board.other().to_le_bytes()[..self.houses]);
        own[self.houses] = one.stores[0];
        other[self.houses] = one.stores[1];
    }

    fn actions(&self) -> usize {
        self.houses + usize::from(self.pie)
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (game, games, *, by_outcome=false, most=None, seed=0))]
    fn new(
        game: GameLike,
        #[pyo3(from_py_with = whole)] games: usize,
        by_outcome: bool,
        #[pyo3(from_py_with = whole_or_none)] most: Option<u32>,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Batch> {
        let GameLike(game) = game;
        let start = sowing_rules::Position::start(game);
        let Ok(start) = CompactBoard::new(start.board()) else {
            return Err(input(format!(
                "many games at once are of up to {} houses and {} seeds, as in kalah(6,4), not {game}",
                CompactBoard::MAX_HOUSES,
                CompactBoard::MAX_SEEDS
            )));
        };
        if !(1..=1 << 24).contains(&games) {
            return Err(input(format!("games are 1 to {}, not {games}", 1 << 24)));
        }
        let rules = game.rules();
        let most = most.unwrap_or(if rules.repeats() { 1_000 } else { u32::MAX });
        if most == 0 {
            return Err(input("a game is given up after 1 move or more, not 0"));
        }
        let mut batch = Batch {
            game,
            rules: CompiledRules::new(&game),
            houses: game.houses().into(),
            pie: rules.pie,
            by_outcome,
            most,
            start,
            games: Vec::new(),
        };
        let one = One::new(&batch, SeededRng::new(seed, 0));
        batch.games = vec![one; games];
        batch.reset(Some(seed));
        Ok(batch)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// Starts all games anew, with random numbers that depend on the seed and the game's index, or
    /// that go on where they are if there is no seed.
    #[pyo3(signature = (seed=None))]
    fn reset(&mut self, #[pyo3(from_py_with = whole_or_none)] seed: Option<u64>) {
        let fresh = One::new(self, SeededRng::new(0, 0));
        for (one, index) in self.games.iter_mut().zip(0..) {
            let random = seed.map_or(one.random, |seed| SeededRng::new(seed, index));
            *one = One { random, ..fresh };
        }
    }

    /// Plays this many random moves in games that have just started, so that they differ.
    fn shuffle(&mut self, #[pyo3(from_py_with = whole)] moves: u16) {
        let moves = u32::from(moves);
        let (rules, houses) = (&self.rules, self.houses);
        let fresh = One::new(self, SeededRng::new(0, 0));
        // Those that have moves are under way.
        for one in self.games.iter_mut().filter(|one| one.moves == 0) {
            // A game that is always over before stays as it starts.
            for _ in 0..100 * moves {
                if one.moves >= moves {
                    break;
                }
                let action = one.any(houses);
                if one.play(rules, action, houses).0.is_some() {
                    *one = One { random: one.random, ..fresh };
                }
            }
            if one.moves < moves {
                *one = One { random: one.random, ..fresh };
            }
        }
    }

    /// A legal action of each game at random.
    fn sample<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let houses = self.houses;
        let actions =
            py.detach(|| self.games.iter_mut().map(|one| one.any(houses) as i64).collect());
        PyArray1::from_vec(py, actions)
    }

    /// The boards, a row each, as whoever is to move sees them.
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let columns = 2 * self.houses + 2;
        let boards = py.detach(|| {
            let mut boards = vec![0; self.games.len() * columns];
            for (one, row) in self.games.iter().zip(boards.chunks_exact_mut(columns)) {
                self.show(one, row);
            }
            boards
        });
        PyArray1::from_vec(py, boards).reshape([self.games.len(), columns])
    }

    /// Which actions are legal.
    fn masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let actions = self.actions();
        let masks = py.detach(|| {
            let mut masks = vec![false; self.games.len() * actions];
            for (one, row) in self.games.iter().zip(masks.chunks_exact_mut(actions)) {
                let houses = one.board.own().to_le_bytes();
                for (open, seeds) in row.iter_mut().zip(houses) {
                    *open = seeds > 0;
                }
                if self.pie {
                    row[self.houses] = one.pie == Pie::Offered;
                }
            }
            masks
        });
        PyArray1::from_vec(py, masks).reshape([self.games.len(), actions])
    }

    /// The players who are to move.
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_vec(py, self.games.iter().map(|one| one.player as i8).collect())
    }

    /// How many moves each game has had.
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.games.iter().map(|one| one.moves.into()).collect())
    }

    /// Plays a move in each game; those that end start anew. Nothing is played if a move is illegal.
    /// The final boards are written to ``last``, as the players who ended the games see them.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        last: &Bound<'py, PyArray2<u8>>,
    ) -> PyResult<Stepped<'py>> {
        let (games, columns) = (self.games.len(), 2 * self.houses + 2);
        if actions.len() != games || last.shape() != [games, columns] {
            return Err(input(format!(
                "{games} games need {games} actions, not {}",
                actions.len()
            )));
        }
        let houses = self.houses;
        let owned;
        let actions = match actions.as_slice() {
            Ok(actions) => actions,
            Err(_) => {
                owned = actions.as_array().to_vec();
                &owned
            }
        };
        let legal = |(one, action): (&One, &i64)| {
            usize::try_from(*action).is_ok_and(|action| one.is_legal(action, houses))
        };
        let mut last = last.try_readwrite()?;
        let last = last.as_slice_mut()?;
        let stepped = py.detach(|| {
            if let Some(index) = self.games.iter().zip(actions).position(|pair| !legal(pair)) {
                return Err(index);
            }
            let mut rewards = vec![0f32; games];
            let [mut over, mut given_up, mut again] = [0; 3].map(|_| vec![false; games]);
            let fresh = One::new(self, SeededRng::new(0, 0));
            let (rules, most, by_outcome) = (&self.rules, self.most, self.by_outcome);
            for (index, (one, action)) in self.games.iter_mut().zip(actions).enumerate() {
                let (margin, once_more) = one.play(rules, *action as usize, houses);
                again[index] = once_more;
                if margin.is_none() && one.moves < most {
                    continue;
                }
                over[index] = margin.is_some();
                given_up[index] = margin.is_none();
                let swapped = usize::from(!once_more);
                // Who gives up has what lies in the stores.
                let lead = || i32::from(one.stores[swapped]) - i32::from(one.stores[1 - swapped]);
                let margin = margin.unwrap_or_else(lead);
                rewards[index] = (if by_outcome { margin.signum() } else { margin }) as f32;
                let row = &mut last[index * columns..][..columns];
                let end = if once_more { one.board } else { one.board.flip() };
                let (own, other) = row.split_at_mut(houses + 1);
                own[..houses].copy_from_slice(&end.own().to_le_bytes()[..houses]);
                other[..houses].copy_from_slice(&end.other().to_le_bytes()[..houses]);
                own[houses] = one.stores[swapped];
                other[houses] = one.stores[1 - swapped];
                *one = One { random: one.random, ..fresh };
            }
            Ok((rewards, over, given_up, again))
        });
        match stepped {
            Err(index) => Err(IllegalMove::new_err(format!(
                "game {index}: action {} is not legal there: see masks",
                actions[index]
            ))),
            Ok((rewards, over, given_up, again)) => Ok((
                PyArray1::from_vec(py, rewards),
                PyArray1::from_vec(py, over),
                PyArray1::from_vec(py, given_up),
                PyArray1::from_vec(py, again),
            )),
        }
    }
}
