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

impl Seeds {
    /// Returns the seed of a run of the trial, numbered from 0. The first run has the trial's own
    /// seed. That of a later run is the first 8 bytes, read as a little-endian u64, of BLAKE3 over
    /// 16 bytes: the trial's seed and the number of the run (u64, little endian).
    #[must_use]
    pub fn of_run(self, run: u64) -> u64 {
        if run == 0 {
            return self.trial;
        }
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.trial.to_le_bytes());
        bytes[8..].copy_from_slice(&run.to_le_bytes());
        let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&bytes).as_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns the seed of the trial's noisy evaluations: BLAKE3 over 13 bytes, which are the
    /// trial's seed (u64, little endian) and the word `noise`.
    pub(super) fn of_noise(self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.trial.to_le_bytes()).update(b"noise");
        *hasher.finalize().as_bytes()
    }
}
