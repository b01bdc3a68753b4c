//! `runner operators`: the registry and the presets.

use super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::OperatorsArguments;
use crate::config::nearest::nearest;
use crate::config::preset_texts;
use crate::exit::Exit;
use crate::operators::Domain;
use crate::operators::registry::{self, Operator, Slot, listed, operators as of_slot};
use crate::present::terminal::parameter_lines;
use crate::problem::Encoding;

pub(super) fn operators(arguments: &OperatorsArguments) -> Result<Exit, Failure> {
    let presets = preset_texts();
    let Some(name) = &arguments.name else {
        for slot in Slot::ALL {
            print_slot(slot);
        }
        line!("PRESETS\n");
        for (name, _) in &presets {
            line!("  {name}");
        }
        line!("\n`runner operators NAME` prints one slot, operator or preset.");
        return Ok(Exit::Done);
    };
    if let Some(slot) = Slot::ALL.into_iter().find(|slot| slot.as_str() == name) {
        print_slot(slot);
        return Ok(Exit::Done);
    }
    let found: Vec<(Slot, &Operator)> =
        registry::all().filter(|(_, operator)| operator.name == name).collect();
    for (slot, operator) in &found {
        print_operator(operator, &format!("{slot} {}", operator.name));
    }
    let preset = presets.iter().find(|(preset, _)| preset == name);
    if let Some((_, text)) = preset {
        line!("{text}");
    }
    if !found.is_empty() || preset.is_some() {
        return Ok(Exit::Done);
    }
    let mut names: Vec<&str> = Slot::ALL.into_iter().map(Slot::as_str).collect();
    names.extend(registry::all().map(|(_, operator)| operator.name));
    names.extend(presets.iter().map(|(preset, _)| preset.as_str()));
    let near = nearest(name, names.iter().copied());
    let help = near.map_or_else(
        || "`runner operators` lists them all".into(),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Failure::usage(format!("there is no slot, operator or preset called `{name}`; {help}")))
}

fn print_slot(slot: Slot) {
    line!("{}\n", slot.as_str().to_uppercase());
    for operator in of_slot(slot) {
        print_operator(operator, operator.name);
    }
}

fn print_operator(operator: &Operator, title: &str) {
    line!("  {title}: {}", operator.summary);
    let encodings = operator.domain.encodings();
    if encodings.len() < Encoding::ALL.len() {
        let words: Vec<&str> = encodings.iter().map(|encoding| encoding.as_str()).collect();
        line!("    for {}", listed(&words, "and"));
    } else if matches!(operator.domain, Domain::Plugin) {
        line!("    for plugins that provide one");
    }
    for line in parameter_lines(operator.parameters).lines() {
        line!("  {line}");
    }
    if operator.source != "-" {
        line!("    source: {}", operator.source);
    }
    line!();
}
