//! Seeds: the origin of a trial's random numbers.

/// Seeds of a trial's random number generators, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Seed of the trial's own generator; the `seed` of its record.
    pub trial: u64,
    /// Seed of the initial population, if trials are paired. `None` if the trial's own generator
    /// draws the initial population.
    pub start: Option<u64>,
    /// Number of the trial within its arm. It determines which of the given genomes the trial
    /// begins with.
    pub number: u64,
}
