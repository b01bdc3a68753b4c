//! Problems with data: the shipped configs reach their targets, and bad files are refused.

use crate::given::instance;
use crate::util::{Sandbox, document, rows, sized};

#[test]
fn the_searches_of_the_configs_reach_their_targets() {
    for name in ["tsp", "jobshop", "maxcut", "maxsat", "qap", "knapsack", "landscapes"] {
        let sandbox = Sandbox::new();
        sandbox.write("x.toml", document(&format!("configs/{name}.toml")));
        let repeats = sized(8, 20).to_string();
        sandbox.run(&["x.toml", "--set", "name=x", "--repeats", &repeats]).code(0);
        let arms = rows(&sandbox, &["results/x"]);
        let best = arms.iter().filter_map(|row| row["success_rate"].as_f64()).fold(0.0, f64::max);
        assert!(best >= 0.25, "{name}: at best {best}");
    }
}

#[test]
fn the_shipped_searches_reach_the_optimum_of_fisher_and_thompson() {
    let sandbox = Sandbox::new();
    let page = document("docs/problems.md");
    sandbox.write("ft06.txt", instance(&page));
    sandbox.write("x.toml", document("configs/jobshop.toml"));
    let on_file = ["--set", "problem.file=\"ft06.txt\"", "--set", "stop.fitness=55"];
    let few = ["--set", "name=x", "--repeats", "10"];
    sandbox.run(&[&["x.toml"], &on_file[..], &few[..]].concat()).code(0);
    let arms = rows(&sandbox, &["results/x"]);
    let climbs = arms.iter().find(|row| row["arm"] == "climbs by exchanges").expect("the arm");
    assert_eq!(climbs["success_rate"].as_f64(), Some(1.0), "{climbs}");
    // No schedule is shorter than the published optimum.
    let none = ["--set", "problem.file=\"ft06.txt\"", "--set", "stop.fitness=54"];
    sandbox.run(&[&["x.toml"], &none[..], &few[..]].concat()).code(0);
    let arms = rows(&sandbox, &["results/x"]);
    assert!(arms.iter().all(|row| row["success_rate"].as_f64() == Some(0.0)), "{arms:?}");
}

#[test]
fn bad_files_are_refused_with_file_and_line() {
    let sandbox = Sandbox::new();
    for (plugin, text, words) in [
        ("tsp", "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: ROAD\n", "line 3: EDGE_WEIGHT_TYPE is"),
        (
            "tsp",
            "TYPE: TSP\nCOMMENT a: b\nDIMENSION: 3\nDIMENSION: 4\n",
            "line 4: DIMENSION stands twice",
        ),
        ("jobshop", "1 2\n0 5\n", "line 3: the file ends before the machine of operation 2"),
        ("jobshop", "1 2\n0 5 1 -4\n", "line 2: the time of operation 2 of job 1 is `-4`"),
        ("maxcut", "3 1\n1 4 1\n", "line 2: the second end of edge 1 is `4`"),
        ("maxsat", "p cnf 2 2\n1 0\n", "line 2: the file ends after 1 of 2 clauses"),
        ("qap", "999999999\n0\n", "line 1: the number of facilities is `999999999`"),
        ("knapsack", "2 5\n1 1\n2 2\n3 3\n", "line 4: `3` follows after 2 items"),
    ] {
        sandbox.write("bad.txt", text);
        let ran = sandbox.run(&["sample", plugin, "--set", "file=bad.txt"]).code(3);
        let named = format!("bad.txt, {words}");
        assert!(ran.stderr.contains(&named), "no {named:?}\n{ran}");
    }
}

/// A parameter that the others leave without effect is refused, so that no two arms differ in name
/// alone.
#[test]
fn parameters_without_effect_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("items.txt", "2 3\n1 1\n2 2\n");
    for (plugin, set, words) in [
        ("knapsack", "file=items.txt n=20", "`n` has no effect with a file"),
        ("knapsack", "file=items.txt class=subset-sum", "`class` has no effect with a file"),
        ("landscapes", "epistasis=4", "`epistasis` has no effect in an NK landscape"),
        ("landscapes", "landscape=w-model k=3", "`k` has no effect in the W-model"),
        ("maxcut", "density=1.0 instance=2", "`instance` has no effect in a complete graph"),
        ("maxcut", "graph=torus density=0.3", "`density` has no effect in a torus"),
        ("maxcut", "graph=torus instance=2", "`instance` has no effect in a torus with weights of"),
        ("nqueens", "puzzle=2", "`puzzle` has no effect without `placed-queens` and"),
        ("nqueens", "open-squares=3", "`open-squares` has no effect without"),
    ] {
        let sets = set.split(' ').flat_map(|one| ["--set", one]);
        let arguments: Vec<&str> = ["sample", plugin].into_iter().chain(sets).collect();
        sandbox.run(&arguments).code(3).warns(words).warns("; remove it, or give it only where");
    }
    let empty = ["sample", "maxcut", "--set", "density=0.0"];
    sandbox.run(&empty).code(3).warns("with `density` = 0 there is no edge to cut");
    for used in [
        ["knapsack", "file=items.txt", "n=50"],
        ["maxcut", "graph=torus", "weights=sign"],
        ["nqueens", "placed-queens=2", "puzzle=2"],
    ] {
        let [plugin, one, other] = used;
        sandbox.run(&["sample", plugin, "--set", one, "--set", other]).code(0);
    }
}
