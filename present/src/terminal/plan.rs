//! Plan as a table in the terminal: its arms, their limits, and the results of first trials.

use crate::arms::short_key;
use crate::format::{real, with_violation};
use crate::plan::settings::Stop;
use crate::plan::{Arm, Plan, swept_text};
use crate::report::{Column, NOTHING, Report, Rows, fitted, paragraph};
use crate::system::output::visible_line;
use crate::words::{count, first_listed};

/// Result of an arm's first trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstTrial {
    /// Outcome in a few words: "solved", "still running after 2.0 s".
    pub outcome: String,
    /// Evaluations of the trial; `None` if none was run.
    pub evaluations: Option<u64>,
    /// Best fitness of the trial.
    pub best_fitness: Option<f64>,
    /// Violation of the best genome; `None` if the problem has no constraints.
    pub best_violation: Option<f64>,
    /// Time per evaluation, including the search's own work, such as "80 ns".
    pub evaluation: Option<String>,
    /// Time of a whole trial, such as "3 ms"; `None` if unknown.
    pub time: Option<String>,
    /// Error message of the trial.
    pub error: Option<String>,
}

/// Returns the arms of a plan, one row each, at most `rows`, in a table of `width` columns.
/// `trials` has the first trial of each arm that was tried. A line follows for each error with
/// which trials of any arm ended. Ends with a newline.
pub fn plan_table(plan: &Plan, trials: &[Option<FirstTrial>], rows: usize, width: u16) -> String {
    let width = usize::from(width);
    let shown: Vec<(&Arm, Option<&FirstTrial>)> =
        plan.arms.iter().zip(trials).map(|(arm, trial)| (arm, trial.as_ref())).take(rows).collect();
    let mut text = match shown.is_empty() {
        true => String::new(),
        false => {
            let grid = |budget| Report::new(columns(plan, &shown, budget));
            fitted(&[grid(BudgetForm::Columns), grid(BudgetForm::Lines)], width, "")
        }
    };
    if shown.len() < plan.arms.len() {
        let (some, all) = (count(shown.len() as u64), count(plan.arms.len() as u64));
        let note = format!("The first {some} of {all} arms: --rows N shows more.");
        text.push_str(&paragraph(&note, width));
    }
    text.push_str(&error_lines(plan, trials));
    text
}

/// Form of the limits of a trial in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BudgetForm {
    /// One column per limit.
    Columns,
    /// One line per limit, in one column.
    Lines,
}

fn columns(plan: &Plan, rows: &[(&Arm, Option<&FirstTrial>)], budget: BudgetForm) -> Vec<Column> {
    let rows = Rows(rows);
    let of_trial = |heading: &str, text: &dyn Fn(&FirstTrial) -> Option<String>| {
        rows.figure(heading, |(_, trial)| trial.and_then(text).unwrap_or(NOTHING.to_owned()))
    };
    let name = |arm: &Arm| visible_line(&arm.settings.operators.name).into_owned();
    let mut columns = vec![rows.name("operators", |(arm, _)| name(arm))];
    columns.extend(plan.swept_keys.iter().enumerate().map(|(place, key)| {
        let value = |arm: &Arm| match &arm.settings.swept[place] {
            Some(value) => visible_line(&swept_text(value)).into_owned(),
            None => NOTHING.to_owned(),
        };
        Column::setting(short_key(key, &plan.swept_keys), rows.cells(|(arm, _)| value(arm)))
    }));
    let most = if plan.stopping_rule.is_some() { "up to " } else { "" };
    columns.push(rows.figure("repeats", |_| format!("{most}{}", count(plan.repeats))));
    let limits = limits(plan);
    match budget {
        BudgetForm::Columns => columns.extend(limits.iter().map(|one| {
            let most = |arm: &Arm| one.most(&arm.settings.stop);
            rows.figure(one.heading, |(arm, _)| most(arm).unwrap_or(NOTHING.to_owned()))
        })),
        BudgetForm::Lines if limits.is_empty() => {}
        BudgetForm::Lines => columns.push(rows.figure("budget", |(arm, _)| {
            let line =
                |one: &&Limit| Some(format!("{} {}", one.most(&arm.settings.stop)?, one.unit));
            limits.iter().filter_map(line).collect::<Vec<_>>().join("\n")
        })),
    }
    let outcome =
        |trial: &Option<&FirstTrial>| trial.map_or(NOTHING.to_owned(), |one| one.outcome.clone());
    let best =
        |trial: &FirstTrial| Some(with_violation(real(trial.best_fitness?), trial.best_violation));
    columns.extend([
        rows.text("trial 0", |(_, trial)| outcome(trial)),
        of_trial("evaluations\nof trial 0", &|one| one.evaluations.map(count)).giving_way(4),
        of_trial("best\nfitness", &best).giving_way(3),
        of_trial("time\nper trial", &|one| one.time.clone()).giving_way(2),
        of_trial("time per\nevaluation", &|one| one.evaluation.clone()).giving_way(1),
        rows.figure("arm_id", |(arm, _)| arm.id().to_string()).giving_way(1),
    ]);
    columns
}

/// Limit that ends a trial without success.
struct Limit {
    key: &'static str,
    heading: &'static str,
    /// Unit after the number.
    unit: &'static str,
}

const LIMITS: [Limit; 5] = [
    Limit { key: "stop.generations", heading: "budget,\ngenerations", unit: "generations" },
    Limit { key: "stop.evaluations", heading: "budget,\nevaluations", unit: "evaluations" },
    Limit { key: "stop.stagnation", heading: "stagnation,\ngenerations", unit: "stagnation" },
    Limit { key: "stop.diversity", heading: "diversity,\ndistance", unit: "diversity" },
    Limit { key: "stop.trial-seconds", heading: "budget,\nseconds", unit: "seconds" },
];

/// Returns the limits that some arm has. A swept one already has a column.
fn limits(plan: &Plan) -> Vec<&'static Limit> {
    let shown = |one: &&Limit| {
        let swept = plan.swept_keys.iter().any(|key| key == one.key);
        !swept && plan.arms.iter().any(|arm| one.most(&arm.settings.stop).is_some())
    };
    LIMITS.iter().filter(shown).collect()
}

impl Limit {
    fn most(&self, stop: &Stop) -> Option<String> {
        match self.key {
            "stop.generations" => stop.generations.map(count),
            "stop.evaluations" => stop.evaluations.map(count),
            "stop.stagnation" => stop.stagnation.map(count),
            "stop.diversity" => stop.diversity.map(real),
            _ => stop.trial_seconds.map(real),
        }
    }
}

/// Returns a line for each error, with the first arm that has it.
fn error_lines(plan: &Plan, trials: &[Option<FirstTrial>]) -> String {
    let mut errors: Vec<(&str, Vec<&str>)> = Vec::new();
    for (arm, trial) in plan.arms.iter().zip(trials) {
        let Some(error) = trial.as_ref().and_then(|trial| trial.error.as_deref()) else { continue };
        match errors.iter_mut().find(|(known, _)| *known == error) {
            Some((_, labels)) => labels.push(&arm.label),
            None => errors.push((error, vec![&arm.label])),
        }
    }
    let line = |(error, labels): &(&str, Vec<&str>)| {
        let arms = first_listed(labels.iter().map(|label| format!("`{}`", visible_line(label))), 1);
        format!("  FAILED: {arms}: {error}\n")
    };
    errors.iter().map(line).collect()
}
