//! Moves: searches that evaluate them, and those that evaluate whole genomes, give the same bytes;
//! and a plugin whose moves are wrong is found out.

use crate::util::{Ran, Sandbox, rows, sized};

/// Ways to evaluate: `RUNNER_MOVES`.
const WAYS: [&str; 3] = ["off", "on", "checked"];

/// The tables of a run of `x.toml` that evaluates this way: trials and generations.
fn tables(sandbox: &Sandbox, way: &str, arguments: &[&str]) -> [Vec<u8>; 2] {
    let out = format!("{way}{}", arguments.concat().replace(['-', '.', '='], ""));
    let mut command = sandbox.command();
    command.env("RUNNER_MOVES", way).args(["x.toml", "--out", &out, "--progress", "none"]);
    Ran::new(command.args(arguments)).code(0);
    ["trials", "generations"].map(|table| sandbox.read(&format!("{out}/x/{table}.parquet")))
}

/// Asserts that a config gives the same tables whichever way it is evaluated.
fn same_bytes(config: &str, operators: &[&str], stop: &str) {
    // Every genome is in the full size alone: they take long to write, and what differs once is
    // seen in the figures of the generations after it.
    let traces = ["best", "genomes"];
    same_bytes_traced(config, operators, stop, &traces[..sized(1, 2) as usize]);
}

/// The same of these traces.
fn same_bytes_traced(config: &str, operators: &[&str], stop: &str, traces: &[&str]) {
    for trace in traces {
        let sandbox = Sandbox::new();
        let sets: String =
            operators.iter().map(|keys| format!("[[operators]]\n{keys}\n")).collect();
        sandbox.write(
            "x.toml",
            format!(
                "seed = 3\nrepeats = {}\n{config}\n{sets}[stop]\n{stop}\n[output]\ntrace = \
                \"{trace}\"\n",
                sized(1, 2)
            ),
        );
        let [off, on, checked] = WAYS.map(|way| tables(&sandbox, way, &[]));
        assert!(off == on, "{config}: with moves, the tables of {trace} are others");
        assert!(off == checked, "{config}: with checked moves, the tables of {trace} are others");
    }
}

/// Searches that go by moves, of any genome whose genes can be exchanged.
const EXCHANGES: [&str; 11] = [
    "name = \"steepest\"\nalgorithm = \"hill-climbing\"",
    "name = \"first\"\nalgorithm = { kind = \"hill-climbing\", step = \"first-improvement\", \
        sideways = 5 }",
    "name = \"sideways\"\nalgorithm = { kind = \"hill-climbing\", sideways = 30, restarts = \
        false }",
    "name = \"annealing\"\nalgorithm = { kind = \"simulated-annealing\", cooling = 0.9, moves = \
        40 }\nmutation = \"swap\"",
    "name = \"threshold\"\nalgorithm = { kind = \"threshold-accepting\", threshold = 3, moves = \
        40 }\nmutation = \"swap\"",
    "name = \"late\"\nalgorithm = { kind = \"late-acceptance\", history = 9, moves = 40 \
        }\nmutation = \"swap\"",
    "name = \"tabu\"\nalgorithm = { kind = \"tabu-search\", random-tenure = 3 }",
    "name = \"iterated\"\nalgorithm = \"iterated-local-search\"",
    "name = \"variable\"\nalgorithm = \"variable-neighborhood-search\"",
    "name = \"one\"\npopulation = 1\nselection = \"uniform\"\nmutation = \"swap\"\nreplacement = \
        \"plus\"",
    "name = \"four\"\npopulation = 1\nselection = \"uniform\"\nmutation = \
        \"swap\"\nreplacement = { kind = \"comma\", offspring = 4 }",
];

/// Searches that go by conflicts.
const REPAIRS: [&str; 2] = [
    "name = \"repairs\"\nalgorithm = \"min-conflicts\"\nrestarts = { every = 9 }",
    "name = \"greedy\"\nalgorithm = { kind = \"min-conflicts\", start = \"greedy\" }\nrestarts = \
        { luby = 3 }",
];

/// Search that goes by conflicts on permutations.
const TRIED: &str =
    "name = \"exchanges\"\nalgorithm = \"conflict-minimization\"\nrestarts = { every = 90 }";

/// Those that change genes, one or several.
fn changes(mutation: &str, several: &str) -> Vec<String> {
    let annealing = "algorithm = { kind = \"simulated-annealing\", temperature = 2.0, cooling = \
        0.8, moves = 60 }";
    let one = "population = 1\nselection = \"uniform\"";
    let replacements = [
        "\"plus\"",
        "{ kind = \"plus\", ties = \"parents\" }",
        "{ kind = \"plus\", ties = \"random\" }",
        "{ kind = \"plus\", offspring = 3 }",
        "{ kind = \"plus\", offspring = 40, ties = \"random\" }",
        "{ kind = \"comma\", offspring = 5 }",
    ];
    let mut sets = vec![
        format!("{annealing}\nmutation = {mutation}"),
        format!("{annealing}\nmutation = {several}"),
        format!("{one}\nmutation = {{ kind = {mutation}, rate = 0.4 }}\nreplacement = \"plus\""),
    ];
    for replacement in replacements {
        for mutation in [mutation, several] {
            sets.push(format!("{one}\nmutation = {mutation}\nreplacement = {replacement}"));
        }
    }
    sets.iter().enumerate().map(|(place, keys)| format!("name = \"set {place}\"\n{keys}")).collect()
}

/// Populations of several whose children are near their parents, by this mutation.
fn populations(mutation: &str) -> Vec<String> {
    let tournament = "selection = { kind = \"tournament\", size = 2 }";
    let crossed = "crossover = { kind = CROSSOVER, rate = 0.1 }";
    let mixed = "crossover = CROSSOVER\nmix = { clone = 0.3, crossover = 0.1, mutate = 0.6 }";
    let sets = [
        ("population = 20", "", "\"steady-state\""),
        ("population = 20", crossed, "\"steady-state\""),
        ("population = 7", "", "{ kind = \"steady-state\", offspring = 3 }"),
        ("population = 5", "", "{ kind = \"plus\", offspring = 9, ties = \"random\" }"),
        ("population = 10", crossed, "\"plus\""),
        ("population = 3", "", "{ kind = \"plus\", offspring = 1, ties = \"parents\" }"),
        ("population = 4", crossed, "{ kind = \"comma\", offspring = 11 }"),
        ("population = 20", crossed, "{ kind = \"elitism\", count = 2 }"),
        ("population = 9", mixed, "\"generational\""),
    ];
    let crossover = if mutation.contains("swap") { "\"pmx\"" } else { "\"one-point\"" };
    let named = sets.iter().enumerate().map(|(place, (population, crossed, replacement))| {
        format!(
            "name = \"population {place}\"\n{population}\n{tournament}\n{}\nmutation = \
            {mutation}\nreplacement = {replacement}",
            crossed.replace("CROSSOVER", crossover)
        )
    });
    named.collect()
}

#[test]
fn populations_give_the_same_bytes_with_moves_and_without() {
    let queens = |encoding: &str, n: u32| {
        format!("[problem]\nplugin = \"nqueens\"\nencoding = \"{encoding}\"\nn = {n}")
    };
    let bits = "[problem]\nplugin = \"pbo\"\nproblem = \"n-queens\"\nn = 29241";
    for (config, mutation, evaluations) in [
        (queens("rows", 500), "\"reset\"", 400),
        (queens("rows", 450), "{ kind = \"reset\", gene-rate = 0.005 }", 200),
        (queens("permutation", 500), "\"swap\"", 400),
        (bits.to_owned(), "\"bit-flip\"", 60),
    ] {
        let sets = populations(mutation);
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let stop = format!("evaluations = {evaluations}\nfitness = -1000000");
        // Genomes of this length take long to write.
        same_bytes_traced(&config, &sets, &stop, &["best"]);
    }
}

#[test]
fn queens_give_the_same_bytes_with_moves_and_without() {
    let config = |encoding: &str, sizes: &str| {
        format!(
            "[problem]\nplugin = \"nqueens\"\nencoding = \"{encoding}\"\n[sweep]\n\"problem.n\" = \
            {sizes}\n\"problem.counting\" = [\"pairs\", \"per-queen\"]"
        )
    };
    let large = |encoding: &str, n: u32| {
        format!("[problem]\nplugin = \"nqueens\"\nencoding = \"{encoding}\"\nn = {n}")
    };
    let several = "{ kind = \"reset\", gene-rate = 0.1 }";
    let sets = changes("\"reset\"", several);
    let any = "name = \"any\"\npopulation = 1\nselection = \"uniform\"\nmutation = { kind = \
        \"reset\", value = \"any\", gene-rate = 0.05 }\nreplacement = \"plus\"";
    let sets: Vec<&str> =
        sets.iter().map(String::as_str).chain(EXCHANGES).chain(std::iter::once(any)).collect();
    same_bytes(&config("rows", "[1, 2, 3, 8, 17]"), &sets, "evaluations = 250");
    // The budget ends in the middle of a neighbourhood, of genes of two bytes.
    let few: Vec<&str> = sets.iter().copied().step_by(4).chain([EXCHANGES[0]]).collect();
    same_bytes(&large("rows", 300), &few, "evaluations = 300");
    same_bytes(&config("permutation", "[1, 2, 3, 8, 65]"), &EXCHANGES, "evaluations = 250");
    same_bytes(&large("permutation", 300), &EXCHANGES, "evaluations = 300");
    for encoding in ["rows", "permutation"] {
        let mut sets = REPAIRS.to_vec();
        sets.extend((encoding == "permutation").then_some(TRIED));
        same_bytes(&config(encoding, "[1, 2, 3, 8, 65]"), &sets, "evaluations = 500");
        same_bytes(&large(encoding, 300), &sets, "evaluations = 5000");
    }
}

#[test]
fn bits_give_the_same_bytes_with_moves_and_without() {
    let sets = changes("\"bit-flip\"", "{ kind = \"bit-flip\", gene-rate = 0.1 }");
    let sets: Vec<&str> = sets.iter().map(String::as_str).chain(EXCHANGES).collect();
    for length in [1, 3, 64, 65, 300] {
        let config = format!("[problem]\nplugin = \"onemax\"\nlength = {length}");
        same_bytes(&config, &sets, "evaluations = 250");
    }
    let config = "[problem]\nplugin = \"pbo\"\nn = 25\n[sweep]\n\"problem.problem\" = ";
    let layers = ["dummy-1", "dummy-2", "neutrality", "epistasis", "ruggedness-1", "ruggedness-2"];
    let mut problems = vec!["\"concatenated-trap\"".to_owned(), "\"linear\"".to_owned()];
    for count in ["one-max", "leading-ones"] {
        problems.push(format!("\"{count}\""));
        problems.extend(layers.iter().map(|layer| format!("\"{count}-{layer}\"")));
        problems.push(format!("\"{count}-ruggedness-3\""));
    }
    for other in
        ["ising-ring", "ising-torus", "ising-triangular", "mis", "n-queens", "jump-2", "jump-4"]
    {
        problems.push(format!("\"{other}\""));
    }
    let few: Vec<&str> = sets.iter().copied().step_by(3).collect();
    let config = format!("{config}[{}]", problems.join(", "));
    same_bytes(&config, &few, "evaluations = 250\nfitness = -1000");
    // Their best is not known.
    let unknown = "[problem]\nplugin = \"pbo\"\nn = 30\n[sweep]\n\"problem.problem\" = [\"labs\", \
        \"nk-landscape\"]";
    same_bytes(unknown, &few, "evaluations = 250\nfitness = -1000");
}

/// Without a trace, generations that change nothing are completed together. Every limit ends the
/// trial where it does one by one.
#[test]
fn generations_that_change_nothing_count_like_others() {
    let one = "population = 1\nselection = \"uniform\"\nmutation = ";
    let flips = ["\"bit-flip\"", "{ kind = \"bit-flip\", strength = \"power-law\" }"];
    let rules = ["", "restarts = { stagnation = 9 }", "restarts = { every = 30 }"];
    let mut sets = String::new();
    for (number, (mutation, rule)) in
        flips.iter().flat_map(|mutation| rules.map(|rule| (mutation, rule))).enumerate()
    {
        sets += &format!(
            "[[operators]]\nname = \"{number}\"\n{one}{mutation}\nreplacement = \"plus\"\n{rule}\n"
        );
    }
    for stop in [
        "generations = 150",
        "evaluations = 151",
        "stagnation = 12",
        "stagnation = 25\nevaluations = 90\ngenerations = 100",
        "trial-seconds = 1e6\nevaluations = 400\non-success = \"continue\"",
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(
            "x.toml",
            format!(
                "seed = 3\nrepeats = 20\n[problem]\nplugin = \"onemax\"\nlength = \
                12\n{sets}[stop]\n{stop}\n[output]\ntrace = \"none\"\n"
            ),
        );
        let [off, on, checked] = WAYS.map(|way| {
            let mut command = sandbox.command();
            command.env("RUNNER_MOVES", way).args(["x.toml", "--out", way, "--progress", "none"]);
            Ran::new(&mut command).code(0);
            sandbox.read(&format!("{way}/x/trials.parquet"))
        });
        assert!(off == on && off == checked, "{stop}: with moves, the trials are others");
    }
}

/// Problems without moves: nothing depends on the switch.
#[test]
fn other_problems_give_the_same_bytes_too() {
    let annealing = "algorithm = { kind = \"simulated-annealing\", moves = 30 }\nmutation = ";
    let gaussian = format!("{annealing}\"gaussian\"");
    same_bytes("[problem]\nplugin = \"continuous\"\nn = 4", &[&gaussian], "evaluations = 300");
    let coloring = "[problem]\nplugin = \"coloring\"\ngraph = \"myciel3\"";
    same_bytes(coloring, &["algorithm = \"hill-climbing\""], "evaluations = 300");
}

#[test]
fn worker_processes_and_threads_go_by_moves_alike() {
    let sandbox = Sandbox::new();
    let sets: String = EXCHANGES.iter().map(|keys| format!("[[operators]]\n{keys}\n")).collect();
    sandbox.write(
        "x.toml",
        format!(
            "repeats = 6\n[problem]\nplugin = \"nqueens\"\nn = \
            20\n{sets}[stop]\nevaluations = 3000\n[output]\ntrace = \"best\"\n"
        ),
    );
    let alone = tables(&sandbox, "off", &["--jobs", "1"]);
    for arguments in [&["--jobs", "2"][..], &["--jobs", "2", "--isolation", "process"]] {
        assert!(alone == tables(&sandbox, "on", arguments), "{arguments:?}");
    }
}

/// A replay tells of every improvement, which is a genome of its own.
#[test]
fn improvements_are_the_same() {
    let sandbox = Sandbox::new();
    let one = "[[operators]]\nname = \"own\"\npopulation = 1\nselection = \"uniform\"\nmutation = \
        \"reset\"\nreplacement = { kind = \"plus\", offspring = 3 }\n";
    let sets: String = EXCHANGES.iter().map(|keys| format!("[[operators]]\n{keys}\n")).collect();
    sandbox.write(
        "x.toml",
        format!(
            "repeats = 1\n[problem]\nplugin = \"nqueens\"\nn = \
            12\n{sets}{one}[stop]\nevaluations = 1500\n[output]\ntrace = \"best\"\n"
        ),
    );
    tables(&sandbox, "off", &[]);
    for arm in ["steepest", "first", "sideways", "annealing", "one", "four", "own"] {
        let [off, on, checked] = WAYS.map(|way| {
            let mut command = sandbox.command();
            command.env("RUNNER_MOVES", way).args(["replay", "off/x", arm, "0"]);
            Ran::new(&mut command).code(0).stdout
        });
        assert!(off.lines().count() > 3, "{off}");
        assert_eq!([&on, &checked], [&off; 2], "{arm}");
    }
}

/// The fixture whose moves are wrong: without a check it searches by them, and gives other tables.
/// `verify` finds it out, and so does a run that checks, as debug builds do.
#[test]
fn wrong_moves_are_found_out() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.toml",
        "repeats = 5\n[problem]\nplugin = \"faulty\"\nfault = \"moves\"\nlength = 20\n\
        [[operators]]\nalgorithm = { kind = \"simulated-annealing\", moves = 20 }\nmutation = \
        \"bit-flip\"\n[stop]\nevaluations = 400\nfitness = -1\n[output]\ntrace = \"best\"\n",
    );
    let [off, on] = ["off", "on"].map(|way| tables(&sandbox, way, &[]));
    assert!(off != on, "the moves are not used");
    let words = "plugin `faulty`: evaluate_moves: move ";
    let mut command = sandbox.command();
    command.env("RUNNER_MOVES", "checked").args(["x.toml", "--out", "checked"]);
    Ran::new(&mut command).code(1);
    for trial in rows(&sandbox, &["checked/x", "--trials"]) {
        let error = trial["error"].as_str().expect("an error");
        assert!(error.starts_with(words) && error.contains("but `evaluate` gives"), "{error}");
    }
    let verified = sandbox.run(&["verify", "on/x", "--all"]).code(1);
    verified.says(words).says("0 of 5 trials are the same");
    sandbox.run(&["verify", "off/x", "--all"]).code(1).says(words);
}

/// The fixture again: that its moves are found out shows that populations of several use them.
#[test]
fn populations_are_evaluated_by_moves() {
    for set in populations("\"bit-flip\"") {
        let sandbox = Sandbox::new();
        sandbox.write(
            "x.toml",
            format!(
                "repeats = 3\n[problem]\nplugin = \"faulty\"\nfault = \"moves\"\nlength = \
                100\n[[operators]]\n{set}\n[stop]\nevaluations = 3000\nfitness = \
                -1\n[output]\ntrace = \"best\"\n"
            ),
        );
        let [off, on] = ["off", "on"].map(|way| tables(&sandbox, way, &[]));
        assert!(off != on, "{set}: the moves are not used");
    }
}
