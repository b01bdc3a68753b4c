//! The rule for duplicates, from text to plan.

use super::{load_texts, plan, rendered};
use crate::config::Overrides;
use crate::search::Duplicates;

const GENETIC: &str = "population = 10\nselection = \"uniform\"\nmutation = \"bit-flip\"\n";

fn config(problem: &str, set: &str) -> String {
    let stop = "[stop]\nevaluations = 5000\n";
    format!("[problem]\nplugin = \"onemax\"\n{problem}{stop}[[operators]]\n{set}\n")
}

fn refused(problem: &str, set: &str) -> String {
    let outcome = load_texts(&[&config(problem, set)], &Overrides::default());
    assert!(outcome.has_errors());
    rendered(&outcome)
}

#[test]
fn a_rule_belongs_to_the_settings_unless_it_is_the_usual_one() {
    let made = |words: &str| plan(&config("", &format!("{GENETIC}{words}")));
    let plain = made("").arms[0].fingerprint;
    assert_eq!(made("duplicates = \"allow\"").arms[0].fingerprint, plain);
    for rule in [Duplicates::Avoid, Duplicates::Reuse] {
        let words = format!("duplicates = \"{}\"", rule.as_str());
        let plan = made(&words);
        let arm = &plan.arms[0];
        assert_eq!(arm.settings.operators.duplicates, rule);
        assert_ne!(arm.fingerprint, plain);
        let settings = arm.settings.operators.section.to_string();
        assert!(settings.contains(&words), "{settings}");
    }
}

#[test]
fn what_cannot_be_reused_or_drawn_again_is_refused() {
    let said = refused("noise = 0.2\n", &format!("{GENETIC}duplicates = \"reuse\""));
    assert!(said.contains("cannot reuse fitness, which is noisy"), "{said}");
    let said = refused("", "algorithm = \"umda\"\nduplicates = \"avoid\"\n");
    assert!(said.contains("has no children to draw again"), "{said}");
    assert!(said.contains("write \"reuse\""), "{said}");
    let said = refused("", &format!("{GENETIC}duplicates = \"never\""));
    assert!(said.contains("`allow`") || said.contains("\"allow\""), "{said}");
    plan(&config("", "algorithm = \"umda\"\nduplicates = \"reuse\"\n"));
}
