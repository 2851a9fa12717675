//! What is typeset compiles, with nothing loaded, and fits the page.

use crate::tool;

use std::path::Path;
use std::process::Command;

fn sow(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_sow")).args(args).output().unwrap();
    String::from_utf8(done.stdout).unwrap()
}

/// What TeX says of a document: its log, if it compiles.
fn compile(dir: &Path, body: &str) -> Result<String, String> {
    let document =
        format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n");
    std::fs::write(dir.join("tables.tex"), document).unwrap();
    let done = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "tables.tex"])
        .current_dir(dir)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&done.stdout).into_owned();
    if done.status.success() { Ok(log) } else { Err(log) }
}

#[test]
fn all_that_is_typeset_compiles_and_fits_the_page() {
    if !tool::is_there("pdflatex", "tests of LaTeX tables") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut body = String::new();
    for line in sow(&["study", "--json"]).lines() {
        let study: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = study["name"].as_str().unwrap();
        // As far as it goes at once: figures, bounds, kept and printed ones; and nothing computed.
        let games: &[&str] = if name == "thesis-3" { &["--games", "200"] } else { &[] };
        for time in ["0", "2s"] {
            let table = sow(&[&["study", name, "--time", time, "--latex"], games].concat());
            assert!(table.ends_with("\\end{table}\n"), "{name}: {table}");
            body.push_str(&format!("{table}\\clearpage\n"));
        }
    }
    for matrix in [&["4"][..], &["5", "--inverse"], &["14"], &["5", "--chain"]] {
        let formula = sow(&[&["tchoukaillon", "matrix"], matrix, &["--latex"]].concat());
        body.push_str(&format!("\\[\n{formula}\\]\n"));
    }
    let log = compile(dir.path(), &body).unwrap_or_else(|log| panic!("{log}"));
    let at = |sign| log.find(sign).map(|at| &log[at..(at + 400).min(log.len())]);
    for sign in ["Overfull", "Float too large"] {
        assert_eq!(at(sign), None);
    }
    // Two pages a study: all are there.
    assert!(log.contains("Output written on tables.pdf (57 pages"), "{log}");
    // The test can fail.
    assert!(compile(dir.path(), "b^d\n").is_err());
    let wide = format!("\\noindent {}\n", "x".repeat(200));
    assert!(compile(dir.path(), &wide).unwrap().contains("Overfull"));
}
