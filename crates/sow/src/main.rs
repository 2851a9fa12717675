//! The command `sow`: see the library of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    sowing_cli::main()
}
