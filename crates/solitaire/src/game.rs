//! The four solitaires as one rules.

use std::fmt;
use std::str::FromStr;

/// What a solitaire allows beyond Tchoukaillon's straight sowing into the Ruma.
///
/// | game | wrapping | chaining |
/// | --- | --- | --- |
/// | `tchoukaillon` | no | no |
/// | `wrapping` | yes | no |
/// | `chaining` | no | yes |
/// | `tchuka-ruma` | yes | yes |
///
/// With wrapping the board is a circle: after the Ruma comes the farthest bin, and a full lap sows
/// the bin just emptied too. With chaining a last stone in a bin that was not empty takes up all of
/// that bin and sows on; one in a bin that was empty loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Whether stones are sown round and round.
    pub wrapping: bool,
    /// Whether a last stone in a bin that was not empty is sown on with that bin.
    pub chaining: bool,
}

impl Variant {
    /// The plain game.
    pub const TCHOUKAILLON: Variant = Variant { wrapping: false, chaining: false };
    /// Tchoukaillon with wrapping.
    pub const WRAPPING: Variant = Variant { wrapping: true, chaining: false };
    /// Tchoukaillon with chaining.
    pub const CHAINING: Variant = Variant { wrapping: false, chaining: true };
    /// Tchuka Ruma: wrapping and chaining together.
    pub const TCHUKA_RUMA: Variant = Variant { wrapping: true, chaining: true };

    /// All four.
    pub const ALL: [Variant; 4] =
        [Variant::TCHOUKAILLON, Variant::WRAPPING, Variant::CHAINING, Variant::TCHUKA_RUMA];

    /// The game's name.
    pub fn name(self) -> &'static str {
        match (self.wrapping, self.chaining) {
            (false, false) => "tchoukaillon",
            (true, false) => "wrapping",
            (false, true) => "chaining",
            (true, true) => "tchuka-ruma",
        }
    }

    /// Plays a bin: sows its stones, and where the game chains, those of every bin it comes to,
    /// until the play ends. Every sowing is shown to `visit`. Gives the number of stones that went
    /// into the Ruma, at least one; a play that does not end in the Ruma is a [`Fault`], and leaves
    /// the board as it was when the fault was found.
    ///
    /// A play always ends: each sowing brings stones nearer to the Ruma or into it.
    ///
    /// # Panics
    /// If there is no such bin: bins are numbered from 1.
    pub fn play(
        self,
        bins: &mut [u64],
        bin: usize,
        mut visit: impl FnMut(Leg),
    ) -> Result<u64, Fault> {
        let pits = bins.len() as u64 + 1;
        let mut home = 0;
        let mut from = bin;
        loop {
            let stones = std::mem::take(&mut bins[from - 1]);
            if stones == 0 {
                return Err(Fault::Nothing { bin: from });
            }
            if !self.wrapping && stones > from as u64 {
                bins[from - 1] = stones;
                return Err(Fault::Overshot { bin: from, stones, home });
            }
            let (laps, rest) = if stones < pits {
                (0, stones as usize)
            } else {
                (stones / pits, (stones % pits) as usize)
            };
            if laps > 0 {
                bins.iter_mut().for_each(|bin| *bin += laps);
                home += laps;
            }
            let to = if rest < from {
                // Bins from - 1 down to from - rest.
                bins[from - 1 - rest..from - 1].iter_mut().for_each(|bin| *bin += 1);
                from - rest
            } else {
                bins[..from - 1].iter_mut().for_each(|bin| *bin += 1);
                home += 1;
                // Past the Ruma: the farthest bins.
                let beyond = rest - from;
                let len = bins.len();
                bins[len - beyond..].iter_mut().for_each(|bin| *bin += 1);
                if beyond == 0 { 0 } else { len + 1 - beyond }
            };
            visit(Leg { from, to, laps });
            if to == 0 {
                return Ok(home);
            }
            if !self.chaining {
                return Err(Fault::EndsInBin { bin: to, home });
            }
            if bins[to - 1] == 1 {
                return Err(Fault::EndsInEmpty { bin: to, home });
            }
            from = to;
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Variant {
    type Err = ParseVariantError;

    fn from_str(text: &str) -> Result<Variant, ParseVariantError> {
        Variant::ALL
            .into_iter()
            .find(|variant| variant.name() == text)
            .ok_or_else(|| ParseVariantError(text.to_owned()))
    }
}

/// There is no such game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the game is \"{0}\": it should be tchoukaillon, wrapping, chaining or tchuka-ruma, as in \
     wrapping"
)]
pub struct ParseVariantError(String);

/// One sowing of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leg {
    /// The bin that was emptied.
    pub from: usize,
    /// Where the last stone fell: a bin, or 0 for the Ruma.
    pub to: usize,
    /// How many full laps were sown.
    pub laps: u64,
}

/// Why a play does not end in the Ruma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    /// The bin is empty.
    #[error("bin {bin} is empty")]
    Nothing {
        /// The bin.
        bin: usize,
    },
    /// The last stone would be sown beyond the Ruma.
    #[error("bin {bin} overshoots the Ruma with {stones} stones")]
    Overshot {
        /// The bin.
        bin: usize,
        /// Its stones.
        stones: u64,
        /// The stones that went into the Ruma before.
        home: u64,
    },
    /// The last stone falls into a bin.
    #[error("the last stone falls into bin {bin}")]
    EndsInBin {
        /// The bin.
        bin: usize,
        /// The stones that went into the Ruma.
        home: u64,
    },
    /// The last stone falls into a bin that was empty.
    #[error("the last stone falls into bin {bin}, which was empty")]
    EndsInEmpty {
        /// The bin.
        bin: usize,
        /// The stones that went into the Ruma.
        home: u64,
    },
}
