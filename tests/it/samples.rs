//! Samples of a sweep: some of its combinations, by the seed of the experiment.

use crate::util::{Sandbox, rows};
use std::collections::BTreeSet;

const CONFIG: &str = r#"
repeats = 3
seed    = 11
[problem]
plugin = "onemax"
length = 20
[[operators]]
name      = "ga"
selection = { kind = "tournament", size = 2 }
mutation  = "bit-flip"
[[operators]]
name      = "drawn"
algorithm = "random-search"
[stop]
evaluations = 300
[sweep]
"#;

const LISTS: &str = "\"problem.length\" = { from = 10, to = 19, step = 1 }\n\
    \"operators.population\" = [4, 6, 8, 10]\n";

const RANGES: &str = "\"problem.length\" = { from = 10, to = 80 }\n\
    \"operators.population\" = { from = 4, to = 400, course = \"geometric\" }\n\
    \"operators.ga.mutation.rate\" = { from = 0.01, to = 0.5 }\n";

/// Returns the arms' labels, in the order of the table.
fn labels(sandbox: &Sandbox, results: &str) -> Vec<String> {
    let rows = rows(sandbox, &[results]);
    rows.iter().map(|row| row["arm"].as_str().expect("a label").to_owned()).collect()
}

/// Returns what the labels of an operator set's arms say of these keys.
fn combinations(labels: &[String], set: &str, keys: &[&str]) -> BTreeSet<Vec<String>> {
    let own = labels.iter().filter(|label| label.split(' ').next() == Some(set));
    own.map(|label| {
        let word = |word: &&str| keys.iter().any(|key| word.starts_with(&format!("{key}=")));
        label.split(' ').filter(word).map(str::to_owned).collect()
    })
    .collect()
}

/// Each shard and each run has equal arms: to the byte.
#[test]
fn a_sample_is_that_of_its_seed() {
    let sandbox = Sandbox::new();
    for (name, sweep) in [
        ("random", format!("sample = 7\n{LISTS}")),
        ("between", format!("sample = 7\n{RANGES}")),
        ("latin", format!("sample = 7\nmethod = \"latin-hypercube\"\n{RANGES}")),
        ("sobol", format!("sample = 8\nmethod = \"sobol\"\n{RANGES}")),
    ] {
        let file = format!("{name}.toml");
        sandbox.write(&file, format!("{CONFIG}{sweep}"));
        sandbox.run(&[&*file, "--isolation", "process"]).code(0);
        for shard in ["1/2", "2/2"] {
            sandbox.run(&[&*file, "--shard", shard, "--out", "parts"]).code(0);
        }
        let parts = [1, 2].map(|part| format!("parts/{name}.shard-{part}-of-2"));
        sandbox.run(&["merge", "--out", "parts", &parts[0], &parts[1]]).code(0);
        for table in ["trials", "summary"] {
            let read = |out: &str| sandbox.read(&format!("{out}/{name}/{table}.parquet"));
            assert!(read("parts") == read("results"), "{name}");
        }
        sandbox.run(&["verify", &format!("results/{name}"), "--all"]).code(0);
        sandbox.run(&[&*file, "--seed", "12", "--out", "other"]).code(0);
        sandbox.run(&["verify", &format!("other/{name}"), "--all"]).code(0);
        let first = labels(&sandbox, &format!("results/{name}"));
        let other = labels(&sandbox, &format!("other/{name}"));
        assert!(first.len() == other.len() && first != other, "{first:?}");
        // Both sets search the same problems with the same populations.
        let keys = ["problem.length", "operators.population"];
        let of = |set: &str| combinations(&first, set, &keys);
        assert_eq!(of("ga"), of("drawn"), "{name}");
        assert_eq!(of("ga").len(), first.len() / 2, "{first:?}");
    }
}

#[test]
fn a_larger_sample_continues_the_smaller_one() {
    let sandbox = Sandbox::new();
    for (method, few, many) in [("random", 6, 15), ("sobol", 4, 16)] {
        let sweep = format!("sample = {few}\nmethod = \"{method}\"\n{RANGES}");
        sandbox.write(&format!("{method}.toml"), format!("{CONFIG}{sweep}"));
        let file = format!("{method}.toml");
        sandbox.run(&[&file]).code(0);
        let size = format!("sweep.sample={many}");
        let done = format!("{} of them already done", few * 2 * 3);
        sandbox.run(&[&*file, "--set", &size]).code(0).warns(&done);
        let arms = labels(&sandbox, &format!("results/{method}"));
        assert_eq!(arms.len(), many * 2, "{arms:?}");
    }
}

/// All combinations, as many as the grid has, are the grid.
#[test]
fn a_sample_of_all_combinations_has_the_arms_of_the_grid() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{CONFIG}{LISTS}"));
    sandbox.run(&["x.toml"]).code(0);
    let except = "except = [{ \"problem.length\" = 10, \"operators.population\" = [4, 6] }]\n";
    sandbox.write("all.toml", format!("{CONFIG}sample = 38\n{LISTS}{except}"));
    sandbox.run(&["all.toml"]).code(0);
    let sorted = |name: &str| BTreeSet::from_iter(labels(&sandbox, &format!("results/{name}")));
    let (grid, all) = (sorted("x"), sorted("all"));
    assert_eq!((grid.len(), all.len()), (80, 76));
    assert!(all.is_subset(&grid));
    let left: Vec<&String> = grid.difference(&all).collect();
    assert!(left.iter().all(|label| label.contains("length=10 ")), "{left:?}");
}

#[test]
fn options_designs_and_several_sweeps_go_with_samples() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{CONFIG}sample = 5\n{LISTS}"));
    let check = |set: &[&str]| sandbox.run(&[&["check", "x.toml"], set].concat());
    check(&[]).code(0).says("a random sample of 5 of 40 combinations").says("10 arms");
    check(&["--set", "sweep.sample=9"]).code(0).says("18 arms");
    check(&["--set", "sweep.method=sobol"]).code(0).says("5 points of a Sobol sequence");
    let one = check(&["--set", "problem.length=33", "--set", "sweep.sample=3"]).code(0);
    one.says("sweep: problem.length = 33\n").says("6 arms");
    check(&["--set", "problem.length=33"]).code(2).warns("but there are 4 combinations");
    // Rows of a table, and keys that go together, are drawn whole.
    sandbox.write("d.csv", "problem.length,operators.population\n11,4\n12,5\n13,6\n14,7\n15,8\n");
    sandbox.write("x.toml", format!("{CONFIG}sample = 3\nfrom = \"d.csv\"\n"));
    sandbox.run(&["x.toml"]).code(0);
    for label in labels(&sandbox, "results/x") {
        let number = |key: &str| -> i64 {
            let word = label.split(' ').find_map(|word| word.strip_prefix(key));
            word.expect("the key").parse().expect("a number")
        };
        assert_eq!(number("problem.length="), number("operators.population=") + 7, "{label}");
    }
    // Each sweep has its own.
    let base = CONFIG.replace("[sweep]\n", "");
    let two = format!("{base}[[sweep]]\nsample = 4\n{LISTS}[[sweep]]\nsample = 4\n{LISTS}");
    sandbox.write("x.toml", two);
    let found = sandbox.run(&["check", "x.toml"]).code(0);
    let arms = |count: &str| found.stdout.contains(&format!("{count} arms x"));
    assert!(["12", "14", "16"].iter().any(|count| arms(count)), "{found}");
    // A huge grid is not built.
    let keys = ["evaluations", "generations", "stagnation"];
    let range = |key| format!("\"stop.{key}\" = {{ from = 1, to = 100000, step = 1 }}\n");
    let huge = format!("sample = 20\n\"operators.population\" = [4]\n{}", keys.map(range).concat());
    sandbox.write("x.toml", format!("{CONFIG}{huge}"));
    sandbox.run(&["check", "x.toml", "--rows", "1"]).code(0).says("40 arms");
}

#[test]
fn what_is_wrong_with_a_sample_is_said_at_its_place() {
    let sandbox = Sandbox::new();
    let told = |sweep: &str, words: &[&str]| {
        sandbox.write("x.toml", format!("{CONFIG}{sweep}"));
        let ran = sandbox.run(&["check", "x.toml"]).code(2);
        for word in words {
            assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
        }
        ran
    };
    let many = format!("sample = 41\n{LISTS}");
    let ran = told(&many, &["`sample` = 41, but there are 40 combinations", "x.toml:17:10"]);
    assert!(ran.stderr.contains("\n1 error;"), "{ran}");
    let except = "except = [{ \"operators.population\" = [4, 6, 8] }]\n";
    let many = format!("sample = 11\n{LISTS}{except}");
    told(&many, &["`sample` = 11, but there are 10 combinations"]);
    told(&format!("sample = 0\n{LISTS}"), &["`sample` = 0 is not allowed", "x.toml:17:10"]);
    told(&format!("sample = \"5\"\n{LISTS}"), &["`sample` must be an integer"]);
    let method = format!("sample = 5\nmethod = \"sobl\"\n{LISTS}");
    told(&method, &["did you mean \"sobol\"?", "x.toml:18:10"]);
    told(&format!("method = \"sobol\"\n{LISTS}"), &["this sweep has none", "x.toml:17:10"]);
    told(RANGES, &["needs either a step or a factor", "it needs a `sample`"]);
    let together = format!(
        "sample = 4\n{RANGES}together = [\"problem.length\", \
        \"operators.population\"]\n"
    );
    told(&together, &["the values of `problem.length` go together with others"]);
    let turned = RANGES.replace("from = 10, to = 80", "from = 80, to = 10");
    told(&format!("sample = 4\n{turned}"), &["no values between 80 and 10", "`from` is below"]);
    let zero = RANGES.replace("from = 4,", "from = 0,");
    told(&format!("sample = 4\n{zero}"), &["the geometric range of `operators.population`"]);
    // Values that a key does not take are faults of the range.
    let wide = RANGES.replace("to = 0.5 }", "to = 1.5 }");
    told(&format!("sample = 9\n{wide}"), &["`rate` = 1.", "x.toml:20:"]);
    // A wrong sample makes no grid.
    let huge = "sample = 0\n\"problem.length\" = { from = 1, to = 500000, step = 1 }\n";
    let ran = told(huge, &["`sample` = 0 is not allowed"]);
    assert!(!ran.stderr.contains("more than 100000 arms"), "{ran}");
    // Few values make fewer combinations: a warning, and the arms that there are.
    let few = format!("sample = 39\nmethod = \"latin-hypercube\"\n{LISTS}");
    sandbox.write("x.toml", format!("{CONFIG}{few}"));
    let ran = sandbox.run(&["check", "x.toml"]).code(0);
    ran.warns("the sample of 39 points has").warns("are repeated or left out");
}
