//! The archive: the tree as `.tar.gz`, with the same bytes each time.

use crate::Outcome;
use crate::tree::Tree;
use flate2::{Compression, GzBuilder};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tar::{EntryType, Header};

/// Writes it: every path below `name`, in order, owned by root, as old as the sources.
pub(crate) fn write(tree: &Tree, name: &str, epoch: u64, to: &Path) -> Outcome<()> {
    let gzip = GzBuilder::new().mtime(0).write(File::create(to)?, Compression::default());
    let mut archive = tar::Builder::new(gzip);
    for path in tree.paths()? {
        let whole = tree.folder.join(&path);
        let about = whole.metadata()?;
        let mut header = Header::new_gnu();
        header.set_mode(about.permissions().mode() & 0o777);
        header.set_mtime(epoch);
        header.set_uid(0);
        header.set_gid(0);
        let inside = Path::new(name).join(&path);
        if about.is_dir() {
            header.set_entry_type(EntryType::Directory);
            header.set_size(0);
            archive.append_data(&mut header, inside, std::io::empty())?;
        } else {
            header.set_entry_type(EntryType::Regular);
            header.set_size(about.len());
            archive.append_data(&mut header, inside, BufReader::new(File::open(whole)?))?;
        }
    }
    archive.into_inner()?.finish()?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A tree whose files are written in this order.
    fn archive(order: [&str; 3]) -> Vec<u8> {
        let work = tempfile::tempdir().expect("a folder");
        let tree = Tree { folder: work.path().join("tree") };
        for name in order {
            let path = tree.folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, name).expect("a file");
        }
        let to = work.path().join("a.tar.gz");
        write(&tree, "runner-1", 1_000_000_000, &to).expect("an archive");
        fs::read(to).expect("its bytes")
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let bytes = archive(["bin/runner", "a", "b/c"]);
        assert_eq!(bytes, archive(["b/c", "bin/runner", "a"]));
        let mut files = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
        let entries = files.entries().expect("entries").map(|entry| {
            let entry = entry.expect("an entry");
            let header = entry.header();
            let (age, owner) = (header.mtime().expect("an age"), header.uid().expect("an owner"));
            assert_eq!((age, owner), (1_000_000_000, 0));
            entry.path().expect("a path").display().to_string()
        });
        let paths: Vec<String> = entries.collect();
        let paths: Vec<&str> = paths.iter().map(|path| path.trim_end_matches('/')).collect();
        let expected =
            ["a", "b", "b/c", "bin", "bin/runner"].map(|path| format!("runner-1/{path}"));
        assert_eq!(paths, expected);
    }
}
