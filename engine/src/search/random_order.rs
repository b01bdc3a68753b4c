//! Random orders: numbers that a search takes one by one, each at most once per shuffle.

use super::look_ahead::MOST;
use super::snapshot::Snapshot;
use crate::random::draws::{Random, below_large};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of shuffle steps that can be undone: all turns of a look-ahead.
const STEPS: usize = MOST.next_power_of_two();
/// Maximum count of numbers that are kept in a list.
const LISTED: u64 = 1 << 24;

/// The numbers below a count in a random order, drawn step by step (Fisher and Yates).
pub(super) struct RandomOrder {
    count: u64,
    numbers: Numbers,
    /// Number of shuffle steps that are drawn.
    place: u64,
    /// Places that the last steps swapped with. The place of step k is at index k modulo the
    /// length.
    from: [u64; STEPS],
}

/// Number at each place.
#[derive(Serialize, Deserialize)]
enum Numbers {
    /// All numbers, in the order of the last shuffle.
    List(Vec<u32>),
    /// Numbers that are not at the place of their own number. A shuffle begins without any, so that
    /// it needs memory only for its steps.
    Moved(BTreeMap<u64, u64>),
}

impl Numbers {
    fn swap(&mut self, one: u64, other: u64) {
        match self {
            Numbers::List(list) => list.swap(one as usize, other as usize),
            Numbers::Moved(moved) => {
                let [first, second] =
                    [one, other].map(|place| moved.get(&place).copied().unwrap_or(place));
                for (place, number) in [(one, second), (other, first)] {
                    if place == number {
                        moved.remove(&place);
                    } else {
                        moved.insert(place, number);
                    }
                }
            }
        }
    }

    fn at(&self, place: u64) -> u64 {
        match self {
            Numbers::List(list) => list[place as usize].into(),
            Numbers::Moved(moved) => moved.get(&place).copied().unwrap_or(place),
        }
    }
}

impl RandomOrder {
    /// Creates an order of the numbers below `count`.
    pub(super) fn new(count: u64) -> Self {
        let numbers = match count <= LISTED {
            true => Numbers::List(Vec::new()),
            false => Numbers::Moved(BTreeMap::new()),
        };
        RandomOrder { count, numbers, place: 0, from: [0; STEPS] }
    }

    /// Begins a trial. Its first shuffle begins with the numbers in order, so that a trial depends
    /// on its seed alone.
    pub(super) fn put_in_order(&mut self) {
        if let Numbers::List(list) = &mut self.numbers {
            list.clear();
            list.extend(0..self.count as u32);
        }
    }

    /// Writes or reads the order. Steps before the snapshot cannot be undone after it.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.numbers);
        snapshot.save_or_restore(&mut self.place);
    }

    /// Begins a shuffle; its steps are the turns of the search.
    pub(super) fn shuffle(&mut self) {
        self.place = 0;
        if let Numbers::Moved(moved) = &mut self.numbers {
            moved.clear();
        }
    }

    /// Draws the next step of the shuffle, and returns its number.
    #[inline]
    pub(super) fn step(&mut self, random: &mut Random) -> u64 {
        let place = self.place;
        let from = place + below_large(random, self.count - place);
        self.numbers.swap(place, from);
        self.from[place as usize % STEPS] = from;
        self.place += 1;
        self.numbers.at(place)
    }

    /// Returns the number of steps that can still be drawn.
    #[inline]
    pub(super) fn left(&self) -> usize {
        (self.count - self.place) as usize
    }

    /// Undoes the last steps.
    #[inline]
    pub(super) fn take_back(&mut self, steps: usize) {
        for _ in 0..steps {
            self.place -= 1;
            self.numbers.swap(self.place, self.from[self.place as usize % STEPS]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_moved(count: u64) -> RandomOrder {
        RandomOrder { numbers: Numbers::Moved(BTreeMap::new()), ..RandomOrder::new(count) }
    }

    /// Without a list, a shuffle is that of a list in order, step by step.
    #[test]
    fn a_shuffle_without_a_list_has_the_numbers_of_one_with_it() {
        let [mut one, mut other] = [3, 3].map(Random::seed_from_u64);
        let mut moved = of_moved(40);
        for _ in 0..20 {
            let mut listed = RandomOrder::new(40);
            listed.put_in_order();
            listed.shuffle();
            moved.shuffle();
            for round in 0..10 {
                for _ in 0..4 {
                    assert_eq!(moved.step(&mut one), listed.step(&mut other));
                }
                let back = round % 3;
                moved.take_back(back);
                listed.take_back(back);
                assert_eq!(moved.left(), listed.left());
            }
            while moved.left() > 0 {
                assert_eq!(moved.step(&mut one), listed.step(&mut other));
            }
        }
    }

    #[test]
    fn each_number_comes_once() {
        let mut random = Random::seed_from_u64(9);
        for mut order in [RandomOrder::new(50), of_moved(50)] {
            order.put_in_order();
            for _ in 0..3 {
                order.shuffle();
                let mut seen: Vec<u64> = (0..50).map(|_| order.step(&mut random)).collect();
                assert!(!seen.is_sorted());
                seen.sort_unstable();
                assert_eq!(seen, (0..50).collect::<Vec<u64>>());
            }
        }
    }
}
