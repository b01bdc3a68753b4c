//! The arms of random configs, next to a model of the documented rules: every distinct setting
//! once, in the order of the file, and no config without an error that runs nothing.

use super::{load_texts, rendered};
use crate::config::Overrides;
use crate::plan::{Arm, Plan};
use crate::search::Guidance;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rand::RngExt;

/// A key that can be swept, with what its values may be: as they are written, and what they mean.
const KEYS: [(&str, &[(&str, &str)]); 5] = [
    ("problem.length", &[("8", "8"), ("10", "10"), ("20", "20")]),
    ("operators.population", &[("6", "6"), ("12", "12"), ("18", "18")]),
    ("operators.ga.population", &[("6", "6"), ("12", "12"), ("24", "24")]),
    ("operators.ga.mutation.rate", &[("0.5", "0.5"), ("1", "1"), ("1.0", "1"), ("0.25", "0.25")]),
    ("stop.evaluations", &[("100", "100"), ("200", "200"), ("300", "300")]),
];
const LENGTH: usize = 0;
const POPULATION: usize = 1;
const OF_GA: usize = 2;
const RATE: usize = 3;
const EVALUATIONS: usize = 4;

/// Operator sets: the first has keys of its own in sweeps, the last is random search.
const SETS: [&str; 3] = ["ga", "other", "drawn"];

/// The places of a key and of its values in [`KEYS`].
type Axis = (usize, Vec<usize>);

struct Sweep {
    axes: Vec<Axis>,
    /// The first two axes go together.
    together: bool,
    except: Vec<Vec<Axis>>,
}

/// A random config.
struct Config {
    /// The values that the file itself has.
    own: [usize; 5],
    sets: usize,
    sweeps: Vec<Sweep>,
    baseline: bool,
}

impl Config {
    fn draw(rng: &mut TestRng) -> Self {
        let own = std::array::from_fn(|key| rng.random_range(0..KEYS[key].1.len()));
        let sweeps = (0..rng.random_range(0..4)).map(|_| Sweep::draw(rng)).collect();
        let (sets, baseline) = (rng.random_range(1..=3), rng.random_bool(0.6));
        Config { own, sets, sweeps, baseline }
    }

    fn text(&self) -> String {
        let [length, population, _, rate, evaluations] = self.own;
        let own = |key: usize, value: usize| KEYS[key].1[value].0;
        let baseline = if self.baseline { "baseline = true\n" } else { "" };
        let mut text = format!(
            "repeats = 2\n{baseline}[problem]\nplugin = \"onemax\"\nlength = {}\n[stop]\n\
            evaluations = {}\nfitness = -1\n",
            own(LENGTH, length),
            own(EVALUATIONS, evaluations)
        );
        let kinds = [
            format!("selection = \"uniform\"\nmutation = {{ kind = \"bit-flip\", rate = {} }}", {
                own(RATE, rate)
            }),
            "selection = \"truncation\"\nmutation = \"bit-flip\"".to_owned(),
            "algorithm = \"random-search\"".to_owned(),
        ];
        for (name, kind) in SETS.iter().zip(kinds).take(self.sets) {
            let population = own(POPULATION, population);
            text +=
                &format!("[[operators]]\nname = \"{name}\"\npopulation = {population}\n{kind}\n");
        }
        text + &self.sweeps.iter().map(Sweep::text).collect::<String>()
    }

    /// Returns the settings of each arm that is no baseline, in order; `None` if a sweep repeats a
    /// value.
    fn arms(&self) -> Option<Vec<(usize, [usize; 5])>> {
        let mut arms = Vec::new();
        for set in 0..self.sets {
            let of_sweep = |sweep: &Sweep| sweep.combinations(set);
            let mut made: Vec<Vec<Vec<Option<usize>>>> = self.sweeps.iter().map(of_sweep).collect();
            if made.iter().flatten().flatten().any(Option::is_some) {
                let has_key = |one: &Vec<Option<usize>>| one.iter().any(Option::is_some);
                made.iter_mut().for_each(|sweep| sweep.retain(has_key));
            }
            if self.sweeps.is_empty() {
                made.push(vec![vec![None; KEYS.len()]]);
            }
            let mut before: Vec<[usize; 5]> = Vec::new();
            for sweep in made {
                let mut own: Vec<[usize; 5]> = Vec::new();
                for combination in sweep {
                    let settings = self.settings(set, &combination);
                    if own.contains(&settings) {
                        return None;
                    }
                    own.push(settings);
                }
                own.retain(|settings| !before.contains(settings));
                before.extend(own);
            }
            arms.extend(before.into_iter().map(|settings| (set, settings)));
        }
        Some(arms)
    }

    /// Returns the meaning of a combination for an operator set: for each key the first value that
    /// means the same.
    fn settings(&self, set: usize, combination: &[Option<usize>]) -> [usize; 5] {
        let mut settings: [usize; 5] = std::array::from_fn(|key| {
            let value = combination[key].unwrap_or(self.own[key]);
            let means = |value: usize| KEYS[key].1[value].1;
            (0..value).find(|first| means(*first) == means(value)).unwrap_or(value)
        });
        // Populations of the two keys, as one number.
        let number = |key: usize, value: usize| KEYS[key].1[value].1.parse().expect("a number");
        settings[POPULATION] = match combination[OF_GA] {
            Some(value) => number(OF_GA, value),
            None => number(POPULATION, settings[POPULATION]),
        };
        settings[OF_GA] = 0;
        if set > 0 {
            settings[RATE] = 0;
        }
        settings
    }
}

impl Sweep {
    fn draw(rng: &mut TestRng) -> Self {
        let mut axes: Vec<Axis> = Vec::new();
        for _ in 0..rng.random_range(0..4) {
            let key = rng.random_range(0..KEYS.len());
            if axes.iter().all(|(other, _)| *other != key) {
                axes.push((key, some_of(KEYS[key].1.len(), rng)));
            }
        }
        let together = axes.len() > 1 && axes[0].1.len() == axes[1].1.len() && rng.random_bool(0.4);
        let rules = if axes.is_empty() { 0 } else { rng.random_range(0..3) };
        let rule = |_| {
            let places = some_of(axes.len(), rng);
            let of = |place: usize| (axes[place].0, some_of(KEYS[axes[place].0].1.len(), rng));
            places.into_iter().map(of).collect()
        };
        let except = (0..rules).map(rule).collect();
        Sweep { axes, together, except }
    }

    fn text(&self) -> String {
        let list = |(key, values): &Axis| {
            let values: Vec<&str> = values.iter().map(|value| KEYS[*key].1[*value].0).collect();
            format!("\"{}\" = [{}]", KEYS[*key].0, values.join(", "))
        };
        let mut text = "[[sweep]]\n".to_owned();
        self.axes.iter().for_each(|axis| text += &(list(axis) + "\n"));
        if self.together {
            let names = [0, 1].map(|place: usize| KEYS[self.axes[place].0].0);
            text += &format!("together = {names:?}\n");
        }
        let rule = |rule: &Vec<Axis>| {
            format!("{{ {} }}", rule.iter().map(list).collect::<Vec<_>>().join(", "))
        };
        let rules: Vec<String> = self.except.iter().map(rule).collect();
        text + &format!("except = [{}]\n", rules.join(", "))
    }

    /// Returns the combinations of an operator set: the value of each key, for each combination.
    /// The last key is the fastest.
    fn combinations(&self, set: usize) -> Vec<Vec<Option<usize>>> {
        let is_of_ga = |key: usize| key == OF_GA || key == RATE;
        let replaced = |key: usize| {
            key == POPULATION && set == 0 && self.axes.iter().any(|(other, _)| *other == OF_GA)
        };
        let has = |key: usize| (set == 0 || !is_of_ga(key)) && !replaced(key);
        let mut all = vec![vec![None; KEYS.len()]];
        let both = self.together && has(self.axes[0].0) && has(self.axes[1].0);
        for (place, (key, values)) in self.axes.iter().enumerate() {
            if !has(*key) || both && place == 1 {
                continue;
            }
            let mut longer = Vec::new();
            for before in &all {
                for (number, value) in values.iter().enumerate() {
                    let mut one: Vec<Option<usize>> = before.clone();
                    one[*key] = Some(*value);
                    if both && place == 0 {
                        one[self.axes[1].0] = Some(self.axes[1].1[number]);
                    }
                    longer.push(one);
                }
            }
            all = longer;
        }
        // A value is left out by its meaning, however it is written.
        let is_one = |key: usize, value: usize, wanted: &[usize]| {
            wanted.iter().any(|one| KEYS[key].1[*one].1 == KEYS[key].1[value].1)
        };
        let holds = |rule: &Vec<Axis>, one: &[Option<usize>]| {
            rule.iter()
                .all(|(key, wanted)| one[*key].is_some_and(|value| is_one(*key, value, wanted)))
        };
        all.retain(|one| !self.except.iter().any(|rule| holds(rule, one)));
        all
    }
}

/// Returns at least one and at most `count` places, each at most once, in any order.
fn some_of(count: usize, rng: &mut TestRng) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        places.swap(last, rng.random_range(0..=last));
    }
    places.truncate(rng.random_range(1..=count));
    places
}

/// Returns the values of an arm in the tables: operator set, length, population, rate, evaluations.
fn found(arm: &Arm) -> [String; 5] {
    let flat = arm.resolved.flat();
    let of = |key: &str| flat.get(key).cloned().unwrap_or_default();
    let algorithm = &arm.settings.operators.algorithm;
    let population = match algorithm.guidance() {
        Guidance::Chance => algorithm.population().to_string(),
        _ => of("operators.population"),
    };
    let name = arm.settings.operators.name.clone();
    let rate = if name == SETS[0] { of("operators.mutation.rate") } else { String::new() };
    let name = if name.starts_with("random") || name.starts_with("baseline") {
        "baseline".to_owned()
    } else {
        name
    };
    [name, of("problem.length"), population, rate, of("stop.evaluations")]
}

/// Returns the values of the model's arms in the same form, and the place of each arm's baseline.
fn expected(config: &Config, arms: &[(usize, [usize; 5])]) -> Vec<([String; 5], Option<usize>)> {
    let word = |key: usize, value: usize| KEYS[key].1[value].1.to_owned();
    let shown = |(set, settings): &(usize, [usize; 5])| {
        let rate: f64 = word(RATE, settings[RATE]).parse().expect("a number");
        let rate = if *set == 0 { format!("{rate:?}") } else { String::new() };
        let (length, evaluations) = (settings[LENGTH], settings[EVALUATIONS]);
        let population = settings[POPULATION].to_string();
        let length = word(LENGTH, length);
        [SETS[*set].to_owned(), length, population, rate, word(EVALUATIONS, evaluations)]
    };
    let mut all: Vec<_> = arms.iter().map(|arm| (shown(arm), None)).collect();
    if !config.baseline {
        return all;
    }
    let asks = |arm: &[String; 5], other: &[String; 5]| arm[1] == other[1] && arm[4] == other[4];
    for place in 0..arms.len() {
        let arm = all[place].0.clone();
        if arm[0] == SETS[2] {
            continue;
        }
        let is_random = |one: &[String; 5]| one[0] == SETS[2] || one[0] == "baseline";
        let there = all.iter().position(|(other, _)| is_random(other) && asks(&arm, other));
        all[place].1 = Some(there.unwrap_or_else(|| {
            let population = "100".to_owned();
            let [_, length, _, _, evaluations] = arm;
            let own = ["baseline".to_owned(), length, population, String::new(), evaluations];
            all.push((own, None));
            all.len() - 1
        }));
    }
    all
}

#[test]
fn every_distinct_setting_makes_one_arm_and_no_config_makes_none() {
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let (mut good, mut merged, mut twins, mut empty) = (0, 0, 0, 0);
    for number in 0..1_500 {
        let config = Config::draw(&mut rng);
        let text = config.text();
        let outcome = load_texts(&[&text], &Overrides::default());
        let said = rendered(&outcome);
        assert_eq!(outcome.plans.is_empty(), outcome.has_errors(), "{number}\n{text}{said}");
        let Some(arms) = config.arms() else {
            assert!(said.contains("have the same settings"), "{number}\n{text}{said}");
            twins += 1;
            continue;
        };
        if arms.is_empty() {
            assert!(said.contains("this experiment has no arms"), "{number}\n{text}{said}");
            empty += 1;
            continue;
        }
        let [plan] = outcome.plans.as_slice() else { panic!("{number}\n{text}{said}") };
        let of_plan: Vec<_> = plan.arms.iter().map(|arm| (found(arm), arm.baseline)).collect();
        assert_eq!(of_plan, expected(&config, &arms), "{number}\n{text}{said}");
        assert_eq!(distinct(plan), [plan.arms.len(); 2], "{number}\n{text}");
        good += 1;
        merged += usize::from(plan.repeated > 0);
    }
    // Each kind of config is among them.
    assert!(
        good > 700 && merged > 100 && twins > 20 && empty > 5,
        "{good} {merged} {twins} {empty}"
    );
}

/// Returns the number of different fingerprints and labels.
fn distinct(plan: &Plan) -> [usize; 2] {
    let mut prints: Vec<_> = plan.arms.iter().map(|arm| arm.fingerprint).collect();
    let mut labels: Vec<_> = plan.arms.iter().map(|arm| &arm.label).collect();
    prints.sort_unstable();
    prints.dedup();
    labels.sort_unstable();
    labels.dedup();
    [prints.len(), labels.len()]
}
