//! Tests of packs: what is written is opened, and nothing else is.

use super::*;
use crate::problem::PluginFile;
use crate::results::{Provenance, Run};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, System, ZipWriter};

/// Writes a pack of three small files and a plugin.
fn packed(folder: &Path, name: &str) -> PathBuf {
    let mut run = Run::begin(1, 0);
    (run.start, run.end) = ("2026-11-26T10:00:00Z".to_owned(), None);
    run.config = "# Why?\nname = \"x\"\n".to_owned();
    let plugin = PluginFile { name: "ones".to_owned(), ..PluginFile::default() };
    let plugins = [(&plugin, Some("plugin/my ones.py".to_owned()))];
    let facts = Facts {
        experiment: "x",
        provenance: &Provenance::default(),
        run: &run,
        authors: &["A".parse().expect("an author")],
        license: Some(&"MIT".parse().expect("a licence")),
        plugins: &plugins,
        kind: PackKind::Experiment,
    };
    let parts = vec![
        Part::of_text("plugin/my ones.py", "the plugin", "pass\n".to_owned()),
        Part::of_text("results/run.toml", "the runs", String::new()),
    ];
    let path = folder.join(name);
    write_pack(&path, &facts, parts).expect("a pack");
    path
}

#[test]
fn a_sound_pack_is_unpacked_and_removed() {
    let folder = TempDir::new().expect("a folder");
    let path = packed(folder.path(), "x.zip");
    assert_eq!(
        fs::read(&path).expect("bytes"),
        fs::read(packed(folder.path(), "y.zip")).expect("bytes")
    );
    let opened = OpenedPack::open(&path).expect("a pack");
    assert_eq!(opened.files(), 6);
    let [plugins] = &opened.plugin_folders()[..] else { panic!("one folder of plugins") };
    assert_eq!(fs::read_to_string(plugins.join("my ones.py")).expect("a file"), "pass\n");
    let results = opened.results();
    assert!(results.join("run.toml").is_file());
    drop(opened);
    assert!(!results.exists());
}

/// Returns the positions of the bytes to flip: all around the contents of files, some in them.
fn places(path: &Path) -> Vec<usize> {
    let file = File::open(path).expect("a file");
    let length = file.metadata().expect("its length").len() as usize;
    let mut archive = zip::ZipArchive::new(file).expect("a zip");
    let mut contents = Vec::new();
    for place in 0..archive.len() {
        let entry = archive.by_index(place).expect("an entry");
        let start = entry.data_start().expect("its place") as usize;
        contents.push(start..start + entry.size() as usize);
    }
    let is_content = |place: &usize| contents.iter().any(|range| range.contains(place));
    (0..length).filter(|place| place % 16 == 0 || !is_content(place)).collect()
}

/// None of the changes goes unnoticed: a flipped byte, an end that is cut off, a byte more. Changed
/// contents are told with their file's name.
#[test]
fn every_changed_byte_is_noticed() {
    let folder = TempDir::new().expect("a folder");
    let sound = fs::read(packed(folder.path(), "x.zip")).expect("bytes");
    let path = folder.path().join("changed.zip");
    let fault = |bytes: &[u8], place: usize| -> String {
        fs::write(&path, bytes).expect("written");
        let opened = OpenedPack::open(&path);
        opened.map(|_| ()).expect_err(&format!("byte {place} of {} is changed", sound.len()))
    };
    for place in places(&folder.path().join("x.zip")) {
        for bit in [1, 0x20] {
            let mut bytes = sound.clone();
            bytes[place] ^= bit;
            let words = fault(&bytes, place);
            assert!(words.starts_with(&path.display().to_string()), "{words}");
        }
    }
    for length in (0..sound.len()).step_by(41) {
        fault(&sound[..length], length);
    }
    fault(&[&sound[..], b"x"].concat(), sound.len());
    fault(&[b"x", &sound[..]].concat(), 0);
    for (words, name) in [
        ("name = \"x\"", "experiment.toml"),
        ("pass\n", "plugin/my ones.py"),
        ("# x\n", "README.md"),
        ("\"@graph\"", "ro-crate-metadata.json"),
        ("type: dataset", "CITATION.cff"),
    ] {
        let is_here = |window: &[u8]| window == words.as_bytes();
        let place = sound.windows(words.len()).position(is_here).expect("its words");
        let mut bytes = sound.clone();
        bytes[place] ^= 1;
        let words = fault(&bytes, place);
        let told = format!("{}: {name}: ", path.display());
        assert!(words.starts_with(&told) && words.contains("get it again"), "{words}");
    }
}

/// Writes a zip file of these names and contents.
fn zipped(path: &Path, files: &[(&str, &[u8])], mode: u32) {
    let mut writer = ZipWriter::new(File::create(path).expect("a file"));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .system(System::Unix)
            .unix_permissions(mode);
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(bytes).expect("its bytes");
    }
    writer.finish().expect("a zip");
}

#[test]
fn packs_of_strangers_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("x.zip");
    let refused = |words: &str| {
        let fault = OpenedPack::open(&path).map(|_| ()).expect_err(words);
        assert!(fault.contains(words), "{fault}");
    };
    for name in ["../escaped", "/tmp/escaped", "a/../../escaped", "C:escaped", "a\\escaped"] {
        zipped(&path, &[(name, b"x")], 0o644);
        refused("no pack of runner");
    }
    assert!(!folder.path().join("escaped").exists());
    // Links, in any place.
    let mut writer = ZipWriter::new(File::create(&path).expect("a file"));
    writer.add_symlink("a", "/etc", SimpleFileOptions::default()).expect("a link");
    writer.finish().expect("a zip");
    refused("no links and no folders");
    let mut writer = ZipWriter::new(File::create(&path).expect("a file"));
    writer.add_directory("results", SimpleFileOptions::default()).expect("a folder");
    writer.finish().expect("a zip");
    assert!(OpenedPack::open(&path).is_err());
    zipped(&path, &[("a", b"x")], 0o644);
    refused("it has no ro-crate-metadata.json");
    zipped(&path, &[("b", b"x"), ("a", b"x")], 0o644);
    refused("sorted by name");
    for (metadata, words) in [
        ("", "ro-crate-metadata.json: "),
        ("{}", "no list of entities"),
        (r#"{"@graph": []}"#, "a: ro-crate-metadata.json does not have it"),
        (r#"{"@graph": [{"@type": "File", "@id": "a"}]}"#, "a file has no contentSize"),
        (
            r#"{"@graph": [{"@type": ["File"], "@id": "a", "contentSize": "1",
            "identifier": "blake3:0"}]}"#,
            "a: its size or its hash",
        ),
    ] {
        zipped(&path, &[("a", b"x"), ("ro-crate-metadata.json", metadata.as_bytes())], 0o644);
        refused(words);
    }
    // A file that is missing, and one with other permissions than a pack has.
    let hash = blake3::hash(b"x");
    let of = |id: &str| {
        format!(
            r#"{{"@type": "File", "@id": "{id}", "contentSize": "1",
            "identifier": "blake3:{hash}"}}"#
        )
    };
    let two = format!(r#"{{"@graph": [{}, {}]}}"#, of("a"), of("z"));
    zipped(&path, &[("a", b"x"), ("ro-crate-metadata.json", two.as_bytes())], 0o644);
    refused("z: it is missing");
    let one = format!(r#"{{"@graph": [{}]}}"#, of("a"));
    let files: [(&str, &[u8]); 2] = [("a", b"x"), ("ro-crate-metadata.json", one.as_bytes())];
    zipped(&path, &files, 0o755);
    refused("is not as it was packed");
    zipped(&path, &files, 0o644);
    assert!(OpenedPack::open(&path).is_ok());
    // Compressed, as a bomb is: the method of the list of files is changed by hand.
    let mut bytes = fs::read(&path).expect("bytes");
    let list = bytes.windows(4).position(|word| word == b"PK\x01\x02").expect("a list");
    bytes[list + 10] = 8;
    fs::write(&path, &bytes).expect("written");
    refused("no compressed and no encrypted files");
    // An entry larger than the zip file.
    bytes[list + 10] = 0;
    for size in [list + 20, list + 24] {
        bytes[size + 2] = 0xff;
    }
    fs::write(&path, &bytes).expect("written");
    assert!(OpenedPack::open(&path).is_err());
    fs::write(&path, "no zip").expect("written");
    refused("it is no zip file");
    fs::write(&path, "PK and no more").expect("written");
    refused("it cannot be opened as a zip file");
    fs::remove_file(&path).expect("removed");
    refused("cannot be read");
}
