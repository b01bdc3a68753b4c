//! What a page cannot have opened: every key of an experiment that can name a file or a program, in
//! every form of TOML and every place that values come from, against the real server. The kernel
//! tells which files were opened; plugins and programs leave a mark when they run.
//!
//! `RUNNER_PAGE_KEYS` says how many times each key is tried in each place.

use crate::fuzz::rng;
use crate::python::{python, search_path};
use crate::serve::{Server, watch};
use crate::toml_forms::{Form, write};
use crate::util::{Sandbox, number, plugins, sized};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::DLL_SUFFIX;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// What a text of an experiment names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Plugin,
    Interpreter,
    Experiment,
    Genomes,
    Results,
    /// No file and no program, whatever it looks like.
    Nothing,
}

/// The keys whose values are free texts. A new one has its place here: what does it name?
const KEYS: [(&str, Names); 49] = [
    ("extends", Names::Experiment),
    ("name", Names::Nothing),
    ("operators.algorithm.interpreter", Names::Interpreter),
    ("operators.algorithm.operator", Names::Nothing),
    ("operators.algorithm.plugin", Names::Plugin),
    ("operators.algorithm.version", Names::Nothing),
    ("operators.crossover.interpreter", Names::Interpreter),
    ("operators.crossover.operator", Names::Nothing),
    ("operators.crossover.plugin", Names::Plugin),
    ("operators.crossover.version", Names::Nothing),
    ("operators.mutation.interpreter", Names::Interpreter),
    ("operators.mutation.operator", Names::Nothing),
    ("operators.mutation.plugin", Names::Plugin),
    ("operators.mutation.version", Names::Nothing),
    ("operators.name", Names::Nothing),
    ("operators.preset", Names::Nothing),
    ("operators.selection.interpreter", Names::Interpreter),
    ("operators.selection.operator", Names::Nothing),
    ("operators.selection.plugin", Names::Plugin),
    ("operators.selection.version", Names::Nothing),
    ("presets", Names::Experiment),
    ("presets.algorithm.interpreter", Names::Interpreter),
    ("presets.algorithm.operator", Names::Nothing),
    ("presets.algorithm.plugin", Names::Plugin),
    ("presets.algorithm.version", Names::Nothing),
    ("presets.crossover.interpreter", Names::Interpreter),
    ("presets.crossover.operator", Names::Nothing),
    ("presets.crossover.plugin", Names::Plugin),
    ("presets.crossover.version", Names::Nothing),
    ("presets.mutation.interpreter", Names::Interpreter),
    ("presets.mutation.operator", Names::Nothing),
    ("presets.mutation.plugin", Names::Plugin),
    ("presets.mutation.version", Names::Nothing),
    ("presets.name", Names::Nothing),
    ("presets.preset", Names::Nothing),
    ("presets.selection.interpreter", Names::Interpreter),
    ("presets.selection.operator", Names::Nothing),
    ("presets.selection.plugin", Names::Plugin),
    ("presets.selection.version", Names::Nothing),
    ("problem.interpreter", Names::Interpreter),
    ("problem.plugin", Names::Plugin),
    ("repeats.decide", Names::Nothing),
    // With these, the table [start] also names a file or a folder.
    ("start.arm", Names::Results),
    ("start.column", Names::Genomes),
    ("start.experiment", Names::Results),
    ("start.file", Names::Genomes),
    ("start.fitness", Names::Nothing),
    // A design: a table of values.
    ("sweep.from", Names::Genomes),
    ("sweep.together", Names::Nothing),
];

/// The paths of a schema's free texts; a sweep has those of the keys that it sweeps.
fn texts(schema: &Value, root: &Value, path: &str, found: &mut BTreeSet<String>) {
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if schema["type"] == "string" && schema["enum"].is_null() && schema["const"].is_null() {
        found.insert(path.to_owned());
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.strip_prefix("#/$defs/")) {
        texts(&root["$defs"][name], root, path, found);
    }
    for key in ["anyOf", "allOf", "oneOf"] {
        let choices = schema[key].as_array().into_iter().flatten();
        choices.for_each(|one| texts(one, root, path, found));
    }
    for key in ["items", "then", "additionalProperties"] {
        schema.get(key).into_iter().for_each(|one| texts(one, root, path, found));
    }
    for key in ["properties", "patternProperties"] {
        for (name, one) in schema[key].as_object().into_iter().flatten() {
            texts(one, root, &below(name), found);
        }
    }
}

#[test]
fn every_text_of_the_schema_is_classified() {
    let sandbox = Sandbox::new();
    let printed = sandbox.run(&["schema", "--plugin", "onemax"]).code(0).stdout;
    let schema: Value = serde_json::from_str(&printed).expect("JSON");
    let mut found = BTreeSet::new();
    texts(&schema, &schema, "", &mut found);
    let known: BTreeSet<String> = KEYS.iter().map(|(key, _)| (*key).to_owned()).collect();
    let swept = |key: &String| key.strip_prefix("sweep.").is_some_and(|key| known.contains(key));
    let found: BTreeSet<String> = found.into_iter().filter(|key| !swept(key)).collect();
    assert_eq!(found, known, "what can a page have opened by a new key?");
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Plain,
    List,
    SecondSet,
    Preset,
    Swept,
    SweptTables,
    SweptSlot,
    SweptOfOneSet,
    SweptTablesOfOneSet,
    SecondSweep,
    Together,
    Except,
}

impl Place {
    const ALL: [Place; 12] = [
        Place::Plain,
        Place::List,
        Place::SecondSet,
        Place::Preset,
        Place::Swept,
        Place::SweptTables,
        Place::SweptSlot,
        Place::SweptOfOneSet,
        Place::SweptTablesOfOneSet,
        Place::SecondSweep,
        Place::Together,
        Place::Except,
    ];

    /// Whether there is such a place for this key, and another one than for all keys.
    fn has(self, key: &str) -> bool {
        let of_sets = key.starts_with("operators.");
        match self {
            Place::Plain | Place::List => true,
            // Sweeps have the keys of operator sets.
            _ if key.starts_with("presets") => false,
            Place::SecondSet
            | Place::Preset
            | Place::SweptOfOneSet
            | Place::SweptTablesOfOneSet => of_sets,
            Place::SweptSlot => key.contains('.') && !key.starts_with("sweep."),
            _ => !key.starts_with("sweep."),
        }
    }
}

/// A key with a value, somewhere in an experiment.
#[derive(Debug)]
struct Case {
    number: usize,
    key: &'static str,
    names: Names,
    place: Place,
    form: Form,
    value: String,
}

/// Puts a value where a path leads; tables on the way are made.
fn put(at: &mut Value, path: &[&str], value: Value) {
    match (path, at) {
        ([], at) => *at = value,
        ([first, rest @ ..], Value::Object(table)) => {
            put(table.entry(*first).or_insert(Value::Null), rest, value);
        }
        (path, at) => {
            *at = json!({});
            put(at, path, value);
        }
    }
}

impl Case {
    /// The experiment. What is beside the value makes it count.
    fn experiment(&self) -> Value {
        let mut root = json!({
            "repeats": 2,
            "problem": { "plugin": "onemax", "length": 8 },
            "operators": [
                { "name": "A", "population": 4, "selection": "tournament", "mutation": "bit-flip" },
                { "name": "B", "population": 6, "selection": "tournament", "crossover": "uniform" },
            ],
            "stop": { "generations": 2 },
        });
        let path: Vec<&str> = self.key.split('.').collect();
        let table = &path[..path.len() - 1];
        let value = json!(self.value);
        let set = usize::from(self.place == Place::SecondSet);
        if self.place == Place::Preset {
            root["operators"][0] = json!({ "name": "A", "preset": "simple-ga" });
        }
        match *path.as_slice() {
            ["operators", slot, _] => {
                root["operators"][set][slot] = json!({ "plugin": "mine.py" });
            }
            ["presets", slot, _] => {
                root["operators"][0] = json!({ "name": "A", "preset": "own" });
                root["presets"] = json!([{
                    "name": "own", "preset": "simple-ga", slot: { "plugin": "mine.py" },
                }]);
            }
            ["presets", _] => root["presets"] = json!([{ "name": "own", "preset": "simple-ga" }]),
            ["problem", "interpreter"] => root["problem"] = json!({ "plugin": "mine.py" }),
            ["problem", "plugin"] => root["problem"] = json!({ "plugin": "mine.py" }),
            ["start", "arm"] => root["start"] = json!({ "experiment": self.value }),
            ["start", "column"] => root["start"] = json!({ "file": self.value }),
            ["repeats", _] => root["repeats"] = json!({ "decide": ["A", "B"], "max": 9 }),
            _ => {}
        }
        let others = json!([4, 6]);
        let permitted = if self.names == Names::Interpreter { "python3" } else { "mine.py" };
        match (self.place, path.as_slice()) {
            (Place::Plain | Place::List, ["sweep", together @ "together"]) => {
                let group = json!(["stop.generations", value]);
                let group = if self.place == Place::List { json!([group]) } else { group };
                root["sweep"] = json!({ "stop.generations": others, *together: group });
            }
            (Place::Plain, ["repeats", key]) => root["repeats"][key] = json!([value, "B"]),
            (Place::Plain | Place::List | Place::SecondSet | Place::Preset, path) => {
                let value = if self.place == Place::List { json!([value]) } else { value };
                match path {
                    ["operators", path @ ..] => put(&mut root["operators"][set], path, value),
                    ["presets", path @ ..] if !path.is_empty() => {
                        put(&mut root["presets"][0], path, value);
                    }
                    path => put(&mut root, path, value),
                }
            }
            (Place::Swept, _) => root["sweep"] = json!({ self.key: [value] }),
            (Place::SweptTables, path) => put(&mut root["sweep"], path, json!([value])),
            (Place::SweptSlot, path) => {
                let mut inner = Map::from_iter([(path[path.len() - 1].to_owned(), value)]);
                if path[0] == "operators" && path[path.len() - 1] != "plugin" {
                    inner.insert("plugin".to_owned(), json!("mine.py"));
                }
                root["sweep"] = json!({ table.join("."): [inner] });
            }
            (Place::SweptOfOneSet, path) => {
                root["sweep"] = json!({ format!("operators.A.{}", path[1..].join(".")): [value] });
            }
            (Place::SweptTablesOfOneSet, path) => {
                let path = [&["operators", "A"], &path[1..]].concat();
                put(&mut root["sweep"], &path, json!([value]));
            }
            (Place::SecondSweep, _) => {
                root["sweep"] = json!([{ "stop.generations": others }, { self.key: [value] }]);
            }
            (Place::Together, _) => {
                let keys = [self.key, "stop.generations"];
                root["sweep"] = json!({ keys[0]: [value, permitted], keys[1]: others });
                root["sweep"]["together"] = json!(keys);
            }
            (Place::Except, _) => {
                let keys = [self.key, "stop.generations"];
                root["sweep"] = json!({ keys[0]: [permitted, value], keys[1]: others });
                root["sweep"]["except"] = json!([{ keys[0]: value, keys[1]: 4 }]);
            }
        }
        root
    }
}

/// Every key in every place, `rounds` times.
fn cases(rng: &mut Xoshiro256PlusPlus, root: &Path, rounds: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..rounds {
        for (key, names) in KEYS {
            for place in Place::ALL.into_iter().filter(|place| place.has(key)) {
                let number = cases.len();
                let ending = match names {
                    Names::Plugin | Names::Nothing => {
                        [".py", DLL_SUFFIX, ""][rng.random_range(0..3)]
                    }
                    Names::Interpreter | Names::Results => "",
                    Names::Experiment => ".toml",
                    // Only Parquet has columns.
                    Names::Genomes if key == "start.column" => ".parquet",
                    Names::Genomes => ".csv",
                };
                let file = format!("trap-{number}{ending}");
                let plain = names != Names::Plugin || !ending.is_empty();
                let value = match rng.random_range(0..4) {
                    0 if plain => file,
                    1 => root.join(file).display().to_string(),
                    2 => format!("plugins/../{file}"),
                    _ => format!("./{file}"),
                };
                let form = Form::ALL[rng.random_range(0..Form::ALL.len())];
                cases.push(Case { number, key, names, place, form, value });
            }
        }
    }
    cases
}

/// A plugin for all that a plugin can be.
const PLUGIN: &str = r#"
from runner import Algorithm, Bits, Crossover, Mutation, Selection


class Problem:
    def describe(self):
        return Bits(8, ideal=0, worst=8)

    def fitness(self, genome):
        return float(8 - sum(genome))


class Choose(Selection):
    def select(self, fitness, violations, count, rng):
        return [rng.randrange(len(fitness)) for _ in range(count)]


class Cross(Crossover):
    def crossover(self, first, second, rng):
        return first


class Flip(Mutation):
    encodings = ["bits"]

    def mutate(self, genome, rng):
        genome[rng.randrange(len(genome))] ^= 1


class Draw(Algorithm):
    def ask(self):
        return [[self.rng.randrange(2) for _ in range(8)]]

    def tell(self, genomes, fitness):
        pass
"#;

/// Writes what the value of a case names.
fn set_trap(sandbox: &Sandbox, case: &Case) {
    let file = format!("trap-{}", case.number);
    let mark = sandbox.path(format!("mark-{}", case.number));
    match case.names {
        Names::Plugin | Names::Interpreter | Names::Nothing => {
            sandbox.write(&format!("{file}.py"), format!("open({mark:?}, 'w').close(){PLUGIN}"));
            // It works as an interpreter, and speaks no protocol as a plugin.
            let program =
                format!("#!/bin/sh\n: > '{}'\n[ $# = 0 ] || exec python3 \"$@\"\n", mark.display());
            sandbox.program(&file, program);
            if case.value.ends_with(DLL_SUFFIX) {
                let library = plugins().join(format!("libbreeding{DLL_SUFFIX}"));
                let file = sandbox.path(format!("{file}{DLL_SUFFIX}"));
                std::fs::copy(library, file).expect("a library");
            }
        }
        Names::Experiment => drop(sandbox.write(&format!("{file}.toml"), "seed = 1\n")),
        Names::Genomes => [".csv", ".parquet"].into_iter().for_each(|ending| {
            sandbox.write(&format!("{file}{ending}"), "0,1,0,1,0,1,0,1\n");
        }),
        Names::Results => crate::util::copy(&sandbox.path("results/a"), &sandbox.path(&file)),
    }
}

/// What the kernel says of the traps.
struct Watch {
    told: OwnedFd,
    /// The folders among them, by their watches.
    folders: BTreeMap<i32, usize>,
}

fn number_of(name: &str) -> Option<usize> {
    let digits: String =
        name.strip_prefix("trap-")?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

impl Watch {
    fn new(sandbox: &Sandbox, cases: &[Case]) -> Self {
        let told = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("inotify");
        let watch =
            |path: &Path| inotify::add_watch(&told, path, WatchFlags::OPEN).expect("a watch");
        watch(&sandbox.path(""));
        let folders = cases.iter().filter(|case| case.names == Names::Results);
        let folder =
            |case: &Case| (watch(&sandbox.path(format!("trap-{}", case.number))), case.number);
        let folders = folders.map(folder).collect();
        Watch { told, folders }
    }

    /// The cases whose traps were opened, or left a mark, since it was asked last.
    fn sprung(&self, sandbox: &Sandbox) -> BTreeSet<usize> {
        let mut buffer = vec![MaybeUninit::uninit(); 1 << 16];
        let mut reader = inotify::Reader::new(&self.told, &mut buffer);
        let mut sprung = BTreeSet::new();
        loop {
            match reader.next() {
                Err(Errno::WOULDBLOCK) => break,
                Err(error) => panic!("{error}"),
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
                    sprung.extend(self.folders.get(&event.wd()));
                    sprung.extend(name.as_deref().and_then(number_of));
                }
            }
        }
        for entry in std::fs::read_dir(sandbox.path("")).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(number) = name.strip_prefix("mark-") {
                sprung.insert(number.parse().expect("a number"));
                std::fs::remove_file(entry.path()).expect("removed");
            }
        }
        sprung
    }
}

/// In these places, what an experiment file names is opened when a user checks it.
fn counts(case: &Case) -> bool {
    match case.names {
        Names::Nothing => false,
        // The file or folder stands beside it, wherever the key is.
        _ if ["start.arm", "start.column"].contains(&case.key) => case.place != Place::List,
        Names::Plugin | Names::Interpreter if case.key.starts_with("operators.") => {
            case.place != Place::List
        }
        // These take a file or a list of files.
        _ if ["extends", "presets"].contains(&case.key) => {
            [Place::Plain, Place::List].contains(&case.place)
        }
        _ => case.place == Place::Plain,
    }
}

#[test]
fn no_key_of_a_page_opens_a_file_or_starts_a_program() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("plugins/mine.py", PLUGIN);
    let a = "name = \"a\"\nrepeats = 2\n[problem]\nplugin = \"onemax\"\nlength = 8\n[[operators]]\n\
        name = \"A\"\npopulation = 4\nselection = \"tournament\"\nmutation = \"bit-flip\"\n[stop]\n\
        generations = 2\n";
    sandbox.write("a.toml", a);
    sandbox.run(&["a.toml"]).code(0);
    let rounds = number("RUNNER_PAGE_KEYS", sized(1, 6));
    // One round has every fourth case: each key at some of its places.
    let mut cases = cases(&mut rng(34), &sandbox.path(""), rounds);
    if rounds == 1 {
        cases.retain(|case| case.number % 4 == 0);
    }
    let write_case = |case: &Case| {
        set_trap(&sandbox, case);
        let text = write(&case.experiment(), case.form);
        sandbox.write(&format!("case-{}.toml", case.number), &text);
        text
    };
    let texts: Vec<String> = cases.iter().map(write_case).collect();
    let kernel = Watch::new(&sandbox, &cases);
    // Bare names of interpreters are looked for there.
    let folders = std::env::split_paths(search_path()).chain([sandbox.path("")]);
    let path = std::env::join_paths(folders).expect("a search path");
    let mut command = sandbox.command();
    command.env("PATH", &path).args(["serve", "--port", "0", "--plugin-dir", "plugins"]);
    let server = Server::of(&mut command);
    let describe = |numbers: &BTreeSet<usize>| -> String {
        let all = cases.iter().zip(&texts).filter(|(case, _)| numbers.contains(&case.number));
        all.map(|(case, text)| format!("{case:?}\n{text}\n")).collect()
    };
    for (case, text) in cases.iter().zip(&texts) {
        let (status, checked) = server.post("/api/check", &json!({ "text": text }));
        assert_eq!(status, 200, "{case:?}: {checked}");
        let (status, begun) = server.post("/api/runs", &watch(text, 0, None, true));
        match status {
            200 => server.order(begun["id"].as_str().expect("a name"), &json!({ "order": "end" })),
            status => assert!(status == 422, "{case:?}: {status} {begun}"),
        }
    }
    drop(server);
    let opened = kernel.sprung(&sandbox);
    assert!(opened.is_empty(), "a page had these opened:\n{}", describe(&opened));
    // The same texts, when a user checks them. One that is wrong keeps the others from being timed.
    let mut opened = BTreeSet::new();
    for some in cases.chunks(50) {
        let files = some.iter().map(|case| format!("case-{}.toml", case.number));
        let files: Vec<String> = files.chain(["none.toml".to_owned()]).collect();
        let mut command = sandbox.command();
        command.env("PATH", &path).args(["check", "--plugin-dir", "plugins"]).args(files);
        assert!(!command.output().expect("the binary starts").status.success());
        opened.extend(kernel.sprung(&sandbox));
    }
    let of_names: BTreeSet<usize> =
        cases.iter().filter(|case| counts(case)).map(|case| case.number).collect();
    let (missed, more) = (&of_names - &opened, &opened - &of_names);
    assert!(missed.is_empty(), "{} traps do not work:\n{}", missed.len(), describe(&missed));
    assert!(more.is_empty(), "{} traps were not expected:\n{}", more.len(), describe(&more));
}
