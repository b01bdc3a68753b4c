//! Suites as reports and as text.

use crate::analysis::Standings;
use crate::analysis::comparison::Sample;
use crate::analysis::ranking::{LeftOut, Measure, Problem};
use crate::analysis::suite::{Contest, Entrant, Mismatch, Origin, Why};
use crate::format::real;
use crate::ranking::{answer, measure_name};
use crate::report::{Cell, Column, NOTHING, Report};
use crate::results::SuiteVersion;
use crate::words::count;
use serde_json::{Value, json};

/// Returns the name of a suite with its version.
#[must_use]
pub fn suite_words(SuiteVersion { name, version, .. }: &SuiteVersion) -> String {
    format!("{name}, version {version}")
}

/// Returns why an arm cannot be compared, with the way out.
pub fn refusal(why: &Why) -> String {
    let target = |target: &Option<f64>| target.map_or_else(|| "none".to_owned(), real);
    match why {
        Why::Problem(differing) if differing.is_empty() => {
            "no function of the suite is its problem; name the problem as the page of the suite \
            does, or map the columns of its parameters (problem.KEY=COLUMN)"
                .to_owned()
        }
        Why::Problem(differing) => {
            let words = |(key, [theirs, ours]): &(String, [String; 2])| {
                let or_none = |text: &str| if text.is_empty() { "none" } else { text }.to_owned();
                format!("problem.{key} is {} against {}", or_none(theirs), or_none(ours))
            };
            let all: Vec<String> = differing.iter().map(words).collect();
            format!("no function of the suite is its problem: {}", all.join(", "))
        }
        Why::Ambiguous => "several functions of the suite fit what it says of its problem; map \
            more columns (problem.KEY=COLUMN)"
            .to_owned(),
        Why::Suite([theirs, ours]) => format!(
            "made for version {theirs} of the suite against {ours}: run this version of the suite, \
            and take in those results"
        ),
        Why::Version([theirs, ours]) => {
            format!("version {theirs} of the plugin against {ours}: run it with that version")
        }
        Why::Target([theirs, ours]) => format!(
            "target {} against {}: run it with the target of the suite (stop.fitness)",
            target(theirs),
            target(ours)
        ),
        Why::Budget(theirs, ours) => format!(
            "budget {} against {}: run it with as many evaluations as the suite, or more",
            count(*theirs),
            ours.map_or_else(|| "no limit".to_owned(), count)
        ),
        Why::Same(arm) => format!("it has the same trials as `{arm}` of the suite"),
        Why::Instances(has, of) => {
            format!("it has {has} of the {of} instances of a function, and all are needed")
        }
    }
}

/// Returns why the experiments of a suite do not go together, with the way out.
#[must_use]
pub fn mismatch(Mismatch { function, arms: [(one, first), (other, second)] }: &Mismatch) -> String {
    let target = |target: &Option<f64>| target.map_or_else(|| "none".to_owned(), real);
    format!(
        "the arms `{one}` and `{other}` have different targets on {function}: {} and {}; on one \
        function a suite has one target, so set stop.fitness to one value in all experiments",
        target(first),
        target(second)
    )
}

/// Returns why an algorithm is not ranked.
#[must_use]
pub fn left_out_words(LeftOut { name, problem, silent }: &LeftOut) -> String {
    let why = if *silent { "has no usable trials on" } else { "did not search" };
    format!("{name} {why} {problem}, and ranks need every algorithm on every function")
}

/// Returns which algorithm is ranked first, and what cannot be told apart.
pub fn suite_answer(standings: &Standings) -> String {
    match &standings.ranking {
        Some(ranking) => answer(ranking),
        None => "There are no ranks: they need two algorithms or more that searched the same two \
            functions or more."
            .to_owned(),
    }
}

/// Returns the measure that the table of functions shows: the final fitness, or the ERT.
fn shown(measure: Measure) -> Measure {
    if measure == Measure::FinalFitness { measure } else { Measure::Ert }
}

/// An algorithm's figures on a function.
struct Figures<'a> {
    sample: &'a Sample,
    /// Value of the shown measure; `None` if it is unknown, or the algorithm never succeeds.
    value: Option<f64>,
    /// Successes within the budget; `None` if success is not defined.
    successes: Option<u64>,
}

impl<'a> Figures<'a> {
    fn of(problem: &Problem<'a>, algorithm: &str, measure: Measure) -> Option<Self> {
        let (_, sample) = problem.arms.iter().find(|(name, _)| name == algorithm)?;
        let defined = sample.defines_success();
        let known = measure == Measure::FinalFitness || defined;
        let value = measure.value(problem, sample).filter(|value| known && value.is_finite());
        let successes = defined.then(|| sample.successes_within(problem.horizon()));
        Some(Figures { sample, value, successes })
    }

    fn text(&self) -> String {
        self.value.map_or_else(|| NOTHING.to_owned(), real)
    }

    /// Returns the successes of trials if not all succeeded, such as "93 of 100".
    fn detail(&self) -> String {
        let all = self.sample.trials();
        match self.successes.filter(|successes| *successes < all) {
            Some(successes) => format!("{} of {}", count(successes), count(all)),
            None => String::new(),
        }
    }
}

/// Returns the table of functions and algorithms, with the best value of each function marked. The
/// longer of both is in rows. `order` has the algorithms, the best first.
pub fn function_report(
    contest: &Contest,
    problems: &[Problem<'_>],
    standings: &Standings,
    order: &[usize],
) -> Report {
    let measure = shown(standings.measure);
    let algorithms: Vec<&str> =
        order.iter().map(|number| contest.algorithms[*number].as_str()).collect();
    let figures: Vec<Vec<Option<Figures<'_>>>> = problems
        .iter()
        .map(|one| algorithms.iter().map(|name| Figures::of(one, name, measure)).collect())
        .collect();
    let value =
        |place: (usize, usize)| figures[place.0][place.1].as_ref().and_then(|one| one.value);
    let best: Vec<f64> = (0..problems.len())
        .map(|one| {
            let values = (0..algorithms.len()).filter_map(|algorithm| value((one, algorithm)));
            values.fold(f64::INFINITY, f64::min)
        })
        .collect();
    let functions: Vec<&str> = problems.iter().map(|one| one.name.as_str()).collect();
    let by_function = functions.len() >= algorithms.len();
    let (what, rows, columns) = match by_function {
        true => ("function", &functions, &algorithms),
        false => ("algorithm", &algorithms, &functions),
    };
    let place = |row, column| if by_function { (row, column) } else { (column, row) };
    let names = rows.iter().map(|name| Cell::Whole((*name).to_owned()));
    let mut all = vec![Column::name(what, names.collect())];
    for (column, heading) in columns.iter().enumerate() {
        let places: Vec<(usize, usize)> = (0..rows.len()).map(|row| place(row, column)).collect();
        let figure = |place: &(usize, usize)| figures[place.0][place.1].as_ref();
        let text = |place| figure(place).map_or_else(|| NOTHING.to_owned(), Figures::text);
        let detail = |place| figure(place).map_or_else(String::new, Figures::detail);
        let is_best = |place: &(usize, usize)| value(*place).filter(|one| *one <= best[place.0]);
        let cells = places.iter().map(|place| Cell::Whole(text(place))).collect();
        all.push(
            Column::figure(*heading, cells)
                .named()
                .sorted_by(places.iter().map(|place| json!(value(*place))))
                .details("successes", places.iter().map(detail).collect(), 1)
                .best(places.iter().map(|place| is_best(place).map(|_| 0)).collect()),
        );
    }
    Report::new(all)
}

/// Returns the figures of every algorithm on every function, for programs.
pub fn figures_report(
    contest: &Contest,
    problems: &[Problem<'_>],
    standings: &Standings,
    entrants: &[Entrant],
) -> Report {
    let ranked = standings.ranking.iter().flat_map(|ranking| &ranking.arms);
    let ranks: Vec<(&str, f64)> = ranked.map(|arm| (arm.name.as_str(), arm.mean_rank)).collect();
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for (function, problem) in contest.functions.iter().zip(problems) {
        for one in &function.contestants {
            let name = contest.algorithms[one.algorithm].as_str();
            let Some(figures) = Figures::of(problem, name, Measure::Ert) else { continue };
            let trials = figures.sample.trials();
            let fitness = Measure::FinalFitness.value(problem, figures.sample);
            let rank = ranks.iter().find(|(own, _)| *own == name).map(|(_, rank)| rank);
            let rate = figures.successes.map(|all| all as f64 / trials.max(1) as f64);
            let entrant = &entrants[one.parts[0].entrant];
            rows.push(vec![
                json!(problem.name),
                json!(name),
                json!(entrant.name),
                json!(origin_word(entrant.origin)),
                json!(trials),
                json!(figures.sample.failures),
                json!(problem.budget),
                json!(figures.successes),
                json!(rate),
                json!(figures.value),
                json!(fitness),
                json!(rank),
            ]);
        }
    }
    let keys = [
        "function",
        "algorithm",
        "results",
        "origin",
        "trials",
        "failures",
        "budget",
        "successes",
        "success_rate",
        "ert",
        "best_fitness_median",
        "mean_rank",
    ];
    Report::new(vec![Column::data("", []).keyed(&keys, rows)])
}

/// Returns the numbers of functions and algorithms in words.
pub fn figures_words(contest: &Contest) -> String {
    let number = |of: usize, what: &str| match of {
        1 => format!("1 {what}"),
        several => format!("{} {what}s", count(several as u64)),
    };
    let functions = number(contest.functions.len(), "function");
    format!("{functions} and {}", number(contest.algorithms.len(), "algorithm"))
}

/// Returns the word of an origin in tables.
fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Own => "suite",
        Origin::Others => "others",
        Origin::Imported => "imported",
    }
}

/// Returns the caption of the table of functions.
pub fn function_caption(measure: Measure) -> String {
    let what = match shown(measure) {
        Measure::FinalFitness => "Median final fitness",
        _ => "Expected running time (ERT) in evaluations, within the budget of the function",
    };
    format!(
        "{what}; the least of each function is bold. In brackets: successes, where a trial had \
        none. Algorithms are in the order of their mean ranks by {}.",
        measure_name(measure)
    )
}
