//! The entry of simulated annealing in the registry.

use crate::operators::mutation::{Genes, MutationKind, SIGMA};
use crate::operators::values::Values;
use crate::search::algorithm::Parts;
use crate::search::algorithms::annealing::Annealing;
use crate::search::algorithms::prelude::*;
use crate::search::algorithms::settings::SimulatedAnnealing;

impl Algorithm for SimulatedAnnealing {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.moves)
    }

    fn reevaluations(&self, generations: u64) -> Option<u64> {
        Some(generations.saturating_mul(self.moves as u64))
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2, problem.state_size.into())
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Annealing::new(arm.problem, arm.plugins, self))
    }
}

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const SIMULATED_ANNEALING: Entry<Recipe> = Entry {
    operator: Operator {
        name: "simulated-annealing",
        summary: "A genome that also moves to worse neighbours, less often as it cools; a \
            generation is one temperature.",
        domain: Domain::Where(movable),
        parameters: &[
            Parameter::new(
                "temperature",
                Kind::Real { low: 0.0, high: f64::INFINITY, low_open: true, high_open: true },
                Fallback::real(1.0),
                "Initial temperature, in units of fitness: a move that is worse by this \
                much is accepted with probability 1/e.",
            ),
            Parameter::new(
                "cooling",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.95),
                "Factor of the temperature from one generation to the next.",
            ),
            Parameter::new(
                "moves",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::Derived("the genome's length"),
                "Moves proposed at each temperature.",
            ),
        ],
        source: "Kirkpatrick, Gelatt and Vecchi (1983), doi:10.1126/science.220.4598.671",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Mutation, Slot::Constraints],
        draws: true,
        make: |values, parts, context| {
            let (moves, mutation) = moves(values, parts, context.problem);
            Ok(Arc::new(SimulatedAnnealing {
                temperature: values.real("temperature"),
                cooling: values.real("cooling"),
                moves,
                mutation,
            }))
        },
    },
};

/// Checks that moves can be proposed.
pub(in crate::search::algorithms) fn movable(problem: &Description) -> Result<(), String> {
    if problem.encoding == Encoding::Opaque && !problem.has_mutate {
        return Err("only the plugin knows the encoding, and it provides no mutation to propose \
            moves"
            .into());
    }
    Ok(())
}

/// Returns the number of moves per generation, which is the genome's length by default, and the
/// mutation that proposes them.
pub(in crate::search::algorithms) fn moves(
    values: &mut Values,
    parts: &Parts,
    problem: &Description,
) -> (usize, MutationKind) {
    let moves = values.given_count("moves").unwrap_or(problem.genome_length);
    values.settle_count("moves", moves);
    (moves, parts.proposes().unwrap_or(neighbor(problem.encoding)))
}

/// Returns the mutation that draws a neighbour.
fn neighbor(encoding: Encoding) -> MutationKind {
    match encoding {
        Encoding::Integer => MutationKind::Reset { genes: Genes::One, different: true },
        Encoding::Permutation => MutationKind::Swap,
        Encoding::Bits => MutationKind::BitFlip { genes: Genes::One },
        Encoding::Real => MutationKind::Gaussian { sigma: SIGMA, genes: Genes::One },
        Encoding::Mixed => MutationKind::Mixed { sigma: SIGMA, genes: Genes::One },
        Encoding::Opaque => MutationKind::Problem,
    }
}
