//! Replacements: who lives on. Each gives row numbers; equals are ordered by row.

use super::Order;

/// The rows of the `count` least values, ascending by value.
pub fn best<'order>(fitness: &[f64], count: usize, order: &'order mut Order) -> &'order [u32] {
    order.least(fitness.iter().copied(), count)
}

/// The rows of the `count` greatest values, the greatest first; of equals the later row first, so that newer rows of
/// the same fitness do not live for ever.
///
/// Source: deleting the worst, Whitley (1989), "The GENITOR algorithm and selection pressure", ICGA 3, pp. 116-121.
pub fn worst<'order>(fitness: &[f64], count: usize, order: &'order mut Order) -> &'order [u32] {
    let last = fitness.len() as u32 - 1;
    let rows = order.least(fitness.iter().rev().map(|value| -value), count);
    rows.iter_mut().for_each(|row| *row = last - *row);
    rows
}

/// The best of parents and children, as many as there are parents: rows below `parents.len()` are parents, the others
/// children. Of equals, parents come first.
///
/// Source: Rechenberg (1973), Schwefel (1977): (mu + lambda); see Beyer and Schwefel (2002), doi:10.1023/A:1015059928466.
pub fn plus<'order>(parents: &[f64], children: &[f64], order: &'order mut Order) -> &'order [u32] {
    order.least(parents.iter().chain(children).copied(), parents.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn choices_agree_with_a_whole_stable_sort(ranks in prop::collection::vec(0u8..6, 1..40), part in 0usize..40) {
            let fitness: Vec<f64> = ranks.iter().map(|rank| f64::from(*rank)).collect();
            let count = part.min(fitness.len());
            let mut sorted: Vec<u32> = (0..fitness.len() as u32).collect();
            sorted.sort_by_key(|row| ranks[*row as usize]);
            let order = &mut Order::default();
            prop_assert_eq!(best(&fitness, count, order), &sorted[..count]);
            let reversed: Vec<u32> = sorted.iter().rev().copied().take(count).collect();
            prop_assert_eq!(worst(&fitness, count, order), reversed);
            let (parents, children) = fitness.split_at(fitness.len().div_ceil(2));
            prop_assert_eq!(plus(parents, children, order), &sorted[..parents.len()]);
        }
    }

    #[test]
    fn the_right_rows_live_on() {
        let fitness = [3.0, 1.0, 3.0, 0.0, 1.0];
        let order = &mut Order::default();
        assert_eq!(best(&fitness, 3, order), [3, 1, 4]);
        assert_eq!(best(&fitness, 0, order), [] as [u32; 0]);
        assert_eq!(best(&fitness, 5, order), [3, 1, 4, 0, 2]);
        assert_eq!(worst(&fitness, 2, order), [2, 0]);
        assert_eq!(plus(&[2.0, 5.0], &[2.0, 1.0], order), [3, 0]);
    }
}
