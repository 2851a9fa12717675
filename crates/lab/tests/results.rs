//! The figures under `results/`: computed again as far as a test's time goes, and all of them held
//! against each other and against what is published.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use sowing_lab::{Census, Start, non_wins};
use sowing_rules::{Game, Move, Outcome, Position, Rules};
use sowing_solver::{Solver, SolverOptions};
use sowing_tables::live_positions_to;

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with(['#', 'h']));
    lines.map(|line| line.split(',').collect())
}

#[test]
fn counts_of_positions() {
    let text = include_str!("../../../results/s_kalaha_states.csv");
    let mut checked = 0;
    for row in rows(text) {
        let numbers: Vec<u64> = row[..5].iter().map(|field| field.parse().unwrap()).collect();
        let [houses, seeds, states, live, finished] = numbers[..] else { panic!("{row:?}") };
        assert_eq!(states, live + finished, "{row:?}");
        if states < 5_000_000 {
            let game = Game::new(Rules::S_KALAHA, houses as u8, seeds).unwrap();
            let census = Census::of(&game, 1 << 28).unwrap();
            assert_eq!((census.live(), census.finished()), (live, finished), "{game}");
            checked += 1;
        }
    }
    assert_eq!(checked, 24);
}

/// The value of a polynomial such as `l^3-l^2+l-1`.
fn value(polynomial: &str, l: i128) -> i128 {
    let spaced = polynomial.replace('-', " -").replace('+', " ");
    let term = |term: &str| {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |rest| (-1, rest));
        let power = match term.split_once('^') {
            Some((_, power)) => power.parse().unwrap(),
            None => u32::from(term == "l"),
        };
        sign * l.pow(power)
    };
    spaced.split_whitespace().map(term).sum()
}

/// Every row is a loss, its polynomial gives its seeds, and up to a million none is missing.
#[test]
fn losses_and_their_polynomials() {
    let text = include_str!("../../../results/s_kalaha_losses.csv");
    let mut listed = Vec::new();
    for row in rows(text) {
        let (houses, seeds): (u8, u64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let game = Game::new(Rules::S_KALAHA, houses, seeds).unwrap();
        let start = Start::of(game).unwrap();
        let moves = start.moves.unwrap().to_string();
        assert_eq!((start.outcome, row[2], &*moves), (Outcome::Loss, "loss", row[3]), "{row:?}");
        if !row[4].is_empty() {
            assert_eq!(value(row[4], 2 * i128::from(houses) + 1), seeds.into(), "{row:?}");
        }
        listed.push((houses, seeds, row[4]));
    }
    for houses in 2..=6 {
        let to = 1_000_000;
        let found = non_wins(Rules::S_KALAHA, houses, 4..=to).unwrap();
        let found: Vec<u64> = found.iter().map(|start| start.game.seeds()).collect();
        let listed = listed.iter().filter(|(h, s, _)| *h == houses && *s <= to);
        assert_eq!(found, listed.map(|(_, s, _)| *s).collect::<Vec<_>>(), "{houses} houses");
    }
    let printed = include_str!("../published/s_kalaha_loss_polynomials.csv");
    let printed = printed.lines().filter(|line| line.starts_with('l'));
    for polynomial in printed.map(|line| line.split(',').next().unwrap()) {
        let named = listed.iter().filter(|(.., name)| *name == polynomial).count();
        assert_eq!(named, 5, "{polynomial}");
    }
}

/// The most nodes of a search that is done again here.
const NODES: u64 = 400_000;

fn value_of(game: &Game) -> i64 {
    let options = SolverOptions { memory: 1 << 28, ..SolverOptions::default() };
    let mut solver = Solver::with_options(*game, options).unwrap();
    solver.value(&Position::start(*game)).unwrap().value().expect("no limit was set")
}

fn number<T: std::str::FromStr>(field: &str) -> T {
    field.parse().unwrap_or_else(|_| panic!("{field:?} is no number"))
}

fn outcome(value: i64) -> &'static str {
    ["L", "D", "W"][(value.signum() + 1) as usize]
}

/// What a margin of a game may be at all.
fn possible(game: &Game, value: i64) -> bool {
    let seeds = 2 * i64::from(game.houses()) * game.seeds() as i64;
    value.abs() <= seeds && value % 2 == 0
}

/// Values of Kalah: every cell is there once, possible, and as published; the cheap ones are
/// computed again, and those with all first turns are the best of them.
#[test]
fn values_of_kalah() {
    let printed = include_str!("../published/kalah_values_irving.csv");
    let printed: HashMap<(u8, u64), &str> =
        rows(printed).map(|row| ((number(row[0]), number(row[1])), row[2])).collect();
    let turns = include_str!("../../../results/kalah_first_turns.csv");
    let turns: Vec<Vec<&str>> = rows(turns).filter(|row| row[0] != "s").collect();
    let empty = Rules { capture: sowing_rules::Capture::Empty, ..Rules::KALAH };
    let (mut cells, mut checked, mut compared) = (Vec::new(), 0, 0);
    for row in rows(include_str!("../../../results/kalah_values.csv")) {
        let (houses, seeds): (u8, u64) = (number(row[0]), number(row[1]));
        for (rules, at, column) in [(Rules::KALAH, 2, 2), (empty, 5, 3)] {
            let game = Game::new(rules, houses, seeds).unwrap();
            let (value, nodes): (i64, u64) = (number(row[at]), number(row[at + 1]));
            assert!(possible(&game, value) && number::<f64>(row[at + 2]) >= 0.0, "{row:?}");
            if nodes <= NODES {
                assert_eq!(value_of(&game), value, "{game}");
                checked += 1;
            }
            let seeds = seeds.to_string();
            let of_turns = turns
                .iter()
                .filter(|turn| houses == 6 && turn[0] == seeds && !turn[column].is_empty());
            if let Some(best) = of_turns.map(|turn| number::<i64>(turn[column])).max() {
                assert_eq!(value, best, "{game}");
                compared += 1;
            }
        }
        let empty: i64 = number(row[5]);
        let print = printed.get(&(houses, seeds));
        let agrees = |print: &&str| *print == outcome(empty) || *print == empty.to_string();
        // Irving's table ends before (6,6).
        assert!(print.map_or((houses, seeds) == (6, 6), agrees), "{row:?}");
        cells.push((houses, seeds));
    }
    let wanted: Vec<(u8, u64)> = (1..=6).flat_map(|h| (1..=6).map(move |s| (h, s))).collect();
    assert_eq!(cells, wanted);
    assert_eq!((checked, compared), (62, 6));
}

/// Margins of S-Kalaha, exact or bounds, likewise; and the table of them that people read.
#[test]
fn margins_of_s_kalaha() {
    let printed = include_str!("../published/s_kalaha_values.csv");
    let printed: Vec<Vec<&str>> = rows(printed).collect();
    let readme = include_str!("../../../results/README.md");
    let (mut cells, mut checked) = (Vec::new(), 0);
    for row in rows(include_str!("../../../results/s_kalaha_margins.csv")) {
        let (houses, seeds): (u8, u64) = (number(row[0]), number(row[1]));
        let game = Game::new(Rules::S_KALAHA, houses, seeds).unwrap();
        let (low, high): (i64, i64) = (number(row[3]), number(row[4]));
        let nodes: u64 = number(row[5]);
        assert!(possible(&game, low) && possible(&game, high), "{row:?}");
        assert!(number::<f64>(row[6]) >= 0.0, "{row:?}");
        if row[2].is_empty() {
            assert!(low < high, "{row:?}");
        } else {
            assert!(row[2] == row[3] && low == high, "{row:?}");
            if nodes <= NODES {
                assert_eq!(value_of(&game), low, "{game}");
                checked += 1;
            }
        }
        if houses <= 6 && seeds <= 6 {
            let print = printed[usize::from(houses) - 1][seeds as usize];
            assert!(print == outcome(low) && print == outcome(high), "{row:?}");
        }
        let line = readme.lines().find(|line| line.starts_with(&format!("| {houses} | ")));
        let shown = line.unwrap().split('|').nth(seeds as usize + 1).unwrap().trim();
        let signed = |value: i64| if value == 0 { "0".to_string() } else { format!("{value:+}") };
        let both = format!("{} to {}", signed(low), signed(high));
        assert_eq!(shown, if low == high { signed(low) } else { both }, "{row:?}");
        cells.push((houses, seeds));
    }
    let wanted: Vec<(u8, u64)> = (1..=8).flat_map(|h| (1..=8).map(move |s| (h, s))).collect();
    assert_eq!(cells, wanted);
    assert_eq!(checked, 56);
}

/// Values of clockwise Kalah and of every first move: those to 16 seeds are computed again.
#[test]
fn values_of_clockwise_kalah() {
    let text = include_str!("../../../results/kalah_clockwise_values.csv");
    let rules = Rules { direction: sowing_rules::Direction::Clockwise, ..Rules::KALAH };
    let (mut cells, mut checked) = (Vec::new(), 0);
    for row in rows(text) {
        let (houses, seeds): (u8, u64) = (number(row[0]), number(row[1]));
        let game = Game::new(rules, houses, seeds).unwrap();
        let value: i64 = number(row[2]);
        let moves = row[3..].iter().filter(|field| !field.is_empty());
        let moves: Vec<i64> = moves.map(|field| number(field)).collect();
        assert_eq!(moves.len(), usize::from(houses), "{row:?}");
        assert_eq!(moves.iter().max(), Some(&value), "{row:?}");
        assert!(moves.iter().all(|value| possible(&game, *value)), "{row:?}");
        cells.push((houses, seeds));
        if game.total() > 16 {
            continue;
        }
        checked += 1;
        let options = SolverOptions { memory: 1 << 28, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        let mut worth = |position: &Position| solver.value(position).unwrap().value().unwrap();
        let start = Position::start(game);
        assert_eq!(worth(&start), value, "{game}");
        for (house, value) in (1..).zip(moves) {
            let (next, report) = start.play(Move::house(house));
            let worth = next.margin().unwrap_or_else(|| worth(&next));
            let worth = if report.again { worth } else { -worth };
            assert_eq!(worth, value, "{game}, house {house}");
        }
    }
    let wanted = (1..=4).flat_map(|houses| (1..=6).map(move |seeds| (houses, seeds)));
    assert_eq!(cells, wanted.take(cells.len()).collect::<Vec<_>>());
    assert!(cells.len() >= 22 && checked == 14, "{} {checked}", cells.len());
}

fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The positions that the tables are said to have.
#[test]
fn positions_of_tables() {
    let text = include_str!("../../../results/tables.md");
    let [to_30, to_34] = [30, 34].map(|layer| live_positions_to(6, layer));
    let row = [to_30, to_34 - to_30, to_34].map(grouped).join(" | ");
    assert!(text.contains(&format!("| positions | {row} |\n")), "{row}");
    for (layer, houses) in [(20, 6), (24, 6), (15, 6)] {
        let count = grouped(live_positions_to(houses, layer));
        let rows = text.lines().filter(|line| line.contains(&format!(",.)` to {layer}")));
        let rows: Vec<&str> = rows.filter(|line| line.starts_with('|')).collect();
        assert!(!rows.is_empty() && rows.iter().all(|row| row.contains(&count)), "{rows:?}");
    }
}

/// The counts of positions that people read are those of the file.
#[test]
fn counts_that_people_read() {
    let readme = include_str!("../../../results/README.md");
    let counts = include_str!("../../../results/s_kalaha_states.csv");
    let mut shown = 0;
    for row in rows(counts) {
        let start = format!("| s-kalaha({},{}) | ", row[0], row[1]);
        if let Some(line) = readme.lines().find_map(|line| line.strip_prefix(&start)) {
            assert_eq!(line.split(" | ").next().unwrap(), grouped(number(row[2])), "{row:?}");
            shown += 1;
        }
    }
    assert_eq!(shown, readme.matches("\n| s-kalaha(").count());
    assert_eq!(shown, 15);
}

/// Every target of the fuzzer has its line, with how many inputs it was given.
#[test]
fn fuzz_targets() {
    let text = include_str!("../../../results/fuzz.md");
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let targets = fs::read_dir(targets).unwrap().map(|entry| entry.unwrap().path());
    let mut targets: Vec<String> =
        targets.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    targets.sort();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('|').map(str::trim).collect()).collect();
    let listed: Vec<&str> = rows.iter().map(|row| row[1].trim_matches('`')).collect();
    assert_eq!(listed, targets);
    for row in rows {
        let inputs: u64 = number(&row[2].replace(',', ""));
        assert!(inputs > 0 && row[2] == grouped(inputs.into()) && !row[3].is_empty(), "{row:?}");
    }
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// What is built into the crate, so that its package is whole, is what the project computed.
#[test]
fn what_is_kept_is_what_was_computed() {
    let kept = include_str!("../kept/kalah_first_turns.csv");
    assert_eq!(kept, include_str!("../../../results/kalah_first_turns.csv"));
    let kept = include_str!("../kept/kalah_values.csv");
    assert_eq!(kept, include_str!("../../../results/kalah_values.csv"));
}

/// The table of Kalah(6,6) has the turns' values as they were computed, and the print beside them.
#[test]
fn kalah_66_is_told_as_it_was_computed() {
    let told = include_str!("../../../results/kalah_66.md");
    let told: Vec<Vec<&str>> = (told.lines().filter(|line| line.starts_with("| ")))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('*')))
        .map(Iterator::collect)
        .filter(|row: &Vec<&str>| {
            row.len() == 6 && row[0].starts_with(|c: char| c.is_ascii_digit())
        })
        .collect();
    let number = |text: &str| text.parse::<i64>().unwrap();
    let computed = include_str!("../../../results/kalah_first_turns.csv");
    let costs = include_str!("../published/kalah_66_cost.csv");
    let open = include_str!("../published/kalah_66_open.csv");
    let row_of = |text: &'static str, first: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{first},")));
        line.map(|line| line.split(',').collect::<Vec<_>>())
    };
    assert_eq!(told.len(), 10);
    for row in told {
        let turn = row[0];
        let values = row_of(computed, &format!("6,{turn}")).unwrap();
        assert_eq!(
            [number(row[1]), number(row[3])],
            [number(values[2]), number(values[3])],
            "{turn}"
        );
        let bound = row_of(open, turn).map_or(String::new(), |row| {
            row[1].replace(">=", "at least +").replace("<=", "at most ")
        });
        assert_eq!(row[2], bound, "{turn}");
        assert_eq!(row[4], row[3], "{turn}: as printed");
        let nodes = row_of(costs, turn).unwrap()[2].parse::<f64>().unwrap() / 1e12;
        assert_eq!(row[5], format!("{nodes:.1} × 10^12"), "{turn}");
    }
}

/// No figure stands in a file that nothing reads: every file is named by a test, or built into a
/// crate whose tests use it. The b-files are made again one and all, by a test of the command.
/// Whether this is the note of where a file of data is from; and every file of data has one.
fn says_where_from(name: &str) -> bool {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    if name.ends_with(".csv") {
        let first = fs::read_to_string(results.join(name)).unwrap();
        assert!(!first.starts_with('#'), "{name}: every line is data");
        assert!(results.join(format!("{name}.meta.json")).exists(), "{name} is from nowhere");
    }
    let Some(data) = name.strip_suffix(".meta.json") else { return false };
    let text = fs::read_to_string(results.join(name)).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(meta["made"]["command"].to_string().contains("sow "), "{name}");
    results.join(data).exists()
}

#[test]
fn every_file_is_read() {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = Vec::new();
    sources(&lab.join(".."), &mut code);
    let code: Vec<String> = code.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut files = 0;
    for (dir, place) in [("results", "../../results"), ("published", "published")] {
        for entry in fs::read_dir(lab.join(place)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let names = [format!("{dir}/{name}\""), format!("\"{name}\"")];
            // Some tests have a name for the folder of what is published.
            let names = if dir == "published" { &names[..] } else { &names[..1] };
            let read = code.iter().any(|text| names.iter().any(|name| text.contains(name)));
            let made_again = name.starts_with("b-") && name.ends_with(".txt");
            let says_where_from = dir == "results" && says_where_from(&name);
            let known = read || made_again || says_where_from || name == "README.md";
            assert!(known, "nothing reads {dir}/{name}");
            files += 1;
        }
    }
    assert!(files > 60, "{files} files");
}
