//! Comparisons: is one arm better than another, by how much, and how sure is that?

mod family;
mod matched;
mod sample;

pub(crate) use family::{ALL_PAIRS, Family, Rule, family};
pub(crate) use matched::{Matched, matched};
pub(crate) use sample::Sample;

use crate::analysis::stopping::CONCENTRATION;
use crate::analysis::{
    CONFIDENCE, Counts, DifferenceMethod, Verdict, confidence, extremes, rates_apart,
};
use crate::stats::{
    Interval, holm, mann_whitney, mcnemar, paired_difference, paired_evidence, paired_sequence,
    pairs_to_tell, trials_to_tell, vargha_delaney,
};
use sample::Pairs;

/// Two arms beside each other. Rates, differences and effects are of the first as seen from the
/// second; where trials are paired, over the pairs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub first: String,
    pub second: String,
    /// Of each that count, or the pairs.
    pub trials: (u64, u64),
    pub rates: (f64, f64),
    /// First rate minus second, with its interval.
    pub difference: f64,
    pub difference_interval: Interval,
    /// Where interval and p-value come from.
    pub method: DifferenceMethod,
    /// Level of the intervals; the verdict's is what it leaves.
    pub confidence: f64,
    /// Of equal rates.
    pub p: f64,
    /// Adjusted for all comparisons made together.
    pub p_adjusted: f64,
    /// The probability that a trial of the first needs fewer evaluations than one of the second (of
    /// the same number, where trials are paired), ties counting half.
    pub effect: f64,
    /// None where outcomes ended the trials of unpaired arms: no interval is known that holds then.
    /// So for its p-values.
    pub effect_interval: Option<Interval>,
    /// Of Mann and Whitney's test of the evaluations to success; where trials are paired of the
    /// sign test of which one needs fewer.
    pub effect_p: Option<f64>,
    pub effect_p_adjusted: Option<f64>,
    /// First ERT over second: below 1 the first is cheaper. None where one never succeeds.
    pub ert_ratio: Option<f64>,
    pub verdict: Verdict,
    /// Trials of each that failed; they are not among `trials`.
    pub failures: (u64, u64),
    /// The verdict if every failure counted against the first arm: unsuccessful there, successful
    /// in the second.
    pub if_against: Verdict,
    /// The verdict if every failure counted for the first arm.
    pub if_for: Verdict,
    /// Where nothing can be told: about so many more trials per arm would tell, if the rates are
    /// what they seem. None where outcomes ended the trials.
    pub needed: Option<u64>,
    /// Difference and p-value if every failure counted against the first arm, and for it.
    extremes: [(f64, f64); 2],
    /// What `repeats` asked: tested before all others.
    pub asked: bool,
    /// Shares of all pairs in which one alone succeeded.
    alone: Option<(f64, f64)>,
}

impl Comparison {
    /// Trials of both arms that failed.
    #[must_use]
    pub(crate) fn failed(&self) -> u64 {
        self.failures.0 + self.failures.1
    }

    /// What a difference tells whose adjusted p-value is `p`.
    fn judged(&self, difference: f64, p: f64) -> Verdict {
        match difference {
            _ if p > 1.0 - self.confidence => Verdict::Unclear,
            difference if difference > 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        }
    }
}

/// More trials than this are not proposed: the rates are alike.
const MOST: f64 = 1e7;
/// Power of a proposed number of trials.
const POWER: f64 = 0.9;

/// Whether trials of these arms are compared in pairs unless somebody says otherwise: they were
/// made in pairs, in one experiment.
#[must_use]
pub(crate) fn made_in_pairs(pairs: &[(&Sample, &Sample)]) -> bool {
    pairs.iter().all(|(one, other)| one.common && other.common && one.folder == other.folder)
}

/// Compares pairs of samples. `paired`: trial k of one belongs to trial k of the other. Pairs
/// without trials are left out. Best difference first.
///
/// p-values are adjusted for all of them together by Holm's method. A comparison that `repeats`
/// asked for stands before the others: it is tested at the full level, and the others count only if
/// it is decided (a fixed sequence of two families, which keeps the level for all together: Maurer,
/// Hothorn and Lehmacher 1995; Westfall and Krishen 2001, doi:10.1016/S0378-3758(00)00322-3).
#[must_use]
pub(crate) fn compare(pairs: &[(&Sample, &Sample)], paired: bool) -> Vec<Comparison> {
    let mut all: Vec<Comparison> =
        pairs.iter().filter_map(|(first, second)| one(first, second, paired)).collect();
    let family = all.iter().filter(|one| !one.asked).count().max(1) as f64;
    let seen = adjusted(&all, |one| one.p);
    let against = adjusted(&all, |one| one.extremes[0].1);
    let in_favour = adjusted(&all, |one| one.extremes[1].1);
    // Without failures of its own a pair may still lose its verdict to those of others, by the
    // adjustment.
    let most = all.iter().map(Comparison::failed).max().unwrap_or(0);
    for (place, one) in all.iter_mut().enumerate() {
        one.p_adjusted = seen[place];
        one.verdict = one.judged(one.difference, seen[place]);
        one.if_against = one.judged(one.extremes[0].0, against[place]);
        one.if_for = one.judged(one.extremes[1].0, in_favour[place]);
        if most > 0 {
            let failures = if one.failed() > 0 { one.failed() } else { most };
            one.verdict = one.verdict.if_also([one.if_against, one.if_for], failures);
        }
        one.needed = (one.verdict == Verdict::Unclear).then(|| more(one, family)).flatten();
    }
    let effects: Vec<f64> = all.iter().filter_map(|one| one.effect_p).collect();
    let mut effects = holm(&effects).into_iter();
    all.iter_mut()
        .filter(|one| one.effect_p.is_some())
        .for_each(|one| one.effect_p_adjusted = effects.next());
    all.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    all
}

/// These p-values of all comparisons, adjusted together.
fn adjusted(all: &[Comparison], p: impl Fn(&Comparison) -> f64) -> Vec<f64> {
    let asked = all.iter().find(|one| one.asked).map(&p);
    let others: Vec<f64> = all.iter().filter(|one| !one.asked).map(&p).collect();
    let mut others = holm(&others).into_iter().map(|p| p.max(asked.unwrap_or(0.0)));
    let each = all.iter().map(|one| if one.asked { Some(p(one)) } else { others.next() });
    each.map(|p| p.unwrap_or(1.0)).collect()
}

fn one(first: &Sample, second: &Sample, paired: bool) -> Option<Comparison> {
    let stopping_rule = [first.stopping_rule.as_ref(), second.stopping_rule.as_ref()];
    let together = first.folder == second.folder;
    // In one experiment the question may ask for pairs by itself.
    let in_pairs = paired
        || (together
            && DifferenceMethod::of(stopping_rule[0], first.common && second.common).is_anytime()
            && DifferenceMethod::of(stopping_rule[0], first.common && second.common).is_paired());
    let rates = |sample: &Sample| (sample.successes(), sample.trials());
    let pairs = in_pairs.then(|| Pairs::of(first, second));
    let counts =
        pairs.map_or_else(|| Counts::Arms(rates(first), rates(second)), |pairs| pairs.counts());
    let (difference, p) = rates_apart(counts, stopping_rule)?;
    let extremes = match pairs {
        _ if first.failures + second.failures == 0 => [(difference.value, p); 2],
        found => {
            let extremes = match found {
                Some(_) => Pairs::extremes(first, second),
                None => extremes(first.counts(), second.counts()),
            };
            extremes.map(|counts| {
                rates_apart(counts, stopping_rule).map_or((0.0, 1.0), |(one, p)| (one.value, p))
            })
        }
    };
    let (effect, effect_interval, effect_p) = match pairs {
        Some(pairs) => within_pairs(&pairs, difference.method, confidence(stopping_rule))?,
        None => between(first, second, difference.method)?,
    };
    let share = |count: u64, all: u64| count as f64 / all as f64;
    let (trials, rates) = match pairs {
        Some(Pairs { all, successes, .. }) => {
            ((all, all), (share(successes.0, all), share(successes.1, all)))
        }
        None => ((first.trials(), second.trials()), (first.rate(), second.rate())),
    };
    Some(Comparison {
        first: first.label.clone(),
        second: second.label.clone(),
        trials,
        rates,
        difference: difference.value,
        difference_interval: difference.interval,
        method: difference.method,
        confidence: difference.confidence,
        p,
        p_adjusted: p,
        effect,
        effect_interval,
        effect_p,
        effect_p_adjusted: None,
        ert_ratio: first.ert().zip(second.ert()).map(|(one, other)| one / other),
        verdict: Verdict::Unclear,
        failures: (first.failures, second.failures),
        if_against: Verdict::Unclear,
        if_for: Verdict::Unclear,
        needed: None,
        extremes,
        asked: together && first.asked && second.asked,
        alone: pairs
            .map(|pairs| (share(pairs.alone.0, pairs.all), share(pairs.alone.1, pairs.all))),
    })
}

/// An effect with its interval and p-value, where they are known to hold.
type Effect = (f64, Option<Interval>, Option<f64>);

/// Which of a pair needs fewer evaluations: a difference of two shares of the pairs, on the scale
/// from 0 to 1.
fn within_pairs(pairs: &Pairs, method: DifferenceMethod, confidence: f64) -> Option<Effect> {
    let Pairs { all, faster: (ours, theirs), .. } = *pairs;
    let (difference, interval, p) = if method.is_anytime() {
        let (difference, interval) = paired_sequence(ours, theirs, all, confidence, CONCENTRATION)?;
        let evidence = paired_evidence(0.0, ours, theirs, all, CONCENTRATION);
        (difference, interval, libm::exp(-evidence).min(1.0))
    } else {
        let (difference, interval) = paired_difference(ours, theirs, all, confidence)?;
        (difference, interval, mcnemar(ours, theirs))
    };
    let scaled = |difference: f64| 0.5 + 0.5 * difference;
    let interval = Interval { low: scaled(interval.low), high: scaled(interval.high) };
    Some((scaled(difference), Some(interval), Some(p)))
}

/// Vargha and Delaney's A; fewer is better: the second's are to be greater.
fn between(first: &Sample, second: &Sample, method: DifferenceMethod) -> Option<Effect> {
    let lengths = |sample: &Sample| sample.run_lengths.values().copied().collect::<Vec<f64>>();
    let (ours, theirs) = (lengths(first), lengths(second));
    let (effect, interval) = vargha_delaney(&theirs, &ours, CONFIDENCE)?;
    let fixed = !method.is_anytime();
    let p = if fixed { mann_whitney(&ours, &theirs).map(|test| test.p) } else { None };
    Some((effect, fixed.then_some(interval), p))
}

/// Trials per arm that rates like these need for power 0.9 at the level that the first step of
/// Holm's method leaves each of `family` comparisons, less those that there are.
fn more(one: &Comparison, family: f64) -> Option<u64> {
    let level = (1.0 - one.confidence) / family;
    let needed = match one.method {
        DifferenceMethod::Independent => trials_to_tell(one.rates.0, one.rates.1, level, POWER)?,
        DifferenceMethod::Paired => {
            let (first, second) = one.alone?;
            pairs_to_tell(first, second, level, POWER)?
        }
        DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => return None,
    };
    let there = one.trials.0.min(one.trials.1) as f64;
    (needed < MOST).then(|| (needed - there).max(1.0).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(label: &str, lengths: &[Option<u64>]) -> Sample {
        let run_lengths = (0..)
            .zip(lengths)
            .map(|(trial, length)| (trial, length.map_or(f64::INFINITY, |l| l as f64)));
        Sample {
            label: label.to_owned(),
            run_lengths: run_lengths.collect(),
            unsuccessful: lengths.iter().filter(|length| length.is_none()).map(|_| 1000).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn the_better_arm_is_called_better_and_unclear_ones_unclear() {
        let often: Vec<Option<u64>> = (0..100).map(|k| (k % 10 != 0).then_some(100 + k)).collect();
        let seldom: Vec<Option<u64>> = (0..100).map(|k| (k % 2 == 0).then_some(500 + k)).collect();
        let near: Vec<Option<u64>> = (0..100).map(|k| (k % 10 > 1).then_some(100 + k)).collect();
        let (often, seldom, near) =
            (sample("often", &often), sample("seldom", &seldom), sample("near", &near));
        let all = compare(&[(&often, &seldom), (&seldom, &often), (&often, &near)], false);
        assert_eq!(
            all.iter().map(|one| one.verdict).collect::<Vec<_>>(),
            [Verdict::Better, Verdict::Unclear, Verdict::Worse]
        );
        assert!((all[0].difference - 0.4).abs() < 1e-12 && all[0].p_adjusted >= all[0].p);
        assert!(
            all[0].effect > 0.85
                && all[2].effect < 0.15
                && all[0].ert_ratio.is_some_and(|ratio| ratio < 1.0)
        );
        // At the level that Holm leaves the first of three.
        assert_eq!(
            all[1].needed,
            Some(trials_to_tell(0.9, 0.8, 0.05 / 3.0, 0.9).expect("a gap") as u64 - 100)
        );
        assert!(compare(&[(&often, &sample("none", &[]))], false).is_empty());
        // The same starts: pairs that agree do not count.
        let paired = compare(&[(&often, &near)], true);
        assert!((paired[0].p - mcnemar(10, 0)).abs() < 1e-12);
        // So are the ten in which one needs fewer evaluations.
        assert_eq!((paired[0].effect_p, paired[0].effect), (Some(mcnemar(10, 0)), 0.55));
    }

    #[test]
    fn a_verdict_that_failures_could_turn_is_not_given() {
        let all = sample("all", &[Some(10); 40]);
        let none = sample("none", &[None; 40]);
        let failed = |mut sample: Sample, from: u64, failures: u64| {
            (from..from + failures).for_each(|trial| {
                sample.run_lengths.remove(&trial);
                sample.failed.insert(trial);
            });
            Sample { failures, ..sample }
        };
        let half =
            sample("half", &(0..40).map(|trial| (trial >= 20).then_some(10)).collect::<Vec<_>>());
        let (few, many) = (failed(all.clone(), 35, 5), failed(all.clone(), 10, 30));
        for paired in [false, true] {
            let of =
                |first: &Sample, second: &Sample| compare(&[(first, second)], paired).remove(0);
            assert_eq!(of(&few, &none).verdict, Verdict::Better, "{paired}");
            assert_eq!(of(&none, &few).verdict, Verdict::Worse, "{paired}");
            // All 10 that ran succeeded, and half of the other arm's: the 30 that failed could turn
            // it.
            let open = of(&many, &half);
            assert_eq!(open.verdict, Verdict::Open { failures: 30 }, "{paired}");
            assert_eq!(open.verdict.to_string(), "cannot tell: 30 failures could turn it");
            assert!(
                open.if_against != Verdict::Better && open.if_for == Verdict::Better,
                "{paired}"
            );
            assert_eq!(of(&half, &many).verdict, Verdict::Open { failures: 30 }, "{paired}");
            // Alike among those that ran, but the failures could make it worse.
            let alike = of(&failed(all.clone(), 1, 39), &all);
            assert_eq!(
                (alike.verdict, alike.if_against),
                (Verdict::Unclear, Verdict::Worse),
                "{paired}"
            );
        }
    }
}
