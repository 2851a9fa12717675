//! The rules of a game as data.

use std::fmt;

/// What is taken when the last seed of a sowing falls into an empty house of the mover's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Capture {
    /// The last seed and the opposite house, if the opposite house holds seeds.
    #[default]
    Standard,
    /// The last seed and the opposite house, even if the opposite house is empty.
    Empty,
    /// The last seed only, whatever lies opposite.
    LastSeed,
    /// Nothing.
    None,
}

/// Which way round the seeds are sown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Own row left to right, own store, the other row.
    #[default]
    CounterClockwise,
    /// Own row right to left, the other row, own store.
    Clockwise,
}

/// Everything that distinguishes one game from another but the size of the board.
///
/// ```
/// use sowing::{Capture, Rules};
///
/// assert_eq!(Rules::S_KALAHA, Rules { relay: true, capture: Capture::None, ..Rules::KALAH });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Rules {
    /// What a last seed in an own empty house takes.
    pub capture: Capture,
    /// Whether a last seed in a non-empty house picks that house up and goes on.
    pub relay: bool,
    /// Which way round the seeds are sown.
    pub direction: Direction,
    /// Whether seeds left in a row at the end count for nobody.
    pub remaining_lost: bool,
    /// Whether the second player may swap sides after the first player's first turn.
    pub pie: bool,
}

impl Rules {
    /// The standard game.
    pub const KALAH: Rules = Rules {
        capture: Capture::Standard,
        relay: false,
        direction: Direction::CounterClockwise,
        remaining_lost: false,
        pie: false,
    };

    /// The Swedish relay game.
    pub const S_KALAHA: Rules = Rules { capture: Capture::None, relay: true, ..Rules::KALAH };

    /// The Javanese game: relay, and capture as in Kalah.
    pub const DAKON: Rules = Rules { relay: true, ..Rules::KALAH };

    /// Whether a position can come back: only where seeds are sown clockwise, since there a seed
    /// can circle the houses without ever being sown into a store.
    pub fn repeats(&self) -> bool {
        self.direction == Direction::Clockwise
    }

    /// Adds an option. Refuses one that is there already or that excludes one that is.
    pub fn add(&mut self, option: RuleOption) -> Result<(), RuleError> {
        if let Some(capture) = option.capture() {
            return match RuleOption::of_capture(self.capture) {
                None => {
                    self.capture = capture;
                    Ok(())
                }
                Some(present) if present == option => Err(RuleError::Repeated(option)),
                Some(present) => Err(RuleError::Conflict(present, option)),
            };
        }
        let flag = match option {
            RuleOption::Relay => &mut self.relay,
            RuleOption::RemainingLost => &mut self.remaining_lost,
            RuleOption::Pie => &mut self.pie,
            RuleOption::Clockwise => {
                let repeated = self.direction == Direction::Clockwise;
                self.direction = Direction::Clockwise;
                return if repeated { Err(RuleError::Repeated(option)) } else { Ok(()) };
            }
            RuleOption::EmptyCapture | RuleOption::LastSeedCapture | RuleOption::NoCapture => {
                unreachable!("captures are handled above")
            }
        };
        if std::mem::replace(flag, true) { Err(RuleError::Repeated(option)) } else { Ok(()) }
    }

    /// The options that make these rules out of the standard game's, in their usual order.
    pub fn options(&self) -> impl Iterator<Item = RuleOption> + use<> {
        let rules = *self;
        RuleOption::ALL.into_iter().filter(move |option| match option {
            RuleOption::Relay => rules.relay,
            RuleOption::Clockwise => rules.direction == Direction::Clockwise,
            RuleOption::RemainingLost => rules.remaining_lost,
            RuleOption::Pie => rules.pie,
            capture => capture.capture() == Some(rules.capture),
        })
    }
}

/// A word in a game's name that changes one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleOption {
    /// `relay`
    Relay,
    /// `empty-capture`
    EmptyCapture,
    /// `last-seed-capture`
    LastSeedCapture,
    /// `no-capture`
    NoCapture,
    /// `clockwise`
    Clockwise,
    /// `remaining-lost`
    RemainingLost,
    /// `pie`
    Pie,
}

impl RuleOption {
    /// Every option, in the order in which a game's name lists them.
    pub const ALL: [RuleOption; 7] = [
        RuleOption::Relay,
        RuleOption::EmptyCapture,
        RuleOption::LastSeedCapture,
        RuleOption::NoCapture,
        RuleOption::Clockwise,
        RuleOption::RemainingLost,
        RuleOption::Pie,
    ];

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            RuleOption::Relay => "relay",
            RuleOption::EmptyCapture => "empty-capture",
            RuleOption::LastSeedCapture => "last-seed-capture",
            RuleOption::NoCapture => "no-capture",
            RuleOption::Clockwise => "clockwise",
            RuleOption::RemainingLost => "remaining-lost",
            RuleOption::Pie => "pie",
        }
    }

    /// The option that the word names.
    pub fn from_name(name: &str) -> Option<RuleOption> {
        RuleOption::ALL.into_iter().find(|option| option.name() == name)
    }

    fn capture(self) -> Option<Capture> {
        match self {
            RuleOption::EmptyCapture => Some(Capture::Empty),
            RuleOption::LastSeedCapture => Some(Capture::LastSeed),
            RuleOption::NoCapture => Some(Capture::None),
            _ => None,
        }
    }

    fn of_capture(capture: Capture) -> Option<RuleOption> {
        RuleOption::ALL.into_iter().find(|option| option.capture() == Some(capture))
    }
}

impl fmt::Display for RuleOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why an option cannot be added to a set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The option is there already.
    #[error(
        "option {0} stands twice or is in the name already: once will do, as in kalah(6,4,{0})"
    )]
    Repeated(RuleOption),
    /// Only one kind of capture can hold.
    #[error("options {0} and {1} exclude each other: keep one, as in kalah(6,4,{1})")]
    Conflict(RuleOption, RuleOption),
}
