//! `runner init --study`: the repository of a study, from its experiment file to its archive.

use super::super::new::{PYTHON, put};
use crate::cli::Failure;
use std::path::{Path, PathBuf};

/// Files of the repository and their texts, besides those of the problem.
const FILES: [(&str, &str); 7] = [
    ("configs/study.toml", include_str!("../scaffold/study/study.toml.txt")),
    ("notebook.ipynb", include_str!("../scaffold/study/notebook.ipynb.txt")),
    ("Makefile", include_str!("../scaffold/study/Makefile.txt")),
    (".github/workflows/study.yml", include_str!("../scaffold/study/study.yml.txt")),
    ("requirements.txt", include_str!("../scaffold/study/requirements.txt")),
    ("README.md", include_str!("../scaffold/study/README.md.txt")),
    (".gitignore", include_str!("../scaffold/study/gitignore.txt")),
];

/// Writes all files into the folder. If one of them exists, nothing is written.
pub(super) fn write(folder: &Path) -> Result<(), Failure> {
    let of_the_problem = PYTHON.map(|(file, text)| (format!("plugins/{file}"), text));
    let all = FILES.map(|(file, text)| (file.to_owned(), text)).into_iter().chain(of_the_problem);
    let files: Vec<(PathBuf, String)> = all
        .map(|(file, text)| {
            let text = text.replace("{version}", env!("CARGO_PKG_VERSION"));
            let [file, text] = [file, text].map(|text| text.replace("{name}", "problem"));
            (folder.join(file), text)
        })
        .collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(Failure::usage(format!(
            "{} already exists and will not be overwritten; name another folder, as in `runner \
            init --study mine`",
            path.display()
        )));
    }
    files.iter().try_for_each(|(path, text)| put(path, text))
}
