//! Packs: one zip file with all that belongs to an experiment, whose bytes follow from the results,
//! and which other tools read as an RO-Crate.

use crate::python::python;
use crate::util::{Ran, Sandbox, copy, copy_program, plugins};
use serde_json::Value;
use std::collections::BTreeMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use zip::{DateTime, ZipArchive};

const CONFIG: &str = "# Question\n#   How often does it succeed?\nseed = 4\nrepeats = 30\n\
    [problem]\nplugin = \"onemax\"\nlength = 16\n[[operators]]\nname = \"a\"\npopulation = 10\n\
    selection = \"tournament\"\nmutation = \"bit-flip\"\n[[operators]]\npreset = \"rls\"\n\
    [stop]\nevaluations = 400\n[output]\ntrace = \"best\"\n";

const WORDS: [&str; 6] = [
    "--license",
    "CC-BY-4.0",
    "--author",
    "Josiah Carberry <https://orcid.org/0000-0002-1825-0097>",
    "--author",
    "Lovelace, Ada",
];

/// The files of a zip, each with its contents, in the order of the file.
pub(crate) fn entries(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(fs::File::open(path).expect("a pack")).expect("a zip");
    let count = archive.len();
    let entry = |place| {
        let mut entry = archive.by_index(place).expect("an entry");
        let name = entry.name().expect("UTF-8").into_owned();
        assert_eq!(entry.unix_mode(), Some(0o100_644), "{name}");
        assert_eq!(entry.last_modified(), Some(DateTime::DEFAULT), "{name}");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        (name, bytes)
    };
    (0..count).map(entry).collect()
}

fn names(entries: &[(String, Vec<u8>)]) -> Vec<&str> {
    entries.iter().map(|(name, _)| name.as_str()).collect()
}

fn text<'a>(entries: &'a [(String, Vec<u8>)], name: &str) -> &'a str {
    let found = entries.iter().find(|(other, _)| other == name);
    let (_, bytes) = found.unwrap_or_else(|| panic!("no {name} in {:?}", names(entries)));
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The entities of a pack's metadata, by their identifiers.
fn graph(entries: &[(String, Vec<u8>)]) -> BTreeMap<String, Value> {
    let metadata: Value =
        serde_json::from_str(text(entries, "ro-crate-metadata.json")).expect("JSON");
    assert_eq!(metadata["@context"], "https://w3id.org/ro/crate/1.2/context");
    let graph = metadata["@graph"].as_array().expect("a list").clone();
    let of = |entity: &Value| entity["@id"].as_str().expect("an identifier").to_owned();
    let (all, count) = (graph.iter().map(|one| (of(one), one.clone())), graph.len());
    let all: BTreeMap<String, Value> = all.collect();
    assert_eq!(all.len(), count, "an identifier comes twice");
    all
}

/// Asserts that each identifier that an entity refers to is one of the graph.
fn assert_linked(graph: &BTreeMap<String, Value>) {
    fn visit(value: &Value, graph: &BTreeMap<String, Value>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| visit(item, graph)),
            Value::Object(object) => {
                if let (1, Some(Value::String(id))) = (object.len(), object.get("@id")) {
                    let is_known = graph.contains_key(id)
                        || id == "https://w3id.org/ro/crate/1.2"
                        || id.starts_with("http://schema.org/");
                    assert!(is_known, "{id} is in no entity");
                }
                object.values().for_each(|value| visit(value, graph));
            }
            _ => {}
        }
    }
    graph.values().for_each(|entity| visit(entity, graph));
}

/// Asserts that the metadata has each file with its size and its hash.
fn assert_described(entries: &[(String, Vec<u8>)]) {
    let graph = graph(entries);
    assert_linked(&graph);
    let (mut described, parts) = (Vec::new(), &graph["./"]["hasPart"]);
    for (name, bytes) in entries.iter().filter(|(name, _)| name != "ro-crate-metadata.json") {
        let is_it = |entity: &&Value| entity["name"] == name.as_str();
        let entity = graph.values().find(is_it).unwrap_or_else(|| panic!("no entity of {name}"));
        assert_eq!(entity["contentSize"], bytes.len().to_string(), "{name}");
        assert_eq!(entity["identifier"], format!("blake3:{}", blake3::hash(bytes)), "{name}");
        described.push(serde_json::json!({ "@id": entity["@id"] }));
    }
    assert_eq!(parts, &Value::from(described));
}

#[test]
fn a_pack_has_all_of_an_experiment_and_the_same_bytes_wherever_it_lies() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--set", "problem.length=12"]).code(0);
    // Other files of the folder are none of the experiment's.
    sandbox.run(&["plot", "results/x", "--format", "svg"]).code(0);
    sandbox.write("results/x/notes.txt", "private");
    let ran = sandbox.run(&[&["pack", "results/x"], &WORDS[..]].concat()).code(0);
    assert_eq!(ran.stdout, "results/x.zip\n", "{ran}");
    let ran = ran.warns("note: wrote 1 file, ").warns("before you publish");
    assert!(!ran.stderr.contains("warning"), "{ran}");
    let packed = entries(&sandbox.path("results/x.zip"));
    let library = format!("plugin/{DLL_PREFIX}onemax{DLL_SUFFIX}");
    let expected = [
        "CITATION.cff",
        "README.md",
        "checklist.md",
        "experiment.toml",
        &library,
        "report.html",
        "results/generations.parquet",
        "results/run.toml",
        "results/summary.parquet",
        "results/timings.parquet",
        "results/trials.parquet",
        "ro-crate-metadata.json",
    ];
    assert_eq!(names(&packed), expected);
    assert_described(&packed);
    assert_eq!(text(&packed, "experiment.toml"), CONFIG);
    for (name, bytes) in &packed {
        if let Some(name) = name.strip_prefix("results/") {
            assert!(sandbox.read(&format!("results/x/{name}")) == *bytes, "{name}");
        } else if *name != library {
            let told = String::from_utf8_lossy(bytes);
            let path = sandbox.path("").display().to_string();
            assert!(!told.contains(path.trim_end_matches('/')), "{name} names {path}");
        }
    }
    assert!(text(&packed, "README.md").contains("runner experiment.toml --set problem.length=12"));
    assert!(text(&packed, "report.html").contains("How often does it succeed?"));
    let graph = graph(&packed);
    let root = &graph["./"];
    assert_eq!(root["description"], "How often does it succeed?");
    assert_eq!(root["license"]["@id"], "https://spdx.org/licenses/CC-BY-4.0");
    let authors = ["https://orcid.org/0000-0002-1825-0097", "#author-2"];
    assert_eq!(root["author"], serde_json::json!(authors.map(|id| serde_json::json!({"@id": id}))));
    let run: toml::Table = text(&packed, "results/run.toml").parse().expect("TOML");
    assert_eq!(
        Some(&graph["#run"]["endTime"]),
        serde_json::to_value(&run["runs"][0]["end"]).ok().as_ref()
    );
    assert_eq!(root["identifier"], run["results"].as_str().expect("a hash"));
    // Elsewhere, and over an older file.
    copy(&sandbox.path("results/x"), &sandbox.path("else where/y"));
    sandbox.write("z.zip", "old");
    let again = ["pack", "else where/y", "--out", "z.zip"];
    sandbox.run(&[&again[..], &WORDS[..]].concat()).code(0).says("z.zip\n");
    assert!(sandbox.read("z.zip") == sandbox.read("results/x.zip"));
    let mut inside = sandbox.command();
    inside.args(["pack", "."]).args(WORDS).current_dir(sandbox.path("else where/y"));
    Ran::new(&mut inside).code(0);
    assert!(sandbox.read("else where/y.zip") == sandbox.read("results/x.zip"));
    // Packs next to results are no results.
    sandbox.run(&["show", "results/x", "results/x.zip"]).code(0);
}

#[test]
fn unpacked_results_are_verified_with_the_packed_plugin() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["pack", "results/x", "--out", "x.zip"]).code(0).warns("no licence was named");
    let packed = entries(&sandbox.path("x.zip"));
    assert!(!names(&packed).contains(&"CITATION.cff"));
    let license = graph(&packed)["./"]["license"].as_str().map(str::to_owned);
    assert!(license.is_some_and(|words| words.starts_with("No licence was named")));
    for (name, bytes) in &packed {
        sandbox.write(&format!("un/{name}"), bytes);
    }
    let verify = ["verify", "un/results", "--plugin-dir", "un/plugin"];
    sandbox.run(&verify).code(0).says("60 of 60 trials are the same");
}

#[test]
fn pieces_data_and_genomes_are_packed() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", "0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n");
    let config = CONFIG.replace("[problem]", "[start]\nfile = \"first.csv\"\n[problem]");
    sandbox.write("x.toml", &config);
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["x.toml", "--out", "parts", "--shard", shard]).code(0);
    }
    let shards = ["parts/x.shard-1-of-2", "parts/x.shard-2-of-2"];
    let merge = [&["merge"], &shards[..], &["--out", "results", "--partitioned"]].concat();
    sandbox.run(&merge).code(0);
    sandbox.run(&["pack", "results/x"]).code(0);
    let packed = entries(&sandbox.path("results/x.zip"));
    assert_described(&packed);
    let found = names(&packed);
    for piece in ["trials/trials-", "generations/generations-", "timings/timings-"] {
        let is_piece = |name: &&&str| name.starts_with(&format!("results/{piece}"));
        assert_eq!(found.iter().filter(is_piece).count(), 2, "{found:?}");
    }
    let is_start = |name: &&&str| name.starts_with("results/start/") && name.ends_with(".csv");
    assert_eq!(found.iter().filter(is_start).count(), 1, "{found:?}");
    for (name, bytes) in &packed {
        sandbox.write(&format!("un/{name}"), bytes);
    }
    sandbox.run(&["verify", "un/results"]).code(0).says("60 of 60 trials are the same");
    // The file of genomes is not there, but they are in the results.
    let again = sandbox.run(&["un/experiment.toml", "--out", "again"]).code(0);
    assert_eq!(hash_of(&again), hash_of(&sandbox.run(&["show", "results/x"]).code(0)));
    let other = ["un/experiment.toml", "--out", "other", "--set", "start.file=none.csv"];
    sandbox.run(&other).code(2).warns("none.csv");
}

/// Returns the results hash in what a command prints.
fn hash_of(ran: &crate::util::Ran) -> String {
    let line = ran.stdout.lines().find_map(|line| line.strip_prefix("Results: "));
    line.unwrap_or_else(|| panic!("no hash: {ran}")).to_owned()
}

/// By the commands of its README, in a folder in which neither the data nor the plugin is where
/// the experiment file looks.
#[test]
fn an_unpacked_experiment_runs_again_by_the_commands_of_its_readme() {
    let sandbox = Sandbox::new();
    sandbox.write("own/ones.py", ONES);
    sandbox.write("own/helpers/rules.py", RULES);
    sandbox.write("data/items.txt", "4 9\n3 4\n5 6\n7 2\n1 1\n");
    let of_path = CONFIG.replace("\"onemax\"", "\"../own/ones.py\"");
    let data = "plugin = \"knapsack\"\nfile = \"../data/items.txt\"";
    let of_data = CONFIG.replace("plugin = \"onemax\"\nlength = 16", data);
    assert!(of_data.contains("items.txt"), "{of_data}");
    for (name, config) in [("path", of_path), ("data", of_data)] {
        sandbox.write(&format!("configs/{name}.toml"), config);
        let first = sandbox.run(&[&format!("configs/{name}.toml")]).code(0);
        sandbox.run(&["pack", &format!("results/{name}"), "--trust"]).code(0);
        for (file, bytes) in entries(&sandbox.path(format!("results/{name}.zip"))) {
            sandbox.write(&format!("elsewhere/{name}/un/{file}"), bytes);
        }
        let readme = sandbox.read(&format!("elsewhere/{name}/un/README.md"));
        let readme = String::from_utf8(readme).expect("UTF-8");
        let is_run = |line: &&str| line.trim_start().starts_with("runner experiment.toml");
        let line = readme.lines().find(is_run).expect("a command").trim();
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let mut command = sandbox.command();
        command.current_dir(sandbox.path(format!("elsewhere/{name}/un"))).args(&words);
        let again = crate::util::Ran::new(&mut command).code(0);
        assert_eq!(hash_of(&again), hash_of(&first), "{line}");
    }
}

/// A whole tuning: every experiment is verified, and the README's command finds the same settings.
#[test]
fn a_packed_tuning_is_verified_and_runs_again_by_the_command_of_its_readme() {
    let sandbox = Sandbox::new();
    sandbox.write("configs/tuning.toml", crate::tuning::short());
    sandbox.run(&["tune", "configs/tuning.toml", "--seed", "9", "--progress", "none"]).code(0);
    sandbox.run(&["verify", "results/tuning", "-n", "5"]).code(0);
    sandbox.run(&["pack", "results/tuning", "--trust"]).code(0);
    let ran = sandbox.run(&["verify", "results/tuning.zip", "-n", "5"]).code(0);
    for words in ["iteration-1:\n5 of 5 trials", "test:\n5 of 5 trials"] {
        assert!(ran.stdout.contains(words), "{words}\n{ran}");
    }
    let packed = entries(&sandbox.path("results/tuning.zip"));
    assert_described(&packed);
    assert_linked(&graph(&packed));
    assert!(text(&packed, "README.md").contains("These are the results of a tuning"));
    assert!(text(&packed, "report.html").contains("iterated racing"));
    let line =
        text(&packed, "README.md").lines().find_map(|line| line.strip_prefix("    runner tune"));
    let line = line.expect("a command").to_owned();
    for (file, bytes) in packed {
        sandbox.write(&format!("elsewhere/{file}"), bytes);
    }
    let mut command = sandbox.command();
    let words = line.trim().split(' ');
    command.current_dir(sandbox.path("elsewhere")).arg("tune").args(words);
    crate::util::Ran::new(&mut command).code(0);
    let settings = |folder: &str| sandbox.read(&format!("{folder}/settings.parquet"));
    assert!(settings("elsewhere/again/experiment") == settings("results/tuning"), "{line}");
    // Nothing is packed of a tuning whose experiments are not whole.
    sandbox.write("results/tuning/iteration-1/trials.parquet", "damaged");
    sandbox.run(&["pack", "results/tuning"]).code(4).warns("iteration-1");
}

const ONES: &str = "
from runner import Bits, Integer
from helpers.rules import cost

class Problem:
    parameters = {'length': Integer()}

    def __init__(self, length):
        self.length = length

    def describe(self):
        return Bits(self.length, ideal=0)

    def fitness(self, genome):
        return cost(genome)
";
const RULES: &str = "def cost(genome):\n    return len(genome) - sum(genome)";

#[test]
fn the_modules_of_a_problem_in_python_are_packed() {
    let sandbox = Sandbox::new();
    sandbox.write("own/ones.py", ONES);
    sandbox.write("own/helpers/rules.py", RULES);
    sandbox.write("x.toml", CONFIG.replace("\"onemax\"", "\"own/ones.py\""));
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["pack", "results/x", "--trust"]).code(0);
    let packed = entries(&sandbox.path("results/x.zip"));
    let is_plugin = |name: &&&str| name.starts_with("plugin/");
    let found = names(&packed);
    let plugin: Vec<_> = found.iter().filter(is_plugin).copied().collect();
    assert_eq!(plugin, ["plugin/helpers/rules.py", "plugin/ones.py"]);
    assert_described(&packed);
    std::fs::remove_dir_all(sandbox.path("own")).expect("removed");
    let verify = ["verify", "results/x.zip", "--trust"];
    sandbox.run(&verify).code(0).says("trials are the same");
}

#[test]
fn a_plugin_that_is_not_there_is_told() {
    let sandbox = Sandbox::new();
    let library = format!("{DLL_PREFIX}onemax{DLL_SUFFIX}");
    let mut other = fs::read(plugins().join(&library)).expect("the plugin");
    other.extend_from_slice(b"another build");
    sandbox.write(&format!("own/{library}"), other);
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--plugin-dir", "own"]).code(0);
    let first = sandbox.path(format!("own/{library}"));
    let second = sandbox.path(format!("moved/{library}"));
    fs::create_dir(sandbox.path("moved")).expect("a folder");
    fs::rename(first, second).expect("moved");
    sandbox
        .run(&["pack", "results/x"])
        .code(0)
        .warns("the pack has no file of the plugin `onemax` 0.1.0");
    let packed = entries(&sandbox.path("results/x.zip"));
    assert!(!names(&packed).iter().any(|name| name.starts_with("plugin/")));
    assert_described(&packed);
    assert!(text(&packed, "README.md").contains("**not in this pack**"));
    assert_eq!(graph(&packed)["#plugin-1"]["name"], "onemax");
    let found = ["pack", "results/x", "--plugin-dir", "moved"];
    let ran = sandbox.run(&found).code(0);
    assert!(!ran.stderr.contains("has no file"), "{ran}");
    let packed = entries(&sandbox.path("results/x.zip"));
    assert!(names(&packed).contains(&format!("plugin/{library}").as_str()));
}

#[test]
fn unfinished_damaged_and_foreign_results_are_not_packed() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    let refused = |words: &[&str], code: i32| {
        let mut ran = sandbox.run(&["pack", "results/x"]).code(code);
        for words in words {
            ran = ran.warns(words);
        }
        assert!(!sandbox.path("results/x.zip").exists(), "{ran}");
    };
    refused(&["results/x: there are no results here"], 4);
    sandbox.run(&["x.toml", "--time-limit", "0.000000001"]).code(130);
    refused(
        &["results/x: the experiment is unfinished", "give the command that ran x.toml again"],
        4,
    );
    sandbox.run(&["x.toml"]).code(0);
    let rejected = |name: &str, change: fn(&mut Vec<u8>), words: &[&str]| {
        let path = sandbox.path(format!("results/x/{name}"));
        let sound = fs::read(&path).expect("a file");
        let mut changed = sound.clone();
        change(&mut changed);
        fs::write(&path, changed).expect("written");
        refused(words, 4);
        fs::write(&path, sound).expect("written");
    };
    for table in ["summary", "trials", "generations", "timings"] {
        let name = format!("{table}.parquet");
        let flip = |bytes: &mut Vec<u8>| bytes[100] ^= 1;
        rejected(&name, flip, &[&name, "this file cannot be read"]);
    }
    rejected("run.toml", Vec::clear, &["it has no run.toml"]);
    rejected("run.toml", |bytes| bytes.push(b'='), &["run.toml: this file cannot be read"]);
    let other: fn(&mut Vec<u8>) = |bytes| {
        let place = bytes.windows(3).position(|word| word == b"r1-").expect("a hash") + 3;
        bytes[place] = if bytes[place] == b'0' { b'1' } else { b'0' };
    };
    rejected("run.toml", other, &["run.toml is that of other results"]);
    for (flag, wrong) in [
        ("--license", "MIT OR Apache-2.0"),
        ("--author", "a@example.org"),
        ("--author", "J <https://orcid.org/0000-0002-1825-0098>"),
    ] {
        let ran = sandbox.run(&["pack", "results/x", flag, wrong]).code(2);
        ran.warns(&format!("invalid value '{wrong}' for '{flag} <")).warns("it must be ");
    }
    sandbox.run(&["pack", "results/x", "--out", "no/folder/x.zip"]).code(4).warns("no/folder");
    sandbox.run(&["pack", "results/x"]).code(0);
    sandbox.write("theirs.csv", "arm,trial,success,evaluations\na,0,1,30\na,1,0,100\n");
    sandbox.run(&["import", "theirs.csv"]).code(0);
    sandbox.run(&["pack", "results/theirs"]).code(4).warns("were imported from theirs.csv");
}

/// Prints the name of a crate, and the files that it lists and has.
const READER: &str = r##"
import json, sys
from rocrate.rocrate import ROCrate
crate = ROCrate(sys.argv[1])
files = [part for part in crate.root_dataset["hasPart"] if "File" in part.type]
action = crate.dereference("#run")
print(json.dumps({
    "name": crate.name,
    "files": {part["name"]: int(part["contentSize"]) for part in files},
    "there": sorted(part["name"] for part in files if part.source.exists()),
    "license": crate.license.id,
    "results": [table.id for table in action["result"]],
    "config": [file.id for file in action["object"]],
}))
"##;

#[test]
fn the_package_rocrate_opens_a_pack_and_lists_every_file() {
    let Some(python) = python("rocrate") else { return };
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&[&["pack", "results/x"], &WORDS[..]].concat()).code(0);
    let pack = sandbox.path("results/x.zip");
    let mut reading = Command::new(python);
    let read = Ran::new(reading.args(["-c", READER]).arg(&pack)).code(0);
    let read: Value = serde_json::from_str(&read.stdout).expect("JSON");
    let packed = entries(&pack);
    let mut sizes: BTreeMap<&str, usize> =
        packed.iter().map(|(name, bytes)| (name.as_str(), bytes.len())).collect();
    sizes.remove("ro-crate-metadata.json");
    assert_eq!(read["files"], serde_json::json!(sizes));
    assert_eq!(read["there"], serde_json::json!(sizes.keys().collect::<Vec<_>>()));
    assert_eq!(read["name"], "x");
    assert_eq!(read["license"], "https://spdx.org/licenses/CC-BY-4.0");
    assert_eq!(read["config"], serde_json::json!(["experiment.toml"]));
    assert_eq!(read["results"].as_array().map(Vec::len), Some(4), "{read}");
}

/// Runs the program as another user does, in a folder of theirs, without plugins next to it.
fn of_another_user(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let program = sandbox.path("their/bin/runner");
    if !program.exists() {
        copy_program(Path::new(env!("CARGO_BIN_EXE_runner")), &program);
    }
    let temporary = sandbox.path("their/tmp");
    fs::create_dir_all(&temporary).expect("a folder");
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(sandbox.path("their"))
        .env_remove("RUNNER_PLUGIN_PATH")
        .env("XDG_STATE_HOME", sandbox.path("their/state"))
        .env("TMPDIR", &temporary)
        .env("NO_COLOR", "1");
    let ran = Ran::new(&mut command);
    let left = fs::read_dir(temporary).expect("a folder").count();
    assert_eq!(left, 0, "temporary files are left\n{ran}");
    ran
}

#[cfg(unix)]
#[test]
fn another_user_verifies_a_pack_elsewhere_and_says_whether_its_plugin_is_loaded() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    fs::create_dir(sandbox.path("their")).expect("a folder");
    sandbox.run(&["pack", "results/x", "--out", "their/x.zip"]).code(0);
    // Nothing of the first user is left.
    fs::remove_dir_all(sandbox.path("results")).expect("removed");
    let ran = of_another_user(&sandbox, &["verify", "x.zip"]).code(3).says("files are as they");
    ran.warns("if you trust whoever made it, add --trust");
    let ran = of_another_user(&sandbox, &["verify", "x.zip", "--trust"]).code(0);
    let files = entries(&sandbox.path("their/x.zip")).len();
    let sound = format!("{files} of {files} files are as they were packed");
    assert_eq!(ran.stdout, format!("{sound}\n60 of 60 trials are the same\n"));
    let with_plugins = plugins().display().to_string();
    let ran = ["verify", "x.zip", "--all", "--plugin-dir", &with_plugins];
    of_another_user(&sandbox, &ran).code(0).says("60 of 60 trials are the same");
}

#[cfg(unix)]
#[test]
fn a_changed_byte_in_any_part_of_a_pack_fails_with_the_part() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    fs::create_dir(sandbox.path("their")).expect("a folder");
    sandbox.run(&[&["pack", "results/x", "--out", "their/x.zip"], &WORDS[..]].concat()).code(0);
    let pack = sandbox.path("their/x.zip");
    let sound = fs::read(&pack).expect("a pack");
    let mut places = Vec::new();
    let mut archive = ZipArchive::new(fs::File::open(&pack).expect("a pack")).expect("a zip");
    for place in 0..archive.len() {
        let entry = archive.by_index(place).expect("an entry");
        let name = entry.name().expect("UTF-8").into_owned();
        let start = entry.data_start().expect("its place");
        places.push((start + entry.size() / 2, name.clone()));
        // The time in the entry's header.
        places.push((entry.header_start() + 10, name));
    }
    places.push((archive.central_directory_start() + 12, "the list of files at its end".into()));
    for (place, name) in places {
        let mut changed = sound.clone();
        changed[place as usize] ^= 1;
        fs::write(&pack, changed).expect("written");
        let ran = of_another_user(&sandbox, &["verify", "x.zip", "--trust"]).code(4);
        assert!(ran.stdout.is_empty(), "{ran}");
        ran.warns(&format!("error: x.zip: {name}: ")).warns("get it again");
    }
}

/// A file takes the place of another, never that of a device or a pipe.
#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--progress", "none"]).code(0);
    let pipe = sandbox.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/null", sandbox.path("link")).expect("a link");
    for target in ["pipe", "link"] {
        let ran = sandbox.run(&["pack", "results/x", "--out", target]);
        ran.code(4).warns("a pipe or a device");
    }
    let kind = |name: &str| sandbox.path(name).symlink_metadata().expect("it is there").file_type();
    assert!(kind("pipe").is_fifo() && kind("link").is_symlink());
}
