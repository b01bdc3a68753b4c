//! The Debian package: the same files where Debian has them.

use crate::glibc::Version;
use crate::tree::Tree;
use crate::{Outcome, process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Destinations of the parts of the tree, by the beginning of their paths; the first that fits. All
/// else is documentation.
const PLACES: [(&str, &str); 4] =
    [("bin", "usr/bin"), ("include", "usr/include"), ("lib", "usr/lib"), ("share", "usr/share")];

/// Dependencies of such a package.
pub(crate) struct Depends {
    pub glibc: Version,
    pub unwinder: bool,
}

/// Writes it with `dpkg-deb`, which sorts and dates what it packs. `work` is a folder to lay it out
/// in.
pub(crate) fn write(
    tree: &Tree,
    version: &str,
    depends: &Depends,
    epoch: u64,
    (work, to): (&Path, &Path),
) -> Outcome<()> {
    if work.exists() {
        fs::remove_dir_all(work)?;
    }
    let mut bytes = 0;
    for path in tree.paths()? {
        let (from, to) = (tree.folder.join(&path), work.join(place(&path)));
        if from.is_dir() {
            fs::create_dir_all(to)?;
            continue;
        }
        fs::create_dir_all(to.parent().ok_or("no folder above")?)?;
        bytes += fs::copy(from, to)?;
    }
    copyright(tree, work)?;
    fs::create_dir_all(work.join("DEBIAN"))?;
    fs::write(work.join("DEBIAN/control"), control(version, depends, bytes))?;
    process::run(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", "-Zxz", "--build"])
            .args([work, to])
            .env("SOURCE_DATE_EPOCH", epoch.to_string())
            .stdout(std::process::Stdio::null()),
    )
}

/// Path of a file of the tree on Debian.
fn place(path: &Path) -> PathBuf {
    let found = PLACES
        .iter()
        .find_map(|(start, folder)| Some(Path::new(folder).join(path.strip_prefix(start).ok()?)));
    found.unwrap_or_else(|| Path::new("usr/share/doc/runner").join(path))
}

/// The file that Debian wants: all licences in one.
fn copyright(tree: &Tree, work: &Path) -> Outcome<()> {
    let mut whole = String::new();
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES"] {
        whole += &fs::read_to_string(tree.folder.join(name))?;
        whole += "\n";
        fs::remove_file(work.join("usr/share/doc/runner").join(name))?;
    }
    Ok(fs::write(work.join("usr/share/doc/runner/copyright"), whole)?)
}

/// Debian wants an address, and there is none: nobody has one that ends in `.invalid` (RFC 2606).
fn control(version: &str, depends: &Depends, bytes: u64) -> String {
    let unwinder = if depends.unwinder { ", libgcc-s1" } else { "" };
    format!(
        "Package: runner\nVersion: {version}\nArchitecture: amd64\nSection: science\n\
        Priority: optional\nMaintainer: The authors of runner <runner@authors.invalid>\n\
        Installed-Size: {kilobytes}\nDepends: libc6 (>= {glibc}){unwinder}\nSuggests: python3\n\
        Description: experiments in evolutionary search, from TOML to Parquet\n \
        Runs seeded trials of evolutionary search on problem plugins, and writes success\n \
        rates with intervals, run lengths and comparisons to Parquet tables. The tables are\n \
        identical to the byte whatever the number of threads, interruptions and shards.\n",
        kilobytes = bytes.div_ceil(1024),
        glibc = depends.glibc,
    )
}
