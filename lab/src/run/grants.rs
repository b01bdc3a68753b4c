//! Grants: what workers that have no trials left leave to the worker processes that still run some.

use crate::system::guard;
use parking_lot::Mutex;
use std::fs::File;

/// Worker processes that run trials, and the number of workers for them.
#[derive(Debug, Default)]
pub(super) struct Grants {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The worker's number, and the board that its process reads.
    running: Vec<(u32, File)>,
    ended: u32,
}

impl Grants {
    /// Notes that the process of worker `number` reads this board from now on.
    pub(super) fn started(&self, number: u32, board: &File) {
        // Without another descriptor there is no help.
        let Ok(board) = board.try_clone() else { return };
        self.change(|state| {
            state.running.retain(|(other, _)| *other != number);
            state.running.push((number, board));
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
        let (ended, running) = (state.ended, state.running.len() as u32);
        for (place, (_, board)) in (0..).zip(&state.running) {
            guard::grant(board, ended / running + u32::from(place < ended % running));
        }
    }
}
