//! Tests of the loader with real libraries: C plugins compiled for the test, and the plugin that
//! produces faults on request.

mod calls;
mod loading;

use super::Library;
use super::fixtures::faulty;
use crate::problem::parameter::{Fallback, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Returns the path of a file in the repository.
fn repository(path: &str) -> PathBuf {
    // The engine's folder, or that of its unit tests for the README's command.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    root.expect("Cargo.lock").join(path)
}

/// Runs the C compiler on a fixture, with the header on the include path.
fn compile(source: &str, arguments: &[&str], output: &Path) {
    let done = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"])
        .args(arguments)
        .arg("-I")
        .arg(repository("plugins/sdk/include"))
        .arg(repository("tests/fixtures/c").join(source))
        .arg("-o")
        .arg(output)
        .output()
        .expect("the tests need a C compiler, `cc`");
    assert!(done.status.success(), "{source}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Compiles a fixture to a plugin library with this name in the folder.
fn compile_library(source: &str, name: &str, defines: &[&str], folder: &Path) -> PathBuf {
    let output = folder.join(super::search_path::file_name(name));
    compile(source, &[&["-shared", "-fPIC"], defines].concat(), &output);
    output
}

/// Returns the parameters' defaults, except for the values in `set`.
fn values(library: &Library, set: &[(&str, Value)]) -> Vec<Value> {
    let value = |parameter: &crate::problem::parameter::Parameter| {
        let set = set.iter().find(|(key, _)| *key == parameter.key).map(|(_, value)| value.clone());
        set.unwrap_or_else(|| match &parameter.fallback {
            Fallback::Value(value) => value.clone(),
            other => panic!("`{}` needs a value: {other:?}", parameter.key),
        })
    };
    library.parameters().iter().map(value).collect()
}

fn text(value: &'static str) -> Value {
    Value::Text(value.into())
}

fn faulty_library() -> Arc<Library> {
    Library::linked::<faulty::Faulty>("1").expect("its table is sound")
}
