//! Iterations of a tuning: draw settings, race them, and go on around those that are left.

use super::sampler::{Sampler, agree};
use super::schedule::{Schedule, survivors};
use super::seeds::seed_of;
use super::space::{Point, Space};
use crate::sequential::cost_race::Fate;

/// Number of draws per new setting before it is given up, because settings are invalid or were
/// tried before.
const DRAWS: usize = 100;

/// Setting that takes part in a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Coordinates; `None` for the settings that the tuning begins with.
    pub point: Option<Point>,
    /// Number of the iteration that drew it.
    pub iteration: u32,
    /// Index of the setting around which it was drawn; `None` if it was drawn anywhere.
    pub parent: Option<usize>,
}

/// Race of an iteration, before it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// Number of the iteration, from 1.
    pub number: u32,
    /// Indices of the settings that race, among all settings.
    pub settings: Vec<usize>,
    /// Maximum cost, in units of the budget.
    pub budget: u64,
    /// Number of settings at which the race ends.
    pub leave: usize,
    /// Whether the survivors of the iteration before agreed.
    pub restarted: bool,
}

/// Result of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Raced {
    /// Fate of each setting of the race.
    pub fates: Vec<Fate>,
    /// Places of the settings in the race, the best first.
    pub order: Vec<usize>,
    /// Cost of the race, in units of the budget.
    pub spent: u64,
}

/// Source of races between settings.
pub trait Races {
    /// Reason why a race cannot be run to its end.
    type Error;

    /// Returns whether a setting can be tried: it is valid and differs from all earlier ones.
    fn accepts(&mut self, point: &Point) -> Result<bool, Self::Error>;

    /// Returns the expected cost of a trial, in units of the budget.
    fn cost_of_trial(&self) -> f64;

    /// Runs the race of an iteration. `settings` are all settings so far.
    fn race(&mut self, iteration: &Iteration, settings: &[Setting]) -> Result<Raced, Self::Error>;
}

/// Result of a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// All settings that were tried. The first is the one that the tuning begins with.
    pub settings: Vec<Setting>,
    /// The iterations, with their results.
    pub iterations: Vec<(Iteration, Raced)>,
    /// Indices of the settings that the last iteration left, the best first.
    pub survivors: Vec<usize>,
}

/// Runs iterations until the budget is spent, or every setting was tried. All settings follow from
/// `seed` and the results of the races. `instances` is the number of instances of the problem.
///
/// # Errors
/// Returns an error if a race has no end.
pub fn tune<R: Races>(
    space: &dyn Space,
    (seed, budget, instances): (u64, u64, usize),
    races: &mut R,
) -> Result<Tuned, R::Error> {
    let keys = space.dimensions().len();
    let mut schedule = Schedule::new(keys, budget, instances);
    let base = Setting { point: None, iteration: 1, parent: None };
    let mut tuned = Tuned { settings: vec![base], iterations: Vec::new(), survivors: vec![0] };
    let (base, mut restarted) = (space.base(), false);
    loop {
        let cost = races.cost_of_trial();
        let Some((budget, count)) = schedule.budget(cost).zip(schedule.settings(cost)) else {
            break;
        };
        let number = schedule.iteration;
        let mut sampler = Sampler::new(space, seed_of(seed, b"settings of a tuning", number));
        let new = count.saturating_sub(tuned.survivors.len());
        let (initial, parents) = match number {
            1 => (space.initial(), Vec::new()),
            _ => (&[][..], tuned.points(&base)),
        };
        let drawn = draw(&mut sampler, (&parents, initial), (number, new, schedule.width), races)?;
        if drawn.is_empty() {
            break;
        }
        let count = drawn.len();
        let racing = tuned.survivors.iter().copied();
        let settings: Vec<usize> =
            racing.chain(tuned.settings.len()..).take(tuned.survivors.len() + count).collect();
        tuned.settings.extend(drawn);
        // Few settings, as in a small space, race until one of them is left.
        let leave = survivors(keys).min(settings.len() - 1);
        let iteration = Iteration { number, settings, budget, leave, restarted };
        let raced = races.race(&iteration, &tuned.settings)?;
        let left = raced.order.iter().filter(|place| raced.fates[**place] == Fate::Left);
        // All settings that the race left stay, also if it went on to a single one.
        let left = left.take(survivors(keys));
        tuned.survivors = left.map(|place| iteration.settings[*place]).collect();
        let points: Vec<&Point> = tuned.points(&base).into_iter().map(|(_, point)| point).collect();
        restarted = points.len() > 1 && agree(&points);
        schedule = schedule.next(raced.spent, count, restarted);
        tuned.iterations.push((iteration, raced));
    }
    Ok(tuned)
}

impl Tuned {
    /// Returns the survivors that have coordinates, with these. `base`: those of the first setting.
    fn points<'a>(&'a self, base: &'a Option<Point>) -> Vec<(usize, &'a Point)> {
        let point = |one: usize| match one {
            0 => base.as_ref(),
            other => self.settings[other].point.as_ref(),
        };
        self.survivors.iter().filter_map(|one| Some((*one, point(*one)?))).collect()
    }
}

/// Draws up to `count` new settings of an iteration. Those of `initial` come first, however many
/// they are.
fn draw<R: Races>(
    sampler: &mut Sampler<'_>,
    (parents, initial): (&[(usize, &Point)], &[Point]),
    (iteration, count, width): (u32, usize, f64),
    races: &mut R,
) -> Result<Vec<Setting>, R::Error> {
    let (parents, points): (Vec<usize>, Vec<Point>) =
        parents.iter().map(|(place, point)| (*place, (*point).clone())).unzip();
    let mut drawn = Vec::new();
    for point in initial {
        if races.accepts(point)? {
            drawn.push(Setting { point: Some(point.clone()), iteration, parent: None });
        }
    }
    let count = count.saturating_sub(drawn.len());
    let first = if points.is_empty() { sampler.spread(count) } else { Vec::new() };
    let mut first = first.into_iter();
    for _ in 0..count {
        for _ in 0..DRAWS {
            let (point, parent) = match first.next() {
                Some(point) => (point, None),
                None if points.is_empty() => (sampler.anywhere(), None),
                None => {
                    let (point, parent) = sampler.near(&points, width);
                    (point, Some(parents[parent]))
                }
            };
            if races.accepts(&point)? {
                drawn.push(Setting { point: Some(point), iteration, parent });
                break;
            }
        }
    }
    Ok(drawn)
}
