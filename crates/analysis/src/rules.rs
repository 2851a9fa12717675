//! The rules of a game in plain sentences.

use sowing_rules::{Capture, Direction, Game};

/// The rules of a game as English sentences, in the order in which a beginner needs them.
///
/// ```
/// use sowing_analysis::rules_in_words;
///
/// let rules = rules_in_words(&"s-kalaha(6,3)".parse()?);
/// assert!(rules[0].starts_with("Each player has a row of 6 houses with 3 seeds in each"));
/// assert!(rules.iter().any(|rule| rule == "Nothing is captured."));
/// # Ok::<(), sowing_rules::ParseGameError>(())
/// ```
pub fn rules_in_words(game: &Game) -> Vec<String> {
    let rules = game.rules();
    let mut sentences = vec![board(game), sowing(rules.direction).to_string()];
    sentences.push("If the last seed falls into your store, you move again.".to_string());
    if rules.relay {
        sentences.push(
            "If the last seed falls into a house that holds seeds, on either side, you pick up \
             that house and sow on from there."
                .to_string(),
        );
    }
    sentences.push(capture(rules.capture).to_string());
    if rules.pie {
        sentences.push(
            "After the first player's first turn the second player may take over that side \
             instead of moving: the players swap, the board stays (the pie rule)."
                .to_string(),
        );
    }
    let left = if rules.remaining_lost {
        "Seeds left in the other row count for neither player."
    } else {
        "Seeds left in the other row belong to the player who owns it."
    };
    sentences.push(format!(
        "The game is over as soon as one row is empty after a move, even in the middle of a turn. \
         {left}"
    ));
    if rules.repeats() {
        sentences.push(
            "A position that comes up for the third time ends the game, too: then only the seeds in \
             the stores count."
                .to_string(),
        );
    }
    sentences.push("The player with more seeds wins; the margin is the difference.".to_string());
    sentences
}

fn board(game: &Game) -> String {
    let (houses, seeds) = (game.houses(), game.seeds());
    let row = match houses {
        1 => "one house".to_string(),
        _ => format!("a row of {houses} houses"),
    };
    let each = match seeds {
        1 => "one seed".to_string(),
        _ => format!("{seeds} seeds"),
    };
    format!("Each player has {row} with {each} in each, and a store at its right end.")
}

fn sowing(direction: Direction) -> &'static str {
    match direction {
        Direction::CounterClockwise => {
            "In a move you take all seeds out of one of your houses and sow them one by one to the \
             right: into your houses, your store, the other row, and round again. The other \
             player's store is left out."
        }
        Direction::Clockwise => {
            "In a move you take all seeds out of one of your houses and sow them one by one to the \
             left: into your houses, the other row, your store, and round again. The other \
             player's store is left out."
        }
    }
}

fn capture(capture: Capture) -> &'static str {
    match capture {
        Capture::Standard => {
            "If the last seed falls into an empty house of yours and there are seeds in the house \
             opposite, you capture: that seed and those opposite go to your store."
        }
        Capture::Empty => {
            "If the last seed falls into an empty house of yours, you capture: that seed and \
             whatever lies in the house opposite, even nothing, go to your store."
        }
        Capture::LastSeed => {
            "If the last seed falls into an empty house of yours, that seed goes to your store; \
             what lies opposite stays."
        }
        Capture::None => "Nothing is captured.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::RuleOption;

    /// Each option changes the sentences.
    #[test]
    fn every_option_is_described() {
        let sentences = |name: &str| rules_in_words(&name.parse().unwrap());
        let mut all = vec![sentences("kalah(6,4)")];
        for option in RuleOption::ALL {
            all.push(sentences(&format!("kalah(6,4,{option})")));
        }
        for (index, one) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other != one), "{one:?}");
            assert!(one.iter().all(|rule| rule.ends_with(['.', ')'])), "{one:?}");
        }
        assert_eq!(sentences("s-kalaha(6,3)"), sentences("kalah(6,3,relay,no-capture)"));
        assert!(
            sentences("kalah(1,1)")[0].starts_with("Each player has one house with one seed in")
        );
    }
}
