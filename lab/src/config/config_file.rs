//! The text of an experiment file, or the reason why there is none.

use super::diagnostic::{Diagnostic, Faults};
use crate::system::regular;
use crate::words::nearest;
use std::path::Path;

/// Returns the text of an experiment file; complains if it cannot be read.
pub(super) fn read_text(path: &Path, out: &mut Faults) -> Option<String> {
    let shown = path.display();
    let bytes = match regular::named_by_user(path, regular::MOST_OF_CONFIG) {
        Ok(bytes) => bytes,
        Err(_) if path.is_dir() => {
            let shown = shown.to_string();
            let error =
                Diagnostic::general(format!("{shown}: this is a folder, not an experiment file"));
            return error
                .help(format!("name the files in it: {}/*.toml", shown.trim_end_matches('/')))
                .to(out);
        }
        Err(error) => {
            return unreadable(path, &error).to(out);
        }
    };
    match String::from_utf8(bytes) {
        // Editors of other systems put a byte order mark in front, which is no column.
        Ok(text) => Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
            let byte = error.as_bytes()[good];
            let message = format!(
                "{shown}:{line}: not UTF-8: byte 0x{byte:02x} at offset {good} of the file"
            );
            Diagnostic::general(message)
                .rule("TOML is UTF-8 text")
                .help("save the file as UTF-8")
                .to(out)
        }
    }
}

/// Returns the diagnostic of a file that is not there, or that the system does not let us read.
fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let shown = path.display();
    if error.kind() != std::io::ErrorKind::NotFound {
        let help = match error.kind() {
            std::io::ErrorKind::FileTooLarge => {
                "put data into files of their own, or divide the experiment"
            }
            _ => "check the path and its permissions",
        };
        return Diagnostic::general(format!("{shown}: cannot be read: {error}")).help(help);
    }
    if let Ok(target) = std::fs::read_link(path) {
        let leads = format!("{shown}: cannot be read: it is a link to {}", target.display());
        let error = Diagnostic::general(format!("{leads}, and there is no such file"));
        return error.help("mend the link, or name the file itself");
    }
    if shown.to_string().contains(['*', '?', '[']) {
        let error =
            Diagnostic::general(format!("{shown}: cannot be read: no file matches this pattern"));
        return error.help("check the folder and the extension; `ls` shows the files");
    }
    let error = Diagnostic::general(format!("{shown}: cannot be read: there is no such file"));
    match nearest_file(path) {
        Some(near) => error.help(format!("did you mean {}?", path.with_file_name(near).display())),
        None => error.help("check the path; `runner init` writes an experiment file to start from"),
    }
}

/// Returns the name of the experiment file beside this path that is most like its name; `None` if
/// none is.
pub(super) fn nearest_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let stems: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned)).collect();
    let name = path.file_name()?.to_str()?.trim_end_matches(".toml");
    Some(format!("{}.toml", nearest(name, stems.iter().map(String::as_str))?))
}
