//! The folder of `--out`, in which each experiment has a folder of its own.

use std::path::Path;

/// Warns if the folder is that of an experiment.
pub(super) fn warn_of_nested(out: &Path) {
    if out.join("run.toml").is_file() {
        warning!(
            "{} is the folder of an experiment, and the results go to a folder inside it; --out \
            takes the folder above",
            out.display()
        );
    }
}
