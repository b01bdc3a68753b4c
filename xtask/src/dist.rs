//! `cargo xtask dist`: a release from its sources, or from a build that is there.

use crate::debian::Depends;
use crate::glibc::{self, Version};
use crate::metadata::Metadata;
use crate::tree::Tree;
use crate::{Outcome, archive, checksums, compilation, debian, process, wheel};
use clap::{Args, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Make the files of a release: archive, Debian package, Python wheel, checksums
///
/// Compiles with cargo-zigbuild for glibc 2.31, or packs the build that --from names. The same
/// sources give the same bytes: everything is as old as SOURCE_DATE_EPOCH, or the last commit.
#[derive(Args)]
pub(crate) struct Dist {
    /// Pack this build instead of compiling, such as target/release
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// The newest glibc that program and plugins may need
    #[arg(long, value_name = "VERSION", default_value_t = glibc::OLDEST)]
    allow_glibc: Version,
    /// Files to make
    #[arg(
        long, value_enum, value_delimiter = ',',
        default_values_t = [Product::Archive, Product::Deb, Product::Wheel]
    )]
    only: Vec<Product>,
    /// Folder for the files; those of an earlier release in it are removed
    #[arg(long, value_name = "FOLDER", default_value = "dist")]
    out: PathBuf,
    /// The Python that builds the wheel, with pip
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Product {
    Archive,
    Deb,
    Wheel,
}

impl Dist {
    pub(crate) fn make(&self) -> Outcome<()> {
        let metadata = Metadata::read()?;
        let (workspace, version) = (metadata.folder(), metadata.version()?);
        let epoch = epoch(&workspace)?;
        let compiled = match &self.from {
            Some(folder) => folder.clone(),
            None => compilation::compile(&workspace)?,
        };
        let name = format!("runner-{version}-x86_64-linux");
        let work = workspace.join("target/xtask");
        let tree = Tree::lay(work.join(&name), &compiled, &metadata)?;
        let depends = self.measure(&tree)?;
        empty(&self.out)?;
        if self.only.contains(&Product::Archive) {
            let to = self.out.join(format!("{name}.tar.gz"));
            archive::write(&tree, &name, epoch, &to)?;
        }
        if self.only.contains(&Product::Deb) {
            let to = self.out.join(format!("runner_{version}_amd64.deb"));
            debian::write(&tree, &version, &depends, epoch, (&work.join("deb"), &to))?;
        }
        if self.only.contains(&Product::Wheel) {
            let parts = (&tree, self.allow_glibc, epoch);
            wheel::write(&self.python, parts, (&workspace, &self.out))?;
        }
        for name in checksums::write(&self.out)? {
            let bytes = self.out.join(&name).metadata()?.len();
            println!("{} ({:.1} MB)", self.out.join(name).display(), bytes as f64 / 1e6);
        }
        Ok(())
    }

    /// Returns the requirements of the tree on a system; fails if they are more than allowed.
    fn measure(&self, tree: &Tree) -> Outcome<Depends> {
        let (mut newest, mut unwinder) = (Version::default(), false);
        for path in tree.programs() {
            let needs = glibc::needs(&path)?;
            if needs.glibc > self.allow_glibc {
                let (path, needs, allowed) = (path.display(), needs.glibc, self.allow_glibc);
                return Err(format!(
                    "{path} needs glibc {needs}, and {allowed} is allowed; compile with \
                    cargo-zigbuild (without --from), or allow it: --allow-glibc {needs}"
                )
                .into());
            }
            newest = newest.max(needs.glibc);
            unwinder |= needs.unwinder;
        }
        println!("needs glibc {newest} ({} is allowed)", self.allow_glibc);
        Ok(Depends { glibc: newest, unwinder })
    }
}

/// Makes it an empty folder: removes a release, if it has no other files.
fn empty(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder)?;
    let sums = fs::read_to_string(folder.join(checksums::FILE)).unwrap_or_default();
    let listed = sums.lines().filter_map(|line| line.split_whitespace().last());
    let released: Vec<&str> = listed.chain([checksums::FILE]).collect();
    let files = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let is_released = |file: &fs::DirEntry| released.iter().any(|name| file.file_name() == **name);
    if !files.iter().all(is_released) {
        return Err(format!("{} holds other files; name another --out", folder.display()).into());
    }
    for file in files {
        fs::remove_file(file.path())?;
    }
    Ok(())
}

/// The age of everything in a release, in seconds since 1970.
fn epoch(workspace: &Path) -> Outcome<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => process::text(
            Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace),
        )?,
    };
    let seconds = text.trim().parse();
    seconds.map_err(|_| format!("`{}` is no SOURCE_DATE_EPOCH: seconds", text.trim()).into())
}
