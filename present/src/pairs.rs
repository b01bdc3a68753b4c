//! Comparisons as a report: one row per pair, the first arm above the second.

use super::arms::{ArmName, arm_columns, short_key};
use super::comparison::verdict;
use super::format::{ends, p_of, percent, rate, real, real_beside, signed, signed_real};
use super::report::{Cell, Column, NOTHING, Report, Rows};
use crate::analysis::comparison::{Comparison, Criterion, Place, Rule, Shift};
use crate::analysis::{CONFIDENCE, Verdict};
use crate::stats::{Interval, effect_size, effect_word};
use crate::system::output::visible_line;
use crate::words::count;
use serde_json::{Value, json};

/// Returns the comparisons as a report. `arms` has the names of both arms of each.
pub fn comparison_report(
    compared: &[Comparison],
    arms: &[[ArmName<'_>; 2]],
    rule: &Rule,
) -> Report {
    let rows = Rows(compared);
    let named: Vec<Vec<ArmName<'_>>> = arms.iter().map(|pair| pair.to_vec()).collect();
    let mut columns = arm_columns("arm\n  against", &named);
    if let Some(names) = columns.first_mut() {
        let both = rows.values(|one| [json!(one.first), json!(one.second)]);
        *names = names.clone().keyed(&["first", "second"], both).best(rows.each(better));
    }
    columns.extend(places(compared, rule));
    columns.extend(rates(&rows));
    columns.extend(tests(&rows));
    Report { columns, between: "against" }
}

/// Returns the names of the arms of each comparison, by their labels.
pub fn labels(compared: &[Comparison]) -> Vec<[ArmName<'_>; 2]> {
    let name = |operators| ArmName { operators, swept: &[] };
    compared.iter().map(|one| [name(one.first.as_str()), name(&one.second)]).collect()
}

impl Rows<'_, Comparison> {
    fn best(&self, criterion: Criterion) -> Vec<Option<usize>> {
        let won = |one: &Comparison| better(one).filter(|_| one.criterion == Some(criterion));
        self.each(won)
    }
}

/// Returns the position of the better arm.
fn better(one: &Comparison) -> Option<usize> {
    match one.verdict {
        Verdict::Better => Some(0),
        Verdict::Worse => Some(1),
        _ => None,
    }
}

/// Returns columns with the values of the keys within which arms are compared; empty if there are
/// none.
fn places(compared: &[Comparison], rule: &Rule) -> Vec<Column> {
    let Rule::Within { keys, .. } = rule else { return Vec::new() };
    let column = |(number, key): (usize, &String)| {
        let text = |one: &Comparison| match &one.place {
            Place::At(values) => visible_line(&values[number]).into_owned(),
            Place::Over { .. } => "all".to_owned(),
            Place::Whole => NOTHING.to_owned(),
        };
        Column::setting(short_key(key, keys), Rows(compared).cells(text))
    };
    let within = |one: &Comparison| match &one.place {
        Place::At(values) => json!(values.join(" ")),
        Place::Over { .. } => json!("all"),
        Place::Whole => Value::Null,
    };
    let data = Rows(compared).data(["within"], |one| [within(one)]).of_texts();
    std::iter::once(data).chain(keys.iter().enumerate().map(column)).collect()
}

/// Returns the columns of trials, of success rates and of their differences.
fn rates(rows: &Rows<'_, Comparison>) -> Vec<Column> {
    let level = rows.0.first().map_or(CONFIDENCE, |one| one.confidence);
    let texts = |one: &Comparison| {
        let words =
            |value: f64, failures: u64| rate_words(one.defines_success.then_some(value), failures);
        Cell::Parts(vec![words(one.rates.0, one.failures.0), words(one.rates.1, one.failures.1)])
    };
    // Without a target, nothing about successes is reported.
    let of_rates = |one: &Comparison, value: f64| json!(one.defines_success.then_some(value));
    let rate = Column::figure("success\nrate", rows.each(texts))
        .keyed(
            &["first_rate", "second_rate"],
            rows.values(|one| [of_rates(one, one.rates.0), of_rates(one, one.rates.1)]),
        )
        .best(rows.best(Criterion::SuccessRate));
    let shown = |one: &Comparison, text: String| {
        if one.defines_success { text } else { NOTHING.to_owned() }
    };
    let interval = |one: &Comparison| {
        let interval = one.difference_interval;
        match one.defines_success {
            true => ends(&signed(interval.low), &signed(interval.high)),
            false => String::new(),
        }
    };
    let keys = ["difference", "difference_low", "difference_high"];
    let values = |one: &Comparison| {
        let interval = one.difference_interval;
        [one.difference, interval.low, interval.high].map(|value| of_rates(one, value))
    };
    let difference = rows
        .figure("difference", |one| shown(one, signed(one.difference)))
        .intervals(percent(level), rows.each(interval), 4)
        .keyed(&keys, rows.values(values));
    let has_rates = rows.0.iter().any(|one| one.defines_success);
    let [rate, difference] = [rate, difference].map(|column| column.shown_if(has_rates));
    vec![
        rows.data(["first_trials", "second_trials", "first_failures", "second_failures"], |one| {
            [one.trials.0, one.trials.1, one.failures.0, one.failures.1].map(Value::from)
        }),
        rate,
        difference,
    ]
}

/// Returns the columns of the tests, of effects and of the verdict.
fn tests(rows: &Rows<'_, Comparison>) -> Vec<Column> {
    let compared = rows.0;
    let p = |one: &Comparison, criterion| {
        let test = one.test(criterion);
        [json!(test.map(|test| test.p)), json!(test.map(|test| test.p_adjusted))]
    };
    let fitness = Column::figure("fitness\n(median)", rows.each(medians));
    let shows_fitness = compared.iter().any(|one| one.fitness.is_some());
    let some_rates = compared.iter().any(|one| one.defines_success);
    let fitness = if some_rates { fitness.giving_way(3) } else { fitness };
    let heading = if compared.len() > 1 { "p\n(Holm)" } else { "p" };
    let low = |shift: Option<Shift>| json!(shift.and_then(|one| Some(one.interval?.low)));
    let high = |shift: Option<Shift>| json!(shift.and_then(|one| Some(one.interval?.high)));
    let ends_of =
        |shift: Option<Shift>| [json!(shift.map(|shift| shift.value)), low(shift), high(shift)];
    let effect = |one: &Comparison| {
        let interval = one.effect_interval.filter(|_| one.defines_success);
        [
            json!(one.defines_success.then_some(one.effect)),
            json!(interval.map(|interval| interval.low)),
            json!(interval.map(|interval| interval.high)),
        ]
    };
    let of_fitness = |one: &Comparison| {
        let fitness = one.fitness.as_ref();
        let interval = fitness.and_then(|fitness| fitness.effect_interval);
        let [p, p_adjusted] = p(one, Criterion::FinalFitness);
        let [shift, shift_low, shift_high] = ends_of(one.fitness_shift());
        [
            json!(fitness.map(|fitness| fitness.medians.0)),
            json!(fitness.map(|fitness| fitness.medians.1)),
            shift,
            shift_low,
            shift_high,
            json!(fitness.map(|fitness| fitness.effect)),
            json!(interval.map(|interval| interval.low)),
            json!(interval.map(|interval| interval.high)),
            p,
            p_adjusted,
        ]
    };
    let method = |one: &Comparison| [json!(one.defines_success.then(|| one.interval_method()))];
    let mut columns = vec![
        rows.data(["difference_interval"], method).of_texts(),
        rows.data(["confidence"], |one| [json!(one.confidence)]),
    ];
    columns.push(rows.data(["p", "p_adjusted"], |one| p(one, Criterion::SuccessRate)));
    if shows_fitness {
        let level = percent(compared.first().map_or(CONFIDENCE, |one| one.confidence));
        let shift = rows.figure("fitness\ndifference", |one| {
            one.fitness_shift().map_or(NOTHING.to_owned(), |shift| signed_real(shift.value))
        });
        let interval = |one: &Comparison| {
            let interval = one.fitness_shift().and_then(|shift| shift.interval);
            interval.map_or_else(String::new, |found| {
                ends(&signed_real(found.low), &signed_real(found.high))
            })
        };
        let effect = rows.figure("lower\nfitness", fitness_effect_words);
        columns.push(fitness);
        // A page has no room for these columns next to those of rates. The verdict then has the
        // shift, and the column of evaluations the effect.
        if !some_rates {
            columns.push(shift.intervals(level, rows.each(interval), 3).giving_way(2));
            columns.push(effect.giving_way(2));
        }
    }
    columns.push(
        rows.figure(heading, p_of)
            .sorted_by(rows.each(|one| json!(one.p_adjusted())))
            .giving_way(4),
    );
    columns.push(
        rows.figure("fewer\nevaluations", effect_words)
            .keyed(&["effect", "effect_low", "effect_high"], rows.values(effect))
            .giving_way(2)
            .shown_if(some_rates),
    );
    let size = |one: &Comparison| {
        [json!(one.defines_success.then(|| effect_name(one.effect, one.effect_interval)))]
    };
    columns.push(rows.data(["effect_size"], size).of_texts());
    let of_effect = |one: &Comparison| p(one, Criterion::Evaluations);
    columns.push(rows.data(["effect_p", "effect_p_adjusted"], of_effect));
    columns.push(rows.data(["budget"], |one| [json!(one.budget)]).of_counts());
    columns.push(rows.data(["speed", "speed_low", "speed_high"], |one| ends_of(one.speed)));
    let ratio = |one: &Comparison| one.ert_ratio.map_or(NOTHING.to_owned(), real);
    columns.push(
        rows.figure("ERT\nratio", ratio)
            .keyed(&["ert_ratio"], rows.values(|one| [json!(one.ert_ratio)]))
            .giving_way(1)
            .shown_if(some_rates),
    );
    columns.push(rows.data(
        [
            "first_fitness",
            "second_fitness",
            "fitness_shift",
            "fitness_shift_low",
            "fitness_shift_high",
            "fitness_effect",
            "fitness_effect_low",
            "fitness_effect_high",
            "fitness_p",
            "fitness_p_adjusted",
        ],
        of_fitness,
    ));
    let ground = |one: &Comparison| [json!(one.criterion.map(Criterion::as_str))];
    columns.push(rows.data(["ground"], ground).of_texts());
    columns.push(
        rows.text("verdict", verdict)
            .keyed(&["verdict"], rows.values(|one| [json!(one.verdict.as_str())])),
    );
    let open = |one: &Comparison| [json!(one.verdict.open_failures()), json!(one.needed)];
    columns.push(rows.data(["open_failures", "trials_needed"], open).of_counts());
    columns
}

/// Returns the probability that a trial of the first arm ends lower, and the name of its size.
fn fitness_effect_words(one: &Comparison) -> String {
    let Some(fitness) = &one.fitness else { return NOTHING.to_owned() };
    format!("{:.2}\n{}", fitness.effect, effect_name(fitness.effect, fitness.effect_interval))
}

/// Returns the probability that a trial of the first arm needs fewer evaluations, and the name of
/// its size; where neither arm succeeds, that it ends lower.
fn effect_words(one: &Comparison) -> String {
    match &one.fitness {
        Some(_) if one.defines_success => format!("{}\n(fitness)", fitness_effect_words(one)),
        _ if !one.defines_success || one.rates == (0.0, 0.0) => NOTHING.to_owned(),
        _ => format!("{:.2}\n{}", one.effect, effect_name(one.effect, one.effect_interval)),
    }
}

/// Returns the medians of the best fitness of each arm's trials, if neither succeeds.
fn medians(one: &Comparison) -> Cell {
    let none = || vec![NOTHING.to_owned(); 2];
    let both = |(first, second): (f64, f64)| {
        vec![real_beside(first, &[second]), real_beside(second, &[first])]
    };
    Cell::Parts(one.fitness.as_ref().map_or_else(none, |fitness| both(fitness.medians)))
}

/// Returns the name of the effect's size; without an interval, by the effect alone.
fn effect_name(effect: f64, interval: Option<Interval>) -> &'static str {
    interval.map_or_else(|| effect_word(effect), |interval| effect_size(effect, interval))
}

/// Returns the rate of the trials that ran, and the number of failures.
fn rate_words(value: Option<f64>, failures: u64) -> String {
    let value = value.map_or(NOTHING.to_owned(), rate);
    match failures {
        0 => value,
        failures => format!("{value}\n({} failed)", count(failures)),
    }
}
