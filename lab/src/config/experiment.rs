//! The keys at the top of an experiment file, and its plugin.

use super::diagnostic::Faults;
use super::experiment_name::experiment_name;
use super::fields::{choice, given_number, is_true, unsigned};
use super::node::Node;
use super::repeats::{self, Repeats};
use super::source::Origin;
use super::{Catalogue, keys, problem, stop};
use crate::plan::settings::{Pairing, Trace};
use crate::problem::Library;
use crate::problem::parameter::Value;
use std::path::Path;
use std::sync::Arc;

/// Settings of an experiment that no sweep changes. `None` if a setting is wrong, for which a
/// diagnostic exists.
#[derive(Debug)]
pub(super) struct Experiment {
    pub name: Option<String>,
    pub seed: Option<u64>,
    pub repeats: Option<Repeats>,
    /// Key that asks for baselines; `None` if no key does.
    pub baseline: Option<Origin>,
    pub pairing: Pairing,
    pub trace: Trace,
    /// Number of seconds between two checkpoints of a trial; 0 for no checkpoints.
    pub checkpoint: f64,
    pub library: Option<Arc<Library>>,
}

impl Experiment {
    /// Reads the settings of the file at `path`, and loads its plugin.
    pub(super) fn read(
        root: &Node,
        path: &Path,
        catalogue: &mut Catalogue,
        out: &mut Faults,
    ) -> Self {
        let asks_for_baselines = is_true(root, &keys::BASELINE, out);
        Experiment {
            name: experiment_name(root, path, out),
            seed: match (keys::SEED.of(root), keys::SEED.default()) {
                (None, Some(Value::Integer(usual))) => Some(usual as u64),
                (given, _) => given.and_then(|node| unsigned(node, keys::SEED.name, out)),
            },
            repeats: repeats::read(root, out),
            baseline: keys::BASELINE
                .of(root)
                .filter(|_| asks_for_baselines)
                .map(|node| node.origin),
            pairing: match &*choice(root, &keys::PAIRING, out) {
                "common" => Pairing::Common,
                _ => Pairing::Independent,
            },
            trace: stop::read_output(root, out),
            checkpoint: given_number(root, &keys::CHECKPOINT, out).unwrap_or(0.0),
            library: problem::read_plugin(root, folder(path), catalogue, out),
        }
    }
}

/// Returns the folder that the paths in a file are relative to.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}
