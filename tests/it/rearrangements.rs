//! Neighbours of permutations: searches by reversed segments and by inserted genes, checked by code
//! that shares nothing with them.

use crate::languages::compile;
use crate::util::{Ran, Sandbox, document, has, root, rows, skip};
use serde_json::Value;

/// Places of cities.
const PLACES: [[i64; 2]; 11] = [
    [31, 8],
    [90, 77],
    [2, 60],
    [55, 41],
    [78, 12],
    [18, 95],
    [66, 64],
    [40, 27],
    [9, 33],
    [97, 50],
    [47, 88],
];

/// Searches of every kind by these neighbours.
const SEARCHES: [&str; 5] = [
    "algorithm = { kind = \"hill-climbing\", restarts = false, NEIGHBORS }",
    "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\", restarts = false, \
        NEIGHBORS }",
    "algorithm = { kind = \"tabu-search\", random-tenure = 3, NEIGHBORS }",
    "algorithm = { kind = \"iterated-local-search\", NEIGHBORS }",
    "algorithm = { kind = \"variable-neighborhood-search\", NEIGHBORS }",
];

/// Kinds of neighbours besides exchanges.
const KINDS: [&str; 2] = ["reversal", "insertion"];

/// Returns operator sets of all searches by all kinds of neighbours.
fn sets() -> String {
    let of = |kind: &'static str| {
        SEARCHES.iter().enumerate().map(move |(place, search)| {
            let search = search.replace("NEIGHBORS", &format!("neighbors = \"{kind}\""));
            format!("[[operators]]\nname = \"{kind} {place}\"\n{search}\n")
        })
    };
    KINDS.into_iter().flat_map(of).collect()
}

/// Writes a config of these operator sets on the cities.
fn write(sandbox: &Sandbox, sets: &str) {
    let mut file = "NAME: small\nTYPE: TSP\nDIMENSION: 11\nEDGE_WEIGHT_TYPE: MAN_2D\n\
        NODE_COORD_SECTION\n"
        .to_owned();
    for (number, [x, y]) in PLACES.iter().enumerate() {
        file += &format!("{} {x} {y}\n", number + 1);
    }
    sandbox.write("small.tsp", file + "EOF\n");
    sandbox.write(
        "x.toml",
        format!(
            "seed = 5\nrepeats = 3\n[problem]\nplugin = \"tsp\"\nfile = \"small.tsp\"\n\
            {sets}[stop]\nevaluations = 3000\nfitness = 1\n[output]\ntrace = \"best\"\n"
        ),
    );
}

/// Returns the length of the round trip through the cities in this order.
fn length(tour: &[usize]) -> i64 {
    let way = |from: usize, to: usize| {
        let ([x, y], [other_x, other_y]) = (PLACES[from], PLACES[to]);
        (x - other_x).abs() + (y - other_y).abs()
    };
    (0..tour.len()).map(|place| way(tour[place], tour[(place + 1) % tour.len()])).sum()
}

fn tour(trial: &Value) -> Vec<usize> {
    let genes = trial["best"].as_array().expect("a genome");
    genes.iter().map(|gene| gene.as_u64().expect("a city") as usize).collect()
}

/// Returns the tours in which two ways are replaced by two others.
fn two_opt(tour: &[usize]) -> Vec<Vec<usize>> {
    let n = tour.len();
    let ends = (0..n).flat_map(|first| (first + 1..n).map(move |last| (first, last)));
    ends.map(|(first, last)| {
        (0..n)
            .map(move |at| tour[if (first..=last).contains(&at) { first + last - at } else { at }])
    })
    .map(Iterator::collect)
    .collect()
}

/// Returns the tours in which one city is visited at another time.
fn or_opt(tour: &[usize]) -> Vec<Vec<usize>> {
    let places = (0..tour.len()).flat_map(|from| (0..tour.len()).map(move |to| (from, to)));
    places
        .map(|(from, to)| {
            let mut other = tour.to_vec();
            let city = other.remove(from);
            other.insert(to, city);
            other
        })
        .collect()
}

#[test]
fn climbs_end_where_no_neighbor_is_shorter() {
    let sandbox = Sandbox::new();
    write(&sandbox, &sets());
    sandbox.run(&["x.toml"]).code(0);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    assert_eq!(trials.len(), 3 * SEARCHES.len() * KINDS.len());
    for trial in trials {
        let (tour, name) = (tour(&trial), trial["operators"].as_str().expect("a name"));
        assert_eq!(trial["best_fitness"].as_f64(), Some(length(&tour) as f64), "{trial}");
        let neighbors = if name.starts_with("reversal") { two_opt(&tour) } else { or_opt(&tour) };
        // A search that ends with its budget looked at all neighbours of its best tour, too.
        assert!(neighbors.iter().all(|other| length(other) >= length(&tour)), "{trial}");
        if name.ends_with('0') {
            let looks = trial["generations"].as_f64().expect("a number") + 1.0;
            let count = if name.starts_with("reversal") { 55.0 } else { 100.0 };
            assert_eq!(trial["evaluations"].as_f64(), Some(1.0 + count * looks), "{trial}");
        }
    }
}

#[test]
fn jobs_and_shards_give_the_same_bytes() {
    let sandbox = Sandbox::new();
    write(&sandbox, &sets());
    let tables = |out: &str, jobs: &str| {
        sandbox.run(&["x.toml", "--out", out, "--jobs", jobs]).code(0);
        ["trials", "generations"].map(|table| sandbox.read(&format!("{out}/x/{table}.parquet")))
    };
    let alone = tables("one", "1");
    assert!(alone == tables("two", "2"));
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["x.toml", "--shard", shard, "--out", "s"]).code(0);
    }
    sandbox.run(&["merge", "s/x.shard-1-of-2", "s/x.shard-2-of-2", "--out", "merged"]).code(0);
    let merged = ["trials", "generations"].map(|t| sandbox.read(&format!("merged/x/{t}.parquet")));
    assert!(alone == merged);
}

/// Exchanges are the default, with the settings and the identity that arms had before there was a
/// choice.
#[test]
fn exchanges_are_the_default() {
    let ids = |neighbors: &str| {
        let sandbox = Sandbox::new();
        let search = SEARCHES[0].replace(", NEIGHBORS", neighbors);
        write(&sandbox, &format!("[[operators]]\n{search}\n"));
        sandbox.run(&["x.toml"]).code(0);
        rows(&sandbox, &["results/x", "--trials"])
    };
    let usual = ids("");
    assert_eq!(usual, ids(", neighbors = \"swap\""));
    assert_ne!(usual[0]["arm_id"], ids(", neighbors = \"reversal\"")[0]["arm_id"]);
}

#[test]
fn other_encodings_have_no_such_neighbors() {
    let sandbox = Sandbox::new();
    for (problem, encoding, usual) in [
        ("plugin = \"nqueens\"", "integer", "one gene takes another value"),
        ("plugin = \"onemax\"", "bits", "one bit flips"),
    ] {
        let search = SEARCHES[0].replace("NEIGHBORS", "neighbors = \"reversal\"");
        sandbox.write(
            "x.toml",
            format!("[problem]\n{problem}\n[[operators]]\n{search}\n[stop]\nevaluations = 9\n"),
        );
        let ran = sandbox.run(&["x.toml"]).code(2);
        ran.warns(&format!(
            "\"reversal\" is a move of permutations, and the encoding of this problem is {encoding}"
        ))
        .warns("x.toml:4:")
        .warns(&format!("leave `neighbors` out: in the neighbours of this problem, {usual}"));
        assert!(!sandbox.path("results").exists());
    }
}

/// Searches that draw moves of these kinds by a mutation.
const DRAWN: [&str; 4] = [
    "algorithm = { kind = \"simulated-annealing\", temperature = 20, moves = 40 }\nmutation = \
        MUTATION",
    "algorithm = { kind = \"late-acceptance\", history = 9, moves = 40 }\nmutation = MUTATION",
    "population = 1\nselection = \"uniform\"\nmutation = MUTATION\nreplacement = \"plus\"",
    "population = 1\nselection = \"uniform\"\nmutation = { kind = MUTATION, rate = 0.5 \
        }\nreplacement = { kind = \"comma\", offspring = 4 }",
];

/// Returns operator sets of all searches by all kinds of neighbours, and of those that draw them.
fn all_sets() -> String {
    let drawn = ["inversion", "insert"].map(|mutation| {
        let of = |(place, search): (usize, &&str)| {
            let search = search.replace("MUTATION", &format!("\"{mutation}\""));
            format!("[[operators]]\nname = \"{mutation} {place}\"\n{search}\n")
        };
        DRAWN.iter().enumerate().map(of).collect::<String>()
    });
    sets() + &drawn.concat()
}

/// Asserts that moves, checked moves and whole genomes give the same bytes.
fn same_bytes(sandbox: &Sandbox) {
    let [off, on, checked] = ["off", "on", "checked"].map(|way| {
        let mut command = sandbox.command();
        command.env("RUNNER_MOVES", way).args(["x.toml", "--out", way, "--plugin-dir", "."]);
        Ran::new(command.args(["--progress", "none"])).code(0);
        ["trials", "generations"].map(|table| sandbox.read(&format!("{way}/x/{table}.parquet")))
    });
    assert!(off == on && off == checked);
}

/// A few evaluations of the example are enough to see that every set of it runs.
#[test]
fn the_example_runs() {
    let sandbox = Sandbox::new();
    sandbox.write("tours.toml", document("examples/tours.toml"));
    sandbox.run(&["tours.toml", "--repeats", "1", "--set", "stop.evaluations=500"]).code(0);
    assert_eq!(rows(&sandbox, &["results/tours", "--trials"]).len(), 6);
}

#[test]
fn moves_and_whole_tours_give_the_same_bytes() {
    let sandbox = Sandbox::new();
    write(&sandbox, &all_sets());
    same_bytes(&sandbox);
    // Ways back that are other ways.
    let row = |from: i64| (0..9).map(move |to| (from * 37 + to * 11 + from * to * 5) % 90);
    let row = |from: i64| row(from).map(|way| way.to_string()).collect::<Vec<_>>().join(" ");
    let matrix = (0..9).map(row).collect::<Vec<_>>().join("\n");
    sandbox.write(
        "small.tsp",
        format!(
            "NAME: one way\nTYPE: ATSP\nDIMENSION: 9\nEDGE_WEIGHT_TYPE: EXPLICIT\n\
            EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n{matrix}\nEOF\n"
        ),
    );
    same_bytes(&sandbox);
    for file in ["file=small.tsp", "n=40"] {
        let ran = sandbox.run(&["conformance", "tsp", "--only", "moves", "--set", file]).code(0);
        ran.says("1 checks passed");
    }
}

/// The problem in C++ evaluates reversals by its own code, and insertions gene by gene. A wrong
/// fitness of a reversal alone is found, by conformance and by a search that checks.
#[test]
fn moves_of_a_plugin_in_cpp_are_those_of_whole_genomes() {
    if !has("c++") {
        return skip("there is no c++");
    }
    let sandbox = Sandbox::new();
    let source = root().join("tests/fixtures/cpp/everything.cpp").display().to_string();
    let library = "libeverything_cpp.so";
    compile(&sandbox, &["c++", "-std=c++17", "-shared", "-fPIC", &source, "-o", library]);
    let write = |fault: &str| {
        sandbox.write(
            "x.toml",
            format!(
                "repeats = 1\n[problem]\nplugin = \"everything_cpp\"\nn = 12\nfault = \
                \"{fault}\"\n{}[stop]\nevaluations = 500\nfitness = -1\n[output]\ntrace = \
                \"best\"\n",
                all_sets()
            ),
        );
    };
    write("none");
    same_bytes(&sandbox);
    let check = |fault: &str| {
        let set = format!("fault={fault}");
        let only = ["--only", "moves", "--set", "n=12", "--set", &set, "--plugin-dir", "."];
        sandbox.run(&[&["conformance", "everything_cpp"], &only[..]].concat())
    };
    check("none").code(0).says("1 checks passed");
    check("moves").code(3).says("which reverses genes").says("but `evaluate` gives");
    write("moves");
    let mut command = sandbox.command();
    command.env("RUNNER_MOVES", "on").args(["x.toml", "--out", "wrong", "--plugin-dir", "."]);
    Ran::new(&mut command).code(0);
    let verified = sandbox.run(&["verify", "wrong/x", "--all", "--plugin-dir", "."]).code(1);
    verified.says("which reverses genes");
}
