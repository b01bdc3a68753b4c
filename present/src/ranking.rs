//! Rankings as reports and as text.

use crate::analysis::ranking::{Measure, RankedArm, RankedPair, Ranking, Unranked, Why};
use crate::comparison::range;
use crate::format::{p_beside, real};
use crate::report::{Cell, Column, Report, Rows};
use crate::stats::median;
use crate::system::output::visible_line;
use crate::words::{count, counted};
use serde_json::json;

/// Returns the name of a measure.
pub fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::SuccessRate => "success rate",
        Measure::Ert => "ERT",
        Measure::FinalFitness => "median final fitness",
    }
}

/// Returns why arms cannot be ranked, with a way out.
#[must_use]
pub fn unranked(Unranked { problem, why }: &Unranked) -> String {
    match why {
        Why::NoTarget => format!(
            "no trial on {problem} can be successful: the problem states no ideal, and the \
            experiment no target (stop.fitness); rank by --by fitness"
        ),
        Why::Budgets => format!(
            "the arms had different budgets on {problem}, and there is no trace (output.trace) \
            that has their fitness at the smallest; rank by --by success-rate or ert where there \
            is a target, or run the arms with one budget"
        ),
    }
}

/// Returns the shown arms, in the order of their ranks.
pub fn arm_report(ranking: &Ranking) -> Report {
    let shown: Vec<&RankedArm> =
        ranking.shown_arms().into_iter().map(|place| &ranking.arms[place]).collect();
    let rows = Rows(&shown);
    let middle = |arm: &&RankedArm| {
        let mut values = arm.values.clone();
        values.sort_unstable_by(f64::total_cmp);
        median(&values).map_or_else(String::new, real)
    };
    let least = ranking.arms.iter().map(|arm| arm.mean_rank).fold(f64::INFINITY, f64::min);
    let best = |arm: &&RankedArm| (arm.mean_rank <= least).then_some(0);
    let measure = measure_name(ranking.measure).trim_start_matches("median ");
    Report::new(vec![
        rows.name("arm", |arm| visible_line(&arm.name).into_owned()),
        rows.figure("mean\nrank", |arm| format!("{:.2}", arm.mean_rank))
            .sorted_by(rows.each(|arm| json!(arm.mean_rank)))
            .best(rows.each(best)),
        rows.figure(&format!("{measure}\n(median)"), middle),
    ])
}

/// Returns a report of these pairs of arms.
pub fn pair_report(ranking: &Ranking, pairs: &[&RankedPair]) -> Report {
    let rows = Rows(pairs);
    let arms = |pair: &RankedPair| [&ranking.arms[pair.first], &ranking.arms[pair.second]];
    let names = |pair: &&RankedPair| {
        Cell::Parts(arms(pair).map(|arm| visible_line(&arm.name).into_owned()).to_vec())
    };
    let columns = vec![
        Column::name("arm\n  against", rows.each(names))
            .keyed(&["first", "second"], rows.values(|pair| arms(pair).map(|arm| json!(arm.name)))),
        rows.data(["first_rank", "second_rank"], |pair| arms(pair).map(|arm| json!(arm.mean_rank))),
        rows.figure("difference\nof ranks", |pair| format!("{:.2}", pair.difference))
            .keyed(&["rank_difference"], rows.values(|pair| [json!(pair.difference)])),
        rows.data(["critical_difference"], |_| [json!(ranking.critical_difference)]),
        rows.figure("p\n(Nemenyi)", |pair| p_beside(pair.nemenyi, ranking.level))
            .keyed(&["nemenyi_p"], rows.values(|pair| [json!(pair.nemenyi)])),
        rows.data(["wilcoxon_p"], |pair| [json!(pair.wilcoxon)]),
        rows.figure("p (Wilcoxon,\nHolm)", |pair| p_beside(pair.wilcoxon_adjusted, ranking.level))
            .giving_way(1)
            .keyed(&["wilcoxon_p_adjusted"], rows.values(|pair| [json!(pair.wilcoxon_adjusted)])),
        rows.data(["by", "budget_least", "budget_most"], |_| {
            let [least, most] =
                [ranking.budgets.map(|one| one.0), ranking.budgets.map(|one| one.1)];
            [json!(ranking.measure.as_str()), json!(least), json!(most)]
        }),
        rows.data(["problems", "arms"], |_| {
            [json!(ranking.problems.len()), json!(ranking.arms.len())]
        }),
        rows.data(["friedman_statistic", "friedman_p", "friedman_exact"], |_| {
            let exact = if ranking.friedman.exact { "yes" } else { "no" };
            [json!(ranking.friedman.statistic), json!(ranking.friedman.p), json!(exact)]
        }),
        rows.text("verdict", |pair| pair.verdict.to_string())
            .keyed(&["verdict"], rows.values(|pair| [json!(pair.verdict.as_str())])),
        rows.data(["open_failures"], |pair| [json!(pair.verdict.open_failures())]),
    ];
    Report { columns, between: "against" }
}

/// Returns the answer of a ranking in a sentence: the best arm, and those without a detected
/// difference from it.
pub fn answer(ranking: &Ranking) -> String {
    let name = |place: usize| visible_line(&ranking.arms[place].name).into_owned();
    let told = |pair: &&RankedPair| pair.verdict.tells_apart();
    if !ranking.pairs.iter().any(|pair| told(&pair)) {
        return format!(
            "No arm is shown to be better than another by {}: Friedman's p {}.",
            measure_name(ranking.measure),
            p_beside(ranking.friedman.p, ranking.level)
        );
    }
    // Arms are in the order of their mean ranks.
    let equals = ranking.pairs.iter().filter(|pair| pair.first == 0 && !told(pair));
    let mut equals: Vec<String> = equals.map(|pair| name(pair.second)).collect();
    if equals.len() > NAMED {
        let more = equals.len() - NAMED;
        equals.truncate(NAMED);
        equals.push(format!("{more} more"));
    }
    let equals = match equals.is_empty() {
        true => String::new(),
        false => format!("; not told apart: {}", equals.join(", ")),
    };
    format!("Best: {} (mean rank {:.2}){equals}.", name(0), ranking.arms[0].mean_rank)
}

/// Maximum number of arms that an answer names in addition to the best.
const NAMED: usize = 3;

/// Returns a text about the arms and pairs that the tables show; empty if they show all.
fn shown_words(ranking: &Ranking) -> String {
    let arms = &ranking.arms;
    let shown = ranking.shown_arms().len();
    match (shown < arms.len(), ranking.shown_pairs().len() < ranking.pairs.len()) {
        (true, _) => format!(
            " The {each} best and the {each} worst arms are shown, and their pairs with the best \
            one; `runner rank --csv` has all pairs.",
            each = shown / 2
        ),
        (false, true) => {
            " The pairs of the best arm are shown; `runner rank --csv` has all.".to_owned()
        }
        (false, false) => String::new(),
    }
}

/// Returns one line below the tables: the family of tests, and the option that shows more.
pub fn note(ranking: &Ranking) -> String {
    format!("{} More: --explain.{}", tests_line(ranking), shown_words(ranking))
}

/// Returns the tests of a ranking in one line.
pub fn tests_line(ranking: &Ranking) -> String {
    format!(
        "Ranks by {} on {} problems; Friedman's p {}, critical difference {:.2}.",
        measure_name(ranking.measure),
        count(ranking.problems.len() as u64),
        p_beside(ranking.friedman.p, ranking.level),
        ranking.critical_difference
    )
}

/// Returns the legend below the tables of a ranking.
pub fn legend(ranking: &Ranking) -> String {
    let Ranking { friedman, problems, arms, level, .. } = ranking;
    let found = if ranking.differ() {
        "some arms differ"
    } else {
        "no arm is shown to differ from another"
    };
    let few = if problems.len() < ranking.wanted_problems() {
        format!(" {} problems are too few to show much.", problems.len())
    } else {
        String::new()
    };
    let failures = match ranking.failures {
        0 => String::new(),
        failures => format!(
            " {} failed: ranks are of those that ran, and a verdict stands only where it \
            is the same if all failures count against the better arm.",
            counted(failures, "trial")
        ),
    };
    let cut = shown_words(ranking);
    let adjusted = match ranking.pairs.len() {
        1 => String::new(),
        pairs => format!(", adjusted for all {} pairs (Holm)", count(pairs as u64)),
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
        ranks of the differences {} over the problems{adjusted}.{budgets}{failures}{few}{cut}",
        count(arms.len() as u64),
        measure_name(ranking.measure),
        count(problems.len() as u64),
        real(friedman.statistic),
        p_beside(friedman.p, ranking.level),
        if friedman.exact { "exact" } else { "F distribution of Iman and Davenport" },
        ranking.critical_difference,
        real(*level),
        if ranking.measure == Measure::Ert { "of the logarithms" } else { "of the values" },
    )
}
