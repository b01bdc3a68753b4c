//! Classes of random items by Pisinger (2005), doi:10.1016/j.cor.2004.03.002.

use crate::items::{Item, Items};
use runner_plugin::data::InstanceRng;

/// Relation of profit and weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Profits and weights of 1 to the range.
    Uncorrelated,
    /// Profit within a tenth of the range of the weight, at least 1.
    WeaklyCorrelated,
    /// Profit a tenth of the range above the weight.
    StronglyCorrelated,
    /// Weight a tenth of the range above the profit.
    InverseStronglyCorrelated,
    /// Profit a tenth of the range above the weight, give or take a five hundredth.
    AlmostStronglyCorrelated,
    /// Profit equal to the weight.
    SubsetSum,
}

impl Class {
    /// All classes, with their names in configs.
    pub(crate) const ALL: [(&'static str, Class); 6] = [
        ("uncorrelated", Class::Uncorrelated),
        ("weakly-correlated", Class::WeaklyCorrelated),
        ("strongly-correlated", Class::StronglyCorrelated),
        ("inverse-strongly-correlated", Class::InverseStronglyCorrelated),
        ("almost-strongly-correlated", Class::AlmostStronglyCorrelated),
        ("subset-sum", Class::SubsetSum),
    ];

    /// Returns the class of a name.
    pub(crate) fn named(name: &str) -> Option<Class> {
        Class::ALL.iter().find(|(word, _)| *word == name).map(|(_, class)| *class)
    }

    /// Returns a random item.
    fn item(self, range: i64, rng: &mut InstanceRng) -> Item {
        let (first, tenth) = (rng.within(1, range), range / 10);
        let mut about = |middle: i64, by: i64| rng.within(middle - by, middle + by);
        let (profit, weight) = match self {
            Class::Uncorrelated => (rng.within(1, range), first),
            Class::WeaklyCorrelated => (about(first, tenth).max(1), first),
            Class::StronglyCorrelated => (first + tenth, first),
            Class::InverseStronglyCorrelated => (first, first + tenth),
            Class::AlmostStronglyCorrelated => (about(first + tenth, range / 500), first),
            Class::SubsetSum => (first, first),
        };
        Item { profit, weight }
    }
}

impl Items {
    /// Returns `n` random items of a class and range, with a capacity that is a share of their
    /// weight, rounded down.
    pub(crate) fn random(class: Class, (n, range): (usize, i64), share: f64, seed: i64) -> Self {
        let mut rng = InstanceRng::new(seed);
        let items: Vec<Item> = (0..n).map(|_| class.item(range, &mut rng)).collect();
        let weight: i64 = items.iter().map(|item| item.weight).sum();
        Items { capacity: share_of(weight, share), items }
    }
}

/// Returns a share of a weight, rounded down. 0.29 of 100 is 29, though the product of the floating
/// point numbers is 28.999999999999996.
fn share_of(weight: i64, share: f64) -> i64 {
    let product = share * weight as f64;
    let nearest = product.round();
    let is_whole = (product - nearest).abs() <= nearest * 4.0 * f64::EPSILON;
    (if is_whole { nearest } else { product.floor() }) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_decimals() {
        for hundredths in 0..=100 {
            for weight in [1, 7, 99, 100, 101, 12_345, 1_000_000] {
                let share = share_of(weight, hundredths as f64 / 100.0);
                assert_eq!(share, weight * hundredths / 100, "0.{hundredths:02} of {weight}");
            }
        }
    }

    #[test]
    fn every_class_has_its_relation() {
        for (name, class) in Class::ALL {
            assert_eq!(Class::named(name), Some(class));
            let items = Items::random(class, (2000, 1000), 0.5, 1);
            for Item { profit, weight } in &items.items {
                let (over, good) = (profit - weight, 1..=1000);
                let keeps = match class {
                    Class::Uncorrelated => good.contains(profit) && good.contains(weight),
                    Class::WeaklyCorrelated => over.abs() <= 100 && *profit >= 1,
                    Class::StronglyCorrelated => over == 100 && good.contains(weight),
                    Class::InverseStronglyCorrelated => over == -100 && good.contains(profit),
                    Class::AlmostStronglyCorrelated => (98..=102).contains(&over),
                    Class::SubsetSum => over == 0 && good.contains(weight),
                };
                assert!(keeps, "{name}: profit {profit}, weight {weight}");
            }
            let weight: i64 = items.items.iter().map(|item| item.weight).sum();
            assert_eq!(items.capacity, weight / 2);
        }
        assert_eq!(Class::named("other"), None);
    }
}
