//! Grades of players: perfect loses nothing, and stronger ones lose less.

use sowing_lab::{
    Chooser, ContenderChooser, Dataset, DatasetSpec, Grade, GradeError, Phase, grade,
};
use sowing_players::PlayerOptions;
use sowing_rules::{Game, Move, Position};
use sowing_tables::{BuildOptions, build_in_memory};

fn dataset(game: &str, layer: u32) -> Dataset {
    let game: Game = game.parse().unwrap();
    let tables = build_in_memory(&game, layer, &BuildOptions::default()).unwrap();
    let source = "random".parse().unwrap();
    let spec = DatasetSpec { game, source, layers: 2..=layer, even: false, seed: 3 };
    Dataset::new(spec, tables.into()).unwrap()
}

fn of(dataset: &Dataset, player: &str, positions: u64) -> Grade {
    let tables = Some(dataset.tables().clone());
    let options = PlayerOptions { seed: 8, memory: 1 << 26, tables, ..PlayerOptions::default() };
    let mut chooser =
        ContenderChooser::new(player.parse().unwrap(), dataset.spec().game, options).unwrap();
    let graded = grade(dataset, positions, &mut chooser, &mut |_| true).unwrap();
    assert_eq!(graded.all.moves, positions);
    assert_eq!(graded.phases.values().map(|tally| tally.lost).sum::<u64>(), graded.all.lost);
    graded
}

#[test]
fn stronger_players_lose_less() {
    let dataset = dataset("kalah(4,3)", 24);
    let [random, first, ninth, perfect] =
        ["random", "level:1", "level:9", "perfect"].map(|player| of(&dataset, player, 400));
    assert_eq!((perfect.all.lost, perfect.all.best), (0, 400));
    assert_eq!(perfect.all.share().unwrap().mean, 1.0);
    assert!(random.all.lost > first.all.lost && first.all.lost > ninth.all.lost, "{random:?}");
    assert!(ninth.all.share().unwrap().low > random.all.share().unwrap().high);
    assert_eq!(random.phases.keys().copied().collect::<Vec<_>>(), Phase::ALL);
    // The same seed gives the same grade.
    assert_eq!(of(&dataset, "level:1", 400), first);
}

/// A chooser of nonsense.
struct Nonsense(Option<u8>);

impl Chooser for Nonsense {
    fn choose(
        &mut self,
        _: &Position,
        _: u64,
    ) -> Result<Move, Box<dyn std::error::Error + Send + Sync>> {
        self.0.map(Move::house).ok_or_else(|| "it is asleep".into())
    }
}

#[test]
fn nonsense_is_an_error() {
    let dataset = dataset("kalah(3,2)", 8);
    let graded = grade(&dataset, 20, &mut Nonsense(Some(9)), &mut |_| true);
    assert!(matches!(graded, Err(GradeError::Illegal { .. })));
    let graded = grade(&dataset, 20, &mut Nonsense(None), &mut |_| true);
    assert!(graded.unwrap_err().to_string().ends_with("it is asleep"));
    // One house a side: there is never a choice.
    let dataset = self::dataset("kalah(1,2)", 4);
    let graded = grade(&dataset, 5, &mut Nonsense(Some(1)), &mut |_| true);
    assert!(matches!(graded, Err(GradeError::NoChoice)));
}
