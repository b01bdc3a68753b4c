//! Problems: finds, loads and checks plugin libraries, and provides the safe handle that the rest
//! of the runner uses.

mod answer;
mod boundary;
mod cargo_install;
mod conflicts;
mod data_file;
mod declared;
mod declared_operator;
mod description;
mod error;
pub mod fixtures;
mod gene;
mod host;
mod instance;
mod library;
mod location;
mod mixed;
mod move_use;
pub mod moves;
pub(crate) mod operator;
pub mod parameter;
mod plugin_file;
mod plugin_policy;
mod plugin_search;
#[cfg(unix)]
mod program;
mod remote;
mod search_path;
pub mod section;
mod space;

pub use answer::fitness_fault;
pub use data_file::DataFile;
pub use declared::Declared;
pub use declared_operator::{DeclaredOperator, OperatorKind};
pub use description::{Bounds, Description, Encoding, Format, GeneKind, Noise};
pub use error::{CallError, FILE_CHANGED, PluginError};
pub use gene::{Gene, Genome};
pub use gene::{Genomes, copy_genes};
pub use instance::Problem;
pub use library::Library;
pub use library::key;
pub use location::Location;
pub use location::is_python;
pub use mixed::{MixedGene, MixedKind, written_values};
pub use move_use::MoveUse;
pub use operator::PluginOperator;
pub use plugin_file::PluginFile;
pub use plugin_policy::{Permitted, PluginPolicy};
pub use plugin_search::PluginSearch;
#[cfg(unix)]
pub use program::{START_PATIENCE, start_through};
pub use remote::Known;
pub use remote::{Opener, OpenerPlace, Remote};
pub use search_path::SearchPath;
pub use search_path::{file_name, way_to_plugins};
pub use space::{Space, Walk};

#[cfg(test)]
mod tests;
