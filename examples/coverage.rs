//! How often do sequential repeats tell the truth, and how many trials do they take? Simulated coin tosses through the same code that ends an
//! experiment. Prints the tables of docs/analysis.md:
//!
//!     cargo run --release --example coverage

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::comparison::trials_to_tell;
use runner::enough::{Enough, Outcomes, Question, Standing};

/// Simulated experiments a line: a share of 95 % is then good to within half a percent.
const EXPERIMENTS: u64 = 4_000;
const MOST: u64 = 200_000;

fn main() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2026);
    let half_width = 0.05;
    // 0.25 (1.96 / h)²: what a number fixed beforehand must be if nothing is known of the rate.
    let fixed = (0.25 * (1.959_964 / half_width) * (1.959_964_f64 / half_width)).ceil();
    println!("half-width = {half_width}; {EXPERIMENTS} experiments a line; fixed: {fixed} trials\n");
    println!("| rate | holds the rate | mean trials | 90 % of experiments within | of the fixed number |");
    println!("|---:|---:|---:|---:|---:|");
    let enough = Enough { question: Question::Precision { half_width }, confidence: 0.95 };
    for rate in [0.001, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99] {
        let mut held = 0;
        let mut trials: Vec<u64> = Vec::new();
        for _ in 0..EXPERIMENTS {
            let (standing, successes) = run(&enough, &[rate], &mut rng);
            trials.push(standing.wanted[0]);
            let interval = enough.interval(successes[0], standing.wanted[0]);
            held += u64::from(interval.is_some_and(|interval| interval.low <= rate && rate <= interval.high));
        }
        let (mean, most) = spread(&mut trials);
        println!("| {rate} | {:.1} % | {mean:.0} | {most} | {:.2} |", percent(held), mean / fixed);
    }
    println!(
        "\ndecide; {EXPERIMENTS} experiments a line, at most {MOST} trials an arm (equal rates: 5,000); fixed: level 0.05, power 0.9\n"
    );
    println!(
        "| rates | right | wrong | cannot tell | mean trials an arm | 90 % of experiments within | fixed number | of it |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let enough = Enough { question: Question::Decision { first: 0, second: 1 }, confidence: 0.95 };
    for (p, q) in [(0.5, 0.5), (0.1, 0.1), (0.5, 0.55), (0.6, 0.7), (0.2, 0.4), (0.1, 0.5), (0.01, 0.03)] {
        let (mut right, mut wrong) = (0, 0);
        let mut trials: Vec<u64> = Vec::new();
        for _ in 0..EXPERIMENTS {
            let (standing, _) = run(&enough, &[p, q], &mut rng);
            trials.push(standing.wanted[0]);
            match standing.better {
                Some(better) if better == 1 && q > p => right += 1,
                Some(_) => wrong += 1,
                None => {}
            }
        }
        let (mean, most) = spread(&mut trials);
        let unclear = EXPERIMENTS - right - wrong;
        let fixed = trials_to_tell(p, q, 0.05, 0.9);
        println!(
            "| {p} and {q} | {:.1} % | {:.1} % | {:.1} % | {mean:.0} | {most} | {} | {} |",
            percent(right),
            percent(wrong),
            percent(unclear),
            fixed.map_or("–".to_owned(), |fixed| fixed.to_string()),
            fixed.map_or("–".to_owned(), |fixed| format!("{:.2}", mean / fixed)),
        );
    }
}

fn percent(count: u64) -> f64 {
    100.0 * count as f64 / EXPERIMENTS as f64
}

/// The mean, and what nine in ten do not exceed.
fn spread(trials: &mut [u64]) -> (f64, u64) {
    trials.sort_unstable();
    (trials.iter().sum::<u64>() as f64 / trials.len() as f64, trials[trials.len() * 9 / 10])
}

/// An experiment of arms with these success rates, run until it has told enough; the successes of each arm.
fn run(enough: &Enough, rates: &[f64], rng: &mut Xoshiro256PlusPlus) -> (Standing, Vec<u64>) {
    let most = if rates.len() == 2 && rates[0] == rates[1] { 5_000 } else { MOST };
    let mut outcomes = Outcomes::new(rates.len());
    let (mut done, mut successes) = (0, vec![0; rates.len()]);
    loop {
        let standing = enough.standing(&outcomes, most);
        if standing.settled {
            return (standing, successes);
        }
        for trial in done..standing.wanted[0] {
            for (arm, rate) in rates.iter().enumerate() {
                let success = ((rng.next_u64() >> 11) as f64) < rate * (1u64 << 53) as f64;
                successes[arm] += u64::from(success);
                outcomes.note(arm, trial, Some(success));
            }
        }
        done = standing.wanted[0];
    }
}
