//! The program and the plugins, compiled for a release.

use crate::metadata::TARGET;
use crate::{Outcome, glibc, process};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plugins that ship with the program.
pub(crate) const PLUGINS: [&str; 15] = [
    "bbob",
    "chess960",
    "coloring",
    "continuous",
    "edges",
    "jobshop",
    "knapsack",
    "landscapes",
    "maxcut",
    "maxsat",
    "nqueens",
    "onemax",
    "pbo",
    "qap",
    "tsp",
];

/// Compiles them in a target folder of their own, linked against the oldest glibc that releases
/// serve, without the paths of this machine. Returns the folder with the products.
pub(crate) fn compile(workspace: &Path) -> Outcome<PathBuf> {
    let target = workspace.join("target/dist");
    let oldest = glibc::OLDEST;
    let mut command = Command::new("cargo");
    command
        .args(["zigbuild", "--release", "--locked", "--target", &format!("{TARGET}.{oldest}")])
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace)?);
    process::run(&mut command).map_err(|error| {
        format!("{error}\nIt needs cargo-zigbuild and Zig: pip install cargo-zigbuild ziglang")
    })?;
    Ok(target.join(TARGET).join("release"))
}

/// Flags of `.cargo/config.toml`, which flags from elsewhere replace.
const FLAGS: [&str; 2] = ["-Crelro-level=partial", "-Clink-arg=-Wl,-z,now"];

/// Flags of the compiler, of them those that give the sources names which are the same on every
/// machine.
fn flags(workspace: &Path) -> Outcome<String> {
    let cargo = match std::env::var_os("CARGO_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir().ok_or("neither CARGO_HOME nor a home folder")?.join(".cargo"),
    };
    let named = [(cargo, "/cargo"), (workspace.to_owned(), "/runner")];
    let flags =
        named.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    Ok(FLAGS.map(str::to_owned).into_iter().chain(flags).collect::<Vec<_>>().join("\u{1f}"))
}
