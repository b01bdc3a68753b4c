//! Contradictions between the tables of a finished experiment: figures of the summary that do not
//! follow from its trials.

use super::results_hash::{RowHasher, results_hash};
use super::schema::row::GenerationRow;
use super::schema::summary::summary_frame;
use super::{Results, ResultsError};
use crate::analysis::SummaryTable;
use crate::parquet::{Frame, FrameError};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use std::fmt;

/// Something that the summary says otherwise than the trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// An arm has another number of trials than the config asks for.
    Trials {
        /// Label of the arm.
        arm: String,
        /// Number in the table.
        found: u64,
        /// Number in the config.
        wanted: u64,
    },
    /// A figure of an arm does not follow from its trials.
    Figure {
        /// Label of the arm.
        arm: String,
        /// Column of the summary.
        column: String,
        /// Value in the summary.
        said: String,
        /// Value by the trials.
        found: String,
    },
    /// The results hash is not that of the trials and generations.
    Hash {
        /// Hash in the summary.
        said: String,
        /// Hash of the tables.
        found: String,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contradiction::Trials { arm, found, wanted } => {
                write!(out, "{arm}: {found} trials in the table, {wanted} by the config")
            }
            Contradiction::Figure { arm, column, said, found } => {
                write!(out, "{arm}: {column} {said} in the summary, {found} by the trials")
            }
            Contradiction::Hash { said, found } => {
                write!(out, "results hash {said} in the summary, {found} by the tables")
            }
        }
    }
}

impl Results {
    /// Returns the contradictions between the tables: none if the experiment is unfinished or was
    /// imported, or if its tables are of a version that computed no results hash. `repeats` is the
    /// number of trials of each arm, if it is fixed. Decisions of races are not checked.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn contradictions(&self, repeats: Option<u64>) -> Result<Vec<Contradiction>, ResultsError> {
        match self.planned() {
            None => self.contradictions_to(&self.summary()?, repeats),
            Some(_) => Ok(Vec::new()),
        }
    }

    /// Returns the contradictions between the tables and a summary.
    fn contradictions_to(
        &self,
        written: &SummaryTable,
        repeats: Option<u64>,
    ) -> Result<Vec<Contradiction>, ResultsError> {
        let Some(said) = written.results_hash.clone() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let (mut rows, mut trials, mut totals) =
            (self.rows::<TrialRecord>()?, RowHasher::default(), Vec::new());
        for (index, arm) in self.arms().iter().enumerate() {
            let (mut accumulator, mut number) = (self.schema().accumulator(index), 0);
            rows.of_arm(index, |trial| {
                trials.trial(arm.id, &trial);
                accumulator.add(&trial);
                number += 1;
            })?;
            if let Some(wanted) = repeats.filter(|wanted| *wanted != number) {
                let arm = arm.label.clone();
                found.push(Contradiction::Trials { arm, found: number, wanted });
            }
            totals.push(accumulator.finish(arm.id, self.stopping_rule()));
        }
        let mut summary = self.schema().summary(totals);
        summary.results_hash = Some(said.clone());
        let standings = written.rows.iter().map(|row| row.standing);
        summary.rows.iter_mut().zip(standings).for_each(|(row, standing)| row.standing = standing);
        let unreadable = |error: FrameError| ResultsError::unreadable(self.folder(), error);
        let frame = |table| summary_frame(table, self.schema()).map_err(unreadable);
        let labels: Vec<&str> = self.arms().iter().map(|arm| arm.label.as_str()).collect();
        let figures = figures(&labels, &frame(written)?, &frame(&summary)?).map_err(unreadable)?;
        found.extend(figures);
        let generations = if self.trace() == Trace::None { None } else { Some(self.traced()?) };
        let hash = results_hash(trials.finish(), generations);
        if hash != said {
            found.push(Contradiction::Hash { said, found: hash });
        }
        Ok(found)
    }

    /// Returns the hash of the generations.
    fn traced(&self) -> Result<blake3::Hash, ResultsError> {
        let (mut rows, mut hasher) = (self.rows::<GenerationRow>()?, RowHasher::default());
        for (index, arm) in self.arms().iter().enumerate() {
            rows.of_arm(index, |row| hasher.generation(arm.id, &row))?;
        }
        Ok(hasher.finish())
    }
}

/// Returns the first column of each arm in which two summaries differ.
fn figures(labels: &[&str], said: &Frame, found: &Frame) -> Result<Vec<Contradiction>, FrameError> {
    let mut differing: Vec<Option<Contradiction>> = vec![None; labels.len()];
    for (own, other) in said.columns().iter().zip(found.columns()) {
        let (Ok(own_cells), Ok(other_cells)) = (own.cells(), other.cells()) else { continue };
        let pairs = own_cells.into_iter().zip(other_cells).zip(labels);
        for (place, ((said, found), arm)) in
            pairs.enumerate().filter(|(_, (two, _))| two.0 != two.1)
        {
            differing[place].get_or_insert_with(|| Contradiction::Figure {
                arm: (*arm).to_owned(),
                column: own.name().to_owned(),
                said,
                found,
            });
        }
    }
    Ok(differing.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{folder, run, spec};

    #[test]
    fn a_summary_that_its_trials_do_not_have_is_noticed() {
        let out = folder();
        run(out.path(), &spec(&[10, 20], 30, Trace::Best));
        let results = Results::open(&out.path().join("queens")).expect("results");
        assert_eq!(results.contradictions(Some(30)).expect("tables"), []);
        let of = |change: &dyn Fn(&mut SummaryTable), repeats| {
            let mut summary = results.summary().expect("a summary");
            change(&mut summary);
            let found = results.contradictions_to(&summary, repeats).expect("tables");
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let labels: Vec<&str> = results.arms().iter().map(|arm| arm.label.as_str()).collect();
        let better = |summary: &mut SummaryTable| {
            summary.rows[1].figures.successes += 1;
            summary.rows[1].figures.success_rate = Some(1.0);
        };
        let told = of(&better, None);
        assert!(told.len() == 1 && told[0].starts_with(&format!("{}: successes ", labels[1])));
        let other = |summary: &mut SummaryTable| {
            summary.results_hash = Some("r1-00".to_owned());
        };
        let told = of(&other, None);
        assert!(told.len() == 1 && told[0].starts_with("results hash r1-00 in the summary, r1-"));
        let told = of(&|_| {}, Some(40));
        let wanted = |label: &&str| format!("{label}: 30 trials in the table, 40 by the config");
        assert_eq!(told, labels.iter().map(wanted).collect::<Vec<_>>());
    }
}
