//! Rankings in words.

use crate::analysis::ranking::{FEW, Measure, RankedPair, Ranking};
use crate::present::comparison::range;
use crate::present::format::{count, p_words, real};

/// What arms are ranked by.
#[must_use]
pub(crate) fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::SuccessRate => "success rate",
        Measure::Ert => "ERT",
        Measure::FinalFitness => "median final fitness",
    }
}

/// Whether the first of two arms ranks better.
#[must_use]
pub(crate) fn verdict(pair: &RankedPair) -> String {
    pair.verdict.to_string()
}

/// What a ranking is, below its tables.
#[must_use]
pub(crate) fn legend(ranking: &Ranking) -> String {
    let Ranking { friedman, problems, arms, level, .. } = ranking;
    let found = if ranking.differ() {
        "some arms differ"
    } else {
        "no arm is shown to differ from another"
    };
    let few = if problems.len() < FEW {
        format!(" {} problems are too few to show much.", problems.len())
    } else {
        String::new()
    };
    let failures = match ranking.failures {
        0 => String::new(),
        failures => format!(
            " {} trials failed: ranks are of those that ran, and a verdict stands only where it \
            is the same if all failures count against the better arm.",
            count(failures)
        ),
    };
    let shown = ranking.shown_arms().len();
    let cut = match (shown < arms.len(), ranking.shown_pairs().len() < ranking.pairs.len()) {
        (true, _) => format!(
            " The {each} best and the {each} worst arms are shown, and their pairs with the best \
            one; `runner rank --csv` has all pairs.",
            each = shown / 2
        ),
        (false, true) => {
            " The pairs of the best arm are shown; `runner rank --csv` has all.".to_owned()
        }
        (false, false) => String::new(),
    };
    let budgets = ranking.budgets.map_or_else(String::new, |(least, most)| {
        format!(
            " Budgets differ: arms are ranked by what they reached within the smallest on a \
            problem, {} evaluations.",
            range(least, most)
        )
    });
    format!(
        "{} arms ranked by {} on {} problems; equal values share their mean rank. Friedman's test: \
        chi-square {}, p {} ({}): {found}. A verdict requires that it finds a difference, and mean \
        ranks {:.2} apart: the critical difference of Nemenyi's test at {}. Wilcoxon: signed \
        ranks of the differences {} over the problems, adjusted for all {} pairs \
        (Holm).{budgets}{failures}{few}{cut}",
        count(arms.len() as u64),
        measure_name(ranking.measure),
        count(problems.len() as u64),
        real(friedman.statistic),
        p_words(friedman.p),
        if friedman.exact { "exact" } else { "F distribution of Iman and Davenport" },
        ranking.critical_difference,
        real(*level),
        if ranking.measure == Measure::Ert { "of the logarithms" } else { "of the values" },
        count(ranking.pairs.len() as u64),
    )
}
