//! `README.md` of a pack: its contents, and how to read and repeat them.

use super::facts::{Facts, PackKind};
use super::layout::{CONFIG, METADATA, RESULTS};
use super::part::Part;
use crate::lists::distinct;
use crate::system::output::visible;
use crate::system::shell::shell_word;
use std::fmt::Write;

/// Returns the file's text. `parts`: all other files, without the metadata.
pub(super) fn readme(facts: &Facts<'_>, parts: &[Part]) -> String {
    let run = facts.run;
    let what = match facts.kind {
        PackKind::Tuning(_) => "a tuning",
        PackKind::Experiment | PackKind::Race => "an experiment",
    };
    let mut text = format!(
        "# {}\n\n{}\n\nThese are the results of {what} in evolutionary search, packed as \
        [RO-Crate 1.2](https://w3id.org/ro/crate/1.2) by runner {}. The last run ended on {} with \
        runner {}.\n",
        facts.experiment,
        facts.description(),
        env!("CARGO_PKG_VERSION"),
        facts.date(),
        run.runner_version,
    );
    if let Some(hash) = &facts.provenance.results {
        let trials = match facts.kind {
            PackKind::Tuning(_) => "trials in the comparison at the end",
            PackKind::Experiment | PackKind::Race => "all trials",
        };
        _ = writeln!(text, "\nResults hash, of the values of {trials}: `{hash}`");
    }
    for suite in facts.suites() {
        _ = writeln!(text, "\nResults of the suite {suite}");
    }
    text += "\n## Files\n\n";
    for Part { name, description, .. } in parts {
        _ = writeln!(text, "- `{name}`: {description}");
    }
    _ = writeln!(text, "- `{METADATA}`: every file with its size and its BLAKE3 hash");
    text += &plugins(facts);
    text += &commands(facts);
    text += "\n## Licence\n\n";
    match facts.license {
        Some(license) => _ = writeln!(text, "{} ({})", license.text(), license.address()),
        None => _ = writeln!(text, "{}", Facts::NO_LICENSE),
    }
    if !facts.authors.is_empty() {
        text += "\n## Authors\n\n";
        for author in facts.authors {
            let orcid = author.orcid.as_ref().map(|orcid| format!(", <{orcid}>"));
            _ = writeln!(text, "- {}{}", author.name, orcid.unwrap_or_default());
        }
    }
    visible(&text).into_owned()
}

fn plugins(facts: &Facts<'_>) -> String {
    let mut text = "\n## Plugins\n\n".to_owned();
    for (plugin, part) in facts.plugins {
        let place = match part {
            Some(part) => format!("`{part}`"),
            None => "**not in this pack**, since its file was not found".to_owned(),
        };
        let (name, version, hash) = (&plugin.name, &plugin.version, &plugin.blake3);
        _ = writeln!(text, "- {name} {version}, BLAKE3 `{hash}`: {place}");
    }
    text += "\nA plugin is a program. Load it only if you trust whoever made it.\n";
    text
}

/// Returns the commands that read and repeat the results, from the folder of the unpacked files.
fn commands(facts: &Facts<'_>) -> String {
    let parts = facts.plugins.iter().filter_map(|(_, part)| part.as_deref()?.rsplit_once('/'));
    let folders = distinct(parts.map(|(above, _)| above));
    let plugins: String =
        folders.iter().map(|folder| format!(" --plugin-dir {}", shell_word(folder))).collect();
    let words = facts.overrides().iter().map(|word| match word.split_once(' ') {
        Some((flag, value)) => format!(" {flag} {}", shell_word(value)),
        None => format!(" {}", shell_word(word)),
    });
    let overrides: String = words.collect();
    let changed = match overrides.is_empty() {
        true => "",
        false => " The overrides are those of the last run; the tables were made with them.",
    };
    let (verified, again, what) = match facts.kind {
        PackKind::Tuning(_) => (
            "results/test",
            format!("\x20   runner tune {CONFIG}{overrides} --out again{plugins}\n"),
            "print the settings, run a sample of the trials in the comparison at the end again and \
            compare them with the table, and run the whole tuning again.",
        ),
        PackKind::Race => (
            RESULTS,
            String::new(),
            "print the summary, and run a sample of the trials again and compare them with the \
            table (`--all` runs all of them). The race of a tuning decided the numbers of trials: \
            a run of `experiment.toml` alone has others.",
        ),
        PackKind::Experiment => (
            RESULTS,
            format!("\x20   runner {CONFIG}{overrides} --out again{plugins}\n"),
            "print the summary, run a sample of the trials again and compare them with the table, \
            and run the whole experiment again.",
        ),
    };
    format!(
        "\n## Read and repeat\n\nOpen `report.html` in a browser. It has the answer, the Methods \
        section and the origin of the results. Any reader of Parquet opens the tables; the column \
        `settings` has all settings of an arm. In the folder of the unpacked files,\n\n\
        \x20   runner show results\n\
        \x20   runner verify {verified}{plugins}\n{again}\n\
        {what}{changed} `runner verify FILE.zip`, with the name of the \
        zip file, checks every byte of it first.\n"
    )
}
