use super::*;

fn pbo(number: usize, n: usize) -> Pbo {
    Pbo { n, function: function(NAMES[number - 1], n).expect("a length that the problem can have") }
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
        let digits = bits.chars().flat_map(|digit| {
            let digit = digit.to_digit(16).expect("a hexadecimal digit") as u8;
            (0..4).rev().map(move |place| digit >> place & 1)
        });
        let digits: Vec<u8> = digits.collect();
        let mut genome = vec![0; n.saturating_sub(digits.len())];
        genome.extend(&digits[digits.len().saturating_sub(n)..]);
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
