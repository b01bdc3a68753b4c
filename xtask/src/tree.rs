//! The files of a release, laid out as they are unpacked.

use crate::compilation::PLUGINS;
use crate::metadata::Metadata;
use crate::{Outcome, licenses, process};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files and folders that a release takes from the sources unchanged.
const SOURCES: [&str; 12] = [
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "SECURITY.md",
    "configs",
    "docs",
    "examples",
    "plugins/README.md",
    "results/README.md",
    "suites",
];

/// Folders that go to where systems look for them: source, destination.
const MOVED: [(&str, &str); 2] =
    [("plugins/sdk/include", "include"), ("plugins/python", "share/runner/python")];

/// The shells with a completion script, each with the place of its own.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "share/bash-completion/completions/runner"),
    ("elvish", "share/elvish/lib/runner.elv"),
    ("fish", "share/fish/vendor_completions.d/runner.fish"),
    ("powershell", "share/powershell/runner.ps1"),
    ("zsh", "share/zsh/site-functions/_runner"),
];

/// A folder with the files of a release.
pub(crate) struct Tree {
    pub folder: PathBuf,
}

impl Tree {
    /// Lays them out in this folder, which is emptied: the products of `compiled`, and what the
    /// workspace has.
    pub(crate) fn lay(folder: PathBuf, compiled: &Path, metadata: &Metadata) -> Outcome<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let tree = Tree { folder };
        tree.take(&compiled.join("runner"), "bin/runner")?;
        for plugin in PLUGINS {
            let file = format!("lib{plugin}.so");
            tree.take(&compiled.join(&file), &format!("lib/runner/plugins/{file}"))?;
        }
        for path in tree.programs() {
            process::run(Command::new("strip").arg("--strip-all").arg(path))?;
        }
        let workspace = metadata.folder();
        for source in SOURCES {
            tree.copy(&workspace, source, source)?;
        }
        for (from, to) in MOVED {
            tree.copy(&workspace, from, to)?;
        }
        tree.write("THIRD-PARTY-LICENSES", &licenses::third_party(&metadata.linked()?)?)?;
        tree.generate()?;
        tree.settle()?;
        Ok(tree)
    }

    /// The program and the plugins.
    pub(crate) fn programs(&self) -> Vec<PathBuf> {
        let plugin = |name| self.folder.join(format!("lib/runner/plugins/lib{name}.so"));
        [self.folder.join("bin/runner")].into_iter().chain(PLUGINS.map(plugin)).collect()
    }

    /// Every file and folder below the tree, relative to it, in order.
    pub(crate) fn paths(&self) -> Outcome<Vec<PathBuf>> {
        let (mut found, mut open) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                found.push(path.strip_prefix(&self.folder)?.to_owned());
                if path.is_dir() {
                    open.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Writes man pages and completions, which the program prints.
    fn generate(&self) -> Outcome<()> {
        let program = self.folder.join("bin/runner");
        let pages = self.folder.join("share/man/man1");
        process::output(Command::new(&program).arg("man").arg(pages))?;
        for (shell, path) in COMPLETIONS {
            let script = process::text(Command::new(&program).args(["completions", shell]))?;
            self.write(path, &script)?;
        }
        Ok(())
    }

    /// Copies what git keeps of a file or folder of the workspace.
    fn copy(&self, workspace: &Path, from: &str, to: &str) -> Outcome<()> {
        let mut command = Command::new("git");
        command.args(["ls-files", "-z", "--", from]).current_dir(workspace);
        let files = process::text(&mut command)?;
        for file in files.split_terminator('\0') {
            let rest = file.strip_prefix(from).unwrap_or_default();
            self.take(&workspace.join(file), &format!("{to}{rest}"))?;
        }
        match files.is_empty() {
            true => Err(format!("git keeps no `{from}`").into()),
            false => Ok(()),
        }
    }

    fn take(&self, from: &Path, to: &str) -> Outcome<()> {
        fs::copy(from, self.place(to)?).map_err(|error| format!("{}: {error}", from.display()))?;
        Ok(())
    }

    fn write(&self, to: &str, text: &str) -> Outcome<()> {
        Ok(fs::write(self.place(to)?, text)?)
    }

    /// A path in the tree, with the folders above it.
    fn place(&self, path: &str) -> Outcome<PathBuf> {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().ok_or("the tree has no folder above it")?)?;
        Ok(path)
    }

    /// Gives everything the permissions that a release has, whatever the mask here.
    fn settle(&self) -> Outcome<()> {
        for path in self.paths()? {
            let whole = self.folder.join(&path);
            let runs = whole.is_dir() || path.starts_with("bin");
            let mode = if runs { 0o755 } else { 0o644 };
            fs::set_permissions(whole, fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    }
}
