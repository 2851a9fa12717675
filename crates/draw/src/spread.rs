//! How values are spread: a bar a value, draws in a colour of their own.

use std::collections::BTreeMap;

use crate::{Element, Picture, grouped};

const STYLE: &str = "
text { font: 13px sans-serif; text-anchor: middle; fill: #222 }
.title { font-size: 15px; text-anchor: start }
.source { font-size: 11px; text-anchor: start }
.row { text-anchor: end }
.axis { stroke: #222; fill: none }
.win { fill: #0072b2 }
.draw { fill: #e69f00 }
.loss { fill: #d55e00 }
";

const LEFT: f64 = 70.0;
const TOP: f64 = 80.0;
const HEIGHT: f64 = 300.0;

/// Draws how many positions have which value, below a title and above a line that says who computed
/// them.
///
/// ```
/// let picture = sowing_draw::spread("kalah(2,1)", &[(-2, 3), (0, 5)].into(), "sow 0.2.0");
/// assert_eq!(picture.to_string().matches("<rect").count(), 3);
/// ```
pub fn spread(title: &str, counts: &BTreeMap<i64, u64>, by: &str) -> Picture {
    let (first, last) = match (counts.keys().next(), counts.keys().next_back()) {
        (Some(first), Some(last)) => (*first, *last),
        _ => (0, 0),
    };
    // Margins of a game are mostly all even or all odd.
    let step = if counts.keys().all(|value| (value - first) % 2 == 0) { 2 } else { 1 };
    let bars = (last - first) / step + 1;
    let wide = (640.0 / bars as f64).clamp(2.0, 40.0);
    let right = LEFT + wide * bars as f64;
    let width = right.max(LEFT + 8.0 * title.chars().count() as f64) + 30.0;
    let bottom = TOP + HEIGHT;
    let mut picture = Picture::new(title, width, bottom + 80.0, STYLE);
    picture.add(Element::text(16.0, 30.0, title).class("title"));
    let all: u64 = counts.values().sum();
    let of = |sign: i64| -> u64 {
        counts.iter().filter(|(value, _)| value.signum() == sign).map(|(_, count)| *count).sum()
    };
    let [wins, draws, losses] = [of(1), of(0), of(-1)].map(grouped);
    let shares = format!("{} starts: {wins} won, {draws} drawn, {losses} lost", grouped(all));
    picture.add(Element::text(16.0, 52.0, shares).class("source"));
    let most = counts.values().max().copied().unwrap_or(1).max(1);
    let y = |count: u64| bottom - HEIGHT * count as f64 / most as f64;
    for count in (0..=most).step_by(most.div_ceil(5).max(1) as usize) {
        picture.add(Element::path(format_args!("M{LEFT} {:.1}h-5", y(count))).class("axis"));
        picture.add(Element::text(LEFT - 10.0, y(count) + 4.0, grouped(count)).class("row"));
    }
    for (value, count) in counts {
        let x = LEFT + wide * ((value - first) / step) as f64;
        let class = ["loss", "draw", "win"][(value.signum() + 1) as usize];
        let bar = Element::rect(x + 0.1 * wide, y(*count), 0.8 * wide, bottom - y(*count));
        let label = format!("{value:+}: {}", grouped(*count));
        picture.add(bar.class(class).hold(Element::new("title").say(label)));
    }
    let every = (34.0 / wide).ceil().max(1.0) as i64;
    for bar in (0..bars).step_by(every as usize) {
        let value = first + bar * step;
        let text = if value == 0 { "0".to_string() } else { format!("{value:+}") };
        let x = LEFT + wide * (bar as f64 + 0.5);
        picture.add(Element::text(x, bottom + 18.0, text));
    }
    picture.add(Element::path(format_args!("M{LEFT} {TOP}V{bottom}H{right:.1}")).class("axis"));
    picture.add(Element::text((LEFT + right) / 2.0, bottom + 40.0, "value for the first player"));
    picture
        .add(Element::text(16.0, bottom + 64.0, format_args!("computed by {by}")).class("source"));
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bars are as high as their counts: the highest fills the axis, one of half its count half of it.
    #[test]
    fn bars_are_as_high_as_their_counts() {
        let text = spread("kalah(2,1)", &[(-2, 3), (0, 6)].into(), "sow").to_string();
        // The first rectangle is the background.
        let bars = text.split("<rect").skip(2);
        let height = |bar: &str| -> f64 {
            let rest = bar.split_once("height=\"").unwrap().1;
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let heights: Vec<f64> = bars.map(height).collect();
        assert_eq!(heights, [HEIGHT / 2.0, HEIGHT]);
    }
}
