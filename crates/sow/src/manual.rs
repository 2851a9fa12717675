//! `sow completions` and `sow man`: made from the same definitions as the help.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::args::definition;
use crate::failure::Failure;
use crate::sanitize;

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow completions bash > ~/.local/share/bash-completion/completions/sow")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write a page for every command
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow man | man -l -
  sow man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write sow.1, sow-show.1 and so on into this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition(), "sow", &mut script);
    Ok(out.write_all(&script)?)
}

pub(crate) fn man(args: &ManArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(dir) = &args.dir else {
        return page(&definition(), "sow", out);
    };
    let cannot =
        |error| Failure::Input(format!("cannot write to {}: {error}", sanitize::path(dir)));
    sowing_files::make_folder(dir).map_err(cannot)?;
    let mut definition = definition();
    // Gives every command its full name.
    definition.build();
    pages(&definition, &mut |name, page| {
        sowing_files::write(&dir.join(name), page.as_bytes()).map_err(cannot)
    })
}

/// The pages of a command and of those below it. Each is made in memory, so that it is written
/// whole or not at all.
fn pages(
    command: &clap::Command,
    write: &mut dyn FnMut(String, &str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let mut text = Vec::new();
    page(command, &name, &mut text)?;
    write(format!("{name}.1"), &String::from_utf8_lossy(&text))?;
    command.get_subcommands().try_for_each(|below| pages(below, write))
}

/// One page, with the codes that every command ends with.
fn page(command: &clap::Command, name: &str, out: &mut dyn Write) -> Result<(), Failure> {
    clap_mangen::Man::new(command.clone()).title(name).render(out)?;
    Ok(out.write_all(EXIT_STATUS.as_bytes())?)
}

const EXIT_STATUS: &str = "\
.SH EXIT STATUS
.TP
\\fB0\\fR
What was asked for was done. A reader that closes its pipe early is no failure.
.TP
\\fB1\\fR
A check came out negative (a certificate or a table is wrong, figures differ), a limit ended the work \
before it was done, or some lines of many were answered with an error.
.TP
\\fB2\\fR
Something that was given is wrong, or the work could not be done. One line on standard error says what.
";
