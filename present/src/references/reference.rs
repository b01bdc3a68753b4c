//! A publication: an entry of BibTeX, and its citations.

use crate::words::listed;
use std::collections::BTreeMap;

/// A publication, or another citable work.
#[derive(Debug, PartialEq, Eq)]
pub struct Reference {
    pub key: &'static str,
    /// Text of the entry in the file.
    pub bibtex: &'static str,
    /// Values without braces and commands.
    fields: BTreeMap<&'static str, String>,
}

/// Fields in the order of a list of references, each with its prefix and suffix.
const PARTS: [(&str, &str, &str); 13] = [
    (" (", "year", ")"),
    (". ", "title", ""),
    (", ", "edition", " edition"),
    (", section ", "chapter", ""),
    (". Dissertation, ", "school", ""),
    (". ", "journal", ""),
    (". ", "booktitle", ""),
    (" ", "volume", ""),
    ("(", "number", ")"),
    (", ", "pages", ""),
    (". ", "publisher", ""),
    (". doi:", "doi", ""),
    (". ", "url", ""),
];

impl Reference {
    /// Reads an entry in the file's format. The error names the part with another format.
    pub(super) fn parse(text: &'static str) -> Result<Self, String> {
        let bibtex = text.trim_end();
        let wrong = |part: &str| format!("not BibTeX as it is read here: {part}");
        let (head, fields) = bibtex.split_once(",\n  ").ok_or_else(|| wrong(bibtex))?;
        let name = head.strip_prefix('@').and_then(|name| name.split_once('{'));
        let (_, key) = name.ok_or_else(|| wrong(head))?;
        let fields = fields.strip_suffix("},\n}").ok_or_else(|| wrong(bibtex))?;
        let field = |field: &'static str| {
            let (name, value) = field.split_once(" = {").ok_or_else(|| wrong(field))?;
            Ok((name, plain(value).ok_or_else(|| wrong(field))?))
        };
        let fields = fields.split("},\n  ").map(field).collect::<Result<_, String>>()?;
        Ok(Self { key, bibtex, fields })
    }

    /// Returns the value of a field without braces and commands.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// Returns the authors' names, as in "Mann and Whitney".
    fn authors(&self) -> String {
        let all = self.field("author").unwrap_or_default().split(" and ");
        let families: Vec<&str> = all.filter_map(|author| author.split(',').next()).collect();
        listed(&families, "and")
    }

    /// Returns the citation in a text: "Wilson 1927".
    pub(crate) fn citation(&self) -> String {
        let year = self.field("year").map_or_else(String::new, |year| format!(" {year}"));
        self.authors() + &year
    }

    /// Returns the citation in the source of an operator: "Wilson (1927)".
    pub(super) fn in_source(&self) -> String {
        let year = self.field("year").map_or_else(String::new, |year| format!(" ({year})"));
        self.authors() + &year
    }

    /// Returns the entry in a list of references: "Wilson (1927). Probable inference, …. doi:…".
    pub(crate) fn text(&self) -> String {
        let mut text = self.authors();
        for (before, name, after) in PARTS {
            if let Some(value) = self.field(name) {
                text.extend([before, value, after]);
            }
        }
        let has_address = self.field("doi").or(self.field("url")).is_some();
        text + if has_address { "" } else { "." }
    }
}

/// Returns a value for readers; `None` if its braces do not match or it has another command.
fn plain(value: &str) -> Option<String> {
    let text = value.replace(r"$\lambda$", "λ").replace("--", "–");
    let matching = text.matches('{').count() == text.matches('}').count();
    let words: Vec<&str> = text.split_whitespace().collect();
    (matching && !text.contains(['\\', '$'])).then(|| words.join(" ").replace(['{', '}'], ""))
}
