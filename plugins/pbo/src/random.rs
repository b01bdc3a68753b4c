//! The suite's generator: its problems with random parts are made with it.

/// Divisor of the numbers, which puts them in (0, 1).
pub(crate) const MODULUS: u64 = (1 << 31) - 1;

/// `count` numbers from 1 to below [`MODULUS`], from a seed of at least 1: the minimal standard
/// generator of Park and Miller (1988, doi:10.1145/63039.63042), shuffled by a table of 32 as Bays
/// and Durham (1976, doi:10.1145/355666.355670) propose.
pub(crate) fn parts(count: usize, mut seed: u64) -> Vec<u64> {
    let step = |seed: u64| 16_807 * seed % MODULUS;
    let mut table = [0; 32];
    for place in (0..40).rev() {
        seed = step(seed);
        if place < 32 {
            table[place] = seed;
        }
    }
    let next = |_| {
        let place = (seed / 67_108_865) as usize;
        let fresh = step(seed);
        seed = std::mem::replace(&mut table[place], fresh);
        seed
    };
    (0..count).map(next).collect()
}

/// Returns the numbers in (0, 1).
pub(crate) fn uniform(count: usize, seed: u64) -> Vec<f64> {
    parts(count, seed).into_iter().map(|part| part as f64 / MODULUS as f64).collect()
}
