//! Reading a results folder: a finished one, or one that a run is writing to or was interrupted in.

use crate::analysis::SummaryTable;
use crate::parquet::Frame;
use crate::plan::budget::Budget;
use crate::plan::round::Share;
use crate::plan::settings::Trace;
use crate::plan::shard::Shard;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::plan::{ArmSpec, BestType, ResultsSpec};
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::rows::Rows;
use crate::results::schema::columns::Table;
use crate::results::schema::gene_runs::give_genes;
use crate::results::schema::row::Row;
use crate::results::schema::summary::summary_frame;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::attempt::attempts;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::entry::Entries;
use crate::results::storage::files::if_there;
use crate::results::storage::folder::{
    PARTS, PLAN, TUNING_DIGEST, TableSet, is_there, is_tuning_folder, list_journals, list_parts,
    list_pieces, list_segments,
};
use crate::results::storage::journal::JournalBytes;
use crate::results::storage::judge::{FailedTrials, Judge};
use crate::results::storage::merge::{MOST_OPEN, Source};
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::reader::TableReader;
use crate::results::storage::segment::{self, Segment, SegmentRows};
use crate::results::storage::store::checksum_of;
use crate::results::storage::summary::read_summary;
use crate::results::storage::table_rows::TableRows;
use std::path::{Path, PathBuf};

/// A reader meets files that the writer just folded away: it looks again this often before it gives
/// up.
const ATTEMPTS: usize = 20;

/// Rows of the frames that are made for other formats.
const FRAME_ROWS: usize = 4_096;

/// An experiment's results, opened for reading. Takes no lock, and holds a row group of each file
/// at a time.
pub struct Results {
    folder: PathBuf,
    schema: TableSchema,
    state: State,
    /// Summary of the chosen arms; `None` if all arms are read.
    chosen: Option<SummaryTable>,
}

/// State of the results: finished tables, or parts of an unfinished run.
enum State {
    /// Summary of the tables, and the origin that all their files must have.
    Finished {
        summary: SummaryTable,
        origin: Box<Origin>,
        /// Checksum of the trials table, which was verified; `None` if the table is in pieces.
        trials: Option<Checksum>,
    },
    /// Plan of an unfinished run. Its trials are in tables of an earlier run, segments and
    /// journals.
    Unfinished { plan: Box<ResultsSpec>, share: Option<Share> },
}

/// The files that have an experiment's trials.
#[derive(PartialEq)]
struct Files {
    journals: Vec<PathBuf>,
    sets: Vec<TableSet>,
    segments: Vec<PathBuf>,
}

/// Opens the trials table of a finished experiment, or its first piece. Returns it with the
/// checksum of the table, and whether it is in pieces; `None` if there is neither a file nor a
/// folder.
fn finished_trials(folder: &Path) -> Result<Option<(TableReader, Checksum, bool)>, ResultsError> {
    let path = TableSet::tables(folder).path(Table::Trials);
    if let Some(reader) = if_there(TableReader::open(&path, Table::Trials))? {
        let checksum = reader.checksum;
        return Ok(Some((reader, checksum, false)));
    }
    let pieces = list_pieces(folder)?;
    let Some(first) = pieces.first() else { return Ok(None) };
    let reader = TableReader::peek(&first.path(Table::Trials), Table::Trials)?;
    Ok(Some((reader, checksum_of(&pieces)?, true)))
}

impl Results {
    /// Opens `results/<experiment>`.
    ///
    /// # Errors
    /// Returns an error if there are no results, the summary or the plan cannot be read, or the
    /// summary is not that of the trials.
    pub fn open(folder: &Path) -> Result<Self, ResultsError> {
        let none = |missing| ResultsError::None { path: folder.to_owned(), missing };
        let mut last = none("its tables appear and disappear; is the folder being moved?");
        for _ in 0..ATTEMPTS {
            let plan = folder.join(PARTS).join(PLAN);
            if let Some(PlanFile { spec, shard, round, .. }) = PlanFile::read(&plan)? {
                let schema = TableSchema::of(&spec);
                let share = shard.map(|shard| Share { shard, round });
                let state = State::Unfinished { plan: Box::new(spec), share };
                return Ok(Results { folder: folder.to_owned(), schema, state, chosen: None });
            }
            // Without a plan there are no parts, unless a run has just begun.
            if !list_parts(folder)?.is_empty() || !list_segments(folder)?.is_empty() {
                last = none(
                    "its parts have no plan.json; run the experiment again: it continues from the \
                    parts",
                );
                continue;
            }
            let path = folder.join(Table::Summary.file_name());
            match read_summary(&path) {
                Ok((summary, mut schema, metadata)) => {
                    let Some((trials, checksum, in_pieces)) = finished_trials(folder)? else {
                        last = none(
                            "it has a summary but no trials.parquet; run the experiment again",
                        );
                        continue;
                    };
                    if metadata.trials != Some(checksum.to_string()) {
                        // A run may be giving them their names just now.
                        last = ResultsError::Foreign {
                            path,
                            is: format!("different trials of {}", metadata.origin()),
                            should: format!(
                                "the trials in the same folder, of {}",
                                trials.metadata.origin()
                            ),
                        };
                        continue;
                    }
                    if trials.has_real_lists("best") {
                        schema.best = BestType::Reals;
                    }
                    give_genes(&trials.metadata.genes, &mut schema.arms);
                    let state = State::Finished {
                        summary,
                        origin: Box::new(metadata.origin().clone()),
                        trials: (!in_pieces).then_some(checksum),
                    };
                    return Ok(Results { folder: folder.to_owned(), schema, state, chosen: None });
                }
                // Either there is nothing, or a run has just begun or ended.
                Err(error) if error.is_missing() && (plan.exists() || path.exists()) => {}
                Err(error) if error.is_missing() => {
                    return Err(none(if !is_there(folder)? {
                        "the folder does not exist"
                    } else if is_tuning_folder(folder) {
                        "it is a tuning, and each folder in it is an experiment"
                    } else if folder.join(TUNING_DIGEST).is_file() {
                        "it is a tuning that has not ended, and each folder in it is an experiment"
                    } else {
                        "it has no summary.parquet, and no run is under way in it"
                    }));
                }
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Keeps only the arms that are true in `chosen`. Their rows of the summary do not change.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn only(mut self, chosen: &[bool]) -> Result<Self, ResultsError> {
        let mut summary = self.summary()?;
        retain(&mut summary.rows, chosen);
        summary.results_hash = None;
        self.chosen = Some(summary);
        let TableSchema { stopping_rule, violations, mut arms, .. } = self.schema;
        retain(&mut arms, chosen);
        let rule = stopping_rule.map(|rule| rule.among(chosen));
        let TableSchema { experiment, trace, best, swept_keys, .. } = self.schema;
        self.schema = TableSchema::new(experiment, trace, best, swept_keys, arms);
        self.schema.stopping_rule.clone_from(&rule);
        self.schema.violations = violations;
        if let State::Unfinished { plan, .. } = &mut self.state {
            retain(&mut plan.arms, chosen);
            retain(&mut plan.fingerprints, chosen);
            plan.stopping_rule = rule;
        }
        Ok(self)
    }

    /// Returns the results folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the experiment's name.
    #[must_use]
    pub fn experiment(&self) -> &str {
        &self.schema.experiment
    }

    /// Returns the arms in plan order. Rows name arms by their index in this order.
    #[must_use]
    pub fn arms(&self) -> &[ArmSpec] {
        &self.schema.arms
    }

    /// Keys of `[sweep]`, in the order of the file.
    #[must_use]
    pub fn swept_keys(&self) -> &[String] {
        &self.schema.swept_keys
    }

    /// Returns whether the search of an arm draws random numbers.
    #[must_use]
    pub fn draws(&self, arm: usize) -> bool {
        self.schema.draws(arm)
    }

    /// Returns whether the problem has constraints.
    #[must_use]
    pub fn violations(&self) -> bool {
        self.schema.violations
    }

    pub(super) fn schema(&self) -> &TableSchema {
        &self.schema
    }

    /// Returns the type of the column of best genomes.
    pub(crate) fn best_type(&self) -> BestType {
        self.schema.best
    }

    /// Returns the kind of trace in the generations table.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.schema.trace
    }

    /// Returns the question that ends the trials; `None` if their number is fixed beforehand.
    #[must_use]
    pub fn stopping_rule(&self) -> Option<&StoppingRule> {
        self.schema.stopping_rule.as_ref()
    }

    /// Returns whether the race of a tuning decided how many trials each arm has.
    #[must_use]
    pub fn is_raced_by_tuning(&self) -> bool {
        let criterion = self.stopping_rule().map(|rule| &rule.criterion);
        matches!(criterion, Some(StoppingCriterion::Cheapest(_)))
    }

    /// Returns the planned trials per arm while the experiment is unfinished; `None` once its
    /// tables are complete.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        match &self.state {
            State::Finished { .. } => None,
            State::Unfinished { plan, .. } => Some(plan.repeats),
        }
    }

    /// Returns whether the tables have all trials of this plan, and no others. With a stopping
    /// rule, the rule decides how many trials there are.
    #[must_use]
    pub fn are_of(&self, spec: &ResultsSpec) -> bool {
        let State::Finished { summary, origin, .. } = &self.state else { return false };
        let has_rule = self.stopping_rule() == spec.stopping_rule.as_ref();
        let mut trials = summary.rows.iter().map(|row| row.figures.all_trials());
        origin.plan == spec.digest()
            && has_rule
            && (spec.stopping_rule.is_some() || trials.all(|trials| trials == spec.repeats))
    }

    /// Returns the shard of which the folder is to have the trials, and their number; `None` for a
    /// whole experiment.
    #[must_use]
    pub fn shard(&self) -> Option<(Shard, u64)> {
        let State::Unfinished { plan, share: Some(share) } = &self.state else { return None };
        let trials = (0..plan.arms.len()).map(|arm| share.trials(arm, plan.limit(arm)));
        Some((share.shard, trials.map(|run| run.end - run.start).sum()))
    }

    /// Returns the seed that all other seeds derive from; `None` if the trials were imported.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match &self.state {
            State::Finished { origin, .. } => origin.imported.is_none().then_some(origin.seed),
            State::Unfinished { plan, .. } => Some(plan.seed),
        }
    }

    /// Returns the seed of the first arm's trial 0 that the plan asks for; `None` if the tables are
    /// written.
    #[must_use]
    pub fn first_seed(&self) -> Option<u64> {
        match &self.state {
            State::Finished { .. } => None,
            State::Unfinished { plan, .. } => {
                (!plan.arms.is_empty()).then(|| plan.trial_seed(0, 0))
            }
        }
    }

    /// Returns the file that the trials were imported from; `None` if a runner ran them.
    #[must_use]
    pub fn imported(&self) -> Option<&str> {
        match &self.state {
            State::Finished { origin, .. } => origin.imported.as_deref(),
            State::Unfinished { .. } => None,
        }
    }

    /// Lists the files that have its trials.
    fn files(&self) -> Result<Files, ResultsError> {
        let mut sets = list_pieces(&self.folder)?;
        if sets.is_empty() || TableSet::tables(&self.folder).path(Table::Trials).exists() {
            sets = vec![TableSet::tables(&self.folder)];
        }
        let mut files = Files { journals: Vec::new(), sets, segments: Vec::new() };
        if let State::Unfinished { .. } = self.state {
            for folder in self.folders()? {
                files.journals.extend(list_journals(&folder)?);
                files.sets.extend(list_parts(&folder)?);
                files.segments.extend(list_segments(&folder)?);
            }
        }
        Ok(files)
    }

    /// Opens the files that have rows of a table, all of one moment.
    fn sources<R: Row>(&self) -> Result<Vec<Source<R>>, ResultsError> {
        for attempt in 1.. {
            let files = self.files()?;
            // The journals first: what leaves them meanwhile is in a segment by then, and what is
            // seen twice counts once.
            let mut gone = false;
            let mut sources: Vec<Source<R>> = Vec::new();
            let journals = self.journals(&files.journals)?;
            let one = files.sets.len() == 1 && files.segments.is_empty();
            for set in &files.sets {
                match self.open_table::<R>(set, files.sets.len() > MOST_OPEN)? {
                    Some(mut table) => {
                        if one {
                            table.read_ahead();
                        }
                        sources.push(Box::new(table));
                    }
                    // A part has no timings if they were broken, and no tables if it is gone.
                    None => gone |= set.part.is_some() && !set.path(Table::Trials).exists(),
                }
            }
            for path in &files.segments {
                let Some(mut segment) = if_there(Segment::open(path))? else {
                    gone = true;
                    continue;
                };
                self.check_origin(&segment.origin, path)?;
                if files.segments.len() > MOST_OPEN {
                    segment.close();
                }
                sources.push(SegmentRows::source(segment, &self.schema));
            }
            let journals = journals.into_iter();
            sources.extend(journals.map(|one| SegmentRows::source(one, &self.schema)));
            // Seen again unchanged, nothing was missed.
            if (!gone && files == self.files()?) || attempt == ATTEMPTS {
                return Ok(sources);
            }
        }
        unreachable!("the loop ends at its last attempt")
    }

    /// Opens a table; `None` if it is missing, where it may be.
    fn open_table<R: Row>(
        &self,
        set: &TableSet,
        many: bool,
    ) -> Result<Option<TableRows<R>>, ResultsError> {
        let path = set.path(R::TABLE);
        let opened = match self.state {
            State::Finished { trials: Some(checksum), .. } if R::TABLE == Table::Trials => {
                TableRows::open_again(&path, &self.schema, checksum)
            }
            _ => TableRows::open(&path, &self.schema),
        };
        match opened {
            Ok(mut table) => {
                if let Some(reader) = &table.reader {
                    self.check_origin(reader.metadata.origin(), &path)?;
                }
                // The pieces of finished tables stay where they are.
                if many && set.part.is_none() {
                    table.close();
                }
                Ok(Some(table))
            }
            Err(error) if error.is_missing() => match (&self.state, R::TABLE) {
                (State::Unfinished { .. }, _) | (_, Table::Timings) => Ok(None),
                (_, Table::Generations) if self.schema.trace == Trace::None => Ok(None),
                _ => Err(ResultsError::None {
                    path,
                    missing: "the table was there when the run ended; run the experiment again",
                }),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns the folders with parts of an unfinished experiment: its own folder and, while a
    /// shard runs, the folders of the shard's attempts.
    fn folders(&self) -> Result<Vec<PathBuf>, ResultsError> {
        let mut folders = attempts(&self.folder)?;
        folders.push(self.folder.clone());
        Ok(folders)
    }

    /// Returns the trials of these journals of an unfinished experiment, in order.
    fn journals(&self, paths: &[PathBuf]) -> Result<Vec<Segment>, ResultsError> {
        let State::Unfinished { plan, .. } = &self.state else { return Ok(Vec::new()) };
        let judge = Judge::new(plan, FailedTrials::Keep);
        let mut journals = Vec::new();
        for path in paths {
            let Some(journal) = JournalBytes::read(path)? else { continue };
            let mut entries = Entries::default();
            journal.asked(&judge, &mut entries)?;
            if !entries.is_empty() {
                let origin = Origin::new(plan, [plan.build()].into());
                journals.push(segment::in_memory(path, &origin, entries.sorted())?);
            }
        }
        Ok(journals)
    }

    /// Checks that a file is of this experiment.
    fn check_origin(&self, is: &Origin, path: &Path) -> Result<(), ResultsError> {
        let should = match &self.state {
            State::Finished { origin, .. } if *is == **origin => return Ok(()),
            State::Unfinished { plan, .. } if is.seed == plan.seed => return Ok(()),
            State::Finished { origin, .. } => origin.to_string(),
            State::Unfinished { plan, .. } => Origin::new(plan, [plan.build()].into()).to_string(),
        };
        let mut is = is.to_string();
        if is == should {
            is.push_str(", made by another build of the plugin");
        }
        Err(ResultsError::Foreign { path: path.to_owned(), is, should })
    }

    /// Returns the rows of a table, to be read arm by arm. There are none of the generations if the
    /// experiment has no trace.
    ///
    /// # Errors
    /// Returns an error if a file cannot be opened.
    pub fn rows<R: Row>(&self) -> Result<Rows<R>, ResultsError> {
        // The ends first: trials that finish meanwhile may close a gap between files that are open.
        let ends = self.ends()?;
        Ok(Rows::of(self.sources()?, self.schema.arms.len(), ends))
    }

    /// Returns the trial of each arm from which on rows are no sample; `None` if all are. With
    /// `stop.keep-ended`, a run with another budget keeps trials by how they ended, successes above
    /// all, so that those before the first missing trial count alone.
    fn ends(&self) -> Result<Option<Vec<u64>>, ResultsError> {
        let State::Unfinished { plan, share } = &self.state else { return Ok(None) };
        let keeps = |arm: &ArmSpec| Budget::of(&arm.settings).is_some();
        if !plan.arms.iter().any(keeps) {
            return Ok(None);
        }
        let mut rows = Rows::<TrialRecord>::of(self.sources()?, plan.arms.len(), None).figures();
        let mut ends = Vec::new();
        for (index, arm) in plan.arms.iter().enumerate() {
            let run = share.as_ref().map(|share| share.trials(index, plan.limit(index)));
            let mut next = run.map_or(0, |run| run.start);
            if keeps(arm) {
                rows.of_arm_while(index, |record| {
                    let is_next = record.trial == next;
                    next += u64::from(is_next);
                    is_next
                })?;
            }
            ends.push(if keeps(arm) { next } else { u64::MAX });
        }
        Ok(Some(ends))
    }

    /// Calls `visit` with every trial, arm by arm in plan order, within an arm by number.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn trials(&self, visit: impl FnMut(TrialRecord)) -> Result<(), ResultsError> {
        self.rows()?.all(visit)
    }

    /// Calls `visit` with every trial, without the columns that no figure needs: `valid`, genomes,
    /// texts and errors are not read.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn figures(&self, visit: impl FnMut(TrialRecord)) -> Result<(), ResultsError> {
        self.rows()?.figures().all(visit)
    }

    /// Calls `visit` with every trial like [`figures`](Self::figures), and also with those that are
    /// no sample, because trials before them are missing.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn kept(&self, visit: impl FnMut(TrialRecord)) -> Result<(), ResultsError> {
        Rows::of(self.sources()?, self.schema.arms.len(), None).figures().all(visit)
    }

    /// Returns the first `limit` trials.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn first_trials(&self, limit: usize) -> Result<Vec<TrialRecord>, ResultsError> {
        let (mut first, mut rows) = (Vec::new(), self.rows()?);
        for arm in 0..self.schema.arms.len() {
            if first.len() < limit {
                rows.of_arm_while(arm, |trial| {
                    first.push(trial);
                    first.len() < limit
                })?;
            }
        }
        Ok(first)
    }

    /// Calls `visit` with all trials as frames of the trials table, some thousand rows at a time.
    pub fn trial_frames(
        &self,
        mut visit: impl FnMut(&Frame) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let mut rows = Vec::new();
        let mut pass_on = |rows: &mut Vec<TrialRecord>| {
            let frame = TrialRecord::frame(rows, &self.schema)
                .map_err(|error| ResultsError::unreadable(&self.folder, error))?;
            rows.clear();
            visit(&frame)
        };
        self.rows()?.try_all(|trial| {
            rows.push(trial);
            if rows.len() < FRAME_ROWS { Ok(()) } else { pass_on(&mut rows) }
        })?;
        pass_on(&mut rows)
    }

    /// Returns a frame with the columns of the trials table and no rows.
    pub fn no_trials_frame(&self) -> Result<Frame, ResultsError> {
        let frame = TrialRecord::frame(&[], &self.schema);
        frame.map_err(|error| ResultsError::unreadable(&self.folder, error))
    }

    /// Returns a summary as a frame of the summary table.
    pub fn summary_frame(&self) -> Result<Frame, ResultsError> {
        let frame = summary_frame(&self.summary()?, &self.schema);
        frame.map_err(|error| ResultsError::unreadable(&self.folder, error))
    }

    /// Returns the summary table; for an unfinished experiment, the summary of its trials so far.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read.
    pub fn summary(&self) -> Result<SummaryTable, ResultsError> {
        if let Some(chosen) = &self.chosen {
            return Ok(chosen.clone());
        }
        if let State::Finished { summary, .. } = &self.state {
            return Ok(summary.clone());
        }
        let (mut rows, mut figures) = (self.rows()?, Vec::new());
        for (index, arm) in self.schema.arms.iter().enumerate() {
            let mut accumulator = self.schema.accumulator(index);
            rows.of_arm(index, |trial| accumulator.add(&trial))?;
            figures.push(accumulator.finish(arm.id, self.schema.stopping_rule.as_ref()));
        }
        let mut summary = self.schema.summary(figures);
        // Trials may be missing, and then it is not known who dropped out, or which trial is the
        // last.
        summary.rows.iter_mut().for_each(|row| row.standing = None);
        Ok(match self.schema.stopping_rule {
            Some(_) => summary.at_any_look(),
            None => summary,
        })
    }
}

/// Keeps the items of the arms that are chosen.
fn retain<T>(items: &mut Vec<T>, chosen: &[bool]) {
    let mut chosen = chosen.iter();
    items.retain(|_| chosen.next().is_some_and(|chosen| *chosen));
}
