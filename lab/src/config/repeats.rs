//! The key `repeats`: a number of trials, or a sequential stopping rule.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{check_keys, given, given_count, given_number, is_meant, text, wrong_type};
use super::keys::{self, Key};
use super::node::{Entry, Node, Shape};
use super::source::Origin;
use crate::plan::Arm;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::problem::parameter::Value;
use crate::words::first_listed;
use std::collections::HashMap;

const EXAMPLE: &str = "{ half-width = 0.02, max = 100000 }, { successes = 7, max = 1000 }, \
    { decide = [\"A\", \"B\"], max = 100000 } or { best = true, max = 10000 }";
/// The keys of which a table has one.
pub(super) const RULES: [&Key; 4] =
    [&keys::HALF_WIDTH, &keys::SUCCESSES, &keys::DECIDE, &keys::BEST];

/// Number of trials and stopping rule that the file asks for.
#[derive(Debug)]
pub(super) struct Repeats {
    /// Trials per arm, or the most.
    pub trials: u64,
    asked: Option<(RawRule, f64)>,
}

/// A stopping rule, before there are arms.
#[derive(Debug)]
enum RawRule {
    Precision { half_width: f64 },
    Successes { wanted: u64 },
    Decision { arms: Vec<(String, Origin)> },
    Best { origin: Origin },
}

pub(super) fn read(root: &Node, out: &mut Faults) -> Option<Repeats> {
    let fixed = |trials: Option<Value>| match trials? {
        Value::Integer(trials) => Some(Repeats { trials: trials as u64, asked: None }),
        _ => None,
    };
    let Some(node) = keys::REPEATS.of(root) else { return fixed(given(root, &keys::REPEATS, out)) };
    let Shape::Table(entries) = &node.shape else {
        if matches!(node.shape, Shape::Large(_)) || node.value().is_some() {
            return fixed(given(root, &keys::REPEATS, out));
        }
        return wrong_type(node, "repeats", "a number of trials, or a table")
            .help(format!("write a number, or {EXAMPLE}"))
            .to(out);
    };
    let before = out.len();
    let names = keys::REPEATS_TABLE.names();
    check_keys(entries, &names, keys::REPEATS_TABLE.name, out);
    let most = match keys::MAX.of(node) {
        Some(_) => given_count(node, &keys::MAX, out),
        None if is_meant(entries, keys::MAX.name, &names) => None,
        None => {
            let error = node.error(
                "nothing ends the trials if the stopping rule is never satisfied",
                "no `max`",
            );
            error
                .rule("repeats as a table needs max, the maximum number of trials per arm")
                .help(format!("write {EXAMPLE}"))
                .to(out)
        }
    };
    let confidence = given_number(node, &keys::CONFIDENCE, out);
    let asked = asked(node, entries, &names, out);
    if let (Some(RawRule::Successes { wanted }), Some(most)) = (&asked, most)
        && most < *wanted
    {
        out.push(too_few(node, *wanted, most));
    }
    if out.len() > before {
        return None;
    }
    Some(Repeats { trials: most?, asked: Some((asked?, confidence?)) })
}

/// Returns the error of an arm that can never have as many successes.
fn too_few(node: &Node, wanted: u64, most: u64) -> Diagnostic {
    let at = keys::MAX.of(node).map_or(node.origin, |max| max.origin);
    let message = format!("no arm can have {wanted} successes in `max` = {most} trials");
    at.error(message, "less than `successes`")
        .rule("an arm ends at its last wanted success, or after max trials")
        .help(format!("raise `max` to at least {wanted}, or lower `successes`"))
}

/// Returns the one stopping rule of the table.
fn asked(node: &Node, entries: &[Entry], names: &[&str], out: &mut Faults) -> Option<RawRule> {
    let given_rules = RULES.map(|key| key.of(node));
    match given_rules {
        [Some(_), None, None, None] => given_number(node, &keys::HALF_WIDTH, out)
            .map(|half_width| RawRule::Precision { half_width }),
        [None, Some(_), None, None] => {
            given_count(node, &keys::SUCCESSES, out).map(|wanted| RawRule::Successes { wanted })
        }
        [None, None, Some(at), None] => arms(at, out).map(|arms| RawRule::Decision { arms }),
        [None, None, None, Some(at)] => match given(node, &keys::BEST, out)? {
            Value::Boolean(true) => Some(RawRule::Best { origin: at.origin }),
            _ => {
                let error = at.error("`best` is not wanted", "ends no trials");
                error
                    .rule("best = true races the arms of a problem until the best is known")
                    .help(format!("remove the table and give a number, or write {EXAMPLE}"))
                    .to(out)
            }
        },
        [None, None, None, None] if RULES.iter().any(|key| is_meant(entries, key.name, names)) => {
            None
        }
        _ => {
            let label = match given_rules.iter().flatten().count() {
                0 => "none",
                2 => "two",
                3 => "three",
                _ => "four",
            };
            let error = node.error("repeats as a table has exactly one stopping rule", label);
            let rule = "half-width runs each arm until its success rate is known with that \
                precision, successes runs each arm until that many trials have succeeded, decide \
                runs until it is known which of two arms succeeds more often, best races all arms \
                of a problem until the one that succeeds most often is known";
            error.rule(rule).help(format!("write {EXAMPLE}")).to(out)
        }
    }
}

/// Reads the labels of two arms.
fn arms(node: &Node, out: &mut Faults) -> Option<Vec<(String, Origin)>> {
    let Shape::List(items) = &node.shape else {
        return wrong_type(node, "decide", "a list of two arms")
            .help("write it as decide = [\"A\", \"B\"]")
            .to(out);
    };
    if items.len() != 2 {
        let error = node
            .error("`decide` must be a list of two arms", format!("{} in this list", items.len()));
        return error
            .rule(
                "it decides between two arms, given by their labels or by the names of \
                    operator sets that make only one arm",
            )
            .help("write it as decide = [\"A\", \"B\"]; best = true finds the best of all arms")
            .to(out);
    }
    let named = items.iter().map(|item| Some((text(item, "decide", out)?.to_owned(), item.origin)));
    named.collect::<Vec<_>>().into_iter().collect()
}

impl Repeats {
    /// Returns whether the successes of trials decide how many there are.
    pub(super) fn is_a_rule(&self) -> bool {
        self.asked.is_some()
    }

    /// Returns the rule that ends the trials of these arms. Complains of arms that are not among
    /// them.
    pub(super) fn stopping_rule(&self, arms: &[Arm], out: &mut Faults) -> Option<StoppingRule> {
        let (rule, confidence) = self.asked.as_ref()?;
        let criterion = match rule {
            RawRule::Precision { half_width } => {
                StoppingCriterion::Precision { half_width: *half_width }
            }
            RawRule::Successes { wanted } => {
                StoppingCriterion::Successes { wanted: *wanted, most: self.trials }
            }
            RawRule::Decision { arms: asked } => {
                let places: Vec<Option<usize>> =
                    asked.iter().map(|(name, origin)| place(arms, name, *origin, out)).collect();
                let (first, second) = (places[0]?, places[1]?);
                if first == second {
                    let error = asked[1].1.error(
                        "an arm cannot be compared with itself",
                        "the same arm as the first",
                    );
                    return error.help("name two different arms").to(out);
                }
                let races = races(arms);
                let problem = |arm: usize| arms[arm].resolved.problem_toml();
                if races[first] != races[second] && problem(first) == problem(second) {
                    let error = asked[1].1.error(
                        format!(
                            "`{}` and `{}` have different [stop]",
                            arms[first].label, arms[second].label
                        ),
                        "another [stop] than the first",
                    );
                    let rule = "the decision is about success rates at the end of trials, but arms \
                        with different budgets are compared within the smaller one";
                    return error.rule(rule).help("name two arms with the same [stop]").to(out);
                }
                StoppingCriterion::Decision { first, second }
            }
            RawRule::Best { origin } => {
                let races = races(arms);
                let mut sizes: HashMap<usize, usize> = HashMap::new();
                races.iter().for_each(|race| *sizes.entry(*race).or_default() += 1);
                let alone = arms.iter().find(|arm| sizes[&races[arm.index]] == 1);
                if let Some(arm) = alone {
                    let error = (*origin).error(
                        format!("`{}` has no other arm to race", arm.label),
                        "needs at least two arms of each problem",
                    );
                    let rule = "arms race each other if they have the same parameters of the \
                        problem and the same [stop], and a baseline races the arms that it is for";
                    return error.rule(rule).help(
                        "add a table [[operators]], sweep a key of the operators, or set baseline \
                        = true",
                    ).to(out);
                }
                StoppingCriterion::Best { races }
            }
        };
        Some(StoppingRule { criterion, confidence: *confidence })
    }
}

/// Returns the race of each arm, numbered by its first arm. Arms of one problem and one [stop] race
/// each other. A baseline always has a budget of evaluations, whatever its [stop] says. It races
/// the first arm that it is for.
fn races(arms: &[Arm]) -> Vec<usize> {
    let mut served: HashMap<usize, &Arm> = HashMap::new();
    for arm in arms {
        arm.baseline.into_iter().for_each(|baseline| _ = served.entry(baseline).or_insert(arm));
    }
    let own = |arm: &Arm| format!("{}{}", arm.resolved.problem_toml(), arm.resolved.stop);
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let of = |arm: &Arm| {
        let next = numbers.len();
        *numbers.entry(own(served.get(&arm.index).unwrap_or(&arm))).or_insert(next)
    };
    arms.iter().map(of).collect()
}

/// Returns the arm of this label, or of the operator set of this name if it makes one arm.
fn place(arms: &[Arm], name: &str, origin: Origin, out: &mut Faults) -> Option<usize> {
    if let Some(arm) = arms.iter().find(|arm| arm.label == name) {
        return Some(arm.index);
    }
    let mut of_set = arms.iter().filter(|arm| arm.settings.operators.name == name);
    if let (Some(arm), None) = (of_set.next(), of_set.next()) {
        return Some(arm.index);
    }
    let labels: Vec<&str> = arms.iter().map(|arm| arm.label.as_str()).collect();
    let shown = first_listed(labels.iter().map(|label| format!("\"{label}\"")), 10);
    let error = origin
        .error(format!("there is no single arm called \"{name}\""), "names no arm or several arms");
    let error = error.rule(format!("the arms are {shown}"));
    error.help_nearest(name, labels.iter().copied(), "name one of them").to(out)
}
