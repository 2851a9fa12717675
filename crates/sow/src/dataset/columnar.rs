//! The positions of a data set as a Parquet file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use sowing::Game;
use sowing_files::Aside;
use sowing_lab::{Phase, Sample};

use super::form::{PHASE, columns, numbers, read_csv};
use crate::failure::Failure;
use crate::made::Made;
use crate::said;

/// A Parquet file that is there when it is whole.
pub(super) struct Columnar {
    writer: SerializedFileWriter<File>,
    aside: Aside,
    name: String,
    columns: usize,
}

impl Columnar {
    pub(super) fn begin(path: &Path, game: &Game, made: &Made) -> Result<Columnar, Failure> {
        let name = said::path(path);
        // A link stays one, and what it leads to is replaced.
        let path = &path.canonicalize().unwrap_or(path.to_path_buf());
        let mut aside = Aside::beside(path).map_err(|error| cannot(&name, &error))?;
        let file = aside.file().try_clone().map_err(|error| cannot(&name, &error))?;
        let columns = columns(game);
        let schema = schema(&columns).map_err(|error| cannot(&name, &error))?;
        let pair = |(key, value): (&str, String)| KeyValue::new(key.to_string(), value);
        let mut pairs: Vec<KeyValue> = made.pairs().into_iter().map(pair).collect();
        pairs.push(KeyValue::new("game".to_string(), game.to_string()));
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(pairs))
            .set_created_by(concat!("sow ", env!("CARGO_PKG_VERSION")).to_string())
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(|error| cannot(&name, &error))?;
        Ok(Columnar { writer, aside, name, columns: columns.len() })
    }

    /// Adds positions as a group of rows.
    pub(super) fn add(&mut self, samples: &[Sample]) -> Result<(), Failure> {
        let row = |sample| (numbers(sample), Phase::of(&sample.position).to_string());
        self.write(samples.iter().map(row)).map_err(|error| cannot(&self.name, &error))
    }

    /// The same of lines that [`csv`](super::form::csv) wrote.
    pub(super) fn add_lines(&mut self, lines: &[String]) -> Result<(), Failure> {
        let rows: Option<Vec<_>> = lines.iter().map(|line| read_csv(line)).collect();
        let whole = |row: &(Vec<Option<i64>>, String)| row.0.len() == self.columns;
        let rows = rows.filter(|rows| rows.iter().all(whole));
        let rows = rows.ok_or_else(|| cannot(&self.name, &"the rows that it is of are damaged"))?;
        let row = |(numbers, phase): (Vec<_>, String)| (numbers.into_iter(), phase);
        self.write(rows.into_iter().map(row)).map_err(|error| cannot(&self.name, &error))
    }

    fn write<N: Iterator<Item = Option<i64>>>(
        &mut self,
        rows: impl ExactSizeIterator<Item = (N, String)>,
    ) -> Result<(), ParquetError> {
        let mut values = vec![Vec::with_capacity(rows.len()); self.columns];
        let mut levels = vec![Vec::with_capacity(rows.len()); self.columns];
        let mut phases = Vec::with_capacity(rows.len());
        for (numbers, phase) in rows {
            for (column, number) in numbers.enumerate() {
                levels[column].push(i16::from(number.is_some()));
                values[column].extend(number.map(|number| number as i32));
            }
            phases.push(ByteArray::from(phase.into_bytes()));
        }
        let mut group = self.writer.next_row_group()?;
        for (values, levels) in values.iter().zip(&levels) {
            let mut column = group.next_column()?.expect("a column of the schema");
            column.typed::<Int32Type>().write_batch(values, Some(levels.as_slice()), None)?;
            column.close()?;
        }
        let mut column = group.next_column()?.expect("the last column of the schema");
        column.typed::<ByteArrayType>().write_batch(&phases, None, None)?;
        column.close()?;
        group.close()?;
        Ok(())
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.writer.close().map_err(|error| cannot(&self.name, &error))?;
        self.aside.finish().map_err(|error| cannot(&self.name, &error))
    }
}

fn cannot(name: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::Input(format!("cannot write {name}: {error}"))
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
