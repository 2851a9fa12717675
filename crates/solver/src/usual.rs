//! What searches usually take.

/// What every turn of a start with 48 seeds in houses usually takes above tables of 24 seeds; and the
/// logarithms of the factors for another seed in houses, and for one less in the tables.
pub(crate) struct Usual {
    nodes: f64,
    layer: f64,
    known: f64,
}

impl Usual {
    /// From Kalah(4,6) to (4,8), Kalah(5,4) to (5,6), and Kalah(6,3) to (6,5).
    pub(crate) fn of(houses: usize) -> Usual {
        let (nodes, layer, known) = match houses {
            0..=4 => (0.13e6, 0.10, 0.20),
            5 => (2.1e6, 0.24, 0.27),
            _ => (11.1e6, 0.36, 0.26),
        };
        Usual { nodes, layer, known }
    }

    /// The nodes that every turn of a board of this layer takes above tables of so many seeds.
    pub(crate) fn nodes(&self, layer: u64, known: u32) -> f64 {
        let above = self.layer * (layer as f64 - 48.0) - self.known * (f64::from(known) - 24.0);
        self.nodes * above.exp()
    }

    /// The logarithm of how many times more a board takes than one just above the tables.
    pub(crate) fn above(&self, layer: u64, known: u32) -> f64 {
        self.layer * (layer as f64 - f64::from(known))
    }
}
