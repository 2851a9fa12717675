//! A game: rules and the size of the board, with its name.

use std::fmt;
use std::str::FromStr;

use crate::{RuleError, RuleOption, Rules, parse_digits, quoted};

/// The most houses per row.
pub const MAX_HOUSES: u8 = 16;

/// The most seeds per house at the start; the total of a board fits an `i64` by far.
pub const MAX_SEEDS: u64 = 10_000_000_000_000_000;

/// Rules, houses per row, and seeds per house at the start.
///
/// The text form is the game's name: `kalah(6,4)`, `kalah(6,4,empty-capture)`, `s-kalaha(6,3)`.
/// `kalaha` and `mancala` are read as `kalah`, `avalanche` as `s-kalaha`, and `dakon` as `kalah` with
/// `relay`.
///
/// ```
/// use sowing_rules::Game;
///
/// let game: Game = "Mancala(6, 4, relay, no-capture)".parse()?;
/// assert_eq!(game.to_string(), "s-kalaha(6,4)");
/// # Ok::<(), sowing_rules::ParseGameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Game {
    rules: Rules,
    houses: u8,
    seeds: u64,
}

impl Game {
    /// The game with these rules, houses per row and seeds per house; `None` outside 1 to
    /// [`MAX_HOUSES`] houses and 1 to [`MAX_SEEDS`] seeds.
    pub fn new(rules: Rules, houses: u8, seeds: u64) -> Option<Game> {
        let fits = (1..=MAX_HOUSES).contains(&houses) && (1..=MAX_SEEDS).contains(&seeds);
        fits.then_some(Game { rules, houses, seeds })
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Houses per row.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// Seeds per house at the start.
    pub fn seeds(&self) -> u64 {
        self.seeds
    }

    /// The same game without the pie rule: the game after the second player's choice.
    pub fn without_pie(&self) -> Game {
        Game { rules: Rules { pie: false, ..self.rules }, ..*self }
    }

    /// All seeds of the game.
    pub fn total(&self) -> u64 {
        2 * u64::from(self.houses) * self.seeds
    }
}

/// The name without its size, and the rules that the name implies.
fn family(rules: Rules) -> (&'static str, Rules) {
    let s_kalaha = rules.relay && rules.capture == Rules::S_KALAHA.capture;
    if s_kalaha { ("s-kalaha", Rules::S_KALAHA) } else { ("kalah", Rules::KALAH) }
}

/// The names of games, with the rules that each implies.
const NAMES: [(&str, Rules); 6] = [
    ("kalah", Rules::KALAH),
    ("s-kalaha", Rules::S_KALAHA),
    ("dakon", Rules::DAKON),
    ("kalaha", Rules::KALAH),
    ("mancala", Rules::KALAH),
    ("avalanche", Rules::S_KALAHA),
];

fn family_rules(name: &str) -> Option<Rules> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, rules)| *rules)
}

/// The options that the name does not imply.
fn explicit_options(rules: Rules, implied: Rules) -> impl Iterator<Item = RuleOption> {
    rules.options().filter(move |option| !implied.options().any(|known| known == *option))
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, implied) = family(self.rules);
        write!(f, "{name}({},{}", self.houses, self.seeds)?;
        explicit_options(self.rules, implied).try_for_each(|option| write!(f, ",{option}"))?;
        f.write_str(")")
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, implied) = family(*self);
        f.write_str(name)?;
        let options: Vec<_> = explicit_options(*self, implied).map(RuleOption::name).collect();
        if options.is_empty() { Ok(()) } else { write!(f, "({})", options.join(",")) }
    }
}

/// Why a text is not the name of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseGameError {
    /// No game has this name.
    #[error("unknown game {what}: the games are {list}, as in kalah(6,4)",
            list = NAMES.map(|(name, _)| name).join(", "), what = quoted(.0))]
    UnknownName(String),
    /// The size is missing.
    #[error("game {what} lacks its houses and seeds: write it as in kalah(6,4)", what = quoted(.0))]
    NoSize(String),
    /// The parentheses do not match, or text follows them.
    #[error("game {what} is not of the form NAME(HOUSES,SEEDS), as in kalah(6,4)", what = quoted(.0))]
    Shape(String),
    /// The number of houses is out of range or not a number.
    #[error("houses must be a number from 1 to {MAX_HOUSES}, as in kalah(6,4), not {what}", what = quoted(.0))]
    Houses(String),
    /// The number of seeds is out of range or not a number.
    #[error("seeds must be a number from 1 to {MAX_SEEDS}, as in kalah(6,4), not {what}", what = quoted(.0))]
    Seeds(String),
    /// No option has this name.
    #[error("unknown option {what}: the options are {list}, as in kalah(6,4,empty-capture)",
            list = RuleOption::ALL.map(RuleOption::name).join(", "), what = quoted(.0))]
    UnknownOption(String),
    /// The options exclude each other or repeat.
    #[error(transparent)]
    Options(#[from] RuleError),
}

/// Splits `name(a,b,...)` into the lower-case name and its arguments, `None` without parentheses.
fn split(text: &str) -> Result<(String, Option<Vec<String>>), ParseGameError> {
    let shape = || ParseGameError::Shape(text.trim().to_string());
    let lower = text.trim().to_lowercase();
    let Some((name, rest)) = lower.split_once('(') else {
        if lower.contains(')') {
            return Err(shape());
        }
        return Ok((lower, None));
    };
    let arguments = rest.strip_suffix(')').ok_or_else(shape)?;
    if arguments.contains(['(', ')']) {
        return Err(shape());
    }
    let arguments = arguments.split(',').map(|word| word.trim().to_string()).collect();
    Ok((name.trim().to_string(), Some(arguments)))
}

fn add_options<'a>(
    mut rules: Rules,
    words: impl Iterator<Item = &'a String>,
) -> Result<Rules, ParseGameError> {
    for word in words {
        rules.add(word.parse()?)?;
    }
    Ok(rules)
}

impl FromStr for Game {
    type Err = ParseGameError;

    fn from_str(text: &str) -> Result<Game, ParseGameError> {
        let (name, arguments) = split(text)?;
        let rules = family_rules(&name).ok_or(ParseGameError::UnknownName(name))?;
        let arguments = arguments.ok_or_else(|| ParseGameError::NoSize(text.trim().to_string()))?;
        let [houses_text, seeds_text, options @ ..] = arguments.as_slice() else {
            return Err(ParseGameError::NoSize(text.trim().to_string()));
        };
        let houses: u8 = parse_digits(houses_text)
            .filter(|houses| (1..=u64::from(MAX_HOUSES)).contains(houses))
            .ok_or_else(|| ParseGameError::Houses(houses_text.clone()))?
            as u8;
        let seeds = parse_digits(seeds_text)
            .filter(|seeds| (1..=MAX_SEEDS).contains(seeds))
            .ok_or_else(|| ParseGameError::Seeds(seeds_text.clone()))?;
        let rules = add_options(rules, options.iter())?;
        Ok(Game { rules, houses, seeds })
    }
}

/// The rules alone, as in `kalah`, `s-kalaha` or `kalah(empty-capture)`: a family of games.
impl FromStr for Rules {
    type Err = ParseGameError;

    fn from_str(text: &str) -> Result<Rules, ParseGameError> {
        let (name, arguments) = split(text)?;
        let rules = family_rules(&name).ok_or(ParseGameError::UnknownName(name))?;
        add_options(rules, arguments.iter().flatten())
    }
}
