//! `runner operators`: lists the registry and the presets.

use super::isolation::processes;
use super::load::search_path;
use super::output::{line, put};
use crate::cli::Failure;
use crate::cli::arguments::OperatorsArguments;
use crate::config::preset_texts;
use crate::exit::Exit;
use crate::operators::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::present::references::of_source;
use crate::present::report::outlined;
use crate::present::terminal::{parameter_lines, width};
use crate::problem::parameter::Parameter;
use crate::problem::{DeclaredOperator, Encoding, Library, Location};
use crate::search::registry::{self, operators as of_slot};
use crate::system::interrupt::Interrupt;
use crate::words::{listed, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::{Table, Value};

pub(super) fn operators(arguments: &OperatorsArguments) -> Result<Exit, Failure> {
    let presets = preset_texts();
    let plugins = libraries(arguments)?;
    if arguments.bibtex {
        let chosen = chosen(arguments.name.as_deref(), &plugins, &presets);
        if !chosen.is_empty() {
            print_bibtex(&chosen);
            return Ok(Exit::Done);
        }
    }
    let Some(name) = &arguments.name else {
        for slot in Slot::ALL {
            print_slot(slot, &plugins);
        }
        line!("PRESETS\n");
        for (name, _) in &presets {
            line!("  {name}");
        }
        line!("\n`runner operators NAME` prints one slot, operator or preset.");
        return Ok(Exit::Done);
    };
    if let Some(slot) = Slot::parse(name) {
        print_slot(slot, &plugins);
        return Ok(Exit::Done);
    }
    let found: Vec<(Slot, &Operator)> =
        registry::all().filter(|(_, operator)| operator.name == name).collect();
    for (slot, operator) in &found {
        print_operator(operator, &format!("{slot} {}", operator.name));
    }
    let of_plugins: Vec<_> = foreign(&plugins).filter(|(_, one)| one.name == *name).collect();
    for (library, operator) in &of_plugins {
        print_foreign(library, operator, &format!("{} {}", operator.kind, operator.name));
    }
    let preset = presets.iter().find(|(preset, _)| preset == name);
    if let Some((_, text)) = preset {
        line!("{text}");
    }
    if !found.is_empty() || !of_plugins.is_empty() || preset.is_some() {
        return Ok(Exit::Done);
    }
    let mut names: Vec<&str> = Slot::ALL.into_iter().map(Slot::as_str).collect();
    names.extend(registry::all().map(|(_, operator)| operator.name));
    names.extend(foreign(&plugins).map(|(_, operator)| operator.name.as_str()));
    names.extend(presets.iter().map(|(preset, _)| preset.as_str()));
    let near = nearest(name, names.iter().copied());
    let help = near.map_or_else(
        || "`runner operators` lists them all".into(),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Failure::usage(format!("there is no slot, operator or preset called `{name}`; {help}")))
}

/// Returns name and source of all operators, or only of a slot, a preset or a name.
fn chosen<'a>(
    name: Option<&str>,
    plugins: &'a [Arc<Library>],
    presets: &[(String, String)],
) -> Vec<(&'a str, &'a str)> {
    let preset = presets.iter().find(|(preset, _)| Some(preset.as_str()) == name);
    let preset = preset.and_then(|(name, text)| text.parse::<Table>().ok()?.remove(name));
    let uses = |slot: &str, operator: &str| {
        let value = preset.as_ref().and_then(|preset| preset.get(slot));
        let kind = value.and_then(|value| value.get("kind")).or(value);
        kind.and_then(Value::as_str) == Some(operator)
    };
    let is_chosen = |slot: &str, operator: &str| {
        name.is_none_or(|name| name == slot || name == operator) || uses(slot, operator)
    };
    let own = registry::all()
        .filter(|(slot, one)| is_chosen(slot.as_str(), one.name))
        .map(|(_, one)| (one.name, one.source));
    let theirs = foreign(plugins)
        .filter(|(_, one)| is_chosen(one.kind.as_str(), &one.name))
        .map(|(_, one)| (one.name.as_str(), one.source.as_str()));
    own.chain(theirs).collect()
}

/// Prints the BibTeX entries that the operators cite, each once. Reports sources without an entry.
fn print_bibtex(chosen: &[(&str, &str)]) {
    let mut entries = BTreeMap::new();
    for (name, source) in chosen {
        let cited = of_source(source);
        if cited.is_empty() && !["-", "the plugin", ""].contains(source) {
            note!("`{name}` cites a publication without an entry: {source}");
        }
        entries.extend(cited.into_iter().map(|reference| (reference.key, reference.bibtex)));
    }
    if entries.is_empty() {
        note!("nothing is cited that has an entry");
    } else {
        line!("{}", entries.into_values().collect::<Vec<_>>().join("\n\n"));
    }
}

/// Returns the plugins in the folders that have operators. None is loaded into this process.
/// Unusable plugins are left out; `runner plugins` reports them.
fn libraries(arguments: &OperatorsArguments) -> Result<Vec<Arc<Library>>, Failure> {
    let search = search_path(&arguments.plugins);
    let isolation = processes(&search).map_err(Failure::plugin)?;
    let loader = isolation.plugin_loader(&Interrupt::default());
    let open = |file| Library::open(&Location::new(file), &loader.opener()).ok();
    let libraries = search.list().into_iter().filter_map(open);
    Ok(libraries.filter(|library| !library.declared().operators.is_empty()).collect())
}

/// Returns the operators of plugins, with their libraries.
fn foreign(plugins: &[Arc<Library>]) -> impl Iterator<Item = (&Library, &DeclaredOperator)> {
    plugins.iter().flat_map(|library| {
        library.declared().operators.iter().map(move |operator| (library.as_ref(), operator))
    })
}

fn print_slot(slot: Slot, plugins: &[Arc<Library>]) {
    line!("{}\n", slot.as_str().to_uppercase());
    for operator in of_slot(slot) {
        print_operator(operator, operator.name);
    }
    for (library, operator) in foreign(plugins) {
        if operator.kind.as_str() == slot.as_str() {
            print_foreign(library, operator, &operator.name);
        }
    }
}

fn print_foreign(library: &Library, operator: &DeclaredOperator, title: &str) {
    print_declared(operator, &format!("{title}, of the plugin {}", library.name()));
    line!();
}

/// Prints an operator of a plugin.
pub(super) fn print_declared(operator: &DeclaredOperator, title: &str) {
    let DeclaredOperator { summary, source, encodings, parameters, .. } = operator;
    let suits = suits(encodings);
    print_described(&format!("{title}: {summary}"), suits.as_deref(), parameters, source);
}

/// Prints what an operator does, what it is for, its parameters, and its source.
fn print_described(title: &str, suits: Option<&str>, parameters: &[Parameter], source: &str) {
    tell("  ", title);
    suits.iter().for_each(|words| tell("    ", words));
    let room = usize::from(width()).saturating_sub(2);
    for line in parameter_lines(parameters, room).lines() {
        line!("  {line}");
    }
    if !source.is_empty() {
        tell("    ", &format!("source: {source}"));
    }
}

/// Returns words for the encodings that an operator is for; `None` if it is for any.
fn suits(encodings: &[Encoding]) -> Option<String> {
    let words: Vec<&str> = encodings.iter().map(|encoding| encoding.as_str()).collect();
    let is_for_any = encodings.is_empty() || encodings.len() == Encoding::ALL.len();
    (!is_for_any).then(|| format!("for {}", listed(&words, "and")))
}

/// Prints an indented text in lines that fit the terminal.
pub(super) fn tell(indent: &str, text: &str) {
    put(&outlined(indent, text, width().into()));
}

fn print_operator(operator: &Operator, title: &str) {
    let suits = match operator.domain {
        Domain::Plugin => Some("for plugins that provide one".to_owned()),
        _ => suits(operator.domain.encodings()),
    };
    let title = format!("{title}: {}", operator.summary);
    let source = if operator.source == "-" { "" } else { operator.source };
    print_described(&title, suits.as_deref(), operator.parameters, source);
    line!();
}
