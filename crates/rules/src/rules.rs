//! The rules of a game as data.

use std::fmt;
use std::str::FromStr;

use crate::ParseGameError;

/// The capture when the last seed of a sowing falls into an empty house of the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Capture {
    /// The last seed and the opposite house, if the opposite house holds seeds.
    #[default]
    Standard,
    /// The last seed and the opposite house, even if the opposite house is empty.
    Empty,
    /// The last seed alone.
    LastSeed,
    /// Nothing.
    None,
}

/// The direction of sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Own row left to right, own store, the other row.
    #[default]
    CounterClockwise,
    /// Own row right to left, the other row, own store.
    Clockwise,
}

/// The rules of a game, apart from the size of the board.
///
/// ```
/// use sowing_rules::{Capture, Rules};
///
/// assert_eq!(Rules::S_KALAHA, Rules { relay: true, capture: Capture::None, ..Rules::KALAH });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Rules {
    /// The capture of a last seed in an own empty house.
    pub capture: Capture,
    /// Whether a last seed in a non-empty house continues the move with that house.
    pub relay: bool,
    /// The direction of sowing.
    pub direction: Direction,
    /// Whether seeds left in a row at the end do not count.
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

    /// Whether positions can repeat. They can in clockwise games alone, where seeds can circle the houses without
    /// entering a store.
    pub fn repeats(&self) -> bool {
        self.direction == Direction::Clockwise
    }

    /// Adds an option. It fails if the rules have the option already, or one that excludes it.
    pub fn add(&mut self, option: RuleOption) -> Result<(), RuleError> {
        if let Some(capture) = option.capture() {
            return match RuleOption::for_capture(self.capture) {
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

    /// A number that differs for rules that play differently. The pie rule, which ends with the first turns, is left
    /// out.
    pub(crate) fn play_code(&self) -> u8 {
        let options = self.options().filter(|option| *option != RuleOption::Pie);
        options.fold(0, |code, option| code | 1 << option as u8)
    }

    /// The options that differ from the standard game, in the order of [`RuleOption::ALL`].
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

/// An option in a game's name, which changes one rule.
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

    /// The option's name.
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

    fn capture(self) -> Option<Capture> {
        match self {
            RuleOption::EmptyCapture => Some(Capture::Empty),
            RuleOption::LastSeedCapture => Some(Capture::LastSeed),
            RuleOption::NoCapture => Some(Capture::None),
            _ => None,
        }
    }

    fn for_capture(capture: Capture) -> Option<RuleOption> {
        RuleOption::ALL.into_iter().find(|option| option.capture() == Some(capture))
    }
}

impl fmt::Display for RuleOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RuleOption {
    type Err = ParseGameError;

    fn from_str(text: &str) -> Result<RuleOption, ParseGameError> {
        let name = text.trim();
        let option = RuleOption::ALL.into_iter().find(|option| option.name() == name);
        option.ok_or_else(|| ParseGameError::UnknownOption(name.to_string()))
    }
}

/// Why an option cannot be added to a set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The rules have the option already.
    #[error("option {0} is repeated or implied by the name: write it once, as in kalah(6,4,{0})")]
    Repeated(RuleOption),
    /// The options are two kinds of capture.
    #[error("options {0} and {1} exclude each other: keep one, as in kalah(6,4,{1})")]
    Conflict(RuleOption, RuleOption),
}
