//! Seeds: which random numbers a trial gets.

/// What a trial draws its random numbers from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Of the trial's own generator; the `seed` of its record.
    pub trial: u64,
    /// Of the initial population, where trials are paired; none: the trial's own generator draws
    /// it.
    pub start: Option<u64>,
    /// The trial's number within its arm: which of the given genomes it begins with.
    pub number: u64,
}
