//! Comparisons with SciPy and statsmodels (`tests/models/statistics.py`).

use super::*;
use serde_json::Value;

const CASES: &str = include_str!("../../../tests/models/statistics.json");

fn cases(name: &str) -> Vec<(Value, Value)> {
    let all: Value = serde_json::from_str(CASES).expect("JSON");
    let list = all[name].as_array().expect("a list").iter();
    let cases: Vec<_> = list.map(|case| (case[0].clone(), case[1].clone())).collect();
    assert!(cases.len() >= 50, "{name} has {} cases", cases.len());
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}

fn sample(value: &Value) -> Frequencies {
    Frequencies::of(numbers(value))
}

/// Asserts agreement within 1e-9, absolute for values below 1 and relative above.
fn assert_near(name: &str, arguments: &Value, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let near = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        assert!(near, "{name}({arguments}) is {expected}, not {found}");
    }
}

fn count(value: &Value, place: usize) -> u64 {
    value[place].as_u64().expect("a count")
}

#[test]
fn intervals_agree() {
    for (name, interval) in [
        ("wilson", wilson as fn(u64, u64, f64) -> Option<Interval>),
        ("clopper_pearson", clopper_pearson),
    ] {
        for (arguments, expected) in cases(name) {
            let level = arguments[2].as_f64().expect("a level");
            let Interval { low, high } =
                interval(count(&arguments, 0), count(&arguments, 1), level).expect("trials");
            assert_near(name, &arguments, &[low, high], &numbers(&expected));
        }
    }
    for (arguments, expected) in cases("difference") {
        let at = |place| count(&arguments, place);
        let level = arguments[4].as_f64().expect("a level");
        let (_, Interval { low, high }) =
            rate_difference((at(0), at(1)), (at(2), at(3)), level).expect("trials");
        assert_near("difference", &arguments, &[low, high], &numbers(&expected));
    }
}

#[test]
fn figures_over_strata_agree() {
    let strata = |value: &Value| -> Vec<Stratum> {
        let of = |one: &Value| Stratum {
            first: (count(one, 0), count(one, 1)),
            second: (count(one, 2), count(one, 3)),
        };
        value.as_array().expect("strata").iter().map(of).collect()
    };
    for (arguments, expected) in cases("stratified") {
        let (strata, level) = (strata(&arguments[0]), arguments[1].as_f64().expect("a level"));
        let (value, Interval { low, high }) =
            stratified_difference(&strata, level).expect("trials");
        let found = [value, low, high, cochran_mantel_haenszel(&strata)];
        assert_near("stratified", &arguments, &found, &numbers(&expected));
    }
    for (arguments, expected) in cases("large_strata") {
        let p = cochran_mantel_haenszel(&strata(&arguments));
        assert_near("large_strata", &arguments, &[p], &[expected.as_f64().expect("a p-value")]);
    }
    for (arguments, expected) in cases("van_elteren") {
        let samples = |one: &Value| [sample(&one[0]), sample(&one[1])];
        let strata: Vec<_> = arguments.as_array().expect("strata").iter().map(samples).collect();
        let all: Vec<_> = strata.iter().collect();
        let found = stratified_test::normal_van_elteren(&all).expect("values");
        assert_near("van_elteren", &arguments, &[found.statistic, found.p], &numbers(&expected));
    }
    for (arguments, expected) in cases("exact_van_elteren") {
        let samples = |one: &Value| [sample(&one[0]), sample(&one[1])];
        let strata: Vec<_> = arguments.as_array().expect("strata").iter().map(samples).collect();
        let found = van_elteren(&strata).expect("values");
        let found = [found.statistic, found.p];
        assert_near("exact_van_elteren", &arguments, &found, &numbers(&expected));
    }
}

#[test]
fn paired_and_anytime_differences_agree() {
    for (arguments, expected) in cases("paired_difference") {
        let at = |place| count(&arguments, place);
        let level = arguments[3].as_f64().expect("a level");
        let (_, Interval { low, high }) =
            paired_difference(at(0), at(1), at(2), level).expect("pairs");
        assert_near("paired_difference", &arguments, &[low, high], &numbers(&expected));
    }
    for (arguments, expected) in cases("paired_evidence") {
        let (at, real) = (
            |place| count(&arguments, place),
            |place: usize| arguments[place].as_f64().expect("a number"),
        );
        let found = paired_evidence(real(0), at(1), at(2), at(3), real(4));
        assert_near(
            "paired_evidence",
            &arguments,
            &[found],
            &[expected.as_f64().expect("a number")],
        );
    }
    for (arguments, expected) in cases("anytime_difference") {
        let (at, real) = (
            |place| count(&arguments, place),
            |place: usize| arguments[place].as_f64().expect("a number"),
        );
        let concentration = |_: f64| real(5);
        let first = Observed { successes: at(0), trials: at(1), concentration: &concentration };
        let second = Observed { successes: at(2), trials: at(3), concentration: &concentration };
        let found = difference_sequence(&first, &second, real(4)).expect("trials");
        let found = [found.interval.low, found.interval.high, found.p];
        assert_near("anytime_difference", &arguments, &found, &numbers(&expected));
    }
}

#[test]
fn tests_of_rates_agree() {
    for (arguments, expected) in cases("fisher") {
        let at = |place| count(&arguments, place);
        let found = fisher((at(0), at(1)), (at(2), at(3)));
        assert_near("fisher", &arguments, &[found], &[expected.as_f64().expect("a number")]);
    }
    for (arguments, expected) in cases("mcnemar") {
        let found = mcnemar(count(&arguments, 0), count(&arguments, 1));
        assert_near("mcnemar", &arguments, &[found], &[expected.as_f64().expect("a number")]);
    }
    // Large, unbalanced tables do not overflow, and tables without alternatives have p-value 1.
    assert_eq!(fisher((0, 0), (3, 5)), 1.0);
    assert_eq!(fisher((5, 5), (7, 7)), 1.0);
    assert!(fisher((900_000, 1_000_000), (100_000, 1_000_000)) < 1e-300);
    assert!((fisher((500_000, 1_000_000), (500_000, 1_000_000)) - 1.0).abs() < 1e-9);
}

#[test]
fn tests_by_ranks_agree() {
    let mut exact = 0;
    for (arguments, expected) in cases("mann_whitney") {
        let (first, second) = (sample(&arguments[0]), sample(&arguments[1]));
        let expected = numbers(&expected);
        let normal = ranks::normal_mann_whitney(&first, &second).expect("samples");
        let found = [normal.statistic, normal.p];
        assert_near("normal mann_whitney", &arguments, &found, &[expected[0], expected[2]]);
        let found = mann_whitney(&first, &second).expect("samples");
        let is_exact =
            permutations::Division::of(&first, &second).and_then(|one| one.p()).is_some();
        exact += usize::from(is_exact);
        let p = if is_exact { expected[1] } else { expected[2] };
        assert_near("mann_whitney", &arguments, &[found.statistic, found.p], &[expected[0], p]);
    }
    assert!(exact >= 50, "{exact} exact cases");
    for (arguments, expected) in cases("vargha_delaney") {
        let level = arguments[2].as_f64().expect("a level");
        let found =
            vargha_delaney(&sample(&arguments[0]), &sample(&arguments[1]), level).expect("samples");
        assert_near(
            "vargha_delaney",
            &arguments,
            &[found.0, found.1.low, found.1.high],
            &numbers(&expected),
        );
    }
    for (arguments, expected) in cases("holm") {
        assert_near("holm", &arguments, &holm(&numbers(&arguments)), &numbers(&expected));
    }
    // Runs that never succeed are infinite, and tie.
    let never = f64::INFINITY;
    let of = |values: [f64; 3]| Frequencies::of(values.to_vec());
    let found = mann_whitney(&of([1.0, never, never]), &of([never, never, 5.0])).expect("samples");
    assert_eq!(found.statistic, 4.0);
    assert_eq!(mann_whitney(&of([never; 3]), &of([never; 3])).expect("samples").p, 1.0);
    assert_eq!(["negligible", "small", "medium", "large"], [0.55, 0.4, 0.66, 0.1].map(effect_word));
    // Thresholds, from either side and with rounding errors.
    assert_eq!(["large"; 4], [0.71, 0.29, 0.7099999999999999, 1.0 - 0.71].map(effect_word));
    // Two arms that never succeed carry little information on their difference.
    let (effect, interval) =
        vargha_delaney(&of([never; 3]), &of([never; 3]), 0.95).expect("samples");
    assert!(effect == 0.5 && interval.low < 0.2 && interval.high > 0.8, "{interval:?}");
    assert_eq!(effect_size(effect, interval), "unclear");
    assert_eq!(effect_size(0.7, Interval { low: 0.6, high: 0.8 }), "medium");
    assert_eq!(effect_size(0.5, Interval { low: 0.45, high: 0.55 }), "negligible");
}

#[test]
fn tests_over_problems_agree() {
    for (arguments, expected) in cases("friedman") {
        let problems: Vec<Vec<f64>> =
            arguments.as_array().expect("a list").iter().map(numbers).collect();
        let found = friedman(&problems).expect("problems");
        let expected = numbers(&expected);
        assert_near("friedman", &arguments, &[found.statistic, found.p], &expected);
    }
    for (arguments, expected) in cases("nemenyi") {
        let (arms, problems) = (count(&arguments, 1) as usize, count(&arguments, 2) as usize);
        let difference = arguments[0].as_f64().expect("a number");
        let alpha = arguments[3].as_f64().expect("a level");
        let found =
            [nemenyi(difference, arms, problems), critical_difference(arms, problems, alpha)];
        assert_near("nemenyi", &arguments, &found, &numbers(&expected));
    }
    for (arguments, expected) in cases("wilcoxon") {
        let found = wilcoxon(&numbers(&arguments));
        assert_near("wilcoxon", &arguments, &[found.statistic, found.p], &numbers(&expected));
    }
}

#[test]
fn shifts_agree() {
    for (arguments, expected) in cases("hodges_lehmann") {
        let level = arguments[2].as_f64().expect("a level");
        let (shift, interval) =
            hodges_lehmann(&sample(&arguments[0]), &sample(&arguments[1]), level).expect("samples");
        let found = [shift, interval.low, interval.high];
        assert_near("hodges_lehmann", &arguments, &found, &numbers(&expected));
    }
}

#[test]
fn pseudo_medians_agree() {
    for (arguments, expected) in cases("pseudo_median") {
        let level = arguments[1].as_f64().expect("a level");
        let (middle, interval) = pseudo_median(&numbers(&arguments[0]), level).expect("values");
        let found = [middle, interval.low, interval.high];
        assert_near("pseudo_median", &arguments, &found, &numbers(&expected));
    }
}

fn counts(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|number| number.as_u64().expect("a count"))
        .collect()
}

/// Returns runs by their evaluations: solved, stuck and cut off.
fn runs(value: &Value) -> Vec<RunLength> {
    let of = |place: usize, end| {
        counts(&value[place]).into_iter().map(move |evaluations| RunLength { evaluations, end })
    };
    of(0, End::Solved).chain(of(1, End::Stuck)).chain(of(2, End::Cut)).collect()
}

#[test]
fn run_lengths_agree() {
    // Kaplan-Meier curve, and with stuck runs the Aalen-Johansen estimator.
    for name in ["run_lengths", "incidence"] {
        for (arguments, expected) in cases(name) {
            let lengths = incidence(&runs(&arguments), arguments[3].as_f64().expect("a level"));
            let expected = expected.as_array().expect("a list");
            assert_eq!(lengths.steps.len(), expected.len(), "{arguments}");
            for (step, expected) in lengths.steps.iter().zip(expected) {
                let Step { evaluations, solved, interval, .. } = *step;
                let found = [evaluations as f64, solved, interval.low, interval.high];
                assert_near(name, &arguments, &found, &numbers(expected));
            }
        }
    }
    for (arguments, expected) in cases("median") {
        let lengths = incidence(&runs(&arguments), 0.95);
        let found = match lengths.median() {
            Reached::Within(evaluations) => evaluations as i64,
            Reached::Beyond(_) => -1,
            Reached::Never => -2,
        };
        assert_eq!(found, expected.as_i64().expect("a number"), "median({arguments})");
    }
    for (arguments, expected) in cases("cut_off") {
        let found = best_cut_off(&runs(&arguments), 1).expect("a success");
        assert_near("cut_off", &arguments, &[found.after as f64, found.cost], &numbers(&expected));
    }
    for (arguments, expected) in cases("restart_gain") {
        let of = |run: &Value| {
            let end =
                [End::Solved, End::Stuck, End::Cut][run[1].as_u64().expect("an end") as usize];
            RunLength { evaluations: count(run, 0), end }
        };
        let runs: Vec<RunLength> =
            arguments[0].as_array().expect("a list").iter().map(of).collect();
        let level = arguments[2].as_f64().expect("a level");
        let found = restart_gain(&runs, count(&arguments, 1) as usize, level).expect("successes");
        let found = [found.after as f64, found.gain, found.interval.low, found.interval.high];
        assert_near("restart_gain", &arguments, &found, &numbers(&expected));
    }
    for (arguments, expected) in cases("quantile_interval") {
        let at = |place: usize| arguments[place].as_f64().expect("a number");
        let found =
            quantile_interval(&numbers(&arguments[0]), at(1), at(2)).expect("values enough");
        assert_near("quantile_interval", &arguments, &[found.low, found.high], &numbers(&expected));
    }
    assert_eq!(quantile_interval(&[1.0, 2.0], 0.5, 0.95), None);
    assert_eq!(success_performance(&[10, 30], 4), Some(40.0));
    assert_eq!(success_performance(&[], 4), None);
    // Bound of Massart's inequality for 100 runs and 95 %.
    assert!((ecdf_band(100, 0.95) - 0.135_810_151_574_061_95).abs() < 1e-12);
}
