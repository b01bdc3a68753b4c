//! Comparisons: whether one arm is better than another, by how much, and with what certainty.

mod answer;
mod effects;
mod factors;
mod family;
mod grounds;
mod matched;
mod pair;
mod sample;
mod strata;
#[cfg(test)]
mod tests;

pub(crate) use answer::{Answer, Placed, answers};
pub(crate) use effects::Shift;
pub(crate) use factors::{Factors, compare_within, factors, keys_of_all};
pub(crate) use family::{ALL_PAIRS, Family, Rule, family};
pub(crate) use grounds::Ground;
pub(crate) use matched::{Matched, matched};
pub(crate) use pair::{Comparison, Place, compare, made_in_pairs, tests_of};
pub(crate) use sample::{SAME_BUDGET, Sample, common_budget};
