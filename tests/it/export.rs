//! Exports: what other tools read is what the tables say. (`examples/check` has the tools
//! themselves read it.)

use crate::util::{Sandbox, column};
use std::fs;

const CONFIG: &str = "seed = 4\nrepeats = 30\n[problem]\nplugin = \"onemax\"\n[[operators]]\nname \
    = \"swap, or not\"\npopulation = 10\nselection = { kind = \"tournament\", size = 2 }\nmutation \
    = \"bit-flip\"\n[stop]\nevaluations = 400\n[sweep]\nproblem.length = [16, 24]\n[output]\ntrace \
    = \"best\"\n";

fn first(folder: &std::path::Path) -> std::path::PathBuf {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    entries.swap_remove(0)
}

#[test]
fn exported_runs_cost_what_the_tables_say() {
    let sandbox = Sandbox::new();
    sandbox.write("onemax.toml", CONFIG);
    sandbox.run(&["onemax.toml"]).code(0);
    let ert = column(&sandbox.path("results/onemax/summary.parquet"), "ert");
    sandbox.run(&["export", "results/onemax", "--format", "ioh"]).code(0).says("swap-or-not");
    let folder = first(&sandbox.path("results/onemax/ioh"));
    let index = fs::read_to_string(folder.join("IOHprofiler_f1_onemax.json")).expect("an index");
    let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
    assert!(
        index["algorithm"]["name"] == "swap, or not" && index["maximization"] == false,
        "{index}"
    );
    let scenarios = index["scenarios"].as_array().expect("a list");
    assert_eq!(
        scenarios.iter().map(|one| one["dimension"].as_u64()).collect::<Vec<_>>(),
        [Some(16), Some(24)]
    );
    for (scenario, expected) in scenarios.iter().zip(&ert) {
        let data = fs::read_to_string(folder.join(scenario["path"].as_str().expect("a path")))
            .expect("data");
        // A header before each run, and nothing else.
        let is_header = |line: &&str| *line == "evaluations raw_y";
        assert_eq!(data.lines().filter(is_header).count(), 30);
        let begins = |two: &[&str]| !is_header(&two[0]) || two[1].starts_with("1 ");
        assert!(data.lines().collect::<Vec<_>>().windows(2).all(begins), "{data}");
        let lines = data.lines().filter(|line| !is_header(line));
        let rows = lines.map(|line| line.split_once(' ').expect("two columns"));
        let rows: Vec<(u64, f64)> = rows
            .map(|(at, y)| (at.parse().expect("a count"), y.parse().expect("a fitness")))
            .collect();
        let runs: Vec<&[(u64, f64)]> = rows.chunk_by(|_, next| next.0 != 1).collect();
        assert_eq!(runs.len(), 30);
        assert_eq!(runs.len(), scenario["runs"].as_array().map_or(0, Vec::len));
        let solved = |run: &&[(u64, f64)]| run.iter().find(|(_, y)| *y <= 0.0).map(|(at, _)| *at);
        let spent: u64 = runs
            .iter()
            .map(|run| solved(run).unwrap_or_else(|| run.last().map_or(0, |(at, _)| *at)))
            .sum();
        let successes = runs.iter().filter(|run| solved(run).is_some()).count();
        assert!(
            (spent as f64 / successes as f64 - expected).abs() < 1e-9 * expected,
            "{spent} {successes} {expected}"
        );
        assert!(
            runs.iter()
                .all(|run| run.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 >= two[1].1)),
            "{data}"
        );
    }
    sandbox.run(&["export", "results/onemax", "--format", "coco", "--out", "coco"]).code(0);
    let folder = first(&sandbox.path("coco"));
    let index = fs::read_to_string(folder.join("bbobexp_f1.info")).expect("an index");
    assert!(
        index.contains("funcId = 1, DIM = 16,") && index.contains("algId = 'swap  or not'"),
        "{index}"
    );
    for (dimension, expected) in [16, 24].into_iter().zip(&ert) {
        let data =
            fs::read_to_string(folder.join(format!("data_f1/bbobexp_f1_DIM{dimension}.dat")))
                .expect("data");
        let (mut spent, mut successes) = (0.0, 0.0);
        let mut end: Option<(f64, bool)> = None;
        for line in data.lines().chain(["%"]) {
            if line.starts_with('%') {
                let (evaluations, solved) = end.take().unwrap_or_default();
                spent += evaluations;
                successes += f64::from(u8::from(solved));
                continue;
            }
            let mut words = line.split(' ').map(|word| word.parse::<f64>().expect("a number"));
            let (evaluations, gap) =
                (words.next().expect("evaluations"), words.nth(1).expect("a gap"));
            if end.is_none_or(|(_, solved)| !solved) {
                end = Some((evaluations, gap <= 1e-8));
            }
        }
        assert!(
            (spent / successes - expected).abs() < 1e-9 * expected,
            "{spent} {successes} {expected}"
        );
    }
    // Without a trace, success and end are known, and said to be all.
    sandbox.run(&["onemax.toml", "--out", "plain", "--set", "output.trace=none"]).code(0);
    sandbox
        .run(&["export", "plain/onemax", "--format", "ioh"])
        .code(0)
        .warns("no generations table");
    sandbox.run(&["export", "nowhere", "--format", "ioh"]).code(4).warns("does not exist");
}

#[test]
fn folders_of_an_earlier_export_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("onemax.toml", CONFIG);
    sandbox.run(&["onemax.toml"]).code(0);
    let export = |format: &str| {
        sandbox.run(&["export", "results/onemax", "--format", format, "--out", "exported"])
    };
    for format in ["ioh", "coco"] {
        export(format).code(0);
        assert!(!export(format).code(0).stderr.contains("before"));
        fs::remove_dir_all(sandbox.path("exported")).expect("a folder");
    }
    export("ioh").code(0);
    sandbox.write("onemax.toml", CONFIG.replace("swap, or not", "flip"));
    sandbox.run(&["onemax.toml"]).code(0);
    export("ioh").code(0).says("exported/flip").warns(
        "does not belong to this export: exported/swap-or-not; remove it unless you want it",
    );
    // Files of others are no business of the tools.
    sandbox.write("exported/README.txt", "Mine.");
    assert!(!export("ioh").code(0).stderr.contains("README"));
    // An index of another function, in a folder that is written again.
    sandbox.write("exported/flip/IOHprofiler_f2_other.json", "{}");
    export("ioh").code(0).warns("exported/flip/IOHprofiler_f2_other.json, exported/swap-or-not");
}

/// A parameter is the dimension where it equals the length in every arm, not where it happens to.
/// COCO's last target, 1e-8, is the experiment's, to the last bit.
#[test]
fn functions_keep_their_names_and_targets_are_exact() {
    let sandbox = Sandbox::new();
    let config = "seed = 3\nrepeats = 8\n[problem]\nplugin = \"bbob\"\n[[operators]]\nname = \
        \"es\"\nalgorithm = \"cma-es\"\n[stop]\nfitness = 1e-8\nevaluations = 450\n[sweep]\n\
        problem.function = [1, 2, 3]\nproblem.n = [2, 3]\n[output]\ntrace = \"best\"\n";
    sandbox.write("bbob.toml", config);
    sandbox.run(&["bbob.toml"]).code(0);
    sandbox.run(&["export", "results/bbob", "--format", "ioh"]).code(0);
    sandbox.run(&["export", "results/bbob", "--format", "coco"]).code(0);
    let folder = first(&sandbox.path("results/bbob/ioh"));
    let names = ["function=1", "function=2", "function=3"];
    for (id, name) in (1..).zip(names) {
        let path = format!("IOHprofiler_f{id}_bbob-{name}-instance=1.json").replace('=', "-");
        let index = fs::read_to_string(folder.join(&path)).expect(&path);
        let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
        let dimensions: Vec<_> = index["scenarios"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| &one["dimension"])
            .collect();
        assert_eq!(dimensions, [2, 3], "{index}");
    }
    // Successes by the files, and by the table.
    let successes = column(&sandbox.path("results/bbob/summary.parquet"), "successes");
    assert!(successes.iter().any(|one| (1.0..8.0).contains(one)), "{successes:?}");
    let folder = first(&sandbox.path("results/bbob/coco"));
    let mut counted = Vec::new();
    for (id, dimension) in [1, 2, 3].into_iter().flat_map(|id| [(id, 2), (id, 3)]) {
        let path = folder.join(format!("data_f{id}/bbobexp_f{id}_DIM{dimension}.dat"));
        let data = fs::read_to_string(path).expect("data");
        let gap = |line: &str| line.split(' ').nth(2).and_then(|gap| gap.parse::<f64>().ok());
        let runs = data.split("% f evaluations").skip(1);
        let solved = runs.filter(|run| run.lines().filter_map(gap).any(|gap| gap <= 1e-8));
        counted.push(solved.count() as f64);
    }
    assert_eq!(counted, successes);
}

/// Without a trace, no more is known of the fitness at the first success than that it reaches the
/// target.
#[test]
fn a_success_without_a_trace_has_the_fitness_of_the_target() {
    let sandbox = Sandbox::new();
    let config = "repeats = 5\n[problem]\nplugin = \"onemax\"\nlength = 20\n[[operators]]\n\
        preset = \"rls\"\n[stop]\nfitness = 5\non-success = \"continue\"\nevaluations = 400\n";
    sandbox.write("on.toml", config);
    sandbox.run(&["on.toml"]).code(0);
    let success = column(&sandbox.path("results/on/trials.parquet"), "evaluations_to_success");
    sandbox.run(&["export", "results/on", "--format", "coco"]).code(0);
    let folder = first(&sandbox.path("results/on/coco"));
    let data = fs::read_to_string(folder.join("data_f1/bbobexp_f1_DIM20.dat")).expect("data");
    let runs = data.split("% f evaluations").skip(1).map(|run| run.lines().skip(1));
    for (run, success) in runs.zip(success) {
        let lines: Vec<&str> = run.collect();
        assert_eq!(lines, [format!("{success} 0 1e-8 5e0 5e0").as_str(), "400 0 1e-8 0e0 0e0"]);
    }
    sandbox.write("told.csv", "success,evaluations,fitness,problem.n\n1,10,5,20\n");
    sandbox.run(&["import", "told.csv"]).code(0);
    let words = "success was imported without a target";
    sandbox.run(&["export", "results/told", "--format", "ioh"]).code(0).warns(words);
    sandbox.write("bare.csv", "success,evaluations\n1,10\n");
    sandbox.run(&["import", "bare.csv"]).code(0);
    sandbox
        .run(&["export", "results/bare", "--format", "ioh"])
        .code(4)
        .warns("no trial has a fitness");
}

/// Without a target, COCO's is the least fitness of the export.
#[test]
fn an_export_without_a_target_says_so() {
    let sandbox = Sandbox::new();
    let rows = "trial,evaluations,fitness,problem.n\n0,10,-3.5,5\n1,20,-2,5\n";
    sandbox.write("none.csv", rows);
    sandbox.run(&["import", "none.csv"]).code(0);
    let ran = sandbox.run(&["export", "results/none", "--format", "coco"]).code(0);
    ran.warns("COCO's files have the difference to the least fitness");
    let folder = first(&sandbox.path("results/none/coco"));
    let index = fs::read_to_string(folder.join("bbobexp_f1.info")).expect("an index");
    assert!(index.contains("1:10|1e-8, 2:20|1.50000001"), "{index}");
    sandbox.run(&["export", "results/none", "--format", "ioh"]).code(0);
}
