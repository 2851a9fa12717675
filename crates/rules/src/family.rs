//! Families of games: the same rules and houses, any number of seeds.

use std::fmt;
use std::str::FromStr;

use crate::{CompactBoard, Game, ParseGameError, RuleOption, Rules};

/// The games that share endgame tables and books: same rules, same houses, any number of seeds.
///
/// The pie rule concerns the first turn alone and is dropped. The text form is the game's name with
/// a point for the seeds: `kalah(6,.)`, `kalah(6,.,empty-capture)`, `s-kalaha(4,.)`.
///
/// ```
/// use sowing_rules::Family;
///
/// let family = Family::for_game(&"kalah(6,4,pie)".parse()?)?;
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
    /// The family of a game. It fails for games that can repeat a position and for more than 8 houses per
    /// row: these have neither tables nor books.
    pub fn for_game(game: &Game) -> Result<Family, FamilyError> {
        if game.rules().repeats() {
            return Err(FamilyError::Repeats(*game));
        }
        if game.houses() > CompactBoard::MAX_HOUSES {
            return Err(FamilyError::Houses(*game));
        }
        let rules = Rules { pie: false, ..game.rules() };
        Ok(Family { rules, houses: game.houses() })
    }

    /// The rules, without the pie rule.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Houses per row.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// The step between possible values of one layer: 2, since all seeds are shared out between the players;
    /// 1 where seeds can be lost.
    pub fn step(&self) -> u8 {
        if self.rules.remaining_lost { 1 } else { 2 }
    }

    /// A game of the family, with one seed per house.
    pub fn game(&self) -> Game {
        Game::new(self.rules, self.houses, 1).expect("1 to 8 houses")
    }

    /// The family's name as a folder name: `kalah-6`, `kalah-6-empty-capture`.
    pub fn slug(&self) -> String {
        let name = self.to_string().replace(",.", "");
        name.trim_end_matches(')').replace(['(', ','], "-")
    }

    /// The family of a folder name.
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
        Family::for_game(&game).ok().filter(|family| family.slug() == slug)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.game().to_string().replacen(",1", ",.", 1))
    }
}

/// Why a game has no family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// Positions can repeat, so that tables cannot be built layer by layer.
    #[error(
        "{0} is sown clockwise, where positions can repeat: tables are for counter-clockwise games, as in kalah(6,4)"
    )]
    Repeats(Game),
    /// Too many houses.
    #[error("tables have at most 8 houses per row, {game} has {houses}", game = .0, houses = .0.houses())]
    Houses(Game),
    /// The name of the family is invalid.
    #[error(transparent)]
    Game(#[from] ParseGameError),
}

impl FromStr for Family {
    type Err = FamilyError;

    fn from_str(text: &str) -> Result<Family, FamilyError> {
        Family::for_game(&text.replacen(",.", ",1", 1).parse::<Game>()?)
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
            let family = Family::for_game(&game.parse().unwrap()).unwrap();
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
        let refused =
            |game: &str| Family::for_game(&game.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("kalah(6,4,clockwise)").contains("clockwise"));
        assert!(refused("kalah(9,1)").contains("8 houses"));
    }
}
