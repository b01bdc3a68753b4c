//! Segments: finished trials of a run in order, compressed, before they are in tables.
//!
//! A segment is a sequence of frames. Each holds a block: the entries of at most [`MOST_TRIALS`]
//! trials of one arm, ascending, each after its length (4 bytes, little endian), compressed with
//! LZ4. The last frame is the index of the blocks, and the place of that frame (8 bytes, little
//! endian) ends the file.

use super::entry::Entries;
use super::frame::{self, Frames, Mark};
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::entry_format::EntryHead;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{create, rename};
use crate::results::storage::merge::{Source, Stream};
use crate::results::storage::metadata::Origin;
use crate::stats::TrialCounts;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

/// Maximum number of trials per block.
const MOST_TRIALS: u64 = 1_024;
/// Number of bytes from which on a block ends.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCK: Mark = *b"\xF2block1\n";
const INDEX: Mark = *b"\xF2index1\n";
/// Length of the last field of a file.
const TAIL: u64 = 8;
/// Maximum factor by which LZ4 expands a byte.
const MOST_EXPANSION: u64 = 255;

/// One block of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockIndex {
    pub arm: ArmId,
    /// Number of the first trial and of the last one.
    pub first: u64,
    pub last: u64,
    pub counts: TrialCounts,
    /// Place of its frame, and its length.
    place: u64,
    length: u64,
}

impl BlockIndex {
    /// Returns the number of bytes of its frame.
    pub(crate) fn size(&self) -> u64 {
        self.length
    }

    /// Returns the number of its entries.
    fn entries(&self) -> u64 {
        self.counts.trials + self.counts.failures
    }
}

/// Body of the last frame of a segment.
#[derive(Serialize, Deserialize)]
struct Index {
    /// Origin of the trials, as JSON.
    origin: String,
    blocks: Vec<BlockIndex>,
}

/// Writer of entries that come by arm and trial.
pub(crate) struct SegmentWriter<W: Write> {
    out: W,
    place: u64,
    /// Entries of the block that has begun, and what the index will say of it.
    block: Vec<u8>,
    begun: Option<BlockIndex>,
    index: Vec<BlockIndex>,
}

impl<W: Write> SegmentWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        SegmentWriter { out, place: 0, block: Vec::new(), begun: None, index: Vec::new() }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// Returns an error of the system; of the kind `InvalidData` for bytes that are no entry.
    pub(crate) fn push(&mut self, entry: &[u8]) -> io::Result<()> {
        let head = EntryHead::read(entry).ok_or(ErrorKind::InvalidData)?;
        let full = |begun: &BlockIndex, bytes: usize| {
            begun.arm.0 != head.arm
                || begun.entries() == MOST_TRIALS
                || bytes + entry.len() > BLOCK_BYTES
        };
        if self.begun.is_some_and(|begun| full(&begun, self.block.len())) {
            self.end_block()?;
        }
        let (arm, first, counts) = (ArmId(head.arm), head.trial, TrialCounts::default());
        let new = BlockIndex { arm, first, last: first, counts, place: 0, length: 0 };
        let begun = self.begun.get_or_insert(new);
        begun.last = head.trial;
        begun.counts.add(head.outcome.is_failure(), head.success);
        let length = u32::try_from(entry.len()).map_err(|_| ErrorKind::InvalidData)?;
        self.block.extend_from_slice(&length.to_le_bytes());
        self.block.extend_from_slice(entry);
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let Some(begun) = self.begun.take() else { return Ok(()) };
        let packed = lz4::block::compress(&self.block, None, true)?;
        self.block.clear();
        let place = self.place;
        let length = self.write_frame(&packed, &BLOCK)?;
        self.index.push(BlockIndex { place, length, ..begun });
        Ok(())
    }

    fn write_frame(&mut self, body: &[u8], mark: &Mark) -> io::Result<u64> {
        let mut bytes = Vec::with_capacity(frame::length(body.len()));
        let start = frame::begin(&mut bytes);
        bytes.extend_from_slice(body);
        frame::end(&mut bytes, start, mark).map_err(|_| ErrorKind::InvalidData)?;
        self.out.write_all(&bytes)?;
        self.place += bytes.len() as u64;
        Ok(bytes.len() as u64)
    }

    /// Ends the segment.
    pub(crate) fn finish(mut self, origin: &Origin) -> io::Result<W> {
        self.end_block()?;
        let index = Index {
            origin: serde_json::to_string(origin).map_err(io::Error::other)?,
            blocks: std::mem::take(&mut self.index),
        };
        let (place, body) = (self.place, postcard::to_stdvec(&index).map_err(io::Error::other)?);
        self.write_frame(&body, &INDEX)?;
        self.out.write_all(&place.to_le_bytes())?;
        Ok(self.out)
    }
}

/// A segment, open for reading.
#[derive(Clone)]
pub(crate) struct Segment {
    pub path: PathBuf,
    pub origin: Origin,
    pub blocks: Arc<[BlockIndex]>,
    data: Data,
}

#[derive(Clone)]
enum Data {
    Memory(Arc<Vec<u8>>),
    /// Stays readable while the file is removed.
    Open(Arc<File>),
    /// Opened for each block, because many others are open.
    Closed,
}

/// Writes a segment at `path` atomically, of the entries that `fill` pushes.
pub(crate) fn write(
    path: &Path,
    origin: &Origin,
    fill: impl FnOnce(&mut SegmentWriter<&mut io::BufWriter<File>>) -> Result<(), ResultsError>,
) -> Result<Segment, ResultsError> {
    let (unfinished, file) = create(path)?;
    let mut out = io::BufWriter::with_capacity(1 << 18, file);
    let mut writer = SegmentWriter::new(&mut out);
    fill(&mut writer)?;
    let written =
        writer.finish(origin).and_then(Write::flush).and_then(|()| out.get_ref().sync_all());
    written.map_err(ResultsError::writing(&unfinished, "write the file"))?;
    rename(&unfinished, path)?;
    Segment::open(path)
}

/// Writes a segment at `path` atomically, of entries in any order.
pub(crate) fn write_entries(
    path: &Path,
    origin: &Origin,
    entries: &Entries,
) -> Result<Segment, ResultsError> {
    write(path, origin, |writer| {
        let written = entries.sorted().try_for_each(|entry| writer.push(entry));
        written.map_err(ResultsError::writing(path, "write the file"))
    })
}

/// Returns a segment in memory, of entries in order. `path`: where they come from, for messages.
pub(crate) fn in_memory<'a>(
    path: &Path,
    origin: &Origin,
    mut entries: impl Iterator<Item = &'a [u8]>,
) -> Result<Segment, ResultsError> {
    let mut writer = SegmentWriter::new(Vec::new());
    let written = entries.try_for_each(|one| writer.push(one)).and_then(|()| writer.finish(origin));
    let bytes = written.map_err(ResultsError::reading(path, "read the journal"))?;
    let index = index_of(&mut io::Cursor::new(&bytes));
    let Ok(Some((origin, blocks))) = index else {
        return Err(ResultsError::unreadable(path, "its trials cannot be put in order"));
    };
    Ok(Segment { path: path.to_owned(), origin, blocks, data: Data::Memory(Arc::new(bytes)) })
}

type Described = (Origin, Arc<[BlockIndex]>);

/// Returns the index of a file; `None` if it is damaged.
fn index_of(file: &mut (impl Read + Seek)) -> io::Result<Option<Described>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(end) = length.checked_sub(TAIL) else { return Ok(None) };
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut tail)?;
    let place = u64::from_le_bytes(tail);
    let Some(size) = end.checked_sub(place).and_then(|size| usize::try_from(size).ok()) else {
        return Ok(None);
    };
    let mut bytes = vec![0; size];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut bytes)?;
    let index = frame::body(&bytes, &INDEX).map(postcard::from_bytes::<Index>);
    let Some(Ok(Index { origin, blocks })) = index else { return Ok(None) };
    let fits = |block: &BlockIndex| {
        block.place.checked_add(block.length).is_some_and(|end| end <= place)
            && block.first <= block.last
    };
    let origin = serde_json::from_str(&origin).ok().filter(|_| blocks.iter().all(fits));
    Ok(origin.map(|origin| (origin, blocks.into())))
}

impl Segment {
    /// Opens a segment. Its blocks are looked at when they are read.
    ///
    /// # Errors
    /// Returns the errors of [`TableReader::open`](super::reader::TableReader::open).
    pub(crate) fn open(path: &Path) -> Result<Self, ResultsError> {
        let reading = |error| ResultsError::reading(path, "read the file")(error);
        let mut file = regular::open(path).map_err(reading)?;
        let (origin, blocks) = index_of(&mut file)
            .map_err(reading)?
            .ok_or_else(|| ResultsError::unreadable(path, "its index is damaged"))?;
        let data = Data::Open(Arc::new(file));
        Ok(Segment { path: path.to_owned(), origin, blocks, data })
    }

    /// Closes the file; it is opened for each block from now on.
    pub(crate) fn close(&mut self) {
        if let Data::Open(_) = self.data {
            self.data = Data::Closed;
        }
    }

    /// Returns whether it has the trials that another one has, and as many successes and failures.
    pub(crate) fn has_trials_of(&self, other: &Segment) -> bool {
        let trials = |block: &BlockIndex| BlockIndex { place: 0, length: 0, ..*block };
        self.blocks.iter().map(trials).eq(other.blocks.iter().map(trials))
    }

    /// Returns the number of bytes that its blocks take.
    pub(crate) fn size(&self) -> u64 {
        self.blocks.iter().map(|block| block.length).sum()
    }

    /// Returns the entries of a block, each after its length.
    ///
    /// # Errors
    /// Returns [`ResultsError::Unreadable`] if the block is damaged, and an error if it cannot be
    /// read.
    pub(crate) fn block(&self, block: &BlockIndex) -> Result<Block, ResultsError> {
        let (place, mut buffer) = (block.place, vec![0; block.length as usize]);
        let read = match &self.data {
            Data::Memory(bytes) => {
                buffer.copy_from_slice(&bytes[place as usize..(place + block.length) as usize]);
                Ok(())
            }
            Data::Open(file) => regular::read_at(file, &mut buffer, place),
            Data::Closed => regular::open(&self.path)
                .and_then(|file| regular::read_at(&file, &mut buffer, place)),
        };
        read.map_err(ResultsError::reading(&self.path, "read the file"))?;
        frame::body(&buffer, &BLOCK).and_then(unpack).ok_or_else(|| {
            let message = format!("its block at byte {place} is damaged");
            ResultsError::unreadable(&self.path, message)
        })
    }
}

/// Returns a block from what a frame holds; `None` if no runner wrote it.
fn unpack(body: &[u8]) -> Option<Block> {
    let size = u32::from_le_bytes(*body.first_chunk::<4>()?);
    if u64::from(size) > MOST_EXPANSION * body.len() as u64 {
        return None;
    }
    lz4::block::decompress(body, None).ok().map(Block)
}

/// Calls `visit` with each entry of a file whose index is damaged, and returns the number of bytes
/// that belong to no sound block, but for the index.
pub(crate) fn scan(
    bytes: &[u8],
    mut visit: impl FnMut(&[u8]) -> Result<(), ResultsError>,
) -> Result<usize, ResultsError> {
    let mut frames = Frames::new(bytes, &BLOCK);
    let (mut end, mut damaged) = (0, 0);
    while let Some(body) = frames.next_range() {
        (end, damaged) = (frames.place, frames.damaged);
        if let Some(block) = unpack(&bytes[body]) {
            block.entries().try_for_each(&mut visit)?;
        }
    }
    let rest = &bytes[end..];
    Ok(if rest.starts_with(&INDEX) { damaged } else { damaged + rest.len() })
}

/// A block as it was before compression.
pub(crate) struct Block(Vec<u8>);

impl Block {
    pub(crate) fn entries(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (entry, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(entry)
        })
    }
}

/// Rows that an entry becomes when a segment is read.
pub(crate) trait OfEntry: Sized + Send + 'static {
    /// Adds the rows of an entry, as those of arm `arm`; `None` if another version of the runner
    /// wrote the entry.
    fn add(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()>;

    fn trial(&self) -> u64;
}

impl<R: Row> OfEntry for R {
    fn add(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()> {
        R::add_of_entry(entry, arm, rows)
    }

    fn trial(&self) -> u64 {
        self.key().1
    }
}

/// An entry as it is.
pub(crate) struct RawEntry {
    trial: u64,
    pub bytes: Vec<u8>,
}

impl OfEntry for RawEntry {
    fn add(entry: &[u8], _: usize, rows: &mut Vec<Self>) -> Option<()> {
        let trial = EntryHead::read(entry)?.trial;
        rows.push(RawEntry { trial, bytes: entry.to_vec() });
        Some(())
    }

    fn trial(&self) -> u64 {
        self.trial
    }
}

/// The rows that the trials of a segment have in a table, arm by arm.
pub(crate) struct SegmentRows<R> {
    segment: Segment,
    /// Blocks of each arm that the schema has.
    arms: BTreeMap<usize, Range<usize>>,
    arm: usize,
    /// Blocks that were not read yet.
    left: Range<usize>,
    rows: Peekable<IntoIter<R>>,
}

impl<R: OfEntry> SegmentRows<R> {
    /// Returns the rows as a source.
    pub(crate) fn source(segment: Segment, schema: &TableSchema) -> Source<R> {
        let mut arms = BTreeMap::new();
        let mut start = 0;
        for run in segment.blocks.chunk_by(|one, other| one.arm == other.arm) {
            if let Some(arm) = schema.arm_index(run[0].arm) {
                arms.insert(arm, start..start + run.len());
            }
            start += run.len();
        }
        let rows = Vec::new().into_iter().peekable();
        Box::new(SegmentRows { segment, arms, arm: 0, left: 0..0, rows })
    }

    fn read(&self, block: usize, arm: usize) -> Result<Vec<R>, ResultsError> {
        let index = &self.segment.blocks[block];
        let block = self.segment.block(index)?;
        let mut rows = Vec::with_capacity(index.entries() as usize);
        for entry in block.entries() {
            R::add(entry, arm, &mut rows).ok_or_else(|| {
                let message = "another version of the runner wrote it";
                ResultsError::unreadable(&self.segment.path, message)
            })?;
        }
        Ok(rows)
    }
}

impl<R: OfEntry> Stream for SegmentRows<R> {
    type Item = R;

    fn first(&self, arm: usize) -> Option<u64> {
        self.arms.get(&arm).map(|blocks| self.segment.blocks[blocks.start].first)
    }

    fn begin(&mut self, arm: usize) {
        self.arm = arm;
        self.left = self.arms.get(&arm).cloned().unwrap_or(0..0);
        self.rows = Vec::new().into_iter().peekable();
    }

    fn next_trial(&mut self) -> Result<Option<u64>, ResultsError> {
        while self.rows.peek().is_none() {
            let Some(next) = self.left.next() else { return Ok(None) };
            self.rows = self.read(next, self.arm)?.into_iter().peekable();
        }
        Ok(self.rows.peek().map(OfEntry::trial))
    }

    fn take(&mut self) -> Result<R, ResultsError> {
        Ok(self.rows.next().expect("its trial was asked for"))
    }

    fn skip(&mut self) {
        self.rows.next();
    }

    /// Frees the rows of the last block.
    fn end(&mut self, _: usize) {
        self.rows = Vec::new().into_iter().peekable();
    }

    fn find(&mut self, arm: usize, trial: u64) -> Result<Option<R>, ResultsError> {
        for block in self.arms.get(&arm).cloned().unwrap_or(0..0) {
            let BlockIndex { first, last, .. } = self.segment.blocks[block];
            if (first..=last).contains(&trial) {
                let mut rows = self.read(block, arm)?.into_iter();
                if let Some(found) = rows.find(|row| row.trial() == trial) {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::record::TrialRecord;
    use crate::results::fixtures::{as_read, record, spec};
    use crate::results::storage::entry::{EntryWriter, MARK};
    use crate::results::storage::merge::merge;

    /// Trials of two arms in several blocks, and a file of them.
    #[test]
    fn trials_come_back_in_order_and_damage_is_found() {
        let spec = spec(&[20, 40], 1_500, Trace::Best);
        let schema = TableSchema::of(&spec);
        let writer =
            EntryWriter::new(Path::new("here"), Arc::new(spec.clone()), "0123456789abcdef01");
        let mut entries = Entries::default();
        let mut expected = Vec::new();
        for (arm, trial) in (0..2).flat_map(|arm| (0..1_500).map(move |trial| (arm, trial))) {
            expected.push(record(&spec, arm, trial));
        }
        // In no order, and some twice.
        for place in (0..3_000).chain(7..9) {
            let record = &expected[place * 1_009 % 3_000];
            let frames = writer.frames(std::slice::from_ref(record)).expect("a small record");
            let entry = frame::body(&frames, &MARK).expect("one frame");
            entries.push(record.arm, record.trial, entry);
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (path, origin) =
            (folder.path().join("segment"), Origin::new(&spec, ["a".into()].into()));
        let segment = write(&path, &origin, |writer| {
            entries.sorted().try_for_each(|entry| writer.push(entry)).expect("written");
            Ok(())
        });
        let segment = segment.expect("written");
        assert_eq!(segment.origin, origin);
        let numbers = |block: &BlockIndex| (block.arm, block.first, block.last);
        let (one, other) = (spec.arms[0].id, spec.arms[1].id);
        assert_eq!(
            segment.blocks.iter().map(numbers).collect::<Vec<_>>(),
            [(one, 0, 1_023), (one, 1_024, 1_499), (other, 0, 1_023), (other, 1_024, 1_499)]
        );
        let succeeded = expected.iter().filter(|record| record.success).count() as u64;
        let counts = segment.blocks.iter().map(|block| block.counts);
        assert_eq!(counts.map(|counts| counts.successes).sum::<u64>(), succeeded);
        let memory = in_memory(&path, &origin, entries.sorted()).expect("in order");
        let mut closed = segment.clone();
        closed.close();
        for segment in [segment.clone(), memory, closed] {
            let mut rows = [SegmentRows::<TrialRecord>::source(segment, &schema)];
            let found = rows[0].find(1, 1_030).expect("readable");
            let plain = |record: &TrialRecord| as_read(record.clone());
            assert_eq!(found, Some(plain(&expected[2_530])));
            let mut expected = expected.iter();
            merge(
                &mut rows,
                2,
                |_, _| true,
                |row| {
                    assert_eq!(Some(row), expected.next().map(plain));
                    Ok::<(), ResultsError>(())
                },
            )
            .expect("readable");
            assert_eq!(expected.next(), None);
        }
        // Every flipped bit is found: in the index, or in the block that it hits.
        let whole = std::fs::read(&path).expect("a file");
        for place in (0..whole.len()).step_by(53).chain(whole.len() - 200..whole.len()) {
            let mut flipped = whole.clone();
            flipped[place] ^= 1 << (place % 8);
            std::fs::write(&path, &flipped).expect("a file");
            let Ok(opened) = Segment::open(&path) else { continue };
            let broken = opened.blocks.iter().filter(|block| opened.block(block).is_err()).count();
            assert_eq!(broken, 1, "byte {place}");
        }
        // Without an index, the sound blocks are found all the same.
        let mut trials = 0;
        let lost = scan(&whole[..whole.len() - 9], |_| {
            trials += 1;
            Ok(())
        });
        assert_eq!((lost.expect("readable"), trials), (0, 3_000));
    }
}
