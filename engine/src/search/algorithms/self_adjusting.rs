//! Self-adjusting (1+λ) evolutionary algorithms on bits. The mutants of a generation differ in how
//! many bits are likely to flip, and the best of them decides how many do in the next.
//!
//! Two rates: Doerr, Gießen, Witt and Yang (2019), doi:10.1007/s00453-018-0502-x. Normalized and
//! variance-controlled: Ye, Doerr and Bäck (2019), doi:10.1109/CEC.2019.8790107. Log-normal:
//! Bäck and Schütz (1996), doi:10.1007/3-540-61286-6_141, and Kruisselbrink, Li, Reehuis, Eggermont
//! and Bäck (2011), doi:10.1145/2001576.2001699. All as in Doerr, Ye, Horesh, Wang, Shir and Bäck
//! (2020), doi:10.1016/j.asoc.2019.106027: at least one bit flips in every mutant.

use crate::operators::values::Complaint;
use crate::operators::{Order, replacement};
use crate::random::draws::{Random, chance, normal};
use crate::random::subsets::{at_least_one, distinct};
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Use;
use std::borrow::Cow;
use std::iter::once;

/// A self-adjusting (1+λ) evolutionary algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfAdjustingOnePlusLambda {
    /// Number of mutants per generation; at least 1, with two rates at least 2.
    pub lambda: usize,
    /// Rule by which the number of bits adjusts itself.
    pub control: Control,
}

/// Rule by which the number of bits that flip adjusts itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// Half of the mutants flip bits at half the rate, the others at twice the rate.
    TwoRate {
        /// Expected number of bits at first.
        strength: f64,
    },
    /// The number of bits is a normal number around that of the best mutant.
    Normal {
        /// Mean at first; at most the genome's length - 1, so that the variance is not 0.
        strength: f64,
        /// Factor of the variance for each generation in which the mean stays; 1 for normalized.
        factor: f64,
        /// Conversion of normal numbers to whole ones.
        rounding: Rounding,
    },
    /// The rate of each mutant is the best mutant's, times a log-normal factor of its odds.
    LogNormal {
        /// Rate at first; above 0 and below 1.
        rate: f64,
    },
}

/// Conversion of a normal number to a number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The fraction is cut off.
    Truncate,
    /// The nearest whole number.
    Nearest,
}

/// Initial number of bits, with two rates and with normal numbers.
const STRENGTH: f64 = 2.0;
/// Factor F of the variance: Ye, Doerr and Bäck (2019).
const FACTOR: f64 = 0.98;
/// Initial rate of the log-normal rule: Doerr, Ye, Horesh, Wang, Shir and Bäck (2020).
const RATE: f64 = 0.2;
/// Standard deviation of the logarithm of the odds: Bäck and Schütz (1996).
const SPREAD: f64 = 0.22;
/// Least expected number of bits with two rates: Doerr, Gießen, Witt and Yang (2019).
const LEAST: f64 = 2.0;
/// Greatest rate of a bit with two rates. It follows from r <= n/4 if there are 8 bits or more.
const GREATEST_RATE: f64 = 0.5;

impl Algorithm for SelfAdjustingOnePlusLambda {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.lambda)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 1 + self.lambda)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Adjusting::new(arm.problem, *self))
    }
}

const CONTROLS: &[Cow<'static, str>] = &[
    Cow::Borrowed("two-rate"),
    Cow::Borrowed("normalized"),
    Cow::Borrowed("variance-controlled"),
    Cow::Borrowed("log-normal"),
];
const ROUNDINGS: &[Cow<'static, str>] = &[Cow::Borrowed("truncate"), Cow::Borrowed("nearest")];

/// Entry of the algorithm in the registry.
pub(super) const SELF_ADJUSTING_ONE_PLUS_LAMBDA: Entry<Recipe> = Entry {
    operator: Operator {
        name: "self-adjusting-one-plus-lambda",
        summary: "A (1+λ) evolutionary algorithm whose best mutant decides how many bits flip in \
            the next generation; it replaces the parent unless it is worse.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "lambda",
                Kind::Integer { low: 1, high: 1_000_000 },
                Fallback::integer(10),
                "Mutants per generation; at least 2 with two rates.",
            ),
            Parameter::new(
                "control",
                Kind::choice(CONTROLS),
                Fallback::text("normalized"),
                "How many bits flip, r = 2 at first: `two-rate`, rates r/(2n) and 2r/n, each for \
                half of the mutants; `normalized`, a normal number with mean r, at most n - 1, \
                and variance r(1 - r/n); `variance-controlled`, with 0.98 times the variance for \
                each generation in which r stays; `log-normal`, a rate that is 0.2 at first and \
                whose odds each mutant multiplies by exp(0.22 N(0, 1)).",
            ),
            Parameter::new(
                "rounding",
                Kind::choice(ROUNDINGS),
                Fallback::text("truncate"),
                "Conversion of the normal number to a number of bits: published run times are \
                those of `truncate`.",
            ),
        ],
        source: "Doerr, Gießen, Witt and Yang (2019), doi:10.1007/s00453-018-0502-x (two-rate); \
            Ye, Doerr and Bäck (2019), doi:10.1109/CEC.2019.8790107 (normalized, \
            variance-controlled); Bäck and Schütz (1996), doi:10.1007/3-540-61286-6_141 \
            (log-normal); Kruisselbrink, Li, Reehuis, Eggermont and Bäck (2011), \
            doi:10.1145/2001576.2001699 (log-normal); Doerr, Ye, Horesh, Wang, Shir and Bäck \
            (2020), doi:10.1016/j.asoc.2019.106027",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, _| {
            let lambda = values.count("lambda");
            let word = values.choice("control").to_owned();
            let rounding = match values.choice("rounding") {
                "nearest" => Rounding::Nearest,
                _ => Rounding::Truncate,
            };
            let normal = |factor| Control::Normal { strength: STRENGTH, factor, rounding };
            let control = match word.as_str() {
                "two-rate" => Control::TwoRate { strength: STRENGTH },
                "variance-controlled" => normal(FACTOR),
                "log-normal" => Control::LogNormal { rate: RATE },
                _ => normal(1.0),
            };
            if !matches!(control, Control::Normal { .. }) {
                if rounding == Rounding::Nearest {
                    return Err(Complaint::of(
                        "rounding",
                        format!("control `{word}` draws no normal number that could be rounded"),
                        "remove rounding, or let control be `normalized` or `variance-controlled`",
                    ));
                }
                values.leave_out("rounding");
            }
            if lambda < 2 && matches!(control, Control::TwoRate { .. }) {
                return Err(Complaint::of(
                    "lambda",
                    format!("each of the two rates needs a mutant, and there is {lambda}"),
                    "let `lambda` be at least 2, or choose another control",
                ));
            }
            Ok(Arc::new(SelfAdjustingOnePlusLambda { lambda, control }))
        },
    },
};

/// State of the search on bits as genes of kind `G`: a parent, and its mutants.
struct Adjusting<G: Gene> {
    settings: SelfAdjustingOnePlusLambda,
    /// Number of bits r, or the rate of the log-normal rule.
    strength: f64,
    /// Factor of the variance of normal numbers.
    narrowing: f64,
    parent: Population<G>,
    mutants: Population<G>,
    /// Strength or rate of each mutant.
    tried: Vec<f64>,
    order: Order,
}

impl<G: Gene> Adjusting<G> {
    fn new(problem: &Problem, settings: SelfAdjustingOnePlusLambda) -> Self {
        Adjusting {
            settings,
            strength: 0.0,
            narrowing: 1.0,
            parent: population_of(problem, 1),
            mutants: population_of(problem, settings.lambda),
            tried: vec![0.0; settings.lambda],
            order: Order::default(),
        }
    }

    /// Makes all mutants.
    fn mutate(&mut self, random: &mut Random) {
        let Adjusting { settings, strength, narrowing, parent, mutants, tried, .. } = self;
        let SelfAdjustingOnePlusLambda { lambda, control } = *settings;
        let length = parent.length();
        for (row, tried) in tried.iter_mut().enumerate() {
            mutants.copy_pairs(parent, once((row, 0)));
            let genes = mutants.row_mut(row);
            let flip = |locus: usize, _: &mut Random| {
                genes[locus] = G::from_index(1 - genes[locus].to_index());
            };
            match control {
                Control::TwoRate { .. } => {
                    *tried = if row < lambda / 2 { *strength / 2.0 } else { *strength * 2.0 };
                    let rate = (*tried / length as f64).min(GREATEST_RATE);
                    at_least_one(rate, length, random, flip);
                }
                Control::Normal { rounding, .. } => {
                    let variance = *narrowing * *strength * (1.0 - *strength / length as f64);
                    let count = bits(*strength, variance.sqrt(), length, rounding, random);
                    *tried = count as f64;
                    distinct(count, length, random, flip);
                }
                Control::LogNormal { .. } => {
                    *tried = varied(*strength, random);
                    at_least_one(*tried, length, random, flip);
                }
            }
        }
    }

    /// Returns the greatest mean of normal numbers. With a mean of n, the variance is 0, and all
    /// mutants flip all bits forever.
    fn greatest_mean(&self) -> f64 {
        (self.parent.length() as f64 - 1.0).max(1.0)
    }

    /// Adjusts the strength to that of the best mutant.
    fn adjust(&mut self, best: usize, random: &mut Random) {
        let (old, tried) = (self.strength, self.tried[best]);
        match self.settings.control {
            Control::TwoRate { .. } => {
                let other = |random: &mut Random| {
                    if chance(random, 0.5) { old / 2.0 } else { old * 2.0 }
                };
                let chosen = if chance(random, 0.5) { tried } else { other(random) };
                let most = (self.parent.length() as f64 / 4.0).max(LEAST);
                self.strength = chosen.clamp(LEAST, most);
            }
            Control::Normal { factor, .. } => {
                self.narrowing = if tried == old { self.narrowing * factor } else { 1.0 };
                self.strength = tried.min(self.greatest_mean());
            }
            Control::LogNormal { .. } => self.strength = tried,
        }
    }
}

/// Draws a number of bits from 1 to `length`. Numbers below 1 are drawn again, greater numbers than
/// `length` count as `length`.
fn bits(
    mean: f64,
    deviation: f64,
    length: usize,
    rounding: Rounding,
    random: &mut Random,
) -> usize {
    loop {
        let number = mean + deviation * normal(random);
        let whole = match rounding {
            Rounding::Truncate => number.trunc(),
            Rounding::Nearest => number.round(),
        };
        if whole >= 1.0 {
            return (whole as usize).min(length);
        }
    }
}

/// Returns a rate whose odds are those of `rate` times a log-normal factor.
fn varied(rate: f64, random: &mut Random) -> f64 {
    let odds_against = (1.0 - rate) / rate * libm::exp(SPREAD * normal(random));
    (1.0 / (1.0 + odds_against)).clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON)
}

impl<G: Gene> Search for Adjusting<G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.narrowing = 1.0;
        self.strength = match self.settings.control {
            Control::TwoRate { strength } => strength,
            Control::Normal { strength, .. } => strength.min(self.greatest_mean()),
            Control::LogNormal { rate } => rate,
        };
        trial.begin(&mut self.parent)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.mutate(&mut trial.random);
        trial.evaluate(&mut self.mutants)?;
        let scores = trial.ranking.scores(Use::Order, &self.mutants);
        let best = replacement::best(scores, 1, &mut trial.random, &mut self.order)[0] as usize;
        self.adjust(best, &mut trial.random);
        let (new, old) = (self.mutants.figures_of(best), self.parent.figures_of(0));
        if trial.ranking.worsening(new, old) <= 0.0 {
            self.parent.copy_pairs(&self.mutants, once((0, best)));
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.strength);
        snapshot.save_or_restore(&mut self.narrowing);
        self.parent.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        &self.parent
    }
}
