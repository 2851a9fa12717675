//! `sow verify`: checks a certificate.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use clap::Args;
use sowing_certificate::Certificate;

use crate::failure::Failure;
use crate::units::grouped;

/// Check a certificate, move by move, with nothing but the rules
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow solve \"s-kalaha(5,3)\" --certificate win.txt
  sow verify win.txt")]
pub(crate) struct VerifyArgs {
    /// The certificate, as sow solve --certificate writes it
    file: PathBuf,
    /// Accept a position with any number of seeds
    #[arg(long)]
    free: bool,
}

pub(crate) fn run(args: &VerifyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let name = args.file.display();
    let open = File::open(&args.file)
        .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    let certificate = Certificate::read(BufReader::new(open))
        .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    certificate
        .verify()
        .map_err(|error| Failure::Negative(format!("{name} proves nothing: {error}")))?;
    let position = certificate.position();
    let (game, seeds) = (position.game(), position.total());
    if seeds != game.total() && !args.free {
        return Err(Failure::Negative(format!(
            "{name} proves nothing of {game}: its position has {seeds} seeds, the game {}; --free accepts it",
            game.total()
        )));
    }
    let lemmas = grouped(certificate.lemmas() as u64);
    Ok(writeln!(
        out,
        "{game}  {position}\n{}: proven, {lemmas} positions checked.",
        certificate.claim(),
    )?)
}
