//! Published results hashes: those of the experiments that ship, in `configs/published.hashes`.

use crate::Outcome;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// File with a line per experiment: its name and its results hash.
const FILE: &str = "configs/published.hashes";

/// Compares the results hashes of the experiments that ship with the published ones.
#[derive(clap::Args)]
pub(crate) struct Published {
    /// Folder with the results of `runner configs/*.toml`
    #[arg(default_value = "results")]
    results: PathBuf,
    /// Write the hashes of these results to the file, in place of comparing
    #[arg(long)]
    bless: bool,
}

impl Published {
    pub(crate) fn check(&self) -> Outcome<()> {
        let found = hashes(&self.results)?;
        let comments: Vec<String> =
            lines(FILE)?.into_iter().filter(|line| line.starts_with('#')).collect();
        if self.bless {
            let rows = found.iter().map(|(name, hash)| format!("{name} {hash}"));
            let text: Vec<String> = comments.into_iter().chain(rows).collect();
            fs::write(FILE, text.join("\n") + "\n")?;
            println!("{FILE}: {} hashes", found.len());
            return Ok(());
        }
        let published: BTreeMap<String, String> = lines(FILE)?
            .iter()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(' '))
            .map(|(name, hash)| (name.to_owned(), hash.to_owned()))
            .collect();
        let names = found.keys().chain(published.keys().filter(|name| !found.contains_key(*name)));
        let differ = |name: &&String| found.get(*name) != published.get(*name);
        let word = |hash: Option<&String>| hash.map_or("none", String::as_str).to_owned();
        let words: Vec<String> = names
            .filter(differ)
            .map(|name| {
                let (here, there) = (word(found.get(name)), word(published.get(name)));
                format!("{name}: {here} here, {there} in {FILE}")
            })
            .collect();
        if words.is_empty() {
            println!("{} results hashes are the published ones", found.len());
            return Ok(());
        }
        let help = "A change of results needs an entry in the changelog; then --bless writes the \
            new hashes";
        Err(format!("{}\n{help}", words.join("\n")).into())
    }
}

fn lines(path: impl AsRef<Path>) -> Outcome<Vec<String>> {
    Ok(fs::read_to_string(path)?.lines().map(str::to_owned).collect())
}

/// Results hash of each experiment in a folder, by name.
fn hashes(results: &Path) -> Outcome<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(results)? {
        let folder = entry?.path();
        let run = folder.join("run.toml");
        if !run.is_file() {
            continue;
        }
        let hash = lines(&run)?;
        let hash =
            hash.iter().find_map(|line| line.strip_prefix("results = \"")?.strip_suffix('"'));
        let hash = hash.ok_or_else(|| format!("{}: no results hash", run.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.insert(name, hash.to_owned());
    }
    Ok(found)
}
