//! `cargo xtask size`: how many lines each room has, so that growth is seen.

use crate::Outcome;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose Rust files are counted, and how many components of a path name a room. The first
/// that has a file counts it.
const FOLDERS: [(&str, usize); 10] = [
    ("engine/src", 3),
    ("lab/src", 3),
    ("present/src", 1),
    ("page/src", 3),
    ("src", 2),
    ("plugins", 2),
    ("xtask", 1),
    ("tests", 1),
    ("benches", 1),
    ("examples", 1),
];

/// Prints the lines of Rust of each room: product (code, comments and blank lines that are not
/// tests), comments among them, and tests.
#[derive(clap::Args)]
pub(crate) struct Size {}

/// Lines of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    product: usize,
    comments: usize,
    tests: usize,
}

impl Lines {
    fn add(&mut self, other: Lines) {
        self.product += other.product;
        self.comments += other.comments;
        self.tests += other.tests;
    }
}

impl Size {
    pub(crate) fn print(&self) -> Outcome<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no root")?;
        let mut rooms: BTreeMap<String, Lines> = BTreeMap::new();
        for (folder, depth) in FOLDERS {
            for path in files(&root.join(folder))? {
                let within = path.strip_prefix(root)?;
                let names: Vec<_> = within.iter().map(|part| part.to_string_lossy()).collect();
                let room = names[..depth.min(names.len() - 1)].join("/");
                rooms.entry(room).or_default().add(count(within, &fs::read_to_string(&path)?));
            }
        }
        let mut sum = Lines::default();
        println!("| room | product | comments of it | tests |");
        println!("|---|---:|---:|---:|");
        for (room, lines) in rooms {
            println!("| `{room}` | {} | {} | {} |", lines.product, lines.comments, lines.tests);
            sum.add(lines);
        }
        println!("| all | {} | {} | {} |", sum.product, sum.comments, sum.tests);
        Ok(())
    }
}

/// The Rust files below a folder, without what builds leave.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The lines of a file, whose path begins at the root of the project.
fn count(path: &Path, text: &str) -> Lines {
    let of_tests = |part: &std::ffi::OsStr| part == "tests" || part == "fixtures";
    if path.iter().any(of_tests) || path.file_stem().is_some_and(of_tests) {
        return Lines { tests: text.lines().count(), ..Lines::default() };
    }
    let mut lines = Lines::default();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        let begins = line == "#[cfg(test)]"
            && rest.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        if begins {
            // As rustfmt indents it, a module ends with a brace alone in the first column.
            lines.tests += 3 + rest.by_ref().skip(1).take_while(|line| *line != "}").count();
            continue;
        }
        lines.product += 1;
        lines.comments += usize::from(line.trim_start().starts_with("//"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_not_the_product() {
        let text = "//! A.\n\nfn f() {\n}\n\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\n";
        let lines = |path: &str| count(Path::new(path), text);
        assert_eq!(lines("src/a.rs"), Lines { product: 5, comments: 1, tests: 5 });
        let tests = Lines { tests: 10, ..Lines::default() };
        assert_eq!(lines("src/a/tests.rs"), tests);
        assert_eq!(lines("src/a/tests/b.rs"), tests);
        assert_eq!(lines("tests/it/a.rs"), tests);
    }
}
