//! Presets of one's own: in files, in the experiment, over each other, and what is wrong with them.

use crate::util::{Sandbox, tables};

const PRESETS: &str = r#"
[[presets]]
name      = "mine"
preset    = "simple-ga"
selection = { kind = "tournament", size = 3 }

[[presets]]
name          = "mine-small"
preset        = "mine"
population    = 12
mutation.rate = 0.5
"#;

const CONFIG: &str = r#"
repeats = 10
seed    = 3
[problem]
plugin = "onemax"
length = 12
[[operators]]
preset = "mine"
[[operators]]
name           = "calm"
preset         = "mine-small"
mutation.rate  = 0.25
[stop]
generations = 5
"#;

/// Equal operator sets, in all words.
const WHOLE: &str = r#"
repeats = 10
seed    = 3
[problem]
plugin = "onemax"
length = 12
[[operators]]
name      = "mine"
preset    = "simple-ga"
selection = { kind = "tournament", size = 3 }
[[operators]]
name          = "calm"
preset        = "simple-ga"
selection     = { kind = "tournament", size = 3 }
population    = 12
mutation.rate = 0.25
[stop]
generations = 5
"#;

#[test]
fn presets_of_files_and_of_the_experiment_make_the_arms_of_their_keys() {
    let sandbox = Sandbox::new();
    sandbox.write("whole/x.toml", WHOLE);
    sandbox.run(&["whole/x.toml", "--out", "whole"]).code(0);
    let whole = tables(&sandbox, "whole/x");
    sandbox.write("here/x.toml", format!("{CONFIG}{PRESETS}"));
    sandbox.run(&["here/x.toml", "--out", "here"]).code(0);
    assert!(tables(&sandbox, "here/x") == whole, "in the experiment");
    sandbox.write("file/lib/mine.toml", PRESETS);
    sandbox.write("file/x.toml", format!("presets = \"lib/mine.toml\"\n{CONFIG}"));
    sandbox.run(&["file/x.toml", "--out", "file"]).code(0);
    assert!(tables(&sandbox, "file/x") == whole, "in a file");
    // A file that this one extends names two files, one of which uses the other's preset.
    let (first, second) = PRESETS.split_at(PRESETS.rfind("[[presets]]").expect("two"));
    sandbox.write("common/a.toml", first);
    sandbox.write("common/b.toml", second);
    let base = format!("presets = [\"a.toml\", \"b.toml\"]\n{CONFIG}");
    sandbox.write("common/base.toml", base);
    sandbox.write("list/x.toml", "extends = \"../common/base.toml\"\n");
    sandbox.run(&["list/x.toml", "--out", "list"]).code(0);
    assert!(tables(&sandbox, "list/x") == whole, "in two files");
    // Results need none of the files.
    std::fs::remove_dir_all(sandbox.path("common")).expect("a folder");
    sandbox.run(&["verify", "list/x", "--all"]).code(0).says("20 of 20 trials");
    let run = String::from_utf8(sandbox.read("list/x/run.toml")).expect("UTF-8");
    assert!(run.contains("presets = [{ name") && !run.contains("a.toml"), "{run}");
}

#[test]
fn options_and_sweeps_are_over_own_presets() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.toml", PRESETS);
    let config = format!("presets = \"mine.toml\"\n{CONFIG}");
    let swept = "[sweep]\n\"operators.calm.mutation.rate\" = [0.1, 0.2]\n";
    sandbox.write("x.toml", format!("{config}{swept}"));
    sandbox.run(&["check", "x.toml"]).code(0).says("3 arms");
    let set = ["--set", "operators.calm.preset=mine", "--set", "operators.mine.population=8"];
    sandbox.run(&[&["x.toml"], &set[..]].concat()).code(0);
    sandbox.run(&["verify", "results/x", "--all"]).code(0).says("30 of 30 trials");
    let set = ["check", "x.toml", "--set", "presets=other.toml"];
    sandbox.run(&set).code(2).warns("`presets` cannot be set");
}

/// A plugin in a folder below the file of presets.
#[test]
fn paths_are_relative_to_the_file_of_presets() {
    let sandbox = Sandbox::new();
    let name = format!("{}edges{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::fs::read(crate::util::plugins().join(&name)).expect("the plugin");
    sandbox.write(&format!("sets/lib/{name}"), library);
    let preset = format!(
        "[[presets]]\nname = \"edges\"\npopulation = 10\nselection = \"tournament\"\n\
        crossover = {{ plugin = \"lib/{name}\" }}\n"
    );
    sandbox.write("sets/mine.toml", preset);
    let config = "presets = \"sets/mine.toml\"\nrepeats = 2\n[problem]\nplugin = \"nqueens\"\n\
        encoding = \"permutation\"\n[[operators]]\npreset = \"edges\"\n[stop]\ngenerations = 2\n";
    sandbox.write("x.toml", config);
    sandbox.run(&["x.toml"]).code(0);
}

#[test]
fn what_is_wrong_with_presets_is_shown_where_it_stands() {
    let sandbox = Sandbox::new();
    let told = |presets: &str, words: &[&str]| {
        sandbox.write("mine.toml", presets);
        sandbox.write("x.toml", format!("presets = \"mine.toml\"\n{CONFIG}"));
        let ran = sandbox.run(&["check", "x.toml"]).code(2);
        for word in words {
            assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
        }
    };
    let named = |name: &str| PRESETS.replace("\"mine-small\"", &format!("\"{name}\""));
    // A slip finds the name that is there.
    told(&named("mine-smal"), &["no preset called `mine-small`", "did you mean \"mine-smal\"?"]);
    told(&named("rls"), &["`rls` is the name of a preset of the runner", "mine.toml:8:"]);
    told(&named("mine"), &["two presets are called `mine`", "the first"]);
    told(&named(""), &["not a valid name for a preset", "mine.toml:8:"]);
    let nameless = PRESETS.replace("name          = \"mine-small\"\n", "");
    told(&nameless, &["this preset has no name", "mine.toml:7:"]);
    let circle = PRESETS.replace("\"simple-ga\"", "\"mine-small\"");
    told(&circle, &["`mine` is over itself: mine over mine-small over mine", "mine.toml:"]);
    let wrong = PRESETS.replace("population ", "populaton ");
    told(&wrong, &["unknown key `populaton` in a preset", "mine.toml:10:"]);
    let wrong = PRESETS.replace("size = 3", "size = 0");
    told(&wrong, &["`size` = 0", "mine.toml:5:", "operator set `mine` inherits it"]);
    told("seed = 3\n", &["unknown key `seed` in a file of presets"]);
    told("", &["mine.toml: it has no presets", "x.toml:1:11"]);
    told("presets = \"x.toml\"\n", &["`presets` must be a list of tables", "mine.toml:1:11"]);
    told("[[presets]\n", &["mine.toml:1:"]);
    sandbox.write("x.toml", format!("presets = [\"gone.toml\", 3]\n{CONFIG}"));
    sandbox.run(&["check", "x.toml"]).code(2).warns("a list of tables").warns("x.toml:1:25");
    sandbox.write("x.toml", format!("presets = \"gone.toml\"\n{CONFIG}"));
    sandbox.run(&["check", "x.toml"]).code(2).warns("gone.toml: cannot be read: there is no such");
    // A long chain ends in words.
    let chain =
        |name: usize| format!("[[presets]]\nname = \"{name}\"\npreset = \"{}\"\n", name + 1);
    let chain: String = (0..20_000).map(chain).collect();
    told(&chain, &["more than 32 presets name each other"]);
}
