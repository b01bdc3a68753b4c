//! The table [problem]: its plugin, and the parameters that the plugin declares.

use super::data_files::DataFiles;
use super::diagnostic::{Diagnostic, Faults, Severity};
use super::fields::{check_keys, entries, is_misspelt, names_parameter, slip_for, text, value};
use super::file_access::RUN_A_FILE;
use super::node::Node;
use super::options::two_values;
use super::parse::{override_value, parse_value};
use super::source::{Origin, Sources};
use super::{Catalogue, keys, layer};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Library, PluginError, Problem, is_python, way_to_plugins};
use crate::words::listed;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

/// The parameters' values, in the plugin's order.
pub(super) type Values = Vec<(String, Value)>;

/// Loads the plugin that [problem] names; a path is relative to `base`.
pub(super) fn read_plugin(
    root: &Node,
    base: &Path,
    catalogue: &mut Catalogue,
    out: &mut Faults,
) -> Option<Arc<Library>> {
    let Some(node) = keys::PROBLEM.of(root) else {
        if is_misspelt(root, &keys::PROBLEM) {
            return None;
        }
        let error = root.error("this experiment has no problem", "no table [problem]").of_absence();
        return error
            .help("add the table [problem] with plugin = \"nqueens\"; `runner plugins` lists them")
            .to(out);
    };
    let entries = entries(node, &keys::PROBLEM_TABLE, out)?;
    let Some(plugin) = keys::PLUGIN.of(node) else {
        // Other keys are known once the plugin is.
        let of_all = [keys::PLUGIN.name];
        if let Some(slip) = slip_for(entries, keys::PLUGIN.name, &of_all) {
            check_keys(slice::from_ref(slip), &of_all, keys::PROBLEM_TABLE.name, out);
            return None;
        }
        let error = node.error("this problem has no plugin", "in this table").of_absence();
        return error
            .help("add one, such as plugin = \"nqueens\"; `runner plugins` lists them")
            .to(out);
    };
    let name = text(plugin, keys::PLUGIN.name, out)?;
    let interpreter = match keys::INTERPRETER.of(node) {
        Some(node) => Some(interpreter(name, node, base, out)?),
        None => None,
    };
    let loaded = catalogue.load(name, interpreter.as_deref(), base);
    match loaded.and_then(|library| library.check_problem().map(|()| library)) {
        Ok(library) => Some(library),
        Err(error) => unusable(&error, plugin.origin, keys::INTERPRETER.of(node)).to(out),
    }
}

/// Returns the program that runs a Python file. A name is searched for in the system's search path,
/// and a path is relative to `base`.
pub(super) fn interpreter(
    plugin: &str,
    node: &Node,
    base: &Path,
    out: &mut Faults,
) -> Option<PathBuf> {
    let interpreter = text(node, keys::INTERPRETER.name, out)?;
    if !is_python(Path::new(plugin)) {
        let error = node
            .error(format!("`{plugin}` is no Python file, so nothing interprets it"), "not used");
        return error
            .help("remove this key, or name a file that ends with .py as the plugin")
            .to(out);
    }
    let is_path = interpreter.contains(['/', '\\']);
    Some(if is_path { base.join(interpreter) } else { PathBuf::from(interpreter) })
}

/// Returns the diagnostic of a plugin that cannot be used. `interpreter` is that of the config.
pub(super) fn unusable(
    error: &PluginError,
    origin: Origin,
    interpreter: Option<&Node>,
) -> Diagnostic {
    let diagnostic = match error {
        PluginError::Unlisted { .. } => {
            return origin.error(error.to_string(), "this plugin")
                .help(format!("choose one that `runner plugins` lists, or {RUN_A_FILE}"));
        }
        PluginError::Interpreter { .. } => {
            let origin = interpreter.map_or(origin, |node| node.origin);
            return origin.error(error.to_string(), "this program")
                .help(format!("remove this key, or {RUN_A_FILE}"));
        }
        PluginError::NotFound { name, dirs, nearest } => {
            let names: Vec<String> = dirs.iter().map(|dir| format!("{}", dir.display())).collect();
            let list = "`runner plugins` lists the available ones";
            let help = match nearest {
                Some(near) => format!("did you mean \"{near}\"? {list}"),
                None => format!("{}; {list}", way_to_plugins(dirs)),
            };
            origin.error(format!("there is no plugin called `{name}`"), "not found")
                .rule(format!(
                    "looked for {DLL_PREFIX}{name}{DLL_SUFFIX} in {}",
                    listed(&names, "and")
                ))
                .help(help)
        }
        PluginError::Unreadable { .. } => origin.error(error.to_string(), "this \
            library")
        .rule(
            "a path is relative to the experiment file; a name without separators is searched for \
            in the plugin folders",
        )
        .help("check the path; `runner plugins` lists the plugins that are found by name"),
        _ => origin.error(error.to_string(), "this plugin"),
    };
    diagnostic.of_plugin()
}

/// Returns the identity of a problem within its plugin: the values of all its parameters.
pub(super) fn identity(parameters: &[(String, Value)]) -> String {
    parameters.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}

/// Returns the values that are part of an arm's settings.
pub(super) fn stated(library: &Library, values: Values) -> Values {
    let is_stated =
        |(parameter, (_, value)): &(&Parameter, &(String, Value))| parameter.is_stated(value);
    let pairs = library.parameters().iter().zip(&values);
    pairs.filter(is_stated).map(|(_, pair)| pair.clone()).collect()
}

/// Returns a problem of these values, which a table gives.
pub(super) fn make(
    library: &Arc<Library>,
    values: &[(String, Value)],
    table: &Node,
    out: &mut Faults,
) -> Option<Arc<Problem>> {
    let bare: Vec<Value> = values.iter().map(|(_, value)| value.clone()).collect();
    match library.create(&bare) {
        Ok(problem) => Some(Arc::new(problem)),
        Err(error) => {
            // A value that the plugin names is to blame.
            let message = error.to_string();
            let is_named = |(key, _): &&(String, Value)| names_parameter(&message, key);
            let named = values.iter().filter(is_named).find_map(|(key, _)| table.get(key));
            let error = match named {
                // A message of several parts has its own advice.
                Some(value) if message.contains("; ") => value.error(message, "this value"),
                Some(value) => value.error(message, "this value").help("correct this value"),
                None => table.error(message, "this problem"),
            };
            let error = error.of_plugin();
            with_parameters(error, values.iter().map(|(key, value)| (&**key, value))).to(out)
        }
    }
}

/// Adds the parameters that a plugin was given to an error of the plugin.
pub(super) fn with_parameters<'a>(
    error: Diagnostic,
    parameters: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Diagnostic {
    let given: Vec<String> =
        parameters.map(|(key, value)| format!("{key} = {}", value.written())).collect();
    match given.as_slice() {
        [] => error,
        given => error.rule(format!("its parameters are {}", listed(given, "and"))),
    }
}

/// Returns a plugin's parameters out of `KEY=VALUE` words, as `runner sample` takes them.
pub fn problem_values(
    library: &Library,
    set: &[String],
    sources: &mut Sources,
    out: &mut Faults,
) -> Option<Vec<Value>> {
    let source = sources.add(format!("plugin {}", library.name()), "");
    let mut node = Node::empty_table(Origin { source, start: 0, end: 0 });
    for word in set {
        let (id, start) = sources.add_flag("--set", word);
        let whole = Origin { source: id, start, end: start + word.len() };
        match word.split_once('=').map(|(key, _)| (key, parameter_key(key))) {
            Some((_, key)) if key == keys::PLUGIN.name => {
                let error =
                    whole.error("the plugin is given by its own argument", "not a parameter");
                out.push(error.help(format!(
                    "remove this flag, and replace {} with the other name",
                    library.name()
                )));
            }
            Some((before, key)) if !key.is_empty() => {
                let key_origin = Origin { end: start + before.len(), ..whole };
                if let Some(value) = override_value(sources.text(id), id, key_origin.end + 1, out) {
                    if let Some(first) = node.get(key).filter(|first| !first.is_like(&value)) {
                        out.push(two_values(key, key_origin, first.origin));
                    }
                    layer::put(&mut node, &[key], key_origin, value);
                }
            }
            _ => {
                let error =
                    whole.error(format!("`{word}` sets nothing"), "not of the form KEY=VALUE");
                out.push(
                    error.help("write a parameter, an equals sign and a value, such as --set n=12"),
                );
            }
        }
    }
    let mut files = DataFiles::of_command_line();
    let values = parameter_values(library, &node, &mut files, out)?;
    let good = !out.iter().any(|one| one.severity == Severity::Error);
    good.then(|| values.into_iter().map(|(_, value)| value).collect())
}

/// Returns the parameter that a key of `--set` names: `n`, and `problem.n` as in other commands.
#[must_use]
pub fn parameter_key(key: &str) -> &str {
    let key = key.trim();
    key.strip_prefix("problem.").unwrap_or(key).trim()
}

/// Returns the value of a parameter out of an answer; a text needs no quotes.
///
/// # Errors
/// Returns the rule that the value breaks, such as "must be an integer from 1 to 8".
pub fn parameter_value(parameter: &Parameter, text: &str) -> Result<Value, String> {
    let written = parse_value(text, 0, 0);
    let value = match (&parameter.kind, written.value()) {
        (Kind::Text | Kind::File | Kind::Choice(_), Some(Value::Text(text))) => {
            Some(Value::Text(text))
        }
        (Kind::Text | Kind::File | Kind::Choice(_), _) => Some(Value::Text(text.to_owned().into())),
        (_, value) => value,
    };
    parameter.kind.check(&value.unwrap_or_else(|| Value::Text(text.to_owned().into())))
}

/// Reads a plugin's parameters from a table's entries (all but `plugin`); defaults filled in.
pub(super) fn parameter_values(
    library: &Library,
    node: &Node,
    files: &mut DataFiles,
    out: &mut Faults,
) -> Option<Values> {
    let before = out.len();
    let entries = node.entries()?;
    let of = format!("the problem `{}`", library.name());
    let allowed: Vec<&str> = [keys::PLUGIN.name]
        .into_iter()
        .chain(is_python(library.path()).then_some(keys::INTERPRETER.name))
        .chain(library.parameters().iter().map(|one| one.key.as_ref()))
        .collect();
    check_keys(entries, &allowed, &of, out);
    let values = read_values(library.parameters(), node, &of, files, out);
    values.filter(|_| out.len() == before)
}

/// Returns the values of parameters, out of a table that has other keys too; defaults filled in.
/// `of` says whose they are.
pub(super) fn read_values(
    parameters: &[Parameter],
    node: &Node,
    of: &str,
    files: &mut DataFiles,
    out: &mut Faults,
) -> Option<Values> {
    let before = out.len();
    let mut values = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        let read = match node.get(&parameter.key) {
            Some(node) if parameter.kind == Kind::File => files.value(node, parameter, out),
            Some(node) => value(node, &parameter.key, &parameter.kind, out),
            None => match &parameter.fallback {
                Fallback::Value(value) => Some(value.clone()),
                Fallback::Required | Fallback::Derived(_) => {
                    let (key, kind) = (&parameter.key, &parameter.kind);
                    let error = node.error(format!("{of} needs `{key}`"), "in this table");
                    let error = error.rule(format!("{key}: {}", parameter.doc)).of_absence();
                    error.help(format!("add {key} = …, {kind}")).to(out)
                }
            },
        };
        values.extend(read.map(|read| (parameter.key.to_string(), read)));
    }
    (out.len() == before).then_some(values)
}
