//! Moves, by which a search evaluates the neighbours of a genome. Their cost depends only on the
//! genes that change.

use crate::abi;
use crate::move_calls::{self, ApplyFn, BuildFn, EvaluateFn};
use crate::problem::Problem;

/// Moves, each from the same genome to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moves<'a, G> {
    /// Move `i` gives the gene at `positions[i]` the value `values[i]`.
    Single {
        /// One position per move.
        positions: &'a [u32],
        /// One value per move; may be the present one.
        values: &'a [G],
    },
    /// Move `i` gives the gene at `positions[k]` the value `values[k]` for each `k` in
    /// `starts[i]..starts[i + 1]`, which is not empty; no position occurs twice in a move.
    Several {
        /// Start of the changes of each move, and the end of the last.
        starts: &'a [u32],
        /// The positions of all moves.
        positions: &'a [u32],
        /// The values of all moves.
        values: &'a [G],
    },
    /// Move `i` exchanges the genes at the two places of `pairs[i]`.
    Exchange {
        /// Two different places per move.
        pairs: &'a [[u32; 2]],
    },
    /// Move `i` reverses the genes between the two places of `pairs[i]`, both included.
    Reversal {
        /// First and last place of each segment; the last is greater.
        pairs: &'a [[u32; 2]],
    },
    /// Move `i` moves the gene at the first place of `pairs[i]` to the second; the genes between
    /// shift by one.
    Insertion {
        /// Two different places per move.
        pairs: &'a [[u32; 2]],
    },
}

/// Kinds of moves of a permutation that a problem evaluates besides exchanges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveKinds {
    /// Whether it evaluates [`Moves::Reversal`].
    pub reversals: bool,
    /// Whether it evaluates [`Moves::Insertion`].
    pub insertions: bool,
}

impl MoveKinds {
    /// Both kinds.
    pub const ALL: MoveKinds = MoveKinds { reversals: true, insertions: true };

    /// Returns the kinds as the header's bits.
    fn bits(self) -> u64 {
        (u64::from(self.reversals) << abi::RUNNER_REVERSALS)
            | (u64::from(self.insertions) << abi::RUNNER_INSERTIONS)
    }
}

impl<G: Copy> Moves<'_, G> {
    /// Number of moves.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Moves::Single { positions, .. } => positions.len(),
            Moves::Several { starts, .. } => starts.len() - 1,
            Moves::Exchange { pairs } | Moves::Reversal { pairs } | Moves::Insertion { pairs } => {
                pairs.len()
            }
        }
    }

    /// Makes a move in a genome that has no state.
    #[inline]
    pub fn make(&self, number: usize, genome: &mut [G]) {
        let places = |pairs: &[[u32; 2]]| pairs[number].map(|place| place as usize);
        match *self {
            Moves::Exchange { pairs } => {
                let [one, other] = places(pairs);
                genome.swap(one, other);
            }
            Moves::Reversal { pairs } => {
                let [first, last] = places(pairs);
                genome[first..=last].reverse();
            }
            Moves::Insertion { pairs } => match places(pairs) {
                [from, to] if from < to => genome[from..=to].rotate_left(1),
                [from, to] => genome[to..=from].rotate_right(1),
            },
            _ => self.changes(number, &[], |position, value| genome[position] = value),
        }
    }

    /// Calls `change` with each position and value of a move.
    #[inline]
    pub fn changes(&self, number: usize, genome: &[G], mut change: impl FnMut(usize, G)) {
        match *self {
            Moves::Single { positions, values } => {
                change(positions[number] as usize, values[number]);
            }
            Moves::Several { starts, positions, values } => {
                let range = starts[number] as usize..starts[number + 1] as usize;
                for (position, value) in positions[range.clone()].iter().zip(&values[range]) {
                    change(*position as usize, *value);
                }
            }
            Moves::Exchange { pairs } => {
                let [one, other] = pairs[number].map(|place| place as usize);
                let (first, second) = (genome[one], genome[other]);
                change(one, second);
                change(other, first);
            }
            Moves::Reversal { pairs } => {
                let [first, last] = pairs[number].map(|place| place as usize);
                for place in first..=last {
                    change(place, genome[first + last - place]);
                }
            }
            Moves::Insertion { pairs } => {
                let [from, to] = pairs[number].map(|place| place as usize);
                if from < to {
                    (from..to).for_each(|place| change(place, genome[place + 1]));
                } else {
                    (to + 1..=from).for_each(|place| change(place, genome[place - 1]));
                }
                change(to, genome[from]);
            }
        }
    }
}

/// A problem that can cheaply update the fitness of a genome when genes change. Declare it by
/// `const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());`. Not for problems with a
/// [`VIOLATION`](Problem::VIOLATION).
///
/// The state of a genome is a slice of numbers, such as counters, which the host keeps. Fitness
/// must be that of [`Problem::fitness`] bit for bit. Sums of real numbers do not qualify, because
/// their order affects the last bits.
pub trait Incremental: Problem {
    /// Type of the numbers of a state.
    type Number: Number;

    /// Returns the length of a state; 0 if this instance has no moves.
    fn state_length(&self) -> usize;

    /// Returns the kinds of moves of a permutation that are evaluated besides exchanges. By default
    /// none: the host evaluates the resulting genomes as a whole. Return a kind if
    /// [`evaluate_moves`](Self::evaluate_moves) is faster than that: by default, it changes each
    /// gene of a segment and changes it back.
    fn move_kinds(&self) -> MoveKinds {
        MoveKinds::default()
    }

    /// Writes the state of a genome.
    fn build(&self, genome: &[Self::Gene], state: &mut [Self::Number]);

    /// Returns the fitness of a genome, given its state.
    fn state_fitness(&self, genome: &[Self::Gene], state: &[Self::Number]) -> f64;

    /// Gives the gene at `position` another value, in the genome and in its state. In the middle of
    /// a move a permutation holds a value twice.
    fn change(
        &self,
        genome: &mut [Self::Gene],
        state: &mut [Self::Number],
        position: usize,
        value: Self::Gene,
    );

    /// Writes the fitness that each move leads to; genome and state are as before when it returns.
    /// By default [`evaluate_one_by_one`](Self::evaluate_one_by_one). Override it if the fitness
    /// after a change can be computed without making the change.
    fn evaluate_moves(
        &self,
        genome: &mut [Self::Gene],
        state: &mut [Self::Number],
        moves: &Moves<'_, Self::Gene>,
        fitness: &mut [f64],
    ) {
        self.evaluate_one_by_one(genome, state, moves, fitness);
    }

    /// Makes each move [change](Self::change) by change, writes the fitness, and undoes the move.
    fn evaluate_one_by_one(
        &self,
        genome: &mut [Self::Gene],
        state: &mut [Self::Number],
        moves: &Moves<'_, Self::Gene>,
        fitness: &mut [f64],
    ) {
        let mut before = Vec::new();
        for (number, fitness) in fitness.iter_mut().enumerate() {
            before.clear();
            moves.changes(number, genome, |position, _| before.push((position, genome[position])));
            self.apply(genome, state, moves, number);
            *fitness = self.state_fitness(genome, state);
            for (position, value) in before.iter().rev() {
                self.change(genome, state, *position, *value);
            }
        }
    }

    /// Makes move `number`: changes the genome and its state. By default
    /// [`apply_by_changes`](Self::apply_by_changes).
    fn apply(
        &self,
        genome: &mut [Self::Gene],
        state: &mut [Self::Number],
        moves: &Moves<'_, Self::Gene>,
        number: usize,
    ) {
        self.apply_by_changes(genome, state, moves, number);
    }

    /// Makes move `number` [change](Self::change) by change.
    fn apply_by_changes(
        &self,
        genome: &mut [Self::Gene],
        state: &mut [Self::Number],
        moves: &Moves<'_, Self::Gene>,
        number: usize,
    ) {
        if let Moves::Exchange { pairs } = moves {
            let [one, other] = pairs[number].map(|place| place as usize);
            let (first, second) = (genome[one], genome[other]);
            self.change(genome, state, one, second);
            self.change(genome, state, other, first);
            return;
        }
        if let Moves::Reversal { .. } | Moves::Insertion { .. } = moves {
            // The genes are read before the first of them changes.
            let mut changes = Vec::new();
            moves.changes(number, genome, |position, value| changes.push((position, value)));
            for (position, value) in changes {
                self.change(genome, state, position, value);
            }
            return;
        }
        // The values of changes are not read from the genome.
        moves.changes(number, &[], |position, value| self.change(genome, state, position, value));
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Type of the numbers of a state. Every bit pattern is a valid number.
pub trait Number: sealed::Sealed + Copy + Send + Sync + 'static {}

macro_rules! number {
    ($($type:ty),*) => {
        $(impl sealed::Sealed for $type {}
        impl Number for $type {})*
    };
}

number!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// The calls of a problem that is [`Incremental`].
#[derive(Debug)]
pub struct MoveCalls<P: Problem> {
    pub(crate) state_size: fn(&P) -> u64,
    pub(crate) move_kinds: fn(&P) -> u64,
    pub(crate) build: BuildFn<P>,
    pub(crate) evaluate: EvaluateFn<P>,
    pub(crate) apply: ApplyFn<P>,
}

impl<P: Problem> Clone for MoveCalls<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Problem> Copy for MoveCalls<P> {}

impl<P: Incremental> MoveCalls<P> {
    /// Calls of the problem.
    #[expect(clippy::new_without_default, reason = "a constant needs a constant function")]
    #[must_use]
    pub const fn new() -> Self {
        MoveCalls {
            state_size: |problem| (problem.state_length() * size_of::<P::Number>()) as u64,
            move_kinds: |problem| problem.move_kinds().bits(),
            build: move_calls::build::<P>,
            evaluate: move_calls::evaluate::<P>,
            apply: move_calls::apply::<P>,
        }
    }
}
