//! All integration tests of the crate: one program, linked once.

use sowing_bench::{Bench, BenchReport};

/// Counts and checksums are those that are written down, and every line is one JSON object.
#[test]
fn answers_are_checked_and_printed() {
    let mut out = Vec::new();
    Bench::Solitaire.run(&mut BenchReport::new(&mut out, true)).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty());
    for line in lines.iter().filter(|line| line.get("work").is_some()) {
        assert!(line["count"].as_u64().unwrap() > 0 && line["seconds"].is_number(), "{line}");
    }
}
