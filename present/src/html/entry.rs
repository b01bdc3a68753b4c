//! Entries: the data of an experiment on a page. Its tables are read once, arm by arm.

use super::{BOARDS, Best, Endings};
use crate::analysis::ArmTimes;
use crate::analysis::comparison::{
    Comparison, Family, Rule, Sample, compare, compare_within, factors, family, keys_of_all,
    made_in_pairs,
};
use crate::chart::Subject;
use crate::problem::Format;
use crate::record::TrialRecord;
use crate::results::{
    Provenance, Results, ResultsError, Stopwatch, add_fitness_within, empty_samples,
};
use crate::run::Replay;
use std::collections::HashSet;
use std::path::Path;

/// An experiment on a page.
pub struct Entry<'a> {
    /// Results folder.
    pub folder: &'a Path,
    /// Data that the charts are drawn from.
    pub subject: Subject<'a>,
    /// Origin of the results.
    pub provenance: Provenance,
    /// Trial with the least fitness of each of the first arms, the earliest if several are equal.
    pub best: Vec<Best>,
    /// Numbers of trials by the way they ended.
    pub endings: Endings,
    /// Times, one per arm.
    pub times: Vec<ArmTimes>,
    /// Comparisons of `runner compare`, and their rule.
    pub(super) compared: (Vec<Comparison>, Rule),
}

impl<'a> Entry<'a> {
    /// Reads the entry of a results folder.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn read(folder: &'a Path, results: &'a Results) -> Result<Self, ResultsError> {
        let (mut trials, mut timings) = (results.rows()?.figures(), results.rows()?);
        let mut samples = empty_samples(results);
        let (mut endings, mut times) = (Endings::new(), Vec::new());
        let mut leading: Vec<(usize, u64)> = Vec::new();
        for (arm, sample) in samples.iter_mut().enumerate() {
            let (mut stopwatch, mut leader) = (Stopwatch::default(), None);
            let mut least = None;
            trials.of_arm(arm, |record: TrialRecord| {
                *endings.entry(record.outcome.as_str()).or_default() += 1;
                sample.add(&record);
                stopwatch.add(&record);
                let own = record.best_fitness.map(|fitness| (record.best_violation, fitness));
                if own.is_some_and(|own| least.is_none_or(|least| own < least)) {
                    (least, leader) = (own, Some((arm, record.trial)));
                }
            })?;
            times.push(stopwatch.read(arm, &mut timings)?);
            leading.extend(leader.filter(|_| arm < BOARDS));
        }
        let budgets = samples.iter().filter_map(Sample::budget).collect();
        add_fitness_within(results, &mut samples, &budgets)?;
        let mut trials = trials.whole();
        let whole = |(arm, trial)| {
            let record = trials.find(arm, trial).transpose()?;
            Some(record.map(|record| Best { arm, record, board: None }))
        };
        let best = leading.into_iter().filter_map(whole);
        let mut best = best.collect::<Result<Vec<Best>, ResultsError>>()?;
        // Imported trials may lack genomes.
        best.retain(|best| best.record.best.is_some());
        let (mut subject, provenance) = (Subject::of(results, samples)?, Provenance::read(folder)?);
        let compared = compared(&subject.samples);
        leave_to_comparisons(&mut subject, &compared);
        Ok(Entry { folder, subject, provenance, best, endings, times, compared })
    }

    /// Draws the boards of the best solutions.
    pub fn draw(&mut self, replay: &Replay) {
        for one in &mut self.best {
            let id = replay.results.arms()[one.arm].id;
            let Some(arm) = replay.plan.arms.iter().find(|arm| arm.id() == id) else { continue };
            let gene = arm.problem.description().gene;
            let genome = one.record.best.as_ref().and_then(|genome| genome.of_kind(gene));
            let drawn = genome.and_then(|genome| arm.problem.render(&genome, Format::Svg).ok());
            one.board = drawn.flatten();
        }
    }
}

/// Takes the verdicts against baselines out of the summary if the comparisons within swept keys
/// have them. They are adjusted for other tests there, and a page has one verdict on a question.
fn leave_to_comparisons(subject: &mut Subject<'_>, (compared, rule): &(Vec<Comparison>, Rule)) {
    if !matches!(rule, Rule::Within { .. }) {
        return;
    }
    let baselines = subject.samples.iter().filter(|sample| sample.baseline);
    let names: HashSet<&String> =
        baselines.flat_map(|sample| [&sample.label, &sample.operators]).collect();
    if compared.iter().any(|one| names.contains(&one.first) || names.contains(&one.second)) {
        subject.summary.rows.iter_mut().for_each(|row| row.baseline_comparison = None);
    }
}

/// Returns the comparisons of `runner compare`, with their rule. For a sweep of several operator
/// sets, they are within all swept keys.
fn compared(samples: &[Sample]) -> (Vec<Comparison>, Rule) {
    let keys = keys_of_all(samples);
    let within = (!keys.is_empty()).then(|| factors(samples, &keys, None, false));
    if let Some(within) = within.filter(|within| !within.questions.is_empty()) {
        let pairs: Vec<_> = within.pairs().collect();
        let large = within.is_large();
        let found = compare_within(&within, made_in_pairs(&pairs), large);
        return (found, within.rule(large));
    }
    let Family { pairs, rule } = family(samples, false);
    (compare(&pairs, made_in_pairs(&pairs)), rule)
}
