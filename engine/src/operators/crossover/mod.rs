//! Crossovers: two parents in, two children out. The parents are rows of equal length, and every
//! gene of the children is written. If the parents are exchanged and the random numbers are the
//! same, the children are exchanged.

mod cut;
mod permutation;
mod real;

pub(crate) use super::kernels::crossover::{one_point_children, one_point_words};
pub(crate) use cut::{cuts, one_point, two_point, uniform};
#[cfg(test)]
pub(crate) use cut::{segment, uniform_bytes};
#[cfg(test)]
pub(crate) use permutation::pmx_child_by_exchanges;
pub(crate) use permutation::{Scratch, cycle, order, pmx};
pub(crate) use real::{blend, sbx};

use super::domain::{Domain, PLACED};
use super::operator::{Operator, Slot};
use super::registry::{Entry, Family};
use super::values::{Complaint, Context, Make};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{Bounds, Encoding, Gene};
use crate::random::draws::Random;
use std::borrow::Cow;

/// Crossover operator with its rate and number of children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// Kind of recombination.
    pub kind: CrossoverKind,
    /// Probability that a pair is crossed; otherwise the children are copies of their parents. 1
    /// under a mix.
    pub rate: f64,
    /// Number of children per pair: 1 or 2.
    pub children: usize,
}

/// Range of a single cut, as the number of genes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `1..=length-1`: each child has genes of both parents.
    Inner,
    /// `0..=length`: a cut at either end copies a parent.
    Any,
}

/// Rule that combines the genes of two parents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CrossoverKind {
    /// The genes after a cut come from the other parent (Holland, 1975).
    OnePoint {
        /// Allowed places of the cut.
        cut: Cut,
    },
    /// The genes between two cuts come from the other parent.
    TwoPoint,
    /// Each gene comes from the other parent with probability `swap`.
    Uniform {
        /// Probability per gene that it comes from the other parent.
        swap: f64,
    },
    /// Order crossover of permutations (Davis, 1985).
    Order,
    /// Partially mapped crossover of permutations (Goldberg and Lingle, 1985).
    Pmx,
    /// Cycle crossover of permutations (Oliver, Smith and Holland, 1987).
    Cycle,
    /// Blend crossover of real numbers (Eshelman and Schaffer, 1993).
    Blend {
        /// Maximum distance of a child outside its parents' range, in units of the parents'
        /// distance; at least 0.
        alpha: f64,
    },
    /// Simulated binary crossover of real numbers (Deb and Agrawal, 1995).
    Sbx {
        /// Distribution index: the higher, the closer children are to their parents; at least 0.
        eta: f64,
    },
    /// Crossover of the problem's own plugin.
    Problem,
    /// Crossover of another plugin.
    Plugin,
}

/// Parents of a generation, in pairs. Each pair gives an operator two rows to read and space for
/// their children.
pub trait ParentPairs<G: Gene> {
    /// Crosses each pair at one point, drawn per pair.
    fn one_point(&mut self, cut: Cut, random: &mut Random);

    /// Crosses each pair by an operator that makes one child, or two if there is space for a
    /// second.
    fn breed(&mut self, operator: impl FnMut(&[G], &[G], &mut [G], Option<&mut [G]>));

    /// Crosses each pair by an operator that always makes two children.
    fn cross(&mut self, operator: impl FnMut(&[G], &[G], &mut [G], &mut [G]));
}

impl CrossoverKind {
    /// Crosses every pair. Does nothing for a crossover of a plugin, which the caller must call.
    #[inline]
    pub fn cross<G: Gene>(
        self,
        mates: &mut impl ParentPairs<G>,
        bounds: &Bounds,
        random: &mut Random,
        scratch: &mut Scratch,
    ) {
        match self {
            CrossoverKind::OnePoint { cut } => mates.one_point(cut, random),
            CrossoverKind::TwoPoint => mates.cross(|a, b, c, d| two_point(a, b, random, c, d)),
            CrossoverKind::Uniform { swap } => {
                mates.cross(|a, b, c, d| uniform(a, b, swap, random, c, d));
            }
            CrossoverKind::Order => mates.breed(|a, b, c, d| order(a, b, random, scratch, c, d)),
            CrossoverKind::Pmx => mates.breed(|a, b, c, d| pmx(a, b, random, scratch, c, d)),
            CrossoverKind::Cycle => mates.cross(|a, b, c, d| cycle(a, b, scratch, c, d)),
            CrossoverKind::Blend { alpha } => {
                mates.cross(|a, b, c, d| blend(a, b, alpha, bounds, random, c, d));
            }
            CrossoverKind::Sbx { eta } => {
                mates.cross(|a, b, c, d| sbx(a, b, eta, bounds, random, c, d));
            }
            CrossoverKind::Problem | CrossoverKind::Plugin => {}
        }
    }
}

/// Parameters that all crossovers have.
const RATE: Parameter = Parameter::varying(
    "rate",
    Kind::real(0.0, 1.0),
    Fallback::real(1.0),
    "Probability that a pair is crossed; not allowed with a mix.",
);
const CHILDREN: Parameter = Parameter::new(
    "children",
    Kind::Integer { low: 1, high: 2 },
    Fallback::integer(2),
    "Children per pair.",
);

const PERMUTATION: Domain = Domain::Encodings(&[Encoding::Permutation]);
const REAL: Domain = Domain::Encodings(&[Encoding::Real]);
const CUTS: &[Cow<'static, str>] = &[Cow::Borrowed("inner"), Cow::Borrowed("any")];

/// Returns an error if the genome is too short for an inner cut.
fn require_inner_cut(operator: &str, context: Context<'_>) -> Result<(), Complaint> {
    if context.problem.genome_length >= 2 {
        return Ok(());
    }
    Err(Complaint::new(
        format!("`{operator}` cuts a genome of at least 2 genes, and this one has 1"),
        "leave crossover out, or choose `uniform`",
    ))
}

/// Crossovers, in documentation order.
pub static CROSSOVERS: Family<Make<CrossoverKind>> = Family {
    slot: Slot::Crossover,
    plugin: Some(Entry {
        operator: Operator {
            name: "plugin",
            summary: "A crossover of a plugin.",
            domain: Domain::Any,
            parameters: &[RATE, CHILDREN],
            source: "the plugin",
        },
        make: |_, _| Ok(CrossoverKind::Plugin),
    }),
    entries: &[
        Entry {
            operator: Operator {
                name: "one-point",
                summary: "Genes before a cut come from one parent, the rest from the other.",
                domain: PLACED,
                parameters: &[
                    RATE,
                    CHILDREN,
                    Parameter::new(
                        "cut",
                        Kind::choice(CUTS),
                        Fallback::text("inner"),
                        "Range of the cut: from 1 to length-1, or from 0 to length.",
                    ),
                ],
                source: "Holland (1975)",
            },
            make: |values, context| {
                let cut = if values.choice("cut") == "any" { Cut::Any } else { Cut::Inner };
                if cut == Cut::Inner {
                    require_inner_cut("one-point", context)?;
                }
                Ok(CrossoverKind::OnePoint { cut })
            },
        },
        Entry {
            operator: Operator {
                name: "two-point",
                summary: "The genes between two cuts are exchanged.",
                domain: PLACED,
                parameters: &[RATE, CHILDREN],
                source: "De Jong (1975)",
            },
            make: |_, context| {
                require_inner_cut("two-point", context)?;
                Ok(CrossoverKind::TwoPoint)
            },
        },
        Entry {
            operator: Operator {
                name: "uniform",
                summary: "Each gene is exchanged with a probability.",
                domain: PLACED,
                parameters: &[
                    RATE,
                    CHILDREN,
                    Parameter::new(
                        "swap",
                        Kind::real(0.0, 1.0),
                        Fallback::real(0.5),
                        "Probability that a gene is exchanged.",
                    ),
                ],
                source: "Syswerda (1989), ICGA 3, 2-9",
            },
            make: |values, _| Ok(CrossoverKind::Uniform { swap: values.real("swap") }),
        },
        Entry {
            operator: Operator {
                name: "order",
                summary: "A segment stays; the other values follow in the other parent's order \
                    (OX).",
                domain: PERMUTATION,
                parameters: &[RATE, CHILDREN],
                source: "Davis (1985), IJCAI 9, 162-164",
            },
            make: |_, _| Ok(CrossoverKind::Order),
        },
        Entry {
            operator: Operator {
                name: "pmx",
                summary: "A segment comes from the other parent; duplicates are mapped through it.",
                domain: PERMUTATION,
                parameters: &[RATE, CHILDREN],
                source: "Goldberg and Lingle (1985), ICGA 1, 154-159",
            },
            make: |_, _| Ok(CrossoverKind::Pmx),
        },
        Entry {
            operator: Operator {
                name: "cycle",
                summary: "Every value keeps the position that it has in one of the parents (CX).",
                domain: PERMUTATION,
                parameters: &[RATE, CHILDREN],
                source: "Oliver, Smith and Holland (1987), ICGA 2, 224-230",
            },
            make: |_, _| Ok(CrossoverKind::Cycle),
        },
        Entry {
            operator: Operator {
                name: "blend",
                summary: "Uniform in the parents' range, widened on both sides (BLX-alpha).",
                domain: REAL,
                parameters: &[
                    RATE,
                    CHILDREN,
                    Parameter::new(
                        "alpha",
                        Kind::real(0.0, 1e6),
                        Fallback::real(0.5),
                        "Widening on each side, as a multiple of the parents' range.",
                    ),
                ],
                source: "Eshelman and Schaffer (1993), doi:10.1016/B978-0-08-094832-4.50018-0",
            },
            make: |values, _| Ok(CrossoverKind::Blend { alpha: values.real("alpha") }),
        },
        Entry {
            operator: Operator {
                name: "sbx",
                summary: "Spreads children around their parents as one-point crossover of bit \
                    strings would, within bounds.",
                domain: REAL,
                parameters: &[
                    RATE,
                    CHILDREN,
                    Parameter::new(
                        "eta",
                        Kind::real(0.0, 1e6),
                        Fallback::real(15.0),
                        "Distribution index: the larger, the closer to the parents.",
                    ),
                ],
                source: "Deb and Agrawal (1995), Complex Systems 9, 115-148; Deb and Beyer (2001), \
                    doi:10.1162/106365601750190406",
            },
            make: |values, _| Ok(CrossoverKind::Sbx { eta: values.real("eta") }),
        },
        Entry {
            operator: Operator {
                name: "problem",
                summary: "The plugin's own crossover.",
                domain: Domain::Plugin,
                parameters: &[RATE, CHILDREN],
                source: "the plugin",
            },
            make: |_, _| Ok(CrossoverKind::Problem),
        },
    ],
};
