//! The results of pairs, and the players in order of strength.

use serde::Serialize;

use super::{PlayedGame, Tournament};
use crate::elo::{Rating, Results, ratings};
use crate::interval::Interval;

/// The results of a pair, as the first of the two sees them.
#[derive(Clone, Debug, Serialize)]
pub struct PairResults {
    /// The game.
    pub game: String,
    /// The name of the player.
    pub player: String,
    /// The name of the other.
    pub against: String,
    /// The number of games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Those of the games that ended at the third repetition of a position.
    pub endless: u64,
    /// Games that an engine forfeited: by the player, by the other.
    pub forfeits: [u64; 2],
    /// Wins and half the draws, as a share of the games.
    pub score: f64,
    /// The lower end of its 95 % interval.
    pub score_low: f64,
    /// The upper end.
    pub score_high: f64,
    /// The mean margin of the games that were played out; `null` if none was.
    pub margin: Option<f64>,
    /// The seed of the tournament.
    pub seed: u64,
    /// The openings.
    pub opening: String,
}

/// A player's place in a tournament.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The rank, from 1.
    pub rank: usize,
    /// The name of the player.
    pub player: String,
    /// The Elo rating against the mean of all players.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub elo_error: f64,
    /// The number of games.
    pub games: u64,
    /// Wins and half the draws.
    pub points: f64,
    /// Games forfeited.
    pub forfeits: u64,
}

impl Tournament {
    /// The results of each pair, of the games in their order.
    pub fn pair_results(&self, played: &[PlayedGame]) -> Vec<PairResults> {
        let pairs = played.chunks(self.games as usize).zip(&self.pairs);
        pairs.map(|(games, (first, second))| self.tally([*first, *second], games)).collect()
    }

    fn tally(&self, [first, second]: [usize; 2], played: &[PlayedGame]) -> PairResults {
        let count = |wanted: i64| {
            played.iter().filter(|played| played.margin.signum() == wanted).count() as u64
        };
        let [wins, draws, losses] = [1, 0, -1].map(count);
        let games = played.len() as f64;
        let share = (wins as f64 + draws as f64 / 2.0) / games;
        let score = Interval::share(share, played.len() as u64);
        let out: Vec<f64> = played
            .iter()
            .filter(|played| played.forfeit.is_none())
            .map(|played| played.margin as f64)
            .collect();
        let forfeits = [true, false].map(|by_first| {
            let by = |played: &&PlayedGame| {
                played.forfeit.as_ref().is_some_and(|(first, _)| *first == by_first)
            };
            played.iter().filter(by).count() as u64
        });
        let names = &self.names;
        PairResults {
            game: self.game.to_string(),
            player: names[first].clone(),
            against: names[second].clone(),
            games: played.len() as u64,
            wins,
            draws,
            losses,
            endless: played.iter().filter(|played| played.endless).count() as u64,
            forfeits,
            score: score.mean,
            score_low: score.low,
            score_high: score.high,
            margin: (!out.is_empty()).then(|| out.iter().sum::<f64>() / out.len() as f64),
            seed: self.seed,
            opening: self.openings.to_string(),
        }
    }

    /// The players by their ratings, the strongest first.
    pub fn standings(&self, pairs: &[PairResults]) -> Vec<Standing> {
        let names = &self.names;
        let of = |a: usize, b: usize| {
            let pair =
                pairs.iter().find(|tally| tally.player == names[a] && tally.against == names[b]);
            pair.map_or(Results::default(), |tally| Results {
                games: tally.games,
                points: tally.score * tally.games as f64,
            })
        };
        let found = ratings(names.len(), of);
        let mut standings: Vec<Standing> = names
            .iter()
            .zip(found)
            .map(|(name, Rating { elo, error })| {
                let (mut games, mut points, mut forfeits) = (0, 0.0, 0);
                for tally in pairs {
                    let own = tally.score * tally.games as f64;
                    let (part, by) = match name {
                        name if *name == tally.player => (own, tally.forfeits[0]),
                        name if *name == tally.against => {
                            (tally.games as f64 - own, tally.forfeits[1])
                        }
                        _ => continue,
                    };
                    (games, points, forfeits) = (games + tally.games, points + part, forfeits + by);
                }
                let player = name.clone();
                Standing { rank: 0, player, elo, elo_error: error, games, points, forfeits }
            })
            .collect();
        standings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        (1..).zip(&mut standings).for_each(|(rank, standing)| standing.rank = rank);
        standings
    }
}
