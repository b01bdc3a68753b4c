//! Suites: a benchmark in one file, from its experiments to its page.

use crate::util::{Ran, Sandbox, document};
use std::collections::BTreeSet;

/// Five functions, two algorithms, and a suite of them.
const OURS: &str = r#"name    = "ours"
seed    = 1
repeats = 12

[problem]
plugin = "pbo"
n      = 16

[[operators]]
name   = "RLS"
preset = "rls"

[[operators]]
name   = "(1+1) EA>0"
preset = "one-plus-one-resampling"

[[operators]]
name   = "(1+1) fGA"
preset = "fast-ga"

[stop]
fitness     = 0
evaluations = 600

[sweep]
"problem.problem" = ["one-max", "leading-ones", "linear", "one-max-dummy-1", "one-max-neutrality"]
"#;
const SUITE: &str = "# Question\n#   Which is the fastest?\n\n[suite]\nname = \"five\"\nversion = \
    \"1\"\nexperiments = [\"ours.toml\"]\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("configs/ours.toml", OURS);
    sandbox.write("configs/five.suite.toml", SUITE);
    sandbox
}

fn suite(sandbox: &Sandbox, more: &[&str]) -> Ran {
    let line = ["suite", "configs/five.suite.toml", "--progress", "none"];
    sandbox.run(&[&line, more].concat())
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("UTF-8")
}

#[test]
fn a_suite_is_one_page_of_the_same_bytes_whatever_the_jobs() {
    let sandbox = sandbox();
    suite(&sandbox, &["--jobs", "1"])
        .code(0)
        .says("five, version 1")
        .says("Ranks by ERT on 5 problems")
        .says("critical difference");
    let files = ["results/five.html", "results/five.csv"];
    let first = files.map(|file| text(&sandbox, file));
    // A finished suite runs nothing, and writes the same page.
    suite(&sandbox, &[]).code(0);
    assert_eq!(files.map(|file| text(&sandbox, file)), first);
    suite(&sandbox, &["--jobs", "2", "--out", "again"]).code(0);
    assert_eq!(["again/five.html", "again/five.csv"].map(|file| text(&sandbox, file)), first);
    let [page, table] = &first;
    for part in ["Which is the fastest?", "one-max-neutrality", "Nemenyi", "Targets reached"] {
        assert!(page.contains(part), "no {part}");
    }
    assert!(!page.contains("<link") && !page.contains("src=\"http"), "the page needs other files");
    assert_eq!(table.lines().count(), 1 + 5 * 3, "{table}");
    let (head, row) = (table.lines().next(), table.lines().nth(1));
    assert!(head.is_some_and(|head| head.starts_with("function,algorithm,results,origin,trials")));
    assert!(row.is_some_and(|row| row.starts_with("one-max,RLS,ours,suite,12,0,600,12,1.0,")));
}

#[test]
fn an_interrupted_suite_and_its_shards_have_no_page() {
    let sandbox = sandbox();
    suite(&sandbox, &["--shard", "1/2"]).code(0).warns("once all trials are there");
    suite(&sandbox, &["--arm", "RLS"]).code(0).warns("once all trials are there");
    assert!(!sandbox.path("results/five.html").exists());
    suite(&sandbox, &[]).code(0);
    assert!(sandbox.path("results/five.html").exists());
    // Tables of other trials, which a shard leaves as they are, are none of the suite's.
    for other in ["--seed=9", "--repeats=5"] {
        let out = format!("other{other}");
        sandbox.run(&["configs/ours.toml", other, "--out", &out]).code(0);
        let shard = ["--shard", "1/2", "--out", &out];
        suite(&sandbox, &shard).code(0).warns("once all trials are there");
        assert!(!sandbox.path(format!("{out}/five.html")).exists(), "{other}");
        let marked = text(&sandbox, &format!("{out}/ours/run.toml")).contains("[[suites]]");
        assert!(!marked, "{other}");
    }
}

#[test]
fn results_of_others_are_taken_in_where_they_can_be_compared() {
    let sandbox = sandbox();
    let set = "[[operators]]\nname   = \"(1+1) EA>0\"\npreset = \"one-plus-one-resampling\"\n\n";
    let last = OURS.find("[[operators]]\nname   = \"(1+1) fGA").expect("a last arm");
    let stop = OURS.find("[stop]").expect("a stop");
    let theirs = format!("{}{}", &OURS[..last], &OURS[stop..]).replace(set, "");
    let theirs = theirs.replace("\"ours\"", "\"theirs\"").replace("seed    = 1", "seed    = 2");
    sandbox.write("theirs.toml", theirs.replace("evaluations = 600", "evaluations = 900"));
    let few =
        theirs.replace("\"theirs\"", "\"few\"").replace("evaluations = 600", "evaluations = 60");
    sandbox.write("few.toml", few);
    sandbox.write("other.toml", theirs.replace("\"theirs\"", "\"other\"").replace("= 16", "= 20"));
    sandbox.run(&["theirs.toml", "few.toml", "other.toml", "--progress", "none"]).code(0);
    sandbox.run(&["pack", "results/theirs"]).code(0);
    suite(&sandbox, &["--add", "results/theirs.zip"]).code(0).says("RLS (theirs)");
    let page = text(&sandbox, "results/five.html");
    assert!(page.contains("RLS (theirs)") && page.contains("results/theirs.zip"));
    // More evaluations than the suite allows do not count.
    let table = text(&sandbox, "results/five.csv");
    let row = table.lines().find(|row| row.contains("RLS (theirs)")).expect("their row");
    assert!(row.starts_with("one-max,RLS (theirs),theirs,others,12,0,600,"), "{row}");
    // A suite names them, too; and once is enough.
    let named = format!("{SUITE}results = [\"../results/theirs.zip\"]\n");
    sandbox.write("configs/five.suite.toml", named);
    suite(&sandbox, &[]).code(0).says("RLS (theirs)");
    suite(&sandbox, &["--add", "results/theirs.zip"]).code(2).warns("named twice");
    suite(&sandbox, &["--add", "results/few"])
        .code(2)
        .warns("budget 60 against 600: run it with as many evaluations as the suite");
    suite(&sandbox, &["--add", "results/other"]).code(2).warns("problem.n is 20 against 16");
    // The suite's own trials are no results of others.
    sandbox.run(&["pack", "results/ours"]).code(0);
    suite(&sandbox, &["--add", "results/ours.zip"]).code(2).warns("it has the same trials as");
    let mut bytes = sandbox.read("results/ours.zip");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    sandbox.write("damaged.zip", bytes);
    suite(&sandbox, &["--add", "damaged.zip"]).code(4).warns("the pack has changed");
}

#[test]
fn results_name_the_version_of_their_suite_and_another_is_refused_before_anything_runs() {
    let sandbox = sandbox();
    let before = "results/ours/run.toml";
    // With options, they are not results of the suite.
    suite(&sandbox, &["--repeats", "4"]).code(0);
    assert!(!text(&sandbox, before).contains("[[suites]]"));
    suite(&sandbox, &[]).code(0);
    let noted = text(&sandbox, before);
    assert!(noted.contains("[[suites]]\nname = \"five\"\nversion = \"1\"\nblake3 = \""), "{noted}");
    suite(&sandbox, &[]).code(0);
    assert_eq!(text(&sandbox, before).matches("[[suites]]").count(), 1);
    sandbox.run(&["show", "results/ours"]).code(0).says("Suite: five, version 1\n");
    sandbox.run(&["pack", "results/ours", "--out", "theirs.zip"]).code(0);
    let packed = String::from_utf8_lossy(&sandbox.read("theirs.zip")).into_owned();
    for words in ["Results of the suite five, version 1", "\"isPartOf\"", "<dd>five, version 1"] {
        assert!(packed.contains(words), "no {words}");
    }
    // Other trials of the next version, in another folder.
    sandbox.write("configs/ours.toml", OURS.replace("seed    = 1", "seed    = 2"));
    sandbox.write("configs/five.suite.toml", SUITE.replace("version = \"1\"", "version = \"2\""));
    suite(&sandbox, &["--out", "next", "--add", "theirs.zip"])
        .code(2)
        .warns("made for version 1 of the suite against 2: run this version of the suite");
    assert!(!sandbox.path("next").exists(), "it ran");
    sandbox.write("configs/five.suite.toml", SUITE);
    suite(&sandbox, &["--out", "next", "--add", "theirs.zip"]).code(0).says("RLS (theirs)");
    assert!(text(&sandbox, "next/five.html").contains("<dt>Suites</dt><dd>five, version 1</dd>"));
}

#[test]
fn imported_trials_are_matched_by_the_names_of_functions() {
    let sandbox = sandbox();
    let mut rows = "arm,problem,success,evaluations\n".to_owned();
    for function in ["one-max", "leading-ones", "linear", "one-max-dummy-1", "one-max-neutrality"] {
        for trial in 0..12 {
            rows.push_str(&format!("oracle,{function},1,{}\n", 1 + trial % 3));
        }
    }
    rows.push_str("oracle,unknown,1,5\n");
    sandbox.write("oracle.csv", rows);
    sandbox.run(&["import", "oracle.csv"]).code(0);
    suite(&sandbox, &["--add", "results/oracle"])
        .code(0)
        .says("oracle (imported)")
        .warns("no function of the suite is its problem; name the problem");
    let table = text(&sandbox, "results/five.csv");
    assert!(
        table.contains("one-max,oracle (imported),oracle,imported,12,0,600,12,1.0,2.0,"),
        "{table}"
    );
    assert!(text(&sandbox, "results/five.html").contains("oracle.csv"));
}

#[test]
fn instances_are_pooled_and_algorithms_that_lack_a_function_are_not_ranked() {
    let sandbox = sandbox();
    let sweep = "[sweep]\n\"problem.problem\" = [\"one-max\", \"linear\"]\n\"problem.instance\" = \
        [1, 2, 51]\n";
    let from = OURS.find("[sweep]").expect("a sweep");
    sandbox.write("configs/ours.toml", format!("{}{sweep}", &OURS[..from]));
    let more = OURS[..from].replace("\"ours\"", "\"more\"").replace("\"RLS\"", "\"another\"");
    let more = more.replace("n      = 16", "n      = 16\nproblem = \"linear\"");
    let more = more.replace("seed    = 1", "seed    = 2");
    let three = "[sweep]\n\"problem.instance\" = [1, 2, 51]\n";
    sandbox.write("configs/more.toml", format!("{more}{three}"));
    let suited = SUITE.replace("[\"ours.toml\"]", "[\"ours.toml\", \"more.toml\"]");
    sandbox.write("configs/five.suite.toml", format!("{suited}pool = [\"problem.instance\"]\n"));
    suite(&sandbox, &["--repeats", "4"])
        .code(0)
        .warns("not ranked: another did not search one-max");
    let page = text(&sandbox, "results/five.html");
    assert!(page.contains("up to 3 instances whose trials count together"));
    assert!(page.contains("but with --repeats 4"));
    let table = text(&sandbox, "results/five.csv");
    assert!(table.contains("\none-max,RLS,ours,suite,12,0,600,12,1.0,"), "{table}");
    // Imported trials name every instance, also that of the default, which settings leave out.
    let mut rows =
        "arm,problem.problem,problem.n,problem.instance,success,evaluations\n".to_owned();
    for (problem, instance) in
        ["one-max", "linear"].into_iter().flat_map(|one| [1, 2, 51].map(|it| (one, it)))
    {
        rows.push_str(&format!("oracle,{problem},16,{instance},1,{instance}\n"));
    }
    // Other programs call the size by `dimension`.
    let smaller = rows.replace("problem.n", "problem.dimension").replace(",16,", ",12,");
    sandbox.write("smaller.csv", smaller);
    sandbox.run(&["import", "smaller.csv"]).code(0);
    suite(&sandbox, &["--repeats", "4", "--add", "results/smaller"])
        .warns("no function of the suite is its problem");
    sandbox.write("oracle.csv", rows.replace("problem.n", "problem.dimension"));
    sandbox.run(&["import", "oracle.csv"]).code(0);
    suite(&sandbox, &["--repeats", "4", "--add", "results/oracle"])
        .code(0)
        .says("oracle (imported)");
    let added = text(&sandbox, "results/five.csv");
    assert!(added.contains("one-max,oracle (imported),oracle,imported,3,"), "{added}");
    // Two experiments have arms of one name on one function.
    assert!(table.contains("\nlinear,(1+1) EA>0 (more),more,suite,12,"), "{table}");
    // With the seed of the first they are the same trials, which count once.
    sandbox.write("configs/more.toml", format!("{more}{three}").replace("seed    = 2", "seed = 1"));
    suite(&sandbox, &["--repeats", "4"]).code(0).warns("it has the same trials as `RLS ");
    assert!(!text(&sandbox, "results/five.csv").contains("(more)"));
}

/// Few evaluations: what is tested is that their files say what there is.
/// Two keys whose names end alike make two arms of each problem, not one. Failed trials do not keep
/// a suite from its page.
#[test]
fn arms_of_other_keys_are_not_pooled_and_a_failed_trial_is_counted() {
    let sandbox = Sandbox::new();
    let config = |problem: &str| {
        format!(
            r#"
repeats = 20
seed    = 1
[problem]
{problem}
[[operators]]
name       = "ga"
population = 10
selection  = "uniform"
crossover  = {{ kind = "uniform", rate = 0.9 }}
mutation   = {{ kind = "bit-flip", rate = 0.05 }}
[stop]
evaluations = 200
"#
        )
    };
    let sweep = |key: &str| {
        format!("[[sweep]]\n\"problem.length\" = [8, 9]\n\"operators.{key}.rate\" = [0.1, 0.5]\n")
    };
    let both = sweep("crossover") + &sweep("mutation");
    sandbox.write("two.toml", config("plugin = \"onemax\"") + &both);
    let page = |experiment: &str| {
        format!("[suite]\nname = \"s\"\nversion = \"1\"\nexperiments = [\"{experiment}\"]\n")
    };
    sandbox.write("s.toml", page("two.toml"));
    sandbox.run(&["suite", "s.toml", "--progress", "none"]).code(0);
    let table = text(&sandbox, "results/s.csv");
    for name in ["ga crossover.rate=0.1", "ga crossover.rate=0.5", "ga mutation.rate=0.5"] {
        assert_eq!(table.lines().filter(|line| line.contains(name)).count(), 2, "{name}\n{table}");
    }
    assert!(!table.contains(",40,"), "{table}");
    let ranked = sandbox.run(&["rank", "results/two", "--csv"]).code(0).stdout;
    assert!(ranked.contains("ga mutation.rate=0.5"), "{ranked}");
    let faulty = "plugin = \"faulty\"\nfault = \"error-evaluate\"\nlength = 20\nshare = 0.003";
    sandbox.write("faulty.toml", config(faulty));
    sandbox.write("s.toml", page("faulty.toml").replace("\"s\"", "\"f\""));
    sandbox.run(&["suite", "s.toml", "--progress", "none"]).code(1);
    let table = text(&sandbox, "results/f.csv");
    assert!(table.lines().next().is_some_and(|heads| heads.contains("failures")), "{table}");
    assert!(sandbox.path("results/f.html").exists());
}

#[test]
fn the_suites_that_ship_run() {
    for (name, experiment, functions) in [
        ("pbo", "pbo-suite", 25),
        ("pbo-published", "published/pbo", 5),
        ("bbob-published", "published/bbob-cma-es", 12),
    ] {
        let sandbox = Sandbox::new();
        let file = format!("suites/{name}.toml");
        sandbox.write(&file, document(&file));
        let config = format!("configs/{experiment}.toml");
        sandbox.write(&config, document(&config));
        let line = ["suite", &file, "--repeats", "1", "--set", "stop.evaluations=30"];
        sandbox.run(&[&line[..], &["--progress", "none"]].concat()).code(0).says("version 1");
        let page = text(&sandbox, &format!("results/{name}.html"));
        assert!(page.contains(&format!("A suite of {functions} functions and ")), "{name}");
    }
}

#[test]
fn every_fault_of_a_suite_is_shown_with_its_line() {
    let sandbox = sandbox();
    let faulty = "[suite]\nname = \"a/b\"\nexperiment = [\"ours.toml\"]\nexperiments = \
        [\"gone.toml\"]\npool = [\"operators.population\"]\nby = \
        \"speed\"\nlevel = 2\ntargets = []\n";
    sandbox.write("configs/five.suite.toml", faulty);
    let mut told = suite(&sandbox, &[]).code(2);
    for words in [
        "unknown key `experiment` in [suite]",
        "\"a/b\" is not a valid folder name",
        "[suite] has no version",
        "`experiments` names configs/gone.toml, which is not there",
        "`pool` names `operators.population`, which is no parameter of a problem",
        "`by` = \"speed\" is not allowed",
        "`level` = 2 is not allowed",
        "`targets` is empty",
        "five.suite.toml:4",
        "nothing was run",
    ] {
        told = told.warns(words);
    }
    sandbox.write("configs/five.suite.toml", format!("{SUITE}pool = [\"problem.problm\"]\n"));
    suite(&sandbox, &[])
        .code(2)
        .warns("no problem of the suite has a parameter `problm`")
        .warns("five.suite.toml:8:9")
        .warns("did you mean \"problem.problem\"?");
    sandbox.write("configs/five.suite.toml", format!("{SUITE}targets = [1, 2, 1.0]\n"));
    suite(&sandbox, &[]).code(2).warns("`targets` names it twice");
    sandbox.write("configs/five.suite.toml", SUITE);
    let ran = sandbox.run(&["configs/five.suite.toml"]).code(2);
    ran.warns("run it by `runner suite configs/five").warns("1 error; nothing was run");
    sandbox.run(&["suite", "configs/ours.toml"]).code(2).warns("this file has no table [suite]");
    let twice = OURS.replace("12\n", "13\n");
    sandbox.write("configs/twice.toml", twice);
    sandbox.write("five.suite.toml", SUITE.replace("ours.toml", "configs/[ot]*.toml"));
    let both = ["suite", "five.suite.toml", "--progress", "none"];
    sandbox.run(&both).code(2).warns("has the same name, `ours`, as that of");
    let target = OURS.replace("\"ours\"", "\"other\"").replace("fitness     = 0", "fitness = 1");
    sandbox.write("configs/twice.toml", target);
    sandbox.run(&both).code(2).warns("have different targets on one-max: 0 and 1");
}

/// A parameter that only the first function has tells it from the others, too.
#[test]
fn names_of_functions_differ_and_do_not_depend_on_the_order() {
    let sandbox = Sandbox::new();
    let sets = "[[operators]]\nname = \"a\"\npreset = \"rls\"\n[[operators]]\nname = \"b\"\n\
        preset = \"fast-ga\"\n[stop]\nevaluations = 50\n";
    let write = |name: &str, problem: &str, sweep: &str| {
        let file = format!(
            "name = \"{name}\"\nseed = 1\nrepeats = 3\n[problem]\n{problem}\n{sets}{sweep}"
        );
        sandbox.write(&format!("{name}.toml"), &file);
    };
    write("n", "plugin = \"onemax\"\nlength = 20", "[sweep]\n\"problem.noise\" = [0.1, 0.0]\n");
    write("p", "plugin = \"pbo\"\nproblem = \"leading-ones\"\nn = 16", "");
    write("s", "plugin = \"maxsat\"\nvariables = 20\nclauses = 60", "");
    let functions = |experiments: &str| {
        let file = format!("[suite]\nname = \"q\"\nversion = \"1\"\nexperiments = {experiments}\n");
        sandbox.write("q.suite.toml", &file);
        let out = format!("out{}", experiments.replace(['[', ']', '"', ',', ' ', '.'], ""));
        sandbox.run(&["suite", "q.suite.toml", "--out", &out, "--progress", "none"]).code(0);
        let table = text(&sandbox, &format!("{out}/q.csv"));
        let name = |row: &str| match row.strip_prefix('"').and_then(|row| row.split_once('"')) {
            Some((name, _)) => name.to_owned(),
            None => row.split(',').next().unwrap_or_default().to_owned(),
        };
        table.lines().skip(1).map(name).collect::<BTreeSet<String>>()
    };
    let noisy = functions("[\"n.toml\"]");
    assert_eq!(noisy, ["noise=0.1", "onemax"].map(str::to_owned).into());
    let found = functions("[\"p.toml\", \"s.toml\"]");
    assert_eq!(found, functions("[\"s.toml\", \"p.toml\"]"));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|name| !name.contains(", ,")), "{found:?}");
    assert!(found.iter().any(|name| name.contains("leading-ones")), "{found:?}");
}
