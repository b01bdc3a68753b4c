//! Crossovers of real genes. Children stay within the bounds.

use crate::problem::{Bounds, Gene};
use crate::random::draws::{Random, chance, unit};
use crate::random::power::power;

/// Blend crossover, BLX-alpha: each gene of each child is uniform in a widened range of its
/// parents. The range is widened by `alpha` times its width on both sides and cut at the bounds.
///
/// Source: Eshelman and Schaffer (1993), "Real-coded genetic algorithms and interval-schemata",
/// doi:10.1016/B978-0-08-094832-4.50018-0.
#[inline]
pub(crate) fn blend<G: Gene>(
    a: &[G],
    b: &[G],
    alpha: f64,
    bounds: &Bounds,
    random: &mut Random,
    c: &mut [G],
    d: &mut [G],
) {
    for locus in 0..a.len() {
        let (one, other) = (a[locus].to_f64(), b[locus].to_f64());
        let (low, high) = bounds.of(locus);
        let margin = alpha * (one - other).abs();
        let (from, to) = ((one.min(other) - margin).max(low), (one.max(other) + margin).min(high));
        let mut draw = || G::from_f64((from + (to - from) * unit(random)).clamp(from, to));
        c[locus] = draw();
        d[locus] = draw();
    }
}

/// Simulated binary crossover, SBX, bounded: each gene is crossed with probability 1/2. The
/// children then lie around the parents as one-point crossover of binary strings would spread them.
/// The greater `eta`, the closer they are. The spread is truncated so that no child leaves the
/// bounds. The children's values of a gene are exchanged with probability 1/2.
///
/// Source: Deb and Agrawal (1995), "Simulated binary crossover for continuous search space",
/// Complex Systems 9, pp. 115-148; with bounds: Deb and Beyer (2001),
/// doi:10.1162/106365601750190406.
#[inline]
pub(crate) fn sbx<G: Gene>(
    a: &[G],
    b: &[G],
    eta: f64,
    bounds: &Bounds,
    random: &mut Random,
    c: &mut [G],
    d: &mut [G],
) {
    for locus in 0..a.len() {
        let (one, other) = (a[locus].to_f64(), b[locus].to_f64());
        let width = (one - other).abs();
        // Equal genes have no spread. For other genes the formulas hold, however close the genes
        // are.
        if !chance(random, 0.5) || width == 0.0 {
            c[locus] = a[locus];
            d[locus] = b[locus];
            continue;
        }
        let (low, high) = bounds.of(locus);
        let (near, far) = (one.min(other), one.max(other));
        let number = unit(random);
        let below = near + far - spread(number, eta, 1.0 + 2.0 * (near - low) / width) * width;
        let above = near + far + spread(number, eta, 1.0 + 2.0 * (high - far) / width) * width;
        let (below, above) = ((below / 2.0).clamp(low, high), (above / 2.0).clamp(low, high));
        let exchanged = chance(random, 0.5);
        c[locus] = G::from_f64(if exchanged { above } else { below });
        d[locus] = G::from_f64(if exchanged { below } else { above });
    }
}

/// Returns the spread factor for a uniform `number`, at most `limit`.
fn spread(number: f64, eta: f64, limit: f64) -> f64 {
    let exponent = 1.0 / (eta + 1.0);
    let alpha = 2.0 - 1.0 / power(limit, eta + 1.0);
    if number <= 1.0 / alpha {
        power(number * alpha, exponent)
    } else {
        power(1.0 / (2.0 - number * alpha), exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds::Uniform { low: -1.0, high: 2.0 };

    #[test]
    fn blends_are_uniform_in_the_widened_range() {
        // With parents 0 and 1 and alpha 0.25, children are uniform in [-0.25, 1.25]. The mean is
        // 0.5, and the standard deviation is 1.5 / sqrt(12) = 0.433. The mean of 40,000 lies within
        // 5 standard deviations: a false-alarm rate of 6e-7.
        let mut random = Random::seed_from_u64(1);
        let (mut sum, mut least, mut most) = (0.0, f64::MAX, f64::MIN);
        for _ in 0..20_000 {
            let (mut c, mut d) = ([9.0], [9.0]);
            blend(&[0.0], &[1.0], 0.25, &BOUNDS, &mut random, &mut c, &mut d);
            for child in [c[0], d[0]] {
                sum += child / 40_000.0;
                least = child.min(least);
                most = child.max(most);
            }
        }
        assert!((sum - 0.5_f64).abs() < 5.0 * 0.433 / 200.0, "{sum}");
        assert!((-0.25..-0.24).contains(&least) && most <= 1.25 && most > 1.24, "{least} {most}");
    }

    #[test]
    fn simulated_binary_spreads_have_their_distribution() {
        // Far from the bounds, the children's distance has a known distribution, in units of the
        // parents' distance. It is at most s <= 1 with probability s^(eta + 1) / 2, and more than s
        // >= 1 with probability s^-(eta + 1) / 2. A gene is crossed half of the time, and half of
        // the crossed genes are exchanged. Shares of 100,000 lie within 5 standard deviations: a
        // false-alarm rate of 6e-7 each.
        let wide = Bounds::Uniform { low: -1e9, high: 1e9 };
        let mut random = Random::seed_from_u64(3);
        let (mut near, mut far, mut crossed, mut exchanged) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..100_000 {
            let (mut c, mut d) = ([9.0], [9.0]);
            sbx(&[0.0], &[1.0], 2.0, &wide, &mut random, &mut c, &mut d);
            if (c[0], d[0]) != (0.0, 1.0) {
                let spread = (c[0] - d[0]).abs();
                near += f64::from(spread <= 0.5);
                far += f64::from(spread > 2.0);
                crossed += 1.0;
                exchanged += f64::from(c[0] > d[0]);
            }
        }
        let shares = [(near, 0.5 / 16.0), (far, 0.5 / 16.0), (crossed, 0.5), (exchanged, 0.25)];
        for (count, share) in shares {
            let deviation = (1e5_f64 * share * (1.0 - share)).sqrt();
            assert!(
                (count - 1e5 * share).abs() < 5.0 * deviation,
                "{count} is not {share} of 100,000"
            );
        }
    }

    #[test]
    fn parents_alike_or_nearly_so_have_children_there() {
        let tiny = Bounds::Uniform { low: 0.0, high: 1e-300 };
        let mut random = Random::seed_from_u64(4);
        for (a, b) in [(0.0, 0.0), (0.0, 5e-324), (1e-300, 0.0), (2e-301, 3e-301)] {
            for eta in [0.0, 15.0, 1e6] {
                for _ in 0..200 {
                    let (mut c, mut d) = ([9.0], [9.0]);
                    sbx(&[a], &[b], eta, &tiny, &mut random, &mut c, &mut d);
                    assert!(
                        [c[0], d[0]].iter().all(|child| (0.0..=1e-300).contains(child)),
                        "{a} {b}: {c:?} {d:?}"
                    );
                    assert!(a != b || (c[0], d[0]) == (a, b));
                    blend(&[a], &[b], 1e6, &tiny, &mut random, &mut c, &mut d);
                    assert!(
                        [c[0], d[0]].iter().all(|child| (0.0..=1e-300).contains(child)),
                        "{a} {b}: {c:?} {d:?}"
                    );
                    assert!(a != b || (c[0], d[0]) == (a, b));
                }
            }
        }
    }

    #[test]
    fn simulated_binary_children_keep_the_bounds_and_far_from_them_the_parents_mean() {
        let mut random = Random::seed_from_u64(2);
        for (a, b) in [(-1.0, 2.0), (-0.99, -0.98), (0.0, 1.0), (1.9, 2.0)] {
            for _ in 0..5_000 {
                let (mut c, mut d) = ([9.0], [9.0]);
                sbx(&[a], &[b], 2.0, &BOUNDS, &mut random, &mut c, &mut d);
                assert!(
                    [c[0], d[0]].iter().all(|child| (-1.0..=2.0).contains(child)),
                    "{a} {b}: {c:?} {d:?}"
                );
            }
        }
        let wide = Bounds::Uniform { low: -1e9, high: 1e9 };
        for _ in 0..5_000 {
            let (mut c, mut d) = ([9.0], [9.0]);
            sbx(&[0.0], &[1.0], 15.0, &wide, &mut random, &mut c, &mut d);
            assert!((c[0] + d[0] - 1.0_f64).abs() < 1e-9, "{c:?} {d:?}");
        }
    }
}
