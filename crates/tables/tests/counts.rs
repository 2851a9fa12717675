//! The number of positions of each layer, against the published counts.

use sowing_tables::{RowIndex, live_positions, live_positions_to};

#[test]
fn six_houses_as_published() {
    let table = include_str!("../../lab/published/endgame_counts.csv");
    let rows = table.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let mut checked = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [seeds, positions, cumulative] = fields[..] else { panic!("{row}") };
        let (first, last) = seeds.split_once('-').unwrap_or((seeds, seeds));
        let (first, last): (u32, u32) = (first.parse().unwrap(), last.parse().unwrap());
        let found: u128 = (first..=last).map(|layer| live_positions(6, layer)).sum();
        assert_eq!(found, positions.parse::<u128>().unwrap(), "{seeds} seeds");
        assert_eq!(live_positions_to(6, last), cumulative.parse::<u128>().unwrap());
        checked += last - first + 1;
    }
    assert_eq!(checked, 33, "layers 2 to 34");
}

/// Counted one by one: pairs of rows that both hold seeds.
#[test]
fn by_counting() {
    for houses in 1..=8 {
        let row_index = RowIndex::new(houses);
        for layer in 2..=8 {
            let count: usize =
                (1..layer).map(|p| row_index.rows(p).len() * row_index.rows(layer - p).len()).sum();
            assert_eq!(live_positions(houses, layer as u32), count as u128);
        }
    }
}
