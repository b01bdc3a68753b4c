//! Items, and the greatest profit that fits.

/// Item to take or to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub profit: i64,
    pub weight: i64,
}

/// Items and the weight that they may have together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Items {
    pub items: Vec<Item>,
    pub capacity: i64,
}

/// Maximum number of items times capacity for which the greatest profit is computed.
const MOST_STEPS: u128 = 20_000_000;

impl Items {
    /// Returns profit and weight of the chosen items.
    pub(crate) fn sums(&self, chosen: &[u8]) -> Item {
        let mut sums = Item { profit: 0, weight: 0 };
        for (item, chosen) in self.items.iter().zip(chosen) {
            sums.profit += item.profit * i64::from(*chosen);
            sums.weight += item.weight * i64::from(*chosen);
        }
        sums
    }

    /// Returns the greatest profit within the capacity, by dynamic programming over capacities
    /// (Bellman 1957); `None` if that takes long.
    pub(crate) fn best(&self) -> Option<i64> {
        let all: i64 = self.items.iter().map(|item| item.weight).sum();
        let capacity = self.capacity.min(all);
        if self.items.len() as u128 * capacity as u128 > MOST_STEPS {
            return None;
        }
        let mut best = vec![0; capacity as usize + 1];
        for Item { profit, weight } in &self.items {
            let weight = *weight as usize;
            for used in (weight..best.len()).rev() {
                best[used] = best[used].max(best[used - weight] + profit);
            }
        }
        best.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;

    /// The greatest profit by trying all choices.
    fn greatest(items: &Items) -> i64 {
        let n = items.items.len();
        let fitting = (0..1u32 << n).filter_map(|number| {
            let chosen: Vec<u8> = (0..n).map(|item| (number >> item & 1) as u8).collect();
            let sums = items.sums(&chosen);
            (sums.weight <= items.capacity).then_some(sums.profit)
        });
        fitting.max().expect("no item fits always")
    }

    #[test]
    fn the_dynamic_programme_finds_what_all_choices_give() {
        for (_, class) in Class::ALL {
            for seed in 1..=3 {
                let items = Items::random(class, (12, 50), 0.4, seed);
                assert_eq!(items.best(), Some(greatest(&items)), "{class:?} {seed}");
            }
        }
        let light = Items { items: vec![Item { profit: 3, weight: 0 }; 2], capacity: 0 };
        assert_eq!(light.best(), Some(6));
        let heavy = Items { items: vec![Item { profit: 1, weight: 1 << 40 }], capacity: 1 << 40 };
        assert_eq!(heavy.best(), None);
    }
}
