//! Grants: what workers that have no trials left leave to the worker processes that still run some.

use crate::system::guard;
use parking_lot::Mutex;
use std::fs::File;

/// Worker processes that run trials, and the number of workers for them.
#[derive(Debug)]
pub(super) struct Grants {
    /// Number of workers of the run.
    workers: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The worker's number, and the board that its process reads; in the order of the numbers.
    running: Vec<(u32, File)>,
    ended: u32,
}

impl Grants {
    pub(super) fn new(workers: usize) -> Self {
        Grants { workers: u32::try_from(workers).unwrap_or(u32::MAX), state: Mutex::default() }
    }

    /// Notes that the process of worker `number` reads this board from now on.
    pub(super) fn started(&self, number: u32, board: &File) {
        // Without another descriptor there is no help.
        let Ok(board) = board.try_clone() else { return };
        self.change(|state| {
            state.running.retain(|(other, _)| *other != number);
            let place = state.running.partition_point(|(other, _)| *other < number);
            state.running.insert(place, (number, board));
        });
    }

    /// Notes that worker `number` has no more trials to run.
    pub(super) fn ended(&self, number: u32) {
        self.change(|state| {
            state.running.retain(|(other, _)| *other != number);
            state.ended += 1;
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        change(&mut state);
        // Also for the workers whose processes are starting. So nothing is granted that another
        // process would lack, and what is granted stays.
        let (ended, left) = (state.ended, self.workers.saturating_sub(state.ended).max(1));
        for (place, (_, board)) in (0..).zip(&state.running) {
            guard::grant(board, ended / left + u32::from(place < ended % left));
        }
    }
}
