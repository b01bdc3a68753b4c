//! Files with a table [tune]: their settings, their experiments, and every complaint.

use super::*;
use crate::config::{Stage, Tuning, is_tuning, load_tuning};
use crate::plan::{Cost, Limit};
use crate::tune::{Coordinate, Point, Space, settings_with};

const TUNED: &str = r#"
name = "tuned"
seed = 3

[problem]
plugin = "nqueens"

[[operators]]
name       = "ga"
population = 20
selection  = "tournament"
crossover  = { kind = "one-point", rate = 0.9 }
mutation   = "reset"

[stop]
evaluations = 1000

[tune]
budget = 3000
train  = { "problem.n" = [6, 7] }
test   = { problem.n = [8, 9, 10] }
forbid = [{ "operators.selection" = "uniform", "operators.population" = { from = 50 } }]

[tune.keys]
"operators.population"     = { from = 4, to = 100, course = "geometric" }
"operators.selection"      = ["tournament", "uniform"]
operators.selection.size   = { from = 2, to = 4, when = { "operators.selection" = "tournament" } }
"operators.crossover.rate" = { from = 0.0, to = 1.0 }
"#;

fn tuning_of(text: &str) -> (Outcome, Option<Tuning>) {
    tuning_with(text, &[])
}

fn tuning_with(text: &str, options: &[&str]) -> (Outcome, Option<Tuning>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.toml");
    std::fs::write(&file, text).expect("a file");
    assert!(is_tuning(&file) == text.contains("[tune]"));
    load_tuning(&file, &set(options), &mut catalogue())
}

#[track_caller]
fn tuning(text: &str) -> Tuning {
    let (outcome, tuning) = tuning_of(text);
    tuning.unwrap_or_else(|| panic!("{}", rendered(&outcome)))
}

#[test]
fn a_tuning_has_its_keys_instances_and_budget() {
    let tuning = tuning(TUNED);
    assert_eq!(
        (tuning.name.as_str(), tuning.seed, tuning.budget),
        ("tuned", 3, Limit::Trials(3_000))
    );
    assert_eq!(tuning.cost, Cost::Evaluations { unsuccessful: 10_000 });
    assert_eq!([Stage::Train, Stage::Test].map(|stage| tuning.instances(stage)), [2, 3]);
    assert_eq!(tuning.keys().last(), Some("operators.crossover.rate"));
    // A tournament has a size, a uniform none; uniforms of large populations are forbidden.
    let size = |point: &Point| point[2].is_some();
    for (choice, sized) in [(0, true), (1, false)] {
        let points = settings_with(&tuning, 1, (1, Coordinate::Choice(choice)), 50);
        assert!(points.iter().all(|point| size(point) == sized));
        let forbidden = points.iter().filter(|point| tuning.forbids(point)).count();
        assert_eq!(forbidden > 5, choice == 1, "{forbidden}");
        for point in points.iter().filter(|point| tuning.forbids(point)) {
            let population = tuning.values(point)[0].clone();
            assert!(matches!(population, Some(Value::Integer(50..))), "{population:?}");
        }
    }
    assert!(tuning.has(&[]));
}

#[test]
fn an_iteration_is_an_experiment_of_settings_on_instances() {
    let tuning = tuning(TUNED);
    let points = settings_with(&tuning, 2, (1, Coordinate::Choice(0)), 2);
    let settings = [None, Some(&points[0]), Some(&points[1])];
    let plan = tuning.plan(("iteration-1", 9, 40), &settings, Stage::Train, &mut catalogue());
    let plan = plan.unwrap_or_else(|outcome| panic!("{}", rendered(&outcome)));
    assert_eq!((plan.name.as_str(), plan.seed, plan.repeats), ("iteration-1", 9, 40));
    let swept = |arm: &Arm, key: &str| {
        let place = plan.swept_keys.iter().position(|one| one == key).expect("a swept key");
        arm.settings.swept[place].clone()
    };
    let instances: Vec<_> = plan.arms.iter().map(|arm| swept(arm, "problem.n")).collect();
    assert_eq!(instances, [6, 7, 6, 7, 6, 7].map(|n| Some(Value::Integer(n))));
    for (place, arm) in plan.arms.iter().enumerate() {
        // The file's own setting has the plain values of the file.
        let own = [
            Some(Value::Integer(20)),
            Some(Value::Text("tournament".into())),
            None,
            Some(Value::Real(0.9)),
        ];
        let values = settings[place / 2].map_or(own.to_vec(), |point| tuning.values(point));
        for (key, value) in tuning.keys().zip(values) {
            assert_eq!(swept(arm, key), value, "{place} {key}");
        }
    }
    // Each slot is one line with its whole operator.
    let lines = tuning.lines(&points[0]);
    assert!(lines[1].starts_with("selection = { kind = \"tournament\", size = "), "{lines:?}");
    assert!(lines[2].starts_with("crossover = { kind = \"one-point\", rate = "), "{lines:?}");
    let pasted = format!("[[operators]]\n{}\n", lines.join("\n"));
    assert!(pasted.parse::<toml::Table>().is_ok() && lines.len() == 3, "{pasted}");
    // The settings of the file alone, on the problem of the file.
    let alone = TUNED.replace("train  =", "#").replace("test   =", "#");
    let alone = super::tunings::tuning(&alone);
    let plan = alone.plan(("test", 1, 1), &[None], Stage::Test, &mut catalogue());
    assert_eq!(plan.map(|plan| plan.arms.len()).map_err(|_| ()), Ok(1));
}

#[test]
fn options_change_keys_and_instances_of_a_tuning() {
    for (option, from, to) in [
        ("tune.keys.operators.population.to=50", "to = 100, course", "to = 50, course"),
        ("tune.keys.\"operators.crossover.rate\".from=0.5", "from = 0.0", "from = 0.5"),
        ("tune.keys.operators.selection.size.to=3", "to = 4, when", "to = 3, when"),
        (
            "tune.keys.\"operators.mutation.rate\"=[0.1, 0.2]",
            "to = 1.0 }",
            "to = 1.0 }\n\"operators.mutation.rate\" = [0.1, 0.2]",
        ),
        ("tune.train.problem.n=[5, 6]", "[6, 7]", "[5, 6]"),
        ("tune.test.\"problem.n\"=[11]", "[8, 9, 10]", "[11]"),
        ("tune.budget=4000", "budget = 3000", "budget = 4000"),
    ] {
        let content = |(outcome, tuning): (Outcome, Option<Tuning>)| {
            let tuning = tuning.unwrap_or_else(|| panic!("{option}: {}", rendered(&outcome)));
            let drawn = settings_with(&tuning, 8, (1, Coordinate::Choice(0)), 8);
            let values: Vec<_> = drawn.iter().map(|point| tuning.values(point)).collect();
            let keys: Vec<String> = tuning.keys().map(str::to_owned).collect();
            let arms = [Stage::Train, Stage::Test].map(|stage| {
                let plan = tuning.plan(("one", 1, 1), &[None], stage, &mut catalogue());
                let plan = plan.unwrap_or_else(|outcome| panic!("{}", rendered(&outcome)));
                plan.arms.iter().map(|arm| arm.settings.swept.clone()).collect::<Vec<_>>()
            });
            (keys, values, tuning.budget, arms)
        };
        let changed = content(tuning_with(TUNED, &[option]));
        assert_ne!(changed, content(tuning_of(TUNED)), "{option}");
        assert_eq!(changed, content(tuning_of(&TUNED.replacen(from, to, 1))), "{option}");
    }
}

/// A key that one file writes with quotes and the other without is one key.
#[test]
fn a_file_changes_tuned_keys_of_the_file_that_it_extends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    file("base.toml", TUNED);
    let text = "extends = \"base.toml\"\n[tune.keys.\"operators.selection.size\"]\nto = 3\n";
    let extended = file("a.toml", text);
    let (outcome, tuning) = load_tuning(&extended, &Overrides::default(), &mut catalogue());
    let tuning = tuning.unwrap_or_else(|| panic!("{}", rendered(&outcome)));
    assert_eq!(tuning.keys().count(), 4);
    for point in settings_with(&tuning, 8, (1, Coordinate::Choice(0)), 8) {
        let size = &tuning.values(&point)[2];
        assert!(matches!(size, Some(Value::Integer(2..=3))), "{size:?}");
    }
}

/// Each has a place in the file, the rule and the way out.
#[test]
fn what_is_wrong_with_a_tuning_is_said_with_its_line() {
    let mut different = Vec::new();
    for (right, wrong, message, help) in [
        ("budget = 3000", "", "[tune] has no budget", "budget = 5000"),
        ("budget = 3000", "budget = 100", "the budget of 100 is too small", "raise it to"),
        ("budget = 3000", "budget = {}", "this budget has no evaluations", "evaluations = "),
        ("budget = 3000", "budget = 0", "`budget` = 0 is not allowed", "at least 1"),
        ("budget = 3000", "budgets = 3000", "unknown key `budgets`", "did you mean"),
        ("budget = 3000", "trials = 3000", "unknown key `trials`", "did you mean `budget`?"),
        ("budget = 3000", "budget = 3000\ncost = \"time\"", "`cost`", "choose one"),
        ("train  = {", "train = 3 # {", "`train` must be a table", "write it as"),
        ("\"problem.n\" = [6, 7]", "\"stop.fitness\" = [0]", "has the key `stop.fitness`", "write"),
        (
            "\"problem.n\" = [6, 7]",
            "\"problem.m\" = [6]",
            "there is no key `problem.m`",
            "did you mean",
        ),
        ("\"problem.n\" = [6, 7]", "\"problem.n\" = [6, 6]", "has an instance twice", "once"),
        ("\"problem.n\" = [6, 7]", "\"problem.n\" = []", "`problem.n` has no values", "write"),
        (
            "\"operators.crossover.rate\" =",
            "\"name\" =",
            "there is no key `name` to tune",
            "a file",
        ),
        ("\"problem.n\" = [6, 7]", "\"problem.n\" = 6", "must be a list of values", "write"),
        ("[6, 7]", "[6, 1979-05-27]", "this is a date or time", "a value of the key"),
        ("[6, 7]", "[6, inf]", "this is not a finite number", "a value of the key"),
        ("[6, 7]", "{ kind = \"x\" }", "`problem.n` has values", "\"problem.n\" = [ … ]"),
        ("{ from = 4, to = 100, course", "{ to = 9, step = 2, course", "must be a", "to = 200"),
        ("\"problem.n\" = [6, 7]", "\"problem.n\" = [0]", "instances of `train`", "raise it"),
        ("{ from = 50 } }]", "{ from = \"x\" } }]", "`from` must be a number", "write"),
        ("{ from = 50 } }]", "{ from = nan } }]", "`from` must be a number", "write"),
        ("{ from = 50 } }]", "{ to = inf } }]", "`to` must be a number", "write"),
        ("{ from = 50 } }]", "nan }]", "this is not a finite number", "a value of the key"),
        ("{ from = 50 } }]", "[9, 1979-05-27] }]", "this is a date", "a value of the key"),
        ("forbid = [{", "forbid = [{}, {", "`forbid` names no key", "write it as"),
        ("\"operators.population\" = { from = 50 }", "\"x\" = 1", "names `x`, which is no", "add"),
        (
            "= [\"tournament\", \"uniform\"]",
            "= [\"tournament\"]",
            "fewer than two values",
            "at least two",
        ),
        ("= [\"tournament\", \"uniform\"]", "= \"uniform\"", "must be a range", "write"),
        (
            "\"uniform\"]",
            "\"wheel\"]",
            "no setting with `operators.selection` = \"wheel\"",
            "runner operators",
        ),
        (
            "from = 0.0, to = 1.0",
            "from = 0.5, to = 1.5",
            "`operators.crossover.rate` = 1.5",
            "lower",
        ),
        ("from = 0.0, to = 1.0", "from = 1.0, to = 0.0", "has no values between", "exchange"),
        ("from = 0.0, to = 1.0", "to = 1.0", "has no `from`", "write"),
        (
            "\"operators.crossover.rate\" =",
            "\"operators.crossover.rat\" =",
            "there is no key",
            "mean",
        ),
        (
            "\"operators.crossover.rate\" =",
            "\"problem.n\" =",
            "`problem.n` cannot be tuned",
            "train",
        ),
        (
            "when = { \"operators.selection\" = \"tournament\" }",
            "when = { \"operators.x\" = 1 }",
            "`when` names `operators.x`",
            "did you mean",
        ),
        (
            "\"operators.selection\" = \"tournament\" }",
            "\"operators.selection\" = \"none\" }",
            "no setting has `operators.selection.size`",
            "change `when`",
        ),
        (
            "[tune]",
            "[sweep]\n\"problem.n\" = [6]\n[tune]",
            "a tuning has no sweep",
            "move its keys",
        ),
        ("evaluations = 1000", "generations = 10", "there is no `stop.evaluations`", "fitness"),
        (
            "[stop]",
            "[[operators]]\npreset = \"queens-notebook\"\n[stop]",
            "one operator set",
            "file",
        ),
    ] {
        assert!(TUNED.contains(right), "{right}");
        let (outcome, tuning) = tuning_of(&TUNED.replacen(right, wrong, 1));
        let shown = rendered(&outcome);
        let due = [message, "help: ", help, "a.toml:"];
        if tuning.is_some() || due.iter().any(|words| !shown.contains(words)) {
            different.push(format!("{wrong}: {message} … {help}:\n{shown}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// A wrong key of [tune.keys], and a wrong value of `initial`, make what depends on them no more
/// wrong.
#[test]
fn a_mistake_in_one_tuned_key_is_said_once() {
    let initial = "initial = [{ \"operators.population\" = 50, \"operators.selection\" = \
        \"tournament\", \"operators.selection.size\" = 3, \"operators.crossover.rate\" = 0.5 }]";
    let text = TUNED.replace("\n[tune.keys]", &format!("{initial}\n[tune.keys]"));
    tuning(&text);
    for (right, wrong, message) in [
        ("from = 4, to = 100", "from = 400, to = 100", "`operators.population` has no values"),
        ("from = 4, to = 100", "from = 4, to = 100, step = 2", "must be a range without steps"),
        ("[\"tournament\", \"uniform\"]", "\"uniform\"", "`operators.selection` must be a range"),
        ("= [\"tournament\", \"uniform\"]", "= [\"tournament\"]", "has fewer than two values"),
        ("from = 2, to = 4, when", "from = 5, to = 4, when", "`operators.selection.size` has no"),
        ("{ \"operators.population\" = 50", "{ \"operators.population\" = 500", "= 500 is not one"),
        (
            "\"operators.selection\" = \"tournament\", \"op",
            "\"operators.selection\" = 3, \"op",
            "= 3 is",
        ),
        ("\"operators.selection\" = \"tournament\", \"op", "\"op", "has no `operators.selection`"),
    ] {
        assert!(text.contains(right), "{right}");
        let (outcome, tuning) = tuning_of(&text.replacen(right, wrong, 1));
        let shown = rendered(&outcome);
        assert!(tuning.is_none() && shown.contains(message), "{wrong}: {message}\n{shown}");
        assert_eq!(shown.matches("error: ").count(), 1, "{wrong}: {shown}");
    }
}

/// Whatever the other keys and the settings to begin with are, and however many values.
#[test]
fn an_invalid_end_of_a_tuned_key_is_the_only_fault() {
    let initial = "initial = [{ \"operators.population\" = 50, \"operators.selection\" = \
        \"uniform\", \"operators.crossover.rate\" = 0.5 }]";
    let text = TUNED.replace("\n[tune.keys]", &format!("{initial}\n[tune.keys]"));
    for (right, wrong, message, label) in [
        (
            "{ from = 4, to",
            "{ from = 4.5, to",
            "`operators.population` = 4.5",
            ", and 1 more value",
        ),
        ("from = 0.0, to = 1.0", "from = 0.0, to = 1e3", "`operators.crossover.rate` = 1000", ""),
        ("\"uniform\"]", "\"x\", \"y\", \"uniform\"]", "selection` = \"x\"", ", and 1 more value"),
    ] {
        assert!(text.contains(right), "{right}");
        let (outcome, tuning) = tuning_of(&text.replacen(right, wrong, 1));
        assert!(tuning.is_none() && outcome.diagnostics.len() == 1, "{}", rendered(&outcome));
        let fault = &outcome.diagnostics[0];
        assert!(fault.message.contains(message), "{}", fault.message);
        assert_eq!(fault.label, format!("never valid{label}"));
    }
}

#[test]
fn an_instance_that_cannot_be_used_is_shown() {
    for (right, wrong, value) in [
        ("[6, 7]", "[6, 0]", "0"),
        ("[8, 9, 10]", "[8, \"x\", 0]", "\"x\""),
        ("[6, 7]", "[6, 7], \"problem.placed\" = [\"0:0\", \"y\"]", "\"y\""),
    ] {
        let (outcome, _) = tuning_of(&TUNED.replace(right, wrong));
        assert_eq!(outcome.diagnostics.len(), 1, "{}", rendered(&outcome));
        assert_eq!(underlined(&outcome), value);
    }
}

#[test]
fn a_value_of_forbid_that_no_setting_has_is_said() {
    let (outcome, _) = tuning_of(TUNED);
    assert!(outcome.diagnostics.is_empty(), "{}", rendered(&outcome));
    let rule = "\"operators.selection\" = \"uniform\", \"operators.population\" = { from = 50 }";
    assert!(TUNED.contains(rule));
    for (wrong, value) in [
        ("\"operators.selection\" = \"unifrom\"", "\"unifrom\""),
        ("\"operators.selection\" = [\"tournament\", 3], \"operators.population\" = 50", "3"),
        ("\"operators.population\" = \"x\"", "\"x\""),
        ("\"operators.population\" = 3", "3"),
        ("\"operators.population\" = 4.5", "4.5"),
        ("\"operators.population\" = []", "[]"),
        ("\"operators.population\" = { from = 30, to = 20 }", "{ from = 30, to = 20 }"),
        ("\"operators.population\" = { from = 4.2, to = 4.8 }", "{ from = 4.2, to = 4.8 }"),
        ("\"operators.selection\" = { from = 3 }", "{ from = 3 }"),
    ] {
        let (outcome, tuning) = tuning_of(&TUNED.replace(rule, wrong));
        let shown = rendered(&outcome);
        let words = [&*format!(" = {value}\n"), "forbids nothing", "no setting has", "its values"];
        assert!(
            tuning.is_some() && words.iter().all(|one| shown.contains(one)),
            "{wrong}\n{shown}"
        );
        assert_eq!(outcome.diagnostics.len(), 1, "{shown}");
    }
    for right in [
        "\"operators.crossover.rate\" = { from = 0.3, to = 0.4 }",
        "\"operators.population\" = [7, 50]",
    ] {
        let (outcome, _) = tuning_of(&TUNED.replace(rule, right));
        assert!(outcome.diagnostics.is_empty(), "{}", rendered(&outcome));
    }
}

/// Its trials are paired in the iterations.
#[test]
fn a_tuning_may_ask_for_paired_trials() {
    let (outcome, tuning) = tuning_of(&format!("pairing = \"common\"\n{TUNED}"));
    assert!(tuning.is_some() && outcome.diagnostics.is_empty(), "{}", rendered(&outcome));
    let below = "\"operators.crossover.rate\" = 1.0";
    let (outcome, _) = tuning_of(
        &TUNED.replace("\"operators.selection\" = \"tournament\" }", &format!("{below} }}")),
    );
    let shown = rendered(&outcome);
    assert!(shown.contains("add the key above, or move it there"), "{shown}");
}

#[test]
fn a_tuning_runs_by_its_command_and_an_experiment_without() {
    let found = messages(TUNED, &Overrides::default());
    assert_eq!(found, ["this file is a tuning"]);
    let (outcome, tuning) = tuning_of(QUEENS);
    assert!(tuning.is_none() && rendered(&outcome).contains("has no table [tune]"));
}
