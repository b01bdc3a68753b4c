//! Conflicts of genes, and genomes that are constructed with few.

use super::batch::of_kind;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::moves::State;
use crate::problem::{CallError, Description, Encoding, Gene, GeneKind, MoveUse};
use crate::random::draws::{Random, below};

/// Genomes to start from.
const WALKS: usize = 4;
/// Most genes that are changed in a walk.
const STEPS: usize = 12;

pub(super) fn conflicts(subject: &Subject) -> Found {
    let description = subject.description();
    if !description.has_conflicts {
        return Ok(Finding::Skipped("the plugin does not tell conflicts".to_owned()));
    }
    if !matches!(description.encoding, Encoding::Integer | Encoding::Permutation | Encoding::Bits) {
        return Ok(Finding::Skipped("conflicts of such genes are not used".to_owned()));
    }
    // Conflicts by a state are compared with those of the genome by the handle.
    subject.problem.use_moves(MoveUse::Checked);
    of_kind!(description.gene, G => walks::<G>(subject))
}

/// Walks of a few changes from samples, and from constructed genomes.
fn walks<G: Gene>(subject: &Subject) -> Found {
    let (description, problem) = (subject.description(), &subject.problem);
    let length = description.genome_length;
    let mut genomes = vec![G::from_index(0); WALKS * length];
    problem.sample(&seed(5), 0, &mut genomes)?;
    if description.has_construct {
        let half = WALKS / 2 * length;
        problem.construct(&seed(6), 0, &mut genomes[half..])?;
        let mut again = vec![G::from_index(0); length];
        problem.construct(&seed(6), 1, &mut again)?;
        if again != genomes[half + length..] {
            let words = "`construct` gives row 1 another genome if it is asked for alone";
            return Ok(Finding::Failed(words.to_owned()));
        }
    }
    let mut random = Random::seed_from_u64(7);
    for genome in genomes.chunks_exact_mut(length) {
        for _ in 0..STEPS {
            let before = told(subject, genome)?;
            let some: Vec<u32> = (0..length as u32).rev().step_by(3).collect();
            let mut alone = vec![0; some.len()];
            problem.conflicts(genome, None, &some, &mut alone)?;
            let same = some.iter().zip(&alone).all(|(place, one)| before[*place as usize] == *one);
            if !same {
                let words = "the conflicts of a gene depend on the genes that are also asked for";
                return Ok(Finding::Failed(words.to_owned()));
            }
            let changed = change(description, genome, &mut random);
            let after = told(subject, genome)?;
            if changed.iter().any(|place| after[*place] > 0) {
                continue;
            }
            if let Some(place) = (0..length).find(|place| after[*place] > before[*place]) {
                return Ok(Finding::Failed(format!(
                    "the gene at {place} has more conflicts after genes {changed:?} changed, which \
                    have none: conflicts are not mutual"
                )));
            }
        }
    }
    Ok(Finding::Passed(format!("{WALKS} walks of {STEPS} changes")))
}

/// Conflicts of all genes, with the state where the problem has moves.
fn told<G: Gene>(subject: &Subject, genome: &[G]) -> Result<Vec<u32>, CallError> {
    let problem = &subject.problem;
    let all: Vec<u32> = (0..genome.len() as u32).collect();
    let (mut numbers, mut state) = (vec![0; all.len()], State::default());
    if problem.has_moves() {
        problem.build_state(genome, &mut state)?;
    }
    let state = problem.has_moves().then_some(&state);
    problem.conflicts(genome, state, &all, &mut numbers)?;
    Ok(numbers)
}

/// Gives a random gene another value, or exchanges two; returns the places that changed.
fn change<G: Gene>(description: &Description, genome: &mut [G], random: &mut Random) -> Vec<usize> {
    let one = below(random, genome.len());
    if description.encoding == Encoding::Permutation {
        let other = below(random, genome.len());
        genome.swap(one, other);
        return vec![one, other];
    }
    let (low, high) = description.bounds.of(one);
    genome[one] = G::from_f64(low + below(random, (high - low) as usize + 1) as f64);
    vec![one]
}
