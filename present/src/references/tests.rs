use super::*;
use crate::search::registry::all;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns the number of years in parentheses.
fn years(source: &str) -> usize {
    let is_year = |part: &&str| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        digits == 4 && part[digits..].starts_with(')')
    };
    source.split('(').skip(1).filter(is_year).count()
}

/// Returns the keys that the code of the Methods section cites.
fn cited_by_methods() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html/methods");
    let files = fs::read_dir(folder).expect("the room").flatten().map(|file| file.path());
    let code: String =
        files.map(|path| fs::read_to_string(path).expect("a file of the room")).collect();
    let key = |part: &str| part.chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
    code.split('@').skip(1).map(key).filter(|key| key.ends_with(char::is_numeric)).collect()
}

#[test]
fn every_entry_is_whole() {
    for one in REFERENCES.iter() {
        let has = |name: &str| one.field(name).is_some();
        assert!(has("author") && has("title"), "{one:?}");
        let where_it_is = ["doi", "url", "publisher", "school"].into_iter().any(has);
        let unpublished = ["baljicki", "queensnotes"].contains(&one.key);
        assert_eq!(has("year") && where_it_is, !unpublished, "{one:?}");
        assert!(one.bibtex.starts_with('@') && one.bibtex.ends_with("\n}"), "{one:?}");
    }
    let keys: Vec<&str> = REFERENCES.iter().map(|one| one.key).collect();
    assert!(keys.is_sorted_by(|one, next| one < next), "{keys:?}");
    let citations: BTreeSet<String> = REFERENCES.iter().map(Reference::citation).collect();
    assert_eq!(citations.len(), keys.len(), "two references are cited alike");
}

#[test]
fn every_entry_is_cited_and_what_is_cited_has_one() {
    let by_methods = cited_by_methods();
    for key in &by_methods {
        assert!(find(key).is_some(), "no entry has the key {key}");
    }
    let by_operators = all().flat_map(|(_, operator)| of_source(operator.source));
    let by_operators: BTreeSet<&str> = by_operators.map(|one| one.key).collect();
    let plugin = include_str!("../../../plugins/edges/src/lib.rs");
    for one in REFERENCES.iter() {
        let cited = by_methods.contains(one.key)
            || by_operators.contains(one.key)
            || plugin.contains(&one.in_source());
        assert!(cited, "nothing cites {}", one.key);
    }
}

#[test]
fn every_source_of_an_operator_has_its_entries() {
    for (slot, operator) in all() {
        let (name, source) = (operator.name, operator.source);
        let found = of_source(source);
        assert_eq!(found.is_empty(), ["-", "the plugin"].contains(&source), "{slot} {name}");
        let dated = found.iter().filter(|one| one.field("year").is_some()).count();
        assert_eq!(dated, years(source), "{slot} {name}: {source} gives {found:?}");
        for rest in source.split("doi:").skip(1) {
            let doi = rest.split([';', ' ']).next().expect("a word").trim_end_matches(',');
            let there = found.iter().any(|one| one.field("doi") == Some(doi));
            assert!(there, "{slot} {name}: no entry has doi:{doi}");
        }
    }
}

#[test]
fn a_reference_is_cited_and_listed_by_its_fields() {
    let texts = ["wilson1927", "law2015", "dejong1975", "doerr2018"].map(|key| {
        let one = find(key).expect("an entry");
        (one.citation(), one.text())
    });
    let expected = [
        (
            "Wilson 1927",
            "Wilson (1927). Probable inference, the law of succession, and statistical inference. \
            J. Amer. Statist. Assoc. 22, 209–212. doi:10.1080/01621459.1927.10502953",
        ),
        (
            "Law 2015",
            "Law (2015). Simulation Modeling and Analysis, 5th edition, section 11.2. McGraw-Hill.",
        ),
        (
            "De Jong 1975",
            "De Jong (1975). An analysis of the behavior of a class of genetic adaptive systems. \
            Dissertation, University of Michigan.",
        ),
        (
            "Doerr and Doerr 2018",
            "Doerr and Doerr (2018). Optimal static and self-adjusting parameter choices for the \
            (1+(λ,λ)) genetic algorithm. Algorithmica 80, 1658–1709. doi:10.1007/s00453-017-0354-9",
        ),
    ];
    assert_eq!(texts, expected.map(|(citation, text)| (citation.to_owned(), text.to_owned())));
}

#[test]
fn what_is_no_entry_is_refused() {
    for text in [
        "@book{one}",
        "@book{one,\n  title = {A},\n",
        "@book{one,\n  title = \"A\",\n}",
        "@book{one,\n  title = {A {B},\n}",
        "@book{one,\n  title = {\\emph{A}},\n}",
        "@book{one,\n  title = {A},  year = {1},\n  pages = {1}\n}",
        "book{one,\n  title = {A},\n}",
    ] {
        assert!(Reference::parse(text).is_err(), "{text}");
    }
    assert!(Reference::parse("@book{one,\n  title = {A},\n}\n").is_ok());
}
