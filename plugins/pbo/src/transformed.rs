//! An instance of the suite beyond the first: a problem behind its transformation.

use crate::picture;
use crate::problem::Pbo;
use crate::transformation::Transformation;
use runner_plugin::{Description, Incremental, MoveCalls, Moves, Problem, Render, RowRng, RowRngs};

/// Genes of the image in a number of the state.
const GENES: usize = size_of::<i64>();

/// A problem whose genomes and values are transformed.
#[derive(Clone, Debug)]
pub struct Transformed {
    pbo: Pbo,
    transformation: Transformation,
}

impl Transformed {
    /// Makes an instance of the suite, from 1 to 100.
    #[must_use]
    pub fn new(pbo: Pbo, instance: u64) -> Self {
        let transformation = Transformation::new(instance, pbo.n);
        Transformed { pbo, transformation }
    }

    /// The suite's value of a genome: the greater the better.
    #[must_use]
    pub fn value(&self, genome: &[u8]) -> f64 {
        self.transformation.value(self.pbo.value(&self.image(genome)))
    }

    /// The greatest value, where it is known.
    #[must_use]
    pub fn optimum(&self) -> Option<f64> {
        self.pbo.best().map(|best| self.transformation.value(best))
    }

    fn image(&self, genome: &[u8]) -> Vec<u8> {
        let mut image = vec![0; genome.len()];
        self.transformation.image(genome, &mut image);
        image
    }

    /// The fitness here of the problem's own: the distance from the optimum, or the negative value.
    fn fitness_of(&self, fitness: f64) -> f64 {
        match self.pbo.best() {
            Some(_) => self.transformation.distance(fitness),
            None => -self.transformation.value(-fitness),
        }
    }

    /// The problem's own state, and the image of the genome.
    fn parts<'state>(&self, state: &'state mut [i64]) -> (&'state mut [i64], &'state mut [u8]) {
        let (state, image) = state.split_at_mut(self.pbo.state_length());
        (state, &mut bytemuck::cast_slice_mut(image)[..self.pbo.n])
    }

    /// The moves as the problem gets them: starts, places and values.
    fn moved(&self, genome: &[u8], moves: &Moves<'_, u8>) -> (Vec<u32>, Vec<u32>, Vec<u8>) {
        let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for number in 0..moves.count() {
            moves.changes(number, genome, |position, gene| {
                let (place, gene) = self.transformation.gene(position, gene);
                places.push(place as u32);
                values.push(gene);
            });
            starts.push(places.len() as u32);
        }
        (starts, places, values)
    }
}

impl Problem for Transformed {
    type Gene = u8;

    const RENDER: Option<Render<Self>> =
        Some(|problem, genome, format| picture::render(genome, problem.pbo.width(), format));

    fn describe(&self) -> Description {
        let mut description = self.pbo.describe();
        if let Some(best) = self.pbo.best()
            && !self.pbo.falls_below_zero()
        {
            description = description.worst(self.transformation.distance(best));
        }
        description
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        self.pbo.sample(rng, genome);
    }

    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [u8]) {
        self.pbo.sample_rows(rngs, genomes);
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        self.fitness_of(self.pbo.fitness(&self.image(genome)))
    }

    fn evaluate(&self, genomes: &[u8], fitness: &mut [f64]) -> Result<(), String> {
        let mut image = vec![0; self.pbo.n];
        for (genome, fitness) in genomes.chunks_exact(self.pbo.n).zip(fitness) {
            self.transformation.image(genome, &mut image);
            *fitness = self.fitness_of(self.pbo.fitness(&image));
        }
        Ok(())
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());
}

impl Incremental for Transformed {
    /// First the problem's state, then the image of the genome, a byte a gene.
    type Number = i64;

    fn state_length(&self) -> usize {
        self.pbo.state_length() + self.pbo.n.div_ceil(GENES)
    }

    fn build(&self, genome: &[u8], state: &mut [i64]) {
        state.fill(0);
        let (state, image) = self.parts(state);
        self.transformation.image(genome, image);
        self.pbo.build(image, state);
    }

    fn state_fitness(&self, genome: &[u8], state: &[i64]) -> f64 {
        self.fitness_of(self.pbo.state_fitness(genome, state))
    }

    fn change(&self, genome: &mut [u8], state: &mut [i64], position: usize, gene: u8) {
        let (state, image) = self.parts(state);
        let (place, value) = self.transformation.gene(position, gene);
        self.pbo.change(image, state, place, value);
        genome[position] = gene;
    }

    fn evaluate_moves(
        &self,
        genome: &mut [u8],
        state: &mut [i64],
        moves: &Moves<'_, u8>,
        fitness: &mut [f64],
    ) {
        let (starts, positions, values) = self.moved(genome, moves);
        let (starts, positions, values) = (&starts[..], &positions[..], &values[..]);
        let moved = match moves {
            Moves::Single { .. } => Moves::Single { positions, values },
            _ => Moves::Several { starts, positions, values },
        };
        let (state, image) = self.parts(state);
        self.pbo.evaluate_moves(image, state, &moved, fitness);
        for fitness in fitness {
            *fitness = self.fitness_of(*fitness);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::tests::{Draws, genome, pbo, possible, walk};

    /// The suite's own values: tests/vectors.py. Fractions are added in another order there.
    #[test]
    fn values_of_instances_agree_with_the_package_ioh() {
        let mut compared = [0; 25];
        for line in include_str!("../tests/instances.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [instance, problem, n, bits, expected] = words[..] else { panic!("{line}") };
            let [number, n] = [problem, n].map(|word| word.parse().expect("a number"));
            let problem = Transformed::new(pbo(number, n), instance.parse().expect("a number"));
            let found = problem.value(&genome(bits, n));
            let expected: f64 = expected.parse().expect("a value");
            let error = if matches!(number, 24 | 25) { 1e-12 * expected.abs() } else { 0.0 };
            assert!((found - expected).abs() <= error, "{found}: {line}");
            let fitness = problem.fitness(&genome(bits, n));
            let due = problem.optimum().unwrap_or(0.0) - expected;
            assert!((fitness - due).abs() < 1e-9, "{fitness}: {line}");
            compared[number - 1] += 1;
        }
        assert!(compared.iter().all(|count| *count == 16), "{compared:?}");
    }

    /// Small spaces gone through, of instances of both kinds: fitness is 0 at the best genomes, and
    /// as many genomes have each value as of the first instance.
    #[test]
    fn optima_are_reached_and_values_are_as_frequent_as_before() {
        for number in 1..=28 {
            for n in [4, 5, 9, 10] {
                let Some(plain) = possible(number, n) else { continue };
                let genomes: Vec<Vec<u8>> = (0..1u32 << n)
                    .map(|word| (0..n).map(|place| (word >> place & 1) as u8).collect())
                    .collect();
                for instance in [2, 17, 50, 51, 100] {
                    let other = Transformed::new(plain.clone(), instance);
                    let sorted = |mut values: Vec<f64>| {
                        values.sort_by(f64::total_cmp);
                        values
                    };
                    let found: Vec<f64> = genomes.iter().map(|one| other.fitness(one)).collect();
                    let due =
                        genomes.iter().map(|one| other.fitness_of(plain.fitness(one))).collect();
                    let (found, due) = (sorted(found), sorted(due));
                    assert_eq!(found, due, "{number} {n} {instance}");
                    if plain.best().is_some() {
                        assert_eq!(found[0], 0.0, "{number} {n} {instance}");
                    }
                }
            }
        }
    }

    #[test]
    fn moves_of_instances_have_the_fitness_of_whole_genomes() {
        let (mut draws, mut walked) = (Draws(2), 0);
        for number in 1..=28 {
            for n in [25, 100, 625] {
                for instance in [2, 49, 51, 100] {
                    let problem = Transformed::new(pbo(number, n), instance);
                    walked += walk(&problem, n, &mut draws, &format!("{number}, {instance}"));
                }
            }
        }
        assert!(walked > 10_000, "{walked}");
    }
}
