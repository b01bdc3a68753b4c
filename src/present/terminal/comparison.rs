//! Comparisons as a table: of each, the first arm with the second below it.

use super::arms::{ArmName, arm_columns};
use super::grid::{Cell, Column, Grid, NOTHING, fitted};
use super::latex::latex;
use super::table::short_key;
use crate::analysis::comparison::{Comparison, Ground, Place, Rule};
use crate::analysis::{CONFIDENCE, Verdict};
use crate::present::comparison::verdict;
use crate::present::format::{count, p_words, percent, rate, real};
use crate::stats::{effect_size, effect_word};
use crate::system::output::visible_line;

/// The table, or blocks of lines where that is wider than the terminal. `arms` are those of each
/// comparison; `also` says what else shows the columns that there is no room for.
#[must_use]
pub(crate) fn comparison_table(
    compared: &[Comparison],
    arms: &[[ArmName<'_>; 2]],
    rule: &Rule,
    width: usize,
    also: &str,
) -> String {
    fitted(&grids(compared, arms, rule), width, also)
}

/// The table for a paper. `notes`: what it shows, as comments.
#[must_use]
pub(crate) fn comparison_latex(
    compared: &[Comparison],
    arms: &[[ArmName<'_>; 2]],
    rule: &Rule,
    notes: &str,
) -> String {
    let [grid, _] = grids(compared, arms, rule);
    latex(&grid, notes)
}

/// With the p-value in a column of its own, and with the verdict that it makes.
fn grids(compared: &[Comparison], arms: &[[ArmName<'_>; 2]], rule: &Rule) -> [Grid; 2] {
    let level = compared.first().map_or(CONFIDENCE, |one| one.confidence);
    let rows: Vec<Vec<ArmName<'_>>> = arms.iter().map(|pair| pair.to_vec()).collect();
    let several = compared.len() > 1;
    let whole = |text: &dyn Fn(&Comparison) -> String| -> Vec<Cell> {
        compared.iter().map(|one| Cell::Whole(text(one))).collect()
    };
    let rates = |one: &Comparison| {
        let words =
            |value: f64, failures: u64| rate_words(one.defines_success.then_some(value), failures);
        Cell::Parts(vec![words(one.rates.0, one.failures.0), words(one.rates.1, one.failures.1)])
    };
    let p = |one: &Comparison| p_words(one.p_adjusted());
    let mut columns = arm_columns("arm\n  against", &rows);
    let better = |one: &Comparison| match one.verdict {
        Verdict::Better => Some(0),
        Verdict::Worse => Some(1),
        _ => None,
    };
    let of_rates =
        |one: &Comparison| better(one).filter(|_| one.ground == Some(Ground::SuccessRate));
    if let Some(names) = columns.first_mut() {
        *names = names.clone().best(compared.iter().map(better).collect());
    }
    columns.extend(place_columns(compared, rule));
    let rates = Column::figure("success\nrate", compared.iter().map(rates).collect());
    columns.push(rates.best(compared.iter().map(of_rates).collect()));
    columns.push(Column::figure(format!("difference\n({})", percent(level)), whole(&difference)));
    let effects = Column::figure("fewer\nevaluations", whole(&effect_words)).giving_way(2);
    let fitness = Column::figure("fitness\n(median)", compared.iter().map(medians).collect());
    if compared.iter().any(|one| one.fitness.is_some()) {
        let some = compared.iter().any(|one| one.defines_success);
        columns.push(if some { fitness.giving_way(3) } else { fitness });
    }
    let ratios = Column::figure("ERT\nratio", whole(&ratio)).giving_way(1);
    let grid = |columns: Vec<Column>| Grid { columns, between: "against" };
    let heading = if several { "p\n(Holm)" } else { "p" };
    let apart = [
        Column::figure(heading, whole(&p)),
        effects.clone(),
        ratios.clone(),
        Column::text("verdict", whole(&verdict)),
    ];
    let with_p = |one: &Comparison| format!("{}\np {}", verdict(one), p(one));
    let heading = if several { "verdict\n(p: Holm)" } else { "verdict" };
    let together = [effects, ratios, Column::text(heading, whole(&with_p))];
    [grid([&columns[..], &apart[..]].concat()), grid([&columns[..], &together[..]].concat())]
}

/// The values of the keys within which arms are compared; none elsewhere.
fn place_columns(compared: &[Comparison], rule: &Rule) -> Vec<Column> {
    let Rule::Within { keys, .. } = rule else { return Vec::new() };
    let column = |(number, key): (usize, &String)| {
        let text = |one: &Comparison| match &one.place {
            Place::At(values) => visible_line(&values[number]).into_owned(),
            Place::Over { .. } => "all".to_owned(),
            Place::Whole => NOTHING.to_owned(),
        };
        let cells = compared.iter().map(|one| Cell::Whole(text(one))).collect();
        Column::setting(short_key(key, keys), cells)
    };
    keys.iter().enumerate().map(column).collect()
}

fn difference(one: &Comparison) -> String {
    if !one.defines_success {
        return NOTHING.to_owned();
    }
    let interval = one.difference_interval;
    format!("{:+.3}\n({:+.3}–{:+.3})", one.difference, interval.low, interval.high)
}

fn effect_words(one: &Comparison) -> String {
    if !one.defines_success {
        return NOTHING.to_owned();
    }
    format!("{:.2}\n{}", one.effect, effect(one))
}

/// Of the best fitness of each arm's trials, where neither succeeds.
fn medians(one: &Comparison) -> Cell {
    let none = || vec![NOTHING.to_owned(); 2];
    let both = |(first, second): (f64, f64)| vec![real(first), real(second)];
    Cell::Parts(one.fitness.as_ref().map_or_else(none, |fitness| both(fitness.medians)))
}

fn ratio(one: &Comparison) -> String {
    one.ert_ratio.map_or(NOTHING.to_owned(), real)
}

/// The effect in words; without an interval by its size alone.
#[must_use]
pub(crate) fn effect(one: &Comparison) -> &'static str {
    one.effect_interval
        .map_or_else(|| effect_word(one.effect), |interval| effect_size(one.effect, interval))
}

/// The rate of the trials that ran, and how many did not.
fn rate_words(value: Option<f64>, failures: u64) -> String {
    let value = value.map_or(NOTHING.to_owned(), rate);
    match failures {
        0 => value,
        failures => format!("{value}\n({} failed)", count(failures)),
    }
}
