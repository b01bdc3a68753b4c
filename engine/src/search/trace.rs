//! Traces: what is kept of the generations of a trial.

/// What the generations table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing; the table is not written.
    None,
    /// One row per generation: best, mean, worst.
    Best,
    /// One row an individual.
    Population,
    /// As `Population`, with the individual's genome.
    Genomes,
    /// As `Best`, and every improvement with its genome: for a trial that is replayed. No config
    /// asks for it.
    Improvements,
}

impl Trace {
    /// Those that a config can ask for.
    pub const ALL: [Trace; 4] = [Trace::None, Trace::Best, Trace::Population, Trace::Genomes];

    /// The one of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trace| trace.as_str() == name)
    }

    /// Whether each row is about an individual, and not a whole generation.
    #[must_use]
    pub fn has_individuals(self) -> bool {
        matches!(self, Trace::Population | Trace::Genomes)
    }

    /// Its word in configs and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trace::None => "none",
            Trace::Best => "best",
            Trace::Population => "population",
            Trace::Genomes => "genomes",
            Trace::Improvements => "improvements",
        }
    }
}
