//! The data folder: files next to experiments, which the experiments of a page may name.

use crate::problem::DataFile;
use crate::system::regular;
use std::fs::{self, DirEntry};
use std::path::Path;

/// Maximum number of bytes of such a file. Each check of settings reads it.
const LARGEST: u64 = 1 << 20;
/// Maximum number of such files.
const MOST: usize = 200;

/// Returns the names of the files that a page may choose, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    offered(folder, |_| true)
}

/// Returns the files that a page may choose and that a text has in quotes.
pub(super) fn named_in(text: &str, folder: &Path) -> Vec<DataFile> {
    let is_named =
        |name: &str| ["\"", "'"].iter().any(|quote| text.contains(&[quote, name, quote].concat()));
    let Ok(folder) = fs::canonicalize(folder) else { return Vec::new() };
    let names = offered(&folder, is_named).into_iter();
    names.filter_map(|name| read(&folder, name)).collect()
}

/// Returns the names of wanted files: regular files of at most [`LARGEST`] bytes. Links,
/// experiments and hidden files are not among them.
fn offered(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        // The metadata of a link are its own.
        let is_small = || entry.metadata().is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
        (is_plain(&name) && is_wanted(&name) && is_small()).then_some(name)
    };
    let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
    names.sort();
    names.truncate(MOST);
    names
}

/// Returns whether a name is that of a file of data, and the same in every form of TOML.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " ._+-()".contains(c);
    !name.starts_with('.') && !name.ends_with(".toml") && name.chars().all(is_plain)
}

/// Reads a file of the folder; `None` if it is not there any more, or has grown.
fn read(folder: &Path, named: String) -> Option<DataFile> {
    let path = folder.join(&named);
    let bytes = regular::bytes(&regular::open(&path).ok()?, LARGEST).ok()?;
    let blake3 = blake3::hash(&bytes).to_hex().to_string();
    Some(DataFile { named, path: path.into_os_string().into_string().ok()?, blake3 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_of_the_folder_are_offered_by_their_names() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = root.path().join("configs");
        fs::create_dir_all(folder.join("inner")).expect("a folder");
        let write = |name: &str, bytes: usize| {
            fs::write(folder.join(name), vec![b'1'; bytes]).expect("a file");
        };
        let most = LARGEST as usize;
        [("b 1.txt", 3), ("a.tsp", most), ("x.toml", 3), (".hidden", 3), ("large.txt", most + 1)]
            .into_iter()
            .chain([("inner/c.txt", 3), ("../above.txt", 3), ("quo\"te.txt", 3)])
            .for_each(|(name, bytes)| write(name, bytes));
        #[cfg(unix)]
        std::os::unix::fs::symlink("../above.txt", folder.join("link.txt")).expect("a link");
        assert_eq!(names(&folder), ["a.tsp", "b 1.txt"]);
        assert!(names(&root.path().join("none")).is_empty());
        let named = |text: &str| -> Vec<String> {
            named_in(text, &folder).into_iter().map(|file| file.named).collect()
        };
        assert_eq!(named("file = \"a.tsp\"\n# b 1.txt"), ["a.tsp"]);
        assert_eq!(named("file = ['a.tsp', \"b 1.txt\"]"), ["a.tsp", "b 1.txt"]);
        let others = ["../above.txt", "link.txt", "inner/c.txt", "large.txt", "x.toml", ".hidden"];
        for other in others.into_iter().chain(["inner", "..", "./a.tsp", "../configs/a.tsp"]) {
            assert!(named(&format!("file = \"{other}\"")).is_empty(), "{other}");
        }
        let file = &named_in("'b 1.txt'", &folder)[0];
        assert_eq!(file.blake3, blake3::hash(b"111").to_hex().to_string());
        assert_eq!(file.check(), Ok(()));
        for place in 0..=MOST {
            write(&format!("more-{place}"), 1);
        }
        assert_eq!(names(&folder).len(), MOST);
        assert_eq!(named("'more-99'"), ["more-99"]);
    }
}
