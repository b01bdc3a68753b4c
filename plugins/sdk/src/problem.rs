//! The two traits that a plugin implements: the plugin itself, and an instance of its problem.

use crate::conflicts::ConflictCalls;
use crate::export::Instance;
use crate::moves::MoveCalls;
use crate::{Description, Parameter, Parameters, RowRng, RowRngs, abi};

/// A plugin: its name, its parameters, and how an instance is made from them. Exported by
/// [`export!`](crate::export).
pub trait Plugin: 'static {
    /// Its name in configs: lower-case letters, digits, `-` and `_`. The library's file is named
    /// after it.
    const NAME: &'static str;
    /// One sentence.
    const SUMMARY: &'static str;
    /// Parameters that a user may set.
    const PARAMETERS: &'static [Parameter] = &[];
    /// The problem. Its optional calls (crossover and so on) are those that the plugin offers. If
    /// the kind of gene depends on a parameter, this is any of the problem types that `create`
    /// makes, which must all offer the same calls.
    type Problem: Problem;

    /// Makes an instance; `Ok(problem.into())`.
    ///
    /// # Errors
    /// A message for the user if the values do not go together; each value is within its declared
    /// range.
    fn create(parameters: &Parameters) -> Result<Instance, String>;
}

/// An instance of a problem: immutable, used by many threads at once.
///
/// A genome is a slice of `genome length` genes. The same instance parameters, generator and genes
/// must give the same answer, bit for bit, on every machine: do not use the clock or the iteration
/// order of hash maps, and take transcendental functions from a library that gives the same bits
/// everywhere (the crate `libm`), not from `std`.
pub trait Problem: Sized + Send + Sync + 'static {
    /// `u8`, `u16`, `u32` or `f64`.
    type Gene: Gene;

    /// Describes the instance. Called once.
    fn describe(&self) -> Description;

    /// Fills one genome at random.
    fn sample(&self, rng: &mut RowRng, genome: &mut [Self::Gene]);

    /// Fills `rngs.rows()` genomes at random (at least one), stored one after the other in
    /// `genomes`. By default, calls [`sample`](Self::sample). An override must give the same
    /// genomes; it is useful if drawing many together is faster, as with
    /// [`fill_below`](RowRngs::fill_below).
    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [Self::Gene]) {
        rngs.each(genomes, |rng, genome| self.sample(rng, genome));
    }

    /// Returns a genome's fitness: finite, within the described ideal and worst; lower is better.
    fn fitness(&self, genome: &[Self::Gene]) -> f64;

    /// Writes the fitness of `fitness.len()` genomes (at least one), stored one after the other in
    /// `genomes`. Calls [`fitness`](Self::fitness) by default. The result for a genome must not
    /// depend on the others.
    ///
    /// # Errors
    /// A message for the user if it cannot be done: the trial then ends as failed.
    fn evaluate(&self, genomes: &[Self::Gene], fitness: &mut [f64]) -> Result<(), String> {
        let length = genomes.len() / fitness.len();
        for (genome, fitness) in genomes.chunks_exact(length).zip(fitness) {
            *fitness = self.fitness(genome);
        }
        Ok(())
    }

    /// Writes fitness and violations of `fitness.len()` genomes (at least one). Called only for a
    /// problem that has a [`VIOLATION`](Self::VIOLATION). By default, calls
    /// [`evaluate`](Self::evaluate), then computes each violation. Override it if both follow
    /// from the same work.
    ///
    /// # Errors
    /// A message for the user if it cannot be done: the trial then ends as failed.
    fn evaluate_constrained(
        &self,
        genomes: &[Self::Gene],
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let violation = Self::VIOLATION.ok_or("the problem has no violations")?;
        self.evaluate(genomes, fitness)?;
        let length = genomes.len() / fitness.len();
        for (genome, answer) in genomes.chunks_exact(length).zip(violations) {
            *answer = violation(self, genome);
        }
        Ok(())
    }

    /// Violation of the problem's constraints: 0 if a genome keeps them all (it is feasible),
    /// otherwise finite and above 0, the larger the worse. `None` if the problem has no
    /// constraints.
    const VIOLATION: Option<Violation<Self>> = None;
    /// Fitness of a genome in an evaluation whose random numbers are the generator's, for instances
    /// whose description has [`Noise`](crate::Noise): `Some(|problem, rng, genome| …)`. None: the
    /// fitness has no noise.
    const NOISY_FITNESS: Option<NoisyFitness<Self>> = None;
    /// Makes one child from two parents: `Some(|problem, rng, first, second, child| …)`. None: use
    /// the host's operators.
    const CROSSOVER: Option<Crossover<Self>> = None;
    /// Mutates a genome in place, once. None: use the host's operators.
    const MUTATE: Option<Mutate<Self>> = None;
    /// Whether a genome follows the problem's rules. None: there are none beyond the encoding.
    const IS_VALID: Option<IsValid<Self>> = None;
    /// Renders a genome; `None` if the problem does not support the format.
    const RENDER: Option<Render<Self>> = None;
    /// Writes the genome with a number below the described space size.
    const ENUMERATE: Option<Enumerate<Self>> = None;
    /// The number of a genome; `None` if it has no number.
    const NUMBER: Option<Number<Self>> = None;
    /// Evaluates neighbours by what changes, for a problem that is
    /// [`Incremental`](crate::Incremental): `Some(MoveCalls::new())`. None: every neighbour is
    /// evaluated as a whole.
    const MOVES: Option<MoveCalls<Self>> = None;
    /// Reports which genes are in conflict. `None` if searches that repair genomes cannot be
    /// used.
    const CONFLICTS: Option<ConflictCalls<Self>> = None;
}

type Row<P> = [<P as Problem>::Gene];
/// Problem, generator, genome.
pub type NoisyFitness<P> = fn(&P, &mut RowRng, &Row<P>) -> f64;
/// Problem, generator, first parent, second parent, child.
pub type Crossover<P> = fn(&P, &mut RowRng, &Row<P>, &Row<P>, &mut Row<P>);
/// Problem, generator, genome.
pub type Mutate<P> = fn(&P, &mut RowRng, &mut Row<P>);
/// Problem, genome.
pub type Violation<P> = fn(&P, &Row<P>) -> f64;
/// Problem, genome.
pub type IsValid<P> = fn(&P, &Row<P>) -> bool;
/// Problem, genome, format.
pub type Render<P> = fn(&P, &Row<P>, Format) -> Option<String>;
/// Problem, number, genome.
pub type Enumerate<P> = fn(&P, u64, &mut Row<P>);
/// Problem, genome.
pub type Number<P> = fn(&P, &Row<P>) -> Option<u64>;

/// Format of a rendered genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line of text, for a table cell.
    Line,
    /// Several lines of text, for a terminal; ends with a newline.
    Board,
    /// One `<svg>` element.
    Svg,
}

mod sealed {
    pub trait Sealed {}
}

/// The machine type of a gene: `u8`, `u16`, `u32` or `f64`.
pub trait Gene: sealed::Sealed + Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    /// Its code in the ABI.
    const KIND: u32;

    /// Returns the gene as an index; for a real gene, its whole part.
    fn to_index(self) -> usize;

    /// Converts an index, which must fit into the gene.
    fn from_index(index: usize) -> Self;

    /// The number.
    fn to_f64(self) -> f64;

    /// Converts a number; a whole-number gene takes its whole part.
    fn from_f64(number: f64) -> Self;
}

macro_rules! gene {
    ($($type:ty => $kind:ident),*) => {
        $(impl sealed::Sealed for $type {}
        impl Gene for $type {
            const KIND: u32 = abi::$kind;

            #[inline]
            fn to_index(self) -> usize {
                self as usize
            }

            #[inline]
            fn from_index(index: usize) -> Self {
                index as $type
            }

            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn from_f64(number: f64) -> Self {
                number as $type
            }
        })*
    };
}

gene!(u8 => RUNNER_GENE_U8, u16 => RUNNER_GENE_U16, u32 => RUNNER_GENE_U32, f64 => RUNNER_GENE_F64);
