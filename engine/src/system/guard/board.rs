//! The board: the plugin call that each thread is in, in memory that outlives the process.

use super::STAYS;
use super::call::{self, Call};
use super::reached::{self, Reached};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number that may be missing. It is stored plus 1, so that zeros are a missing number.
pub(super) struct Maybe(AtomicU32);

impl Maybe {
    const fn none() -> Self {
        Maybe(AtomicU32::new(0))
    }

    pub(super) fn set(&self, number: Option<u32>) {
        self.0.store(number.map_or(0, |number| number.saturating_add(1)), Relaxed);
    }

    pub(super) fn get(&self) -> Option<u32> {
        self.0.load(Relaxed).checked_sub(1)
    }
}

/// Text that can be read while it is written. The reader may then see a mixture of two texts, but
/// nothing worse.
#[repr(C)]
struct Text<const BYTES: usize> {
    length: AtomicU32,
    bytes: [AtomicU8; BYTES],
}

impl<const BYTES: usize> Text<BYTES> {
    const fn new() -> Self {
        Text { length: AtomicU32::new(0), bytes: [const { AtomicU8::new(0) }; BYTES] }
    }

    fn store(&self, text: &str) {
        self.length.store(0, Relaxed);
        let length = (0..=BYTES.min(text.len()))
            .rev()
            .find(|length| text.is_char_boundary(*length))
            .unwrap_or(0);
        for (byte, place) in text.as_bytes()[..length].iter().zip(&self.bytes) {
            place.store(*byte, Relaxed);
        }
        self.length.store(length as u32, Relaxed);
    }

    fn load(&self) -> String {
        let length = (self.length.load(Relaxed) as usize).min(BYTES);
        let bytes: Vec<u8> = self.bytes[..length].iter().map(|byte| byte.load(Relaxed)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// State of one thread. It has its own cache line because every call of the thread writes to it.
#[repr(C, align(64))]
pub(super) struct Slot {
    /// Call under way, as a [word](call::word); 0 outside of calls.
    call: AtomicU32,
    /// Time limit of the thread's trial, in milliseconds.
    limit: Maybe,
    /// Number of calls so far, which shows whether the call is still the same one.
    calls: AtomicU64,
    /// Number of the trial plus 1; 0 outside of trials.
    trial: AtomicU64,
    /// Signal that ended the process in this thread, or [`EXITED`]; 0 if neither.
    fault: AtomicI32,
    /// Position of the fault among those of the process, from 1; 0 if there is none.
    order: AtomicU32,
    reached: reached::Shared,
    arm: Text<200>,
}

/// Value of `fault` for a thread that called `exit`.
pub(super) const EXITED: i32 = -1;

impl Slot {
    const fn new() -> Self {
        Slot {
            call: AtomicU32::new(0),
            limit: Maybe::none(),
            calls: AtomicU64::new(0),
            trial: AtomicU64::new(0),
            fault: AtomicI32::new(0),
            order: AtomicU32::new(0),
            reached: reached::Shared::new(),
            arm: Text::new(),
        }
    }

    fn clear(&self) {
        self.call.store(0, Relaxed);
        self.limit.set(None);
        self.trial.store(0, Relaxed);
        self.arm.store("");
    }
}

/// State of all threads. It consists of atomic integers, so any bytes are a valid board. A board of
/// zeros is empty.
#[repr(C)]
pub(super) struct Board {
    slots: [Slot; 256],
    /// Exit code, once all requested work is done.
    pub(super) done: Maybe,
    /// Whether a copy of the process returned from a call, and was ended.
    copied: AtomicU32,
    /// Number of plugins.
    known: AtomicU32,
    /// Number of faults so far. Threads may fail together, and the first fault ends the process.
    faults: AtomicU32,
    /// Number of workers that the run grants to this process in addition to its own.
    pub(super) granted: AtomicU32,
    plugins: [Text<64>; 64],
    /// Process group that ends with this process.
    pub(super) group: Maybe,
    /// ID of the process that does the work, once it has begun.
    pub(super) worker: Maybe,
    /// Status of the process that does the work, once it has ended and a process observed that.
    pub(super) ended: Maybe,
    /// Mark of processes that may outlive this one; 0 if none may.
    mark: AtomicU64,
}

/// Board that is used if no process watches this one.
static OWN: Board = Board::new();

impl Board {
    const fn new() -> Self {
        Board {
            slots: [const { Slot::new() }; 256],
            done: Maybe::none(),
            copied: AtomicU32::new(0),
            known: AtomicU32::new(0),
            faults: AtomicU32::new(0),
            granted: AtomicU32::new(0),
            plugins: [const { Text::new() }; 64],
            group: Maybe::none(),
            worker: Maybe::none(),
            ended: Maybe::none(),
            mark: AtomicU64::new(0),
        }
    }

    /// Returns the number of the plugin with this name; 0 if the board has no room for it.
    fn plugin(&self, name: &str) -> PluginNumber {
        let known = (self.known.load(Relaxed) as usize).min(self.plugins.len());
        if let Some(place) = self.plugins[..known].iter().position(|plugin| plugin.load() == name) {
            return PluginNumber(place as u32 + 1);
        }
        // If two threads got the same number, the later name would stay. One thread loads all
        // plugins.
        if known == self.plugins.len() {
            return PluginNumber(0);
        }
        self.plugins[known].store(name);
        self.known.store(known as u32 + 1, Relaxed);
        PluginNumber(known as u32 + 1)
    }
}

static SHARED: OnceLock<&'static Board> = OnceLock::new();

thread_local! {
    static SLOT: Cell<&'static Slot> = const { Cell::new(&OWN.slots[0]) };
}

fn board() -> &'static Board {
    SHARED.get().copied().unwrap_or(&OWN)
}

/// Makes this process write to a board that another process also reads.
pub(super) fn share(shared: &'static Board) {
    if SHARED.set(shared).is_ok() {
        SLOT.set(&shared.slots[0]);
    }
}

/// Sets the process group that ends with this process; `None` if none does any more.
pub fn ends_with_this(group: Option<u32>) {
    board().group.set(group);
}

/// Returns an environment variable with which a program may outlive this process.
///
/// # Errors
/// Returns an error if the system gives no random number.
pub fn variable_to_stay() -> std::io::Result<(&'static str, String)> {
    let mark = &board().mark;
    if mark.load(Relaxed) == 0 {
        mark.store(getrandom::u64().map_err(std::io::Error::other)? | 1, Relaxed);
    }
    Ok((STAYS, format!("{:x}", mark.load(Relaxed))))
}

/// Number of a plugin on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PluginNumber(u32);

/// Returns the number of the plugin with this name. Once there are too many plugins, it returns 0,
/// which has no name.
#[must_use]
pub fn plugin(name: &str) -> PluginNumber {
    board().plugin(name)
}

/// Place of a thread on the board. Dropping it moves the thread back to the shared place.
#[derive(Debug)]
pub struct Place(());

impl Place {
    /// Moves this thread to place `number` of the board. Numbers beyond the end of the board share
    /// one place.
    #[must_use]
    pub fn take(number: usize) -> Self {
        Place::on(board(), number)
    }

    fn on(board: &'static Board, number: usize) -> Self {
        SLOT.set(board.slots.get(number).unwrap_or(&board.slots[0]));
        Place(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A call that unwinds the thread without returning (pthread_exit) ends the program. The
        // call then stays on the board.
        if SLOT.get().call.load(Relaxed) != 0 {
            return;
        }
        SLOT.get().clear();
        SLOT.set(&board().slots[0]);
    }
}

/// Records the arm whose trials this thread runs now. `limit` is `stop.trial-seconds`.
pub fn arm(label: &str, limit: Option<f64>) {
    let slot = SLOT.get();
    slot.arm.store(label);
    slot.limit.set(limit.map(|seconds| (seconds * 1000.0).ceil() as u32));
}

/// Identity of a thread's trial, for threads that help it.
#[derive(Clone, Debug)]
pub struct TrialHere {
    arm: String,
    limit: Option<u32>,
    trial: u64,
}

/// Returns the trial that this thread runs.
pub fn trial_here() -> TrialHere {
    let slot = SLOT.get();
    TrialHere { arm: slot.arm.load(), limit: slot.limit.get(), trial: slot.trial.load(Relaxed) }
}

impl TrialHere {
    /// Records that this thread works for this trial.
    pub(crate) fn take_over(&self) {
        let slot = SLOT.get();
        slot.arm.store(&self.arm);
        slot.limit.set(self.limit);
        slot.trial.store(self.trial, Relaxed);
    }
}

/// Returns the number of workers that the run grants to this worker process in addition to its own.
pub fn granted() -> &'static AtomicU32 {
    &board().granted
}

/// Records the trial that this thread runs now.
pub fn trial(number: u64) {
    let slot = SLOT.get();
    slot.reached.store(&Reached::default());
    slot.trial.store(number.wrapping_add(1), Relaxed);
}

/// Records the figures of this thread's trial at the end of a generation.
pub(crate) fn reach(figures: &Reached) {
    SLOT.get().reached.store(figures);
}

/// Records that this thread is in no trial any more.
pub fn no_trial() {
    SLOT.get().clear();
}

/// Records that this thread calls a plugin.
#[inline]
pub fn enter(plugin: PluginNumber, call: Call) {
    let slot = SLOT.get();
    slot.calls.store(slot.calls.load(Relaxed).wrapping_add(1), Relaxed);
    slot.call.store(call::word(plugin.0, call), Relaxed);
}

/// Records that the call returned.
#[inline]
pub(super) fn leave() {
    SLOT.get().call.store(0, Relaxed);
}

/// Records that all requested work is done, and the exit code. Later actions of a plugin change no
/// result.
pub fn done(code: u8) {
    board().done.set(Some(code.into()));
}

/// Marks this thread's place with the reason why the process ends. Signal handlers may call this
/// function.
pub(super) fn mark(fault: i32) {
    let (slot, board) = (SLOT.get(), board());
    if fault != EXITED || board.done.get().is_none() {
        slot.order.store(board.faults.fetch_add(1, Relaxed) + 1, Relaxed);
        slot.fault.store(fault, Relaxed);
    }
}

/// Returns the state of this thread; `None` if it has no call and no fault.
pub(super) fn here() -> Option<UnderWay> {
    UnderWay::of(board(), SLOT.get())
}

/// Returns whether this is the first copy of the process that returned from a call.
pub(super) fn first_copy() -> bool {
    board().copied.swap(1, Relaxed) == 0
}

impl Board {
    /// Returns the mark of processes that may outlive this one; `None` if none may.
    pub(super) fn mark(&self) -> Option<String> {
        Some(self.mark.load(Relaxed)).filter(|mark| *mark != 0).map(|mark| format!("{mark:x}"))
    }

    /// Returns the figures of the main thread's trial.
    pub(super) fn reached(&self) -> Reached {
        self.slots[0].reached.load()
    }

    /// Returns the calls under way.
    pub(super) fn under_way(&self) -> Vec<UnderWay> {
        let of = |(thread, slot)| Some(UnderWay { thread, ..UnderWay::of(self, slot)? });
        self.slots.iter().enumerate().filter_map(of).collect()
    }
}

/// Call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// Place of the thread on the board.
    pub(super) thread: usize,
    /// Call under way; `None` if the process ended in this thread, but outside of calls.
    pub call: Option<Call>,
    /// Name of the plugin; empty if it has none on the board.
    pub plugin: String,
    /// Label of the arm and number of the trial; `None` outside of trials.
    pub(super) trial: Option<(String, u64)>,
    /// `stop.trial-seconds` in milliseconds; `None` if there is no limit.
    pub(super) limit: Option<u32>,
    pub(super) fault: i32,
    /// Position of the fault among those of the process, from 1; 0 if there is none.
    pub(super) order: u32,
    /// Number of the call among those of the thread.
    pub number: u64,
}

impl UnderWay {
    fn of(board: &Board, slot: &Slot) -> Option<Self> {
        let called = call::of_word(slot.call.load(Relaxed));
        let fault = slot.fault.load(Relaxed);
        if called.is_none() && fault == 0 {
            return None;
        }
        let plugin = called.and_then(|(plugin, _)| plugin.checked_sub(1));
        let plugin = plugin.and_then(|place| board.plugins.get(place as usize));
        let trial = slot.trial.load(Relaxed).checked_sub(1).map(|trial| (slot.arm.load(), trial));
        Some(UnderWay {
            thread: 0,
            call: called.map(|(_, call)| call),
            plugin: plugin.map_or_else(String::new, Text::load),
            trial,
            limit: slot.limit.get(),
            fault,
            order: slot.order.load(Relaxed),
            number: slot.calls.load(Relaxed),
        })
    }

    /// Describes the plugin and the call, such as "plugin `x`: evaluate".
    pub(super) fn words(&self) -> String {
        let call = self.call.map_or("no call", Call::name);
        match self.plugin.as_str() {
            "" => format!("a plugin: {call}"),
            name => format!("plugin `{name}`: {call}"),
        }
    }

    /// Describes the trial, such as "in trial 3 of `ga`", with a space before it. The text is empty
    /// outside of trials.
    pub(super) fn place(&self) -> String {
        match &self.trial {
            Some((arm, trial)) => format!(" in trial {trial} of `{arm}`"),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_on_the_board_until_it_comes_back() {
        // The test uses a separate board because other tests load plugins.
        let board: &'static Board = Box::leak(Box::new(Board::new()));
        let (first, second) = (board.plugin("one"), board.plugin("two"));
        assert_eq!(board.plugin("one"), first);
        assert_ne!(first, second);
        let place = Place::on(board, 200);
        arm("ga problem.n=8", Some(0.25));
        trial(3);
        enter(second, Call::Evaluate);
        let of = || board.under_way().into_iter().find(|call| call.thread == 200);
        let seen = of().expect("a call is under way");
        assert_eq!(seen.words(), "plugin `two`: evaluate");
        assert_eq!(
            (seen.place().as_str(), seen.limit),
            (" in trial 3 of `ga problem.n=8`", Some(250))
        );
        leave();
        assert_eq!(of(), None);
        enter(first, Call::Render);
        assert_eq!(of().map(|again| again.number), Some(seen.number + 1));
        // The thread is unwound out of the call, so the call stays on the board.
        drop(place);
        assert_eq!(of().map(|kept| kept.words()), Some("plugin `one`: render".to_owned()));
        leave();
        drop(Place::on(board, 200));
        assert_eq!(of(), None);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = Text::<5>::new();
        text.store("aéüö");
        assert_eq!(text.load(), "aéü");
        text.store("");
        assert_eq!(text.load(), "");
    }
}
