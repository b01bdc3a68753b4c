//! Suites: the functions of several results, and the algorithms that searched them.

use crate::analysis::comparison::{SAME_BUDGET, Sample, common_budget};
use crate::analysis::ranking::{KeyNames, Problem};
use crate::plan::swept_text;
use crate::problem::section::Setting;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Results that take part in a suite.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Name, unique among the entrants.
    pub name: String,
    /// Way in which the results came to the suite.
    pub origin: Origin,
    /// Name and version of the problem's plugin; empty if another program ran the trials.
    pub plugin: (String, String),
    /// Version of the suite that the results were made for, and the suite's own; `None` if they
    /// are the same, or the results were made for no version of it.
    pub other_version: Option<[String; 2]>,
    /// Arms with their trials.
    pub samples: Vec<Sample>,
}

/// Way in which results came to a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Experiment of the suite.
    Own,
    /// Results that others ran with runner.
    Others,
    /// Trials of another program.
    Imported,
}

/// Algorithms on the functions of a suite.
#[derive(Clone, Debug, Default)]
pub struct Contest {
    /// Functions, in the order of the experiments.
    pub functions: Vec<Function>,
    /// Names of the algorithms, in the order of the experiments.
    pub algorithms: Vec<String>,
    /// Arms of others that cannot be compared.
    pub refused: Vec<Refused>,
}

/// A function: a problem, or several instances of one.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name among the others: the values of the parameters that differ.
    pub name: String,
    /// Smallest budget of the suite's own arms; `None` if they have none.
    pub budget: Option<u64>,
    /// Number of instances.
    pub instances: usize,
    /// Algorithms that searched it.
    pub contestants: Vec<Contestant>,
    /// Parameters that identify the function, as texts by key.
    key: Parameters,
    /// Target of each instance, by its other parameters.
    targets: BTreeMap<Parameters, Option<f64>>,
}

/// Parameters of a problem with their values as texts.
type Parameters = BTreeMap<String, String>;

/// Name by which other programs call the size of a problem.
const DIMENSION: &str = "dimension";
/// Usual names of the parameter that is the size of a problem, the most usual first.
pub const SIZES: [&str; 6] = ["n", "length", DIMENSION, "size", "variables", "items"];

impl Function {
    /// Returns the size of the problem, as other programs call it by `dimension`; `None` for
    /// another key.
    fn size(&self, key: &str) -> Option<&String> {
        let sizes: &[&str] = if key == DIMENSION { &SIZES } else { &[] };
        sizes.iter().find_map(|size| self.key.get(*size))
    }
}

/// An algorithm on a function.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Number of the algorithm.
    pub algorithm: usize,
    /// Arms whose trials are pooled.
    pub parts: Vec<Part>,
    /// Trials on all instances.
    pub sample: Sample,
}

/// An arm of an entrant, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the entrant.
    pub entrant: usize,
    /// Number of the arm in it.
    pub arm: usize,
    /// Number of the instance; `None` if an imported arm does not name it.
    pub instance: Option<usize>,
}

/// An arm of others that cannot be compared with the suite's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Number of the entrant.
    pub entrant: usize,
    /// Label of the arm.
    pub arm: String,
    /// Reason why it cannot be compared.
    pub why: Why,
}

/// Reason why an arm cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// No function of the suite is its problem. The parameters that differ from those of the most
    /// similar function, with the arm's value and the suite's; empty if the plugin is another one.
    Problem(Vec<(String, [String; 2])>),
    /// Several functions fit what is known of its problem.
    Ambiguous,
    /// Version of the suite that it was made for, which is not the suite's, the second.
    Suite([String; 2]),
    /// Version of the plugin, which is not the suite's, the second.
    Version([String; 2]),
    /// Target, which is not the suite's, the second.
    Target([Option<f64>; 2]),
    /// Budget, which is smaller than the suite's, the second.
    Budget(u64, Option<u64>),
    /// Arm of the suite that has the same trials.
    Same(String),
    /// Number of instances that it has, of all instances of the function.
    Instances(usize, usize),
}

/// Fault of a suite's own experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Name of the function.
    pub function: String,
    /// Two arms with their targets.
    pub arms: [(String, Option<f64>); 2],
}

/// Brings the arms of several results together. `pool` has the parameters of problems whose values
/// are instances of one function.
///
/// # Errors
/// Returns an error if arms of the suite's own experiments have different targets on an instance.
pub fn contest(entrants: &[Entrant], pool: &[String]) -> Result<Contest, Mismatch> {
    let pool = &Pool::of(pool, entrants);
    let mut functions = functions(entrants, pool)?;
    name(&mut functions);
    let names = names(entrants);
    let mut contest = Contest { functions, ..Contest::default() };
    let known = |own: bool| {
        let all = entrants.iter().enumerate();
        all.filter(move |(_, entrant)| (entrant.origin == Origin::Own) == own)
    };
    for (place, entrant) in known(true).chain(known(false)) {
        for (arm, sample) in entrant.samples.iter().enumerate() {
            let found = contest.place_of(entrants, place, sample, pool);
            let (function, instance) = match found {
                Ok(found) => found,
                Err(why) => {
                    let arm = sample.label.clone();
                    contest.refused.push(Refused { entrant: place, arm, why });
                    continue;
                }
            };
            let part = Part { entrant: place, arm, instance };
            let algorithm = contest.algorithm(&names[place][arm]);
            let contestants = &mut contest.functions[function].contestants;
            match contestants.iter_mut().find(|one| one.algorithm == algorithm) {
                Some(one) => one.parts.push(part),
                None => contestants.push(Contestant {
                    algorithm,
                    parts: vec![part],
                    sample: Sample::default(),
                }),
            }
        }
    }
    contest.refuse_incomplete(entrants);
    contest.pool(entrants);
    Ok(contest)
}

/// Returns the functions of the suite's own arms.
fn functions(entrants: &[Entrant], pool: &Pool<'_>) -> Result<Vec<Function>, Mismatch> {
    let mut functions: Vec<Function> = Vec::new();
    let mut first: BTreeMap<(usize, Parameters), (String, Option<f64>)> = BTreeMap::new();
    for entrant in entrants.iter().filter(|one| one.origin == Origin::Own) {
        for sample in &entrant.samples {
            let (key, instance) = parameters(entrant, sample, pool);
            let place = functions.iter().position(|one| one.key == key);
            let place = place.unwrap_or_else(|| {
                functions.push(Function {
                    name: String::new(),
                    budget: None,
                    instances: 0,
                    contestants: Vec::new(),
                    key,
                    targets: BTreeMap::new(),
                });
                functions.len() - 1
            });
            let own = (sample.label.clone(), sample.settings.target());
            let before = first.entry((place, instance.clone())).or_insert_with(|| own.clone());
            if before.1 != own.1 {
                let arms = [before.clone(), own];
                name(&mut functions);
                return Err(Mismatch { function: functions.swap_remove(place).name, arms });
            }
            functions[place].targets.insert(instance, own.1);
            let budget = functions[place].budget.into_iter().chain(sample.own_budget()).min();
            functions[place].budget = budget;
        }
    }
    functions.iter_mut().for_each(|one| one.instances = one.targets.len());
    Ok(functions)
}

/// Parameters whose values are instances of one function.
struct Pool<'a> {
    keys: &'a [String],
    /// Defaults that settings leave out, as far as the suite's own sweeps tell them.
    defaults: Parameters,
}

impl<'a> Pool<'a> {
    fn of(keys: &'a [String], entrants: &[Entrant]) -> Self {
        let own = entrants.iter().filter(|one| one.origin == Origin::Own);
        let mut defaults = Parameters::new();
        for sample in own.flat_map(|one| &one.samples) {
            let given = &sample.settings.problem;
            for (key, value) in &sample.swept {
                let key = key.strip_prefix("problem.").filter(|key| given.get(key).is_none());
                if let Some(key) = key.filter(|key| keys.iter().any(|one| one == key)) {
                    defaults.insert(key.to_owned(), swept_text(value));
                }
            }
        }
        Pool { keys, defaults }
    }
}

/// Returns the parameters of an arm's problem, and those that name the instance.
fn parameters(entrant: &Entrant, sample: &Sample, pool: &Pool<'_>) -> (Parameters, Parameters) {
    let text = |setting: &Setting| match setting {
        Setting::Value(value) => swept_text(value),
        other => other.to_string(),
    };
    let all = sample.settings.problem.iter().filter(|(key, _)| *key != PLUGIN);
    let all = all.map(|(key, setting)| (key.to_owned(), text(setting)));
    let (mut instance, mut own): (Parameters, Parameters) =
        all.partition(|(key, _)| pool.keys.contains(key));
    for (key, value) in &pool.defaults {
        instance.entry(key.clone()).or_insert_with(|| value.clone());
    }
    own.insert(PLUGIN.to_owned(), entrant.plugin.0.clone());
    (own, instance)
}

/// Key of the plugin among the parameters of a problem.
const PLUGIN: &str = "plugin";
/// Problem of imported arms whose source names none.
const UNNAMED: &str = "imported";
/// Parameter of imported arms that repeats the name of their problem.
const NAME: &str = "name";

/// Names the functions by the parameters in which they differ: a text alone, other values with
/// their key. If two had one name, texts have their key too.
fn name(functions: &mut [Function]) {
    let all: BTreeSet<&String> = functions.iter().flat_map(|one| one.key.keys()).collect();
    let values = |key: &str| functions.iter().map(|one| one.key.get(key)).collect::<BTreeSet<_>>();
    let keys: Vec<&String> = all.into_iter().filter(|key| values(key).len() > 1).collect();
    let name_of = |function: &Function, with_keys: bool| {
        let value = |key: &&String| {
            let value = function.key.get(*key).filter(|value| !value.is_empty())?;
            let speaks = value.parse::<f64>().is_err() && !["true", "false"].contains(&&**value);
            Some(if speaks && !with_keys { value.clone() } else { format!("{key}={value}") })
        };
        let words: Vec<String> = keys.iter().filter_map(value).collect();
        if words.is_empty() { function.key[PLUGIN].clone() } else { words.join(", ") }
    };
    let named = |with_keys| functions.iter().map(|one| name_of(one, with_keys)).collect::<Vec<_>>();
    let mut names = named(false);
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        names = named(true);
    }
    functions.iter_mut().zip(names).for_each(|(function, name)| function.name = name);
}

/// Returns the names of the algorithms, by entrant and arm. Two entrants whose arms of one name are
/// not the same algorithm have the entrant's name added: those of others always, and those of the
/// suite where both searched one problem.
fn names(entrants: &[Entrant]) -> Vec<Vec<String>> {
    let keys = KeyNames::of(entrants.iter().flat_map(|entrant| &entrant.samples));
    let arm_name = |sample: &Sample| keys.arm(sample);
    let searched = |sample: &Sample| (arm_name(sample), sample.settings.problem.to_string());
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut on_problems: BTreeSet<(String, String)> = BTreeSet::new();
    let mut all = vec![Vec::new(); entrants.len()];
    let order = |own: bool| {
        let each = entrants.iter().enumerate();
        each.filter(move |(_, entrant)| (entrant.origin == Origin::Own) == own)
    };
    for (place, entrant) in order(true).chain(order(false)) {
        let clashes = |sample: &&Sample| match entrant.origin {
            Origin::Own => on_problems.contains(&searched(sample)),
            _ => taken.contains(&arm_name(sample)),
        };
        let clashing: BTreeSet<String> =
            entrant.samples.iter().filter(clashes).map(&arm_name).collect();
        let name = |sample: &Sample| match arm_name(sample) {
            name if clashing.contains(&name) => format!("{name} ({})", entrant.name),
            name => name,
        };
        all[place] = entrant.samples.iter().map(name).collect();
        taken.extend(entrant.samples.iter().map(&arm_name));
        on_problems.extend(entrant.samples.iter().map(searched));
    }
    all
}

impl Contest {
    /// Returns the number of an algorithm, which is added if it is new.
    fn algorithm(&mut self, name: &str) -> usize {
        let known = self.algorithms.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.algorithms.push(name.to_owned());
            self.algorithms.len() - 1
        })
    }

    /// Returns the function that an arm searched and the number of the instance, or the reason why
    /// the arm cannot be compared.
    fn place_of(
        &self,
        entrants: &[Entrant],
        own: usize,
        sample: &Sample,
        pool: &Pool<'_>,
    ) -> Result<(usize, Option<usize>), Why> {
        let entrant = &entrants[own];
        if let Some(versions) = &entrant.other_version {
            return Err(Why::Suite(versions.clone()));
        }
        let (key, instance) = parameters(entrant, sample, pool);
        let place = match entrant.origin {
            Origin::Imported => self.named(sample, &key)?,
            _ => self.same(&key)?,
        };
        let function = &self.functions[place];
        let number = function.targets.keys().position(|known| *known == instance);
        let before = |one: &(usize, &Entrant)| {
            one.1.origin == Origin::Own && (entrant.origin != Origin::Own || one.0 < own)
        };
        let earlier = entrants.iter().enumerate().filter(before);
        let mut earlier = earlier.flat_map(|(_, one)| &one.samples);
        if let Some(same) = earlier.find(|one| one.seeds.is_some() && one.seeds == sample.seeds) {
            return Err(Why::Same(same.label.clone()));
        }
        if entrant.origin == Origin::Own {
            return Ok((place, number));
        }
        if number.is_none() && !instance.is_empty() {
            let own = function.targets.keys().next().cloned().unwrap_or_default();
            return Err(Why::Problem(differing(&instance, &own)));
        }
        let ours = number.and_then(|number| *function.targets.values().nth(number)?);
        let theirs = sample.settings.target();
        // The fitness of another program may have another scale: its success is what it says.
        if entrant.origin == Origin::Others && theirs != ours {
            return Err(Why::Target([theirs, ours]));
        }
        let known = entrants.iter().find(|one| {
            let is_own = one.origin == Origin::Own && one.plugin.0 == entrant.plugin.0;
            is_own && one.plugin.1 != entrant.plugin.1
        });
        if let Some(known) = known {
            return Err(Why::Version([entrant, known].map(|one| one.plugin.1.clone())));
        }
        let enough = function.budget.map(|ours| ours as f64 * (1.0 - SAME_BUDGET));
        match sample.own_budget() {
            Some(theirs) if enough.is_none_or(|enough| (theirs as f64) < enough) => {
                Err(Why::Budget(theirs, function.budget))
            }
            _ => Ok((place, number)),
        }
    }

    /// Returns the function with these parameters.
    fn same(&self, key: &Parameters) -> Result<usize, Why> {
        if let Some(place) = self.functions.iter().position(|one| one.key == *key) {
            return Ok(place);
        }
        let alike = self.functions.iter().filter(|one| one.key.get(PLUGIN) == key.get(PLUGIN));
        let differing = alike.map(|one| differing(key, &one.key)).min_by_key(Vec::len);
        Err(Why::Problem(differing.unwrap_or_default()))
    }

    /// Returns the function that fits the problem of an imported arm: its name is that of the
    /// plugin or of the function, and the function has the values that it states.
    fn named(&self, sample: &Sample, key: &Parameters) -> Result<usize, Why> {
        let stated = |wanted: &str| {
            let setting = sample.settings.problem.get(wanted)?;
            setting.as_text().filter(|name| *name != UNNAMED)
        };
        let names: Vec<&str> = [PLUGIN, NAME].into_iter().filter_map(stated).collect();
        let values: Vec<(&String, &String)> =
            key.iter().filter(|(key, _)| ![PLUGIN, NAME].contains(&key.as_str())).collect();
        let fits = |one: &&(usize, &Function)| {
            let function = one.1;
            let plugin = function.key[PLUGIN].as_str();
            let is_file = |name: &str| Path::new(name).file_stem().is_some_and(|own| own == plugin);
            let is_named = |name: &&str| *name == function.name || is_file(name);
            names.iter().all(is_named)
                && values.iter().all(|(key, value)| {
                    let own = function.key.get(*key).or_else(|| function.size(key));
                    own.is_some_and(|own| is_same(own, value))
                })
        };
        let all: Vec<(usize, &Function)> = self.functions.iter().enumerate().collect();
        match all.iter().filter(fits).collect::<Vec<_>>()[..] {
            [(place, _)] => Ok(*place),
            [] => Err(Why::Problem(Vec::new())),
            _ => Err(Why::Ambiguous),
        }
    }

    /// Takes out the arms of an algorithm that lacks instances of a function.
    fn refuse_incomplete(&mut self, entrants: &[Entrant]) {
        for function in &mut self.functions {
            let of = function.instances;
            function.contestants.retain(|one| {
                let has: BTreeSet<usize> =
                    one.parts.iter().filter_map(|part| part.instance).collect();
                let unknown = one.parts.iter().any(|part| part.instance.is_none());
                if has.len() == of || unknown {
                    return true;
                }
                let first = one.parts[0];
                self.refused.push(Refused {
                    entrant: first.entrant,
                    arm: entrants[first.entrant].samples[first.arm].label.clone(),
                    why: Why::Instances(has.len(), of),
                });
                false
            });
        }
    }

    /// Pools the trials of each algorithm on each function.
    fn pool(&mut self, entrants: &[Entrant]) {
        for one in self.functions.iter_mut().flat_map(|function| &mut function.contestants) {
            let arms = one.parts.iter().map(|part| &entrants[part.entrant].samples[part.arm]);
            one.sample = Sample::pooled(&arms.collect::<Vec<_>>()).unwrap_or_default();
        }
    }

    /// Returns the functions as problems, for ranks.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem<'_>> {
        let mut problems = Vec::new();
        for Function { name, contestants, .. } in &self.functions {
            let samples = contestants.iter().map(|one| &one.sample);
            let names = contestants.iter().map(|one| self.algorithms[one.algorithm].clone());
            problems.push(Problem {
                name: name.clone(),
                budget: common_budget(samples.clone()),
                arms: names.zip(samples).collect(),
            });
        }
        problems
    }
}

/// Returns the parameters with different values, those of the first and of the second.
fn differing(one: &Parameters, other: &Parameters) -> Vec<(String, [String; 2])> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let value = |of: &Parameters, key: &String| of.get(key).cloned().unwrap_or_default();
    let both = keys.into_iter().map(|key| (key.clone(), [value(one, key), value(other, key)]));
    both.filter(|(_, [one, other])| one != other).collect()
}

/// Returns whether two texts are one value; 1 and 1.0 are.
fn is_same(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    one == other || number(one).is_some_and(|value| number(other) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_same_texts_are_named_with_their_keys() {
        let function = |parameters: &[(&str, &str)]| {
            let plugin = [(PLUGIN, "p")].into_iter().chain(parameters.iter().copied());
            let key = plugin.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            let (name, contestants, targets) = (String::new(), Vec::new(), BTreeMap::new());
            Function { name, budget: None, instances: 1, contestants, key, targets }
        };
        let named = |all: &[&[(&str, &str)]]| {
            let mut functions: Vec<Function> = all.iter().map(|one| function(one)).collect();
            name(&mut functions);
            functions.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(
            named(&[&[("kind", "ring")], &[("shape", "ring")]]),
            ["kind=ring", "shape=ring"]
        );
        assert_eq!(named(&[&[("kind", "ring")], &[("kind", "grid")]]), ["ring", "grid"]);
        assert_eq!(named(&[&[("n", "8"), ("file", "")], &[]]), ["n=8", "p"]);
    }
}
