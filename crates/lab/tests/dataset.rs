//! Data sets: every value is the one of plain negamax, and nothing depends on the threads.

use std::collections::BTreeMap;
use std::sync::Arc;

use sowing_lab::{Dataset, DatasetSpec, Phase, Sample};
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Move};
use sowing_tables::{BuildOptions, Tables, build_in_memory};

fn tables(game: &str, layer: u32) -> Arc<Tables> {
    let game: Game = game.parse().unwrap();
    Arc::new(build_in_memory(&game, layer, &BuildOptions::default()).unwrap())
}

fn spec(game: &str, source: &str, layers: std::ops::RangeInclusive<u32>) -> DatasetSpec {
    let (game, source) = (game.parse().unwrap(), source.parse().unwrap());
    DatasetSpec { game, source, layers, even: false, seed: 5 }
}

fn agrees(plain: &mut Negamax, sample: &Sample) {
    let position = Plain::from_position(&sample.position);
    assert_eq!(plain.value(&position), sample.value, "{}", sample.position);
    let moves: Vec<(Move, i64)> = plain
        .moves(&position)
        .into_iter()
        .map(|(house, value)| (Move::house(house as u8 + 1), value))
        .collect();
    assert_eq!(moves, sample.moves, "{}", sample.position);
}

/// Two thousand small positions of Kalah(6,4), from every source, and some of other games.
#[test]
fn values_are_those_of_plain_negamax() {
    let mut plain = Negamax::default();
    let kalah = tables("kalah(6,4)", 9);
    for (source, positions) in
        [("random", 800), ("perfect", 500), ("uniform", 600), ("level:2", 100)]
    {
        let dataset = Dataset::new(spec("kalah(6,4)", source, 2..=9), Arc::clone(&kalah)).unwrap();
        let samples = dataset.samples(0..positions).unwrap();
        assert_eq!(samples.len() as u64, positions);
        for sample in &samples {
            assert!((2..=9).contains(&sample.position.layer()));
            assert_eq!(sample.position.total(), 48);
            assert_eq!(sample.played.is_none(), source == "uniform");
            agrees(&mut plain, sample);
        }
    }
    for game in ["kalah(3,3,empty-capture)", "s-kalaha(3,2)", "kalah(3,2,remaining-lost)"] {
        let dataset = Dataset::new(spec(game, "random", 2..=10), tables(game, 10)).unwrap();
        let mut plain = Negamax::default();
        dataset.samples(0..100).unwrap().iter().for_each(|sample| agrees(&mut plain, sample));
    }
}

#[test]
fn nothing_depends_on_the_threads() {
    let tables = tables("kalah(4,3)", 12);
    for source in ["random", "perfect", "uniform", "level:4", "pdp:2"] {
        let dataset =
            Dataset::new(spec("kalah(4,3)", source, 3..=12), Arc::clone(&tables)).unwrap();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| dataset.samples(0..300)).unwrap()
        };
        let one = with(1);
        assert_eq!(one, with(3), "{source}");
        // A stretch of it is what it is in the whole.
        assert_eq!(dataset.samples(100..120).unwrap(), one[100..120], "{source}");
        let other = DatasetSpec { seed: 6, ..spec("kalah(4,3)", source, 3..=12) };
        let other = Dataset::new(other, Arc::clone(&tables)).unwrap().samples(0..300).unwrap();
        assert_ne!(one, other, "{source}");
    }
}

/// Uniform is uniform: every position of a small layer comes up about as often as any other; and
/// even is even over layers.
#[test]
fn uniform_and_even() {
    let tables = tables("kalah(2,2)", 8);
    let uniform = Dataset::new(spec("kalah(2,2)", "uniform", 3..=3), Arc::clone(&tables)).unwrap();
    let mut boards: BTreeMap<String, u64> = BTreeMap::new();
    for sample in uniform.samples(0..12_000).unwrap() {
        let board = sample.position.board();
        *boards.entry(format!("{:?}|{:?}", board.own(), board.other())).or_default() += 1;
    }
    // Two seeds against one, in two houses each: three ways times two, both ways round.
    assert_eq!(boards.len(), 12);
    assert!(boards.values().all(|count| (850..1_150).contains(count)), "{boards:?}");
    for source in ["uniform", "random"] {
        let even = DatasetSpec { even: true, ..spec("kalah(2,2)", source, 2..=6) };
        let even = Dataset::new(even, Arc::clone(&tables)).unwrap();
        let mut layers: BTreeMap<u64, u64> = BTreeMap::new();
        for sample in even.samples(0..5_000).unwrap() {
            *layers.entry(sample.position.layer()).or_default() += 1;
        }
        assert_eq!(layers.len(), 5, "{source}");
        assert!(layers.values().all(|count| (850..1_150).contains(count)), "{source}: {layers:?}");
    }
}

#[test]
fn refusals() {
    let refused = |game: &str, source: &str, layers: std::ops::RangeInclusive<u32>| {
        let tables = tables("kalah(2,2)", 6);
        Dataset::new(spec(game, source, layers), tables).unwrap_err().to_string()
    };
    assert!(refused("kalah(2,2,pie)", "random", 2..=4).contains("without pie"));
    assert!(refused("kalah(2,2,clockwise)", "random", 2..=4).contains("clockwise"));
    assert!(refused("kalah(9,1)", "random", 2..=4).contains("8 houses"));
    assert!(refused("kalah(2,100)", "random", 2..=4).contains("255 seeds"));
    assert!(refused("kalah(2,2)", "random", 2..=9).contains("within 2..8"));
    assert!(refused("kalah(2,2)", "random", 1..=4).contains("within 2..8"));
    assert!(refused("kalah(2,2,empty-capture)", "random", 2..=4).contains("kalah(2,.)"));
    // Nothing lies between the start and its first moves' ends.
    let spec = spec("kalah(1,3)", "random", 6..=6);
    let dataset = Dataset::new(spec, tables("kalah(1,3)", 6)).unwrap();
    assert_eq!(dataset.sample(0).unwrap().played, Some(0));
    for bad in ["", "human", "level:0", "uniform:2"] {
        assert!(bad.parse::<sowing_lab::SampleSource>().is_err(), "{bad}");
    }
    assert_eq!("end".parse(), Ok(Phase::End));
}
