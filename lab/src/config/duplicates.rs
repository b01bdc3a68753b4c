//! Duplicates: the key of an operator set that says what becomes of genomes that were evaluated
//! before.

use super::diagnostic::Faults;
use super::fields::choice;
use super::keys;
use super::node::Node;
use crate::problem::Problem;
use crate::search::Duplicates;

/// Reads the key of an operator set.
pub(super) fn read(set: &Node, out: &mut Faults) -> Duplicates {
    let word = choice(set, &keys::DUPLICATES, out);
    Duplicates::parse(&word).unwrap_or_default()
}

/// Complains of a rule that does not go with the problem, or with the algorithm of the operator set
/// `name`. `breeds` says whether the algorithm breeds children that it can draw again.
pub(super) fn suit(
    rule: Duplicates,
    problem: &Problem,
    breeds: bool,
    (name, set): (&str, &Node),
    out: &mut Faults,
) -> Option<()> {
    let at = keys::DUPLICATES.of(set).map_or(set.origin, |node| node.origin);
    if rule != Duplicates::Allow && problem.description().is_noisy() {
        let message = format!("operator set `{name}` cannot reuse fitness, which is noisy");
        let error = at.error(message, "not for noisy problems");
        let error = error.rule("the same genome has another fitness each time");
        return error
            .help(
                "remove it; `noise = { evaluations-per-genome = 5 }` says how often a genome is \
            evaluated",
            )
            .to(out);
    }
    if rule == Duplicates::Avoid && !breeds {
        let message = format!("operator set `{name}` has no children to draw again");
        let error = at.error(message, "not with this algorithm");
        let error =
            error.rule("\"avoid\" is for the evolutionary algorithm, also of several islands");
        return error.help("write \"reuse\": then no genome is evaluated twice").to(out);
    }
    Some(())
}
