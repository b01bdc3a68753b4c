//! Merging: many sorted tables into one, arm by arm in plan order, with a row group of each in
//! memory at a time.

use crate::parquet::{Column, FrameError, Values};
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::columns::GENOME;
use crate::results::schema::row::{Row, View};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::ahead::Ahead;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::writer::BLOCK;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are open at a time, at most: more are closed and opened again in turn.
pub(crate) const MOST_OPEN: usize = 64;
/// Rows of all files that are kept in memory from one arm to the next, at most.
const KEPT: usize = 4 * BLOCK;

/// Rows of one arm, next to each other in a file, ascending by trial.
#[derive(Clone, Copy, Debug)]
struct Segment {
    arm: usize,
    /// Of the first row.
    trial: u64,
    start: usize,
    end: usize,
}

/// Calls `visit` with each row's arm and trial, in order.
pub(crate) fn scan_keys(
    reader: &TableReader,
    mut visit: impl FnMut(ArmId, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    scan(reader, false, |id, trial, _| visit(id, trial))
}

/// Calls `visit` with each row's arm, trial and seed (0 where the table has none), in order.
pub(crate) fn scan_seeds(
    reader: &TableReader,
    visit: impl FnMut(ArmId, u64, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    scan(reader, reader.schema().contains("seed"), visit)
}

fn scan(
    reader: &TableReader,
    seeded: bool,
    mut visit: impl FnMut(ArmId, u64, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    let columns: &[&str] = if seeded { &["arm_id", "trial", "seed"] } else { &["arm_id", "trial"] };
    let mut last = (String::new(), ArmId(0));
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(columns))?;
        let words = |error: FrameError| Refusal::Damaged(error.to_string());
        let ids = frame.column("arm_id").and_then(Column::str).map_err(words)?;
        let trials = frame.column("trial").and_then(Column::u64).map_err(words)?;
        let seeds = if seeded {
            Some(frame.column("seed").and_then(Column::u64).map_err(words)?)
        } else {
            None
        };
        for row in 0..frame.height() {
            let (Some(hex), Some(trial)) = (ids.get(row), trials.get(row)) else {
                return Err(Refusal::Damaged("a row has no arm_id or no trial".to_owned()));
            };
            if last.0 != hex {
                let id = ArmId::from_hex(hex);
                let id = id.ok_or_else(|| {
                    Refusal::Damaged(format!("the arm_id `{hex}` is not 16 hex digits"))
                })?;
                last = (hex.to_owned(), id);
            }
            let seed = seeds.and_then(|seeds| seeds.get(row)).unwrap_or(0);
            visit(last.1, trial, seed).map_err(Refusal::Damaged)?;
        }
    }
    Ok(())
}

/// What it takes to open a file again.
struct Shut {
    path: PathBuf,
    checksum: Checksum,
}

/// Finds the groups of a file that are blocks, as its rows pass by.
#[derive(Default)]
struct Blocks {
    found: Vec<(usize, u64)>,
    group: usize,
    /// The arm and the first trial of the group, as long as it may be a block.
    begun: Option<(ArmId, u64)>,
}

impl Blocks {
    fn pass(&mut self, reader: &TableReader, row: usize, id: ArmId, trial: u64) {
        if row == reader.start(self.group + 1) {
            self.group += 1;
        }
        let (start, end) = (reader.start(self.group), reader.start(self.group + 1));
        if row == start {
            let may_be = end - start == BLOCK && trial.is_multiple_of(BLOCK as u64);
            self.begun = (may_be && reader.is_final(self.group)).then_some((id, trial));
        }
        let place = (row - start) as u64;
        self.begun = self.begun.filter(|(arm, first)| *arm == id && first + place == trial);
        if let Some((_, first)) = self.begun.filter(|_| row + 1 == end) {
            self.found.push((self.group, first));
        }
    }
}

/// A table with an index of its arms, read row by row in any order of arms.
pub(crate) struct Source<R: Row> {
    /// None: the rows are in memory, and held; or the file is shut.
    pub reader: Option<Arc<TableReader>>,
    shut: Option<Shut>,
    /// Ascending by arm, at most one per arm.
    segments: Vec<Segment>,
    /// The groups that are blocks, with their first trial, ascending.
    blocks: Vec<(usize, u64)>,
    /// What is read of its rows; none: all.
    columns: Option<&'static [&'static str]>,
    /// The rows of the group that was read last.
    held: Option<(Range<usize>, R::View)>,
    /// Whether the next group is read while one is worked on.
    reads_ahead: bool,
    ahead: Option<Ahead>,
}

impl<R: Row> Default for Source<R> {
    fn default() -> Self {
        let (reader, shut, columns, held, ahead) = (None, None, None, None, None);
        let (segments, blocks, reads_ahead) = (Vec::new(), Vec::new(), false);
        Source { reader, shut, segments, blocks, columns, held, reads_ahead, ahead }
    }
}

impl<R: Row> Source<R> {
    /// Rows of arms that `schema` lacks are left out.
    pub(crate) fn open(path: &Path, schema: &TableSchema) -> Result<Self, Refusal> {
        Self::of_file(TableReader::open(path, R::TABLE)?, schema)
    }

    /// The same of a file whose bytes were looked at right before, if it is still that one.
    pub(crate) fn open_again(
        path: &Path,
        schema: &TableSchema,
        checksum: Checksum,
    ) -> Result<Self, Refusal> {
        match TableReader::reopen(path, R::TABLE, checksum) {
            Ok(reader) => Self::of_file(reader, schema),
            Err(_) => Self::open(path, schema),
        }
    }

    fn of_file(reader: TableReader, schema: &TableSchema) -> Result<Self, Refusal> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut row = 0;
        // The row before: its arm, whether that is one of `schema`, and its trial.
        let mut before: Option<(ArmId, bool, u64)> = None;
        let mut blocks = Blocks::default();
        scan_keys(&reader, |id, trial| {
            blocks.pass(&reader, row, id, trial);
            match before {
                Some((last, known, earlier)) if last == id => {
                    if trial < earlier {
                        return Err(format!(
                            "trial {trial} of arm {id} comes after trial {earlier}"
                        ));
                    }
                    if let (Some(segment), true) = (segments.last_mut(), known) {
                        segment.end = row + 1;
                    }
                    before = Some((id, known, trial));
                }
                _ => {
                    let arm = schema.arm_index(id);
                    if let Some(arm) = arm {
                        segments.push(Segment { arm, trial, start: row, end: row + 1 });
                    }
                    before = Some((id, arm.is_some(), trial));
                }
            }
            row += 1;
            Ok(())
        })?;
        segments.sort_by_key(|segment| segment.arm);
        if let Some(pair) = segments.windows(2).find(|pair| pair[0].arm == pair[1].arm) {
            let id = schema.arms[pair[0].arm].id;
            return Err(Refusal::Damaged(format!(
                "the rows of arm {id} are not next to each other"
            )));
        }
        let blocks = blocks.found;
        let reader = Some(Arc::new(reader));
        Ok(Source { reader, segments, blocks, ..Source::default() })
    }

    /// The same with these columns alone.
    pub(crate) fn only(self, columns: &'static [&'static str]) -> Self {
        Source { columns: Some(columns), ..self }
    }

    /// The same, read ahead: a group more of it is in memory, and a thread decodes.
    pub(crate) fn ahead(self) -> Self {
        Source { reads_ahead: true, ..self }
    }

    /// The same with all columns.
    pub(crate) fn whole(mut self) -> Self {
        self.let_go();
        // A row here and there is asked for now.
        Source { columns: None, reads_ahead: false, ..self }
    }

    /// The group that begins with this row, if it is a block that finished tables of `origin` may
    /// have as it is: its file says the same of arms.
    fn block(&self, row: usize, origin: &Origin) -> Option<(usize, u64)> {
        let reader = self.reader.as_ref()?;
        let (group, start) = reader.group_of(row);
        let place = self.blocks.binary_search_by_key(&group, |(group, _)| *group).ok()?;
        let alike = reader.metadata.origin().describes_alike(origin)
            && reader.metadata.version == env!("CARGO_PKG_VERSION");
        (start == row && alike).then_some(self.blocks[place])
    }

    /// Closes the file until it is read again.
    pub(crate) fn shut(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.shut = Some(Shut { path: reader.path.clone(), checksum: reader.checksum });
            (self.held, self.ahead) = (None, None);
        }
    }

    fn reopen(&mut self) -> Result<(), ResultsError> {
        if let Some(Shut { path, checksum }) = &self.shut {
            let reader = TableReader::reopen(path, R::TABLE, *checksum);
            self.reader = Some(Arc::new(reader.map_err(|refusal| refusal.into_error(path))?));
            self.shut = None;
        }
        Ok(())
    }

    /// Rows of an arm, on average over the arms that it has.
    pub(crate) fn rows_per_arm(&self) -> usize {
        let rows: usize = self.segments.iter().map(|segment| segment.end - segment.start).sum();
        rows / self.segments.len().max(1)
    }

    /// Rows in memory, in order.
    pub(crate) fn of(rows: &[R], schema: &TableSchema) -> Result<Self, FrameError> {
        let mut segments: Vec<Segment> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let (arm, trial) = row.key();
            match segments.last_mut() {
                Some(segment) if segment.arm == arm => segment.end = place + 1,
                _ => segments.push(Segment { arm, trial, start: place, end: place + 1 }),
            }
        }
        let view = R::View::new(&R::frame(rows, schema)?, 0)?;
        let held = Some((0..rows.len(), view));
        Ok(Source { segments, held, ..Source::default() })
    }

    /// The first row of a trial. Of the groups that may have it, nothing but numbers is read until
    /// it is found.
    pub(crate) fn find(&mut self, arm: usize, trial: u64) -> Result<Option<R>, ResultsError> {
        let Some(Segment { start, end, .. }) = self.segment(arm) else { return Ok(None) };
        self.reopen()?;
        let mut row = start;
        while row < end {
            let Some(reader) = &self.reader else {
                let (view, place) = self.view(row)?;
                if view.trial(place) == trial {
                    return Ok(Some(view.row(place, arm)));
                }
                row += 1;
                continue;
            };
            let (group, first) = reader.group_of(row);
            let frame = reader.group(group, Some(&["trial"]))?;
            let trials = frame.column("trial").and_then(Column::u64);
            let trials = trials.map_err(|error| reader.damaged(error.to_string()))?;
            let rows = row..end.min(first + frame.height());
            let found = rows.clone().find(|row| trials.get(row - first) == Some(trial));
            if let Some(row) = found {
                let (view, place) = self.view(row)?;
                return Ok(Some(view.row(place, arm)));
            }
            row = rows.end;
        }
        Ok(None)
    }

    /// Forgets the rows that were read last, if they can be read again.
    fn let_go(&mut self) {
        self.ahead = None;
        if self.reader.is_some() {
            self.held = None;
        }
    }

    /// Forgets the rows that were read last once an arm ended before row `end`, unless the group
    /// has rows of other arms and may be kept with those of all `sources`: a group of many short
    /// arms would otherwise be read once per arm.
    fn pass(&mut self, end: usize, sources: usize) {
        let keeps = |(rows, _): &(Range<usize>, R::View)| {
            end < rows.end && rows.len().saturating_mul(sources) <= KEPT
        };
        if self.reader.is_some() && !self.held.as_ref().is_some_and(keeps) {
            self.held = None;
        }
    }

    fn segment(&self, arm: usize) -> Option<Segment> {
        let place = self.segments.binary_search_by_key(&arm, |segment| segment.arm).ok()?;
        Some(self.segments[place])
    }

    /// The view that holds a row of the file, and the row's place in it.
    fn view(&mut self, row: usize) -> Result<(&R::View, usize), ResultsError> {
        if self.held.as_ref().is_none_or(|(rows, _)| !rows.contains(&row)) {
            self.held = None;
            self.held = Some(self.read_group(row)?);
        }
        let (rows, view) = self.held.as_ref().expect("it was just read");
        Ok((view, row - rows.start))
    }

    /// Reads the group that holds a row.
    fn read_group(&mut self, row: usize) -> Result<(Range<usize>, R::View), ResultsError> {
        self.reopen()?;
        let reader = self.reader.as_ref().expect("rows that are not in memory are in a file");
        let (group, start) = reader.group_of(row);
        // Only the table's own columns: those that describe arms come from the spec, which may have
        // changed.
        let described = ["experiment", "arm", "arm_id", "problem", "operators"];
        let all = R::TABLE.columns().iter().chain(R::TABLE.violation_columns());
        let names = all.map(|column| column.name);
        let genome = GENOME.iter().map(|column| column.name);
        let genome = genome.filter(|name| reader.schema().contains(name));
        let chosen = |name: &&str| self.columns.is_none_or(|columns| columns.contains(name));
        let own = names.filter(|name| !described.contains(name));
        let columns: Vec<&'static str> = own.chain(genome).filter(chosen).collect();
        let ahead = self.ahead.take().and_then(|ahead| ahead.take(group));
        let frame = ahead.unwrap_or_else(|| reader.group(group, Some(&columns)))?;
        if self.reads_ahead {
            self.ahead = Ahead::begin(reader, group + 1, columns);
        }
        let view =
            R::View::new(&frame, start).map_err(|error| reader.damaged(error.to_string()))?;
        Ok((start..start + frame.height(), view))
    }
}

/// Calls `emit` with the rows of each trial that `keep` wants, arm by arm in plan order, within an
/// arm by trial, within a trial as in the file. Where several files have a trial, the first file's
/// rows stand for all: they are the same but for timings.
pub(crate) fn merge<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arms: usize,
    keep: impl Fn(usize, u64) -> bool,
    mut emit: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    for arm in 0..arms {
        merge_arm(sources, arm, &keep, &mut emit)?;
    }
    Ok(())
}

/// [`merge`] for one arm.
pub(crate) fn merge_arm<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arm: usize,
    keep: &impl Fn(usize, u64) -> bool,
    emit: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut last: Option<(u64, bool)> = None;
    let visit = |found: Found, view: &R::View| {
        let wanted = match last {
            Some((trial, wanted)) if trial == found.trial => wanted,
            _ => last.insert((found.trial, keep(arm, found.trial))).1,
        };
        if wanted && found.is_first { emit(view.row(found.place, arm)) } else { Ok(()) }
    };
    walk_arm(sources, arm, visit)
}

/// Takes what is merged.
pub(crate) trait Taker<R: Row> {
    /// Takes the next row.
    fn row(&mut self, row: R) -> Result<(), ResultsError>;
    /// Whether it would take a block now.
    fn takes_block(&self) -> bool;
    /// Takes the rows of a block: that group of the file.
    fn block(&mut self, reader: &TableReader, group: usize) -> Result<(), ResultsError>;
}

/// [`merge_arm`] into finished tables of `origin`: blocks are not taken apart where that can be
/// helped. `keep_all` says whether all trials of a range are wanted.
pub(crate) fn merge_blocks<R: Row>(
    sources: &mut [Source<R>],
    arm: usize,
    origin: &Origin,
    keep: &impl Fn(usize, u64) -> bool,
    keep_all: &impl Fn(usize, Range<u64>) -> bool,
    taker: &mut impl Taker<R>,
) -> Result<(), ResultsError> {
    let mut last: Option<(u64, bool)> = None;
    let taker = RefCell::new(taker);
    let rows = |found: Found, view: &R::View| {
        let wanted = match last {
            Some((trial, wanted)) if trial == found.trial => wanted,
            _ => last.insert((found.trial, keep(arm, found.trial))).1,
        };
        let take = wanted && found.is_first;
        if take { taker.borrow_mut().row(view.row(found.place, arm)) } else { Ok(()) }
    };
    let blocks = |source: &Source<R>, row: usize, between: Range<u64>| {
        let block = source.block(row, origin).filter(|_| taker.borrow().takes_block());
        let Some((group, first)) = block else { return Ok(None) };
        let trials = first..first + BLOCK as u64;
        let alone = between.start <= trials.start && trials.end <= between.end;
        let (Some(reader), true) = (&source.reader, alone && keep_all(arm, trials.clone())) else {
            return Ok(None);
        };
        taker.borrow_mut().block(reader, group)?;
        Ok(Some(trials.end - 1))
    };
    walk(sources, arm, rows, blocks)
}

/// A row that was come across.
pub(crate) struct Found {
    pub source: usize,
    pub trial: u64,
    /// Whether no source before has the trial.
    pub is_first: bool,
    /// In the view.
    pub place: usize,
}

/// The next row of an arm in a source; the least trial comes first, then the first source.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    trial: u64,
    source: usize,
    row: usize,
    end: usize,
}

/// Calls `visit` with the rows of an arm in all sources, by trial and, where several have a trial,
/// in the order of the sources.
pub(crate) fn walk_arm<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arm: usize,
    visit: impl FnMut(Found, &R::View) -> Result<(), E>,
) -> Result<(), E> {
    walk(sources, arm, visit, |_, _, _| Ok(None))
}

/// The same. `skip` is asked before each row: it may take a whole block that
/// begins there and whose trials are in a range, and then says which is the last of them.
fn walk<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arm: usize,
    mut visit: impl FnMut(Found, &R::View) -> Result<(), E>,
    mut skip: impl FnMut(&Source<R>, usize, Range<u64>) -> Result<Option<u64>, E>,
) -> Result<(), E> {
    let head = |(source, one): (usize, &Source<R>)| {
        let Segment { trial, start, end, .. } = one.segment(arm)?;
        Some(Reverse(Head { trial, source, row: start, end }))
    };
    let mut heads: BinaryHeap<Reverse<Head>> =
        sources.iter().enumerate().filter_map(head).collect();
    let mut shelf = Shelf::of(sources);
    let mut owner: Option<(u64, usize)> = None;
    'heads: while let Some(Reverse(mut head)) = heads.pop() {
        shelf.open(sources, head.source)?;
        // Until another source is at the same trial or at an earlier one.
        let until = heads.peek().map_or(u64::MAX, |Reverse(next)| next.trial);
        while head.row < head.end {
            let new = owner.map_or(0, |(trial, _)| trial + 1)..until;
            if let Some(trial) = skip(&sources[head.source], head.row, new)? {
                owner = Some((trial, head.source));
                head.row += BLOCK;
                continue;
            }
            let (view, place) = sources[head.source].view(head.row)?;
            let trial = view.trial(place);
            if trial != head.trial && trial >= until {
                head.trial = trial;
                heads.push(Reverse(head));
                continue 'heads;
            }
            head.trial = trial;
            let is_first = match owner {
                Some((owned, source)) if owned == trial => source == head.source,
                _ => true,
            };
            if is_first {
                owner = Some((trial, head.source));
            }
            visit(Found { source: head.source, trial, is_first, place }, view)?;
            head.row += 1;
        }
        let number = sources.len();
        sources[head.source].pass(head.end, number);
    }
    Ok(())
}

/// The files that are open, those that were read longest ago first.
struct Shelf(VecDeque<usize>);

impl Shelf {
    fn of<R: Row>(sources: &[Source<R>]) -> Self {
        let open = |(index, source): (usize, &Source<R>)| source.reader.as_ref().map(|_| index);
        Shelf(sources.iter().enumerate().filter_map(open).collect())
    }

    /// Opens a source, and shuts others so that not too many are open.
    fn open<R: Row>(
        &mut self,
        sources: &mut [Source<R>],
        index: usize,
    ) -> Result<(), ResultsError> {
        if sources[index].shut.is_none() {
            return Ok(());
        }
        while self.0.len() >= MOST_OPEN
            && let Some(oldest) = self.0.pop_front()
        {
            sources[oldest].shut();
        }
        self.0.push_back(index);
        sources[index].reopen()
    }
}
