//! The frames of programs: no answer is taken for another's, whatever a problem does with processes
//! and pipes, and a program that answers wrongly is found.
#![cfg(target_os = "linux")]

use crate::python::python;
use crate::util::{Ran, Sandbox, document, rows, sized};
use serde_json::Value;

const ISOLATIONS: [&str; 2] = ["thread", "process"];

/// A sandbox with tests/fixtures/python/forks.py and a config; none without Python.
fn sandbox() -> Option<Sandbox> {
    let interpreter = python("sys")?;
    let sandbox = Sandbox::new();
    sandbox.write("forks.py", document("tests/fixtures/python/forks.py"));
    sandbox.write(
        "f.toml",
        format!(
            "repeats = {}\n[problem]\nplugin = \"forks.py\"\ninterpreter = \"{interpreter}\"\n\
            [[operators]]\npopulation = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n\
            [stop]\ngenerations = 6\non-success = \"continue\"\n",
            sized(6, 12)
        ),
    );
    Some(sandbox)
}

/// The trials of a run whose problem has this fault.
fn trials(sandbox: &Sandbox, fault: &str, isolation: &str, code: i32) -> (Vec<Value>, Ran) {
    let out = format!("{fault}-{isolation}");
    let mut command = sandbox.command();
    command.env("FAULT", fault).args(["f.toml", "--jobs", "2", "--progress", "none"]);
    let ran = Ran::new(command.args(["--isolation", isolation, "--out", &out])).code(code);
    (rows(sandbox, &[&format!("{out}/f"), "--trials"]), ran)
}

#[test]
fn a_problem_that_forks_gives_the_values_of_the_process_that_was_started() {
    let Some(sandbox) = sandbox() else { return };
    let (sound, _) = trials(&sandbox, "none", "thread", 0);
    let faults =
        ["returned", "first", "below", "left", "ended", "raised", "processes", "pool", "program"];
    for (fault, isolation) in faults
        .iter()
        .step_by(sized(2, 1) as usize)
        .flat_map(|fault| ISOLATIONS.map(|one| (*fault, one)))
    {
        let (trials, ran) = trials(&sandbox, fault, isolation, 0);
        assert!(trials == sound, "{fault}, {isolation}: {trials:?}");
        // A copy that comes back is told of; one that ends as it should is not.
        let told = ran.stderr.contains("a copy of this process, made by fork");
        let comes_back = ["returned", "first", "below", "raised"].contains(&fault);
        assert_eq!(told, comes_back, "{fault}, {isolation}: {ran}");
    }
}

#[test]
fn a_problem_that_writes_to_its_pipes_costs_the_trial_and_gives_no_wrong_number() {
    let Some(sandbox) = sandbox() else { return };
    let (sound, _) = trials(&sandbox, "none", "thread", 0);
    for (fault, words) in [
        ("byte", "it lacks the secret of this process"),
        ("frame", "it lacks the secret of this process"),
        ("opened", "it lacks the secret of this process"),
        ("closed", "the program exited by itself"),
    ] {
        for isolation in ISOLATIONS {
            let (trials, _) = trials(&sandbox, fault, isolation, 1);
            let (bad, good): (Vec<&Value>, Vec<&Value>) =
                trials.iter().partition(|row| !row["error"].is_null());
            assert!(!bad.is_empty() && !good.is_empty(), "{fault}: {} bad", bad.len());
            for row in bad {
                assert_eq!(row["outcome"], "crashed", "{fault}");
                let error = row["error"].as_str().expect("words");
                assert!(error.contains(words), "{fault}, {isolation}: {error}");
            }
            for row in good {
                let twin = sound.iter().find(|one| one["trial"] == row["trial"]);
                assert_eq!(Some(row), twin, "{fault}, {isolation}");
            }
        }
    }
}

/// The program of tests/fixtures/python/frames.py, in a folder to which it notes its processes.
fn program(sandbox: &Sandbox) {
    let python = python("sys").expect("as above");
    let text = document("tests/fixtures/python/frames.py");
    sandbox.program("frames", format!("#!/usr/bin/env -S {python}\n{text}"));
    std::fs::create_dir(sandbox.path("told")).expect("a folder");
}

#[test]
fn conformance_finds_a_program_that_answers_wrongly() {
    let Some(sandbox) = sandbox() else { return };
    program(&sandbox);
    let check = |fault: &str, code: i32| {
        let mut command = sandbox.command();
        command.env("FAULT", fault).env("FRAMES", sandbox.path("told")).env("ALWAYS", "1");
        let arguments = ["conformance", "./frames", "--only", "frames", "--json"];
        let ran = Ran::new(command.args(arguments)).code(code);
        let rows: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        rows[0]["seen"].as_str().expect("words").to_owned()
    };
    assert!(check("none", 0).contains("2 requests in the pipe of a process"));
    for (fault, words) in WRONG {
        let seen = check(fault, 3);
        assert!(words.iter().any(|words| seen.contains(words)), "{fault}: {seen}");
    }
}

/// What the program of the fixture does wrong, and the words for it: bytes that come too many are
/// seen at once, or by the next answer.
const WRONG: [(&str, &[&str]); 9] = [
    ("twice", &["sent the answer to request", "bytes that nobody asked for"]),
    ("skipped", &["sent the answer to request"]),
    ("unsealed", &["it lacks the secret of this process"]),
    ("stranger", &["sent an answer of process 1, but process"]),
    ("copied", &["a copy of it, made by fork, answers too"]),
    ("added", &["it lacks the secret", "sent 1 bytes that nobody asked for"]),
    ("inserted", &["it lacks the secret"]),
    ("short", &["the program answered with"]),
    ("garbage", &["sent what is no answer: a frame of"]),
];

#[test]
fn an_older_program_is_refused_with_the_way_out() {
    let Some(sandbox) = sandbox() else { return };
    let python = python("sys").expect("as above");
    let text = format!(
        "#!/usr/bin/env -S {python}\nimport struct, sys\nwhile len(head := \
        sys.stdin.buffer.read(5)) == 5:\n    length, kind = struct.unpack(\"<IB\", head)\n    \
        sys.stdin.buffer.read(length)\n    answer = b'{{\"protocol\": 1, \"name\": \"old\", \
        \"version\": \"1\"}}'\n    sys.stdout.buffer.write(struct.pack(\"<IB\", len(answer), 0) + \
        answer)\n    sys.stdout.buffer.flush()\n"
    );
    sandbox.program("old", text);
    let ran = sandbox.run(&["sample", "./old"]).code(3);
    ran.warns("speaks version 1 of the protocol, in which an answer cannot be told from other")
        .warns("docs/programs.md says how to change it");
}

/// The system says of each only that there is no such file, or no permission.
#[test]
fn a_program_that_does_not_start_is_reported_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.program("lost", "#!/no/such/interpreter -x\nprint(1)\n");
    sandbox.write("closed", "#!/bin/sh\n");
    let words = "lost did not start: its first line names `/no/such/interpreter`, which does not";
    sandbox.run(&["sample", "./lost"]).code(3).warns(words);
    let words = "closed did not start: it may not be executed; try chmod +x";
    sandbox.run(&["sample", "./closed"]).code(3).warns(words);
}

/// A slip in a word of a declaration or a description would leave something out without a word.
#[test]
fn a_program_with_an_unknown_word_is_refused() {
    let Some(sandbox) = sandbox() else { return };
    let python = python("sys").expect("as above");
    let text = document("tests/fixtures/python/frames.py");
    let (described, declared) = ("\"worst\": length}", "\"version\": \"1\",");
    for (old, new, words) in [
        (described, "\"has\": [\"evaluate_constraint\"]}", "`has` names `evaluate_constraint`"),
        (described, "\"tolerence\": 0.1}", "unknown field `tolerence`, expected one of"),
        (declared, "\"version\": \"1\", \"sumary\": \"A\",", "unknown field `sumary`"),
        ("\"default\": 16}", "\"default\": 16, \"min\": 2}", "unknown field `min`"),
    ] {
        let changed = text.replacen(old, new, 1);
        assert!(changed != text, "{old}");
        sandbox.program("frames", format!("#!/usr/bin/env -S {python}\n{changed}"));
        let mut command = sandbox.command();
        command.env("FAULT", "none").env("FRAMES", sandbox.path("."));
        Ran::new(command.args(["sample", "./frames"])).code(3).warns(words);
    }
}

/// A child of the program holds its pipes open.
#[test]
fn a_program_that_ends_is_not_waited_for_because_of_its_children() {
    let Some(sandbox) = sandbox() else { return };
    program(&sandbox);
    sandbox.write("g.toml", {
        let config = String::from_utf8(sandbox.read("f.toml")).expect("UTF-8");
        let interpreter = config.lines().find(|line| line.starts_with("interpreter"));
        config.replace("forks.py", "./frames").replace(interpreter.expect("a line"), "")
    });
    let mut command = sandbox.command();
    command.env("FAULT", "orphan").env("FRAMES", sandbox.path("told")).env("ALWAYS", "1");
    command.args(["g.toml", "--repeats", "2", "--jobs", "1", "--progress", "none"]);
    Ran::new(&mut command).code(1);
    for row in rows(&sandbox, &["results/g", "--trials"]) {
        let error = row["error"].as_str().expect("words");
        assert!(error.contains("the program exited by itself with code 5"), "{error}");
    }
}
