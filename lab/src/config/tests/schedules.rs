//! Parameters that change during a trial, and sharing, from text to plan.

use super::{load_texts, plan, rendered};
use crate::config::Overrides;
use crate::operators::{Course, Schedule, Schedules, Unit};
use crate::search::Sharing;

const ONE_PLUS_ONE: &str = "population = 1\nselection = \"uniform\"\nreplacement = \"plus\"";

fn config(stop: &str, mutation: &str, more: &str) -> String {
    format!(
        "[problem]\nplugin = \"onemax\"\n[stop]\n{stop}\n[[operators]]\n{more}\n\
        mutation = {{ kind = \"bit-flip\", {mutation} }}\n"
    )
}

fn complaint(stop: &str, mutation: &str, more: &str) -> String {
    let text = config(stop, mutation, more);
    let outcome = load_texts(&[&text], &Overrides::default());
    assert!(outcome.has_errors(), "{text}");
    rendered(&outcome)
}

#[test]
fn a_schedule_is_read_and_belongs_to_the_settings() {
    let text = config(
        "evaluations = 50\ngenerations = 50",
        "rate = { from = 1, to = 0.5 }, \
        gene-rate = { from = 0.1, to = 0.2, over = \"generations\", course = \"geometric\" }",
        ONE_PLUS_ONE,
    );
    let made = plan(&text);
    let set = &made.arms[0].settings.operators;
    let evolutionary = set.algorithm.as_evolutionary().expect("the evolutionary algorithm");
    let linear = Course::Linear;
    let rate = Schedule { from: 1.0, to: 0.5, over: Unit::Evaluations, course: linear };
    let (over, course) = (Unit::Generations, Course::Geometric);
    let gene_rate = Some(Schedule { from: 0.1, to: 0.2, over, course });
    let due = Schedules { mutation_rate: Some(rate), gene_rate, ..Schedules::NONE };
    assert_eq!(evolutionary.schedules, due);
    let settings = set.section.to_string();
    for due in [
        "rate = { from = 1.0, to = 0.5, over = \"evaluations\", course = \"linear\" }",
        "gene-rate = { from = 0.1, to = 0.2, over = \"generations\", course = \"geometric\" }",
    ] {
        assert!(settings.contains(due), "{settings}");
    }
}

#[test]
fn schedules_that_cannot_be_followed_are_refused() {
    let both = "evaluations = 50\ngenerations = 50";
    for (stop, mutation, more, words) in [
        (both, "rate = { from = 2, to = 0 }", ONE_PLUS_ONE, "`from` = 2 is not allowed"),
        (both, "rate = { from = 0.2 }", ONE_PLUS_ONE, "the schedule of `rate` has no `to`"),
        (
            both,
            "gene-rate = { from = 0, to = 0.1, course = \"geometric\" }",
            ONE_PLUS_ONE,
            "equal factors lead neither to 0",
        ),
        (both, "rate = { from = 1, to = 0, over = \"time\" }", ONE_PLUS_ONE, "must be \"eval"),
        (
            both,
            "strength = \"at-least-one\", gene-rate = { from = 0.1, to = 0 }",
            ONE_PLUS_ONE,
            "no bit flips at a rate of 0",
        ),
        (
            both,
            "gene-rate = { from = 0.1, to = 0 }",
            "algorithm = \"simulated-annealing\"",
            "`gene-rate` of mutation `bit-flip` has a schedule",
        ),
        (
            "generations = 50",
            "rate = { from = 1, to = 0 }",
            ONE_PLUS_ONE,
            "[stop] needs evaluations",
        ),
        (
            "evaluations = 50",
            "rate = { from = 1, to = 0, over = \"generations\" }",
            ONE_PLUS_ONE,
            "[stop] needs generations",
        ),
        (
            "evaluations = 50\nkeep-ended = true",
            "rate = { from = 1, to = 0 }",
            ONE_PLUS_ONE,
            "remove keep-ended",
        ),
        (
            both,
            "rate = { from = 1, to = 0 }",
            &format!("{ONE_PLUS_ONE}\nrestarts = {{ every = 3 }}"),
            "plans one run over the budget of a trial",
        ),
    ] {
        let said = complaint(stop, mutation, more);
        assert!(said.contains(words), "{words}:\n{said}");
        assert_eq!(said.matches("error:").count(), 1, "{said}");
    }
    let said = complaint(both, "rate = { from = 1, too = 0 }", ONE_PLUS_ONE);
    assert!(said.contains("unknown key `too`") && !said.contains("has no `to`"), "{said}");
}

const ROULETTE: &str = "population = 9\nselection = \"roulette\"\nscaling = \"rank\"";

#[test]
fn strengths_need_individuals_that_carry_them() {
    let text = config("generations = 5", "", "algorithm = \"simulated-annealing\"");
    let text = text.replace("\"bit-flip\", ", "\"self-adaptive-bit-flip\"");
    let outcome = load_texts(&[&text], &Overrides::default());
    let said = rendered(&outcome);
    assert!(said.contains("carries its strength"), "{said}");
    assert_eq!(said.matches("error:").count(), 1, "{said}");
}

#[test]
fn sharing_is_read_and_belongs_to_the_settings() {
    let of = |words: &str| {
        plan(&config("generations = 5", "", &format!("{ROULETTE}\nsharing = {words}")))
    };
    for (words, radius, alpha) in
        [("{ radius = 3 }", 3.0, 1.0), ("{ radius = 0.5, alpha = 2 }", 0.5, 2.0)]
    {
        let made = of(words);
        let set = &made.arms[0].settings.operators;
        let evolutionary = set.algorithm.as_evolutionary().expect("the evolutionary algorithm");
        assert_eq!(evolutionary.sharing, Some(Sharing { radius, alpha }));
        let due = format!("sharing = {{ radius = {radius:?}, alpha = {alpha:?} }}");
        assert!(set.section.to_string().contains(&due), "{}", set.section);
    }
}

#[test]
fn sharing_without_radius_or_weights_is_refused() {
    for (more, words) in [
        (&*format!("{ROULETTE}\nsharing = {{}}"), "has no `radius`"),
        (&format!("{ROULETTE}\nsharing = {{ radius = 0 }}"), "raise it above 0"),
        (&format!("{ONE_PLUS_ONE}\nsharing = {{ radius = 3 }}"), "its selection has none"),
        ("algorithm = \"tabu-search\"\nsharing = { radius = 3 }", "does not use `sharing`"),
    ] {
        let said = complaint("generations = 5", "", more);
        assert!(said.contains(words), "{words}:\n{said}");
    }
}
