//! Requests to the page that nobody would send: half of them, too much of them, with headers and
//! contents that are wrong anywhere. Whatever comes, the server answers in HTTP or closes, goes on,
//! loads nothing that it should not, and leaves the results as they were.

use crate::fuzz::{mutate, rng};
use crate::serve::{self, QUEENS, Server};
use crate::util::{Sandbox, eventually, number, sized};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// Threads that send.
const SENDERS: u64 = 4;
/// Longest part of an answer that is read: streams of events have no end.
const READ: usize = 1 << 12;

/// A problem that leaves a mark when it is loaded; no page may load it.
const EVIL: &str = "
open('MARK', 'w').close()
from runner import Bits


class Problem:
    def describe(self):
        return Bits(4, worst=4)

    def fitness(self, genome):
        return sum(genome)
";

const PATHS: [&str; 20] = [
    "/",
    "/results",
    "/results/watched",
    "/results/%2e%2e",
    "/results/..%2f..%2fetc",
    "/assets/style.css",
    "/assets/..%2fapp.rs",
    "/api/form",
    "/api/data",
    "/api/experiments",
    "/api/experiments/watched",
    "/api/experiments/watched/events",
    "/api/experiments/watched/comparison",
    "/api/experiments/watched/plots",
    "/api/experiments/watched/plots/success-rate",
    "/api/experiments/watched/report",
    "/api/experiments/%00",
    "/api/runs/ID/events",
    "/api/runs/../../x/order",
    "/nowhere",
];

const ORDER: &str = "/api/runs/ID/order";

/// Contents of requests with the paths that they are for; many of both are changed.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let watch = |text: &str| serve::watch(text, 1, None, false).to_string();
    let mine = QUEENS.replace("\"nqueens\"", "\"evil.py\"").replace("n = 8\n", "");
    let swept = format!("{QUEENS}[sweep]\n\"operators.crossover.plugin\" = [\"evil.py\"]\n");
    let run_by = QUEENS.replace("n = 8\n", "interpreter = \"./evil.py\"\n");
    let huge = QUEENS.replace("population = 20", "population = 4000000000");
    let started = format!("{QUEENS}[start]\nfile = \"evil.py\"\n");
    let nested = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let mut contents = vec![
        ("/api/check", "{}".to_owned()),
        ("/api/runs", nested),
        (
            "/api/runs",
            r#"{"task":"replay","experiment":"watched","arm":"tournament","trial":3}"#.to_owned(),
        ),
        (
            "/api/runs",
            r#"{"task":"replay","experiment":"../watched","arm":"x","trial":18446744073709551615}"#
                .to_owned(),
        ),
        ("/api/runs", json!({ "task": "repeat", "text": QUEENS, "trials": 3 }).to_string()),
        ("/api/save", r#"{"name":"../x","text":"a = 1"}"#.to_owned()),
        ("/api/save", r#"{"name":"kept","text":"a = 1"}"#.to_owned()),
        (ORDER, r#"{"order":"pace","pace":1e308}"#.to_owned()),
        (ORDER, r#"{"order":"step"}"#.to_owned()),
        (ORDER, r#"{"order":"end"}"#.to_owned()),
    ];
    let extends = "extends = \"/etc/passwd\"";
    for config in [QUEENS, &mine, &swept, &run_by, &huge, &started, extends, "\u{0}", ""] {
        contents.push(("/api/check", json!({ "text": config }).to_string()));
        contents.push(("/api/runs", watch(config)));
    }
    contents.into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

/// What the senders know.
struct Known<'a> {
    address: &'a str,
    contents: Vec<(&'static str, Vec<u8>)>,
    /// Contents alone, to be mixed.
    others: Vec<Vec<u8>>,
    /// The run that was begun last.
    run: Mutex<String>,
}

/// The bytes of a request, from its first line to its content; whether they may be all of it.
fn request(rng: &mut Xoshiro256PlusPlus, known: &Known<'_>) -> (Vec<u8>, bool) {
    let posts = rng.random_bool(0.4);
    let (own, mut content) = match posts {
        true => known.contents[rng.random_range(0..known.contents.len())].clone(),
        false => (PATHS[rng.random_range(0..PATHS.len())], Vec::new()),
    };
    let any = known.contents[rng.random_range(0..known.contents.len())].0;
    let path = if posts && rng.random_bool(0.2) { any } else { own };
    let path = path.replace("ID", &known.run.lock().expect("a name"));
    let method = match rng.random_range(0..20u32) {
        0 => "DELETE",
        1 => "OPTIONS",
        2 => "HEAD",
        _ if posts => "POST",
        _ => "GET",
    };
    if posts && rng.random_bool(0.5) {
        mutate(rng, &mut content, &known.others);
    }
    let (address, host) = (known.address, known.address.trim_start_matches("http://"));
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    if rng.random_bool(0.9) {
        head += &format!("origin: {address}\r\nsec-fetch-site: same-origin\r\n");
        head += "x-runner-page: 1\r\n";
    }
    if rng.random_bool(0.9) {
        head += "content-type: application/json\r\n";
    }
    let own_length = content.len() as u64;
    let length = match rng.random_range(0..20u32) {
        0 => u64::MAX,
        1 => own_length / 2,
        2 => own_length + 1_000,
        _ => own_length,
    };
    head += &format!("content-length: {length}\r\n\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend(content);
    let mutated = rng.random_bool(0.15);
    if mutated {
        mutate(rng, &mut bytes, &known.others);
    }
    (bytes, !mutated && length <= own_length)
}

/// Sends a request; the status of the answer, or 0 if the connection was closed without one, and
/// the begin of the answer. A server that waits for more is told that there is none.
fn send(host: &str, (bytes, whole): (&[u8], bool), patience: Duration) -> (u16, String) {
    let Ok(mut stream) = TcpStream::connect(host) else { panic!("nobody listens any more") };
    stream.set_read_timeout(Some(patience)).expect("a time");
    // The server may have answered and closed before all was sent.
    _ = stream.write_all(bytes);
    if !whole {
        _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = vec![0; READ];
    let mut read = 0;
    while read < READ {
        match stream.read(&mut answer[read..]) {
            Ok(0) | Err(_) => break,
            Ok(more) => read += more,
        }
        // A stream of events has no end.
        if memchr::memmem::find(&answer[..read], b"text/event-stream").is_some() {
            break;
        }
    }
    let text = String::from_utf8_lossy(&answer[..read]).into_owned();
    let status = text.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
    let status = if read == 0 { Some(0) } else { status };
    (status.unwrap_or_else(|| panic!("this is no answer: {text}")), text)
}

/// The files of the results and of the sandbox, with what is in them.
fn files(sandbox: &Sandbox, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![sandbox.path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    found
}

/// `RUNNER_REQUESTS` says how many.
#[test]
fn no_request_to_the_page_is_too_much() {
    let sandbox = Sandbox::new();
    sandbox.write("watched.toml", QUEENS);
    sandbox.run(&["watched.toml"]).code(0);
    sandbox.write("evil.py", EVIL.replace("MARK", &sandbox.path("mark").display().to_string()));
    std::fs::create_dir(sandbox.path("saved")).expect("a folder");
    let before = files(&sandbox, "results");
    let log = File::create(sandbox.path("log")).expect("a file");
    let mut command = sandbox.command();
    let server = Server::of(
        command.args(["serve", "--port", "0", "--runs", "3", "--configs", "saved"]).stderr(log),
    );
    let wanted = number("RUNNER_REQUESTS", sized(400, 4_000));
    let host = server.address.trim_start_matches("http://");
    let contents = contents();
    let known = Known {
        address: &server.address,
        others: contents.iter().map(|(_, content)| content.clone()).collect(),
        contents,
        run: Mutex::new("0".to_owned()),
    };
    let known = &known;
    let senders = |sender: u64| {
        let mut rng = rng(100 + sender);
        let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
        for sent in (sender..wanted).step_by(SENDERS as usize) {
            let (bytes, whole) = request(&mut rng, known);
            // Some clients do not wait.
            let patience = Duration::from_millis(if sent % 8 == 0 { 5 } else { 20_000 });
            let (status, answer) = send(host, (&bytes, whole), patience);
            *statuses.entry(status).or_default() += 1;
            if let Some((_, begun)) = answer.split_once("{\"id\":\"") {
                *known.run.lock().expect("a name") = begun.chars().take(32).collect();
            }
        }
        statuses
    };
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..SENDERS).map(|sender| scope.spawn(move || senders(sender))).collect();
        for sender in all {
            for (status, count) in sender.join().expect("every request was met") {
                *statuses.entry(status).or_default() += count;
            }
        }
    });
    let words = format!("{wanted} requests, by status: {statuses:?}");
    assert_eq!(server.get("/api/experiments").0, 200, "it goes on; {words}");
    let said = String::from_utf8_lossy(&sandbox.read("log")).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    assert!(!sandbox.path("mark").exists(), "a plugin of the folder was loaded; {words}");
    assert!(files(&sandbox, "results") == before, "the results are others; {words}");
    let strange = |path: &PathBuf| path.extension().is_none_or(|end| end != "toml");
    assert!(!files(&sandbox, "saved").keys().any(strange), "{words}");
    for status in [200, 403, 404] {
        assert!(statuses.contains_key(&status), "{words}");
    }
    assert_eq!(statuses.get(&500), None, "{words}");
    // Searches of clients that are gone end; what looks at settings stays.
    eventually("its searches end", || server.searches().len() <= 1);
    eprintln!("{words}");
}
