//! The figures as they were printed.

/// A table of `published/` or `kept/`: comments, a line of names, rows.
pub(crate) struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

macro_rules! tables {
    ($($name:ident = $file:literal;)*) => {
        $(pub(crate) fn $name() -> Table {
            Table::new(include_str!(concat!("../../", $file)))
        })*
    };
}

tables! {
    states = "published/s_kalaha_states.csv";
    states_bound = "published/s_kalaha_states_bound.csv";
    tree_complexity = "published/s_kalaha_tree_complexity.csv";
    openings = "published/s_kalaha_openings.csv";
    values = "published/s_kalaha_values.csv";
    losses = "published/s_kalaha_losses.csv";
    loss_polynomials = "published/s_kalaha_loss_polynomials.csv";
    irving_states = "published/kalah_states_irving.csv";
    irving_values = "published/kalah_values_irving.csv";
    first_turns = "published/kalah_first_turns.csv";
    open_66 = "published/kalah_66_open.csv";
    cost_66 = "published/kalah_66_cost.csv";
    tchoukaillon = "published/tchoukaillon.csv";
    endgame_counts = "published/endgame_counts.csv";
    kept_first_turns = "kept/kalah_first_turns.csv";
    kept_values = "kept/kalah_values.csv";
}

impl Table {
    fn new(text: &'static str) -> Table {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let names = lines.next().unwrap_or_default().split(',').collect();
        Table { names, rows: lines.map(|line| line.split(',').collect()).collect() }
    }

    /// These columns of every row.
    ///
    /// # Panics
    /// If the file, which is a part of the program, has no such column.
    pub(crate) fn columns<const N: usize>(&self, names: [&str; N]) -> Vec<[&'static str; N]> {
        let places = names.map(|name| {
            self.names.iter().position(|known| *known == name).expect("a column of the file")
        });
        self.rows.iter().map(|row| places.map(|place| row[place])).collect()
    }
}

/// A number of a file.
///
/// # Panics
/// If it is none.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} in a published table is not a number"))
}
