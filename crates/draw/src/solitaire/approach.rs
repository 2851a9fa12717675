//! The approach to pi.

use std::f64::consts::PI;

use super::STYLE;
use crate::{Element, Picture};

/// Points over a logarithmic axis, with a line across at pi.
pub fn approach(title: &str, points: &[(u64, f64)]) -> Picture {
    let mut picture = Picture::new(title, 720.0, 400.0, STYLE);
    let last = points.last().map_or(1, |&(n, _)| n).max(2) as f64;
    // The plot shows 1 to 5; the first terms lie between 1 and 4.
    let x = |n: f64| 60.0 + 640.0 * n.ln() / last.ln();
    let y = |value: f64| 360.0 - 80.0 * (value - 1.0);
    let line = Element::new("line").at("x1", 60.0).at("y1", y(PI)).at("x2", 700.0).at("y2", y(PI));
    picture.add(line.class("pi"));
    picture.add(Element::text(40.0, y(PI) + 5.0, "pi"));
    for value in 1..=5 {
        picture.add(Element::text(20.0, y(f64::from(value)) + 4.0, value).class("label"));
    }
    let mut power = 1u64;
    while power as f64 <= last {
        picture.add(Element::text(x(power as f64), 388.0, power).class("label"));
        power = power.saturating_mul(10);
    }
    for &(n, value) in points {
        picture.add(Element::circle(x(n as f64), y(value), 2.0).class("point"));
    }
    picture
}
