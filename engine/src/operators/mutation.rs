//! Mutations: each call changes one genome in place, once.

mod genes;
mod mixed;
mod move_mutation;
mod self_adaptive;

pub use genes::{Genes, PowerLaw};
pub(crate) use move_mutation::MoveMutation;
pub use self_adaptive::SelfAdaptation;

use super::domain::{Domain, PLACED};
use super::move_list::MoveList;
use super::operator::{Operator, Slot};
use super::registry::{Entry, Family};
use super::schedule::Schedule;
use super::values::{Complaint, Make, Values};
use crate::problem::moves::shift;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Bounds, Encoding, Gene, GeneKind};
use crate::random::draws::{Random, below, normal, shuffle, unit};
use crate::random::power::power;
use genes::Loci;
use rand::Rng;
use std::borrow::Cow;

/// Mutation operator with its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mutation {
    /// Kind of change.
    pub kind: MutationKind,
    /// Probability that a child is mutated; 1 under a mix.
    pub rate: f64,
}

/// Rule that changes genes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MutationKind {
    /// Genes take new uniform values.
    Reset {
        /// Genes that change.
        genes: Genes,
        /// Whether the new value always differs from the old.
        different: bool,
    },
    /// Two genes change places.
    Swap,
    /// One gene moves to another place.
    Insert,
    /// The genes of a segment are reversed.
    Inversion,
    /// The genes of a segment are shuffled.
    Scramble,
    /// Bits are flipped: 0 becomes 1, and 1 becomes 0.
    BitFlip {
        /// Genes that are flipped.
        genes: Genes,
    },
    /// A normally distributed number is added, with standard deviation `sigma` times the gene's
    /// range. The result is kept within bounds.
    Gaussian {
        /// Standard deviation, as a share of the gene's range; above 0.
        sigma: f64,
        /// Genes that change.
        genes: Genes,
    },
    /// Polynomial mutation of real numbers (Deb and Goyal, 1996).
    Polynomial {
        /// Distribution index: the higher, the smaller the changes; at least 0.
        eta: f64,
        /// Genes that change.
        genes: Genes,
    },
    /// Each gene that changes is varied by its kind, for mixed genomes.
    Mixed {
        /// Standard deviation of a number's step and mean length of a whole number's, as a share
        /// of the gene's range.
        sigma: f64,
        /// Genes that change.
        genes: Genes,
    },
    /// The standard deviation that each individual carries is mutated, then its genes.
    SelfAdaptiveGaussian(SelfAdaptation),
    /// The probability per bit that each individual carries is mutated, then its bits.
    SelfAdaptiveBitFlip(SelfAdaptation),
    /// Mutation of the problem's own plugin.
    Problem,
    /// Mutation of another plugin.
    Plugin,
}

impl MutationKind {
    /// Returns the genes that change; `None` for kinds that do not change genes one by one.
    fn genes(mut self) -> Option<Genes> {
        self.settings_mut().0.copied()
    }

    /// Returns the genes that change and the standard deviation, each `None` for kinds without it.
    fn settings_mut(&mut self) -> (Option<&mut Genes>, Option<&mut f64>) {
        match self {
            MutationKind::Gaussian { genes, sigma } | MutationKind::Mixed { genes, sigma } => {
                (Some(genes), Some(sigma))
            }
            MutationKind::Reset { genes, .. }
            | MutationKind::BitFlip { genes }
            | MutationKind::Polynomial { genes, .. } => (Some(genes), None),
            MutationKind::Swap
            | MutationKind::Insert
            | MutationKind::Inversion
            | MutationKind::Scramble
            | MutationKind::SelfAdaptiveGaussian(_)
            | MutationKind::SelfAdaptiveBitFlip(_)
            | MutationKind::Problem
            | MutationKind::Plugin => (None, None),
        }
    }

    /// Returns the rule of the strengths that individuals carry; `None` if they carry none.
    #[must_use]
    pub fn self_adaptation(self) -> Option<SelfAdaptation> {
        match self {
            MutationKind::SelfAdaptiveGaussian(rule) | MutationKind::SelfAdaptiveBitFlip(rule) => {
                Some(rule)
            }
            _ => None,
        }
    }

    /// Returns the kind with another probability per gene. A kind without one stays as it is.
    #[must_use]
    pub fn with_gene_rate(mut self, rate: f64) -> Self {
        if let Some(Genes::Each(old) | Genes::AtLeastOne(old)) = self.settings_mut().0 {
            *old = rate;
        }
        self
    }

    /// Returns the kind with another standard deviation. A kind without one stays as it is.
    #[must_use]
    pub fn with_sigma(mut self, deviation: f64) -> Self {
        if let Some(sigma) = self.settings_mut().1 {
            *sigma = deviation;
        }
        self
    }
}

/// Parameter that all mutations have.
const RATE: Parameter = Parameter::varying(
    "rate",
    Kind::real(0.0, 1.0),
    Fallback::real(1.0),
    "Probability that a child is mutated; not allowed with a mix.",
);

const fn gene_rate(fallback: Fallback) -> Parameter {
    let doc = "Probability that a gene of a mutated child changes.";
    Parameter::varying("gene-rate", Kind::real(0.0, 1.0), fallback, doc)
}

/// Default of `gene-rate` if one gene per child is expected to change.
const ONE_OF_ALL: Fallback = Fallback::Derived("1 / genome length");

/// Selects each gene with the given rate, or 1 / `length` if none is given.
fn one_of_all(values: &mut Values, length: usize) -> Genes {
    let rate = values.given_real("gene-rate").unwrap_or(1.0 / length as f64);
    values.settle("gene-rate", Value::Real(rate));
    Genes::Each(rate)
}

/// Returns whether the given gene rate is 0 at some time.
fn reaches_zero(values: &Values) -> bool {
    let least = values.schedule("gene-rate").map(Schedule::least);
    least.or(values.given_real("gene-rate")) == Some(0.0)
}

/// Returns the bits that a mutation flips, from its values.
fn flipped(values: &mut Values, length: usize) -> Result<Genes, Complaint> {
    let strength = values.given_choice("strength").map(str::to_owned);
    let is_power_law = strength.as_deref().is_some_and(|word| word.starts_with("power-law"));
    if values.given_real("beta").is_some() && !is_power_law {
        return Err(Complaint::of(
            "beta",
            "it is the exponent of a power law, and strength asks for none",
            "remove beta, or use strength = \"power-law\"",
        ));
    }
    match (strength.as_deref(), values.given_real("gene-rate")) {
        (Some("one"), None) => Ok(Genes::One),
        (Some("one"), Some(_)) => Err(Complaint::of(
            "gene-rate",
            "with strength = \"one\", exactly one bit flips",
            "remove gene-rate, or use strength = \"at-least-one\"",
        )),
        (Some(_), Some(_)) if is_power_law => Err(Complaint::of(
            "gene-rate",
            "with a power law, the number of bits that flip is drawn anew each time",
            "remove gene-rate, or use strength = \"at-least-one\"",
        )),
        (Some(word), None) if is_power_law => {
            let beta = values.given_real("beta").unwrap_or(BETA);
            values.settle("beta", Value::Real(beta));
            let law = PowerLaw::of(beta, length);
            let is_rate = word == "power-law-rate";
            Ok(if is_rate { Genes::PowerLawRate(law) } else { Genes::PowerLaw(law) })
        }
        (Some(_), Some(_)) if reaches_zero(values) => Err(Complaint::of(
            "gene-rate",
            "no bit flips at a rate of 0, and strength asks for at least one",
            "use a rate above 0, or remove strength",
        )),
        (Some(_), _) => match one_of_all(values, length) {
            Genes::Each(rate) => Ok(Genes::AtLeastOne(rate)),
            other => Ok(other),
        },
        (None, _) => Ok(one_of_all(values, length)),
    }
}

/// Default standard deviation of a Gaussian step, as a multiple of the gene's range.
pub(crate) const SIGMA: f64 = 0.1;

/// Greatest standard deviation that adapts, as a share of each gene's range. On a plateau it would
/// grow until it is infinite, and a gene whose bounds are equal would be NaN.
pub(crate) const GREATEST_SIGMA: f64 = 1e300;

const STRENGTHS: &[Cow<'static, str>] = &[
    Cow::Borrowed("one"),
    Cow::Borrowed("at-least-one"),
    Cow::Borrowed("power-law"),
    Cow::Borrowed("power-law-rate"),
];

/// Default exponent of a power law.
const BETA: f64 = 1.5;

const VALUES: &[Cow<'static, str>] = &[Cow::Borrowed("different"), Cow::Borrowed("any")];

/// Mutations, in documentation order.
pub static MUTATIONS: Family<Make<MutationKind>> = Family {
    slot: Slot::Mutation,
    plugin: Some(Entry {
        operator: Operator {
            name: "plugin",
            summary: "A mutation of a plugin.",
            domain: Domain::Any,
            parameters: &[RATE],
            source: "the plugin",
        },
        make: |_, _| Ok(MutationKind::Plugin),
    }),
    entries: &[
        Entry {
            operator: Operator {
                name: "reset",
                summary: "New uniform values within the bounds.",
                domain: PLACED,
                parameters: &[
                    RATE,
                    gene_rate(Fallback::Derived("exactly one gene")),
                    Parameter::new(
                        "value",
                        Kind::choice(VALUES),
                        Fallback::text("different"),
                        "Whether the new value must differ from the old one.",
                    ),
                ],
                source: "Eiben and Smith (2015), doi:10.1007/978-3-662-44874-8",
            },
            make: |values, _| {
                Ok(MutationKind::Reset {
                    genes: values.given_real("gene-rate").map_or(Genes::One, Genes::Each),
                    different: values.choice("value") != "any",
                })
            },
        },
        Entry {
            operator: Operator {
                name: "swap",
                summary: "Two positions exchange their genes.",
                domain: Domain::Rearranged,
                parameters: &[RATE],
                source: "Syswerda (1991)",
            },
            make: |_, _| Ok(MutationKind::Swap),
        },
        Entry {
            operator: Operator {
                name: "insert",
                summary: "A gene moves to another position.",
                domain: Domain::Rearranged,
                parameters: &[RATE],
                source: "Fogel (1988), doi:10.1007/BF00363857",
            },
            make: |_, _| Ok(MutationKind::Insert),
        },
        Entry {
            operator: Operator {
                name: "inversion",
                summary: "The genes between two positions are reversed.",
                domain: Domain::Rearranged,
                parameters: &[RATE],
                source: "Holland (1975)",
            },
            make: |_, _| Ok(MutationKind::Inversion),
        },
        Entry {
            operator: Operator {
                name: "scramble",
                summary: "The genes between two positions are shuffled.",
                domain: Domain::Rearranged,
                parameters: &[RATE],
                source: "Syswerda (1991)",
            },
            make: |_, _| Ok(MutationKind::Scramble),
        },
        Entry {
            operator: Operator {
                name: "bit-flip",
                summary: "Bits are flipped.",
                domain: Domain::Encodings(&[Encoding::Bits]),
                parameters: &[
                    RATE,
                    gene_rate(ONE_OF_ALL),
                    Parameter::new(
                        "strength",
                        Kind::choice(STRENGTHS),
                        Fallback::Derived("each bit with gene-rate"),
                        "How many bits flip: exactly one; each with gene-rate, drawn again until \
                        one flips; a number from 1 to n/2 that follows a power law; or each with \
                        rate k/n, where k follows it.",
                    ),
                    Parameter::new(
                        "beta",
                        Kind::Real {
                            low: 1.0,
                            high: f64::INFINITY,
                            low_open: true,
                            high_open: true,
                        },
                        Fallback::Derived("1.5 with a power law"),
                        "Exponent of the power law: the larger, the fewer bits flip.",
                    ),
                ],
                source: "Holland (1975); Mühlenbein (1992) for the rate; Doerr, Ye, Horesh, Wang, \
                    Shir and Bäck (2020), doi:10.1016/j.asoc.2019.106027, for at-least-one and \
                    power-law; Doerr, Le, Makhmara and Nguyen (2017), \
                    doi:10.1145/3071178.3071301, for power-law-rate",
            },
            make: |values, context| {
                let genes = flipped(values, context.problem.genome_length)?;
                Ok(MutationKind::BitFlip { genes })
            },
        },
        Entry {
            operator: Operator {
                name: "gaussian",
                summary: "Adds normally distributed numbers; the result stays within bounds.",
                domain: Domain::Encodings(&[Encoding::Real]),
                parameters: &[
                    RATE,
                    Parameter::varying(
                        "sigma",
                        Kind::real(0.0, 1e6),
                        Fallback::real(SIGMA),
                        "Standard deviation, as a multiple of the gene's range.",
                    ),
                    gene_rate(Fallback::real(1.0)),
                ],
                source: "Rechenberg (1973); Schwefel (1981)",
            },
            make: |values, _| {
                Ok(MutationKind::Gaussian {
                    sigma: values.real("sigma"),
                    genes: Genes::Each(values.real("gene-rate")),
                })
            },
        },
        Entry {
            operator: Operator {
                name: "polynomial",
                summary: "Steps with a polynomial distribution, truncated at the bounds.",
                domain: Domain::Encodings(&[Encoding::Real]),
                parameters: &[
                    RATE,
                    Parameter::new(
                        "eta",
                        Kind::real(0.0, 1e6),
                        Fallback::real(20.0),
                        "Distribution index: the larger, the smaller the steps.",
                    ),
                    gene_rate(ONE_OF_ALL),
                ],
                source: "Deb and Goyal (1996); Deb (2001)",
            },
            make: |values, context| {
                Ok(MutationKind::Polynomial {
                    eta: values.real("eta"),
                    genes: one_of_all(values, context.problem.genome_length),
                })
            },
        },
        mixed::MIXED,
        self_adaptive::SELF_ADAPTIVE_BIT_FLIP,
        self_adaptive::SELF_ADAPTIVE_GAUSSIAN,
        Entry {
            operator: Operator {
                name: "problem",
                summary: "The plugin's own mutation.",
                domain: Domain::Plugin,
                parameters: &[RATE],
                source: "the plugin",
            },
            make: |_, _| Ok(MutationKind::Problem),
        },
    ],
};

/// Destination of a mutation: a genome in place, or a list of changes. Each gene is read before it
/// is written, and written at most once.
trait Target<G> {
    fn length(&self) -> usize;
    fn gene(&self, locus: usize) -> G;
    fn put(&mut self, locus: usize, gene: G);
}

impl<G: Gene> Target<G> for &mut [G] {
    #[inline]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline]
    fn gene(&self, locus: usize) -> G {
        self[locus]
    }

    #[inline]
    fn put(&mut self, locus: usize, gene: G) {
        self[locus] = gene;
    }
}

/// Target that leaves the genome unchanged and adds the changes to a list.
struct Listed<'row, G> {
    row: &'row [G],
    list: &'row mut MoveList<G>,
}

impl<G: Gene> Target<G> for Listed<'_, G> {
    #[inline]
    fn length(&self) -> usize {
        self.row.len()
    }

    #[inline]
    fn gene(&self, locus: usize) -> G {
        self.row[locus]
    }

    #[inline]
    fn put(&mut self, locus: usize, gene: G) {
        self.list.change(locus, gene);
    }
}

/// Mutation of genomes in place, prepared for repeated use.
#[derive(Clone, Debug)]
pub(crate) struct RowMutation {
    kind: MutationKind,
    loci: Loci,
}

impl RowMutation {
    /// Prepares a mutation of this kind.
    pub(crate) fn of(kind: MutationKind) -> Self {
        RowMutation { kind, loci: Loci::of(kind.genes().unwrap_or(Genes::One)) }
    }

    /// Mutates a row. Does nothing for a mutation of a plugin, which the caller must call, and for
    /// a self-adaptive one, which needs the individual's strength.
    #[inline]
    pub(crate) fn mutate<G: Gene>(&self, row: &mut [G], bounds: &Bounds, random: &mut Random) {
        let loci = &self.loci;
        match self.kind {
            MutationKind::Reset { different, .. } => reset(row, bounds, loci, different, random),
            MutationKind::Swap => swap(row, random),
            MutationKind::Insert => insert(row, random),
            MutationKind::Inversion => inversion(row, random),
            MutationKind::Scramble => scramble(row, random),
            MutationKind::BitFlip { .. } => bit_flip(row, loci, random),
            MutationKind::Gaussian { sigma, .. } => gaussian(row, bounds, sigma, loci, random),
            MutationKind::Polynomial { eta, .. } => polynomial(row, bounds, eta, loci, random),
            MutationKind::Mixed { sigma, .. } => mixed::mixed(row, bounds, sigma, loci, random),
            MutationKind::SelfAdaptiveGaussian(_)
            | MutationKind::SelfAdaptiveBitFlip(_)
            | MutationKind::Problem
            | MutationKind::Plugin => {}
        }
    }
}

/// Sets the genes that change to new uniform values within the bounds. If `different`, integers and
/// bits are uniform among all values but the old one. A gene whose bounds allow only one value
/// keeps it.
///
/// Source: random resetting, Eiben and Smith (2015), section 4.3.1, doi:10.1007/978-3-662-44874-8;
/// for real genes: uniform mutation, Michalewicz (1992), doi:10.1007/978-3-662-02830-8.
#[inline]
fn reset<G: Gene>(
    mut row: impl Target<G>,
    bounds: &Bounds,
    loci: &Loci,
    different: bool,
    random: &mut Random,
) {
    match loci {
        Loci::One => {
            let locus = below(random, row.length());
            reset_one(&mut row, bounds, locus, different, random);
        }
        _ => loci.each(row.length(), random, |locus, random| {
            reset_one(&mut row, bounds, locus, different, random);
        }),
    }
}

/// Draws a gene's new value. Always inlined, and called without [`Loci::each`] for one gene.
/// Searches by moves spend most of their time here.
#[inline(always)]
fn reset_one<G: Gene>(
    row: &mut impl Target<G>,
    bounds: &Bounds,
    locus: usize,
    different: bool,
    random: &mut Random,
) {
    if G::KIND == GeneKind::F64
        && let Bounds::Mixed(genes) = bounds
    {
        let new = mixed::reset(&genes[locus], row.gene(locus).to_f64(), different, random);
        row.put(locus, G::from_f64(new));
        return;
    }
    let (low, high) = bounds.of(locus);
    if G::KIND == GeneKind::F64 {
        row.put(locus, G::from_f64((low + (high - low) * unit(random)).clamp(low, high)));
        return;
    }
    // Integer bounds fit a gene. Casts of real numbers to 32 bits are faster than casts to 64 bits.
    let (first, values) = (low as u32 as usize, (high - low) as u32 as usize + 1);
    let old = row.gene(locus).to_index() - first;
    let new = if !different || values == 1 {
        below(random, values)
    } else {
        // There is one value fewer, because the old value is skipped.
        let draw = below(random, values - 1);
        draw + usize::from(draw >= old)
    };
    row.put(locus, G::from_index(first + new));
}

/// Exchanges the genes of two different places. A row of one gene stays unchanged.
///
/// Source: Syswerda (1991), "Schedule optimization using genetic algorithms".
#[inline]
pub(crate) fn swap<G: Gene>(row: &mut [G], random: &mut Random) {
    if let Some((one, other)) = two_places(row.len(), random) {
        row.swap(one, other);
    }
}

/// Moves one gene to another place; the genes between shift by one.
///
/// Source: Fogel (1988), "An evolutionary approach to the traveling salesman problem",
/// doi:10.1007/BF00363857.
#[inline]
pub(crate) fn insert<G: Gene>(row: &mut [G], random: &mut Random) {
    if let Some((from, to)) = two_places(row.len(), random) {
        shift(row, from, to);
    }
}

/// Reverses the genes between two different places, both included.
///
/// Source: Holland (1975); as 2-opt move: Croes (1958), doi:10.1287/opre.6.6.791.
#[inline]
pub(crate) fn inversion<G: Gene>(row: &mut [G], random: &mut Random) {
    if let Some((one, other)) = two_places(row.len(), random) {
        row[one.min(other)..=one.max(other)].reverse();
    }
}

/// Shuffles the genes between two different places, both included.
///
/// Source: Syswerda (1991), "Schedule optimization using genetic algorithms".
#[inline]
pub(crate) fn scramble<G: Gene>(row: &mut [G], random: &mut Random) {
    if let Some((one, other)) = two_places(row.len(), random) {
        shuffle(&mut row[one.min(other)..=one.max(other)], random);
    }
}

/// Inverts the bits that change.
///
/// Source: Holland (1975); the rate 1 / length: Mühlenbein (1992), "How genetic algorithms really
/// work"; numbers that follow a power law: Doerr, Ye, Horesh, Wang, Shir and Bäck (2020),
/// doi:10.1016/j.asoc.2019.106027; rates that do: Doerr, Le, Makhmara and Nguyen (2017),
/// doi:10.1145/3071178.3071301.
#[inline]
fn bit_flip<G: Gene>(mut row: impl Target<G>, loci: &Loci, random: &mut Random) {
    loci.each(row.length(), random, |locus, _| {
        row.put(locus, inverted(row.gene(locus)));
    });
}

/// Returns the other value of a bit.
#[inline]
fn inverted<G: Gene>(bit: G) -> G {
    G::from_index(1 - bit.to_index())
}

/// Adds a normal number with standard deviation `sigma` times the width of the gene's range. A
/// result beyond a bound is set to the bound.
///
/// Source: Rechenberg (1973), "Evolutionsstrategie"; Schwefel (1981), "Numerical Optimization of
/// Computer Models".
#[inline]
fn gaussian<G: Gene>(
    mut row: impl Target<G>,
    bounds: &Bounds,
    sigma: f64,
    loci: &Loci,
    random: &mut Random,
) {
    loci.each(row.length(), random, |locus, random| {
        let (low, high) = bounds.of(locus);
        let moved = row.gene(locus).to_f64() + sigma * (high - low) * normal(random);
        row.put(locus, G::from_f64(moved.clamp(low, high)));
    });
}

/// Mutates genes with a polynomial distribution, truncated at the bounds. The greater `eta`, the
/// closer the new value is to the old one.
///
/// Source: Deb and Goyal (1996), "A combined genetic adaptive search (GeneAS) for engineering
/// design"; with bounds: Deb (2001), "Multi-Objective Optimization Using Evolutionary Algorithms".
#[inline]
fn polynomial<G: Gene>(
    mut row: impl Target<G>,
    bounds: &Bounds,
    eta: f64,
    loci: &Loci,
    random: &mut Random,
) {
    loci.each(row.length(), random, |locus, random| {
        let (low, high) = bounds.of(locus);
        let (value, width) = (row.gene(locus).to_f64(), high - low);
        if width <= 0.0 {
            return;
        }
        let (number, exponent) = (unit(random), 1.0 / (eta + 1.0));
        let step = if number < 0.5 {
            let room = 1.0 - (value - low) / width;
            power(2.0 * number + (1.0 - 2.0 * number) * power(room, eta + 1.0), exponent) - 1.0
        } else {
            let room = 1.0 - (high - value) / width;
            1.0 - power(
                2.0 * (1.0 - number) + (2.0 * number - 1.0) * power(room, eta + 1.0),
                exponent,
            )
        };
        row.put(locus, G::from_f64((value + step * width).clamp(low, high)));
    });
}

/// Draws two different places, every ordered pair equally likely. `None` if the row has fewer than
/// 2 genes.
#[inline]
fn two_places(length: usize, random: &mut impl Rng) -> Option<(usize, usize)> {
    if length < 2 {
        return None;
    }
    let one = below(random, length);
    let draw = below(random, length - 1);
    Some((one, draw + usize::from(draw >= one)))
}

#[cfg(test)]
mod tests;
