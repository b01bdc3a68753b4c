//! `runner new`: writes a first plugin, with its test and a config.

use super::output;
use crate::cli::Failure;
use crate::cli::arguments::NewArguments;
use crate::exit::Exit;
use crate::results::storage::output_folder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut, Item};

/// Names that would clash with existing crates or folders.
const TAKEN: [&str; 11] = [
    "sdk",
    "runner",
    "runner_plugin",
    "core",
    "std",
    "alloc",
    "test",
    "proc_macro",
    "self",
    "super",
    "crate",
];

/// Keywords of Python, and modules of its library and of the built-in `runner.py`. A file of such a
/// name cannot be imported, or is imported in place of the module.
const TAKEN_IN_PYTHON: &str = "\
    abc aifc and antigravity argparse array as assert ast async asynchat asyncio \
    asyncore atexit audioop await base64 bdb binascii bisect break builtins bz2 calendar \
    cgi cgitb chunk class cmath cmd code codecs codeop collections colorsys compileall \
    concurrent configparser contextlib contextvars continue copy copyreg crypt csv \
    ctypes curses dataclasses datetime dbm decimal def del difflib dis distutils doctest \
    elif else email encodings ensurepip enum errno except faulthandler fcntl filecmp \
    fileinput finally fnmatch for fractions from ftplib functools gc genericpath getopt \
    getpass gettext glob global graphlib grp gzip hashlib heapq hmac html http idlelib \
    if imaplib imghdr imp import importlib in inspect io ipaddress is itertools json \
    keyword lambda lib2to3 linecache locale logging lzma mailbox mailcap marshal math \
    mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nonlocal \
    not nt ntpath nturl2path numbers numpy opcode operator optparse or os ossaudiodev \
    pass pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix \
    posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat \
    queue quopri raise random re readline reprlib resource return rlcompleter runpy \
    sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr \
    socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat \
    statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog \
    tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit \
    tkinter token tokenize tomllib trace traceback tracemalloc try tty turtle turtledemo \
    types typing unicodedata unittest urllib uu uuid venv warnings wave weakref \
    webbrowser while winreg winsound with wsgiref xdrlib xml xmlrpc yield zipapp zipfile \
    zipimport zlib zoneinfo ";

/// Sources of the SDK, so that a plugin can be started outside the runner's own repository.
const SDK: [(&str, &str); 30] = [
    ("include/runner_plugin.h", C_HEADER),
    ("include/runner_random.h", RANDOM_HEADER),
    ("include/runner_plugin.hpp", CPP_HEADER),
    ("src/abi.rs", include_str!("../../../plugins/sdk/src/abi.rs")),
    ("src/conflicts.rs", include_str!("../../../plugins/sdk/src/conflicts.rs")),
    ("src/data/cursor.rs", include_str!("../../../plugins/sdk/src/data/cursor.rs")),
    ("src/data/data_text.rs", include_str!("../../../plugins/sdk/src/data/data_text.rs")),
    ("src/data/instance_rng.rs", include_str!("../../../plugins/sdk/src/data/instance_rng.rs")),
    (
        "src/data/minimal_standard.rs",
        include_str!("../../../plugins/sdk/src/data/minimal_standard.rs"),
    ),
    ("src/data/mod.rs", include_str!("../../../plugins/sdk/src/data/mod.rs")),
    ("src/data/svg.rs", include_str!("../../../plugins/sdk/src/data/svg.rs")),
    ("src/description.rs", include_str!("../../../plugins/sdk/src/description.rs")),
    ("src/eight_rows.rs", include_str!("../../../plugins/sdk/src/eight_rows.rs")),
    ("src/entry.rs", include_str!("../../../plugins/sdk/src/entry.rs")),
    ("src/export.rs", include_str!("../../../plugins/sdk/src/export.rs")),
    ("src/four_rows.rs", include_str!("../../../plugins/sdk/src/four_rows.rs")),
    ("src/lib.rs", include_str!("../../../plugins/sdk/src/lib.rs")),
    ("src/mixed.rs", include_str!("../../../plugins/sdk/src/mixed.rs")),
    ("src/move_calls.rs", include_str!("../../../plugins/sdk/src/move_calls.rs")),
    ("src/moves.rs", include_str!("../../../plugins/sdk/src/moves.rs")),
    ("src/operator.rs", include_str!("../../../plugins/sdk/src/operator.rs")),
    ("src/operator_calls.rs", include_str!("../../../plugins/sdk/src/operator_calls.rs")),
    ("src/parameter.rs", include_str!("../../../plugins/sdk/src/parameter.rs")),
    ("src/problem.rs", include_str!("../../../plugins/sdk/src/problem.rs")),
    ("src/raw_genes.rs", include_str!("../../../plugins/sdk/src/raw_genes.rs")),
    ("src/rng.rs", include_str!("../../../plugins/sdk/src/rng.rs")),
    ("src/row_rngs.rs", include_str!("../../../plugins/sdk/src/row_rngs.rs")),
    ("src/search.rs", include_str!("../../../plugins/sdk/src/search.rs")),
    ("src/search_calls.rs", include_str!("../../../plugins/sdk/src/search_calls.rs")),
    ("src/vectors.rs", include_str!("../../../plugins/sdk/src/vectors.rs")),
];

const C_HEADER: &str = include_str!("../../../plugins/sdk/include/runner_plugin.h");
const RANDOM_HEADER: &str = include_str!("../../../plugins/sdk/include/runner_random.h");
const CPP_HEADER: &str = include_str!("../../../plugins/sdk/include/runner_plugin.hpp");

pub(super) fn new(arguments: &NewArguments) -> Result<Exit, Failure> {
    let (root, name) = (Path::new("."), arguments.name.as_str());
    let words = match arguments {
        NewArguments { python: true, .. } => python(root, name)?,
        NewArguments { c: true, .. } => made(root, name, &C)?,
        NewArguments { cpp: true, .. } => made(root, name, &CPP)?,
        _ => Scaffold::at(root, name)?.write()?,
    };
    output::put(&words);
    Ok(Exit::Done)
}

const C: [(&str, &str); 5] = [
    ("{name}.c", include_str!("scaffold/problem.c.txt")),
    ("test_{name}.c", include_str!("scaffold/test.c.txt")),
    ("Makefile", include_str!("scaffold/Makefile.c.txt")),
    ("runner_plugin.h", C_HEADER),
    ("runner_random.h", RANDOM_HEADER),
];

const CPP: [(&str, &str); 6] = [
    ("{name}.cpp", include_str!("scaffold/problem.cpp.txt")),
    ("test_{name}.cpp", include_str!("scaffold/test.cpp.txt")),
    ("Makefile", include_str!("scaffold/Makefile.cpp.txt")),
    ("runner_plugin.h", C_HEADER),
    ("runner_random.h", RANDOM_HEADER),
    ("runner_plugin.hpp", CPP_HEADER),
];

/// Files of a problem in Python, in which `{name}` stands for its name.
pub(super) const PYTHON: [(&str, &str); 3] = [
    ("{name}.py", include_str!("scaffold/problem.py.txt")),
    ("test_{name}.py", include_str!("scaffold/test.py.txt")),
    // For editors and tests. A run gives the interpreter the built-in one.
    ("runner.py", include_str!("../../../plugins/python/runner.py")),
];

/// Writes a problem in Python, which runs without a build.
fn python(root: &Path, name: &str) -> Result<String, Failure> {
    if TAKEN_IN_PYTHON.split_whitespace().any(|taken| taken == name) {
        return Err(Failure::usage(format!(
            "`{name}` is a keyword or a module of Python; choose another name"
        )));
    }
    write_folder(root, name, &PYTHON, &format!("../plugins/{name}/{name}.py"))?;
    Ok(format!(
        "Wrote plugins/{name}/{name}.py, its test and configs/{name}.toml. Next:\n  python3 -m \
        unittest discover -s plugins/{name}\n  runner configs/{name}.toml\n"
    ))
}

/// Writes a plugin that `make` builds.
fn made(root: &Path, name: &str, files: &[(&str, &str)]) -> Result<String, Failure> {
    write_folder(root, name, files, name)?;
    let source = files[0].0.replace("{name}", name);
    Ok(format!(
        "Wrote plugins/{name}/{source}, its test, a Makefile and configs/{name}.toml. Next:\n  \
        make -C plugins/{name} test\n  make -C plugins/{name}\n  runner --plugin-dir \
        plugins/{name} configs/{name}.toml\n"
    ))
}

/// Writes files into `plugins/NAME`, which must be new, and the config into `configs`. `plugin` is
/// the name of the plugin in the config.
fn write_folder(
    root: &Path,
    name: &str,
    files: &[(&str, &str)],
    plugin: &str,
) -> Result<(), Failure> {
    check_name(name)?;
    let (folder, config) = (root.join("plugins").join(name), config(root, name));
    check_free([&folder, &config])?;
    for (file, text) in files {
        put(&folder.join(file.replace("{name}", name)), &text.replace("{name}", name))?;
    }
    put(&config, &include_str!("scaffold/problem.toml.txt").replace("{plugin}", plugin))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::results(format!(
        "{}: cannot be written: {error}; check the folder's permissions and space",
        path.display()
    ))
}

/// Text and place of the files to write.
struct Scaffold<'run> {
    root: &'run Path,
    name: &'run str,
    /// Manifest of the runner's own workspace, if the root is in it. The plugin then becomes a
    /// member.
    workspace: Option<DocumentMut>,
}

impl<'run> Scaffold<'run> {
    fn at(root: &'run Path, name: &'run str) -> Result<Self, Failure> {
        check_name(name)?;
        if TAKEN.contains(&name) {
            return Err(Failure::usage(format!(
                "`{name}` is the name of a crate that the plugin needs; choose another name"
            )));
        }
        check_free([&root.join("plugins").join(name), &config(root, name)])?;
        let manifest = root.join("Cargo.toml");
        let workspace = match fs::read_to_string(&manifest) {
            Ok(text) if root.join("plugins/sdk/Cargo.toml").exists() => {
                let document: DocumentMut = text.parse().map_err(|error| {
                    Failure::usage(format!(
                        "{} is not valid TOML, so the plugin cannot be added: {error}",
                        manifest.display()
                    ))
                })?;
                document.get("workspace").is_some().then_some(document)
            }
            _ => None,
        };
        Ok(Scaffold { root, name, workspace })
    }

    /// Writes all files. Returns the next steps for the user.
    fn write(mut self) -> Result<String, Failure> {
        let name = self.name;
        let plugin = self.root.join("plugins").join(name);
        let mut manifest = self.fill(include_str!("scaffold/Cargo.toml.txt"));
        if self.workspace.is_none() {
            manifest.push_str("\n# A separate workspace, even inside another one.\n[workspace]\n");
        }
        // A workspace that cannot take the plugin is an error before any file is written.
        if let Some(document) = &mut self.workspace {
            join_workspace(document, name)?;
        }
        put(&plugin.join("Cargo.toml"), &manifest)?;
        put(&plugin.join("src/lib.rs"), &self.fill(include_str!("scaffold/lib.rs.txt")))?;
        put(&config(self.root, name), &self.fill(include_str!("scaffold/config.toml.txt")))?;
        let next = match self.workspace.take() {
            Some(document) => {
                let path = self.root.join("Cargo.toml");
                output_folder::write_named(&path, document.to_string().as_bytes())?;
                format!("  cargo test -p {name}\n  cargo run --release -- configs/{name}.toml\n")
            }
            None => {
                self.write_sdk()?;
                let manifest = format!("plugins/{name}/Cargo.toml");
                format!(
                    "  cargo test --manifest-path {manifest}\n  cargo build --release \
                    --manifest-path {manifest}\n  runner --plugin-dir \
                    plugins/{name}/target/release configs/{name}.toml\n"
                )
            }
        };
        Ok(format!("Wrote plugins/{name} and configs/{name}.toml. Next:\n{next}"))
    }

    /// Writes the SDK next to the plugin, unless it exists.
    fn write_sdk(&self) -> Result<(), Failure> {
        let sdk = self.root.join("plugins/sdk");
        if sdk.exists() {
            return Ok(());
        }
        put(&sdk.join("Cargo.toml"), &self.fill(include_str!("scaffold/sdk.Cargo.toml.txt")))?;
        SDK.iter().try_for_each(|(path, text)| put(&sdk.join(path), text))
    }

    fn fill(&self, template: &str) -> String {
        let words = self.name.split('_').filter(|word| !word.is_empty());
        let type_name: String = words.map(capitalised).collect();
        template
            .replace("{name}", self.name)
            .replace("{type}", &type_name)
            .replace("{title}", &capitalised(&self.name.replace('_', " ")))
            .replace("{version}", env!("CARGO_PKG_VERSION"))
    }
}

fn config(root: &Path, name: &str) -> PathBuf {
    root.join("configs").join(format!("{name}.toml"))
}

/// Refuses to overwrite existing files.
fn check_free(paths: [&PathBuf; 2]) -> Result<(), Failure> {
    match paths.into_iter().find(|path| path.exists()) {
        None => Ok(()),
        Some(path) => Err(Failure::usage(format!(
            "{} already exists; choose another name, or move it away",
            path.display()
        ))),
    }
}

fn check_name(name: &str) -> Result<(), Failure> {
    let rule = "a plugin's name starts with a lower-case letter, followed by lower-case letters, \
        digits and underscores";
    let well_formed = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !well_formed || name.len() > 64 {
        return Err(Failure::usage(format!("`{name}`: {rule}, such as `travelling_salesman`")));
    }
    Ok(())
}

/// Adds the plugin to the workspace lists that cargo builds, once per list.
fn join_workspace(document: &mut DocumentMut, name: &str) -> Result<(), Failure> {
    let member = format!("plugins/{name}");
    for list in ["members", "default-members"] {
        let entry =
            document["workspace"].as_table_mut().and_then(|workspace| workspace.get_mut(list));
        let Some(array) = entry.and_then(Item::as_array_mut) else {
            return Err(Failure::usage(format!(
                "Cargo.toml has no list workspace.{list}; add one that contains \"{member}\""
            )));
        };
        push(array, &member);
    }
    Ok(())
}

/// Appends a member in the style of the list: on a separate line if the others are.
fn push(array: &mut Array, member: &str) {
    if array.iter().any(|value| value.as_str() == Some(member)) {
        return;
    }
    let decor = array.iter().last().map(|last| last.decor().clone());
    array.push(member);
    if let (Some(decor), Some(last)) =
        (decor, array.len().checked_sub(1).and_then(|last| array.get_mut(last)))
    {
        *last.decor_mut() = decor;
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Writes a new file, and creates the folders above it.
pub(super) fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        output_folder::write_new(path, text.as_bytes())
    };
    write().map_err(|error| unwritable(path, &error))
}
