//! Replacements: who lives on. Each writes row numbers; equals are ordered by row, so that results never depend on how a
//! sort works inside.

/// The rows of the `count` least values, ascending by value.
pub fn best(fitness: &[f64], count: usize, rows: &mut Vec<u32>) {
    pick(fitness.len(), count, rows, |row| fitness[row as usize]);
}

/// The rows of the `count` greatest values, the greatest first; of equals the later row first, so that newer rows of
/// the same fitness do not live for ever.
///
/// Source: deleting the worst, Whitley (1989), "The GENITOR algorithm and selection pressure", ICGA 3, pp. 116-121.
pub fn worst(fitness: &[f64], count: usize, rows: &mut Vec<u32>) {
    let last = fitness.len() as u32 - 1;
    pick(fitness.len(), count, rows, |row| -fitness[(last - row) as usize]);
    rows.iter_mut().for_each(|row| *row = last - *row);
}

/// The best of parents and children, as many as there are parents: rows below `parents.len()` are parents, the others
/// children. Of equals, parents come first.
///
/// Source: Rechenberg (1973), Schwefel (1977): (mu + lambda); see Beyer and Schwefel (2002), doi:10.1023/A:1015059928466.
pub fn plus(parents: &[f64], children: &[f64], rows: &mut Vec<u32>) {
    let count = parents.len();
    let value = |row: u32| match (row as usize).checked_sub(count) {
        None => parents[row as usize],
        Some(child) => children[child],
    };
    pick(count + children.len(), count, rows, value);
}

/// The first `count` of `all` rows in ascending order of (value, row).
fn pick(all: usize, count: usize, rows: &mut Vec<u32>, value: impl Fn(u32) -> f64) {
    let order = |a: &u32, b: &u32| value(*a).total_cmp(&value(*b)).then(a.cmp(b));
    rows.clear();
    rows.extend(0..all as u32);
    if 0 < count && count < all {
        rows.select_nth_unstable_by(count - 1, order);
    }
    rows.truncate(count);
    rows.sort_unstable_by(order);
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
            prop_assert_eq!(&rows(|out| best(&fitness, count, out)), &sorted[..count]);
            let reversed: Vec<u32> = sorted.iter().rev().copied().take(count).collect();
            prop_assert_eq!(rows(|out| worst(&fitness, count, out)), reversed);
            let (parents, children) = fitness.split_at(fitness.len().div_ceil(2));
            prop_assert_eq!(rows(|out| plus(parents, children, out)), &sorted[..parents.len()]);
        }
    }

    fn rows(choose: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
        let mut rows = vec![99];
        choose(&mut rows);
        rows
    }

    #[test]
    fn the_right_rows_live_on() {
        let fitness = [3.0, 1.0, 3.0, 0.0, 1.0];
        assert_eq!(rows(|out| best(&fitness, 3, out)), [3, 1, 4]);
        assert_eq!(rows(|out| best(&fitness, 0, out)), [] as [u32; 0]);
        assert_eq!(rows(|out| best(&fitness, 5, out)), [3, 1, 4, 0, 2]);
        assert_eq!(rows(|out| worst(&fitness, 2, out)), [2, 0]);
        assert_eq!(rows(|out| plus(&[2.0, 5.0], &[2.0, 1.0], out)), [3, 0]);
    }
}
