//! All integration tests of the crate: one program, linked once.

use sowing_command::{failure::Failure, input, read_position};
use sowing_rules::Game;

/// A bad line is answered in its place, the lines after it are read, and the exit code tells.
#[test]
fn lines_are_answered_one_by_one() {
    let game: Game = "kalah(3,1)".parse().unwrap();
    let mut lines = &b"1,1,1,0|1,1,1,0\nnonsense\n0,0,2,1|1,1,1,0\n"[..];
    let mut out = Vec::new();
    let answered = input::answer_lines(&mut lines, &mut out, |text| {
        Ok(read_position(game, text, false)?.to_string())
    });
    let failure = answered.unwrap_err();
    assert!(matches!(failure, Failure::Negative(_)));
    assert_eq!(failure.exit_code(), 1);
    let text = String::from_utf8(out).unwrap();
    let [first, second, third] = text.lines().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!([first, third], ["\"1,1,1,0|1,1,1,0\"", "\"0,0,2,1|1,1,1,0\""]);
    assert!(second.starts_with("{\"error\":"), "{second}");
}
