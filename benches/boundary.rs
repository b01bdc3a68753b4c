//! What the plugin boundary costs: one search with the problem linked into this program, and with
//! it loaded from its library.
//!
//!     cargo bench --bench boundary
//!
//! The two alternate for many short rounds; the benchmark prints the medians, and the median of the
//! rounds' ratios.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use nqueens::NQueens;
use runner::problem::parameter::Value;
use runner::problem::{Library, Problem};
use runner::search::executor_for;
use runner::system::interrupt::Interrupt;
use std::time::Instant;
use support::{is_brief, median, plan};

/// The search runs for long enough that its first population does not count.
fn config(n: i64) -> String {
    format!(
        "[problem]\nplugin = \"nqueens\"\nn = {n}\n[[operators]]\npopulation = 100\nscaling = \
        \"complement\"\nselection = \"roulette\"\ncrossover = {{ kind = \"one-point\", children = \
        1 }}\nmutation = {{ kind = \"reset\", rate = 0.03 }}\n[stop]\ngenerations = \
        500\non-success = \"continue\"\n[output]\ntrace = \"none\"\n"
    )
}

fn main() {
    let rounds = if is_brief() { 1 } else { 101 };
    println!(
        "{:<24} {:>12} {:>12} {:>8}",
        "million evaluations per second", "linked", "loaded", "ratio"
    );
    let linked = Library::linked::<NQueens>("0.1.0").expect("the plugin's table");
    for n in [4, 8, 64] {
        let plan = plan(&config(n));
        let arm = &plan.arms[0];
        let values = [Value::Integer(n), Value::Text("rows".into()), Value::Text("pairs".into())];
        let problem = linked.create(&values).expect("an instance");
        let rate = |problem: &Problem, trial| {
            let mut executor = executor_for(
                problem,
                &arm.settings.operators,
                &arm.settings.stop,
                arm.settings.start.as_ref(),
                plan.trace,
            );
            let started = Instant::now();
            let result = executor
                .run(arm.seeds(plan.seed, trial), &Interrupt::default())
                .expect("nobody interrupts");
            (result.evaluations as f64 / started.elapsed().as_secs_f64() / 1e6, result.best_fitness)
        };
        let (mut inside, mut outside, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            // By turns, and each as often first.
            let (one, other) = match round % 2 {
                0 => (rate(&problem, round), rate(&arm.problem, round)),
                _ => {
                    let loaded = rate(&arm.problem, round);
                    (rate(&problem, round), loaded)
                }
            };
            assert_eq!(one.1, other.1, "the same search");
            inside.push(one.0);
            outside.push(other.0);
            ratios.push(other.0 / one.0);
        }
        println!(
            "{:<28} {:>8.2} {:>12.2} {:>8.3}",
            format!("{n} queens"),
            median(inside),
            median(outside),
            median(ratios)
        );
    }
}
