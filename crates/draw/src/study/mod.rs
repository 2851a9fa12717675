//! Published tables beside ours: as a table of cells, as text, as LaTeX, as a picture.
//!
//! [`StudyTable`] decides what each cell shows and where its figure comes from. All forms show that: a figure that
//! was computed now is marked apart from one that is kept, bounded or only printed.

mod curves;
mod grid;
mod growth;
mod latex;
mod legend;
mod outcomes;
mod picture;
mod table;
mod text;

pub use latex::latex;
pub use picture::picture;
pub use table::{Agreement, AgreementCount, SourceCount, StudyRow, StudyTable, TableCell};
pub use text::{fold, folded, text};
