//! What holds in every game, on every board, for every move.

use proptest::prelude::*;
use proptest::sample::select;
use sowing_plain::Plain;
use sowing_rules::{
    Board, Capture, CompactBoard, CompiledRules, Direction, Ending, Game, House, Move, Numbering,
    Pit, Playthrough, Position, Record, Rules, SeededRng, Setup, Side, Step, Track, WideBoard,
};

fn rules() -> impl Strategy<Value = Rules> {
    let captures = vec![Capture::Standard, Capture::Empty, Capture::LastSeed, Capture::None];
    let directions = vec![Direction::CounterClockwise, Direction::Clockwise];
    (select(captures), any::<bool>(), select(directions), any::<bool>(), any::<bool>()).prop_map(
        |(capture, relay, direction, remaining_lost, pie)| Rules {
            capture,
            relay,
            direction,
            remaining_lost,
            pie,
        },
    )
}

fn game(houses: u8, seeds: u64) -> impl Strategy<Value = Game> {
    (rules(), 1..=houses, 1..=seeds)
        .prop_map(|(rules, houses, seeds)| Game::new(rules, houses, seeds).unwrap())
}

/// A position with any number of seeds, often few.
fn position(houses: u8, most: u64) -> impl Strategy<Value = Position> {
    game(houses, 4).prop_flat_map(move |game| {
        let pit = prop_oneof![3 => Just(0), 4 => 0..4_u64, 2 => 0..=most];
        let row = proptest::collection::vec(pit.clone(), usize::from(game.houses()));
        (row.clone(), pit.clone(), row, pit).prop_map(move |(own, store, other, other_store)| {
            let setup = Setup::from(WideBoard::new(&own, store, &other, other_store));
            Position::free(game, &setup).unwrap()
        })
    })
}

/// A game played from its start, choosing moves by the numbers given.
fn played(start: Position, choices: &[usize]) -> Playthrough {
    let mut game = Playthrough::new(start);
    for choice in choices {
        // A clockwise game can go round in circles.
        if game.result().is_some() {
            break;
        }
        let moves: Vec<Move> = game.position().moves().collect();
        game.try_play(moves[choice % moves.len()]).unwrap();
    }
    game
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..64_usize, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500, max_global_rejects: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_wide_board_plays_like_the_plain_one(position in position(16, 300)) {
        for action in position.moves() {
            let Move::House(house) = action else { continue };
            let (next, report) = position.play(action);
            let (expected, again) = Plain::from_position(&position).play(house.index());
            prop_assert_eq!(next.to_string(), expected.text());
            prop_assert_eq!(report.again, again);
            prop_assert_eq!(report.finished, expected.finished());
            prop_assert_eq!(next.may_swap(), expected.may_swap);
            if next.is_finished() {
                prop_assert_eq!(next.margin().unwrap(), expected.margin());
            }
        }
    }

    #[test]
    fn seeds_are_conserved(position in position(16, 1_000_000_000_000)) {
        for action in position.moves() {
            let (next, report) = position.play(action);
            prop_assert_eq!(next.total(), position.total());
            prop_assert_eq!(next.layer() + report.gain, position.layer());
        }
    }

    #[test]
    fn the_small_board_agrees_with_the_wide_one(position in position(8, 40)) {
        let game = position.game();
        let (compact, wide) = (CompiledRules::<CompactBoard>::new(game), CompiledRules::<WideBoard>::new(game));
        prop_assume!(position.layer() <= CompactBoard::MAX_SEEDS && !position.is_finished());
        let small = CompactBoard::new(position.board()).unwrap();
        prop_assert_eq!(small.own_seeds(), position.board().own_seeds());
        prop_assert_eq!(small.other_seeds(), position.board().other_seeds());
        let occupied: Vec<usize> = small.occupied().collect();
        let rows = position.board().own().iter().enumerate();
        prop_assert_eq!(&occupied, &rows.filter(|(_, n)| **n > 0).map(|(i, _)| i).collect::<Vec<_>>());
        for slot in occupied {
            let mut steps = (Vec::new(), Vec::new());
            let a = compact.play_observed(small, slot, |step| steps.0.push(step));
            let b = wide.play_observed(*position.board(), slot, |step| steps.1.push(step));
            prop_assert_eq!(Ok(a.board), CompactBoard::new(&b.board));
            prop_assert_eq!((a.gain, a.again, a.finished), (b.gain, b.again, b.finished));
            prop_assert_eq!(steps.0, steps.1);
            prop_assert_eq!(compact.remaining(&a.board), wide.remaining(&b.board));
        }
    }

    #[test]
    fn steps_are_the_whole_move(position in position(16, 60)) {
        let game = *position.game();
        let track = Track::new(game.houses(), game.rules().direction);
        for action in position.moves() {
            let (next, report) = position.play(action);
            let mut pits = *position.board();
            let mut store = pits.store();
            let mut seeds_at = |pits: &mut WideBoard, pit: Pit, add: i64| {
                if pit == Pit::Store { store += add as u64; return store }
                let slot = WideBoard::slot(pit);
                let seeds = pits.take(slot) as i64 + add;
                let (mut own, mut other) = (pits.own().to_vec(), pits.other().to_vec());
                let row = if slot < WideBoard::ROW { &mut own } else { &mut other };
                row[slot % WideBoard::ROW] = seeds as u64;
                *pits = WideBoard::new(&own, pits.store(), &other, pits.other_store());
                seeds as u64
            };
            for step in &report.steps {
                match *step {
                    Step::Sow { from, seeds, laps, last } => {
                        prop_assert_eq!(seeds_at(&mut pits, from, -(seeds as i64)), 0);
                        let path: Vec<Pit> = track.after(from).take(seeds as usize).collect();
                        path.iter().for_each(|pit| { seeds_at(&mut pits, *pit, 1); });
                        prop_assert_eq!(path.last(), Some(&last));
                        prop_assert_eq!(laps, seeds / track.pits().len() as u64);
                    }
                    Step::Capture { house, opposite, taken } => {
                        prop_assert_eq!(seeds_at(&mut pits, Pit::Own(house), -1), 0);
                        seeds_at(&mut pits, Pit::Other(opposite), -(taken as i64));
                        seeds_at(&mut pits, Pit::Store, taken as i64 + 1);
                        prop_assert_eq!(house.number() + opposite.number(), game.houses() + 1);
                    }
                }
            }
            let shown = WideBoard::new(pits.own(), store, pits.other(), pits.other_store());
            let seen = if report.again || action == Move::Swap { next } else { next.flip() };
            prop_assert_eq!(shown, *seen.board());
        }
    }

    #[test]
    fn flip_twice_is_the_identity(position in position(16, 300)) {
        let twice = position.flip().flip();
        prop_assert_eq!(twice.board(), position.board());
        if let Ok(small) = CompactBoard::new(position.board()) {
            prop_assert_eq!(small.flip().flip(), small);
        }
    }

    /// Each move lowers the layer or, without a gain, brings seeds nearer to their own store: no
    /// position can come back, and every game ends.
    #[test]
    fn counter_clockwise_games_descend(position in position(16, 300)) {
        prop_assume!(!position.game().rules().repeats());
        let height = |position: &Position| {
            let houses = u64::from(position.game().houses());
            let row = |row: &[u64]| -> u64 { row.iter().zip(0..).map(|(n, i)| n * (houses - i)).sum() };
            (position.layer(), row(position.board().own()) + row(position.board().other()))
        };
        for action in position.moves().filter(|action| *action != Move::Swap) {
            let (next, _) = position.play(action);
            prop_assert!(height(&next) < height(&position));
        }
    }

    #[test]
    fn counter_clockwise_games_end(game in game(6, 6), seed in any::<u64>()) {
        prop_assume!(!game.rules().repeats());
        let mut play = Playthrough::new(Position::start(game));
        let mut random = SeededRng::new(seed, 0);
        while play.result().is_none() {
            let moves: Vec<Move> = play.position().moves().collect();
            play.play(moves[random.below(moves.len() as u64) as usize]);
            prop_assert!(play.plays().len() < 10_000);
        }
    }

    #[test]
    fn a_relay_move_ends_however_many_seeds(position in position(16, 1_000_000_000_000)) {
        for action in position.moves() {
            let (_, report) = position.play(action);
            if let Some(Step::Sow { last, .. }) = report.steps.last() {
                prop_assert_eq!(report.again, *last == Pit::Store);
            }
        }
    }

    #[test]
    fn games_round_trip(game in game(16, 1_000_000_000_000)) {
        prop_assert_eq!(game.to_string().parse(), Ok(game));
        prop_assert_eq!(game.rules().to_string().parse(), Ok(game.rules()));
    }

    #[test]
    fn positions_round_trip(position in position(16, 1_000_000_000_000)) {
        let setup = position.setup();
        prop_assert_eq!(setup.to_string().parse(), Ok(setup));
        prop_assert_eq!(setup.kgp().to_string().parse(), Ok(setup));
    }

    #[test]
    fn pits_and_endings_round_trip(number in 1..=16_u8, margin in any::<i64>(), side in select(&[Side::South, Side::North])) {
        let house = House::new(number).unwrap();
        for pit in [Pit::Own(house), Pit::Store, Pit::Other(house)] {
            prop_assert_eq!(pit.to_string().parse(), Ok(pit));
        }
        let ending = Ending::from_margin(side, margin);
        prop_assert_eq!(ending.to_string().parse(), Ok(ending));
        prop_assert_eq!(side.to_string().to_uppercase().parse(), Ok(side));
        for bad in ["", "own", "own 0", "store 1", "South wins by 0", "South wins by +1", "East wins by 1"] {
            prop_assert!(bad.parse::<Pit>().is_err() && bad.parse::<Ending>().is_err());
        }
    }

    #[test]
    fn moves_round_trip(number in 1..=16_u8) {
        let action = Move::house(number);
        prop_assert_eq!(action.to_string().parse(), Ok(action));
        prop_assert_eq!(Move::Swap.to_string().parse(), Ok(Move::Swap));
    }

    #[test]
    fn numberings_round_trip(
        houses in 1..=16_u8,
        house in 1..=16_u8,
        side in select(&[Side::South, Side::North]),
        numbering in select(&Numbering::ALL),
    ) {
        prop_assume!(house <= houses);
        let house = House::new(house).unwrap();
        let label = numbering.label(house, side, houses);
        prop_assert!(label <= numbering.highest(houses));
        let (read, row) = numbering.house(label, houses).unwrap();
        prop_assert_eq!(read, house);
        prop_assert_eq!(row, (numbering == Numbering::Bins).then_some(side));
        prop_assert_eq!(numbering.to_string().parse(), Ok(numbering));
    }

    #[test]
    fn records_round_trip(
        game in game(16, 6),
        choices in choices(),
        numbering in select(&Numbering::ALL),
    ) {
        let play = played(Position::start(game), &choices);
        let record = Record::from_playthrough(&play).with_numbering(numbering).with_header("south", "Ada: the 1st");
        let text = record.to_string();
        let read: Record = text.parse().unwrap();
        prop_assert_eq!(read.to_string(), text);
        let again = read.replay().unwrap();
        prop_assert_eq!(again.position(), play.position());
        prop_assert_eq!(again.side(), play.side());
        prop_assert_eq!(again.plays().len(), play.plays().len());
    }

    #[test]
    fn undoing_returns_the_position(game in game(16, 6), choices in choices()) {
        let mut play = played(Position::start(game), &choices);
        let mut positions = vec![*play.start()];
        positions.extend(play.plays().iter().map(|play| play.after));
        while let Some(position) = positions.pop() {
            prop_assert_eq!(play.position(), &position);
            prop_assert_eq!(play.undo().is_some(), !positions.is_empty());
        }
    }
}

/// Laps are sown by division, so that the work of a sowing does not grow with its seeds. These games sow 10^15 seeds
/// in fewer than 2,000 sowings each; one seed at a time, the test would not end.
#[test]
fn laps_are_sown_by_division() {
    for houses in [1_u64, 6, 12, 16] {
        let game: Game = format!("s-kalaha({houses},1000000000000)").parse().unwrap();
        let mut play = Playthrough::new(Position::start(game));
        let (mut sowings, mut sown) = (0_u64, 0_u128);
        for _ in 0..50 {
            let Some(action) = play.position().moves().next() else { break };
            for step in &play.try_play(action).unwrap().report.steps {
                let Step::Sow { seeds, laps, .. } = *step else { continue };
                assert_eq!(laps, seeds / (2 * houses + 1));
                (sowings, sown) = (sowings + 1, sown + u128::from(seeds));
            }
        }
        assert!(sowings < 2_000 && sown > 5_000_000_000_000, "{houses}: {sowings}, {sown}");
        assert_eq!(play.position().total(), game.total());
    }
}

#[test]
fn boards_that_do_not_fit_are_refused() {
    let board = |game: &str| *Position::start(game.parse().unwrap()).board();
    assert!(CompactBoard::new(&board("kalah(8,15)")).is_ok());
    let error = CompactBoard::new(&board("kalah(9,1)")).unwrap_err();
    assert_eq!(error.to_string(), "a compact board has at most 8 houses, not 9");
    let error = CompactBoard::new(&board("kalah(8,16)")).unwrap_err();
    assert_eq!(error.to_string(), "a compact board has at most 255 seeds in its houses, not 256");
}
