//! The board as an SVG picture.

use std::f64::consts::PI;
use std::fmt::Write as _;

use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use sowing::Playthrough;
use utoipa::IntoParams;

use super::error::{ErrorBody, Refusal};
use super::position::{RowSeeds, rows};
use super::query::{Params, Played};
use crate::svg;

/// How it is seen.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Seen {
    /// Whether North sits below.
    #[serde(default)]
    flip: bool,
}

/// The board after these moves as a picture
#[utoipa::path(
    get,
    path = "/api/v1/board.svg",
    params(Played, Seen),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) async fn picture(
    Params(played): Params<Played>,
    Params(seen): Params<Seen>,
) -> Result<impl IntoResponse, Refusal> {
    let picture = draw(&played.playthrough()?, seen.flip);
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], picture))
}

/// The distance between houses.
const STEP: usize = 80;

/// The most seeds that are drawn; more are a number only.
const MAX_SEEDS: u64 = 60;

const STYLE: &str = "text { font: 600 17px sans-serif; text-anchor: middle; fill: #3b2a14 }
.wood { fill: #d9b98a; stroke: #8a6d3b; stroke-width: 2 }
.pit { fill: #b98f57; stroke: #8a6d3b }
.seed { fill: #f6efe0; stroke: #6b5128; stroke-width: .7 }
";

fn draw(played: &Playthrough, flip: bool) -> String {
    let position = played.position();
    let rows = rows(position, played.side());
    let (below, above) = if flip { (rows.north, rows.south) } else { (rows.south, rows.north) };
    let houses = below.houses.len();
    let (width, height) = ((houses + 2) * STEP + 20, 3 * STEP + 20);
    let title = format!("{}  {position}", position.game());
    let mut svg = svg::head(&title, width, height, STYLE);
    let _ = writeln!(
        svg,
        "<rect class=\"wood\" x=\"4\" y=\"4\" width=\"{}\" height=\"{}\" rx=\"36\"/>",
        width - 8,
        height - 8,
    );
    // From the left: the upper player's store, the houses, the lower player's store. The upper
    // row is seen from its owner's right.
    store(&mut svg, 0, &above);
    store(&mut svg, houses + 1, &below);
    for (column, seeds) in above.houses.iter().rev().enumerate() {
        house(&mut svg, column + 1, 70.0, 22.0, *seeds);
    }
    for (column, seeds) in below.houses.iter().enumerate() {
        house(&mut svg, column + 1, 190.0, 250.0, *seeds);
    }
    svg.push_str("</svg>\n");
    svg
}

fn x(column: usize) -> f64 {
    (column * STEP + STEP / 2 + 10) as f64
}

fn house(svg: &mut String, column: usize, y: f64, label: f64, seeds: u64) {
    let x = x(column);
    let _ = writeln!(svg, "<circle class=\"pit\" cx=\"{x}\" cy=\"{y}\" r=\"34\"/>");
    heap(svg, (x, y), (27.0, 27.0), seeds);
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{label}\" dy=\"6\">{seeds}</text>");
}

fn store(svg: &mut String, column: usize, row: &RowSeeds) {
    let x = x(column);
    let _ = writeln!(
        svg,
        "<rect class=\"pit\" x=\"{}\" y=\"40\" width=\"60\" height=\"180\" rx=\"30\"/>",
        x - 30.0,
    );
    heap(svg, (x, 130.0), (22.0, 78.0), row.store);
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"240\">{}</text>", row.store);
}

/// Seeds spread evenly over an ellipse: each a golden angle further than the one before.
fn heap(svg: &mut String, (x, y): (f64, f64), (across, down): (f64, f64), seeds: u64) {
    let golden = PI * (3.0 - 5f64.sqrt());
    let drawn = seeds.min(MAX_SEEDS);
    for seed in 0..drawn {
        let reach = ((seed as f64 + 0.5) / drawn.max(8) as f64).sqrt();
        let (sin, cos) = (golden * seed as f64).sin_cos();
        let (x, y) = (x + across * reach * cos, y + down * reach * sin);
        let _ = writeln!(svg, "<circle class=\"seed\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>");
    }
}
