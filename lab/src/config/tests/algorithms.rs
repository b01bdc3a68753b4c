//! Algorithms other than the evolutionary one, baselines and pairing, from text to plan.

use super::{load_texts, plan, rendered};
use crate::config::Overrides;
use crate::operators::{Genes, MutationKind, Rearrangement, Replacement};
use crate::problem::parameter::Value;
use crate::search::algorithms::{
    Cells, Cellular, DeterministicCrowding, DifferentialEvolution, Emigrants, Exhaustive,
    HillClimbing, Islands, IteratedLocalSearch, Jade, LShade, LateAcceptance, Migration,
    MinConflicts, ParticleSwarm, PivotingRule, RandomSearch, Shade, SimulatedAnnealing, Strategy,
    TabuSearch, ThresholdAccepting, Topology, Update, VariableNeighborhoodSearch,
};
use crate::search::{Algorithm, Evolutionary};
use std::sync::Arc;

const QUEENS: &str = "[problem]\nplugin = \"nqueens\"\n[stop]\ngenerations = 50\n";

/// Returns the algorithm of the one operator set with these lines.
fn algorithm(lines: &str) -> Arc<dyn Algorithm> {
    plan(&format!("{QUEENS}[[operators]]\n{lines}\n")).arms[0].settings.operators.algorithm.clone()
}

/// Returns the diagnostics of an operator set with these lines.
fn complaint(lines: &str) -> String {
    let outcome =
        load_texts(&[&format!("{QUEENS}[[operators]]\n{lines}\n")], &Overrides::default());
    assert!(outcome.has_errors());
    rendered(&outcome)
}

#[test]
fn each_algorithm_is_read_with_its_defaults() {
    let reads = |lines: &str, expected: &dyn Algorithm| assert_eq!(*algorithm(lines), *expected);
    reads("algorithm = \"random-search\"", &RandomSearch { population: 100 });
    reads("algorithm = \"exhaustive\"\npopulation = 7", &Exhaustive { population: 7 });
    let climbing = HillClimbing {
        pivoting_rule: PivotingRule::Steepest,
        sideways: 0,
        restarts: true,
        neighbors: Rearrangement::Swap,
    };
    reads("algorithm = \"hill-climbing\"", &climbing);
    let words = "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\", sideways = \
        100, restarts = false }";
    let climbing = HillClimbing {
        pivoting_rule: PivotingRule::FirstImprovement,
        sideways: 100,
        restarts: false,
        neighbors: Rearrangement::Swap,
    };
    reads(words, &climbing);
    let mutation = MutationKind::Reset { genes: Genes::One, different: true };
    let annealing = SimulatedAnnealing { temperature: 1.0, cooling: 0.95, moves: 8, mutation };
    reads("algorithm = \"simulated-annealing\"", &annealing);
    let words = "algorithm = { kind = \"simulated-annealing\", temperature = 3, moves = 5 \
        }\nmutation = \"swap\"";
    let mutation = MutationKind::Swap;
    let annealing = SimulatedAnnealing { temperature: 3.0, cooling: 0.95, moves: 5, mutation };
    reads(words, &annealing);
    let accepting = ThresholdAccepting { threshold: 3.0, cooling: 0.95, moves: 5, mutation };
    let words = words.replace("simulated-annealing", "threshold-accepting");
    reads(&words.replace("temperature", "threshold"), &accepting);
    let mutation = MutationKind::Reset { genes: Genes::One, different: true };
    let late = LateAcceptance { history: 100, moves: 8, mutation };
    reads("algorithm = \"late-acceptance\"", &late);
    reads(
        "algorithm = \"tabu-search\"",
        &TabuSearch { tenure: 7, random_tenure: 0, neighbors: Rearrangement::Swap },
    );
    reads(
        "algorithm = \"iterated-local-search\"",
        &IteratedLocalSearch { perturbation: 3, neighbors: Rearrangement::Swap },
    );
    let variable = VariableNeighborhoodSearch { most_moves: 5, neighbors: Rearrangement::Swap };
    reads("algorithm = \"variable-neighborhood-search\"", &variable);
    reads("algorithm = \"min-conflicts\"", &MinConflicts { greedy: false });
    let greedy = "algorithm = { kind = \"min-conflicts\", start = \"greedy\" }";
    reads(greedy, &MinConflicts { greedy: true });
}

fn as_algorithm(algorithm: &dyn Algorithm) -> &dyn Algorithm {
    algorithm
}

#[test]
fn structured_populations_are_read_with_their_defaults() {
    let set = "population = 12\nselection = { kind = \"tournament\", size = 2 }\nmutation = \
        \"reset\"\n";
    let operators = |lines: &str| algorithm(lines).as_evolutionary().cloned().expect("its slots");
    let made = algorithm(&format!("{set}algorithm = \"islands\""));
    let islands = Islands {
        count: 4,
        every: 10,
        migrants: 1,
        emigrants: Emigrants::Best,
        topology: Migration::Ring,
        operators: operators(set),
    };
    assert_eq!(*made, *as_algorithm(&islands));
    assert_eq!((made.population(), made.evaluations(10)), (48, Some(48 * 11)));
    let words = "algorithm = { kind = \"islands\", count = 3, every = 2, migrants = 4, emigrants = \
        \"random\", topology = \"complete\" }";
    let islands = Islands {
        count: 3,
        every: 2,
        migrants: 4,
        emigrants: Emigrants::Random,
        topology: Migration::Complete,
        operators: operators(&format!("{set}replacement = \"plus\"")),
    };
    let made = algorithm(&format!("{set}replacement = \"plus\"\n{words}"));
    assert_eq!(*made, *as_algorithm(&islands));
    let Evolutionary { scaling, selection, mutation, .. } = operators(set);
    for (words, width, neighborhood, update) in [
        ("\"cellular\"", 4, Cells::Linear5, Update::Synchronous),
        (
            "{ kind = \"cellular\", width = 2, neighborhood = \"compact9\", update = \
                \"line-sweep\" }",
            2,
            Cells::Compact9,
            Update::LineSweep,
        ),
    ] {
        let chosen = (scaling, selection);
        let grid = Cellular::new((12, width), neighborhood, update, chosen, (None, None, mutation));
        assert_eq!(*algorithm(&format!("{set}algorithm = {words}")), *as_algorithm(&grid));
    }
    let crowding = "population = 7\nmutation = \"reset\"\nalgorithm = \"deterministic-crowding\"";
    let made = algorithm(crowding);
    assert_eq!(*made, *as_algorithm(&DeterministicCrowding::new(7, None, mutation)));
    assert_eq!(made.evaluations(2), Some(7 + 2 * 6));
    let replaced = operators(&format!("{set}replacement = \"restricted-tournament\"")).replacement;
    assert_eq!(replaced, Replacement::RestrictedTournament { offspring: 12, window: 1 });
}

#[test]
fn structured_populations_refuse_what_they_cannot_use() {
    let set = "population = 12\nselection = \"uniform\"\nmutation = \"reset\"\n";
    let said = |lines: &str| complaint(&format!("{set}{lines}"));
    let islands = said("algorithm = { kind = \"islands\", topology = \"complete\", migrants = 4 }");
    assert!(islands.contains("12 migrants arrive at an island of 12"), "{islands}");
    assert!(islands.contains("let at most 11 arrive"), "{islands}");
    let alone = said("algorithm = { kind = \"islands\", count = 1 }");
    assert!(alone.contains("count") && alone.contains("at least 2"), "{alone}");
    let grid = said("algorithm = { kind = \"cellular\", width = 5 }");
    assert!(grid.contains("12 individuals do not fill a grid of 5 columns"), "{grid}");
    let crowding = "algorithm = \"deterministic-crowding\"\npopulation = 12\n";
    let idle = complaint(&format!("{crowding}selection = \"uniform\"\nmutation = \"reset\""));
    assert!(idle.contains("deterministic-crowding does not use `selection`"), "{idle}");
    let copies = complaint(crowding);
    assert!(copies.contains("neither crossover nor mutation"), "{copies}");
    let one = "crossover = { kind = \"one-point\", children = 1 }";
    let one = complaint(&format!("{crowding}{one}"));
    assert!(one.contains("remove children = 1 from the crossover"), "{one}");
    let mix = "crossover = \"one-point\"\nmutation = \"reset\"\n[operators.mix]\nclone = \
        0.3\ncrossover = 0.6\nmutate = 0.1\n";
    let mix = complaint(&format!("{crowding}{mix}"));
    assert!(mix.contains("crowding has two children of each pair"), "{mix}");
}

#[test]
fn local_searches_refuse_what_they_cannot_use() {
    let said = complaint("algorithm = { kind = \"threshold-accepting\", threshold = -1 }");
    assert!(said.contains("threshold") && said.contains("at least 0"), "{said}");
    let said = complaint("algorithm = { kind = \"late-acceptance\", history = 0 }");
    assert!(said.contains("history") && said.contains("at least 1"), "{said}");
    let said = complaint("algorithm = \"late-acceptance\"\npopulation = 3");
    assert!(said.contains("late-acceptance does not use `population`"), "{said}");
    let said = complaint("algorithm = { kind = \"iterated-local-search\", perturbation = 0 }");
    assert!(said.contains("perturbation") && said.contains("at least 1"), "{said}");
    let said = said_of("plugin = \"sphere\"\ndimension = 3", "algorithm = \"min-conflicts\"");
    assert!(said.contains("the plugin does not say which genes are in conflict"), "{said}");
    let said = complaint("algorithm = \"conflict-minimization\"");
    assert!(said.contains("and the encoding is integer, not permutation"), "{said}");
    let first = "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\" }";
    assert_eq!(said_of("plugin = \"nqueens\"\nn = 65000", first), "");
    for (kind, name) in [
        ("tabu-search", "tabu search"),
        ("iterated-local-search", "iterated local search"),
        ("variable-neighborhood-search", "variable neighbourhood search"),
        ("hill-climbing", "steepest hill climbing"),
    ] {
        let set = format!("algorithm = \"{kind}\"");
        let said = said_of("plugin = \"sphere\"\ndimension = 3", &set);
        assert!(said.contains("does not fit this problem"), "{said}");
        let said = said_of("plugin = \"nqueens\"\nn = 10000", &set);
        assert!(said.contains(&format!("and {name} lists at most")), "{said}");
    }
}

/// Returns the messages about an operator set, for a problem; each is given by its lines.
fn said_of(problem: &str, lines: &str) -> String {
    let text = format!(
        "[problem]\n{problem}\n[stop]\nfitness = 0\ngenerations = 5\n[[operators]]\n{lines}\n"
    );
    rendered(&load_texts(&[&text], &Overrides::default()))
}

#[test]
fn differential_evolution_needs_real_genes_and_four_individuals() {
    let sphere = "plugin = \"sphere\"\ndimension = 3";
    let de = |population: u32| {
        format!("algorithm = \"differential-evolution\"\npopulation = {population}")
    };
    assert_eq!(said_of(sphere, &de(4)), "");
    let said = said_of(sphere, &de(3));
    assert!(said.contains("and the population has 3"), "{said}");
    assert!(said.contains("let `population` be at least 4"), "{said}");
    let said = said_of("plugin = \"nqueens\"", &de(4));
    assert!(said.contains("algorithm `differential-evolution` does not fit"), "{said}");
    let said = said_of(sphere, "algorithm = \"differential-evolution\"");
    assert!(said.contains("population"), "{said}");
    let said = said_of(sphere, "algorithm = \"one-plus-lambda-lambda\"");
    assert!(said.contains("it works on bits, and the problem's encoding is real"), "{said}");
    let lambda = "algorithm = { kind = \"one-plus-lambda-lambda\", lambda = 0.5 }";
    let said = said_of("plugin = \"onemax\"\nlength = 5", lambda);
    assert!(said.contains("lambda") && said.contains("at least 1"), "{said}");
}

#[test]
fn cma_es_needs_real_genes_and_two_children() {
    let sphere = "plugin = \"sphere\"\ndimension = 3";
    assert_eq!(said_of(sphere, "algorithm = \"cma-es\""), "");
    let said = said_of("plugin = \"nqueens\"", "algorithm = \"cma-es\"");
    assert!(said.contains("algorithm `cma-es` does not fit"), "{said}");
    let said = said_of(sphere, "algorithm = { kind = \"cma-es\", lambda = 1 }");
    assert!(said.contains("lambda") && said.contains("from 2"), "{said}");
    let said = said_of(sphere, "algorithm = { kind = \"cma-es\", sigma = 0 }");
    assert!(said.contains("sigma") && said.contains("above 0"), "{said}");
    let said = said_of(sphere, "algorithm = { kind = \"cma-es\", restarts = \"bi-pop\" }");
    assert!(said.contains("`bipop`") || said.contains("\"bipop\""), "{said}");
}

#[test]
fn algorithms_on_bit_strings_say_which_rule_a_setting_breaks() {
    let bits = "plugin = \"onemax\"\nlength = 5";
    let told = |kind: &str, more: &str, words: &[&str]| {
        let said = said_of(bits, &format!("algorithm = {{ kind = \"{kind}\"{more} }}"));
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(!words.is_empty() || said.is_empty(), "{said}");
    };
    let adjusting = "self-adjusting-one-plus-lambda";
    told(adjusting, ", lambda = 0", &["lambda", "from 1 to 1000000"]);
    let two_rate = ", lambda = 1, control = \"two-rate\"";
    told(adjusting, two_rate, &["two rates needs a mutant", "let `lambda` be at least 2"]);
    let rounded = ", control = \"log-normal\", rounding = \"nearest\"";
    told(adjusting, rounded, &["`log-normal` draws no normal number", "remove rounding"]);
    told(adjusting, ", control = \"two-rates\"", &["did you mean \"two-rate\"?"]);
    told(adjusting, ", control = \"variance-controlled\", rounding = \"nearest\"", &[]);
    told("umda", ", selected = 0.01", &["of a population of 100 is 1", "a larger population"]);
    told("umda", ", selected = 1.0", &["selected", "below 1"]);
    told("umda", ", selected = 0.999", &["is 100, and", "but not from all"]);
    told("umda", ", margin = 0.6", &["margin", "0.5"]);
    told("cga", ", virtual-population = 1", &["virtual-population", "from 2 to"]);
    told("greedy-hill-climbing", "", &[]);
    let few = |kind: &str| said_of(bits, &format!("algorithm = \"{kind}\"\npopulation = 1"));
    let said = few("pbil");
    assert!(said.contains("has 1") && said.contains("`population` be at least 2"), "{said}");
    assert!(few("umda").contains("at least 2, but not from all"), "{}", few("umda"));
    let said = few("cga");
    assert!(said.contains("cga does not use `population`"), "{said}");
    for kind in [adjusting, "greedy-hill-climbing", "umda", "pbil", "cga"] {
        let said = said_of("plugin = \"nqueens\"", &format!("algorithm = \"{kind}\""));
        assert!(said.contains("it works on bits"), "{said}");
    }
}

#[test]
fn numbers_of_bits_that_flip_say_which_rule_a_setting_breaks() {
    let said = |mutation: &str| {
        let lines = format!(
            "population = 1\nselection = \"uniform\"\nreplacement = \"plus\"\nmutation = {{ kind \
            = \"bit-flip\", {mutation} }}"
        );
        said_of("plugin = \"onemax\"\nlength = 5", &lines)
    };
    assert_eq!(said("strength = \"power-law\""), "");
    assert_eq!(said("strength = \"power-law-rate\", beta = 2.5"), "");
    let refused = said("strength = \"power-law\", gene-rate = 0.1");
    assert!(refused.contains("is drawn anew each time"), "{refused}");
    let refused = said("strength = \"at-least-one\", beta = 1.5");
    assert!(refused.contains("it is the exponent of a power law"), "{refused}");
    let refused = said("strength = \"power-law\", beta = 1");
    assert!(refused.contains("beta") && refused.contains("above 1"), "{refused}");
}

#[test]
fn strategies_of_differential_evolution_are_read_and_a_default_is_left_out() {
    let sphere = "[problem]\nplugin = \"sphere\"\ndimension = 3\n[stop]\ngenerations = 50\n";
    let of = |words: &str| {
        let set = format!("[[operators]]\nalgorithm = {words}\npopulation = 9\n");
        let plan = plan(&format!("{sphere}{set}"));
        let toml = plan.arms[0].resolved.to_toml();
        let line = toml.lines().find(|line| line.starts_with("algorithm")).map(str::to_owned);
        (plan.arms[0].settings.operators.algorithm.clone(), line.unwrap_or_default())
    };
    let (read, line) = of("\"differential-evolution\"");
    let default = DifferentialEvolution {
        population: 9,
        weight: 0.5,
        crossover_rate: 0.9,
        strategy: Strategy::Rand,
    };
    assert_eq!(*read, *(&default as &dyn Algorithm));
    assert!(!line.contains("strategy") && !line.contains("p ="), "{line}");
    let (read, line) =
        of("{ kind = \"differential-evolution\", strategy = \"current-to-pbest/1/bin\" }");
    let strategy = Strategy::CurrentToPBest { p: 0.05 };
    assert_eq!(*read, *(&DifferentialEvolution { strategy, ..default } as &dyn Algorithm));
    assert!(line.contains("strategy = \"current-to-pbest/1/bin\", p = 0.05"), "{line}");
    let (read, line) = of("{ kind = \"differential-evolution\", strategy = \"best/1/bin\" }");
    let strategy = Strategy::Best;
    assert_eq!(*read, *(&DifferentialEvolution { strategy, ..default } as &dyn Algorithm));
    assert!(line.contains("best/1/bin") && !line.contains("p ="), "{line}");
    let jade = Jade { population: 9, p: 0.05, learning_rate: 0.1, archive: 1.0 };
    assert_eq!(*of("\"jade\"").0, *(&jade as &dyn Algorithm));
    let shade = Shade { population: 9, p: 0.2, memory: 100, archive: 1.0 };
    assert_eq!(*of("\"shade\"").0, *(&shade as &dyn Algorithm));
}

#[test]
fn adaptive_differential_evolution_says_what_it_needs() {
    let sphere = "plugin = \"sphere\"\ndimension = 3";
    for name in ["jade", "shade"] {
        let said = said_of(sphere, &format!("algorithm = \"{name}\"\npopulation = 3"));
        assert!(said.contains("let `population` be at least 4"), "{said}");
        let archive = format!("algorithm = {{ kind = \"{name}\", archive = -1 }}\npopulation = 9");
        let said = said_of(sphere, &archive);
        assert!(said.contains("archive") && said.contains("at least 0"), "{said}");
        let said = said_of("plugin = \"nqueens\"", &format!("algorithm = \"{name}\""));
        assert!(said.contains("it works on real"), "{said}");
    }
    let said = said_of(sphere, "algorithm = \"l-shade\"");
    assert!(said.contains("operator set `operators-1` plans with a budget"), "{said}");
    assert!(said.contains("such as evaluations = 10000"), "{said}");
    let said = said_of(sphere, "algorithm = { kind = \"l-shade\", initial-population = 3 }");
    assert!(said.contains("initial-population") && said.contains("at least 4"), "{said}");
    let said = said_of(sphere, "algorithm = \"l-shade\"\npopulation = 100");
    assert!(said.contains("l-shade does not use `population`"), "{said}");
    let text = format!(
        "[problem]\n{sphere}\n[stop]\nevaluations = 999\n[[operators]]\nalgorithm = \"l-shade\"\n"
    );
    let l_shade = LShade { population: 54, p: 0.11, memory: 6, archive: 2.6 };
    let arm = &plan(&text).arms[0];
    assert_eq!(*arm.settings.operators.algorithm, *(&l_shade as &dyn Algorithm));
    let words = arm.resolved.to_toml();
    assert!(words.contains("kind = \"l-shade\", initial-population = 54"), "{words}");
    assert!(!words.contains("\npopulation"), "{words}");
}

#[test]
fn a_swarm_has_the_standard_factors_and_two_particles_or_more() {
    let sphere = "plugin = \"sphere\"\ndimension = 3";
    let swarm = |more: &str| format!("algorithm = {{ kind = \"particle-swarm\"{more} }}\n");
    let text = |lines: &str| {
        format!("[problem]\n{sphere}\n[stop]\ngenerations = 9\n[[operators]]\n{lines}")
    };
    let read = |more: &str| {
        let text = text(&format!("{}population = 50\n", swarm(more)));
        plan(&text).arms[0].settings.operators.algorithm.clone()
    };
    let standard = ParticleSwarm {
        population: 50,
        topology: Topology::Ring,
        inertia: 0.729844,
        cognitive: 1.49618,
        social: 1.49618,
    };
    assert_eq!(*read(""), *(&standard as &dyn Algorithm));
    let global = ParticleSwarm { topology: Topology::Global, social: 2.0, ..standard };
    assert_eq!(*read(", topology = \"global\", social = 2"), *(&global as &dyn Algorithm));
    let said = said_of(sphere, &format!("{}population = 1", swarm("")));
    assert!(said.contains("it must be at least 2"), "{said}");
    let said = said_of(sphere, &format!("{}population = 9", swarm(", topology = \"star\"")));
    assert!(said.contains("topology"), "{said}");
    let said = said_of("plugin = \"nqueens\"", &format!("{}population = 9", swarm("")));
    assert!(said.contains("it works on real"), "{said}");
}

#[test]
fn the_settings_of_an_algorithm_are_all_that_its_arm_says() {
    let text = plan(&format!("{QUEENS}[[operators]]\nalgorithm = \"simulated-annealing\"\n")).arms
        [0]
    .resolved
    .to_toml();
    let operators = text
        .split("[[operators]]\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("a table");
    assert_eq!(
        operators,
        "name = \"operators-1\"\nalgorithm = { kind = \"simulated-annealing\", temperature = 1.0, \
        cooling = 0.95, moves = 8 }"
    );
}

#[test]
fn keys_that_an_algorithm_does_not_heed_are_refused() {
    let said = complaint("algorithm = \"hill-climbing\"\npopulation = 10\nselection = \"uniform\"");
    assert!(said.contains("hill-climbing does not use `population`"), "{said}");
    assert!(said.contains("hill-climbing does not use `selection`"), "{said}");
    let said = complaint(
        "algorithm = \"simulated-annealing\"\nmutation = { kind = \"swap\", rate = 0.5 }",
    );
    assert!(said.contains("has a rate where it proposes the moves"), "{said}");
    let said = complaint(
        "algorithm = { kind = \"simulated-annealing\", neighbors = \"reversal\", moves = 3 }",
    );
    assert!(said.contains("unknown key `neighbors` in algorithm `simulated-annealing`"), "{said}");
    assert!(said.contains("next to `algorithm`, write mutation = \"inversion\" (2-opt)"), "{said}");
    let said = complaint("algorithm = { kind = \"random-search\", neighbors = \"swap\" }");
    assert!(said.contains("is a parameter of another operator, as in algorithm"), "{said}");
    let said = complaint("algorithm = \"hill-climing\"");
    assert!(said.contains("did you mean \"hill-climbing\"?"), "{said}");
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let said = said_of("plugin = \"sphere\"\ndimension = 3", "algorithm = \"hill-climbing\"");
    assert!(said.contains("algorithm `hill-climbing` does not fit this problem"), "{said}");
    let said = said_of("plugin = \"sphere\"\ndimension = 3", "algorithm = \"exhaustive\"");
    assert!(said.contains("does not enumerate its real genomes"), "{said}");
    let said = said_of("plugin = \"nqueens\"\nn = 16", "algorithm = \"exhaustive\"");
    assert!(said.contains("2^64 or more genomes"), "{said}");
    let said = said_of("plugin = \"nqueens\"\nn = 10000", "algorithm = \"hill-climbing\"");
    assert!(said.contains("has 99990000 neighbours"), "{said}");
}

#[test]
fn an_exhaustive_search_needs_no_budget_and_others_do() {
    let text = "[problem]\nplugin = \"nqueens\"\n[[operators]]\nalgorithm = \"exhaustive\"\n";
    assert_eq!(plan(text).arms[0].settings.stop.generations, None);
    let said = load_texts(
        &[&format!("{text}[[operators]]\nalgorithm = \"random-search\"\n")],
        &Overrides::default(),
    );
    assert!(rendered(&said).contains("would never end"), "{}", rendered(&said));
}

#[test]
fn a_population_of_one_mutates_and_competes_with_its_children() {
    let one = "population = 1\nselection = \"uniform\"\nmutation = \"reset\"\nreplacement = ";
    let plus = algorithm(&format!("{one}\"plus\""));
    assert_eq!(plus.as_evolutionary().map(|set| set.population), Some(1));
    let said = complaint(&format!("{one}\"generational\""));
    assert!(said.contains("a population of 1 leaves no choice for selection"), "{said}");
    let said = complaint(&format!("{one}\"plus\"\ncrossover = \"one-point\""));
    assert!(said.contains("a population of 1 leaves no choice for selection"), "{said}");
    // The replacement may be in a preset whose name is misspelt.
    let said = complaint("population = 1\npreset = \"one-plus-one-resamplign\"");
    assert!(said.contains("did you mean \"one-plus-one-resampling\"?"), "{said}");
    assert!(!said.contains("a population of 1"), "{said}");
}

/// A set of 10 that makes 5 children per generation, and one of 20 that makes 20.
const TWO: &str = "[[operators]]\nname = \"half\"\npopulation = 10\nselection = \
    \"uniform\"\nmutation = \"reset\"\nreplacement = { kind = \"elitism\", share = 0.5 \
    }\n[[operators]]\nname = \"whole\"\npopulation = 20\nselection = \"uniform\"\nmutation = \
    \"reset\"\n";

fn labels_and_baselines(text: &str) -> Vec<(String, Option<usize>)> {
    plan(text).arms.iter().map(|arm| (arm.label.clone(), arm.baseline)).collect()
}

#[test]
fn a_baseline_has_the_evaluations_of_the_arms_that_it_serves() {
    let text = format!("baseline = true\n{QUEENS}{TWO}");
    let shown = labels_and_baselines(&text);
    let expected = [
        ("half", Some(2)),
        ("whole", Some(3)),
        ("random-search", None),
        ("random-search, 1020 evaluations", None),
    ];
    assert_eq!(shown, expected.map(|(label, baseline)| (label.to_string(), baseline)));
    let stops: Vec<_> = plan(&text).arms.iter().map(|arm| arm.settings.stop.clone()).collect();
    assert_eq!((stops[2].evaluations, stops[2].generations), (Some(10 + 50 * 5), None));
    // One budget for all: one baseline.
    let text = text.replace("generations = 50", "evaluations = 500\nstagnation = 20");
    let shown = labels_and_baselines(&text);
    assert_eq!(
        shown.iter().map(|(_, baseline)| *baseline).collect::<Vec<_>>(),
        [Some(2), Some(2), None]
    );
    assert_eq!(plan(&text).arms[2].settings.stop.stagnation, None);
}

#[test]
fn a_baseline_has_the_swept_values_that_its_arms_share() {
    let text = format!(
        "baseline = true\n{QUEENS}{TWO}[sweep]\n\"problem.n\" = [6, \
            8]\n\"operators.population\" = [10, 20]\n"
    )
    .replace("generations = 50", "evaluations = 500");
    let plan = plan(&text);
    assert_eq!(plan.arms.len(), 8 + 2);
    let six = &plan.arms[plan.arms[0].baseline.expect("a baseline")];
    assert_eq!(six.settings.swept, [Some(Value::Integer(6)), None]);
    assert_eq!(six.label, "random-search problem.n=6");
    assert_eq!(plan.arms[0].baseline, plan.arms[5].baseline);
    assert_ne!(plan.arms[0].baseline, plan.arms[2].baseline);
}

#[test]
fn a_random_search_of_the_same_budget_is_the_baseline() {
    let text = format!(
        "baseline = true\n{QUEENS}{TWO}[[operators]]\nname = \"luck\"\nalgorithm = \
        \"random-search\"\npopulation = 20\n"
    );
    let shown = labels_and_baselines(&text);
    assert_eq!(shown[1], ("whole".to_string(), Some(2)));
    assert_eq!(shown[0], ("half".to_string(), Some(3)));
    assert_eq!(shown[3], ("random-search".to_string(), None));
}

#[test]
fn a_random_search_that_spends_less_is_no_baseline() {
    let text = |stop: &str| {
        format!(
            r#"
baseline = true
problem  = {{ plugin = "nqueens" }}
[[operators]]
name      = "mine"
algorithm = "random-search"
[[operators]]
name       = "ga"
population = 9
selection  = "uniform"
mutation   = "reset"
[stop]
evaluations = 500
{stop}
"#
        )
    };
    let own = labels_and_baselines(&text(""));
    assert_eq!((own.len(), own[1].1), (2, Some(0)));
    let arms = labels_and_baselines(&text("stagnation = 5\n"));
    assert_eq!((arms.len(), arms[0].1, arms[1].1), (3, None, Some(2)), "{arms:?}");
}

#[test]
fn a_baseline_needs_a_budget_of_evaluations() {
    let text = format!("baseline = true\n{QUEENS}[[operators]]\nalgorithm = \"hill-climbing\"\n");
    let said = rendered(&load_texts(&[&text], &Overrides::default()));
    assert!(said.contains("its generations differ in their numbers of evaluations"), "{said}");
    let text =
        format!("baseline = true\n{QUEENS}{TWO}").replace("generations = 50", "stagnation = 50");
    let said = rendered(&load_texts(&[&text], &Overrides::default()));
    assert!(said.contains("only stagnation ends its trials"), "{said}");
}

#[test]
fn paired_arms_of_one_problem_share_their_start_and_nothing_else() {
    let independent = plan(&format!("{QUEENS}{TWO}"));
    assert!(independent.arms.iter().all(|arm| arm.seeds(1, 0).start.is_none()));
    let text = format!("pairing = \"common\"\n{QUEENS}{TWO}[sweep]\n\"problem.n\" = [6, 8]\n");
    let paired = plan(&text);
    let seeds: Vec<_> = paired.arms.iter().map(|arm| arm.seeds(1, 7)).collect();
    assert!(seeds[0].start.is_some());
    assert_eq!(seeds[0].start, seeds[2].start, "both with n = 6");
    assert_ne!(seeds[0].start, seeds[1].start, "n = 6 and n = 8");
    assert_ne!(seeds[0].trial, seeds[2].trial);
    assert_ne!(seeds[0].start, paired.arms[0].seeds(1, 8).start);
    assert_ne!(seeds[0].start, paired.arms[0].seeds(2, 7).start);
    // A paired trial comes out differently: it is another arm.
    assert_ne!(paired.arms[1].id(), independent.arms[0].id());
    assert!(
        paired.arms[0].resolved.to_toml().starts_with("pairing = \"common\"\n\n[problem]\n"),
        "{}",
        paired.arms[0].resolved.to_toml()
    );
}

#[test]
fn a_plugin_that_is_not_there_is_said_once_and_builds_no_set() {
    let set = "[[operators]]\nname = \"A\"\npopulation = 4\nselection = { plugin = \
        \"none\" }\nmutation = \"reset\"\n[sweep]\n\"operators.population\" = [4, 6]\n";
    let outcome = load_texts(&[&format!("{QUEENS}{set}")], &Overrides::default());
    let said = rendered(&outcome);
    assert!(outcome.has_errors() && outcome.plans.is_empty(), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
}

#[test]
fn a_diversity_needs_a_population() {
    let with = |set: &str, stop: &str| format!("{QUEENS}{stop}\n[[operators]]\n{set}\n");
    let sets = "population = 9\nselection = \"uniform\"\nmutation = \"reset\"";
    let read = plan(&with(sets, "diversity = 0.5"));
    assert_eq!(read.arms[0].settings.stop.diversity, Some(0.5));
    for set in [
        "algorithm = \"simulated-annealing\"",
        "algorithm = \"random-search\"",
        "population = 1\nselection = \"uniform\"\nmutation = \"reset\"\n\
        replacement = { kind = \"plus\", offspring = 1 }",
    ] {
        let outcome = load_texts(&[&with(set, "diversity = 2")], &Overrides::default());
        let said = rendered(&outcome);
        assert!(said.contains("`operators-1` has no diversity that could end a trial"), "{said}");
        assert!(said.contains("`diversity` = 2 in [stop]"), "{said}");
        assert_eq!(said.matches("error:").count(), 1, "{said}");
    }
    let outcome = load_texts(&[&with(sets, "diversity = -1")], &Overrides::default());
    assert!(rendered(&outcome).contains("at least 0"), "{}", rendered(&outcome));
    let alone = with(sets, "diversity = 1").replace("generations = 50\n", "");
    let outcome = load_texts(&[&alone], &Overrides::default());
    assert!(rendered(&outcome).contains("no budget in this table"), "{}", rendered(&outcome));
    // Random search has no population, so that the rule is not part of the baseline.
    let compared = plan(&format!("baseline = true\n{}", with(sets, "diversity = 1")));
    assert_eq!(compared.arms[1].settings.stop.diversity, None);
}
