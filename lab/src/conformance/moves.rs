//! Moves, compared with evaluations of the genomes they lead to.

use super::batch::of_kind;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::operators::{MoveList, Rearrangement};
use crate::problem::moves::State;
use crate::problem::{Bounds, CallError, Encoding, Gene, GeneKind, MixedGene, MoveUse};
use crate::random::draws::{Random, below, unit};

/// Moves of a call.
const MOVES: usize = 8;
/// Genomes to start from.
const WALKS: usize = 4;

/// Effect of the moves of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Single,
    Several,
    Rearranged(Rearrangement),
}

pub(super) fn moves(subject: &Subject) -> Found {
    let description = subject.description();
    if description.state_size == 0 {
        return Ok(Finding::Skipped("the problem has no moves".to_owned()));
    }
    // Each fitness is compared by the handle.
    subject.problem.use_moves(MoveUse::Checked);
    if !subject.problem.has_moves() {
        let words = "the moves of problems with constraints, or of the plugin's own encoding, are \
            not used";
        return Ok(Finding::Skipped(words.to_owned()));
    }
    let moves = of_kind!(description.gene, G => walks::<G>(subject))?;
    Ok(Finding::Passed(format!("{moves} moves along {WALKS} walks")))
}

/// Random walks of a few steps, each to one of some moves; returns how many were evaluated.
fn walks<G: Gene>(subject: &Subject) -> Result<usize, CallError> {
    let (description, problem) = (subject.description(), &subject.problem);
    let mut random = Random::seed_from_u64(4);
    let mut genomes = vec![G::from_index(0); WALKS * description.genome_length];
    problem.sample(&seed(3), 0, &mut genomes)?;
    let mut forms = match (description.encoding, &description.bounds) {
        _ if description.genome_length == 1 => vec![Form::Single],
        (Encoding::Permutation, _) => vec![Form::Rearranged(Rearrangement::Swap)],
        (_, Bounds::Uniform { .. }) => {
            vec![Form::Single, Form::Several, Form::Rearranged(Rearrangement::Swap)]
        }
        _ => vec![Form::Single, Form::Several],
    };
    if description.genome_length > 1 {
        let reversal = description.has_reversals.then_some(Rearrangement::Reversal);
        let insertion = description.has_insertions.then_some(Rearrangement::Insertion);
        forms.extend(reversal.into_iter().chain(insertion).map(Form::Rearranged));
    }
    let steps = (subject.rows / 8).clamp(3, 24);
    let (mut state, mut list, mut fitness) = (State::default(), MoveList::default(), [0.0; MOVES]);
    for genome in genomes.chunks_exact_mut(description.genome_length) {
        // The previous contents of the memory must not affect the plugin.
        state.resize::<u8>(description.state_size as usize);
        state.genes_mut::<u8>().fill(0x3f);
        problem.build_state(genome, &mut state)?;
        for step in 0..steps {
            list.clear();
            for _ in 0..MOVES {
                add(forms[step % forms.len()], genome, &description.bounds, &mut random, &mut list);
            }
            problem.evaluate_moves(genome, &mut state, &list.all(), &mut fitness)?;
            problem.apply_move(genome, &mut state, &list.one(below(&mut random, MOVES)))?;
        }
    }
    Ok(WALKS * steps * MOVES)
}

/// Adds a random move. In a permutation of one gene, the only move changes nothing.
fn add<G: Gene>(
    form: Form,
    genome: &[G],
    bounds: &Bounds,
    random: &mut Random,
    list: &mut MoveList<G>,
) {
    let length = genome.len();
    if let Form::Rearranged(kind) = form {
        let one = below(random, length);
        let other = (one + 1 + below(random, length - 1)) % length;
        // A segment goes from its lower place to its higher one.
        let (one, other) = match kind {
            Rearrangement::Reversal => (one.min(other), one.max(other)),
            _ => (one, other),
        };
        return list.rearrange(kind, one, other);
    }
    let changes = if form == Form::Single { 1 } else { 1 + below(random, length.min(3)) };
    // Places that follow each other: none comes twice.
    let first = below(random, length);
    for position in (first..first + changes).map(|position| position % length) {
        let (low, high) = bounds.of(position);
        let value = match G::KIND {
            GeneKind::F64 => {
                let drawn = low + (high - low) * unit(random);
                let is_whole = bounds.mixed().get(position).is_some_and(MixedGene::is_whole);
                if is_whole { drawn.round() } else { drawn }
            }
            _ => low + below(random, (high - low) as usize + 1) as f64,
        };
        list.change(position, G::from_f64(value));
    }
    list.end_move();
}
