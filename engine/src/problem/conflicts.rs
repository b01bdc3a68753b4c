//! Conflicts: the genes that a search should repair, reported by plugins that support it.

use super::CallError;
use super::answer;
use super::gene::Gene;
use super::host::RowsMut;
use super::instance::Problem;
use super::moves::State;

impl Problem {
    /// Writes the number of conflicts of the gene at each position, 0 for a gene without one.
    /// `state` is that of the genome; without it, the plugin goes through the genome.
    ///
    /// # Errors
    /// Returns an error if the plugin fails or lacks conflicts. Where moves are checked, it
    /// also returns one if the state gives other numbers than the genome.
    pub fn conflicts<G: Gene>(
        &self,
        genome: &[G],
        state: Option<&State>,
        positions: &[u32],
        numbers: &mut [u32],
    ) -> Result<(), CallError> {
        let ask = |state, numbers: &mut [u32]| {
            let asked = self
                .moving()
                .and_then(|instance| instance.conflicts(genome, state, positions, numbers));
            asked.map_err(self.error("conflicts"))
        };
        ask(state, numbers)?;
        if state.is_none() || !self.checks_moves() {
            return Ok(());
        }
        let mut whole = vec![0; numbers.len()];
        ask(None, &mut whole)?;
        let differs = |((told, whole), place): ((&u32, &u32), &u32)| {
            (told != whole).then(|| {
                format!(
                    "the gene at {place} has {told} conflicts by the state, and {whole} by the \
                    genome"
                )
            })
        };
        match numbers.iter().zip(&whole).zip(positions).find_map(differs) {
            Some(words) => Err(self.error("conflicts")(words)),
            None => Ok(()),
        }
    }

    /// Fills rows at random, gene by gene, each with the fewest conflicts with those before it. Row
    /// `i` depends only on (seed, `first_row + i`).
    ///
    /// # Errors
    /// Returns an error if the plugin fails, cannot construct genomes, or returns genes that
    /// violate the encoding.
    pub fn construct<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), CallError> {
        self.moving()
            .and_then(|instance| instance.construct(seed, first_row, RowsMut::of(genes)))
            .and_then(|()| answer::check_genes(self.description(), genes))
            .map_err(self.error("construct"))
    }
}
