//! Trial seeds, which determine the random numbers of trials.

use crate::plan::fingerprint::Fingerprint;

pub use crate::search::Seeds;

/// Returns the seed of trial number `trial` of an arm. It is the first 8 bytes, read as a
/// little-endian u64, of BLAKE3 over 48 bytes. These are the experiment's seed (u64, little
/// endian), the arm's fingerprint (32 bytes), and the trial's number (u64, little endian).
///
/// Source of the hash: O'Connor, Aumasson, Neves, Wilcox-O'Hearn (2020), "BLAKE3: one function,
/// fast everywhere".
#[must_use]
pub fn trial_seed(experiment_seed: u64, arm: Fingerprint, trial: u64) -> u64 {
    let mut bytes = [0u8; 48];
    bytes[..8].copy_from_slice(&experiment_seed.to_le_bytes());
    bytes[8..40].copy_from_slice(&arm.0);
    bytes[40..].copy_from_slice(&trial.to_le_bytes());
    let hash = blake3::hash(&bytes);
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
