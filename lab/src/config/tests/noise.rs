//! Rules for noise, from text to plan.

use super::{load_texts, plan, rendered};
use crate::config::Overrides;
use crate::search::algorithms::ALGORITHMS;
use crate::search::{Resampling, Statistic};

const ONES: &str = "[problem]\nplugin = \"onemax\"\nnoise = 0.2\n[stop]\nevaluations = 5000\n";
const PLUS: &str = "population = 1\nselection = \"uniform\"\nmutation = \"bit-flip\"\n\
    replacement = { kind = \"plus\", offspring = 1 }";

fn config(lines: &str) -> String {
    format!("{ONES}[[operators]]\n{lines}\n")
}

#[test]
fn a_rule_is_read_and_belongs_to_the_settings() {
    let plain = plan(&config(PLUS));
    let plain = &plain.arms[0];
    assert_eq!(plain.settings.operators.resampling, Resampling::ONCE);
    assert!(!plain.settings.operators.section.to_string().contains("evaluations-per-genome"));
    let words = "evaluations-per-genome = 5, combine = \"median\", re-evaluate = true";
    let made = plan(&config(&format!("{PLUS}\nnoise = {{ {words} }}")));
    let arm = &made.arms[0];
    let rule = Resampling { evaluations: 5, combine: Statistic::Median, reevaluates: true };
    assert_eq!(arm.settings.operators.resampling, rule);
    let settings = arm.settings.operators.section.to_string();
    assert!(settings.contains(&format!("noise = {{ {words} }}")), "{settings}");
    assert_ne!(arm.fingerprint, plain.fingerprint);
    let sweep = "[sweep]\n\"operators.noise.evaluations-per-genome\" = [1, 3]\n";
    let swept = format!("{}{sweep}", config(&format!("{PLUS}\nnoise = {{ }}")));
    let swept = plan(&swept);
    let evaluations = |number: usize| swept.arms[number].settings.operators.resampling.evaluations;
    assert_eq!([evaluations(0), evaluations(1)], [1, 3]);
}

/// The message names every algorithm that can evaluate survivors anew.
#[test]
fn the_message_names_the_searches_that_can_evaluate_anew() {
    let set = "algorithm = \"random-search\"\nnoise = { re-evaluate = true }";
    let outcome = load_texts(&[&config(set)], &Overrides::default());
    let said = rendered(&outcome);
    assert!(said.contains("has nothing to evaluate anew"), "{said}");
    let mut able = 0;
    for entry in ALGORITHMS.entries {
        let name = entry.operator.name;
        // The evolutionary algorithm is named by its replacements.
        let set = format!("algorithm = \"{name}\"\nnoise = {{ re-evaluate = true }}");
        let outcome = load_texts(&[&config(&set)], &Overrides::default());
        if !outcome.has_errors() {
            assert!(said.contains(name), "{name}: {said}");
            able += 1;
        }
    }
    assert_eq!(able, 3);
}
