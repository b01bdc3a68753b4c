//! The last look at tables before they appear: each trial that is asked for must be in them, once,
//! with its trace.

use crate::plan::ResultsSpec;
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::storage::finished::Finished;
use crate::results::storage::recovery::must_be_traced;
use std::ops::Range;
use std::path::Path;

/// Counter of rows as they are written. It trusts no count made before.
pub(crate) struct CompletenessCheck<'a> {
    spec: &'a ResultsSpec,
    /// The trial of each arm that is to come next.
    next: Vec<u64>,
    /// Runs of trials that did not come when they should have.
    missing: Vec<(usize, Range<u64>)>,
    /// Trials of which no trace was written yet.
    untraced: Finished,
    /// Last trial whose rows of generations were seen.
    traced: Option<(usize, u64)>,
    /// Number of trials seen and wanted, in each of the tables.
    seen: u64,
    wanted: u64,
    /// Number of rows seen.
    rows: u64,
    report: &'a mut dyn FnMut(f64),
}

/// Number of rows after which the share of seen trials is reported again.
const ROWS_PER_REPORT: u64 = 1 << 12;

impl<'a> CompletenessCheck<'a> {
    /// Creates the check of no row yet. `report` receives the share of the trials of all tables
    /// that was seen, now and then.
    pub(crate) fn new(spec: &'a ResultsSpec, report: &'a mut dyn FnMut(f64)) -> Self {
        let arms = spec.arms.len();
        let trials: u64 = (0..arms).map(|arm| spec.limit(arm)).sum();
        let tables = if spec.trace == Trace::None { 1 } else { 2 };
        CompletenessCheck {
            spec,
            next: vec![0; arms],
            missing: Vec::new(),
            untraced: Finished::new(arms),
            traced: None,
            seen: 0,
            wanted: trials.saturating_mul(tables),
            rows: 0,
            report,
        }
    }

    /// Counts a row.
    fn count(&mut self, is_new_trial: bool) {
        self.seen += u64::from(is_new_trial);
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_PER_REPORT) {
            (self.report)((self.seen as f64 / self.wanted as f64).min(1.0));
        }
    }

    /// Notes a row of the trials table. The rows of an arm come in order.
    pub(crate) fn trial(&mut self, record: &TrialRecord) {
        let next = &mut self.next[record.arm];
        if record.trial > *next {
            self.missing.push((record.arm, *next..record.trial));
        }
        *next = record.trial + 1;
        self.count(true);
        if self.spec.trace != Trace::None && must_be_traced(record.outcome, record.generations) {
            self.untraced.insert(record.arm, record.trial);
        }
    }

    /// Notes a row of the generations table.
    pub(crate) fn traced(&mut self, arm: usize, trial: u64) {
        let is_new_trial = self.traced.replace((arm, trial)) != Some((arm, trial));
        if is_new_trial {
            self.untraced.remove(arm, trial);
        }
        self.count(is_new_trial);
    }

    /// # Errors
    /// Returns an error if a trial was missing, or its trace.
    pub(crate) fn finish(mut self, folder: &Path) -> Result<(), ResultsError> {
        for arm in 0..self.next.len() {
            if self.next[arm] < self.spec.limit(arm) {
                self.missing.push((arm, self.next[arm]..self.spec.limit(arm)));
            }
        }
        let untraced = self.untraced.total();
        let lacking =
            self.missing.iter().map(|(_, run)| run.end - run.start).sum::<u64>() + untraced;
        if lacking == 0 {
            return Ok(());
        }
        let label = |arm: usize| &self.spec.arms[arm].label;
        let example = match self.missing.first() {
            Some((arm, run)) => format!("trial {} of `{}`", run.start, label(*arm)),
            None => {
                let arm =
                    (0..self.next.len()).find(|arm| self.untraced.count(*arm) > 0).unwrap_or(0);
                format!("the trace of a trial of `{}`", label(arm))
            }
        };
        let wanted = (0..self.next.len()).map(|arm| self.spec.limit(arm)).sum();
        Err(ResultsError::MissingTrials { folder: folder.to_owned(), lacking, wanted, example })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{record, spec};

    #[test]
    fn one_trial_less_is_noticed_wherever_it_is() {
        let spec = spec(&[10, 20], 5, Trace::Best);
        let keys: Vec<(usize, u64)> =
            (0..2).flat_map(|arm| (0..5).map(move |trial| (arm, trial))).collect();
        let call = |without: Option<(usize, u64)>, untraced: Option<(usize, u64)>| {
            let mut report = |_| ();
            let mut check = CompletenessCheck::new(&spec, &mut report);
            for (arm, trial) in keys.iter().copied().filter(|key| Some(*key) != without) {
                let record = record(&spec, arm, trial);
                check.trial(&record);
                if Some((arm, trial)) != untraced {
                    check.traced(arm, trial);
                }
            }
            check.finish(Path::new("here")).map_err(|error| error.to_string())
        };
        assert_eq!(call(None, None), Ok(()));
        for (arm, trial) in keys.iter().copied() {
            let error = call(Some((arm, trial)), None).expect_err("one is missing");
            assert!(
                error.contains("1 of 10 trials are missing")
                    && error.contains(&format!("trial {trial} of")),
                "{error}"
            );
            let traced = record(&spec, arm, trial);
            let must = must_be_traced(traced.outcome, traced.generations);
            assert_eq!(call(None, Some((arm, trial))).is_err(), must);
        }
    }
}
