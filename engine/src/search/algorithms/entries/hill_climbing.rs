//! The entry of hill climbing in the registry.

use crate::problem::parameter::Value;
use crate::search::algorithms::entries::neighbors::{NEIGHBORS, listed_neighbors, neighbors};
use crate::search::algorithms::hill_climbing::Climb;
use crate::search::algorithms::prelude::*;
use crate::search::algorithms::settings::{HillClimbing, PivotingRule};
use std::borrow::Cow;

impl Algorithm for HillClimbing {
    /// Returns whether the search restarts at a local optimum (setting `restarts`). A trial can
    /// then consist of several runs.
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
            NEIGHBORS,
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
            let neighbors = match pivoting_rule {
                PivotingRule::FirstImprovement => neighbors(values, context.problem)?,
                PivotingRule::Steepest => {
                    listed_neighbors(values, context.problem, "steepest hill climbing")?
                }
            };
            Ok(Arc::new(HillClimbing {
                pivoting_rule,
                sideways: values.count("sideways") as u64,
                restarts: values.flag("restarts"),
                neighbors,
            }))
        },
    },
};
