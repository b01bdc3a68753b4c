use super::*;
use runner_plugin::{Incremental, Moves};

/// The problem of this number, if it can have this length.
pub(crate) fn possible(number: usize, n: usize) -> Option<Pbo> {
    Some(Pbo { n, function: function(NAMES[number - 1], n).ok()? })
}

pub(crate) fn pbo(number: usize, n: usize) -> Pbo {
    possible(number, n).expect("a length that the problem can have")
}

/// A genome of `n` bits as the vectors have it: a hexadecimal number.
pub(crate) fn genome(bits: &str, n: usize) -> Vec<u8> {
    let digits = bits.chars().flat_map(|digit| {
        let digit = digit.to_digit(16).expect("a hexadecimal digit") as u8;
        (0..4).rev().map(move |place| digit >> place & 1)
    });
    let digits: Vec<u8> = digits.collect();
    let mut genome = vec![0; n.saturating_sub(digits.len())];
    genome.extend(&digits[digits.len().saturating_sub(n)..]);
    genome
}

/// The suite's own values: tests/vectors.py.
#[test]
fn values_agree_with_the_package_ioh() {
    let (mut compared, mut optima) = ([0; 25], 0);
    for line in include_str!("../../tests/vectors.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<usize>().expect("a number");
        let value = |word: &str| word.parse::<f64>().expect("a value");
        if let ["optimum", problem, n, best] = words[..] {
            let stated = pbo(number(problem), number(n)).best().expect("a known optimum");
            assert_eq!(stated, value(best), "{line}");
            optima += 1;
            continue;
        }
        let [problem, n, bits, expected] = words[..] else { panic!("{line}") };
        let (pbo, n) = (pbo(number(problem), number(n)), number(n));
        let genome = genome(bits, n);
        let (found, expected) = (pbo.value(&genome), value(expected));
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found}: {line}");
        let fitness = pbo.fitness(&genome);
        assert!(
            (fitness - (pbo.best().unwrap_or(0.0) - expected)).abs() < 1e-9,
            "{fitness}: {line}"
        );
        compared[number(problem) - 1] += 1;
    }
    assert!(compared.iter().all(|count| *count >= 70), "{compared:?}");
    assert!(optima > 150, "{optima}");
}

/// Small spaces gone through: the stated best is the best, and nothing is below 0 or above the
/// worst.
#[test]
fn stated_optima_are_reached_and_not_surpassed() {
    for number in 1..=NAMES.len() {
        for n in [4, 5, 9, 10, 12, 15, 16] {
            let Ok(function) = function(NAMES[number - 1], n) else { continue };
            let pbo = Pbo { n, function };
            let genomes = (0..1u32 << n)
                .map(|word| (0..n).map(|place| (word >> place & 1) as u8).collect::<Vec<u8>>());
            let (least, most) =
                genomes.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), genome| {
                    let fitness = pbo.fitness(&genome);
                    (least.min(fitness), most.max(fitness))
                });
            if let Some(best) = pbo.best() {
                assert_eq!(least, 0.0, "{} n = {n}", NAMES[number - 1]);
                assert!(
                    most <= best || matches!(number, 22 | 23),
                    "{} n = {n}: {most}",
                    NAMES[number - 1]
                );
            }
        }
    }
}

/// Jump by hand: 10 bits, a gap of 3.
#[test]
fn jump_has_a_valley_below_its_peak() {
    let jump = pbo(27, 10);
    let value = |ones: usize| jump.value(&[vec![1; ones], vec![0; 10 - ones]].concat());
    assert_eq!([0, 1, 6, 7, 8, 9, 10].map(value), [3.0, 4.0, 9.0, 10.0, 2.0, 1.0, 13.0]);
    assert_eq!([jump.fitness(&[1; 10]), jump.fitness(&[0; 10])], [0.0, 10.0]);
    assert!(function("jump-3", 3).expect_err("no room for the gap").contains("at least 4 bits"));
}

#[test]
fn lengths_that_a_problem_cannot_have_are_answered_with_the_rule() {
    let refused = |word: &str, n| function(word, n).expect_err("this length is refused");
    assert_eq!(
        refused("ising-torus", 50),
        "ising-torus needs a square board, and n = 50 is not a square number; choose 49 or 64"
    );
    assert!(refused("n-queens", 10).contains("choose 9 or 16"));
    assert!(refused("concatenated-trap", 12).contains("choose 10 or 15"));
    assert!(refused("concatenated-trap", 3).contains("choose 5"));
    assert!(refused("labs", 1).contains("at least 2 bits"));
    assert!(refused("one-max-neutrality", 2).contains("choose a larger n"));
}

/// Numbers that look random, below a bound.
pub(crate) struct Draws(pub u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// Walks at random: each move has the fitness of the whole genome, changes state and genome as
/// building anew does, and evaluating it changes nothing. Returns the number of steps.
pub(crate) fn walk<P: Incremental<Gene = u8, Number = i64>>(
    problem: &P,
    n: usize,
    draws: &mut Draws,
    name: &str,
) -> usize {
    let length = problem.state_length();
    // Nearly all ones too: leading ones are many then.
    let mut genome: Vec<u8> = (0..n).map(|_| u8::from(draws.below(8) > 0)).collect();
    let mut state = vec![7; length];
    problem.build(&genome, &mut state);
    assert_eq!(problem.state_fitness(&genome, &state), problem.fitness(&genome), "{name} {n}");
    let steps = if n > 100 { 12 } else { 60 };
    for _ in 0..steps {
        let (mut starts, mut positions, mut values) = (vec![0u32], vec![], vec![]);
        for _ in 0..4 {
            let own = positions.len();
            for _ in 0..1 + draws.below(3) {
                let position = draws.below(n) as u32;
                if !positions[own..].contains(&position) {
                    positions.push(position);
                    values.push(draws.below(2) as u8);
                }
            }
            starts.push(positions.len() as u32);
        }
        let pairs: Vec<[u32; 2]> =
            (0..4).map(|_| [(); 2].map(|()| draws.below(n) as u32)).collect();
        let (starts, positions, values) = (&starts[..], &positions[..], &values[..]);
        let moves = match draws.below(3) {
            0 => Moves::Single { positions: &positions[..4], values: &values[..4] },
            1 if pairs.iter().all(|[one, other]| one != other) => Moves::Exchange { pairs: &pairs },
            _ => Moves::Several { starts, positions, values },
        };
        let (before, mut fitness) = ((genome.clone(), state.clone()), [f64::NAN; 4]);
        problem.evaluate_moves(&mut genome, &mut state, &moves, &mut fitness);
        assert_eq!((&genome, &state), (&before.0, &before.1), "{name} {n}");
        for (number, fitness) in fitness.iter().enumerate() {
            let (mut other, mut changed) = (genome.clone(), state.clone());
            problem.apply(&mut other, &mut changed, &moves, number);
            let (whole, mut rebuilt) = (problem.fitness(&other), vec![9; length]);
            assert_eq!(fitness.to_bits(), whole.to_bits(), "{name} {n} {moves:?}");
            problem.build(&other, &mut rebuilt);
            assert_eq!(changed, rebuilt, "{name} {n}");
        }
        problem.apply(&mut genome, &mut state, &moves, draws.below(4));
    }
    steps
}

/// Every problem and some lengths.
#[test]
fn moves_have_the_fitness_of_whole_genomes() {
    let (mut draws, mut walked) = (Draws(1), 0);
    for name in NAMES {
        for n in [1, 2, 3, 4, 5, 6, 7, 9, 10, 16, 25, 64, 65, 100, 625, 1000] {
            let Ok(function) = function(name, n) else { continue };
            walked += walk(&Pbo { n, function }, n, &mut draws, name);
        }
    }
    assert!(walked > 5000, "{walked}");
}
