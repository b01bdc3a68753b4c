//! Figures that outcomes ended keep their level: simulated coin tosses through the code that ends
//! experiments and works out their figures.

use crate::util::sized;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::analysis::{Counts, rates_apart};
use runner::plan::stopping::{StoppingCriterion, StoppingRule};
use runner::sequential::Outcomes;

/// Of so many experiments, each wrong with probability 0.2 or 0.05, more than `most` or `few` are
/// wrong with probability 1e-4: the false-alarm rate of each check.
struct Experiments {
    all: u64,
    most: u64,
    few: u64,
}

impl Experiments {
    fn new() -> Self {
        let [all, most, few] = [sized(120, 400), sized(41, 111), sized(17, 38)];
        Experiments { all, most, few }
    }
}

/// An experiment of arms with these rates, run until it has told enough: each arm's outcomes.
fn run(
    stopping_rule: &StoppingRule,
    rates: &[f64],
    most: u64,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<bool>> {
    let mut outcomes = Outcomes::new(rates.len());
    let mut trials: Vec<Vec<bool>> = vec![Vec::new(); rates.len()];
    loop {
        let state = stopping_rule.state(&outcomes, most);
        if state.settled {
            return trials;
        }
        for (arm, rate) in rates.iter().enumerate() {
            while (trials[arm].len() as u64) < state.target_trials[arm] {
                let success = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                outcomes.note(arm, trials[arm].len() as u64, Some(success < *rate));
                trials[arm].push(success < *rate);
            }
        }
    }
}

fn count(arm: &[bool]) -> (u64, u64) {
    (arm.iter().filter(|success| **success).count() as u64, arm.len() as u64)
}

fn pairs(first: &[bool], second: &[bool]) -> Counts {
    let alone = |one: &[bool], other: &[bool]| {
        one.iter().zip(other).filter(|(one, other)| **one && !**other).count() as u64
    };
    Counts::Pairs {
        first: alone(first, second),
        second: alone(second, first),
        all: first.len().min(second.len()) as u64,
    }
}

fn misses(counts: Counts, stopping_rule: &StoppingRule, truth: f64) -> u64 {
    let (difference, _) = rates_apart(counts, [Some(stopping_rule); 2]).expect("there are trials");
    u64::from(truth < difference.interval.low - 1e-12 || difference.interval.high + 1e-12 < truth)
}

#[test]
fn differences_keep_their_level_where_each_rate_was_to_be_precise() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
    let Experiments { all, most, few } = Experiments::new();
    for (confidence, most_wrong) in [(0.95, few), (0.8, most)] {
        let stopping_rule = StoppingRule {
            criterion: StoppingCriterion::Precision { half_width: 0.12 },
            confidence,
        };
        for rates in [[0.05, 0.1], [0.5, 0.5]] {
            let mut wrong = 0;
            for _ in 0..all {
                let trials = run(&stopping_rule, &rates, 2_000, &mut rng);
                wrong += misses(
                    Counts::Arms(count(&trials[0]), count(&trials[1])),
                    &stopping_rule,
                    rates[0] - rates[1],
                );
            }
            assert!(wrong <= most_wrong, "{wrong} of {all} at {rates:?} and {confidence}");
        }
    }
}

#[test]
fn differences_and_baselines_keep_their_level_after_a_decision() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(42);
    let stopping_rule = StoppingRule {
        criterion: StoppingCriterion::Decision { first: 0, second: 1 },
        confidence: 0.8,
    };
    // The third is a baseline of the first, as good as it is: a verdict other than "cannot tell" is
    // wrong.
    let Experiments { all, most, .. } = Experiments::new();
    for rates in [[0.4, 0.4, 0.4], [0.3, 0.4, 0.3]] {
        let (mut wrong, mut baseline) = (0, 0);
        for _ in 0..all {
            let trials = run(&stopping_rule, &rates, 800, &mut rng);
            wrong += misses(pairs(&trials[0], &trials[1]), &stopping_rule, rates[0] - rates[1]);
            baseline += misses(pairs(&trials[0], &trials[2]), &stopping_rule, 0.0);
        }
        assert!(wrong <= most && baseline <= most, "{wrong} and {baseline} of {all} at {rates:?}");
    }
}
