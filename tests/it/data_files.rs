//! Files of data: found relative to the config, named by their contents, kept with the results.

use crate::python::python;
use crate::util::{Sandbox, however_run, tables};

const CITIES: &str = "TYPE: TSP\nDIMENSION: 5\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n\
    1 0 0\n2 30 0\n3 30 40\n4 0 40\n5 10 20\nEOF\n";

const CONFIG: &str = r#"
repeats = 5
[problem]
plugin = "tsp"
file   = "cities.tsp"
[[operators]]
name        = "ga"
population  = 4
selection   = { kind = "tournament", size = 2 }
crossover   = "order"
mutation    = "problem"
[[operators]]
name      = "climb"
algorithm = "hill-climbing"
[stop]
evaluations = 200
fitness     = 144
"#;

fn prepared() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a/cities.tsp", CITIES);
    sandbox.write("a/x.toml", CONFIG);
    sandbox
}

#[test]
fn the_contents_of_a_file_are_the_value_and_not_its_path() {
    let sandbox = prepared();
    let one = however_run(&sandbox, "a/x.toml");
    // Equal cities under another name, by an absolute path, and from an extended file.
    sandbox.write("far/other.txt", CITIES);
    let far = format!("problem.file=\"{}\"", sandbox.path("far/other.txt").display());
    sandbox.run(&["a/x.toml", "--set", &far, "--out", "moved"]).code(0);
    assert!(tables(&sandbox, "moved/x") == one);
    sandbox.write("y.toml", "extends = \"a/x.toml\"\nname = \"x\"\n");
    sandbox.run(&["y.toml", "--out", "extended"]).code(0);
    assert!(tables(&sandbox, "extended/x") == one);
    // Copies of the data are kept: the files are not needed any more.
    let hash = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    assert!(hash.contains("named = \"cities.tsp\"\nblake3 = \""), "{hash}");
    sandbox.write("a/cities.tsp", CITIES.replace("5 10 20", "5 20 20"));
    std::fs::remove_dir_all(sandbox.path("far")).expect("a folder");
    for folder in ["results/x", "merged/x", "moved/x", "extended/x"] {
        sandbox.run(&["verify", folder, "--all"]).code(0).says("10 of 10 trials are the same");
        sandbox.run(&["replay", folder, "climb", "2"]).code(0).says("trial 2");
    }
    // Another content makes other arms.
    let ran = sandbox.run(&["a/x.toml"]).code(0);
    assert!(ran.stderr.contains("10 trials moved to"), "{ran}");
    assert!(tables(&sandbox, "results/x") != one);
}

#[test]
fn a_results_hash_is_challenged_with_the_file_elsewhere() {
    let sandbox = prepared();
    let ran = sandbox.run(&["a/x.toml"]).code(0);
    let at = ran.stdout.find("r1-").expect("a results hash");
    let hash = &ran.stdout[at..at + 35];
    sandbox.write("b/cities.tsp", CITIES);
    sandbox.write("b/x.toml", CONFIG);
    sandbox.run(&["challenge", "b/x.toml", "--hash", hash]).code(0).says("same: ");
    sandbox.write("b/cities.tsp", CITIES.replace("5 10 20", "5 11 20"));
    sandbox.run(&["challenge", "b/x.toml", "--hash", hash]).code(1).says("different: ");
}

#[test]
fn files_are_swept_and_equal_contents_are_the_same_arm() {
    let sandbox = prepared();
    sandbox.write("a/more.tsp", CITIES.replace("5 10 20", "5 12 20"));
    let sweep = "[sweep]\n\"problem.file\" = [\"cities.tsp\", \"more.tsp\"]\n";
    sandbox.write("a/x.toml", format!("{CONFIG}{sweep}"));
    sandbox.run(&["a/x.toml"]).code(0);
    sandbox.run(&["show", "results/x"]).code(0).says("more.tsp");
    sandbox.write("a/more.tsp", CITIES);
    sandbox.run(&["a/x.toml"]).code(2).warns("same settings");
}

#[test]
fn a_file_that_cannot_be_read_is_refused_before_anything_runs() {
    let sandbox = prepared();
    std::fs::create_dir(sandbox.path("a/folder")).expect("a folder");
    let cases = [
        ("none.tsp", "`file`: a/none.tsp: there is no such file"),
        ("folder", "`file`: a/folder: it is no file"),
        ("~/cities.tsp", "write the path of the home folder in place of ~"),
    ];
    for (path, words) in cases {
        sandbox.write("a/x.toml", CONFIG.replace("cities.tsp", path));
        let ran = sandbox.run(&["a/x.toml"]).code(2);
        assert!(ran.stderr.contains(words), "no {words:?}\n{ran}");
        assert!(ran.stderr.contains("a/x.toml:5"), "no line\n{ran}");
        assert!(!sandbox.path("results").exists(), "{ran}");
    }
    sandbox.write("a/x.toml", CONFIG.replace("\"cities.tsp\"", "7"));
    sandbox.run(&["a/x.toml"]).code(2).warns("must be a string in quotes");
    // The plugin checks the contents of the file, and names file and line.
    sandbox.write("a/cities.tsp", CITIES.replace("4 0 40", "4 0 forty"));
    sandbox.write("a/x.toml", CONFIG);
    let ran = sandbox.run(&["a/x.toml"]).code(3);
    let words = "cities.tsp, line 8: the second coordinate of city 4 is `forty`, but must be a";
    assert!(ran.stderr.contains(words), "{ran}");
}

#[test]
fn a_command_takes_a_file_relative_to_the_working_folder() {
    let sandbox = prepared();
    let of_file = ["--set", "file=a/cities.tsp"];
    let drawn = sandbox.run(&[&["sample", "tsp"], &of_file[..]].concat()).code(0);
    assert!(drawn.stdout.contains("length "), "{drawn}");
    sandbox.run(&["sample", "tsp", "--set", "file=cities.tsp"]).code(2).warns("no such file");
    let twice = ["sample", "nqueens", "--set", "n=5", "--set", "problem.n=6"];
    sandbox.run(&twice).code(2).warns("`n` is set to two values").warns("keep one of them");
    sandbox.run(&[&["conformance", "tsp"], &of_file[..]].concat()).code(0);
}

/// The folder may come from a stranger, whose config names a file of this machine.
#[test]
fn a_config_in_a_results_folder_opens_no_file_but_the_kept_one() {
    let sandbox = prepared();
    sandbox.run(&["a/x.toml"]).code(0);
    let run = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    let at = run.find("[[runs.data-files]]").expect("the file");
    let without: Vec<&str> = run[at..].lines().skip(3).collect();
    sandbox.write("results/x/run.toml", format!("{}{}", &run[..at], without.join("\n")));
    let ran = sandbox.run(&["verify", "results/x"]);
    assert!(ran.code != Some(0), "{ran}");
    let words = "the config in a results folder cannot read a file of data";
    assert!(ran.stderr.contains(words) && ran.stderr.contains("add --trust"), "{ran}");
    sandbox.run(&["verify", "results/x", "--trust"]).code(0);
    // A copy that is not what it was is no file of the trials.
    sandbox.write("results/x/run.toml", &run);
    let kept = std::fs::read_dir(sandbox.path("results/x/data")).expect("the copies");
    let kept = kept.map(|entry| entry.expect("an entry").path()).next().expect("a copy");
    std::fs::write(kept, CITIES.replace("5 10 20", "5 19 20")).expect("a file");
    let ran = sandbox.run(&["verify", "results/x"]);
    assert!(ran.code != Some(0), "{ran}");
    assert!(ran.stderr.contains("it is not the file that the trials ran with"), "{ran}");
}

const ONES: &str = r#"
import os
from runner import Bits, File

class Problem:
    parameters = {"target": File("", doc="The bits to find.")}

    def __init__(self, target):
        assert target == "" or os.path.isabs(target)
        self.bits = open(target).read().strip() if target else "1111"

    def describe(self):
        return Bits(len(self.bits), ideal=0)

    def fitness(self, genome):
        return sum(str(gene) != bit for gene, bit in zip(genome, self.bits))
"#;

#[test]
fn a_problem_in_python_gets_the_absolute_path() {
    if python("os").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("ones.py", ONES);
    sandbox.write("bits.txt", "010101\n");
    let config = CONFIG
        .replace("\"tsp\"", "\"ones.py\"")
        .replace("file   = \"cities.tsp\"", "target = \"bits.txt\"")
        .replace("\"order\"", "\"uniform\"")
        .replace("\"problem\"", "\"bit-flip\"")
        .replace("fitness     = 144\n", "");
    sandbox.write("x.toml", &config);
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["show", "results/x", "--trials"]).code(0).says("0 1 0 1 0 1");
    sandbox.write("x.toml", config.replace("target = \"bits.txt\"\n", ""));
    sandbox.run(&["x.toml"]).code(0);
}
