//! From checked settings to operators: the rules that need more than one value, and the defaults
//! that follow from the rest.

use super::Neighborhood;
use super::registry::{Entry, Slot};
use super::set::{
    Algorithm, AnnealingSettings, Crossover, CrossoverKind, Cut, Genes, HillClimbingSettings,
    Mutation, MutationKind, PivotingRule, Replacement, Scaling, Selection, Setting, Ties,
};
use crate::problem::parameter::Value;
use crate::problem::{Description, Encoding, Space};
use std::borrow::Cow;

/// What operators are built for.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub population: usize,
    pub problem: &'a Description,
}

/// An operator with the values that the user or a plain default gave. Values that follow from the
/// rest may be missing.
#[derive(Clone, Debug)]
pub struct Draft {
    pub entry: &'static Entry,
    /// One a parameter of the entry, in its order; checked against its kind.
    pub values: Vec<Option<Value>>,
}

/// A rule that a combination of values breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The parameter to blame; none: the operator itself.
    pub key: Option<&'static str>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// The way out.
    pub help: String,
}

fn complaint(key: Option<&'static str>, message: String, help: impl Into<String>) -> Complaint {
    Complaint { key, message, help: help.into() }
}

impl Draft {
    fn value(&self, key: &str) -> Option<&Value> {
        let place = self.entry.parameters.iter().position(|parameter| parameter.key == key);
        self.values[place.expect("an operator asks for its own parameters")].as_ref()
    }

    fn real(&self, key: &str) -> Option<f64> {
        match self.value(key) {
            Some(Value::Real(number)) => Some(*number),
            _ => None,
        }
    }

    fn count(&self, key: &str) -> Option<usize> {
        match self.value(key) {
            Some(Value::Integer(number)) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    fn word(&self, key: &str) -> &str {
        match self.value(key) {
            Some(Value::Text(word)) => word,
            _ => "",
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        let place = self.entry.parameters.iter().position(|parameter| parameter.key == key);
        self.values[place.expect("an operator sets its own parameters")] = Some(value);
    }

    /// The settings as tables show them. `skip` names parameters that do not apply.
    fn setting(&self, skip: &[&str]) -> Setting {
        let keys = self.entry.parameters.iter().map(|parameter| match &parameter.key {
            Cow::Borrowed(key) => *key,
            Cow::Owned(_) => unreachable!("the registry's keys are literals"),
        });
        let values = keys.zip(&self.values).filter(|(key, _)| !skip.contains(key));
        let values =
            values.filter_map(|(key, value)| value.clone().map(|value| (key, value))).collect();
        Setting { kind: self.entry.name, values }
    }
}

/// Most neighbours that a climb may have to look at in a step, and list: 2^24, one of 4,096 queens
/// in rows.
const MOST_NEIGHBORS: u64 = 1 << 24;

/// Most genomes that an exhaustive search may go through: a day's work at 100 ns each.
const LARGEST_SPACE: u64 = 1_000_000_000_000;

/// An algorithm other than the evolutionary one, which is made of its slots. `mutation` proposes
/// moves where it is given.
///
/// # Errors
/// A neighbourhood or a space too large.
pub fn algorithm(
    mut draft: Draft,
    mutation: Option<MutationKind>,
    context: Context<'_>,
) -> Result<(Algorithm, Setting), Complaint> {
    let Context { population, problem } = context;
    let algorithm = match draft.entry.name {
        "random-search" => Algorithm::RandomSearch { population },
        "hill-climbing" => {
            let neighbors =
                Neighborhood::of(problem).map_or(0, |neighborhood| neighborhood.count());
            if neighbors > MOST_NEIGHBORS {
                let message = format!(
                    "a genome of this problem has {neighbors} neighbours, and a climb lists \
                    {MOST_NEIGHBORS} at most"
                );
                return Err(complaint(
                    None,
                    message,
                    "choose `simulated-annealing`, which draws its neighbours",
                ));
            }
            let steepest = draft.word("step") != "first-improvement";
            Algorithm::HillClimbing(HillClimbingSettings {
                pivoting_rule: if steepest {
                    PivotingRule::Steepest
                } else {
                    PivotingRule::FirstImprovement
                },
                sideways: draft.count("sideways").unwrap_or(0) as u64,
                restarts: draft.value("restarts") != Some(&Value::Boolean(false)),
            })
        }
        "simulated-annealing" => {
            let moves = draft.count("moves").unwrap_or(problem.genome_length);
            draft.set("moves", Value::Integer(moves as i64));
            Algorithm::SimulatedAnnealing(AnnealingSettings {
                temperature: draft.real("temperature").unwrap_or(1.0),
                cooling: draft.real("cooling").unwrap_or(0.95),
                moves,
                mutation: mutation.unwrap_or(neighbor(problem.encoding)),
            })
        }
        _ => {
            exhaustible(problem)?;
            Algorithm::Exhaustive { population }
        }
    };
    Ok((algorithm, draft.setting(&[])))
}

/// The mutation that draws a neighbour.
fn neighbor(encoding: Encoding) -> MutationKind {
    match encoding {
        Encoding::Integer => MutationKind::Reset { genes: Genes::One, different: true },
        Encoding::Permutation => MutationKind::Swap,
        Encoding::Bits => MutationKind::BitFlip { genes: Genes::One },
        Encoding::Real => MutationKind::Gaussian { sigma: 0.1, genes: Genes::One },
        Encoding::Opaque => MutationKind::Problem,
    }
}

/// Complains of a space that cannot be gone through.
fn exhaustible(problem: &Description) -> Result<(), Complaint> {
    let help = "choose `random-search` to sample it";
    match Space::of(problem) {
        Some(space) if space.size() <= LARGEST_SPACE => Ok(()),
        space => {
            let size = space.map_or("2^64 or more".into(), |space| space.size().to_string());
            let message = format!(
                "the space has {size} genomes, and {LARGEST_SPACE} are the most to go through"
            );
            Err(complaint(None, message, help))
        }
    }
}

/// The scaling; `complement` takes its worst from the problem where none is given.
///
/// # Errors
/// `complement` without a worst fitness, or with one that leaves no weights; a scaling for fitness
/// of at least 0 on a problem whose ideal is below.
pub fn scaling(mut draft: Draft, context: Context<'_>) -> Result<(Scaling, Setting), Complaint> {
    let scaling = match draft.entry.name {
        "complement" => {
            let worst = draft.real("worst").or(context.problem.worst).ok_or_else(|| {
                let message =
                    "`complement` needs the worst fitness, and the problem does not state one"
                        .to_string();
                complaint(None, message, "give it: scaling = { kind = \"complement\", worst = … }")
            })?;
            if let Some(ideal) = context.problem.ideal
                && worst <= ideal
            {
                let message = format!(
                    "a `worst` of {worst} leaves no weights: the problem's ideal is {ideal}, and \
                    no fitness is below"
                );
                return Err(complaint(
                    Some("worst"),
                    message,
                    "set the greatest fitness that is still to have a chance",
                ));
            }
            draft.set("worst", Value::Real(worst));
            Scaling::Complement { worst }
        }
        "reciprocal" => {
            not_below_nought(&draft, context, "choose `rank` or `complement`")?;
            Scaling::Reciprocal
        }
        "share-complement" => {
            not_below_nought(&draft, context, "choose `rank` or `complement`")?;
            Scaling::ShareComplement
        }
        "rank" => Scaling::Rank { pressure: draft.real("pressure").unwrap_or(1.5) },
        _ => Scaling::None,
    };
    Ok((scaling, draft.setting(&[])))
}

/// For operators that make sense only where fitness is at least 0.
fn not_below_nought(draft: &Draft, context: Context<'_>, help: &str) -> Result<(), Complaint> {
    match context.problem.ideal {
        Some(ideal) if ideal < 0.0 => {
            let message = format!(
                "`{}` needs fitness of at least 0, and the problem's ideal is {ideal}",
                draft.entry.name
            );
            Err(complaint(None, message, help))
        }
        _ => Ok(()),
    }
}

/// A share of the population in whole individuals, halves rounded up.
///
/// # Errors
/// A share above 0 that comes to nobody.
fn whole_parents(share: f64, population: usize) -> Result<usize, Complaint> {
    let count = (share * population as f64).round() as usize;
    if count == 0 && share > 0.0 {
        let message =
            format!("a share of {share} of a population of {population} is no parent at all");
        let help = format!(
            "choose a share of at least {}, or a larger population",
            1.0 / population as f64
        );
        return Err(complaint(Some("share"), message, help));
    }
    Ok(count)
}

/// The selection.
///
/// # Errors
/// A tournament larger than the population; a truncation that leaves no parent; a noisy ranking of
/// fitness below 0; a wheel without weights.
pub fn selection(
    draft: Draft,
    scaling: Scaling,
    context: Context<'_>,
) -> Result<(Selection, Setting), Complaint> {
    let population = context.population;
    let name = draft.entry.name;
    let selection = match name {
        "roulette" => Selection::Roulette,
        "sus" => Selection::Sus,
        "tournament" => {
            let size = draft.count("size").unwrap_or(2);
            if size > population {
                let message =
                    format!("a tournament of {size} is larger than the population of {population}");
                return Err(complaint(
                    Some("size"),
                    message,
                    format!("choose a size in 1..={population}"),
                ));
            }
            Selection::Tournament { size }
        }
        "truncation" => {
            let share = draft.real("share").unwrap_or(0.5);
            Selection::Truncation { count: whole_parents(share, population)? }
        }
        "uniform" => Selection::Uniform,
        _ => {
            not_below_nought(&draft, context, "choose `tournament`")?;
            Selection::NoisyRank
        }
    };
    if selection.uses_weights() && scaling == Scaling::None {
        let message =
            format!("`{name}` draws in proportion to weight, and the operator set has no scaling");
        let help = "add one, such as scaling = \"rank\", or choose a selection that compares \
            fitness, such as \"tournament\"";
        return Err(complaint(None, message, help));
    }
    Ok((selection, draft.setting(&[])))
}

/// The crossover. Under a mix its rate is 1 and no setting.
///
/// # Errors
/// A genome too short to cut.
pub fn crossover(
    draft: Draft,
    mixed: bool,
    context: Context<'_>,
) -> Result<(Crossover, Setting), Complaint> {
    let kind = match draft.entry.name {
        "one-point" if draft.word("cut") == "any" => CrossoverKind::OnePoint { cut: Cut::Any },
        "one-point" => CrossoverKind::OnePoint { cut: Cut::Inner },
        "two-point" => CrossoverKind::TwoPoint,
        "uniform" => CrossoverKind::Uniform { swap: draft.real("swap").unwrap_or(0.5) },
        "order" => CrossoverKind::Order,
        "pmx" => CrossoverKind::Pmx,
        "cycle" => CrossoverKind::Cycle,
        "blend" => CrossoverKind::Blend { alpha: draft.real("alpha").unwrap_or(0.5) },
        "sbx" => CrossoverKind::Sbx { eta: draft.real("eta").unwrap_or(15.0) },
        _ => CrossoverKind::Problem,
    };
    let cuts =
        matches!(kind, CrossoverKind::OnePoint { cut: Cut::Inner } | CrossoverKind::TwoPoint);
    if cuts && context.problem.genome_length < 2 {
        let message =
            format!("`{}` cuts a genome of at least 2 genes, and this one has 1", draft.entry.name);
        return Err(complaint(None, message, "leave crossover out, or choose `uniform`"));
    }
    let rate = if mixed { 1.0 } else { draft.real("rate").unwrap_or(1.0) };
    let children = draft.count("children").unwrap_or(2);
    Ok((Crossover { kind, rate, children }, draft.setting(if mixed { &["rate"] } else { &[] })))
}

/// The mutation. Under a mix its rate is 1 and no setting.
pub fn mutation(mut draft: Draft, mixed: bool, context: Context<'_>) -> (Mutation, Setting) {
    let one_of_all = 1.0 / context.problem.genome_length as f64;
    if matches!(draft.entry.name, "bit-flip" | "polynomial") && draft.real("gene-rate").is_none() {
        draft.set("gene-rate", Value::Real(one_of_all));
    }
    let each = |draft: &Draft| draft.real("gene-rate").map_or(Genes::One, Genes::Each);
    let kind = match draft.entry.name {
        "reset" => {
            MutationKind::Reset { genes: each(&draft), different: draft.word("value") != "any" }
        }
        "swap" => MutationKind::Swap,
        "insert" => MutationKind::Insert,
        "inversion" => MutationKind::Inversion,
        "scramble" => MutationKind::Scramble,
        "bit-flip" => MutationKind::BitFlip { genes: each(&draft) },
        "gaussian" => MutationKind::Gaussian {
            sigma: draft.real("sigma").unwrap_or(0.1),
            genes: each(&draft),
        },
        "polynomial" => {
            MutationKind::Polynomial { eta: draft.real("eta").unwrap_or(20.0), genes: each(&draft) }
        }
        _ => MutationKind::Problem,
    };
    let rate = if mixed { 1.0 } else { draft.real("rate").unwrap_or(1.0) };
    (Mutation { kind, rate }, draft.setting(if mixed { &["rate"] } else { &[] }))
}

/// The replacement.
///
/// # Errors
/// Elitism that leaves no place for children, has a share that comes to no parent, or names both
/// share and count; too few or too many offspring.
pub fn replacement(
    mut draft: Draft,
    context: Context<'_>,
) -> Result<(Replacement, Setting), Complaint> {
    debug_assert_eq!(draft.entry.slot, Slot::Replacement);
    let population = context.population;
    let offspring = draft.entry.parameters.iter().any(|parameter| parameter.key == "offspring");
    let offspring = if offspring { draft.count("offspring") } else { None };
    let mut skip: &[&str] = &[];
    let replacement = match draft.entry.name {
        "elitism" => {
            let elite = match (draft.real("share"), draft.count("count")) {
                (Some(_), Some(_)) => {
                    let message = "elitism has both a `share` and a `count`".to_string();
                    return Err(complaint(Some("count"), message, "keep the one that you mean"));
                }
                (Some(share), None) => whole_parents(share, population)?,
                (None, count) => count.unwrap_or(1),
            };
            if elite >= population {
                let message = format!(
                    "{elite} of {population} parents live on, and no place is left for children"
                );
                let key = if draft.count("count").is_some() { "count" } else { "share" };
                return Err(complaint(
                    Some(key),
                    message,
                    format!("let at most {} live on", population - 1),
                ));
            }
            // Share and count that mean the same are the same setting.
            draft.set("count", Value::Integer(elite as i64));
            skip = &["share"];
            Replacement::Elitism { elite }
        }
        "plus" => {
            let ties = match draft.word("ties") {
                "parents" => Ties::Parents,
                "random" => Ties::Random,
                _ => Ties::Children,
            };
            Replacement::Plus { offspring: offspring.unwrap_or(population), ties }
        }
        "comma" => {
            let offspring = offspring.unwrap_or(7 * population);
            if offspring < population {
                let message =
                    format!("{offspring} children cannot fill a population of {population}");
                return Err(complaint(
                    Some("offspring"),
                    message,
                    format!("make at least {population}"),
                ));
            }
            Replacement::Comma { offspring }
        }
        "steady-state" => {
            let offspring = offspring.unwrap_or(1);
            if offspring > population {
                let message = format!(
                    "{offspring} children cannot replace more than the population of {population}"
                );
                return Err(complaint(
                    Some("offspring"),
                    message,
                    format!("make at most {population}"),
                ));
            }
            Replacement::SteadyState { offspring }
        }
        _ => Replacement::Generational,
    };
    if let Replacement::Plus { offspring, .. } | Replacement::Comma { offspring } = replacement {
        draft.set("offspring", Value::Integer(offspring as i64));
    }
    Ok((replacement, draft.setting(skip)))
}

#[cfg(test)]
mod tests;
