//! Traces: the data kept about the generations of a trial.

/// Content of the generations table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing; the table is not written.
    None,
    /// One row per generation: best, mean, worst.
    Best,
    /// One row per individual.
    Population,
    /// One row per individual, with the individual's genome.
    Genomes,
    /// One row per generation, plus every improvement with its genome. It is for a trial that is
    /// replayed; no config asks for it.
    Improvements,
}

impl Trace {
    /// All traces that a config can ask for.
    pub const ALL: [Trace; 4] = [Trace::None, Trace::Best, Trace::Population, Trace::Genomes];

    /// Returns the trace with this name; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trace| trace.as_str() == name)
    }

    /// Returns whether each row describes an individual instead of a whole generation.
    #[must_use]
    pub fn has_individuals(self) -> bool {
        matches!(self, Trace::Population | Trace::Genomes)
    }

    /// Returns the name in configs and tables.
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
