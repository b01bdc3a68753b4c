//! The Methods section of a report: every swept value and every setting in which arms differ is in
//! its text, for every config that ships; and its references are those that it cites.

use crate::fuzz::rng;
use crate::util::{Sandbox, document, number, root, rows, sized};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use toml::{Table, Value};

/// The Methods sections of a page as words, each with what is linked and what is listed.
struct Methods {
    words: String,
    cited: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// Number of BibTeX entries.
    entries: usize,
}

fn methods(page: &str) -> Vec<Methods> {
    let sections = page
        .split("<div class=\"methods\">")
        .skip(1)
        .map(|rest| rest.split("</div>").next().expect("an end"));
    let attributes = |section: &str, opening: &str| -> BTreeSet<String> {
        section
            .split(opening)
            .skip(1)
            .map(|rest| rest.split('"').next().expect("a quote").to_owned())
            .collect()
    };
    sections
        .map(|section| Methods {
            words: plain(section.split("<strong>References").next().expect("the text")),
            cited: attributes(section, "href=\"#"),
            listed: attributes(section, "<li id=\""),
            entries: section.split("<code>").last().map_or(0, |block| block.matches("\n}").count()),
        })
        .collect()
}

/// Without tags and entities.
fn plain(markup: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for letter in markup.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => words.push(letter),
            _ => {}
        }
    }
    words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Numbers of a text, separators left out.
fn numbers(text: &str) -> Vec<f64> {
    let number = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_ascii_digit() && letter != '-')
            .replace(',', "")
            .parse()
            .ok()
    };
    text.split([' ', '(', ')', ';']).filter_map(number).collect()
}

fn holds(text: &str, value: &Value) -> bool {
    let wanted = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    match (wanted, value) {
        (Some(wanted), _) => {
            numbers(text).iter().any(|number| (number - wanted).abs() <= 1e-5 * wanted.abs())
        }
        (None, Value::String(word)) => text.contains(word.as_str()),
        (None, Value::Boolean(yes)) => text.contains(if *yes { "yes" } else { "no" }),
        _ => true,
    }
}

/// Every value of a table under the path of its keys.
fn flat(value: &Value, path: &str, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| flat(value, &format!("{path}.{key}"), out))
        }
        Value::Array(items) => items.iter().for_each(|item| flat(item, path, out)),
        value => _ = out.insert(path.to_owned(), value.clone()),
    }
}

/// Asserts that each swept value and each setting that is not the same in all arms is in the text.
fn assert_tells(experiment: &str, text: &str, arms: &[serde_json::Value]) {
    let mut settings: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for arm in arms {
        let table: Table = arm["settings"].as_str().expect("settings").parse().expect("TOML");
        let mut all = BTreeMap::new();
        flat(&Value::Table(table), "", &mut all);
        for (path, value) in all {
            let values = settings.entry(path).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    // The names stand apart; that a trial ends at its target needs no word of its own.
    let untold = |path: &str, values: &[Value]| {
        path == ".operators.name" || (path == ".stop.on-success" && values.len() == 1)
    };
    for (path, values) in settings.iter().filter(|(path, values)| !untold(path, values)) {
        let told = values.iter().filter(|value| !holds(text, value)).collect::<Vec<_>>();
        assert!(told.is_empty(), "{experiment}: {path} = {told:?} is not in\n{text}");
    }
    for arm in arms {
        for (key, value) in
            arm.as_object().expect("an object").iter().filter(|(key, _)| key.contains('.'))
        {
            let value = match value {
                serde_json::Value::String(word) => Value::String(word.clone()),
                serde_json::Value::Number(number) => {
                    Value::Float(number.as_f64().expect("a number"))
                }
                serde_json::Value::Bool(yes) => Value::Boolean(*yes),
                _ => continue,
            };
            assert!(
                text.contains(key.as_str()) && holds(text, &value),
                "{experiment}: {key} = {value} is not in\n{text}"
            );
        }
        let name = arm["operators"].as_str().expect("a name");
        assert!(text.contains(name), "{experiment}: {name} is not in\n{text}");
    }
}

#[test]
fn every_setting_that_differs_is_told_for_every_config_that_ships() {
    let sandbox = Sandbox::new();
    let mut folders = Vec::new();
    for file in std::fs::read_dir(root().join("configs")).expect("configs").flatten() {
        let name = file.file_name().into_string().expect("a name");
        if !name.ends_with(".toml") {
            continue;
        }
        sandbox.write(&name, document(&format!("configs/{name}")));
        // Few and short trials: what is told follows from the settings.
        let short = match document(&format!("configs/{name}")) {
            config if config.contains("\nevaluations = ") => vec!["--set", "stop.evaluations=400"],
            _ => vec![],
        };
        sandbox
            .run(&[vec![name.as_str(), "--repeats", "2", "--progress", "none"], short].concat())
            .code(0);
        folders.push(format!("results/{}", name.trim_end_matches(".toml")));
    }
    folders.sort();
    let asked: Vec<&str> =
        ["report"].into_iter().chain(folders.iter().map(String::as_str)).collect();
    sandbox.run(&asked).code(0);
    let page = String::from_utf8(sandbox.read("results/report.html")).expect("UTF-8");
    let told = methods(&page);
    assert_eq!(told.len(), folders.len());
    for (folder, methods) in folders.iter().zip(&told) {
        assert!(!methods.cited.is_empty(), "{folder}");
        assert_eq!(methods.cited, methods.listed, "{folder}: what is cited is not what is listed");
        assert_eq!(methods.entries, methods.listed.len(), "{folder}: one entry each");
        assert_tells(folder, &methods.words, &rows(&sandbox, &[folder]));
    }
}

const SETS: &str = "seed = 4\nrepeats = 4\nbaseline = true\npairing = \
    \"common\"\n[problem]\nplugin = \"nqueens\"\nn = 5\n[[operators]]\nname = \
    \"<i>first</i>\"\npopulation = 12\nselection = { kind = \"tournament\", size = 3 }\nmutation = \
    { kind = \"reset\", rate = 0.125 }\n[[operators]]\nname = \"second\"\npopulation = \
    14\nselection = { kind = \"truncation\", share = 0.375 }\ncrossover = \"uniform\"\nmutation = \
    { kind = \"reset\", rate = 0.125 }\nreplacement = { kind = \"elitism\", count = 2 \
    }\n[stop]\nfitness = 0\ngenerations = 7\n[sweep]\n\"operators.population\" = [12, \
    16]\n\"stop.generations\" = [7, 9]\n\"problem.counting\" = [\"pairs\", \"per-queen\"]\n";

#[test]
fn overrides_sweeps_of_stop_rules_and_several_operator_sets_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("sets.toml", SETS);
    sandbox
        .run(&["sets.toml", "--set", "problem.n=6", "--set", "stop.stagnation=5", "--seed", "77"])
        .code(0);
    sandbox.run(&["report", "results/sets", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(!page.contains("<i>first"), "a name is markup");
    let told = methods(&page);
    let text = &told[0].words;
    assert_tells("sets", text, &rows(&sandbox, &["results/sets"]));
    for part in [
        "the experiment's seed (77)",
        "n 6",
        "in every combination",
        "There were 2 operator sets. All of them have population 12 or 16",
        "<i>first</i>: ",
        "no crossover",
        "after 7 or 9 generations",
        "after 5 generations without improvement",
        "common random numbers",
        "Arms were compared with random search",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert_eq!(told[0].cited, told[0].listed);
}

#[test]
fn questions_failures_and_second_runs_are_told() {
    let sandbox = Sandbox::new();
    let asking = SETS
        .split("[sweep]")
        .next()
        .expect("a head")
        .replace("repeats = 4", "repeats = { half-width = 0.12, max = 300, confidence = 0.9 }");
    sandbox.write("asking.toml", asking);
    sandbox.run(&["asking.toml"]).code(0);
    let failing = "seed = 1\nrepeats = 20\n[problem]\nplugin = \"faulty\"\nfault = \
        \"error-evaluate\"\nshare = 0.036\n[[operators]]\nname = \"luck\"\nalgorithm = \
        \"random-search\"\n[stop]\nevaluations = 200\n";
    sandbox.write("failing.toml", failing);
    sandbox.run(&["failing.toml"]);
    sandbox.run(&["failing.toml", "--repeats", "30"]);
    sandbox.run(&["report", "results/asking", "results/failing", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    let told = methods(&page);
    for part in [
        "until the interval of each arm's success rate was at most 0.24 wide in total",
        "at a confidence of 90 %, at most 300 per arm",
        "confidence sequence",
    ] {
        assert!(told[0].words.contains(part), "no {part:?} in\n{}", told[0].words);
    }
    assert!(!told[0].words.contains("Wilson"), "{}", told[0].words);
    for part in [
        "in 2 runs with runner",
        "27 trials failed or crashed",
        "Figures are computed from the others",
    ] {
        assert!(told[1].words.contains(part), "no {part:?} in\n{}", told[1].words);
    }
    told.iter().for_each(|methods| assert_eq!(methods.cited, methods.listed));
}

/// An experiment that was drawn, with what its Methods have to say of it.
struct Drawn {
    config: String,
    said: Vec<String>,
    unsaid: Vec<&'static str>,
}

/// Draws the parts that sentences are about, and says by a model of its own what is true of them.
fn draw(rng: &mut Xoshiro256PlusPlus) -> Drawn {
    let (mut said, mut unsaid) = (Vec::new(), vec!["keep-ended", "by keep"]);
    let (climbs, restarts): (bool, bool) = (rng.random(), rng.random());
    let (kept, placed): (bool, bool) = (rng.random(), rng.random());
    let lengths: Vec<i64> = (0..rng.random_range(2..4)).map(|place| 4 + 3 * place).collect();
    let others: Vec<i64> = (1..rng.random_range(3..5)).collect();
    let other = if climbs { "operators.algorithm.sideways" } else { "operators.selection.size" };
    let except: bool = rng.random();
    let decides = !climbs && rng.random::<bool>();
    let mut config = format!(
        "seed = 3\nrepeats = {}\n[problem]\nplugin = \"{}\"\n",
        if decides { "{ decide = [\"a\", \"b\"], max = 60 }" } else { "4" },
        if placed { "nqueens" } else { "onemax" }
    );
    let size = if placed { "n" } else { "length" };
    config.push_str(&format!("{size} = 5\n"));
    if climbs {
        config.push_str(&format!(
            "[[operators]]\nname = \"a\"\nalgorithm = {{ kind = \"hill-climbing\", restarts = \
            {restarts} }}\n"
        ));
    } else {
        for (name, population) in [("a", 4), ("b", 6)] {
            let mutation = if placed { "reset" } else { "bit-flip" };
            config.push_str(&format!(
                "[[operators]]\nname = \"{name}\"\npopulation = {population}\n\
                selection = \"tournament\"\n\
                mutation = \"{mutation}\"\n"
            ));
        }
    }
    config.push_str(&format!("[stop]\nfitness = 0\nevaluations = 40\nkeep-ended = {kept}\n"));
    let sets = if climbs { 1 } else { 2 };
    if !decides {
        let all = lengths.len() * others.len();
        let left_out = usize::from(except);
        config.push_str(&format!(
            "[sweep]\n\"problem.{size}\" = {lengths:?}\n\"{other}\" = {others:?}\n"
        ));
        if except {
            let (first, second) = (lengths[0], others[0]);
            config.push_str(&format!(
                "except = [{{ \"problem.{size}\" = {first}, \"{other}\" = {second} }}]\n"
            ));
        }
        let arms = sets * (all - left_out);
        said.push(match except {
            true => format!("in {} of the {all} combinations", all - left_out),
            false => "in every combination".to_owned(),
        });
        said.push(format!("{arms} arms"));
    }
    match climbs && !restarts {
        true => said.push("when no neighbour was better".to_owned()),
        false => unsaid.push("when no neighbour was better"),
    }
    match kept {
        true => said.push("seeds of trials do not follow from the budget".to_owned()),
        false => unsaid.push("seeds of trials do not follow from the budget"),
    }
    match decides {
        true => said.push(
            "the success rates of a and b, which the stopping rule was to tell apart, were tested \
            first"
                .to_owned(),
        ),
        false => unsaid.push("were tested first"),
    }
    if except || decides {
        unsaid.push("in every combination");
    }
    unsaid.push("were the same");
    Drawn { config, said, unsaid }
}

/// What is drawn at random, run, and told must be true: the sentences are read back and held
/// against a model that was made with the config. `RUNNER_METHODS` says how many are drawn.
#[test]
fn sentences_on_drawn_experiments_are_true() {
    let sandbox = Sandbox::new();
    let mut rng = rng(35);
    for number in 0..number("RUNNER_METHODS", sized(12, 60)) {
        let Drawn { config, said, unsaid } = draw(&mut rng);
        sandbox.write("x.toml", &config);
        _ = fs::remove_dir_all(sandbox.path("results"));
        sandbox.run(&["x.toml"]).code(0);
        sandbox.run(&["report", "results/x", "--out", "page.html"]).code(0);
        let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
        let words = &methods(&page)[0].words;
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in said {
            assert!(words.contains(&sentence), "{number}: not {sentence:?}\n{config}\n{words}");
        }
        for sentence in unsaid {
            assert!(!words.contains(sentence), "{number}: {sentence:?}\n{config}\n{words}");
        }
    }
}

/// A target that the plugin derives from a parameter is told with the values of that parameter.
#[test]
fn targets_are_told_with_what_they_follow_from() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.toml",
        "repeats = 3\n[problem]\nplugin = \"coloring\"\n[[operators]]\npopulation = 6\nselection = \
        \"tournament\"\nmutation = \"reset\"\n[stop]\nevaluations = 60\n[sweep]\n\
        \"problem.graph\" = [\"myciel3\", \"queen5_5\"]\n",
    );
    let ran = sandbox.run(&["x.toml"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    sandbox.run(&["report", "results/x", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    let words = &methods(&page)[0].words;
    assert!(words.contains("(graph myciel3)") && words.contains("(graph queen5_5)"), "{words}");
}

/// With and without a table `noise`, and with and without a target.
#[test]
fn noise_is_told_whether_a_search_treats_it_or_not() {
    let sandbox = Sandbox::new();
    for (noise, once) in [("", true), ("noise = { re-evaluate = true }\n", false)] {
        for target in ["", "fitness = -1000.0\n"] {
            sandbox.write(
                "noisy.toml",
                format!(
                    "repeats = 4\n[problem]\nplugin = \"onemax\"\nlength = 8\nnoise = 0.3\n\
                    [[operators]]\npopulation = 2\nselection = \"uniform\"\nmutation = \
                    \"bit-flip\"\nreplacement = \"plus\"\n{noise}[stop]\nevaluations = 40\n{target}"
                ),
            );
            sandbox.run(&["noisy.toml"]).code(0);
            sandbox.run(&["report", "results/noisy", "--out", "r.html"]).code(0);
            let page = fs::read_to_string(sandbox.path("r.html")).expect("a report");
            let words = &methods(&page)[0].words;
            assert!(words.contains("Fitness was noisy."), "{words}");
            assert_eq!(words.contains("Each genome was evaluated once"), once, "{words}");
            fs::remove_dir_all(sandbox.path("results")).expect("results");
        }
    }
}

/// BibTeX of an operator, a slot, a preset and all of them.
#[test]
fn operators_print_what_they_cite_as_bibtex() {
    let sandbox = Sandbox::new();
    let keys = |arguments: &[&str]| -> Vec<String> {
        let ran = sandbox.run(&[&["operators", "--bibtex"], arguments].concat()).code(0);
        let key = |line: &str| {
            Some(line.strip_prefix('@')?.split_once('{')?.1.trim_end_matches(',').to_owned())
        };
        assert_eq!(ran.stdout.matches("\n}\n").count(), ran.stdout.matches('@').count(), "{ran}");
        ran.stdout.lines().filter_map(key).collect()
    };
    assert_eq!(keys(&["tournament"]), ["goldberg1991"]);
    assert_eq!(keys(&["sbx"]), ["deb1995", "debbeyer2001"]);
    assert_eq!(keys(&["constraints"]), ["coello2002", "deb2000"]);
    assert_eq!(keys(&["edge-recombination"]), ["whitleystarkweather1989"]);
    let preset =
        ["baker1985", "baker1987", "doerr2017", "doerr2020", "holland1975", "muehlenbein1992"];
    assert_eq!(keys(&["simple-ga"]), preset);
    let all = keys(&[]);
    for key in ["baljicki", "doerr2018", "goldberg1991", "syswerda1991"] {
        assert!(all.contains(&key.to_owned()), "{all:?}");
    }
    assert!(!all.contains(&"wilson1927".to_owned()), "{all:?}");
    let tournament = sandbox.run(&["operators", "tournament", "--bibtex"]).code(0);
    let doi = "\n  doi = {10.1016/B978-0-08-050684-5.50008-2},\n}\n";
    assert!(tournament.stdout.ends_with(doi), "{tournament}");
    let uniform = sandbox.run(&["operators", "ignore", "--bibtex"]).code(0);
    assert!(uniform.stdout.is_empty() && uniform.stderr.contains("nothing is cited"), "{uniform}");
    let unknown = sandbox.run(&["operators", "tournamet", "--bibtex"]).code(2);
    assert!(unknown.stderr.contains("did you mean `tournament`?"), "{unknown}");
}

/// The answers follow from the runs; what they cannot know is asked.
#[test]
fn a_checklist_answers_what_was_run_and_asks_the_rest() {
    let sandbox = Sandbox::new();
    let config = "seed = 7\nrepeats = 6\n[problem]\nplugin = \"nqueens\"\n[[operators]]\nname = \
        \"hc\"\nalgorithm = \"hill-climbing\"\n[stop]\nevaluations = 900\n";
    sandbox.write("fixed.toml", config);
    let sequential = config.replace("= 6", "= { half-width = 0.3, max = 60 }");
    sandbox.write("sequential.toml", &sequential);
    sandbox.run(&["fixed.toml", "sequential.toml"]).code(0);
    let list = |folder: &str, file: &str| {
        sandbox.run(&["report", "--checklist", folder]).code(0).says(file);
        String::from_utf8(sandbox.read(file)).expect("UTF-8")
    };
    let item = |list: &str, title: &str| -> String {
        let line = list.lines().find(|line| line.contains(&format!("**{title}.**")));
        line.unwrap_or_else(|| panic!("no {title}\n{list}")).to_owned()
    };
    let fixed = list("results/fixed", "results/fixed/checklist.md");
    let build = if cfg!(debug_assertions) {
        "- [ ] **Source of runner.** A run"
    } else {
        "- [x] **Source of runner.** The revision above"
    };
    for (title, start) in [
        ("Trials and seeds", "- [x] **Trials and seeds.** We ran one arm on the problem nqueens"),
        ("Number of trials", "- [ ] **Number of trials.** It was fixed in advance."),
        ("Budgets and stop rules", "- [x] **Budgets and stop rules.** A trial ended when it"),
        ("Source of runner", build),
        ("Machines", "- [x] **Machines.** "),
        (
            "Plugins",
            "- [ ] **Plugins.** Say where to get the source and the build of nqueens 0.1.0",
        ),
        ("Licence", "- [ ] **Licence.** "),
    ] {
        let found = item(&fixed, title);
        assert!(found.starts_with(start), "{found}");
    }
    assert!(fixed.contains("## References\n\n- "), "{fixed}");
    assert!(!fixed.contains('@'), "a citation without its reference\n{fixed}");
    let sequential = list("results/sequential", "results/sequential/checklist.md");
    assert!(item(&sequential, "Number of trials").starts_with("- [x]"), "{sequential}");
    // Several experiments have one file above them.
    sandbox.run(&["report", "--checklist", "results/fixed", "results/sequential"]).code(0);
    let both = String::from_utf8(sandbox.read("results/checklist.md")).expect("UTF-8");
    assert_eq!(both, format!("{fixed}\n{sequential}"));
    // Nothing is known of runs that another program made.
    sandbox.write("theirs.csv", "arm,trial,success,evaluations\na,0,1,30\na,1,0,100\n");
    sandbox.run(&["import", "theirs.csv"]).code(0);
    sandbox
        .run(&["report", "--checklist", "results/theirs"])
        .code(4)
        .warns("no run of runner made these results")
        .warns("none of these results has a run");
}
