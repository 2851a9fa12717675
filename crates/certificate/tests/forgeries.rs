//! What a forger might try: no certificate is accepted that proves nothing, and the plain checker
//! agrees on every one.

use sowing_certificate::{Certificate, Claim};
use sowing_plain::certificate::{VerifyError, verify as verify_plainly};
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Position, SeededRng};
use sowing_solver::{ProveError, Solver};

/// Eight games that differ in every option that certificates allow.
const GAMES: [&str; 8] = [
    "kalah(3,2)",
    "kalah(3,3,empty-capture)",
    "kalah(3,2,last-seed-capture)",
    "kalah(3,2,no-capture)",
    "kalah(4,1,relay)",
    "kalah(3,2,remaining-lost)",
    "s-kalaha(3,2)",
    "s-kalaha(1,7,remaining-lost)",
];

fn honest(name: &str, upper: bool) -> String {
    let game: Game = name.parse().unwrap();
    let start = Position::start(game);
    let mut solver = Solver::new(game).unwrap();
    let value = solver.value(&start).unwrap().value().unwrap();
    let claim = if upper { Claim::AtMost(value) } else { Claim::AtLeast(value) };
    solver.prove(&start, claim).unwrap().to_string()
}

/// Whether the checker accepts a text, the plain one agreeing.
fn accepts(text: &str) -> Option<Certificate> {
    let read = text.parse::<Certificate>();
    let verdict = match &read {
        Ok(certificate) => certificate.verify().map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match (&verdict, verify_plainly(text)) {
        (Ok(()), Ok(()))
        | (Err(_), Err(VerifyError::Wrong(_)))
        | (_, Err(VerifyError::TooLarge)) => {}
        (one, other) => panic!("{one:?}, plainly {other:?}:\n{text}"),
    }
    // One line, and nothing in it that a terminal would obey.
    if let Err(error) = &verdict {
        assert!(!error.contains(char::is_control) && error.len() < 2_000, "{error:?}");
    }
    verdict.ok().and(read.ok())
}

/// Whether a claim that was accepted, and every lemma, is true.
fn assert_true(text: &str, certificate: &Certificate, values: &mut Negamax) {
    let start = Plain::from_position(certificate.position());
    let value = values.value(&start);
    match certificate.claim() {
        Claim::AtLeast(margin) => assert!(value >= margin, "worth {value}:\n{text}"),
        Claim::AtMost(margin) => assert!(value <= margin, "worth {value}:\n{text}"),
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (board, rest) = line.split_once(" >= ").unwrap();
        let (margin, _) = rest.split_once(": ").unwrap();
        let (own, other) = board.split_once('|').unwrap();
        let row = |text: &str| text.split(',').map(|seeds| seeds.parse().unwrap()).collect();
        let board = Plain { rows: [row(own), row(other)], stores: [0, 0], ..start.clone() };
        assert!(values.value(&board) >= margin.parse().unwrap(), "{line}:\n{text}");
    }
}

/// The seeds of a lemma's line, or of the position's.
fn numbers(text: &str) -> Vec<u64> {
    text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// Replaces the `index`th number of a text.
fn with_number(text: &str, index: usize, number: u64) -> String {
    let (mut out, mut seen, mut inside) = (String::new(), 0, false);
    for sign in text.chars() {
        if !sign.is_ascii_digit() {
            inside = false;
            out.push(sign);
        } else if !inside {
            inside = true;
            seen += 1;
            if seen == index + 1 { out += &number.to_string() } else { out.push(sign) }
        } else if seen != index + 1 {
            out.push(sign);
        }
    }
    out
}

/// Adds to the margin of a lemma or claim.
fn raised(line: &str, by: i64) -> String {
    let Some((head, rest)) = line.split_once("= ") else { return line.to_string() };
    let (margin, tail) = rest.split_once(':').unwrap_or((rest, ""));
    let colon = if rest.contains(':') { ":" } else { "" };
    let Ok(margin) = margin.parse::<i64>() else { return line.to_string() };
    format!("{head}= {}{colon}{tail}", margin.saturating_add(by))
}

/// Replaces the margin of a lemma or claim.
fn with_margin(line: &str, margin: &str) -> String {
    let Some((head, rest)) = line.split_once("= ") else { return line.to_string() };
    match rest.split_once(':') {
        Some((_, tail)) => format!("{head}= {margin}:{tail}"),
        None => format!("{head}= {margin}"),
    }
}

const EXTREMES: [&str; 14] = [
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775802",
    "320000000000000000",
    "-320000000000000001",
    "4294967296",
    "255",
    "-255",
    "13",
    "-13",
    "+1",
    "-0",
    "01",
];

/// The header lines of a proof.
const HEAD: usize = 5;

/// One thing that somebody might change.
fn mutate(text: &str, random: &mut SeededRng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut below = |bound: usize| random.below(bound.max(1) as u64) as usize;
    if lines.len() < HEAD {
        return text.to_string();
    }
    // A lemma's line, or the claim's where there is none.
    let one = if lines.len() == HEAD { 3 } else { HEAD + below(lines.len() - HEAD) };
    let by = [1, -1, 2, -2, 3, 4][below(6)];
    match below(17) {
        0 => lines[one] = raised(&lines[one], by),
        1 => lines[one] = with_margin(&lines[one], EXTREMES[below(EXTREMES.len())]),
        2 => lines[3] = raised(&lines[3], by),
        3 => lines[3] = with_margin(&lines[3], EXTREMES[below(EXTREMES.len())]),
        4 => {
            // All margins of a proof, and its claim, promise more: each follows from the next.
            lines[3..].iter_mut().for_each(|line| *line = raised(line, by));
        }
        5 => {
            let margin = EXTREMES[below(EXTREMES.len())];
            lines[HEAD..].iter_mut().for_each(|line| *line = with_margin(line, margin));
        }
        6 => {
            // Another reply.
            let house = below(5);
            let cut = lines[one].rfind(' ').unwrap_or(0);
            lines[one].replace_range(cut.., &format!(" {house}"));
        }
        7 => {
            // Another board, or position.
            let line = if below(3) == 0 { 2 } else { one };
            let mut pits = numbers(&lines[line]);
            pits.push(0);
            let (from, to) = (below(pits.len()), below(pits.len()));
            if from != to && pits[from] > 0 {
                let less = with_number(&lines[line], from, pits[from] - 1);
                lines[line] = with_number(&less, to, pits[to] + 1);
            } else {
                lines[line] = with_number(&lines[line], to, [0, 1, 7, 300][below(4)]);
            }
        }
        8 => drop(lines.remove(one)),
        9 => lines.insert(one, lines[one].clone()),
        10 => {
            let other = if below(9) == 0 { below(HEAD) } else { HEAD + below(lines.len() - HEAD) };
            let other = other.min(lines.len() - 1);
            lines.swap(one, other);
        }
        11 => {
            let houses = numbers(&lines[1]).first().copied().unwrap_or(1);
            let options = [
                "",
                ",relay",
                ",empty-capture",
                ",last-seed-capture",
                ",no-capture",
                ",remaining-lost",
                ",relay,empty-capture",
                ",relay,no-capture",
                ",no-capture,remaining-lost",
                ",remaining-lost,no-capture",
                ",clockwise",
                ",pie",
            ];
            let name = ["kalah", "s-kalaha"][usize::from(below(4) == 0)];
            let option = options[below(options.len())];
            lines[1] = format!("# game: {name}({houses},{}{option})", 1 + below(4));
        }
        12 => {
            lines[3] = match lines[3].split_once("<=") {
                Some((head, tail)) => format!("{head}>={tail}"),
                None => lines[3].replace(">=", "<="),
            };
        }
        13 => {
            // A lemma that fits nothing, or closes a gap by its mere word.
            let pits = (numbers(&lines[2]).len() / 2).max(2) - 1;
            let mut row = |_| (0..pits).map(|_| below(3).to_string()).collect::<Vec<_>>().join(",");
            let [own, other] = [0, 1].map(&mut row);
            lines.push(format!("{own}|{other} >= {}: {}", by, 1 + below(pits)));
        }
        14 => {
            // Its mirror: the board as the opponent sees it.
            let (board, tail) = lines[one].split_once(" >= ").unwrap_or(("|", "0: 1"));
            let (own, other) = board.split_once('|').unwrap_or(("", ""));
            lines[one] = format!("{other}|{own} >= {tail}");
        }
        15 => {
            let mut signs: Vec<char> = text.chars().collect();
            let at = below(signs.len());
            let sign =
                "0123456789,|>=:- #\r\n\t+\u{7}\u{1b}x".chars().nth(below(25)).unwrap_or('\u{e9}');
            match below(3) {
                0 => signs[at] = sign,
                1 => signs.insert(at, sign),
                _ => drop(signs.remove(at)),
            }
            return signs.into_iter().collect();
        }
        _ => {
            let cut = below(text.len());
            return text.chars().take(cut).collect();
        }
    }
    let mut out = lines.join("\n");
    if below(8) > 0 {
        out.push('\n');
    }
    out
}

/// Ten thousand mutants of sixteen proofs, one to three changes each; `SOW_MUTANTS=1000000` for more.
#[test]
fn mutants_are_refused_or_true_and_both_checkers_agree() {
    let wanted = std::env::var("SOW_MUTANTS").map_or(10_000, |text| text.parse().unwrap());
    let mut values = Negamax::default();
    let (mut accepted, mut changed, mut count) = (0, 0, 0);
    for (game, name) in (0..).zip(GAMES) {
        for upper in [false, true] {
            let text = honest(name, upper);
            let certificate = accepts(&text).expect("an honest proof");
            assert_true(&text, &certificate, &mut values);
            for index in 0..wanted / 16 {
                let mut random = SeededRng::new(2 * game + u64::from(upper), index);
                let changes = 1 + random.below(3);
                let mutant = (0..changes).fold(text.clone(), |text, _| mutate(&text, &mut random));
                count += 1;
                changed += usize::from(mutant != text);
                if let Some(certificate) = accepts(&mutant) {
                    assert_true(&mutant, &certificate, &mut values);
                    accepted += usize::from(mutant != text);
                }
            }
        }
    }
    assert!(count >= 10_000, "{count} mutants");
    // Neither are the mutants all harmless, nor are they all nonsense.
    let share = |part: usize| 100 * part / count;
    assert!(share(changed) > 95 && (2..50).contains(&share(accepted)), "{accepted} of {changed}");
    println!("{accepted} of {changed} changed mutants were accepted, and are true");
}

/// The message with which a text is refused by both checkers.
fn refusal(text: &str) -> String {
    assert!(accepts(text).is_none(), "{text}");
    assert!(matches!(
        verify_plainly(text),
        Err(VerifyError::Wrong(_)) | Err(VerifyError::TooLarge)
    ));
    match text.parse::<Certificate>() {
        Err(error) => error.to_string(),
        Ok(certificate) => certificate.verify().unwrap_err().to_string(),
    }
}

fn text(game: &str, position: &str, claim: &str, lemmas: &[&str]) -> String {
    let lemmas: String = lemmas.iter().map(|lemma| format!("{lemma}\n")).collect();
    format!(
        "# sow certificate 1\n# game: {game}\n# position: {position}\n# claim: {claim}\n{lemmas}"
    )
}

#[test]
fn margins_that_no_board_is_worth_are_refused() {
    let small = |claim, lemmas: &[&str]| text("kalah(3,1)", "1,1,1,0|1,1,1,0", claim, lemmas);
    let wrapping = [
        "1,1,1|1,1,1 >= 9223372036854775807: 3",
        "1,1,0|1,1,1 >= 9223372036854775807: 2",
        "1,0,0|0,0,2 >= 9223372036854775807: 1",
    ];
    assert_eq!(
        refusal(&small("value >= 6", &wrapping)),
        "line 5: the lemma 1,1,1|1,1,1 >= 9223372036854775807: 3 does not hold: \
         a board of 6 seeds is worth -6 to 6"
    );
    let start = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
    assert_eq!(
        refusal(&text("kalah(6,4)", start, "value <= -9223372036854775808", &[])),
        "the claim value <= -9223372036854775808 is out of bounds: the position can be worth -48 to 48"
    );
    for claim in ["value >= 7", "value <= -7", "value >= -7", "value <= 7"] {
        assert!(refusal(&small(claim, &[])).ends_with("can be worth -6 to 6"));
    }
    // The least extreme that is out of bounds, at both ends.
    for margin in ["7", "-7", "-9223372036854775808"] {
        let lemma = format!("1,1,1|1,1,1 >= {margin}: 3");
        let error = refusal(&small("value <= 6", &[&lemma]));
        assert!(error.ends_with("a board of 6 seeds is worth -6 to 6"), "{error}");
    }
    // All that is needed of a claim at its lower bound is the bound.
    assert!(accepts(&small("value >= -6", &[])).is_some());
    assert!(accepts(&small("value <= 6", &[])).is_some());
}

#[test]
fn each_flaw_names_its_lemma() {
    let lead = |lemmas: &[&str]| text("kalah(2,1)", "1,1,0|1,1,0", "value >= -4", lemmas);
    let cases = [
        ("2,1|1,1 >= 0: 1", "its board has 5 seeds, the position has 4 in its houses"),
        (
            "18446744073709551615,1|1,1 >= 0: 1",
            "its board has 18446744073709551618 seeds, the position has 4 in its houses",
        ),
        ("0,0|1,1 >= 0: 1", "its board is finished: a row is empty"),
        ("1,1|0,0 >= 0: 1", "its board is finished: a row is empty"),
        ("0,1|1,1 >= 0: 1", "house 1 is empty or does not exist"),
        ("0,1|1,1 >= 0: 16", "house 16 is empty or does not exist"),
        ("0,1|0,1 >= 1: 2", "from 0,1|0,1 the game can end with a margin of -1, but 0 is needed"),
        ("1,1|1,1 >= 4: 2", "no lemma for 1,0|1,1, which needs a margin of 3"),
    ];
    for (lemma, flaw) in cases {
        let expected = format!("line 5: the lemma {lemma} does not hold: {flaw}");
        assert_eq!(refusal(&lead(&[lemma])), expected);
    }
    let weak = ["1,1|1,1 >= 4: 2", "1,0|1,1 >= 0: 1"];
    assert!(refusal(&lead(&weak)).ends_with("the lemma for 1,0|1,1 promises 0, but 3 is needed"));
}

/// Lemmas that would prove each other if positions came back are of games that are refused.
#[test]
fn clockwise_games_and_pies_are_refused() {
    for option in ["clockwise", "pie"] {
        let game = format!("kalah(2,1,{option})");
        let error = refusal(&text(&game, "1,1,0|1,1,0", "value >= -4", &[]));
        assert!(error.starts_with(&game), "{error}");
        let error = refusal(&text(&game, "0,1,1|1,1,0", "value >= -2", &[]));
        assert!(error.starts_with(&game), "{error}");
    }
}

/// The text is read to the letter.
#[test]
fn other_spellings_are_refused() {
    let good = honest("s-kalaha(2,1)", false);
    assert!(accepts(&good).is_some());
    assert!(accepts(good.trim_end()).is_some(), "the last line feed may be missing");
    let line = good.lines().nth(HEAD).unwrap();
    let cases = [
        ("certificate 2\n", "certificate 2x\n", "line 1 should be \"# sow certificate 2\""),
        ("certificate 2\n", "certificate 2 \n", "line 1 should be"),
        ("certificate 2\n", "certificate 21\n", "line 1 should be"),
        ("certificate 2\n", "certificate 2\r\n", "line 1 ends in a carriage return"),
        ("# sow", "\u{feff}# sow", "line 1 should be"),
        ("s-kalaha(2,1)", "S-Kalaha(2,1)", "line 2 should read \"s-kalaha(2,1)\""),
        ("s-kalaha(2,1)", "kalah(2,1,relay,no-capture)", "line 2 should read \"s-kalaha(2,1)\""),
        ("s-kalaha(2,1)", " s-kalaha(2,1)", "line 2 should read"),
        ("s-kalaha(2,1)", "s-kalaha(02,1)", "line 2 should read"),
        ("1,1,0|1,1,0", "1,1,0|1,1,00", "line 3 should read"),
        ("1,1,0|1,1,0", "(1,1,0|1,1,0)", "line 3 should read"),
        ("1,1,0|1,1,0", "<2,0,0,1,1,1,1>", "line 3 should read"),
        (">= 0\n", ">= +0\n", "line 4 should read \"value >= 0\""),
        (">= 0\n", ">= -0\n", "line 4 should read"),
        (">= 0\n", ">= 0 \n", "line 4: a claim"),
        (">= 0\n", ">= 99999999999999999999\n", "line 4: a claim"),
        (">= 0\n", ">= 0\n\n", "line 5 should be \"# program: \""),
        ("# program: sowing", "# program:  sowing", "line 5: a program"),
        ("# program: sowing", "# program: s\u{f6}wing", "line 5: a program"),
        ("# program: sowing", "# program: \n", "line 5: a program"),
        ("# program: sowing", "# a word\n# program: sowing", "line 5 should be"),
        ("1,1|1,1 >= 0", "1,1|1,1 >= +0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0", "1,01|1,1 >= 0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0", "1,+1|1,1 >= 0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0", "1, 1|1,1 >= 0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0", "1,1,1|1 >= 0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0: ", "1,1|1,1 >= 0: 0", "line 6 is not a lemma"),
        ("1,1|1,1 >= 0: ", "1,1|1,1 >= 0: 1 ", "line 6 is not a lemma"),
    ];
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{from}");
        let error = refusal(&good.replacen(from, to, 1));
        assert!(error.starts_with(expected), "{to:?}: {error}");
    }
    let twice = refusal(&format!("{good}{line}\n"));
    let lines = good.lines().count();
    assert!(twice.starts_with(&format!("line {} has a second lemma for 1,1|1,1", lines + 1)));
    assert!(refusal(&format!("{good}\n")).contains("is not a lemma"));
    assert!(refusal("").starts_with("line 1 should be"));
    assert!(refusal("# sow certificate 1\n# game: kalah(2,1)\n").starts_with("line 3 should be"));
    let long = format!("{good}{}", "9".repeat(1_001));
    let longest = format!("{good}{}", "9".repeat(1_000));
    assert!(
        long.parse::<Certificate>().unwrap_err().to_string().contains("longer than 1000 bytes")
    );
    assert!(refusal(&longest).contains("is not a lemma"));
}

/// What is no text, and what has no end, is refused after a line.
#[test]
fn endless_and_foreign_bytes_are_refused() {
    let zeros = std::io::BufReader::new(std::io::repeat(0));
    let error = Certificate::read(zeros).unwrap_err().to_string();
    assert_eq!(error, "line 1 is longer than 1000 bytes: this is not a certificate");
    let foreign = b"# sow certificate 1\n# game: kalah(2,1)\n# position: \xff\n".as_slice();
    let error = Certificate::read(foreign).unwrap_err().to_string();
    assert!(error.starts_with("line 3:"), "{error}");
}

/// The largest boards that there are: counted without overflow, in no time.
#[test]
fn the_largest_boards_are_counted() {
    let n = "10000000000000000";
    let row = vec![n; 16].join(",");
    for game in [format!("kalah(16,{n})"), format!("s-kalaha(16,{n})")] {
        let start = format!("{row},0|{row},0");
        let all = "320000000000000000";
        for claim in [format!("value >= -{all}"), format!("value <= {all}")] {
            let text = text(&game, &start, &claim, &[]);
            text.parse::<Certificate>().unwrap().verify().unwrap();
        }
        for house in 1..=16 {
            let lemma = format!("{row}|{row} >= {all}: {house}");
            let text = text(&game, &start, &format!("value >= {all}"), &[&lemma]);
            let error = text.parse::<Certificate>().unwrap().verify().unwrap_err().to_string();
            assert!(error.starts_with(&format!("line 5: the lemma {lemma} does not hold")));
        }
        let beyond = text(&game, &format!("{row},1|{row},0"), "value >= 0", &[]);
        assert!(beyond.parse::<Certificate>().is_err());
    }
}

/// False claims, impossible ones, and games that are not for certificates are errors.
#[test]
fn the_prover_refuses_what_is_false() {
    let game: Game = "kalah(3,1)".parse().unwrap();
    let start = Position::start(game);
    let mut solver = Solver::new(game).unwrap();
    let value = solver.value(&start).unwrap().value().unwrap();
    for claim in [Claim::AtLeast(value + 1), Claim::AtMost(value - 1), Claim::AtLeast(6)] {
        let error = solver.prove(&start, claim).unwrap_err();
        assert!(matches!(error, ProveError::False(_)), "{error}");
    }
    for margin in [7, -7, i64::MAX, i64::MIN] {
        for claim in [Claim::AtLeast(margin), Claim::AtMost(margin)] {
            let error = solver.prove(&start, claim).unwrap_err();
            assert!(matches!(error, ProveError::Refuted(_)), "{error}");
        }
    }
    for name in ["kalah(3,1,clockwise)", "kalah(3,1,pie)"] {
        let game: Game = name.parse().unwrap();
        let mut solver = Solver::new(game).unwrap();
        let error = solver.prove(&Position::start(game), Claim::AtLeast(0));
        assert!(matches!(error.unwrap_err(), ProveError::Refuted(_)));
    }
    let other = Position::start("kalah(3,2)".parse().unwrap());
    let error = solver.prove(&other, Claim::AtLeast(0)).unwrap_err();
    assert!(matches!(error, ProveError::OtherGame { .. }), "{error}");
}
