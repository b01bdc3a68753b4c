//! Adaptation of the differential weight F and the crossover rate CR: each child has values that
//! are drawn around those that led to better children before.

use crate::random::draws::{Random, below, normal, unit};
use crate::search::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

/// Rule by which successful values change the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// JADE: means that move towards those of each generation's successes, by this share. Zhang and
    /// Sanderson (2009), doi:10.1109/TEVC.2009.2014613.
    Means {
        /// Learning rate c.
        rate: f64,
    },
    /// SHADE: a memory of the means of this many generations, weighted by the improvement. Tanabe
    /// and Fukunaga (2013), doi:10.1109/CEC.2013.6557555.
    History {
        /// Memory size H.
        size: usize,
    },
    /// L-SHADE: the memory of SHADE 1.1, which weights crossover rates by themselves, too, and
    /// keeps a rate of 0. Tanabe and Fukunaga (2014), doi:10.1109/CEC.2014.6900380.
    LehmerHistory {
        /// Memory size H.
        size: usize,
    },
}

/// Differential weight and crossover rate of a child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub weight: f64,
    pub crossover_rate: f64,
}

/// Entry of the memory: the centres of the draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Centres {
    weight: f64,
    /// `None` is the terminal value of L-SHADE: the crossover rate stays 0.
    crossover_rate: Option<f64>,
}

/// Centres before the first success, in all three sources.
const FIRST: Centres = Centres { weight: 0.5, crossover_rate: Some(0.5) };
/// Spread of the draws around their centres, in all three sources.
const SPREAD: f64 = 0.1;

/// Memory of successful values.
#[derive(Debug)]
pub(super) struct Memory {
    rule: Rule,
    entries: Vec<Centres>,
    /// Entry that the next generation with a success replaces.
    place: usize,
    /// Values and improvements of the generation's successes.
    successes: Vec<(Drawn, f64)>,
}

impl Memory {
    pub(super) fn new(rule: Rule) -> Self {
        let size = match rule {
            Rule::Means { .. } => 1,
            Rule::History { size } | Rule::LehmerHistory { size } => size,
        };
        Memory { rule, entries: vec![FIRST; size], place: 0, successes: Vec::new() }
    }

    /// Begins a trial.
    pub(super) fn clear(&mut self) {
        self.entries.fill(FIRST);
        self.successes.clear();
        self.place = 0;
    }

    /// Writes or reads the memory at the end of a generation.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.entries);
        snapshot.save_or_restore(&mut self.place);
    }

    /// Draws the values of a child, around a random entry: the crossover rate from a normal
    /// distribution, the weight from a Cauchy distribution (L-SHADE: equations 1 and 2).
    pub(super) fn draw(&self, random: &mut Random) -> Drawn {
        let entry = match self.entries.len() {
            1 => 0,
            count => below(random, count),
        };
        let Centres { weight, crossover_rate } = self.entries[entry];
        let crossover_rate = match crossover_rate {
            Some(centre) => (centre + SPREAD * normal(random)).clamp(0.0, 1.0),
            None => 0.0,
        };
        // Weights above 1 become 1; weights that are not positive are drawn again.
        let weight = loop {
            let angle = std::f64::consts::PI * (unit(random) - 0.5);
            let drawn = weight + SPREAD * libm::tan(angle);
            if drawn > 0.0 {
                break drawn.min(1.0);
            }
        };
        Drawn { weight, crossover_rate }
    }

    /// Notes the values of a child that is better than its parent by `gain`.
    pub(super) fn note(&mut self, drawn: Drawn, gain: f64) {
        // Infinite improvements have equal weights.
        self.successes.push((drawn, gain.min(f64::MAX)));
    }

    /// Ends a generation. Without a success, the memory stays as it is.
    pub(super) fn learn(&mut self) {
        let most = self.successes.iter().map(|(_, gain)| *gain).fold(0.0, f64::max);
        if self.successes.is_empty() {
            return;
        }
        let gain = |gain: &f64| gain / most;
        let sum = |term: &dyn Fn(&Drawn, f64) -> f64| -> f64 {
            self.successes.iter().map(|(drawn, own)| term(drawn, gain(own))).sum()
        };
        let count = self.successes.len() as f64;
        let entry = &self.entries[self.place];
        let learned = match self.rule {
            Rule::Means { rate } => {
                let lehmer =
                    sum(&|drawn, _| drawn.weight * drawn.weight) / sum(&|drawn, _| drawn.weight);
                let mean = sum(&|drawn, _| drawn.crossover_rate) / count;
                let towards = |old: f64, new: f64| (1.0 - rate) * old + rate * new;
                Centres {
                    weight: towards(entry.weight, lehmer),
                    crossover_rate: entry.crossover_rate.map(|old| towards(old, mean)),
                }
            }
            Rule::History { .. } => Centres {
                weight: sum(&|drawn, gain| gain * drawn.weight * drawn.weight)
                    / sum(&|drawn, gain| gain * drawn.weight),
                crossover_rate: Some(
                    sum(&|drawn, gain| gain * drawn.crossover_rate) / sum(&|_, gain| gain),
                ),
            },
            // Equations 7 to 9. The terminal value stays.
            Rule::LehmerHistory { .. } => {
                let rates = sum(&|drawn, gain| gain * drawn.crossover_rate);
                let squares =
                    sum(&|drawn, gain| gain * drawn.crossover_rate * drawn.crossover_rate);
                let is_terminal = entry.crossover_rate.is_none() || rates == 0.0;
                Centres {
                    weight: sum(&|drawn, gain| gain * drawn.weight * drawn.weight)
                        / sum(&|drawn, gain| gain * drawn.weight),
                    crossover_rate: (!is_terminal).then(|| squares / rates),
                }
            }
        };
        self.entries[self.place] = learned;
        self.place = (self.place + 1) % self.entries.len();
        self.successes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(rule: Rule, generations: &[&[(f64, f64, f64)]]) -> Vec<(f64, Option<f64>)> {
        let mut memory = Memory::new(rule);
        for successes in generations {
            for (weight, crossover_rate, gain) in *successes {
                let drawn = Drawn { weight: *weight, crossover_rate: *crossover_rate };
                memory.note(drawn, *gain);
            }
            memory.learn();
        }
        memory.entries.iter().map(|entry| (entry.weight, entry.crossover_rate)).collect()
    }

    /// Compares with numbers that were calculated by hand from the formulas of the sources.
    #[test]
    fn memories_learn_by_the_formulas_of_their_sources() {
        let two: &[(f64, f64, f64)] = &[(0.5, 0.25, 3.0), (1.0, 0.75, 1.0)];
        let close = |found: Vec<(f64, Option<f64>)>, due: &[(f64, Option<f64>)]| {
            assert_eq!(found.len(), due.len());
            for (found, due) in found.iter().zip(due) {
                assert!((found.0 - due.0).abs() < 1e-12, "{found:?} {due:?}");
                assert_eq!(found.1.is_some(), due.1.is_some());
                let (found, due) = (found.1.unwrap_or(0.0), due.1.unwrap_or(0.0));
                assert!((found - due).abs() < 1e-12, "{found} {due}");
            }
        };
        // Lehmer mean of 0.5 and 1: 1.25 / 1.5; mean of 0.25 and 0.75: 0.5.
        let due = (0.9 * 0.5 + 0.1 * 1.25 / 1.5, Some(0.5));
        close(learned(Rule::Means { rate: 0.1 }, &[&[], two]), &[due]);
        // Weights 3/4 and 1/4: (0.1875 + 0.25) / (0.375 + 0.25); 0.1875 + 0.1875.
        let first = (0.4375 / 0.625, Some(0.375));
        let old = (0.5, Some(0.5));
        close(learned(Rule::History { size: 2 }, &[two, &[]]), &[first, old]);
        // Squares of rates: (0.75 / 16 + 0.25 * 9 / 16) / 0.375.
        let lehmer = (0.4375 / 0.625, Some(0.1875 / 0.375));
        close(learned(Rule::LehmerHistory { size: 2 }, &[two, &[]]), &[lehmer, old]);
        // A generation without crossover makes its entry terminal, for good.
        let none: &[(f64, f64, f64)] = &[(0.5, 0.0, 1.0)];
        let rounds = [none, two, two];
        let due = [(0.4375 / 0.625, None), lehmer];
        close(learned(Rule::LehmerHistory { size: 2 }, &rounds), &due);
        // Infinite improvements.
        let infinite: &[(f64, f64, f64)] = &[(0.5, 0.25, f64::INFINITY), (1.0, 0.75, 1.0)];
        close(learned(Rule::History { size: 1 }, &[infinite]), &[(0.5, Some(0.25))]);
    }
}
