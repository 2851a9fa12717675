//! A compact position with stores, played in place.

use std::fmt;

use crate::{
    Board, CompactBoard, CompactBoardError, CompiledRules, House, PlayError, Position, Setup, Side,
    WideBoard,
};

/// A position of up to 8 houses per row and 255 seeds in houses, with stores, in 24 bytes. Moves are played in place
/// and undone.
///
/// It sits between [`Position`], which carries its game and reports each step, and [`CompactBoard`], which
/// has no stores. The rules are passed to each call; they must be those of the position's game. There is no
/// swap: a position in which the pie rule is still open is refused.
///
/// ```
/// use sowing_rules::{CompactPosition, CompiledRules, Position};
///
/// let game = "kalah(6,4)".parse()?;
/// let mut position = CompactPosition::new(&Position::start(game))?;
/// let rules = CompiledRules::new(&game);
/// let undo = position.try_play(&rules, "3".parse()?)?;
/// assert!(undo.again() && position.store() == 1);
/// position.undo(undo);
/// assert_eq!(position, CompactPosition::new(&Position::start(game))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompactPosition {
    board: CompactBoard,
    store: u16,
    other_store: u16,
    houses: u8,
    side: Side,
    /// [`Rules::play_code`](crate::Rules) of the game.
    rules: u8,
}

/// Undoes a move, and has its gain.
#[derive(Clone, Copy, Debug)]
#[must_use = "the move cannot be undone without it"]
pub struct Undo {
    before: CompactPosition,
    gain: u64,
    again: bool,
}

impl Undo {
    /// The seeds that the move brought to the mover's store, captures included.
    pub fn gain(&self) -> u64 {
        self.gain
    }

    /// Whether the last seed fell into the mover's store.
    pub fn again(&self) -> bool {
        self.again
    }
}

impl CompactPosition {
    /// A position of a game, South to move.
    ///
    /// It fails for more than 8 houses per row, more than 255 seeds in houses, more than 65,535 seeds in all,
    /// and where the pie rule is still open.
    pub fn new(position: &Position) -> Result<CompactPosition, CompactBoardError> {
        let wide = position.board();
        let board = CompactBoard::new(wide)?;
        if position.pie_is_open() {
            return Err(CompactBoardError::Pie);
        }
        let fits = u16::try_from(position.total());
        fits.map_err(|_| CompactBoardError::Total(position.total()))?;
        let (store, other_store) = (wide.store() as u16, wide.other_store() as u16);
        let (houses, side, rules) =
            (wide.houses(), Side::South, position.game().rules().play_code());
        Ok(CompactPosition { board, store, other_store, houses, side, rules })
    }

    /// The houses, as the mover sees them.
    pub fn board(&self) -> CompactBoard {
        self.board
    }

    /// The mover's store.
    pub fn store(&self) -> u64 {
        self.store.into()
    }

    /// The opponent's store.
    pub fn other_store(&self) -> u64 {
        self.other_store.into()
    }

    /// The houses and stores, as the mover sees them.
    pub fn to_setup(&self) -> Setup {
        let row = |row: u64| row.to_le_bytes().map(u64::from);
        let (own, other) = (row(self.board.own()), row(self.board.other()));
        let houses = usize::from(self.houses);
        Setup::from(WideBoard::new(
            &own[..houses],
            self.store(),
            &other[..houses],
            self.other_store(),
        ))
    }

    /// The row that is to move. South moves first.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Whether a row is empty.
    pub fn is_finished(&self) -> bool {
        self.board.is_finished()
    }

    /// The mover's final seeds minus the opponent's, once the game is finished.
    pub fn margin(&self, rules: &CompiledRules<CompactBoard>) -> Option<i64> {
        let lead = i64::from(self.store) - i64::from(self.other_store);
        self.is_finished().then(|| lead + rules.remaining(&self.board))
    }

    /// Every legal move, from the mover's left.
    pub fn moves(&self) -> impl Iterator<Item = House> + use<> {
        let occupied = (!self.is_finished()).then(|| self.board.occupied());
        occupied.into_iter().flatten().map(House::at)
    }

    /// Plays a house.
    ///
    /// It fails if the game is over, the house is empty or not there, or the rules are those of another game. Seeds
    /// per house and the pie rule may differ.
    pub fn try_play(
        &mut self,
        rules: &CompiledRules<CompactBoard>,
        house: House,
    ) -> Result<Undo, PlayError> {
        let houses = self.houses;
        if (rules.houses(), rules.code()) != (usize::from(houses), self.rules) {
            let houses = rules.houses() as u8;
            return Err(PlayError::OtherRules { rules: rules.definition(), houses });
        }
        if self.is_finished() {
            return Err(PlayError::Finished);
        }
        if house.number() > houses {
            return Err(PlayError::NoHouse { house, houses });
        }
        if self.board.seeds(house.index()) == 0 {
            return Err(PlayError::Empty(house));
        }
        Ok(self.play_unchecked(rules, house.index()))
    }

    /// Plays a house.
    ///
    /// # Panics
    /// If the move is not legal: see [`try_play`](Self::try_play).
    pub fn play(&mut self, rules: &CompiledRules<CompactBoard>, house: House) -> Undo {
        self.try_play(rules, house).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Plays the mover's house in a slot, counted from 0.
    ///
    /// The caller guarantees the conditions that [`try_play`](Self::try_play) checks. Otherwise the result is
    /// meaningless, or the call panics; memory is safe in any case.
    #[inline]
    pub fn play_unchecked(&mut self, rules: &CompiledRules<CompactBoard>, slot: usize) -> Undo {
        let before = *self;
        let played = rules.play_unchecked(self.board, slot);
        self.board = played.board;
        self.store = self.store.wrapping_add(played.gain as u16);
        if !played.again {
            (self.store, self.other_store) = (self.other_store, self.store);
            self.side = !self.side;
        }
        Undo { before, gain: played.gain, again: played.again }
    }

    /// Undoes a move.
    #[inline]
    pub fn undo(&mut self, undo: Undo) {
        *self = undo.before;
    }
}

/// The text form is that of [`Setup`].
impl fmt::Display for CompactPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_setup().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Move, SeededRng};

    /// Random games on both positions: the same moves, stores, ends and margins, and every move undone.
    #[test]
    fn it_plays_like_the_large_position() {
        assert_eq!(size_of::<CompactPosition>(), 24);
        for name in
            ["kalah(6,4)", "s-kalaha(4,3)", "kalah(8,15,empty-capture)", "kalah(3,2,clockwise)"]
        {
            let game: Game = name.parse().unwrap();
            let rules = CompiledRules::new(&game);
            for index in 0..50 {
                let mut random = SeededRng::new(9, index);
                let mut large = Position::start(game);
                let mut small = CompactPosition::new(&large).unwrap();
                for _ in 0..200 {
                    let moves: Vec<Move> = large.moves().collect();
                    assert!(
                        small.moves().map(Move::House).eq(moves.iter().copied()),
                        "{name} {large}"
                    );
                    let Some(chosen) =
                        (!moves.is_empty()).then(|| random.below(moves.len() as u64))
                    else {
                        break;
                    };
                    let Move::House(house) = moves[chosen as usize] else { unreachable!() };
                    let (before, (next, report)) = (small, large.play(Move::House(house)));
                    let undo = small.play(&rules, house);
                    assert_eq!((undo.gain(), undo.again()), (report.gain, report.again));
                    let after = small;
                    small.undo(undo);
                    assert_eq!(small, before);
                    (small, large) = (after, next);
                    let board = large.board();
                    assert_eq!(
                        (small.store(), small.other_store()),
                        (board.store(), board.other_store())
                    );
                    assert_eq!(small.margin(&rules), large.margin());
                    assert_eq!(small.to_string(), large.to_string());
                }
            }
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let game: Game = "kalah(3,1)".parse().unwrap();
        let rules = CompiledRules::new(&game);
        let mut position = CompactPosition::new(&Position::start(game)).unwrap();
        let house = |number| House::new(number).unwrap();
        assert_eq!(
            position.try_play(&rules, house(4)).unwrap_err(),
            PlayError::NoHouse { house: house(4), houses: 3 }
        );
        let _ = position.play(&rules, house(1));
        let _ = position.play(&rules, house(1));
        assert_eq!(position.try_play(&rules, house(1)).unwrap_err(), PlayError::Empty(house(1)));
        for other in ["kalah(4,1)", "kalah(3,1,empty-capture)", "s-kalaha(3,1)"] {
            let rules = CompiledRules::new(&other.parse().unwrap());
            let refused = position.try_play(&rules, house(2));
            assert!(matches!(refused, Err(PlayError::OtherRules { .. })), "{other}");
        }
        let same = CompiledRules::new(&"kalah(3,9,pie)".parse().unwrap());
        assert!(position.try_play(&same, house(2)).is_ok());
        assert!(CompactPosition::new(&Position::start("kalah(6,4,pie)".parse().unwrap())).is_err());
    }
}
