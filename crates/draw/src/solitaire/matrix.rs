//! Matrices, row by row: large ones are never held.

use std::fmt::{self, Display};

use sowing_solitaire::{Fraction, Matrix, MatrixKind, sowing_column};

/// What the columns stand for, where that is not a bin each: chains as `5>4`, sowings as `2>1`.
pub fn column_names(matrix: &Matrix) -> Option<Vec<String>> {
    let columns = 0..matrix.columns();
    match matrix.kind() {
        MatrixKind::Chain => {
            Some(columns.filter_map(|column| Some(matrix.chain(column)?.to_string())).collect())
        }
        MatrixKind::Sowing => {
            let names = columns.map(|column| {
                let (from, to) = sowing_column(column, matrix.rows());
                format!("{from}>{to}")
            });
            Some(names.collect())
        }
        _ => None,
    }
}

/// A matrix as text, in columns of one width, under their names if they have any.
pub fn matrix_text(matrix: &Matrix) -> impl Display {
    Text(matrix)
}

/// A matrix as a LaTeX formula, for math mode. It needs no package, and may have any number of
/// columns.
pub fn matrix_latex(matrix: &Matrix) -> impl Display {
    Latex(matrix)
}

struct Text<'a>(&'a Matrix);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(matrix) = self;
        let names = column_names(matrix);
        let widest = match matrix.kind() {
            MatrixKind::Inverse => {
                let last = matrix.rows() as u128;
                format!("1/{}", last * last.saturating_sub(1)).len()
            }
            _ => (matrix.rows() + 1).to_string().len().max(2),
        };
        let width = names.iter().flatten().map(String::len).fold(widest, usize::max);
        if let Some(names) = names {
            let names: Vec<String> = names.iter().map(|name| format!("{name:>width$}")).collect();
            writeln!(f, "{}", names.join(" "))?;
        }
        for row in 0..matrix.rows() {
            for column in 0..matrix.columns() {
                let gap = if column > 0 { " " } else { "" };
                write!(f, "{gap}{:>width$}", matrix.entry(row, column))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

struct Latex<'a>(&'a Matrix);

impl Display for Latex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latex(matrix) = self;
        writeln!(f, "\\left[\\begin{{array}}{{*{{{}}}{{r}}}}", matrix.columns())?;
        for row in 0..matrix.rows() {
            for column in 0..matrix.columns() {
                f.write_str(if column > 0 { " & " } else { "" })?;
                f.write_str(&fraction(matrix.entry(row, column)))?;
            }
            // Fractions are tall.
            let gap = if matrix.kind() == MatrixKind::Inverse { "[3pt]" } else { "" };
            writeln!(f, " \\\\{gap}")?;
        }
        writeln!(f, "\\end{{array}}\\right]")
    }
}

fn fraction(entry: Fraction) -> String {
    match entry.whole() {
        Some(whole) => whole.to_string(),
        None => format!("\\frac{{{}}}{{{}}}", entry.numerator(), entry.denominator()),
    }
}
