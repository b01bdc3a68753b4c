//! `--progress json`: whatever happens, each line on standard error is an event as `docs/events.md`
//! has it.

use crate::util::{Ran, Sandbox, column, document, rows};
use serde_json::Value;
use std::collections::BTreeSet;

const ONEMAX: &str = r#"
repeats = 60
[problem]
plugin = "onemax"
length = 12
[[operators]]
preset = "simple-ga"
population = 10
[stop]
generations = 10
"#;

fn faulty(fault: &str, share: f64) -> String {
    format!(
        "repeats = 20\n[problem]\nplugin = \"faulty\"\nfault = \"{fault}\"\nshare = \
        {share}\n[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\npopulation = \
        10\n[stop]\nevaluations = 100\n"
    )
}

/// Each event with its keys, as the table in `docs/events.md` has them.
fn documented() -> Vec<(String, BTreeSet<String>)> {
    let text = document("docs/events.md");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        (names(cells[1]).concat(), names(cells[3]).into_iter().collect())
    };
    rows.map(row).collect()
}

/// What a run with `--progress json` wrote to standard error, each line as an event that is
/// documented.
fn events(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Vec<Value> {
    let ran = sandbox.run(&[arguments, &["--progress", "json"]].concat()).code(code);
    parsed(&ran)
}

fn parsed(ran: &Ran) -> Vec<Value> {
    let documented = documented();
    let event = |line: &str| {
        let event: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}\n{ran}"));
        let name = event["event"].as_str().unwrap_or_else(|| panic!("no event: {line}\n{ran}"));
        let known = documented.iter().find(|(known, _)| known == name);
        let (_, keys) = known.unwrap_or_else(|| panic!("{name} is not in docs/events.md\n{ran}"));
        for key in event.as_object().expect("an object").keys().filter(|key| *key != "event") {
            assert!(keys.contains(key), "{name}: {key} is not in docs/events.md\n{ran}");
        }
        event
    };
    ran.stderr.lines().map(event).collect()
}

/// The messages of the events of this name.
fn messages(events: &[Value], name: &str) -> Vec<String> {
    let message = |event: &Value| event["message"].as_str().map(str::to_owned);
    events.iter().filter(|event| event["event"] == name).filter_map(message).collect()
}

/// Whether a message of this event has these words.
fn says(events: &[Value], name: &str, words: &str) -> bool {
    messages(events, name).iter().any(|message| message.contains(words))
}

#[test]
fn a_run_tells_what_it_does_and_ends_with_advice() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX);
    let told = events(&sandbox, &["x.toml"], 0);
    let names: Vec<&str> = told.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(names.first(), Some(&"started"), "{names:?}");
    for name in ["running", "advanced", "writing", "ended"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let last = told.iter().rfind(|event| event["event"] == "advanced").expect("progress");
    assert_eq!((&last["trials"], &last["trials_total"]), (&60.into(), &60.into()));
    if cfg!(debug_assertions) {
        assert!(says(&told, "note", "this runner is a debug build"), "{told:?}");
    }
    // What an earlier run left, and what the config no longer asks for.
    let told = events(&sandbox, &["x.toml", "--set", "problem.length=13"], 0);
    assert!(says(&told, "note", "superseded"), "{told:?}");
    let shard = events(&sandbox, &["x.toml", "--shard", "1/2"], 0);
    assert!(shard.iter().all(|event| event["event"] != "writing"), "{shard:?}");
}

#[test]
fn a_stopping_rule_that_asks_for_more_trials_is_an_event() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX.replace("60", "{ half-width = 0.1, max = 1000 }"));
    let told = events(&sandbox, &["x.toml"], 0);
    let more = told.iter().find(|event| event["event"] == "extended").expect("more than a look");
    assert_eq!(more["target_trials"][0], more["trials_total"]);
}

/// The figures of the generations table, in the order of arm, trial and generation.
fn traced(sandbox: &Sandbox, names: &[&str]) -> Vec<Vec<f64>> {
    let table = sandbox.path("traced/x/generations.parquet");
    let columns: Vec<Vec<f64>> = names.iter().map(|name| column(&table, name)).collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

const FIGURES: [&str; 7] =
    ["trial", "generation", "evaluations", "best", "mean", "worst", "best_so_far"];
const VIOLATIONS: [&str; 3] = ["best_violation", "feasible_share", "violation_so_far"];
const OPERATORS: [&str; 7] = [
    "crossed",
    "crossed_better",
    "mutated",
    "mutated_better",
    "crossed_mutated",
    "crossed_mutated_better",
    "cloned",
];

#[test]
fn generations_are_events_with_the_figures_of_the_trace() {
    const COLORING: &str = "repeats = 6\n[problem]\nplugin = \"coloring\"\ngraph = \
        \"myciel3\"\n[[operators]]\npopulation = 8\nselection = \"tournament\"\ncrossover = \
        \"uniform\"\nmutation = \"reset\"\n[stop]\ngenerations = 23\n";
    const COUNTED: &str = "[output]\ntrace = \"best\"\noperators = true\n";
    for (config, names) in [
        (ONEMAX.to_owned(), FIGURES.to_vec()),
        (COLORING.to_owned(), [&FIGURES[..], &VIOLATIONS].concat()),
        (COLORING.to_owned() + COUNTED, [&FIGURES[..], &VIOLATIONS, &OPERATORS].concat()),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("x.toml", config);
        let trace = ["x.toml", "--set", "output.trace=best", "--out", "traced"];
        sandbox.run(&trace).code(0);
        let rows = traced(&sandbox, &names);
        for (every, isolation) in [(1, "thread"), (7, "thread"), (7, "process")] {
            let out = format!("{isolation}-{every}");
            let count = every.to_string();
            let asked =
                ["x.toml", "--out", &out, "--isolation", isolation, "--generation-events", &count];
            let told = events(&sandbox, &asked, 0);
            let told = told.iter().filter(|event| event["event"] == "generation");
            let is_counted = |event: &Value| event.get("crossed").is_some();
            assert!(told.clone().all(|event| is_counted(event) == names.contains(&"crossed")));
            let mut told: Vec<Vec<f64>> = told
                .map(|event| {
                    let figure = |name: &&str| event[*name].as_f64().expect("a number");
                    names.iter().map(figure).collect()
                })
                .collect();
            told.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
            let is_last = |row: usize| rows.get(row + 1).is_none_or(|next| next[0] != rows[row][0]);
            let due = (0..rows.len())
                .filter(|row| rows[*row][1] % f64::from(every) == 0.0 || is_last(*row));
            assert_eq!(told, due.map(|row| rows[row].clone()).collect::<Vec<_>>(), "{out}");
            for table in ["summary", "trials"] {
                let read = |out: &str| sandbox.read(&format!("{out}/x/{table}.parquet"));
                assert!(read(&out) == read("thread-1"), "{out}: {table}");
            }
        }
    }
}

#[test]
fn generations_have_their_diversity_where_a_stop_rule_measures_it() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX.replace("[stop]", "[stop]\ndiversity = 5"));
    let told = events(&sandbox, &["x.toml", "--generation-events", "1"], 0);
    let of_trial = |trial: u64| {
        let own =
            told.iter().filter(move |one| one["event"] == "generation" && one["trial"] == trial);
        own.map(|one| one["diversity"].as_f64().expect("a number")).collect::<Vec<f64>>()
    };
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    let mut converged = 0;
    for (trial, row) in (0..).zip(&trials) {
        let diversities = of_trial(trial);
        let (last, before) = diversities.split_last().expect("a generation");
        assert!(before.iter().all(|diversity| *diversity > 5.0), "{diversities:?}");
        assert!(row["outcome"] != "converged" || *last <= 5.0, "{row} {diversities:?}");
        converged += u64::from(row["outcome"] == "converged");
    }
    assert!(converged > 5, "{converged}");
}

#[test]
fn events_of_generations_need_json_lines_and_an_interval() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX);
    let ran = sandbox.run(&["x.toml", "--generation-events", "5"]).code(2);
    assert!(ran.stderr.contains("--generation-events 5: only JSON lines"), "{ran}");
    assert!(ran.stderr.contains("add --progress json"), "{ran}");
    let told = events(&sandbox, &["x.toml", "--generation-events", "0"], 2);
    assert!(says(&told, "error", "a whole number of at least 1"), "{told:?}");
}

#[test]
fn faults_of_configs_and_flags_are_events_with_their_place() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX.replace("length = 12", "lenght = 12"));
    let told = events(&sandbox, &["x.toml"], 2);
    assert_eq!(told[0]["event"], "error");
    assert_eq!(
        (&told[0]["file"], &told[0]["line"], &told[0]["column"]),
        (&"x.toml".into(), &5.into(), &1.into())
    );
    assert!(told[0]["help"].as_str().is_some_and(|help| help.contains("length")), "{told:?}");
    assert_eq!(
        messages(&told, "error").last().map(String::as_str),
        Some("1 error; nothing was run")
    );
    sandbox.write("warned.toml", ONEMAX.replace("[stop]", "[stop]\nstagnation = 11"));
    let told = events(&sandbox, &["warned.toml"], 0);
    assert_eq!((&told[0]["event"], &told[0]["line"]), (&"warning".into(), &10.into()), "{told:?}");
    let flags: [(&[&str], i32, &str); 5] = [
        (&["none.toml"], 2, "there is no such file"),
        (&["warned.toml", "--set", "problem.n=3"], 2, "`n`"),
        (&["warned.toml", "--worker-memory", "500"], 2, "--isolation process"),
        (&["warned.toml", "--jobs", "none"], 2, "--jobs"),
        (&["warned.toml", "--set", "problem.plugin=\"none\""], 3, "none"),
    ];
    for (arguments, code, words) in flags {
        let told = events(&sandbox, arguments, code);
        assert!(says(&told, "error", words), "{arguments:?}: {told:?}");
    }
    sandbox.write("taken", "a file where a folder should be");
    let told = events(&sandbox, &["warned.toml", "--out", "taken"], 4);
    assert!(says(&told, "error", "taken"), "{told:?}");
    let mut command = sandbox.command();
    command.args(["warned.toml", "--progress=json"]).env("RUNNER_PLUGIN_PATH", "nowhere");
    let told = parsed(&Ran::new(&mut command).code(0));
    assert!(says(&told, "warning", "RUNNER_PLUGIN_PATH"), "{told:?}");
}

#[test]
fn trials_that_fail_are_events_with_the_command_that_replays_them() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", faulty("nan", 0.1));
    let told = events(&sandbox, &["x.toml"], 1);
    assert!(says(&told, "warning", "again: runner replay results/x random "), "{told:?}");
}

#[cfg(unix)]
#[test]
fn a_plugin_that_ends_its_process_is_an_event() {
    let sandbox = Sandbox::new();
    for (fault, words) in [("abort", "SIGABRT"), ("exit", "exited with code")] {
        sandbox.write("x.toml", faulty(fault, 0.1));
        let told = events(&sandbox, &["x.toml"], 3);
        assert!(says(&told, "error", words), "{told:?}");
        assert!(says(&told, "note", "--isolation process"), "{told:?}");
    }
    let told = events(&sandbox, &["x.toml", "--isolation", "process", "--out", "apart"], 1);
    assert!(says(&told, "warning", "crashed: "), "{told:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_an_event() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", ONEMAX.replace("60", "100000000"));
    let ran = interrupted(&sandbox, &["--jobs", "1"], "advanced");
    let told = parsed(&ran);
    let ended = told.iter().find(|event| event["event"] == "ended").expect("an end");
    assert_eq!(ended["interrupted"], true);
    assert!(says(&told, "note", "Run the same command again"), "{ran}");
}

/// The trial never ends, and each of its generations is an event, so that no worker is ever silent.
#[cfg(unix)]
#[test]
fn a_flood_of_generations_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let endless = ONEMAX.replace("generations = 10", "generations = 1000000000000\nfitness = -1");
    sandbox.write("x.toml", endless);
    for isolation in ["thread", "process"] {
        let options = ["--generation-events", "1", "--isolation", isolation];
        let told = parsed(&interrupted(&sandbox, &options, "generation"));
        assert!(told.iter().any(|event| event["interrupted"] == true), "{isolation}");
    }
}

/// Runs x.toml, and interrupts it once this event came.
#[cfg(unix)]
fn interrupted(sandbox: &Sandbox, options: &[&str], event: &str) -> Ran {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let mut child = sandbox
        .command()
        .args(["x.toml", "--progress", "json"])
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut words = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    while !words.contains(&format!("\"{event}\"")) {
        assert!(stderr.read_line(&mut words).expect("UTF-8") > 0, "it ended: {words}");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill starts").success());
    stderr.read_to_string(&mut words).expect("UTF-8");
    let code = child.wait().expect("it ends").code();
    Ran::of("x.toml --progress json".to_owned(), code, String::new(), words).code(130)
}

/// Each of the events that are documented is one that there is.
#[test]
fn the_documented_events_are_those_of_the_progress_module() {
    let source = ["src/cli/progress/json.rs", "src/cli/message.rs"].map(document).concat();
    let documented = documented();
    assert_eq!(documented.len(), 10);
    for (event, _) in documented {
        assert!(source.contains(&format!("\"{event}\"")), "there is no event {event}");
    }
}
