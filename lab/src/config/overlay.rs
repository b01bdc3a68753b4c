//! Overlay, the first pass: other files, options and presets are laid over and under the tree of a
//! file.

use super::diagnostic::Faults;
use super::file_access::FileAccess;
use super::named_file::Files;
use super::node::Node;
use super::options::{self, Change};
use super::presets::{Presets, SetTable, operator_sets};
use super::source::Sources;
use super::{design, extends, own_presets, sweep_tables, tuned_key};
use std::path::Path;

/// A tree that depends on no other file, option or preset any more.
#[derive(Debug)]
pub(super) struct Overlaid {
    pub root: Node,
    /// The operator sets, over their presets.
    pub sets: Vec<SetTable>,
    /// Presets of the tree that no operator set uses, over theirs.
    pub unused_presets: Vec<SetTable>,
    /// Whether the file extends others.
    pub extends: bool,
    /// Whether the file is a tuning.
    pub tunes: bool,
    /// Text that gives the same tree, but for options and presets, without the files that it names;
    /// `None` if it names no files.
    pub resolved: Option<String>,
}

/// Lays the tree of the file at `path` over what it extends, puts in the presets of files and the
/// rows of tables, makes the changes of options, and lays operator sets over their presets. Returns
/// `None` if a file that it names cannot be read, since missing keys may be in that file.
pub(super) fn overlay(
    mut root: Node,
    path: &Path,
    (changes, presets, access): (&[Change], &Presets, FileAccess),
    sources: &mut Sources,
    out: &mut Faults,
) -> Option<Overlaid> {
    let source = root.origin.source;
    sweep_tables::flatten(&mut root);
    tuned_key::flatten(&mut root);
    let mut files = Files { config: path, access, sources, out };
    let extends = extends::follow(&mut root, &mut files);
    let own = extends.and_then(|_| own_presets::lay_out(&mut root, &mut files));
    let rows = extends.and_then(|_| design::lay_out(&mut root, &mut files));
    let names_some = [extends, own, rows].contains(&Some(true));
    let resolved = names_some.then(|| extends::to_text_below(sources.text(source), &root));
    options::change(&mut root, changes, out);
    own.and(rows)?;
    let (sets, unused_presets) = operator_sets(&root, presets, out);
    let extends = extends == Some(true);
    Some(Overlaid { root, sets, unused_presets, extends, tunes: false, resolved })
}
