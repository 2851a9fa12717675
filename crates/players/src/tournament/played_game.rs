//! The result of a game of a tournament.

/// The line above the rows of played games.
pub const PLAYED_GAMES_HEADER: &str = "game,first,second,points,margin,remark\n";

/// The result of a game, as the first player of its pair sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The margin of the first player; all seeds if an engine forfeited the game.
    pub margin: i64,
    /// Whether it ended at the third repetition of a position.
    pub endless: bool,
    /// Whether the first player forfeited it or the second, and the reason.
    pub forfeit: Option<(bool, String)>,
}

impl PlayedGame {
    /// The points of the first player: 1, 0.5 or 0.
    pub fn points(&self) -> f64 {
        (self.margin.signum() as f64 + 1.0) / 2.0
    }

    /// A row of CSV below [`PLAYED_GAMES_HEADER`]: number, pair, points, margin, remark.
    pub fn row(&self, index: u64, [first, second]: [&str; 2]) -> String {
        let remark = match &self.forfeit {
            Some((true, why)) => format!("first: {why}"),
            Some((false, why)) => format!("second: {why}"),
            None if self.endless => "endless".to_string(),
            None => String::new(),
        };
        // A row is one line.
        let [first, second, remark] =
            [first, second, &remark].map(|field| field.replace(char::is_control, " "));
        let numbers = [(index + 1).to_string(), self.points().to_string(), self.margin.to_string()];
        let [number, points, margin] = numbers;
        let mut row = csv::Writer::from_writer(Vec::new());
        row.write_record([number, first, second, points, margin, remark]).expect("in memory");
        String::from_utf8(row.into_inner().expect("in memory")).expect("texts")
    }

    /// Reads a row that [`row`](PlayedGame::row) wrote, without its end of line.
    pub fn from_row(row: &str) -> Option<PlayedGame> {
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
        let fields = rows.records().next()?.ok()?;
        let [_, _, _, _, margin, remark] = fields.iter().collect::<Vec<_>>().try_into().ok()?;
        let forfeit = match remark.split_once(": ") {
            Some(("first", why)) => Some((true, why.to_string())),
            Some(("second", why)) => Some((false, why.to_string())),
            _ => None,
        };
        Some(PlayedGame { margin: margin.parse().ok()?, endless: remark == "endless", forfeit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let games = [
            PlayedGame { margin: 0, endless: false, forfeit: None },
            PlayedGame { margin: -12, endless: true, forfeit: None },
            PlayedGame { margin: 48, endless: false, forfeit: Some((false, "a, \"b\"".into())) },
            PlayedGame { margin: -48, endless: false, forfeit: Some((true, "x: y".into())) },
        ];
        for game in games {
            let row = game.row(7, ["engine:a \"b,c\"", "level:1"]);
            assert_eq!(PlayedGame::from_row(row.trim_end()), Some(game), "{row}");
        }
        assert_eq!(PlayedGame::from_row("1,2"), None);
        assert_eq!(PlayedGame::from_row("1,a,b,1,x,"), None);
    }
}
