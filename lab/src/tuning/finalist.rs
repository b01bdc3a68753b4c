//! Figures of a setting on the test instances, by trials that did not choose it.

use crate::sequential::costs::Costs;
use crate::stats::{Interval, quantile_interval};
use serde::{Deserialize, Serialize};

/// Level of the interval of the median.
const LEVEL: f64 = 0.95;

/// Setting in the comparison at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finalist {
    /// Number of the setting.
    pub setting: usize,
    /// Number of trials on all instances, without those that failed.
    pub trials: u64,
    /// Number of failed trials.
    pub failures: u64,
    /// Mean cost; `None` if no trial ran.
    pub mean: Option<f64>,
    /// Median cost; `None` if no trial ran.
    pub median: Option<f64>,
    /// Interval of the median at a level of 95 %; `None` with too few trials.
    pub interval: Option<Interval>,
    /// Numbers of pairs in which it was cheaper than the setting of the file, and in which it was
    /// dearer. `None` for the setting of the file.
    pub against_own: Option<(u64, u64)>,
    /// Lines of TOML below `[[operators]]`; none for the setting of the file.
    pub lines: Vec<String>,
    /// Reason why it is not among the best; `None` if it is.
    pub dropped_out: Option<DroppedOut>,
}

/// Reason why a setting dropped out of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedOut {
    /// Number of trials per instance after which it dropped out.
    pub after: u64,
    /// Setting with the most evidence of being cheaper.
    pub by: usize,
}

impl Finalist {
    /// Computes the figures of a setting. `arms` are its arms on all instances, and `own` those of
    /// the setting of the file; `None` if that is this setting.
    pub(super) fn new(
        setting: usize,
        costs: &Costs,
        arms: std::ops::Range<usize>,
        own: Option<std::ops::Range<usize>>,
        dropped_out: Option<DroppedOut>,
    ) -> Self {
        let trials = |arm: usize| (0..).map_while(move |trial| costs.at(arm, trial));
        let all = || arms.clone().flat_map(trials);
        let mut ran: Vec<f64> = all().filter_map(|trial| trial.cost).collect();
        ran.sort_by(f64::total_cmp);
        let count = ran.len() as u64;
        let against_own = own.map(|own| {
            let pairs =
                arms.clone().zip(own).flat_map(|(one, other)| trials(one).zip(trials(other)));
            let both = pairs.filter_map(|(one, other)| one.cost.zip(other.cost));
            both.fold((0, 0), |(won, lost), (one, other)| {
                (won + u64::from(one < other), lost + u64::from(other < one))
            })
        });
        Finalist {
            setting,
            trials: count,
            failures: all().count() as u64 - count,
            mean: (count > 0).then(|| ran.iter().sum::<f64>() / count as f64),
            median: crate::stats::median(&ran),
            interval: quantile_interval(&ran, 0.5, LEVEL),
            against_own,
            lines: Vec::new(),
            dropped_out,
        }
    }
}
