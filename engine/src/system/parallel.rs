//! Parallel work, if a thread is available for it.

use std::panic::resume_unwind;
use std::thread;

/// Runs both closures in parallel, or one after the other if the system provides no thread.
pub fn both<A: Send, B>(aside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    let mut left = Some(aside);
    let mut work = || left.take().map(|aside| aside());
    let (one, other) = thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &mut work).ok();
        let other = here();
        let one = thread.and_then(|thread| thread.join().unwrap_or_else(|one| resume_unwind(one)));
        (one, other)
    });
    match one.or_else(work) {
        Some(one) => (one, other),
        None => unreachable!("it was done in one thread or the other"),
    }
}

#[cfg(test)]
mod tests {
    use super::both;

    #[test]
    fn both_are_done_once() {
        let mut count = 0;
        assert_eq!(both(|| 1, || count += 1), (1, ()));
        assert_eq!(count, 1);
    }
}
