//! Restarts: the table of an operator set that says when its search begins anew.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{choice, given_count, strict};
use super::keys::{self, Key};
use super::node::Node;
use crate::operators::Unit;
use crate::search::{Algorithm, RestartRule, Restarts};

/// Rules of which a table has exactly one.
pub(super) const RULES: [&Key; 3] = [&keys::RUN_STAGNATION, &keys::RUN_EVERY, &keys::RUN_LUBY];

/// Reads the table. `None` if something is wrong with it, which is reported.
pub(super) fn read(node: &Node, out: &mut Faults) -> Option<Restarts> {
    let before = out.len();
    strict(node, &keys::RESTARTS_TABLE, out)?;
    let numbers = RULES.map(|key| given_count(node, key, out));
    let unit = match &*choice(node, &keys::RUN_UNIT, out) {
        "evaluations" => Unit::Evaluations,
        _ => Unit::Generations,
    };
    if out.len() > before {
        return None;
    }
    let rule = match numbers {
        [Some(number), None, None] => RestartRule::Stagnation(number),
        [None, Some(number), None] => RestartRule::Every(number),
        [None, None, Some(number)] => RestartRule::Luby(number),
        _ => {
            return not_one_rule(node, numbers.iter().flatten().count()).to(out);
        }
    };
    Some(Restarts { rule, unit })
}

fn not_one_rule(node: &Node, count: usize) -> Diagnostic {
    let (message, help) = match count {
        0 => ("has no rule", "add one, such as restarts = { stagnation = 200 }"),
        _ => ("has several rules", "keep one of them, and write an operator set for each other"),
    };
    node.error(format!("this table `restarts` {message}"), "in this table")
        .rule("a run ends by exactly one of `stagnation`, `every` and `luby`")
        .help(help)
}

/// Complains of restarts that do not go with the algorithm of the operator set `name`.
pub(super) fn suit(
    algorithm: &dyn Algorithm,
    name: &str,
    node: &Node,
    out: &mut Faults,
) -> Option<()> {
    let wrong = |message: &str| {
        let message = format!("operator set `{name}` {message}");
        node.error(message, "a second rule")
    };
    let error = if algorithm.restarts_itself() {
        wrong("restarts by its algorithm and by `restarts`")
            .rule("only one of them can say when a run ends")
            .help(
                "turn the algorithm's own restarts off (restarts = false, or \"none\"), or remove \
                this table",
            )
    } else if Unit::ALL.into_iter().any(|unit| algorithm.plans_over(unit)) {
        wrong("plans one run over the budget of a trial, and has `restarts`")
            .rule("it changes until the budget of the trial is spent")
            .help("remove this table, or choose an algorithm without such a plan")
    } else {
        return Some(());
    };
    error.to(out)
}
