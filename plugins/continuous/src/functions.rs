//! The functions: formula, domain, optimum, source. All are minimised, and shifted where need be so
//! that the least value is 0. Transcendental functions are those of `libm`, so that every machine
//! gives the same bits.
//!
//! | word | formula, sums over i = 1..=n | domain of each x | optimum |
//! |---|---|---|---|
//! | `sphere` | sum x² | ±5.12 | x = 0 |
//! | `rosenbrock` | sum over i < n of 100 (x(i+1) - x(i)²)² + (1 - x(i))² | -5 to 10 | x = 1 |
//! | `rastrigin` | sum 10 + x² - 10 cos 2πx | ±5.12 | x = 0 |
//! | `ackley` | 20 - 20 exp(-0.2 sqrt(sum x² / n)) + e - exp(sum cos 2πx / n) | ±32.768 | x = 0 |
//! | `griewank` | 1 + sum x² / 4000 - product cos(x(i) / sqrt i) | ±600 | x = 0 |
//! | `schwefel` | sum 418.98288727243374 - x sin sqrt abs x | ±500 | x = 420.96874633 |
//! | `styblinski-tang` | sum (x⁴ - 16x² + 5x) / 2 + 39.16616570377142 | ±5 | x = -2.903534028 |
//! | `levy` | of w = 1 + (x-1)/4, below | ±10 | x = 1 |
//! | `zakharov` | sum x² + s² + s⁴, s = sum i x(i) / 2 | -5 to 10 | x = 0 |
//!
//! `levy`: sin² πw(1) + sum over i < n of (w-1)² (1 + 10 sin²(πw+1)) + (w(n)-1)² (1 + sin² 2πw(n)).

use std::f64::consts::{E, PI};

/// A function and where it is searched.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The parameter's word for it.
    pub word: &'static str,
    /// Bounds of every number.
    pub domain: (f64, f64),
    /// Coordinate of the minimum, the same in every dimension.
    pub optimum: f64,
    /// Fewest numbers that it makes sense for.
    pub least_n: usize,
    /// The function itself, of as many numbers as it is given.
    pub value: fn(&[f64]) -> f64,
}

/// Greatest of x sin sqrt x on the domain of `schwefel`.
const SCHWEFEL: f64 = 418.982_887_272_433_74;
/// Least of (x⁴ - 16x² + 5x) / 2, negative.
const STYBLINSKI: f64 = 39.166_165_703_771_42;

/// All of them. Sources: `sphere` De Jong (1975), "An Analysis of the Behavior of a Class of
/// Genetic Adaptive Systems"; `rosenbrock` Rosenbrock (1960), doi:10.1093/comjnl/3.3.175;
/// `rastrigin` Mühlenbein, Schomisch and Born (1991), doi:10.1016/S0167-8191(05)80052-3; `ackley`
/// Ackley (1987), doi:10.1007/978-1-4613-1997-9; `griewank` Griewank (1981),
/// doi:10.1007/BF00933356; `schwefel` Schwefel (1981), "Numerical Optimization of Computer Models",
/// problem 2.26; `styblinski-tang` Styblinski and Tang (1990), doi:10.1016/0893-6080(90)90029-K;
/// `levy` Laguna and Martí (2005), doi:10.1007/s10898-004-1936-z; `zakharov` the same.
pub const FUNCTIONS: [Function; 9] = [
    Function { word: "sphere", domain: (-5.12, 5.12), optimum: 0.0, least_n: 1, value: sphere },
    Function {
        word: "rosenbrock",
        domain: (-5.0, 10.0),
        optimum: 1.0,
        least_n: 2,
        value: rosenbrock,
    },
    Function {
        word: "rastrigin",
        domain: (-5.12, 5.12),
        optimum: 0.0,
        least_n: 1,
        value: rastrigin,
    },
    Function { word: "ackley", domain: (-32.768, 32.768), optimum: 0.0, least_n: 1, value: ackley },
    Function {
        word: "griewank",
        domain: (-600.0, 600.0),
        optimum: 0.0,
        least_n: 1,
        value: griewank,
    },
    Function {
        word: "schwefel",
        domain: (-500.0, 500.0),
        optimum: 420.968_746_359_982,
        least_n: 1,
        value: schwefel,
    },
    Function {
        word: "styblinski-tang",
        domain: (-5.0, 5.0),
        optimum: -2.903_534_027_771_177,
        least_n: 1,
        value: styblinski_tang,
    },
    Function { word: "levy", domain: (-10.0, 10.0), optimum: 1.0, least_n: 1, value: levy },
    Function { word: "zakharov", domain: (-5.0, 10.0), optimum: 0.0, least_n: 1, value: zakharov },
];

fn square(x: f64) -> f64 {
    x * x
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|pair| 100.0 * square(pair[1] - square(pair[0])) + square(1.0 - pair[0])).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 * (1.0 - libm::cos(2.0 * PI * x))).sum()
}

fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let waves: f64 = x.iter().map(|x| libm::cos(2.0 * PI * x)).sum();
    20.0 * (1.0 - libm::exp(-0.2 * (sphere(x) / n).sqrt())) + (E - libm::exp(waves / n))
}

fn griewank(x: &[f64]) -> f64 {
    let waves: f64 =
        x.iter().zip(1..).map(|(x, place)| libm::cos(x / f64::from(place).sqrt())).product();
    sphere(x) / 4000.0 + (1.0 - waves)
}

fn schwefel(x: &[f64]) -> f64 {
    x.iter().map(|x| SCHWEFEL - x * libm::sin(x.abs().sqrt())).sum()
}

fn styblinski_tang(x: &[f64]) -> f64 {
    let well = |x: &f64| (square(square(*x)) - 16.0 * square(*x) + 5.0 * x) / 2.0 + STYBLINSKI;
    x.iter().map(well).sum()
}

fn levy(x: &[f64]) -> f64 {
    let w = |x: f64| 1.0 + (x - 1.0) / 4.0;
    let wave = |angle: f64| square(libm::sin(angle));
    let (first, last) = (w(x[0]), w(x[x.len() - 1]));
    let inner = x[..x.len() - 1]
        .iter()
        .map(|x| square(w(*x) - 1.0) * (1.0 + 10.0 * wave(PI * w(*x) + 1.0)));
    // The sine of π is not 0 in floating point: at the optimum its argument is.
    wave(PI * (first - 1.0))
        + inner.sum::<f64>()
        + square(last - 1.0) * (1.0 + wave(2.0 * PI * last))
}

fn zakharov(x: &[f64]) -> f64 {
    let slope: f64 = x.iter().zip(1..).map(|(x, place)| 0.5 * f64::from(place) * x).sum();
    sphere(x) + square(slope) + square(square(slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_least_at_its_optimum() {
        for function in FUNCTIONS {
            for n in [function.least_n, 3, 10, 100] {
                let mut x = vec![function.optimum; n];
                let least = (function.value)(&x);
                assert!(least.abs() < 1e-10 * n as f64, "{} of {n}: {least:e}", function.word);
                for step in [-1e-3, 1e-3] {
                    for place in [0, n - 1] {
                        x[place] = function.optimum + step;
                        assert!((function.value)(&x) > least, "{} of {n}", function.word);
                        x[place] = function.optimum;
                    }
                }
            }
        }
    }

    /// Values of an independent computation with 50 digits: tests/vectors.py.
    #[test]
    fn values_agree_with_a_computation_of_many_digits() {
        let mut compared = 0;
        for line in include_str!("../tests/vectors.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let numbers: Vec<f64> =
                words[1..].iter().map(|word| word.parse().expect("a number")).collect();
            let function =
                FUNCTIONS.iter().find(|function| function.word == words[0]).expect("a function");
            let (expected, x) = (numbers[0], &numbers[1..]);
            assert!(x.iter().all(|x| (function.domain.0..=function.domain.1).contains(x)));
            let found = (function.value)(x);
            // Differences of numbers of the size of the terms: 418 n for `schwefel`.
            let scale = expected
                .abs()
                .max(420.0 * x.len() as f64 * f64::from(u8::from(words[0] == "schwefel")));
            assert!((found - expected).abs() <= 1e-12 * scale.max(1.0), "{found}: {line}");
            compared += 1;
        }
        assert_eq!(compared, 9 * 60);
    }
}
