//! Entries: the frame of every C function, which turns faults and panics into a status and words.

use crate::abi::{self, runner_buffer};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// Reason why an entry does not return `RUNNER_OK`.
pub(crate) enum Fault {
    Invalid(String),
    Failed(String),
}

pub(crate) fn missing(call: &str) -> Fault {
    Fault::Failed(format!("this instance has no {call}, though the plugin offers one"))
}

thread_local! {
    /// Whether this thread is inside an entry: its panic is reported by status, not on the
    /// terminal.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Message and place of the panic under way.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records panics inside an entry, with their place, instead of printing them. Other panics are
/// printed as before.
pub(crate) fn take_over_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if INSIDE.get() {
                let place =
                    info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
                let message =
                    format!("{}{}", payload_text(info.payload()), place.unwrap_or_default());
                PANIC.with_borrow_mut(|panic| *panic = Some(message));
            } else {
                previous(info);
            }
        }));
    });
}

fn payload_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// Runs an entry's body. Turns every fault and every panic into a status and a message.
pub(crate) fn guard(error: *mut runner_buffer, body: impl FnOnce() -> Result<(), Fault>) -> i32 {
    let outside = INSIDE.replace(true);
    // A panic leaves only the host's buffers incomplete, and the host discards them; instances are
    // immutable.
    let result = catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outside);
    let (status, words) = match result {
        Ok(Ok(())) => return abi::RUNNER_OK,
        Ok(Err(Fault::Invalid(words))) => (abi::RUNNER_INVALID, words),
        Ok(Err(Fault::Failed(words))) => (abi::RUNNER_FAILED, words),
        Err(payload) => {
            let words = PANIC
                .with_borrow_mut(Option::take)
                .unwrap_or_else(|| payload_text(&*payload).to_owned());
            // Dropping a payload runs foreign code that may panic again; a leak is the lesser evil.
            std::mem::forget(payload);
            (abi::RUNNER_PANIC, words)
        }
    };
    // SAFETY: `error` is null or the host's buffer, exclusive for this call.
    if let Some(error) = unsafe { error.as_mut() } {
        let mut length = words.len().min(usize::try_from(error.capacity).unwrap_or(usize::MAX));
        while !words.is_char_boundary(length) {
            length -= 1;
        }
        write(error, &words.as_bytes()[..length]);
    }
    status
}

/// Copies what fits and states the whole length.
pub(crate) fn write(buffer: &mut runner_buffer, bytes: &[u8]) {
    let fits = bytes.len().min(usize::try_from(buffer.capacity).unwrap_or(usize::MAX));
    if fits > 0 {
        // SAFETY: the host's buffer has `capacity` bytes, of which `fits` are written; `bytes` is
        // our own.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.data, fits) };
    }
    buffer.length = bytes.len() as u64;
}
