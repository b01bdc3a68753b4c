//! Recorder of a trial: rows of the trace, and improvements.

use super::best::Best;
use super::population::{Figures, Population};
use super::resampling::mean;
use super::restarts::Point;
use super::snapshot::Snapshot;
use super::trace::Trace;
use crate::problem::{Gene, Genome};
use crate::record::{Improvement, TraceRow, ViolationTrace};

/// Records of a trial's generations, as its trace asks for them.
pub(super) struct Recorder<G> {
    trace: Trace,
    rows: Vec<TraceRow>,
    /// Genomes of the rows, if the trace has genomes.
    genes: Vec<G>,
    improvements: Vec<Improvement>,
}

/// Content of a recorder at the end of a trial.
pub(super) struct Recorded {
    pub trace: Vec<TraceRow>,
    /// Genomes of the rows; `None` if the trace has none.
    pub genes: Option<Genome>,
    pub improvements: Vec<Improvement>,
}

impl<G: Gene> Recorder<G> {
    /// Creates an empty recorder.
    pub(super) fn new(trace: Trace) -> Self {
        Recorder { trace, rows: Vec::new(), genes: Vec::new(), improvements: Vec::new() }
    }

    /// Writes or reads all records.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.rows);
        snapshot.save_or_restore(&mut self.genes);
        snapshot.save_or_restore(&mut self.improvements);
    }

    /// Returns whether generations are recorded.
    #[inline]
    pub(super) fn has_rows(&self) -> bool {
        self.trace.has_rows()
    }

    /// Returns whether improvements are recorded.
    #[inline]
    pub(super) fn has_improvements(&self) -> bool {
        self.trace == Trace::Improvements
    }

    /// Records rows that are better than the best genome and all rows before them. `found` returns
    /// the generation and the evaluations of a row, `copy` writes its genome.
    pub(super) fn improve(
        &mut self,
        best: &Best<G>,
        figures: Figures<'_>,
        found: impl Fn(usize) -> Point,
        copy: &impl Fn(usize, &mut [G]),
    ) {
        let mut least = best.key;
        for (row, key) in figures.keys().enumerate() {
            if least.is_none_or(|least| key < least) {
                least = Some(key);
                let Point { generation, evaluations } = found(row);
                let mut genome = best.genes().to_vec();
                copy(row, &mut genome);
                self.improvements.push(Improvement {
                    generation,
                    evaluations,
                    fitness: key.1,
                    violation: figures.violations.get(row).copied(),
                    genome: Genome::from_genes(&genome),
                });
            }
        }
    }

    /// Records a completed generation, which is in the first `rows` rows of a population.
    /// `of_all` is the trace row of the whole generation.
    pub(super) fn add(&mut self, population: &Population<G>, rows: usize, of_all: TraceRow) {
        if self.trace.has_genomes() {
            self.genes.extend_from_slice(population.first(rows));
        }
        if !self.trace.has_individuals() {
            return self.rows.push(of_all);
        }
        let one = |(violation, fitness): (f64, f64)| TraceRow {
            best: fitness,
            mean: fitness,
            worst: fitness,
            violations: of_all.violations.map(|so_far| ViolationTrace {
                best: violation,
                feasible: f64::from(violation == 0.0),
                ..so_far
            }),
            ..of_all
        };
        self.rows.extend(population.figures(rows).keys().map(one));
    }

    /// Returns all records.
    pub(super) fn into_recorded(self) -> Recorded {
        let genes = self.trace.has_genomes().then(|| Genome::from_genes(&self.genes));
        Recorded { trace: self.rows, genes, improvements: self.improvements }
    }
}

/// Returns the trace row of a whole generation, which ends `at` this point of the trial. The best
/// and the worst genome are the first and the last by violation, then by fitness.
pub(super) fn row<G: Gene>(at: Point, figures: Figures<'_>, so_far: &Best<G>) -> TraceRow {
    let best = figures.best();
    let rows = figures.fitness.len() as f64;
    let feasible = figures.violations.iter().filter(|violation| **violation == 0.0).count();
    TraceRow {
        generation: at.generation,
        evaluations: at.evaluations,
        best: best.1,
        mean: mean(figures.fitness),
        worst: figures.worst().1,
        best_so_far: so_far.fitness().expect("a generation ends after its evaluation"),
        violations: (!figures.violations.is_empty()).then_some(ViolationTrace {
            best: best.0,
            feasible: feasible as f64 / rows,
            best_so_far: so_far.violation(),
        }),
    }
}
