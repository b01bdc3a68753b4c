//! `runner pack`: writes an experiment with all that belongs to it to one zip file.

use super::load::search_path;
use super::open_replay::open_replay;
use super::output::{line, words_of_written};
use super::report::{draw, record_of_tuning};
use crate::cli::Failure;
use crate::cli::arguments::{PackArguments, RecordedPluginArguments};
use crate::exit::Exit;
use crate::present::html::{Entry, checklists, page, tuning_page};
use crate::present::pack::{Facts, PLUGINS, PackKind, Part, RESULTS, Source, write_pack};
use crate::problem::{PluginFile, PluginPolicy};
use crate::results::storage::sound_files::{SoundFile, sound_files};
use crate::results::{Provenance, Results, Run, is_tuning_folder};
use crate::run::{OwnPlugins, PluginSource};
use crate::system::shell::shell_word;
use crate::tuning::TUNING_FILE;
use std::path::{Path, PathBuf};

/// Files of a tuning, next to its experiments, with their descriptions.
const TUNING_FILES: [(&str, &str); 3] = [
    (TUNING_FILE, "what was searched, and the comparison at the end"),
    ("settings.parquet", "the settings that were tried"),
    ("survivors.toml", "the best settings, for another tuning to begin with"),
];

pub(super) fn pack(arguments: &PackArguments) -> Result<Exit, Failure> {
    let folder = arguments.folder.as_path();
    let out = match &arguments.out {
        Some(path) => path.clone(),
        None => beside(folder)?,
    };
    if is_tuning_folder(folder) {
        return pack_tuning(arguments, folder, &out);
    }
    let results = Results::open(folder)?;
    let provenance = Provenance::read(folder)?;
    let run = finished(folder, &results, &provenance)?;
    let parts = parts_of_results(folder, RESULTS, &provenance)?;
    let found = plugins(run, &arguments.plugins);
    let mut entry = Entry::read(folder, &results)?;
    // The pack has the results in this folder, wherever they are now.
    entry.folder = Path::new(RESULTS);
    if found.iter().all(|(_, parts)| !parts.is_empty()) {
        draw(&mut entry, open_replay(folder, &arguments.plugins));
    }
    let [report, checklist] = reports(&[entry])?;
    let kind = if results.is_raced_by_tuning() { PackKind::Race } else { PackKind::Experiment };
    let experiment = (results.experiment(), kind);
    let texts = [report, checklist].into_iter();
    write(arguments, &out, experiment, (&provenance, run), found, parts.into_iter().chain(texts))
}

/// Writes the pack of a whole tuning: its experiments, its record and settings, and its report.
fn pack_tuning(arguments: &PackArguments, folder: &Path, out: &Path) -> Result<Exit, Failure> {
    let record = record_of_tuning(folder)?;
    let (mut parts, mut opened) = (Vec::new(), Vec::new());
    for path in record.experiments(folder) {
        let (results, provenance) = (Results::open(&path)?, Provenance::read(&path)?);
        finished(&path, &results, &provenance)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        parts.extend(parts_of_results(&path, &format!("{RESULTS}/{name}"), &provenance)?);
        opened.push((path, results, provenance));
    }
    for (name, description) in TUNING_FILES {
        let (name, source) = (format!("{RESULTS}/{name}"), Source::File(folder.join(name)));
        parts.push(Part { name, description: description.to_owned(), source });
    }
    let (test, results, provenance) = opened.last().expect("a tuning ends with a comparison");
    let run = finished(test, results, provenance)?;
    let page = tuning_page(folder, Path::new(RESULTS), &record, (results, provenance))?;
    parts.push(Part::of_text("report.html", "the report, with the Methods section", page));
    let found = plugins(run, &arguments.plugins);
    let tuning = (record.name.as_str(), PackKind::Tuning(&record));
    write(arguments, out, tuning, (provenance, run), found, parts.into_iter())
}

/// Writes a pack of these parts and of the plugins that were found.
fn write(
    arguments: &PackArguments,
    out: &Path,
    (experiment, kind): (&str, PackKind<'_>),
    (provenance, run): (&Provenance, &Run),
    found: Vec<(&PluginFile, Vec<Part>)>,
    parts: impl Iterator<Item = Part>,
) -> Result<Exit, Failure> {
    let plugins: Vec<(&PluginFile, Option<String>)> = found
        .iter()
        .map(|(plugin, parts)| (*plugin, parts.first().map(|part| part.name.clone())))
        .collect();
    let parts = parts.chain(found.into_iter().flat_map(|(_, parts)| parts)).collect();
    let facts = Facts {
        experiment,
        provenance,
        run,
        authors: &arguments.authors,
        license: arguments.license.as_ref(),
        plugins: &plugins,
        kind,
    };
    write_pack(out, &facts, parts)?;
    line!("{}", out.display());
    notes(&facts, arguments);
    note!("{}", words_of_written(&[out.to_owned()]));
    Ok(Exit::Done)
}

/// Returns the path of the zip file next to a results folder.
fn beside(folder: &Path) -> Result<PathBuf, Failure> {
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => folder.canonicalize().unwrap_or_default(),
    };
    let name = named.file_name().ok_or_else(|| {
        let folder = folder.display();
        Failure::usage(format!("{folder}: this folder has no name; name the file with --out"))
    })?;
    let mut name = name.to_owned();
    name.push(".zip");
    Ok(named.with_file_name(name))
}

/// Returns the last run of a finished experiment.
fn finished<'a>(
    folder: &Path,
    results: &Results,
    provenance: &'a Provenance,
) -> Result<&'a Run, Failure> {
    let refuse = |words: String| Err(Failure::results(format!("{}: {words}", folder.display())));
    let run = match (&provenance.imported, provenance.runs.last()) {
        (Some(imported), _) => {
            return refuse(format!(
                "its trials were imported from {}, so there is no experiment to repeat; publish \
                that file with the program that made it",
                imported.file
            ));
        }
        (None, None) => {
            return refuse(
                "it has no run.toml, which names the experiment file and the plugin; put it back, \
                or run the experiment again"
                    .to_owned(),
            );
        }
        (None, Some(run)) => run,
    };
    if results.planned().is_some() {
        return refuse(format!(
            "the experiment is unfinished; give the command that ran {} again, with the same \
            options, and then pack it",
            run.config_path
        ));
    }
    let (recorded, is) = (&provenance.results, &results.summary()?.results_hash);
    if recorded.is_some() && is.is_some() && recorded != is {
        return refuse(
            "run.toml is that of other results, since it has another results hash than \
            summary.parquet; put the right file back, or run the experiment again"
                .to_owned(),
        );
    }
    Ok(run)
}

/// Returns the files of the results, which must be sound. `to` is their folder in the pack.
fn parts_of_results(
    folder: &Path,
    to: &str,
    provenance: &Provenance,
) -> Result<Vec<Part>, Failure> {
    let mut parts: Vec<Part> = Vec::new();
    for (kind, path) in sound_files(folder, provenance)? {
        let description = match kind {
            SoundFile::Table(table) => format!("the table `{table}`"),
            SoundFile::Runs => "runs, machines, versions, plugins and overrides".to_owned(),
            SoundFile::FirstGenomes => "the genomes that the trials began with".to_owned(),
            SoundFile::Data => "data that a parameter names".to_owned(),
        };
        let below = path.strip_prefix(folder).unwrap_or(&path).components();
        let names = below.map(|name| name.as_os_str().to_string_lossy().into_owned());
        let name = [to.to_owned()].into_iter().chain(names).collect::<Vec<_>>().join("/");
        if parts.iter().all(|part| part.name != name) {
            parts.push(Part { name, description, source: Source::File(path) });
        }
    }
    Ok(parts)
}

/// Returns the plugins of a run, each once, with its files if they have the recorded bytes: its own
/// first, then those that it imports.
fn plugins<'a>(
    run: &'a Run,
    arguments: &RecordedPluginArguments,
) -> Vec<(&'a PluginFile, Vec<Part>)> {
    let source = PluginSource {
        search: search_path(&arguments.plugins),
        own: OwnPlugins::of_user(),
        trust: arguments.trust,
        policy: PluginPolicy::Any,
    };
    let operators = run.operator_plugins.iter().map(|plugin| &plugin.file);
    let mut found: Vec<(&PluginFile, Vec<Part>)> = Vec::new();
    for plugin in [&run.plugin].into_iter().chain(operators) {
        if found.iter().any(|(other, _)| other.blake3 == plugin.blake3) {
            continue;
        }
        let path = source.recorded_file(plugin);
        let parts = path.map_or_else(Vec::new, |path| {
            let is_taken = |part: &Part| {
                found.iter().any(|(_, parts)| parts.iter().any(|it| it.name == part.name))
            };
            let others = (2..).map(|number| format!("{PLUGINS}/{number}"));
            [PLUGINS.to_owned()]
                .into_iter()
                .chain(others)
                .map(|folder| parts_of_plugin(plugin, &path, &folder))
                .find(|parts| !parts.iter().any(is_taken))
                .unwrap_or_default()
        });
        found.push((plugin, parts));
    }
    found
}

/// Returns the files of a plugin in a folder of the pack.
fn parts_of_plugin(plugin: &PluginFile, path: &Path, folder: &str) -> Vec<Part> {
    let of = format!("plugin {} {}", plugin.name, plugin.version);
    let part = |file: &Path, description| Part {
        name: format!("{folder}/{}", file.to_string_lossy()),
        description,
        source: Source::File(path.with_file_name(file)),
    };
    let own = Path::new(path.file_name().unwrap_or_default());
    let imported = plugin.files.iter().map(|file| part(file, format!("a module of the {of}")));
    [part(own, format!("the {of}"))].into_iter().chain(imported).collect()
}

/// Returns the report and the checklist.
fn reports(entries: &[Entry<'_>]) -> Result<[Part; 2], Failure> {
    Ok([
        Part::of_text("report.html", "the report, with the Methods section", page(entries)?),
        Part::of_text("checklist.md", "a reproducibility checklist", checklists(entries).0),
    ])
}

/// Prints what the pack lacks, and what it discloses.
fn notes(facts: &Facts<'_>, arguments: &PackArguments) {
    for (plugin, _) in facts.plugins.iter().filter(|(_, part)| part.is_none()) {
        let trust = match arguments.plugins.trust {
            true => "",
            false => ", or use --trust if you trust these results",
        };
        warning!(
            "the pack has no file of the plugin `{}` {}, since none with the recorded hash was \
            found; name its folder with --plugin-dir{trust}",
            plugin.name,
            plugin.version
        );
    }
    if facts.license.is_none() {
        note!("no licence was named; name one with --license, such as CC-BY-4.0");
    }
    if facts.authors.is_empty() {
        note!("no author was named, so there is no CITATION.cff; name each with --author");
    }
    note!(
        "results/run.toml in it names {}the paths of config and plugin; look at it before you \
        publish the pack",
        facts
            .run
            .host
            .as_ref()
            .map(|host| format!("the machine {} and ", shell_word(host)))
            .unwrap_or_default()
    );
}
