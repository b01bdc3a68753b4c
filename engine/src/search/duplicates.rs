//! Duplicates: what becomes of a genome that a trial evaluated before.

/// Rule for genomes that equal an earlier one of the trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Each is evaluated again.
    #[default]
    Allow,
    /// Children are drawn again until they are new, a limited number of times. What is known even
    /// then is not evaluated again.
    Avoid,
    /// None is evaluated again: its fitness is that of the first time.
    Reuse,
}

impl Duplicates {
    /// All rules, in the order of the documentation.
    pub const ALL: [Duplicates; 3] = [Duplicates::Allow, Duplicates::Avoid, Duplicates::Reuse];

    /// Returns the name in configs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Duplicates::Allow => "allow",
            Duplicates::Avoid => "avoid",
            Duplicates::Reuse => "reuse",
        }
    }
}
