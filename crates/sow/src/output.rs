//! Where what a command prints goes: to standard output, or into a file that says where it is from.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, ValueHint};
use sowing_jobs::{Provenance, provenance};

use crate::failure::Failure;
use crate::{sanitize, svg};

/// The flag's name among the arguments. Commands that go on with what they wrote have one of their own.
const ID: &str = "instead of standard output";

/// The forms that other programs read.
const FORMS: [&str; 3] = ["json", "csv", "latex"];

/// A command that prints such a form can write it to a file.
pub(crate) fn with_flag(command: Command) -> Command {
    let has = |name: &str| {
        let names = |arg: &Arg| {
            arg.get_long() == Some(name)
                || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        };
        command.get_arguments().any(names)
    };
    if has("out") || !FORMS.iter().any(|form| has(form)) {
        return command;
    }
    command.arg(
        Arg::new(ID)
            .long("out")
            .value_name("FILE")
            .value_hint(ValueHint::AnyPath)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Write to a file instead, with where it is from"),
    )
}

/// A file that takes what a command prints.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    latex: bool,
    seed: Option<u64>,
}

impl Output {
    /// The file that the arguments name.
    pub(crate) fn of(mut matches: &ArgMatches) -> Option<Output> {
        while let Some((_, below)) = matches.subcommand() {
            matches = below;
        }
        let path = matches.try_get_one::<PathBuf>(ID).ok()??.clone();
        if svg::is_stdout(&path) {
            return None;
        }
        let latex = matches.try_get_one::<bool>("latex").ok().flatten() == Some(&true);
        let seed = matches.try_get_one::<u64>("seed").ok().flatten().copied();
        Some(Output { path, latex, seed })
    }

    /// Runs a command and writes what it prints, whole. Where it could not do its work there is no file;
    /// what it found until a limit ended it is kept.
    pub(crate) fn take(
        &self,
        run: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        sowing_files::check_writable(&self.path).map_err(cannot(&self.path))?;
        if !self.latex {
            provenance::check_beside(&self.path)?;
        }
        let mut printed = anstream::StripStream::new(Vec::new());
        let done = run(&mut printed);
        if matches!(done, Err(Failure::Input(_) | Failure::Output(_))) {
            return done;
        }
        let made = Provenance::now(self.seed);
        let mut bytes = if self.latex { made.comment("% ").into_bytes() } else { Vec::new() };
        bytes.extend(printed.into_inner());
        sowing_files::write(&self.path, &bytes).map_err(cannot(&self.path))?;
        if !self.latex {
            made.write_beside(&self.path, serde_json::Value::Null)?;
        }
        done
    }
}

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Input(format!("cannot write to {}: {error}", sanitize::path(path)))
}
