//! Run lengths: the share of trials that succeed within so many evaluations.

use super::gallery::Subject;
use super::model::{Axis, Body, Chart, Curve, Shape};
use crate::analysis::CONFIDENCE;
use crate::analysis::comparison::Sample;
use crate::present::format::percent;
use crate::stats::{Frequencies, ecdf_band};

/// Steps of a curve beyond this many are left out where the eye would not miss them.
const STEPS: f64 = 150.0;
/// Curves whose bands can be told apart.
const BANDS: usize = 4;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let solved: Vec<usize> = subject
        .with_trials()
        .into_iter()
        .filter(|arm| subject.samples[*arm].successes() > 0)
        .collect();
    let chart = |part: super::gallery::Part| {
        let arms = &solved[part.range];
        let reaches = arms.iter().map(|arm| ecdf_band(subject.samples[*arm].trials(), CONFIDENCE));
        let reach = reaches.fold(0.0, f64::max);
        let few = arms.len() <= BANDS;
        let bands = match few {
            true => format!("{} bands (DKW)", percent(CONFIDENCE)),
            false => format!("{} bands (DKW), not drawn, reach ±{reach:.2}", percent(CONFIDENCE)),
        };
        let curves = arms.iter().enumerate().map(|(place, arm)| {
            let (points, bounds) = steps(&subject.samples[*arm]);
            let bounds = if few { bounds } else { Vec::new() };
            Curve {
                label: subject.names[*arm].clone(),
                colour: place,
                points,
                bounds,
                shape: Shape::Steps,
            }
        });
        Chart {
            name: format!("run-length{}", part.suffix),
            title: format!("Run-length distribution: {}", subject.summary.experiment),
            note: format!(
                "{}{}; {bands}{}",
                part.words,
                subject.trials(arms.iter().copied()),
                subject.caution()
            ),
            x: Axis::new("evaluations").logarithmic(true),
            y: Axis::new("share of trials solved").range(0.0, 1.0),
            body: Body::Curves(curves.collect()),
        }
    };
    subject.curve_parts(solved.len()).into_iter().map(chart).collect()
}

type Pairs = Vec<(f64, f64)>;

/// The empirical distribution and the band around it, up to the last end of a trial. A trial
/// without success counts as one that takes longer than that: all have the same stop rules.
fn steps(sample: &Sample) -> (Pairs, Pairs) {
    let lengths: Frequencies = sample.run_lengths.values().filter(|one| one.is_finite()).collect();
    let trials = sample.trials() as f64;
    let reach = ecdf_band(sample.trials(), CONFIDENCE);
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    let mut put = |evaluations: f64, solved: f64| {
        points.push((evaluations, solved));
        bounds.push(((solved - reach).max(0.0), (solved + reach).min(1.0)));
    };
    let (mut shown, mut count) = (0.0, 0);
    for (length, alike) in lengths.groups() {
        count += alike;
        let solved = count as f64 / trials;
        if solved - shown >= 1.0 / STEPS || count == lengths.len() {
            shown = solved;
            put(*length, solved);
        }
    }
    let end = sample.unsuccessful.longest.map(|evaluations| evaluations as f64);
    if let Some(end) = end.filter(|end| lengths.ends().is_some_and(|(_, longest)| *end > longest)) {
        put(end, shown);
    }
    (points, bounds)
}
