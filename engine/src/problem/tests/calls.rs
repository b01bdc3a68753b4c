use super::{compile_library, faulty, faulty_library, text, values};
use crate::problem::moves::{Moves, State};
use crate::problem::parameter::Value;
use crate::problem::{CallError, Format, Genome, Genomes, Library, Problem};
use std::sync::Arc;

const SEED: [u8; 32] = [7; 32];

/// Number of rows per batch; enough for rows at every offset from a cache line.
const ROWS: usize = 10;

/// Makes every call on samples, in order, and returns the fitness or the first fault.
fn exercise(problem: &Problem) -> Result<Vec<f64>, CallError> {
    let length = problem.description().genome_length;
    let mut first = Genomes::new::<u8>(ROWS * length);
    let mut second = Genomes::new::<u8>(ROWS * length);
    let mut children = Genomes::new::<u8>(ROWS * length);
    let (mut fitness, mut valid, mut numbers) = ([0.0; ROWS], [9; ROWS], [0; 2]);
    problem.sample::<u8>(&SEED, 0, first.genes_mut())?;
    problem.sample::<u8>(&SEED, ROWS as u64, second.genes_mut())?;
    problem.evaluate::<u8>(first.genes(), &mut fitness)?;
    problem.crossover::<u8>(&SEED, 20, first.genes(), second.genes(), children.genes_mut())?;
    problem.mutate::<u8>(&SEED, 30, children.genes_mut())?;
    problem.is_valid::<u8>(children.genes(), &mut valid)?;
    assert_eq!(valid, [1; ROWS]);
    let genome = Genome::from_genes::<u8>(&children.genes()[..length]);
    let digits: String = children.genes::<u8>()[..length].iter().map(ToString::to_string).collect();
    assert_eq!(problem.render(&genome, Format::Line)?, Some(digits));
    assert_eq!(problem.render(&genome, Format::Svg)?, None);
    let mut both = Genomes::new::<u8>(2 * length);
    problem.enumerate::<u8>(0, both.genes_mut())?;
    problem.number::<u8>(both.genes(), &mut numbers)?;
    assert_eq!(numbers, [0, 1]);
    Ok(fitness.to_vec())
}

fn c_problem(folder: &std::path::Path) -> (Arc<Library>, Problem) {
    c_problem_with(&[], folder)
}

fn c_problem_with(defines: &[&str], folder: &std::path::Path) -> (Arc<Library>, Problem) {
    let library = Library::load(&compile_library("onemax.c", "onemax_c", defines, folder))
        .expect("a sound plugin");
    let problem =
        library.create(&values(&library, &[("target", text("ones"))])).expect("sound values");
    (library, problem)
}

#[test]
fn every_call_of_a_c_plugin_works() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (library, problem) = c_problem(folder.path());
    assert!(exercise(&problem).expect("no fault").iter().any(|&fitness| fitness > 0.0));
    // A rendering longer than the first buffer is fetched again.
    let set = [("target", text("ones")), ("length", Value::Integer(10_000))];
    let long = library.create(&values(&library, &set)).expect("sound values");
    let line = long.render(&Genome::U8(vec![1; 10_000]), Format::Line).expect("no fault");
    assert_eq!(line, Some("1".repeat(10_000)));
}

#[test]
fn every_call_of_a_rust_plugin_works() {
    exercise(&faulty("none").expect("no fault")).expect("no fault");
}

/// Checks each fault, the call that exposes it, and the message for the user.
#[test]
fn every_fault_of_a_call_is_caught_and_named() {
    for (fault, call, words) in [
        (
            "panic-sample",
            "sample",
            "panicked: as asked, in sample (tests/fixtures/faulty/src/lib.rs:",
        ),
        ("panic-evaluate", "evaluate", "panicked: as asked, in evaluate"),
        ("panic-crossover", "crossover", "panicked: as asked, in crossover"),
        ("panic-mutate", "mutate", "panicked: as asked, in mutate"),
        ("panic-is_valid", "is_valid", "panicked: as asked, in is_valid"),
        ("panic-render", "render", "panicked: as asked, in render"),
        ("panic-enumerate", "enumerate", "panicked: as asked, in enumerate"),
        ("panic-number", "number", "panicked: as asked, in number"),
        ("error-evaluate", "evaluate", "as asked: this genome cannot be evaluated"),
        ("nan", "evaluate", "the fitness of row 0 is NaN, but must be a finite number"),
        ("infinite", "evaluate", "the fitness of row 0 is inf, but must be a finite number"),
        (
            "below-ideal",
            "evaluate",
            "the fitness of row 0 is -1, below 0, which the plugin states as the ideal, by 1,",
        ),
        (
            "above-worst",
            "evaluate",
            "the fitness of row 0 is 9, above 8, which the plugin states as the worst, by 1,",
        ),
        ("stray-gene-sample", "sample", "gene 7 of row 0 is 2, outside its bounds 0 to 1"),
        ("stray-gene-crossover", "crossover", "gene 0 of row 0 is 7, outside its bounds 0 to 1"),
        ("stray-gene-mutate", "mutate", "gene 0 of row 0 is 255, outside its bounds 0 to 1"),
        ("broken-permutation", "sample", "row 0 is not a permutation of 8: it holds"),
    ] {
        let error = exercise(&faulty(fault).expect("the fault comes later")).expect_err(fault);
        assert_eq!((error.plugin.as_str(), error.call), ("faulty", call), "{fault}");
        assert!(error.message.starts_with(words), "{fault}: {}", error.message);
        assert_eq!(error.to_string(), format!("plugin `faulty`: {call}: {}", error.message));
    }
}

/// A row that a library leaves out has no number of an earlier call, which could pass for a result.
#[test]
fn a_row_that_is_not_written_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (call, words) in [
        ("sample", "gene 0 of row 9 is 255, outside its bounds 0 to 1"),
        ("evaluate", "the plugin did not write the fitness of row 9"),
        ("crossover", "gene 0 of row 9 is 255, outside its bounds 0 to 1"),
        ("is_valid", "the answer for row 9 is 255, neither 0 nor 1"),
        ("enumerate", "gene 0 of row 1 is 255, outside its bounds 0 to 1"),
        ("number", "the number of row 1 is 18446744073709551614, but there are 2 genomes"),
    ] {
        let define = format!("-DSHORT={}", call.to_uppercase());
        let own = folder.path().join(call);
        std::fs::create_dir(&own).expect("a folder");
        let (_, problem) = c_problem_with(&[&define], &own);
        let error = exercise(&problem).expect_err("a row is missing");
        assert_eq!(error.call, call, "{error}");
        assert!(error.message.starts_with(words), "{error}");
    }
    let (_, problem) = c_problem_with(&["-DSHORT=EVALUATE_MOVES"], folder.path());
    let (mut genome, mut state) = (vec![0; problem.description().genome_length], State::default());
    problem.build_state::<u8>(&genome, &mut state).expect("no fault here");
    let moves = Moves::Single { positions: &[0, 1], values: &[1, 1] };
    let moved = problem.evaluate_moves(&mut genome, &mut state, &moves, &mut [9.0; 2]);
    let error = moved.expect_err("a move is missing");
    assert_eq!(error.message, "the plugin did not write the fitness of row 1");
}

#[test]
fn a_plugin_goes_on_serving_after_a_panic() {
    let problem = faulty("panic-render").expect("the fault comes later");
    let genome = Genome::U8(vec![0; 8]);
    for _ in 0..3 {
        problem.render(&genome, Format::Line).expect_err("asked for");
        let mut fitness = [9.0];
        problem.evaluate::<u8>(&[0; 8], &mut fitness).expect("no fault here");
        assert_eq!(fitness, [0.0]);
    }
}

#[test]
fn a_panic_in_a_loaded_library_does_not_cross_the_boundary() {
    let path = crate::problem::SearchPath::new(&[]);
    let library = path.load("faulty").expect("built as a dev-dependency");
    let problem =
        library.create(&values(&library, &[("fault", text("panic-evaluate"))])).expect("later");
    let error = problem.evaluate::<u8>(&[0; 8], &mut [0.0]).expect_err("asked for");
    assert!(error.message.starts_with("panicked: as asked, in evaluate ("), "{error}");
}

#[test]
fn odd_statuses_and_error_texts_are_survived() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = Library::load(&compile_library("unusable.c", "unusable", &[], folder.path()))
        .expect("usable after all");
    let problem = library.create(&values(&library, &[])).expect("sound");
    let error = problem.sample::<u8>(&SEED, 0, &mut [0]).expect_err("status 77");
    assert_eq!(error.message, "it returned the unknown status 77: it gave no reason");
    let error = problem.evaluate::<u8>(&[0], &mut [0.0]).expect_err("failed");
    assert_eq!(error.message, "\u{fffd}");
    for error in [
        problem.mutate::<u8>(&SEED, 0, &mut [0]).expect_err("there is none"),
        problem.is_valid::<u8>(&[0], &mut [0]).expect_err("there is none"),
        problem.number::<u8>(&[0], &mut [0]).expect_err("there is none"),
    ] {
        assert_eq!(error.message, "the plugin has none");
    }
    assert_eq!(problem.render(&Genome::U8(vec![0]), Format::Line), Ok(None));
}

#[test]
fn results_do_not_depend_on_how_rows_are_split_or_aligned() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for problem in [faulty("none").expect("no fault"), c_problem(folder.path()).1] {
        let length = problem.description().genome_length;
        let mut whole = Genomes::new::<u8>(ROWS * length);
        let whole = whole.genes_mut::<u8>();
        problem.sample(&SEED, 5, whole).expect("no fault");
        let mut fitness = [0.0; ROWS];
        problem.evaluate(whole, &mut fitness).expect("no fault");
        let (first, second) = whole.split_at(whole.len() / 2);
        let mut children = vec![0u8; first.len()];
        problem.crossover(&SEED, 0, first, second, &mut children).expect("no fault");
        for (row, &expected) in fitness.iter().enumerate() {
            let genes = row * length..(row + 1) * length;
            let mut one = vec![0u8; length];
            problem.sample(&SEED, 5 + row as u64, &mut one).expect("no fault");
            assert_eq!(one, &whole[genes.clone()]);
            let mut alone = [0.0];
            problem.evaluate(&whole[genes.clone()], &mut alone).expect("no fault");
            assert_eq!(alone[0], expected);
            if genes.end <= first.len() {
                let parents = (&first[genes.clone()], &second[genes.clone()]);
                problem
                    .crossover(&SEED, row as u64, parents.0, parents.1, &mut one)
                    .expect("no fault");
                assert_eq!(one, &children[genes]);
            }
        }
    }
}

#[test]
fn an_instance_serves_many_threads_at_once() {
    let problem = faulty("none").expect("no fault");
    let alone = exercise(&problem).expect("no fault");
    std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..4).map(|_| scope.spawn(|| exercise(&problem).expect("no fault"))).collect();
        for run in runs {
            assert_eq!(run.join().expect("no panic"), alone);
        }
    });
}

#[test]
fn genomes_and_numbers_that_are_none_of_the_problem_are_refused() {
    let problem = faulty("none").expect("no fault");
    for genome in [Genome::U8(vec![0; 7]), Genome::F64(vec![0.0; 8])] {
        let message = problem.render(&genome, Format::Line).expect_err("not a genome").message;
        assert!(message.ends_with("but the problem 8 of u8"), "{message}");
    }
    let error = problem.enumerate::<u8>(1, &mut [0; 16]).expect_err("there are two");
    assert_eq!(error.message, "2 genomes from number 1 on are asked for, but there are 2, from 0");
    let mut number = [0];
    problem.number::<u8>(&[0, 1, 0, 1, 0, 1, 0, 1], &mut number).expect("no fault");
    assert_eq!(number, [u64::MAX]);
}

#[test]
fn no_rows_are_no_work() {
    let problem = faulty("panic-evaluate").expect("later");
    problem.evaluate::<u8>(&[], &mut []).expect("nothing to panic on");
    faulty_library();
}
