//! Figures of a trial that remain if the process that runs it is ended.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Figures of a trial at the end of its last generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reached {
    /// Number of generations completed after the initial population.
    pub generations: u64,
    /// Number of evaluations of its completed generations.
    pub evaluations: u64,
    /// Number of evaluations up to the first success; `None` without a success.
    pub evaluations_to_success: Option<u64>,
    /// `None` if no genome was evaluated.
    pub best: Option<ReachedBest>,
}

/// Best genome's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachedBest {
    /// Its fitness, which the search minimises.
    pub fitness: f64,
    /// 0 if the problem has no constraints.
    pub violation: f64,
    /// Number of evaluations up to and including the genome's own.
    pub evaluations: u64,
}

/// Figures in memory that another process reads. Zeros are the figures of a trial that has not
/// begun: a success and a best genome take at least one evaluation.
#[repr(C)]
pub(super) struct Shared {
    generations: AtomicU64,
    evaluations: AtomicU64,
    evaluations_to_success: AtomicU64,
    best_evaluations: AtomicU64,
    /// Bits of the number.
    best_fitness: AtomicU64,
    /// Bits of the number.
    best_violation: AtomicU64,
}

impl Shared {
    pub(super) const fn new() -> Self {
        Shared {
            generations: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
            evaluations_to_success: AtomicU64::new(0),
            best_evaluations: AtomicU64::new(0),
            best_fitness: AtomicU64::new(0),
            best_violation: AtomicU64::new(0),
        }
    }

    pub(super) fn store(&self, figures: &Reached) {
        let Reached { generations, evaluations, evaluations_to_success, best } = *figures;
        self.generations.store(generations, Relaxed);
        self.evaluations.store(evaluations, Relaxed);
        self.evaluations_to_success.store(evaluations_to_success.unwrap_or(0), Relaxed);
        self.best_evaluations.store(best.map_or(0, |best| best.evaluations), Relaxed);
        self.best_fitness.store(best.map_or(0, |best| best.fitness.to_bits()), Relaxed);
        self.best_violation.store(best.map_or(0, |best| best.violation.to_bits()), Relaxed);
    }

    pub(super) fn load(&self) -> Reached {
        let some = |evaluations: &AtomicU64| Some(evaluations.load(Relaxed)).filter(|n| *n > 0);
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Relaxed));
        Reached {
            generations: self.generations.load(Relaxed),
            evaluations: self.evaluations.load(Relaxed),
            evaluations_to_success: some(&self.evaluations_to_success),
            best: some(&self.best_evaluations).map(|evaluations| ReachedBest {
                fitness: number(&self.best_fitness),
                violation: number(&self.best_violation),
                evaluations,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_were_written() {
        let shared = Shared::new();
        assert_eq!(shared.load(), Reached::default());
        let best = Some(ReachedBest { fitness: -0.5, violation: 2.0, evaluations: 7 });
        let figures =
            Reached { generations: 3, evaluations: 9, evaluations_to_success: Some(8), best };
        shared.store(&figures);
        assert_eq!(shared.load(), figures);
        let begun = Reached { evaluations_to_success: None, best: None, ..figures };
        shared.store(&begun);
        assert_eq!(shared.load(), begun);
    }
}
