//! Run lengths: the share of trials that succeed within a number of evaluations.

use super::division::Division;
use super::model::{Axis, BANDS, Body, Chart, Curve, Panel, Shape};
use super::parts::Part;
use super::subject::{Labelled, Subject};
use super::words::not_shown;
use crate::analysis::CONFIDENCE;
use crate::analysis::comparison::{SAME_BUDGET, Sample};
use crate::format::percent;
use crate::stats::{Frequencies, ecdf_band};

/// Number of parts of either axis that can be told apart: a step that is nearer than that to the
/// one before in both directions is left out.
const PARTS: f64 = 300.0;
/// Maximum ratio of the axis to the longest trials. A budget that no trial comes near is not shown.
const BEYOND: f64 = 10.0;
/// Ratio of the only step of a curve to the beginning of the curve, if no arm succeeds earlier.
const MARGIN: f64 = 1.1;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let mut arms = subject.with_trials();
    let all = arms.len();
    arms.retain(|arm| subject.samples[*arm].defines_success());
    let undefined = not_shown((all - arms.len()) as u64, "arm", UNDEFINED);
    if arms.iter().all(|arm| subject.samples[*arm].successes() == 0) {
        return Vec::new();
    }
    if let Some(Division { panels, sets }) = subject.division(&arms) {
        let banded = sets <= BANDS;
        let panel = |(title, arms)| Panel { title, curves: curves(subject, arms, banded) };
        let panels = Body::Panels(panels.into_iter().map(panel).collect());
        return vec![shown(subject, &arms, ["", "", &undefined], banded, panels)];
    }
    let chart = |part: Part| {
        let arms = &arms[part.range];
        let has_band = |arm: &usize| !subject.samples[*arm].is_exact();
        let banded = arms.len() <= BANDS && arms.iter().any(has_band);
        let curves = curves(subject, subject.labelled(arms), banded);
        let words = [&*part.suffix, &*part.words, &*undefined];
        shown(subject, arms, words, banded, Body::Curves(curves))
    };
    subject.curve_parts(arms.len()).into_iter().map(chart).collect()
}

/// Reason why an arm is not shown.
pub(super) const UNDEFINED: &str = "whose success is not defined";

/// Returns a chart of run lengths, with a suffix of its name and words before and after its note.
fn shown(
    subject: &Subject<'_>,
    arms: &[usize],
    [suffix, words, after]: [&str; 3],
    banded: bool,
    body: Body,
) -> Chart {
    let bands = match banded {
        true => format!("; bands: {} (DKW){}", percent(CONFIDENCE), subject.caution()),
        false => String::new(),
    };
    Chart {
        name: format!("run-length{suffix}"),
        title: format!("Run-length distribution: {}", subject.summary.experiment),
        note: format!("{words}{}{bands}{after}", subject.trials(arms.iter().copied())),
        x: Axis::new("evaluations").logarithmic(true),
        y: Axis::new("share of trials solved").range(-0.02, 1.02),
        body,
    }
}

/// Returns the curves of arms.
fn curves(subject: &Subject<'_>, arms: Vec<Labelled>, banded: bool) -> Vec<Curve> {
    let (start, longest) = ends(arms.iter().map(|one| &subject.samples[one.arm]));
    let end = |sample: &Sample| {
        let known = sample.known_until().map_or(f64::INFINITY, |evaluations| evaluations as f64);
        match sample.settings.evaluations() {
            Some(_) => known.min(BEYOND * longest),
            None => known.min(longest),
        }
    };
    let curve = |Labelled { arm, label, colour }| {
        let sample = &subject.samples[arm];
        let (points, bounds) = steps(sample, start, end(sample));
        // Trials that are all the same are no sample.
        let bounds = if banded && !sample.is_exact() { bounds } else { Vec::new() };
        Curve { label, colour, points, bounds, gaps: Vec::new(), shape: Shape::Steps }
    };
    arms.into_iter().map(curve).collect()
}

type Pairs = Vec<(f64, f64)>;

/// Returns the evaluations to the first success of these arms, 1 without any, and those of their
/// longest trial.
fn ends<'a>(samples: impl Iterator<Item = &'a Sample>) -> (f64, f64) {
    let (mut first, mut longest) = (f64::INFINITY, 1.0_f64);
    for sample in samples {
        let unsuccessful = sample.unsuccessful.longest.map(|evaluations| evaluations as f64);
        longest = longest.max(unsuccessful.unwrap_or(0.0));
        for length in sample.run_lengths.values().filter(|one| one.is_finite()) {
            (first, longest) = (first.min(length), longest.max(length));
        }
    }
    (if first.is_finite() { first } else { 1.0 }, longest)
}

/// Returns the empirical distribution and the band around it, up to `end`. Without any success it
/// is 0 from `start`. A trial without success takes longer than its budget. Budgets of generations
/// may end trials at slightly different evaluations.
fn steps(sample: &Sample, start: f64, end: f64) -> (Pairs, Pairs) {
    let (start, known) = (start.min(end), end * (1.0 + SAME_BUDGET));
    let lengths: Frequencies = sample.run_lengths.values().filter(|one| *one <= known).collect();
    let trials = sample.trials() as f64;
    let reach = ecdf_band(sample.trials(), CONFIDENCE);
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    let mut put = |evaluations: f64, solved: f64| {
        points.push((evaluations, solved));
        bounds.push(((solved - reach).max(0.0), (solved + reach).min(1.0)));
    };
    let (mut shown, mut count, mut last) = (0.0, 0, start);
    // The axis is logarithmic.
    let apart = (end / start).max(1.0).powf(1.0 / PARTS);
    for (length, alike) in lengths.groups() {
        count += alike;
        let solved = count as f64 / trials;
        let is_visible = shown == 0.0 || solved - shown >= 1.0 / PARTS || *length >= last * apart;
        if is_visible || count == lengths.len() {
            (shown, last) = (solved, *length);
            put(last, solved);
        }
    }
    if count == 0 {
        put(start, 0.0);
    }
    if end > last {
        put(end, shown);
    }
    if points.len() == 1 {
        // The rise of the only step is what there is to see.
        let before = if start < last { start } else { last / MARGIN };
        points.insert(0, (before, 0.0));
        bounds.insert(0, (0.0, reach.min(1.0)));
    }
    (points, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(lengths: &[f64]) -> Sample {
        Sample { run_lengths: (0..).zip(lengths.iter().copied()).collect(), ..Sample::default() }
    }

    #[test]
    fn curves_go_on_to_the_budget_and_without_success_they_are_0() {
        let lost = f64::INFINITY;
        let some = sample(&[20.0, 50.0, lost, lost]);
        assert_eq!(steps(&some, 9.0, 700.0).0, [(20.0, 0.25), (50.0, 0.5), (700.0, 0.5)]);
        let none = sample(&[lost, lost]);
        assert_eq!(steps(&none, 9.0, 700.0).0, [(9.0, 0.0), (700.0, 0.0)]);
        let (points, bounds) = steps(&sample(&[700.0]), 9.0, 700.0);
        assert_eq!((points, bounds.len()), (vec![(9.0, 0.0), (700.0, 1.0)], 2));
        let first = steps(&sample(&[700.0]), 700.0, 700.0).0;
        assert_eq!(first, [(700.0 / MARGIN, 0.0), (700.0, 1.0)]);
        // A success after the shortest trial that was cut is no part of the known share.
        assert_eq!(steps(&some, 9.0, 40.0).0, [(20.0, 0.25), (40.0, 0.25)]);
        assert_eq!(steps(&none, 60.0, 40.0).0, [(40.0 / MARGIN, 0.0), (40.0, 0.0)]);
        assert_eq!(ends([&some, &none].into_iter()), (20.0, 50.0));
        assert_eq!(ends([&none].into_iter()), (1.0, 1.0));
    }
}
