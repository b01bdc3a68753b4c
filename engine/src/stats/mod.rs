//! Statistics: pure functions over slices. Transcendental functions come from `libm`, so that
//! results are bit-identical on every machine.

mod beta;
mod brunner_munzel;
mod clopper_pearson;
mod clusters;
mod counts;
mod deviation;
mod difference;
mod difference_sequence;
mod ert;
mod fisher;
mod frequencies;
mod friedman;
mod incidence;
mod inverse_sampling;
mod multiset;
mod normal;
mod paired;
mod paired_sequence;
mod permutations;
mod power;
mod pseudo_median;
mod quantile;
mod rank_test;
mod ranks;
mod restart;
mod rounded;
mod run_length;
mod selection;
mod sequence;
mod shift;
mod stratified_difference;
mod stratified_test;
mod superiority;
mod wilcoxon;
mod wilson;

pub use brunner_munzel::brunner_munzel;
pub use clopper_pearson::clopper_pearson;
pub use clusters::cluster_factor;
pub use counts::TrialCounts;
pub use deviation::StandardDeviation;
pub use difference::rate_difference;
pub use difference_sequence::{AnytimeDifference, Observed, difference_sequence};
pub use ert::{
    BOOTSTRAP_RESAMPLES, ERT_SUCCESSES, Ert, ErtInterval, ert, ert_interval, ert_interval_at,
    per_success,
};
pub use fisher::{fisher, mcnemar, weighed_mcnemar};
pub use frequencies::Frequencies;
pub use friedman::{Friedman, critical_difference, friedman, nemenyi};
pub use incidence::{
    End, Incidence, MedianInterval, Reached, RunLength, Step, incidence, median_interval,
};
pub use inverse_sampling::inverse_sampling;
pub use multiset::{Countable, Multiset};
pub use normal::{normal_cdf, normal_quantile};
pub use paired::{paired_difference, weighed_difference};
pub use paired_sequence::{paired_evidence, paired_sequence};
pub use permutations::EXACT_STEPS;
pub use power::{SampleSize, pairs_to_tell, plan_pairs, plan_trials, trials_to_tell};
pub use pseudo_median::pseudo_median;
pub use quantile::{median, quantile, quantiles};
pub use rank_test::{Distribution, RankTest};
pub use ranks::{holm, mann_whitney};
pub use restart::{CutOff, RestartGain, best_cut_off, restart_gain};
pub use rounded::{Rounded, tied, tied_differences};
pub use run_length::{ecdf_band, quantile_interval, success_performance};
pub use sequence::{concentration_for, confidence_sequence, evidence_against, evidence_of_more};
pub use shift::hodges_lehmann;
pub use stratified_difference::stratified_difference;
pub use stratified_test::{Stratum, cochran_mantel_haenszel, cochran_score, van_elteren};
pub use superiority::{effect_size, effect_word, vargha_delaney};
pub use wilcoxon::wilcoxon;
pub use wilson::wilson;

/// Closed interval between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

#[cfg(test)]
mod tests;
