//! User-defined operators, for the problems of any plugin.

use crate::abi::{self, runner_operator, runner_text};
use crate::operator_calls as calls;
use crate::{Gene, MixedGene, Parameter, Parameters, RowRng};

/// Encoding of a solution by a genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Each gene an integer within its bounds.
    Integer,
    /// Each of 0 to length - 1 once.
    Permutation,
    /// Each gene 0 or 1.
    Bits,
    /// Each gene a number within its bounds.
    Real,
    /// Each gene has its own kind.
    Mixed,
    /// Known to the problem's plugin alone.
    Opaque,
}

impl Encoding {
    /// Its code in the ABI.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Encoding::Integer => abi::RUNNER_ENCODING_INTEGER,
            Encoding::Permutation => abi::RUNNER_ENCODING_PERMUTATION,
            Encoding::Bits => abi::RUNNER_ENCODING_BITS,
            Encoding::Real => abi::RUNNER_ENCODING_REAL,
            Encoding::Mixed => abi::RUNNER_ENCODING_MIXED,
            Encoding::Opaque => abi::RUNNER_ENCODING_OPAQUE,
        }
    }

    /// The encoding of this code.
    #[must_use]
    pub fn of(code: u32) -> Option<Self> {
        let all = [
            Encoding::Integer,
            Encoding::Permutation,
            Encoding::Bits,
            Encoding::Real,
            Encoding::Mixed,
            Encoding::Opaque,
        ];
        all.into_iter().find(|encoding| encoding.code() == code)
    }
}

/// The problem that an operator is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Encoding of its genomes.
    pub encoding: Encoding,
    /// Genes per genome.
    pub genome_length: usize,
    /// Least values of the genes: none, one for all, or one per gene.
    pub low: Vec<f64>,
    /// Greatest values of the genes, likewise.
    pub high: Vec<f64>,
    /// Genes of a mixed genome, with their kinds; none for other encodings.
    pub genes: Vec<MixedGene>,
    /// The lowest possible fitness, if it is known.
    pub ideal: Option<f64>,
    /// The highest possible fitness, if it is known.
    pub worst: Option<f64>,
}

impl Domain {
    /// Returns the least and the greatest value of a gene, inclusive; infinities without bounds.
    #[must_use]
    pub fn bounds(&self, locus: usize) -> (f64, f64) {
        let of = |bounds: &[f64], otherwise: f64| match bounds {
            [] => otherwise,
            [one] => *one,
            bounds => bounds[locus],
        };
        (of(&self.low, f64::NEG_INFINITY), of(&self.high, f64::INFINITY))
    }
}

/// An operator for the problems of any plugin: its name, its encodings, its parameters and its
/// constructor. It is immutable, and used by many threads at once. It also implements the trait
/// of its kind.
///
/// As for a [`Problem`](crate::Problem), the same parameters, generator and genes must give the
/// same answer, bit for bit, on every machine.
pub trait Operator: Sized + Send + Sync + 'static {
    /// Its name in configs: lower-case letters, digits, `-` and `_`.
    const NAME: &'static str;
    /// One sentence.
    const SUMMARY: &'static str;
    /// Author, year and DOI of its source; empty if there is nothing to cite.
    const SOURCE: &'static str = "";
    /// The encodings that it works on; empty: any.
    const ENCODINGS: &'static [Encoding] = &[];
    /// Parameters that a user may set, next to `rate` (and `children`), which are the host's.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Makes it for a problem.
    ///
    /// # Errors
    /// Returns a message for the user if the values conflict, or the problem is not supported.
    fn create(parameters: &Parameters, domain: &Domain) -> Result<Self, String>;
}

/// An operator that makes children.
pub trait CrossoverOperator: Operator {
    /// Writes every gene of a child of two parents. If two children per pair are needed, the host
    /// calls again with the parents exchanged.
    ///
    /// # Errors
    /// A message for the user if it cannot be done: the trial then ends as failed.
    fn cross<G: Gene>(
        &self,
        rng: &mut RowRng,
        first: &[G],
        second: &[G],
        child: &mut [G],
    ) -> Result<(), String>;
}

/// An operator that changes genomes.
pub trait MutationOperator: Operator {
    /// Mutates a genome in place, once.
    ///
    /// # Errors
    /// As [`cross`](CrossoverOperator::cross).
    fn mutate<G: Gene>(&self, rng: &mut RowRng, genome: &mut [G]) -> Result<(), String>;
}

/// Population as a selection sees it.
#[derive(Clone, Copy, Debug)]
pub struct Population<'a> {
    /// Fitness of each row; lower is better. If the problem has constraints, the score that the
    /// operator set's rule makes of fitness and violation.
    pub fitness: &'a [f64],
    /// Violation of each row, 0 if it is feasible. `None` if the problem has no constraints.
    pub violations: Option<&'a [f64]>,
}

/// An operator that chooses parents.
pub trait SelectionOperator: Operator {
    /// Writes the row of each parent. Parents are paired in this order.
    ///
    /// # Errors
    /// As [`cross`](CrossoverOperator::cross).
    fn select(
        &self,
        rng: &mut RowRng,
        population: Population<'_>,
        parents: &mut [u32],
    ) -> Result<(), String>;
}

/// An operator as the table lists it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct DeclaredOperator(pub(crate) runner_operator);

impl DeclaredOperator {
    pub(crate) const fn declared<O: Operator>(kind: u32) -> runner_operator {
        let (mut encodings, mut place) = (0, 0);
        while place < O::ENCODINGS.len() {
            encodings |= 1 << O::ENCODINGS[place].code();
            place += 1;
        }
        runner_operator {
            kind,
            encodings,
            name: runner_text::new(O::NAME),
            summary: runner_text::new(O::SUMMARY),
            source: runner_text::new(O::SOURCE),
            parameters: O::PARAMETERS.as_ptr().cast(),
            parameter_count: O::PARAMETERS.len() as u64,
            parameter_size: size_of::<Parameter>() as u64,
            create: Some(calls::create::<O>),
            destroy: Some(calls::destroy::<O>),
            select: None,
            crossover: None,
            mutate: None,
            begin: None,
            ask: None,
            tell: None,
            end: None,
            state: None,
            restore: None,
        }
    }

    /// A selection.
    #[must_use]
    pub const fn selection<O: SelectionOperator>() -> Self {
        let operator = Self::declared::<O>(abi::RUNNER_SELECTION);
        DeclaredOperator(runner_operator { select: Some(calls::select::<O>), ..operator })
    }

    /// A crossover.
    #[must_use]
    pub const fn crossover<O: CrossoverOperator>() -> Self {
        let operator = Self::declared::<O>(abi::RUNNER_CROSSOVER);
        DeclaredOperator(runner_operator { crossover: Some(calls::crossover::<O>), ..operator })
    }

    /// A mutation.
    #[must_use]
    pub const fn mutation<O: MutationOperator>() -> Self {
        let operator = Self::declared::<O>(abi::RUNNER_MUTATION);
        DeclaredOperator(runner_operator { mutate: Some(calls::mutate::<O>), ..operator })
    }
}
