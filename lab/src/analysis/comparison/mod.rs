//! Comparisons: whether one arm is better than another, by how much, and with what certainty.

mod answer;
mod criterion;
mod effects;
mod factors;
mod family;
mod matched;
mod pair;
mod sample;
mod strata;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Placed, answers};
pub use criterion::Criterion;
pub use effects::Shift;
pub use factors::{Factors, compare_within, factors, keys_of_all, limits_of_problems};
pub use family::{ALL_PAIRS, Family, MOST_PAIRS, Rule, family};
pub use matched::{Matched, matched};
pub use pair::{Comparison, Place, compare, made_in_pairs, tests_of};
pub(crate) use sample::IMPORTED;
pub(crate) use sample::draws;
pub use sample::{SAME_BUDGET, Sample, common_budget, is_imported};
