//! Mixed genes: numbers, whole numbers, choices and bits in one genome.

use crate::genomes::lists;
use crate::languages::compile;
use crate::python::python;
use crate::util::{Sandbox, document, eventually, has, rows};
use runner::parquet::{Column, ParquetReader};
use std::fs::File;
use std::path::Path;

const QUIET: [&str; 2] = ["--progress", "none"];

/// A problem whose fitness checks the types of the values that it gets.
const TYPED: &str = r#"
from runner import Bit, Choice, Integer, Mixed, Real

class Problem:
    parameters = {"breaks": Choice("no", choices=["no", "half", "word", "beyond"])}

    def __init__(self, breaks):
        self.breaks = breaks

    def describe(self):
        words = Choice("a", "b", "c")
        return Mixed([Real(0, 1, name="rate"), Integer(-3, 9), words, Bit(name="on")])

    def fitness(self, genome):
        rate, whole, word, on = genome
        assert [type(one) for one in genome] == [float, int, str, bool], genome
        return rate + abs(whole - 4) + {"a": 2, "b": 0, "c": 1}[word] + (not on)

    def sample(self, rng):
        whole = {"half": 1.5, "beyond": 12}.get(self.breaks, rng.randint(-3, 9))
        word = "d" if self.breaks == "word" else rng.choice("abc")
        return [rng.random(), whole, word, rng.random() < 0.5]
"#;

const SEARCHES: &str = r#"
repeats = 4

[problem]
plugin = "typed.py"

[[operators]]
name        = "mixed"
population  = 10
selection   = "tournament"
crossover   = "one-point"
mutation    = "mixed"
replacement = { kind = "restricted-tournament", offspring = 10, window = 4 }

[[operators]]
name       = "reset"
population = 10
selection  = "tournament"
crossover  = "uniform"
mutation   = { kind = "reset", gene-rate = 0.3 }

[[operators]]
name      = "annealing"
algorithm = "simulated-annealing"

[[operators]]
name      = "random"
algorithm = "random-search"

[stop]
fitness     = 0.01
evaluations = 300
"#;

fn sandbox() -> Option<Sandbox> {
    python("sys")?;
    let sandbox = Sandbox::new();
    sandbox.write("typed.py", TYPED);
    sandbox.write("x.toml", SEARCHES);
    Some(sandbox)
}

fn hash(sandbox: &Sandbox, out: &str) -> String {
    let tables = ["trials", "summary"].map(|table| format!("{out}/x/{table}.parquet"));
    let hash = |table: String| blake3::hash(&sandbox.read(&table));
    tables.map(hash).map(|hash| hash.to_string()).concat()
}

#[test]
fn any_jobs_and_shards_give_the_same_bytes_with_values_by_name() {
    let Some(sandbox) = sandbox() else { return };
    for jobs in ["1", "2", "8"] {
        sandbox.run(&[&["x.toml", "--jobs", jobs, "--out", jobs], &QUIET[..]].concat()).code(0);
    }
    for shard in ["1/2", "2/2"] {
        sandbox.run(&[&["x.toml", "--shard", shard, "--out", "s"], &QUIET[..]].concat()).code(0);
    }
    let shards = ["merge", "s/x.shard-1-of-2", "s/x.shard-2-of-2", "--out", "m"];
    sandbox.run(&shards).code(0);
    let wanted = hash(&sandbox, "1");
    for out in ["2", "8", "m"] {
        assert_eq!(hash(&sandbox, out), wanted, "{out}");
    }
    for row in rows(&sandbox, &["1/x", "--trials"]) {
        let text = row["best_text"].as_str().expect("a text");
        let words: Vec<&str> = text.split(' ').collect();
        assert!(words[0].starts_with("rate=0") && ["a", "b", "c"].contains(&words[2]), "{text}");
        assert!(words[1].parse::<i64>().is_ok() && words[3].starts_with("on="), "{text}");
        let best = row["best"].as_array().expect("genes");
        assert_eq!(words[1], best[1].as_f64().expect("a gene").to_string(), "{text}");
        assert_eq!(row["best_named"][2], words[2], "{row}");
    }
    sandbox.run(&["verify", "1/x", "--all"]).code(0).says("16 of 16 trials are the same");
    // Distances are from 0 to 1, so that a population of one gene in four is below this.
    let (sets, _) = SEARCHES.split_once("[[operators]]\nname      = \"annealing\"").expect("sets");
    let stop = "[stop]\ndiversity = 0.2\nevaluations = 5000\n";
    sandbox.write("d.toml", format!("{sets}{stop}"));
    sandbox.run(&[&["d.toml"], &QUIET[..]].concat()).code(0);
    let ends = rows(&sandbox, &["results/d", "--trials"]);
    assert!(ends.iter().all(|row| row["diversity"].as_f64().is_none_or(|mean| mean <= 1.0)));
    assert!(ends.iter().any(|row| row["outcome"] == "converged"), "{ends:?}");
    sandbox.run(&["replay", "1/x", "mixed", "0"]).code(0).says("rate=0");
    let sound = TYPED.replace(r#"["no", "half", "word", "beyond"]"#, r#"["no"]"#);
    sandbox.write("sound.py", sound);
    sandbox.run(&["conformance", "sound.py"]).code(0);
}

/// Lists of texts of a column.
fn text_lists(table: &Path, name: &str) -> Vec<Vec<String>> {
    let reader = ParquetReader::open(File::open(table).expect("a table")).expect("a table");
    let frame = reader.group(0, Some(&[name])).expect("rows");
    let lists = frame.column(name).and_then(Column::list).expect("lists");
    let texts = lists.values.str().expect("texts");
    let list = |row| lists.range(row).expect("a list in every row");
    let text = |place| texts.get(place).expect("a text").to_owned();
    (0..frame.height()).map(|row| list(row).map(text).collect()).collect()
}

/// Asserts that a column has the genomes of another by name: exact numbers, and words of choices.
fn assert_names(table: &Path, genes: &str, named: &str) -> (Vec<Vec<f64>>, Vec<Vec<String>>) {
    let (genomes, texts) = (lists(table, genes), text_lists(table, named));
    assert!(genomes.len() == texts.len() && !genomes.is_empty());
    for (genes, texts) in genomes.iter().zip(&texts) {
        let read = |(locus, text): (usize, &String)| match locus {
            2 => ["a", "b", "c"].iter().position(|word| word == text).map(|index| index as f64),
            _ => text.parse().ok(),
        };
        let read: Option<Vec<f64>> = texts.iter().enumerate().map(read).collect();
        assert_eq!(read.as_ref(), Some(genes), "{texts:?}");
    }
    (genomes, texts)
}

#[test]
fn named_values_are_read_as_first_genomes() {
    let Some(sandbox) = sandbox() else { return };
    let (head, _) = SEARCHES.split_once("[[operators]]\nname       = \"reset\"").expect("sets");
    let traced = format!("{head}[stop]\ngenerations = 2\n[output]\ntrace = \"genomes\"\n");
    sandbox.write("t.toml", &traced);
    sandbox.run(&[&["t.toml"], &QUIET[..]].concat()).code(0);
    let table = |name: &str| sandbox.path(format!("results/t/{name}.parquet"));
    assert_names(&table("generations"), "genome", "genome_named");
    let (numbers, names) = assert_names(&table("trials"), "best", "best_named");
    let numbers = numbers.iter().map(|row| row.iter().map(f64::to_string).collect());
    let csv =
        |rows: &[Vec<String>]| rows.iter().map(|row| row.join(",") + "\n").collect::<String>();
    sandbox.write("numbers.csv", csv(&numbers.collect::<Vec<_>>()));
    sandbox.write("names.csv", csv(&names));
    let table = "file = \"results/t/trials.parquet\"";
    let mut hashes = Vec::new();
    for (place, start) in [
        table.to_owned(),
        format!("{table}\ncolumn = \"best_named\""),
        "file = \"numbers.csv\"".to_owned(),
        "file = \"names.csv\"".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        sandbox.write("x.toml", format!("{traced}[start]\n{start}\n"));
        let out = place.to_string();
        sandbox.run(&[&["x.toml", "--out", &out], &QUIET[..]].concat()).code(0);
        hashes.push(hash(&sandbox, &out));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    for (line, words) in [
        ("0.5,4,d,1", "names.csv: line 2: gene 3 is `d`, which is no name of a choice (a, b, c)"),
        ("0.5,b,b,1", "names.csv: line 2: gene 2 is `b`, which is no number"),
        ("0.5,4,3,1", "gene 3 of this problem (`typed`) is the number of a choice, from 0 to 2"),
    ] {
        sandbox.write("names.csv", format!("0.5,4,b,1\n{line}\n"));
        sandbox.run(&["check", "x.toml"]).code(2).warns(words);
    }
    // Without choices there is nothing to name.
    sandbox.write(
        "plain.py",
        TYPED
            .replace("words, Bit", "Integer(0, 2), Bit")
            .replace("assert [", "word = 'abc'[word]; [")
            .replace("\"abc\")", "range(3))"),
    );
    sandbox.write("p.toml", traced.replace("typed.py", "plain.py"));
    sandbox.run(&[&["p.toml"], &QUIET[..]].concat()).code(0);
    let plain = rows(&sandbox, &["results/p", "--trials"]);
    assert!(plain.iter().all(|row| row["best"].is_array() && row.get("best_named").is_none()));
    let drawn = sandbox.run(&["sample", "typed.py", "--format", "genes"]).code(0);
    let word = drawn.stdout.split_whitespace().nth(2).map(str::to_owned);
    assert!(word.is_some_and(|word| ["a", "b", "c"].contains(&word.as_str())), "{}", drawn.stdout);
}

#[test]
fn a_name_that_is_another_choice_for_another_arm_is_refused() {
    let Some(sandbox) = sandbox() else { return };
    let other = TYPED.replace("choices=[\"no\",", "choices=[\"no\", \"order\",").replace(
        "Choice(\"a\", \"b\", \"c\")",
        "Choice(*(\"bac\" if self.breaks == \"order\" else \"abc\"))",
    );
    sandbox.write("typed.py", other);
    let sweep =
        "[sweep]\n\"problem.breaks\" = [\"no\", \"order\"]\n[start]\nfile = \"first.csv\"\n";
    sandbox.write("x.toml", format!("{SEARCHES}{sweep}"));
    sandbox.write("first.csv", "0.5,4,c,1\n");
    sandbox.run(&["check", "x.toml"]).code(0);
    sandbox.write("first.csv", "0.5,4,b,1\n");
    let ran = sandbox.run(&["check", "x.toml"]).code(2);
    ran.warns("first.csv: its names are other choices for the arm `mixed problem.breaks=order`");
}

#[test]
fn a_value_of_another_kind_is_named() {
    let Some(sandbox) = sandbox() else { return };
    for (breaks, words) in [
        ("half", "gene 1 of row 0 is 1.5, but must be a whole number from -3 to 9"),
        ("beyond", "gene 1 of row 0 is 12, but must be a whole number from -3 to 9"),
        ("word", "sample returned the value 'd' of gene 2, which is none of Choice('a', 'b', 'c')"),
    ] {
        let ran = sandbox.run(&["sample", "typed.py", "--set", &format!("breaks={breaks}")]);
        ran.warns(words);
    }
    for (genes, words) in [
        ("Real(1, 0)", "gene 0 is a number from 1 to 0"),
        ("Integer(0.5, 2)", "gene 0 is a whole number from 0.5 to 2"),
        ("Choice(\"a\", \"a\")", "each once"),
        ("Choice(\"a\", \"b c\")", "a word without white space"),
        ("Real(0.5, low=0, high=1)", "Mixed has genes, Real(low, high)"),
        ("Choice(\"a\")", "two or more words alone, for a gene"),
        ("Bit(name=\"x\"), Bit(name=\"x\")", "two genes are called `x`"),
    ] {
        sandbox.write(
            "wrong.py",
            format!(
                "from runner import *\nclass Problem:\n    def describe(self):\n        return \
                Mixed([{genes}])\n    def fitness(self, genome):\n        return 0\n"
            ),
        );
        sandbox.run(&["sample", "wrong.py"]).warns(words);
    }
    // Operators of numbers do not fit, and say so.
    sandbox.write("y.toml", SEARCHES.replace("\"one-point\"", "\"sbx\""));
    let ran = sandbox.run(&["check", "y.toml"]).code(2);
    ran.warns("works on real, and the problem's encoding is mixed");
    sandbox.write("first.csv", "0.5,4,1,1\n0.5,4,3,1\n");
    sandbox.write("z.toml", format!("{SEARCHES}\n[start]\nfile = \"first.csv\"\n"));
    let ran = sandbox.run(&["check", "z.toml"]).code(2);
    ran.warns("gene 3 of this problem (`typed`) is the number of a choice, from 0 to 2 (a, b, c)");
}

#[test]
fn the_example_of_a_controller_runs() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    for name in ["controller.py", "controller.toml"] {
        sandbox.write(name, document(&format!("examples/python/{name}")));
    }
    let short = ["controller.toml", "--repeats", "2", "--set", "stop.evaluations=60"];
    sandbox.run(&[&short[..], &QUIET[..]].concat()).code(0);
    let all = rows(&sandbox, &["results/controller", "--trials"]);
    assert!(all.iter().all(|row| {
        row["best_text"].as_str().is_some_and(|text| text.contains(" proportional="))
    }));
}

/// Operators in Python that see the values of mixed genomes.
const OPERATORS: &str = r#"
from runner import Algorithm, Crossover, Mutation

class Either(Crossover):
    encodings = ["mixed"]

    def crossover(self, first, second, rng):
        assert [type(one) for one in first] == [float, int, str, bool], first
        return [rng.choice(pair) for pair in zip(first, second)]

class Fresh(Mutation):
    encodings = ["mixed"]

    def mutate(self, genome, rng):
        locus = rng.randrange(len(genome))
        genome[locus] = self.domain.genes[locus].sample(rng)

class Draws(Algorithm):
    encodings = ["mixed"]

    def ask(self):
        return [[gene.sample(self.rng) for gene in self.domain.genes] for _ in range(10)]

    def tell(self, genomes, fitness):
        assert all(genome[2] in "abc" for genome in genomes)
"#;

#[test]
fn operators_in_python_see_the_values() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("own.py", OPERATORS);
    let config = "repeats = 2\n[problem]\nplugin = \"typed.py\"\n[[operators]]\npopulation = 10\n\
        selection = \"tournament\"\ncrossover = { plugin = \"own.py\" }\n\
        mutation = { plugin = \"own.py\" }\n[[operators]]\nname = \"own\"\n\
        algorithm = { plugin = \"own.py\" }\n[stop]\nfitness = 0\nevaluations = 200\n";
    sandbox.write("o.toml", config);
    sandbox.run(&[&["o.toml"], &QUIET[..]].concat()).code(0);
    let trials = rows(&sandbox, &["results/o", "--trials"]);
    assert!(trials.len() == 4 && trials.iter().all(|row| row["error"].is_null()), "{trials:?}");
    sandbox.run(&["conformance", "own.py"]).code(0);
}

#[test]
fn a_batch_of_numpy_is_a_matrix_of_numbers() {
    if python("numpy").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let source = TYPED.replace("    def fitness(self, genome):", "    def each(self, genome):");
    let batch = r"
    def evaluate(self, genomes):
        assert genomes.dtype == numpy.float64
        assert set(genomes[:, 2]) <= {0.0, 1.0, 2.0}
        return genomes.sum(axis=1)
";
    sandbox.write(
        "typed.py",
        format!("import numpy\n{source}{batch}")
            .replace("rng.randint(-3, 9)", "rng.integers(-3, 10)")
            .replace("rng.choice(\"abc\")", "\"b\""),
    );
    let interpreter = crate::python::interpreter();
    sandbox.run(&["sample", "typed.py", "--count", "3", "--interpreter", &interpreter]).code(0);
    let only = ["--only", "rows", "--interpreter", &interpreter];
    sandbox.run(&[&["conformance", "typed.py"], &only[..]].concat()).code(0);
}

#[test]
fn a_run_that_was_killed_ends_with_the_same_bytes() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.run(&[&["x.toml", "--out", "whole"], &QUIET[..]].concat()).code(0);
    for _ in 0..3 {
        let mut command = sandbox.command();
        command.args(["x.toml", "--jobs", "1", "--out", "killed"]).args(QUIET);
        let mut child = command.spawn().expect("the binary starts");
        eventually("a journal", || sandbox.path("killed").is_dir());
        child.kill().expect("it can be killed");
        child.wait().expect("gone");
    }
    sandbox.run(&[&["x.toml", "--out", "killed"], &QUIET[..]].concat()).code(0);
    assert_eq!(hash(&sandbox, "killed"), hash(&sandbox, "whole"));
}

/// A problem of C++ with a gene of each kind.
const CPP: &str = r#"#include "runner_plugin.hpp"
struct Kinds {
    using Gene = double;
    static constexpr const char *name = "kinds", *version = "1", *summary = "A gene of each kind.";
    std::vector<runner::MixedGene> genes{
        runner::MixedGene::real(0, 1).named("rate"), runner::MixedGene::integer(-3, 9),
        runner::MixedGene::choice({"a", "b", "c"}), runner::MixedGene::bit().named("on")};
    explicit Kinds(const runner::Values &) {}
    runner::Description describe() const {
        runner::Description made = runner::Description::mixed(genes);
        made.ideal = -3;
        return made;
    }
    void sample(runner::Random &random, runner::Genome<Gene> genome) const {
        for (std::size_t locus = 0; locus < genome.size(); locus++) {
            genome[locus] = genes[locus].sample(random);
        }
    }
    double fitness(runner::Genome<const Gene> genome) const {
        return genome[0] + genome[1] + genome[2] + genome[3];
    }
};
RUNNER_PLUGIN(Kinds)
"#;

#[test]
fn a_problem_in_cpp_has_mixed_genes() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("kinds.cpp", CPP);
    compile(&sandbox, &["c++", "-std=c++17", "-shared", "-fPIC", "kinds.cpp", "-o", "libkinds.so"]);
    sandbox.run(&["conformance", "kinds", "--plugin-dir", "."]).code(0);
    let listed = sandbox.run(&["plugins", "--plugin-dir", "."]).code(0);
    listed.says("mixed, 4 genes (f64): 1 number, 1 whole number, 1 choice, 1 bit");
    sandbox.write("x.toml", SEARCHES.replace("typed.py", "kinds"));
    sandbox.run(&[&["x.toml", "--plugin-dir", "."], &QUIET[..]].concat()).code(0);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    assert!(trials.iter().all(|row| row["error"].is_null()), "{trials:?}");
    let text = trials[0]["best_text"].as_str().expect("a text");
    let words: Vec<&str> = text.split(' ').collect();
    assert!(words[0].starts_with("rate=0") && ["a", "b", "c"].contains(&words[2]), "{text}");
}
