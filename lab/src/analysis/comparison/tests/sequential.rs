//! Operator sets at each value of a sweep and over all values, if outcomes decide when the trials
//! end.

use super::*;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::problem::parameter::Value;
use crate::sequential::Outcomes;

const KEY: &str = "problem.n";
/// Maximum number of trials per arm.
const MOST: u64 = 250;
/// Number of simulated experiments.
const TABLES: usize = 30;
/// Maximum number of wrong tables. At a level of 0.05, 1.5 of 30 tables may be wrong. More than 9
/// are with probability 1.2e-6, and in one of the 4 counts below with less than 2e-5.
const ALLOWED: usize = 9;

type Generator = Xoshiro256PlusPlus;

fn unit(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns the evaluations to success of each trial, infinite without success.
fn lengths(rate: f64, rng: &mut Generator) -> Vec<f64> {
    let length = |rng: &mut Generator| (unit(rng) * 1000.0).ceil();
    let one = |rng: &mut Generator| if unit(rng) < rate { length(rng) } else { f64::INFINITY };
    (0..MOST).map(|_| one(rng)).collect()
}

/// Two operator sets at values 0, 1, … of a key, with these rates, and all trials that may be run.
struct Simulated {
    /// Rates of both sets at each value.
    rates: Vec<[f64; 2]>,
    /// Evaluations to success by value and set.
    lengths: Vec<[Vec<f64>; 2]>,
    common: bool,
}

impl Simulated {
    fn new(rates: &[[f64; 2]], common: bool, rng: &mut Generator) -> Self {
        let lengths = rates.iter().map(|both| both.map(|rate| lengths(rate, rng))).collect();
        Simulated { rates: rates.to_vec(), lengths, common }
    }

    /// Returns the arms with these numbers of trials, by value and set.
    fn samples(&self, trials: &[[u64; 2]], rule: Option<&StoppingRule>) -> Vec<Sample> {
        let arm = |value: usize, set: usize| {
            let trials = trials[value][set] as usize;
            let lengths = self.lengths[value][set][..trials].iter().copied();
            Sample {
                label: format!("{set} {KEY}={value}"),
                operators: ["a", "b"][set].to_owned(),
                swept: vec![(KEY.to_owned(), Value::Integer(value as i64))],
                problem: format!("n = {value}"),
                common: self.common,
                stopping_rule: rule.cloned(),
                run_lengths: (0..).zip(lengths).collect(),
                ..Sample::default()
            }
        };
        let values = 0..self.rates.len();
        values.flat_map(|value| [0, 1].map(|set| arm(value, set))).collect()
    }

    /// Returns the rows of `runner compare --within`.
    fn compared(&self, trials: &[[u64; 2]], rule: Option<&StoppingRule>) -> Vec<Comparison> {
        let samples = self.samples(trials, rule);
        let found = factors(&samples, &[KEY.to_owned()], None, false);
        compare_within(&found, self.common, false)
    }

    /// Runs the trials that the rule asks for.
    fn stopped(&self, rule: &StoppingRule) -> Vec<[u64; 2]> {
        let mut outcomes = Outcomes::new(2 * self.rates.len());
        loop {
            let state = rule.state(&outcomes, MOST);
            let each = state.target_trials.chunks(2).map(|both| [both[0], both[1]]);
            let each: Vec<[u64; 2]> = each.collect();
            if state.settled {
                return each;
            }
            for (value, both) in each.iter().enumerate() {
                for (set, trials) in both.iter().enumerate() {
                    let lengths = &self.lengths[value][set];
                    (0..*trials).for_each(|trial| {
                        let success = lengths[trial as usize].is_finite();
                        outcomes.note(2 * value + set, trial, Some(success));
                    });
                }
            }
        }
    }

    /// Returns the faults of a table. The first is a verdict on equal arms, or one in the wrong
    /// direction. The second is an interval over all values that misses the weighted difference.
    fn faults(&self, rows: &[Comparison], trials: &[[u64; 2]]) -> [bool; 2] {
        let gap = |value: usize| self.rates[value][0] - self.rates[value][1];
        let in_pairs = rows.iter().all(|row| row.method.is_paired());
        let weight = |[first, second]: [u64; 2]| match in_pairs {
            true => first.min(second) as f64,
            false => (first * second) as f64 / (first + second) as f64,
        };
        let weights: Vec<f64> = trials.iter().map(|both| weight(*both)).collect();
        let sum: f64 = (0..).zip(&weights).map(|(value, weight)| weight * gap(value)).sum();
        let over = sum / weights.iter().sum::<f64>();
        let [mut verdict, mut interval] = [false; 2];
        for row in rows {
            let truth = match &row.place {
                Place::At(values) => gap(values[0].parse().expect("a value")),
                _ => over,
            };
            verdict |= match row.verdict {
                Verdict::Better => truth <= 0.0,
                Verdict::Worse => truth >= 0.0,
                _ => false,
            };
            let Interval { low, high } = row.difference_interval;
            interval |= row.is_over_strata() && !(low <= truth && truth <= high);
        }
        [verdict, interval]
    }
}

fn rule(criterion: StoppingCriterion) -> StoppingRule {
    StoppingRule { criterion, confidence: 0.95 }
}

const APART: [[f64; 2]; 3] = [[0.9, 0.7], [0.5, 0.5], [0.1, 0.25]];

/// Each arm ends on its own by a stopping rule, so arms have different numbers of trials at each
/// value. The table is wrong at most as often as the level allows. Wrong is a verdict of any row,
/// on any criterion, or the interval over all values.
#[test]
fn tables_of_values_hold_where_a_rule_ended_each_arm() {
    let mut rng = Generator::seed_from_u64(2029);
    let precise = rule(StoppingCriterion::Precision { half_width: 0.1 });
    let race = rule(StoppingCriterion::Best { races: vec![0, 0, 1, 1, 2, 2] });
    for (asked, rates) in [(&precise, APART), (&race, APART)] {
        let (mut wrong, mut uneven) = ([0; 2], false);
        for _ in 0..TABLES {
            let simulated = Simulated::new(&rates, false, &mut rng);
            let trials = simulated.stopped(asked);
            uneven |= trials.iter().any(|both| *both != trials[0]);
            let faults = simulated.faults(&simulated.compared(&trials, Some(asked)), &trials);
            wrong = [0, 1].map(|place| wrong[place] + usize::from(faults[place]));
        }
        assert!(uneven, "{asked:?} gives every arm as many trials");
        assert!(wrong.iter().all(|count| *count <= ALLOWED), "{asked:?}, {rates:?}: {wrong:?}");
    }
}
