//! Problems: finding, loading and checking plugin libraries, and the safe handle that the rest of
//! the runner uses.

mod answer;
mod apart;
mod boundary;
mod description;
mod error;
pub(crate) mod fixtures;
mod gene;
mod instance;
mod library;
mod location;
pub(crate) mod moves;
pub(crate) mod operator;
pub mod parameter;
mod plugin_file;
#[cfg(unix)]
mod program;
mod search_path;
pub(crate) mod section;
mod space;

pub(crate) use apart::Known;
pub use apart::{Apart, Opener};
pub use boundary::Declared;
pub use description::{Bounds, Description, Encoding, GeneKind};
pub use error::{CallError, PluginError};
pub use gene::{Gene, Genome};
pub(crate) use gene::{Genomes, copy_genes};
pub use instance::{Format, Problem};
pub use library::Library;
pub(crate) use library::key;
pub use location::Location;
pub(crate) use location::is_python;
pub use moves::MoveUse;
pub use operator::{DeclaredOperator, OperatorKind, PluginOperator};
pub use plugin_file::PluginFile;
#[cfg(unix)]
pub(crate) use program::start_through;
pub use search_path::SearchPath;
pub(crate) use search_path::{file_name, way_to_plugins};
pub(crate) use space::{Space, Walk};

#[cfg(test)]
mod tests;
