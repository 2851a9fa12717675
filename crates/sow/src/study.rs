//! `sow study`: a published table, computed and set beside the print.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_command::pool;
use sowing_draw::study::{fold, latex, picture, text};
use sowing_lab::study::{self, Comparison, Study, StudyKind, StudyOptions, StudyReport};

use crate::failure::Failure;
use crate::{sanitize, svg, units};

/// Who computes, as pictures and tables say.
const BY: &str = concat!("sow ", env!("CARGO_PKG_VERSION"));

/// Compute a published table and set it beside the print
///
/// Without a name, lists the studies. Each cell is computed and compared with
/// what was printed; a difference that is not known as a misprint is an error
/// (exit code 1). Cells that the time does not reach say so.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow study
  sow study thesis-7
  sow study thesis-3 --games 10000000 --svg table3.svg
  sow study article-5 --time 30m --memory 12G --json")]
pub(crate) struct StudyArgs {
    /// The study, as in thesis-7; all are listed if it is left out
    name: Option<String>,
    /// Leave what is not computed after this long, as in 30s or 10m
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = units::time)]
    #[arg(requires = "name")]
    time: Duration,
    /// Random games a cell, where games are played at random; a million if it
    /// is left out
    #[arg(long, value_name = "N", requires = "name",
          value_parser = units::whole::<u64>(1..=1_000_000_000_000))]
    games: Option<u64>,
    /// The seed of the random numbers, where games are played at random; 1 if
    /// it is left out
    #[arg(long, value_name = "S", requires = "name", value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// Memory for a search or a count, as in 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = units::bytes)]
    #[arg(requires = "name")]
    memory: u64,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads, requires = "name")]
    threads: Option<usize>,
    /// Print one JSON object; of the list, one a study
    #[arg(long, group = "form")]
    json: bool,
    /// Print one line a cell, comma separated
    #[arg(long, group = "form", requires = "name")]
    csv: bool,
    /// Print a LaTeX table
    #[arg(long, group = "form", requires = "name")]
    latex: bool,
    /// Draw the table into an SVG file too; - for standard output, and no table
    #[arg(long, value_name = "FILE", requires = "name")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    citation: &'static str,
}

pub(crate) fn run(args: &StudyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(name) = &args.name else { return list(args.json, out) };
    let Some(study) = study::find(name) else {
        let name = sanitize::word(name);
        let message =
            format!("no study is called \"{name}\": sow study lists them, as in thesis-7");
        return Err(Failure::Input(message));
    };
    if study.kind != StudyKind::Estimates && (args.games.is_some() || args.seed.is_some()) {
        return Err(Failure::Input(format!(
            "--games and --seed are for random games, as in sow study thesis-3: {} plays none",
            study.name
        )));
    }
    if args.svg.as_deref().is_some_and(svg::is_stdout) && (args.json || args.csv || args.latex) {
        return Err(Failure::Input(
            "--svg - leaves no room for a table: name a file, as in --svg table.svg".to_string(),
        ));
    }
    if let Some(path) = &args.svg {
        // Before any work starts.
        svg::check(path)?;
    }
    let report = compute(args, study)?;
    if let Some(path) = &args.svg {
        svg::write(path, &picture(&report, BY), out)?;
    }
    if args.svg.as_deref().is_some_and(svg::is_stdout) {
        // The picture is all.
    } else if args.json {
        serde_json::to_writer(&mut *out, &report)?;
        writeln!(out)?;
    } else if args.csv {
        csv(&report, out)?;
    } else if args.latex {
        out.write_all(latex(&report, BY).as_bytes())?;
    } else {
        out.write_all(text(&report).as_bytes())?;
        if report.unreached() > 0 {
            writeln!(out, "With more time, as in --time 1h, there may be more.")?;
        }
    }
    out.flush()?;
    let different: Vec<String> = report
        .cells
        .iter()
        .filter(|cell| cell.verdict == Comparison::Differs)
        .map(|cell| format!("{}/{}", cell.row, cell.column))
        .collect();
    if different.is_empty() {
        return Ok(());
    }
    let cells = different.join(", ");
    Err(Failure::Negative(format!("{}: not as printed: {cells}", report.name)))
}

fn compute(args: &StudyArgs, study: &Study) -> Result<StudyReport, Failure> {
    let pool = pool(args.threads)?;
    let options = StudyOptions {
        time: args.time,
        games: args.games.unwrap_or(1_000_000),
        seed: args.seed.unwrap_or(1),
        threads: pool.current_num_threads(),
        memory: args.memory,
    };
    let style = ProgressStyle::with_template("{spinner} {pos} cells {elapsed} {msg}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("a fixed template"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let report = pool.install(|| {
        study.run_observed(&options, &|cell| {
            bar.inc(1);
            bar.set_message(format!("{}/{}", cell.row, cell.column));
        })
    });
    bar.finish_and_clear();
    Ok(report)
}

fn list(json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let mut citation = "";
    for study in study::all() {
        if json {
            let Study { name, title, citation, .. } = *study;
            serde_json::to_writer(&mut *out, &Listed { name, title, citation })?;
            writeln!(out)?;
            continue;
        }
        if study.citation != citation {
            citation = study.citation;
            writeln!(out, "{}", fold(&format!("{citation}:")))?;
        }
        writeln!(out, "  {:<17} {}", study.name, study.title)?;
    }
    Ok(())
}

fn csv(report: &StudyReport, out: &mut dyn Write) -> Result<(), Failure> {
    let mut rows = csv::Writer::from_writer(out);
    let names = ["row", "column", "printed", "computed", "source", "file", "verdict", "note"];
    rows.write_record(names).map_err(std::io::Error::from)?;
    for cell in &report.cells {
        let fields = [
            &cell.row,
            &cell.column,
            cell.printed.as_deref().unwrap_or_default(),
            &cell.computed.to_string(),
            &cell.source().to_string(),
            cell.file().unwrap_or_default(),
            &cell.verdict.to_string(),
            cell.note.as_deref().unwrap_or_default(),
        ];
        rows.write_record(fields).map_err(std::io::Error::from)?;
    }
    Ok(rows.flush()?)
}
