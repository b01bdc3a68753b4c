//! `ro-crate-metadata.json` of a pack (RO-Crate 1.2, <https://w3id.org/ro/crate/1.2>).

use super::facts::Facts;
use super::layout::{CONFIG, METADATA};
use super::part::{Measured, Part};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Beginning of the identifier of a file's contents.
const HASH: &str = "blake3:";
const RUNNER: &str = "#runner";
const RUN: &str = "#run";

/// Returns the file's text.
pub(super) fn metadata(facts: &Facts<'_>, parts: &[(&Part, Measured)]) -> String {
    let mut graph = vec![
        json!({
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": { "@id": "./" },
            "conformsTo": { "@id": "https://w3id.org/ro/crate/1.2" },
        }),
        root(facts, parts),
    ];
    graph.extend(parts.iter().map(|(part, measured)| file(facts, part, *measured)));
    graph.extend(authors(facts));
    graph.extend(license(facts));
    graph.extend(suites(facts));
    graph.push(runner(facts));
    let missing = facts.plugins.iter().enumerate().filter(|(_, (_, part))| part.is_none());
    graph.extend(missing.map(|(place, (plugin, _))| {
        json!({
            "@id": plugin_id(facts, place),
            "@type": "SoftwareApplication",
            "name": plugin.name,
            "softwareVersion": plugin.version,
            "identifier": format!("{HASH}{}", plugin.blake3),
            "description": "A plugin whose file is not in this pack.",
        })
    }));
    graph.push(run(facts, parts));
    let all = json!({ "@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph });
    format!("{all:#}\n")
}

fn root(facts: &Facts<'_>, parts: &[(&Part, Measured)]) -> Value {
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": facts.experiment,
        "description": facts.description(),
        "datePublished": facts.date(),
        "license": match facts.license {
            Some(license) => json!({ "@id": license.address() }),
            None => json!(Facts::NO_LICENSE),
        },
        "hasPart": references(parts.iter().map(|(part, _)| address(&part.name))),
        "mentions": { "@id": RUN },
    });
    if !facts.authors.is_empty() {
        root["author"] = references((0..facts.authors.len()).map(|place| author_id(facts, place)));
    }
    if let Some(hash) = &facts.provenance.results {
        root["identifier"] = json!(hash);
    }
    if !facts.provenance.suites.is_empty() {
        root["isPartOf"] = references((0..facts.provenance.suites.len()).map(suite_id));
    }
    root
}

fn file(facts: &Facts<'_>, part: &Part, Measured { size, blake3 }: Measured) -> Value {
    let mut file = json!({
        "@id": address(&part.name),
        "@type": "File",
        "name": part.name,
        "description": part.description,
        "encodingFormat": part.media_type(),
        "contentSize": size.to_string(),
        "identifier": format!("{HASH}{blake3}"),
    });
    let is_part = |path: &Option<String>| path.as_ref() == Some(&part.name);
    if let Some((plugin, _)) = facts.plugins.iter().find(|(_, path)| is_part(path)) {
        file["@type"] = json!(["File", "SoftwareApplication"]);
        file["softwareVersion"] = json!(plugin.version);
    }
    file
}

fn authors(facts: &Facts<'_>) -> impl Iterator<Item = Value> {
    facts.authors.iter().enumerate().map(|(place, author)| {
        json!({
            "@id": author_id(facts, place),
            "@type": "Person",
            "name": author.name,
        })
    })
}

fn license(facts: &Facts<'_>) -> Option<Value> {
    facts.license.map(|license| {
        json!({
            "@id": license.address(),
            "@type": "CreativeWork",
            "name": license.text(),
            "url": license.address(),
        })
    })
}

/// Returns the suites that the results count for.
fn suites(facts: &Facts<'_>) -> impl Iterator<Item = Value> {
    facts.provenance.suites.iter().enumerate().map(|(place, suite)| {
        json!({
            "@id": suite_id(place),
            "@type": "CreativeWork",
            "name": suite.name,
            "version": suite.version,
            "identifier": format!("{HASH}{}", suite.blake3),
            "description": "A suite of experiments, by its file.",
        })
    })
}

/// Returns the program that ran the trials last.
fn runner(facts: &Facts<'_>) -> Value {
    let mut runner = json!({
        "@id": RUNNER,
        "@type": "SoftwareApplication",
        "name": "runner",
        "softwareVersion": facts.run.runner_version,
        "description": format!(
            "Runs seeded trials of evolutionary search. Engine revision {}, {} build.",
            facts.run.engine_revision, facts.run.build
        ),
    });
    if let Some(revision) = &facts.run.git_revision {
        runner["identifier"] = json!(format!("git:{revision}"));
    }
    runner
}

/// Returns the last run.
fn run(facts: &Facts<'_>, parts: &[(&Part, Measured)]) -> Value {
    let names = || parts.iter().map(|(part, _)| part.name.as_str());
    let is_table = |name: &&str| name.ends_with(".parquet");
    let is_input = |name: &&str| {
        *name == CONFIG || name.starts_with("results/data/") || name.starts_with("results/start/")
    };
    let plugins = (0..facts.plugins.len()).map(|place| plugin_id(facts, place));
    let mut run = json!({
        "@id": RUN,
        "@type": "CreateAction",
        "name": format!("Last run of {}", facts.experiment),
        "instrument": references([RUNNER.to_owned()].into_iter().chain(plugins)),
        "object": references(names().filter(is_input).map(address)),
        "result": references(names().filter(is_table).map(address)),
        "startTime": facts.run.start,
        "actionStatus": { "@id": "http://schema.org/CompletedActionStatus" },
    });
    if let Some(end) = &facts.run.end {
        run["endTime"] = json!(end);
    }
    if !facts.authors.is_empty() {
        run["agent"] = references((0..facts.authors.len()).map(|place| author_id(facts, place)));
    }
    run
}

fn references(ids: impl Iterator<Item = String>) -> Value {
    ids.map(|id| json!({ "@id": id })).collect()
}

/// Returns the identifier of an author, which no other author has: the ORCID iD, or a
/// number.
fn author_id(facts: &Facts<'_>, place: usize) -> String {
    let orcid = facts.authors[place].orcid.clone();
    let taken = |orcid: &String| {
        facts.authors[..place].iter().any(|author| author.orcid.as_ref() == Some(orcid))
    };
    orcid.filter(|orcid| !taken(orcid)).unwrap_or_else(|| format!("#author-{}", place + 1))
}

fn suite_id(place: usize) -> String {
    format!("#suite-{}", place + 1)
}

/// Returns the identifier of a plugin: its file, or a number.
fn plugin_id(facts: &Facts<'_>, place: usize) -> String {
    let packed = facts.plugins[place].1.as_deref();
    packed.map_or_else(|| format!("#plugin-{}", place + 1), address)
}

/// Size and hash of a file, as the metadata has them.
pub(super) struct Recorded {
    pub size: String,
    pub blake3: String,
}

/// Returns the files that a metadata file describes, by their addresses.
///
/// # Errors
/// Returns a message if the text is not the metadata of a pack.
pub(super) fn recorded(text: &[u8]) -> Result<BTreeMap<String, Recorded>, String> {
    let metadata: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let graph = metadata["@graph"].as_array().ok_or("it has no list of entities")?;
    let is_file = |entity: &&Value| match &entity["@type"] {
        Value::Array(types) => types.iter().any(|one| one == "File"),
        one => one == "File",
    };
    let mut files = BTreeMap::new();
    for file in graph.iter().filter(is_file) {
        let word = |key: &str| file[key].as_str().ok_or(format!("a file has no {key}"));
        let (address, size, identifier) = (word("@id")?, word("contentSize")?, word("identifier")?);
        let blake3 = identifier.strip_prefix(HASH).ok_or("a file has no BLAKE3 hash")?;
        let (size, blake3) = (size.to_owned(), blake3.to_owned());
        if files.insert(address.to_owned(), Recorded { size, blake3 }).is_some() {
            return Err(format!("it has {address} twice"));
        }
    }
    Ok(files)
}

/// Returns the address of a file in the pack: its path, with other characters than those of RFC
/// 3986 as hexadecimal digits.
pub(super) fn address(name: &str) -> String {
    let mut address = String::new();
    for byte in name.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => address.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => address.push(byte.into()),
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_only_characters_of_addresses() {
        assert_eq!(address("plugin/my queen's é.py"), "plugin/my%20queen%27s%20%C3%A9.py");
        assert_eq!(address("results/trials-000001.parquet"), "results/trials-000001.parquet");
    }
}
