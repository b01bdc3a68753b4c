//! Tests of the places that warnings point to.

use super::plan;
use crate::config::FileAccess;
use crate::config::diagnostic::Diagnostic;
use crate::config::expand::expand;
use crate::config::lints::Lints;
use crate::config::overlay::overlay;
use crate::config::parse::parse;
use crate::config::presets::Presets;
use crate::config::source::Sources;
use crate::plan::ArmDraft;
use std::path::Path;
use std::sync::Arc;

/// Returns operator sets that differ in their name alone. Each set never makes a child, and never
/// uses its scaling. Most of the stagnations never end a trial.
fn nonsense(sets: usize, values: usize) -> String {
    let mut text = String::from(
        "[problem]\nplugin = \"nqueens\"\n[stop]\nevaluations = 20\ngenerations = 5\n",
    );
    let stagnations: Vec<String> = (3..3 + values).map(|value| value.to_string()).collect();
    text.push_str(&format!("[sweep]\n\"stop.stagnation\" = [{}]\n", stagnations.join(", ")));
    for set in 0..sets {
        text.push_str(&format!(
            "[[operators]]\nname = \"set {set}\"\npopulation = {}\nselection = \
            \"tournament\"\nscaling = \"rank\"\nmutation = \"reset\"\n",
            20 + set
        ));
    }
    text
}

/// Nothing is searched for by its name or value, so that the time for all arms grows as they do:
/// where all names and values are the same, all places stay what they were.
#[test]
fn an_arms_place_tells_where_its_settings_stand() {
    let text = nonsense(4, 5);
    let (mut sources, mut out) = (Sources::default(), Vec::new());
    let id = sources.add("a.toml", text.as_str());
    let path = Path::new("x.toml");
    let (tree, presets) = (parse(&sources, id, &mut out), Presets::of(&mut sources));
    let layers = (&[][..], &presets, FileAccess::Any);
    let mut overlaid = overlay(tree, path, layers, &mut sources, &mut out).expect("one file");
    assert!(out.is_empty(), "{out:?}");
    let drafts: Vec<ArmDraft> = plan(&text)
        .arms
        .iter()
        .map(|arm| ArmDraft {
            settings: arm.settings.clone(),
            problem: Arc::clone(&arm.problem),
            baseline: None,
        })
        .collect();
    let expanded = expand(&overlaid, None, 0, &mut out).expect("few arms");
    let mut told = Vec::new();
    Lints { config: &expanded, drafts: &drafts }.complain(&mut told);
    let of =
        |words: &str| told.iter().filter(|one: &&Diagnostic| one.message.contains(words)).count();
    assert_eq!(
        ["never makes a child", "never uses its scaling", "never ends a trial"].map(of),
        [4, 4, 2],
        "{told:?}"
    );
    overlaid.sets.iter_mut().for_each(|set| set.name = "set 0".to_owned());
    let expanded = expand(&overlaid, None, 0, &mut out).expect("few arms");
    let mut again = Vec::new();
    Lints { config: &expanded, drafts: &drafts }.complain(&mut again);
    let places = |told: &[Diagnostic]| -> Vec<_> {
        told.iter().map(|one| (one.origin, one.also.first().map(|(at, _)| *at))).collect()
    };
    assert_eq!(places(&again), places(&told));
}
