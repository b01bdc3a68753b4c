//! Processes that a problem starts end with the command that used the problem, however that command
//! ends and whatever the problem did to hide them. Processes that a command of `--on-end` starts go
//! on.

use crate::hostile::{family, hostile};
use crate::python::{alive, python};
use crate::serve::Server;
use crate::util::{Sandbox, eventually, eventually_or};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::json;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};

/// Starts three processes when it is made: one as usual, one in a session of its own, and one that
/// nobody is the parent of. Each calls itself by the name of its file in `pids`. Where there is a
/// file `hang`, the fitness never comes.
const LEAVES: &str = r#"import os, subprocess, time
from runner import Bits

def left(body):
    os.makedirs("pids", exist_ok=True)
    program = os.getpid()
    told, tell = os.pipe()
    if os.fork() == 0:
        body()
        with open(f"pids/{os.getpid()}", "w") as file:
            file.write(str(program))
        os.write(tell, b".")
        os.execvp("sleep", ["sleep", "600"])
    os.read(told, 1)

def orphan():
    os.setsid()
    if os.fork() != 0:
        os._exit(0)

class Problem:
    def __init__(self):
        left(lambda: None)
        left(os.setsid)
        left(orphan)

    def describe(self):
        return Bits(8, worst=8)

    def fitness(self, genome):
        while os.path.exists("hang"):
            open(f"hangs-{os.getpid()}", "w").close()
            time.sleep(0.02)
        return sum(genome)
"#;

fn sandbox() -> Option<Sandbox> {
    python("sys")?;
    let sandbox = Sandbox::new();
    sandbox.write("leaves.py", LEAVES);
    sandbox.write("a.toml", config(""));
    Some(sandbox)
}

fn config(stop: &str) -> String {
    format!(
        "repeats = 4\n[problem]\nplugin = \"leaves.py\"\n[[operators]]\npopulation = 4\nselection \
        = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 2\nfitness = -1\n{stop}"
    )
}

/// The processes that were left behind so far.
fn left(sandbox: &Sandbox) -> Vec<u32> {
    let files = std::fs::read_dir(sandbox.path("pids")).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().into_string().expect("digits"));
    names.map(|name| name.parse().expect("a number")).collect()
}

#[track_caller]
fn all_end(sandbox: &Sandbox, what: &str) {
    assert!(!left(sandbox).is_empty(), "{what}");
    let living = || -> Vec<u32> { left(sandbox).into_iter().filter(|id| alive(*id)).collect() };
    eventually_or(|| living().is_empty(), || format!("{what}: {:?} are left", living()));
    std::fs::remove_dir_all(sandbox.path("pids")).expect("a folder");
}

/// Starts a command in a group of its own.
fn start(sandbox: &Sandbox, arguments: &[&str]) -> Child {
    let mut command = sandbox.command();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().expect("the binary starts")
}

#[test]
fn nothing_is_left_when_a_command_has_ended() {
    let Some(sandbox) = sandbox() else { return };
    for arguments in [
        &["a.toml", "--isolation", "thread"][..],
        &["a.toml", "--isolation", "process", "--out", "other"],
        &["check", "a.toml"],
        &["check", "a.toml", "--isolation", "process"],
        &["verify", "results/a"],
        &["sample", "leaves.py"],
        &["conformance", "leaves.py", "--only", "repeatable", "--seconds", "60"],
    ] {
        let ran = sandbox.run(arguments);
        assert!(ran.code.is_some_and(|code| code < 2), "{ran}");
        // At once: the command waits until they have ended.
        let living: Vec<u32> = left(&sandbox).into_iter().filter(|id| alive(*id)).collect();
        assert_eq!(living, [] as [u32; 0], "{arguments:?}");
        all_end(&sandbox, &format!("{arguments:?}"));
    }
}

/// However a run is ended: also one of its own processes alone, by SIGKILL.
#[test]
fn nothing_is_left_when_a_run_is_ended() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("hang", "");
    for isolation in ["thread", "process"] {
        for way in ["TERM", "KILL", "KILL group", "KILL keeper", "KILL worker"] {
            let mut child =
                start(&sandbox, &["a.toml", "--jobs", "2", "--isolation", isolation, "--out", way]);
            let what = format!("{isolation}, {way}");
            eventually(&what, || left(&sandbox).len() >= 6);
            let all = family(child.id());
            let id = |place: usize| Pid::from_raw(all[place] as i32);
            match way {
                "TERM" => kill(id(0), Signal::SIGTERM),
                "KILL" => kill(id(0), Signal::SIGKILL),
                "KILL group" => killpg(id(0), Signal::SIGKILL),
                "KILL keeper" => kill(id(1), Signal::SIGKILL),
                _ => kill(id(2), Signal::SIGKILL),
            }
            .expect("it runs");
            child.wait().expect("it ends");
            all_end(&sandbox, &what);
            eventually(&what, || !all.iter().any(|id| alive(*id)));
        }
    }
}

/// A busy machine may take long to tell the run that its work was killed. Here, the process that
/// tells it is stopped for longer than a plugin may have the descriptors closed.
#[test]
fn a_killed_run_blames_no_plugin_however_long_its_end_takes() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "long.toml",
        "repeats = 100000000\n[problem]\nplugin = \"onemax\"\nlength = 200\n[[operators]]\n\
        algorithm = \"random-search\"\n[stop]\nevaluations = 1000\n",
    );
    let mut command = sandbox.command();
    command.args(["long.toml", "--progress", "none"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    eventually("it works", || sandbox.path("results/long/parts").exists());
    let all = family(child.id());
    let [_, keeper, worker] = all[..3] else { panic!("{all:?}") };
    let send = |id: u32, signal| kill(Pid::from_raw(id as i32), signal).expect("it runs");
    send(keeper, Signal::SIGSTOP);
    send(worker, Signal::SIGKILL);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    send(keeper, Signal::SIGCONT);
    let output = child.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(137), "{words}");
    assert!(words.contains("SIGKILL") && !words.contains("descriptors"), "{words}");
}

/// Not only at the end of the run.
#[test]
fn a_program_that_hangs_ends_with_what_it_started() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("b.toml", config("trial-seconds = 0.5\n").replace("repeats = 4", "repeats = 60"));
    for isolation in ["thread", "process"] {
        // Marks of the round before.
        hanging(&sandbox);
        sandbox.write("hang", "");
        let arguments = ["b.toml", "--jobs", "1", "--isolation", isolation, "--out", isolation];
        let mut child = start(&sandbox, &arguments);
        let mut program = None;
        eventually("a program hangs", || {
            program = hanging(&sandbox).pop();
            program.is_some()
        });
        let program = program.expect("as waited for");
        let its = |id: &u32| {
            let text = std::fs::read_to_string(sandbox.path(format!("pids/{id}")));
            text.is_ok_and(|text| text == program)
        };
        // All but the orphan, which ends with the run.
        let gone = || left(&sandbox).into_iter().filter(its).filter(|id| !alive(*id)).count();
        eventually("what it started is gone", || gone() >= 2);
        assert!(child.try_wait().expect("a child").is_none(), "it runs");
        std::fs::remove_file(sandbox.path("hang")).expect("a file");
        child.wait().expect("it ends");
        all_end(&sandbox, isolation);
    }
}

/// The processes that have been in a fitness that does not end, since this was last asked.
fn hanging(sandbox: &Sandbox) -> Vec<String> {
    let files = std::fs::read_dir(sandbox.path(".")).expect("a folder").flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let marks: Vec<String> =
        names.filter_map(|name| name.strip_prefix("hangs-").map(str::to_owned)).collect();
    let path = |mark| sandbox.path(format!("hangs-{mark}"));
    marks.iter().for_each(|mark| _ = std::fs::remove_file(path(mark)));
    marks
}

#[test]
fn nothing_is_left_when_conformance_is_ended() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("hang", "");
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        let mut child = start(&sandbox, &["conformance", "leaves.py"]);
        let begins = || left(&sandbox).len() >= 3 && !hanging(&sandbox).is_empty();
        eventually("a check begins", begins);
        kill(Pid::from_raw(child.id() as i32), signal).expect("it runs");
        child.wait().expect("it ends");
        all_end(&sandbox, signal.as_str());
    }
}

#[test]
fn nothing_is_left_of_a_check_on_a_page() {
    let Some(sandbox) = sandbox() else { return };
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        let mut server = Server::start(&sandbox, &["--plugin-dir", "."]);
        let text = config("").replace("leaves.py", "leaves");
        let (status, answer) = server.post("/api/check", &json!({ "text": text }));
        assert_eq!(status, 200, "{answer}");
        assert!(answer["plan"].is_object(), "{answer}");
        // The process of the check ends with the check, and takes along what it can find.
        kill(Pid::from_raw(server.process.id() as i32), signal).expect("it runs");
        server.process.wait().expect("it ends");
        all_end(&sandbox, signal.as_str());
    }
}

#[test]
fn what_a_library_leaves_behind_ends_too() {
    for isolation in ["thread", "process"] {
        for way in ["end", "KILL"] {
            let sandbox = Sandbox::new();
            let config = format!(
                "[problem]\nplugin = \"{}\"\nmode = \"daemon\"\ncall = \"create\"\nevery = 1\n\
                [[operators]]\npopulation = 4\nselection = \"uniform\"\nmutation = \
                \"bit-flip\"\n[stop]\n",
                hostile().display()
            );
            let stop =
                if way == "end" { "generations = 2\n" } else { "generations = 1000000000\n" };
            sandbox.write("a.toml", config + stop + "fitness = -1\n");
            let mut child = start(&sandbox, &["a.toml", "--isolation", isolation]);
            if way == "KILL" {
                let begun = sandbox.path("results/a/run.toml");
                eventually("it runs", || begun.exists() && !left(&sandbox).is_empty());
                child.kill().expect("it runs");
            }
            child.wait().expect("it ends");
            let living = || left(&sandbox).into_iter().filter(|id| alive(*id)).count();
            assert!(!left(&sandbox).is_empty());
            eventually(&format!("{isolation}, {way}"), || living() == 0);
        }
    }
}

#[test]
fn a_killed_run_ends_the_command_of_on_end_too() {
    for isolation in ["thread", "process"] {
        let sandbox = Sandbox::new();
        sandbox.write("a.toml", config("").replace("leaves.py", "onemax"));
        let on_end = "mkdir pids; sleep 600 & touch pids/$! pids/$$; setsid sh -c 'touch pids/$$; \
                      sleep 600'";
        let mut child = start(&sandbox, &["a.toml", "--isolation", isolation, "--on-end", on_end]);
        eventually("the command runs", || left(&sandbox).len() == 3);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        all_end(&sandbox, isolation);
    }
}

/// A program that sends a message may go on in the background.
#[test]
fn what_a_command_of_on_end_leaves_behind_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", config("").replace("leaves.py", "onemax"));
    sandbox.write("pids/.keep", "");
    std::fs::remove_file(sandbox.path("pids/.keep")).expect("a file");
    let on_end = "sleep 600 >/dev/null 2>&1 & touch pids/$!; setsid sleep 600 >/dev/null 2>&1 & \
                  touch pids/$!";
    sandbox.run(&["a.toml", "--on-end", on_end]).code(0);
    let left = left(&sandbox);
    assert_eq!(left.len(), 2);
    let all_live = left.iter().all(|id| alive(*id));
    left.iter().for_each(|id| _ = kill(Pid::from_raw(*id as i32), Signal::SIGKILL));
    assert!(all_live, "{left:?}");
}
