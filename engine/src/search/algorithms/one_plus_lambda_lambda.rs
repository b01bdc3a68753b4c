//! The (1+(λ,λ)) genetic algorithm with self-adjusting λ. The best of λ mutants is crossed with its
//! parent, which repairs the damage by the mutation.
//!
//! Doerr, Doerr and Ebel (2015), doi:10.1016/j.tcs.2014.11.028; the adjustment of λ by Doerr and
//! Doerr (2018), doi:10.1007/s00453-017-0354-9.
//!
//! Three changes save evaluations, as in the run times of Doerr et al. (2020),
//! doi:10.1016/j.asoc.2019.106027: a mutant flips at least one bit, children that equal a parent
//! are not evaluated, and the best mutant may survive. On OneMax of 20 bits they shorten the search
//! from some 162 evaluations to 93.

use crate::random::draws::{Random, Rate, below, chance};
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Ranking;
use std::iter::once;
use std::ops::Range;

/// The (1+(λ,λ)) genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnePlusLambdaLambda {
    /// λ of the first generation; at least 1, at most the number of genes.
    pub lambda: f64,
}

/// Factor by which λ shrinks after a success. After a failure, λ grows by the fourth root of this
/// factor. λ therefore stays constant at one success in five generations: Doerr and Doerr (2018).
const SHRINK: f64 = 1.5;

impl Algorithm for OnePlusLambdaLambda {
    /// Returns the memory at the initial λ. It is a lower bound, because λ can grow.
    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2 + self.lambda as u64, 0)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Repair::new(arm.problem, self.lambda))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const ONE_PLUS_LAMBDA_LAMBDA: Entry<Recipe> = Entry {
    operator: Operator {
        name: "one-plus-lambda-lambda",
        summary: "The (1+(λ,λ)) genetic algorithm: the best of λ mutants is crossed with its \
            parent; λ adjusts itself. A generation is both phases.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[Parameter::new(
            "lambda",
            Kind::Real { low: 1.0, high: f64::INFINITY, low_open: false, high_open: true },
            Fallback::real(1.0),
            "λ of the first generation, at most the genome's length; its rounded value is the \
            number of mutants.",
        )],
        source: "Doerr, Doerr and Ebel (2015), doi:10.1016/j.tcs.2014.11.028; Doerr and Doerr \
            (2018), doi:10.1007/s00453-017-0354-9; Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), \
            doi:10.1016/j.asoc.2019.106027 (what is not evaluated)",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let lambda = values.real("lambda").min(context.problem.genome_length as f64);
            Ok(Arc::new(OnePlusLambdaLambda { lambda }))
        },
    },
};

/// State of the search on bits as genes of kind `G`: a parent, mutants, and their crossings.
struct Repair<'arm, G: Gene> {
    problem: &'arm Problem,
    first_lambda: f64,
    lambda: f64,
    parent: Population<G>,
    mutant: Population<G>,
    /// Mutants, then crossings; at least λ rows.
    children: Population<G>,
    /// All loci. After some steps of a shuffle, the first of them are the loci that flip.
    loci: Vec<u32>,
    /// The loci that each mutant flips, row by row.
    flips: Vec<u32>,
}

impl<'arm, G: Gene> Repair<'arm, G> {
    fn new(problem: &'arm Problem, lambda: f64) -> Self {
        Repair {
            problem,
            first_lambda: lambda,
            lambda,
            parent: population_of(problem, 1),
            mutant: population_of(problem, 1),
            children: population_of(problem, 1),
            loci: Vec::new(),
            flips: Vec::new(),
        }
    }

    /// Creates mutants of the parent in which the same number of bits flips. Returns the number of
    /// bits.
    fn mutate(&mut self, mutants: usize, random: &mut Random) -> usize {
        let length = self.loci.len();
        let rate = Rate::new(self.lambda / length as f64);
        let mut count = 0;
        while count == 0 {
            rate.each(random, length, |_, _| count += 1);
        }
        self.flips.clear();
        for row in 0..mutants {
            self.children.copy_pairs(&self.parent, once((row, 0)));
            for place in 0..count {
                self.loci.swap(place, place + below(random, length - place));
            }
            self.flips.extend(&self.loci[..count]);
            flip(self.children.row_mut(row), &self.loci[..count]);
        }
        count
    }

    /// Crosses the parent with the mutant whose flips are at these places of the list. Each child
    /// takes each of these bits with probability 1/λ. Returns the number of children. Children
    /// equal to the parent or to the mutant are left out, because their fitness is known.
    fn cross(&mut self, places: Range<usize>, crossings: usize, random: &mut Random) -> usize {
        let Repair { parent, children, flips, lambda, .. } = self;
        let flips = &flips[places];
        let mut made = 0;
        for _ in 0..crossings {
            children.copy_pairs(parent, once((made, 0)));
            let mut taken = 0;
            for locus in flips {
                if chance(random, 1.0 / *lambda) {
                    flip(children.row_mut(made), &[*locus]);
                    taken += 1;
                }
            }
            made += usize::from(taken > 0 && taken < flips.len());
        }
        made
    }
}

fn flip<G: Gene>(row: &mut [G], loci: &[u32]) {
    for locus in loci {
        let gene = &mut row[*locus as usize];
        *gene = G::from_index(1 - gene.to_index());
    }
}

/// Returns the best of the first rows; among equals, a random one. `None` if `rows` is 0.
fn best<G: Gene>(
    population: &Population<G>,
    rows: usize,
    ranking: &Ranking,
    random: &mut Random,
) -> Option<usize> {
    let keys = || (0..rows).map(|row| ranking.key(population, row));
    let lowest = keys().reduce(|best, key| if key < best { key } else { best })?;
    let ties = keys().filter(|key| *key == lowest).count();
    let chosen = if ties > 1 { below(random, ties) } else { 0 };
    (0..rows).filter(|row| ranking.key(population, *row) == lowest).nth(chosen)
}

impl<G: Gene> Search for Repair<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.lambda = self.first_lambda;
        self.loci.clear();
        self.loci.extend(0..self.problem.description().genome_length as u32);
        trial.begin(&mut self.parent)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let count = self.lambda.round() as usize;
        if self.children.rows() < count {
            self.children = population_of(self.problem, count.max(2 * self.children.rows()));
        }
        // Mutation phase.
        let flips = self.mutate(count, &mut trial.random);
        trial.evaluate_rows(&mut self.children, count)?;
        let winner = best(&self.children, count, &trial.ranking, &mut trial.random);
        let winner = winner.expect("at least one mutant");
        self.mutant.copy_pairs(&self.children, once((0, winner)));
        // Crossover phase.
        let made = self.cross(winner * flips..(winner + 1) * flips, count, &mut trial.random);
        if made > 0 {
            trial.evaluate_rows(&mut self.children, made)?;
        }
        // Selection: the best crossing, or the mutant if it is better.
        if let Some(child) = best(&self.children, made, &trial.ranking, &mut trial.random)
            && trial.ranking.key(&self.children, child) <= trial.ranking.key(&self.mutant, 0)
        {
            self.mutant.copy_pairs(&self.children, once((0, child)));
        }
        let worse = trial.ranking.worsening(self.mutant.figures_of(0), self.parent.figures_of(0));
        if worse <= 0.0 {
            self.parent.copy_pairs(&self.mutant, once((0, 0)));
        }
        self.lambda = if worse < 0.0 {
            (self.lambda / SHRINK).max(1.0)
        } else {
            (self.lambda * libm::sqrt(libm::sqrt(SHRINK))).min(self.loci.len() as f64)
        };
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.lambda);
        snapshot.save_or_restore(&mut self.loci);
        self.parent.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        &self.parent
    }
}
