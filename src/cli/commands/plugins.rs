//! `runner plugins`: lists problems, their parameters, and their genomes.

use super::isolation::processes;
use super::load::search_path;
use super::operators::{print_declared, tell};
use super::output::{line, put};
use crate::cli::Failure;
use crate::cli::arguments::PluginsArguments;
use crate::config::{Catalogue, parameter_field};
use crate::exit::Exit;
use crate::operators::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::present::terminal::{parameter_lines, width};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{
    Bounds, DeclaredOperator, Description, Encoding, Library, Location, MixedGene, Noise, Problem,
    way_to_plugins,
};
use crate::search::registry::operators;
use crate::system::interrupt::Interrupt;
use crate::system::output::put_exactly;
use crate::words::{count, counted};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

pub(super) fn plugins(arguments: &PluginsArguments) -> Result<Exit, Failure> {
    let search = search_path(&arguments.plugins);
    // Every library of the folders is loaded, so none is loaded in this process.
    let isolation = processes(&search).map_err(Failure::plugin)?;
    let loader = isolation.plugin_loader(&Interrupt::default());
    let mut exit = Exit::Done;
    let opened: Vec<_> = match arguments.names.as_slice() {
        [] => {
            let open = |file| Library::open(&Location::new(file), &loader.opener());
            search.list().iter().map(open).collect()
        }
        names => {
            let mut catalogue = Catalogue::opening(search.clone(), loader.opener());
            names.iter().map(|name| catalogue.load(name, None, Path::new("."))).collect()
        }
    };
    let found_none = opened.is_empty();
    let mut listed = Vec::new();
    for library in opened {
        match library {
            Ok(library) => listed.push(Listed::of(library)),
            // The other plugins are still listed.
            Err(error) => exit = Failure::from(error).print(),
        }
    }
    if arguments.json {
        let objects = listed.iter().map(object).collect();
        put_exactly(&format!("{:#}\n", Json::Array(objects)));
    } else {
        print_groups(&listed);
    }
    if found_none {
        message!("No plugins found in:");
        for folder in search.dirs() {
            message!("  {}", folder.display());
        }
        message!("To have some: {}.", way_to_plugins(search.dirs()));
    }
    Ok(exit)
}

/// Plugin with an example of its problem.
struct Listed {
    library: Arc<Library>,
    example: Example,
}

impl Listed {
    fn of(library: Arc<Library>) -> Self {
        let example = Example::of(&library);
        Listed { library, example }
    }

    /// Returns the encoding of the problem's genomes; `None` if there is no example.
    fn encoding(&self) -> Option<Encoding> {
        match &self.example {
            Example::Made(problem) => Some(problem.description().encoding),
            _ => None,
        }
    }
}

/// Prints plugins by the encoding of their genomes, each group with what suits it.
fn print_groups(listed: &[Listed]) {
    for encoding in Encoding::ALL {
        let group: Vec<&Listed> =
            listed.iter().filter(|one| one.encoding() == Some(encoding)).collect();
        if !group.is_empty() {
            line!("{}\n", encoding.as_str().to_uppercase());
            print_suiting(encoding);
            group.into_iter().for_each(print);
        }
    }
    let others = |has_problem: bool| {
        listed.iter().filter(move |one| {
            one.encoding().is_none() && one.library.declared().has_problem == has_problem
        })
    };
    for (heading, has_problem) in [("WITH PARAMETERS OF YOURS", true), ("OPERATORS ALONE", false)] {
        if others(has_problem).next().is_some() {
            line!("{heading}\n");
            others(has_problem).for_each(print);
        }
    }
}

/// Prints the operators and algorithms that suit an encoding.
fn print_suiting(encoding: Encoding) {
    for slot in [Slot::Crossover, Slot::Mutation, Slot::Algorithm] {
        let suits = |one: &&Operator| match one.domain {
            Domain::Encodings(_) | Domain::Rearranged => one.domain.encodings().contains(&encoding),
            Domain::Plugin => encoding == Encoding::Opaque,
            Domain::Any | Domain::Where(_) => false,
        };
        let names: Vec<&str> =
            operators(slot).into_iter().filter(suits).map(|one| one.name).collect();
        let general = if slot == Slot::Algorithm { " (besides those for any problem)" } else { "" };
        if !names.is_empty() {
            tell("  ", &format!("{slot}: {}{general}", names.join(", ")));
        }
    }
    line!();
}

/// Problem with the default parameters, or the reason why there is none.
enum Example {
    /// The plugin has operators alone.
    NoProblem,
    Made(Box<Problem>),
    /// Parameters without a default.
    Needs(Vec<String>),
    /// The plugin refuses its defaults, with this message.
    Refused(String),
}

impl Example {
    fn of(library: &Arc<Library>) -> Self {
        if !library.declared().has_problem {
            return Example::NoProblem;
        }
        let default = |parameter: &Parameter| match &parameter.fallback {
            Fallback::Value(value) => Ok(value.clone()),
            Fallback::Required | Fallback::Derived(_) => Err(parameter.key.to_string()),
        };
        let (given, needed): (Vec<_>, Vec<_>) =
            library.parameters().iter().map(default).partition(Result::is_ok);
        let needed: Vec<String> = needed.into_iter().filter_map(Result::err).collect();
        if !needed.is_empty() {
            return Example::Needs(needed);
        }
        let values: Vec<Value> = given.into_iter().filter_map(Result::ok).collect();
        library.create(&values).map_or_else(
            |error| Example::Refused(error.to_string()),
            |made| Example::Made(Box::new(made)),
        )
    }
}

fn print(listed: &Listed) {
    let Listed { library, example } = listed;
    tell("", &format!("{} {}: {}", library.name(), library.version(), library.summary()));
    line!("  {}", library.path().display());
    if library.declared().has_problem {
        print_problem(library, example);
    }
    for operator in &library.declared().operators {
        print_declared(operator, &format!("{} {}", operator.kind, operator.name));
    }
    line!();
}

/// Prints the parameters of a problem, and a description of its genome.
fn print_problem(library: &Arc<Library>, example: &Example) {
    put(&parameter_lines(library.parameters(), width().into()));
    match example {
        Example::NoProblem => {}
        Example::Made(problem) => describe(library, problem),
        Example::Needs(parameters) => {
            let parameters = parameters.join(", ");
            let name = library.name();
            let words =
                format!("depends on {parameters}; `runner sample {name} --set …` draws one");
            tell("  ", &format!("genome: {words}"));
        }
        Example::Refused(words) => {
            let words = format!("genome: unknown; with its defaults the plugin reports: {words}");
            tell("  ", &words);
        }
    }
}

/// Returns the other encodings that a parameter `encoding` chooses, each by its word.
fn other_encodings(library: &Arc<Library>, default: Encoding) -> Vec<(String, Encoding)> {
    let parameters = library.parameters();
    let place = parameters.iter().position(|parameter| parameter.key == "encoding");
    let Some((place, Kind::Choice(words))) = place.map(|place| (place, &parameters[place].kind))
    else {
        return Vec::new();
    };
    let of = |word: &Cow<'static, str>| {
        let values = parameters.iter().enumerate().map(|(at, one)| match &one.fallback {
            _ if at == place => Some(Value::Text(word.clone())),
            Fallback::Value(value) => Some(value.clone()),
            Fallback::Required | Fallback::Derived(_) => None,
        });
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        let made = library.create(&values).ok()?;
        Some((word.to_string(), made.description().encoding))
    };
    words.iter().filter_map(of).filter(|(_, encoding)| *encoding != default).collect()
}

/// Prints a description of the genome with the default parameters.
fn describe(library: &Arc<Library>, problem: &Problem) {
    let description = problem.description();
    let Description { encoding, gene, genome_length, bounds, ideal, worst, space_size, .. } =
        description;
    let bounds = match bounds {
        Bounds::None => String::new(),
        Bounds::Uniform { low, high } => format!(" from {low} to {high}"),
        Bounds::PerGene { .. } => " with individual bounds".to_owned(),
        Bounds::Mixed(genes) => format!(": {}", kinds(genes)),
    };
    let genes = if *genome_length == 1 { "gene" } else { "genes" };
    let genome = format!(
        "genome: {encoding}, {} {genes} ({}){bounds}",
        count(*genome_length as u64),
        gene.as_str()
    );
    let also = other_encodings(library, *encoding).into_iter();
    let also: String =
        also.map(|(word, other)| format!("; {other} with encoding = \"{word}\"")).collect();
    tell("  ", &format!("{genome}{also}"));
    let known = |fitness: &Option<f64>| {
        fitness.map_or_else(|| "not stated".to_owned(), |fitness| fitness.to_string())
    };
    tell("  ", &format!("fitness: ideal {}, worst {}", known(ideal), known(worst)));
    let optional = [
        (description.has_crossover, "crossover".to_owned()),
        (description.has_mutate, "mutation".to_owned()),
        (description.has_is_valid, "a validity rule".to_owned()),
        (description.has_render, "rendering".to_owned()),
        (description.has_violations, "constraints".to_owned()),
        (description.has_conflicts, "conflicts".to_owned()),
        (description.is_noisy(), noise_words(description.noise).to_owned()),
        (
            space_size.is_some(),
            format!("numbering of its {} genomes", count(space_size.unwrap_or(0))),
        ),
    ];
    let brought: Vec<String> =
        optional.into_iter().filter_map(|(there, words)| there.then_some(words)).collect();
    let brought = if brought.is_empty() { "nothing".to_owned() } else { brought.join(", ") };
    tell("  ", &format!("provides: {brought}"));
}

fn object(listed: &Listed) -> Json {
    let Listed { library, example: problem } = listed;
    let (major, minor) = library.abi();
    let mut object = json!({
        "name": library.name(),
        "version": library.version(),
        "summary": library.summary(),
        "path": library.path().display().to_string(),
        "abi": format!("{major}.{minor}"),
        "debug_build": library.is_debug_build(),
        "parameters": library.parameters().iter().map(parameter).collect::<Vec<_>>(),
        "problem": library.declared().has_problem,
        "operators": library.declared().operators.iter().map(operator).collect::<Vec<_>>(),
        "example": null,
        "needs": [],
        "error": null,
    });
    match problem {
        Example::NoProblem => {}
        Example::Made(problem) => object["example"] = example(problem.description()),
        Example::Needs(parameters) => object["needs"] = json!(parameters),
        Example::Refused(words) => object["error"] = json!(words),
    }
    object
}

/// Returns an operator with its parameters as JSON; its encodings are null if it works on any.
fn operator(operator: &DeclaredOperator) -> Json {
    let DeclaredOperator { kind, name, summary, source, encodings, parameters } = operator;
    let words: Vec<&str> = encodings.iter().map(|encoding| encoding.as_str()).collect();
    json!({
        "kind": kind.as_str(),
        "name": name,
        "summary": summary,
        "source": source,
        "encodings": if words.is_empty() { Json::Null } else { json!(words) },
        "parameters": parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// Returns the number of genes of each kind, such as "2 numbers, 1 choice".
fn kinds(genes: &[MixedGene]) -> String {
    let words = ["number", "whole number", "choice", "bit"];
    let parts = words.into_iter().filter_map(|word| {
        let count = genes.iter().filter(|gene| gene.kind.word() == word).count();
        (count > 0).then(|| counted(count as u64, word))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the noise of a fitness in words.
fn noise_words(noise: Noise) -> &'static str {
    match noise {
        Noise::Absent => "none",
        Noise::NoiselessUnknown => "noise",
        Noise::NoiselessKnown => "noise, and the noiseless fitness",
    }
}

/// Returns the description of a problem with the default parameters as JSON.
fn example(description: &Description) -> Json {
    let (low, high) = match &description.bounds {
        Bounds::None => (Json::Null, Json::Null),
        Bounds::Uniform { low, high } => (json!(low), json!(high)),
        Bounds::PerGene { .. } | Bounds::Mixed(_) => {
            let (low, high) = description.bounds.ends();
            (json!(low), json!(high))
        }
    };
    let mut example = json!({
        "encoding": description.encoding.as_str(),
        "gene": description.gene.as_str(),
        "genome_length": description.genome_length,
        "low": low,
        "high": high,
        "ideal": description.ideal,
        "worst": description.worst,
        "space_size": description.space_size,
        "crossover": description.has_crossover,
        "mutation": description.has_mutate,
        "is_valid": description.has_is_valid,
        "constraints": description.has_violations,
        "conflicts": description.has_conflicts,
        "noise": noise_words(description.noise),
        "render": description.has_render,
    });
    let genes = description.bounds.mixed();
    if !genes.is_empty() {
        let gene = |gene: &MixedGene| json!({ "name": gene.name, "values": gene.rule() });
        example["genes"] = genes.iter().map(gene).collect();
    }
    example
}

/// Returns a parameter as JSON: type, range or words, and default. Missing ones are null.
fn parameter(parameter: &Parameter) -> Json {
    let mut shown = parameter_field(parameter);
    for key in ["derived", "required", "varies"] {
        shown.as_object_mut().and_then(|fields| fields.remove(key));
    }
    shown
}
