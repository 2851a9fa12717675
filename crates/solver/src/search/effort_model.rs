//! The expected effort of a search.

/// A model of the nodes that all turns of a board take above endgame tables: exponential in the seeds of the
/// board and of the tables.
pub(crate) struct EffortModel {
    /// Nodes for 48 seeds in houses above tables of 24 seeds.
    nodes: f64,
    /// The logarithm of the factor per seed in houses.
    per_seed: f64,
    /// The logarithm of the factor per seed that the tables lack.
    per_table_seed: f64,
}

impl EffortModel {
    /// Fitted to Kalah(4,6) to (4,8), Kalah(5,4) to (5,6), and Kalah(6,3) to (6,5).
    pub(crate) fn for_houses(houses: usize) -> EffortModel {
        let (nodes, per_seed, per_table_seed) = match houses {
            0..=4 => (0.13e6, 0.10, 0.20),
            5 => (2.1e6, 0.24, 0.27),
            _ => (11.1e6, 0.36, 0.26),
        };
        EffortModel { nodes, per_seed, per_table_seed }
    }

    /// The expected nodes for all turns of a board of this layer above tables to `table_layer`.
    pub(crate) fn expected_nodes(&self, layer: u64, table_layer: u32) -> f64 {
        let seeds = self.per_seed * (layer as f64 - 48.0);
        let table_seeds = self.per_table_seed * (f64::from(table_layer) - 24.0);
        self.nodes * (seeds - table_seeds).exp()
    }

    /// The logarithm of the effort of a board relative to one just above the tables.
    pub(crate) fn log_effort_above(&self, layer: u64, table_layer: u32) -> f64 {
        self.per_seed * (layer as f64 - f64::from(table_layer))
    }
}
