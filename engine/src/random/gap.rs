//! Gaps between rare hits.

use super::parts::fraction;
use libm::log;
use rand::Rng;
use std::sync::{Arc, LazyLock};

/// Distribution of the number of misses before a hit of small probability. A gap is ln(number)
/// times a scale, rounded down. The scale is 1 / ln(1 - probability).
#[derive(Clone, Debug)]
pub struct Gap {
    scale: f64,
    /// Distance from a whole number below which a product is uncertain, because the logarithm is
    /// only exact to `ERROR`.
    margin: f64,
    table: &'static Table,
    guide: Option<Arc<Guide>>,
}

/// Least gap of the draws with the same first bits, with the bit `OPEN` if they have several gaps.
type Guide = [u16; 1 << GUIDE_BITS];
const GUIDE_BITS: u32 = 12;
const OPEN: u16 = 1 << 15;

/// Minimum probability with a guide; below it, most entries would be open.
const LEAST_GUIDED: f64 = 0.01;

/// For each of the equal parts of 1 to 2: the inverse of its middle, and minus the logarithm of
/// that.
type Table = [(f64, f64); PARTS];
const PARTS: usize = 256;

static TABLE: LazyLock<Box<Table>> = LazyLock::new(|| {
    Box::new(std::array::from_fn(|part| {
        let inverse = 1.0 / (1.0 + (part as f64 + 0.5) / PARTS as f64);
        (inverse, -log(inverse))
    }))
});

/// Upper bound of the error of a logarithm from the table. The omitted terms are below 4e-12, and
/// rounding errors are below 1e-13.
const ERROR: f64 = 1e-11;

/// 2^52.
const WHOLE: f64 = (1u64 << 52) as f64;

impl Gap {
    /// Prepares gaps for a probability above 0 and below 1.
    pub(crate) fn new(probability: f64) -> Self {
        let scale = 1.0 / libm::log1p(-probability);
        let guide = (probability >= LEAST_GUIDED).then(|| Arc::new(guide(probability)));
        Gap { scale, margin: ERROR * scale.abs(), table: &TABLE, guide }
    }

    /// Returns the gap of a draw of 64 uniform bits, or a smaller number that is at least `enough`.
    /// Most gaps are in the guide.
    #[inline]
    fn of(&self, draw: u64, enough: usize) -> usize {
        let guided = self.guide.as_ref().map(|guide| guide[(draw >> (64 - GUIDE_BITS)) as usize]);
        match guided {
            Some(gap) if gap & OPEN == 0 || usize::from(gap & !OPEN) >= enough => {
                usize::from(gap & !OPEN)
            }
            // 1 - fraction lies in (0, 1].
            _ => self.of_number(1.0 - fraction(draw)),
        }
    }

    /// Calls `visit` for each of `0..count` that is hit, in ascending order.
    #[inline(always)]
    pub(crate) fn each<R: Rng>(
        &self,
        random: &mut R,
        count: usize,
        mut visit: impl FnMut(usize, &mut R),
    ) {
        let mut place = 0usize;
        loop {
            place = place.saturating_add(self.of(random.next_u64(), count - place));
            if place >= count {
                return;
            }
            visit(place, random);
            place += 1;
        }
    }

    /// Returns the gap of a uniform number in (0, 1]. Most gaps are computed with a short series
    /// for the logarithm. Near whole numbers, where this might be wrong, the logarithm is computed
    /// in full. Not inlined, because its constants would be loaded for every gap.
    #[inline(never)]
    fn of_number(&self, number: f64) -> usize {
        let product = logarithm(number, self.table) * self.scale;
        // Between 2^52 and 2^53 all numbers are whole, so the sum is rounded to the nearest.
        let sum = product + WHOLE;
        let beyond = product - (sum - WHOLE);
        if product < WHOLE / 2.0 && beyond.abs() > self.margin {
            (sum.to_bits() - WHOLE.to_bits()) as usize - usize::from(beyond < 0.0)
        } else {
            self.in_full(number)
        }
    }

    /// Computes the gap with the full logarithm. The cast saturates at a value far beyond any
    /// count.
    #[cold]
    fn in_full(&self, number: f64) -> usize {
        (log(number) * self.scale) as usize
    }
}

/// Computes the guide. The next gap begins where numbers fall below the next power of 1 -
/// `probability`. The relative error of the powers is about 1e-13. Entries close to a power, with a
/// wider margin than this error, are left open. The least probability keeps gaps below `OPEN`.
fn guide(probability: f64) -> Guide {
    const SLACK: f64 = 1e-9;
    let mut end = 1.0 - probability;
    let mut gap = 0;
    let mut guide = [0; 1 << GUIDE_BITS];
    let parts = guide.len() as f64;
    for (part, entry) in guide.iter_mut().enumerate() {
        // Draws with these first bits are numbers above `low` and up to `high`.
        let (low, high) = (1.0 - (part as f64 + 1.0) / parts, 1.0 - part as f64 / parts);
        while end > high * (1.0 + SLACK) {
            gap += 1;
            end *= 1.0 - probability;
        }
        *entry = if end < low * (1.0 - SLACK) { gap } else { gap | OPEN };
    }
    guide
}

/// Returns the logarithm of a normal number above 0, exact to [`ERROR`].
#[inline]
fn logarithm(number: f64, table: &Table) -> f64 {
    let bits = number.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let (inverse, middle) = table[(bits >> 44) as usize % PARTS];
    let rest = mantissa * inverse - 1.0;
    let series = rest * rest * (rest * (1.0 / 3.0) - 0.5);
    f64::from(exponent) * std::f64::consts::LN_2 + middle + (rest + series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::{Random, unit};

    #[test]
    fn gaps_are_those_computed_in_full() {
        let mut random = Random::seed_from_u64(11);
        for probability in [1e-300, 1e-17, 1e-12, 1e-9, 1e-6, 0.001, 0.01, 0.03, 0.0999, 0.9] {
            let gap = Gap::new(probability);
            for number in [1.0, 0.5, 0.25, 1.0 / (1u64 << 53) as f64, 1.0 - f64::EPSILON / 2.0] {
                assert_eq!(gap.of_number(number), gap.in_full(number), "{number} at {probability}");
            }
            for _ in 0..50_000 {
                let number = 1.0 - unit(&mut random);
                assert_eq!(gap.of_number(number), gap.in_full(number), "{number} at {probability}");
                // Number at which the logarithm is closest to a change of the gap.
                let edge = libm::exp(gap.of_number(number) as f64 / gap.scale);
                for number in [edge.next_down(), edge, edge.next_up()] {
                    if (f64::MIN_POSITIVE..=1.0).contains(&number) {
                        assert_eq!(gap.of_number(number), gap.in_full(number), "{number}");
                    }
                }
            }
        }
    }

    /// Checks the draws at both ends of every entry. If an entry is not open, the draws between
    /// them have the same gap.
    #[test]
    fn guides_have_the_gaps_computed_in_full() {
        let of = |gap: &Gap, draw| gap.in_full(1.0 - fraction(draw));
        for probability in [0.01, 0.02, 0.03, 1.0 / 30.0, 0.05, 0.0625, 0.0999, 0.5] {
            let gap = Gap::new(probability);
            let guide = gap.guide.as_ref().expect("not seldom");
            let mut open = 0;
            for (part, entry) in guide.iter().enumerate() {
                let first = (part as u64) << (64 - GUIDE_BITS);
                let last = first | (u64::MAX >> GUIDE_BITS);
                let ends = [of(&gap, first), of(&gap, last)];
                let least = usize::from(entry & !OPEN);
                if entry & OPEN == 0 {
                    assert_eq!(ends, [least; 2], "{part} at {probability}");
                } else {
                    open += 1;
                    assert!(ends.iter().all(|end| *end >= least), "{part} at {probability}");
                }
                let found = [first, last].map(|draw| gap.of(draw, usize::MAX));
                assert_eq!(found, ends, "{part} at {probability}");
            }
            // 1.5 times the expected number of open entries, by the density of gap ends.
            let width = 1.0 / guide.len() as f64 / probability;
            let most = 1.5 * guide.len() as f64 * width * (1.0 - width.ln());
            assert!(f64::from(open) < most, "{open} open at {probability}, {most} expected");
        }
        let mut random = Random::seed_from_u64(13);
        for probability in [0.001, 0.01, 0.03, 0.0999] {
            let gap = Gap::new(probability);
            for draw in (0..200_000).map(|_| random.next_u64()) {
                let exact = of(&gap, draw);
                assert_eq!(gap.of(draw, usize::MAX), exact, "{draw} at {probability}");
                for enough in [1, 10, 100, exact, exact + 1] {
                    let found = gap.of(draw, enough);
                    assert!(found == exact || (enough..exact).contains(&found), "{found} {exact}");
                }
            }
        }
    }

    #[test]
    fn the_series_is_as_good_as_it_is_said_to_be() {
        let mut random = Random::seed_from_u64(12);
        let mut greatest = 0.0f64;
        let mut check = |number: f64| {
            greatest = greatest.max((logarithm(number, &TABLE) - log(number)).abs());
        };
        for part in 0..PARTS {
            // The ends of a part are furthest from its middle.
            let start = 1.0 + part as f64 / PARTS as f64;
            for number in [start, (start + 1.0 / PARTS as f64).next_down()] {
                (0..=53).for_each(|halvings| check(number * 0.5f64.powi(halvings)));
            }
        }
        (0..1_000_000).for_each(|_| check(1.0 - unit(&mut random)));
        assert!(greatest < ERROR / 2.0, "{greatest}");
        assert!(greatest > ERROR / 10.0, "the bound is no more than it needs to be: {greatest}");
    }
}
