//! `trace = "genomes"`: every individual with its genome, and what that costs.

use crate::docs::blocks;
use crate::util::{Sandbox, column, document, eventually, however_run, number, sized, tables};
use runner::parquet::{Column, ParquetReader};
use std::path::Path;

const CONFIG: &str = r#"
repeats = 12
[problem]
plugin = "onemax"
length = 9
[[operators]]
name        = "ga"
population  = 6
selection   = { kind = "tournament", size = 2 }
crossover   = "uniform"
mutation    = "bit-flip"
replacement = { kind = "elitism", count = 2 }
[[operators]]
name        = "plus"
population  = 2
selection   = "uniform"
mutation    = "bit-flip"
replacement = { kind = "plus", offspring = 5 }
[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest" }
[[operators]]
name      = "anneal"
algorithm = { kind = "simulated-annealing", temperature = 1.0, cooling = 0.9, moves = 4 }
[[operators]]
name       = "random"
population = 4
algorithm  = "random-search"
[[operators]]
name       = "all"
population = 100
algorithm  = "exhaustive"
[stop]
evaluations = 60
[output]
trace = "genomes"
"#;

/// The lists of a column, as numbers.
pub(crate) fn lists(table: &Path, name: &str) -> Vec<Vec<f64>> {
    let file = std::fs::File::open(table).expect("a table");
    let reader = ParquetReader::open(file).expect("a table");
    let mut genomes = Vec::new();
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&[name])).expect("rows");
        let lists = frame.column(name).and_then(Column::list).expect("lists");
        let numbers = lists.values.to_f64().expect("numbers");
        let numbers = numbers.f64().expect("as cast");
        let genome = |row| -> Vec<f64> {
            let range = lists.range(row).expect("a list in every row");
            range.map(|place| numbers.get(place).expect("a gene")).collect()
        };
        genomes.extend((0..frame.height()).map(genome));
    }
    genomes
}

/// A search of one genome has no pair of individuals, and so no curve.
#[test]
fn the_diversity_of_traced_populations_is_drawn() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["plot", "results/x", "--only", "diversity"]).code(0);
    let picture = String::from_utf8(sandbox.read("results/x/plots/diversity.svg")).expect("UTF-8");
    for (words, is_there) in
        [("mean distance of two individuals", true), ("random", true), ("anneal", false)]
    {
        assert_eq!(picture.contains(words), is_there, "{words}");
    }
    sandbox.run(&["x.toml", "--set", "output.trace=population", "--set", "name=y"]).code(0);
    sandbox.run(&["plot", "results/y", "--only", "diversity"]).warns("diversity");
}

#[test]
fn every_row_has_the_genome_of_its_fitness() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    let table = sandbox.path("results/x/generations.parquet");
    let (genomes, fitness) = (lists(&table, "genome"), column(&table, "best"));
    assert!(genomes.len() > 500, "{}", genomes.len());
    for (genome, fitness) in genomes.iter().zip(&fitness) {
        assert_eq!(genome.len(), 9);
        assert_eq!(genome.iter().filter(|gene| **gene == 0.0).count() as f64, *fitness);
    }
    // The other columns are those of a trace without genomes.
    sandbox.run(&["x.toml", "--set", "output.trace=population", "--out", "plain"]).code(0);
    let plain = sandbox.path("plain/x/generations.parquet");
    for name in ["trial", "generation", "evaluations", "best", "mean", "worst", "best_so_far"] {
        assert!(column(&table, name) == column(&plain, name), "{name}");
    }
    let trials = |out: &str| lists(&sandbox.path(format!("{out}/x/trials.parquet")), "best");
    assert!(trials("results") == trials("plain"));
}

#[test]
fn real_genes_are_traced_exactly() {
    let sandbox = Sandbox::new();
    let continuous = "plugin = \"continuous\"\nn = 3";
    let config = CONFIG.replace("plugin = \"onemax\"\nlength = 9", continuous);
    let ga = config.split("[[operators]]\nname        = \"plus\"").next().expect("the start");
    let ga = ga.replace("\"bit-flip\"", "\"gaussian\"");
    let end = "[stop]\nevaluations = 60\n[output]\ntrace = \"genomes\"\n";
    sandbox.write("x.toml", format!("{ga}{end}"));
    sandbox.run(&["x.toml"]).code(0);
    let table = sandbox.path("results/x/generations.parquet");
    let (genomes, fitness) = (lists(&table, "genome"), column(&table, "best"));
    assert!(genomes.len() > 100, "{}", genomes.len());
    for (genome, fitness) in genomes.iter().zip(&fitness) {
        // The sphere.
        let sum: f64 = genome.iter().map(|gene| gene * gene).sum();
        assert!((sum - fitness).abs() <= 1e-12 * fitness.max(1.0), "{genome:?} {fitness}");
    }
}

/// `RUNNER_GENOMES` says how many trials an arm has; 150 have genes for several row groups of the
/// tables too.
#[test]
fn the_bytes_are_the_same_however_the_trials_are_run() {
    let sandbox = Sandbox::new();
    // Enough genes for several row groups of parts, and for a fold.
    let repeats = format!("= {}\n", number("RUNNER_GENOMES", sized(16, 150)));
    let large = CONFIG.replace("length = 9", "length = 300").replace("= 12\n", &repeats);
    let large = large.split("[[operators]]\nname       = \"all\"").next().expect("the start");
    let end = "[stop]\nevaluations = 60\n[output]\ntrace = \"genomes\"\n";
    sandbox.write("x.toml", format!("{large}{end}"));
    let one = however_run(&sandbox, "x.toml");
    assert_eq!(one.len(), 3, "with the generations");
    // A part of the arms first: the tables come from the parts.
    sandbox.run(&["x.toml", "--arm", "plus", "--out", "parts"]).code(0);
    sandbox.run(&["x.toml", "--repeats", "15", "--out", "parts"]).code(0);
    sandbox.run(&["x.toml", "--out", "parts"]).code(0);
    assert!(tables(&sandbox, "parts/x") == one);
    sandbox.run(&["verify", "parts/x"]).code(0);
    sandbox.run(&["plot", "parts/x", "--format", "svg"]).code(0);
}

#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    use std::process::Stdio;
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG.replace("= 12\n", "= 400\n"));
    sandbox.run(&["x.toml", "--out", "whole"]).code(0);
    let mut child = sandbox
        .command()
        .args(["x.toml", "--progress", "none", "--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let journal = sandbox.path("results/x/parts/journal");
    let waits = || std::fs::metadata(&journal).is_ok_and(|file| file.len() > 20_000);
    eventually("trials wait", || waits() || child.try_wait().expect("a child").is_some());
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    crate::util::wait_for_lock(&sandbox.path("results/x"));
    sandbox.run(&["x.toml"]).code(0);
    assert!(tables(&sandbox, "results/x") == tables(&sandbox, "whole/x"));
}

#[test]
fn what_a_trace_costs_is_told_before_anything_runs() {
    let sandbox = Sandbox::new();
    let ga = CONFIG.split("[[operators]]\nname        = \"plus\"").next().expect("the start");
    let config = |stop: &str| format!("{ga}[stop]\n{stop}\n[output]\ntrace = \"genomes\"\n");
    // 6 individuals, then 4 children a generation: 6 x (1 + (62 - 6) / 4) rows of 48 + 9 x 4 bytes.
    sandbox.write("x.toml", config("evaluations = 62"));
    let ran = sandbox.run(&["check", "x.toml"]).code(0);
    let words = "trace: at most 1,080 rows in generations.parquet, 91 kB before compression";
    let ran = ran.says(words);
    assert_eq!(ran.stderr, "");
    // It is not exceeded.
    sandbox.run(&["x.toml", "--set", "stop.on-success=continue"]).code(0);
    let rows = column(&sandbox.path("results/x/generations.parquet"), "trial").len();
    assert_eq!(rows, 1_080);
    sandbox.write("x.toml", config("generations = 3\nevaluations = 62"));
    sandbox.run(&["check", "x.toml"]).code(0).says("trace: at most 288 rows");
    sandbox.write("x.toml", config("stagnation = 5"));
    sandbox.run(&["check", "x.toml"]).code(0).says("trace: its size has no limit");
    // More than a disk has; a little more than a trial can hand on.
    sandbox.write("x.toml", config("evaluations = 1000").replace("= 12\n", "= 1000000000000\n"));
    let ran = sandbox.run(&["check", "x.toml"]).code(0);
    ran.warns("the traces can take ").warns("are free on the disk of results");
    let long = config("evaluations = 400000").replace("length = 9", "length = 5000");
    sandbox.write("x.toml", long);
    for command in [&["check", "x.toml"] as &[&str], &["x.toml"]] {
        let ran = sandbox.run(command).code(2);
        let ran = ran.warns("the trace of a trial of the arm `ga` can be too large");
        ran.warns("at most 2.1 GB can be recorded").warns("1 error; nothing was run");
    }
}

#[test]
fn the_document_shows_what_its_config_costs() {
    let sandbox = Sandbox::new();
    let told = document("docs/running.md");
    let config = blocks(&told, "toml").into_iter().find(|one| one.contains("\"genomes\""));
    sandbox.write("genomes.toml", config.expect("a config with genomes"));
    let ran = sandbox.run(&["check", "genomes.toml"]).code(0);
    let line = ran.stdout.lines().find(|line| line.starts_with("  trace: ")).expect("its cost");
    assert!(told.contains(&format!("\n{line}\n")), "docs/running.md has not {line}");
    sandbox.run(&["genomes.toml"]).code(0);
}

/// Each individual has a row with its genome on problems with constraints, too: there the trace had
/// a row for each generation, without a genome.
#[test]
fn individuals_of_a_problem_with_constraints_have_their_genomes() {
    let sandbox = Sandbox::new();
    let config = "repeats = 2\n[problem]\nplugin = \"coloring\"\ngraph = \"queen5_5\"\n\
        [[operators]]\nname = \"ga\"\npopulation = 10\nselection = \"uniform\"\nmutation = \
        \"reset\"\nreplacement = { kind = \"plus\", offspring = 10 }\n[stop]\ngenerations = 3\n\
        fitness = 0\n[output]\ntrace = \"genomes\"\n";
    sandbox.write("x.toml", config);
    sandbox.run(&["x.toml"]).code(0);
    let table = sandbox.path("results/x/generations.parquet");
    let genomes = lists(&table, "genome");
    assert_eq!(genomes.len(), 2 * 4 * 10);
    // The fitness of a colouring is the number of its colours.
    for (genome, fitness) in genomes.iter().zip(column(&table, "best")) {
        let mut colours = genome.clone();
        colours.sort_by(f64::total_cmp);
        colours.dedup();
        assert_eq!((genome.len(), colours.len() as f64), (25, fitness));
    }
    // With and without genomes, the other columns are the same.
    sandbox.run(&["x.toml", "--set", "output.trace=population", "--out", "plain"]).code(0);
    let plain = sandbox.path("plain/x/generations.parquet");
    for name in ["trial", "generation", "best", "best_violation"] {
        assert!(column(&table, name) == column(&plain, name), "{name}");
    }
}
