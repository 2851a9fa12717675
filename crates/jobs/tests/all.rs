//! All integration tests of the crate: one program, linked once.

use std::path::Path;

use clap::{Args, FromArgMatches};
use sowing_jobs::{Job, PlayoutsArgs, Provenance, SweepArgs, finish, open};

fn parse<A: Args + FromArgMatches>(line: &[&str]) -> A {
    let command = A::augment_args(clap::Command::new("job").no_binary_name(true));
    A::from_arg_matches(&command.get_matches_from(line)).unwrap()
}

/// Does a job to its end in chunks of this size, and opens its file anew before each of them.
fn work_through<J: Job>(job: &J, chunk: u64) {
    let mut worker = job.worker().unwrap();
    loop {
        let mut file = open(job).unwrap();
        let done = job.done(&file);
        if done == job.tasks() {
            return finish(job, file, Provenance::now).unwrap();
        }
        let end = job.tasks().min(done + chunk);
        let rows = job.rows(&mut worker, done..end).unwrap();
        file.append(&rows, job.checkpoint(end)).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The file depends neither on the size of the chunks nor on interruptions.
#[test]
fn a_sweep_does_not_depend_on_its_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [1, 7, 1000].map(|chunk| {
        let path = folder.path().join(format!("{chunk}.csv"));
        let out = path.to_str().unwrap();
        let args: SweepArgs =
            parse(&["s-kalaha", "--houses", "2..3", "--seeds", "4..20", "--out", out]);
        assert_eq!(args.tasks(), 34);
        work_through(&args, chunk);
        std::fs::read_to_string(&path).unwrap()
    });
    assert!(texts[0].starts_with("h,s,outcome,moves\n") && texts[0].lines().count() > 3);
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let expected = ["1.csv", "1.csv.meta.json", "1000.csv", "1000.csv.meta.json", "7.csv"];
    assert_eq!(names(folder.path())[..5], expected);
}

/// A job with a summary leaves the summary and its provenance, and neither parts nor a progress file.
#[test]
fn a_summary_replaces_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let args: PlayoutsArgs = parse(&["kalah(3,2)", "--games", "50", "--limit", "0"]);
    let texts = [3, 51].map(|chunk| {
        let path = folder.path().join(format!("{chunk}.txt"));
        work_through(&args.job(&path), chunk);
        std::fs::read_to_string(&path).unwrap()
    });
    assert!(texts[0].starts_with("kalah(3,2): 50 random games, seed 1\n"), "{}", texts[0]);
    assert_eq!(texts[0], texts[1]);
    assert_eq!(names(folder.path()), ["3.txt", "3.txt.meta.json", "51.txt", "51.txt.meta.json"]);
}
