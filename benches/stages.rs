//! What each stage of a generation costs: every operator of the registry, and the plugins' own
//! calls.
//!
//!     cargo bench --bench stages
//!
//! Nanoseconds per individual, at several genome lengths, through the code that trials run. The
//! target of an operator is 20 ns per individual plus 5 ns per gene (scalings, selections and
//! replacements see no genes); `over` marks operators that exceed it.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use runner::operators::operator::{Operator, Slot};
use runner::operators::{Order, Ties, replacement};
use runner::problem::{Gene, GeneKind, Problem};
use runner::random::draws::Random;
use runner::search::Evolutionary;
use runner::search::parent_selection::ParentSelection;
use runner::search::population::Population;
use runner::search::registry::all;
use runner::search::variation::Variation;
use std::hint::black_box;
use support::{plan, seconds};

/// Individuals of a population.
const POPULATION: usize = 200;

fn line(stage: &str, name: &str, genes: usize, seconds: f64, individuals: usize, with_genes: bool) {
    let found = seconds * 1e9 / individuals as f64;
    let allowed = 20.0 + if with_genes { 5.0 * genes as f64 } else { 0.0 };
    let verdict =
        if found > allowed { format!("over: {}", reason(stage, name)) } else { String::new() };
    println!("{stage:<12} {name:<30} {genes:>6} {found:>10.1} {allowed:>10.0}  {verdict}");
}

/// Why an operator exceeds its target.
fn reason(stage: &str, name: &str) -> &'static str {
    match (stage, name.split([' ', ',']).next().unwrap_or_default()) {
        ("selection", "noisy-rank") => "it sorts the population, by its definition",
        ("crossover", "sbx") => "a crossed gene takes four powers, two of them roots",
        ("mutation", "gaussian") => "a normal number per gene, and its bounds",
        ("mutation", "polynomial") => "a root per changed gene",
        ("mutation", "problem") | ("sampling", _) => "the plugin seeds its own generator per row",
        _ => "reason unknown",
    }
}

/// A problem of this encoding and length.
fn problem(encoding: &str, genes: usize) -> String {
    match encoding {
        "integer" => format!("plugin = \"nqueens\"\nn = {genes}"),
        "permutation" => format!("plugin = \"nqueens\"\nn = {genes}\nencoding = \"permutation\""),
        "bits" => format!("plugin = \"pbo\"\nn = {genes}"),
        "real" => format!("plugin = \"continuous\"\nn = {genes}"),
        _ => "plugin = \"chess960\"".to_owned(),
    }
}

/// What a kind must be told.
fn settings(name: &str) -> &'static str {
    match name {
        "tournament" => ", size = 3",
        "truncation" => ", share = 0.5",
        "plus" | "comma" => ", offspring = 200",
        "complement" => ", worst = 1e6",
        _ => "",
    }
}

fn config(problem: &str, operators: &str) -> String {
    format!(
        "[problem]\n{problem}\n[[operators]]\npopulation = \
        {POPULATION}\n{operators}\n[stop]\ngenerations = 1\non-success = \"continue\"\n"
    )
}

fn with(problem: &str, operators: &str, visit: impl FnOnce(&Problem, &Evolutionary)) {
    let plan = plan(&config(problem, operators));
    let arm = &plan.arms[0];
    let set = arm.settings.operators.algorithm.as_evolutionary().expect("it has stages");
    visit(&arm.problem, set);
}

fn filled<G: Gene>(problem: &Problem) -> Population<G> {
    let mut population = Population::new(POPULATION, problem.description().genome_length);
    problem.sample(&[7; 32], 0, population.genes_mut()).expect("a sample");
    let (genes, fitness, _) = population.parts_mut();
    problem.evaluate(genes, fitness).expect("fitness");
    population
}

/// Seconds that the variation of a generation takes.
fn vary<G: Gene>(problem: &Problem, set: &Evolutionary) -> f64 {
    let population = filled::<G>(problem);
    let mut children = Population::<G>::new(POPULATION, problem.description().genome_length);
    let mut variation = Variation::new(problem, set);
    let mut random = Random::seed_from_u64(1);
    let mut parents = vec![0; variation.plan(POPULATION, &mut random)];
    ParentSelection::new(set, None).choose_by(&population.fitness, &mut random, &mut parents);
    seconds(|| {
        variation.breed(&population, &parents, &mut children, &mut random).expect("children")
    })
}

fn time_variation(problem: &Problem, set: &Evolutionary) -> f64 {
    match problem.description().gene {
        GeneKind::U8 => vary::<u8>(problem, set),
        GeneKind::U16 => vary::<u16>(problem, set),
        GeneKind::U32 => vary::<u32>(problem, set),
        GeneKind::F64 => vary::<f64>(problem, set),
    }
}

fn variation(slot: Slot, operator: &Operator) {
    for encoding in ["bits", "integer", "permutation", "real", "opaque"] {
        let own = operator.name == "problem";
        if own != (encoding == "opaque")
            || !own && !operator.domain.encodings().iter().any(|one| one.to_string() == encoding)
        {
            continue;
        }
        for genes in if own { vec![8] } else { vec![8, 100, 1000] } {
            let each = operator.parameters.iter().any(|parameter| parameter.key == "gene-rate");
            for (genes_of, more) in [("", ""), (", all genes", ", gene-rate = 1.0")]
                .into_iter()
                .take(1 + usize::from(each))
            {
                let kind =
                    format!("{{ kind = \"{}\"{}{more} }}", operator.name, settings(operator.name));
                let operators = format!("selection = \"uniform\"\n{} = {kind}", slot.as_str());
                with(&problem(encoding, genes), &operators, |problem, set| {
                    let name = format!("{} {encoding}{genes_of}", operator.name);
                    line(
                        slot.as_str(),
                        &name,
                        genes,
                        time_variation(problem, set),
                        POPULATION,
                        true,
                    );
                });
            }
        }
    }
}

fn selections(operator: &Operator) {
    let scaling = if ["roulette", "sus"].contains(&operator.name) {
        "scaling = \"complement\"\n"
    } else {
        ""
    };
    let kind = format!("{{ kind = \"{}\"{} }}", operator.name, settings(operator.name));
    let operators = format!("{scaling}selection = {kind}\nmutation = \"reset\"");
    with(&problem("integer", 8), &operators, |problem, set| {
        let population = filled::<u8>(problem);
        let (mut parent_selection, mut random) =
            (ParentSelection::new(set, None), Random::seed_from_u64(1));
        let mut parents = vec![0; POPULATION];
        let found =
            seconds(|| parent_selection.choose_by(&population.fitness, &mut random, &mut parents));
        line("selection", operator.name, 0, found, POPULATION, false);
        if operator.name == "roulette" {
            // One that is far fitter than all others: the wheel is searched.
            let mut fitness = vec![27.0; POPULATION];
            fitness[7] = 0.0;
            let found = seconds(|| parent_selection.choose_by(&fitness, &mut random, &mut parents));
            line("selection", "roulette, steep", 0, found, POPULATION, false);
        }
    });
}

fn scalings(operator: &Operator) {
    let scaling = format!("{{ kind = \"{}\"{} }}", operator.name, settings(operator.name));
    let operators = format!("scaling = {scaling}\nselection = \"roulette\"\nmutation = \"reset\"");
    with(&problem("integer", 8), &operators, |problem, set| {
        let population = filled::<u8>(problem);
        let fitness = black_box(&population.fitness[..]);
        let (mut weights, mut order) = (vec![0.0; POPULATION], Order::default());
        let found = seconds(|| set.scaling.weigh(fitness, &mut order, &mut weights));
        line("scaling", operator.name, 0, found, POPULATION, false);
    });
}

fn replacements(operator: &Operator) {
    with(&problem("integer", 8), "selection = \"uniform\"\nmutation = \"reset\"", |problem, _| {
        let population = filled::<u8>(problem);
        let parents = black_box(&population.fitness[..]);
        let (order, random) = (&mut Order::default(), &mut Random::seed_from_u64(1));
        let found = match operator.name {
            "elitism" => {
                seconds(|| _ = black_box(replacement::best(parents, POPULATION / 2, random, order)))
            }
            "plus" => seconds(|| {
                _ = black_box(replacement::plus(parents, parents, Ties::Children, random, order))
            }),
            "comma" => {
                seconds(|| _ = black_box(replacement::best(parents, POPULATION / 2, random, order)))
            }
            "steady-state" => seconds(|| {
                _ = black_box(replacement::worst(parents, POPULATION / 2, random, order))
            }),
            other => panic!("{other} has no benchmark"),
        };
        line("replacement", operator.name, 0, found, POPULATION, false);
    });
}

fn calls<G: Gene>(problem: &Problem, name: &str) {
    let mut population = filled::<G>(problem);
    let length = population.length();
    let sampled =
        seconds(|| problem.sample(&[7; 32], 0, population.genes_mut()).expect("a sample"));
    line("sampling", name, length, sampled, POPULATION, true);
    let (genes, fitness, _) = population.parts_mut();
    let evaluated = seconds(|| problem.evaluate(genes, fitness).expect("fitness"));
    line("evaluation", name, length, evaluated, POPULATION, true);
}

fn main() {
    println!(
        "{:<12} {:<30} {:>6} {:>10} {:>10}",
        "stage", "operator", "genes", "ns each", "allowed"
    );
    // What does nothing takes no time.
    let idle = |operator: &Operator| ["none", "generational"].contains(&operator.name);
    for (slot, operator) in all().filter(|(_, operator)| !idle(operator)) {
        match slot {
            Slot::Scaling => scalings(operator),
            Slot::Selection => selections(operator),
            Slot::Crossover | Slot::Mutation => variation(slot, operator),
            Slot::Replacement => replacements(operator),
            // Made of the others; or it works on problems with constraints alone.
            Slot::Algorithm | Slot::Constraints => {}
        }
    }
    for (name, encoding, mutation, lengths) in [
        ("nqueens rows", "integer", "reset", &[8, 64, 100, 1000][..]),
        ("nqueens permut.", "permutation", "swap", &[8, 64, 100, 1000]),
        ("pbo", "bits", "bit-flip", &[100, 1000]),
        ("continuous", "real", "gaussian", &[10, 100]),
        ("chess960", "opaque", "problem", &[8]),
    ] {
        for genes in lengths {
            let operators = format!("selection = \"uniform\"\nmutation = \"{mutation}\"");
            with(&problem(encoding, *genes), &operators, |problem, _| {
                match problem.description().gene {
                    GeneKind::U8 => calls::<u8>(problem, name),
                    GeneKind::U16 => calls::<u16>(problem, name),
                    GeneKind::U32 => calls::<u32>(problem, name),
                    GeneKind::F64 => calls::<f64>(problem, name),
                }
            });
        }
    }
}
