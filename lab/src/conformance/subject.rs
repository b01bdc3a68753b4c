//! Subject of the checks: a problem, called with batches of any kind of gene.

use super::batch::{Batch, of_kind};
use crate::problem::{
    CallError, Description, Format, Gene, GeneKind, Genomes, Library, Noise, PluginError, Problem,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that the evaluations of one batch may take; slow problems get smaller batches.
const PATIENCE: Duration = Duration::from_millis(250);
/// Times that a batch is tried.
const TRIES: usize = 5;
/// Rows of a batch, at most.
const ROWS: usize = 256;

/// A problem, and how many rows it is given at once.
pub(super) struct Subject {
    pub problem: Problem,
    /// Rows of a batch: fewer where an evaluation is slow.
    pub rows: usize,
    /// Time that a check may take.
    pub time: Duration,
}

/// The seed of this number.
pub(super) fn seed(number: u8) -> [u8; 32] {
    std::array::from_fn(|place| number.wrapping_mul(37).wrapping_add(place as u8))
}

impl Subject {
    pub(super) fn new(problem: Problem, time: Duration) -> Self {
        let mut subject = Subject { problem, rows: 4, time };
        let mut row = f64::INFINITY;
        // The least of several, because other programs make some take longer.
        for _ in 0..TRIES {
            let start = Instant::now();
            // What fails here, fails in the check again.
            if let Ok(genomes) = subject.sample(&seed(0), 0, 4) {
                _ = subject.evaluate(&genomes);
            }
            let took = start.elapsed();
            row = row.min(took.as_secs_f64() / 4.0);
            if took > PATIENCE {
                break;
            }
        }
        subject.rows = ((PATIENCE.as_secs_f64() / row.max(1e-9)) as usize).clamp(4, ROWS);
        subject
    }

    /// Another instance with the same values.
    pub(super) fn again(&self) -> Result<Self, PluginError> {
        let problem = self.library().create(self.problem.values())?;
        Ok(Subject { problem, rows: self.rows, time: self.time })
    }

    pub(super) fn library(&self) -> &Arc<Library> {
        self.problem.library()
    }

    pub(super) fn description(&self) -> &Description {
        self.problem.description()
    }

    fn length(&self) -> usize {
        self.description().genome_length
    }

    fn kind(&self) -> GeneKind {
        self.description().gene
    }

    /// Fills new rows.
    fn filled<G: Gene>(
        &self,
        rows: usize,
        fill: impl FnOnce(&mut [G]) -> Result<(), CallError>,
    ) -> Result<Batch, CallError> {
        let mut genomes = Genomes::new::<G>(rows * self.length());
        fill(genomes.genes_mut())?;
        Ok(Batch::of::<G>(genomes.genes(), self.length()))
    }

    pub(super) fn sample(
        &self,
        seed: &[u8; 32],
        first: u64,
        rows: usize,
    ) -> Result<Batch, CallError> {
        of_kind!(self.kind(), G => {
            self.filled::<G>(rows, |genes| self.problem.sample(seed, first, genes))
        })
    }

    pub(super) fn enumerate(&self, first: u64, rows: usize) -> Result<Batch, CallError> {
        of_kind!(self.kind(), G => {
            self.filled::<G>(rows, |genes| self.problem.enumerate(first, genes))
        })
    }

    pub(super) fn mutate(
        &self,
        seed: &[u8; 32],
        first: u64,
        batch: &Batch,
    ) -> Result<Batch, CallError> {
        of_kind!(self.kind(), G => {
            self.filled::<G>(batch.rows(), |genes| {
                genes.copy_from_slice(&batch.genes());
                self.problem.mutate(seed, first, genes)
            })
        })
    }

    pub(super) fn crossover(
        &self,
        seed: &[u8; 32],
        first: u64,
        (one, two): (&Batch, &Batch),
    ) -> Result<Batch, CallError> {
        of_kind!(self.kind(), G => {
            self.filled::<G>(one.rows(), |genes| {
                self.problem.crossover(seed, first, &one.genes(), &two.genes(), genes)
            })
        })
    }

    /// Fitness per row: the noiseless one, if the problem is noisy and has it.
    pub(super) fn evaluate(&self, batch: &Batch) -> Result<Vec<f64>, CallError> {
        Ok(self.figures(batch)?.0)
    }

    /// Fitness per row; and violations, of a problem with constraints.
    pub(super) fn figures(&self, batch: &Batch) -> Result<(Vec<f64>, Vec<f64>), CallError> {
        of_kind!(self.kind(), G => self.figures_of::<G>(&batch.genes(), batch.rows()))
    }

    /// Returns the figures of genes that are in rows already.
    pub(super) fn figures_of<G: Gene>(
        &self,
        genes: &[G],
        rows: usize,
    ) -> Result<(Vec<f64>, Vec<f64>), CallError> {
        let (mut fitness, mut violations) = (vec![0.0; rows], Vec::new());
        if self.description().has_violations {
            violations.resize(rows, 0.0);
            self.problem.evaluate_constrained(genes, &mut fitness, &mut violations)?;
        } else if self.description().noise == Noise::NoiselessUnknown {
            self.problem.evaluate_noisy(&seed(1), 0, genes, &mut fitness)?;
        } else {
            self.problem.evaluate(genes, &mut fitness)?;
        }
        Ok((fitness, violations))
    }

    /// Noisy fitness per row.
    pub(super) fn evaluate_noisy(
        &self,
        seed: &[u8; 32],
        first: u64,
        batch: &Batch,
    ) -> Result<Vec<f64>, CallError> {
        let mut fitness = vec![0.0; batch.rows()];
        of_kind!(self.kind(), G => {
            self.problem.evaluate_noisy::<G>(seed, first, &batch.genes(), &mut fitness)
        })?;
        Ok(fitness)
    }

    pub(super) fn is_valid(&self, batch: &Batch) -> Result<Vec<u8>, CallError> {
        let mut valid = vec![0; batch.rows()];
        of_kind!(self.kind(), G => self.problem.is_valid::<G>(&batch.genes(), &mut valid))?;
        Ok(valid)
    }

    pub(super) fn number(&self, batch: &Batch) -> Result<Vec<u64>, CallError> {
        let mut numbers = vec![0; batch.rows()];
        of_kind!(self.kind(), G => self.problem.number::<G>(&batch.genes(), &mut numbers))?;
        Ok(numbers)
    }

    /// One genome in a format.
    pub(super) fn render(&self, row: &Batch, format: Format) -> Result<Option<String>, CallError> {
        self.problem.render(row.genome(), format)
    }
}
