//! Algorithms: what drives a search, with their parameters.

use super::Neighborhood;
use super::domain::Domain;
use super::mutation::{Genes, MutationKind, SIGMA};
use super::registry::{Entry, Family, Operator, Slot};
use super::set::Evolutionary;
use super::values::{Complaint, Context, Make, Values};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Description, Encoding, Space};
use std::borrow::Cow;

/// A search algorithm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Algorithm {
    /// A population that selects, varies and replaces.
    Evolutionary(Evolutionary),
    /// Independent samples of the problem, so many per generation.
    RandomSearch {
        /// Samples per generation; at least 1.
        population: usize,
    },
    /// From one genome to a better neighbour, until there is none.
    HillClimbing(HillClimbingSettings),
    /// One genome, and moves for the worse by chance, ever fewer.
    SimulatedAnnealing(AnnealingSettings),
    /// Every genome of the space in order, so many per generation.
    Exhaustive {
        /// Genomes per generation; at least 1.
        population: usize,
    },
}

/// How hill climbing moves in its `Neighborhood`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HillClimbingSettings {
    /// Which of the better neighbours is taken.
    pub pivoting_rule: PivotingRule,
    /// The most moves in a row to neighbours of equal fitness.
    pub sideways: u64,
    /// Whether a local optimum leads to a restart at a random genome; otherwise it ends the trial.
    pub restarts: bool,
}

/// Which neighbour hill climbing moves to (Aarts and Lenstra 2003, Local Search in Combinatorial
/// Optimization, doi:10.2307/j.ctv346t9c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotingRule {
    /// The best of all; among equals a random one.
    Steepest,
    /// The first better one, in random order.
    FirstImprovement,
}

/// The cooling schedule of simulated annealing, and its proposals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnnealingSettings {
    /// Temperature of the first generation, in units of fitness; greater than 0.
    pub temperature: f64,
    /// Factor of the temperature from one generation to the next; in (0, 1].
    pub cooling: f64,
    /// Proposals per generation.
    pub moves: usize,
    /// What proposes.
    pub mutation: MutationKind,
}

impl Algorithm {
    /// Individuals of the first generation.
    #[must_use]
    pub fn population(&self) -> usize {
        match self {
            Algorithm::Evolutionary(Evolutionary { population, .. })
            | Algorithm::RandomSearch { population }
            | Algorithm::Exhaustive { population } => *population,
            Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_) => 1,
        }
    }

    /// Evaluations of a trial that runs for so many generations; none where that is not settled
    /// beforehand.
    #[must_use]
    pub fn evaluations(&self, generations: u64) -> Option<u64> {
        let each = match self {
            Algorithm::Evolutionary(set) => set.replacement.offspring(set.population),
            Algorithm::RandomSearch { population } | Algorithm::Exhaustive { population } => {
                *population
            }
            Algorithm::SimulatedAnnealing(annealing) => annealing.moves,
            Algorithm::HillClimbing(_) => return None,
        };
        generations.checked_mul(each as u64)?.checked_add(self.population() as u64)
    }
}

/// How an algorithm is made, and of what.
#[derive(Clone, Copy, Debug)]
pub enum Recipe {
    /// Of the other slots, as [`Evolutionary`] has them.
    Slots,
    /// Of its own parameters, and of the genomes per generation.
    Batches(Make<Algorithm>),
    /// Of its own parameters alone.
    Alone(Make<Algorithm>),
    /// Of its own parameters, and of a mutation that proposes moves; none: the one that draws a
    /// neighbour.
    Proposals(fn(&mut Values, Context<'_>, Option<MutationKind>) -> Result<Algorithm, Complaint>),
}

/// Genomes per generation of an algorithm that goes through many, where nothing else is said.
pub const BATCH: usize = 100;

/// Most neighbours that a climb may have to look at in a step, and list: 2^24, one of 4,096 queens
/// in rows.
const MOST_NEIGHBORS: u64 = 1 << 24;

/// Most genomes that an exhaustive search may go through: a day's work at 100 ns each.
const LARGEST_SPACE: u64 = 1_000_000_000_000;

const STEPS: &[Cow<'static, str>] =
    &[Cow::Borrowed("steepest"), Cow::Borrowed("first-improvement")];

/// The algorithms, in the order of the documentation.
pub static ALGORITHMS: Family<Recipe> = Family {
    slot: Slot::Algorithm,
    plugin: None,
    entries: &[
        Entry {
            operator: Operator {
                name: "evolutionary",
                summary: "A population with selection, variation and replacement, which the other \
                    slots define.",
                domain: Domain::Any,
                parameters: &[],
                source: "Holland (1975); De Jong (2006), Evolutionary Computation: A Unified \
                    Approach",
            },
            make: Recipe::Slots,
        },
        Entry {
            operator: Operator {
                name: "random-search",
                summary: "Independent random genomes; a generation is `population` of them.",
                domain: Domain::Any,
                parameters: &[],
                source: "Brooks (1958), doi:10.1287/opre.6.2.244",
            },
            make: Recipe::Batches(|_, Context { population, .. }| {
                Ok(Algorithm::RandomSearch { population })
            }),
        },
        Entry {
            operator: Operator {
                name: "hill-climbing",
                summary: "A genome that moves to better neighbours; a generation is one move or \
                    one restart.",
                domain: Domain::Encodings(&[
                    Encoding::Integer,
                    Encoding::Permutation,
                    Encoding::Bits,
                ]),
                parameters: &[
                    Parameter::new(
                        "step",
                        Kind::choice(STEPS),
                        Fallback::text("steepest"),
                        "To the best neighbour, or to the first better one in random order.",
                    ),
                    Parameter::new(
                        "sideways",
                        Kind::Integer { low: 0, high: 1_000_000_000 },
                        Fallback::integer(0),
                        "Consecutive moves to equally good neighbours before the climb counts as \
                        stuck.",
                    ),
                    Parameter::new(
                        "restarts",
                        Kind::Boolean,
                        Fallback::Value(Value::Boolean(true)),
                        "Whether a stuck climb restarts at a random genome; otherwise the trial \
                        ends as `stagnated`.",
                    ),
                ],
                source: "Russell and Norvig (2021), Artificial Intelligence: A Modern Approach, \
                    section 4.1",
            },
            make: Recipe::Alone(|values, context| {
                listable(context.problem)?;
                Ok(Algorithm::HillClimbing(HillClimbingSettings {
                    pivoting_rule: match values.choice("step") {
                        "first-improvement" => PivotingRule::FirstImprovement,
                        _ => PivotingRule::Steepest,
                    },
                    sideways: values.count("sideways") as u64,
                    restarts: values.flag("restarts"),
                }))
            }),
        },
        Entry {
            operator: Operator {
                name: "simulated-annealing",
                summary: "A genome that also moves to worse neighbours, less often as it cools; a \
                    generation is one temperature.",
                domain: Domain::Where(movable),
                parameters: &[
                    Parameter::new(
                        "temperature",
                        Kind::Real {
                            low: 0.0,
                            high: f64::INFINITY,
                            low_open: true,
                            high_open: true,
                        },
                        Fallback::real(1.0),
                        "Initial temperature, in units of fitness: a move that is worse by this \
                        much is accepted with probability 1/e.",
                    ),
                    Parameter::new(
                        "cooling",
                        Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                        Fallback::real(0.95),
                        "Factor of the temperature from one generation to the next.",
                    ),
                    Parameter::new(
                        "moves",
                        Kind::Integer { low: 1, high: 100_000_000 },
                        Fallback::Derived("the genome's length"),
                        "Moves proposed at each temperature.",
                    ),
                ],
                source: "Kirkpatrick, Gelatt and Vecchi (1983), doi:10.1126/science.220.4598.671",
            },
            make: Recipe::Proposals(|values, context, mutation| {
                let moves = values.given_count("moves").unwrap_or(context.problem.genome_length);
                values.settle_count("moves", moves);
                Ok(Algorithm::SimulatedAnnealing(AnnealingSettings {
                    temperature: values.real("temperature"),
                    cooling: values.real("cooling"),
                    moves,
                    mutation: mutation.unwrap_or(neighbor(context.problem.encoding)),
                }))
            }),
        },
        Entry {
            operator: Operator {
                name: "exhaustive",
                summary: "Every genome in order, as the plugin or the encoding numbers them; a \
                    generation is `population` of them.",
                domain: Domain::Where(numbered),
                parameters: &[],
                source: "-",
            },
            make: Recipe::Batches(|_, Context { population, problem, .. }| {
                small_enough(problem)?;
                Ok(Algorithm::Exhaustive { population })
            }),
        },
    ],
};

/// Whether a climb can list the neighbours.
fn listable(problem: &Description) -> Result<(), Complaint> {
    let neighbors = Neighborhood::of(problem).map_or(0, |neighborhood| neighborhood.count());
    if neighbors <= MOST_NEIGHBORS {
        return Ok(());
    }
    Err(Complaint::new(
        format!(
            "a genome of this problem has {neighbors} neighbours, and hill climbing lists at most \
            {MOST_NEIGHBORS}"
        ),
        "choose `simulated-annealing`, which draws its neighbours",
    ))
}

/// Whether something can propose moves.
fn movable(problem: &Description) -> Result<(), String> {
    if problem.encoding == Encoding::Opaque && !problem.has_mutate {
        return Err("only the plugin knows the encoding, and it provides no mutation to propose \
            moves"
            .into());
    }
    Ok(())
}

/// The mutation that draws a neighbour.
fn neighbor(encoding: Encoding) -> MutationKind {
    match encoding {
        Encoding::Integer => MutationKind::Reset { genes: Genes::One, different: true },
        Encoding::Permutation => MutationKind::Swap,
        Encoding::Bits => MutationKind::BitFlip { genes: Genes::One },
        Encoding::Real => MutationKind::Gaussian { sigma: SIGMA, genes: Genes::One },
        Encoding::Opaque => MutationKind::Problem,
    }
}

/// Whether the genomes are numbered, by the encoding or by the plugin.
fn numbered(problem: &Description) -> Result<(), String> {
    if matches!(problem.encoding, Encoding::Real | Encoding::Opaque) && problem.space_size.is_none()
    {
        return Err(format!("the plugin does not enumerate its {} genomes", problem.encoding));
    }
    Ok(())
}

/// Complains of a space that cannot be gone through.
fn small_enough(problem: &Description) -> Result<(), Complaint> {
    match Space::of(problem) {
        Some(space) if space.size() <= LARGEST_SPACE => Ok(()),
        space => {
            let size = space.map_or("2^64 or more".into(), |space| space.size().to_string());
            Err(Complaint::new(
                format!(
                    "the space has {size} genomes, and exhaustive search goes through at most \
                    {LARGEST_SPACE}"
                ),
                "choose `random-search` to sample it",
            ))
        }
    }
}
