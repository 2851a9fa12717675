//! Figures of `results/` that a command prints, printed again.

use std::process::Command;

fn sow(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sow")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The loss polynomials and their seeds, all of them.
#[test]
fn loss_polynomials() {
    let kept = include_str!("../../../results/s_kalaha_loss_polynomials.csv");
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_string).collect()
    };
    let made = sow(&["polynomials", "--degree", "10", "--houses", "2..12", "--csv"]);
    assert_eq!(rows(&made), rows(kept));
    assert_eq!(rows(kept).len(), 1 + 28);
}

/// How the levels score: the games of the lower ones are played again; every row adds up.
#[test]
fn levels() {
    let text = include_str!("../../../results/levels.md");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| level:"))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert_eq!(rows.len(), 8);
    for (row, level) in rows.iter().zip(1..) {
        let [player, against, won, drawn, lost, score, margin] = row[..] else { panic!("{row:?}") };
        assert_eq!(
            (player, against),
            (&*format!("level:{}", level + 1), &*format!("level:{level}"))
        );
        let [w, d, l] = [won, drawn, lost].map(|games| games.parse::<f64>().unwrap());
        assert_eq!(w + d + l, 200.0, "{row:?}");
        let exact = (w + d / 2.0) / 2.0;
        let told: f64 = score.split(' ').next().unwrap().parse().unwrap();
        assert!((told - exact).abs() <= 0.051, "{row:?}: {exact}");
        if level <= 4 {
            let played = sow(&["match", "kalah(6,4)", player, against, "--games", "200"]);
            let played: Vec<&str> = played.lines().nth(2).unwrap().split_whitespace().collect();
            let told = [
                &[player, against, won, drawn, lost][..],
                &score.split(' ').collect::<Vec<_>>(),
                &[margin],
            ];
            assert_eq!(played, told.concat(), "{row:?}");
        }
    }
}

/// The books that are built in are those that are told of.
#[test]
fn books() {
    let text = include_str!("../../../results/books.md");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let told: Vec<[String; 3]> = rows
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            [cells[1].trim_matches('`'), cells[2], cells[3]].map(str::to_string)
        })
        .collect();
    let listed = sow(&["book", "info", "--json"]);
    let listed: Vec<serde_json::Value> =
        listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), listed.len());
    for ([family, positions, bytes], book) in told.iter().zip(&listed) {
        assert_eq!(*family, book["family"].as_str().unwrap());
        let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
        assert_eq!(Some(number(positions)), book["positions"].as_u64(), "{family}");
        assert_eq!(Some(number(bytes)), book["bytes"].as_u64(), "{family}");
    }
}
