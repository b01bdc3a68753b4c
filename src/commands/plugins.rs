//! `runner plugins`: what problems there are, and their parameters.

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
                println!("{} {}: {}", library.name(), library.version(), library.summary());
                println!("  {}", library.path().display());
                print!("{}", parameter_lines(library.parameters()));
                println!();
            }
            Err(error) => {
                eprintln!("error: {error}");
                exit = Exit::Plugin;
            }
        }
    }
    if files.is_empty() {
        eprintln!("No plugins here:");
        for folder in search.dirs() {
            eprintln!("  {}", folder.display());
        }
        eprintln!("Build the ones that ship with `cargo build --release`, or name a folder with --plugin-dir.");
    }
    exit
}
