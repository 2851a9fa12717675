//! The command line.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use sowing_command::read_position;
use sowing_jobs::{DatasetArgs, FairArgs, PerftArgs, PlayoutsArgs, SweepArgs};
use sowing_rules::{Game, Numbering, Position, Record};

use crate::failure::Failure;
use crate::output::Output;
use crate::{
    bench, book, count, engine, failure, grade, input, manual, matches, openings, output,
    polynomials, puzzles, replay, review, sanitize, show, solve, study, tables, tchoukaillon,
    tchuka_ruma, tree, verify,
};

const EXAMPLES: &str = "\
Examples:
  sow play                                     plays against you
  sow solve \"kalah(5,4)\"                       is worth how much?
  sow serve                                    shows a board in the browser
  sow show \"s-kalaha(3,1)\" \"0,0,2,1|1,1,1,0\"   draws a position
  sow review game.txt                          says what each turn gave away

A game is NAME(HOUSES,SEEDS) with options, as in kalah(6,4,empty-capture) or
s-kalaha(6,3). A position lists the mover's houses and store, a bar, and the
opponent's, as in 0,0,2,1|1,1,1,0. Houses are numbered from the mover's left.";

/// The commands by who wants them, for the help.
const GROUPS: [(&str, &[&str]); 7] = [
    ("For everybody", &["play", "solve", "serve", "site"]),
    ("For players", &["show", "review", "replay", "teletype"]),
    ("For bot authors", &["match", "engine", "kgp"]),
    ("For proofs, openings and endgames", &["book", "tables", "verify"]),
    (
        "For studies",
        &[
            "study",
            "count",
            "fair",
            "dataset",
            "puzzles",
            "grade",
            "openings",
            "playouts",
            "sweep",
            "polynomials",
            "tree",
            "perft",
        ],
    ),
    ("Solitaires", &["tchoukaillon", "tchuka-ruma"]),
    ("About the program", &["bench", "completions", "man"]),
];

/// Plays, solves and studies sowing games: Kalah, its variants, S-Kalaha
#[derive(Parser, Debug)]
#[command(
    name = "sow",
    version,
    after_help = EXAMPLES,
    max_term_width = 79,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Solve(solve::SolveArgs),
    Verify(verify::VerifyArgs),
    Show(show::ShowArgs),
    Perft(PerftArgs),
    Replay(replay::ReplayArgs),
    Review(review::ReviewArgs),
    Tchoukaillon(tchoukaillon::TchoukaillonArgs),
    TchukaRuma(tchuka_ruma::TchukaRumaArgs),
    Tables(tables::TablesArgs),
    Book(book::BookArgs),
    Count(count::CountArgs),
    Fair(FairArgs),
    Dataset(DatasetArgs),
    Puzzles(puzzles::PuzzlesArgs),
    Grade(grade::GradeArgs),
    Openings(openings::OpeningsArgs),
    Playouts(PlayoutsArgs),
    Sweep(SweepArgs),
    Polynomials(polynomials::PolynomialsArgs),
    Study(study::StudyArgs),
    Tree(tree::TreeArgs),
    #[cfg(feature = "play")]
    Play(crate::play::PlayArgs),
    Match(matches::MatchArgs),
    Engine(engine::EngineArgs),
    #[cfg(feature = "kgp")]
    Kgp(crate::kgp::KgpArgs),
    #[cfg(feature = "play")]
    Teletype(crate::teletype::TeletypeArgs),
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
    #[cfg(feature = "serve")]
    Site(crate::site::SiteArgs),
    Bench(bench::BenchArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Help starts with examples: what follows the arguments elsewhere comes first here.
const HELP: &str = "{about}{after-help}\n\n{usage-heading} {usage}\n\n{all-args}";

/// The command line's definition, for parsing, for the manual, and for tests of all of it.
pub fn definition() -> clap::Command {
    fn examples_first(command: clap::Command) -> clap::Command {
        output::with_flag(command).help_template(HELP).mut_subcommands(examples_first)
    }
    let command = examples_first(Cli::command());
    let groups = groups(&command);
    command.help_template(format!(
        "{{about}}{{after-help}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}"
    ))
}

/// The commands with what they do, group by group.
fn groups(command: &clap::Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let there = names.iter().filter_map(|name| command.find_subcommand(name));
        let lines: Vec<String> = there
            .map(|command| {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                format!("  {:<13} {about}\n", command.get_name())
            })
            .collect();
        if !lines.is_empty() {
            write!(text, "{title}:\n{}\n", lines.concat()).expect("a string takes anything");
        }
    }
    text
}

/// Reads the command line: what is to be done, and the file that takes what comes out.
pub(crate) fn parse(
    line: impl Iterator<Item = OsString>,
) -> Result<(Cli, Option<Output>), clap::Error> {
    let matches = definition().try_get_matches_from(line)?;
    Ok((Cli::from_arg_matches(&matches)?, Output::of(&matches)))
}

/// The subcommand that a line names, and its name with those above it, as in `sow tables build`.
fn named<'a>(definition: &'a clap::Command, line: &[OsString]) -> (&'a clap::Command, String) {
    let (mut command, mut name) = (definition, definition.get_name().to_string());
    for word in line.iter().skip(1).map(|word| word.to_string_lossy()) {
        let Some(below) = command.find_subcommand(&*word) else { break };
        command = below;
        name = format!("{name} {word}");
    }
    (command, name)
}

/// A message for each flag of a line that is spelled in an old way.
pub(crate) fn old_spellings(line: &[OsString]) -> Vec<String> {
    let definition = definition();
    let (command, name) = named(&definition, line);
    let is_typed = |flag: &str| {
        let words = line.iter().map(|word| word.to_string_lossy());
        let mut words = words.take_while(|word| word != "--");
        words.any(|word| word == flag || word.starts_with(&format!("{flag}=")))
    };
    let flags = command.get_arguments().filter_map(|arg| {
        let old = arg.get_all_aliases()?.into_iter().map(|alias| format!("--{alias}"));
        let old = old.into_iter().find(|old| is_typed(old))?;
        Some(format!("{old} of {name} is now --{}", arg.get_long()?))
    });
    flags.collect()
}

/// A game and a position of it.
#[derive(Args, Debug)]
pub(crate) struct PositionArgs {
    /// The game, as in "kalah(6,4)" or "s-kalaha(6,3)"
    pub(crate) game: Game,
    /// The position, as in "0,0,2,1|1,1,1,0" or a KGP literal; the start if it
    /// is left out
    position: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "position")]
    free: bool,
}

impl PositionArgs {
    /// The position that the arguments name.
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        match &self.position {
            Some(text) => self.read(text),
            None => Ok(Position::start(self.game)),
        }
    }

    /// Whether positions are to be read from standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.position.as_deref() == Some("-")
    }

    /// Reads a position of the game.
    pub(crate) fn read(&self, text: &str) -> Result<Position, Failure> {
        read_position(self.game, text, self.free)
    }
}

/// A game that was written down.
#[derive(Args, Debug)]
pub(crate) struct RecordArgs {
    /// The game, as in "kalah(6,4)"; left out where the record names it
    #[arg(value_name = "GAME")]
    first: Option<String>,
    /// The record or its file; - or nothing reads standard input
    #[arg(value_name = "RECORD")]
    second: Option<String>,
    /// How the record numbers the houses, where its header does not say:
    /// houses, bins or pdp
    #[arg(long, default_value = "houses", value_name = "NAME")]
    numbering: Numbering,
}

impl RecordArgs {
    /// Reads the record.
    pub(crate) fn read(&self) -> Result<Record, Failure> {
        let (game, record) = match (self.first.as_deref(), self.second.as_deref()) {
            (Some(game), Some(record)) => (Some(game.parse()?), record),
            (Some(only), None) => match only.parse::<Game>() {
                Ok(game) => (Some(game), "-"),
                Err(_) if only == "-" || only.starts_with('#') || Path::new(only).exists() => {
                    (None, only)
                }
                Err(_) => {
                    let only = sanitize::word(only);
                    return Err(Failure::Input(format!(
                        "'{only}' is neither a game nor a file: give the game first, as in \
                         \"kalah(6,4)\" \"3.6,2\", or the file of a record that names its game"
                    )));
                }
            },
            (None, _) => (None, "-"),
        };
        let text = input::record_or_file(record)?;
        Ok(Record::read(&text, game, self.numbering)?)
    }
}

/// Prints help where it was asked for; otherwise says in one line what was wrong with the usage. The exit code.
pub(crate) fn usage(error: &clap::Error, line: &[OsString]) -> u8 {
    if !error.use_stderr() {
        return match error.print() {
            Err(error) => Failure::from(error).report(),
            Ok(()) => 0,
        };
    }
    let definition = definition();
    let (command, name) = named(&definition, line);
    let example = match command.get_subcommands().next() {
        Some(below) if name != "sow" => below.get_name(),
        _ => "solve \"kalah(6,4)\"",
    };
    failure::say(&failure::usage_line(error, &name, example));
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let definition = definition();
        let mut known: Vec<&str> =
            definition.get_subcommands().map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        if !cfg!(all(feature = "play", feature = "serve", feature = "kgp")) {
            grouped.retain(|name| known.contains(name));
        }
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(known, grouped);
    }

    #[test]
    fn help_fits_a_terminal() {
        let help = definition().render_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= 79), "{help}");
    }
}
