//! Files of problems that nobody would write: each makes a problem or an error with a reason, and
//! no panic, whatever sizes it claims. `RUNNER_FUZZ` says how many are tried, as in `fuzz.rs`.

use crate::fuzz::{catalogue, inputs, mutate, rng, survives};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::config::{Catalogue, Overrides, load_text};
use std::fs;
use std::path::Path;

/// Plugins with small files of their formats.
const FILES: &[(&str, &[&str])] = &[
    ("jobshop", &["# a shop\n2 3\n0 3 1 2 2 2\n0 2 2 1 1 4\n", "1 1\n0 9\n"]),
    ("maxcut", &["4 3\n1 2 5\n2 3 -1\n4 1 2\n", "3 2\n1 2 1\n2 3 1\n"]),
    (
        "maxsat",
        &[
            "c own\np cnf 3 3\n1 -2 0\n2\n3 0\n-1 -3 0\n",
            "p wcnf 3 3 10\n10 1 -2 0\n3 2 3 0\n1 -1 0\n",
            "h 1 2 0\n3 -1 0\n4 -2 3 0\n",
        ],
    ),
    ("qap", &["2\n\n0 3\n1 0\n\n0 5\n7 0\n", "3\n0 1 2\n1 0 3\n2 3 0\n0 4 5\n4 0 6\n5 6 0\n"]),
    ("knapsack", &["# items\n3 10\n6 5\n5 4\n8 7\n"]),
    (
        "tsp",
        &[
            "NAME: a\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n\
            1 0 0\n2 3 0\n3 3.5 4e0\n4 0 4\nEOF\n",
            "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : GEO\nNODE_COORD_SECTION\n1 38.24 20.42\n\
            2 39.57 26.15\n3 -40.56 25.32\nEOF\n",
            "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: ATT\nNODE_COORD_SECTION\n1 67 12\n2 1 1\n\
            3 9 9\n",
            "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n\
            EDGE_WEIGHT_SECTION\n5 6\n7\nEOF\n",
            "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n\
            EDGE_WEIGHT_SECTION\n0 5 6\n5 0 7\n6 7 0\nEOF\n",
        ],
    ),
];

/// Numbers at the ends of what a reader may expect.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1000000",
    "4294967296",
    "99999999999",
    "9007199254740993",
    "18446744073709551616",
    "1e308",
    "1e999",
    "nan",
    "0.5",
];

/// Replaces a word by such a number.
fn exaggerate(rng: &mut Xoshiro256PlusPlus, text: &mut Vec<u8>) {
    let starts: Vec<usize> = (0..text.len())
        .filter(|at| !text[*at].is_ascii_whitespace())
        .filter(|at| *at == 0 || text[at - 1].is_ascii_whitespace())
        .collect();
    if let Some(at) = starts.get(rng.random_range(0..starts.len().max(1))) {
        let length = text[*at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let number = NUMBERS[rng.random_range(0..NUMBERS.len())];
        text.splice(*at..*at + length, number.bytes());
    }
}

/// Loads an experiment with this file. Returns whether it makes a problem.
fn load(catalogue: &mut Catalogue, folder: &Path, plugin: &str, file: &[u8]) -> bool {
    fs::write(folder.join("data.txt"), file).expect("written");
    let text = format!("[problem]\nplugin = \"{plugin}\"\nfile = \"data.txt\"\n{REST}");
    let path = folder.join("fuzz.toml");
    let outcome = load_text(&path, &text, &Overrides::default(), catalogue);
    for diagnostic in &outcome.diagnostics {
        let words = diagnostic.render(&outcome.sources, false);
        assert!(!words.contains("panicked"), "{plugin}: {words}");
        assert!(!words.contains("gave no reason"), "{plugin}: {words}");
    }
    assert!(outcome.has_errors() == outcome.plans.is_empty());
    !outcome.has_errors()
}

/// Any search, since all that counts is the problem.
const REST: &str = "[[operators]]\nalgorithm = \"random-search\"\npopulation = 1\n[stop]\n\
    evaluations = 5\n";

#[test]
fn no_file_of_a_problem_is_too_much() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut rng, mut catalogue) = (rng(9), catalogue());
    let mut sound = 0;
    for (plugin, files) in FILES {
        for file in *files {
            assert!(
                load(&mut catalogue, folder.path(), plugin, file.as_bytes()),
                "{plugin}: {file}"
            );
        }
    }
    let all: Vec<Vec<u8>> = FILES
        .iter()
        .flat_map(|(_, files)| files.iter().map(|file| file.as_bytes().to_vec()))
        .collect();
    for _ in 0..inputs() {
        let (plugin, files) = FILES[rng.random_range(0..FILES.len())];
        let mut input = files[rng.random_range(0..files.len())].as_bytes().to_vec();
        if rng.random_bool(0.6) {
            exaggerate(&mut rng, &mut input);
        }
        if rng.random_bool(0.6) {
            mutate(&mut rng, &mut input, &all);
        }
        survives(plugin, &input, || {
            sound += u64::from(load(&mut catalogue, folder.path(), plugin, &input));
        });
    }
    assert!(sound > 0, "some changes leave a sound file");
}
