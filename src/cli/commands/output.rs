//! Standard output: receives the results of commands.

use crate::cli::Failure;
use crate::cli::arguments::FormArguments;
use crate::present::chart::{self, Chart};
use crate::present::report::Report;
use crate::present::terminal;
pub(super) use crate::system::output::put;
use crate::system::output::{put_coloured, put_exactly};
use crate::system::shell::shell_path;
use crate::words::count;
use std::path::PathBuf;

/// Prints a report in the requested form, and writes it as Parquet if requested. `shown` renders it
/// for a terminal of the given width, `latex` for papers.
pub(super) fn put_report(
    report: &Report,
    form: &FormArguments,
    shown: impl FnOnce(usize) -> String,
    latex: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if let Some(path) = &form.parquet {
        report.write(path).map_err(Failure::results)?;
    }
    match form.format() {
        Some(format) => put_exactly(&report.text(format)),
        None if form.latex => put_exactly(&latex()),
        None => put(&shown(terminal::width().into())),
    }
    Ok(())
}

/// Prints a chart, as wide as the terminal.
pub(super) fn put_chart(chart: &Chart) {
    let text = chart::text(chart, terminal::width().into());
    let plain = !console::colors_enabled();
    put_coloured(if plain { console::strip_ansi_codes(&text) } else { text.into() }.as_ref());
}

/// Returns the number and size of the written files, and how to open the first image or page.
pub(super) fn words_of_written(files: &[PathBuf]) -> String {
    let bytes: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|it| it.len()).sum();
    let size = match bytes {
        0..1_000_000 => format!("{} kB", count(bytes.div_ceil(1_000))),
        bytes => format!("{:.1} MB", bytes as f64 / 1e6),
    };
    let number = match files.len() {
        1 => "1 file".to_owned(),
        files => format!("{} files", count(files as u64)),
    };
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let has = |file: &PathBuf, ending: &str| file.extension().is_some_and(|it| it == ending);
    let page = files.iter().find(|file| has(file, "html"));
    let first = page.or(files.iter().find(|file| !has(file, "svg"))).or(files.first());
    let open = first.map(|file| format!("; to look: {opener} {}", shell_path(file)));
    format!("wrote {number}, {size}{}", open.unwrap_or_default())
}

/// Prints a line for readers.
macro_rules! line {
    () => { $crate::system::output::put("\n") };
    ($($words:tt)*) => { $crate::system::output::put(&format!("{}\n", format_args!($($words)*))) };
}

pub(super) use line;
