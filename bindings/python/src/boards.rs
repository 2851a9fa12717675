//! Boards in numpy arrays: a row a board, in the order of a position's text.

use numpy::{PyArrayDescrMethods, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sowing_rules::{CompactBoard, CompiledRules, Game, MAX_HOUSES, MAX_SEEDS, WideBoard};

use crate::errors::input;
use crate::position::{Position, pits};

/// Boards as they were given: an array of some kind of whole number, or positions made into one.
pub(crate) enum Boards<'py> {
    U8(PyReadonlyArray2<'py, u8>),
    I8(PyReadonlyArray2<'py, i8>),
    U16(PyReadonlyArray2<'py, u16>),
    I16(PyReadonlyArray2<'py, i16>),
    U32(PyReadonlyArray2<'py, u32>),
    I32(PyReadonlyArray2<'py, i32>),
    U64(PyReadonlyArray2<'py, u64>),
    I64(PyReadonlyArray2<'py, i64>),
    /// What the positions of a list hold.
    Listed(Vec<u64>),
}

/// A number that may be a number of seeds.
pub(crate) trait Seeds: Copy + Sync {
    /// `None` for a negative one.
    fn seeds(self) -> Option<u64>;
}

macro_rules! seeds {
    ($($type:ty),*) => {$(
        impl Seeds for $type {
            #[inline(always)]
            fn seeds(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        }
    )*};
}

seeds!(u8, i8, u16, i16, u32, i32, u64, i64);

/// Something that is done with all rows, whatever the numbers are.
pub(crate) trait Job {
    type Out;

    fn run<T: Seeds>(self, rows: &[T]) -> PyResult<Self::Out>;
}

impl<'py> Boards<'py> {
    /// Reads boards of a game: an array with a row a board, lists that numpy makes one of, or
    /// positions, each of a game that fits.
    pub(crate) fn read(
        boards: &Bound<'py, PyAny>,
        game: &Game,
        fits: impl Fn(&Game) -> PyResult<()>,
    ) -> PyResult<Boards<'py>> {
        if let Ok(array) = boards.cast::<PyUntypedArray>() {
            return Boards::array(array, game);
        }
        let wrong = || PyTypeError::new_err("boards are an array of whole numbers, or Positions");
        let all: Vec<Bound<'py, PyAny>> =
            boards.try_iter().map_err(|_| wrong())?.collect::<PyResult<_>>()?;
        if all.first().is_none_or(|first| first.is_instance_of::<Position>()) {
            return Boards::listed(&all, fits);
        }
        let numpy = boards.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (all,)).map_err(|_| wrong())?;
        Boards::array(array.cast::<PyUntypedArray>().map_err(|_| wrong())?, game)
    }

    fn array(array: &Bound<'py, PyUntypedArray>, game: &Game) -> PyResult<Boards<'py>> {
        let columns = 2 * usize::from(game.houses()) + 2;
        if array.ndim() != 2 || array.shape()[1] != columns {
            return Err(input(format!(
                "boards of {game} are an array of shape (boards, {columns}), not {:?}: houses and store of the \
                 mover, houses and store of the opponent",
                array.shape()
            )));
        }
        let kind = array.dtype();
        let (letter, size) = (kind.kind(), kind.itemsize());
        let aligned = || array.getattr("flags")?.getattr("aligned")?.is_truthy();
        let as_it_lies = !matches!(letter, b'u' | b'i')
            || array.is_c_contiguous() && kind.is_native_byteorder() != Some(false) && aligned()?;
        let array = match as_it_lies {
            true => array.clone(),
            false => {
                let (native, order) =
                    (kind.call_method1("newbyteorder", ("=",))?, PyDict::new(array.py()));
                order.set_item("order", "C")?;
                array.call_method("astype", (native,), Some(&order))?.cast_into()?
            }
        };
        let typed = array.as_any();
        Ok(match (letter, size) {
            (b'u', 1) => Boards::U8(typed.extract()?),
            (b'i', 1) => Boards::I8(typed.extract()?),
            (b'u', 2) => Boards::U16(typed.extract()?),
            (b'i', 2) => Boards::I16(typed.extract()?),
            (b'u', 4) => Boards::U32(typed.extract()?),
            (b'i', 4) => Boards::I32(typed.extract()?),
            (b'u', 8) => Boards::U64(typed.extract()?),
            (b'i', 8) => Boards::I64(typed.extract()?),
            _ => return Err(PyTypeError::new_err(format!("boards are whole numbers, not {kind}"))),
        })
    }

    fn listed(
        boards: &[Bound<'py, PyAny>],
        fits: impl Fn(&Game) -> PyResult<()>,
    ) -> PyResult<Boards<'py>> {
        let mut all = Vec::new();
        for board in boards {
            let position = board
                .cast::<Position>()
                .map_err(|_| PyTypeError::new_err("all boards of a list are Positions, or none"))?
                .get()
                .0;
            fits(position.game())?;
            if position.pie_is_open() {
                return Err(input(
                    "boards say nothing of a swap: ask a Solver for positions in which one is open",
                ));
            }
            all.extend(pits(position.board()));
        }
        Ok(Boards::Listed(all))
    }

    /// Does something with all rows.
    pub(crate) fn run<J: Job>(&self, job: J) -> PyResult<J::Out> {
        fn slice<'a, T: numpy::Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<&'a [T]> {
            Ok(array.as_slice()?)
        }
        match self {
            Boards::U8(array) => job.run(slice(array)?),
            Boards::I8(array) => job.run(slice(array)?),
            Boards::U16(array) => job.run(slice(array)?),
            Boards::I16(array) => job.run(slice(array)?),
            Boards::U32(array) => job.run(slice(array)?),
            Boards::I32(array) => job.run(slice(array)?),
            Boards::U64(array) => job.run(slice(array)?),
            Boards::I64(array) => job.run(slice(array)?),
            Boards::Listed(all) => job.run(all),
        }
    }
}

/// A board that fits tables, and its stores as a lead.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) board: CompactBoard,
    pub(crate) lead: i64,
}

/// What is wrong with a row.
#[derive(Clone, Copy)]
pub(crate) struct BadRow(pub(crate) usize);

/// The most seeds of a position.
const MOST: u64 = 2 * MAX_HOUSES as u64 * MAX_SEEDS;

/// Reads a row as a small board.
#[inline(always)]
pub(crate) fn small<T: Seeds>(row: &[T], houses: usize) -> Option<Row> {
    let side = |pits: &[T]| {
        let (mut bytes, mut sum) = (0u64, 0u64);
        for (house, seeds) in pits[..houses].iter().enumerate() {
            let seeds = seeds.seeds()?;
            // A house that holds more than a byte makes the sum too large.
            sum = sum.saturating_add(seeds);
            bytes |= (seeds & 0xff) << (8 * house);
        }
        let store = pits[houses].seeds().filter(|store| *store <= MOST)?;
        Some((bytes, sum, store as i64))
    };
    let (own, other) = row.split_at(houses + 1);
    let (own, own_sum, store) = side(own)?;
    let (other, other_sum, other_store) = side(other)?;
    let fits = own_sum.saturating_add(other_sum) <= CompactBoard::MAX_SEEDS;
    fits.then_some(Row { board: CompactBoard::from_rows(own, other), lead: store - other_store })
}

/// Says what is wrong with a row that is no small board.
pub(crate) fn bad_row<T: Seeds>(rows: &[T], columns: usize, BadRow(row): BadRow) -> PyErr {
    let pits = &rows[row * columns..][..columns];
    let stores = [pits[columns / 2 - 1], pits[columns - 1]];
    match pits.iter().position(|pit| pit.seeds().is_none()) {
        Some(pit) => input(format!("board {row}: pit {pit} holds a negative number of seeds")),
        None if stores.iter().any(|store| store.seeds().is_none_or(|store| store > MOST)) => {
            input(format!("board {row}: a store holds at most {MOST} seeds"))
        }
        None => input(format!(
            "board {row} has more than {} seeds in its houses, which no table has",
            CompactBoard::MAX_SEEDS
        )),
    }
}

/// Reads a row as a position of a game with any number of seeds; the pie rule is over.
pub(crate) fn position<T: Seeds>(
    game: Game,
    row: &[T],
    index: usize,
) -> PyResult<sowing_rules::Position> {
    let game = game.without_pie();
    let seeds: Option<Vec<u64>> = row.iter().map(|seeds| seeds.seeds()).collect();
    let seeds =
        seeds.ok_or_else(|| input(format!("board {index} holds a negative number of seeds")))?;
    let houses = usize::from(game.houses());
    let (own, other) = seeds.split_at(houses + 1);
    let board = WideBoard::new(&own[..houses], own[houses], &other[..houses], other[houses]);
    sowing_rules::Position::free(game, &board.into())
        .map_err(|error| input(format!("board {index}: {error}")))
}

/// The value of a row that is finished, if it is.
#[inline(always)]
pub(crate) fn finished(rules: &CompiledRules<CompactBoard>, row: Row) -> Option<i64> {
    use sowing_rules::Board;
    row.board.is_finished().then(|| row.lead + rules.remaining(&row.board))
}
