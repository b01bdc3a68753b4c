//! The run of a tuning: an experiment for each iteration, and one for the comparison at the end.

use super::error::TuningError;
use super::finalist::{DroppedOut, Finalist};
use super::record::{TEST, TuningRecord, iteration_name};
use super::result::{End, SettingResult, TuningResult};
use super::shard_claims::ShardClaims;
use super::shared::run_shard;
use super::table::write_settings;
use crate::config::{Catalogue, Stage, Tuning};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::shard::Shard;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::plan::{Arm, CostRace, Limit, Plan};
use crate::record::{Outcome, TrialRecord};
use crate::results::storage::atomic::write_atomically;
use crate::results::storage::folder::{TUNING_DIGEST, has_experiment};
use crate::results::storage::output_folder;
use crate::results::{Results, ResultsError};
use crate::run::{Ended, Observer, ResultsFolder, SessionOptions, run_experiment};
use crate::sequential::cost_race::{CostRaceState, Fate, cost_race};
use crate::sequential::costs::Costs;
use crate::tune::{Iteration, Point, Raced, Races, Setting, Tuned, seed_of, tune};
use std::collections::HashSet;

/// File with the settings that the comparison at the end left, for another tuning.
const SURVIVORS: &str = "survivors.toml";
/// Maximum number of survivors in the comparison at the end.
const FINALISTS: usize = 5;
/// Maximum number of trials of an arm in an iteration.
const MOST_TRIALS: u64 = 1_000_000;

/// Runs a tuning to its end, or until it is interrupted. `options.results` is the folder that has
/// the tuning's own; the experiments are in it, named `iteration-1`, `iteration-2`, … and `test`.
/// `shard`: the part of the trials that this process runs, while others run the rest over the same
/// folder; `None` for all.
///
/// # Errors
/// Returns an error if an experiment cannot be run to its end.
pub fn run_tuning(
    tuning: &Tuning,
    catalogue: &mut Catalogue,
    options: &SessionOptions,
    shard: Option<Shard>,
    observer: &mut dyn Observer,
) -> Result<TuningResult, TuningError> {
    let folder = options.results.holding(&options.results.path.join(&tuning.name));
    let options = SessionOptions { results: folder.clone(), ..options.clone() };
    refuse_other_tuning(tuning, &folder)?;
    let claims = shard.map(|shard| ShardClaims::new(&folder.path, shard)).transpose()?;
    let mut laboratory = Laboratory {
        tuning,
        catalogue,
        options,
        claims,
        observer,
        tried: HashSet::new(),
        totals: Totals::default(),
        of_settings: Vec::new(),
        timed_out: 0,
    };
    laboratory.is_new(None)?;
    let (limit, instances) = (tuning.schedule().left, tuning.instances(Stage::Train));
    let tuned = tune(tuning, (tuning.seed, limit, instances), &mut laboratory)?;
    let settings = laboratory.settings(&tuned);
    let (mut finalists, compared) = laboratory.compare(&tuned)?;
    for finalist in &mut finalists {
        let point = tuned.settings[finalist.setting].point.as_ref();
        finalist.lines = point.map_or_else(Vec::new, |point| tuning.lines(point));
    }
    let Totals { trials, evaluations, ran, .. } = laboratory.totals;
    let restarted = tuned.iterations.iter().filter(|(iteration, _)| iteration.restarted);
    let record = TuningRecord {
        settings: settings.len() as u64,
        iterations: tuned.iterations.len() as u64,
        restarts: restarted.map(|(iteration, _)| iteration.number).collect(),
        trials,
        failures: trials - ran,
        evaluations,
        test_trials: compared.trials,
        test_evaluations: compared.evaluations,
        timed_out: laboratory.timed_out,
        finalists,
        ..TuningRecord::new(tuning)
    };
    let result = TuningResult { folder, settings, record };
    let left = result.record.finalists.iter().filter(|one| one.dropped_out.is_none());
    let left = left.filter_map(|one| tuned.settings[one.setting].point.as_ref());
    let text = tuning.survivors_toml(&left.collect::<Vec<_>>());
    write_atomically(&result.folder.path.join(SURVIVORS), text.as_bytes())?;
    result.record.write(&result.folder.path)?;
    // The table comes last: it makes the folder that of a finished tuning.
    write_settings(&result)?;
    Ok(result)
}

/// Returns an error if the folder has the iterations of a tuning with other settings in `[tune]`;
/// otherwise states those of this one. A folder without the file is judged by each experiment.
fn refuse_other_tuning(tuning: &Tuning, folder: &ResultsFolder) -> Result<(), TuningError> {
    let path = folder.path.join(TUNING_DIGEST);
    match std::fs::read_to_string(&path) {
        Ok(digest) if digest.trim() == tuning.race_digest => Ok(()),
        Ok(_) => Err(TuningError::Other(folder.shown.clone())),
        Err(_) if folder.path.join(iteration_name(1)).exists() => Ok(()),
        Err(_) if has_experiment(&folder.path) => {
            let folder = folder.shown.clone();
            Err(ResultsError::OtherKind { folder, has: "an experiment" }.into())
        }
        Err(_) => {
            output_folder::create(&folder.path)?;
            Ok(write_atomically(&path, format!("{}\n", tuning.race_digest).as_bytes())?)
        }
    }
}

/// Costs so far, of all settings or of one.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    trials: u64,
    evaluations: u64,
    /// Number of trials that did not fail, and the sum of their costs.
    ran: u64,
    cost: f64,
}

impl Totals {
    /// Adds the trials of some arms.
    fn add(&mut self, costs: &Costs, arms: std::ops::Range<usize>) {
        for trial in arms.flat_map(|arm| (0..).map_while(move |trial| costs.at(arm, trial))) {
            self.trials += 1;
            self.evaluations += trial.evaluations;
            self.ran += u64::from(trial.cost.is_some());
            self.cost += trial.cost.unwrap_or(0.0);
        }
    }
}

struct Laboratory<'a> {
    tuning: &'a Tuning,
    catalogue: &'a mut Catalogue,
    options: SessionOptions,
    /// Claims of this process, if others run other shards.
    claims: Option<ShardClaims>,
    observer: &'a mut dyn Observer,
    /// Fingerprints of the settings that were tried, on the first instance.
    tried: HashSet<Fingerprint>,
    totals: Totals,
    of_settings: Vec<Totals>,
    /// Number of trials that the limit of seconds ended, those at the end too.
    timed_out: u64,
}

impl Races for Laboratory<'_> {
    type Error = TuningError;

    fn accepts(&mut self, point: &Point) -> Result<bool, TuningError> {
        if self.tuning.forbids(point) {
            return Ok(false);
        }
        match self.is_new(Some(point)) {
            Ok(is_new) => Ok(is_new),
            // Combinations of values that are each valid may be invalid.
            Err(TuningError::Config(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn cost_of_trial(&self) -> f64 {
        let Totals { trials, evaluations, .. } = self.totals;
        match self.tuning.budget {
            Limit::Evaluations(_) if trials > 0 => evaluations as f64 / trials as f64,
            _ => self.tuning.most_of_trial(),
        }
    }

    fn race(&mut self, iteration: &Iteration, settings: &[Setting]) -> Result<Raced, TuningError> {
        let Iteration { number, budget, leave, .. } = *iteration;
        let limit = match self.tuning.budget {
            Limit::Trials(_) => Limit::Trials(budget),
            Limit::Evaluations(_) => Limit::Evaluations(budget),
        };
        let instances = self.tuning.instances(Stage::Train);
        let race = CostRace { cost: self.tuning.cost, instances, leave, limit: Some(limit) };
        let most = (budget / (leave * instances) as u64).clamp(1, MOST_TRIALS);
        let points: Vec<Option<&Point>> =
            iteration.settings.iter().map(|one| settings[*one].point.as_ref()).collect();
        let name = iteration_name(number.into());
        let seed = self.tuning.seed_of_iteration(number);
        let (state, costs) = self.run((&name, seed, most), &points, (Stage::Train, race))?;
        let before = self.totals;
        for (place, setting) in iteration.settings.iter().enumerate() {
            self.count(*setting, &costs, place * instances..(place + 1) * instances);
        }
        let spent = match self.tuning.budget {
            Limit::Trials(_) => self.totals.trials - before.trials,
            Limit::Evaluations(_) => self.totals.evaluations - before.evaluations,
        };
        Ok(Raced { fates: state.fates, order: state.order, spent })
    }
}

impl Laboratory<'_> {
    /// Returns whether a setting is valid and was not tried before; then it is from now on.
    fn is_new(&mut self, point: Option<&Point>) -> Result<bool, TuningError> {
        let plan = self.tuning.plan(("probe", 0, 1), &[point], Stage::Train, self.catalogue)?;
        Ok(self.tried.insert(plan.arms[0].fingerprint))
    }

    /// Runs an experiment in which settings race. Returns the state of the race at its end, and the
    /// costs of its trials.
    fn run(
        &mut self,
        experiment: (&str, u64, u64),
        settings: &[Option<&Point>],
        (stage, race): (Stage, CostRace),
    ) -> Result<(CostRaceState, Costs), TuningError> {
        let (name, _, most) = experiment;
        let mut plan = self.tuning.plan(experiment, settings, stage, self.catalogue)?;
        let confidence = self.tuning.confidence;
        let criterion = StoppingCriterion::Cheapest(race.clone());
        plan.stopping_rule = Some(StoppingRule { criterion, confidence });
        self.refuse_other(&plan)?;
        match &mut self.claims {
            Some(claims) => {
                run_shard(&plan, &self.options, claims, self.observer)?;
                self.refuse_other(&plan)?;
            }
            None => match run_experiment(&plan, &self.options, self.observer)? {
                Ended::Finished(_) => {}
                ended => return Err(TuningError::Stopped(name.to_owned(), Box::new(ended))),
            },
        }
        let folder = self.options.results.path.join(name);
        let mut costs = Costs::new(race.cost, plan.arms.len());
        Results::open(&folder)?.figures(|record: TrialRecord| {
            self.timed_out += u64::from(record.outcome == Outcome::TimedOut);
            costs.add(&record);
        })?;
        Ok((cost_race(&costs, &race, confidence, most), costs))
    }

    /// Returns an error if the folder of an experiment has other settings: it is another tuning's,
    /// and its trials would be moved away.
    fn refuse_other(&self, plan: &Plan) -> Result<(), TuningError> {
        let results = &self.options.results;
        let has = Results::open(&results.path.join(&plan.name));
        let own = || plan.arms.iter().map(Arm::id);
        match has {
            Ok(has) if has.arms().iter().map(|arm| arm.id).ne(own()) => {
                Err(TuningError::Other(results.shown.join(&plan.name)))
            }
            // The run itself handles a folder that is absent or damaged.
            _ => Ok(()),
        }
    }

    /// Counts the trials of a setting in an iteration.
    fn count(&mut self, setting: usize, costs: &Costs, arms: std::ops::Range<usize>) {
        if self.of_settings.len() <= setting {
            self.of_settings.resize(setting + 1, Totals::default());
        }
        for totals in [&mut self.totals, &mut self.of_settings[setting]] {
            totals.add(costs, arms.clone());
        }
    }

    /// Returns the results of all settings.
    fn settings(&self, tuned: &Tuned) -> Vec<SettingResult> {
        let end = |number: usize| {
            if tuned.survivors.contains(&number) {
                return End::Survived;
            }
            let raced = tuned.iterations.iter().rev().find_map(|(iteration, raced)| {
                let place = iteration.settings.iter().position(|one| *one == number)?;
                Some((iteration, raced.fates[place]))
            });
            match raced {
                Some((iteration, Fate::DroppedOut { after, by })) => {
                    let by = iteration.settings[by];
                    End::DroppedOut { iteration: iteration.number, after, by }
                }
                Some((iteration, Fate::Left)) => End::Outranked { iteration: iteration.number },
                None => End::Survived,
            }
        };
        let result = |(number, setting): (usize, &Setting)| {
            let totals = self.of_settings.get(number).copied().unwrap_or_default();
            let none = || vec![None; self.tuning.keys().count()];
            SettingResult {
                number,
                iteration: setting.iteration,
                parent: setting.parent,
                values: setting.point.as_ref().map_or_else(none, |one| self.tuning.values(one)),
                trials: totals.ran,
                failures: totals.trials - totals.ran,
                mean_cost: (totals.ran > 0).then(|| totals.cost / totals.ran as f64),
                end: end(number),
            }
        };
        tuned.settings.iter().enumerate().map(result).collect()
    }

    /// Compares the best survivors and the setting of the file on the test instances, by trials
    /// with fresh seeds. Also returns what these trials took.
    fn compare(&mut self, tuned: &Tuned) -> Result<(Vec<Finalist>, Totals), TuningError> {
        let mut numbers: Vec<usize> = tuned.survivors.iter().copied().take(FINALISTS).collect();
        if !numbers.contains(&0) {
            numbers.push(0);
        }
        let instances = self.tuning.instances(Stage::Test);
        let race = CostRace { cost: self.tuning.cost, instances, leave: 1, limit: None };
        let points: Vec<Option<&Point>> =
            numbers.iter().map(|one| tuned.settings[*one].point.as_ref()).collect();
        let seed = seed_of(self.tuning.seed, b"test of a tuning", 0);
        let most = self.tuning.test_repeats;
        let (state, costs) = self.run((TEST, seed, most), &points, (Stage::Test, race))?;
        let arms = |place: usize| place * instances..(place + 1) * instances;
        let own = numbers.iter().position(|number| *number == 0).map(arms);
        let finalist = |place: &usize| {
            let setting = numbers[*place];
            let dropped_out = match state.fates[*place] {
                Fate::Left => None,
                Fate::DroppedOut { after, by } => Some(DroppedOut { after, by: numbers[by] }),
            };
            let own = own.clone().filter(|_| setting != 0);
            Finalist::new(setting, &costs, arms(*place), own, dropped_out)
        };
        let finalists = state.order.iter().map(finalist).collect();
        let mut compared = Totals::default();
        compared.add(&costs, 0..numbers.len() * instances);
        Ok((finalists, compared))
    }
}
