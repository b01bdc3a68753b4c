//! Options over presets, over sweeps, and over each other: no change is lost.

use super::{load_texts, plan_with, rendered, set};

const SETS: &str = "repeats = 2\n[problem]\nplugin = \"onemax\"\nlength = 20\n[[presets]]\n\
    name = \"mine\"\npopulation = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n\
    [[operators]]\nname = \"ga\"\n\
    preset = \"mine\"\n[stop]\ngenerations = 5\n";

const MIX: &str = "mix = { clone = 0.3, crossover = 0.69, mutate = 0.01 }";

/// Returns the settings of each arm in full.
#[track_caller]
fn settings(text: &str, words: &[&str]) -> Vec<String> {
    plan_with(text, &set(words)).arms.iter().map(|arm| arm.resolved.to_toml()).collect()
}

#[test]
fn an_option_leaves_the_other_keys_of_a_table_of_a_preset() {
    let text = SETS.replace("mutation =", &format!("crossover = \"uniform\"\n{MIX}\nmutation ="));
    let text = text.as_str();
    let mix = "mix = { clone = 0.4, crossover = 0.59, mutate = 0.01 }";
    let words = ["operators.mix.clone=0.4", "operators.mix.crossover=0.59"];
    assert!(settings(text, &words)[0].contains(mix));
    let words = words.map(|word| word.replace("operators.", "operators.ga."));
    assert!(settings(text, &words.each_ref().map(String::as_str))[0].contains(mix));
    // A whole table replaces the preset's, as it does in the file.
    let all = settings(text, &["operators.mix={ clone = 0.5, crossover = 0.0, mutate = 0.5 }"]);
    assert!(all[0].contains("mix = { clone = 0.5, crossover = 0.0, mutate = 0.5 }"), "{}", all[0]);
    // So does a table within the value, such as a schedule over that of the preset.
    let course = "mutation = { kind = \"bit-flip\", rate = { from = 0.9, to = 0.1, course = \
        \"geometric\" } }";
    let scheduled = SETS.replace("mutation = \"bit-flip\"", course);
    let schedule = "operators.mutation={ rate = { from = 0.5, to = 0.2 } }";
    let set = [schedule, "stop.evaluations=100"];
    assert!(settings(&scheduled, &set)[0].contains("course = \"linear\""));
    let words = ["operators.mutation.kind=reset", "operators.mutation.rate=0.5"];
    let swapped = settings(SETS, &words);
    assert!(swapped[0].contains("mutation = { kind = \"reset\", rate = 0.5, "), "{}", swapped[0]);
}

#[test]
fn an_option_reaches_the_swept_operators_of_one_set() {
    let own = format!("{SETS}[sweep]\n\"operators.ga.mutation\" = [\"bit-flip\", \"reset\"]\n");
    for option in ["operators.ga.mutation.rate=0.25", "operators.mutation.rate=0.25"] {
        let arms = settings(&own, &[option]);
        assert_eq!(arms.len(), 2);
        assert!(arms.iter().all(|arm| arm.contains("rate = 0.25")), "{option}: {arms:?}");
    }
    let of_all = own.replace("operators.ga.mutation", "operators.mutation");
    assert_eq!(settings(&of_all, &["operators.mutation.rate=0.25"]).len(), 2);
    let refused = load_texts(&[&of_all], &set(&["operators.ga.mutation.rate=0.25"]));
    assert!(rendered(&refused).contains("would be lost"), "{}", rendered(&refused));
    // In another sweep it would be lost, too.
    let second = own.replace("[sweep]", "[[sweep]]")
        + "[[sweep]]\n\"operators.mutation\" = [\"bit-flip\", \"swap\"]\n";
    let refused = load_texts(&[&second], &set(&["operators.ga.mutation.rate=0.25"]));
    assert!(rendered(&refused).contains("would be lost"), "{}", rendered(&refused));
}

#[test]
fn a_key_of_one_set_stands_in_place_of_that_of_all_in_any_order() {
    let words = ["operators.ga.population=20", "operators.population=40"];
    for words in [words, [words[1], words[0]]] {
        assert!(settings(SETS, &words)[0].contains("population = 20"), "{words:?}");
    }
}

#[test]
fn an_option_changes_the_sweeps_that_have_its_key() {
    let text = format!(
        "{SETS}[[sweep]]\n\"operators.mutation.rate\" = [1.0, 0.5]\n[[sweep]]\n\
        \"problem.length\" = [10, 30]\n"
    );
    let labels = |words: &[&str]| -> Vec<String> {
        plan_with(&text, &set(words)).arms.iter().map(|arm| arm.label.clone()).collect()
    };
    assert_eq!(
        labels(&["sweep.problem.length=[15, 40]"]),
        [
            "ga operators.mutation.rate=1.0",
            "ga operators.mutation.rate=0.5",
            "ga problem.length=15",
            "ga problem.length=40"
        ]
    );
    // A key that no sweep has goes into all.
    assert_eq!(labels(&["sweep.operators.population=[10, 20]"]).len(), 8);
}

/// With quotes or without, the last key in the file varies fastest.
#[test]
fn keys_without_quotes_keep_their_order() {
    let sweep = "[sweep]\nproblem.length = [10, 20]\nstop.evaluations = [50, 60]\n\
        operators.population = [10, 20]\n";
    let bare = format!("{SETS}{sweep}problem.noise = [0.1, 0.2]\n");
    let quoted = ["problem.length", "stop.evaluations", "operators.population", "problem.noise"]
        .into_iter()
        .fold(bare.clone(), |text, key| text.replace(key, &format!("\"{key}\"")));
    let arms = |text: &str| -> Vec<Vec<String>> {
        let outcome = load_texts(&[text], &set(&[]));
        assert!(!outcome.has_errors(), "{}", rendered(&outcome));
        let swept = |value| format!("{value:?}");
        let arms = outcome.plans[0].arms.iter();
        arms.map(|arm| arm.settings.swept.iter().map(swept).collect()).collect()
    };
    assert_eq!(arms(&bare), arms(&quoted));
    // An unknown key is shown on its own line.
    let wrong = bare.replace("problem.noise", "problem.noize");
    let shown = rendered(&load_texts(&[&wrong], &set(&[])));
    assert!(shown.contains("| problem.noize = [0.1, 0.2]\n"), "{shown}");
}

#[test]
fn large_integers_that_differ_by_one_are_left_out_alone() {
    let text = format!(
        "{SETS}[sweep]\n\"stop.evaluations\" = [9007199254740992, 9007199254740993, \
        9007199254740994]\nexcept = [{{ \"stop.evaluations\" = 9007199254740993 }}]\n"
    );
    let plan = plan_with(&text, &set(&[]));
    let kept: Vec<_> = plan.arms.iter().map(|arm| arm.settings.stop.evaluations).collect();
    assert_eq!(kept, [Some(9_007_199_254_740_992), Some(9_007_199_254_740_994)]);
    let real = text.replace("9007199254740993 }", "9007199254740994.0 }");
    let plan = plan_with(&real, &set(&[]));
    let kept: Vec<_> = plan.arms.iter().map(|arm| arm.settings.stop.evaluations).collect();
    assert_eq!(kept, [Some(9_007_199_254_740_992), Some(9_007_199_254_740_993)]);
}

#[test]
fn two_arms_of_one_name_are_refused() {
    let text = format!(
        "{SETS}[[operators]]\nname = \"ga operators.ga.population=10\"\npreset = \"mine\"\n\
        population = 30\n[sweep]\n\"operators.ga.population\" = [10, 20]\n"
    );
    let text = text.replace("[stop]\ngenerations = 5\n", "") + "[stop]\ngenerations = 5\n";
    let shown = rendered(&load_texts(&[&text], &set(&[])));
    assert!(shown.contains("two arms are called `ga operators.ga.population=10`"), "{shown}");
    assert!(shown.contains("give the operator set another name"), "{shown}");
}

/// A range over more than the greatest number has its values between its ends.
#[test]
fn the_width_of_a_range_may_exceed_the_greatest_number() {
    let text =
        format!("{SETS}[sweep]\nsample = 5\n\"stop.fitness\" = {{ from = -1e308, to = 1e308 }}\n");
    let plan = plan_with(&text, &set(&[]));
    assert_eq!(plan.arms.len(), 5);
    assert_eq!(plan.samples, ["a random sample of 5 combinations"]);
}

#[test]
fn a_sample_is_of_the_combinations_that_are_not_left_out() {
    let text = format!(
        "{SETS}[sweep]\nsample = 2\n\"problem.length\" = [10, 20, 30, 40]\n\
        except = [{{ \"problem.length\" = 20 }}]\n"
    );
    let plan = plan_with(&text, &set(&[]));
    assert_eq!(plan.samples, ["a random sample of 2 of 3 combinations"]);
    // Combinations that are too many to list are not counted where `except` leaves some out.
    let many = text
        .replace("[10, 20, 30, 40]", "{ from = 1, to = 2000, step = 1 }")
        .replace("except", "\"stop.evaluations\" = { from = 1, to = 2000, step = 1 }\nexcept");
    assert_eq!(plan_with(&many, &set(&[])).samples, ["a random sample of 2 combinations"]);
}

/// Every genome is evaluated several times, so that the first population uses up the budget.
#[test]
fn evaluations_per_genome_count_where_a_budget_is_too_small() {
    let text = SETS.replace("length = 20", "length = 20\nnoise = 0.1");
    let told = |each: u64, budget: u64| {
        let each = format!("operators.noise.evaluations-per-genome={each}");
        let budget = format!("stop.evaluations={budget}");
        let outcome = load_texts(&[&text], &set(&[&each, &budget]));
        assert!(!outcome.has_errors(), "{}", rendered(&outcome));
        rendered(&outcome).contains("never makes a child")
    };
    let told = [told(5, 50), told(5, 54), told(5, 55), told(1, 11), told(1, 10)];
    assert_eq!(told, [true, true, false, false, true]);
}
