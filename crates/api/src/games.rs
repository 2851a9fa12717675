//! The games, and their rules in sentences.

use serde::{Deserialize, Serialize};
use sowing_analysis::rules_in_words;
use sowing_rules::{Game, MAX_HOUSES, RuleOption, Rules};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{MAX_SEEDS, read, read_game};
use crate::reply::OPPONENTS;
use crate::route::Response;

/// The games, their options and sizes.
#[derive(Debug, Serialize, ToSchema)]
struct Games {
    games: Vec<Named>,
    options: Vec<OptionText>,
    limits: Limits,
    opponents: Vec<Named>,
}

/// A name and its meaning.
#[derive(Debug, Serialize, ToSchema)]
struct Named {
    /// How it is written.
    name: &'static str,
    title: &'static str,
    about: &'static str,
}

/// A word in a game's name.
#[derive(Debug, Serialize, ToSchema)]
struct OptionText {
    /// How it is written.
    name: &'static str,
    /// The name for players.
    title: &'static str,
    about: &'static str,
    /// The options that cannot stand beside it, and the games that have it or its contrary already.
    excludes: Vec<&'static str>,
}

/// The sizes that games may have, both ends included.
#[derive(Debug, Serialize, ToSchema)]
struct Limits {
    #[schema(min_items = 2, max_items = 2)]
    houses: [u64; 2],
    #[schema(min_items = 2, max_items = 2)]
    seeds: [u64; 2],
}

const GAMES: [Named; 2] = [
    Named {
        name: "kalah",
        title: "Kalah",
        about: "A last seed in your store moves again; a last seed in an empty house of yours captures what lies opposite.",
    },
    Named {
        name: "s-kalaha",
        title: "S-Kalaha",
        about: "A last seed in a house with seeds picks them up and sows on; nothing is captured.",
    },
];

/// The query of `rules`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RulesQuery {
    /// The game.
    #[param(example = "kalah(6,4)")]
    game: String,
}

/// A game's rules.
#[derive(Debug, Serialize, ToSchema)]
struct RulesText {
    #[schema(value_type = String, example = "kalah(6,4)")]
    game: Game,
    /// Plain sentences, in the order in which one needs them.
    rules: Vec<String>,
}

impl RulesQuery {
    /// The rules.
    fn rules(&self) -> Result<RulesText, ApiError> {
        let game = read_game(&self.game)?;
        Ok(RulesText { game, rules: rules_in_words(&game) })
    }
}

/// The games, options and opponents there are
#[utoipa::path(
    get,
    path = "/api/v1/games",
    responses((status = 200, description = "the games, options, sizes and opponents", body = Games))
)]
pub(crate) fn games(_query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&Games::all()))
}

/// The rules of a game in plain sentences
#[utoipa::path(
    get,
    path = "/api/v1/rules",
    params(RulesQuery),
    responses(
        (status = 200, description = "the rules", body = RulesText),
        (status = 400, description = "a bad game", body = ErrorBody),
    )
)]
pub(crate) fn rules(query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&read::<RulesQuery>(query)?.rules()?))
}

impl Games {
    /// All games.
    fn all() -> Games {
        Games {
            games: GAMES.into(),
            options: RuleOption::ALL.into_iter().map(option_text).collect(),
            limits: Limits { houses: [1, MAX_HOUSES.into()], seeds: [1, MAX_SEEDS] },
            opponents: OPPONENTS.map(|(name, title, about)| Named { name, title, about }).into(),
        }
    }
}

fn option_text(option: RuleOption) -> OptionText {
    // The options that the rules themselves refuse.
    let excludes = RuleOption::ALL.into_iter().filter(|other| {
        let mut rules = Rules::KALAH;
        *other != option && rules.add(option).is_ok() && rules.add(*other).is_err()
    });
    let mut s_kalaha = Rules::S_KALAHA;
    let in_name = s_kalaha.add(option).is_err().then_some("s-kalaha");
    OptionText {
        name: option.name(),
        title: title(option),
        about: about(option),
        excludes: excludes.map(RuleOption::name).chain(in_name).collect(),
    }
}

fn title(option: RuleOption) -> &'static str {
    match option {
        RuleOption::Relay => "Sow on",
        RuleOption::EmptyCapture => "Capture without prey",
        RuleOption::LastSeedCapture => "Only the last seed",
        RuleOption::NoCapture => "No captures",
        RuleOption::Clockwise => "Clockwise",
        RuleOption::RemainingLost => "What is left is lost",
        RuleOption::Pie => "Swap after the first turn",
    }
}

fn about(option: RuleOption) -> &'static str {
    match option {
        RuleOption::Relay => {
            "A last seed in a house with seeds, on either side, picks up that house and sows on."
        }
        RuleOption::EmptyCapture => {
            "The last seed is captured even if the opposite house is empty."
        }
        RuleOption::LastSeedCapture => {
            "Only the last seed is captured; the opposite house is left alone."
        }
        RuleOption::NoCapture => "Nothing is captured.",
        RuleOption::Clockwise => "Seeds are sown the other way round.",
        RuleOption::RemainingLost => "Seeds left in a row at the end count for nobody.",
        RuleOption::Pie => {
            "After the first player's first turn the second player may swap sides instead of moving."
        }
    }
}
