//! The entry of hill climbing in the registry.

use crate::operators::Neighborhood;
use crate::operators::domain::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::operators::registry::Entry;
use crate::operators::values::Complaint;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Description, Encoding};
use crate::search::algorithm::{Algorithm, PopulationKey, Recipe};
use crate::search::algorithms::hill_climbing::Climb;
use crate::search::algorithms::settings::{HillClimbing, PivotingRule};
use crate::search::arm::Arm;
use crate::search::executor::{TrialExecutor, executor_of};
use crate::search::footprint::Footprint;
use std::borrow::Cow;
use std::sync::Arc;

impl Algorithm for HillClimbing {
    /// Returns `None`, because the number of evaluations until a better neighbour is found is not
    /// fixed.
    fn evaluations_per_generation(&self) -> Option<usize> {
        None
    }

    fn restarts_itself(&self) -> bool {
        self.restarts
    }

    /// Returns the memory of the genomes and of the state. The order of the moves is not counted:
    /// it is small in comparison.
    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2, problem.state_size.into())
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Climb::new(arm.problem, *self))
    }
}

/// Maximum number of neighbours that a search may evaluate in every step. 2^24 allows for 4,096
/// queens in rows.
const MOST_NEIGHBORS: u64 = 1 << 24;

const STEPS: &[Cow<'static, str>] =
    &[Cow::Borrowed("steepest"), Cow::Borrowed("first-improvement")];

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const HILL_CLIMBING: Entry<Recipe> = Entry {
    operator: Operator {
        name: "hill-climbing",
        summary: "A genome that moves to better neighbours; a generation is one move or \
            one restart.",
        domain: Domain::Encodings(&[Encoding::Integer, Encoding::Permutation, Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "step",
                Kind::choice(STEPS),
                Fallback::text("steepest"),
                "To the best neighbour, or to the first better one in random order.",
            ),
            Parameter::new(
                "sideways",
                Kind::Integer { low: 0, high: 1_000_000_000 },
                Fallback::integer(0),
                "Consecutive moves to equally good neighbours before the climb counts as \
                stuck.",
            ),
            Parameter::new(
                "restarts",
                Kind::Boolean,
                Fallback::Value(Value::Boolean(true)),
                "Whether a stuck climb restarts at a random genome; otherwise the trial \
                ends as `stagnated`.",
            ),
        ],
        source: "Russell and Norvig (2021), Artificial Intelligence: A Modern Approach, \
            section 4.1",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let pivoting_rule = match values.choice("step") {
                "first-improvement" => PivotingRule::FirstImprovement,
                _ => PivotingRule::Steepest,
            };
            if pivoting_rule == PivotingRule::Steepest {
                listable(context.problem, "steepest hill climbing")?;
            }
            Ok(Arc::new(HillClimbing {
                pivoting_rule,
                sideways: values.count("sideways") as u64,
                restarts: values.flag("restarts"),
            }))
        },
    },
};

/// Checks that a search, which has this name in messages, can list the neighbours.
pub(in crate::search::algorithms) fn listable(
    problem: &Description,
    search: &str,
) -> Result<(), Complaint> {
    let neighbors = Neighborhood::of(problem).map_or(0, |neighborhood| neighborhood.count());
    if neighbors <= MOST_NEIGHBORS {
        return Ok(());
    }
    Err(Complaint::new(
        format!(
            "a genome of this problem has {neighbors} neighbours, and {search} lists at most \
            {MOST_NEIGHBORS}"
        ),
        "choose `simulated-annealing`, or hill climbing with step = \"first-improvement\", which \
            draw their neighbours",
    ))
}
