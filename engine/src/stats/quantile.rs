//! Quantiles.

/// Returns the `share` quantile, `0.0..=1.0`, of `sorted` values (ascending). The quantile is of
/// type 7: linear interpolation between the two order statistics around `share * (n - 1)`. This is
/// the default of R and NumPy, and Polars' `interpolation="linear"`.
///
/// Source: Hyndman & Fan (1996), "Sample quantiles in statistical packages", The American
/// Statistician 50:361-365, doi:10.1080/00031305.1996.10473566.
///
/// Limitations: with few values the outer quantiles are biased inwards. Counts above 2^53 are
/// rounded.
///
/// `None` if the slice is empty.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    debug_assert!(sorted.is_sorted(), "a quantile needs sorted values");
    let place = Place::among(sorted.len() as u64, share)?;
    Some(place.between(sorted[place.below as usize], sorted[place.above as usize]))
}

/// Returns the [quantiles](quantile) of `values`, which may be in any order and are reordered. The
/// shares must be in ascending order. `None` if there are no values.
#[must_use]
pub fn quantiles<const N: usize>(values: &mut [f64], shares: [f64; N]) -> Option<[f64; N]> {
    let mut found = [0.0; N];
    // Values before this index cannot affect the next quantile.
    let mut from = 0;
    for (found, share) in found.iter_mut().zip(shares) {
        let place = Place::among(values.len() as u64, share)?;
        let (below, above) = (place.below as usize, place.above as usize);
        let rest = &mut values[from..];
        let (_, low, after) = rest.select_nth_unstable_by(below - from, f64::total_cmp);
        let next = after.iter().copied().min_by(f64::total_cmp);
        let high = if above > below { next.unwrap_or(*low) } else { *low };
        *found = place.between(*low, high);
        from = below;
    }
    Some(found)
}

/// Position of a quantile among sorted values.
pub(super) struct Place {
    /// Ranks of the neighbouring values, from 0.
    pub below: u64,
    pub above: u64,
    /// Distance to the lower rank.
    share: f64,
}

impl Place {
    /// Returns the position of the `share` quantile among `count` values. `None` if there are no
    /// values.
    pub(super) fn among(count: u64, share: f64) -> Option<Self> {
        let last = count.checked_sub(1)?;
        let place = share.clamp(0.0, 1.0) * last as f64;
        let below = place.floor() as u64;
        Some(Place { below, above: (below + 1).min(last), share: place - below as f64 })
    }

    /// Interpolates the quantile between the values of its two ranks.
    pub(super) fn between(&self, low: f64, high: f64) -> f64 {
        // Equal values are returned unchanged. A value met exactly is returned as it is if its
        // upper neighbour is infinite, so that the result is not NaN.
        let met = low == high || (self.share == 0.0 && high.is_infinite());
        let gap = high - low;
        match gap.is_infinite() && low.is_finite() && high.is_finite() {
            _ if met || low == f64::NEG_INFINITY => low,
            true => low * (1.0 - self.share) + high * self.share,
            false => low + self.share * gap,
        }
    }
}

/// Returns the middle value of `sorted` (ascending), or the mean of the two middle values. `None`
/// if the slice is empty.
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_are_of_type_7() {
        let values = [1.0, 2.0, 4.0, 8.0];
        // Positions 0.75, 1.5 and 2.25 among four values.
        assert_eq!(quantile(&values, 0.25), Some(1.75));
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(quantile(&values, 0.75), Some(5.0));
        assert_eq!(quantile(&values, 1.0), Some(8.0));
        assert_eq!(median(&[1.0, 2.0, f64::INFINITY]), Some(2.0));
        assert_eq!(median(&[1.0, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!(median(&[f64::NEG_INFINITY, 1.0]), Some(f64::NEG_INFINITY));
        assert_eq!(median(&[-1.5e308, 1.5e308]), Some(0.0));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
    }

    proptest! {
        #[test]
        fn values_need_not_be_sorted(
            values in prop::collection::vec(prop_oneof![-2.0f64..2.0, Just(0.5)], 0..40),
            mut shares in [0.0f64..=1.0, 0.0..=1.0, 0.0..=1.0],
        ) {
            shares.sort_unstable_by(f64::total_cmp);
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let expected = shares.map(|share| quantile(&sorted, share));
            let found = quantiles(&mut values.clone(), shares);
            prop_assert_eq!(found.map_or([None; 3], |found| found.map(Some)), expected);
        }
    }
}
