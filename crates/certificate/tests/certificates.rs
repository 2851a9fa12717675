//! Certificates are proofs: true ones check out, altered ones do not.

use sowing_certificate::{Certificate, Claim};
use sowing_rules::{Game, Position};
use sowing_solver::Solver;

fn prove(name: &str, claim: fn(i64) -> Claim) -> (i64, String) {
    let game: Game = name.parse().unwrap();
    let start = Position::start(game);
    let mut solver = Solver::new(game).unwrap();
    let value = solver.value(&start).unwrap().value().unwrap();
    let certificate = solver.prove(&start, claim(value)).unwrap();
    certificate.verify().unwrap();
    (value, certificate.to_string())
}

#[test]
fn both_bounds_of_many_games_are_proven() {
    for name in [
        "s-kalaha(1,1)",
        "s-kalaha(2,1)",
        "s-kalaha(2,5)",
        "s-kalaha(3,6)",
        "s-kalaha(4,4)",
        "s-kalaha(5,3)",
        "kalah(1,3)",
        "kalah(3,4)",
        "kalah(4,3)",
        "kalah(4,3,empty-capture)",
        "kalah(4,2,relay)",
        "kalah(3,3,remaining-lost)",
        "kalah(3,3,last-seed-capture)",
        "kalah(9,1)",
    ] {
        for claim in [Claim::AtLeast as fn(i64) -> Claim, Claim::AtMost] {
            let (_, text) = prove(name, claim);
            let read: Certificate = text.parse().unwrap();
            assert_eq!(read.to_string(), text, "{name}");
            read.verify().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// Replaces the reply of each lemma in turn by another house: the certificate is refused, or the
/// other reply was as good and proves the same.
#[test]
fn altered_replies_are_refused() {
    let (_, text) = prove("s-kalaha(4,3)", Claim::AtLeast);
    let lines: Vec<&str> = text.lines().collect();
    let mut refused = 0;
    for index in 5..lines.len() {
        let (head, house) = lines[index].rsplit_once(' ').unwrap();
        let board = head.split(" >= ").next().unwrap();
        for other in (1..=4).filter(|other| other.to_string() != house) {
            let mut altered: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
            altered[index] = format!("{head} {other}");
            let certificate: Certificate = altered.join("\n").parse().unwrap();
            if let Err(error) = certificate.verify() {
                let error = error.to_string();
                // The board itself is named, or the one behind it that has no lemma.
                assert!(error.contains('|'), "{board}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > lines.len(), "{refused} refusals in {} lines", lines.len());
}

#[test]
fn false_claims_are_refused() {
    let (value, text) = prove("s-kalaha(4,3)", Claim::AtLeast);
    let boast = format!("value >= {}", value + 2);
    let altered = text.replace(&format!("value >= {value}"), &boast);
    let certificate: Certificate = altered.parse().unwrap();
    let error = certificate.verify().unwrap_err().to_string();
    let flaw = "does not follow: the lemma for 3,3,3,3|3,3,3,3 promises";
    assert!(error.contains(flaw), "{error}");
    let missing: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
    let error = missing.parse::<Certificate>().unwrap().verify().unwrap_err().to_string();
    assert!(error.contains("does not follow: no lemma for 3,3,3,3|3,3,3,3"), "{error}");
}

#[test]
fn what_is_not_a_certificate_is_refused_by_line() {
    let (_, text) = prove("s-kalaha(2,1)", Claim::AtLeast);
    let cases = [
        ("# sow certificate 2", "# sow certificate 2x", "line 1 should be"),
        ("# game: s-kalaha(2,1)", "# game: s-kalaha(2", "line 2: game"),
        ("# position: 1,1,0|1,1,0", "# position: 1,1|1,1", "line 3: s-kalaha(2,1) has 2 houses"),
        ("# claim: value >= 0", "# claim: value > 0", "line 4: a claim is of the form"),
        ("# program: sowing", "# sowing", "line 5 should be"),
        ("1,1|1,1 >= 0: ", "1,1|1,1 >= 0 ", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0: ", "1,1,1|1,1,1 >= 0: ", "line 6 is not a lemma"),
    ];
    for (from, to, expected) in cases {
        assert!(text.contains(from), "{from}");
        let error = match text.replacen(from, to, 1).parse::<Certificate>() {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{to} was read"),
        };
        assert!(error.starts_with(expected), "{error}");
    }
    assert!("".parse::<Certificate>().is_err());
}

/// A certificate names the program that made it. Those of format 1, which name none, are read and written as before.
#[test]
fn certificates_name_their_program() {
    let (_, text) = prove("s-kalaha(2,1)", Claim::AtLeast);
    let certificate: Certificate = text.parse().unwrap();
    assert_eq!(certificate.program(), Some(sowing_rules::PROGRAM));
    let line = format!("# program: {}\n", sowing_rules::PROGRAM);
    let old = text.replace("certificate 2", "certificate 1").replace(&line, "");
    let certificate: Certificate = old.parse().unwrap();
    certificate.verify().unwrap();
    assert_eq!((certificate.program(), certificate.to_string()), (None, old));
}
