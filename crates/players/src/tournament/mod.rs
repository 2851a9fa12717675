//! Tournaments: pairings, openings, games, results.

mod openings;
mod parallel_games;
mod played_game;
mod records;
mod standings;

use std::sync::Arc;
use std::time::Duration;

use sowing_rules::{Ending, Game, Playthrough, Record, Side, sanitize};
use sowing_solver::Book;

pub use openings::TournamentOpenings;
pub use parallel_games::ParallelGames;
pub use played_game::{PLAYED_GAMES_HEADER, PlayedGame};
pub use records::{RecordFolder, RecordFolderError};
pub use standings::{PairResults, Standing};

use crate::contender::Contender;
use crate::contest::{Forfeit, pairings, play_out};
use crate::error::ChooseError;
use crate::player::{Player, PlayerOptions};
use crate::sprt::{Sprt, SprtResult};

/// A tournament of players: a round robin, or a gauntlet of the first against all others.
///
/// Games have numbers. Each can be played at any time, on any thread, and depends on its number and the seed alone, as
/// far as its players do.
///
/// ```
/// use std::time::Duration;
/// use sowing_players::{Tournament, TournamentOpenings, TournamentOptions};
///
/// let players = ["pdp:3", "random"].map(|player| player.parse().expect("a player")).to_vec();
/// let options = TournamentOptions {
///     games: 20,
///     gauntlet: false,
///     openings: TournamentOpenings::Random(4),
///     seed: 1,
///     time: Duration::from_secs(5),
///     memory: 64 << 20,
///     book: None,
/// };
/// let tournament = Tournament::new("kalah(4,3)".parse()?, players, options);
/// let games: Result<Vec<_>, _> =
///     (0..tournament.total_games()).map(|game| tournament.play(game).map(|(played, _)| played)).collect();
/// let standings = tournament.standings(&tournament.pair_results(&games?));
/// assert_eq!(standings[0].player, "pdp:3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tournament {
    game: Game,
    players: Vec<Contender>,
    names: Vec<String>,
    pairs: Vec<(usize, usize)>,
    games: u64,
    gauntlet: bool,
    openings: TournamentOpenings,
    seed: u64,
    time: Duration,
    memory: u64,
    book: Option<Arc<Book>>,
}

/// The options of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentOptions {
    /// The games of each pair, at least one.
    pub games: u64,
    /// Whether only the first player meets the others.
    pub gauntlet: bool,
    /// Where games start.
    pub openings: TournamentOpenings,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The time of a move.
    pub time: Duration,
    /// The memory of each solver of a perfect player.
    pub memory: u64,
    /// The book of the players.
    pub book: Option<Arc<Book>>,
}

impl Tournament {
    /// A tournament of these players.
    pub fn new(game: Game, players: Vec<Contender>, options: TournamentOptions) -> Tournament {
        let TournamentOptions { games, gauntlet, openings, seed, time, memory, book } = options;
        let (names, pairs) = (names(&players), pairings(players.len(), gauntlet));
        Tournament {
            game,
            players,
            names,
            pairs,
            games,
            gauntlet,
            openings,
            seed,
            time,
            memory,
            book,
        }
    }

    /// The names of the players. Players of the same kind get a number each.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The openings.
    pub fn openings(&self) -> &TournamentOpenings {
        &self.openings
    }

    /// The number of all games.
    pub fn total_games(&self) -> u64 {
        self.pairs.len() as u64 * self.games
    }

    /// The names of the players of a game, the first of the pair first.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn names_of(&self, index: u64) -> [&str; 2] {
        self.pair(index).map(|player| self.names[player].as_str())
    }

    fn pair(&self, index: u64) -> [usize; 2] {
        let (first, second) = self.pairs[(index / self.games) as usize];
        [first, second]
    }

    /// Everything that the games depend on, and the test that may end them early.
    pub fn description(&self, sprt: Option<&Sprt>) -> String {
        let Tournament { game, games, gauntlet, openings, seed, time, .. } = self;
        let players = self.names.join(" | ");
        let gauntlet = if *gauntlet { " gauntlet" } else { "" };
        let sprt = sprt.map_or(String::new(), |sprt| format!(" sprt {sprt}"));
        format!(
            "{game} {players} games {games}{gauntlet} {openings} seed {seed} time {time:?}{sprt}"
        )
    }

    /// Plays a game. An engine that cannot be started or commits a fault forfeits it.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn play(&self, index: u64) -> Result<(PlayedGame, Record), ChooseError> {
        let pair = self.pair(index);
        let number = index % self.games;
        let first_is_south = number.is_multiple_of(2);
        let [south, north] = if first_is_south { pair } else { [pair[1], pair[0]] };
        let mut play = self.openings.start(self.game, self.seed, number / 2);
        let player = |player: usize, seat: u64| {
            let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(2 * index + seat);
            let options = PlayerOptions {
                seed,
                time: Some(self.time),
                threads: 1,
                memory: self.memory,
                tables: None,
                book: self.book.clone(),
            };
            Player::for_contender(&self.players[player], self.game, options)
        };
        // An engine that cannot be started has lost the game.
        let seated = [(south, Side::South), (north, Side::North)].map(|(who, side)| {
            player(who, side as u64).map_err(|error| match error {
                ChooseError::Engine(fault) => Ok(Forfeit { loser: side, fault }),
                error => Err(error),
            })
        });
        let forfeit = match seated {
            [Ok(mut south), Ok(mut north)] => play_out(&mut play, &mut south, &mut north)?,
            [Err(fault), _] | [_, Err(fault)] => Some(fault?),
        };
        let names = [south, north].map(|player| self.players[player].to_string());
        let mut record = Record::from_playthrough(&play)
            .with_program()
            .with_header("south", &names[0])
            .with_header("north", &names[1])
            .with_header("opening", &self.openings.to_string());
        let endless = play.is_endless();
        if endless {
            record = record.with_header("endless", "given up at the third repetition");
        }
        let played = match forfeit {
            Some(forfeit) => {
                let why = sanitize::one_line(&forfeit.fault.to_string());
                record = record.with_header("forfeit", &format!("{}: {why}", forfeit.loser));
                let by_first = (forfeit.loser == Side::South) == first_is_south;
                let all = play.position().total() as i64;
                let margin = if by_first { -all } else { all };
                PlayedGame { margin, endless, forfeit: Some((by_first, why)) }
            }
            None => {
                let margin = margin(&play, first_is_south);
                PlayedGame { margin, endless, forfeit: None }
            }
        };
        Ok((played, record))
    }
}

impl Sprt {
    /// Adds games in their order, and drops those after the decision, so that the result does not depend on the number
    /// of games that are played at once.
    pub fn decide(&mut self, played: &mut Vec<PlayedGame>) {
        let decided = played.chunks_exact(2).position(|pair| {
            self.add(pair[0].points() + pair[1].points());
            self.result() != SprtResult::Open
        });
        if let Some(pair) = decided {
            played.truncate(2 * pair + 2);
        }
    }
}

/// The names of players; those of the same kind get a number each.
fn names(players: &[Contender]) -> Vec<String> {
    let name = |index: usize| {
        let name = sanitize::word(&players[index].to_string());
        let same =
            |others: &[Contender]| others.iter().filter(|other| **other == players[index]).count();
        match (same(players), same(&players[..index])) {
            (1, _) => name,
            (_, before) => format!("{name} #{}", before + 1),
        }
    };
    (0..players.len()).map(name).collect()
}

/// The margin of the first player of a pair.
fn margin(play: &Playthrough, first_is_south: bool) -> i64 {
    let first_row_is_south = first_is_south != play.swapped();
    match play.result().expect("played out") {
        Ending::Draw => 0,
        Ending::Win(side, margin) => {
            let won = (side == Side::South) == first_row_is_south;
            if won { margin as i64 } else { -(margin as i64) }
        }
    }
}
