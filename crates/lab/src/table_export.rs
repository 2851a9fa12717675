//! Whole layers of endgame tables in files of CSV or Parquet.

use std::io::{self, BufWriter};
use std::ops::RangeInclusive;
use std::path::Path;

use sowing_files::AtomicFile;
use sowing_rules::Board;
use sowing_tables::{Error, TableEntry, Tables};

/// The format of a file of table entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// `.csv`
    Csv,
    /// `.parquet`
    Parquet,
}

impl TableFormat {
    /// The format that a file's extension names.
    pub fn from_path(path: &Path) -> Option<TableFormat> {
        match path.extension()?.to_str()? {
            "csv" => Some(TableFormat::Csv),
            "parquet" => Some(TableFormat::Parquet),
            _ => None,
        }
    }
}

/// Why layers were not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The tables lack a layer, or are damaged.
    #[error(transparent)]
    Tables(#[from] Error),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// This build writes no Parquet.
    #[error("this build writes no Parquet files: write .csv")]
    NoParquet,
}

/// Writes all live positions of some layers to a file, in order of [`BoardIndex`](sowing_rules::BoardIndex), and returns
/// their number. The file appears under its name once it is complete; `metadata` goes into a Parquet file.
///
/// The columns are `index`, `seeds` (in houses), `own1`, `own2` and so on, `other1` and so on, and `value`.
pub fn export_layers(
    tables: &Tables,
    layers: RangeInclusive<u32>,
    path: &Path,
    format: TableFormat,
    metadata: Vec<(&'static str, String)>,
) -> Result<u64, ExportError> {
    // A link stays a link, and its target is replaced.
    let path = &path.canonicalize().unwrap_or(path.to_path_buf());
    let mut aside = AtomicFile::create(path)?;
    let file = aside.file().try_clone()?;
    let columns = columns(tables.family().houses());
    let mut rows = 0;
    match format {
        TableFormat::Csv => {
            let mut writer = csv::Writer::from_writer(BufWriter::new(file));
            writer.write_record(&columns).map_err(io::Error::from)?;
            for layer in layers {
                for entry in tables.entries(layer)? {
                    writer.serialize(numbers(&entry?, columns.len())).map_err(io::Error::from)?;
                    rows += 1;
                }
            }
            writer.flush()?;
        }
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => {
            let mut writer = crate::parquet_writer::NumberColumns::new(file, &columns, metadata)?;
            for layer in layers {
                for entry in tables.entries(layer)? {
                    writer.add(&numbers(&entry?, columns.len()))?;
                    rows += 1;
                }
            }
            writer.finish()?;
        }
        #[cfg(not(feature = "parquet"))]
        TableFormat::Parquet => return Err(ExportError::NoParquet),
    }
    // A file that was written to meanwhile may have given wrong values.
    if let Some(error) = tables.integrity_error() {
        return Err(error.into());
    }
    aside.finish()?;
    Ok(rows)
}

fn columns(houses: u8) -> Vec<String> {
    let row = |name: &'static str| (1..=houses).map(move |house| format!("{name}{house}"));
    let ends = ["index", "seeds"].map(str::to_string).into_iter();
    ends.chain(row("own")).chain(row("other")).chain(["value".to_string()]).collect()
}

/// The numbers of an entry, in the order of the columns.
fn numbers(entry: &TableEntry, columns: usize) -> Vec<i64> {
    let TableEntry { index, board, value } = entry;
    let houses = (columns - 3) / 2;
    let row = |row: u64| (0..houses).map(move |house| (row >> (8 * house) & 0xff) as i64);
    let ends = [*index as i64, Board::layer(board) as i64].into_iter();
    ends.chain(row(board.own())).chain(row(board.other())).chain([(*value).into()]).collect()
}

#[cfg(test)]
mod tests {
    use sowing_rules::{BoardIndex, Game};
    use sowing_tables::{BuildOptions, build_in_memory, live_positions};

    use super::*;

    fn exported(format: TableFormat, name: &str) -> (Tables, tempfile::TempDir) {
        let game: Game = "kalah(3,2)".parse().unwrap();
        let tables = build_in_memory(&game, 6, &BuildOptions::default()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let rows =
            export_layers(&tables, 3..=6, &path, format, vec![("by", "a test".into())]).unwrap();
        let all: u128 = (3..=6).map(|layer| live_positions(3, layer)).sum();
        assert_eq!(u128::from(rows), all);
        let missing = export_layers(&tables, 2..=7, &dir.path().join("more"), format, Vec::new());
        assert!(matches!(missing, Err(ExportError::Tables(_))), "{missing:?}");
        assert!(!dir.path().join("more").exists());
        (tables, dir)
    }

    /// Index, seeds and value of a row are those of its board.
    fn check(tables: &Tables, row: &[i64]) {
        let [index, seeds, houses @ .., value] = row else { panic!("{row:?}") };
        let side = |row: &[i64]| (0..3).map(|i| (row[i] as u64) << (8 * i)).sum::<u64>();
        let board = sowing_rules::CompactBoard::from_rows(side(&houses[..3]), side(&houses[3..]));
        assert_eq!(BoardIndex::new(3).board(*index as u64), board);
        assert_eq!(houses.iter().sum::<i64>(), *seeds);
        assert_eq!(tables.probe(board).map(i64::from), Some(*value));
    }

    #[test]
    fn rows_of_csv_are_those_of_the_tables() {
        let (tables, dir) = exported(TableFormat::Csv, "a.csv");
        let mut reader = csv::Reader::from_path(dir.path().join("a.csv")).unwrap();
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_string).collect();
        assert_eq!(names.join(" "), "index seeds own1 own2 own3 other1 other2 other3 value");
        for row in reader.deserialize() {
            check(&tables, &row.unwrap() as &Vec<i64>);
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn rows_of_parquet_are_those_of_the_tables() {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let (tables, dir) = exported(TableFormat::Parquet, "a.parquet");
        let file = std::fs::File::open(dir.path().join("a.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let metadata = reader.metadata().file_metadata();
        assert_eq!(metadata.key_value_metadata().unwrap()[0].value.as_deref(), Some("a test"));
        let mut rows = 0;
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let numbers =
                row.get_column_iter().map(|(_, field)| field.to_string().parse().unwrap());
            check(&tables, &numbers.collect::<Vec<i64>>());
            rows += 1;
        }
        assert_eq!(rows, metadata.num_rows());
    }
}
