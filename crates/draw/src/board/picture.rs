//! The board as a picture.

use std::f64::consts::PI;

use sowing_rules::{Position, Side};

use super::{Row, rows};
use crate::{Element, Picture};

/// The distance between houses.
const STEP: f64 = 80.0;

/// The most seeds that are drawn; more are a number only.
const MAX_SEEDS: u64 = 60;

/// The size of numbers, and the most digits that fit between two houses in it.
const SIZE: f64 = 17.0;
const MAX_DIGITS: usize = 6;

const STYLE: &str = "
text { font: 600 17px sans-serif; text-anchor: middle; fill: #3b2a14 }
.wood { fill: #d9b98a; stroke: #8a6d3b; stroke-width: 2 }
.pit { fill: #b98f57; stroke: #8a6d3b }
.seed { fill: #f6efe0; stroke: #6b5128; stroke-width: .7 }
";

/// Draws a position whose mover sits at a side, as the player of the lower row sees it.
pub fn picture(position: &Position, mover: Side, below: Side) -> Picture {
    let [south, north] = rows(position, mover);
    let (below, above) = if below == Side::South { (south, north) } else { (north, south) };
    let houses = below.houses.len();
    let (width, height) = ((houses + 2) as f64 * STEP + 20.0, 3.0 * STEP + 20.0);
    let title = format!("{}  {position}", position.game());
    let mut picture = Picture::new(&title, width, height, STYLE);
    let wood = Element::rect(4.0, 4.0, width - 8.0, height - 8.0).at("rx", 36.0);
    picture.add(wood.class("wood"));
    // From the left: the upper player's store, the houses, the lower player's store. The upper
    // row is seen from its owner's right.
    store(&mut picture, 0, &above);
    store(&mut picture, houses + 1, &below);
    for (column, seeds) in above.houses.iter().rev().enumerate() {
        house(&mut picture, column + 1, 70.0, 22.0, *seeds);
    }
    for (column, seeds) in below.houses.iter().enumerate() {
        house(&mut picture, column + 1, 190.0, 235.0, *seeds);
    }
    picture
}

fn x(column: usize) -> f64 {
    column as f64 * STEP + STEP / 2.0 + 10.0
}

fn house(picture: &mut Picture, column: usize, y: f64, label: f64, seeds: u64) {
    let x = x(column);
    picture.add(Element::circle(x, y, 34.0).class("pit"));
    heap(picture, (x, y), (27.0, 27.0), seeds);
    picture.add(number(x, label, seeds).at("dy", 6.0));
}

fn store(picture: &mut Picture, column: usize, row: &Row) {
    let x = x(column);
    picture.add(Element::rect(x - 30.0, 40.0, 60.0, 180.0).at("rx", 30.0).class("pit"));
    heap(picture, (x, 130.0), (22.0, 78.0), row.store);
    picture.add(number(x, 241.0, row.store));
}

/// A number that leaves its neighbours room.
fn number(x: f64, y: f64, seeds: u64) -> Element {
    let number = Element::text(x, y, seeds);
    if seeds.to_string().len() <= MAX_DIGITS {
        return number;
    }
    let size = SIZE * MAX_DIGITS as f64 / seeds.to_string().len() as f64;
    number.with("style", format_args!("font-size: {size:.1}px"))
}

/// Seeds spread evenly over an ellipse: each a golden angle further than the one before.
fn heap(picture: &mut Picture, (x, y): (f64, f64), (across, down): (f64, f64), seeds: u64) {
    let golden = PI * (3.0 - 5f64.sqrt());
    let drawn = seeds.min(MAX_SEEDS);
    for seed in 0..drawn {
        // A seed alone lies in the middle.
        let shift = if drawn == 1 { 0.0 } else { 0.5 };
        let reach = ((seed as f64 + shift) / drawn.max(8) as f64).sqrt();
        let (sin, cos) = (golden * seed as f64).sin_cos();
        let (x, y) = (x + across * reach * cos, y + down * reach * sin);
        picture.add(Element::circle(x, y, 5.0).class("seed"));
    }
}

#[cfg(test)]
mod tests {
    use sowing_rules::{Game, Setup};

    use super::*;

    #[test]
    fn every_seed_is_there_and_rows_change_places() {
        let game: Game = "s-kalaha(3,1)".parse().unwrap();
        let setup: Setup = "0,0,2,1|1,1,1,0".parse().unwrap();
        let position = Position::new(game, &setup).unwrap();
        let seen = |mover, below| picture(&position, mover, below).to_string();
        let south = seen(Side::South, Side::South);
        assert_eq!(south.matches("class=\"seed\"").count(), 6);
        // The mover's last house is the rightmost of the lower row.
        assert!(south.contains("<text x=\"290\" y=\"235\" dy=\"6\">2</text>"));
        assert_eq!(south, seen(Side::North, Side::North));
        let turned = seen(Side::South, Side::North);
        assert_eq!(turned, seen(Side::North, Side::South));
        assert!(turned.contains("<text x=\"130\" y=\"22\" dy=\"6\">2</text>"));
    }
}
