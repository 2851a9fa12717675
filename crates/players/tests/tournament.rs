//! The tournament of the levels under `results/`: its figures hang together, and its order is theirs.

use sowing_players::{Results, ratings};

/// The rows of the table whose head starts with this, cell by cell.
fn table<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let start = text.find(head).unwrap_or_else(|| panic!("no table {head}"));
    let rows = text[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn number(text: &str) -> f64 {
    text.replace(['+', ','], "").parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

#[test]
fn ratings_follow_from_the_games() {
    let text = include_str!("../../../results/tournament.md");
    let pairs = table(text, "| player | against | won | drawn | lost |");
    let standings = table(text, "| rank | player | Elo |");
    let mut names: Vec<String> = (1..=9).map(|level| format!("level:{level}")).collect();
    names.push("perfect".to_string());
    assert_eq!(pairs.len(), 45);
    let of = |a: usize, b: usize| {
        let row = pairs.iter().find(|row| row[0] == names[a] && row[1] == names[b]);
        let row = row.unwrap_or_else(|| panic!("{} {}", names[a], names[b]));
        let [won, drawn, lost] = [2, 3, 4].map(|cell| number(row[cell]));
        Results { games: (won + drawn + lost) as u64, points: won + drawn / 2.0 }
    };
    let found = ratings(names.len(), of);
    let games: u64 =
        (0..10).flat_map(|a| (a + 1..10).map(move |b| (a, b))).map(|(a, b)| of(a, b).games).sum();
    assert!(games >= 1000, "{games}");
    assert_eq!(standings.len(), 10);
    for (row, rank) in standings.iter().zip(1..) {
        let player = names.iter().position(|name| name == row[1]).unwrap();
        let (elo, error) = row[2].split_once(" ± ").unwrap();
        assert_eq!(number(row[0]) as i32, rank);
        assert!((number(elo) - found[player].elo).abs() <= 0.5, "{row:?} {:?}", found[player]);
        assert!((number(error) - found[player].error).abs() <= 0.5, "{row:?} {:?}", found[player]);
        // The strongest first: the order is that of the levels.
        assert_eq!(player, 10 - rank as usize, "{row:?}");
    }
}
