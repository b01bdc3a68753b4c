//! Seeds of the parts of a tuning.

/// Returns the seed of a part of a tuning, such as the draws of iteration 3, from the seed of the
/// experiment. It is below 2^63, so that every TOML parser reads it.
#[must_use]
pub fn seed_of(seed: u64, part: &[u8], number: u32) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(part).update(&seed.to_le_bytes()).update(&number.to_le_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes) >> 1
}
