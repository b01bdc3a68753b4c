//! Critical-difference diagrams (Demšar 2006): mean ranks on a line, and bars over arms without
//! detected differences.

use super::model::{Axis, Body, Chart, Mark, Ranks};
use super::theme::{INKS, WIDTH};
use super::words::{escaped, width_of};
use crate::analysis::comparison::Sample;
use crate::analysis::ranking::{Ranking, first_measure, problems, rank};
use crate::excerpt::Excerpt;
use crate::format::{p_beside, real};
use crate::names::elided;
use crate::ranking::measure_name;
use crate::report::cut;
use crate::words::count;
use std::collections::BTreeSet;

/// Significance level of the tests.
pub const LEVEL: f64 = 0.05;

/// Ranks the arms of these experiments over their problems, as `runner rank` does. `None` without
/// several arms and problems, with more arms than a page shows, or if no arms differ.
pub fn ranking_of(experiments: &[(&str, &[Sample])]) -> Option<Ranking> {
    let problems = problems(experiments);
    // Tests of every two arms are quadratic work, and so many ranks are unreadable.
    if problems.iter().any(|problem| problem.arms.len() > Excerpt::READABLE) {
        return None;
    }
    let ranking = rank(&problems, first_measure(&problems).ok()?, LEVEL).0?;
    let differ = ranking.arms.windows(2).any(|pair| pair[0].values != pair[1].values);
    differ.then_some(ranking)
}

/// Minimum number of arms for which a diagram is useful.
const LEAST: usize = 3;

/// Returns the diagram of a ranking; `None` if it has fewer than three arms.
pub fn ranks_chart(ranking: &Ranking, title: &str) -> Option<Chart> {
    if ranking.arms.len() < LEAST {
        return None;
    }
    let mark = |arm: &crate::analysis::ranking::RankedArm| Mark {
        label: arm.name.clone(),
        rank: arm.mean_rank,
    };
    let rank = |place: usize| ranking.arms[place].mean_rank;
    let shown = ranking.shown_arms();
    // Groups with the same marked arms are drawn once.
    let mut spans = BTreeSet::new();
    let is_new = |(first, last): &(usize, usize)| {
        let from = shown.partition_point(|place| place < first);
        let to = shown.partition_point(|place| place <= last);
        to - from > 1 && spans.insert((from, to))
    };
    let groups = ranking.groups().into_iter().filter(is_new);
    let groups = groups.map(|(first, last)| (rank(first), rank(last)));
    let cut = match shown.len() < ranking.arms.len() {
        true => format!(
            "; the {each} best and the {each} worst of {} arms",
            count(ranking.arms.len() as u64),
            each = shown.len() / 2
        ),
        false => String::new(),
    };
    Some(Chart {
        name: "critical-difference".to_owned(),
        title: format!("Mean ranks by {}: {title}", measure_name(ranking.measure)),
        note: format!(
            "{} problems; Friedman's test: p {}; bars: arms that are not told apart at {} \
            (Nemenyi, critical difference {:.2}){cut}",
            count(ranking.problems.len() as u64),
            p_beside(ranking.friedman.p, ranking.level),
            real(ranking.level),
            ranking.critical_difference
        ),
        x: Axis::new("mean rank (1: best)"),
        y: Axis::default(),
        body: Body::Ranks(Ranks {
            arms: ranking.arms.len(),
            marks: shown.iter().map(|place| mark(&ranking.arms[*place])).collect(),
            groups: groups.collect(),
            critical: ranking.critical_difference,
        }),
    })
}

/// Pixels: font size, line height, margin, and width of the labels on either side.
const LETTERS: f64 = 11.0;
const ROW: f64 = 16.0;
const EDGE: f64 = 8.0;
const LABELS: f64 = 165.0;
/// Characters of a name without the words that others share.
const SHORT: usize = 14;
/// Distance between two bars.
const BAR: f64 = 7.0;

/// Returns the labelled ranks of an axis: 1, the last, and multiples of 1, 2, 5, 10, 20 … between
/// them. Labels do not touch. `characters` is the length of the axis.
fn labelled(arms: usize, characters: usize) -> Vec<usize> {
    let room = arms.to_string().len() + 2;
    let most = (characters / room).max(2);
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    let step = steps.into_iter().find(|step| arms / step < most).unwrap_or(arms);
    let between =
        (step..arms).step_by(step).filter(|rank| 5 * (rank - 1) >= 4 * step && arms - rank >= step);
    std::iter::once(1).chain(between).chain((arms > 1).then_some(arms)).collect()
}

/// Returns the inner part of an SVG, and its size.
pub(super) fn drawing(ranks: &Ranks) -> (String, (f64, f64)) {
    let (all, arms) = (ranks.arms, ranks.marks.len());
    let (left, right) = (EDGE + LABELS, WIDTH - EDGE - LABELS);
    let steps = (all.max(2) - 1) as f64;
    let x = |rank: f64| left + (rank - 1.0) / steps * (right - left);
    let [ink, faint, ..] = INKS.map(|(stand_in, ..)| stand_in);
    let mut drawn = String::new();
    let mut line = |(x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str, thick: f64| {
        drawn.push_str(&format!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" \
            stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-linecap=\"round\"/>"
        ));
    };
    // The critical difference, and the axis below it.
    let end = x(1.0 + ranks.critical.min(steps));
    line((left, 10.0), (end, 10.0), ink, 1.5);
    [left, end].into_iter().for_each(|at| line((at, 6.0), (at, 14.0), ink, 1.5));
    let axis = 46.0;
    line((left, axis), (right, axis), faint, 1.0);
    let labels = labelled(all, ((right - left) / (0.6 * LETTERS)) as usize);
    for rank in &labels {
        line((x(*rank as f64), axis - 5.0), (x(*rank as f64), axis), faint, 1.0);
    }
    // First the bars, each on a separate line, then the arms, the better half on the left.
    for (place, (first, last)) in ranks.groups.iter().enumerate() {
        let y = axis + 8.0 + place as f64 * BAR;
        line((x(*first) - 3.0, y), (x(*last) + 3.0, y), ink, 3.0);
    }
    let top = axis + 14.0 + ranks.groups.len() as f64 * BAR;
    let half = arms.div_ceil(2);
    let place = |arm: usize| {
        let row = if arm < half { arm } else { arms - 1 - arm };
        top + ROW * row as f64 + 0.5 * ROW
    };
    for (arm, mark) in ranks.marks.iter().enumerate() {
        let side = if arm < half { left - 4.0 } else { right + 4.0 };
        line((x(mark.rank), axis), (x(mark.rank), place(arm)), faint, 1.0);
        line((x(mark.rank), place(arm)), (side, place(arm)), faint, 1.0);
    }
    let mut words = |x: f64, y: f64, anchor: &str, (colour, size): (&str, f64), words: &str| {
        drawn.push_str(&format!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
            fill=\"{colour}\">{}</text>",
            escaped(words)
        ));
    };
    words(end + 6.0, 14.0, "start", (ink, LETTERS), &format!("CD = {:.2}", ranks.critical));
    for rank in labels {
        words(x(rank as f64), axis - 9.0, "middle", (faint, LETTERS), &rank.to_string());
    }
    for (arm, (label, size)) in labels_of(&ranks.marks).iter().enumerate() {
        let (x, anchor) = if arm < half { (left - 8.0, "end") } else { (right + 8.0, "start") };
        words(x, place(arm) + 4.0, anchor, (ink, *size), label);
    }
    drawn.push_str(&ranks.marks.iter().fold(String::new(), |circles, mark| {
        circles
            + &format!("<circle cx=\"{:.2}\" cy=\"{axis}\" r=\"3\" fill=\"{ink}\"/>", x(mark.rank))
    }));
    (drawn, (WIDTH, top + ROW * half as f64 + EDGE))
}

/// Returns the names with their ranks, each with the size of its letters. Names that are too long
/// are cut in the middle, so that no two look the same. If that is impossible, the words that they
/// share go, and what is still too long has smaller letters.
fn labels_of(marks: &[Mark]) -> Vec<(String, f64)> {
    let names: Vec<(usize, &str)> = marks.iter().map(|mark| (0, mark.label.as_str())).collect();
    let label = |(mark, name): (&Mark, &str)| format!("{name} ({:.2})", mark.rank);
    let labels = |names: Vec<String>| -> Vec<String> {
        marks.iter().zip(&names).map(|(mark, name)| label((mark, name))).collect()
    };
    let fits = |label: &String| width_of(label, LETTERS) <= LABELS - 8.0;
    let longest = marks.iter().map(|mark| mark.label.chars().count()).max().unwrap_or(0);
    let cuts = (4..=longest).rev().filter_map(|width| cut(&names, width)).map(&labels);
    let found = cuts.into_iter().find(|labels| labels.iter().all(fits)).unwrap_or_else(|| {
        let whole: Vec<&str> = marks.iter().map(|mark| mark.label.as_str()).collect();
        labels(elided(&whole, SHORT))
    });
    let sized = |label: String| {
        let size = LETTERS * ((LABELS - 8.0) / width_of(&label, LETTERS)).clamp(0.5, 1.0);
        (label, (size * 100.0).floor() / 100.0)
    };
    found.into_iter().map(sized).collect()
}

/// Returns the text for a terminal: a line per arm with its mean rank on the axis, then the bars.
pub(super) fn plain(ranks: &Ranks, columns: usize) -> String {
    /// Characters of a mean rank with the spaces around it.
    const VALUE: usize = 9;
    let longest = ranks.marks.iter().map(|mark| mark.label.chars().count()).max().unwrap_or(0);
    let label = longest.max("critical difference".len()).min(columns / 2);
    let width = columns.saturating_sub(label + VALUE).max(20);
    let steps = (ranks.arms.max(2) - 1) as f64;
    let place = |rank: f64| ((rank - 1.0) / steps * (width - 1) as f64).round() as usize;
    let mut text = String::new();
    let whole: Vec<(usize, &str)> =
        ranks.marks.iter().map(|mark| (0, mark.label.as_str())).collect();
    let names = cut(&whole, label)
        .unwrap_or_else(|| elided(&whole.iter().map(|(_, name)| *name).collect::<Vec<_>>(), label));
    let mut row = |name: &str, value: &str, drawn: String| {
        let mut name = name.to_owned();
        name.push_str(&" ".repeat(label.saturating_sub(name.chars().count())));
        text.push_str(format!("{name}  {value:>5}  {drawn}").trim_end());
        text.push('\n');
    };
    let between = |first: usize, last: usize, letters: [char; 3]| -> String {
        let letter = |at: usize| match at {
            _ if at < first => ' ',
            _ if at == first => letters[0],
            _ if at == last => letters[2],
            _ => letters[1],
        };
        (0..=last).map(letter).collect()
    };
    for (mark, name) in ranks.marks.iter().zip(&names) {
        let at = place(mark.rank);
        row(name, &format!("{:.2}", mark.rank), format!("{}●", " ".repeat(at)));
    }
    for (first, last) in &ranks.groups {
        row("not told apart", "", between(place(*first), place(*last), ['━'; 3]));
    }
    let critical = between(0, place(1.0 + ranks.critical.min(steps)), ['├', '─', '┤']);
    row("critical difference", &format!("{:.2}", ranks.critical), critical);
    let mut scale = vec![' '; width];
    for rank in labelled(ranks.arms, width) {
        let words = rank.to_string();
        let start = place(rank as f64).min(width - words.len());
        words.chars().enumerate().for_each(|(at, letter)| scale[start + at] = letter);
    }
    row("mean rank (1: best)", "", scale.into_iter().collect());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that differ only in their middle, too long for the room of a label.
    #[test]
    fn no_two_labels_are_the_same() {
        let name = |population: usize, rate: f64| {
            format!("ga operators.population={population} operators.mutation.rate={rate}")
        };
        let marks: Vec<Mark> = [4, 16, 64]
            .into_iter()
            .flat_map(|population| [0.1, 0.5, 0.9].map(|rate| name(population, rate)))
            .map(|label| Mark { label, rank: 2.5 })
            .collect();
        let labels = labels_of(&marks);
        let different: BTreeSet<&str> = labels.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(different.len(), marks.len(), "{labels:?}");
        let fits = |(label, size): &(String, f64)| width_of(label, *size) <= LABELS - 8.0;
        assert!(labels.iter().all(fits), "{labels:?}");
    }
}
