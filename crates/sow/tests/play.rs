//! The board from outside: a terminal in tmux, keys sent, the screen captured.
#![cfg(unix)]

use crate::tool;

use std::process::Command;
use std::time::{Duration, Instant};

/// A terminal with a shell in it.
struct Tmux {
    socket: String,
    dir: tempfile::TempDir,
}

impl Tmux {
    /// `None`, where there is no tmux and somebody keeps account of what was left out.
    fn start(name: &str) -> Option<Tmux> {
        if !tool::is_there("tmux", "tests of the board on a real terminal") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join(name).to_str().unwrap().to_string();
        let tmux = Tmux { socket, dir };
        let shell =
            "env -u NO_COLOR LANG=C.UTF-8 LC_ALL=C.UTF-8 PS1='ready> ' bash --norc --noprofile";
        tmux.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "80",
            "-y",
            "24",
            "-s",
            "board",
            shell,
        ]);
        tmux.wait_for("ready>");
        tmux.keys(&["-l", &format!("cd {}", tmux.dir.path().display())]);
        tmux.keys(&["Enter"]);
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-S", &self.socket]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        let mut args = vec!["send-keys", "-t", "board"];
        args.extend(keys);
        self.run(&args);
    }

    fn type_line(&self, line: &str) {
        self.keys(&["-l", line]);
        self.keys(&["Enter"]);
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "board"])
    }

    /// The process that was started by writing its number to a file.
    fn number(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("number")).unwrap().trim().to_string()
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(start.elapsed().as_secs() < 300, "no {what:?} on\n{screen}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The terminal is as it was: the shell reads lines and echoes, and the cursor is there.
    fn expect_restored(&self) {
        // What is typed before the shell is back goes to the board.
        self.wait_until("prompt", |screen| screen.trim_end().ends_with("ready>"));
        self.type_line(
            "clear; stty -a | grep -o ' -\\?icanon\\| -\\?echo ' | tr -d '\\n'; echo $((6*7))",
        );
        let screen = self.wait_for("42");
        assert!(screen.contains("icanon") && !screen.contains("-icanon"), "{screen}");
        assert!(screen.contains(" echo") && !screen.contains("-echo "), "{screen}");
        let format = "#{alternate_on} #{cursor_flag} #{mouse_any_flag}";
        assert_eq!(self.run(&["display-message", "-p", "-t", "board", format]).trim(), "0 1 0");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-S", &self.socket, "kill-server"]).output();
    }
}

const SOW: &str = env!("CARGO_BIN_EXE_sow");

#[test]
fn a_game_from_start_to_quit() {
    let Some(tmux) = Tmux::start("game") else { return };
    tmux.type_line(&format!("{SOW} play 'kalah(3,2)' --north pdp:1 --pace 20ms --memory 256M"));
    tmux.wait_for("South: human, to move");
    // Play, with the sowing shown, and the opponent's answer.
    tmux.keys(&["2"]);
    let screen = tmux.wait_for("again");
    assert!(screen.contains("South (human) plays 2: again."), "{screen}");
    // Undo and redo.
    tmux.wait_for("South: human, to move");
    tmux.keys(&["u"]);
    tmux.wait_for("Taken back");
    tmux.keys(&["r"]);
    tmux.wait_for("Played again");
    // A hint, and the values.
    tmux.keys(&["h"]);
    tmux.wait_for("Hint: play house");
    tmux.keys(&["a"]);
    tmux.wait_for("2 of 2 moves known");
    // Help opens and closes.
    tmux.keys(&["?"]);
    tmux.wait_for("Esc closes");
    tmux.keys(&["?"]);
    tmux.wait_until("board", |screen| !screen.contains("Esc closes"));
    // Too small, and large again.
    tmux.run(&["resize-window", "-t", "board", "-x", "60", "-y", "20"]);
    tmux.wait_for("needs 60 columns and 24 rows");
    tmux.run(&["resize-window", "-t", "board", "-x", "60", "-y", "24"]);
    tmux.wait_for("2 of 2 moves known");
    tmux.run(&["resize-window", "-t", "board", "-x", "100", "-y", "30"]);
    tmux.wait_for("2 of 2 moves known");
    tmux.run(&["resize-window", "-t", "board", "-x", "80", "-y", "24"]);
    tmux.wait_for("2 of 2 moves known");
    // To the end: whatever can be played, from the right.
    let start = Instant::now();
    while !tmux.screen().contains("n next game") {
        tmux.keys(&["3"]);
        tmux.keys(&["2"]);
        tmux.keys(&["1"]);
        std::thread::sleep(Duration::from_millis(100));
        assert!(start.elapsed().as_secs() < 300, "{}", tmux.screen());
    }
    tmux.wait_until("review", |screen| {
        screen.contains("Worst turn:") || screen.contains("No turn gave")
    });
    tmux.keys(&["v"]);
    tmux.wait_for("Review");
    // The board of the first turn, and back to the end.
    tmux.keys(&["Home"]);
    for _ in 0..12 {
        tmux.keys(&["Up"]);
    }
    tmux.keys(&["Enter"]);
    tmux.wait_for("to move here");
    while !tmux.screen().contains("n next game") {
        tmux.keys(&["r"]);
    }
    tmux.keys(&["v"]);
    tmux.wait_for("Esc closes");
    tmux.keys(&["Escape"]);
    // The record is written, and replays.
    tmux.wait_until("board", |screen| !screen.contains("Esc closes"));
    tmux.keys(&["w"]);
    tmux.wait_for("Written to kalah-3-2-1.txt");
    let record = std::fs::read_to_string(tmux.dir.path().join("kalah-3-2-1.txt")).unwrap();
    let replayed = Command::new(SOW).args(["replay", "kalah(3,2)", &record]).output().unwrap();
    assert!(replayed.status.success(), "{record}");
    // The next game, and away: the records are printed.
    tmux.keys(&["n"]);
    tmux.wait_for("game 2");
    tmux.wait_for("human, to move");
    tmux.keys(&["q"]);
    // If the opponent has begun, the game is not left without a question.
    let question = "y or q again: leave";
    let left = |screen: &str| screen.contains(question) || screen.contains("# north: pdp:1");
    if tmux.wait_until("question or record", left).contains(question) {
        tmux.keys(&["q"]);
    }
    tmux.wait_for("# north: pdp:1");
    tmux.expect_restored();
}

/// A game that is left in the middle is asked about, kept in its file, and gone on with.
#[test]
fn a_game_is_kept_and_gone_on_with() {
    let Some(tmux) = Tmux::start("kept") else { return };
    let line = format!("{SOW} play 'kalah(4,3)' --north random --record game.txt --no-animation");
    tmux.type_line(&line);
    tmux.wait_for("South: human, to move");
    tmux.keys(&["2"]);
    tmux.wait_for("1 South 2");
    tmux.wait_for("South: human, to move");
    // Back to the shell for a while.
    tmux.keys(&["C-z"]);
    tmux.wait_for("Stopped");
    tmux.expect_restored();
    tmux.type_line("fg");
    tmux.wait_for("South: human, to move");
    tmux.keys(&["q"]);
    tmux.wait_for("The game is not over");
    tmux.keys(&["x"]);
    tmux.wait_for("The game goes on");
    tmux.keys(&["q"]);
    tmux.wait_for("The game is not over");
    tmux.keys(&["q"]);
    tmux.expect_restored();
    let kept = std::fs::read_to_string(tmux.dir.path().join("game.txt")).unwrap();
    assert!(kept.contains("# game: kalah(4,3)"), "{kept}");
    // Killed, it is there too.
    tmux.type_line(&format!("clear; (echo $BASHPID > number; exec {SOW} play --record game.txt)"));
    tmux.wait_for("goes on");
    let killed = Command::new("kill").args(["-9", &tmux.number()]).status().unwrap();
    assert!(killed.success());
    // It is not gone at once.
    let is_there = |number: &str| Command::new("kill").args(["-0", number]).output();
    while is_there(&tmux.number()).unwrap().status.success() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_to_string(tmux.dir.path().join("game.txt")).unwrap(), kept);
    let output = Command::new(SOW)
        .args(["play", "kalah(6,4)", "--record", "game.txt"])
        .current_dir(tmux.dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("kalah(4,3)"), "{said}");
}

/// Any position is a start, and what is none is refused before the screen is taken over.
#[test]
fn a_position_is_played_from() {
    let Some(tmux) = Tmux::start("start") else { return };
    tmux.type_line(&format!("{SOW} play 'kalah(3,2)' --start '0,0,1,4|1,0,0,6' --north human"));
    let screen = tmux.wait_for("South: human, to move");
    assert!(screen.contains("kalah(3,2)"), "{screen}");
    tmux.keys(&["3"]);
    tmux.wait_for("wins by");
    tmux.keys(&["q"]);
    tmux.expect_restored();
    for start in ["9,9", "0,0,1,4|1,0,0,5", "0,0,0,6|1,0,0,5"] {
        let args = ["play", "kalah(3,2)", "--start", start];
        let output = Command::new(SOW).args(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.lines().count() == 1, "{said}");
        assert!(!said.contains("terminal"), "{said}");
    }
}

#[test]
fn the_terminal_is_restored() {
    let Some(tmux) = Tmux::start("restored") else { return };
    for (command, key) in
        [("play", "C-c"), ("play", "C-d"), ("teletype", "C-c"), ("teletype", "C-d")]
    {
        tmux.type_line(&format!("clear; {SOW} {command} 'kalah(6,4)'"));
        tmux.wait_for(if command == "play" { "to move" } else { "+" });
        tmux.keys(&[key]);
        tmux.expect_restored();
    }
    // A signal from elsewhere.
    for (command, signal) in
        [("play", "INT"), ("play", "TERM"), ("play", "HUP"), ("teletype", "TERM")]
    {
        tmux.type_line(&format!("clear; (echo $BASHPID > number; exec {SOW} {command})"));
        tmux.wait_for(if command == "play" { "to move" } else { "+" });
        let number = tmux.number();
        let sent = Command::new("kill").args([&format!("-{signal}"), &number]).status().unwrap();
        assert!(sent.success(), "{command} {number} is gone");
        tmux.expect_restored();
    }
    // A panic says so on the restored terminal. A run of this file alone does not build examples; one of
    // everything does, and to build it once more by itself would compile most crates again.
    let panics = std::path::Path::new(SOW).with_file_name("examples").join("panics");
    if !panics.exists() {
        let example = ["--package", "sowing-tui", "--example", "panics"];
        let mut cargo = Command::new(env!("CARGO"));
        let built = cargo.args(["build", "--quiet", "--locked"]).args(example).status();
        assert!(built.unwrap().success());
    }
    tmux.type_line(&format!("clear; {}", panics.display()));
    tmux.wait_for("a panic that was asked for");
    tmux.expect_restored();
}

/// A terminal that goes away takes the board with it, also while the solver works.
#[test]
fn no_board_outlives_its_terminal() {
    for command in ["play 'kalah(7,6)'", "teletype"] {
        let Some(tmux) = Tmux::start("gone") else { return };
        tmux.type_line(&format!("echo $$ > number; exec {SOW} {command}"));
        tmux.wait_for(if command == "teletype" { "+" } else { "to move" });
        if command != "teletype" {
            tmux.keys(&["a"]);
            tmux.wait_for("moves known");
        }
        let number = tmux.number();
        let is_there =
            || Command::new("kill").args(["-0", &number]).output().unwrap().status.success();
        assert!(is_there());
        tmux.run(&["kill-server"]);
        let start = Instant::now();
        while is_there() {
            assert!(start.elapsed() < Duration::from_secs(300), "{command} goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Keys are answered while the solver works on values that take hours.
#[test]
fn keys_are_answered_during_a_search() {
    let Some(tmux) = Tmux::start("keys") else { return };
    tmux.type_line(&format!(
        "{SOW} play 'kalah(7,6)' --north perfect --move-time 10h --memory 512M"
    ));
    tmux.wait_for("to move");
    tmux.keys(&["a"]);
    tmux.wait_for("moves known");
    for number in 0..20 {
        let opens = number % 2 == 0;
        tmux.keys(&["?"]);
        tmux.wait_until("help", |screen| screen.contains("Esc closes") == opens);
    }
    tmux.keys(&["q"]);
    tmux.expect_restored();
}

#[test]
fn without_a_terminal() {
    let output = Command::new(SOW).arg("play").stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("sow: a terminal is needed") && said.lines().count() == 1, "{said}");
}

/// Two boards on one file would write over each other's game.
#[test]
fn one_board_a_record() {
    let dir = tempfile::tempdir().unwrap();
    let _other = sowing_files::Lock::acquire(&dir.path().join("game.txt.lock")).unwrap();
    let output = Command::new(SOW)
        .args(["play", "--record", "game.txt"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("game.txt") && said.contains("is at work there"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
