//! Configs that a grammar draws, with every feature that crosses others: `extends`, `presets`,
//! samples, `[start]`, sweeps with `together` and `except`, constraints, operators of plugins.
//! Whatever is drawn and changed, the answer is a plan with arms or an error; a plan is the same
//! when it is made again, and it runs.

use crate::fuzz::{catalogue, mutate, rng, survives};
use crate::util::{Sandbox, number, rows, sized};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::config::{Catalogue, Overrides, load_text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Configs of which this share is valid and has a feature, at least: 500 of 10,000.
const SHARE: u64 = 20;
/// Of so many valid configs, one is run.
const RUN: u64 = 40;

/// A problem: what its table says, which operators suit it, and what can be swept.
struct Kind {
    plugin: &'static str,
    parameters: &'static str,
    crossovers: &'static [&'static str],
    mutations: &'static [&'static str],
    /// A key and its values.
    sweep: (&'static str, [&'static str; 3]),
    /// A genome for `[start]`.
    genome: &'static str,
    constrained: bool,
}

const KINDS: [Kind; 4] = [
    Kind {
        plugin: "nqueens",
        parameters: "n = 6\nencoding = \"permutation\"\n",
        crossovers: &["\"pmx\"", "{ kind = \"order\", rate = 0.7 }"],
        mutations: &["\"swap\"", "{ kind = \"swap\", rate = 0.4 }"],
        sweep: ("problem.n", ["6", "7", "9"]),
        genome: "1,3,5,0,2,4",
        constrained: false,
    },
    Kind {
        plugin: "onemax",
        parameters: "length = 8\n",
        crossovers: &["\"one-point\"", "{ kind = \"uniform\", rate = 0.9 }"],
        mutations: &["{ kind = \"bit-flip\", rate = 0.1 }", "\"bit-flip\""],
        sweep: ("problem.length", ["8", "12", "20"]),
        genome: "1,0,1,0,0,0,1,1",
        constrained: false,
    },
    Kind {
        plugin: "coloring",
        parameters: "graph = \"myciel3\"\n",
        crossovers: &["\"uniform\"", "{ kind = \"one-point\", rate = 0.5 }"],
        mutations: &["\"reset\"", "{ kind = \"reset\", rate = 0.2 }"],
        sweep: ("problem.graph", ["\"myciel3\"", "\"myciel4\"", "\"queen5_5\""]),
        genome: "0,1,0,2,1,0,1,0,2,1,3",
        constrained: true,
    },
    Kind {
        plugin: "continuous",
        parameters: "dimension = 3\n",
        crossovers: &["\"one-point\"", "{ kind = \"uniform\", rate = 0.9 }"],
        mutations: &["{ kind = \"gaussian\", sigma = 0.3 }", "{ kind = \"reset\", rate = 0.3 }"],
        sweep: ("problem.dimension", ["3", "4", "5"]),
        genome: "0.5,-0.25,0.125",
        constrained: false,
    },
];

/// A drawn config.
#[derive(Default)]
struct Drawn {
    text: String,
    /// The files that it extends, the presets, and the genomes that it starts from.
    base: String,
    second: String,
    presets: String,
    genomes: String,
    features: BTreeSet<&'static str>,
}

fn one_of<T: Copy>(rng: &mut Xoshiro256PlusPlus, of: &[T]) -> T {
    of[rng.random_range(0..of.len())]
}

/// Different values of a list, in the list's order or another.
fn some_of(rng: &mut Xoshiro256PlusPlus, of: &[&'static str]) -> Vec<&'static str> {
    let mut found: Vec<&str> = of.iter().copied().filter(|_| rng.random_bool(0.7)).collect();
    if found.is_empty() {
        found.push(of[0]);
    }
    let turn = rng.random_range(0..found.len());
    found.rotate_left(turn);
    found
}

/// Numbers of trials, and rules that end them.
const REPEATS: [&str; 4] =
    ["2", "3", "{ half-width = 0.4, max = 4 }", "{ successes = 2, max = 4 }"];

impl Drawn {
    fn new(rng: &mut Xoshiro256PlusPlus) -> Self {
        let kind = one_of(rng, &[0, 1, 2, 3].map(|place: usize| &KINDS[place]));
        let mut drawn = Drawn::default();
        let starts = rng.random_bool(0.25);
        let head = format!(
            "seed = {}\nrepeats = {}\n{}",
            rng.random_range(0..100),
            one_of(rng, &REPEATS),
            one_of(rng, &["", "baseline = true\n", "pairing = \"common\"\n"]),
        );
        let problem = format!("[problem]\nplugin = \"{}\"\n{}", kind.plugin, kind.parameters);
        let stop = format!("[stop]\nevaluations = {}\n", rng.random_range(20..60));
        let mut sets: String = (0..rng.random_range(1..=3))
            .map(|place| drawn.operator_set(rng, kind, place))
            .collect();
        let mut head = head;
        if rng.random_bool(0.3) {
            drawn.features.insert("presets");
            // The operator sets become presets of a file, each under its name.
            drawn.presets = sets.replace("[[operators]]", "[[presets]]");
            let lines = sets.lines().filter(|line| line.contains("name = \"set"));
            let name = |line: &str| format!("[[operators]]\n{}\n", line.replace("name", "preset"));
            sets = lines.map(name).collect();
            head.push_str("presets = \"presets.toml\"\n");
        }
        let sweep = drawn.sweep(rng, kind, starts);
        let start = if starts { drawn.start(rng, kind) } else { String::new() };
        if rng.random_bool(0.3) {
            drawn.features.insert("extends");
            // Each part may be in one of the others.
            let mut here = String::from("extends = [\"base.toml\", \"second.toml\"]\n");
            let (mut base, mut second) = (String::new(), String::new());
            for part in [head, problem, sets, stop, sweep, start] {
                match rng.random_range(0..4u32) {
                    0..=1 => here.push_str(&part),
                    2 => base.push_str(&part),
                    _ => second.push_str(&part),
                }
            }
            (drawn.text, drawn.base, drawn.second) = (here, base, second);
        } else {
            drawn.text = [head, problem, sets, stop, sweep, start].concat();
        }
        drawn
    }

    fn operator_set(&mut self, rng: &mut Xoshiro256PlusPlus, kind: &Kind, place: usize) -> String {
        let name = format!("[[operators]]\nname = \"set {place}\"\n");
        if !kind.constrained && rng.random_bool(0.2) {
            let algorithm = one_of(
                rng,
                &["\"random-search\"", "{ kind = \"simulated-annealing\", temperature = 2.0 }"],
            );
            return format!("{name}algorithm = {algorithm}\n");
        }
        let mut crossover = one_of(rng, kind.crossovers).to_owned();
        let of_plugin = match kind.plugin {
            "nqueens" => Some("{ plugin = \"edges\", rate = 0.8 }"),
            "continuous" => None,
            _ => Some("{ plugin = \"breeding\", operator = \"mix\", rate = 0.8 }"),
        };
        if let Some(own) = of_plugin.filter(|_| rng.random_bool(0.4)) {
            self.features.insert("operators of plugins");
            crossover = own.to_owned();
        }
        let mut constraints = String::new();
        if kind.constrained && rng.random_bool(0.8) {
            self.features.insert("constraints");
            let rule = one_of(
                rng,
                &["\"feasibility-first\"", "{ kind = \"penalty\", factor = 0.5 }", "\"ignore\""],
            );
            constraints = format!("constraints = {rule}\n");
        }
        format!(
            "{name}population = {}\nselection = {}\ncrossover = {crossover}\nmutation = \
            {}\nreplacement = {}\n{constraints}",
            rng.random_range(2..12),
            one_of(rng, &["{ kind = \"tournament\", size = 2 }", "\"uniform\"", "\"truncation\""]),
            one_of(rng, kind.mutations),
            one_of(rng, &["\"generational\"", "{ kind = \"elitism\", count = 1 }"]),
        )
    }

    /// One sweep, two, or none. The file's own value may be among the swept ones. With first
    /// genomes, their length does not change.
    fn sweep(&mut self, rng: &mut Xoshiro256PlusPlus, kind: &Kind, starts: bool) -> String {
        let (key, values) = kind.sweep;
        let problem = (key, some_of(rng, &values));
        let stop = ("stop.evaluations", some_of(rng, &["20", "40", "70"]));
        let generations = ("stop.generations", some_of(rng, &["3", "5", "9"]));
        let first = if starts { &generations } else { &problem };
        let second = &stop;
        let line =
            |(key, values): &(&str, Vec<&str>)| format!("\"{key}\" = [{}]\n", values.join(", "));
        match rng.random_range(0..10u32) {
            0 => String::new(),
            8..=9 => {
                self.features.insert("sample");
                let method = one_of(rng, &["random", "latin-hypercube", "sobol"]);
                let course = one_of(rng, &["", ", course = \"geometric\""]);
                let size = rng.random_range(1..5);
                let sample = format!("sample = {size}\nmethod = \"{method}\"\n");
                let range = format!("\"stop.stagnation\" = {{ from = 2, to = 30{course} }}\n");
                format!("[sweep]\n{sample}{}{range}", line(first))
            }
            1 => format!("[sweep]\n{}", line(first)),
            2 => format!("[sweep]\n{}{}", line(first), line(second)),
            3..=4 => {
                self.features.insert("together");
                let count = first.1.len().min(second.1.len());
                let cut = |(key, values): &(&'static str, Vec<&'static str>)| {
                    line(&(*key, values[..count].to_vec()))
                };
                let together = format!("together = [\"{}\", \"{}\"]\n", first.0, second.0);
                format!("[sweep]\n{}{}{together}", cut(first), cut(second))
            }
            5..=6 => {
                self.features.insert("except");
                let left_out = format!(
                    "except = [{{ \"{}\" = {}, \"{}\" = {} }}]\n",
                    first.0, first.1[0], second.0, second.1[0]
                );
                format!("[sweep]\n{}{}{left_out}", line(first), line(second))
            }
            _ => format!("[[sweep]]\n{}[[sweep]]\n{}", line(first), line(second)),
        }
    }

    fn start(&mut self, rng: &mut Xoshiro256PlusPlus, kind: &Kind) -> String {
        self.features.insert("start");
        self.genomes = format!("# first genomes\n{0}\n{0}\n", kind.genome);
        let more = one_of(rng, &["", "share = 0.5\n", "rows = 1\n"]);
        format!("[start]\nfile = \"first.csv\"\n{more}")
    }

    fn write(&self, sandbox: &Sandbox) {
        sandbox.write("base.toml", &self.base);
        sandbox.write("second.toml", &self.second);
        sandbox.write("presets.toml", &self.presets);
        sandbox.write("first.csv", &self.genomes);
    }
}

/// The names of the arms of a config that can run; none of one that cannot.
fn arms(sandbox: &Sandbox, catalogue: &mut Catalogue, text: &str) -> Option<Vec<String>> {
    let file = sandbox.path("drawn.toml");
    let outcome = load_text(&file, text, &Overrides::default(), catalogue);
    for diagnostic in &outcome.diagnostics {
        assert!(!diagnostic.render(&outcome.sources, false).is_empty());
    }
    assert!(outcome.has_errors() == outcome.plans.is_empty());
    let plan = outcome.plans.first()?;
    let names: Vec<String> =
        plan.arms.iter().map(|arm| format!("{} {}", arm.id(), arm.label)).collect();
    assert!(!names.is_empty(), "a plan has arms");
    let ids: BTreeSet<&str> = names.iter().filter_map(|name| name.split(' ').next()).collect();
    assert_eq!(ids.len(), names.len(), "an arm that is there twice: {names:#?}");
    Some(names)
}

/// `RUNNER_DRAWN` says how many configs are drawn.
#[test]
fn drawn_configs_make_the_same_plan_twice_or_an_error_and_run() {
    let sandbox = Sandbox::new();
    let (mut rng, mut catalogue) = (rng(4), catalogue());
    let mut valid: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut all, mut ran) = (0, 0);
    let wanted = number("RUNNER_DRAWN", sized(400, 2_000));
    for _ in 0..wanted {
        let drawn = Drawn::new(&mut rng);
        drawn.write(&sandbox);
        let mut input = drawn.text.clone().into_bytes();
        let changed = rng.random_bool(0.25);
        if changed {
            mutate(&mut rng, &mut input, &[]);
        }
        let text = String::from_utf8_lossy(&input).into_owned();
        survives("drawn", &input, || {
            let found = arms(&sandbox, &mut catalogue, &text);
            assert_eq!(found, arms(&sandbox, &mut catalogue, &text), "another plan\n{text}");
            let Some(found) = found.filter(|_| !changed) else { return };
            all += 1;
            for feature in &drawn.features {
                *valid.entry(feature).or_default() += 1;
            }
            if all % RUN == 1 {
                ran += 1;
                runs(&sandbox, &text, found.len());
            }
        });
    }
    let features = [
        "extends",
        "presets",
        "sample",
        "start",
        "together",
        "except",
        "constraints",
        "operators of plugins",
    ];
    let words = format!("{all} of {wanted} drawn configs are valid, {ran} ran: {valid:?}");
    let often = |feature| valid.get(feature).copied().unwrap_or(0) * SHARE >= wanted;
    assert!(features.into_iter().all(often) && ran > 0, "{words}");
    eprintln!("{words}");
}

/// What loads also runs, each arm with trials.
fn runs(sandbox: &Sandbox, text: &str, arms: usize) {
    sandbox.write("drawn.toml", text);
    _ = std::fs::remove_dir_all(sandbox.path("results"));
    let ran = sandbox.run(&["drawn.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(0), "{text}\n{ran}");
    let summary = rows(sandbox, &["results/drawn"]);
    assert_eq!(summary.len(), arms, "{text}");
    for arm in &summary {
        assert!(arm["trials"].as_u64().is_some_and(|trials| trials > 0), "{arm:#}\n{text}");
    }
    assert!(Path::new(&sandbox.path("results/drawn/trials.parquet")).is_file());
}
