//! Moves: what depends on a gene alone.

use crate::problem::{Kind, Landscape};
use runner_plugin::Incremental;

impl Landscape {
    /// Returns the part of the count that depends on a gene.
    fn part(&self, genome: &[u8], gene: usize) -> u64 {
        match &self.kind {
            Kind::Nk(nk) => nk.part(genome, gene),
            Kind::WModel(model) => model.block_distance(genome, model.block_of(gene)) as u64,
        }
    }
}

impl Incremental for Landscape {
    type Number = u64;

    /// The sum of contributions, or the distance.
    fn state_length(&self) -> usize {
        1
    }

    fn build(&self, genome: &[u8], state: &mut [u64]) {
        state[0] = self.count(genome);
    }

    fn state_fitness(&self, _: &[u8], state: &[u64]) -> f64 {
        self.fitness_of(state[0])
    }

    fn change(&self, genome: &mut [u8], state: &mut [u64], gene: usize, value: u8) {
        state[0] -= self.part(genome, gene);
        genome[gene] = value;
        state[0] += self.part(genome, gene);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nk::Nk;
    use crate::w_model::WModel;
    use runner_plugin::Problem;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn walks_have_the_fitness_of_whole_genomes() {
        let kinds = [
            Kind::Nk(Nk::new(24, 4, false, 3).expect("small")),
            Kind::WModel(WModel::new(8, 3, 3, 11).expect("good")),
        ];
        for kind in kinds {
            let (landscape, mut rng) = (Landscape { kind, ideal: None }, InstanceRng::new(1));
            let (mut genome, mut state) = (vec![0; 24], [9]);
            landscape.build(&genome, &mut state);
            for _ in 0..500 {
                let (gene, value) = (rng.below(24) as usize, rng.below(2) as u8);
                landscape.change(&mut genome, &mut state, gene, value);
                assert_eq!(genome[gene], value);
                assert_eq!(landscape.state_fitness(&genome, &state), landscape.fitness(&genome));
            }
        }
    }
}
