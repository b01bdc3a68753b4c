//! Excerpts: the best and the worst, if there are too many arms or comparisons to read.

use crate::analysis::comparison::{ALL_PAIRS, Comparison};
use crate::analysis::{SummaryRow, Verdict};
use crate::stats::quantiles;
use crate::words::count;

/// Shown arms, as positions in the plan.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// All arms in the order of the plan, or the best and then the worst.
    pub arms: Vec<usize>,
    /// Rank of every arm, counted from the best; empty if all are shown.
    pub ranks: Vec<usize>,
    all: usize,
}

impl Excerpt {
    /// Maximum number of arms of which a document shows every one.
    pub(crate) const READABLE: usize = 200;
    /// Number of the best arms, and of the worst ones, if there are more. They fill six charts of
    /// eight curves.
    pub(crate) const EACH: usize = 24;

    /// Selects all arms if there are at most `readable`, otherwise the `each` best and worst. The
    /// order is by success rate, then ERT, then median best fitness, then position in the plan.
    pub fn of(rows: &[SummaryRow], readable: usize, each: usize) -> Self {
        let all = rows.len();
        let mut arms: Vec<usize> = (0..all).collect();
        if all <= readable {
            return Excerpt { arms, ranks: Vec::new(), all };
        }
        let standing = |row: &SummaryRow| {
            let figures = &row.figures;
            let fitness = figures.best_fitness.map_or(f64::INFINITY, |spread| spread.median);
            let ert = figures.ert.map_or(f64::INFINITY, |ert| ert.value);
            [-figures.success_rate.unwrap_or(-1.0), ert, fitness]
        };
        let standings: Vec<[f64; 3]> = rows.iter().map(standing).collect();
        arms.sort_by(|one, other| {
            let both = standings[*one].iter().zip(&standings[*other]);
            both.map(|(one, other)| one.total_cmp(other))
                .fold(std::cmp::Ordering::Equal, |so, next| so.then(next))
        });
        let mut ranks = vec![0; all];
        arms.iter().enumerate().for_each(|(rank, arm)| ranks[*arm] = rank);
        arms.drain(each..all - each);
        Excerpt { arms, ranks, all }
    }

    /// Returns a text such as "the 24 best and the 24 worst of 10,200 arms"; `None` if all are
    /// shown.
    pub(crate) fn words(&self) -> Option<String> {
        let each = self.arms.len() / 2;
        (self.arms.len() < self.all).then(|| {
            format!("the {each} best and the {each} worst of {} arms", count(self.all as u64))
        })
    }
}

/// Returns least, quartiles and greatest of a figure over the arms that have it.
pub(crate) fn spread(figures: impl Iterator<Item = f64>) -> Option<[f64; 5]> {
    quantiles(&mut figures.collect::<Vec<f64>>(), [0.0, 0.25, 0.5, 0.75, 1.0])
}

/// Returns the comparisons that fit on a page, and a text about the rest. If there are too many,
/// they are those with the best and the worst verdicts and differences. Otherwise they are all, and
/// the text is empty.
pub fn readable(compared: &[Comparison]) -> (Vec<&Comparison>, String) {
    let mut shown: Vec<&Comparison> = compared.iter().collect();
    if compared.len() <= ALL_PAIRS {
        return (shown, String::new());
    }
    let place = |one: &Comparison| match one.verdict {
        Verdict::Better => 0,
        Verdict::Worse => 2,
        _ => 1,
    };
    let told =
        |wanted: usize| count(compared.iter().filter(|one| place(one) == wanted).count() as u64);
    let tally = [0, 2, 1].map(told);
    shown.sort_by_key(|one| place(one));
    let each = ALL_PAIRS / 2;
    shown.drain(each..compared.len() - each);
    let [better, worse, open] = tally;
    let all = count(compared.len() as u64);
    let words = format!(
        " Of all {all} comparisons, {better} are better, {worse} worse, and {open} cannot be told; \
        the {each} best and the {each} worst are shown, and `runner compare --csv` has all."
    );
    (shown, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_have_both_ends_and_the_quartiles() {
        assert_eq!(spread((0..=4).map(f64::from)), Some([0.0, 1.0, 2.0, 3.0, 4.0]));
        assert_eq!(spread(std::iter::empty()), None);
    }
}
