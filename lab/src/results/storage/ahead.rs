//! Reading ahead: a row group that a thread reads while the one before it is worked on.

use crate::parquet::Frame;
use crate::results::error::ResultsError;
use crate::results::storage::reader::TableReader;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// A group that is being read.
pub(super) struct Ahead {
    group: usize,
    thread: JoinHandle<Result<Frame, ResultsError>>,
}

impl Ahead {
    /// Begins to read these columns of a group. `None` if the file lacks the group, or if the
    /// system has no spare thread; the group is then read when it is needed.
    pub(super) fn begin(
        reader: &Arc<TableReader>,
        group: usize,
        columns: Vec<&'static str>,
    ) -> Option<Self> {
        if group >= reader.groups() {
            return None;
        }
        let reader = Arc::clone(reader);
        let read = move || reader.group(group, Some(&columns));
        let thread = Builder::new().name("read-ahead".to_owned()).spawn(read).ok()?;
        Some(Ahead { group, thread })
    }

    /// Returns the rows, if the group that was read ahead is this group.
    pub(super) fn take(self, group: usize) -> Option<Result<Frame, ResultsError>> {
        let read = (self.group == group).then(|| self.thread.join())?;
        Some(read.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}
