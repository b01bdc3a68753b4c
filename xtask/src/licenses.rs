//! The licences of all that is linked in: a list, and every text once.

use crate::Outcome;
use crate::metadata::Package;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Beginnings of the names of licence files.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Name and licence of all that is linked in without being a package.
const BESIDE: [(&str, &str); 2] = [
    ("the standard library of Rust", "MIT OR Apache-2.0"),
    ("the start-up code and unwinder of LLVM, where Zig links", "Apache-2.0 WITH LLVM-exception"),
];

const HEAD: &str = "\
The runner and its plugins are under the MIT licence or the Apache licence 2.0, at your option. They
contain the packages below, each under its own licence. The texts follow the list.
";

/// One text for a person to read: who is in the program, and under which licence.
pub(crate) fn third_party(packages: &[Package]) -> Outcome<String> {
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !package.ours) {
        let name = format!("{} {}", package.name, package.version);
        list += &format!("{name}: {}\n", package.license);
        let mut found = files(&package.folder)?;
        if found.is_empty() {
            found = standard(&package.license)?;
        }
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (name, license) in BESIDE {
        list += &format!("{name}: {license}\n");
        for text in standard(license)? {
            texts.entry(text).or_default().push(name.to_owned());
        }
    }
    // In the order of the first package that has it.
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|(a, of_a), (b, of_b)| (of_a, a).cmp(&(of_b, b)));
    let mut whole = format!("{HEAD}\n{list}");
    for (text, names) in texts {
        let rule = "=".repeat(100);
        whole += &format!("\n{rule}\n{}\n{rule}\n\n{text}\n", names.join(", "));
    }
    Ok(whole)
}

/// The licences that a package ships, by the names of their files.
fn files(folder: &Path) -> Outcome<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            paths.push(path);
        }
    }
    paths.sort();
    let text = |path| -> Outcome<String> { Ok(plain(&String::from_utf8_lossy(&fs::read(path)?))) };
    paths.into_iter().map(text).collect()
}

/// The standard texts of the licences that an expression names.
fn standard(expression: &str) -> Outcome<Vec<String>> {
    let parsed = spdx::Expression::parse_mode(expression, spdx::ParseMode::LAX)?;
    let mut texts = Vec::new();
    for requirement in parsed.requirements() {
        let wanted = &requirement.req;
        let license = wanted.license.id().ok_or_else(|| format!("`{wanted}` has no text"))?;
        let exception = wanted.addition.as_ref().and_then(|addition| addition.id());
        texts.push(plain(license.text()));
        texts.extend(exception.map(|exception| plain(exception.text())));
    }
    Ok(texts)
}

/// Without what differs between copies of one text: ends of lines, blank lines around it.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_texts_are_those_of_every_licence_named() {
        let first = |text: &String| text.lines().next().unwrap_or_default().to_owned();
        let names = |expression| -> Vec<String> {
            standard(expression).expect("texts").iter().map(first).collect()
        };
        assert_eq!(names("MIT/Apache-2.0").len(), 2);
        assert!(names("Apache-2.0 WITH LLVM-exception")[1].contains("LLVM Exceptions"));
        assert!(standard("no licence at all").is_err());
    }
}
