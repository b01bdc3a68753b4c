//! The search path for plugins.

use super::cargo_install::built_libraries;
use super::is_python;
use crate::words::nearest;
use std::collections::BTreeMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// Folders that are searched for plugins by name; the first match wins.
#[derive(Clone, Debug)]
pub struct SearchPath {
    dirs: Vec<PathBuf>,
}

/// Returns the platform's file name of a plugin: `libname.so`, `libname.dylib`, `name.dll`.
#[must_use]
pub fn file_name(name: &str) -> String {
    format!("{DLL_PREFIX}{name}{DLL_SUFFIX}")
}

/// Returns the plugin name in a library's file name; `None` if the file name is not that of a
/// plugin.
fn plugin_name(path: &Path) -> Option<&str> {
    let file = path.file_name()?.to_str()?;
    let library = file.strip_prefix(DLL_PREFIX).and_then(|file| file.strip_suffix(DLL_SUFFIX));
    library.or_else(|| file.strip_suffix(".py"))
}

impl SearchPath {
    /// Creates the default search path. Its folders, in order: `plugin_dirs` (from the command
    /// line), the folders in `RUNNER_PLUGIN_PATH`, the folder of this executable, the libraries
    /// that `cargo install` built with it, and `../lib/runner/plugins` relative to its folder.
    #[must_use]
    pub fn new(plugin_dirs: &[PathBuf]) -> Self {
        let mut dirs = plugin_dirs.to_vec();
        if let Some(path) = std::env::var_os("RUNNER_PLUGIN_PATH") {
            dirs.extend(std::env::split_paths(&path).filter(|dir| !dir.as_os_str().is_empty()));
        }
        // Without the path of the executable, the other folders still work.
        let program = std::env::current_exe().ok();
        if let Some(beside) = program.as_deref().and_then(Path::parent) {
            dirs.push(beside.to_owned());
            dirs.extend(program.as_deref().and_then(built_libraries));
            dirs.push(beside.join("../lib/runner/plugins"));
        }
        SearchPath::of(dirs)
    }

    /// Creates a search path of these folders, in this order, without duplicates.
    #[must_use]
    pub fn of(dirs: Vec<PathBuf>) -> Self {
        let mut unique: Vec<PathBuf> = Vec::new();
        for dir in dirs {
            if !unique.contains(&dir) {
                unique.push(dir);
            }
        }
        SearchPath { dirs: unique }
    }

    /// Returns the folders in search order.
    #[must_use]
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// Returns the file of the plugin `name`; `None` if no folder has one. The file is a library
    /// under the platform's file name, or a Python file (`name.py`). `name` itself may end in
    /// `.py`. In a folder with both, the library wins.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        // A name is a single path component: `../evil` finds nothing.
        let bare = name.strip_suffix(".py");
        if !super::boundary::is_name(bare.unwrap_or(name)) {
            return None;
        }
        let names = match bare {
            Some(_) => vec![name.to_owned()],
            None => vec![file_name(name), format!("{name}.py")],
        };
        let files = self.dirs.iter().flat_map(|dir| names.iter().map(|name| dir.join(name)));
        files.into_iter().find(|path| path.is_file())
    }

    /// Returns the plugin with the nearest name; `None` if none is near.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let paths = self.list();
        let near = nearest(name, paths.iter().filter_map(|path| plugin_name(path)))?;
        Some(near.to_owned())
    }

    /// Returns every plugin file in the folders, sorted by name. Of several files with the same
    /// name, only the one that [`find`](Self::find) returns is listed. A file counts if it contains
    /// the marks of a plugin; no file is loaded to check this.
    #[must_use]
    pub fn list(&self) -> Vec<PathBuf> {
        let found = self.files(|found| found.is_empty()).into_values();
        found.filter_map(|files| files.into_iter().next()).collect()
    }

    /// Returns the absolute paths of all plugin files, by the names that configs may give them. The
    /// file that [`find`](Self::find) returns comes first for each name. Paths that are not UTF-8
    /// are left out.
    pub(super) fn by_name(&self) -> BTreeMap<String, Vec<PathBuf>> {
        // Resolves links in the folders' own paths. A link inside a folder is the user's choice of
        // a file.
        let full = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let search = SearchPath::of(self.dirs.iter().map(full).collect());
        let mut named = search.files(|_| true);
        for files in named.values_mut() {
            files.retain(|path| path.to_str().is_some());
        }
        let of_python = |(name, files): (&String, &Vec<PathBuf>)| {
            let files: Vec<PathBuf> =
                files.iter().filter(|path| is_python(path)).cloned().collect();
            (!files.is_empty()).then(|| (format!("{name}.py"), files))
        };
        let in_python: Vec<_> = named.iter().filter_map(of_python).collect();
        named.extend(in_python);
        named
    }

    /// Returns the plugins' files by name, in search order. `wanted` decides whether to add another
    /// file, given those already found under the same name.
    fn files(&self, wanted: impl Fn(&[PathBuf]) -> bool) -> BTreeMap<String, Vec<PathBuf>> {
        let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for dir in &self.dirs {
            // A missing folder holds no plugins.
            let Ok(entries) = std::fs::read_dir(dir) else { continue };
            let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
            let mut paths: Vec<PathBuf> = paths.collect();
            paths.sort_by_key(|path| is_python(path));
            for path in paths {
                let Some(name) = plugin_name(&path) else { continue };
                let known = found.get(name).map_or(&[][..], Vec::as_slice);
                let free =
                    super::boundary::is_name(name) && !is_build_product(name) && wanted(known);
                if free && path.is_file() && names_the_table(&path) {
                    found.entry(name.to_owned()).or_default().push(path);
                }
            }
        }
        found
    }
}

/// Returns advice for a user who lacks a plugin. If these folders hold no plugins at all, the
/// program was installed alone, as by `cargo install`.
#[must_use]
pub fn way_to_plugins(dirs: &[PathBuf]) -> String {
    match dirs.last().filter(|_| SearchPath::of(dirs.to_vec()).list().is_empty()) {
        Some(last) => format!(
            "copy the plugins of a release (lib/runner/plugins), or those \
            that `cargo build --release` leaves in target/release ({}), to {}",
            file_name("*"),
            last.display()
        ),
        None => "build it, or give its folder with --plugin-dir or RUNNER_PLUGIN_PATH".to_owned(),
    }
}

/// Returns whether this is the name of a hashed library (`serde_derive-0123456789abcdef`). Cargo
/// keeps such libraries next to test programs; they are large, many, and never plugins.
fn is_build_product(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, hash)| {
        hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns whether the file contains the marks of a plugin: the table's symbol in a library, the
/// class of a problem or of an operator in a Python file.
fn names_the_table(path: &Path) -> bool {
    let symbols: &[&[u8]] = match is_python(path) {
        true => &[b"class Problem", b"(Selection)", b"(Crossover)", b"(Mutation)", b"(Algorithm)"],
        false => &[runner_plugin::abi::TABLE_SYMBOL.as_bytes()],
    };
    let has = |bytes: &[u8], symbol: &[u8]| memchr::memmem::find(bytes, symbol).is_some();
    std::fs::read(path).is_ok_and(|bytes| symbols.iter().any(|symbol| has(&bytes, symbol)))
}
