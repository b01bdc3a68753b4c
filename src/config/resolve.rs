//! Resolution: from a document to a plan, every combination of the sweep checked.

use super::Catalogue;
use super::diagnostic::{Diagnostic, Severity, Sources};
use super::document::{Overrides, SetTable, operator_sets};
use super::fields::{check_keys, integer, table, text, value};
use super::node::{Node, Origin, Shape, parse_value};
use super::sweep::{self, Axis, combinations};
use super::{operator_set, stop};
use crate::experiment::{ArmSettings, Source};
use crate::operators::registry::listed;
use crate::parameter::{Fallback, Value};
use crate::plan::{Draft, Plan};
use crate::problem::{Library, Problem};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The parameters' values, in the plugin's order, or nothing once a complaint was made.
type Values = Vec<(String, Value)>;

/// Makes the plan of a document. The origin is that of the experiment's name, if the file gives one.
pub fn plan(
    root: &Node,
    path: &Path,
    file_text: String,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<(Plan, Option<Origin>)> {
    let name = experiment_name(root, path, out);
    let seed = root.get("seed").map_or(Some(0), |node| integer(node, "seed", 0, i64::MAX, out));
    let repeats = root.get("repeats").map_or(Some(100), |node| integer(node, "repeats", 1, 1_000_000_000_000, out));
    let trace = stop::read_output(root, out);
    let library = read_plugin(root, path, catalogue, out);
    let keys: Option<Vec<&str>> =
        library.as_ref().map(|library| library.parameters().iter().map(|one| one.key.as_ref()).collect());
    let axes = sweep::read(root, keys.as_deref(), out);
    let sets = operator_sets(root, sources, out);
    let arms = Resolver { root, library: library.as_ref(), axes: &axes, problems: BTreeMap::new() }.arms(&sets, out);
    if out.iter().any(|one| one.severity == Severity::Error) {
        return None;
    }
    let (name, library) = (name?, library?);
    if arms.iter().all(|arm| arm.settings.stop.target.is_none()) {
        let warning = Diagnostic::general(format!("{}: no trial can succeed: there is no target", path.display()));
        let warning = warning.rule("the problem does not state its ideal fitness, and [stop] has no `fitness`");
        out.push(Diagnostic { severity: Severity::Warning, ..warning }.help("add fitness = … to [stop]"));
    }
    let origin = root.get("name").map(|node| node.origin);
    let source = Source { path: path.to_owned(), text: file_text, overrides: overrides.words() };
    let swept_keys = axes.into_iter().map(|axis| axis.key).collect();
    match Plan::new(name, seed? as u64, repeats? as u64, trace, swept_keys, arms, library, source) {
        Ok(plan) => Some((plan, origin)),
        Err((first, second)) => {
            let message = format!("the arms `{first}` and `{second}` have the same settings");
            let at = root.get("operators").map_or(root.origin, |node| node.origin);
            let at = Origin { end: at.start, ..at };
            let error = Diagnostic::error(message, at, "in these operator sets");
            out.push(
                error
                    .rule("equal arms run equal trials: the second would say nothing new")
                    .help("change or remove one of them"),
            );
            None
        }
    }
}

/// The name of the experiment: a folder's name, so that nothing is written outside the results.
fn experiment_name(root: &Node, path: &Path, out: &mut Vec<Diagnostic>) -> Option<String> {
    let rule =
        "a name is a folder's name: 1 to 100 bytes of letters, digits, spaces and -_.+,=@ that do not begin with a dot";
    let allowed = |c: char| c.is_alphanumeric() || " -_.+,=@".contains(c);
    let good = |name: &str| {
        (1..=100).contains(&name.len())
            && !name.starts_with(['.', ' '])
            && !name.ends_with([' ', '.'])
            && name.chars().all(allowed)
    };
    match root.get("name") {
        Some(node) => {
            let name = text(node, "name", out)?;
            if !good(name) {
                let error =
                    Diagnostic::error(format!("the name {name:?} cannot name a folder"), node.origin, "not allowed");
                out.push(error.rule(rule).help("choose another, such as name = \"eight-queens\""));
                return None;
            }
            Some(name.to_string())
        }
        None => {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if !good(stem) {
                let message = format!("{}: the file's name cannot name a folder", path.display());
                out.push(Diagnostic::general(message).rule(rule).help("add a name: name = \"…\""));
                return None;
            }
            Some(stem.to_string())
        }
    }
}

fn read_plugin(root: &Node, path: &Path, catalogue: &mut Catalogue, out: &mut Vec<Diagnostic>) -> Option<Arc<Library>> {
    let Some(node) = root.get("problem") else {
        let error = Diagnostic::error("this experiment has no problem", root.origin, "no table [problem]");
        out.push(error.help("add one: [problem] with plugin = \"nqueens\"; `runner plugins` lists them"));
        return None;
    };
    table(node, "problem", "[problem] with plugin = \"nqueens\"", out)?;
    let Some(plugin) = node.get("plugin") else {
        let error = Diagnostic::error("this problem has no plugin", node.origin, "in this table");
        out.push(error.help("add one, such as plugin = \"nqueens\"; `runner plugins` lists them"));
        return None;
    };
    let name = text(plugin, "plugin", out)?;
    match catalogue.load(name, path.parent().unwrap_or(Path::new("."))) {
        Ok(library) => Some(library),
        Err(error) => {
            let words = error.to_string();
            out.push(Diagnostic::error(words, plugin.origin, "this plugin").of_plugin());
            None
        }
    }
}

/// A plugin's parameters out of `KEY=VALUE` words, as `runner sample` takes them.
pub fn problem_values(
    library: &Library,
    set: &[String],
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<Value>> {
    let source = sources.add(format!("plugin {}", library.name()), "");
    let origin = Origin { source, start: 0, end: 0 };
    let mut node = Node { shape: Shape::Table(Vec::new()), origin };
    for word in set {
        let id = sources.add("--set", word.clone());
        let whole = Origin { source: id, start: 0, end: word.len() };
        match word.split_once('=').map(|(key, _)| key.strip_prefix("problem.").unwrap_or(key).trim()) {
            Some(key) if !key.is_empty() => {
                let start = word.find('=').map_or(0, |place| place + 1);
                node.put(&[key], whole, parse_value(word, id, start));
            }
            _ => out.push(
                Diagnostic::error(format!("`{word}` sets nothing"), whole, "no KEY=VALUE").help("write --set n=12"),
            ),
        }
    }
    let values = parameter_values(library, &node, out)?;
    (!out.iter().any(|one| one.severity == Severity::Error))
        .then(|| values.into_iter().map(|(_, value)| value).collect())
}

/// Reads a plugin's parameters from a table's entries (all but `plugin`); defaults filled in.
fn parameter_values(library: &Library, node: &Node, out: &mut Vec<Diagnostic>) -> Option<Values> {
    let before = out.len();
    let Shape::Table(entries) = &node.shape else { return None };
    let of = format!("the problem `{}`", library.name());
    let allowed: Vec<&str> =
        std::iter::once("plugin").chain(library.parameters().iter().map(|one| one.key.as_ref())).collect();
    check_keys(entries, &allowed, &of, out);
    let mut values = Vec::with_capacity(library.parameters().len());
    for parameter in library.parameters() {
        let read = match node.get(&parameter.key) {
            Some(node) => value(node, &parameter.key, &parameter.kind, out),
            None => match &parameter.fallback {
                Fallback::Value(value) => Some(value.clone()),
                Fallback::Required | Fallback::Derived(_) => {
                    let message = format!("{of} needs `{}`", parameter.key);
                    let error = Diagnostic::error(message, node.origin, "in this table");
                    out.push(
                        error
                            .rule(parameter.doc.clone())
                            .help(format!("add {} = …: {}", parameter.key, parameter.kind)),
                    );
                    None
                }
            },
        };
        values.extend(read.map(|read| (parameter.key.to_string(), read)));
    }
    (out.len() == before).then_some(values)
}

struct Resolver<'a> {
    root: &'a Node,
    library: Option<&'a Arc<Library>>,
    axes: &'a [Axis],
    /// Instances by the values that the sweep gives the problem.
    problems: BTreeMap<Vec<usize>, Option<(Values, Arc<Problem>)>>,
}

impl Resolver<'_> {
    /// Every arm, operator sets outermost. A set, a problem and a stop rule are each read once for every combination of
    /// the swept keys in their own table.
    fn arms(mut self, sets: &[SetTable], out: &mut Vec<Diagnostic>) -> Vec<Draft> {
        let all = combinations(self.axes);
        let mut stops = BTreeMap::new();
        let mut arms = Vec::with_capacity(sets.len() * all.len());
        for set in sets {
            let mut read = BTreeMap::new();
            for combination in &all {
                let of_problem = self.part("problem", combination);
                let made = self.problem(&of_problem, out);
                let description = made.as_ref().map(|(_, problem)| problem.description());
                let stop = stops
                    .entry((self.part("stop", combination), of_problem.clone()))
                    .or_insert_with_key(|(part, _)| {
                        stop::read(&self.overlaid("stop", self.root, part), description, out)
                    })
                    .clone();
                let operators = read
                    .entry((self.part("operators", combination), of_problem))
                    .or_insert_with_key(|(part, _)| {
                        let node = self.overlaid("operators", &set.node, part);
                        operator_set::read(&set.name, &node, description, out)
                    })
                    .clone();
                if let (Some((parameters, problem)), Some(stop), Some(operators)) = (made, stop, operators) {
                    let swept =
                        self.axes.iter().zip(combination).map(|(axis, value)| swept(&axis.values[*value])).collect();
                    arms.push(Draft { settings: ArmSettings { parameters, operators, stop, swept }, problem });
                }
            }
        }
        arms
    }

    /// The part of a combination that has to do with one table: `usize::MAX` for the other axes.
    fn part(&self, table: &str, combination: &[usize]) -> Vec<usize> {
        let own = |(axis, value): (&Axis, &usize)| if axis.table() == table { *value } else { usize::MAX };
        self.axes.iter().zip(combination).map(own).collect()
    }

    /// A copy of the node with the swept values of a part put in. For [stop] and [problem] the node is the whole
    /// document, for operators one set.
    fn overlaid(&self, table: &str, node: &Node, part: &[usize]) -> Node {
        let mut node = node.clone();
        for (axis, value) in self.axes.iter().zip(part).filter(|(_, value)| **value != usize::MAX) {
            let mut path = axis.path();
            if table != "operators" {
                path.insert(0, table);
            }
            node.put(&path, axis.origin, axis.values[*value].clone());
        }
        node
    }

    fn problem(&mut self, part: &Vec<usize>, out: &mut Vec<Diagnostic>) -> Option<(Values, Arc<Problem>)> {
        if let Some(made) = self.problems.get(part) {
            return made.clone();
        }
        let made = self.make_problem(part, out);
        self.problems.insert(part.clone(), made.clone());
        made
    }

    fn make_problem(&self, part: &[usize], out: &mut Vec<Diagnostic>) -> Option<(Values, Arc<Problem>)> {
        let library = self.library?;
        let whole = self.overlaid("problem", self.root, part);
        let node = whole.get("problem")?;
        let values = parameter_values(library, node, out)?;
        let bare: Vec<Value> = values.iter().map(|(_, value)| value.clone()).collect();
        match library.create(&bare) {
            Ok(problem) => Some((values, Arc::new(problem))),
            Err(error) => {
                let given: Vec<String> = values.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                let given: Vec<&str> = given.iter().map(String::as_str).collect();
                let error = Diagnostic::error(error.to_string(), node.origin, "this problem");
                out.push(error.rule(format!("its parameters are {}", listed(&given, "and"))).of_plugin());
                None
            }
        }
    }
}

/// A swept value as the tables have it: what is no single value, as TOML.
fn swept(node: &Node) -> Value {
    node.value().unwrap_or_else(|| Value::Text(node.to_toml().into()))
}
