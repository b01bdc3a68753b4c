//! `runner pack`: writes an experiment with all that belongs to it to one zip file.

use super::load::search_path;
use super::open_replay::open_replay;
use super::output::{line, words_of_written};
use super::report::draw;
use crate::cli::Failure;
use crate::cli::arguments::{PackArguments, RecordedPluginArguments};
use crate::exit::Exit;
use crate::present::html::{Entry, checklists, page};
use crate::present::pack::{Facts, PLUGINS, Part, RESULTS, Source, write_pack};
use crate::problem::{PluginFile, PluginPolicy};
use crate::results::storage::sound_files::{SoundFile, sound_files};
use crate::results::{Provenance, Results, Run};
use crate::run::{OwnPlugins, PluginSource};
use crate::system::shell::shell_word;
use std::path::{Path, PathBuf};

pub(super) fn pack(arguments: &PackArguments) -> Result<Exit, Failure> {
    let folder = arguments.folder.as_path();
    let out = match &arguments.out {
        Some(path) => path.clone(),
        None => beside(folder)?,
    };
    let results = Results::open(folder)?;
    let provenance = Provenance::read(folder)?;
    let run = finished(folder, &results, &provenance)?;
    let mut parts = parts_of_results(folder, &provenance)?;
    let found = plugins(run, &arguments.plugins);
    let mut entry = Entry::read(folder, &results)?;
    // The pack has the results in this folder, wherever they are now.
    entry.folder = Path::new(RESULTS);
    if found.iter().all(|(_, parts)| !parts.is_empty()) {
        draw(&mut entry, open_replay(folder, &arguments.plugins));
    }
    parts.extend(reports(&[entry])?);
    let plugins: Vec<(&PluginFile, Option<String>)> = found
        .iter()
        .map(|(plugin, parts)| (*plugin, parts.first().map(|part| part.name.clone())))
        .collect();
    parts.extend(found.into_iter().flat_map(|(_, parts)| parts));
    let facts = Facts {
        experiment: results.experiment(),
        provenance: &provenance,
        run,
        authors: &arguments.authors,
        license: arguments.license.as_ref(),
        plugins: &plugins,
        is_raced: results.is_raced_by_tuning(),
    };
    write_pack(&out, &facts, parts)?;
    line!("{}", out.display());
    notes(&facts, arguments);
    note!("{}", words_of_written(&[out]));
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

/// Returns the files of the results, which must be sound.
fn parts_of_results(folder: &Path, provenance: &Provenance) -> Result<Vec<Part>, Failure> {
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
        let name = [RESULTS.to_owned()].into_iter().chain(names).collect::<Vec<_>>().join("/");
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
    let part = |name: &str, description: &str, text| Part {
        name: name.to_owned(),
        description: description.to_owned(),
        source: Source::Text(text),
    };
    Ok([
        part("report.html", "the report, with the Methods section", page(entries)?),
        part("checklist.md", "a reproducibility checklist", checklists(entries).0),
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
