//! Algorithms with a fault that no setting makes: their trials are drawn again until they have it,
//! or changed.

use crate::problem::{Description, Genome};
use crate::record::{TraceRow, TrialRecord};
use crate::search::{
    Algorithm, Arm, EvaluationLog, Footprint, Guidance, Seeds, SnapshotFile, Speed, TrialExecutor,
    Watcher,
};
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::sync::Arc;
use std::time::Duration;

/// Fault of an algorithm's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// From four zeros, the climb moves to the first of eight equal neighbours.
    FirstOfEquals,
    /// A genome never equals the one before.
    NoneLikeTheLast,
    /// The second genome takes the place of the first, and the first that of the second.
    TwoExchanged,
    /// The second genome is the first again.
    FirstTwice,
    /// A generation never has seven rows.
    NeverSeven,
    /// A generation of five to seven rows after one of one row begins far from it.
    LongSteps,
}

impl Fault {
    /// Puts the fault into a trial. Returns whether it is there.
    fn spoils(self, trial: &mut TrialRecord) -> bool {
        let genes = match &mut trial.traced_genes {
            Some(Genome::U8(genes)) => genes,
            Some(Genome::F64(genes)) => return self.is_in_runs(genes, &trial.trace),
            _ => return true,
        };
        let length = genes.len() / trial.trace.len();
        match self {
            Fault::FirstOfEquals => !genes.starts_with(&[0; 4]) || genes[4..].starts_with(&[1]),
            Fault::NoneLikeTheLast => {
                let genomes: Vec<&[u8]> = genes.chunks(length).collect();
                genomes.windows(2).all(|pair| pair[0] != pair[1])
            }
            Fault::TwoExchanged => {
                genes[..2 * length].rotate_left(length);
                true
            }
            Fault::FirstTwice => {
                genes.copy_within(..length, length);
                true
            }
            Fault::NeverSeven | Fault::LongSteps => false,
        }
    }

    /// Returns whether a trial with one gene has the fault.
    fn is_in_runs(self, genes: &[f64], rows: &[TraceRow]) -> bool {
        let mut first = 0;
        let generations = rows.chunk_by(|one, other| one.generation == other.generation);
        let generations: Vec<&[f64]> = generations
            .map(|rows| {
                first += rows.len();
                &genes[first - rows.len()..first]
            })
            .collect();
        match self {
            Fault::NeverSeven => generations.iter().all(|genes| genes.len() != 7),
            Fault::LongSteps => generations.windows(2).all(|pair| {
                let is_first = pair[0].len() == 1 && (5..8).contains(&pair[1].len());
                !is_first || (pair[1][0] - pair[0][0]).abs() > 0.06
            }),
            _ => false,
        }
    }
}

/// Algorithm whose trials have a fault.
#[derive(Clone, Debug)]
pub(super) struct Faulty {
    pub algorithm: Arc<dyn Algorithm>,
    pub fault: Fault,
}

impl PartialEq for Faulty {
    fn eq(&self, other: &Self) -> bool {
        *self.algorithm == *other.algorithm && self.fault == other.fault
    }
}

impl Algorithm for Faulty {
    fn population_setting(&self) -> Option<usize> {
        self.algorithm.population_setting()
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        self.algorithm.evaluations_per_generation()
    }

    fn traced_individuals(&self) -> Option<usize> {
        self.algorithm.traced_individuals()
    }

    fn guidance(&self) -> Guidance {
        self.algorithm.guidance()
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        self.algorithm.footprint(problem)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        Box::new(FaultyTrials { trials: self.algorithm.executor(arm), fault: self.fault })
    }
}

/// Executor that runs trials until one has the fault.
struct FaultyTrials<'arm> {
    trials: Box<dyn TrialExecutor + 'arm>,
    fault: Fault,
}

impl TrialExecutor for FaultyTrials<'_> {
    fn run_watched(
        &mut self,
        mut seeds: Seeds,
        interrupt: &Interrupt,
        _: Option<&mut dyn Watcher>,
    ) -> Option<TrialRecord> {
        loop {
            let mut trial = self.trials.run(seeds, interrupt)?;
            if self.fault.spoils(&mut trial) {
                return Some(trial);
            }
            seeds.trial = seeds.trial.wrapping_add(1);
        }
    }

    fn use_spare(&mut self, workers: Arc<SpareWorkers>) {
        self.trials.use_spare(workers);
    }

    fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed) {
        self.trials.begin_log(log, speed);
    }

    fn keep_snapshots(&mut self, file: Box<dyn SnapshotFile>) {
        self.trials.keep_snapshots(file);
    }

    fn spent(&self) -> Duration {
        self.trials.spent()
    }

    fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        self.trials.end_log()
    }
}
