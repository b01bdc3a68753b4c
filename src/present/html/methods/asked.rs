//! What a run was asked for: its experiment file as the command line left it.

use crate::results::Run;
use toml::{Table, Value};

/// The seed that a run's trials derive from: the command line's, or the file's, or 0.
pub(super) fn seed(run: &Run) -> String {
    asked(run, "seed").map_or_else(|| "0".to_owned(), |value| value.to_string())
}

/// A key of a run's experiment file as the command line left it.
pub(super) fn asked(run: &Run, key: &str) -> Option<Value> {
    let of_flag = |flag: &str| {
        let words = run
            .overrides
            .iter()
            .rev()
            .find_map(|word| word.strip_prefix(flag)?.strip_prefix(' '))?;
        value(words)
    };
    let mut found = run.config.parse::<Table>().ok().and_then(|file| file.get(key).cloned());
    for word in &run.overrides {
        let Some((path, text)) = word.strip_prefix("--set ").and_then(|set| set.split_once('='))
        else {
            continue;
        };
        match path.trim().strip_prefix(key) {
            Some("") => found = value(text),
            Some(rest) if rest.starts_with('.') => {
                if let (Some(Value::Table(table)), Some(value)) = (&mut found, value(text)) {
                    table.insert(rest[1..].trim().to_owned(), value);
                }
            }
            _ => {}
        }
    }
    of_flag(&format!("--{key}")).or(found)
}

fn value(text: &str) -> Option<Value> {
    let read = format!("value = {}", text.trim()).parse::<Table>().ok();
    read.and_then(|table| table.get("value").cloned())
        .or_else(|| Some(Value::String(text.trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(before: u64, after: Option<u64>, config: &str, overrides: &[&str]) -> Run {
        let overrides = overrides.iter().map(|word| (*word).to_owned()).collect();
        Run { trials_after: after, config: config.to_owned(), overrides, ..Run::begin(1, before) }
    }

    #[test]
    fn the_command_line_has_the_last_word() {
        let config = "seed = 5\nrepeats = { half-width = 0.1, max = 100 }\n";
        assert_eq!(seed(&run(0, None, config, &[])), "5");
        assert_eq!(seed(&run(0, None, config, &["--set seed=7"])), "7");
        assert_eq!(seed(&run(0, None, config, &["--seed 9", "--set seed=7"])), "9");
        assert_eq!(seed(&run(0, None, "", &[])), "0");
        let repeats = asked(&run(0, None, config, &["--set repeats.confidence=0.9"]), "repeats")
            .expect("repeats");
        assert_eq!(repeats["confidence"].as_float(), Some(0.9));
        assert_eq!(repeats["half-width"].as_float(), Some(0.1));
        assert_eq!(
            asked(&run(0, None, config, &["--repeats 50"]), "repeats"),
            Some(Value::Integer(50))
        );
    }
}
