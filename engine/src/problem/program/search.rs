//! A search that a program's algorithm began: it has a process to itself until it ends, because its
//! state is there.

use super::connection::{Connection, Exchange};
use super::frame::{Request, Status};
use super::pool::{Program, Recipe};
use crate::problem::answer::MOST_BYTES;
use crate::problem::host::{Rows, SearchInstance, check_asked};
use bytemuck::cast_slice;

/// Maximum length of an answer that should have no bytes: up to here, it is refused in words.
const NOT_ASKED: usize = 1024;

/// Search of an algorithm in a process of its program.
pub(super) struct Search<'a> {
    program: &'a Program,
    /// Number of the algorithm's instance.
    number: u32,
    /// Size of a genome in bytes.
    row: usize,
    /// Whether the algorithm declares that its searches have states.
    has_state: bool,
    /// Reserved process; `None` after it gave no answer.
    process: Option<Connection>,
}

impl<'a> Search<'a> {
    /// Begins a search of the algorithm with this recipe, whose genomes have `row` bytes.
    /// `has_state` says whether its searches have states.
    pub(super) fn begin(
        program: &'a Program,
        recipe: &Recipe,
        (row, has_state): (usize, bool),
        seed: &[u8; 32],
    ) -> Result<Self, String> {
        let process = Some(program.reserve(recipe)?);
        let mut search = Search { program, number: recipe.number, row, has_state, process };
        search.request(Request::Begin, 0, &[seed], NOT_ASKED, nothing)?;
        Ok(search)
    }

    /// Sends one request. `pieces` follow the head with this number of rows.
    fn request(
        &mut self,
        request: Request,
        rows: usize,
        pieces: &[&[u8]],
        longest: usize,
        mut take: impl FnMut(Status, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut process = self.process.take().ok_or("the search was lost")?;
        let body = |_, frame: &mut Vec<u8>| {
            frame.extend(self.number.to_le_bytes());
            frame.extend((rows as u32).to_le_bytes());
            pieces.iter().for_each(|piece| frame.extend_from_slice(piece));
        };
        let exchange = Exchange { request, parts: 1, body: &body, longest };
        let take = |_, status, bytes: &[u8]| take(status, bytes);
        let answered = self.program.ask_process(&mut process, &exchange, take)?;
        self.process = Some(process);
        answered
    }
}

/// Checks an answer that consists of its status alone.
fn nothing(status: Status, bytes: &[u8]) -> Result<(), String> {
    match (status, bytes.len()) {
        (Status::Done, 0) => Ok(()),
        (Status::Done, length) => {
            Err(format!("it answered with {length} bytes; none are asked for"))
        }
        _ => Err("the program has no such call".to_owned()),
    }
}

impl SearchInstance for Search<'_> {
    fn ask(&mut self, capacity: usize, genomes: &mut Vec<u8>) -> Result<(), String> {
        let row = self.row;
        // Twice as many genomes as may be asked for are refused in words.
        self.request(Request::Ask, capacity, &[], 2 * capacity * row, |status, bytes| {
            nothing(status, &[])?;
            let length = bytes.len();
            if length % row != 0 {
                return Err(format!("the program answered with {length} bytes, no whole genomes"));
            }
            check_asked((length / row) as u64, capacity)?;
            genomes.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn tell(
        &mut self,
        _: Rows<'_>,
        fitness: &[f64],
        violations: Option<&[f64]>,
    ) -> Result<(), String> {
        let given = [violations.is_some().into()];
        let violations = cast_slice(violations.unwrap_or_default());
        let pieces = [&given[..], cast_slice(fitness), violations];
        self.request(Request::Tell, fitness.len(), &pieces, NOT_ASKED, nothing)
    }

    fn state(&mut self) -> Result<Option<Vec<u8>>, String> {
        let mut state = None;
        if self.has_state {
            self.request(Request::State, 0, &[], MOST_BYTES, |status, bytes| {
                state = (status == Status::Done).then(|| bytes.to_vec());
                Ok(())
            })?;
        }
        Ok(state)
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        self.request(Request::Restore, 0, &[state], NOT_ASKED, nothing)
    }
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            self.program.put_back(process);
        }
    }
}
