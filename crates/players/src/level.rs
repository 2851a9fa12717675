//! The strengths of the levels.

/// The strength of a level.
pub(crate) struct Strength {
    /// The percentage of random moves.
    pub(crate) random: u32,
    /// The depth of the look-ahead in turns.
    pub(crate) depth: u32,
}

/// Each level beats the one before it; `results/levels.md` has the scores.
pub(crate) const LEVELS: [Strength; 9] = [
    Strength { random: 80, depth: 1 },
    Strength { random: 55, depth: 1 },
    Strength { random: 30, depth: 1 },
    Strength { random: 12, depth: 1 },
    Strength { random: 6, depth: 2 },
    Strength { random: 0, depth: 3 },
    Strength { random: 0, depth: 5 },
    Strength { random: 0, depth: 7 },
    Strength { random: 0, depth: 10 },
];

/// The strength of a level; numbers out of range count as the nearest level.
pub(crate) fn strength(level: u8) -> &'static Strength {
    &LEVELS[usize::from(level).clamp(1, LEVELS.len()) - 1]
}
