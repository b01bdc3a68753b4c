//! Rankings as tables: the arms in their order, then every two of them.

use super::grid::{Cell, Column, Grid, fitted};
use super::latex::latex;
use crate::analysis::ranking::{RankedArm, RankedPair, Ranking};
use crate::present::format::{p_words, real};
use crate::present::ranking::{measure_name, verdict};
use crate::stats::median;
use crate::system::output::visible_line;

/// Both tables, or blocks of lines where they are wider than the terminal.
#[must_use]
pub(crate) fn ranking_table(ranking: &Ranking, width: usize) -> String {
    let also = ", and so does --csv";
    let [arms, pairs] = grids(ranking);
    fitted(&[arms], width, also) + &fitted(&[pairs], width, also)
}

/// Both tables for a paper. `notes`: what they show, as comments.
#[must_use]
pub(crate) fn ranking_latex(ranking: &Ranking, notes: &str) -> String {
    let [arms, pairs] = grids(ranking);
    format!("{}\n{}", latex(&arms, notes), latex(&pairs, "Every two of these arms."))
}

fn grids(ranking: &Ranking) -> [Grid; 2] {
    let shown: Vec<&RankedArm> =
        ranking.shown_arms().into_iter().map(|place| &ranking.arms[place]).collect();
    let cells = |text: &dyn Fn(&RankedArm) -> String| -> Vec<Cell> {
        shown.iter().map(|arm| Cell::Whole(text(arm))).collect()
    };
    let middle = |arm: &RankedArm| {
        let mut values = arm.values.clone();
        values.sort_unstable_by(f64::total_cmp);
        median(&values).map_or_else(String::new, real)
    };
    let least = ranking.arms.iter().map(|arm| arm.mean_rank).fold(f64::INFINITY, f64::min);
    let best = |arm: &RankedArm| (arm.mean_rank <= least).then_some(0);
    let measure = measure_name(ranking.measure).trim_start_matches("median ");
    let arms = Grid {
        columns: vec![
            Column::name("arm", cells(&|arm| visible_line(&arm.name).into_owned())),
            Column::figure("mean\nrank", cells(&|arm| format!("{:.2}", arm.mean_rank)))
                .best(shown.iter().map(|arm| best(arm)).collect()),
            Column::figure(format!("{measure}\n(median)"), cells(&middle)),
        ],
        between: "",
    };
    let shown = ranking.shown_pairs();
    let each = |text: &dyn Fn(&RankedPair) -> String| -> Vec<Cell> {
        shown.iter().map(|pair| Cell::Whole(text(pair))).collect()
    };
    let names = shown.iter().map(|pair| {
        let name = |place: usize| visible_line(&ranking.arms[place].name).into_owned();
        Cell::Parts(vec![name(pair.first), name(pair.second)])
    });
    let pairs = Grid {
        columns: vec![
            Column::name("arm\n  against", names.collect()),
            Column::figure("difference\nof ranks", each(&|pair| format!("{:.2}", pair.difference))),
            Column::figure("p\n(Nemenyi)", each(&|pair| p_words(pair.nemenyi))),
            Column::figure("p (Wilcoxon,\nHolm)", each(&|pair| p_words(pair.wilcoxon_adjusted)))
                .giving_way(1),
            Column::text("verdict", each(&verdict)),
        ],
        between: "against",
    };
    [arms, pairs]
}
