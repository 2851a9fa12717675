//! `sow dataset`: positions with the exact value of every move.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use sowing_jobs::{
    DATASET_BLOCK, DATASET_CHUNK, DatasetArgs, Kind, Provenance, ResumableFile, dataset_format,
    provenance,
};
use sowing_lab::{Dataset, DatasetFormat, Sample};

use crate::failure::{Failure, note};
use crate::sanitize;
use crate::units::grouped;

pub(crate) fn run(args: &DatasetArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let format = match &args.out {
        Some(path) => dataset_format(path)?,
        None if args.json => DatasetFormat::JsonLines,
        None => DatasetFormat::Csv,
    };
    if let Some(path) = args.out.as_ref().filter(|_| format == DatasetFormat::Parquet) {
        sowing_files::check_writable(path).map_err(|error| cannot_write(path, &error))?;
    }
    let dataset = args.sample.dataset(args.game, &args.limits)?;
    let pool = args.sample.pool(&args.limits, dataset.tables())?;
    let provenance = Provenance::now(Some(args.sample.seed));
    let header = format.header(&args.game);
    match &args.out {
        None => {
            out.write_all(header.as_bytes())?;
            each(args, &pool, &dataset, 0, &mut |samples, _| {
                let lines = pool.install(|| format.lines(samples));
                Ok(lines.iter().try_for_each(|text| out.write_all(text.as_bytes()))?)
            })?;
            Ok(out.flush()?)
        }
        #[cfg(feature = "parquet")]
        Some(path) if format == DatasetFormat::Parquet => {
            let cannot = |error| cannot_write(path, &error);
            let pairs = provenance.pairs();
            let mut file =
                sowing_lab::ParquetFile::begin(path, &args.game, pairs).map_err(cannot)?;
            each(args, &pool, &dataset, 0, &mut |samples, _| file.add(samples).map_err(cannot))?;
            file.finish().map_err(cannot)?;
            tell(args, path)
        }
        Some(path) => {
            let description = args.description(&dataset);
            provenance::check_beside(path)?;
            let mut file = ResumableFile::open(path, Kind::Dataset, &description, &header)?;
            let from = file.checkpoint().0;
            let mut lines = Vec::new();
            each(args, &pool, &dataset, from, &mut |samples, done| {
                lines.append(&mut pool.install(|| format.lines(samples)));
                if is_chunk(from, done) || done == args.positions {
                    file.append(&lines, (done, 0))?;
                    lines.clear();
                }
                Ok(())
            })?;
            provenance.write_beside(path, args.metadata(&description))?;
            file.finish()?;
            tell(args, path)
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", sanitize::path(path)))
}

fn tell(args: &DatasetArgs, path: &Path) -> Result<(), Failure> {
    let (positions, name) = (grouped(args.positions), sanitize::path(path));
    note(&format!("{}: {positions} positions in {name}", args.game));
    Ok(())
}

/// Takes samples, and the number of all samples so far.
type Take<'a> = dyn FnMut(&[Sample], u64) -> Result<(), Failure> + 'a;

/// Whether a whole number of chunks is done.
fn is_chunk(from: u64, done: u64) -> bool {
    (done - from).is_multiple_of(DATASET_CHUNK)
}

/// Samples the positions from number `from` on. The time ends it after a whole chunk.
fn each(
    args: &DatasetArgs,
    pool: &rayon::ThreadPool,
    dataset: &Dataset,
    from: u64,
    take: &mut Take<'_>,
) -> Result<(), Failure> {
    let bar = ProgressBar::new(args.positions).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} positions {elapsed}")
            .expect("a fixed template"),
    );
    let deadline = args.limits.time.and_then(|time| Instant::now().checked_add(time));
    let mut next = from;
    while next < args.positions {
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_chunk(from, next) && is_late() {
            bar.finish_and_clear();
            return Err(Failure::Negative(format!(
                "the time was up after {} of {} positions: allow more, as in --time 1h",
                grouped(next),
                grouped(args.positions)
            )));
        }
        let end = args.positions.min(next + DATASET_BLOCK);
        let samples = pool.install(|| dataset.samples(next..end))?;
        take(&samples, end)?;
        next = end;
        bar.set_position(next);
    }
    bar.finish_and_clear();
    Ok(())
}
