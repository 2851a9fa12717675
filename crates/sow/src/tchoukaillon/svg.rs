//! Pictures of boards and of the approach to pi.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use crate::failure::Failure;
use crate::svg;

/// The most rows that a picture of a play has.
pub(crate) const MAX_ROWS: usize = 500;

/// An SVG document.
pub(crate) struct Picture(String);

/// One board of a play.
pub(crate) struct Row {
    /// The stones of each bin.
    pub(crate) board: Vec<u64>,
    /// The bins that the next play sows from, in order.
    pub(crate) played: Vec<usize>,
}

const STEP: usize = 48;

impl Picture {
    /// A board and its play, one row for each position, the Ruma at the left. The bins that are
    /// sown from next are filled.
    pub(crate) fn board(title: &str, rows: &[Row]) -> Picture {
        let bins = rows.iter().map(|row| row.board.len()).max().unwrap_or(0);
        let total: u64 = rows.first().map_or(0, |row| row.board.iter().sum());
        let (width, height) = ((bins + 1) * STEP + 16, (rows.len() + 1) * STEP);
        let mut picture = svg::head(title, width, height, STYLE);
        for bin in 0..=bins {
            let label = if bin == 0 { "Ruma".to_string() } else { bin.to_string() };
            let _ =
                writeln!(picture, "<text class=\"label\" x=\"{}\" y=\"28\">{label}</text>", x(bin));
        }
        for (index, row) in rows.iter().enumerate() {
            let y = (index + 1) * STEP + STEP / 4;
            let home = total - row.board.iter().sum::<u64>();
            let _ = writeln!(
                picture,
                "<rect class=\"ruma\" x=\"{}\" y=\"{}\" width=\"40\" height=\"40\" rx=\"8\"/>\
                 <text x=\"{}\" y=\"{}\">{home}</text>",
                x(0) - 20,
                y - 20,
                x(0),
                y + 5,
            );
            for (bin, stones) in (1..).zip(&row.board) {
                let class = match row.played.iter().position(|&played| played == bin) {
                    Some(0) => "bin played",
                    Some(_) => "bin chained",
                    None => "bin",
                };
                let _ = writeln!(
                    picture,
                    "<circle class=\"{class}\" cx=\"{0}\" cy=\"{y}\" r=\"20\"/>\
                     <text x=\"{0}\" y=\"{1}\">{stones}</text>",
                    x(bin),
                    y + 5,
                );
            }
        }
        picture.push_str("</svg>\n");
        Picture(picture)
    }

    /// Points over a logarithmic axis, with a line across at pi.
    pub(crate) fn approach(title: &str, points: &[(u64, f64)]) -> Picture {
        let (width, height) = (720, 400);
        let mut picture = svg::head(title, width, height, STYLE);
        let last = points.last().map_or(1, |&(n, _)| n).max(2) as f64;
        // The plot shows 1 to 5; the first terms lie between 1 and 4.
        let place =
            |n: f64, value: f64| (60.0 + 640.0 * n.ln() / last.ln(), 360.0 - 80.0 * (value - 1.0));
        let (_, pi) = place(1.0, std::f64::consts::PI);
        let _ = writeln!(
            picture,
            "<line class=\"pi\" x1=\"60\" y1=\"{pi:.1}\" x2=\"700\" y2=\"{pi:.1}\"/>"
        );
        let _ = writeln!(picture, "<text x=\"40\" y=\"{:.1}\">pi</text>", pi + 5.0);
        for value in 1..=5 {
            let (_, y) = place(1.0, f64::from(value));
            let _ = writeln!(
                picture,
                "<text class=\"label\" x=\"20\" y=\"{:.1}\">{value}</text>",
                y + 4.0
            );
        }
        let mut power = 1u64;
        while power as f64 <= last {
            let (x, _) = place(power as f64, 1.0);
            let _ =
                writeln!(picture, "<text class=\"label\" x=\"{x:.1}\" y=\"388\">{power}</text>");
            power = power.saturating_mul(10);
        }
        for &(n, value) in points {
            let (x, y) = place(n as f64, value);
            let _ =
                writeln!(picture, "<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
        }
        picture.push_str("</svg>\n");
        Picture(picture)
    }
}

fn x(bin: usize) -> usize {
    bin * STEP + STEP / 2 + 8
}

const STYLE: &str = "\
text { font: 15px sans-serif; text-anchor: middle; fill: #222 }
.label { font-size: 12px; fill: #666 }
.ruma { fill: #ecd9b8; stroke: #8a6d3b }
.bin { fill: #fff; stroke: #8a6d3b }
.played { fill: #e0a030 }
.chained { fill: #f3d9a0 }
.pi { stroke: #c33 }
.point { fill: #357 }
";

/// Writes the picture to a file, whole or not at all, or to standard output for `-`.
pub(crate) fn write(path: &Path, picture: &Picture, out: &mut dyn Write) -> Result<(), Failure> {
    svg::write(path, &picture.0, out)
}
