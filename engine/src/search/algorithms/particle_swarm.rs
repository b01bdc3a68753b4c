//! Particle swarm optimisation. Each particle flies on with part of its velocity, and is drawn to
//! the best position that it has found and to the best that its neighbours have found.
//!
//! Bratton and Kennedy (2007), doi:10.1109/SIS.2007.368035, with the constriction of Clerc and
//! Kennedy (2002), doi:10.1109/4235.985692. First velocities and bounds are those of Standard PSO
//! 2007: Clerc (2012), hal-00764996.

use crate::random::draws::{Random, unit};
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Ranking;
use std::borrow::Cow;
use std::iter::once;

/// Particle swarm optimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleSwarm {
    /// Number of particles; at least 2.
    pub population: usize,
    /// Particles that tell each other their best positions.
    pub topology: Topology,
    /// Share of the velocity that is kept, w.
    pub inertia: f64,
    /// Greatest factor of the way to the particle's own best position, c1.
    pub cognitive: f64,
    /// Greatest factor of the way to the neighbours' best position, c2.
    pub social: f64,
}

/// Particles that tell each other their best positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// All particles.
    Global,
    /// Each particle, the one before, and the one after.
    Ring,
}

impl Algorithm for ParticleSwarm {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    /// Returns the memory of positions, best positions and velocities.
    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 3 * self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Swarm::new(arm.problem, self))
    }
}

/// Inertia w: the constriction of Clerc and Kennedy (2002) for φ = 4.1, 2 / (φ - 2 + √(φ² - 4φ)).
const INERTIA: f64 = 0.729_844;
/// Acceleration c1 and c2: the constriction times φ / 2.
const ACCELERATION: f64 = 1.496_180;

const TOPOLOGIES: &[Cow<'static, str>] = &[Cow::Borrowed("global"), Cow::Borrowed("ring")];
const FACTOR: Kind = Kind::Real { low: 0.0, high: 100.0, low_open: false, high_open: false };

/// Entry of the algorithm in the registry.
pub(super) const PARTICLE_SWARM: Entry<Recipe> = Entry {
    operator: Operator {
        name: "particle-swarm",
        summary: "Particle swarm optimisation: particles fly towards the best positions that they \
            and their neighbours have found. A particle beyond a bound stops there.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "topology",
                Kind::choice(TOPOLOGIES),
                Fallback::text("ring"),
                "Neighbours of a particle: all particles, or the ones before and after it.",
            ),
            Parameter::new(
                "inertia",
                Kind::Real { low: -1.0, high: 1.0, low_open: true, high_open: true },
                Fallback::real(INERTIA),
                "Inertia w: share of the velocity that is kept.",
            ),
            Parameter::new(
                "cognitive",
                FACTOR,
                Fallback::real(ACCELERATION),
                "Acceleration c1: greatest factor of the way to the particle's own best position.",
            ),
            Parameter::new(
                "social",
                FACTOR,
                Fallback::real(ACCELERATION),
                "Acceleration c2: greatest factor of the way to the best position of its \
                neighbours.",
            ),
        ],
        source: "Kennedy and Eberhart (1995), doi:10.1109/ICNN.1995.488968; Clerc and Kennedy \
            (2002), doi:10.1109/4235.985692 (constriction); Bratton and Kennedy (2007), \
            doi:10.1109/SIS.2007.368035; Clerc (2012), hal-00764996 (first velocities, bounds)",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            Ok(Arc::new(ParticleSwarm {
                population: context.population,
                topology: match values.choice("topology") {
                    "global" => Topology::Global,
                    _ => Topology::Ring,
                },
                inertia: values.real("inertia"),
                cognitive: values.real("cognitive"),
                social: values.real("social"),
            }))
        },
    },
};

/// State of the swarm.
struct Swarm<'arm> {
    problem: &'arm Problem,
    settings: &'arm ParticleSwarm,
    positions: Population<f64>,
    /// Best position of each particle.
    best: Population<f64>,
    /// Velocity of each gene, row by row.
    velocities: Vec<f64>,
}

impl<'arm> Swarm<'arm> {
    fn new(problem: &'arm Problem, settings: &'arm ParticleSwarm) -> Self {
        let rows = settings.population;
        Swarm {
            problem,
            settings,
            positions: population_of(problem, rows),
            best: population_of(problem, rows),
            velocities: vec![0.0; rows * problem.description().genome_length],
        }
    }

    /// Draws the first velocities: half the way to a random position.
    fn draw_velocities(&mut self, random: &mut Random) {
        let Swarm { problem, positions, velocities, .. } = self;
        let bounds = &problem.description().bounds;
        let genes = positions.genes().iter().zip(velocities);
        for (place, (gene, velocity)) in genes.enumerate() {
            let (low, high) = bounds.of(place % positions.length());
            *velocity = 0.5 * (low + unit(random) * (high - low) - gene);
        }
    }

    /// Returns the row of the best position that a particle knows. Among equals, its own comes
    /// first, then the one before it; of the whole swarm, the first.
    fn leader(&self, row: usize, ranking: &Ranking) -> usize {
        let rows = self.best.rows();
        let better = |leader: usize, other: usize| {
            let is_better = ranking.key(&self.best, other) < ranking.key(&self.best, leader);
            if is_better { other } else { leader }
        };
        match self.settings.topology {
            Topology::Global => (0..rows).fold(0, better),
            Topology::Ring => {
                [(row + rows - 1) % rows, (row + 1) % rows].into_iter().fold(row, better)
            }
        }
    }

    /// Moves a particle.
    fn fly(&mut self, row: usize, leader: usize, random: &mut Random) {
        let Swarm { problem, settings, positions, best, velocities } = self;
        let length = positions.length();
        let (own, leading) = (best.row(row), best.row(leader));
        let velocities = &mut velocities[row * length..][..length];
        for (at, gene) in positions.row_mut(row).iter_mut().enumerate() {
            let (one, other) = (unit(random), unit(random));
            let velocity = settings.inertia * velocities[at]
                + settings.cognitive * one * (own[at] - *gene)
                + settings.social * other * (leading[at] - *gene);
            let (low, high) = problem.description().bounds.of(at);
            let flown = *gene + velocity;
            // With bounds near the greatest double, forces may be infinite and opposite.
            *gene = if flown.is_nan() { *gene } else { flown.clamp(low, high) };
            velocities[at] = if *gene == flown { velocity } else { 0.0 };
        }
    }
}

impl Search for Swarm<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        trial.begin(&mut self.positions)?;
        let rows = self.positions.rows();
        self.best.copy_rows(0, &self.positions, 0..rows);
        self.draw_velocities(&mut trial.random);
        Ok(())
    }

    /// Moves all particles by the best positions of the generations before.
    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        let rows = self.positions.rows();
        let of_all = match self.settings.topology {
            Topology::Global => Some(self.leader(0, &trial.ranking)),
            Topology::Ring => None,
        };
        for row in 0..rows {
            let leader = of_all.unwrap_or_else(|| self.leader(row, &trial.ranking));
            self.fly(row, leader, &mut trial.random);
        }
        trial.evaluate(&mut self.positions)?;
        let Swarm { positions, best, .. } = self;
        for row in 0..rows {
            if trial.ranking.key(positions, row) < trial.ranking.key(best, row) {
                best.copy_pairs(positions, once((row, row)));
            }
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.positions.save_or_restore(snapshot);
        self.best.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.velocities);
    }

    fn population(&self) -> &Population<f64> {
        &self.positions
    }
}
