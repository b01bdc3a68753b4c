//! Distances between cities.

use crate::metric::Metric;
use runner_plugin::data::InstanceRng;

/// Cities and what lies between them.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    cities: usize,
    between: Between,
    /// Places for pictures; empty if the file has none.
    pub places: Vec<[f64; 2]>,
    /// Whether every way is as long as the way back.
    pub is_symmetric: bool,
    /// Whether the first coordinate points up, as latitudes do.
    pub latitude_first: bool,
}

#[derive(Clone, Debug)]
enum Between {
    /// Distances row by row.
    Table(Vec<u32>),
    /// Distances of places, computed anew each time.
    Places(Metric),
}

/// Maximum number of cities whose distances are kept in a table: 16 MiB.
const MOST_KEPT: usize = 2048;
/// Side of the square of random cities.
const SIDE: u64 = 1_000_000;

impl Distances {
    /// Returns the distances of a full table, row by row. `places` are for pictures.
    pub(crate) fn of_table(cities: usize, table: Vec<u32>, places: Vec<[f64; 2]>) -> Self {
        let is_symmetric = (0..cities)
            .all(|from| (0..from).all(|to| table[from * cities + to] == table[to * cities + from]));
        let between = Between::Table(table);
        Distances { cities, between, places, is_symmetric, latitude_first: false }
    }

    /// Returns the distances of places.
    pub(crate) fn of_places(places: Vec<[f64; 2]>, metric: Metric) -> Self {
        let cities = places.len();
        let between = if cities > MOST_KEPT {
            Between::Places(metric)
        } else {
            let row = |one: [f64; 2]| places.iter().map(move |other| metric.between(one, *other));
            // A city has no way to itself, though kilometres on the earth are rounded up.
            let mut table: Vec<u32> = places.iter().copied().flat_map(row).collect();
            (0..cities).for_each(|city| table[city * (cities + 1)] = 0);
            Between::Table(table)
        };
        let latitude_first = metric == Metric::Geo;
        Distances { cities, between, places, is_symmetric: true, latitude_first }
    }

    /// Returns cities at random places of a square, whose distances are rounded (Johnson and
    /// McGeoch 2002, doi:10.1007/0-306-48213-4_9).
    pub(crate) fn random(cities: usize, seed: i64) -> Self {
        let mut rng = InstanceRng::new(seed);
        let mut place = || [rng.below(SIDE) as f64, rng.below(SIDE) as f64];
        let places = (0..cities).map(|_| place()).collect();
        Distances::of_places(places, Metric::Euc2d)
    }

    /// Returns the number of cities.
    pub(crate) fn cities(&self) -> usize {
        self.cities
    }

    /// Returns the way from a city to another.
    #[inline]
    pub(crate) fn way(&self, from: usize, to: usize) -> i64 {
        match &self.between {
            Between::Table(table) => table[from * self.cities + to].into(),
            Between::Places(_) if from == to => 0,
            Between::Places(metric) => metric.between(self.places[from], self.places[to]).into(),
        }
    }

    /// Returns the length of the round trip through the cities in this order.
    pub(crate) fn tour(&self, cities: impl Iterator<Item = usize> + Clone) -> i64 {
        let next = cities.clone().skip(1).chain(cities.clone().take(1));
        cities.zip(next).map(|(from, to)| self.way(from, to)).sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The shortest round trip by dynamic programming over sets of cities (Held and Karp 1962,
    /// doi:10.1137/0110015).
    pub(crate) fn shortest(distances: &Distances) -> i64 {
        let last = distances.cities() - 1;
        let mut best = vec![vec![i64::MAX / 2; last]; 1 << last];
        for city in 0..last {
            best[1 << city][city] = distances.way(last, city);
        }
        for set in 1..1usize << last {
            for city in (0..last).filter(|city| set >> city & 1 == 1) {
                for next in (0..last).filter(|next| set >> next & 1 == 0) {
                    let length = best[set][city] + distances.way(city, next);
                    let entry = &mut best[set | 1 << next][next];
                    *entry = length.min(*entry);
                }
            }
        }
        let all = best.last().expect("at least one set");
        (0..last).map(|city| all[city] + distances.way(city, last)).min().expect("a city")
    }

    #[test]
    fn a_table_and_its_places_have_the_same_distances() {
        let kept = Distances::random(30, 7);
        let anew = Distances { between: Between::Places(Metric::Euc2d), ..kept.clone() };
        for from in 0..30 {
            for to in 0..30 {
                assert_eq!(kept.way(from, to), anew.way(from, to));
            }
        }
        assert_eq!(kept.tour([0, 1].into_iter()), 2 * kept.way(0, 1));
    }

    #[test]
    fn other_seeds_are_other_cities() {
        let places = |seed| Distances::random(5, seed).places;
        assert_eq!(places(1), places(1));
        assert_ne!(places(1), places(2));
        assert!(places(1).iter().flatten().all(|part| (0.0..1e6).contains(part)));
    }

    #[test]
    fn the_dynamic_programme_finds_what_all_orders_give() {
        let distances = Distances::random(7, 3);
        let mut orders = vec![vec![0]];
        for city in 1..7 {
            let with = |order: &Vec<usize>| {
                (1..=order.len())
                    .map(|place| {
                        let mut order = order.clone();
                        order.insert(place, city);
                        order
                    })
                    .collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(with).collect();
        }
        assert_eq!(orders.len(), 720);
        let lengths = orders.iter().map(|order| distances.tour(order.iter().copied()));
        assert_eq!(Some(shortest(&distances)), lengths.min());
    }

    #[test]
    fn the_target_of_the_config_is_the_shortest_tour() {
        let config = include_str!("../../../configs/tsp.toml");
        assert!(config.contains("\nn      = 18\n"), "the cities are these");
        let shortest = shortest(&Distances::random(18, 1));
        assert!(config.contains(&format!("\nfitness     = {shortest}\n")), "{shortest}");
    }
}
