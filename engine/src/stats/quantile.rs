//! Quantiles.

/// The `share` quantile, `0.0..=1.0`, of `sorted` values (ascending): type 7, linear between the
/// two order statistics around `share * (n - 1)`. The default of R, NumPy and Polars'
/// `interpolation="linear"`.
///
/// Source: Hyndman & Fan (1996), "Sample quantiles in statistical packages", The American
/// Statistician 50:361-365, doi:10.1080/00031305.1996.10473566.
///
/// Weak spots: with few values the outer quantiles lean inwards. Counts above 2^53 are rounded.
///
/// None for an empty slice.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    debug_assert!(sorted.is_sorted(), "a quantile needs sorted values");
    let place = Place::among(sorted.len() as u64, share)?;
    Some(place.between(sorted[place.below as usize], sorted[place.above as usize]))
}

/// The [quantiles](quantile) of these shares, which ascend, of values in any order, which are moved
/// about. None without values.
#[must_use]
pub fn quantiles<const N: usize>(values: &mut [f64], shares: [f64; N]) -> Option<[f64; N]> {
    let mut found = [0.0; N];
    // What lies before has no part in the next one.
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

/// Where a quantile lies among sorted values.
pub(super) struct Place {
    /// The ranks of the values around it, from 0.
    pub below: u64,
    pub above: u64,
    /// Its distance to the lower one.
    share: f64,
}

impl Place {
    /// The place of the `share` quantile among so many values. None without values.
    pub(super) fn among(count: u64, share: f64) -> Option<Self> {
        let last = count.checked_sub(1)?;
        let place = share.clamp(0.0, 1.0) * last as f64;
        let below = place.floor() as u64;
        Some(Place { below, above: (below + 1).min(last), share: place - below as f64 })
    }

    /// The quantile, from the values of its two ranks.
    pub(super) fn between(&self, low: f64, high: f64) -> f64 {
        // Equal ends are returned as they are, and so is a value below infinity that is met
        // exactly, so that infinities stay numbers.
        let met = low == high || (self.share == 0.0 && high.is_infinite());
        if met { low } else { low + self.share * (high - low) }
    }
}

/// The middle value of `sorted` (ascending), or the mean of the two middle ones. None for an empty
/// slice.
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
        // Places 0.75, 1.5 and 2.25 among four values.
        assert_eq!(quantile(&values, 0.25), Some(1.75));
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(quantile(&values, 0.75), Some(5.0));
        assert_eq!(quantile(&values, 1.0), Some(8.0));
        assert_eq!(median(&[1.0, 2.0, f64::INFINITY]), Some(2.0));
        assert_eq!(median(&[1.0, f64::INFINITY]), Some(f64::INFINITY));
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
