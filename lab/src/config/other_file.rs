//! Files of TOML that are no experiments: suites, records that a runner wrote, files of other
//! programs and empty ones. Each is answered by one error that says what the file is.

use super::diagnostic::Diagnostic;
use super::fields::is_unlike;
use super::keys::{self, SUITE};
use super::node::Node;
use std::path::Path;

/// Returns the error of a file that is no experiment; `None` if it seems to be one. `changed`:
/// whether options give keys too, which may be all that a file lacks.
pub(super) fn other_file(root: &Node, path: &Path, changed: bool) -> Option<Diagnostic> {
    let shown = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).display();
    if let Some(suite) = root.get(SUITE.name) {
        let error = suite.error("this file is a suite", "[suite]");
        let error = error.rule("a suite names experiments, and is none itself");
        return Some(error.help(format!("run it by `runner suite {shown}`")));
    }
    let entries = root.entries().filter(|_| !changed)?;
    let Some(first) = entries.first() else {
        let error = root.error("this file is empty", "no keys").rule(WANTED);
        return Some(error.help("`runner init` writes an experiment file"));
    };
    let has = |keys: [&str; 2]| keys.iter().all(|key| root.get(key).is_some());
    let error = if has(["results", "runs"]) {
        let error = first.key_origin.error("this file is the record of a run", "run.toml");
        let error = error.rule("its texts `config` are the experiment files that ran");
        error.help(format!("`runner show {folder}` shows the results of the run"))
    } else if has(["engine-revision", "finalists"]) {
        let error = first.key_origin.error("this file is the record of a tuning", "tuning.toml");
        let error = error.rule("its text `config` is the file that was tuned");
        error.help(format!("`runner show {folder}` shows the settings that were tried"))
    } else if entries.iter().all(|entry| is_unlike(&entry.key, &keys::TOP)) {
        let error = first.key_origin.error("this is not an experiment file", "not a key of one");
        let error = error.rule(format!("no key of the file is one of an experiment; {WANTED}"));
        error.help("check the path; `runner init` writes an experiment file")
    } else {
        return None;
    };
    Some(error)
}

/// Rule about the tables of an experiment.
const WANTED: &str = "an experiment has the tables [problem], [[operators]] and [stop]";
