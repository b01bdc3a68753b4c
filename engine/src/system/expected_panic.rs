//! Expected panics, such as those of a library that reads bytes which may be corrupt. They are
//! caught and print no message.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `work`; `None` if it panics.
pub fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    static SILENT: Once = Once::new();
    SILENT.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                usual(panic);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    EXPECTED.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_panics_gives_nothing() {
        assert_eq!(catch(|| 7), Some(7));
        let inner = catch(|| catch(|| -> u8 { panic!("as asked") }));
        assert_eq!((inner, EXPECTED.get()), (Some(None), false));
    }
}
