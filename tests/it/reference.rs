//! Five published systems, reproduced: the real binary and plugins against models in Python that
//! were written from the systems' descriptions alone (tests/models).

use crate::util::{Sandbox, column, document, rows, sized};
use serde_json::Value;
use std::collections::BTreeMap;

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("no {key} in {row}"))
}

/// Asserts that two counts come from one rate: within 5 standard deviations of their difference. By
/// the binomial distributions themselves, a false alarm in 6e-7 to 2e-6 from 1,000 trials on, and
/// in at most 2e-5 for 300 of them at the least rate here, 0.025.
#[track_caller]
fn assert_alike(what: &str, (found, trials): (f64, f64), (expected, of): (f64, f64)) {
    let pooled = (found + expected) / (trials + of);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / trials + 1.0 / of)).sqrt();
    let difference = found / trials - expected / of;
    assert!(
        difference.abs() <= 5.0 * deviation,
        "{what}: {found} of {trials}, the model {expected} of {of}"
    );
}

/// System A: 1,000 trials, or all 5,000 of the config. About half end at 0, nearly all within
/// 0..=4; each end is as frequent as the model's.
#[test]
fn system_a_finds_the_classical_position_in_half_of_its_runs() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", document("configs/chess960-paper.toml"));
    let repeats = sized(1_000, 5_000);
    sandbox.run(&["a.toml", "--repeats", &repeats.to_string()]).code(0);
    let trials = rows(&sandbox, &["results/chess960-paper", "--trials"]);
    let all = repeats as f64;
    for line in document("tests/models/chess960.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let counts: Vec<f64> =
            words[1..].iter().map(|word| word.parse().expect("a count")).collect();
        let own: Vec<&Value> = trials
            .iter()
            .filter(|trial| {
                trial["operators"] == "chess960-paper" && trial["problem.invalid"] == words[0]
            })
            .collect();
        assert_eq!(own.len() as u64, repeats);
        let ends = |fits: &dyn Fn(f64) -> bool| {
            own.iter().filter(|trial| fits(number(trial, "best_fitness"))).count() as f64
        };
        for best in 0..5 {
            let what = format!("{} at {best}", words[0]);
            assert_alike(
                &what,
                (ends(&|end| end == f64::from(best)), all),
                (counts[1 + best as usize], counts[0]),
            );
        }
        if words[0] == "keep" {
            // 0.5 and 0.97 by the description; 5 standard deviations, a false alarm in 6e-7 each.
            let deviation = |share: f64| (share * (1.0 - share) / all).sqrt();
            assert!((ends(&|end| end == 0.0) / all - 0.51).abs() < 5.0 * deviation(0.51));
            assert!(ends(&|end| end <= 4.0) / all > 0.97 - 5.0 * deviation(0.97));
        }
        // 10 ranks, then 5 children per generation.
        for trial in &own {
            assert_eq!(
                number(trial, "evaluations"),
                10.0 + 5.0 * number(trial, "generations"),
                "{trial}"
            );
        }
    }
}

/// Every individual's fitness in every generation, as the paper plots it.
#[test]
fn system_a_shows_every_individual_of_every_generation() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", document("configs/chess960-paper.toml"));
    let traced = [
        "a.toml",
        "--repeats",
        "20",
        "--set",
        "output.trace=population",
        "--set",
        "problem.invalid=keep",
    ];
    sandbox.run(&traced).code(0);
    let path = sandbox.path("results/chess960-paper/generations.parquet");
    let [trial, generation, best] = ["trial", "generation", "best"].map(|name| column(&path, name));
    let mut individuals: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
    let searched = rows(&sandbox, &["results/chess960-paper", "--trials"]);
    let own = searched.iter().filter(|trial| trial["operators"] == "chess960-paper");
    let rows_of_paper: f64 = own.map(|trial| 10.0 * (number(trial, "generations") + 1.0)).sum();
    for ((trial, generation), best) in
        trial.iter().zip(generation).zip(best).take(rows_of_paper as usize)
    {
        individuals.entry((*trial as u64, generation as u64)).or_default().push(best);
    }
    assert!(individuals.values().all(|fitness| fitness.len() == 10));
    // The best half lives on: the next generation's best five are no worse than these.
    for ((trial, generation), fitness) in &individuals {
        let Some(next) = individuals.get(&(*trial, generation + 1)) else { continue };
        let (mut now, mut next) = (fitness.clone(), next.clone());
        now.sort_by(f64::total_cmp);
        next.sort_by(f64::total_cmp);
        assert!(now[..5].iter().zip(&next[..5]).all(|(now, next)| next <= now), "{now:?} {next:?}");
    }
}

/// System C: 100 of 100 samples keep the rules, and the 960 arrangements are equally likely:
/// chi-square over 96,000 draws, 959 degrees of freedom, beyond 1,177 with probability 2e-6.
#[test]
fn system_c_draws_the_960_uniformly() {
    let sandbox = Sandbox::new();
    let uniform = ["sample", "chess960", "--set", "placement=uniform"];
    sandbox
        .run(&[&uniform[..], &["--count", "100", "--check"]].concat())
        .code(0)
        .says("100 of 100 valid\n");
    let ran = sandbox
        .run(&[&uniform[..], &["--count", "96000", "--format", "line", "--seed", "960"]].concat())
        .code(0);
    let mut counts = BTreeMap::new();
    for line in ran.stdout.lines() {
        let number = line.split("  ").nth(1).unwrap_or_else(|| panic!("no number in {line}"));
        *counts.entry(number).or_insert(0.0) += 1.0;
    }
    assert_eq!(counts.len(), 960);
    let chi_square: f64 = counts.values().map(|count| (count - 100.0f64).powi(2) / 100.0).sum();
    assert!(chi_square < 1177.0, "{chi_square}");
}

#[test]
fn system_c_prints_both_armies_in_its_form() {
    let sandbox = Sandbox::new();
    let rule = "---------------------------------\n";
    let expected: String = [
        "| r | n | b | q | k | b | n | r |\n",
        "| p | p | p | p | p | p | p | p |\n",
        "|   |   |   |   |   |   |   |   |\n",
        "|   |   |   |   |   |   |   |   |\n",
        "|   |   |   |   |   |   |   |   |\n",
        "|   |   |   |   |   |   |   |   |\n",
        "| P | P | P | P | P | P | P | P |\n",
        "| R | N | B | Q | K | B | N | R |\n",
    ]
    .iter()
    .fold(rule.to_owned(), |text, line| text + line + rule);
    let ran = sandbox.run(&["sample", "chess960", "--number", "518"]).code(0);
    assert_eq!(ran.stdout, expected);
    assert_eq!(rule.len(), 33 + 1);
}

/// Systems B (both readings of its mutation), D and E: 300 or 1,000 trials of 100 generations each,
/// against 4,000 of the model.
#[test]
fn systems_b_d_and_e_succeed_as_often_as_their_models() {
    let sandbox = Sandbox::new();
    let mut models = BTreeMap::new();
    for line in document("tests/models/queens.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [system, setting, trials, solved] = words[..] else { panic!("{line}") };
        let counts: (f64, f64) =
            (solved.parse().expect("a count"), trials.parse().expect("a count"));
        models.insert(format!("{system} {setting}"), counts);
    }
    assert_eq!(models.len(), 11);
    let other = Some("operators.mutation.value=different");
    let configs = [
        ("queens-simulator", "B", None),
        ("queens-simulator", "B", other),
        ("queens-notebook", "D", None),
        ("queens-notes", "E", None),
    ];
    let repeats = sized(300, 1_000);
    let (trials, count) = (repeats as f64, repeats.to_string());
    let mut compared = 0;
    for (config, system, reading) in configs {
        sandbox.write("a.toml", document(&format!("configs/{config}.toml")));
        let mut shorter = vec![
            "a.toml",
            "--repeats",
            &count,
            "--set",
            "stop.generations=100",
            "--set",
            "baseline=false",
        ];
        shorter.extend(reading.into_iter().flat_map(|change| ["--set", change]));
        sandbox.run(&shorter).code(0);
        for row in rows(&sandbox, &[&format!("results/{config}")]) {
            let setting = match row["operators"].as_str().expect("a name") {
                "queens-simulator" => {
                    let value = if reading.is_some() { "different" } else { "any" };
                    format!("{value},rate={:?}", number(&row, "operators.mutation.rate"))
                }
                "queens-notebook" => "computed".into(),
                "queens-notebook-intended" => "intended".into(),
                "queens-notes" => "reciprocal".into(),
                "queens-notes-share-complement" => "share-complement".into(),
                other => panic!("{other}"),
            };
            let Some(model) = models.get(&format!("{system} {setting}")) else { continue };
            assert_alike(
                &format!("{system} {setting}"),
                (number(&row, "successes"), trials),
                *model,
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 11, "every line of the model has its arm");
}

/// What each preset is, to the letter of its description.
#[test]
fn presets_say_what_their_sources_do() {
    let sandbox = Sandbox::new();
    let lines = |config: &str, operators: &str| {
        sandbox.write("a.toml", document(&format!("configs/{config}.toml")));
        sandbox
            .run(&[
                "a.toml",
                "--repeats",
                "1",
                "--set",
                "stop.generations=1",
                "--set",
                "baseline=false",
            ])
            .code(0);
        let summary = rows(&sandbox, &[&format!("results/{config}")]);
        let row =
            summary.iter().find(|row| row["operators"] == operators).expect("the operator set");
        row["settings"].as_str().expect("a text").to_string()
    };
    let expected = [
        (
            "chess960-paper",
            "chess960-paper",
            vec![
                "population = 10",
                "scaling = { kind = \"none\" }",
                "selection = { kind = \"noisy-rank\" }",
                "crossover = { kind = \"problem\", rate = 1.0, children = 1 }",
                "mutation = { kind = \"problem\", rate = 0.1 }",
                "replacement = { kind = \"elitism\", count = 5 }",
                "placement = \"king-first\"",
            ],
        ),
        (
            "queens-simulator",
            "queens-simulator",
            vec![
                "scaling = { kind = \"complement\", worst = 28.0 }",
                "selection = { kind = \"roulette\" }",
                "crossover = { kind = \"one-point\", rate = 1.0, children = 2, cut = \"inner\" }",
                "value = \"any\"",
                "replacement = { kind = \"generational\" }",
                "counting = \"pairs\"",
            ],
        ),
        (
            "queens-notebook",
            "queens-notebook",
            vec![
                "population = 100",
                "scaling = { kind = \"complement\", worst = 56.0 }",
                "crossover = { kind = \"one-point\", rate = 1.0, children = 1, cut = \"any\" }",
                "mutation = { kind = \"reset\", rate = 0.03, value = \"any\" }",
                "counting = \"pairs\"",
            ],
        ),
        (
            "queens-notebook",
            "queens-notebook-intended",
            vec!["scaling = { kind = \"complement\", worst = 28.0 }"],
        ),
        (
            "queens-notes",
            "queens-notes",
            vec![
                "mix = { clone = 0.3, crossover = 0.69, mutate = 0.01 }",
                "scaling = { kind = \"reciprocal\" }",
                "crossover = { kind = \"one-point\", children = 2, cut = \"inner\" }",
                "mutation = { kind = \"reset\", value = \"any\" }",
                "counting = \"per-queen\"",
            ],
        ),
        (
            "queens-notes",
            "queens-notes-share-complement",
            vec!["scaling = { kind = \"share-complement\" }"],
        ),
    ];
    for (config, operators, wanted) in expected {
        let settings = lines(config, operators);
        for line in wanted {
            assert!(settings.contains(line), "{operators} has no `{line}`:\n{settings}");
        }
    }
}

#[test]
fn samples_are_chosen_by_number_checked_and_written_to_files() {
    let sandbox = Sandbox::new();
    let sample = |arguments: &[&str]| sandbox.run(&[&["sample"], arguments].concat());
    assert_eq!(
        sample(&["chess960", "--number", "518", "--format", "line"]).code(0).stdout,
        "♖♘♗♕♔♗♘♖  518\n"
    );
    sample(&["chess960", "--number", "960"]).code(2).warns("are numbered 0 to 959");
    sample(&["onemax", "--number", "0"]).code(2).warns("does not number its genomes");
    sample(&["onemax", "--check"]).code(2).warns("has no rules to check");
    sample(&["chess960", "--number", "1", "--count", "2"]).code(2);
    sample(&["nqueens", "--set", "n=4", "--number", "0"]).code(0).says("Q Q Q Q\n. . . .\n");
    sample(&["nqueens", "--set", "n=8", "--count", "30", "--check"]).code(0).says("30 of 30 valid");
    assert_eq!(
        sample(&["nqueens", "--seed", "4", "-n", "2", "--format", "genes"]).code(0).stdout,
        sample(&["nqueens", "--seed", "4", "-n", "3", "--format", "genes"])
            .code(0)
            .stdout
            .lines()
            .take(2)
            .fold(String::new(), |text, line| text + line + "\n"),
        "the genomes of a seed do not depend on how many are drawn"
    );
    sample(&["chess960", "-n", "2", "--format", "svg"]).code(2).warns("--out DIR");
    sample(&["chess960", "-n", "2", "--format", "svg", "--out", "boards"])
        .code(0)
        .says("boards/chess960-1.svg");
    let svg = String::from_utf8(sandbox.read("boards/chess960-0.svg")).expect("UTF-8");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
}
