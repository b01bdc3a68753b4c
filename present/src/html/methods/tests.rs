use super::facts::ArmFacts;
use super::values::number;
use super::*;
use crate::analysis::comparison::Criterion;
use crate::analysis::{DifferenceMethod, RateInterval, RateMethod};
use crate::plan::resolved::Settings;
use crate::plan::settings::Pairing;
use crate::problem::parameter::Value;
use crate::problem::section::{Section, Setting};
use crate::results::{FirstGenomes, Run};
use std::collections::BTreeMap;
use std::sync::Arc;

fn arm<'a>(operators: &'a str, problem: &str, set: &str, stop: &str) -> ArmFacts<'a> {
    let section = |text: &str| Arc::new(Section::parse(text).expect("settings"));
    ArmFacts {
        label: operators,
        operators,
        swept: Vec::new(),
        settings: Settings {
            problem: section(problem),
            operators: section(set),
            stop: section(stop),
            ..Settings::default()
        },
        is_baseline: false,
        trials: 100,
        failures: 0,
        timed_out: 0,
    }
}

fn run() -> Run {
    let mut run = Run::begin(2, 0);
    run.end("complete", 200);
    run.plugin.name = "nqueens".to_owned();
    run.plugin.version = "0.3.0".to_owned();
    run.config = "seed = 7\n".to_owned();
    run
}

const TOURNAMENT: &str = "population = 50\nselection = { kind = \"tournament\", size = 2 \
    }\nmutation = { kind = \"swap\", rate = 1.0 }\n";
const STOP: &str = "fitness = 0.0\ngenerations = 1000\non-success = \"stop\"\n";

/// Returns the text, in which each citation has its entry.
fn told(arms: Vec<ArmFacts<'_>>, swept: &[&str], runs: &[Run], statistics: &Statistics) -> String {
    let swept_keys: Vec<String> = swept.iter().map(|key| (*key).to_owned()).collect();
    let outcomes = BTreeMap::from([("solved", 150), ("generations", 50)]);
    let facts = Facts {
        results: None,
        arms,
        swept_keys: &swept_keys,
        runs: runs.iter().collect(),
        outcomes: &outcomes,
        unfinished: false,
        constraints: false,
        tuning_race: None,
    };
    let text = written(&facts, statistics);
    let plain = text.plain();
    for (citation, reference) in text.cited() {
        assert!(plain.contains(&citation), "{citation} is listed and not cited:\n{plain}");
        assert!(reference.text().len() > citation.len() + 10, "{citation} has no reference");
    }
    assert!(!plain.contains('@'), "a key has no entry:\n{plain}");
    plain
}

fn statistics() -> Statistics {
    let rates = RateInterval { low: 0.0, high: 1.0, method: RateMethod::Wilson, confidence: 0.95 };
    let method = Some(DifferenceMethod::Independent);
    Statistics {
        grouped: true,
        rates,
        exact: false,
        some_exact: false,
        defines_success: true,
        successes: true,
        comparisons: 3,
        tests: 9,
        baseline_tests: 0,
        budgets_differ: false,
        asked: None,
        criteria: Criterion::ALL.into(),
        method,
        distributions: [[", exact", ""], [", exact or normal", ""]].map(|of| of.map(str::to_owned)),
        one_is_exact: false,
        all_are_exact: false,
        single: true,
        strata: false,
        baseline: None,
        bands: true,
        quartiles: Some(true),
        constraints: false,
        ranks: String::new(),
    }
}

#[test]
fn swept_operators_and_problems_have_all_their_values() {
    let arms = [(0.01, 8), (0.1, 8), (0.01, 16), (0.1, 16)].map(|(rate, n)| {
        let set = TOURNAMENT.replace("rate = 1.0", &format!("rate = {rate}"));
        ArmFacts {
            swept: vec![
                Some(Setting::Value(Value::Real(rate))),
                Some(Setting::Value(Value::Integer(n))),
            ],
            ..arm("ga", &format!("plugin = \"nqueens\"\nn = {n}\nencoding = \"rows\""), &set, STOP)
        }
    });
    let told =
        told(arms.into(), &["operators.mutation.rate", "problem.n"], &[run()], &statistics());
    assert!(
        told.contains(
            "We ran 4 arms on the problem nqueens, with 100 seeded trials per arm, 400 in all."
        ),
        "{told}"
    );
    assert!(
        told.contains(
            "In all arms, the problem had encoding rows. The problem's parameters differ between \
            arms: n was 8 or 16."
        ),
        "{told}"
    );
    assert!(
        told.contains(
            "We varied operators.mutation.rate over 0.01 and 0.1, and problem.n over 8 and 16, in \
            every combination."
        ),
        "{told}"
    );
    assert!(
        told.contains(
            "The operator set ga has population 50, selection tournament (size 2; \
        Goldberg and Deb 1991), mutation swap (rate 0.01 or 0.1; Syswerda 1991)."
        ),
        "{told}"
    );
    assert!(
        told.contains(
            "A trial ended when it reached its target, or after 1,000 generations, whichever came \
            first. A trial succeeded if its best fitness was at most 0, its target."
        ),
        "{told}"
    );
    assert!(
        told.contains("Trials ended: 150 at the target and 50 at the limit of generations."),
        "{told}"
    );
    assert!(told.contains("the experiment's seed (7)"), "{told}");
    assert!(!told.contains("baseline's success rate is given with"), "{told}");
}

/// Settings leave out the default of a parameter that a plugin got after its first version.
#[test]
fn a_swept_default_that_settings_leave_out_has_its_value() {
    let arms = [("", 1), ("instance = 51", 51)].map(|(given, instance)| ArmFacts {
        swept: vec![Some(Setting::Value(Value::Integer(instance)))],
        ..arm("ga", &format!("plugin = \"pbo\"\nn = 16\n{given}"), TOURNAMENT, STOP)
    });
    let told = told(arms.into(), &["problem.instance"], &[run()], &statistics());
    let words = "In all arms, the problem had n 16. The problem's parameters differ between arms: \
        instance was 1 or 51.";
    assert!(told.contains(words), "{told}");
}

#[test]
fn what_operator_sets_share_is_said_once_and_what_differs_with_each() {
    let crossed = format!("{TOURNAMENT}crossover = {{ kind = \"order\", rate = 1.0 }}\n");
    let problem = "plugin = \"nqueens\"\nn = 8";
    let climb = "algorithm = { kind = \"hill-climbing\", sideways = 3 }\n";
    let all = vec![
        arm("plain", problem, TOURNAMENT, STOP),
        arm("crossed", problem, &crossed, STOP),
        arm("wide", problem, &TOURNAMENT.replace("50", "80"), STOP),
        arm("climb", problem, climb, STOP),
    ];
    let with_climb = told(all, &[], &[run()], &statistics());
    assert!(
        with_climb.contains(
            "There were 4 operator sets. plain: population 50, selection \
        tournament (size 2; Goldberg and Deb 1991), mutation swap (rate 1; Syswerda 1991), no \
        crossover."
        ),
        "{with_climb}"
    );
    assert!(
        with_climb
            .contains("climb: algorithm hill-climbing (sideways 3; Russell and Norvig 2021)."),
        "{with_climb}"
    );
    let tour = "plugin = \"nqueens\"\nn = 8\nencoding = \"permutation\"";
    let by =
        |neighbors: &str| climb.replace("sideways = 3", &format!("neighbors = \"{neighbors}\""));
    let permuted = ["reversal", "insertion"].map(|one| arm(one, tour, &by(one), STOP));
    let permuted = told(permuted.into(), &[], &[run()], &statistics());
    for words in ["; Croes 1958). insertion:", "(neighbors insertion; Or 1976)."] {
        assert!(permuted.contains(words), "{permuted}");
    }
    let alike = vec![
        arm("plain", problem, TOURNAMENT, STOP),
        arm("wide", problem, &TOURNAMENT.replace("50", "80"), STOP),
    ];
    let alike = told(alike, &[], &[run()], &statistics());
    assert!(
        alike.contains(
            "All of them have selection tournament (size 2; Goldberg and Deb 1991), \
        mutation swap (rate 1; Syswerda 1991). plain: population 50. wide: population 80."
        ),
        "{alike}"
    );
    // Beyond a dozen sets, the values of the rest are listed together.
    let names: Vec<String> = (0..40).map(|number| format!("set {number}")).collect();
    let many = names.iter().enumerate().map(|(number, name)| {
        arm(name, problem, &TOURNAMENT.replace("50", &(50 + number * number).to_string()), STOP)
    });
    let many = told(many.collect(), &[], &[run()], &statistics());
    assert!(many.contains("The other 28 operator sets"), "{many}");
    assert!((0..40).all(|number| many.contains(&number_in_words(50 + number * number))), "{many}");
}

fn number_in_words(value: usize) -> String {
    number(value as f64)
}

#[test]
fn stop_rules_failures_and_questions_are_told() {
    let problem = "plugin = \"nqueens\"\nn = 8";
    let mut baseline = arm(
        "random-search",
        problem,
        "population = 100\nalgorithm = { kind = \"random-search\" }",
        "fitness = 0.0\nevaluations = 5100\non-success = \"stop\"",
    );
    baseline.is_baseline = true;
    let mut failing = arm("ga", problem, TOURNAMENT, &format!("{STOP}trial-seconds = 2.5\n"));
    failing.failures = 12;
    failing.timed_out = 3;
    let mut asking = run();
    asking.config = "seed = 7\nrepeats = { half-width = 0.05, max = 20000 }\n".to_owned();
    asking.overrides = vec!["--set repeats.confidence=0.9".to_owned()];
    let method = Some(DifferenceMethod::Sequence);
    let rates =
        RateInterval { method: RateMethod::Sequence, confidence: 0.9, ..statistics().rates };
    let sequence = Statistics { rates, method, baseline: method, ..statistics() };
    let told = told(vec![failing, baseline], &[], &[asking], &sequence);
    for part in [
        "with 100 to 112 seeded trials per arm, 212 in all",
        "or after 2.5 seconds, whichever came first",
        "A trial of the baseline ended when it reached its target, or after 5,100 evaluations",
        "Arms were compared with random search (Brooks 1958) on the same problem",
        "random-search (population 100)",
        "until the interval of each arm's success rate was at most 0.1 wide in total, at a \
        confidence of 90 %, at most 20,000 per arm",
        "12 trials failed or crashed (12 of ga). Figures are computed from the others, and \
        differences are reported only where they hold whatever",
        "3 trials timed out",
        "90 % confidence sequences",
        "compared by e-values",
        "differences are reported at a level of 0.1",
        "The operator set ga has",
    ] {
        assert!(told.contains(part), "no {part:?} in\n{told}");
    }
    assert!(!told.contains("identical to the byte") && !told.contains("Wilson"), "{told}");
    let goes_on = arm(
        "ga",
        problem,
        TOURNAMENT,
        "fitness = 0.5\nevaluations = 100\non-success = \"continue\"",
    );
    let continued = self::told(vec![goes_on], &[], &[run()], &statistics());
    assert!(
        continued.contains(
            "A trial ended after 100 evaluations. A trial succeeded if its best fitness was at \
            most 0.5, its target."
        ),
        "{continued}"
    );
    assert!(continued.contains("continued to the end of its budget"), "{continued}");
    let aimless = self::told(
        vec![arm("ga", problem, TOURNAMENT, "evaluations = 100")],
        &[],
        &[run()],
        &Statistics {
            successes: false,
            comparisons: 0,
            method: None,
            bands: false,
            quartiles: None,
            ..statistics()
        },
    );
    assert!(aimless.contains("There was no target"), "{aimless}");
}

#[test]
fn runs_that_differ_are_told_apart() {
    let (mut first, mut second) = (run(), run());
    first.runner_version = "0.1.0".to_owned();
    (second.trials_before, second.trials_after) = (200, Some(500));
    second.runner_version = "0.1.1".to_owned();
    second.overrides = vec!["--seed 8".to_owned()];
    second.first_genomes = Some(FirstGenomes {
        source: "file = \"first.csv\"".to_owned(),
        rows: 3,
        blake3: "0123456789abcdef".to_owned(),
        fitness: false,
    });
    let mut paired = arm("ga", "plugin = \"nqueens\"", TOURNAMENT, STOP);
    paired.settings.pairing = Pairing::Common;
    paired.settings.start = Some(Arc::new(Section::parse("given = 10").expect("settings")));
    let told = told(vec![paired], &[], &[first, second], &statistics());
    assert!(told.contains("The trials were made in 2 runs with engine revision"), "{told}");
    assert!(
        told.contains("(200 trials) with runner 0.1.0")
            && told.contains("(300 trials) with runner 0.1.1"),
        "{told}"
    );
    assert!(
        told.contains("seed 7") && told.contains("seed 8") && told.contains("(7 and 8)"),
        "{told}"
    );
    assert!(told.contains("common random numbers; Law 2015"), "{told}");
    assert!(told.contains("3 genomes were given (file = "), "{told}");
    assert!(told.contains("for given individuals (10 of 50); the others"), "{told}");
    assert!(told.contains("The problem has no parameters."), "{told}");
    assert!(
        told.contains("We ran one arm on the problem nqueens, with 100 seeded trials. "),
        "{told}"
    );
}

#[test]
fn only_tests_that_were_made_are_named() {
    let arms = || vec![arm("ga", "plugin = \"nqueens\"", TOURNAMENT, STOP)];
    let of = |statistics: &Statistics| told(arms(), &[], &[run()], statistics);
    let budgets = of(&Statistics { budgets_differ: true, ..statistics() });
    assert!(budgets.contains("within the smaller of the two. Success rates"), "{budgets}");
    // No arm succeeded: only final fitness was tested.
    let fitness = Statistics {
        successes: false,
        comparisons: 1,
        tests: 1,
        baseline_tests: 0,
        budgets_differ: false,
        criteria: vec![Criterion::FinalFitness],
        ..statistics()
    };
    let text = of(&fitness);
    assert!(!text.contains("Fisher") && !text.contains("Holm"), "{text}");
    assert!(
        text.contains("Differences of success rates are given with Newcombe")
            && text.contains("; the final fitness was compared by the tests of Mann and Whitney")
            && text.contains("A verdict rests on this test, and differences are reported"),
        "{text}"
    );
    // Success is not defined at all.
    let undefined = Statistics { defines_success: false, ..fitness };
    let text = of(&undefined);
    for name in ["Wilson", "Fisher", "Newcombe", "Holm", "tests in"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    assert!(
        text.contains("Success is not defined, because there is no target")
            && text.contains("The final fitness was compared by the tests of Mann and Whitney"),
        "{text}"
    );
    // Only comparisons over all values of swept keys, and both kinds.
    let over = Statistics { single: false, strata: true, ..statistics() };
    let text = of(&over);
    for name in ["Fisher", "Newcombe", "Mann and Whitney", "Brunner", "the shift between"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    assert!(
        text.contains("Success rates were compared over all swept values by the test of Cochran")
            && text.contains("evaluations to success over all swept values by the test of van"),
        "{text}"
    );
    let pairs = Statistics { strata: true, method: Some(DifferenceMethod::Paired), ..statistics() };
    let text = of(&pairs);
    let both = "by signed ranks (Wilcoxon 1945), exact or normal (over all swept values by the \
        sign test over all pairs)";
    assert!(text.contains(both), "{text}");
    // Arms whose trials are all the same.
    let exact = Statistics { one_is_exact: true, some_exact: true, ..statistics() };
    let text = of(&exact);
    assert!(
        text.contains("Fisher")
            && text.contains("were compared with those of the other arm in pairs"),
        "{text}"
    );
    assert!(text.contains("those of arms whose trials are all the same are exact"), "{text}");
    let several = Statistics { comparisons: 1, tests: 2, ..statistics() };
    let text = of(&several);
    assert!(text.contains("the p-values of 2 tests in one comparison were adjusted"), "{text}");
}

#[test]
fn combinations_are_those_of_sets_with_all_swept_keys() {
    let value = |number: i64| Some(Setting::Value(Value::Integer(number)));
    let of = |set: &'static str, swept: [Option<Setting>; 2]| ArmFacts {
        swept: swept.into(),
        ..arm(set, "plugin = \"nqueens\"", TOURNAMENT, STOP)
    };
    let keys = ["problem.n", "operators.population"];
    let grid = |without: usize| {
        let pairs = [(8, 5), (8, 10), (8, 20), (16, 5), (16, 10), (16, 20)];
        let pairs = pairs.into_iter().skip(without);
        let mut arms: Vec<ArmFacts<'_>> =
            pairs.map(|(n, size)| of("ga", [value(n), value(size)])).collect();
        // This set has no population.
        arms.extend([8, 16].map(|n| of("climb", [value(n), None])));
        told(arms, &keys, &[run()], &statistics())
    };
    assert!(grid(0).contains("over 5, 10 and 20, in every combination. "), "{}", grid(0));
    assert!(grid(1).contains(", in 5 of the 6 combinations. "), "{}", grid(1));
}
