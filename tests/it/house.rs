//! The house: what the source files themselves must keep to, wherever they are.

use crate::util::{Ran, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files below a folder that end so, but for what builds leave, in order.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Folders of the sources that the map describes. Each crate has several rooms, or is the one that
/// is named.
const SOURCES: [(&str, Option<&str>); 5] = [
    ("engine/src", None),
    ("lab/src", None),
    ("present/src", Some("present")),
    ("page/src", None),
    ("src", None),
];

/// Folders with Rust code of the product.
const PRODUCT: [&str; 7] =
    ["engine/src", "lab/src", "present/src", "page/src", "src", "plugins", "xtask/src"];

/// Folders with Rust code.
const CODE: [&str; 10] =
    ["engine", "lab", "present", "page", "src", "plugins", "xtask", "tests", "benches", "examples"];

/// Files of the crates in the map, each with its module's path from the map's rooms down.
fn sources() -> impl Iterator<Item = (&'static str, PathBuf, Vec<String>)> {
    let of_folder = |(folder, room): (&'static str, Option<&'static str>)| {
        files(&root().join(folder), "rs").into_iter().filter_map(move |path| {
            let within = path.strip_prefix(root().join(folder)).expect("a file of the source");
            let segments = within.with_extension("");
            let segments = segments.iter().map(|part| part.to_string_lossy().into_owned());
            let segments = segments.filter(|part| part != "mod");
            let module: Vec<String> = room.into_iter().map(str::to_owned).chain(segments).collect();
            let is_root = ["lib", "main"].contains(&module.last()?.as_str());
            (!is_root).then_some((folder, path, module))
        })
    };
    SOURCES.into_iter().flat_map(of_folder)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rooms of a Markdown table: what stands in backquotes in the first cell of its rows.
fn rooms(table: &str) -> Vec<String> {
    let rows = table.lines().skip_while(|line| !line.contains("| room | does |")).skip(2);
    let rows = rows.take_while(|line| line.trim_start_matches("//!").trim().starts_with('|'));
    let name = |row: &str| row.split('`').nth(1).map(str::to_owned);
    rows.map(|row| name(row).unwrap_or_else(|| panic!("no room in {row}"))).collect()
}

/// The map in `src/lib.rs`, top to bottom.
fn house() -> Vec<String> {
    let rooms = rooms(&text(&root().join("src/lib.rs")));
    assert!(rooms.len() > 10, "{rooms:?}");
    rooms
}

/// What follows each `crate::` in code: a first segment, with the line where it stands. Braces hold
/// several.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, words) in code.lines().enumerate() {
        let words = words.split("//").next().unwrap_or_default();
        assert!(!words.contains("crate::{"), "one `use` a room, in line {}: {words}", line + 1);
        for rest in words.split("crate::").skip(1) {
            let name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = rest.find(|letter| !name(letter)).unwrap_or(rest.len());
            found.push((line + 1, rest[..end].to_owned()));
        }
    }
    found
}

/// Data flows down the map of the crate: a room imports only from rooms above it, tests included.
#[test]
fn no_room_imports_one_below_it() {
    let rooms = house();
    let place = |name: &str| rooms.iter().position(|room| room == name);
    let mut upward = Vec::new();
    // Tests of all rooms ask for their size.
    let sources = sources().filter(|(_, _, segments)| segments[0] != "test_size");
    for (_, path, segments) in sources {
        let within = path.strip_prefix(root()).expect("a file of the project").display();
        let room = place(&segments[0]).unwrap_or_else(|| {
            panic!("{within}: `{}` is not on the map in src/lib.rs", segments[0])
        });
        let code = text(&path);
        for (line, name) in imports(&code) {
            if place(&name).is_some_and(|other| other > room) {
                upward.push(format!("{within}:{line}: crate::{name}"));
            }
        }
        // As many steps up as the file is deep lead out of the room without its name.
        let out = format!("use {}", "super::".repeat(segments.len()));
        for (line, words) in code.lines().enumerate().filter(|(_, line)| line.starts_with(&out)) {
            upward.push(format!("{within}:{}: {words}", line + 1));
        }
    }
    assert!(upward.is_empty(), "these imports point up the map:\n{}", upward.join("\n"));
}

/// The paths that a `use` names, its braces expanded.
fn expanded(words: &str) -> Vec<String> {
    let Some((before, rest)) = words.split_once('{') else {
        let path = words.split(" as ").next().unwrap_or_default().trim();
        return vec![path.to_owned()];
    };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (letter, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (_, Some(part)) => part.push(letter),
            (_, None) => {}
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expanded(&format!("{}{}", before.trim(), part.trim()))).collect()
}

/// The paths of all `use` of a file, without its tests: whether each is public, and its segments.
fn used(code: &str) -> Vec<(bool, Vec<String>)> {
    let code = code.split("\nmod tests {").next().unwrap_or_default();
    let statements = code.split(';').filter_map(|statement| {
        let lines = statement.lines().skip_while(|line| {
            let line = line.trim_start();
            !(line.starts_with("use ") || line.starts_with("pub") && line.contains(" use "))
        });
        let words = lines.collect::<Vec<_>>().join(" ");
        let (before, path) = words.split_once("use ")?;
        Some((before.trim_start().starts_with("pub"), path.to_owned()))
    });
    statements
        .flat_map(|(is_public, path)| {
            let paths = expanded(&path).into_iter();
            paths.map(move |path| (is_public, path.split("::").map(str::to_owned).collect()))
        })
        .collect()
}

/// A module's path from the crate's rooms down.
type Module = Vec<String>;

/// The modules of a source folder that are no tests, with their code.
fn modules(source: &str) -> BTreeMap<Module, String> {
    let of_source = sources().filter(|(folder, ..)| *folder == source);
    let modules = of_source.filter(|(.., module)| !module.iter().any(|part| part == "tests"));
    modules.map(|(_, path, module)| (module, text(&path))).collect()
}

/// Files of a room, as far as they import each other in a circle. Imports from the `mod.rs` of a
/// folder around the file are not counted. A name that a `mod.rs` passes on counts as that of the
/// file that has it. `crate_root`: the path that `crate` stands for.
fn in_circles(crate_root: &[String], modules: &BTreeMap<Module, String>) -> Vec<String> {
    // Resolves a path that is written in a module.
    let leads = |module: &Module, path: &[String]| -> Option<Module> {
        let up = path.iter().take_while(|part| *part == "super").count();
        Some(match path[0].as_str() {
            "crate" => [crate_root, &path[1..]].concat(),
            "super" => [&module[..module.len().checked_sub(up)?], &path[up..]].concat(),
            "self" => [module, &path[1..]].concat(),
            _ => [module, path].concat(),
        })
    };
    let mut passed_on: BTreeMap<Module, Module> = BTreeMap::new();
    for (module, code) in modules {
        for (_, path) in used(code).into_iter().filter(|(is_public, _)| *is_public) {
            let Some(target) = leads(module, &path) else { continue };
            let name = [&module[..], &path[path.len() - 1..]].concat();
            let file = (1..target.len()).rev().map(|end| target[..end].to_vec());
            if let Some(file) = file.into_iter().find(|file| modules.contains_key(file))
                && file.len() > module.len()
            {
                passed_on.insert(name, file);
            }
        }
    }
    let mut imports: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, code) in modules {
        for (_, path) in used(code) {
            let Some(target) = leads(module, &path) else { continue };
            let found = (1..target.len() + 1).rev().find_map(|end| {
                let prefix = target[..end].to_vec();
                passed_on.get(&prefix).cloned().or(modules.contains_key(&prefix).then_some(prefix))
            });
            if let Some(other) = found
                && !module.starts_with(&other)
                && other.first() == module.first()
            {
                imports.entry(module).or_default().insert(other);
            }
        }
    }
    let reaches = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            for other in imports.get(&module).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let circular = modules.keys().filter(|module| reaches(module).contains(*module));
    circular.map(|module| module.join("/")).collect()
}

/// Files of a room form floors, as rooms do: an import leads down, and never back.
#[test]
fn files_of_a_room_import_each_other_in_no_circle() {
    let of_source = |(source, room): (&str, Option<&str>)| {
        in_circles(&room.map(str::to_owned).into_iter().collect::<Module>(), &modules(source))
    };
    let found: Vec<String> = SOURCES.into_iter().flat_map(of_source).collect();
    assert!(found.is_empty(), "files in circles: {found:#?}");
}

#[test]
fn circles_are_found() {
    assert_eq!(expanded("a::{b, c::{d, e as f}}"), ["a::b", "a::c::d", "a::c::e"]);
    let code = "//! x\nuse crate::a::B;\npub(crate) use c::{D, E};\nfn f() {}\n";
    let paths: Vec<(bool, String)> =
        used(code).into_iter().map(|(public, path)| (public, path.join("::"))).collect();
    let expected = [(false, "crate::a::B"), (true, "c::D"), (true, "c::E")];
    assert_eq!(paths, expected.map(|(public, path)| (public, path.to_owned())));
    // The file `c` leads to a circle and is in none. `d` is in one through `mod.rs`; tests of `f`
    // do not count.
    let files = [
        ("room", "mod a;\npub use d::D;\n"),
        ("room/a", "use super::b::B;\n"),
        ("room/b", "use crate::room::{a::A, c::C};\n"),
        ("room/c", "use super::d::{self, D};\n"),
        ("room/d", "use super::e::E;\n"),
        ("room/e", "use crate::room::D;\nuse super::Parent;\n"),
        ("room/f", "use super::a::A;\n\nmod tests {\n    use super::super::g::G;\n}\n"),
        ("room/g", "use super::f::F;\n"),
    ];
    let module = |path: &str| path.split('/').map(str::to_owned).collect();
    let files = files.map(|(path, code)| (module(path), code.to_owned()));
    let found = in_circles(&[], &files.into());
    assert_eq!(found, ["room/a", "room/b", "room/d", "room/e"]);
}

/// Openings that no comment may have: a type is a noun phrase, a function a verb.
const OPENINGS: [&str; 7] = ["What", "Who", "Where", "How", "Of", "Those", "The same"];

/// Number of comments per room that open with one of them. The rooms are to have none: this list
/// may only get shorter.
const OPEN_SO: [(&str, usize); 0] = [];

/// Room or package of a file: `lab/src/config`, `plugins/sdk`, `xtask`.
fn room_of(path: &Path) -> String {
    let within = path.strip_prefix(root()).expect("a file of the project");
    let parts: Vec<String> =
        within.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let depth = match parts[0].as_str() {
        "engine" | "lab" | "page" => 3,
        "xtask" => 1,
        _ => 2,
    };
    parts[..depth.min(parts.len() - 1)].join("/")
}

#[test]
fn comments_open_with_a_noun_or_a_verb() {
    let opens = |line: &str| {
        let comment = line.trim_start();
        let text = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        let first = |word: &&&str| {
            let rest = text.and_then(|text| text.trim_start().strip_prefix(**word));
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        };
        OPENINGS.iter().any(|word| first(&word))
    };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in PRODUCT {
        for path in files(&root().join(folder), "rs") {
            let code = text(&path);
            let lines: Vec<&str> = code.lines().collect();
            let begins = |place: usize| {
                let before = place.checked_sub(1).map_or("", |before| lines[before].trim_start());
                // Help of commands has the words of users.
                !before.starts_with("///") && !before.starts_with("//!")
            };
            let is_help = path.ends_with("src/cli/mod.rs")
                || path.components().any(|part| part.as_os_str() == "arguments");
            for place in (0..lines.len()).filter(|place| !is_help && begins(*place)) {
                if opens(lines[place]) {
                    let within = path.strip_prefix(root()).expect("a file of the project");
                    let line = format!("{}:{}", within.display(), place + 1);
                    found.entry(room_of(&path)).or_default().push(line);
                }
            }
        }
    }
    let counted: Vec<(&str, usize)> =
        found.iter().map(|(room, lines)| (room.as_str(), lines.len())).collect();
    assert_eq!(counted, OPEN_SO, "{found:#?}");
}

#[test]
fn the_contributing_guide_has_the_same_map() {
    let guide = text(&root().join("CONTRIBUTING.md"));
    assert_eq!(rooms(&guide), house());
    // The files that it names are there.
    let named = guide.split('`').skip(1).step_by(2).filter(|words| words.contains("src/"));
    for path in named {
        assert!(root().join(path).exists(), "{path} is in CONTRIBUTING.md alone");
    }
}

/// What cargo prints.
fn cargo(arguments: &[&str]) -> String {
    let ran = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output();
    let ran = ran.expect("cargo");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// The README names the Rust that the packages ask for: the newest that a library asks for. Only
/// the libraries of this platform are asked: a new machine has no others.
#[test]
fn the_least_rust_is_what_the_libraries_need() {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    let metadata = ["metadata", "--format-version", "1", "--locked", "--offline"];
    let metadata = cargo(&[&metadata[..], &["--filter-platform", host]].concat());
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
    let version = |text: &str| -> Vec<u32> {
        text.split('.').map(|part| part.parse().expect("a number")).take(2).collect()
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let asked = |package: &serde_json::Value| package["rust_version"].as_str().map(version);
    let own = packages.iter().find(|package| package["name"] == "runner").and_then(asked);
    let own = own.expect("rust-version in Cargo.toml");
    let libraries = packages.iter().filter(|package| !package["source"].is_null());
    let newest = libraries
        .filter_map(|package| Some((asked(package)?, &package["id"])))
        .max_by(|(one, _), (other, _)| one.cmp(other));
    let (needed, library) = newest.expect("a library asks for a Rust");
    assert_eq!(own, needed, "rust-version in Cargo.toml, and what {library} asks for");
    let words = format!("Rust {}.{} or later", own[0], own[1]);
    assert!(text(&root().join("README.md")).contains(&words), "README.md: {words}");
}

/// Columns of a line; what rustfmt leaves alone, such as macros and texts, keeps to it too.
const COLUMNS: usize = 100;

/// The lines of a text that are too long: number and columns.
fn long_lines(text: &str) -> Vec<(usize, usize)> {
    let columns = text.lines().map(|line| line.chars().count()).enumerate();
    columns.filter(|(_, columns)| *columns > COLUMNS).map(|(at, long)| (at + 1, long)).collect()
}

#[test]
fn no_line_of_source_is_too_long() {
    let mut found = Vec::new();
    for folder in CODE {
        for path in files(&root().join(folder), "rs") {
            let within = path.strip_prefix(root()).expect("a file of the project").display();
            for (line, columns) in long_lines(&text(&path)) {
                found.push(format!("{within}:{line}: {columns} columns"));
            }
        }
    }
    assert!(found.is_empty(), "lines of more than {COLUMNS} columns:\n{}", found.join("\n"));
}

/// A package whose manifest leaves out doc tests, which take long to look for, has no examples.
#[test]
fn every_example_in_the_docs_is_run() {
    let mut packages = 0;
    for manifest in files(root(), "toml").into_iter().filter(|path| path.ends_with("Cargo.toml")) {
        if !text(&manifest).contains("doctest = false") {
            continue;
        }
        packages += 1;
        for path in files(&manifest.with_file_name("src"), "rs") {
            let is_example = |line: &&str| ["//! ```", "/// ```"].contains(&line.trim());
            let example = text(&path).lines().find(is_example).map(str::to_owned);
            assert!(example.is_none(), "{}: take out `doctest = false`", path.display());
        }
    }
    assert!(packages > 15, "{packages} packages without doc tests");
}

/// Who may print: the command line, tables on a terminal, and the streams themselves.
const PRINTERS: [&str; 4] = [
    "src/cli/",
    "present/src/terminal/",
    "engine/src/system/output.rs",
    "engine/src/system/streams.rs",
];

/// What prints in this line of code; lints look for `println!` and the like.
fn printing(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or_default();
    let starts = |place: usize| {
        !code[..place].ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
    };
    for name in ["message!", "note!", "warning!", "fault!", "line!", "Stream::"] {
        if code.match_indices(name).any(|(place, _)| starts(place)) {
            return Some(name.to_owned());
        }
    }
    // Of the module, a library uses what only makes text visible.
    let of_output = code.split("output::").skip(1);
    of_output
        .filter(|rest| !rest.starts_with("visible"))
        .map(|rest| format!("output::{rest}"))
        .next()
}

/// A library that prints could not serve a page, a cluster or a test.
#[test]
fn only_commands_and_the_terminal_print() {
    // A copy of the process that a plugin made: it says that it ends, past all locks.
    let exception = ("engine/src/system/guard/mod.rs", "Stream::");
    let mut found = Vec::new();
    for (_, path, _) in sources() {
        let within =
            path.strip_prefix(root()).expect("a file of the project").display().to_string();
        if PRINTERS.iter().any(|printer| within.starts_with(printer)) {
            continue;
        }
        for (number, line) in text(&path).lines().enumerate() {
            if let Some(what) = printing(line).filter(|what| (&*within, &**what) != exception) {
                found.push(format!("{within}:{}: {what}", number + 1));
            }
        }
    }
    assert!(found.is_empty(), "these lines print:\n{}", found.join("\n"));
}

/// The tests of this file see what they are to see.
#[test]
fn what_prints_is_found() {
    for line in
        ["message!(\"x\")", "    line!();", "use super::output::{put, tell};", "a; note!(b)"]
    {
        assert!(printing(line).is_some(), "{line}");
    }
    for line in
        ["newline!()", "// message!", "use system::output::visible_line;", "UnixStream::pair"]
    {
        assert!(printing(line).is_none(), "{line}");
    }
}

#[test]
fn long_lines_are_found() {
    let (full, long) = ("ä".repeat(COLUMNS), "x".repeat(COLUMNS + 1));
    assert_eq!(long_lines(&format!("{full}\n{long}\n")), [(2, COLUMNS + 1)]);
}

#[test]
fn imports_are_found_wherever_they_stand() {
    let code =
        "use crate::plan::Arm;\n// crate::cli\nfn f(_: crate::run::Event) -> crate::exit::Exit\n";
    let expected = [(1, "plan"), (3, "run"), (3, "exit")];
    assert_eq!(imports(code), expected.map(|(line, name)| (line, name.to_owned())));
}

/// The texts in quotes of Rust code, each with the line where it begins; comments have none.
fn quoted(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (code, 1);
    while !rest.is_empty() {
        let raw =
            rest.strip_prefix('r').map(|after| after.len() - after.trim_start_matches('#').len());
        let raw = raw.filter(|hashes| rest[1 + hashes..].starts_with('"'));
        let text =
            |from: usize, end: &str| rest[from..].split_once(end).map_or("", |(text, _)| text);
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = raw {
            let end = format!("\"{}", "#".repeat(hashes));
            let text = text(2 + hashes, &end);
            found.push((line, text.to_owned()));
            2 + hashes + text.len() + end.len()
        } else if let Some(within) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = within.find(|letter| {
                let ends = letter == '"' && !escaped;
                escaped = letter == '\\' && !escaped;
                ends
            });
            let end = end.unwrap_or(within.len());
            found.push((line, within[..end].to_owned()));
            (end + 2).min(rest.len())
        } else if ["'\"'", "'\\\"'"].iter().any(|quote| rest.starts_with(quote)) {
            rest[1..].find('\'').unwrap_or(0) + 2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        line += rest[..taken].matches('\n').count();
        rest = &rest[taken..];
    }
    found
}

/// Who runs experiments need not know Rust: a range is "from 1 to 8", never "1..=8".
#[test]
fn no_message_has_a_range_as_rust_writes_it() {
    let mut found = Vec::new();
    for folder in PRODUCT {
        for path in files(&root().join(folder), "rs") {
            let within = path.strip_prefix(root()).expect("a file of the project").display();
            let texts = quoted(&text(&path)).into_iter().filter(|(_, text)| text.contains("..="));
            found.extend(texts.map(|(line, text)| format!("{within}:{line}: {text}")));
        }
    }
    for page in ["docs/config.md", "docs/operators-certified.md"] {
        assert!(!text(&root().join(page)).contains("..="), "{page}");
    }
    assert!(found.is_empty(), "these texts have ranges of Rust:\n{}", found.join("\n"));
}

#[test]
fn texts_in_quotes_are_found() {
    let code = "a(1..=2); // \"no\"\nb('\"', \"x \\\"y\\\\\", '\\\"');\nc(r#\"q\"z\"#, \"w\");\n";
    let expected = [(2, "x \\\"y\\\\"), (3, "q\"z"), (3, "w")];
    assert_eq!(quoted(code), expected.map(|(line, text)| (line, text.to_owned())));
}

/// The files that may have unsafe code, and why each does.
const UNSAFE: [(&str, &str); 35] = [
    ("engine/src/operators/kernels/crossover.rs", "vector instructions, chosen at run time"),
    ("engine/src/operators/kernels/wheel.rs", "vector instructions, chosen at run time"),
    ("engine/src/operators/kernels/wide_wheel.rs", "vectors are loaded and stored by pointers"),
    ("engine/src/problem/boundary/environment.rs", "what a plugin may call is a C table"),
    ("engine/src/problem/boundary/fields.rs", "reads the texts and parameters of a C table"),
    ("engine/src/problem/boundary/handle.rs", "calls the C functions of instances and operators"),
    ("engine/src/problem/boundary/instance.rs", "calls the C functions of a plugin"),
    ("engine/src/problem/boundary/mixed.rs", "reads the genes of a C description"),
    ("engine/src/problem/boundary/operator.rs", "calls the C functions of an operator"),
    ("engine/src/problem/boundary/operator_table.rs", "reads the C table of an operator"),
    ("engine/src/problem/boundary/search.rs", "calls the C functions of a search"),
    ("engine/src/problem/boundary/symbols.rs", "asks the loader for a name"),
    ("engine/src/problem/boundary/table.rs", "loads a library and reads its C table"),
    ("engine/src/problem/boundary/tests.rs", "tables that break the rules"),
    ("engine/src/random/digits.rs", "vectors are loaded and stored by pointers"),
    ("engine/src/random/draws.rs", "vector instructions, chosen at run time"),
    ("engine/src/random/generator.rs", "vector instructions, chosen at run time"),
    ("engine/src/system/allocator.rs", "asks the C library for its statistics, sets its limit"),
    ("engine/src/system/guard/faults.rs", "signal handlers and handlers of fork and exit"),
    ("engine/src/system/guard/memory.rs", "memory that two processes share"),
    ("engine/src/system/guard/parent.rs", "fork"),
    ("engine/src/system/interrupt/dispositions.rs", "signal handlers"),
    ("plugins/nqueens/src/clashes.rs", "vector instructions, chosen at run time"),
    ("plugins/sdk/src/abi.rs", "the types of the C interface"),
    ("plugins/sdk/src/eight_rows.rs", "vectors are stored by pointers"),
    ("plugins/sdk/src/entry.rs", "writes to the buffers of the C functions"),
    ("plugins/sdk/src/export.rs", "the C functions of a plugin"),
    ("plugins/sdk/src/lib.rs", "the exported symbol, in the macro `export!`"),
    ("plugins/sdk/src/move_calls.rs", "the C functions of a plugin's moves"),
    ("plugins/sdk/src/operator_calls.rs", "the C functions of a plugin's operators"),
    ("plugins/sdk/src/raw_genes.rs", "genes of the C interface are pointers"),
    ("plugins/sdk/src/row_rngs.rs", "vector instructions, chosen at run time"),
    ("plugins/sdk/src/search_calls.rs", "the C functions of a plugin's algorithms"),
    ("tests/fixtures/faulty/src/lib.rs", "faults that safe code cannot have"),
    ("tests/it/util.rs", "a child hears signals that its parent ignores"),
];

/// Whether a line of code has the word `unsafe`, in no comment.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let words =
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe(", "unsafe trait"];
    words.iter().any(|word| code.contains(word))
}

/// The lint `undocumented_unsafe_blocks` asks each block for its reason.
#[test]
fn unsafe_code_stands_where_it_is_listed_alone() {
    let mut found = Vec::new();
    for folder in CODE {
        for path in files(&root().join(folder), "rs") {
            let within = path.strip_prefix(root()).expect("a file of the project").display();
            // This file has the words that it looks for.
            if !path.ends_with("house.rs") && text(&path).lines().any(is_unsafe) {
                found.push(within.to_string());
            }
        }
    }
    found.sort();
    assert_eq!(found, UNSAFE.map(|(path, _)| path.to_owned()));
}

/// A dependency with another feature in one of the README's two commands is built twice, and so is
/// all that depends on it.
#[test]
fn both_commands_of_the_readme_ask_for_the_same_features() {
    let lines = |more: &[&str]| -> BTreeSet<String> {
        let mut command = Command::new(env!("CARGO"));
        command.args(["tree", "--locked", "--offline", "--prefix", "none", "-f", "{p}|{f}"]);
        let tree = Ran::new(command.args(more).current_dir(root())).code(0).stdout;
        tree.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
    };
    let built = lines(&["-e", "normal,build"]);
    let tested = lines(&["-e", "normal,build,dev"]);
    let other: Vec<&String> = built.difference(&tested).collect();
    assert!(built.len() > 100 && other.is_empty(), "built again for the tests: {other:#?}");
}
