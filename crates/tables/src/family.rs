//! What a table belongs to: the rules and the houses, whatever the seeds.

use std::fmt;
use std::str::FromStr;

use sowing::{Game, RuleOption, Rules};

use crate::Error;

/// The games that share one set of tables: same rules, same houses, any number of seeds.
///
/// The pie rule only concerns the first turn and is dropped. The text form is the game's name with
/// a point for the seeds: `kalah(6,.)`, `kalah(6,.,empty-capture)`, `s-kalaha(4,.)`.
///
/// ```
/// use sowing_tables::Family;
///
/// let family = Family::of(&"kalah(6,4,pie)".parse()?)?;
/// assert_eq!(family.to_string(), "kalah(6,.)");
/// assert_eq!(family, "kalah(6,.)".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    rules: Rules,
    houses: u8,
}

impl Family {
    /// The family of a game. Games that can repeat a position and rows of more than 8 houses have
    /// no tables.
    pub fn of(game: &Game) -> Result<Family, Error> {
        if game.rules().repeats() {
            return Err(Error::Repeats(*game));
        }
        if game.houses() > 8 {
            return Err(Error::Houses(*game));
        }
        let rules = Rules { pie: false, ..game.rules() };
        Ok(Family { rules, houses: game.houses() })
    }

    /// The rules, without the pie rule.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Houses a row.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// Values of positions with as many seeds in houses differ by multiples of this: all seeds are shared
    /// out between the players, unless some can be lost.
    pub(crate) fn step(&self) -> u8 {
        if self.rules.remaining_lost { 1 } else { 2 }
    }

    /// A game of the family, with one seed a house.
    pub fn game(&self) -> Game {
        Game::new(self.rules, self.houses, 1).expect("1 to 8 houses")
    }

    /// The family's name as one word, for folders: `kalah-6`, `kalah-6-empty-capture`.
    pub fn slug(&self) -> String {
        let name = self.to_string().replace(",.", "");
        name.trim_end_matches(')').replace(['(', ','], "-")
    }

    /// The family that a folder is named after.
    pub fn from_slug(slug: &str) -> Option<Family> {
        let digit = slug.find(|c: char| c.is_ascii_digit())?;
        let name = slug[..digit].strip_suffix('-')?;
        let mut game: Game = format!("{name}({},1)", &slug[digit..digit + 1]).parse().ok()?;
        let mut rest = &slug[digit + 1..];
        // Options have hyphens of their own, but none starts with another.
        while !rest.is_empty() {
            rest = rest.strip_prefix('-')?;
            let option = RuleOption::ALL.into_iter().find(|option| {
                rest.strip_prefix(option.name()).is_some_and(|r| r.is_empty() || r.starts_with('-'))
            })?;
            rest = &rest[option.name().len()..];
            let mut rules = game.rules();
            rules.add(option).ok()?;
            game = Game::new(rules, game.houses(), 1)?;
        }
        Family::of(&game).ok().filter(|family| family.slug() == slug)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.game().to_string().replacen(",1", ",.", 1))
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(text: &str) -> Result<Family, Error> {
        Family::of(&text.replacen(",.", ",1", 1).parse::<Game>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_slugs() {
        for (game, name, slug) in [
            ("kalah(1,1)", "kalah(1,.)", "kalah-1"),
            ("kalah(6,4,pie)", "kalah(6,.)", "kalah-6"),
            ("kalah(6,11,empty-capture)", "kalah(6,.,empty-capture)", "kalah-6-empty-capture"),
            (
                "avalanche(8,1,remaining-lost)",
                "s-kalaha(8,.,remaining-lost)",
                "s-kalaha-8-remaining-lost",
            ),
        ] {
            let family = Family::of(&game.parse().unwrap()).unwrap();
            assert_eq!(family.to_string(), name);
            assert_eq!(family.slug(), slug);
            assert_eq!(name.parse::<Family>().unwrap(), family);
            assert_eq!(Family::from_slug(slug), Some(family));
        }
    }

    #[test]
    fn other_folders() {
        for slug in ["", "kalah", "kalah-", "kalah-9", "kalah-66", "kalah-6-", "kalah-6-pie", "x-6"]
        {
            assert_eq!(Family::from_slug(slug), None, "{slug}");
        }
    }

    #[test]
    fn refusals() {
        let refused = |game: &str| Family::of(&game.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("kalah(6,4,clockwise)").contains("clockwise"));
        assert!(refused("kalah(9,1)").contains("8 houses"));
    }
}
