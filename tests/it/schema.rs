//! The reference and the JSON Schema of experiment files, as the program prints them.

use crate::util::{Sandbox, document, root};
use std::fs;

/// The plugins that ship.
const SHIPPED: [&str; 6] = ["chess960", "coloring", "continuous", "nqueens", "onemax", "pbo"];

fn schema(more: &[&str]) -> String {
    let plugins = SHIPPED.iter().flat_map(|plugin| ["--plugin", plugin]);
    let arguments: Vec<&str> =
        std::iter::once("schema").chain(more.iter().copied()).chain(plugins).collect();
    Sandbox::new().run(&arguments).code(0).stdout
}

/// `RUNNER_BLESS=1 cargo test --test it the_reference_of` writes the document anew: read what
/// changed.
#[test]
fn the_reference_of_the_experiment_file_is_what_the_program_prints() {
    let printed = schema(&["--markdown"]);
    if std::env::var_os("RUNNER_BLESS").is_some() {
        fs::write(root().join("docs/config.md"), &printed).expect("docs/config.md");
    }
    assert_eq!(
        printed,
        document("docs/config.md"),
        "RUNNER_BLESS=1 cargo test --test it the_reference_of rewrites it"
    );
}

#[test]
fn the_schema_of_a_plugin_that_is_not_there_says_so() {
    Sandbox::new().run(&["schema", "--plugin", "nqueen"]).code(3).warns("did you mean `nqueens`?");
}
