//! What the server of the live page gives away: processes, memory, places and connections, and what
//! it takes back.

use crate::python::python;
use crate::serve::{Events, QUEENS, Server, watch};
use crate::util::{PATIENCE, Sandbox, copy, eventually};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;

/// All processes below one, by their numbers.
fn below(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children =
        tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|text| {
            text.split_whitespace().filter_map(|one| one.parse().ok()).collect::<Vec<_>>()
        })
        .collect();
    children.iter().flat_map(|child| [vec![*child], below(*child)].concat()).collect()
}

/// The processes below the one of a server that does the work.
fn processes(server: &Server) -> Vec<u32> {
    below(server.process.id()).into_iter().skip(2).collect()
}

fn is_there(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // A zombie has ended.
    !status.is_empty() && !status.contains(") Z ")
}

/// A folder of results that is sound, and two whose report never ends: one by the plugin that draws
/// its boards, one by a pipe that its config extends.
fn hanging(sandbox: &Sandbox) {
    sandbox.write("sound.toml", QUEENS.replace("watched", "sound"));
    sandbox.run(&["sound.toml", "--repeats", "2"]).code(0);
    let faulty = "name = \"draws\"\nrepeats = 2\n[problem]\nplugin = \"faulty\"\n\
        fault = \"endless-svg\"\n[[operators]]\npopulation = 10\nselection = \"uniform\"\n\
        mutation = \"reset\"\n[stop]\ngenerations = 5\n";
    sandbox.write("draws.toml", faulty);
    sandbox.run(&["draws.toml"]).code(0);
    copy(&sandbox.path("results/sound"), &sandbox.path("results/extends"));
    let pipe = sandbox.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let provenance = String::from_utf8(sandbox.read("results/extends/run.toml")).expect("text");
    let extends = format!("config = \"\"\"\nextends = \"{}\"\n", pipe.display());
    let provenance = provenance.replacen("config = \"\"\"\n", &extends, 1);
    assert!(provenance.contains("extends"), "{provenance}");
    sandbox.write("results/extends/run.toml", provenance);
}

/// A server whose temporary files are in a folder of the sandbox.
fn server_with(sandbox: &Sandbox, arguments: &[&str]) -> Server {
    std::fs::create_dir_all(sandbox.path("temporary")).expect("a folder");
    let mut command = sandbox.command();
    command.env("TMPDIR", sandbox.path("temporary")).args(["serve", "--port", "0"]);
    Server::of(command.args(arguments))
}

#[test]
fn reads_that_hang_hold_up_nothing_else() {
    let sandbox = Sandbox::new();
    hanging(&sandbox);
    let server = server_with(&sandbox, &["--read-seconds", "4"]);
    let report = |name: &str| server.get(&format!("/api/experiments/{name}/report"));
    thread::scope(|scope| {
        let names = (0..35).flat_map(|_| ["draws", "extends"]);
        let ask = |name| scope.spawn(move || (name, report(name)));
        let asked: Vec<_> = names.map(ask).collect();
        eventually("a read is under way", || !processes(&server).is_empty());
        // Those who wait for the same read share its process.
        let processes = processes(&server);
        assert!(processes.len() <= 8, "{processes:?}");
        let listed = server.json("/api/experiments");
        assert_eq!(listed.as_array().map(Vec::len), Some(3), "{listed}");
        assert_eq!(server.json("/api/experiments/sound")["trials"], 2);
        assert_eq!(server.post("/api/check", &json!({ "text": QUEENS })).0, 200);
        for asked in asked {
            let (name, (status, words)) = asked.join().expect("an answer");
            if name == "draws" {
                assert_eq!(status, 504, "{words}");
                assert!(words.contains("took longer than 4 s") && words.contains("--read-seconds"));
            }
        }
    });
    // Each has ended, with all that it started.
    let (status, page) = report("sound");
    assert!(status == 200 && page.contains("Methods"), "{status}: {page}");
    let left = || processes(&server).len();
    eventually("only the process that checks settings is left", || left() <= 1);
}

#[test]
fn a_server_that_ends_leaves_no_process_and_no_file() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let sandbox = Sandbox::new();
        hanging(&sandbox);
        let server = server_with(&sandbox, &[]);
        thread::scope(|scope| {
            let names = (0..35).flat_map(|_| ["draws", "extends"]);
            let ask = |name| {
                let path = format!("/api/experiments/{name}/report");
                let server = &server;
                scope.spawn(move || server.get(&path))
            };
            let asked: Vec<_> = names.map(ask).collect();
            let id = server.begin(&watch(QUEENS, 0, None, true));
            let _viewer = server.events(&format!("/api/runs/{id}/events"));
            server.post("/api/check", &json!({ "text": QUEENS }));
            // A read, a search and a check.
            eventually("its processes are there", || processes(&server).len() >= 3);
            let processes = processes(&server);
            let process = Pid::from_child(&server.process);
            rustix::process::kill_process(process, signal).expect("it is there");
            eventually("the server ends", || !is_there(server.process.id()));
            eventually("all processes end", || !processes.iter().any(|one| is_there(*one)));
            // They have no answer.
            asked.into_iter().for_each(|asked| drop(asked.join()));
        });
        let left = files(&sandbox.path("temporary"));
        assert!(left.is_empty(), "{signal:?}: {left:?}");
    }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.path()).collect()
}

/// A problem that says in the file `begun` which process it is in, and is never made.
const NEVER_MADE: &str = r#"
import os
import time
from runner import Bits, Text


class Problem:
    parameters = {"begun": Text()}

    def __init__(self, begun):
        with open(begun + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(begun + ".new", begun)
        time.sleep(100_000)

    def describe(self):
        return Bits(4)

    def fitness(self, genome):
        return 0.0
"#;

/// A server with the problem above on its search path, and what is checked with it; none without
/// Python.
fn never_made(sandbox: &Sandbox) -> Option<(Server, impl Fn(&str) -> Value)> {
    python("sys")?;
    sandbox.write("plugins/never.py", NEVER_MADE);
    let folder = sandbox.path(".");
    let question = move |begun: &str| {
        let text = QUEENS.replace("n = 8\n", &format!("begun = {:?}\n", folder.join(begun)));
        json!({ "text": text.replace("nqueens", "never") })
    };
    Some((Server::start(sandbox, &["--plugin-dir", "plugins"]), question))
}

/// The process that says in this file which it is.
fn said_in(path: &Path) -> u32 {
    eventually("the problem is being made", || path.exists());
    std::fs::read_to_string(path).expect("a file").parse().expect("a number")
}

#[test]
fn checks_have_a_deadline() {
    let sandbox = Sandbox::new();
    let Some((server, question)) = never_made(&sandbox) else { return };
    let keys: String = (0..90_000).map(|key| format!("k{key}=1\n")).collect();
    let many = json!({ "text": format!("{QUEENS}{keys}") });
    let begun = sandbox.path("begun");
    thread::scope(|scope| {
        let hangs = scope.spawn(|| server.post("/api/check", &question("begun")));
        let begins = scope.spawn(|| {
            server.post(
                "/api/runs",
                &watch(question("run")["text"].as_str().expect("text"), 0, None, false),
            )
        });
        let long = scope.spawn(|| server.post("/api/check", &many));
        let processes = [said_in(&begun), said_in(&sandbox.path("run"))];
        let (status, answer) = hangs.join().expect("an answer");
        assert_eq!(status, 200, "{answer}");
        let fault = &answer["diagnostics"][0];
        assert_eq!(
            (&answer["plan"], &fault["rule"]),
            (&Value::Null, &json!("a check may take 10 s"))
        );
        assert_eq!(fault["path"], "problem.plugin", "{fault}");
        let (status, answer) = begins.join().expect("an answer");
        assert!(status == 422 && answer.to_string().contains("a check may take 10 s"), "{answer}");
        // However long it takes here, nobody waits longer.
        assert_eq!(long.join().expect("an answer").0, 200);
        let gone = || !processes.iter().any(|process| is_there(*process));
        eventually("the processes of the problem end", gone);
    });
    eventually("all other processes end", || processes(&server).len() <= 1);
}

#[test]
fn a_check_ends_when_its_page_leaves() {
    let sandbox = Sandbox::new();
    let Some((server, question)) = never_made(&sandbox) else { return };
    let host = server.address.trim_start_matches("http://");
    let ask = |begun: &str| {
        let content = question(begun).to_string();
        let mut stream = TcpStream::connect(host).expect("a connection");
        let head = format!(
            "POST /api/check HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
            X-Runner-Page: 1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            content.len()
        );
        stream.write_all((head + &content).as_bytes()).expect("sent");
        (stream, said_in(&sandbox.path(begun)))
    };
    // The deadline of the one that leaves is the later one.
    let (_stays, other) = ask("stays");
    let (leaves, process) = ask("leaves");
    drop(leaves);
    eventually("the process of the problem ends", || !is_there(process));
    assert!(is_there(other), "the deadline ended it");
}

/// Searches on so many bits: 3,001 genomes at a time.
fn bits(length: u32, population: u32) -> String {
    format!(
        "repeats = 1\n[problem]\nplugin = \"onemax\"\nlength = {length}\n[[operators]]\n\
        population = {population}\nselection = \"uniform\"\nmutation = \"bit-flip\"\n\
        [stop]\ngenerations = 1000000\non-success = \"continue\"\n"
    )
}

#[test]
fn a_page_refuses_what_does_not_fit_into_memory_in_the_words_of_check() {
    let sandbox = Sandbox::new();
    let text = bits(1_000_000, 10_000_000);
    sandbox.write("experiment.toml", &text);
    let ran = sandbox.run(&["check", "experiment.toml"]).code(2);
    // The worker looks too, whatever the server is told that there is.
    for memory in [&[] as &[&str], &["--memory", "900TB"]] {
        let server = Server::start(&sandbox, memory);
        let answer = server.post("/api/check", &json!({ "text": text })).1;
        assert_eq!(answer["plan"], Value::Null);
        let fault = &answer["diagnostics"][0];
        for words in [&fault["message"], &fault["rule"], &fault["help"]] {
            let words = words.as_str().expect("words");
            assert!(ran.stderr.contains(words), "{words}\n{ran}");
        }
        for wish in
            [watch(&text, 0, None, false), json!({ "task": "repeat", "text": text, "trials": 10 })]
        {
            let (status, answer) = server.post("/api/runs", &wish);
            assert_eq!(status, 422, "{answer}");
            let words = answer["error"].as_str().expect("words");
            assert!(words.contains("30,000,001 genomes of 1,000,000 genes"), "{words}");
            assert!(words.contains(": 30 TB") && words.contains("make the problem"), "{words}");
        }
    }
}

#[test]
fn searches_of_all_pages_share_what_memory_says() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--memory", "100MB"]);
    let large = watch(&bits(10_000, 1_000), 0, None, true);
    let begin = || {
        let id = server.begin(&large);
        let viewer = server.events(&format!("/api/runs/{id}/events"));
        (id, viewer)
    };
    let running: Vec<(String, Events)> = (0..3).map(|_| begin()).collect();
    let (status, answer) = server.post("/api/runs", &large);
    assert_eq!(status, 503, "{answer}");
    let words = answer["error"].as_str().expect("words");
    assert!(words.contains("this search needs 30 MB of memory"), "{words}");
    assert!(words.contains("may use 100 MB together (--memory), and 9.2 "), "{words}");
    assert!(words.contains("MB are left; wait for another"), "{words}");
    // Small ones go on.
    let small = server.begin(&watch(QUEENS, 0, None, false));
    server.until(&small, "trial", |frame| frame["state"] == "ended");
    // One that ends makes room, also for one that is begun at once.
    server.order(&running[0].0, &json!({ "order": "end" }));
    begin();
    let (status, answer) = server.post("/api/runs", &watch(&bits(50_000, 1_000), 0, None, true));
    assert_eq!(status, 422, "{answer}");
    let words = answer["error"].as_str().expect("words");
    assert!(words.contains("needs 151 MB") && words.contains("may use 100 MB"), "{words}");
    assert!(words.contains("a larger --memory"), "{words}");
}

#[test]
fn repeats_take_as_many_cores_as_there_is_memory_for() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--memory", "40MB"]);
    let text = bits(10_000, 1_000).replace("generations = 1000000", "generations = 3");
    let id = server.begin(&json!({ "task": "repeat", "text": text, "trials": 3 }));
    let ended = server.until(&id, "repeats", |frame| frame["state"] == "ended");
    assert_eq!(ended["arms"][0]["trials"], 3);
}

/// Nothing is run if a worker process, which takes some memory itself, has too little for a trial;
/// and the population of the advice fits.
#[test]
fn trials_that_do_not_fit_into_a_worker_process_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("bits.toml", bits(160_000, 1_000));
    let limit = ["--isolation", "process", "--worker-memory", "470", "--jobs", "1"];
    let refused =
        sandbox.run(&[&["bits.toml"], &limit[..]].concat()).code(2).warns("--worker-memory allows");
    assert!(!sandbox.path("results").exists());
    let (_, advice) = refused.stderr.split_once("lower the population to ").expect("advice");
    let advice: String = advice.chars().take_while(char::is_ascii_digit).collect();
    let smaller = format!("operators.population={advice}");
    let set = ["--set", &smaller, "--set", "stop.generations=1", "--repeats", "1"];
    sandbox.run(&[&["bits.toml"], &limit[..], &set].concat()).code(0);
}

#[test]
fn no_more_searches_start_than_the_server_was_told() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--runs", "4"]);
    let wish = watch(QUEENS, 0, None, true);
    let done = std::sync::Barrier::new(40);
    let begun = thread::scope(|scope| {
        let ask = || {
            let (status, answer) = server.post("/api/runs", &wish);
            let id = answer["id"].as_str().unwrap_or_default();
            let viewer = (status == 200).then(|| server.events(&format!("/api/runs/{id}/events")));
            let searches = processes(&server).len();
            // Nobody leaves before all were answered.
            done.wait();
            drop(viewer);
            (status, searches, answer)
        };
        let asked: Vec<_> = (0..40).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect::<Vec<_>>()
    });
    let refused = |answer: &Value| answer.to_string().contains("(--runs 4)");
    let counts = [200, 503].map(|code| begun.iter().filter(|(status, ..)| *status == code).count());
    assert_eq!(counts, [4, 36], "{begun:?}");
    assert!(begun.iter().all(|(status, _, answer)| *status == 200 || refused(answer)));
    // And the process that checks settings.
    assert!(begun.iter().all(|(_, searches, _)| *searches <= 5), "{begun:?}");
}

/// What the server says until it closes the connection.
fn rest(mut stream: TcpStream) -> String {
    stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
    let mut bytes = Vec::new();
    // Reset, where it had not read all.
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("not closed"),
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[test]
fn requests_that_do_not_come_in_whole_are_closed() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let host = server.address.trim_start_matches("http://");
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream.write_all(text.as_bytes()).expect("sent");
        stream
    };
    let silent = connect("");
    let head = connect("GET / HTTP/1.1\r\nHost: ");
    let content = connect(&format!(
        "POST /api/check HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
        X-Runner-Page: 1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n\
        {{\"text\""
    ));
    for stream in [silent, head] {
        let said = rest(stream);
        assert!(said.is_empty() || said.contains(" 408 ") || said.contains(" 400 "), "{said}");
    }
    let said = rest(content);
    assert!(said.contains(" 408 ") && said.contains("did not come in within 10 s"), "{said}");
}

#[test]
fn connections_are_counted() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let host = server.address.trim_start_matches("http://");
    let connect = || {
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream.write_all(b"GET /").expect("sent");
        stream
    };
    let mut half: Vec<TcpStream> = (0..530).map(|_| connect()).collect();
    let refused = rest(half.pop().expect("the last"));
    assert!(refused.contains(" 503 ") && refused.contains("too many connections"), "{refused}");
    // Those that never ask are closed.
    let listed = || server.get("/api/experiments").0 == 200;
    eventually("there is room again", listed);
}

#[test]
fn results_are_shown_from_folders_only() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    for out in ["file", "file/results"] {
        sandbox
            .run(&["serve", "--port", "0", "--out", out])
            .code(2)
            .warns(&format!("--out {out}: "))
            .warns("name the folder that has a results folder for each experiment");
    }
    // One that is not there yet may come.
    let server = Server::start(&sandbox, &["--out", "later"]);
    assert_eq!(server.json("/api/experiments"), json!([]));
}
