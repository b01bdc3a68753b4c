//! Size of the tests.

/// Returns whether the tests run at full size: `RUNNER_TESTS=full`.
pub(crate) fn is_full() -> bool {
    std::env::var("RUNNER_TESTS").is_ok_and(|value| value == "full")
}
