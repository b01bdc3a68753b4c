//! `runner schema`: describes the keys and values of a config, for editors and readers.

use super::load::search_path;
use crate::cli::Failure;
use crate::cli::arguments::{SchemaArguments, SchemaFile};
use crate::config::{Catalogue, json_schema, reference, suite_reference, suite_schema};
use crate::exit::Exit;
use crate::problem::{Library, Location, Opener, PluginPolicy};
use crate::system::output::{put, put_exactly};
use std::path::Path;
use std::sync::Arc;

pub(super) fn schema(arguments: &SchemaArguments) -> Result<Exit, Failure> {
    let (text, schema) = match arguments.file {
        SchemaFile::Suite if !arguments.plugin.is_empty() => {
            return Err(Failure::usage(
                "a suite's file has no parameters of plugins; leave out --plugin".to_owned(),
            ));
        }
        SchemaFile::Suite => (suite_reference(), suite_schema()),
        SchemaFile::Experiment => {
            let libraries = libraries(arguments)?;
            (reference(&libraries), json_schema(&libraries))
        }
    };
    match arguments.markdown {
        true => put(&text),
        false => put_exactly(&format!("{schema:#}\n")),
    }
    Ok(Exit::Done)
}

/// Returns the requested plugins, or all. If all are requested, unusable ones are left out with a
/// warning.
fn libraries(
    arguments: &SchemaArguments,
) -> Result<Vec<Arc<Library>>, crate::problem::PluginError> {
    let search = search_path(&arguments.plugins);
    if arguments.plugin.is_empty() {
        let opener = Opener::here(PluginPolicy::Any);
        let usable = |file: &std::path::PathBuf| {
            let opened = Library::open(&Location::new(file), &opener);
            opened.map_err(|error| warning!("{error}")).ok()
        };
        let libraries = search.list();
        let libraries = libraries.iter().filter_map(usable);
        return Ok(libraries.filter(|one| one.declared().has_problem).collect());
    }
    let mut catalogue = Catalogue::new(search);
    arguments.plugin.iter().map(|plugin| catalogue.load(plugin, None, Path::new("."))).collect()
}
