//! Published tables come out, cell by cell.

use std::time::Duration;

use sowing_lab::study::{Cell, Comparison, Computed, Figure, StudyOptions, StudyReport, all, find};
use sowing_plain::{Negamax, Plain};
use sowing_rules::Game;

fn run(name: &str) -> StudyReport {
    let options = StudyOptions { games: 20_000, memory: 1 << 29, ..StudyOptions::default() };
    find(name).unwrap().run(&options)
}

fn misprints(report: &StudyReport) -> Vec<(&str, &str, Option<&str>, String)> {
    let wrong = report.cells.iter().filter(|cell| cell.verdict != Comparison::Equal);
    wrong
        .map(|cell| {
            assert!(matches!(cell.verdict, Comparison::Misprint { .. }), "{cell:?}");
            let (row, column) = (cell.row.as_str(), cell.column.as_str());
            (row, column, cell.printed.as_deref(), cell.computed.to_string())
        })
        .collect()
}

#[test]
fn tables_of_the_thesis_are_reproduced() {
    for (name, cells) in [("thesis-1", 17), ("thesis-4", 36), ("thesis-5", 36), ("thesis-8", 75)] {
        let report = run(name);
        assert_eq!(report.cells.len(), cells, "{name}");
        let unequal = |cell: &&Cell| cell.verdict != Comparison::Equal;
        assert_eq!(report.cells.iter().filter(unequal).count(), 0, "{name}");
    }
}

#[test]
fn the_loss_that_table_7_leaves_out() {
    let report = run("thesis-7");
    assert_eq!(report.cells.len(), 51);
    assert_eq!(misprints(&report), [("3", "3", None, "32".to_string())]);
    assert!(report.agrees());
}

#[test]
fn the_losses_that_no_table_prints() {
    let report = run("thesis-9");
    assert_eq!(report.cells.len(), 38 + 4);
    let found = misprints(&report);
    let seeds: Vec<&str> = found.iter().map(|(.., seeds)| seeds.as_str()).collect();
    assert_eq!(seeds, ["62500", "62600", "65104", "78125"]);
    assert!(found.iter().all(|(_, houses, printed, _)| *houses == "2" && printed.is_none()));
}

#[test]
fn one_bound_of_table_2_is_rounded_wrongly() {
    let found = run("thesis-2");
    assert_eq!(found.cells.len(), 19);
    assert_eq!(misprints(&found), [("6", "2", Some("7.13e9"), "7124934600".to_string())]);
    assert!(run("irving-2").agrees());
}

/// The print is from a hundred games a cell; so is what is said of its distance.
#[test]
fn table_3_is_near() {
    let report = run("thesis-3");
    assert_eq!(report.cells.len(), 30);
    for cell in &report.cells {
        let Computed::LogEstimate { value: Figure::Real(ours), low, high } = cell.computed else {
            panic!("{cell:?}")
        };
        assert!(low < ours && ours < high);
        let printed: f64 = cell.printed.as_ref().unwrap().parse().unwrap();
        assert!((printed / ours).log10().abs() < 1.0, "{cell:?}");
        match &cell.verdict {
            Comparison::Within { deviations, .. } => assert!(*deviations < 4.0, "{cell:?}"),
            Comparison::Misprint { .. } => assert_eq!((&*cell.row, &*cell.column), ("5", "1")),
            _ => panic!("{cell:?}"),
        }
    }
}

#[test]
fn endgame_counts() {
    let report = run("article-endgames");
    assert_eq!(report.cells.len(), 20);
    assert_eq!(misprints(&report), []);
}

#[test]
fn figures_of_mancala_matrices() {
    for name in ["matrices-boards", "matrices-moves"] {
        let report = run(name);
        assert_eq!((report.cells.len(), report.rows().len()), (37, 11), "{name}");
        assert_eq!(misprints(&report), [], "{name}");
    }
}

/// What the time does not reach is said to be so, and is no difference.
#[test]
fn no_time() {
    let options = StudyOptions { time: Duration::ZERO, ..StudyOptions::default() };
    for study in all() {
        let report = study.run(&options);
        assert!(report.agrees(), "{}", study.name);
        // This one lists what it finds.
        assert!(!report.cells.is_empty() || study.name == "s-kalaha-losses", "{}", study.name);
        for cell in &report.cells {
            let untouched =
                matches!(cell.verdict, Comparison::NotReached | Comparison::NotRecomputed)
                    && cell.computed == Computed::Nothing;
            let kept = matches!(cell.computed, Computed::Kept { .. });
            assert!(untouched || kept, "{cell:?}");
        }
    }
}

/// A value that was computed before is marked so.
#[test]
fn results_are_cited() {
    let options = StudyOptions { time: Duration::ZERO, ..StudyOptions::default() };
    let report = find("article-4").unwrap().run(&options);
    assert_eq!(report.cells.len(), 20);
    assert!(report.agrees());
    let kept = |cell: &&Cell| match &cell.computed {
        Computed::Kept { value, file } => {
            assert_eq!(file, "results/kalah_first_turns.csv");
            assert_eq!(cell.verdict, Comparison::Equal);
            matches!(value, Figure::Number(_))
        }
        _ => false,
    };
    assert_eq!(report.cells.iter().filter(kept).count(), 20);
}

/// What the article of 2018 leaves open is known now, and each of its bounds is held against that.
#[test]
fn the_open_game_is_known() {
    let options = StudyOptions { time: Duration::ZERO, ..StudyOptions::default() };
    let report = find("article-6-open").unwrap().run(&options);
    assert!(report.agrees());
    let mut proven = 0;
    for cell in &report.cells {
        assert!(matches!(cell.computed, Computed::Kept { .. }), "{cell:?}");
        match cell.printed {
            Some(_) => proven += i32::from(cell.verdict == Comparison::Proven),
            None => assert_eq!(cell.verdict, Comparison::Unprinted),
        }
    }
    assert_eq!((report.cells.len(), proven), (10, 4));
    assert_eq!(report.cell("1-3", "standard").unwrap().number(), Some(4.0));
}

#[test]
fn names() {
    let mut names: Vec<&str> = all().iter().map(|study| study.name).collect();
    assert!(names.iter().all(|name| find(name).is_some_and(|study| study.name == *name)));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().len());
    assert_eq!(find(" Thesis-7 ").map(|study| study.name), Some("thesis-7"));
    assert!(find("thesis-6").is_none());
}

/// Kalah, Dakon and S-Kalaha side by side: what is small is computed again, plainly.
#[test]
fn three_games() {
    let options = StudyOptions { time: Duration::from_secs(10), ..StudyOptions::default() };
    let report = find("three-values").unwrap().run(&options);
    assert!(report.agrees());
    assert_eq!(report.cells.len(), 108);
    let mut checked = 0;
    for cell in &report.cells {
        let game: Game = cell.row.replace('.', &cell.column).parse().unwrap();
        if game.total() > 12 {
            continue;
        }
        let value = Negamax::default().value(&Plain::start(&game));
        assert_eq!(cell.computed, Computed::Exact { value: Figure::Number(value) }, "{game}");
        assert_eq!(cell.verdict, Comparison::Unprinted);
        checked += 1;
    }
    assert_eq!(checked, 42);
    let report = find("three-advantage").unwrap().run(&StudyOptions { games: 500, ..options });
    let points = |row: &str, column: &str| report.cell(row, column).unwrap().number().unwrap();
    // One house each: there is nothing to choose.
    assert_eq!([points("kalah(1,.)", "2"), points("kalah(1,.)", "3")], [0.0, 100.0]);
    assert!(report.cells.iter().filter_map(Cell::number).all(|it| (0.0..=100.0).contains(&it)));
}

/// All losses are those of the tables and the four that none has, as many as the sweep found.
#[test]
fn all_losses_are_those_of_the_sweep() {
    let kept = include_str!("../../../results/s_kalaha_losses.csv");
    let rows = kept.lines().filter(|line| !line.starts_with('#')).skip(1);
    let kept: Vec<Vec<&str>> = rows.map(|row| row.split(',').take(2).collect()).collect();
    let within = kept.iter().filter(|row| {
        let [houses, seeds] = [row[0], row[1]].map(|text| text.parse::<u64>().unwrap());
        (2 * houses..=100_000).contains(&seeds)
    });
    let report = run("s-kalaha-losses");
    let found: Vec<Vec<String>> = report
        .cells
        .iter()
        .map(|cell| vec![cell.column.clone(), cell.computed.to_string()])
        .collect();
    assert_eq!(found, within.cloned().collect::<Vec<_>>());
    assert_eq!(report.cells.len(), 101);
}

/// Values that the time does not reach are those that are kept, and say so; computed ones agree.
#[test]
fn every_value_of_kalah_is_computed_or_kept() {
    let kept = include_str!("../../../results/kalah_values.csv");
    let kept: Vec<Vec<&str>> = kept.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let options = StudyOptions { time: Duration::from_millis(500), ..StudyOptions::default() };
    let report = find("kalah-values").unwrap().run(&options);
    assert_eq!(report.cells.len(), 36);
    for (cell, row) in report.cells.iter().zip(&kept) {
        assert_eq!([&*cell.row, &*cell.column], row[..2]);
        assert_eq!(cell.number(), row[2].parse().ok(), "{cell:?}");
    }
    assert!(matches!(report.cells[35].computed, Computed::Kept { .. }), "Kalah(6,6) takes minutes");
    assert!(matches!(report.cells[0].computed, Computed::Exact { .. }));
    assert!(report.agrees());
}

/// One thread searches the same nodes in every run, whatever the threads of the study.
#[test]
fn nodes_are_the_same_in_every_run() {
    let nodes = |threads| {
        let time = Duration::from_secs(2);
        let options = StudyOptions { time, threads, memory: 1 << 28, ..StudyOptions::default() };
        find("kalah-nodes").unwrap().run(&options).cells
    };
    let [first, second] = [1, 2].map(nodes);
    let mut both = 0;
    for (first, second) in first.iter().zip(&second) {
        let (Some(first), Some(second)) = (first.number(), second.number()) else { continue };
        assert_eq!(first, second);
        both += 1;
    }
    assert!(both >= 12, "{both} games are small enough for any machine");
}
