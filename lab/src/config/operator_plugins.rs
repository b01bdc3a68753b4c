//! Operators of plugins that operator sets name: `crossover = { plugin = "mine", … }`.

use super::data_files::DataFiles;
use super::diagnostic::{Diagnostic, Faults};
use super::fields::text;
use super::node::Node;
use super::problem::{interpreter, read_values, unusable, with_parameters};
use super::source::Origin;
use super::{Catalogue, keys};
use crate::operators::operator::Slot;
use crate::plan::OperatorLibrary;
use crate::problem::parameter::Value;
use crate::problem::{
    DataFile, DeclaredOperator, Description, Library, PluginOperator, Problem, is_python,
};
use crate::words::listed;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The plugins whose operators a config names, loaded once each.
pub(super) struct OperatorPlugins<'a> {
    catalogue: &'a mut Catalogue,
    /// The folder that paths are relative to.
    base: &'a Path,
    /// Files that the parameters of problems and operators name.
    files: DataFiles,
    found: Vec<OperatorLibrary>,
    /// Problem of the first arm, for examples that fit.
    pub problem: Option<Arc<Problem>>,
    /// Plugins that cannot be used, for which a diagnostic exists.
    unusable: BTreeSet<String>,
}

/// An operator of a plugin, as a slot names it.
#[derive(Clone, Debug)]
pub(super) struct Foreign {
    library: Arc<Library>,
    /// Place of the operator among the plugin's.
    place: usize,
    /// `None` if a parameter is wrong, for which a diagnostic exists.
    values: Option<Vec<Value>>,
}

impl<'a> OperatorPlugins<'a> {
    pub(super) fn new(catalogue: &'a mut Catalogue, base: &'a Path, files: DataFiles) -> Self {
        let (found, unusable) = (Vec::new(), BTreeSet::new());
        OperatorPlugins { catalogue, base, files, found, problem: None, unusable }
    }

    /// Returns the files that parameters name.
    pub(super) fn files(&mut self) -> &mut DataFiles {
        &mut self.files
    }

    /// Returns the loaded plugins, in the order of the config, and the files that were read.
    pub(super) fn into_found(self) -> (Vec<OperatorLibrary>, Vec<DataFile>) {
        (self.found, self.files.into_all())
    }

    /// Returns the plugin that a slot names.
    fn load(&mut self, at: &Node, table: &Node, out: &mut Faults) -> Option<Arc<Library>> {
        let name = text(at, keys::PLUGIN.name, out)?;
        let interpreter = match keys::INTERPRETER.of(table) {
            Some(node) => Some(interpreter(name, node, self.base, out)?),
            None => None,
        };
        if self.unusable.contains(name) {
            return None;
        }
        match self.catalogue.load_operators(name, interpreter.as_deref(), self.base) {
            Ok(library) => {
                if let Some(other) = self.namesake(&library) {
                    let error = two_builds(&other.named, &library, at.origin);
                    self.unusable.insert(name.to_owned());
                    return error.to(out);
                }
                if self.found.iter().all(|one| one.named != name) {
                    let library = Arc::clone(&library);
                    self.found.push(OperatorLibrary { named: name.to_owned(), library });
                }
                Some(library)
            }
            Err(error) => {
                self.unusable.insert(name.to_owned());
                unusable(&error, at.origin, keys::INTERPRETER.of(table)).to(out)
            }
        }
    }

    /// Returns a plugin that was loaded before with the name and version of this one, but other
    /// bytes.
    fn namesake(&self, library: &Library) -> Option<&OperatorLibrary> {
        let identity = |one: &Library| (one.name().to_owned(), one.version().to_owned());
        let is_like = |one: &&OperatorLibrary| identity(&one.library) == identity(library);
        self.found.iter().filter(is_like).find(|one| one.library.file_hash() != library.file_hash())
    }

    /// Returns the operator that a slot's table names, and the values of its own parameters.
    pub(super) fn read(&mut self, slot: Slot, table: &Node, out: &mut Faults) -> Option<Foreign> {
        let plugin = keys::PLUGIN.of(table)?;
        let library = self.load(plugin, table, out)?;
        check_version(&library, table, out)?;
        let place = choose(&library, slot, table, plugin.origin, out)?;
        let declared = &library.declared().operators[place];
        let of = format!("{slot} `{}` of the plugin `{}`", declared.name, library.name());
        let values = read_values(&declared.parameters, table, &of, &mut self.files, out)
            .map(|values| values.into_iter().map(|(_, value)| value).collect());
        Some(Foreign { library, place, values })
    }
}

/// Returns the diagnostic of a second build of a plugin. Results know a plugin by its name and
/// version, and so could not tell which arm had which build.
fn two_builds(other: &str, library: &Library, at: Origin) -> Diagnostic {
    let (name, version) = (library.name(), library.version());
    let message = format!("two files are the plugin `{name}` of version {version}");
    let error = at.error(message, format!("other bytes than `{other}`"));
    let error = error.rule("results know a plugin by its name and version");
    error
        .help(match is_python(library.path()) {
            true => {
                "rename one of the files, or give it another version: `version = \"2\"` at its \
            top, or in its class Problem"
            }
            false => "give one of them another name or version",
        })
        .of_plugin()
}

/// Complains of a version other than the plugin's.
fn check_version(library: &Library, table: &Node, out: &mut Faults) -> Option<()> {
    let Some(node) = keys::VERSION.of(table) else { return Some(()) };
    let wanted = text(node, keys::VERSION.name, out)?;
    if wanted == library.version() {
        return Some(());
    }
    let (name, version) = (library.name(), library.version());
    let message = format!("the plugin `{name}` has version {version}, not {wanted}");
    let error = node.error(message, "another version");
    let error = error.rule("results of another version of an operator are other results");
    error.help("load the plugin of that version, or remove this key").of_plugin().to(out)
}

/// Returns the place of the operator that is meant: by its name, or as the only one of its kind.
fn choose(
    library: &Library,
    slot: Slot,
    table: &Node,
    plugin: Origin,
    out: &mut Faults,
) -> Option<usize> {
    let name = library.name();
    let all = library.declared().operators.iter().enumerate();
    let own: Vec<(usize, &DeclaredOperator)> =
        all.filter(|(_, one)| one.kind.as_str() == slot.as_str()).collect();
    let names: Vec<&str> = own.iter().map(|(_, one)| one.name.as_str()).collect();
    if own.is_empty() {
        let message = format!("the plugin `{name}` has no {slot}");
        let error = plugin.error(message, "this plugin");
        let others: Vec<String> = library
            .declared()
            .operators
            .iter()
            .map(|one| format!("the {} `{}`", one.kind, one.name))
            .collect();
        let error = error.rule(match others.as_slice() {
            [] => "it has no operators for other problems".to_owned(),
            others => format!("it has {}", listed(others, "and")),
        });
        let help = format!("choose another plugin, or a {slot} of the runner");
        return error.help(help).to(out);
    }
    let Some(node) = keys::OPERATOR.of(table) else {
        if let [(place, _)] = own.as_slice() {
            return Some(*place);
        }
        let message = format!("the plugin `{name}` has several {slot}s");
        let error = plugin.error(message, "which one?");
        let error = error.rule(format!("they are {}", listed(&names, "and")));
        return error.help(format!("name one, such as operator = \"{}\"", names[0])).to(out);
    };
    let wanted = text(node, keys::OPERATOR.name, out)?;
    let found = own.iter().find(|(_, one)| one.name == wanted).map(|(place, _)| *place);
    if found.is_none() {
        let message = format!("the plugin `{name}` has no {slot} called `{wanted}`");
        let error = node.error(message, "unknown");
        let error = error.rule(format!("its {slot}s are {}", listed(&names, "and")));
        let help = "choose one of these; `runner plugins` describes each";
        out.push(error.help_nearest(wanted, names.iter().copied(), help));
    }
    found
}

impl Foreign {
    /// Returns the plugin's declaration of the operator.
    pub(super) fn declared(&self) -> &DeclaredOperator {
        &self.library.declared().operators[self.place]
    }

    /// Returns whether it works on this encoding.
    pub(super) fn fits(&self, problem: &Description) -> bool {
        self.declared().encodings().contains(&problem.encoding)
    }

    /// Complains of an operator that does not work on this encoding.
    pub(super) fn fit(&self, problem: &Description, at: Origin, out: &mut Faults) {
        if self.fits(problem) {
            return;
        }
        let DeclaredOperator { kind, name, .. } = self.declared();
        let plugin = self.library.name();
        let message = format!("{kind} `{name}` of the plugin `{plugin}` does not fit this problem");
        let words: Vec<&str> =
            self.declared().encodings().iter().map(|encoding| encoding.as_str()).collect();
        let error = at.error(message, "does not fit");
        let error = error.rule(format!(
            "it works on {}, and the problem's encoding is {}",
            listed(&words, "and"),
            problem.encoding
        ));
        let help = format!("choose another {kind}; `runner operators {kind}` lists the runner's");
        out.push(error.help(help));
    }

    /// Returns the operator for this problem, if its parameters are good and the plugin makes it.
    pub(super) fn make(
        &self,
        problem: &Description,
        at: Origin,
        out: &mut Faults,
    ) -> Option<Arc<PluginOperator>> {
        let values = self.values.as_ref().filter(|_| self.fits(problem))?;
        match self.library.operator(self.place, values, problem) {
            Ok(operator) => Some(Arc::new(operator)),
            Err(error) => {
                let label = format!("this {}", self.declared().kind);
                let message = error.to_string();
                let error = at.error(message, label).of_plugin();
                let keys = self.declared().parameters.iter().map(|parameter| &*parameter.key);
                with_parameters(error, keys.zip(values)).to(out)
            }
        }
    }
}
