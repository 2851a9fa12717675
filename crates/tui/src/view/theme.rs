//! Characters and colours of the board.

use ratatui::style::{Color, Style};
use ratatui::symbols::border;

/// Characters and colours of the board.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// Draws with ASCII characters alone.
    pub ascii: bool,
    /// Draws with colours.
    pub color: bool,
}

const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

const ASCII_CHOSEN: border::Set<'_> = border::Set {
    top_left: "#",
    top_right: "#",
    bottom_left: "#",
    bottom_right: "#",
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "#",
    horizontal_bottom: "#",
};

impl Theme {
    pub(super) fn border(self, chosen: bool) -> border::Set<'static> {
        match (self.ascii, chosen) {
            (true, false) => ASCII_BORDER,
            (true, true) => ASCII_CHOSEN,
            (false, false) => border::ROUNDED,
            (false, true) => border::DOUBLE,
        }
    }

    /// What stands for something left out.
    pub(super) fn ellipsis(self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    /// A curve a character a point, from deep to high, with the even point in the middle.
    pub(super) fn bars(self) -> [char; 7] {
        if self.ascii {
            ['_', '_', ',', '-', '\'', '"', '"']
        } else {
            ['▁', '▂', '▃', '▄', '▅', '▆', '█']
        }
    }

    pub(super) fn seed(self) -> &'static str {
        if self.ascii { "o" } else { "●" }
    }

    pub(super) fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }
}
