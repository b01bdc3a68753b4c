//! The board: which call of which plugin every thread is in, in memory that outlives the process.

use super::STAYS;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A call of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Call {
    /// The library's initialisers.
    Load = 1,
    /// `create`.
    Create,
    /// `describe`.
    Describe,
    /// `destroy`.
    Destroy,
    /// `sample`.
    Sample,
    /// `evaluate`.
    Evaluate,
    /// `crossover`.
    Crossover,
    /// `mutate`.
    Mutate,
    /// `is_valid`.
    IsValid,
    /// `render`.
    Render,
    /// `enumerate`.
    Enumerate,
    /// `number`.
    Number,
    /// `evaluate_constrained`.
    EvaluateConstrained,
    /// `select`.
    Select,
    /// `build_state`.
    BuildState,
    /// `evaluate_moves`.
    EvaluateMoves,
    /// `apply_move`.
    ApplyMove,
}

impl Call {
    const ALL: [Call; 17] = [
        Call::Load,
        Call::Create,
        Call::Describe,
        Call::Destroy,
        Call::Sample,
        Call::Evaluate,
        Call::Crossover,
        Call::Mutate,
        Call::IsValid,
        Call::Render,
        Call::Enumerate,
        Call::Number,
        Call::EvaluateConstrained,
        Call::Select,
        Call::BuildState,
        Call::EvaluateMoves,
        Call::ApplyMove,
    ];

    /// As the header of the plugin interface names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Call::Load => "load",
            Call::Create => "create",
            Call::Describe => "describe",
            Call::Destroy => "destroy",
            Call::Sample => "sample",
            Call::Evaluate => "evaluate",
            Call::Crossover => "crossover",
            Call::Mutate => "mutate",
            Call::IsValid => "is_valid",
            Call::Render => "render",
            Call::Enumerate => "enumerate",
            Call::Number => "number",
            Call::EvaluateConstrained => "evaluate_constrained",
            Call::Select => "select",
            Call::BuildState => "build_state",
            Call::EvaluateMoves => "evaluate_moves",
            Call::ApplyMove => "apply_move",
        }
    }

    /// The call in a slot of the board; the other bits are the plugin.
    pub(super) fn decode(word: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|call| *call as u32 == word & 0xff)
    }
}

/// A text that one writes and another reads while it changes: the reader may see a mixture, and no
/// more than that.
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

/// What one thread does. On a cache line of its own: threads write to theirs at every call.
#[repr(C, align(64))]
pub(super) struct Slot {
    /// The call under way, and above its 8 bits the number of the plugin; 0 outside of calls.
    pub(super) call: AtomicU32,
    /// The time limit of its trial, in milliseconds; 0 without one.
    limit: AtomicU32,
    /// Calls so far: whether the call is still the same one.
    pub(super) calls: AtomicU64,
    /// The trial and 1; 0 outside of trials.
    trial: AtomicU64,
    /// The signal that ended the process in this thread, or [`EXITED`].
    pub(super) fault: AtomicI32,
    /// The how-manieth fault of the process it is, from 1; 0 without one.
    order: AtomicU32,
    arm: Text<200>,
}

/// The fault of a thread that called `exit`.
pub(super) const EXITED: i32 = -1;

impl Slot {
    const fn new() -> Self {
        Slot {
            call: AtomicU32::new(0),
            limit: AtomicU32::new(0),
            calls: AtomicU64::new(0),
            trial: AtomicU64::new(0),
            fault: AtomicI32::new(0),
            order: AtomicU32::new(0),
            arm: Text::new(),
        }
    }

    fn clear(&self) {
        self.call.store(0, Relaxed);
        self.limit.store(0, Relaxed);
        self.trial.store(0, Relaxed);
        self.arm.store("");
    }
}

pub(super) const SLOTS: usize = 256;
const PLUGINS: usize = 64;
/// Bytes of a plugin's name that are kept.
pub(super) const PLUGIN_NAME: usize = 64;

/// The board. All zeros is an empty one: fresh memory that processes share is a board.
#[repr(C)]
pub(super) struct Board {
    pub(super) slots: [Slot; SLOTS],
    /// The exit code and 1, once everything asked for is done.
    done: AtomicU32,
    /// A copy of the process came back from a call, and was ended.
    copied: AtomicBool,
    known: AtomicU32,
    /// Faults so far: threads may fail together, and the first one ends the process.
    faults: AtomicU32,
    /// Workers that the run grants to this process, beside its own.
    pub(super) granted: AtomicU32,
    plugins: [Text<PLUGIN_NAME>; PLUGINS],
    /// The process group that ends with this process; 0: none.
    group: AtomicI32,
    /// The process that does the work; 0 until it has begun.
    worker: AtomicI32,
    /// Its end, as [`Ended`] in one number; 0 before.
    ended: AtomicI32,
    /// Marks what may outlive the process; 0: nothing may.
    mark: AtomicU64,
}

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Exited(i32),
    Signaled(i32),
}

/// Added to an exit code that is kept in one number.
const EXIT: i32 = 1 << 8;

/// Serves where no process watches this one.
static OWN: Board = Board::new();

impl Board {
    const fn new() -> Self {
        Board {
            slots: [const { Slot::new() }; SLOTS],
            done: AtomicU32::new(0),
            copied: AtomicBool::new(false),
            known: AtomicU32::new(0),
            faults: AtomicU32::new(0),
            granted: AtomicU32::new(0),
            plugins: [const { Text::new() }; PLUGINS],
            group: AtomicI32::new(0),
            worker: AtomicI32::new(0),
            ended: AtomicI32::new(0),
            mark: AtomicU64::new(0),
        }
    }

    /// Where the name of the plugin of this number, from 0, begins: its length, then its bytes.
    #[cfg(unix)]
    pub(super) fn plugin_at(place: usize) -> Option<usize> {
        let at = std::mem::offset_of!(Board, plugins) + place * size_of::<Text<PLUGIN_NAME>>();
        (place < PLUGINS).then_some(at)
    }

    /// The number of the plugin of this name.
    fn plugin(&self, name: &str) -> PluginNumber {
        let known = (self.known.load(Relaxed) as usize).min(PLUGINS);
        if let Some(place) = self.plugins[..known].iter().position(|plugin| plugin.load() == name) {
            return PluginNumber(place as u32 + 1);
        }
        // Two threads that get one number between them: the later name stands. Plugins are loaded
        // by one thread.
        if known == PLUGINS {
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

/// From now on, this process writes to a board that another one reads too.
pub(super) fn share(shared: &'static Board) {
    if SHARED.set(shared).is_ok() {
        SLOT.set(&shared.slots[0]);
    }
}

/// From now on, this process group ends with this process; or none does any more.
pub fn ends_with_this(group: Option<u32>) {
    let id = group.and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    board().group.store(id, Relaxed);
}

/// Returns a variable of the environment with which a program may outlive this process.
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

/// The number of a plugin on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PluginNumber(u32);

/// The number of the plugin of this name; 0, which has no name, once there are too many.
#[must_use]
pub fn plugin(name: &str) -> PluginNumber {
    board().plugin(name)
}

/// A thread's own place on the board; it goes back to the common one when this is dropped.
#[derive(Debug)]
pub struct Place(());

impl Place {
    /// Place `number` of the board. Those beyond its end share the common one.
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
        // A call that did not come back unwinds the thread (pthread_exit): that ends the program,
        // and the call stays on the board.
        if SLOT.get().call.load(Relaxed) != 0 {
            return;
        }
        SLOT.get().clear();
        SLOT.set(&board().slots[0]);
    }
}

/// Tells which arm's trials this thread runs now; `limit` is `stop.trial-seconds`.
pub fn arm(label: &str, limit: Option<f64>) {
    let slot = SLOT.get();
    slot.arm.store(label);
    slot.limit.store(limit.map_or(0, |seconds| (seconds * 1000.0).ceil() as u32), Relaxed);
}

/// What the trial of a thread is known by, for those that help it.
#[derive(Clone, Debug)]
pub struct TrialHere {
    arm: String,
    limit: u32,
    trial: u64,
}

/// The trial that this thread runs.
pub fn trial_here() -> TrialHere {
    let slot = SLOT.get();
    TrialHere {
        arm: slot.arm.load(),
        limit: slot.limit.load(Relaxed),
        trial: slot.trial.load(Relaxed),
    }
}

impl TrialHere {
    /// Tells that this thread works for the same trial.
    pub(crate) fn take_over(&self) {
        let slot = SLOT.get();
        slot.arm.store(&self.arm);
        slot.limit.store(self.limit, Relaxed);
        slot.trial.store(self.trial, Relaxed);
    }
}

/// How many workers the run grants to this worker process, beside its own.
pub fn granted() -> &'static AtomicU32 {
    &board().granted
}

/// Tells which trial this thread runs now.
pub fn trial(number: u64) {
    SLOT.get().trial.store(number.wrapping_add(1), Relaxed);
}

/// Tells that this thread is in no trial any more.
pub fn no_trial() {
    SLOT.get().clear();
}

/// Tells that this thread calls a plugin.
#[inline]
pub fn enter(plugin: PluginNumber, call: Call) {
    let slot = SLOT.get();
    slot.calls.store(slot.calls.load(Relaxed).wrapping_add(1), Relaxed);
    slot.call.store(plugin.0 << 8 | call as u32, Relaxed);
}

/// Tells that the call came back.
#[inline]
pub(super) fn leave() {
    SLOT.get().call.store(0, Relaxed);
}

/// Tells that everything asked for is done, and how it ended. What a plugin does from here on
/// changes no result.
pub fn done(code: u8) {
    board().done.store(u32::from(code) + 1, Relaxed);
}

/// Marks this thread's place with the reason for which the process ends. Can be called by a signal
/// handler.
pub(super) fn mark(fault: i32) {
    let (slot, board) = (SLOT.get(), board());
    if fault != EXITED || board.done.load(Relaxed) == 0 {
        slot.order.store(board.faults.fetch_add(1, Relaxed) + 1, Relaxed);
        slot.fault.store(fault, Relaxed);
    }
}

/// What this thread does.
pub(super) fn here() -> Option<UnderWay> {
    UnderWay::of(board(), SLOT.get())
}

/// Whether this is the first copy of the process that came back from a call.
pub(super) fn first_copy() -> bool {
    !board().copied.swap(true, Relaxed)
}

impl Board {
    /// The exit code, once everything asked for is done.
    pub(super) fn code(&self) -> Option<u8> {
        self.done.load(Relaxed).checked_sub(1).map(|code| code as u8)
    }

    /// Sets the process that does the work.
    pub(super) fn begin(&self, worker: i32) {
        self.worker.store(worker, Relaxed);
    }

    /// The process that does the work; `None` before it has begun.
    pub(super) fn worker(&self) -> Option<i32> {
        Some(self.worker.load(Relaxed)).filter(|worker| *worker != 0)
    }

    /// Sets how the process that does the work ended.
    pub(super) fn end(&self, how: Ended) {
        let number = match how {
            Ended::Exited(code) => EXIT | (code & 0xff),
            Ended::Signaled(signal) => signal,
        };
        self.ended.store(number, Relaxed);
    }

    /// Returns the end of the process that does the work; `None` before, or if nobody saw it.
    pub(super) fn ended(&self) -> Option<Ended> {
        match self.ended.load(Relaxed) {
            0 => None,
            number if number & EXIT != 0 => Some(Ended::Exited(number & 0xff)),
            signal => Some(Ended::Signaled(signal)),
        }
    }

    /// The mark of what may outlive the process.
    pub(super) fn mark(&self) -> Option<String> {
        Some(self.mark.load(Relaxed)).filter(|mark| *mark != 0).map(|mark| format!("{mark:x}"))
    }

    /// The process group that ends with the process.
    pub(super) fn group(&self) -> Option<u32> {
        u32::try_from(self.group.load(Relaxed)).ok().filter(|group| *group > 0)
    }

    /// The calls under way, each with the place of its thread.
    pub(super) fn under_way(&self) -> Vec<(usize, UnderWay)> {
        let of = |(place, slot)| Some((place, UnderWay::of(self, slot)?));
        self.slots.iter().enumerate().filter_map(of).collect()
    }
}

/// A call that has not come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnderWay {
    /// None: the process ended in this thread, but outside of calls.
    pub call: Option<Call>,
    pub plugin: String,
    /// The arm's label and the trial's number.
    pub trial: Option<(String, u64)>,
    /// `stop.trial-seconds` in milliseconds.
    pub limit: Option<u32>,
    pub fault: i32,
    /// The how-manieth fault of the process it is, from 1; 0 without one.
    pub order: u32,
    /// The how-manieth call of the thread it is.
    pub number: u64,
}

impl UnderWay {
    fn of(board: &Board, slot: &Slot) -> Option<Self> {
        let (word, fault) = (slot.call.load(Relaxed), slot.fault.load(Relaxed));
        let call = Call::decode(word);
        if call.is_none() && fault == 0 {
            return None;
        }
        let plugin =
            ((word >> 8) as usize).checked_sub(1).and_then(|place| board.plugins.get(place));
        let trial = slot.trial.load(Relaxed).checked_sub(1).map(|trial| (slot.arm.load(), trial));
        Some(UnderWay {
            call,
            plugin: plugin.map_or_else(String::new, Text::load),
            trial,
            limit: Some(slot.limit.load(Relaxed)).filter(|limit| *limit > 0),
            fault,
            order: slot.order.load(Relaxed),
            number: slot.calls.load(Relaxed),
        })
    }

    /// The plugin and the call, in words: "plugin `x`: evaluate".
    #[must_use]
    pub(super) fn words(&self) -> String {
        let call = self.call.map_or("no call", Call::name);
        match self.plugin.as_str() {
            "" => format!("a plugin: {call}"),
            name => format!("plugin `{name}`: {call}"),
        }
    }

    /// "in trial 3 of `ga`", with a space before it; nothing outside of trials.
    #[must_use]
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
        // Of its own: other tests load plugins.
        let board: &'static Board = Box::leak(Box::new(Board::new()));
        let (first, second) = (board.plugin("one"), board.plugin("two"));
        assert_eq!(board.plugin("one"), first);
        assert_ne!(first, second);
        let place = Place::on(board, 200);
        arm("ga problem.n=8", Some(0.25));
        trial(3);
        enter(second, Call::Evaluate);
        let of = || {
            board
                .under_way()
                .into_iter()
                .find(|(place, _)| *place == 200)
                .map(|(_, under_way)| under_way)
        };
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
        // As the thread is unwound out of the call: it stays.
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
