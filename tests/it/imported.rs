//! Imported trials in the hands of other commands: instances are told apart, targets are kept, and
//! formats of other tools have what they need.

use crate::util::{Sandbox, rows};
use serde_json::json;

fn csv(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("{name}.csv"), text);
}

/// Seeds of instances are numbers of 64 bits, and names such as 0101 are no numbers.
#[test]
fn instances_keep_their_names() {
    let sandbox = Sandbox::new();
    let head = "arm,problem.instance,success,evaluations\n";
    for (name, cells, arms) in [
        ("large", &["9223372036854775809", "9223372036854775810", "18446744073709551615"][..], 3),
        ("bits", &["0101", "101", "00101"], 3),
        ("whole", &["8", "8.0", "0.8e1"], 1),
        ("real", &["0.5", "5e-1", "0.25"], 2),
    ] {
        let rows_of = |cell: &&str| format!("X,{cell},1,5\n");
        csv(&sandbox, name, &format!("{head}{}", cells.iter().map(rows_of).collect::<String>()));
        sandbox.run(&["import", &format!("{name}.csv")]).code(0);
        let found = rows(&sandbox, &[&format!("results/{name}")]);
        assert_eq!(found.len(), arms, "{name}");
    }
    let joined = "alg,var,success,evaluations\nGA 1,2,1,5\nGA,1 2,0,100\n";
    csv(&sandbox, "joined", joined);
    let map = ["import", "joined.csv", "--map", "arm=alg,problem.var=var"];
    sandbox.run(&map).code(0).says("2 trials of 2 arms");
}

/// The target of an import is that of its arms, in tables, exports and comparisons.
#[test]
fn a_target_is_kept() {
    let sandbox = Sandbox::new();
    csv(
        &sandbox,
        "a",
        "arm,fitness,evaluations\nA,1.5,100\nA,0.5,40\nA,0.2,30\nA,2,100\nA,0.9,60\nA,0.1,50\n",
    );
    sandbox.run(&["import", "a.csv", "--target", "1"]).code(0);
    let row = &rows(&sandbox, &["results/a"])[0];
    assert_eq!(row["ert"], json!(95.0));
    assert!(row["settings"].to_string().contains("fitness = 1.0"), "{row}");
    let export = ["export", "results/a", "--format", "coco", "--out", "coco"];
    // Its problem has no dimension, which the format needs.
    sandbox.run(&export).code(4).warns("--map problem.dimension=COLUMN");
    csv(&sandbox, "b", "arm,problem.n,fitness,evaluations\nA,2,1.5,100\nA,2,0.5,40\nA,2,0.2,30\n");
    sandbox.run(&["import", "b.csv", "--target", "1"]).code(0);
    let told = sandbox.run(&["export", "results/b", "--format", "coco", "--out", "coco"]).code(0);
    assert!(!told.stderr.contains("without a target"), "{told}");
    let index = sandbox.read("coco/A-imported/bbobexp_f1.info");
    let index = String::from_utf8(index).expect("UTF-8");
    assert!(index.contains("DIM = 2,") && index.contains(", 2:40|1e-8"), "{index}");
    // Without evaluations there is nothing to export.
    csv(&sandbox, "c", "arm,fitness\nA,1.5\nA,2\n");
    sandbox.run(&["import", "c.csv"]).code(0);
    let export = ["export", "results/c", "--format", "ioh"];
    sandbox.run(&export).code(4).warns("not known how many evaluations");
    // Next to arms that succeed at another value.
    let text = "name = \"ours\"\nrepeats = 5\n[problem]\nplugin = \"onemax\"\nlength = 4\n\
        [[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\npopulation = 4\n[stop]\n\
        evaluations = 40\n";
    sandbox.write("ours.toml", text);
    sandbox.run(&["ours.toml"]).code(0);
    let beside = ["import", "a.csv", "--name", "next", "--beside", "results/ours", "--target"];
    sandbox.run(&[&beside[..], &["1"]].concat()).code(2).warns("import with --target 0");
    sandbox.run(&[&beside[..], &["0"]].concat()).code(0);
}

/// Numbers that an import does not use are no missing trials.
#[test]
fn a_gate_counts_the_trials_that_there_are() {
    let sandbox = Sandbox::new();
    let rows = |first: u64, step: u64| -> String {
        let row = |trial: u64| {
            format!("A,{},{},9\n", first + step * trial, u64::from(!trial.is_multiple_of(4)))
        };
        (0..40).map(row).collect()
    };
    for (name, rows) in [("one", rows(1, 1)), ("far", rows(100, 100))] {
        csv(&sandbox, name, &format!("arm,trial,success,evaluations\n{rows}"));
        sandbox.run(&["import", &format!("{name}.csv")]).code(0);
        let folder = format!("results/{name}");
        let gate = ["gate", &folder, "--at-least", "success_rate >= 0.58"];
        let gated = sandbox.run(&gate).code(0);
        assert!(!gated.stderr.contains("missing"), "{gated}");
    }
    let large = "arm,trial,success,evaluations\nA,18446744073709551615,1,5\n";
    csv(&sandbox, "large", large);
    sandbox.run(&["import", "large.csv"]).code(2).warns("must be at most 1000000000000000");
}

/// A run whose first value is no number has the best of the others.
#[test]
fn a_step_that_is_no_number_is_behind_all_others() {
    let sandbox = Sandbox::new();
    let index = |more: &str| {
        format!(
            "{{\"function_name\":\"f\",\"algorithm\":{{\"name\":\"a\"}}{more},\
            \"attributes\":[\"evaluations\",\"raw_y\"],\"scenarios\":[{{\"dimension\":2,\
            \"path\":\"data/x.dat\",\"runs\":[{{\"instance\":1,\"evals\":8,\
            \"best\":{{\"evals\":8,\"y\":2.0,\"x\":[]}}}}]}}]}}"
        )
    };
    let steps: String = (2..9).map(|at| format!("{at} {}.0000000000\n", 10 - at)).collect();
    sandbox.write("n/data/x.dat", format!("evaluations raw_y\n1 nan\n{steps}"));
    sandbox.write("n/IOHprofiler_f1.json", index(",\"maximization\":false"));
    sandbox.run(&["import", "n", "--target", "5"]).code(0);
    let trial = &rows(&sandbox, &["results/n", "--trials"])[0];
    assert_eq!(trial["best_fitness"], json!(2.0));
    assert_eq!(trial["evaluations_to_success"], 5);
    let refused = |words: &str| {
        sandbox.run(&["import", "n", "--target", "5", "--name", "other"]).code(2).warns(words);
    };
    // Two files name these runs.
    sandbox.write("n/IOHprofiler_f1 (1).json", index(",\"maximization\":false"));
    refused("its runs are named twice");
    std::fs::remove_file(sandbox.path("n/IOHprofiler_f1 (1).json")).expect("a file");
    sandbox.write("n/IOHprofiler_f1.json", index(""));
    refused("`maximization` is missing");
    let short =
        index(",\"maximization\":false").replace("\"instance\":1,\"evals\":8", "\"evals\":3");
    sandbox.write("n/IOHprofiler_f1.json", short);
    refused("`scenarios.runs.evals` is 3, and the run has a step at evaluation 8");
    let unnamed = index(",\"maximization\":false").replace("\"name\":\"a\"", "\"name\":\"\"");
    sandbox.write("n/IOHprofiler_f1.json", unnamed);
    refused("`algorithm.name` is empty");
    // An export of the import has its dimension.
    sandbox.run(&["export", "results/n", "--format", "ioh"]).code(0);
    let index = sandbox.read("results/n/ioh/a-imported/IOHprofiler_f1_f.json");
    assert!(String::from_utf8(index).expect("UTF-8").contains("\"dimension\": 2"));
}

/// Marks within quotes of the first line separate nothing.
#[test]
fn quoted_names_of_columns_may_have_marks() {
    let sandbox = Sandbox::new();
    csv(&sandbox, "q", "arm,success,evaluations,\"best;of;the;run;x\"\nA,1,5,y\nA,0,9,z\n");
    sandbox.run(&["import", "q.csv"]).code(0).says("2 trials of 1 arm");
}

/// A whole number is the same value, however our file and theirs write it.
#[test]
fn a_whole_real_number_is_that_of_our_arms() {
    let sandbox = Sandbox::new();
    let text = "name = \"ours\"\nrepeats = 5\n[problem]\nplugin = \"onemax\"\nlength = 4\n\
        [[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\npopulation = 4\n[stop]\n\
        evaluations = 40\n[sweep]\n\"problem.noise\" = [0.5, 1.0]\n";
    sandbox.write("ours.toml", text);
    sandbox.run(&["ours.toml"]).code(0);
    for (name, one) in [("real", "1.0"), ("whole", "1")] {
        let text = format!("arm,problem.noise,success,evaluations\nX,0.5,1,5\nX,{one},0,40\n");
        csv(&sandbox, name, &text);
        let beside = ["import", &format!("{name}.csv"), "--beside", "results/ours"];
        sandbox.run(&beside).code(0).says("12 trials of 4 arms");
    }
}
