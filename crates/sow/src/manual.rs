//! `sow completions` and `sow man`: made from the same definitions as the help.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::args::definition;
use crate::failure::Failure;

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
        return Ok(clap_mangen::Man::new(definition()).render(out)?);
    };
    let cannot = |error| Failure::Input(format!("cannot write to {}: {error}", dir.display()));
    sowing_files::make_folder(dir).map_err(cannot)?;
    // Each page is whole or not there, so it is made in a folder of ours first.
    let made = tempfile::tempdir().map_err(cannot)?;
    clap_mangen::generate_to(definition(), made.path()).map_err(cannot)?;
    for page in fs::read_dir(made.path()).map_err(cannot)? {
        let page = page.map_err(cannot)?;
        let text = fs::read(page.path()).map_err(cannot)?;
        sowing_files::write(&dir.join(page.file_name()), &text).map_err(cannot)?;
    }
    Ok(())
}
