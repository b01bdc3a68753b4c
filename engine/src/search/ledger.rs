//! The ledger: whether anchors have paid so far. It counts, and times nothing: what a trial does
//! depends on its seed alone.

/// What a step is worth, in sixteenths of what the evaluation of a whole genome costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum Step {
    /// A child is evaluated by what changes.
    ByMoves = 11,
    /// A child was compared, and is evaluated whole.
    Compared = -1,
    /// An anchor is made from another.
    Copied = -6,
    /// An anchor is built.
    Built = -28,
}

/// Evaluations that are whole before anchors are tried again: the first time, and at most.
const RESTS: [u64; 2] = [512, 1 << 20];

/// Gains and costs of a trial.
#[derive(Debug)]
pub(super) struct Ledger {
    balance: i64,
    /// What may be lost before anchors rest, and is remembered of what was gained.
    credit: i64,
    /// Evaluations that are whole from here on.
    resting: u64,
    next_rest: u64,
}

impl Ledger {
    /// Of a population of so many rows: each may be worth an anchor.
    pub(super) fn new(rows: usize) -> Self {
        let credit = 16 * (rows as i64 + 32);
        Ledger { balance: 0, credit, resting: 0, next_rest: RESTS[0] }
    }

    /// Forgets what was.
    pub(super) fn clear(&mut self) {
        (self.balance, self.resting, self.next_rest) = (0, 0, RESTS[0]);
    }

    #[inline]
    pub(super) fn enter(&mut self, step: Step) {
        self.balance += step as i64;
        if self.balance > self.credit {
            (self.balance, self.next_rest) = (self.credit, RESTS[0]);
        } else if self.balance < -self.credit && self.resting == 0 {
            // The next try may cost less.
            self.balance = -self.credit / 2;
            self.resting = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(RESTS[1]);
        }
    }

    /// Whether the next evaluations, so many, are to be whole.
    #[inline]
    pub(super) fn rests(&mut self, evaluations: usize) -> bool {
        let rests = self.resting > 0;
        self.resting = self.resting.saturating_sub(evaluations as u64);
        rests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole evaluations in so many, one at a time, where each that is not has this step.
    fn rested(ledger: &mut Ledger, step: Step, evaluations: usize) -> usize {
        let mut whole = 0;
        for _ in 0..evaluations {
            if ledger.rests(1) {
                whole += 1;
            } else {
                ledger.enter(step);
            }
        }
        whole
    }

    #[test]
    fn what_does_not_pay_becomes_rare_and_is_tried_again() {
        let mut ledger = Ledger::new(100);
        let whole = rested(&mut ledger, Step::Compared, 1_000_000);
        assert!((950_000..1_000_000).contains(&whole), "{whole}");
        assert_eq!(rested(&mut Ledger::new(100), Step::ByMoves, 10_000), 0);
        // What once paid is not given up at once.
        ledger.clear();
        rested(&mut ledger, Step::ByMoves, 1_000);
        assert_eq!(rested(&mut ledger, Step::Compared, 2_000), 0);
    }
}
