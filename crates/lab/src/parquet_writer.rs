//! Parquet files: their metadata, and tables of whole numbers.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::Int64Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// Rows of a group.
pub(crate) const GROUP_ROWS: usize = 1 << 16;

/// A writer of a schema with key-value metadata.
pub(crate) fn writer(
    file: File,
    schema: Type,
    metadata: Vec<(&'static str, String)>,
) -> Result<SerializedFileWriter<File>, ParquetError> {
    let pair = |(key, value): (&str, String)| KeyValue::new(key.to_string(), value);
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(metadata.into_iter().map(pair).collect()))
        .set_created_by(concat!("sow ", env!("CARGO_PKG_VERSION")).to_string())
        .build();
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
}

/// A file of 64-bit numbers, none of them missing.
pub(crate) struct NumberColumns {
    writer: SerializedFileWriter<File>,
    /// The rows of a group that is not written yet, column by column.
    columns: Vec<Vec<i64>>,
}

impl NumberColumns {
    pub(crate) fn new(
        file: File,
        names: &[String],
        metadata: Vec<(&'static str, String)>,
    ) -> io::Result<NumberColumns> {
        let column = |name: &String| {
            let number = Type::primitive_type_builder(name, Physical::INT64);
            number.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        };
        let fields: Result<Vec<_>, _> = names.iter().map(column).collect();
        let schema = fields
            .and_then(|fields| Type::group_type_builder("positions").with_fields(fields).build())
            .map_err(io::Error::other)?;
        let writer = writer(file, schema, metadata).map_err(io::Error::other)?;
        Ok(NumberColumns { writer, columns: vec![Vec::new(); names.len()] })
    }

    pub(crate) fn add(&mut self, row: &[i64]) -> io::Result<()> {
        for (column, number) in self.columns.iter_mut().zip(row) {
            column.push(*number);
        }
        if self.columns[0].len() < GROUP_ROWS {
            return Ok(());
        }
        self.write_group().map_err(io::Error::other)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for numbers in &mut self.columns {
            let mut column = group.next_column()?.expect("a column of the schema");
            column.typed::<Int64Type>().write_batch(numbers, None, None)?;
            column.close()?;
            numbers.clear();
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        if !self.columns[0].is_empty() {
            self.write_group().map_err(io::Error::other)?;
        }
        self.writer.close().map_err(io::Error::other)?;
        Ok(())
    }
}
