//! Plugins that are linked into this program, for benchmarks, tests and examples.

use super::Opened;
use super::library::LibraryHost;
use crate::problem::{PluginError, boundary};
use std::path::Path;

/// Opens the plugin of this type. Its hash is that of its name and version.
pub(in crate::problem) fn linked<P: runner_plugin::Plugin>(
    version: &'static str,
    path: &Path,
) -> Result<Opened, PluginError> {
    let (declared, calls) = boundary::linked::<P>(version, path)?;
    let hash = blake3::hash(format!("{} {}", declared.name, declared.version).as_bytes());
    Ok(Opened { declared, host: Box::new(LibraryHost(calls)), hash: Some(hash) })
}
