//! `CITATION.cff` of a pack: how its authors want it cited (Citation File Format 1.2.0).

use super::author::Author;
use super::facts::Facts;
use super::license::License;
use std::fmt::Write;

/// Returns the file's text; `None` if no author was named.
pub(super) fn citation(facts: &Facts<'_>) -> Option<String> {
    if facts.authors.is_empty() {
        return None;
    }
    let mut text = format!(
        "cff-version: 1.2.0\nmessage: If you use these results, please cite them as below.\n\
        title: {}\ntype: dataset\ndate-released: {}\n",
        quoted(facts.experiment),
        facts.date()
    );
    match facts.license {
        Some(License::Spdx(name)) => _ = writeln!(text, "license: {name}"),
        Some(License::Address(address)) => _ = writeln!(text, "license-url: {}", quoted(address)),
        None => {}
    }
    text += "authors:\n";
    for Author { name, orcid } in facts.authors {
        match name.split_once(',') {
            Some((family, given)) => {
                _ = writeln!(
                    text,
                    "  - family-names: {}\n    given-names: {}",
                    quoted(family.trim()),
                    quoted(given.trim())
                );
            }
            None => _ = writeln!(text, "  - name: {}", quoted(name)),
        }
        if let Some(orcid) = orcid {
            _ = writeln!(text, "    orcid: {orcid}");
        }
    }
    Some(text)
}

/// Returns a text in double quotes, whose escapes are the same in JSON and YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
