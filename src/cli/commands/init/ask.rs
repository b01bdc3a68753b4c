//! Questions of `runner init`: one line per question, on a terminal or from a pipe. The default
//! holds without an answer.

use crate::cli::Failure;
use crate::cli::arguments::InitArguments;
use crate::present::report::hanging;
use crate::present::terminal::width;
use crate::system::output::tell;
use std::io::{BufRead, IsTerminal};

/// Source of the answers.
pub(super) enum Asker {
    /// A person, who is asked again after a wrong answer.
    Terminal,
    /// Lines of a pipe, in the order of the questions. At its end the defaults hold.
    Pipe,
    /// Nobody: the defaults hold.
    Nobody,
}

impl Asker {
    /// Chooses the source of answers. A terminal is asked, unless the flags say otherwise. A pipe
    /// is read only if no flag gives an answer.
    pub(super) fn of(arguments: &InitArguments) -> Self {
        let InitArguments { plugin, question, evaluations, set, yes, .. } = arguments;
        if *yes {
            return Asker::Nobody;
        }
        if std::io::stdin().is_terminal() {
            return Asker::Terminal;
        }
        let answered =
            plugin.is_some() || question.is_some() || evaluations.is_some() || !set.is_empty();
        if answered { Asker::Nobody } else { Asker::Pipe }
    }

    pub(super) fn is_nobody(&self) -> bool {
        matches!(self, Asker::Nobody)
    }

    pub(super) fn can_ask_again(&self) -> bool {
        matches!(self, Asker::Terminal)
    }

    /// Asks a question and returns the answer, parsed by `read`.
    pub(super) fn ask<T>(
        &mut self,
        question: &str,
        usual: Option<String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Failure> {
        loop {
            let answer = self.line(question, usual.as_deref())?;
            let wrong = match answer.or_else(|| usual.clone()) {
                Some(answer) => match read(&answer) {
                    Ok(read) => return Ok(read),
                    Err(rule) => format!("{answer}: {rule}"),
                },
                None => format!("{question}: there is no default"),
            };
            if !self.can_ask_again() {
                return Err(Failure::usage(wrong));
            }
            tell(&format!("  {wrong}\n"));
        }
    }

    /// Asks for one of several choices, by its number or its word.
    pub(super) fn choose<T: Clone>(
        &mut self,
        question: &str,
        choices: &[(&str, &str, T)],
        usual: Option<usize>,
    ) -> Result<T, Failure> {
        if self.can_ask_again() {
            let names = choices.iter().map(|(word, ..)| word.chars().count()).max().unwrap_or(0);
            let digits = choices.len().to_string().len();
            tell(&format!("{question}\n"));
            for (number, (word, words, _)) in (1..).zip(choices) {
                let first = format!("  {number:digits$}  {word:names$}  ");
                tell(&hanging(&first, words, width().into()));
            }
        }
        let read = |text: &str| {
            let by_number =
                text.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
            let chosen = by_number.or_else(|| choices.iter().find(|(word, ..)| *word == text));
            chosen.map(|(.., value)| value.clone()).ok_or_else(|| {
                let words: Vec<&str> = choices.iter().map(|(word, ..)| *word).collect();
                format!("choose one of {}, or its number", words.join(", "))
            })
        };
        let prompt = if self.can_ask_again() { "Number or name" } else { question };
        self.ask(prompt, usual.map(|place| choices[place].0.to_owned()), read)
    }

    /// Reads one line as an answer; `None` if it is empty or nobody answers.
    fn line(&self, question: &str, usual: Option<&str>) -> Result<Option<String>, Failure> {
        if matches!(self, Asker::Nobody) {
            return Ok(None);
        }
        if self.can_ask_again() {
            tell(&match usual {
                Some(usual) => format!("{question} [{usual}]: "),
                None => format!("{question}: "),
            });
        }
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let length =
            read.map_err(|error| Failure::usage(format!("the answer cannot be read: {error}")))?;
        if length == 0 && self.can_ask_again() {
            return Err(Failure::usage("no more answers; nothing was written"));
        }
        Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
    }
}
