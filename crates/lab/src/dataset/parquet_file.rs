//! The positions of a data set as a Parquet file.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use sowing_files::AtomicFile;
use sowing_rules::Game;

use super::Sample;
use super::rows::{PHASE, number_columns, numbers, read_csv};
use crate::parquet_writer::{GROUP_ROWS, writer};
use crate::phase::Phase;

/// A Parquet file of a data set, which appears under its name once it is complete.
pub struct ParquetFile {
    writer: SerializedFileWriter<File>,
    aside: AtomicFile,
    rows: Rows,
}

/// The rows of a group that is not written yet, column by column.
#[derive(Default)]
struct Rows {
    numbers: Vec<(Vec<i32>, Vec<i16>)>,
    phases: Vec<ByteArray>,
    /// The distinct phases so far.
    words: Vec<ByteArray>,
}

impl Rows {
    fn add(&mut self, numbers: impl Iterator<Item = Option<i64>>, phase: &str) {
        for ((values, levels), number) in self.numbers.iter_mut().zip(numbers) {
            levels.push(i16::from(number.is_some()));
            values.extend(number.map(|number| number as i32));
        }
        let known = self.words.iter().find(|word| word.data() == phase.as_bytes()).cloned();
        let word = known.unwrap_or_else(|| {
            self.words.push(ByteArray::from(phase));
            ByteArray::from(phase)
        });
        self.phases.push(word);
    }

    fn clear(&mut self) {
        for (values, levels) in &mut self.numbers {
            values.clear();
            levels.clear();
        }
        self.phases.clear();
    }
}

impl ParquetFile {
    /// Begins a file of a game's positions with key-value metadata.
    pub fn begin(
        path: &Path,
        game: &Game,
        metadata: Vec<(&'static str, String)>,
    ) -> io::Result<ParquetFile> {
        // A link stays a link, and its target is replaced.
        let path = &path.canonicalize().unwrap_or(path.to_path_buf());
        let mut aside = AtomicFile::create(path)?;
        let file = aside.file().try_clone()?;
        let columns = number_columns(game);
        let schema = schema(&columns).map_err(io::Error::other)?;
        let game = std::iter::once(("game", game.to_string()));
        let metadata = metadata.into_iter().chain(game).collect();
        let writer = writer(file, schema, metadata).map_err(io::Error::other)?;
        let rows = Rows { numbers: vec![Default::default(); columns.len()], ..Rows::default() };
        Ok(ParquetFile { writer, aside, rows })
    }

    /// Appends positions.
    pub fn add(&mut self, samples: &[Sample]) -> io::Result<()> {
        for sample in samples {
            self.rows.add(numbers(sample), &Phase::of(&sample.position).to_string());
            self.write(GROUP_ROWS)?;
        }
        Ok(())
    }

    /// Appends the position of a line that [`DatasetFormat::lines`](super::DatasetFormat::lines) gave.
    pub fn add_line(&mut self, line: &str) -> io::Result<()> {
        let row = read_csv(line).filter(|(numbers, _)| numbers.len() == self.rows.numbers.len());
        let damaged = io::Error::other("the rows that it is of are damaged");
        let (numbers, phase) = row.ok_or(damaged)?;
        self.rows.add(numbers.into_iter(), &phase);
        self.write(GROUP_ROWS)
    }

    /// Writes the rows as a group, if there are at least `least`.
    fn write(&mut self, least: usize) -> io::Result<()> {
        if self.rows.phases.len() < least {
            return Ok(());
        }
        self.write_group().map_err(io::Error::other)?;
        self.rows.clear();
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for (values, levels) in &self.rows.numbers {
            let mut column = group.next_column()?.expect("a column of the schema");
            column.typed::<Int32Type>().write_batch(values, Some(levels.as_slice()), None)?;
            column.close()?;
        }
        let mut column = group.next_column()?.expect("the last column of the schema");
        column.typed::<ByteArrayType>().write_batch(&self.rows.phases, None, None)?;
        column.close()?;
        group.close()?;
        Ok(())
    }

    /// Completes the file, and gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.write(1)?;
        self.writer.close().map_err(io::Error::other)?;
        self.aside.finish()
    }
}

fn schema(columns: &[String]) -> Result<Type, ParquetError> {
    let number = |name: &String| {
        Type::primitive_type_builder(name, Physical::INT32)
            .with_repetition(Repetition::OPTIONAL)
            .build()
    };
    let word = Type::primitive_type_builder(PHASE, Physical::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::String))
        .build();
    let fields: Result<Vec<_>, _> =
        columns.iter().map(number).chain([word]).map(|field| field.map(Arc::new)).collect();
    Type::group_type_builder("positions").with_fields(fields?).build()
}
