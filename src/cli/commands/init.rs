//! `runner init`: writes a first experiment file, from answers or from flags, or the repository of
//! a study.

mod ask;
mod draft;
mod study;

use super::load::search_path;
use super::output::line;
use crate::cli::arguments::{InitArguments, Question};
use crate::cli::{Failure, Faults};
use crate::config::{
    Catalogue, Overrides, Sources, json_schema, load_text, parameter_key, parameter_value,
    problem_values,
};
use crate::exit::Exit;
use crate::problem::parameter::{Fallback, Kind, Value};
use crate::problem::{DataFile, Library, Location, Opener, PluginPolicy, Problem};
use crate::results::storage::output_folder;
use crate::system::shell::shell_path;
use ask::Asker;
use draft::Draft;
use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default number of evaluations per trial.
const EVALUATIONS: u64 = 20_000;

pub(super) fn init(arguments: &InitArguments) -> Result<Exit, Failure> {
    if let Some(folder) = &arguments.study {
        study::write(folder)?;
        let typed = shell_path(folder);
        line!("Wrote {}. Next:\n  git init {typed}\n  make -C {typed}", folder.display());
        return Ok(Exit::Done);
    }
    let path = write(arguments)?;
    // The printed commands repeat the folders, so that they find the same plugin.
    let folders: String = arguments
        .plugins
        .plugin_dir
        .iter()
        .map(|folder| format!(" --plugin-dir {}", shell_path(folder)))
        .collect();
    let (path, typed) = (path.display(), shell_path(&path));
    line!("Wrote {path}. Next:\n  runner check {typed}{folders}\n  runner {typed}{folders}");
    Ok(Exit::Done)
}

fn write(arguments: &InitArguments) -> Result<PathBuf, Failure> {
    if let Some(path) = arguments.file.as_ref().filter(|path| path.exists()) {
        return Err(taken(path));
    }
    let mut asker = Asker::of(arguments);
    let search = search_path(&arguments.plugins);
    let opener = Opener::here(PluginPolicy::Any);
    let open = |file| Library::open(&Location::new(file), &opener).ok();
    let mut libraries: Vec<Arc<Library>> = search.list().into_iter().filter_map(open).collect();
    libraries.retain(|library| library.declared().has_problem);
    let mut catalogue = Catalogue::new(search);
    let library = plugin(arguments, &mut asker, &libraries, &mut catalogue)?;
    let (values, problem) = problem(arguments, &mut asker, &library)?;
    let question = question(arguments, &mut asker)?;
    let evaluations = evaluations(arguments, &mut asker)?;
    let by_path =
        |name: &String| name.contains(['/', '\\']) || name.ends_with(std::env::consts::DLL_SUFFIX);
    let plugin = match arguments.plugin.as_ref().filter(|name| by_path(name)) {
        Some(_) => library.path().display().to_string(),
        None => library.name().to_owned(),
    };
    let (library, problem) = (&library, &problem);
    let text = |path: &Path| {
        let values: Vec<Value> = values.iter().map(|value| seen_from(path, value)).collect();
        let (plugin, values) = (plugin.clone(), values.as_slice());
        let draft = Draft { plugin, library, values, problem, question, evaluations };
        draft.text().map_err(Failure::usage)
    };
    let asks_again = asker.can_ask_again() && arguments.file.is_none();
    if asks_again {
        // Checked before the file name is asked for, which cannot correct the other answers.
        let path = Path::new("experiment.toml");
        check(path, &text(path)?, &mut catalogue)?;
    }
    loop {
        let usual = format!("{}-{}.toml", library.name(), question.as_str());
        let path = file(arguments, &mut asker, usual)?;
        let text = text(&path)?;
        match check(&path, &text, &mut catalogue).and_then(|()| create(&path, &text)) {
            Ok(()) => {
                create_schema(&path.with_file_name(SCHEMA), &libraries);
                return Ok(path);
            }
            Err(failure) if asks_again => drop(failure.print()),
            Err(failure) => return Err(failure),
        }
    }
}

/// Returns a value as the experiment file at this path says it: a file is named from the folder
/// that the command runs in, and said from that of the experiment file.
fn seen_from(path: &Path, value: &Value) -> Value {
    let Value::File(file) = value else { return value.clone() };
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let is_elsewhere = !file.named.is_empty()
        && Path::new(&file.named).is_relative()
        && path.parent().is_some_and(|folder| folder != Path::new(""));
    let named = match (folder, Path::new(&file.path).canonicalize()) {
        (Some(folder), Ok(target)) if is_elsewhere => {
            let up = |folder: &&Path| !target.starts_with(folder);
            let steps = folder.ancestors().take_while(up).count();
            let shared = folder.ancestors().nth(steps).unwrap_or(Path::new("/"));
            let below = target.strip_prefix(shared).unwrap_or(&target);
            iter::repeat_n(Path::new(".."), steps).chain([below]).collect()
        }
        // The folder of the experiment file is not there, as will be said.
        (None, Ok(target)) if is_elsewhere => target,
        _ => PathBuf::from(&file.named),
    };
    let named = named.display().to_string();
    Value::File(DataFile { named, ..file.clone() })
}

/// File name of the schema for editors. It is next to the experiment file, whose first line names
/// it.
const SCHEMA: &str = "runner.schema.json";

/// Writes the schema if it does not exist.
fn create_schema(path: &Path, libraries: &[Arc<Library>]) {
    let schema = format!("{:#}\n", json_schema(libraries));
    match output_folder::write_new(path, schema.as_bytes()) {
        Ok(()) => note!("wrote {}, by which editors complete and check keys", path.display()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => warning!(
            "{}: cannot be written: {error}; without it, editors do not check the experiment file",
            path.display()
        ),
    }
}

fn question(arguments: &InitArguments, asker: &mut Asker) -> Result<Question, Failure> {
    if let Some(question) = arguments.question {
        return Ok(question);
    }
    asker.choose(
        "What do you want to know?",
        &[
            ("success", "how often a search solves the problem", Question::Success),
            ("compare", "which of two searches is better", Question::Compare),
            ("scale", "how the success rate changes with the problem's size", Question::Scale),
        ],
        Some(0),
    )
}

fn evaluations(arguments: &InitArguments, asker: &mut Asker) -> Result<u64, Failure> {
    if let Some(evaluations) = arguments.evaluations {
        return Ok(evaluations);
    }
    let at_least_one = |text: &str| match text.replace([',', '_'], "").parse() {
        Ok(evaluations) if evaluations > 0 => Ok(evaluations),
        _ => Err("it must be a whole number of at least 1".to_owned()),
    };
    let usual = Some(EVALUATIONS.to_string());
    asker.ask("How many evaluations may a trial spend?", usual, at_least_one)
}

/// Returns the path of the file to write, which does not exist yet.
fn file(arguments: &InitArguments, asker: &mut Asker, usual: String) -> Result<PathBuf, Failure> {
    if let Some(path) = &arguments.file {
        return Ok(path.clone());
    }
    let free = |text: &str| match Path::new(text) {
        path if path.exists() => {
            Err("the file already exists and will not be overwritten; name another".to_owned())
        }
        path => Ok(path.to_owned()),
    };
    asker.ask("Which file should it be written to?", Some(usual), free)
}

fn create(path: &Path, text: &str) -> Result<(), Failure> {
    output_folder::write_new(path, text.as_bytes()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(path),
        _ => Failure::results(format!(
            "{}: cannot be written: {error}; check the folder and its permissions",
            path.display()
        )),
    })
}

fn taken(path: &Path) -> Failure {
    Failure::usage(format!(
        "{} already exists and will not be overwritten; name another file, as in `runner init \
        mine.toml`",
        path.display()
    ))
}

/// Returns a first value for a parameter without a default; `None` for texts.
fn suggestion(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Integer { low, high } => 10.clamp(*low, *high).to_string(),
        Kind::Real { low, high, .. } if (*low..*high).contains(&1.0) => "1.0".to_owned(),
        Kind::Real { low, high, .. } => f64::midpoint(*low, *high).to_string(),
        Kind::Boolean => "false".to_owned(),
        Kind::Choice(words) => words.first()?.to_string(),
        Kind::Text | Kind::File => return None,
    })
}

/// Default plugin, if a plugin of this name is found.
const USUAL: &str = "nqueens";

/// Returns the plugin that the user names, or chooses among those that are found.
fn plugin(
    arguments: &InitArguments,
    asker: &mut Asker,
    libraries: &[Arc<Library>],
    catalogue: &mut Catalogue,
) -> Result<Arc<Library>, Failure> {
    if let Some(name) = &arguments.plugin {
        return Ok(catalogue.load(name, None, Path::new("."))?);
    }
    if libraries.is_empty() {
        return Err(Failure::plugin(
            "no plugin was found; build the included ones with `cargo build --release`, or name a \
            folder with --plugin-dir",
        ));
    }
    let choices: Vec<(&str, &str, Arc<Library>)> = libraries
        .iter()
        .map(|library| (library.name(), library.summary(), Arc::clone(library)))
        .collect();
    // The problem of the README's first page, or else the first one found.
    let usual = choices.iter().position(|(name, ..)| *name == USUAL).unwrap_or(0);
    asker.choose("Which problem should be solved?", &choices, Some(usual))
}

/// Returns the parameters' values, given or asked for, and the problem that they define.
fn problem(
    arguments: &InitArguments,
    asker: &mut Asker,
    library: &Arc<Library>,
) -> Result<(Vec<Value>, Problem), Failure> {
    loop {
        let mut set = arguments.set.clone();
        for parameter in library.parameters() {
            let names = |word: &String| {
                word.split_once('=').is_some_and(|(key, _)| parameter_key(key) == parameter.key)
            };
            if arguments.set.iter().any(names) || parameter.later {
                continue;
            }
            let usual = match &parameter.fallback {
                Fallback::Value(value) => Some(value.to_string()),
                Fallback::Required if asker.is_nobody() => None,
                Fallback::Required | Fallback::Derived(_) => suggestion(&parameter.kind),
            };
            let question = format!("{}: {} ({})", parameter.key, parameter.doc, parameter.kind);
            let read = |text: &str| parameter_value(parameter, text);
            let value = asker.ask(&question, usual, read).map_err(|failure| {
                let (key, kind) = (&parameter.key, &parameter.kind);
                failure.also(&format!("give it with --set {key}=…, {kind}"))
            })?;
            set.push(format!("{}={value}", parameter.key));
        }
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let values = problem_values(library, &set, &mut sources, &mut diagnostics);
        let faults = Faults { diagnostics, sources };
        let Some(values) = values else {
            return Err(Failure::usage("nothing was written").below(faults));
        };
        faults.print();
        match library.create(&values) {
            Ok(problem) => return Ok((values, problem)),
            Err(error) if asker.can_ask_again() && arguments.set.is_empty() => message!("{error}"),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Checks that the written text is valid, because its reader will run `runner check` next.
fn check(path: &Path, text: &str, catalogue: &mut Catalogue) -> Result<(), Failure> {
    let outcome = load_text(path, text, &Overrides::default(), catalogue);
    if outcome.has_errors() {
        let (words, faults) =
            ("these answers do not make a valid experiment; nothing was written", outcome.into());
        return Err(Failure::usage(words).below(faults));
    }
    Ok(())
}
