//! The Python wheel: the package in `python/` with the program and the plugins of the tree.

use crate::glibc::Version;
use crate::tree::Tree;
use crate::{Outcome, process};
use std::path::Path;
use std::process::Command;

/// Has pip build it into the folder `out`. `python/hatch_build.py` reads the variables.
pub(crate) fn write(
    python: &str,
    (tree, glibc, epoch): (&Tree, Version, u64),
    (workspace, out): (&Path, &Path),
) -> Outcome<()> {
    process::run(
        Command::new(python)
            .args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"])
            .arg(out)
            .arg(workspace.join("python"))
            .env("RUNNER_TREE", &tree.folder)
            .env("RUNNER_WHEEL_PLATFORM", format!("manylinux_{}_x86_64", glibc.tag()))
            .env("SOURCE_DATE_EPOCH", epoch.to_string()),
    )
}
