//! A panic on the full screen, for the test that the terminal is restored.

fn main() {
    sowing_cli::fuzzing::panic_on_the_screen();
}
