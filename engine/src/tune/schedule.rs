//! Schedule of a tuning: numbers of iterations and settings, and the width of draws.

/// Average number of pairs of trials per setting in the first iteration. Settings that are far from
/// the best need about half of it to drop out.
const PAIRS: u64 = 25;
/// Additional pairs per iteration, up to the fifth: later settings are closer to each other.
const MORE_PAIRS: u64 = 5;
/// Maximum number of settings of an iteration.
const MOST: u64 = 200;
/// Width of the first draws around survivors, as a share of the range.
const WIDEST: f64 = 0.5;

/// Returns the number of settings that an iteration leaves for the next, for this number of tuned
/// keys: 2 + log2 of it, rounded down.
#[must_use]
pub fn survivors(keys: usize) -> usize {
    2 + keys.max(1).ilog2() as usize
}

/// Position within a tuning: what is left of the budget, and how widely settings are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    keys: usize,
    instances: usize,
    /// Number of the iteration, from 1.
    pub iteration: u32,
    /// Budget that is left, in trials or evaluations.
    pub left: u64,
    /// Standard deviation of draws around survivors, as a share of the range.
    pub width: f64,
}

impl Schedule {
    /// Returns the schedule of a tuning of `keys` keys on `instances` instances with this budget,
    /// before its first iteration.
    #[must_use]
    pub fn new(keys: usize, budget: u64, instances: usize) -> Self {
        Schedule { keys, instances, iteration: 1, left: budget, width: WIDEST }
    }

    /// Returns the planned number of iterations, as many as survivors. More follow while there is
    /// enough budget.
    #[must_use]
    pub fn iterations(&self) -> u32 {
        survivors(self.keys) as u32
    }

    /// Returns the number of iterations that there will be in any case, this one included: if each
    /// spends all of its budget, and every trial has this cost.
    #[must_use]
    pub fn sure_iterations(self, cost: f64) -> u32 {
        let mut schedule = self;
        while let Some(budget) = schedule.budget(cost) {
            schedule.left -= budget;
            schedule.iteration += 1;
        }
        schedule.iteration - self.iteration
    }

    /// Returns the budget of this iteration: an equal part of what is left for the planned ones, or
    /// the minimum if that is more. `cost` is the expected cost of a trial, in units of the budget.
    /// `None` if less than the minimum is left.
    #[must_use]
    pub fn budget(&self, cost: f64) -> Option<u64> {
        let part = self.left / u64::from(self.iterations().saturating_sub(self.iteration) + 1);
        let budget = part.max(self.least(cost));
        (budget <= self.left).then_some(budget)
    }

    /// Returns the number of settings of this iteration, survivors included: at least twice as many
    /// as survive. `None` if less than the minimum budget is left.
    #[must_use]
    pub fn settings(&self, cost: f64) -> Option<usize> {
        let of_setting = self.trials_per_setting() as f64 * cost;
        let settings = (self.budget(cost)? as f64 / of_setting).min(MOST as f64) as usize;
        Some(settings.max(self.fewest()))
    }

    /// Returns the minimum budget of this iteration.
    #[must_use]
    pub fn least(&self, cost: f64) -> u64 {
        (self.fewest() as f64 * self.trials_per_setting() as f64 * cost).ceil() as u64
    }

    /// Returns the minimum number of settings of an iteration.
    #[must_use]
    pub fn fewest(&self) -> usize {
        2 * survivors(self.keys)
    }

    /// Returns the average number of trials per setting that this iteration plans with: at least
    /// two per instance.
    fn trials_per_setting(&self) -> u64 {
        let pairs = PAIRS + MORE_PAIRS * u64::from(self.iteration.min(5));
        pairs.max(2 * self.instances as u64)
    }

    /// Returns the schedule of the next iteration, after `spent` of the budget was spent on a race
    /// with `drawn` new settings. If the survivors `agree`, the tuning restarts around them: the
    /// width grows back by two iterations.
    #[must_use]
    pub fn next(self, spent: u64, drawn: usize, agree: bool) -> Self {
        let step = libm::pow(1.0 / drawn.max(1) as f64, 1.0 / self.keys.max(1) as f64);
        let width = if agree { self.width / step } else { self.width * step };
        Schedule {
            iteration: self.iteration + 1,
            left: self.left.saturating_sub(spent),
            width: width.min(WIDEST),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planned_iterations_have_equal_parts_and_more_follow_with_what_is_left() {
        assert_eq!([1, 2, 3, 4, 7, 8].map(survivors), [2, 3, 3, 4, 4, 5]);
        let first = Schedule::new(1, 3_000, 1);
        assert_eq!((first.iterations(), first.budget(1.0)), (2, Some(1_500)));
        assert_eq!(first.sure_iterations(1.0), 2);
        // The first of three planned iterations needs 54,000, the second 63,000.
        assert_eq!(Schedule::new(3, 60_000, 1).sure_iterations(300.0), 1);
        assert_eq!(Schedule::new(3, 53_999, 1).sure_iterations(300.0), 0);
        assert_eq!(Schedule::new(3, 54_000 + 63_000, 1).sure_iterations(300.0), 2);
        assert_eq!(first.settings(1.0), Some(50));
        // With trials that cost twice as much, or with many instances, there are fewer.
        assert_eq!(first.settings(2.0), Some(25));
        assert_eq!(Schedule::new(1, 3_000, 75).settings(1.0), Some(10));
        assert_eq!((first.least(1.0), first.least(2.0)), (120, 240));
        let second = first.next(1_000, 49, false);
        assert_eq!((second.budget(1.0), second.settings(1.0)), (Some(2_000), Some(57)));
        let third = second.next(1_800, 55, false);
        assert_eq!((third.budget(1.0), third.settings(1.0)), (Some(200), Some(5)));
        assert_eq!(third.next(100, 3, false).settings(1.0), None);
        // Too little for two iterations is enough for one.
        let small = Schedule::new(1, 130, 1);
        assert_eq!((small.budget(1.0), small.settings(1.0)), (Some(120), Some(4)));
        assert_eq!(Schedule::new(1, 119, 1).settings(1.0), None);
    }

    #[test]
    fn draws_narrow_with_the_number_of_settings_and_widen_where_survivors_agree() {
        let first = Schedule::new(2, 3_000, 1);
        let second = first.next(0, 25, false);
        assert!((second.width - 0.1).abs() < 1e-12, "{second:?}");
        assert!((second.next(0, 25, false).width - 0.02).abs() < 1e-12);
        assert!((second.next(0, 25, true).width - 0.5).abs() < 1e-12);
        assert!(first.next(0, 25, true).width <= 0.5);
    }
}
