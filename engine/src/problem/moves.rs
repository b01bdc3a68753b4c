//! Moves: the fitness of a genome's neighbours, computed from the changed genes by plugins that
//! support it.

use super::answer;
use super::gene::{Gene, Genomes};
use super::instance::Problem;
use super::move_use::MoveUse;
use super::{CallError, Encoding};
pub(crate) use runner_plugin::Moves;

/// State that a plugin keeps alongside one genome.
pub type State = Genomes;

impl Problem {
    /// Returns whether searches evaluate moves: the plugin supports them, and they are not turned
    /// off.
    #[must_use]
    pub fn has_moves(&self) -> bool {
        let description = self.description();
        description.state_size > 0
            && !description.has_violations
            && description.encoding != Encoding::Opaque
            && self.move_use() != MoveUse::Off
    }

    /// Returns whether each move is compared with an evaluation of the whole genome.
    pub(crate) fn checks_moves(&self) -> bool {
        self.move_use() == MoveUse::Checked
    }

    /// Writes the state of a genome and returns its fitness.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, has no moves, or returns a fitness outside the range
    /// that it states.
    pub fn build_state<G: Gene>(&self, genome: &[G], state: &mut State) -> Result<f64, CallError> {
        state.resize::<u8>(self.description().state_size as usize);
        let fitness = self
            .moving()
            .and_then(|instance| instance.build_state(genome, state))
            .and_then(|fitness| {
                answer::check_fitness(self.description(), &[fitness]).map(|()| fitness)
            })
            .map_err(self.error("build_state"))?;
        if self.checks_moves() {
            let whole = self.whole(genome)?;
            if whole.to_bits() != fitness.to_bits() {
                let words = format!("it gives a genome the fitness {fitness}, `evaluate` {whole}");
                return Err(self.error("build_state")(words));
            }
        }
        Ok(fitness)
    }

    /// Writes the fitness of each neighbour that the moves lead to. Genome and state are unchanged
    /// afterwards.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`build_state`](Self::build_state). Where moves are
    /// checked, it also returns one if a fitness differs from that of the whole genome.
    #[inline]
    pub fn evaluate_moves<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut State,
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) -> Result<(), CallError> {
        if self.checks_moves() {
            return self.evaluate_moves_checked(genome, state, moves, fitness);
        }
        self.moving()
            .and_then(|instance| instance.evaluate_moves(genome, state, moves, fitness))
            .and_then(|()| answer::check_fitness(self.description(), fitness))
            .map_err(self.error("evaluate_moves"))
    }

    #[cold]
    fn evaluate_moves_checked<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut State,
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) -> Result<(), CallError> {
        let before = (genome.to_vec(), state.genes::<u8>().to_vec());
        self.moving()
            .and_then(|instance| instance.evaluate_moves(genome, state, moves, fitness))
            .and_then(|()| answer::check_fitness(self.description(), fitness))
            .map_err(self.error("evaluate_moves"))?;
        if genome != before.0 || state.genes::<u8>() != before.1 {
            let words = "genome or state are not as they were before the call".to_owned();
            return Err(self.error("evaluate_moves")(words));
        }
        let mut neighbor = before.0.clone();
        for (number, told) in fitness.iter().enumerate() {
            moves.make(number, &mut neighbor);
            let whole = self.whole(&neighbor)?;
            if whole.to_bits() != told.to_bits() {
                return Err(self.error("evaluate_moves")(format!(
                    "move {number} of {}, {}, is given the fitness {told}, but `evaluate` gives \
                    the genome it leads to {whole}",
                    fitness.len(),
                    in_words(moves, number, genome)
                )));
            }
            neighbor.copy_from_slice(&before.0);
        }
        Ok(())
    }

    /// Applies the single move in `moves` to the genome and its state.
    ///
    /// # Errors
    /// Returns an error if the plugin fails or has no moves. Where moves are checked, it also
    /// returns one if the genome is not the result of the move.
    #[inline]
    pub fn apply_move<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut State,
        moves: &Moves<'_, G>,
    ) -> Result<(), CallError> {
        let checked = self.checks_moves().then(|| {
            let mut neighbor = genome.to_vec();
            moves.make(0, &mut neighbor);
            neighbor
        });
        self.moving()
            .and_then(|instance| instance.apply_move(genome, state, moves))
            .map_err(self.error("apply_move"))?;
        match checked {
            Some(neighbor) if neighbor != genome => {
                let words = "the genome is not what the move makes of it".to_owned();
                Err(self.error("apply_move")(words))
            }
            _ => Ok(()),
        }
    }

    /// Returns the fitness of one genome, evaluated as a whole.
    fn whole<G: Gene>(&self, genome: &[G]) -> Result<f64, CallError> {
        let mut fitness = [0.0];
        self.evaluate(genome, &mut fitness)?;
        Ok(fitness[0])
    }
}

/// Moves the gene at `from` to the place `to`; the genes between shift by one.
#[inline]
pub(crate) fn shift<G: Gene>(genome: &mut [G], from: usize, to: usize) {
    Moves::Insertion { pairs: &[[from as u32, to as u32]] }.make(0, genome);
}

/// Describes a move in words, such as "gene 3 becomes 1 and gene 7 becomes 0".
fn in_words<G: Gene>(moves: &Moves<'_, G>, number: usize, genome: &[G]) -> String {
    match *moves {
        Moves::Reversal { pairs } => {
            let [first, last] = pairs[number];
            return format!("which reverses genes {first} to {last}");
        }
        Moves::Insertion { pairs } => {
            let [from, to] = pairs[number];
            return format!("which moves gene {from} to place {to}");
        }
        _ => {}
    }
    let mut words = Vec::new();
    moves.changes(number, genome, |position, value| {
        words.push(format!("gene {position} becomes {}", value.to_f64()));
    });
    words.join(" and ")
}
