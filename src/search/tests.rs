//! Searches on a plateau of infinite fitness, whose neighbours all tie.

use super::*;
use crate::experiment::OnSuccess;
use crate::operators::{Annealing as Cooling, ClimbingStep, Genes, HillClimbing, MutationKind};
use crate::parameter::Value;
use crate::problem::Library;
use runner_plugin::rand::RngExt;
use runner_plugin::{Description, Instance, Parameter, Parameters, Plugin, RowRng};

/// Infinitely bad, but for one string of twelve bits.
struct Needle;

impl Plugin for Needle {
    const NAME: &'static str = "needle";
    const SUMMARY: &'static str = "Only the string of ones is any good.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::integer("length", 1..=12, "Bits.").default_integer(12)];
    type Problem = Self;

    fn create(_: &Parameters) -> Result<Instance, String> {
        Ok(Needle.into())
    }
}

impl runner_plugin::Problem for Needle {
    type Gene = u8;

    fn describe(&self) -> Description {
        Description::bits(12).ideal(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        if genome.contains(&0) { f64::INFINITY } else { 0.0 }
    }
}

fn trial(search: &mut dyn Search, trial: u64) -> TrialRecord {
    search.run(Seeds { trial, start: None }, &Interrupt::default()).expect("nobody interrupts")
}

#[test]
fn infinite_plateaus_are_walked_by_the_seed_alone() {
    let library = Library::linked::<Needle>("1").expect("a good plugin");
    let problem = library.create(&[Value::Integer(12)]).expect("a problem");
    let stop = Stop {
        target: Some(0.0),
        generations: Some(40),
        evaluations: None,
        stagnation: None,
        trial_seconds: None,
        on_success: OnSuccess::Stop,
    };
    let climbing = HillClimbing { step: ClimbingStep::Steepest, sideways: 1000, restarts: false };
    let mutation = MutationKind::BitFlip { genes: Genes::One };
    let cooling = Cooling { temperature: 1.0, cooling: 0.9, moves: 12, mutation };
    for (algorithm, walk) in
        [(Algorithm::HillClimbing(climbing), 40 * 12 + 1), (Algorithm::SimulatedAnnealing(cooling), 40 * 12 + 1)]
    {
        let set = OperatorSet { name: String::new(), algorithm, settings: Vec::new() };
        let search = || searcher(&problem, &set, &stop, Trace::None);
        let mut used = search();
        let mut solved = 0;
        for number in 0..60 {
            // What an earlier trial left behind changes nothing.
            let record = trial(&mut *used, number);
            assert_eq!(record, trial(&mut *search(), number), "trial {number}");
            solved += u32::from(record.success);
            assert!(record.success || record.evaluations == walk, "{record:?}");
        }
        // A walk meets the needle now and then; one that refuses its equals would hardly ever.
        assert!(solved >= 3, "{solved} of 60");
    }
}
