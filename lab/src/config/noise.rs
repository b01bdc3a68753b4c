//! Noise: the table of an operator set that says how its search evaluates genomes of a noisy
//! problem.

use super::diagnostic::Faults;
use super::fields::{choice, given_count, is_true, strict};
use super::keys;
use super::node::Node;
use crate::problem::Problem;
use crate::search::{Algorithm, Resampling, Statistic};

/// Reads the table. `None` if something is wrong with it, which is reported.
pub(super) fn read(node: &Node, out: &mut Faults) -> Option<Resampling> {
    let before = out.len();
    strict(node, &keys::NOISE_TABLE, out)?;
    let evaluations = given_count(node, &keys::EVALUATIONS_PER_GENOME, out);
    let word = choice(node, &keys::COMBINE, out);
    let combine = Statistic::parse(&word);
    let reevaluates = is_true(node, &keys::RE_EVALUATE, out);
    if out.len() > before {
        return None;
    }
    let evaluations = usize::try_from(evaluations.unwrap_or(1)).ok()?;
    Some(Resampling { evaluations, combine: combine?, reevaluates })
}

/// Complains of a rule for noise that does not go with the problem, or with the algorithm of the
/// operator set `name`.
pub(super) fn suit(
    (rule, problem): (Resampling, &Problem),
    algorithm: &dyn Algorithm,
    (name, node): (&str, &Node),
    out: &mut Faults,
) -> Option<()> {
    if !problem.description().is_noisy() {
        let plugin = problem.library().name();
        let message = format!("operator set `{name}` has `noise`, but `{plugin}` has none here");
        let error = node.error(message, "for noisy problems only");
        let error = error.rule("the same genome has the same fitness each time");
        return error.help(
            "remove this table, or choose parameters with which the problem is noisy (of a swept \
            parameter, every value)",
        ).to(out);
    }
    if !rule.reevaluates || algorithm.reevaluations(1).is_some() {
        return Some(());
    }
    let at = keys::RE_EVALUATE.of(node).map_or(node.origin, |node| node.origin);
    let message = format!("operator set `{name}` has nothing to evaluate anew");
    let error = at.error(message, "not with this search");
    let error = error.rule(
        "`re-evaluate` is for the replacements \"plus\" and \"elitism\" of the evolutionary \
        algorithm, and for the algorithms simulated-annealing, threshold-accepting and \
        greedy-hill-climbing",
    );
    error.help("remove `re-evaluate`, or choose one of these").to(out)
}
