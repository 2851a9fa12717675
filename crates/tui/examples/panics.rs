//! A panic on the full screen, for the test that the terminal is restored.

fn main() {
    let _screen = sowing_tui::Screen::open().unwrap_or_else(|failure| panic!("{failure}"));
    panic!("a panic that was asked for");
}
