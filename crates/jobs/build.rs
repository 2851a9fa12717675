//! Tells the crate which commit it is built from, where there is a repository: provenance names it.

use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let done = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    Some(text.trim().to_string()).filter(|text| done.status.success() && !text.is_empty())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    println!("cargo:rustc-env=SOW_COMMIT={commit}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}
