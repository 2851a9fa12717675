//! A report as a picture: a heat map, a grid of outcomes with a pie, or curves.

use std::f64::consts::{LN_10, TAU};
use std::fmt::Write as _;

use sowing_lab::study::{Cell, Computed, Kind, Report, Source, Value, Verdict};

use super::text::{figure, printed};
use crate::svg;

const STYLE: &str = "\
text { font: 13px sans-serif; text-anchor: middle; fill: #222 }
.title { font-size: 15px; text-anchor: start }
.source { font-size: 11px; text-anchor: start }
.row { text-anchor: end }
.left { text-anchor: start }
.light { fill: #fff }
.cell { stroke: #fff }
.odd { stroke: #c22; stroke-width: 3 }
.swatch { stroke: #222 }
.axis { stroke: #222; fill: none }
.curve { fill: none; stroke-width: 2 }
.printed { stroke-dasharray: 4 4 }
";

/// Patterns for figures that were not computed exactly: a colour would be taken for a figure.
const PATTERNS: &str = "\
<defs><pattern id=\"printed\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
<rect width=\"8\" height=\"8\" fill=\"#fff\"/>\
<path d=\"M0 8L8 0M-2 2L2 -2M6 10L10 6\" stroke=\"#bbb\"/></pattern>\
<pattern id=\"bounded\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
<rect width=\"8\" height=\"8\" fill=\"#fff\"/><circle cx=\"4\" cy=\"4\" r=\"1\" fill=\"#222\"/>\
</pattern></defs>
";
const PRINTED: &str = "url(#printed)";
const BOUNDED: &str = "url(#bounded)";

/// A word among margins: who wins, not by how much.
const WORD: &str = "#e8d9f0";
const RED: &str = "#c22";

const HEIGHT: usize = 40;
const TOP: usize = 88;
/// Colours that the colour-blind can tell apart.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Draws what fits the report's figures.
pub(super) fn draw(report: &Report) -> String {
    match report.kind {
        Kind::Starts => curves(report),
        Kind::Outcomes => outcomes(report),
        Kind::Counts | Kind::Estimates | Kind::Margins => heat_map(report),
    }
}

/// The document's head with what the picture shows and where it was printed.
fn head(report: &Report, width: usize, height: usize) -> String {
    // Both lines of text fit, at some seven units a letter.
    let longest = (8 * report.title.chars().count()).max(6 * report.citation.chars().count());
    let mut picture = svg::head(&report.title, width.max(longest + 32), height, STYLE);
    picture.push_str(PATTERNS);
    let (title, source) = (svg::escaped(&report.title), svg::escaped(&report.citation));
    let _ = writeln!(picture, "<text class=\"title\" x=\"16\" y=\"24\">{title}</text>");
    let _ = writeln!(picture, "<text class=\"source\" x=\"16\" y=\"44\">{source}</text>");
    picture
}

/// The room that the labels of the rows take.
fn margin(report: &Report) -> usize {
    let corner = report.corner();
    let labels = report.rows().into_iter().chain([corner.as_str()]);
    8 * labels.map(|label| label.chars().count()).max().unwrap_or(0).max(4) + 32
}

/// The width of all columns: the longest text fits.
fn width(report: &Report) -> usize {
    let columns = report.columns().into_iter().map(str::to_string);
    let texts = columns.chain(report.cells.iter().map(|cell| text(report, cell)));
    8 * texts.map(|text| text.chars().count()).max().unwrap_or(0).max(6) + 16
}

/// What is known, with a star if it was not computed now, or else what was printed.
fn text(report: &Report, cell: &Cell) -> String {
    let known = figure(report, cell);
    match cell.source() {
        Source::Kept => format!("{known}*"),
        _ if known.is_empty() => printed(report, cell),
        _ => known,
    }
}

/// The pattern of a cell that has no figure to be coloured by.
fn pattern(cell: &Cell) -> Option<&'static str> {
    match cell.source() {
        Source::Printed => Some(PRINTED),
        Source::Bounded => Some(BOUNDED),
        Source::Computed | Source::Estimated | Source::Kept => None,
    }
}

/// What colours, patterns and marks mean: those that occur, each with a sentence.
fn legend(report: &Report) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if report.kind == Kind::Margins {
        lines.push((COLOURS[0], "the first player wins, by the more the darker".to_string()));
        lines.push((COLOURS[1], "the first player loses, by the more the darker".to_string()));
        lines.push(("#ffffff", "a draw".to_string()));
        let words = |cell: &Cell| number(cell).is_none() && pattern(cell).is_none();
        if report.cells.iter().any(words) {
            lines.push((WORD, "win (W), draw (D) or loss (L), without a margin".to_string()));
        }
    }
    let files = report.files().into_iter().collect::<Vec<_>>().join(", ");
    lines.extend(report.sources().into_iter().map(|(source, count)| match source {
        Source::Computed => ("", format!("no mark: computed now ({count})")),
        Source::Estimated => ("", format!("estimated now by random games ({count})")),
        Source::Bounded => (BOUNDED, format!("bounds, proven now ({count})")),
        Source::Kept => ("*", format!("not computed now, kept in {files} ({count})")),
        Source::Printed => (PRINTED, format!("as printed, not computed ({count})")),
    }));
    if report.cells.iter().any(is_odd) {
        lines.push((RED, "red edge: not as printed".to_string()));
    }
    lines
}

/// The height of a legend's line.
const LINE: usize = 20;

fn write_legend(picture: &mut String, report: &Report, x: usize, top: usize) {
    for (place, (mark, sentence)) in legend(report).iter().enumerate() {
        let y = top + place * LINE;
        let swatch = match *mark {
            "" => String::new(),
            "*" => format!("<text class=\"left\" x=\"{}\" y=\"{y}\">*</text>", x + 3),
            RED => format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"none\" class=\"odd\"/>",
                y - 11
            ),
            fill => format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{fill}\" \
                 class=\"swatch\"/>",
                y - 11
            ),
        };
        let sentence = svg::escaped(sentence);
        let at = x + 20;
        let _ = writeln!(
            picture,
            "{swatch}<text class=\"left\" x=\"{at}\" y=\"{y}\">{sentence}</text>"
        );
    }
}

/// Whether the print is not what was computed.
fn is_odd(cell: &Cell) -> bool {
    matches!(cell.verdict, Verdict::Misprint { .. } | Verdict::Differs)
}

/// How a cell is filled, and whether dark.
type Fill<'a> = dyn Fn(&Cell) -> (String, bool) + 'a;

/// A grid of labelled cells. Those where the print is not what was computed have a red edge.
fn grid(picture: &mut String, report: &Report, fill: &Fill) {
    let (left, width, height) = (margin(report), width(report), HEIGHT);
    let (rows, columns) = (report.rows(), report.columns());
    let head = report.corner();
    let y = TOP - 10;
    let _ = writeln!(
        picture,
        "<text class=\"label row\" x=\"{}\" y=\"{y}\">{}</text>",
        left - 10,
        svg::escaped(&head)
    );
    for (index, column) in columns.iter().enumerate() {
        let x = left + index * width + width / 2;
        let column = svg::escaped(column);
        let _ = writeln!(picture, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{column}</text>");
    }
    for (place, row) in rows.iter().enumerate() {
        let (x, y) = (left - 10, TOP + place * height + height / 2 + 5);
        let label = svg::escaped(row);
        let _ = writeln!(picture, "<text class=\"label row\" x=\"{x}\" y=\"{y}\">{label}</text>");
    }
    // Red edges lie over their neighbours.
    let (last, first): (Vec<&Cell>, Vec<&Cell>) =
        report.cells.iter().partition(|cell| is_odd(cell));
    for cell in first.into_iter().chain(last) {
        let row = rows.iter().position(|row| *row == cell.row).unwrap_or(0);
        let column = columns.iter().position(|column| *column == cell.column).unwrap_or(0);
        let (x, y) = (left + column * width, TOP + row * height);
        let (colour, dark) = fill(cell);
        let class = if is_odd(cell) { "cell odd" } else { "cell" };
        let tone = if dark { " class=\"light\"" } else { "" };
        let (source, verdict) = (cell.source(), &cell.verdict);
        let about = format!("{source}; printed {}, {verdict}", printed(report, cell));
        let _ = writeln!(
            picture,
            "<g><title>{}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
             height=\"{height}\" fill=\"{colour}\"/><text{tone} x=\"{}\" y=\"{}\">{}</text></g>",
            svg::escaped(&about),
            x + width / 2,
            y + height / 2 + 5,
            svg::escaped(&text(report, cell)),
        );
    }
}

fn size(report: &Report) -> (usize, usize) {
    let width = margin(report) + report.columns().len() * width(report) + 16;
    (width, TOP + report.rows().len() * HEIGHT + 16)
}

/// Counts and estimates by their logarithms from light to dark; margins from orange to blue.
/// What is not computed exactly has a pattern.
fn heat_map(report: &Report) -> String {
    let numbers: Vec<f64> = report.cells.iter().filter_map(number).collect();
    let most = numbers.iter().copied().fold(0.0, |most: f64, number| most.max(number.abs()));
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
    let shade = |cell: &Cell| {
        let Some(number) = number(cell) else {
            return (pattern(cell).unwrap_or(WORD).to_string(), false);
        };
        if report.kind == Kind::Margins {
            let share = number.abs() / most.max(1.0);
            let end = if number < 0.0 { [213, 94, 0] } else { [0, 114, 178] };
            return (mixed(end, share), share > 0.6);
        }
        let span = (most / least).ln().max(LN_10);
        let share = 0.1 + 0.9 * (number.max(1.0) / least).ln() / span;
        (mixed([8, 48, 107], share), share > 0.5)
    };
    let (width, height) = size(report);
    let mut picture = head(report, width, height + LINE * legend(report).len() + 16);
    grid(&mut picture, report, &shade);
    write_legend(&mut picture, report, 16, height + 16);
    picture.push_str("</svg>\n");
    picture
}

/// White with a share of a colour.
fn mixed(end: [u8; 3], share: f64) -> String {
    let [red, green, blue] = end.map(|end| (255.0 + share * (f64::from(end) - 255.0)) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn number(cell: &Cell) -> Option<f64> {
    match &cell.computed {
        Computed::Exact { value }
        | Computed::Estimate { value, .. }
        | Computed::Kept { value, .. } => match value {
            Value::Number(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            Value::Word(_) => None,
        },
        Computed::Bounds { .. } | Computed::Nothing => None,
    }
}

/// The grid with one colour a word, and a pie of their shares.
fn outcomes(report: &Report) -> String {
    let mut words: Vec<(String, usize)> = Vec::new();
    for cell in &report.cells {
        let word = figure(report, cell);
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    words.sort_by_key(|(word, count)| (usize::MAX - count, word.clone()));
    let colour = |word: &str| match word {
        "W" | "yes" => COLOURS[0],
        "L" | "no" => COLOURS[1],
        "D" => COLOURS[4],
        _ => PRINTED,
    };
    let (width, height) = size(report);
    let bottom = height.max(TOP + 200 + LINE * words.len());
    let mut picture = head(report, width + 260, bottom + LINE * legend(report).len() + 16);
    grid(&mut picture, report, &|cell| {
        let word = figure(report, cell);
        (colour(&word).to_string(), !word.is_empty())
    });
    let (x, y, radius) = ((width + 110) as f64, (TOP + 90) as f64, 80.0);
    let mut from = 0.0;
    for (word, count) in &words {
        let share = *count as f64 / report.cells.len() as f64;
        let point = |share: f64| {
            let angle = TAU * (share - 0.25);
            (x + radius * angle.cos(), y + radius * angle.sin())
        };
        let ((ax, ay), (bx, by)) = (point(from), point(from + share));
        let large = u8::from(share > 0.5);
        let fill = colour(word);
        let shape = if share > 0.9999 {
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>")
        } else {
            format!(
                "<path d=\"M{x} {y}L{ax:.1} {ay:.1}A{radius} {radius} 0 {large} 1 {bx:.1} {by:.1}Z\" \
                 fill=\"{fill}\" class=\"cell\"/>"
            )
        };
        let _ = writeln!(picture, "{shape}");
        from += share;
    }
    for (place, (word, count)) in words.iter().enumerate() {
        let (left, top) = (width + 30, TOP + 190 + 20 * place);
        let name = if word.is_empty() { "not computed" } else { word };
        let _ = writeln!(
            picture,
            "<rect x=\"{left}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\
             <text class=\"left\" x=\"{}\" y=\"{top}\">{}: {count} of {}</text>",
            top - 11,
            colour(word),
            left + 20,
            svg::escaped(name),
            report.cells.len(),
        );
    }
    write_legend(&mut picture, report, 16, bottom + 16);
    picture.push_str("</svg>\n");
    picture
}

/// One curve a column: how many starts there are up to so many seeds, on a logarithmic axis.
fn curves(report: &Report) -> String {
    let columns = report.columns();
    // A column that was not computed is drawn as it was printed, and looks so.
    let of_column = |column| report.cells.iter().filter(move |cell| cell.column == column);
    let lists: Vec<(Vec<f64>, bool)> = columns
        .iter()
        .map(|column| {
            let only_printed = of_column(*column).all(|cell| cell.source() == Source::Printed);
            let print = |cell: &Cell| cell.printed.as_ref()?.parse().ok();
            let seeds = |cell| if only_printed { print(cell) } else { number(cell) };
            (of_column(*column).filter_map(seeds).collect(), only_printed)
        })
        .collect();
    let last = lists.iter().flat_map(|(list, _)| list).copied().fold(10.0, f64::max);
    let most = lists.iter().map(|(list, _)| list.len()).max().unwrap_or(0).max(1) as f64;
    let decades = last.log10().ceil();
    let (width, height) = (760, 460);
    let x = |seeds: f64| 60.0 + 560.0 * seeds.max(1.0).log10() / decades;
    let y = |count: f64| 400.0 - 310.0 * count / most;
    let mut picture = head(report, width, height + LINE * legend(report).len());
    write_legend(&mut picture, report, 60, height + 8);
    for power in 0..=decades as u32 {
        let (at, label) = (x(10f64.powi(power as i32)), 10u64.pow(power));
        let _ = writeln!(
            picture,
            "<path class=\"axis\" d=\"M{at:.1} 400v5\"/>\
             <text class=\"label\" x=\"{at:.1}\" y=\"420\">{}</text>",
            crate::units::grouped(label)
        );
    }
    let step = (most / 5.0).ceil() as usize;
    for count in (0..=most as usize).step_by(step.max(1)) {
        let at = y(count as f64);
        let _ = writeln!(
            picture,
            "<path class=\"axis\" d=\"M60 {at:.1}h-5\"/>\
             <text class=\"label row\" x=\"50\" y=\"{:.1}\">{count}</text>",
            at + 4.0
        );
    }
    let _ = writeln!(picture, "<path class=\"axis\" d=\"M60 80V400H640\"/>");
    let _ = writeln!(picture, "<text class=\"label\" x=\"340\" y=\"442\">seeds a house</text>");
    let _ = writeln!(picture, "<text class=\"label left\" x=\"30\" y=\"70\">losses so far</text>");
    for (place, (column, (list, printed))) in columns.iter().zip(&lists).enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let mut path = format!("M60 {:.1}", y(0.0));
        for (count, seeds) in (1..).zip(list) {
            let _ = write!(path, "H{:.1}V{:.1}", x(*seeds), y(f64::from(count)));
        }
        let class = if *printed { "curve printed" } else { "curve" };
        let _ = writeln!(picture, "<path class=\"{class}\" stroke=\"{colour}\" d=\"{path}\"/>");
        let top = 100 + 22 * place;
        let _ = writeln!(
            picture,
            "<rect x=\"660\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\
             <text class=\"left\" x=\"682\" y=\"{top}\">{} = {}{}</text>",
            top - 6,
            svg::escaped(&report.column_label),
            svg::escaped(column),
            if *printed { ", as printed" } else { "" },
        );
    }
    picture.push_str("</svg>\n");
    picture
}
