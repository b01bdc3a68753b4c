//! Names of the files and folders in a pack.

/// Folder of the results.
pub const RESULTS: &str = "results";
/// Folder of the plugins.
pub const PLUGINS: &str = "plugin";
/// The metadata.
pub(super) const METADATA: &str = "ro-crate-metadata.json";
/// The experiment file.
pub(super) const CONFIG: &str = "experiment.toml";
