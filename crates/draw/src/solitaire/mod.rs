//! Solitaires: plays as pictures, the approach to pi, and matrices.

mod approach;
mod matrix;
mod play;

pub use approach::approach;
pub use matrix::{column_names, matrix_latex, matrix_text};
pub use play::{MAX_PLAYS, TooTall, line, play};

const STYLE: &str = "
text { font: 15px sans-serif; text-anchor: middle; fill: #222 }
.label { font-size: 12px; fill: #666 }
.ruma { fill: #ecd9b8; stroke: #8a6d3b }
.bin { fill: #fff; stroke: #8a6d3b }
.played { fill: #e0a030 }
.chained { fill: #f3d9a0 }
.pi { stroke: #c33 }
.point { fill: #357 }
";
