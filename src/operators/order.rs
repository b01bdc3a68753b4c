//! Order: rows sorted by a value, equals by row, so that results never depend on how a sort works inside.

/// Sorts rows; its buffers serve one sort after the other.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Whole numbers in the order of the values, beside their rows: they sort without looking anything up.
    keys: Vec<(u64, u32)>,
    rows: Vec<u32>,
}

impl Order {
    /// The rows of the `count` least values, ascending (by `f64::total_cmp`); of equals the lower row first.
    pub fn least(&mut self, values: impl Iterator<Item = f64>, count: usize) -> &mut [u32] {
        let keys = &mut self.keys;
        keys.clear();
        keys.extend(values.map(key).zip(0..));
        if keys.len() <= FEW {
            return self.few(count);
        }
        if 0 < count && count < keys.len() {
            keys.select_nth_unstable(count - 1);
        }
        keys.truncate(count);
        keys.sort_unstable();
        self.rows.clear();
        self.rows.extend(keys.iter().map(|(_, row)| row));
        &mut self.rows
    }

    /// The same for few rows: each is put at the place that is the number of those before it. Every two are compared, but
    /// without a branch.
    fn few(&mut self, count: usize) -> &mut [u32] {
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
        self.rows.truncate(count);
        &mut self.rows
    }

    /// All rows, ascending by value.
    pub fn all(&mut self, values: &[f64]) -> &[u32] {
        self.least(values.iter().copied(), values.len())
    }
}

/// Rows that are sorted by counting.
const FEW: usize = 16;

/// A whole number: greater where the value is.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_as_a_whole_stable_sort_has_them(values in prop::collection::vec(any::<f64>(), 1..40), part in 0usize..40) {
            let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
            sorted.sort_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
            let mut order = Order::default();
            prop_assert_eq!(order.all(&values), &sorted[..]);
            let count = part.min(values.len());
            prop_assert_eq!(order.least(values.iter().copied(), count), &sorted[..count]);
        }
    }

    #[test]
    fn extreme_values_have_their_order() {
        let values = [3.5, -0.0, 0.0, f64::INFINITY, -1e300, 3.5, 5e-324, -5e-324, f64::NEG_INFINITY];
        assert_eq!(Order::default().all(&values), [8, 4, 7, 1, 2, 6, 0, 5, 3]);
    }
}
