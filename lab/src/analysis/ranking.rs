//! Rankings: arms ranked over several problems, each of which counts once.

use crate::analysis::Verdict;
use crate::analysis::comparison::{Sample, common_budget, limits_of_problems};
use crate::plan::swept_text;
use crate::stats::{
    Frequencies, Friedman, Rounded, critical_difference, friedman, holm, nemenyi, tied,
    tied_differences, wilcoxon,
};
use runner_engine::named;
use std::collections::{BTreeSet, HashMap, HashSet};

named! {
    /// Measure by which arms are ranked on each problem.
    pub enum Measure {
        /// Share of trials that succeed.
        SuccessRate = "success-rate",
        /// Expected running time. It is infinite for an arm that never succeeds; such arms tie.
        Ert = "ert",
        /// Median final fitness of the trials.
        FinalFitness = "fitness",
    }
}

/// Value of an arm on a problem; less is better.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Score {
    /// Successes and trials.
    Rate { successes: u64, trials: u64 },
    /// Evaluations of all trials, and successes.
    Ert { spent: f64, successes: u64 },
    /// The two middle values of the trials' final fitness.
    Fitness { low: f64, high: f64 },
}

impl Score {
    /// Returns the value that is shown.
    fn value(self) -> f64 {
        match self {
            Score::Rate { successes, trials } => successes as f64 / trials as f64,
            Score::Ert { successes: 0, .. } => f64::INFINITY,
            Score::Ert { spent, successes } => spent / successes as f64,
            Score::Fitness { low, high } => Rounded::mean(low, high).value,
        }
    }

    /// Returns the value such that less is better. A quotient of whole numbers is rounded once, so
    /// equal ones stay equal and the order is kept.
    fn scaled(self) -> Rounded {
        match self {
            Score::Rate { .. } => Rounded { value: -self.value(), error: 0.0 },
            Score::Ert { .. } => Rounded { value: self.value(), error: 0.0 },
            Score::Fitness { low, high } => Rounded::mean(low, high),
        }
    }

    /// Returns the difference to another score. Rates and fitness are subtracted. ERTs give the
    /// logarithm of their ratio, because problems differ in scale. Rates and ERTs are computed from
    /// whole numbers, so that equal differences are equal.
    fn apart(self, other: Score) -> Rounded {
        let exact = |value: f64| Rounded { value, error: 0.0 };
        match (self, other) {
            (Score::Rate { successes, trials }, Score::Rate { successes: theirs, trials: of }) => {
                let cross = |a: u64, b: u64| i128::from(a) * i128::from(b);
                let above = cross(theirs, trials) - cross(successes, of);
                exact(above as f64 / cross(trials, of) as f64)
            }
            (Score::Ert { spent, successes }, Score::Ert { spent: theirs, successes: of }) => {
                let (own, other) = (spent * of as f64, theirs * successes as f64);
                match (successes, of) {
                    (0, 0) => exact(0.0),
                    (0, _) => exact(f64::INFINITY),
                    (_, 0) => exact(f64::NEG_INFINITY),
                    _ if own >= other => exact(libm::log(own / other)),
                    _ => exact(-libm::log(other / own)),
                }
            }
            _ => Rounded::difference(self.scaled().value, other.scaled().value),
        }
    }
}

impl Measure {
    /// Returns an arm's value on a problem, within the problem's budget; `None` without trials. The
    /// ERT of an arm that never succeeds is infinite.
    #[must_use]
    pub fn value(self, problem: &Problem<'_>, sample: &Sample) -> Option<f64> {
        self.of(problem, sample).map(Score::value)
    }

    /// Returns an error with the reason if arms cannot be ranked by the measure on this problem.
    fn suits(self, problem: &Problem<'_>) -> Result<(), Unranked> {
        let arms = || problem.arms.iter().map(|(_, sample)| *sample);
        let of = |why| Err(Unranked { problem: problem.name.clone(), why });
        match self {
            Measure::SuccessRate | Measure::Ert if !arms().all(Sample::defines_success) => {
                of(Why::NoTarget)
            }
            Measure::FinalFitness if arms().any(|arm| problem.fitness_of(arm).is_none()) => {
                of(Why::Budgets)
            }
            _ => Ok(()),
        }
    }

    /// Returns whether two of these arms have different values on the problem.
    fn differs(self, problem: &Problem<'_>, arms: &HashSet<&str>) -> bool {
        let arms = problem.arms.iter().filter(|(name, _)| arms.contains(name.as_str()));
        let mut values = arms.filter_map(|(_, sample)| self.value(problem, sample));
        let first = values.next();
        values.any(|other| Some(other) != first)
    }

    /// Returns an arm's score within the problem's budget; `None` without trials.
    fn of(self, problem: &Problem<'_>, sample: &Sample) -> Option<Score> {
        let horizon = problem.horizon();
        (sample.trials() > 0).then_some(())?;
        Some(match self {
            Measure::SuccessRate => {
                Score::Rate { successes: sample.successes_within(horizon), trials: sample.trials() }
            }
            Measure::Ert => {
                let (spent, successes) = sample.spent_per_success(horizon);
                Score::Ert { spent, successes }
            }
            Measure::FinalFitness => {
                let (low, high) = problem.fitness_of(sample)?.middle()?;
                Score::Fitness { low, high }
            }
        })
    }

    /// Returns the score as if every failed trial had ended in one way. With success, it ends at
    /// once with the least possible fitness. Without, it spends its whole budget.
    fn settled(self, problem: &Problem<'_>, sample: &Sample, success: bool) -> Option<Score> {
        if sample.failures == 0 {
            return self.of(problem, sample);
        }
        match self.of(problem, &sample.settled(success))? {
            Score::Ert { spent, successes } if !success => {
                let each = problem.budget.map_or(f64::INFINITY, |budget| budget as f64);
                let successes = if each.is_finite() { successes } else { 0 };
                let lost = each.min(f64::MAX) * sample.failures as f64;
                Some(Score::Ert { spent: spent + lost, successes })
            }
            score => Some(score),
        }
    }
}

/// Reason why arms cannot be ranked by a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unranked {
    /// First problem without the measure.
    pub problem: String,
    /// Reason why the measure is unavailable.
    pub why: Why,
}

/// Reason why a measure is unavailable on a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No trial can be successful, because there is neither an ideal nor a target.
    NoTarget,
    /// The arms had different budgets, and no trace has the fitness at the smallest.
    Budgets,
}

/// Checks that arms can be ranked by this measure on all problems.
///
/// # Errors
/// Returns an error if the measure is unavailable on one of them.
pub fn suits(measure: Measure, problems: &[Problem<'_>]) -> Result<(), Unranked> {
    problems.iter().try_for_each(|problem| measure.suits(problem))
}

/// Returns the default measure: the first of success rate, ERT and final fitness that is available
/// on all problems, and in which any two of the ranked arms differ on some problem. Where none
/// differ, it is the first that is available.
///
/// # Errors
/// Returns an error if none is available on all problems.
pub fn first_measure(problems: &[Problem<'_>]) -> Result<Measure, Unranked> {
    let available = || Measure::ALL.into_iter().filter(|one| suits(*one, problems).is_ok());
    let by_name: Vec<HashMap<&str, &Sample>> = problems.iter().map(by_name).collect();
    let names = by_name.first().into_iter().flat_map(HashMap::keys).copied();
    let ranked: HashSet<&str> = names.filter(|name| lacking(&by_name, name).is_none()).collect();
    let differs =
        |measure: &Measure| problems.iter().any(|problem| measure.differs(problem, &ranked));
    match available().find(differs).or_else(|| available().next()) {
        Some(measure) => Ok(measure),
        None => suits(Measure::FinalFitness, problems).map(|()| Measure::FinalFitness),
    }
}

/// A problem with the arms that searched it.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// Name of the operator set.
    pub name: String,
    /// Arms with their names, which are the same on every problem.
    pub arms: Vec<(String, &'a Sample)>,
    /// Smallest budget of all arms, within which they are compared.
    pub budget: Option<u64>,
}

impl Problem<'_> {
    /// Returns the evaluations of a trial that count.
    #[must_use]
    pub fn horizon(&self) -> f64 {
        self.budget.map_or(f64::INFINITY, |evaluations| evaluations as f64)
    }

    /// Returns the final fitness of an arm's trials within the budget; `None` if unknown.
    fn fitness_of(&self, sample: &Sample) -> Option<Frequencies> {
        Some(sample.fitness_within(self.horizon())?.values().collect())
    }

    /// Returns the budget; `None` if no arm had more.
    pub(crate) fn lesser_budget(&self) -> Option<u64> {
        let horizon = self.horizon();
        self.budget.filter(|_| self.arms.iter().any(|(_, arm)| arm.had_more(horizon)))
    }
}

/// Returns the problems of named experiments: one per experiment, or one per problem if its sweep
/// has several. An arm is identified by its operator set and the swept values that are neither the
/// problem's nor limits that follow from it.
#[must_use]
pub fn problems<'a>(experiments: &[(&str, &'a [Sample])]) -> Vec<Problem<'a>> {
    let names = KeyNames::of(experiments.iter().flat_map(|(_, samples)| *samples));
    let mut all: Vec<Problem<'a>> = Vec::new();
    for (experiment, samples) in experiments {
        let mut settings: Vec<&str> = Vec::new();
        let before = all.len();
        for sample in *samples {
            let place = settings.iter().position(|known| *known == sample.problem);
            let place = place.unwrap_or_else(|| {
                settings.push(&sample.problem);
                let name = names.problem(experiment, sample);
                all.push(Problem { name, arms: Vec::new(), budget: None });
                settings.len() - 1
            });
            all[before + place].arms.push((names.arm(sample), sample));
        }
    }
    for problem in &mut all {
        problem.budget = common_budget(problem.arms.iter().map(|(_, sample)| *sample));
    }
    all
}

/// Short names of the swept keys of some arms: each the shortest ending that no other key has.
pub(super) struct KeyNames<'a> {
    keys: BTreeSet<&'a str>,
    /// Limits that follow from the problem, which tell no arms apart.
    limits: BTreeSet<&'a str>,
}

impl<'a> KeyNames<'a> {
    pub(super) fn of(samples: impl IntoIterator<Item = &'a Sample> + Clone) -> Self {
        let swept = samples.clone().into_iter().flat_map(|sample| &sample.swept);
        let keys = swept.map(|(key, _)| key.as_str()).collect();
        KeyNames { keys, limits: limits_of_problems(samples) }
    }

    /// Returns the name of an arm, which is the same on every problem: its operator set, and the
    /// swept values that are neither the problem's nor limits that follow from it.
    pub(super) fn arm(&self, sample: &Sample) -> String {
        self.with_values(&sample.operators, sample, false)
    }

    /// Returns the name of a problem: "pbo problem=one-max".
    fn problem(&self, experiment: &str, sample: &Sample) -> String {
        self.with_values(experiment, sample, true)
    }

    fn with_values(&self, name: &str, sample: &Sample, of_problem: bool) -> String {
        let mut words = name.to_owned();
        for (key, value) in &sample.swept {
            if key.starts_with("problem.") == of_problem && !self.limits.contains(key.as_str()) {
                words.push_str(&format!(" {}={}", self.short(key), swept_text(value)));
            }
        }
        words
    }

    fn short<'k>(&self, key: &'k str) -> &'k str {
        let is_alone = |ending: &&str| {
            let dotted = format!(".{ending}");
            let has_it = |other: &&&str| **other == *ending || other.ends_with(&dotted);
            self.keys.iter().filter(has_it).count() <= 1
        };
        let mut endings = key.rmatch_indices('.').map(|(dot, _)| &key[dot + 1..]);
        endings.find(is_alone).unwrap_or(key)
    }
}

/// Arms ranked over problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Measure by which arms are ranked.
    pub measure: Measure,
    /// Significance level of the tests.
    pub level: f64,
    /// Names of the problems.
    pub problems: Vec<String>,
    /// Arms, the least mean rank first.
    pub arms: Vec<RankedArm>,
    /// Number of failed trials of these arms.
    pub failures: u64,
    /// Smallest and greatest of the budgets at which arms are compared, among problems on which
    /// some arm had more. `None` without such a problem.
    pub budgets: Option<(u64, u64)>,
    /// Test that all operator sets rank alike.
    pub friedman: Friedman,
    /// Minimum difference of mean ranks that Nemenyi's test detects.
    pub critical_difference: f64,
    /// Every two arms, the one with the lesser mean rank first.
    pub pairs: Vec<RankedPair>,
}

/// An arm of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedArm {
    /// Name of the operator set.
    pub name: String,
    /// Mean rank, from 1, the best.
    pub mean_rank: f64,
    /// Value on each problem.
    pub values: Vec<f64>,
}

/// Two arms of a ranking, by their positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedPair {
    /// Index of the first operator set.
    pub first: usize,
    /// Index of the second operator set.
    pub second: usize,
    /// Second mean rank minus first.
    pub difference: f64,
    /// p-value of Nemenyi's test, which accounts for all pairs.
    pub nemenyi: f64,
    /// p-value of Wilcoxon's test of the differences over the problems. The second is adjusted for
    /// all pairs by Holm's method.
    pub wilcoxon: f64,
    /// P-value of the signed-rank test, adjusted for all pairs.
    pub wilcoxon_adjusted: f64,
    /// Whether the first ranks better, by Nemenyi's test, if Friedman's test finds any difference.
    /// It is open if failed trials could change it.
    pub verdict: Verdict,
}

/// An arm that cannot be ranked, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Name of the operator set.
    pub name: String,
    /// First problem on which it lacks trials.
    pub problem: String,
    /// Whether the arm exists there, but has no usable trial.
    pub silent: bool,
}

/// Ranks the arms that all problems have. Also returns the arms that some problem lacks. The
/// ranking is `None` with fewer than two arms or problems.
#[must_use]
pub fn rank(
    problems: &[Problem<'_>],
    measure: Measure,
    level: f64,
) -> (Option<Ranking>, Vec<LeftOut>) {
    let mut seen: HashSet<&str> = HashSet::new();
    let names = problems.iter().flat_map(|problem| &problem.arms).map(|(name, _)| name.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(name)).collect();
    let by_name: Vec<HashMap<&str, &Sample>> = problems.iter().map(by_name).collect();
    let (mut left_out, mut kept) = (Vec::new(), Vec::new());
    for name in names {
        match lacking(&by_name, name) {
            Some(place) => left_out.push(LeftOut {
                name: name.to_owned(),
                problem: problems[place].name.clone(),
                silent: by_name[place].contains_key(name),
            }),
            None => {
                let samples = by_name.iter().filter_map(|arms| arms.get(name).copied());
                kept.push((name.to_owned(), samples.collect()));
            }
        }
    }
    let table = Scores::of(problems, measure, &kept);
    let Some(friedman) = table.friedman() else { return (None, left_out) };
    let mut arms: Vec<(usize, RankedArm)> = kept
        .iter()
        .zip(&friedman.mean_ranks)
        .map(|((name, _), rank)| RankedArm {
            name: name.clone(),
            mean_rank: *rank,
            values: Vec::new(),
        })
        .enumerate()
        .collect();
    for (place, arm) in &mut arms {
        arm.values = table.own.iter().map(|scores| scores[*place].value()).collect();
    }
    arms.sort_by(|(_, a), (_, b)| a.mean_rank.total_cmp(&b.mean_rank));
    let pairs = pairs(&arms, &table, &friedman, level);
    let lesser = || problems.iter().filter_map(Problem::lesser_budget);
    let ranking = Ranking {
        measure,
        level,
        problems: problems.iter().map(|problem| problem.name.clone()).collect(),
        critical_difference: critical_difference(arms.len(), problems.len(), level),
        pairs,
        arms: arms.into_iter().map(|(_, arm)| arm).collect(),
        failures: table.failures,
        budgets: lesser().min().zip(lesser().max()),
        friedman,
    };
    (Some(ranking), left_out)
}

/// Scores of arms by problem, and their bounds over the outcomes of failed trials.
struct Scores {
    /// Scores of the trials that ran.
    own: Vec<Vec<Score>>,
    /// Scores if every failure counted for the arm, and against it; `None` without failures.
    bounds: Option<Vec<Vec<[Score; 2]>>>,
    failures: u64,
}

impl Scores {
    /// Calculates the scores of `kept` arms, each with its samples by problem. If a score is
    /// missing, the table is empty.
    fn of(problems: &[Problem<'_>], measure: Measure, kept: &[(String, Vec<&Sample>)]) -> Self {
        let by_problem = |place: usize| kept.iter().map(move |(_, samples)| samples[place]);
        let own = problems.iter().enumerate().map(|(place, problem)| {
            by_problem(place).map(|sample| measure.of(problem, sample)).collect::<Option<Vec<_>>>()
        });
        let own = own.collect::<Option<Vec<_>>>().unwrap_or_default();
        let failures = kept.iter().flat_map(|(_, samples)| samples).map(|one| one.failures).sum();
        let bounds = || {
            let of = |(place, problem)| {
                let both = |sample: &Sample| -> Option<[Score; 2]> {
                    let at = |success| measure.settled(problem, sample, success);
                    Some([at(true)?, at(false)?])
                };
                by_problem(place).map(both).collect::<Option<Vec<_>>>()
            };
            problems.iter().enumerate().map(of).collect::<Option<Vec<_>>>()
        };
        Scores { own, bounds: if failures > 0 { bounds() } else { None }, failures }
    }

    fn friedman(&self) -> Option<Friedman> {
        let scaled = |scores: &Vec<Score>| {
            tied(&scores.iter().map(|score| score.scaled()).collect::<Vec<_>>())
        };
        friedman(&self.own.iter().map(scaled).collect::<Vec<_>>())
    }

    /// Returns the values that are worst for the first arm relative to the second. Its failures
    /// count against it, those of the second for the second. Those of the others bring the two
    /// ranks as close, or as far in the other direction, as possible.
    fn against(&self, first: usize, second: usize) -> Option<Vec<Vec<f64>>> {
        let worst = |bounds: &Vec<[Score; 2]>| {
            let value = |score: Score| score.scaled().value;
            let (own, other) = (value(bounds[first][1]), value(bounds[second][0]));
            let place = |(arm, [low, high]): (usize, &[Score; 2])| {
                let (low, high) = (value(*low), value(*high));
                let between = (0.5 * (own + other)).clamp(low, high);
                match arm {
                    _ if arm == first => own,
                    _ if arm == second => other,
                    _ => nearest(own, other, [low, high, between]),
                }
            };
            bounds.iter().enumerate().map(place).collect()
        };
        Some(self.bounds.as_ref()?.iter().map(worst).collect())
    }
}

/// Returns the value of a third arm for which the first gains the fewest ranks on the second.
fn nearest(first: f64, second: f64, values: [f64; 3]) -> f64 {
    // Twice the rank that an arm loses by another one: 2 if that one is better, 1 if they tie.
    let lost = |own: f64, other: f64| f64::from(u8::from(other <= own) + u8::from(other < own));
    let gain = |value: f64| lost(second, value) - lost(first, value);
    let least = values.into_iter().filter(|value| !value.is_nan());
    least.min_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap_or(values[0])
}

/// Returns the arms of a problem by name; the first of equal names.
fn by_name<'a>(problem: &'a Problem<'_>) -> HashMap<&'a str, &'a Sample> {
    problem.arms.iter().rev().map(|(name, sample)| (name.as_str(), *sample)).collect()
}

/// Returns the place of the first problem on which an arm has no trials, so that it is not ranked.
fn lacking(by_name: &[HashMap<&str, &Sample>], name: &str) -> Option<usize> {
    by_name.iter().position(|arms| arms.get(name).is_none_or(|sample| sample.trials() == 0))
}

/// Cache of Nemenyi's p-values by difference of mean ranks. Few differences are distinct, and each
/// p-value takes a double integral.
struct Nemenyi {
    arms: usize,
    problems: usize,
    known: HashMap<u64, f64>,
}

impl Nemenyi {
    fn new(arms: usize, problems: usize) -> Self {
        Nemenyi { arms, problems, known: HashMap::new() }
    }

    fn p(&mut self, difference: f64) -> f64 {
        let of = || nemenyi(difference, self.arms, self.problems);
        *self.known.entry(difference.abs().to_bits()).or_insert_with(of)
    }
}

fn pairs(
    arms: &[(usize, RankedArm)],
    table: &Scores,
    friedman: &Friedman,
    level: f64,
) -> Vec<RankedPair> {
    let number = arms.len();
    let mut nemenyi = Nemenyi::new(number, table.own.len());
    let mut all = Vec::new();
    for first in 0..number {
        for second in first + 1..number {
            let ((one, ours), (other, theirs)) = (&arms[first], &arms[second]);
            let differences = table.own.iter().map(|scores| scores[*one].apart(scores[*other]));
            let differences = tied_differences(&differences.collect::<Vec<_>>());
            let difference = theirs.mean_rank - ours.mean_rank;
            let p = wilcoxon(&differences).p;
            let verdict = verdict(friedman, (*one, *other), level, &mut nemenyi);
            all.push(RankedPair {
                first,
                second,
                difference,
                nemenyi: nemenyi.p(difference),
                wilcoxon: p,
                wilcoxon_adjusted: p,
                verdict: settled(verdict, table, (*one, *other), level, &mut nemenyi),
            });
        }
    }
    let p: Vec<f64> = all.iter().map(|pair| pair.wilcoxon).collect();
    all.iter_mut().zip(holm(&p)).for_each(|(pair, p)| pair.wilcoxon_adjusted = p);
    all
}

/// Returns whether the first of two arms ranks better.
fn verdict(
    friedman: &Friedman,
    (first, second): (usize, usize),
    level: f64,
    nemenyi: &mut Nemenyi,
) -> Verdict {
    let difference = friedman.mean_ranks[second] - friedman.mean_ranks[first];
    match friedman.p <= level && nemenyi.p(difference) <= level {
        true if difference > 0.0 => Verdict::Better,
        true => Verdict::Worse,
        false => Verdict::Unclear,
    }
}

/// Returns the verdict if no outcome of the failed trials changes it, otherwise an open one.
fn settled(
    found: Verdict,
    table: &Scores,
    pair: (usize, usize),
    level: f64,
    nemenyi: &mut Nemenyi,
) -> Verdict {
    if table.bounds.is_none() || found == Verdict::Unclear {
        return found;
    }
    let worst = table.against(pair.0, pair.1).and_then(|values| friedman(&values));
    let worst = worst.map_or(Verdict::Unclear, |ranks| verdict(&ranks, pair, level, nemenyi));
    found.if_also([worst, worst], table.failures)
}

impl Ranking {
    /// Returns whether any arm differs from another, by Friedman's test.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.friedman.p <= self.level
    }

    /// Returns whether the two arms differ.
    pub(crate) fn told(&self, pair: &RankedPair) -> bool {
        pair.verdict == Verdict::Better
    }

    /// Returns the groups of arms without detected differences, by their first and last position.
    /// No group is within another, and none has only one arm.
    #[must_use]
    pub fn groups(&self) -> Vec<(usize, usize)> {
        let mut last = vec![0; self.arms.len()];
        for pair in self.pairs.iter().filter(|pair| !self.told(pair)) {
            last[pair.first] = pair.second.max(last[pair.first]);
        }
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (first, last) in last.into_iter().enumerate().filter(|(_, last)| *last > 0) {
            if groups.last().is_none_or(|(_, before)| last > *before) {
                groups.push((first, last));
            }
        }
        groups
    }

    /// Returns the positions of the arms that a table or a chart shows: all, or only the best and
    /// the worst if there are very many.
    #[must_use]
    pub fn shown_arms(&self) -> Vec<usize> {
        let all = self.arms.len();
        match all <= MOST_SHOWN {
            true => (0..all).collect(),
            false => (0..EACH_END).chain(all - EACH_END..all).collect(),
        }
    }

    /// Returns the number of problems that the ranking should have: of two arms as many as can give
    /// a p-value at the level. More arms can be told apart over 4, but only if they differ on every
    /// one.
    #[must_use]
    pub fn wanted_problems(&self) -> usize {
        match self.arms.len() {
            2 => 1 + libm::ceil(-libm::log2(self.level)) as usize,
            _ => 5,
        }
    }

    /// Returns the pairs that a table shows: all, or only those of the best arm with the shown arms
    /// if there are very many.
    #[must_use]
    pub fn shown_pairs(&self) -> Vec<&RankedPair> {
        let arms = self.shown_arms();
        let is_shown = |pair: &&RankedPair| {
            self.pairs.len() <= MOST_PAIRS_SHOWN
                || (pair.first == 0 && arms.binary_search(&pair.second).is_ok())
        };
        self.pairs.iter().filter(is_shown).collect()
    }
}

/// Maximum number of arms of which a table or a chart shows every one.
const MOST_SHOWN: usize = 60;
/// Number of best arms, and of worst ones, that are shown if there are more.
const EACH_END: usize = 24;
/// Maximum number of pairs of which a table shows every one.
const MOST_PAIRS_SHOWN: usize = 200;

/// Number of problems from which on a ranking can tell any number of arms apart at the level 0.05.
/// With 5, the least p-value of two arms is 0.0625.
pub const ENOUGH: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::resolved::SettingsReader;
    use crate::problem::parameter::Value;
    use crate::test_size::is_full;

    fn arm(operators: &str, problem: &str, successes: u64) -> Sample {
        let length = |trial| if trial < successes { 10.0 } else { f64::INFINITY };
        Sample {
            operators: operators.to_owned(),
            problem: problem.to_owned(),
            swept: vec![("problem.n".to_owned(), Value::Text(problem.to_owned().into()))],
            run_lengths: (0..20).map(|trial| (trial, length(trial))).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn problems_are_experiments_and_swept_values_of_the_problem() {
        let first = [arm("ga", "8", 20), arm("climb", "8", 10), arm("ga", "9", 5)];
        let mut other = arm("ga", "x", 20);
        other.swept = vec![("operators.population".to_owned(), Value::Integer(50))];
        let second = [other];
        let found = problems(&[("queens", &first), ("plain", &second)]);
        let names: Vec<&str> = found.iter().map(|problem| problem.name.as_str()).collect();
        assert_eq!(names, ["queens n=8", "queens n=9", "plain"]);
        assert_eq!(found[2].arms[0].0, "ga population=50");
        // No arm is on all of them.
        let (ranking, left_out) = rank(&found, Measure::SuccessRate, 0.05);
        assert!(ranking.is_none() && left_out.len() == 3, "{left_out:?}");
    }

    #[test]
    fn keys_are_named_by_the_shortest_ending_that_no_other_key_has() {
        let swept = |key: &str| {
            let swept = vec![(key.to_owned(), Value::Real(0.5))];
            Sample { swept, ..arm("ga", "8", 20) }
        };
        let keys = ["operators.crossover.rate", "operators.mutation.rate", "stop.evaluations"];
        let samples = keys.map(swept);
        let names = KeyNames::of(&samples);
        let found = samples.each_ref().map(|sample| names.arm(sample));
        assert_eq!(found, ["ga crossover.rate=0.5", "ga mutation.rate=0.5", "ga evaluations=0.5"]);
        assert_eq!(KeyNames::of(&samples[..1]).arm(&samples[0]), "ga rate=0.5");
        let ends = ["rate", "mutation.rate"].map(swept);
        let names = KeyNames::of(&ends);
        assert_eq!(
            ends.each_ref().map(|one| names.short(&one.swept[0].0)),
            ["rate", "mutation.rate"]
        );
    }

    #[test]
    fn arms_are_ranked_by_the_first_measure_in_which_they_differ() {
        let of = |one: u64, other: u64| [arm("a", "8", one), arm("b", "8", other)];
        let faster = |samples: [Sample; 2]| {
            let [first, second] = samples;
            let lengths = second.run_lengths.iter().map(|(trial, length)| (trial, 2.0 * length));
            let run_lengths = lengths.collect();
            [first, Sample { run_lengths, ..second }]
        };
        let measure = |samples: &[Sample]| first_measure(&problems(&[("e", samples)]));
        let target = |samples: [Sample; 2]| {
            samples.map(|sample| {
                let settings = "[problem]\nplugin = \"onemax\"\n\n[[operators]]\nname = \"a\"\n\n\
                    [stop]\nfitness = 0.0\n";
                let settings = SettingsReader::default().read(settings).expect("settings");
                Sample { settings, ..sample }
            })
        };
        assert_eq!(measure(&target(of(20, 10))), Ok(Measure::SuccessRate));
        assert_eq!(measure(&target(faster(of(20, 20)))), Ok(Measure::Ert));
        assert_eq!(measure(&target(of(20, 20))), Ok(Measure::SuccessRate));
        // An arm that is missing on a problem is not ranked.
        let [fast, slow] = target(faster(of(20, 20)));
        let third = target(of(5, 5)).map(|arm| Sample { operators: "c".to_owned(), ..arm });
        let nine = [&fast, &slow].map(|arm| Sample { problem: "9".to_owned(), ..arm.clone() });
        let lacking = [&[fast, slow, third[0].clone()], &nine[..]].concat();
        assert_eq!(measure(&lacking), Ok(Measure::Ert));
        // On one problem each is the better one: their mean ranks are equal, and they differ.
        let opposite = [target(of(20, 10)), target(of(10, 20))].concat();
        assert_eq!(measure(&opposite), Ok(Measure::SuccessRate));
    }

    #[test]
    fn groups_are_as_wide_as_they_can_be_and_hold_no_two_arms_told_apart() {
        // Eight problems on which four arms always have the same order.
        let arms: Vec<Vec<Sample>> = (0..8)
            .map(|problem| {
                let name = problem.to_string();
                let of = |(place, label): (u64, &str)| arm(label, &name, 20 - 5 * place);
                (0..).zip(["a", "b", "c", "d"]).map(of).collect()
            })
            .collect();
        let experiments: Vec<(&str, &[Sample])> = arms.iter().map(|all| ("e", &**all)).collect();
        let (ranking, left_out) = rank(&problems(&experiments), Measure::SuccessRate, 0.05);
        let ranking = ranking.expect("a ranking");
        assert!(left_out.is_empty() && ranking.differ());
        let ranks: Vec<f64> = ranking.arms.iter().map(|arm| arm.mean_rank).collect();
        assert_eq!(ranks, [1.0, 2.0, 3.0, 4.0]);
        // The critical difference is 1.66: only neighbours have no detected difference.
        assert_eq!(ranking.groups(), [(0, 1), (1, 2), (2, 3)]);
        let never = rank(&problems(&experiments[..1]), Measure::Ert, 0.05).0;
        assert!(never.is_none(), "one problem is no ranking");
    }

    /// Returns an arm on a problem whose last trials failed, of twelve.
    fn with_failures(operators: &str, problem: &str, successes: u64, failures: u64) -> Sample {
        let mut sample = arm(operators, problem, successes);
        sample.run_lengths =
            sample.run_lengths.iter().filter(|(k, _)| *k < 12 - failures).collect();
        sample.failures = failures;
        sample.failed = (12 - failures..12).collect();
        sample
    }

    /// A verdict that stands holds for every possible outcome of the failures.
    #[test]
    fn no_failure_could_turn_a_verdict_that_stands() {
        let names = ["a", "b", "c"];
        let (mut stood, mut open) = (0, 0);
        for seed in 0..if is_full() { 12u64 } else { 4 } {
            let draw =
                |place: u64| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9 + 97 * place) >> 7;
            // The first two of four problems have failures, at most two per arm.
            let arms: Vec<Vec<Sample>> = (0..4)
                .map(|problem| {
                    let of = |(place, name): (u64, &&str)| {
                        let failures = if problem < 2 { draw(7 * problem + place) % 3 } else { 0 };
                        let successes = 9 - place;
                        let successes = successes.min(12 - failures);
                        with_failures(name, &problem.to_string(), successes, failures)
                    };
                    (0..).zip(&names).map(of).collect()
                })
                .collect();
            let rank_of = |arms: &[Vec<Sample>]| {
                let experiments: Vec<(&str, &[Sample])> =
                    arms.iter().map(|all| ("e", &**all)).collect();
                rank(&problems(&experiments), Measure::SuccessRate, 0.05).0.expect("a ranking")
            };
            let found = rank_of(&arms);
            let told = |ranking: &Ranking| -> Vec<(String, String)> {
                let name = |place: usize| ranking.arms[place].name.clone();
                let told = ranking.pairs.iter().filter(|pair| ranking.told(pair));
                told.map(|pair| (name(pair.first), name(pair.second))).collect()
            };
            let stands = told(&found);
            stood += stands.len();
            let is_open = |pair: &&RankedPair| matches!(pair.verdict, Verdict::Open { .. });
            open += found.pairs.iter().filter(is_open).count();
            let failures: Vec<u64> = arms[..2].iter().flatten().map(|one| one.failures).collect();
            let ways = |settled: &u64| {
                (0..).zip(&failures).all(|(place, most)| settled / 3u64.pow(place) % 3 <= *most)
            };
            for settled in (0..3u64.pow(6)).filter(ways) {
                let mut arms = arms.clone();
                let six = arms[..2].iter_mut().flatten();
                for (place, sample) in (0..).zip(six) {
                    // Number of its failures that count as successes.
                    let successful = settled / 3u64.pow(place) % 3;
                    let ends = (0..).zip(&sample.failed).map(|(number, trial)| {
                        (*trial, if number < successful { 10.0 } else { f64::INFINITY })
                    });
                    let ends: Vec<(u64, f64)> = ends.collect();
                    sample.run_lengths.extend(ends);
                    sample.failures = 0;
                }
                let all = told(&rank_of(&arms));
                assert!(stands.iter().all(|pair| all.contains(pair)), "{seed}: {stands:?}");
            }
        }
        assert!(stood > 0 && open > 0, "{stood} stood, {open} open");
    }

    #[test]
    fn rates_and_running_times_are_told_apart_as_fractions() {
        let rate = |successes, trials| Score::Rate { successes, trials };
        let value = |one: Score, other: Score| one.apart(other).value;
        // 0.2 - 0.1 and 0.9 - 0.8, and thirds and sixths.
        assert_eq!(value(rate(2, 10), rate(1, 10)), value(rate(9, 10), rate(8, 10)));
        assert_eq!(value(rate(1, 3), rate(1, 6)), value(rate(1, 6), rate(0, 7)));
        assert_eq!(value(rate(1, 3), rate(2, 6)), 0.0);
        let ert = |spent, successes| Score::Ert { spent, successes };
        assert_eq!(value(ert(300.0, 10), ert(100.0, 10)), -value(ert(7.0, 7), ert(21.0, 7)));
        assert_eq!(value(ert(5.0, 0), ert(7.0, 0)), 0.0);
    }
}
