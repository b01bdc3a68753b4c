//! The folder of `--out`, in which each experiment has a folder of its own.

use crate::cli::Failure;
use std::path::Path;

/// Checks the folder before anything runs. Warns if it is that of an experiment.
pub(super) fn check_out(out: &Path) -> Result<(), Failure> {
    let shown = out.display();
    if out.is_file() {
        return Err(Failure::results(format!(
            "{shown}: --out takes the folder in which each experiment gets one of its own, and \
            this is a file; name a folder, such as --out results"
        )));
    }
    if out.join("run.toml").is_file() {
        warning!(
            "{shown} is the folder of an experiment, and the results go to a folder inside it; \
            --out takes the folder above"
        );
    }
    Ok(())
}
