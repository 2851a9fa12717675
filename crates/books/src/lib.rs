//! Built-in books: proven values of the openings of Kalah and S-Kalaha with six houses.
//!
//! Each file of `data/` is a [`Book`] of one family, made by `sow book build` and named after it.
//!
//! ```
//! use sowing_rules::{Bounds, Position};
//!
//! let start = Position::start("kalah(6,6)".parse()?);
//! let book = sowing_books::book_for(start.game()).expect("Kalah with six houses has one");
//! assert_eq!(book.probe(&start), Some(Bounds::exact(4)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are no features. A later version may have larger books; proven values never change.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use sowing_rules::{Family, Game};
use sowing_solver::Book;

/// A built-in file, parsed at first use.
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

/// The built-in book of a game's family, if there is one.
pub fn book_for(game: &Game) -> Option<Arc<Book>> {
    let slug = Family::for_game(game).ok()?.slug();
    let shipped = SHIPPED.iter().find(|shipped| shipped.slug == slug)?;
    // A test parses each of them.
    let read = || Arc::new(Book::parse(shipped.bytes).expect("it is built in as it was written"));
    Some(Arc::clone(shipped.book.get_or_init(read)))
}

/// The files: the folder name of each book's family, and its bytes.
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
    fn each_book_is_of_its_family_and_consistent() {
        let mut bytes = 0;
        for (family, shipped) in families().zip(&SHIPPED) {
            let book = book_for(&family.game()).expect("there is one");
            assert_eq!(book.family(), family);
            assert!(!book.is_empty());
            assert_eq!(book.check().wrong, [""; 0], "{family}");
            bytes += shipped.bytes.len();
        }
        assert!(bytes <= 2 << 20, "{bytes} bytes are more than a program should carry");
        assert!(book_for(&"kalah(5,4)".parse().unwrap()).is_none());
        assert!(book_for(&"kalah(6,4,clockwise)".parse().unwrap()).is_none());
    }
}
