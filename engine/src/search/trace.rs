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
    /// [`Best`](Self::Best), with the numbers of children by operators.
    BestOperators,
    /// [`Population`](Self::Population), with the numbers of children by operators.
    PopulationOperators,
    /// [`Genomes`](Self::Genomes), with the numbers of children by operators.
    GenomesOperators,
    /// One row per generation, plus every improvement with its genome. It is for a trial that is
    /// replayed; no config asks for it.
    Improvements,
    /// Nothing, but children are counted by operators for a watcher; no config asks for it.
    Operators,
}

impl Trace {
    /// All traces that a config can ask for.
    pub const ALL: [Trace; 7] = [
        Trace::None,
        Trace::Best,
        Trace::Population,
        Trace::Genomes,
        Trace::BestOperators,
        Trace::PopulationOperators,
        Trace::GenomesOperators,
    ];

    /// Returns the trace with this name; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trace| trace.as_str() == name)
    }

    /// Returns whether each row describes an individual instead of a whole generation.
    #[must_use]
    pub fn has_individuals(self) -> bool {
        use Trace::{Genomes, GenomesOperators, Population, PopulationOperators};
        matches!(self, Population | PopulationOperators | Genomes | GenomesOperators)
    }

    /// Returns whether each row has the genome of an individual.
    #[must_use]
    pub fn has_genomes(self) -> bool {
        matches!(self, Trace::Genomes | Trace::GenomesOperators)
    }

    /// Returns whether each row has the numbers of children by operators.
    #[must_use]
    pub fn has_operators(self) -> bool {
        use Trace::{BestOperators, GenomesOperators, PopulationOperators};
        matches!(self, BestOperators | PopulationOperators | GenomesOperators)
    }

    /// Returns whether children are counted by operators.
    #[must_use]
    pub fn counts_children(self) -> bool {
        self.has_operators() || self == Trace::Operators
    }

    /// Returns whether there are rows.
    #[must_use]
    pub fn has_rows(self) -> bool {
        !matches!(self, Trace::None | Trace::Operators)
    }

    /// Returns the same trace with the numbers of children by operators; `None` if it has no rows
    /// that a config asks for.
    #[must_use]
    pub fn with_operators(self) -> Option<Self> {
        match self {
            Trace::None | Trace::Improvements | Trace::Operators => None,
            Trace::Best | Trace::BestOperators => Some(Trace::BestOperators),
            Trace::Population | Trace::PopulationOperators => Some(Trace::PopulationOperators),
            Trace::Genomes | Trace::GenomesOperators => Some(Trace::GenomesOperators),
        }
    }

    /// Returns the keys of a config that ask for the trace.
    #[must_use]
    pub fn keys(self) -> String {
        let (rows, operators) = self.as_str().split_once(", ").unwrap_or((self.as_str(), ""));
        let operators = if operators.is_empty() { "" } else { " and output.operators = true" };
        format!("output.trace = \"{rows}\"{operators}")
    }

    /// Returns the name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trace::None => "none",
            Trace::Best => "best",
            Trace::Population => "population",
            Trace::Genomes => "genomes",
            Trace::BestOperators => "best, operators",
            Trace::PopulationOperators => "population, operators",
            Trace::GenomesOperators => "genomes, operators",
            Trace::Improvements => "improvements",
            Trace::Operators => "operators",
        }
    }
}
