//! The definitions of keys against the parser, and the JSON Schema against both.

use super::super::keys::{self, Form, Key, Table};
use super::super::{json_schema, load_text, reference, swept_keys};
use super::validate::{is_valid, resolved};
use super::{Outcome, Overrides, catalogue, plugins, rendered};
use crate::problem::parameter::{Kind, Value};
use crate::search::registry::all;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Value as Toml};

/// A file in which every table stands.
const WHOLE: &str = r#"
name = "whole"
repeats = { decide = ["a", "b"], max = 50 }

[problem]
plugin = "nqueens"

[[operators]]
name = "a"
population = 20
scaling = "rank"
selection = "roulette"
mix = { clone = 0.25, crossover = 0.25, mutate = 0.5 }
crossover = "one-point"
mutation = "reset"
restarts = { stagnation = 20 }

[[operators]]
name = "b"
preset = "queens-simulator"

[stop]
generations = 50

[sweep]

[output]
trace = "none"
"#;

/// Returns the path of each key, with the key.
fn all_keys() -> Vec<(Vec<&'static str>, &'static Key)> {
    let tables: [(&[&str], &Table); 8] = [
        (&[], &keys::TOP),
        (&["repeats"], &keys::REPEATS_TABLE),
        (&["problem"], &keys::PROBLEM_TABLE),
        (&["operators"], &keys::OPERATOR_SET),
        (&["operators", "mix"], &keys::MIX_TABLE),
        (&["operators", "restarts"], &keys::RESTARTS_TABLE),
        (&["operators", "noise"], &keys::NOISE_TABLE),
        (&["stop"], &keys::STOP_TABLE),
    ];
    let of = |(path, table): (&[&'static str], &Table)| {
        let path = path.to_vec();
        table
            .keys
            .iter()
            .map(move |key| ([path.as_slice(), &[key.name]].concat(), *key))
            .collect::<Vec<_>>()
    };
    let output = keys::OUTPUT_TABLE.keys.iter().map(|key| (vec!["output", key.name], *key));
    tables.into_iter().flat_map(of).chain(output).collect()
}

/// Returns the file with another value at a path; of the operator sets, in the first.
fn with(path: &[&str], value: &str) -> String {
    let mut document: DocumentMut = WHOLE.parse().expect("TOML");
    let value: Toml = value.parse().expect("a value");
    if path.len() == 2 && matches!(path[1], "half-width" | "successes" | "best") {
        // It asks one question.
        document["repeats"] = "{ max = 50 }".parse::<Toml>().map(Item::Value).expect("a table");
    }
    if path.starts_with(&["operators", "restarts"]) && path.last() != Some(&"unit") {
        // It has one rule.
        document["operators"][0]["restarts"] = Item::Value(Toml::InlineTable(Default::default()));
    }
    let mut item: &mut Item = document.as_item_mut();
    for (level, key) in path.iter().enumerate() {
        item = &mut item[*key];
        if level == 0 && *key == "operators" && path.len() > 1 {
            item = item.get_mut(0).expect("an operator set");
        }
    }
    *item = Item::Value(value);
    document.to_string()
}

fn loaded(text: &str) -> Outcome {
    load_text(Path::new("whole.toml"), text, &Overrides::default(), &mut catalogue())
}

/// Returns the messages of the parser that name the key.
fn complaints(text: &str, key: &str) -> Vec<String> {
    let outcome = loaded(text);
    let named = |message: &String| message.contains(key) || key == "operators";
    outcome.diagnostics.into_iter().map(|one| one.message).filter(named).collect()
}

/// Returns the check of a text by the schema.
fn validator() -> impl Fn(&str) -> bool {
    let schema = resolved(&json_schema(&plugins::all()));
    move |text| is_valid(&schema, &json(text))
}

fn json(text: &str) -> serde_json::Value {
    toml::from_str(text).expect("TOML")
}

/// Values inside of a kind, and outside of it.
fn ends(kind: &Kind) -> (Vec<String>, Vec<String>) {
    match kind {
        Kind::Integer { low, high } => {
            let outside = [low.checked_sub(1), high.checked_add(1)]
                .into_iter()
                .flatten()
                .map(|end| end.to_string());
            (
                vec![low.to_string(), high.to_string()],
                outside.chain(["0.5".into(), "true".into()]).collect(),
            )
        }
        Kind::Real { low, high, low_open, high_open } => {
            let (mut inside, mut outside) = (vec!["0.25".to_owned()], vec!["\"x\"".to_owned()]);
            if !(*low < 0.25 && *high > 0.25) {
                inside.clear();
            }
            for (end, open, beyond) in [(low, low_open, low - 1.0), (high, high_open, high + 1.0)] {
                if end.is_finite() {
                    if *open { &mut outside } else { &mut inside }.push(format!("{end:?}"));
                    outside.push(format!("{beyond:?}"));
                }
            }
            (inside, outside)
        }
        Kind::Boolean => (vec!["true".into(), "false".into()], vec!["1".into(), "\"true\"".into()]),
        Kind::Choice(words) => {
            (words.iter().map(|word| format!("{word:?}")).collect(), vec!["\"nonsense\"".into()])
        }
        Kind::Text | Kind::File => (vec![], vec!["1".into()]),
    }
}

#[test]
fn the_whole_file_is_good() {
    let outcome = loaded(WHOLE);
    assert!(!outcome.has_errors(), "{}", rendered(&outcome));
    assert!(validator()(WHOLE), "the schema refuses it");
}

#[test]
fn every_key_is_read_and_a_value_of_another_type_refused() {
    let schema = validator();
    for (path, key) in all_keys() {
        let text = with(&path, "[[]]");
        assert!(!complaints(&text, key.name).is_empty(), "{path:?}: {}", rendered(&loaded(&text)));
        assert!(!schema(&text), "the schema takes {path:?} = [[]]");
    }
}

#[test]
fn the_ends_of_every_range_are_those_that_the_parser_keeps() {
    let schema = validator();
    let is_refused = |text: &str, key: &str| {
        let refusal =
            |message: &String| message.ends_with("is not allowed") || message.contains("must be");
        complaints(text, key).iter().any(refusal)
    };
    let mut tried = 0;
    let mut try_kind = |path: &[&str], name: &str, kind: &Kind, wrap: &dyn Fn(&str) -> String| {
        let (inside, outside) = ends(kind);
        for (values, refused) in [(inside, false), (outside, true)] {
            for value in values {
                let text = with(path, &wrap(&value));
                assert_eq!(is_refused(&text, name), refused, "{path:?} {name} = {value}");
                assert_eq!(!schema(&text), refused, "the schema: {path:?} {name} = {value}");
                tried += 1;
            }
        }
    };
    for (path, key) in all_keys() {
        if let Form::Value(kind) | Form::ValueOrTable(kind, _) = &key.form {
            // A population of 1 goes with some operators alone.
            let kind = match kind {
                Kind::Integer { low: 1, high } if key.name == "population" => {
                    &Kind::Integer { low: 2, high: *high }
                }
                kind => kind,
            };
            if key.name != "population" {
                try_kind(&path, key.name, kind, &|value| value.to_owned());
            }
        }
    }
    for (slot, operator) in all() {
        for parameter in operator.parameters.iter().filter(|parameter| parameter.key != "rate") {
            let wrap = |value: &str| {
                format!("{{ kind = \"{}\", {} = {value} }}", operator.name, parameter.key)
            };
            try_kind(&["operators", slot.as_str()], &parameter.key, &parameter.kind, &wrap);
        }
    }
    assert!(tried > 150, "only {tried} values");
}

#[test]
fn the_largest_seed_is_taken_and_one_more_is_not() {
    let seed = |text: &str| {
        let overrides = Overrides { seed: Some(text.to_owned()), ..Overrides::default() };
        load_text(Path::new("whole.toml"), WHOLE, &overrides, &mut catalogue())
    };
    assert_eq!(seed("18446744073709551615").plans[0].seed, u64::MAX);
    assert_eq!(loaded(&format!("seed = {}\n{WHOLE}", u64::MAX)).plans[0].seed, u64::MAX);
    let refused = seed("18446744073709551616");
    assert!(
        rendered(&refused).contains("18446744073709551616 is not a 64-bit integer"),
        "{}",
        rendered(&refused)
    );
}

#[test]
fn a_leading_zero_is_the_only_fault_of_an_option() {
    let overrides = Overrides { set: vec!["seed=08".to_owned()], ..Overrides::default() };
    let refused = load_text(Path::new("whole.toml"), WHOLE, &overrides, &mut catalogue());
    assert_eq!(refused.diagnostics.len(), 1, "{}", rendered(&refused));
    assert_eq!(refused.diagnostics[0].message, "a number with a leading zero: 08");
    assert_eq!(refused.diagnostics[0].help.as_deref(), Some("write 8"));
}

#[test]
fn an_unknown_key_is_refused_in_every_table() {
    let schema = validator();
    for (path, _) in all_keys() {
        let mut path = path;
        *path.last_mut().expect("a key") = "colour";
        let text = with(&path, "1");
        assert!(!complaints(&text, "colour").is_empty(), "{path:?}");
        assert!(!schema(&text), "the schema takes {path:?}");
    }
    for (slot, operator) in all() {
        let text = with(
            &["operators", slot.as_str()],
            &format!("{{ kind = \"{}\", colour = 1 }}", operator.name),
        );
        assert!(!complaints(&text, "colour").is_empty(), "{slot} {}", operator.name);
        assert!(!schema(&text), "the schema takes {slot} {}", operator.name);
    }
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    let plain = WHOLE
        .replace("repeats = { decide = [\"a\", \"b\"], max = 50 }", "")
        .replace("trace = \"none\"", "");
    let mut document: DocumentMut = plain.parse().expect("TOML");
    let mut written = 0;
    for (path, key) in all_keys() {
        if path.starts_with(&["repeats"]) && path.len() > 1
            || path.starts_with(&["operators", "mix"])
            || path.starts_with(&["operators", "restarts"])
        {
            continue;
        }
        let Some(value) = key.default() else { continue };
        let value: Toml = value.to_string().parse().expect("a value");
        match path.as_slice() {
            [top] => document[top] = Item::Value(value),
            ["operators", key] if document["operators"][1].get(key).is_none() => {
                document["operators"][0][key].or_insert(Item::Value(value));
            }
            ["operators", ..] => continue,
            [table, key] => document[table][key] = Item::Value(value),
            _ => continue,
        }
        written += 1;
    }
    assert!(written >= 8, "only {written} defaults");
    let (first, second) = (loaded(&plain), loaded(&document.to_string()));
    let (first, second) = (&first.plans[0], &second.plans[0]);
    let shown = |plan: &crate::plan::Plan| {
        let arms: Vec<_> = plan.arms.iter().map(|arm| (arm.fingerprint, arm.baseline)).collect();
        (plan.seed, plan.repeats, plan.stopping_rule.clone(), plan.trace, arms)
    };
    assert_eq!(shown(first), shown(second));
}

#[test]
fn the_paths_of_the_reference_are_those_that_can_be_swept() {
    let cannot = |path: &str| {
        let text = with(&["sweep"], &format!("{{ \"{path}\" = [1] }}"));
        loaded(&text).diagnostics.iter().any(|one| one.label == "cannot be swept")
    };
    let paths: Vec<String> = swept_keys::paths().into_iter().flat_map(|(_, paths)| paths).collect();
    assert!(paths.len() > 30, "{paths:?}");
    for path in &paths {
        assert!(!cannot(&path.replace("PARAMETER", "n")), "{path}");
    }
    for (path, key) in all_keys() {
        let path = path.join(".");
        assert_eq!(cannot(&path), !key.swept, "{path}");
    }
    assert!(cannot("operators.mutation.colour") && cannot("problem.colour"));
}

#[test]
fn every_config_that_ships_is_valid_by_the_schema() {
    let schema = validator();
    let mut configs = 0;
    for entry in std::fs::read_dir(crate::test_size::repository("configs")).expect("configs") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        assert!(schema(&std::fs::read_to_string(&path).expect("a config")), "{}", path.display());
        configs += 1;
    }
    assert!(configs >= 10, "only {configs} configs");
}

/// The other file may have what a file lacks that extends it.
#[test]
fn the_schema_requires_keys_of_files_that_extend_no_other() {
    let schema = validator();
    for text in [
        "problem.length = 12",
        "repeats.max = 1000",
        "repeats.confidence = 0.9",
        "tune.budget = 3000",
        "tune.budget = {}",
        "[sweep]\n\"problem.n\" = { to = 30 }",
        "[sweep]\nproblem.n = { from = 3, to = 30 }",
        "[sweep]\noperators.mutation.rate = { step = 0.1 }",
    ] {
        assert!(!schema(text), "{text}");
        assert!(schema(&format!("extends = \"base.toml\"\n{text}")), "{text}");
    }
    for wrong in [
        "problem.plugin = 3",
        "repeats.maximum = 1000",
        "[[sweep]]\n\"problem.n\" = { to = 30 }",
        "[sweep]\n\"problem.n\" = {}",
        "[[operators]]\nrestarts = {}",
        "[[presets]]\npopulation = 10",
    ] {
        assert!(!schema(&format!("extends = \"base.toml\"\n{wrong}")), "{wrong}");
    }
    let alone = |from: &str, to: &str| {
        assert!(WHOLE.contains(from), "{from}");
        schema(&WHOLE.replace(from, to))
    };
    let repeats = "repeats = { decide = [\"a\", \"b\"], max = 50 }";
    for wrong in
        ["{ max = 50 }", "{ half-width = 0.1, successes = 3, max = 50 }", "{ best = true }"]
    {
        assert!(!alone(repeats, &format!("repeats = {wrong}")), "{wrong}");
    }
    for right in ["50", "{ half-width = 0.1, max = 50 }"] {
        assert!(alone(repeats, &format!("repeats = {right}")), "{right}");
    }
}

#[test]
fn the_schema_knows_the_values_of_a_sweep() {
    let schema = validator();
    for (sweep, good) in [
        ("{ \"problem.n\" = [6, 8] }", true),
        ("{ problem.n = [6, 8] }", true),
        ("{ \"operators.mutation\" = [\"reset\", { kind = \"swap\" }] }", true),
        ("{ operators.mutation.rate = [0.1, 0.2], stop.evaluations = [100] }", true),
        ("{ \"problem.n\" = { from = 4, to = 8, step = 2 } }", true),
        ("{ \"stop.evaluations\" = { from = 1, to = 8, factor = 2 } }", true),
        ("{ \"operators.tournament.population\" = [10, 20] }", true),
        ("{ operators.tournament.population = [10, 20] }", true),
        ("{ \"problem.n\" = [6], \"stop.evaluations\" = [9], together = [\"a\", \"b\"] }", true),
        ("{ \"problem.n\" = [6, 8], except = [{ \"problem.n\" = 6 }] }", true),
        ("[{ \"problem.n\" = [6, 8] }, { \"stop.evaluations\" = [5, 9] }]", true),
        ("{ \"problem.n\" = { from = 4, to = 8 }, sample = 3 }", true),
        ("{ problem.n = { from = 4, to = 8, course = \"geometric\" }, sample = 3 }", true),
        ("{ \"problem.n\" = [6, 8], sample = 3, method = \"sobol\" }", true),
        ("{ \"problem.n\" = [6, 8], sample = 0 }", false),
        ("{ \"problem.n\" = [6, 8], sample = 3, method = \"halton\" }", false),
        ("{ \"problem.n\" = { from = 4, to = 8, course = \"even\" }, sample = 3 }", false),
        ("{ \"problem.n\" = { from = 4, to = 8 } }", false),
        ("{ operators.selection.size = { from = 4, to = 8 } }", false),
        ("{ \"problem.n\" = { to = 8, step = 2 } }", false),
        ("{ \"problem.n\" = { from = 4 }, sample = 3 }", false),
        ("{ \"problem.n\" = { course = \"linear\" }, sample = 3 }", false),
        ("{ \"problem.n\" = {} }", false),
        ("[{ \"problem.n\" = { from = 4, to = 8 } }]", false),
        ("{ \"problem.n\" = { from = 4, to = 8, step = 2, factor = 2 } }", false),
        ("{ \"problem.n\" = [6, 8], except = [{}] }", false),
        ("[]", false),
        ("{ \"problem.n\" = 6 }", false),
        ("{ \"problem.n\" = [6, 6] }", false),
        ("{ \"stop.generations\" = [] }", false),
        ("{ \"stop.generations\" = [1.5] }", false),
        ("{ \"operators.name\" = [\"a\"] }", false),
        ("{ \"seed\" = [1, 2] }", false),
    ] {
        assert_eq!(schema(&with(&["sweep"], sweep)), good, "{sweep}");
    }
}

#[test]
fn the_reference_has_every_key_operator_and_parameter() {
    let text = reference(&plugins::all());
    for (_, key) in all_keys() {
        assert!(
            text.contains(&format!("| `{}` | ", key.name)) && text.contains(key.doc),
            "{}",
            key.name
        );
    }
    for (_, operator) in all() {
        assert!(text.contains(&format!("| `{}` | ", operator.name)), "{}", operator.name);
        for parameter in operator.parameters {
            assert!(
                text.contains(&format!("| `{}` | `{}` | ", operator.name, parameter.key)),
                "{}",
                parameter.key
            );
        }
    }
    assert!(text.contains(&format!(
        "| `seed` | an integer from 0 to {} | `{}` |",
        u64::MAX,
        Value::Integer(0)
    )));
}
