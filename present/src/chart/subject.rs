//! Input of charts: the figures of all arms of an experiment, and their names.

use super::colour::{Colour, colours, grey_baseline};
use super::model::CURVES;
use super::parts::{Part, parts};
use crate::analysis::SummaryTable;
use crate::analysis::comparison::{Sample, limits_of_problems};
use crate::excerpt::Excerpt;
use crate::format::hyphenated;
use crate::names::{key_names, short_names};
use crate::problem::parameter::Value;
use crate::results::{Provenance, Results, ResultsError, Run, samples};
use crate::words::{count, counted};

/// Input of charts: the figures of all arms, and their names.
pub struct Subject<'results> {
    /// Tables of the experiment.
    pub results: &'results Results,
    /// Summary of the arms.
    pub summary: SummaryTable,
    /// Trials of the arms.
    pub samples: Vec<Sample>,
    /// Short names, one per arm, that distinguish the arms within the experiment.
    pub names: Vec<String>,
    /// Axis along which fitness is drawn.
    pub against: Against,
    /// Arms that are shown in tables and in charts of single arms.
    pub excerpt: Excerpt,
    /// Labels of axes of swept keys, in the order of the keys.
    pub(super) axes: Vec<String>,
    /// Whether a swept key only numbers functions or instances, in the order of the keys.
    pub(super) numbering: Vec<bool>,
    /// Whether a swept key is a limit that follows from the problem, in the order of the keys.
    pub(super) limits: Vec<bool>,
    /// Ideal of all problems, and whether each arm's target is the ideal, as the last run noted.
    ideals: (Option<f64>, bool),
}

/// Arm whose curve is drawn, with the label and the colour of the curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Labelled {
    pub arm: usize,
    pub label: String,
    pub colour: Colour,
}

/// Axis against which fitness is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// Evaluations, which have the same meaning for every algorithm.
    #[default]
    Evaluations,
    /// Generations, whose meaning depends on the algorithm.
    Generations,
}

impl Against {
    /// Returns the label of the axis.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Against::Evaluations => "evaluations",
            Against::Generations => "generation",
        }
    }
}

impl<'results> Subject<'results> {
    /// Reads summary and trials.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn read(results: &'results Results) -> Result<Self, ResultsError> {
        Subject::of(results, samples(results)?)
    }

    /// Creates the subject from the arms' trials, and reads the summary.
    pub(crate) fn of(
        results: &'results Results,
        samples: Vec<Sample>,
    ) -> Result<Self, ResultsError> {
        let names = short_names(results.arms(), results.swept_keys(), LONGEST);
        let summary = results.summary()?;
        let excerpt = Excerpt::of(&summary.rows, Excerpt::READABLE, Excerpt::EACH);
        // Pictures need no `run.toml`: a damaged one is the report's concern.
        let last = Provenance::read(results.folder()).unwrap_or_default().runs.pop();
        let axes = axes(results, last.as_ref());
        let numbering =
            |key| last.as_ref().and_then(|run| Some(numbers_things(run.swept.get(key)?)));
        let keys = results.swept_keys().iter();
        let numbering = keys.map(|key| numbering(key).unwrap_or(false)).collect();
        let ideals = last.map_or((None, false), |run| (run.ideal, run.aims_at_ideal));
        let against = Against::default();
        let found = limits_of_problems(&samples);
        let limits = results.swept_keys().iter().map(|key| found.contains(key.as_str())).collect();
        Ok(Subject {
            results,
            summary,
            samples,
            names,
            against,
            excerpt,
            axes,
            numbering,
            limits,
            ideals,
        })
    }

    /// Returns an addition for notes on intervals that assume a fixed number of trials; empty if it
    /// was fixed.
    pub(super) fn caution(&self) -> &'static str {
        if self.results.stopping_rule().is_some() {
            "; not adjusted for the stopping rule"
        } else {
            ""
        }
    }

    /// Returns the ideal fitness of an arm's problem; `None` if no run noted it.
    pub(super) fn ideal(&self, arm: usize) -> Option<f64> {
        match self.ideals {
            (_, true) => self.results.arms()[arm].settings.target(),
            (ideal, false) => ideal,
        }
    }

    /// Returns whether a trial of any arm can be successful.
    pub(super) fn defines_success(&self) -> bool {
        self.summary.rows.iter().any(|row| row.figures.defines_success)
    }

    /// Returns the shown arms that have trials.
    pub(super) fn with_trials(&self) -> Vec<usize> {
        let arms = self.excerpt.arms.iter().copied();
        arms.filter(|arm| self.samples[*arm].trials() > 0).collect()
    }

    /// Returns all arms that have trials, for charts that add up arms; the shown ones if there are
    /// too many.
    pub(super) fn all_with_trials(&self) -> Vec<usize> {
        if self.samples.len() > ADDED_UP {
            return self.with_trials();
        }
        (0..self.samples.len()).filter(|arm| self.samples[*arm].trials() > 0).collect()
    }

    /// Divides `count` shown arms into at most `most` charts of `size` arms.
    pub(super) fn parts(&self, count: usize, size: usize, most: usize) -> Vec<Part> {
        let mut parts = parts(count, size, most, "arms", false);
        if let Some(words) = self.excerpt.words() {
            parts.iter_mut().for_each(|part| part.words.insert_str(0, &format!("{words}; ")));
        }
        parts
    }

    pub(super) fn curve_parts(&self, count: usize) -> Vec<Part> {
        self.parts(count, CURVES, PARTS)
    }

    /// Divides `count` lines or groups of swept values into charts of `size`: one chart if there
    /// are very many arms, with the best of them.
    pub(super) fn swept_parts(&self, count: usize, size: usize, what: &str) -> Vec<Part> {
        let is_excerpt = self.excerpt.words().is_some();
        parts(count, size, if is_excerpt { 1 } else { PARTS }, what, is_excerpt)
    }

    /// Returns these arms with their names, and with colours that [`colours`](Self::colours)
    /// chooses.
    pub(super) fn labelled(&self, arms: &[usize]) -> Vec<Labelled> {
        let coloured = arms.iter().zip(self.colours(arms, None));
        let name = |arm: usize| self.names[arm].clone();
        coloured.map(|(arm, colour)| Labelled { arm: *arm, label: name(*arm), colour }).collect()
    }

    /// Returns the colours of these arms' curves. Arms that differ only in one number, apart from
    /// `without`, have ordered colours; the only baseline is grey.
    pub(super) fn colours(&self, arms: &[usize], without: Option<usize>) -> Vec<Colour> {
        let arm = |place: usize| &self.summary.rows[place].arm;
        let baseline = |place: &usize| self.samples[*place].baseline;
        let all = arms.iter().all(baseline);
        let searches = || arms.iter().filter(|place| all || !baseline(place));
        let Some(first) = searches().next().map(|place| arm(*place)) else { return Vec::new() };
        let differs = |key: &usize| {
            without != Some(*key)
                && searches().any(|one| arm(*one).swept[*key] != first.swept[*key])
        };
        let keys: Vec<usize> = (0..first.swept.len()).filter(differs).collect();
        let alike = searches().all(|one| arm(*one).operators == first.operators);
        let value = |place: &usize| match keys[..] {
            [key] if alike && (all || !baseline(place)) => {
                arm(*place).swept[key].as_ref().and_then(number)
            }
            _ => None,
        };
        let mut found = colours(&arms.iter().map(value).collect::<Vec<_>>());
        grey_baseline(&mut found, |curve| baseline(&arms[curve]));
        found
    }

    /// Returns the numbers of trials of these arms: "5,000 trials per arm", or the range.
    pub(super) fn trials(&self, arms: impl Iterator<Item = usize>) -> String {
        let counts: Vec<u64> = arms.map(|arm| self.samples[arm].trials()).collect();
        let (least, most) =
            (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        let trials = counted(most, "trial");
        match (counts.len(), least == most) {
            (1, _) => trials,
            (_, true) => format!("{trials} per arm"),
            _ => format!("{} to {trials} per arm", count(least)),
        }
    }
}

/// Returns a swept value as a number; `None` if it is not one.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        _ => None,
    }
}

/// Maximum number of an arm's trials in a curve over generations. More would make no visible
/// difference.
pub(super) const TRIALS: usize = 5_000;
/// Maximum number of arms that a chart adds up.
const ADDED_UP: usize = 1_000;
/// Maximum number of charts of one kind.
const PARTS: usize = 6;

/// Maximum number of characters of a name in a chart, if its distinguishing parts fit.
pub(super) const LONGEST: usize = 34;

/// Returns a key of the operator set without its table.
pub(super) fn short_key(key: &str) -> &str {
    key.strip_prefix("operators.").unwrap_or(key)
}

/// Returns a name as part of a file name: letters, digits, dots and hyphens.
pub(super) fn file_name(name: &str) -> String {
    hyphenated(name, |letter| letter.is_alphanumeric() || letter == '.')
}

/// Returns a label per swept key: its name, and the description of the parameter if the last run
/// noted one that is short.
fn axes(results: &Results, last: Option<&Run>) -> Vec<String> {
    let keys = results.swept_keys();
    let described = |key: &String| short_description(last?.swept.get(key)?);
    let label = |(key, name): (&String, String)| match described(key) {
        Some(words) => format!("{name}: {words}"),
        None => name,
    };
    keys.iter().zip(key_names(keys)).map(label).collect()
}

/// Returns whether a parameter with this description numbers things, as "Number of the function"
/// does and "Number of queens" does not.
fn numbers_things(doc: &str) -> bool {
    doc.to_lowercase().starts_with("number of the ")
}

/// Returns the first clause of a description, for the middle of a line; `None` if it is long.
fn short_description(doc: &str) -> Option<String> {
    /// Maximum length of a description on an axis.
    const LONGEST: usize = 50;
    let clause = doc.split(['.', ';', '(']).next()?.trim();
    let mut letters = clause.chars();
    let first = letters.next()?;
    let rest = letters.as_str();
    // "NK" keeps its capitals.
    let is_word = !rest.starts_with(char::is_uppercase);
    let clause =
        if is_word { format!("{}{rest}", first.to_lowercase()) } else { clause.to_owned() };
    (clause.chars().count() <= LONGEST).then_some(clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_files_names() {
        assert_eq!(file_name("roulette, n 8"), "roulette-n-8");
        assert_eq!(file_name("../<b>"), "..-b");
    }

    #[test]
    fn numbers_of_things_are_told_from_counts() {
        assert!(numbers_things("Number of the function: 1 sphere, 2 ellipsoid."));
        assert!(!numbers_things("Number of queens, columns and rows."));
    }

    #[test]
    fn descriptions_become_labels_of_axes() {
        let short = |doc: &str| short_description(doc);
        let words = Some("number of queens, columns and rows".to_owned());
        assert_eq!(short("Number of queens, columns and rows."), words);
        assert_eq!(short("Genes; of the W-model bits behind."), Some("genes".to_owned()));
        assert_eq!(short("NK: other genes."), Some("NK: other genes".to_owned()));
        assert_eq!(short(&"long ".repeat(20)), None);
    }
}
