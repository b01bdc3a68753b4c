//! `runner operators`: the registry and the presets.

use super::output::line;
use crate::cli::OperatorsArguments;
use crate::config::nearest::nearest;
use crate::config::preset_texts;
use crate::exit::Exit;
use crate::operators::registry::{Entry, Slot, entries, listed};
use crate::present::terminal::parameter_lines;
use crate::problem::Encoding;

pub fn operators(arguments: &OperatorsArguments) -> Exit {
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
        return Exit::Done;
    };
    if let Some(slot) = Slot::ALL.into_iter().find(|slot| slot.word() == name) {
        print_slot(slot);
        return Exit::Done;
    }
    let found: Vec<&Entry> =
        Slot::ALL.into_iter().flat_map(entries).filter(|entry| entry.name == name).collect();
    for entry in &found {
        print_entry(entry, &format!("{} {}", entry.slot, entry.name));
    }
    let preset = presets.iter().find(|(preset, _)| preset == name);
    if let Some((_, text)) = preset {
        line!("{text}");
    }
    if !found.is_empty() || preset.is_some() {
        return Exit::Done;
    }
    let mut names: Vec<&str> = Slot::ALL.into_iter().map(Slot::word).collect();
    names.extend(Slot::ALL.into_iter().flat_map(entries).map(|entry| entry.name));
    names.extend(presets.iter().map(|(preset, _)| preset.as_str()));
    let near = nearest(name, names.iter().copied());
    let help = near.map_or_else(
        || "`runner operators` lists them all".into(),
        |near| format!("did you mean `{near}`?"),
    );
    message!("error: there is no slot, operator or preset called `{name}`; {help}");
    Exit::Usage
}

fn print_slot(slot: Slot) {
    line!("{}\n", slot.word().to_uppercase());
    for entry in entries(slot) {
        print_entry(entry, entry.name);
    }
}

fn print_entry(entry: &Entry, title: &str) {
    line!("  {title}: {}", entry.summary);
    if entry.encodings.len() < Encoding::ALL.len() {
        let words: Vec<&str> = entry.encodings.iter().map(|encoding| encoding.word()).collect();
        line!("    for {}", listed(&words, "and"));
    } else if entry.name == "problem" {
        line!("    for plugins that bring one");
    }
    for line in parameter_lines(&entry.parameters).lines() {
        line!("  {line}");
    }
    if entry.source != "-" {
        line!("    source: {}", entry.source);
    }
    line!();
}
