//! Tells the program which commit it is built from, where there is a repository.

use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let done = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    Some(text.trim().to_string()).filter(|text| done.status.success() && !text.is_empty())
}

/// The engine for browsers is built in where SOW_WASM names the folder that bindings/wasm/build wrote.
fn build_engine_in() {
    println!("cargo::rustc-check-cfg=cfg(sow_wasm)");
    println!("cargo:rerun-if-env-changed=SOW_WASM");
    if let Some(folder) = std::env::var_os("SOW_WASM").filter(|folder| !folder.is_empty()) {
        let folder = std::path::absolute(&folder).expect("SOW_WASM is a path");
        println!("cargo:rerun-if-changed={}", folder.join("sowing_bg.wasm").display());
        println!("cargo:rustc-env=SOW_WASM={}", folder.display());
        println!("cargo:rustc-cfg=sow_wasm");
    }
}

fn main() {
    build_engine_in();
    println!("cargo:rerun-if-changed=build.rs");
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    println!("cargo:rustc-env=SOW_COMMIT={commit}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}
