//! Row order: rows sorted by value, and equal values by row number. Results therefore never depend
//! on how a sort works internally. If only some of several equal rows are needed, they are drawn at
//! random, because row numbers have no meaning.

use crate::random::draws::{Random, below};

/// Sorter of rows that reuses its buffers.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Sort keys, which have the same order as the values, with row numbers. They can be sorted
    /// without indirect look-ups.
    keys: Vec<(u64, u32)>,
    rows: Vec<u32>,
}

impl Order {
    /// Returns the rows of the `count` least values, ascending. Among equal values, rows below
    /// `privileged` come first. If only some of the remaining equal rows fit, each is equally
    /// likely to be included.
    ///
    /// Draws random numbers only in that case. It draws one number for each row included or
    /// excluded, whichever are fewer.
    pub fn least(
        &mut self,
        values: impl Iterator<Item = f64> + Clone,
        count: usize,
        privileged: usize,
        random: &mut Random,
    ) -> &mut [u32] {
        let keys = &mut self.keys;
        keys.clear();
        keys.extend(values.clone().map(key).zip(0..));
        if count >= keys.len() {
            return self.sort();
        }
        if count == 0 {
            return &mut [];
        }
        // Value and class of the last row that fits, and whether an equal row does not fit.
        let class = |row: u32| (row as usize) < privileged;
        let (last, contested) = if keys.len() <= FEW {
            self.few();
            let at = |place: usize| self.keys[self.rows[place] as usize];
            let ((last, row), (next, other)) = (at(count - 1), at(count));
            self.rows.truncate(count);
            ((last, class(row)), last == next && class(row) == class(other))
        } else {
            let (_, (last, row), rest) = keys.select_nth_unstable(count - 1);
            let last = (*last, class(*row));
            let contested = rest.iter().any(|(key, row)| (*key, class(*row)) == last);
            keys.truncate(count);
            keys.sort_unstable();
            self.rows.clear();
            self.rows.extend(keys.iter().map(|(_, row)| row));
            (last, contested)
        };
        if contested {
            self.draw_ties(values, count, last, class, random);
        }
        &mut self.rows
    }

    /// Redraws the rows that are equal to the last of `count`. The sort has included those with the
    /// lowest row numbers. Afterwards, each has the same chance.
    fn draw_ties(
        &mut self,
        values: impl Iterator<Item = f64>,
        count: usize,
        last: (u64, bool),
        class: impl Fn(u32) -> bool,
        random: &mut Random,
    ) {
        let mut equal = (0..)
            .zip(values)
            .filter(|(row, value)| (key(*value), class(*row)) == last)
            .map(|(row, _)| row);
        let lowest = equal.next().expect("the last is equal to itself");
        let first = self
            .rows
            .iter()
            .rposition(|row| *row == lowest)
            .expect("the lowest row is the first of its equals");
        self.rows.truncate(first + 1);
        self.rows.extend(equal);
        // The first or last steps of a Fisher-Yates shuffle (Durstenfeld 1964,
        // doi:10.1145/364520.364540).
        let lots = &mut self.rows[first..];
        let (room, many) = (count - first, lots.len());
        if room <= many - room {
            (0..room).for_each(|place| lots.swap(place, place + below(random, many - place)));
        } else {
            (room..many).rev().for_each(|place| lots.swap(place, below(random, place + 1)));
        }
        self.rows.truncate(count);
    }

    /// Sorts all rows that have a key, ascending.
    fn sort(&mut self) -> &mut [u32] {
        if self.keys.len() <= FEW {
            return self.few();
        }
        self.keys.sort_unstable();
        self.rows.clear();
        self.rows.extend(self.keys.iter().map(|(_, row)| row));
        &mut self.rows
    }

    /// Sorts at most [`FEW`] rows by counting. A row's place is the number of rows before it. All
    /// pairs are compared, but without branches.
    fn few(&mut self) -> &mut [u32] {
        let keys = &self.keys[..];
        let mut places = [0u8; FEW];
        for (right, (key, _)) in keys.iter().enumerate() {
            let mut before = 0;
            for (place, (other, _)) in places.iter_mut().zip(&keys[..right]) {
                let first = u8::from(other <= key);
                before += first;
                *place += 1 - first;
            }
            places[right] = before;
        }
        self.rows.clear();
        self.rows.resize(keys.len(), 0);
        for (row, place) in (0..keys.len() as u32).zip(places) {
            self.rows[usize::from(place)] = row;
        }
        &mut self.rows
    }

    /// Returns a list of this row alone.
    pub fn only(&mut self, row: u32) -> &[u32] {
        self.rows.clear();
        self.rows.push(row);
        &self.rows
    }

    /// Returns all rows, ascending by value; among equal values, the lower row comes first.
    pub fn all(&mut self, values: &[f64]) -> &[u32] {
        self.keys.clear();
        self.keys.extend(values.iter().map(|value| key(*value)).zip(0..));
        self.sort()
    }
}

/// Maximum number of rows that are sorted by counting.
const FEW: usize = 16;

/// Converts a value to a sort key: an integer with the same order, identical for both zeros.
fn key(value: f64) -> u64 {
    // -0.0 and 0.0 must have the same key; adding 0.0 turns both into 0.0.
    let bits = (value + 0.0).to_bits();
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_as_a_whole_stable_sort_has_them(
            values in prop::collection::vec(any::<f64>(), 1..40),
            part in 0usize..40,
        ) {
            let value = |row: &u32| values[*row as usize] + 0.0;
            let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
            sorted.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let mut order = Order::default();
            prop_assert_eq!(order.all(&values), &sorted[..]);
            let count = part.min(values.len());
            let random = &mut Random::seed_from_u64(1);
            // If only some of the zeros fit, they are drawn at random, so signs of zero are
            // ignored.
            let found = order.least(values.iter().copied(), count, 0, random).iter().map(value);
            prop_assert!(found.eq(sorted[..count].iter().map(value)));
        }
    }

    #[test]
    fn extreme_values_have_their_order() {
        let values =
            [3.5, 0.0, -0.0, f64::INFINITY, -1e300, 3.5, 5e-324, -5e-324, f64::NEG_INFINITY];
        assert_eq!(Order::default().all(&values), [8, 4, 7, 1, 2, 6, 0, 5, 3]);
    }
}
