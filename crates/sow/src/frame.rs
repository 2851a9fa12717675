//! The characters that boards are drawn with.

use sowing_draw::board::{ASCII, Frame, UNICODE};

/// The frame of a board: plain characters where asked for or where the locale knows no others.
pub(crate) fn frame(ascii: bool) -> &'static Frame {
    if ascii || !locale_is_utf8() { &ASCII } else { &UNICODE }
}

pub(crate) fn locale_is_utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    match set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")) {
        Some(locale) => {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => true,
    }
}
