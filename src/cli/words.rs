//! Words of a command line before parsing. Mistakes that the parser would explain badly are caught
//! here, and flags before a command are moved.

use super::Cli;
use clap::error::ErrorKind;
use clap::{ArgAction, Command, CommandFactory, FromArgMatches};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Answer to a command line without arguments.
const BARE: &str = "\
runner: experiments on evolutionary search, from TOML to rates that you can publish

To begin:  runner init           asks a few questions and writes an experiment
           runner FILE.toml      runs it, and writes tables to results/

Run        check, tune, target, serve, submit, status, merge, replay, verify
Look       show, runtimes, plot, report, plugins, operators, sample
Compare    compare, rank, suite, diff, gate, power, import, export, pack, challenge
Make       init, new, schema, certify, conformance, completions, man

runner COMMAND --help explains a command; runner --help lists all, with examples
";

/// Parses the command line of this process.
///
/// # Errors
/// Returns an error if the answer is help, the version, or a message about a mistake.
pub fn parse() -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let mut command = Cli::command();
    if words.len() == 1 {
        command = command.override_help(BARE).arg_required_else_help(true);
    }
    if let Some(error) = slip(&command, &words) {
        return Err(error);
    }
    let words = arranged(&command, words);
    let mut matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Moves the flags in front of a command behind it, because the parser expects them there.
fn arranged(command: &Command, mut words: Vec<OsString>) -> Vec<OsString> {
    let first = first_positional(command, &words);
    let is_command =
        |word: &OsString| word.to_str().is_some_and(|word| command.find_subcommand(word).is_some());
    match first.filter(|place| *place > 1 && is_command(&words[*place])) {
        Some(place) => {
            let flags: Vec<OsString> = words.drain(1..place).collect();
            words.splice(2..2, flags);
            words
        }
        None => words,
    }
}

/// Returns the position of the first word that is neither a flag nor a flag's value. `None` if
/// there is none, or help is requested.
fn first_positional(command: &Command, words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    while let Some(word) = words.get(place) {
        let text = word.to_str().unwrap_or_default();
        if text == "--" || matches!(text, "-h" | "--help" | "-V" | "--version") {
            return None;
        }
        if !text.starts_with('-') || text == "-" {
            return Some(place);
        }
        place += if takes_next(command, text) { 2 } else { 1 };
    }
    None
}

/// Returns whether the word after this flag is its value.
fn takes_next(command: &Command, flag: &str) -> bool {
    command.get_arguments().any(|argument| {
        let long = argument.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
        let short = argument
            .get_short()
            .is_some_and(|short| flag.strip_prefix('-') == Some(short.to_string().as_str()));
        (long || short)
            && !matches!(
                argument.get_action(),
                ArgAction::SetTrue | ArgAction::Help | ArgAction::Version
            )
    })
}

/// Returns the error for a mistake that the parser would explain badly, because it takes any word
/// for a config.
fn slip(command: &Command, words: &[OsString]) -> Option<clap::Error> {
    let fail = |kind, words: String| Some(command.clone().error(kind, words));
    let place = first_positional(command, words);
    // The parser adds `help` by itself.
    let known = |word: &str| word == "help" || command.find_subcommand(word).is_some();
    let is_command = |word: &OsStr| word.to_str().is_some_and(known);
    let bare = place.is_none_or(|place| !is_command(&words[place]));
    let config = |word: &&OsString| {
        let text = word.to_str().unwrap_or_default();
        text.starts_with('-') && text.ends_with(".toml") && Path::new(word).is_file()
    };
    if let Some(word) =
        words[1..].iter().take_while(|word| *word != "--").find(config).filter(|_| bare)
    {
        let word = word.to_string_lossy();
        let message = format!("`{word}` looks like a flag; for a file of this name write ./{word}");
        return fail(ErrorKind::UnknownArgument, message);
    }
    let word = words.get(place?)?;
    let text = word.to_str()?;
    // The parser itself explains unknown flags well.
    let before = words[place? - 1].to_str().unwrap_or_default();
    let known = |flag: &str| command.get_arguments().any(|one| one.get_long() == Some(flag));
    if before.strip_prefix("--").is_some_and(|flag| !flag.is_empty() && !known(flag)) {
        return None;
    }
    if !bare || text.contains(['.', '/', '\\', '*', '?', '[']) || Path::new(word).exists() {
        return None;
    }
    let rest: Vec<_> = words[place? + 1..].iter().map(|word| word.to_string_lossy()).collect();
    let line = |start: &str| [start, &rest.join(" ")].join(" ").trim_end().to_owned();
    if text == "run" {
        let message = format!(
            "there is no command `run`: experiments run without a command; write `{}`",
            line("runner")
        );
        return fail(ErrorKind::InvalidSubcommand, message);
    }
    let names: Vec<&str> =
        command.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name).collect();
    let near = crate::words::nearest(text, names);
    let beside = Path::new(&format!("{text}.toml")).is_file();
    let help = match near {
        _ if beside => format!("did you mean the file `{text}.toml`?"),
        Some(near) => format!("did you mean `{}`?", line(&format!("runner {near}"))),
        None => "`runner --help` lists the commands; give an experiment file with its extension, \
            as in x.toml"
            .into(),
    };
    fail(
        ErrorKind::InvalidSubcommand,
        format!("there is no command and no file called `{text}`; {help}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn flags_before_a_command_go_behind_it() {
        let command = Cli::command();
        for (given, meant) in [
            ("runner --plugin-dir D sample P -n 2", "runner sample --plugin-dir D P -n 2"),
            ("runner --plugin-dir=D -j 2 check a.toml", "runner check --plugin-dir=D -j 2 a.toml"),
            ("runner check a.toml", "runner check a.toml"),
            ("runner --repeats 3 a.toml check", "runner --repeats 3 a.toml check"),
            ("runner -- check", "runner -- check"),
            ("runner --help check", "runner --help check"),
        ] {
            assert_eq!(arranged(&command, words(given)), words(meant));
        }
    }

    #[test]
    fn a_slip_is_answered_with_the_command_that_was_meant() {
        let command = Cli::command();
        let told = |line: &str| {
            slip(&command, &words(line)).map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(
            told("runner chekc x.toml --jobs 2")
                .contains("did you mean `runner check x.toml --jobs 2`?")
        );
        assert!(told("runner run x.toml").contains("write `runner x.toml`"));
        assert!(told("runner xyzzy").contains("`runner --help` lists the commands"));
        for good in [
            "runner x.toml",
            "runner check x",
            "runner configs/x",
            "runner",
            "runner --repeats 3 x.toml",
        ] {
            assert_eq!(told(good), "", "{good}");
        }
    }
}
