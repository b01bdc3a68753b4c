//! Tunings: iterations of a search for good settings, each an experiment of its own, and the
//! comparison of the survivors at the end.
//!
//! Everything follows from the config: settings from the seed and the results of earlier
//! iterations, and these from their own experiments, which go on where they were interrupted.

mod error;
mod finalist;
mod record;
mod result;
mod run;
mod shard_claims;
mod shared;
mod table;

pub use error::TuningError;
pub use finalist::{DroppedOut, Finalist};
pub use record::{InstancesRecord, KeyRecord, TEST, TUNING_FILE, TuningRecord};
pub use result::{End, SettingResult, TuningResult};
pub use run::run_tuning;
pub use table::{SettingRow, read_settings, settings_cells};
