//! Proven openings of sowing games.
//!
//! Each file of `data/` is a [`Book`] of one family, made by `sow book build` and named after it.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use sowing::Game;
use sowing_solver::Book;
use sowing_tables::Family;

/// A file that is built in, read when it is first asked for.
struct Shipped {
    slug: &'static str,
    bytes: &'static [u8],
    book: OnceLock<Arc<Book>>,
}

macro_rules! shipped {
    ($($slug:literal),*) => {
        [$(Shipped {
            slug: $slug,
            bytes: include_bytes!(concat!("../data/", $slug, ".book")),
            book: OnceLock::new(),
        }),*]
    };
}

static SHIPPED: [Shipped; 3] = shipped!["kalah-6", "kalah-6-empty-capture", "s-kalaha-6"];

/// The book of a game's family, if there is one.
pub fn of(game: &Game) -> Option<Arc<Book>> {
    let slug = Family::of(game).ok()?.slug();
    let shipped = SHIPPED.iter().find(|shipped| shipped.slug == slug)?;
    // A test reads each of them.
    let read = || Arc::new(Book::parse(shipped.bytes).expect("it is built in as it was written"));
    Some(Arc::clone(shipped.book.get_or_init(read)))
}

/// The files: the name of each book's family, and its bytes.
pub fn files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    SHIPPED.iter().map(|shipped| (shipped.slug, shipped.bytes))
}

/// The families that have a book.
pub fn families() -> impl Iterator<Item = Family> {
    SHIPPED.iter().map(|shipped| Family::from_slug(shipped.slug).expect("a family's name"))
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_book_is_of_its_family_and_bears_itself_out() {
        let mut bytes = 0;
        for (family, shipped) in families().zip(&SHIPPED) {
            let book = of(&family.game()).expect("there is one");
            assert_eq!(book.family(), family);
            assert!(!book.is_empty());
            assert_eq!(book.check().wrong, [""; 0], "{family}");
            bytes += shipped.bytes.len();
        }
        assert!(bytes <= 2 << 20, "{bytes} bytes are more than a program should carry");
        assert!(of(&"kalah(5,4)".parse().unwrap()).is_none());
        assert!(of(&"kalah(6,4,clockwise)".parse().unwrap()).is_none());
    }
}
