//! Configs from text to plan, and every complaint as its user reads it.

mod algorithms;
mod arms;
mod duplicates;
mod keys;
mod lints;
mod noise;
mod options;
mod plugins;
mod restarts;
mod schedules;
mod suites;
mod tunings;
mod unused_values;
mod validate;

use super::{Catalogue, Outcome, Overrides, load, preset_texts};
use crate::operators::{MutationKind, Replacement, Scaling, Selection};
use crate::plan::seed::trial_seed;
use crate::plan::settings::{OnSuccess, Trace};
use crate::plan::{Arm, Plan};
use crate::problem::SearchPath;
use crate::problem::parameter::Value;
use crate::search::Evolutionary;
use std::path::PathBuf;
use std::time::Instant;

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new(SearchPath::of(Vec::new()));
    plugins::all().into_iter().for_each(|library| catalogue.add(library));
    catalogue
}

/// Loads texts as files `a.toml`, `b.toml`, … of a folder.
fn load_texts(texts: &[&str], overrides: &Overrides) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = ["a.toml", "b.toml", "c.toml"];
    let files: Vec<PathBuf> =
        names.iter().take(texts.len()).map(|name| folder.path().join(name)).collect();
    files.iter().zip(texts).for_each(|(file, text)| std::fs::write(file, text).expect("a file"));
    load(&files, overrides, &mut catalogue())
}

fn set(words: &[&str]) -> Overrides {
    Overrides {
        set: words.iter().map(|word| (*word).to_string()).collect(),
        ..Overrides::default()
    }
}

fn rendered(outcome: &Outcome) -> String {
    outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false) + "\n").collect()
}

/// Returns the plan of a good text.
#[track_caller]
fn plan_with(text: &str, overrides: &Overrides) -> Plan {
    let mut outcome = load_texts(&[text], overrides);
    assert!(!outcome.has_errors(), "{}", rendered(&outcome));
    outcome.plans.pop().expect("a plan")
}

#[track_caller]
fn plan(text: &str) -> Plan {
    plan_with(text, &Overrides::default())
}

/// Returns the messages of a wrong text.
#[track_caller]
fn messages(text: &str, overrides: &Overrides) -> Vec<String> {
    let outcome = load_texts(&[text], overrides);
    assert!(outcome.has_errors(), "no error");
    assert!(outcome.plans.is_empty(), "a plan in spite of errors");
    outcome.diagnostics.into_iter().map(|one| one.message).collect()
}

const QUEENS: &str = r#"
name = "queens"

[problem]
plugin = "nqueens"

[[operators]]
name = "ga"
population = 20
selection = { kind = "tournament", size = 3 }
crossover = { kind = "one-point", rate = 0.9 }
mutation = "reset"

[stop]
generations = 50
"#;

/// Compares the messages about every file in `tests/fixtures/wrong` with the text next to the file.
/// `RUNNER_BLESS=1` writes the texts anew: read them.
#[test]
fn wrong_files_are_answered_with_the_line_the_rule_and_the_way_out() {
    let root = crate::test_size::repository("");
    let folder = root.join("tests/fixtures/wrong");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|one| one.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 40, "only {} files", files.len());
    let bless = std::env::var_os("RUNNER_BLESS").is_some();
    let mut different = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let outcome = load(std::slice::from_ref(&file), &arguments(&text), &mut catalogue());
        assert!(outcome.has_errors(), "{}: no error", file.display());
        let only_plugin_errors = file.ends_with("library-not-there.toml");
        assert_eq!(outcome.only_plugin_errors(), only_plugin_errors, "{}", file.display());
        let shown = rendered(&outcome).replace(&*root.to_string_lossy(), "");
        let beside = file.with_extension("txt");
        if bless {
            std::fs::write(&beside, shown).expect("an expected text");
        } else if std::fs::read_to_string(&beside).is_ok_and(|expected| expected != shown)
            || !beside.exists()
        {
            different.push(format!("--- {}\n{shown}", beside.display()));
        }
    }
    assert!(different.is_empty(), "not as expected:\n{}", different.join("\n"));
}

/// Returns the arguments after the file's name in a first line `# runner check NAME.toml --set …`.
fn arguments(text: &str) -> Overrides {
    let mut overrides = Overrides::default();
    let Some(words) = text.lines().next().and_then(|line| line.strip_prefix("# runner check "))
    else {
        return overrides;
    };
    let mut words = words.split(' ').skip(1).map(str::to_string);
    while let (Some(flag), Some(value)) = (words.next(), words.next()) {
        match flag.as_str() {
            "--set" => overrides.set.push(value),
            "--repeats" => overrides.repeats = Some(value),
            "--seed" => overrides.seed = Some(value),
            _ => panic!("a flag that the test does not know: {flag}"),
        }
    }
    overrides
}

/// Returns an arm's evolutionary algorithm.
fn evolutionary(arm: &Arm) -> &Evolutionary {
    arm.settings.operators.algorithm.as_evolutionary().expect("it is evolutionary")
}

#[test]
fn defaults_are_filled_in() {
    let plan = plan(
        "[problem]\nplugin = \"nqueens\"\n[[operators]]\npopulation = 10\nselection = \
        \"uniform\"\nmutation = \"reset\"\n[stop]\ngenerations = 5\n",
    );
    assert_eq!(
        (plan.name.as_str(), plan.seed, plan.repeats, plan.trace),
        ("a", 0, 100, Trace::None)
    );
    let [arm] = &plan.arms[..] else { panic!("one arm") };
    assert_eq!(arm.label, "operators-1");
    let settings = &arm.settings;
    assert_eq!(settings.parameters[0], ("n".to_string(), Value::Integer(8)));
    assert_eq!(evolutionary(arm).scaling, Scaling::None);
    assert_eq!(evolutionary(arm).replacement, Replacement::Generational);
    assert_eq!(settings.stop.target, Some(0.0));
    assert_eq!(settings.stop.on_success, OnSuccess::Stop);
}

#[test]
fn a_sweep_makes_every_combination_with_the_last_key_fastest() {
    let text = format!(
        "{QUEENS}\n[[operators]]\npreset = \"queens-notes\"\n[sweep]\n\"problem.n\" = [6, \
        8]\noperators.population = [10, 20]\n"
    );
    let plan = plan(&text);
    let labels: Vec<&str> = plan.arms.iter().map(|arm| arm.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "ga problem.n=6 operators.population=10",
            "ga problem.n=6 operators.population=20",
            "ga problem.n=8 operators.population=10",
            "ga problem.n=8 operators.population=20",
            "queens-notes problem.n=6 operators.population=10",
            "queens-notes problem.n=6 operators.population=20",
            "queens-notes problem.n=8 operators.population=10",
            "queens-notes problem.n=8 operators.population=20",
        ]
    );
    assert_eq!(plan.swept_keys, ["problem.n", "operators.population"]);
    assert_eq!(plan.arms[2].settings.swept, [Some(Value::Integer(8)), Some(Value::Integer(10))]);
    assert!(
        std::sync::Arc::ptr_eq(&plan.arms[0].problem, &plan.arms[1].problem),
        "one instance a parameter set"
    );
}

#[test]
fn whole_slots_and_single_parameters_are_swept_together() {
    let text = format!(
        "{QUEENS}\n[sweep]\n\"operators.mutation.rate\" = [0.1, 0.2]\n\"operators.mutation\" = \
        [\"reset\", {{ kind = \"swap\" }}]\n"
    );
    let plan = plan(&text);
    let shown: Vec<(f64, bool)> = plan
        .arms
        .iter()
        .map(|arm| evolutionary(arm).mutation.expect("a mutation"))
        .map(|mutation| (mutation.rate, mutation.kind == MutationKind::Swap))
        .collect();
    assert_eq!(shown, [(0.1, false), (0.1, true), (0.2, false), (0.2, true)]);
    assert_eq!(plan.arms[1].settings.swept[1], Some(Value::Text("{ kind = \"swap\" }".into())));
}

#[test]
fn overrides_reach_all_operator_sets_or_one_by_name() {
    let text = format!("{QUEENS}\n[[operators]]\npreset = \"queens-simulator\"\n");
    let populations = |words: &[&str]| -> Vec<usize> {
        plan_with(&text, &set(words)).arms.iter().map(|arm| evolutionary(arm).population).collect()
    };
    assert_eq!(populations(&[]), [20, 100]);
    assert_eq!(populations(&["operators.population=50"]), [50, 50]);
    assert_eq!(populations(&["operators.ga.population=50"]), [50, 100]);
    assert_eq!(populations(&["operators.queens-simulator.population = 50"]), [20, 50]);
    let changed = plan_with(
        &text,
        &set(&["operators.queens-simulator.mutation.rate=0.3", "name=other", "problem.n=6"]),
    );
    assert_eq!(changed.name, "other");
    assert_eq!(evolutionary(&changed.arms[1]).mutation.expect("a mutation").rate, 0.3);
    assert_eq!(changed.arms[0].settings.parameters[0].1, Value::Integer(6));
    assert_eq!(changed.source.overrides.len(), 3);
    let flags =
        Overrides { repeats: Some("7".into()), seed: Some("9".into()), ..Overrides::default() };
    let plan = plan_with(&text, &flags);
    assert_eq!((plan.repeats, plan.seed), (7, 9));
}

#[test]
fn an_override_of_a_swept_key_holds_it() {
    let text = format!(
        "{QUEENS}\n[sweep]\n\"problem.n\" = [6, 8, 10]\n\"operators.mutation\" = [\"reset\", \
        \"swap\"]\n"
    );
    let plan = plan_with(&text, &set(&["problem.n=12", "operators.mutation.rate=0.5"]));
    let labels: Vec<&str> = plan.arms.iter().map(|arm| arm.label.as_str()).collect();
    assert_eq!(labels.len(), 2);
    assert!(labels[0].starts_with("ga problem.n=12 "), "{}", labels[0]);
    assert!(
        plan.arms.iter().all(|arm| evolutionary(arm).mutation.expect("a mutation").rate == 0.5)
    );
    let listed =
        plan_with(&text, &set(&["sweep.problem.n=[4, 5]", "sweep.operators.mutation=[\"swap\"]"]));
    assert_eq!(listed.arms.len(), 2);
}

#[test]
fn presets_resolve_and_a_key_beside_one_changes_it() {
    let fitting = |name: &str| match name {
        "chess960-paper" => "plugin = \"chess960\"",
        "simple-ga" | "rls" | "one-plus-one-resampling" | "fast-ga" => "plugin = \"onemax\"",
        "plus-strategy" => "plugin = \"sphere\"\ndimension = 3",
        "steady-state-permutation" => "plugin = \"nqueens\"\nencoding = \"permutation\"",
        _ => "plugin = \"nqueens\"",
    };
    let names: Vec<String> = preset_texts().into_iter().map(|(name, _)| name).collect();
    let text = include_str!("../presets.toml");
    let all = text.lines().filter(|line| line.starts_with('[')).count();
    assert_eq!(names.len(), all, "{names:?}");
    for name in &names {
        let problem = fitting(name);
        let text = format!(
            "[problem]\n{problem}\n[[operators]]\npreset = \"{name}\"\n[stop]\nfitness = \
            0\ngenerations = 5\n"
        );
        assert_eq!(plan(&text).arms[0].label, *name);
    }
    let changed = plan(
        "[problem]\nplugin = \"nqueens\"\n[[operators]]\npreset = \"queens-notebook\"\npopulation \
        = 12\nmutation.rate = 0.5\nselection = \"sus\"\n[stop]\ngenerations = 5\n",
    );
    let operators = evolutionary(&changed.arms[0]);
    assert_eq!(operators.population, 12);
    assert_eq!(operators.selection, Selection::Sus);
    assert_eq!(operators.scaling, Scaling::Complement { worst: 56.0 });
    let mutation = operators.mutation.expect("a mutation");
    assert_eq!(mutation.rate, 0.5);
    assert!(
        matches!(mutation.kind, MutationKind::Reset { different: false, .. }),
        "the preset's value = \"any\" stays"
    );
}

/// Checks the numbers on which a user's results depend. A change here changes every trial, and
/// needs a new engine revision.
#[test]
fn fingerprints_and_seeds_are_frozen() {
    let plan = plan(QUEENS);
    let arm = &plan.arms[0];
    assert_eq!(
        arm.resolved.to_toml(),
        "[problem]\nplugin = \"nqueens\"\nn = 8\nencoding = \"rows\"\ncounting = \
        \"pairs\"\n\n[[operators]]\nname = \"ga\"\npopulation = 20\nscaling = { kind = \"none\" \
        }\nselection = { kind = \"tournament\", size = 3 }\ncrossover = { kind = \"one-point\", \
        rate = 0.9, children = 2, cut = \"inner\" }\nmutation = { kind = \"reset\", rate = 1.0, \
        value = \"different\" }\nreplacement = { kind = \"generational\" }\n\n[stop]\nfitness = \
        0.0\ngenerations = 50\non-success = \"stop\"\n"
    );
    assert_eq!(arm.id().to_string(), "2cb7a90cd9bedccb");
    assert_eq!(
        [0, 1, 1 << 40].map(|trial| trial_seed(2026, arm.fingerprint, trial)),
        [12_333_431_740_711_947_171, 9_568_145_762_907_293_870, 780_774_563_303_919_765]
    );
}

#[test]
fn a_fingerprint_covers_what_changes_trials_and_nothing_else() {
    let id = |text: &str, words: &[&str]| plan_with(text, &set(words)).arms[0].fingerprint;
    let first = id(QUEENS, &[]);
    let other = |change: &str| id(QUEENS, &[change]);
    for same in [
        "name=x",
        "seed=5",
        "repeats=3",
        "operators.name=x",
        "output.trace=best",
        "problem.n=8",
        // Parameters that were added later, at their defaults.
        "problem.placed=",
        "problem.excluded-diagonals=0",
        "problem.puzzle=1",
        "stop.fitness=-0.0",
    ] {
        assert_eq!(other(same), first, "{same}");
    }
    for different in [
        "problem.n=9",
        "problem.placed=0:1",
        "problem.excluded-diagonals=1",
        "problem.puzzle=2",
        "operators.population=21",
        "operators.mutation.rate=0.5",
        "stop.generations=51",
        "stop.fitness=1",
    ] {
        assert_ne!(other(different), first, "{different}");
    }
    let swept = format!("{QUEENS}\n[sweep]\n\"problem.n\" = [6, 8]\n");
    assert_eq!(plan(&swept).arms[1].fingerprint, first, "an arm of a sweep is the arm without it");
    let swept = format!("{QUEENS}\n[sweep]\n\"problem.puzzle\" = [1, 2]\n");
    let arms = plan(&swept).arms;
    assert_eq!(arms[0].fingerprint, first, "a default that was added later is no part of an arm");
    assert!(arms[0].label.contains("puzzle=1") && arms[1].label.contains("puzzle=2"));
    assert_eq!(arms[0].resolved.value("problem.puzzle"), None);
    assert_eq!(arms[1].resolved.value("problem.puzzle"), Some(&Value::Integer(2)));
}

#[test]
fn the_settings_of_an_arm_read_back_as_the_same_arm() {
    let notes = "[problem]\nplugin = \"nqueens\"\n[[operators]]\npreset = \
        \"queens-notes\"\n[stop]\nevaluations = 5000\nstagnation = 9\ntrial-seconds = \
        1.5\non-success = \"continue\"\n";
    let sphere = "[problem]\nplugin = \"sphere\"\ndimension = 2\nradius = 0.75\nnote = \"\"\"a \
        \\\"b\\\" \\\\ \n[[operators]]\n\"\"\"\n[[operators]]\nname = \"say \
        \\\"hi\\\"\"\npopulation = 10\nselection = { kind = \"truncation\", share = 0.25 \
        }\nmutation = { kind = \"polynomial\", eta = 1e-7 }\nreplacement = { kind = \"elitism\", \
        share = 0.5 }\n[stop]\ngenerations = 3\nfitness = 1e-9\n";
    for text in [QUEENS, notes, sphere] {
        let first = plan(text);
        let again = plan(&first.arms[0].resolved.to_toml());
        assert_eq!(
            again.arms[0].fingerprint,
            first.arms[0].fingerprint,
            "{}",
            first.arms[0].resolved.to_toml()
        );
        assert_eq!(again.arms[0].resolved.to_toml(), first.arms[0].resolved.to_toml());
        assert_eq!(again.arms[0].settings, first.arms[0].settings);
    }
}

#[test]
fn one_experiment_name_is_one_file() {
    let outcome = load_texts(&[QUEENS, QUEENS], &Overrides::default());
    assert!(outcome.has_errors());
    assert!(
        outcome.diagnostics[0].message.contains("has the same name, `queens`, as that of"),
        "{}",
        rendered(&outcome)
    );
    let unnamed = QUEENS.replace("name = \"queens\"", "");
    let outcome = load_texts(&[&unnamed, &unnamed], &Overrides::default());
    assert_eq!(outcome.plans.iter().map(|plan| plan.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn the_same_slip_on_the_command_line_is_told_once_for_all_files() {
    let outcome = load_texts(
        &[QUEENS, &QUEENS.replace("\"queens\"", "\"other\"")],
        &set(&["stop.generation=3", "nonsense"]),
    );
    assert_eq!(outcome.diagnostics.len(), 2, "{}", rendered(&outcome));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (gone, latin) = (folder.path().join("gone.toml"), folder.path().join("latin.toml"));
    std::fs::write(&latin, b"# first\nname = \"K\xf6nig\"\n").expect("a file");
    let outcome =
        load(&[gone, latin, folder.path().to_path_buf()], &Overrides::default(), &mut catalogue());
    let all: Vec<&str> = outcome.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert!(all.iter().any(|one| one.contains("gone.toml: cannot be read")), "{all:?}");
    assert!(
        all.iter().any(|one| one.contains("latin.toml:2: not UTF-8: byte 0xf6 at offset 17")),
        "{all:?}"
    );
    assert!(
        all.iter().any(|one| one.ends_with(": this is a folder, not an experiment file")),
        "{all:?}"
    );
    assert!(!outcome.only_plugin_errors());
}

#[test]
fn a_missing_plugin_is_answered_with_the_nearest_and_the_places() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = |name: &str| {
        format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
    };
    std::fs::write(folder.path().join(name("nqueens")), "runner_plugin_table").expect("a file");
    let file = folder.path().join("a.toml");
    std::fs::write(&file, QUEENS.replace("nqueens", "nqueen")).expect("a file");
    let mut catalogue = Catalogue::new(SearchPath::of(vec![folder.path().to_path_buf()]));
    let outcome = load(&[file], &Overrides::default(), &mut catalogue);
    let [one] = outcome.diagnostics.as_slice() else { panic!("{}", rendered(&outcome)) };
    assert_eq!(one.message, "there is no plugin called `nqueen`");
    assert_eq!(
        one.rule.as_deref(),
        Some(format!("looked for {} in {}", name("nqueen"), folder.path().display()).as_str())
    );
    assert_eq!(
        one.help.as_deref(),
        Some("did you mean \"nqueens\"? `runner plugins` lists the available ones")
    );
    assert!(outcome.only_plugin_errors());
}

#[test]
fn a_plugin_may_demand_a_parameter_and_refuse_values() {
    let text = QUEENS
        .replace("\"nqueens\"", "\"sphere\"")
        .replace("one-point", "blend")
        .replace("\"reset\"", "\"gaussian\"");
    assert_eq!(messages(&text, &Overrides::default()), ["the problem `sphere` needs `dimension`"]);
    let refused = set(&["problem.dimension=2", "problem.shifted=true", "problem.radius=0.5"]);
    assert_eq!(
        messages(&text, &refused),
        ["plugin `sphere`: cannot create this problem: a shifted optimum needs a radius of at \
            least 1"]
    );
}

/// Returns what is underlined of the first complaint.
fn underlined(outcome: &Outcome) -> &str {
    let origin = outcome.diagnostics[0].origin.expect("a place");
    &outcome.sources.text(origin.source)[origin.start..origin.end]
}

#[test]
fn a_value_that_a_plugin_names_is_shown_whether_it_is_swept_or_not() {
    let swept = format!("{QUEENS}[sweep]\n\"problem.placed\" = [\"0:0\", \"x\"]\n");
    let given = QUEENS.replace("\"nqueens\"", "\"nqueens\"\nplaced = \"x\"");
    for text in [swept, given] {
        let outcome = load_texts(&[&text], &Overrides::default());
        assert_eq!(outcome.diagnostics.len(), 1, "{}", rendered(&outcome));
        assert_eq!(underlined(&outcome), "\"x\"");
        assert_eq!(outcome.diagnostics[0].help.as_deref(), Some("correct this value"));
    }
}

#[test]
fn a_search_without_a_target_is_warned_of() {
    let text = QUEENS
        .replace("\"nqueens\"", "\"sphere\"")
        .replace("one-point", "blend")
        .replace("\"reset\"", "\"gaussian\"");
    let outcome = load_texts(&[&text], &set(&["problem.dimension=2"]));
    assert!(!outcome.has_errors() && outcome.plans.len() == 1, "{}", rendered(&outcome));
    assert_eq!(outcome.diagnostics[0].message, "no trial can succeed: there is no target");
}

#[test]
fn a_number_of_trials_that_successes_decide_needs_a_target() {
    let text = QUEENS
        .replace("\"nqueens\"", "\"sphere\"")
        .replace("one-point", "blend")
        .replace("\"reset\"", "\"gaussian\"");
    for rule in ["successes = 3", "half-width = 0.1"] {
        let text = format!("repeats = {{ {rule}, max = 10 }}\n{}", without(&text, "repeats"));
        let outcome = load_texts(&[&text], &set(&["problem.dimension=2"]));
        assert_eq!(
            outcome.diagnostics[0].message,
            "successes end the trials, and no trial can succeed: there is no target"
        );
        assert!(outcome.has_errors(), "{}", rendered(&outcome));
        let target = set(&["problem.dimension=2", "stop.fitness=0.5"]);
        let outcome = load_texts(&[&text], &target);
        assert!(!outcome.has_errors(), "{}", rendered(&outcome));
    }
}

/// Returns the lines of a text that do not begin with a word.
fn without(text: &str, word: &str) -> String {
    text.lines().filter(|line| !line.starts_with(word)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark_and_end_lines_with_two_bytes() {
    assert_eq!(plan(&format!("\u{feff}{}", QUEENS.replace('\n', "\r\n"))).name, "queens");
}

#[test]
fn texts_from_the_user_cannot_colour_a_terminal() {
    let outcome = load_texts(&["name = \"\\u001b[31mred\"\n"], &Overrides::default());
    assert!(!rendered(&outcome).contains('\u{1b}'), "{:?}", rendered(&outcome));
}

/// The time is printed, for `cargo test ten_thousand_arms -- --nocapture`; what is asserted is the
/// number of arms.
#[test]
fn ten_thousand_arms_are_resolved_whatever_is_swept() {
    let list = |count: u32| {
        (1..=count).map(|value| (value + 1).to_string()).collect::<Vec<_>>().join(", ")
    };
    let sweeps = [
        format!("\"problem.n\" = [{}]", list(10_000)),
        format!("\"stop.generations\" = [{}]", list(10_000)),
        format!(
            "\"operators.population\" = [{}]",
            (3..=10_002).map(|value: u32| value.to_string()).collect::<Vec<_>>().join(", ")
        ),
        format!("\"problem.n\" = [{0}]\n\"stop.generations\" = [{0}]", list(100)),
    ];
    for sweep in sweeps {
        let text = format!("{QUEENS}\n[sweep]\n{sweep}\n");
        let started = Instant::now();
        assert_eq!(plan(&text).arms.len(), 10_000);
        println!("{} {:?}", &sweep[..24], started.elapsed());
    }
}

mod slips {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "name = \"größe\"\nseed = 1\n[problem]\nplugin = \"nqueens\"\nn = \
        8\n[[operators]]\npreset = \"queens-notes\"\nmutation = { value = \"any\" \
        }\n[stop]\ngenerations = 5\n[sweep]\n\"operators.population\" = [10, 20]\nproblem.n = [4, \
        5]\n";
    /// Texts that typing and editors leave behind.
    const SCRAPS: [&str; 24] = [
        "\"",
        "'",
        "=",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        "\n",
        "#",
        "ü",
        "♕",
        "-1",
        "1e9",
        "nan",
        "true",
        "\"\"\"",
        "\\",
        "\t",
        "2026-11-21",
        "x = 1\n",
        "[stop]\n",
        "\u{0}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(300)
        })]

        /// Whatever a slip makes of a file: complaints that can be shown, or a plan; never a panic.
        #[test]
        fn no_slip_panics(
            slips in prop::collection::vec((0usize..220, 0usize..6, 0usize..SCRAPS.len()), 1..4),
        ) {
            let mut text = TEXT.to_string();
            for (place, cut, scrap) in slips {
                let boundary = |mut place: usize| {
                    place = place.min(text.len());
                    while !text.is_char_boundary(place) {
                        place -= 1;
                    }
                    place
                };
                let (start, end) = (boundary(place), boundary(place + cut));
                text.replace_range(start..end, SCRAPS[scrap]);
            }
            let overrides =
                set(&["operators.queens-notes.population=3", "sweep.stop.evaluations=[1,2]"]);
            let outcome = load_texts(&[&text], &overrides);
            prop_assert_eq!(outcome.plans.is_empty(), outcome.has_errors());
            prop_assert_eq!(rendered(&outcome).is_empty(), outcome.diagnostics.is_empty());
        }

        /// Checks that no override on the command line panics.
        #[test]
        fn no_override_panics(word in "[a-z.=\\[\\]{}\",0-9 ♕-]{0,30}") {
            let outcome = load_texts(&[TEXT], &set(&[&word]));
            prop_assert_eq!(outcome.plans.is_empty(), outcome.has_errors());
            let _ = rendered(&outcome);
        }
    }
}

#[test]
fn an_operator_is_set_before_its_parameters() {
    let size = ["operators.selection.size=7", "operators.ga.selection.size=7"];
    let kind = ["operators.selection=tournament", "operators.ga.selection=tournament"];
    for (size, kind) in size.into_iter().zip(kind) {
        let orders = [[size, kind], [kind, size]].map(|words| plan_with(QUEENS, &set(&words)));
        let [one, other] = orders.map(|plan| plan.arms[0].resolved.to_toml());
        assert_eq!(one, other);
        assert!(one.contains("selection = { kind = \"tournament\", size = 7 }"), "{one}");
    }
}

#[test]
fn a_key_has_one_value_on_the_command_line() {
    let told = |overrides: Overrides| {
        let outcome = load_texts(&[QUEENS], &overrides);
        (outcome.plans.len(), rendered(&outcome))
    };
    let seed = Some("3".to_owned());
    let (plans, words) = told(Overrides { seed: seed.clone(), ..set(&["seed=4"]) });
    assert_eq!(plans, 0, "{words}");
    assert!(words.contains("`seed` is set to two values") && words.contains("first set here"));
    let (plans, words) = told(set(&["stop.evaluations=40", "stop.evaluations=50"]));
    assert_eq!(plans, 0, "{words}");
    let (plans, words) = told(Overrides { seed, ..set(&["seed=3", "stop.evaluations=40"]) });
    assert_eq!(plans, 1, "{words}");
}
