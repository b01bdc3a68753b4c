//! Publications that operators and reports cite, from one BibTeX file.

mod reference;

pub(crate) use reference::Reference;
use std::sync::LazyLock;

static REFERENCES: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    let entries = include_str!("references.bib").split("\n\n").filter(|part| part.starts_with('@'));
    entries.map(|text| Reference::parse(text).expect("entries that are tested")).collect()
});

/// Returns the reference with this key.
pub(crate) fn find(key: &str) -> Option<&'static Reference> {
    REFERENCES.iter().find(|reference| reference.key == key)
}

/// Returns the references in the source of an operator, in their order.
pub fn of_source(source: &str) -> Vec<&'static Reference> {
    let named = |part: &str| REFERENCES.iter().find(|one| part.starts_with(&one.in_source()));
    source.split("; ").filter_map(named).collect()
}

#[cfg(test)]
mod tests;
