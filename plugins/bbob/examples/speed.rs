//! Times the plugin's `evaluate`. A line of standard input has the numbers of a function and the
//! dimension. The answer is the nanoseconds per point, the least of five rounds. `speed` prints
//! them next to those of the package `ioh`.

use bbob::Bbob;
use runner_plugin::rand::RngExt;
use runner_plugin::{Problem, RowRng};
use std::error::Error;
use std::hint::black_box;
use std::io::{Write, stdin, stdout};
use std::time::{Duration, Instant};

/// Points of a batch, as of a population.
const ROWS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    for line in stdin().lines() {
        let line = line?;
        let (function, n) = line.split_once(' ').ok_or("two numbers")?;
        let (function, n): (u32, usize) = (function.parse()?, n.parse()?);
        writeln!(stdout(), "{:.1}", nanoseconds(&Bbob::of(function, n, 1), n))?;
    }
    Ok(())
}

fn nanoseconds(problem: &Bbob, n: usize) -> f64 {
    let mut rng = RowRng::new(&[1; 32], 0);
    let genomes: Vec<f64> = (0..ROWS * n).map(|_| rng.random_range(-5.0..=5.0)).collect();
    let mut fitness = vec![0.0; ROWS];
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let (began, mut batches) = (Instant::now(), 0);
        while began.elapsed() < Duration::from_millis(20) {
            problem.evaluate(black_box(&genomes), black_box(&mut fitness)).expect("numbers");
            batches += 1;
        }
        least = least.min(began.elapsed().as_nanos() as f64 / f64::from(batches * ROWS as u32));
    }
    least
}
