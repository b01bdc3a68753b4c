//! Instances of problems: texts of data, read with positions for messages, and seeded generators.
//!
//! Every reader checks numbers against ranges. A count is checked before memory of its size is
//! allocated, so that no file takes more memory than its own length justifies.

mod cursor;
mod data_text;
mod instance_rng;
mod minimal_standard;
mod svg;

pub use cursor::Cursor;
pub use data_text::{DataText, MOST_BYTES};
pub use instance_rng::InstanceRng;
pub use minimal_standard::MinimalStandard;
pub use svg::{Svg, draw_bits};
