//! Whether searches evaluate moves.

use std::sync::LazyLock;

/// Setting for the evaluation of moves in place of whole genomes, where the plugin supports it.
/// Results are identical for every value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MoveUse {
    /// Every genome is evaluated as a whole.
    Off,
    /// Moves are evaluated where the plugin can.
    On,
    /// Moves are evaluated, and each is compared with an evaluation of the whole genome.
    Checked,
}

/// Default setting. Debug builds check moves. The environment variable `RUNNER_MOVES`, used by
/// tests, overrides this with `off`, `on` or `checked`.
static USUAL: LazyLock<MoveUse> =
    LazyLock::new(|| match std::env::var("RUNNER_MOVES").as_deref() {
        Ok("off") => MoveUse::Off,
        Ok("on") => MoveUse::On,
        Ok("checked") => MoveUse::Checked,
        _ if cfg!(debug_assertions) => MoveUse::Checked,
        _ => MoveUse::On,
    });

impl MoveUse {
    pub(super) fn usual() -> Self {
        *USUAL
    }

    pub(super) fn of(code: u8) -> Self {
        match code {
            0 => MoveUse::Off,
            1 => MoveUse::On,
            _ => MoveUse::Checked,
        }
    }
}
