//! The parts that a draw of 64 bits is cut into.

/// Returns the number of numbers below `bound` that a draw is cut into. The power of the bound
/// stays within 2^32, so that fewer than one draw in 2^32 is rejected.
pub(super) const fn numbers_of_a_draw(bound: u64) -> usize {
    match bound {
        0..=0x10 => 8,
        0x11..=0x100 => 4,
        0x101..=0x1_0000 => 2,
        _ => 1,
    }
}

/// Converts the first 53 bits of a draw to a number in [0, 1).
#[inline]
pub(super) fn fraction(draw: u64) -> f64 {
    (draw >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}
