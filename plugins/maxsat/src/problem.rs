//! The problem: values of variables as bits.

use crate::formula::Formula;
use crate::{dimacs, picture};
use runner_plugin::data::{DataText, InstanceRng};
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, MoveCalls, Parameter, Parameters, Plugin, Problem, Render, RowRng,
    RowRngs,
};

/// The plugin `maxsat`.
#[derive(Debug)]
pub struct MaxSat;

/// An instance. Gene i is the value of variable i.
#[derive(Clone, Debug)]
pub struct Assignments {
    pub(crate) formula: Formula,
    /// The least weight, if it is known.
    pub(crate) ideal: Option<f64>,
}

impl Plugin for MaxSat {
    const NAME: &'static str = "maxsat";
    const SUMMARY: &'static str =
        "Maximum satisfiability: as little weight of unsatisfied clauses as possible.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "Clauses in the format of DIMACS: `p cnf`, `p wcnf`, or the weighted format since \
            2022. A hard clause weighs one more than all soft ones. Without a file, random \
            clauses.",
        )
        .optional(),
        Parameter::integer(
            "variables",
            1..=1_000_000,
            "Variables of random clauses; a file has its own.",
        )
        .default_integer(50),
        Parameter::integer("clauses", 1..=1_000_000, "Random clauses; a file has its own.")
            .default_integer(200),
        Parameter::integer("size", 1..=20, "Literals of a random clause, of different variables.")
            .default_integer(3),
        Parameter::boolean(
            "planted",
            "Whether random clauses all hold for a hidden assignment, so that 0 can be reached.",
        )
        .default_boolean(true),
        Parameter::integer("instance", 0..=i64::MAX, "Seed of random clauses.").default_integer(1),
    ];
    type Problem = Assignments;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        if let Some(path) = parameters.file("file") {
            let idle = ["variables", "clauses", "size", "planted", "instance"];
            parameters.require_defaults(&idle, "with a file")?;
            let formula = dimacs::parse(&DataText::read(path)?)?;
            return Ok(Assignments { formula, ideal: None }.into());
        }
        let count = |key: &str| parameters.integer(key) as usize;
        let sizes @ [variables, _, size] = ["variables", "clauses", "size"].map(count);
        if size > variables {
            return Err(format!(
                "a clause of size = {size} needs as many variables, and variables = {variables}; \
                choose more variables"
            ));
        }
        let (planted, seed) = (parameters.boolean("planted"), parameters.integer("instance"));
        let formula = Formula::random(sizes, planted, &mut InstanceRng::new(seed));
        Ok(Assignments { formula, ideal: planted.then_some(0.0) }.into())
    }
}

impl Problem for Assignments {
    type Gene = u8;

    fn describe(&self) -> Description {
        // Integers: exact.
        let description = Description::bits(self.formula.variables()).tolerance(0.0);
        let description = description.worst(self.formula.weights() as f64);
        match self.ideal {
            Some(ideal) => description.ideal(ideal),
            None => description,
        }
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [u8]) {
        rngs.fill_below(2, genomes);
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        self.formula.unsatisfied(genome) as f64
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());

    const RENDER: Option<Render<Self>> = Some(|problem, genome, format| {
        let is_drawn = format != runner_plugin::Format::Svg
            || problem.formula.clauses() <= picture::MOST_DRAWN;
        is_drawn.then(|| picture::render(&problem.formula, genome, format))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::tests::least;
    use runner_plugin::Value;

    #[test]
    fn flips_from_many_starts_find_the_least_weight() {
        // The optimum is independent code: all assignments are tried.
        for instance in 1..=5 {
            let formula = Formula::random([10, 80, 3], false, &mut InstanceRng::new(instance));
            let (optimum, mut best) = (least(&formula) as f64, f64::INFINITY);
            let problem = Assignments { formula, ideal: None };
            for start in 0..100 {
                let mut values = [0; 10];
                problem.sample(&mut RowRng::new(&[instance as u8; 32], start), &mut values);
                while let Some(variable) = (0..10).find(|variable| {
                    let mut other = values;
                    other[*variable] ^= 1;
                    problem.fitness(&other) < problem.fitness(&values)
                }) {
                    values[variable] ^= 1;
                }
                best = best.min(problem.fitness(&values));
            }
            assert_eq!(best, optimum, "instance {instance}");
        }
    }

    #[test]
    fn clauses_longer_than_the_variables_are_refused() {
        let integers = [2, 5, 3].map(Value::Integer);
        let mut values = vec![Value::Text(String::new())];
        values.extend(integers);
        values.extend([Value::Boolean(true), Value::Integer(1)]);
        let parameters = Parameters::new(MaxSat::PARAMETERS, values).expect("sound values");
        let refusal = MaxSat::create(&parameters).err().expect("too few variables");
        assert!(refusal.contains("variables = 2; choose more variables"), "{refusal}");
    }
}
