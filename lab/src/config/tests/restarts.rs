//! Restarts, from text to plan.

use super::{load_texts, plan, rendered};
use crate::config::Overrides;
use crate::operators::Unit;
use crate::search::{RestartRule, Restarts};

const QUEENS: &str = "[problem]\nplugin = \"nqueens\"\n[stop]\nevaluations = 5000\n";
const TABU: &str = "algorithm = \"tabu-search\"";

fn config(lines: &str) -> String {
    format!("{QUEENS}[[operators]]\n{lines}\n")
}

fn complaint(lines: &str) -> String {
    let outcome = load_texts(&[&config(lines)], &Overrides::default());
    assert!(outcome.has_errors(), "{lines}");
    rendered(&outcome)
}

#[test]
fn each_rule_is_read_and_belongs_to_the_settings() {
    use RestartRule::{Every, Luby, Stagnation};
    use Unit::{Evaluations, Generations};
    let plain = plan(&config(TABU));
    let plain = &plain.arms[0];
    assert_eq!(plain.settings.operators.restarts, None);
    for (words, rule, unit, section) in [
        ("stagnation = 200", Stagnation(200), Generations, "stagnation = 200"),
        ("every = 1", Every(1), Generations, "every = 1"),
        ("luby = 50, unit = \"evaluations\"", Luby(50), Evaluations, "luby = 50"),
    ] {
        let made = plan(&config(&format!("{TABU}\nrestarts = {{ {words} }}")));
        let arm = &made.arms[0];
        assert_eq!(arm.settings.operators.restarts, Some(Restarts { rule, unit }));
        let settings = arm.settings.operators.section.to_string();
        let unit = unit.as_str();
        let due = format!("restarts = {{ {section}, unit = \"{unit}\" }}");
        assert!(settings.contains(&due), "{settings}");
        assert_ne!(arm.fingerprint, plain.fingerprint);
    }
    let swept = format!(
        "{}[sweep]\n\"operators.restarts.every\" = [10, 20]\n",
        config(&format!("{TABU}\nrestarts = {{ every = 5 }}"))
    );
    let rules = plan(&swept).arms.iter().map(|arm| arm.settings.operators.restarts).collect();
    let due = |number| Some(Restarts { rule: Every(number), unit: Generations });
    let rules: Vec<_> = rules;
    assert_eq!(rules, [due(10), due(20)]);
}

#[test]
fn a_table_without_one_rule_is_refused() {
    for words in ["", "unit = \"evaluations\""] {
        let said = complaint(&format!("{TABU}\nrestarts = {{ {words} }}"));
        assert!(said.contains("this table `restarts` has no rule"), "{said}");
    }
    let said = complaint(&format!("{TABU}\nrestarts = {{ every = 5, luby = 5 }}"));
    assert!(said.contains("this table `restarts` has several rules"), "{said}");
    let said = complaint(&format!("{TABU}\nrestarts = {{ luby = 0 }}"));
    assert!(said.contains("luby") && said.contains("at least 1"), "{said}");
    let said = complaint(&format!("{TABU}\nrestarts = {{ stagnatoin = 9 }}"));
    assert!(said.contains("did you mean `stagnation`"), "{said}");
}

#[test]
fn restarts_that_do_not_go_with_the_algorithm_are_refused() {
    let rule = "restarts = { stagnation = 9 }";
    let said = complaint(&format!("algorithm = \"hill-climbing\"\n{rule}"));
    assert!(said.contains("restarts by its algorithm and by `restarts`"), "{said}");
    let climb = "algorithm = { kind = \"hill-climbing\", restarts = false }";
    assert_eq!(plan(&config(&format!("{climb}\n{rule}"))).arms.len(), 1);
    for algorithm in ["random-search", "exhaustive"] {
        let said = complaint(&format!("algorithm = \"{algorithm}\"\n{rule}"));
        assert!(said.contains(&format!("{algorithm} does not use `restarts`")), "{said}");
    }
    let reals = "plugin = \"sphere\"\ndimension = 3";
    let reals = format!("[problem]\n{reals}\n[stop]\nevaluations = 5000\n[[operators]]\n");
    for (algorithm, words) in [
        ("\"l-shade\"", "plans one run over the budget"),
        ("{ kind = \"cma-es\", restarts = \"ipop\" }", "restarts by its algorithm"),
    ] {
        let text = format!("{reals}algorithm = {algorithm}\n{rule}\n");
        let outcome = load_texts(&[&text], &Overrides::default());
        let said = rendered(&outcome);
        assert!(outcome.has_errors() && said.contains(words), "{said}");
    }
}
