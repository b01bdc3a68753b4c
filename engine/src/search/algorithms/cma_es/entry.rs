//! The entry of the covariance matrix adaptation evolution strategy in the registry.

use super::Adaptation;
use super::rates::default_lambda;
use super::restarts::MOST_DOUBLINGS;
use super::settings::{CmaEs, Covariance, Restarts};
use crate::operators::Constraints;
use crate::problem::parameter::Value;
use crate::search::algorithms::prelude::*;
use std::borrow::Cow;

impl Algorithm for CmaEs {
    fn evaluations_per_generation(&self) -> Option<usize> {
        (self.restarts == Restarts::None).then_some(self.lambda)
    }

    fn size_key(&self) -> Option<&'static str> {
        Some("lambda")
    }

    fn traced_individuals(&self) -> Option<usize> {
        self.evaluations_per_generation()
    }

    fn has_diversity(&self) -> bool {
        true
    }

    fn restarts_itself(&self) -> bool {
        self.restarts != Restarts::None
    }

    fn revision(&self, constraints: Option<Constraints>) -> u32 {
        // 1: runs with few children have a limit. 2: violations are not compared with fitness.
        let is_bipop = u32::from(self.restarts == Restarts::Bipop);
        let is_by_feasibility = constraints == Some(Constraints::FeasibilityFirst);
        is_bipop + if is_by_feasibility { 2 } else { 0 }
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        let doublings = if self.restarts == Restarts::None { 0 } else { MOST_DOUBLINGS };
        let rows = (self.lambda as u64) << doublings;
        let n = problem.genome_length as u128;
        let matrices = if self.covariance == Covariance::Full { 3 * 8 * n * n } else { 0 };
        // Children, their steps, and the steps as drawn.
        Footprint::new(problem, 3 * rows, matrices + 32 * u128::from(rows))
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Adaptation::new(arm.problem, self))
    }
}

const COVARIANCES: &[Cow<'static, str>] =
    &[Cow::Borrowed("full"), Cow::Borrowed("diagonal"), Cow::Borrowed("none")];
const RESTARTS: &[Cow<'static, str>] =
    &[Cow::Borrowed("none"), Cow::Borrowed("ipop"), Cow::Borrowed("bipop")];

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const CMA_ES: Entry<Recipe> = Entry {
    operator: Operator {
        name: "cma-es",
        summary: "Covariance matrix adaptation evolution strategy: children are drawn from a \
            normal distribution that learns from the best of them.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "lambda",
                Kind::Integer { low: 2, high: 1_000_000 },
                Fallback::Derived("4 + 3 ln n, rounded down, for n genes"),
                "Children per generation, in the first run of a trial.",
            ),
            Parameter::new(
                "sigma",
                Kind::Real { low: 0.0, high: 1e6, low_open: true, high_open: false },
                Fallback::real(0.3),
                "Initial standard deviation, as a share of each gene's range.",
            ),
            Parameter::new(
                "covariance",
                Kind::choice(COVARIANCES),
                Fallback::text("full"),
                "What is learned: the whole matrix, each gene's variance (Ros and Hansen 2008), or \
                the step size alone.",
            ),
            Parameter::new(
                "active",
                Kind::Boolean,
                Fallback::Value(Value::Boolean(true)),
                "Whether bad children reduce the variance along their steps; without effect where \
                the covariance is none.",
            ),
            Parameter::new(
                "restarts",
                Kind::choice(RESTARTS),
                Fallback::text("none"),
                "After a run has converged: `none` ends the trial as `stagnated`, `ipop` restarts \
                with twice the children, `bipop` also with few, for \
                half as long at most (Hansen 2009).",
            ),
        ],
        source: "Hansen (2016), doi:10.48550/arXiv.1604.00772; Hansen (2009), \
            doi:10.1145/1570256.1570333; Ros and Hansen (2008), \
            doi:10.1007/978-3-540-87700-4_30",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let length = context.problem.genome_length;
            let lambda = values.given_count("lambda").unwrap_or(default_lambda(length));
            values.settle_count("lambda", lambda);
            if values.choice("covariance") == "none" {
                values.leave_out("active");
            }
            Ok(Arc::new(CmaEs {
                lambda,
                sigma: values.real("sigma"),
                covariance: match values.choice("covariance") {
                    "diagonal" => Covariance::Diagonal,
                    "none" => Covariance::None,
                    _ => Covariance::Full,
                },
                active: values.flag("active"),
                restarts: match values.choice("restarts") {
                    "ipop" => Restarts::Ipop,
                    "bipop" => Restarts::Bipop,
                    _ => Restarts::None,
                },
            }))
        },
    },
};
