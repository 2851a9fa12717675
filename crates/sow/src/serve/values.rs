//! Values that somebody has asked for before.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use lru::LruCache;
use sowing::Position;

/// The most values that are kept: with their positions about 40 MB.
const MOST: NonZeroUsize = NonZeroUsize::new(1 << 17).unwrap();

/// Exact values of positions, those asked for last.
#[derive(Debug)]
pub(crate) struct Values(Mutex<LruCache<Position, i64>>);

impl Values {
    pub(crate) fn new() -> Values {
        Values(Mutex::new(LruCache::new(MOST)))
    }

    /// The value of a position, if it is kept.
    pub(crate) fn get(&self, position: &Position) -> Option<i64> {
        self.0.lock().expect("nobody panics with the lock").get(position).copied()
    }

    /// Keeps the value of a position.
    pub(crate) fn put(&self, position: Position, value: i64) {
        self.0.lock().expect("nobody panics with the lock").put(position, value);
    }
}
