//! The live page's server: what it answers, what it refuses, and what becomes of its searches.

use crate::util::{PATIENCE, Sandbox, column, eventually, rows, sized};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What the page's scripts send with every question.
const OWN_PAGE: &str = "x-runner-page";

/// A server on a port of its own; it ends with this value.
pub(crate) struct Server {
    pub process: Child,
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Server {
    /// Begins `runner serve` in the sandbox.
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Server::of(sandbox.command().args(["serve", "--port", "0"]).args(arguments))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("an address");
        let address = line.trim().trim_end_matches('/').to_owned();
        assert!(address.starts_with("http://"), "{line}");
        Server { process, address }
    }

    fn agent() -> ureq::Agent {
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        config.timeout_global(Some(PATIENCE)).build().into()
    }

    /// The status of a request, and its answer.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let request = Self::agent().get(format!("{}{path}", self.address));
        let mut answer = request.header(OWN_PAGE, "1").call().expect(path);
        let text = answer.body_mut().read_to_string().expect("text");
        (answer.status().as_u16(), text)
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let (status, text) = self.get(path);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).expect(&text)
    }

    pub(crate) fn post(&self, path: &str, content: &Value) -> (u16, Value) {
        let request = Self::agent().post(format!("{}{path}", self.address));
        let answer =
            request.header("origin", &self.address).header(OWN_PAGE, "1").send_json(content);
        let mut answer = answer.expect("an answer");
        let text = answer.body_mut().read_to_string().expect("text");
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Begins a run: its name.
    pub(crate) fn begin(&self, wish: &Value) -> String {
        let (status, answer) = self.post("/api/runs", wish);
        assert_eq!(status, 200, "{answer}");
        answer["id"].as_str().expect("a name").to_owned()
    }

    pub(crate) fn order(&self, id: &str, order: &Value) {
        let (status, answer) = self.post(&format!("/api/runs/{id}/order"), order);
        assert_eq!(status, 200, "{answer}");
    }

    pub(crate) fn events(&self, path: &str) -> Events {
        let request = Self::agent().get(format!("{}{path}", self.address));
        let answer = request.header(OWN_PAGE, "1").call().expect(path);
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let lines: Box<dyn BufRead> = Box::new(BufReader::new(answer.into_body().into_reader()));
        Events { lines }
    }

    /// The events of a run until one of these kinds that passes.
    pub(crate) fn until(&self, id: &str, kind: &str, passes: impl FnMut(&Value) -> bool) -> Value {
        self.events(&format!("/api/runs/{id}/events")).until(kind, passes)
    }

    /// The numbers of its processes: those below the one that does the work.
    pub(crate) fn searches(&self) -> Vec<u32> {
        let keeper = Self::children(self.process.id());
        let worker: Vec<u32> = keeper.into_iter().flat_map(Self::children).collect();
        worker.into_iter().flat_map(Self::children).collect()
    }

    fn children(of: u32) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{of}/task"));
        let of_task = |task: std::fs::DirEntry| {
            std::fs::read_to_string(task.path().join("children")).unwrap_or_default()
        };
        let texts: Vec<String> = tasks.into_iter().flatten().flatten().map(of_task).collect();
        let numbers = texts.iter().flat_map(|text| text.split_whitespace());
        numbers.filter_map(|number| number.parse().ok()).collect()
    }
}

/// A stream of events.
pub(crate) struct Events {
    lines: Box<dyn BufRead>,
}

impl Events {
    /// The next event: its kind and what it says; none after the last.
    fn next(&mut self) -> Option<(String, Value)> {
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            match line.trim_end() {
                "" if !kind.is_empty() => {
                    return Some((kind, serde_json::from_str(&data).expect("JSON")));
                }
                line => {
                    if let Some(found) = line.strip_prefix("event: ") {
                        kind = found.to_owned();
                    }
                    if let Some(found) = line.strip_prefix("data: ") {
                        data.push_str(found);
                    }
                }
            }
        }
    }

    pub(crate) fn until(&mut self, kind: &str, mut passes: impl FnMut(&Value) -> bool) -> Value {
        let mut last = None;
        while let Some((found, data)) = self.next() {
            if found == kind && passes(&data) {
                return data;
            }
            last = Some((found, data));
        }
        panic!("no `{kind}` that passes; the last event was {last:?}");
    }
}

/// 8 queens by the notes' operators, of which most trials take their whole budget.
pub(crate) const QUEENS: &str = r#"
name = "watched"
seed = 12
repeats = 30
[problem]
plugin = "nqueens"
n = 8
[[operators]]
name = "tournament"
population = 20
selection = { kind = "tournament", size = 2 }
crossover = "one-point"
mutation = { kind = "reset", rate = 0.4 }
[stop]
generations = 60
"#;

pub(crate) fn watch(text: &str, trial: u64, pace: Option<f64>, paused: bool) -> Value {
    let mut wish = json!({ "task": "watch", "text": text, "arms": [0], "trial": trial });
    wish["pace"] = json!(pace);
    wish["paused"] = json!(paused);
    wish
}

pub(crate) fn is_over(frame: &Value) -> bool {
    frame["state"] == "ended"
}

#[test]
fn what_is_watched_is_the_trial_that_a_run_makes() {
    let sandbox = Sandbox::new();
    sandbox.write("watched.toml", QUEENS);
    sandbox.run(&["watched.toml"]).code(0);
    let trials = rows(&sandbox, &["results/watched", "--trials"]);
    let server = Server::start(&sandbox, &[]);
    for trial in 0..12 {
        let pace = (trial % 3 == 0).then_some(400.0);
        let id = server.begin(&watch(QUEENS, trial, pace, false));
        let mut events = server.events(&format!("/api/runs/{id}/events"));
        // A board is sent when it is new.
        let board = std::cell::RefCell::new(Value::Null);
        let frame = events.until("trial", |frame| {
            if frame["board"] != Value::Null {
                board.replace(frame["board"].clone());
            }
            is_over(frame)
        });
        let row = &trials[trial as usize];
        assert_eq!(row["trial"], trial);
        let ending = &frame["ending"];
        for key in [
            "outcome",
            "success",
            "best_fitness",
            "generations",
            "evaluations",
            "evaluations_to_success",
        ] {
            assert_eq!(ending[key], row[key], "{key} of trial {trial}: {ending}");
        }
        assert_eq!(frame["seed"], row["seed"].to_string(), "trial {trial}");
        assert_eq!(board.borrow()["line"], row["best_text"], "trial {trial}");
        // Every generation is in the series, in order, and the last is shown.
        let points = frame["convergence"]["points"].as_array().expect("points");
        let generations: Vec<u64> =
            points.iter().map(|point| point["generation"].as_u64().expect("a number")).collect();
        let known = generations.last().map_or(0, |last| last + 1);
        assert!(known <= row["generations"].as_u64().expect("a number") + 1);
        assert!(generations.is_sorted());
    }
}

/// A point has the children of all generations up to it. Without the key, a search that takes a
/// short cut does not count them, and neither does one that has none.
#[test]
fn the_children_of_a_watched_trial_are_those_of_the_tables() {
    let sandbox = Sandbox::new();
    let one = "[[operators]]\nname = \"one\"\npopulation = 1\nselection = \"uniform\"\n\
        mutation = \"reset\"\nreplacement = { kind = \"plus\", offspring = 1 }\n";
    let random = "[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\n";
    let text = format!("{QUEENS}on-success = \"continue\"\n{one}{random}population = 20\n");
    let counted = format!("{text}[output]\ntrace = \"best\"\noperators = true\n");
    sandbox.write("watched.toml", &counted);
    sandbox.run(&["watched.toml", "--repeats", "1"]).code(0);
    let table = sandbox.path("results/watched/generations.parquet");
    let kinds = ["crossed", "crossed_better", "mutated", "mutated_better"];
    let kinds = kinds.into_iter().chain(["crossed_mutated", "crossed_mutated_better", "cloned"]);
    let columns: Vec<Vec<f64>> = kinds.map(|kind| column(&table, kind)).collect();
    let server = Server::start(&sandbox, &[]);
    let children = |text: &str, arm: usize| {
        let mut wish = watch(text, 0, None, false);
        wish["arms"] = json!([arm]);
        let last = server.until(&server.begin(&wish), "trial", is_over);
        assert_eq!(last["now"]["generation"], 60);
        last["now"]["children"].clone()
    };
    // 61 generations of each arm that counts, in the order of the arms.
    for arm in 0..2 {
        let rows = 61 * arm..61 * (arm + 1);
        let sums: Vec<f64> = columns.iter().map(|one| one[rows.clone()].iter().sum()).collect();
        assert!(sums[5 - 2 * arm] > 0.0, "{sums:?}");
        let told = children(&counted, arm);
        let told: Vec<Option<f64>> =
            told.as_array().expect("counts").iter().map(Value::as_f64).collect();
        assert_eq!(told, sums.into_iter().map(Some).collect::<Vec<_>>(), "{arm}");
    }
    assert_eq!(children(&counted, 2), Value::Null);
    assert_eq!(children(&text, 0), children(&counted, 0));
    assert_eq!([children(&text, 1), children(&text, 2)], [Value::Null, Value::Null]);
}

/// Two jobs on three machines.
pub(crate) const SHOP: &str = "2 3\n0 3 1 2 2 2\n0 2 2 1 1 4\n";

/// Schedules of a shop in a file.
pub(crate) fn shop_of(file: &str) -> String {
    format!(
        "name = \"shop\"\nrepeats = 4\n[problem]\nplugin = \"jobshop\"\nfile = {file:?}\n\
        [[operators]]\nname = \"ga\"\npopulation = 6\nselection = \"tournament\"\n\
        crossover = \"order\"\nmutation = \"swap\"\n[stop]\nfitness = 9\ngenerations = 9\n"
    )
}

/// The form's choice of files of data.
fn offered(server: &Server) -> (Value, Value) {
    let form = server.json("/api/form");
    let all = form["problems"].as_array().expect("problems");
    let shop = all.iter().find(|one| one["name"] == "jobshop").expect("the problem");
    let file = &shop["parameters"][0];
    assert_eq!((&file["key"], &file["type"]), (&json!("file"), &json!("file")));
    (file["words"].clone(), file["folder"].clone())
}

#[test]
fn files_of_data_next_to_the_experiments_can_be_chosen() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("configs/shop.txt", SHOP),
        ("configs/broken.txt", &SHOP.replace("2 2 2", "2 2 two")),
        ("configs/inner/shop.txt", SHOP),
        ("configs/.hidden", SHOP),
        ("configs/other.toml", "seed = 1\n"),
        ("configs/large.txt", &format!("{SHOP}{}", "#".repeat(1 << 20))),
        ("secret.txt", SHOP),
    ] {
        sandbox.write(name, text);
    }
    std::os::unix::fs::symlink("../secret.txt", sandbox.path("configs/link.txt")).expect("a link");
    let server = Server::start(&sandbox, &[]);
    assert_eq!(offered(&server), (json!(["broken.txt", "shop.txt"]), json!("configs")));
    let faults = |text: &str| {
        let (status, checked) = server.post("/api/check", &json!({ "text": text }));
        assert_eq!(status, 200, "{checked}");
        checked["diagnostics"].clone()
    };
    // Nothing but these names is a file, however it is written.
    let secret = sandbox.path("secret.txt").display().to_string();
    let shop = sandbox.path("configs/shop.txt").display().to_string();
    for other in ["large.txt", "link.txt", ".hidden", "other.toml", "inner/shop.txt", "inner", ".."]
        .into_iter()
        .chain(["../secret.txt", "./shop.txt", "../configs/shop.txt", "configs/shop.txt", "none"])
        .chain([secret.as_str(), shop.as_str(), "%73hop.txt", "shop.txt ", "secret.txt"])
    {
        let faults = faults(&shop_of(other));
        let words = faults[0]["message"].as_str().expect("a fault");
        assert!(words.contains("a page cannot read a file of data"), "{other}: {faults}");
        assert_eq!(faults[0]["path"], "problem.file", "{faults}");
        let (status, refused) = server.post("/api/runs", &watch(&shop_of(other), 0, None, true));
        assert_eq!(status, 422, "{other}: {refused}");
    }
    // A file that is none of its format is refused in the words of its reader.
    let broken = faults(&shop_of("broken.txt"));
    let words = broken[0]["message"].as_str().expect("a fault");
    assert!(
        words.contains("broken.txt, line 2: the time of operation 3 of job 1 is `two`"),
        "{words}"
    );
    // The saved experiment finds the file, and has the trial that is watched.
    let text = shop_of("shop.txt");
    assert_eq!(faults(&text), json!([]));
    let (status, saved) = server.post("/api/save", &json!({ "name": "mine", "text": text }));
    assert_eq!(status, 200, "{saved}");
    sandbox.run(&["configs/mine.toml"]).code(0);
    let trial = &rows(&sandbox, &["results/shop", "--trials"])[3];
    let last = server.until(&server.begin(&watch(&text, 3, None, false)), "trial", is_over);
    assert_eq!(last["seed"], trial["seed"].to_string());
    assert_eq!(last["ending"]["best_fitness"], trial["best_fitness"]);
    let repeats = server.begin(&json!({ "task": "repeat", "text": text, "trials": 8 }));
    server.until(&repeats, "repeats", is_over);
}

/// The working folder may be that of anything.
#[test]
fn files_of_the_working_folder_are_offered_only_if_it_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("shop.txt", SHOP);
    let check = json!({ "text": shop_of("shop.txt") });
    let server = Server::start(&sandbox, &[]);
    assert_eq!(offered(&server), (json!([]), Value::Null));
    assert_eq!(server.post("/api/check", &check).1["plan"], Value::Null);
    let server = Server::start(&sandbox, &["--configs", "."]);
    assert_eq!(offered(&server), (json!(["shop.txt"]), json!(".")));
    assert_eq!(server.post("/api/check", &check).1["plan"]["name"], "shop");
}

#[test]
fn a_search_is_paused_and_goes_step_by_step() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let id = server.begin(&watch(QUEENS, 1, None, true));
    let mut events = server.events(&format!("/api/runs/{id}/events"));
    let at = |generation: u64| {
        move |frame: &Value| frame["state"] == "paused" && frame["now"]["generation"] == generation
    };
    let first = events.until("trial", at(0));
    assert_eq!(first["now"]["evaluations"], 20);
    assert_eq!(first["population"], 20);
    assert_eq!(first["boards"].as_array().map(Vec::len), Some(12));
    assert_eq!((&first["strip"]["rows"], &first["strip"]["columns"]), (&json!(20), &json!(8)));
    assert_eq!(first["now"]["individuals"].as_array().map(Vec::len), Some(20));
    assert!(first["board"]["svg"].as_str().expect("a picture").starts_with("<svg"));
    assert_eq!(first["births"], json!([]), "the first genomes have no parents");
    for generation in 1..4 {
        server.order(&id, &json!({ "order": "step" }));
        let frame = events.until("trial", at(generation));
        let births = frame["births"].as_array().expect("births");
        assert_eq!(births.len(), 6);
        births.iter().for_each(is_a_birth_of_queens);
    }
    server.order(&id, &json!({ "order": "pace", "pace": 1000.0 }));
    server.order(&id, &json!({ "order": "resume" }));
    let last = events.until("trial", is_over);
    assert_eq!(last["boards"].as_array().map(Vec::len), Some(12));
}

/// Pairs of queens that clash, counted anew from a genome's rows.
fn clashes(relative: &Value) -> f64 {
    let rows: Vec<i64> = relative["genes"]
        .as_array()
        .expect("genes")
        .iter()
        .map(|gene| gene.as_f64().expect("a number") as i64)
        .collect();
    let pairs = (0..rows.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let clash = |(one, other): &(usize, usize)| {
        let apart = (rows[*one] - rows[*other]).abs();
        apart == 0 || apart == (one - other) as i64
    };
    pairs.filter(clash).count() as f64
}

/// Fails if a child is not what its parents, the cut and the mutation make of it.
fn is_a_birth_of_queens(birth: &Value) {
    let parents = birth["parents"].as_array().expect("parents");
    let bred = if birth["bred"].is_null() { &birth["born"] } else { &birth["bred"] };
    let everyone = parents.iter().chain([bred, &birth["born"]]);
    everyone.for_each(|one| {
        assert_eq!(one["fitness"], clashes(one), "{birth}");
        assert!(one["svg"].as_str().expect("a picture").starts_with("<svg"));
    });
    let genes = |one: &Value| one["genes"].as_array().expect("genes").clone();
    let cut = birth["cut"].as_u64().expect("all are crossed") as usize;
    let [first, second] = [0, 1].map(|place| genes(&parents[place]));
    assert_eq!(genes(bred), [&first[..cut], &second[cut..]].concat(), "{birth}");
    let changed = genes(bred).iter().zip(&genes(&birth["born"])).filter(|(a, b)| a != b).count();
    assert_eq!(changed, usize::from(!birth["bred"].is_null()), "{birth}");
    assert!(changed == 0 || birth["mutates"] == true, "{birth}");
}

/// A pause comes while a generation is held up, or between two: its best individuals are drawn.
#[test]
fn a_pause_draws_the_best_individuals_at_any_speed() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let endless =
        QUEENS.replace("generations = 60", "generations = 1000000000\non-success = \"continue\"");
    for pace in [Some(1.0), Some(10.0), Some(50.0), Some(1000.0), None] {
        let id = server.begin(&watch(&endless, 0, pace, false));
        let mut events = server.events(&format!("/api/runs/{id}/events"));
        events.until("trial", |frame| frame["state"] == "running");
        server.order(&id, &json!({ "order": "pause" }));
        let paused = events.until("trial", |frame| frame["state"] == "paused");
        let boards = paused["boards"].as_array().expect("boards");
        let fitness: Vec<f64> =
            boards.iter().map(|one| one["fitness"].as_f64().expect("a number")).collect();
        assert_eq!(fitness.len(), 12, "{pace:?}");
        assert!(fitness.is_sorted() && paused["now"]["best"] == fitness[0], "{pace:?}");
        server.order(&id, &json!({ "order": "end" }));
    }
}

/// Arms side by side have one name and one stream; an order is for all of them.
#[test]
fn arms_are_watched_side_by_side_in_one_stream() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--runs", "3"]);
    let sets = ["roulette", "uniform"].map(|selection| {
        format!(
            "[[operators]]\nname = \"{selection}\"\npopulation = 20\nselection = \"{selection}\"\n\
            crossover = \"one-point\"\nmutation = {{ kind = \"reset\", rate = 0.4 }}\n\
            scaling = \"complement\"\n"
        )
    });
    let sets = format!("{}{}", sets[0], sets[1].replace("scaling = \"complement\"\n", ""));
    let text = format!("pairing = \"common\"\n{QUEENS}{sets}");
    let mut wish = watch(&text, 4, None, true);
    wish["arms"] = json!([2, 0, 1]);
    let id = server.begin(&wish);
    let mut events = server.events(&format!("/api/runs/{id}/events"));
    let mut first = vec![Value::Null; 3];
    for generation in 0..2 {
        let mut left: Vec<&str> = vec!["tournament", "roulette", "uniform"];
        while !left.is_empty() {
            let frame = events.until("trial", |frame| {
                frame["state"] == "paused" && frame["now"]["generation"] == generation
            });
            left.retain(|name| frame["arm"] != *name);
            if generation == 0 {
                let place = ["uniform", "tournament", "roulette"]
                    .iter()
                    .position(|name| frame["arm"] == *name);
                first[place.expect("an arm of them")] = frame["strip"].clone();
            }
        }
        server.order(&id, &json!({ "order": "step" }));
    }
    assert!(first[0] == first[1] && first[1] == first[2], "they start from the same genomes");
    server.order(&id, &json!({ "order": "end" }));
    assert_eq!(server.get(&format!("/api/runs/{id}/events")).0, 404);
    let refusals = [
        (json!([]), "watches 1 to 6 arms side by side, not 0"),
        (json!([0, 0, 0, 0, 0, 0, 0]), "watches 1 to 6 arms side by side, not 7"),
        (json!([0, 1, 2, 0]), "4 searches side by side are too many: the server was told"),
        (json!([0, 9]), "there is no arm 9"),
    ];
    for (arms, words) in refusals {
        let mut wish = watch(&text, 0, None, true);
        wish["arms"] = arms;
        let (status, answer) = server.post("/api/runs", &wish);
        assert!(status == 422 && answer["error"].to_string().contains(words), "{answer}");
    }
}

#[test]
fn nobody_is_slowed_down_by_who_does_not_read() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--runs", "2"]);
    let endless = QUEENS.replace(
        "generations = 60",
        "generations = 1000000000\nfitness = 0\non-success = \"continue\"",
    );
    let id = server.begin(&watch(&endless, 0, None, false));
    let path = format!("/api/runs/{id}/events");
    // One that never reads, and many that do.
    let _idle = server.events(&path);
    let mut viewers: Vec<Events> = (0..sized(25, 100)).map(|_| server.events(&path)).collect();
    let reaches = |events: &mut Events, generation: u64| {
        events.until("trial", |frame| frame["now"]["generation"].as_u64() > Some(generation));
    };
    for viewer in &mut viewers {
        reaches(viewer, 0);
    }
    // The search goes on as fast as ever: what it does is not what is sent.
    let first = viewers[0].next().expect("an event").1;
    let generation = first["now"]["generation"].as_u64().expect("a number");
    reaches(&mut viewers[1], generation + sized(500, 2_000));
    // The series stays short however long the search is.
    let mut late = server.events(&path);
    let whole = late.until("trial", |_| true);
    let points = whole["convergence"]["points"].as_array().expect("points").len();
    assert!((1..=1_000).contains(&points), "{points} points");
    server.order(&id, &json!({ "order": "end" }));
}

#[test]
fn a_page_that_is_closed_ends_its_search() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let endless =
        QUEENS.replace("generations = 60", "generations = 1000000000\non-success = \"continue\"");
    let before = server.searches().len();
    let id = server.begin(&watch(&endless, 0, None, false));
    let mut events = server.events(&format!("/api/runs/{id}/events"));
    events.until("trial", |_| true);
    eventually("its process is there", || server.searches().len() > before);
    let during = server.searches().len();
    drop(events);
    eventually("its process ends", || server.searches().len() < during);
    assert_eq!(server.get(&format!("/api/runs/{id}/events")).0, 404);
}

/// Processes outlive the threads that started them, as long as the server is there.
#[test]
fn a_server_that_rests_goes_on() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let id = server.begin(&watch(QUEENS, 1, None, true));
    let mut events = server.events(&format!("/api/runs/{id}/events"));
    events.until("trial", |frame| frame["state"] == "paused");
    // Longer than idle threads are kept where nobody says otherwise.
    std::thread::sleep(Duration::from_secs(12));
    let checked = server.post("/api/check", &json!({ "text": QUEENS })).1;
    assert_eq!(checked["diagnostics"], json!([]));
    server.order(&id, &json!({ "order": "resume" }));
    events.until("trial", is_over);
}

#[test]
fn repeated_trials_give_the_verdict_of_compare() {
    let sandbox = Sandbox::new();
    let text = format!(
        "{}{}",
        QUEENS.replace("watched", "race"),
        "[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\npopulation = 20\n"
    );
    let text = text.replace("repeats = 30", "repeats = 200");
    sandbox.write("race.toml", &text);
    sandbox.run(&["race.toml"]).code(0);
    let server = Server::start(&sandbox, &[]);
    let id = server.begin(&json!({ "task": "repeat", "text": text, "trials": 200 }));
    let repeats = server.until(&id, "repeats", is_over);
    let trials = rows(&sandbox, &["results/race", "--trials"]);
    for arm in repeats["arms"].as_array().expect("arms") {
        let own = || trials.iter().filter(|row| row["arm"] == arm["label"]);
        assert_eq!(arm["trials"], own().count());
        let successes = own().filter(|row| row["success"] == true).count();
        assert_eq!(arm["successes"], successes, "{arm}");
        let counted: u64 = arm["histogram"]
            .as_array()
            .expect("bins")
            .iter()
            .map(|bin| bin[2].as_u64().expect("a number"))
            .sum();
        assert_eq!(counted, 200);
        let interval = [0, 1].map(|end| arm["interval"][end].as_f64().expect("a number"));
        let seen = successes as f64 / 200.0;
        assert!(interval[0] < seen && seen < interval[1], "{arm}");
    }
    let compared = server.json("/api/experiments/race/comparison");
    assert_eq!(repeats["verdicts"][0]["words"], compared["pairs"][0]["verdict"]);
    assert_eq!(repeats["verdicts"][0]["first"], compared["pairs"][0]["first"]);
}

/// A budget that ends within the first population leaves its best genome, which is shown.
#[test]
fn a_trial_without_a_whole_generation_has_the_figures_of_the_tables() {
    let sandbox = Sandbox::new();
    let text = "name = \"short\"\nseed = 2\nrepeats = 4\n[problem]\nplugin = \"onemax\"\n\
        length = 12\n[[operators]]\npopulation = 100\nselection = \"uniform\"\n\
        mutation = \"bit-flip\"\n[stop]\nevaluations = 60\n";
    sandbox.write("short.toml", text);
    sandbox.run(&["short.toml"]).code(0);
    let trials = rows(&sandbox, &["results/short", "--trials"]);
    let server = Server::start(&sandbox, &[]);
    for (trial, row) in trials.iter().enumerate() {
        let id = server.begin(&watch(text, trial as u64, None, false));
        let frame = server.until(&id, "trial", is_over);
        for key in ["outcome", "best_fitness", "generations", "evaluations"] {
            assert_eq!(frame["ending"][key], row[key], "{key} of trial {trial}: {frame}");
        }
        assert_eq!(frame["now"]["evaluations"], 60);
        assert_eq!(frame["strip"]["rows"], 1);
    }
}

/// Infeasible genomes are behind feasible ones in all figures of a generation, as in the tables.
#[test]
fn a_generation_with_constraints_has_the_figures_of_the_tables() {
    let sandbox = Sandbox::new();
    let text = "name = \"sack\"\nseed = 3\nrepeats = 1\n[problem]\nplugin = \"knapsack\"\n\
        n = 30\n[[operators]]\npopulation = 12\nselection = \"tournament\"\n\
        mutation = \"bit-flip\"\nconstraints = \"feasibility-first\"\n[stop]\n\
        generations = 20\n[output]\ntrace = \"best\"\n";
    sandbox.write("sack.toml", text);
    sandbox.run(&["sack.toml"]).code(0);
    let table = sandbox.path("results/sack/generations.parquet");
    let server = Server::start(&sandbox, &[]);
    let id = server.begin(&watch(text, 0, None, false));
    let mut points: Vec<Value> = Vec::new();
    server.until(&id, "trial", |frame| {
        let news = &frame["convergence"];
        if news["replaces"] == true {
            points.clear();
        }
        points.extend(news["points"].as_array().expect("points").clone());
        is_over(frame)
    });
    for key in ["best", "worst", "mean"] {
        let shown: Vec<f64> =
            points.iter().map(|point| point[key].as_f64().expect("a number")).collect();
        assert_eq!(shown, column(&table, key), "{key}");
    }
}

/// A viewer that comes back is sent all points in place of those that it has.
#[test]
fn a_viewer_that_comes_back_has_each_generation_once() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let id = server.begin(&watch(QUEENS, 0, None, true));
    let first = server.until(&id, "trial", |frame| frame["state"] == "paused");
    assert_eq!(first["convergence"]["replaces"], true);
    let again = server.until(&id, "trial", |frame| frame["state"] == "paused");
    assert_eq!(again["convergence"]["replaces"], true);
    assert_eq!(again["convergence"]["points"], first["convergence"]["points"]);
}

/// Trials that are repeated are not held up, so that their time limit applies, as in a run.
#[test]
fn the_time_limit_of_repeated_trials_applies() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let text = QUEENS
        .replace("generations = 60", "generations = 1000000000\ntrial-seconds = 0.01")
        .replace("n = 8", "n = 1000");
    let id = server.begin(&json!({ "task": "repeat", "text": text, "trials": 2 }));
    let repeats = server.until(&id, "repeats", is_over);
    assert_eq!(repeats["arms"][0]["successes"], 0, "{repeats}");
}

/// A name that no experiment can have takes no line from the others, nor does one that is gone.
#[test]
fn folders_with_odd_names_keep_the_list() {
    let sandbox = Sandbox::new();
    sandbox.write("watched.toml", QUEENS);
    sandbox.run(&["watched.toml"]).code(0);
    std::fs::create_dir(sandbox.path("results/a\\b")).expect("a folder");
    let server = Server::start(&sandbox, &[]);
    let names: Vec<Value> = server.json("/api/experiments").as_array().expect("a list").clone();
    assert_eq!(names.len(), 1, "{names:?}");
    let asked = json!({ "names": ["a\\b", "watched", "gone"] });
    let (status, lines) = server.post("/api/lines", &asked);
    assert_eq!(status, 200, "{lines}");
    let found: Vec<&String> = lines.as_object().expect("lines").keys().collect();
    assert_eq!(found, ["watched"]);
    // A page of an experiment that is deleted says so.
    let mut events = server.events("/api/experiments/watched/events");
    events.until("experiment", |one| one["error"].is_null());
    std::fs::remove_dir_all(sandbox.path("results/watched")).expect("a folder");
    let said = events.until("experiment", |one| one["error"].is_string());
    assert!(said["error"].to_string().contains("there is no experiment `watched` here"), "{said}");
}

#[test]
fn a_plugin_that_dies_or_hangs_costs_its_own_search() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let text = |fault: &str| {
        format!(
            "[problem]\nplugin = \"faulty\"\nfault = \"{fault}\"\n[[operators]]\n\
            population = 10\nselection = \"uniform\"\nmutation = \"reset\"\n\
            [stop]\ngenerations = 5\n"
        )
    };
    let id = server.begin(&watch(&text("abort"), 0, None, false));
    let lost = server.until(&id, "lost", |_| true);
    let words = lost["error"].as_str().expect("words");
    assert!(words.contains("evaluate") && words.contains("SIGABRT"), "{words}");
    let hanging = server.begin(&watch(&text("endless"), 0, None, false));
    // Meanwhile others are served, and it can be ended.
    let id = server.begin(&watch(QUEENS, 0, None, false));
    server.until(&id, "trial", is_over);
    server.order(&hanging, &json!({ "order": "end" }));
    // An error of the plugin's own is the trial's ending.
    let id = server.begin(&watch(&text("panic-evaluate"), 0, None, false));
    let lost = server.until(&id, "lost", |_| true);
    assert!(lost["error"].as_str().expect("words").contains("as asked"), "{lost}");
}

#[test]
fn settings_are_checked_field_by_field() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let check = |text: &str| server.post("/api/check", &json!({ "text": text })).1;
    let good = check(QUEENS);
    assert_eq!(good["diagnostics"], json!([]));
    assert_eq!(good["plan"]["arms"][0]["genome_length"], 8);
    assert_eq!(good["config"]["problem"]["n"], 8);
    for (from, to, path) in [
        ("n = 8", "n = 0", "problem.n"),
        ("n = 8", "n = \"x\"", "problem.n"),
        ("size = 2", "size = 0", "operators.0.selection.size"),
        ("\"one-point\"", "\"order\"", "operators.0.crossover"),
        ("population = 20", "population = 0", "operators.0.population"),
        ("plugin = \"nqueens\"", "plugin = \"nqueen\"", "problem.plugin"),
        ("rate = 0.4", "rate = 2", "operators.0.mutation.rate"),
    ] {
        let text = QUEENS.replace(from, to);
        let answer = check(&text);
        assert_eq!(answer["plan"], Value::Null, "{to}");
        let fault = &answer["diagnostics"][0];
        assert_eq!(fault["path"], path, "{to}: {fault}");
        // In the words of `runner check`.
        sandbox.write("experiment.toml", &text);
        let ran = sandbox.run(&["check", "experiment.toml"]);
        let words = fault["message"].as_str().expect("words");
        assert!(ran.stderr.contains(words), "{words}\n{ran}");
        let (status, refused) = server.post("/api/runs", &watch(&text, 0, None, false));
        assert_eq!(status, 422, "{refused}");
    }
}

#[test]
fn a_page_reads_and_starts_nothing_elsewhere() {
    let sandbox = Sandbox::new();
    sandbox.write("secret/run.toml", "");
    sandbox.write("results/a/trials.parquet", "");
    std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("results/link"))
        .expect("a link");
    let server = Server::start(&sandbox, &[]);
    for path in [
        "/api/experiments/..",
        "/api/experiments/%2e%2e",
        "/api/experiments/..%2fsecret",
        "/results/%2e%2e%2fsecret",
        "/api/experiments/link",
        "/results/link",
        "/api/experiments/a%00",
        "/assets/..%2f..%2fCargo.toml",
    ] {
        let (status, text) = server.get(path);
        assert!(status == 404 || status == 400, "{path}: {status} {text}");
    }
    let extending = format!("extends = \"/etc/passwd\"\n{QUEENS}");
    for text in [extending, QUEENS.replace("\"nqueens\"", "\"/tmp/evil.so\"")] {
        let (status, answer) = server.post("/api/runs", &watch(&text, 0, None, false));
        assert_eq!(status, 422, "{answer}");
        assert!(answer["error"].as_str().expect("words").contains("a page cannot"), "{answer}");
    }
    let replay = json!({ "task": "replay", "experiment": "../secret", "arm": "x", "trial": 0 });
    assert_eq!(server.post("/api/runs", &replay).0, 404);
    let save = |name: &str| server.post("/api/save", &json!({ "name": name, "text": "x" })).0;
    assert_eq!([save("../x"), save(""), save("a/b"), save("a b")], [422; 4]);
    assert_eq!([save("kept"), save("kept")], [200, 409]);
    assert_eq!(sandbox.read("kept.toml"), b"x");
}

#[test]
fn pages_of_other_sites_are_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let agent = Server::agent();
    let status = |request: ureq::RequestBuilder<ureq::typestate::WithoutBody>| {
        request.call().expect("an answer").status().as_u16()
    };
    let page = || agent.get(format!("{}/", server.address));
    assert_eq!(status(page()), 200);
    assert_eq!(status(page().header("host", "evil.example")), 403);
    let post = |origin: Option<&str>| {
        let mut request = agent.post(format!("{}/api/save", server.address));
        if let Some(origin) = origin {
            request = request.header("origin", origin).header(OWN_PAGE, "1");
        }
        request.send_json(json!({ "name": "x", "text": "" })).expect("an answer").status().as_u16()
    };
    assert_eq!([post(None), post(Some("http://evil.example")), post(Some("null"))], [403; 3]);
    // Nothing changes by being looked at.
    assert_eq!(server.get("/api/save").0, 405);
    assert_eq!(server.get("/api/runs").0, 405);
    let answer = page().call().expect("an answer");
    let policy = answer.headers()["content-security-policy"].to_str().expect("text");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn elsewhere_a_token_is_asked_for() {
    let sandbox = Sandbox::new();
    let server = Server::of(sandbox.command().args(["serve", "--port", "0", "--host", "0.0.0.0"]));
    let (address, query) = server.address.split_once("/?").expect("a token");
    let address = address.replace("0.0.0.0", "127.0.0.1");
    let agent = Server::agent();
    let get = |url: &str| agent.get(url).call().expect("an answer");
    assert_eq!(get(&address).status().as_u16(), 401);
    assert_eq!(get(&format!("{address}/?token=wrong")).status().as_u16(), 401);
    let answer = get(&format!("{address}/?{query}"));
    assert_eq!(answer.status().as_u16(), 200);
    let cookie = answer.headers()["set-cookie"].to_str().expect("text");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().expect("a pair");
    let with = agent.get(format!("{address}/api/form")).header("cookie", pair);
    let with = with.header(OWN_PAGE, "1").call();
    assert_eq!(with.expect("an answer").status().as_u16(), 200);
}

#[test]
fn results_are_shown_while_they_come_in() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", QUEENS.replace("watched", "a"));
    let server = Server::start(&sandbox, &[]);
    assert_eq!(server.json("/api/experiments"), json!([]));
    sandbox.run(&["a.toml", "--repeats", "5"]).code(0);
    let listed = server.json("/api/experiments");
    assert_eq!(listed[0]["name"], "a");
    let mut events = server.events("/api/experiments/a/events");
    let first = events.until("experiment", |_| true);
    assert_eq!((&first["trials"], &first["finished"]), (&json!(5), &json!(true)));
    sandbox.run(&["a.toml"]).code(0);
    let whole = events.until("experiment", |read| read["trials"] == 30 && read["finished"] == true);
    let shown = rows(&sandbox, &["results/a"]);
    for key in ["trials", "successes"] {
        assert_eq!(whole["arms"][0][key], shown[0][key], "{key}");
    }
    assert_eq!(whole["arms"][0]["rate"], shown[0]["success_rate"]);
    let plots = server.json("/api/experiments/a/plots");
    let name = plots[0].as_str().expect("a name");
    let (status, svg) = server.get(&format!("/api/experiments/a/plots/{name}"));
    assert!(status == 200 && svg.starts_with("<svg"), "{status} {svg}");
    let (status, report) = server.get("/api/experiments/a/report");
    assert!(status == 200 && report.contains("Methods"), "{status}: {report}");
    let replay = json!({ "task": "replay", "experiment": "a", "arm": "tournament", "trial": 3 });
    let id = server.begin(&replay);
    let replayed = server.until(&id, "replayed", |_| true);
    assert_eq!(replayed["same"], true, "{replayed}");
    let steps = replayed["steps"].as_array().expect("steps");
    assert_eq!(steps.len() as u64, replayed["improvements"].as_u64().expect("a number"));
    assert_eq!(steps.last().expect("a step")["fitness"], replayed["ending"]["best_fitness"]);
}

#[test]
fn shards_tunings_and_what_is_missing_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    sandbox.run(&["queens.toml", "--repeats", "9", "--shard", "1/2", "--out", "results"]).code(0);
    let server = Server::start(&sandbox, &[]);
    let listed = server.json("/api/experiments");
    let name = listed[0]["name"].as_str().expect("a name");
    let shard = server.json(&format!("/api/experiments/{name}"));
    let figures = ["state", "shard", "trials", "planned"].map(|key| &shard[key]);
    assert_eq!(figures, [&json!("shard done"), &json!("1/2"), &json!(4), &json!(4)], "{shard}");
    sandbox.write("results/tuned/settings.parquet", "");
    let tuned = server.json("/api/experiments/tuned");
    assert!(
        tuned["tuning"].as_str().is_some_and(|path| path.ends_with("results/tuned")),
        "{tuned}"
    );
    let (status, text) = server.get("/results/nosuch");
    assert_eq!(status, 404);
    assert!(text.contains("<h1>Not here</h1>") && text.contains("href=\"/results\""), "{text}");
}

#[test]
fn a_thousand_experiments_are_listed_at_once_and_read_when_they_are_looked_at() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", QUEENS.replace("watched", "a"));
    sandbox.run(&["a.toml", "--repeats", "2"]).code(0);
    for copy in 0..1_000 {
        crate::util::copy(&sandbox.path("results/a"), &sandbox.path(format!("results/b{copy}")));
    }
    let server = Server::start(&sandbox, &[]);
    let listed = server.json("/api/experiments");
    assert_eq!(listed.as_array().map(Vec::len), Some(1_001));
    assert_eq!(server.json("/api/experiments/b999")["trials"], 2);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let port = server.address.rsplit(':').next().expect("a port");
    sandbox
        .run(&["serve", "--port", port])
        .code(2)
        .warns("cannot be listened to")
        .warns("--port 0");
}

#[test]
fn a_base_path_is_in_every_address() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--base-path", "/lab/runner/"]);
    assert!(server.address.ends_with("/lab/runner"), "{}", server.address);
    let (status, page) = server.get("/");
    assert_eq!(status, 200);
    assert!(page.contains("src=\"/lab/runner/assets/watch.js\""), "{page}");
    assert_eq!(server.get("/assets/watch.js").0, 200);
}
