//! `runner plugins`: what problems there are, and their parameters.

use super::output::{line, put};
use crate::cli::PluginsArguments;
use crate::exit::Exit;
use crate::problem::{Library, SearchPath};
use crate::report::parameter_lines;

pub fn plugins(arguments: &PluginsArguments) -> Exit {
    let search = SearchPath::new(&arguments.plugins.plugin_dir);
    let mut exit = Exit::Done;
    let files = search.list();
    for file in &files {
        match Library::load(file) {
            Ok(library) => {
                line!("{} {}: {}", library.name(), library.version(), library.summary());
                line!("  {}", library.path().display());
                put(&parameter_lines(library.parameters()));
                line!();
            }
            Err(error) => {
                message!("error: {error}");
                exit = Exit::Plugin;
            }
        }
    }
    if files.is_empty() {
        message!("No plugins here:");
        for folder in search.dirs() {
            message!("  {}", folder.display());
        }
        message!("Build the ones that ship with `cargo build --release`, or name a folder with --plugin-dir.");
    }
    exit
}
