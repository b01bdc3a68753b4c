//! The commands that a page shows, in its order.

/// What the commands of the pages begin with.
const PROGRAMS: [&str; 37] = [
    "apptainer",
    "apt",
    "apt-get",
    "bash",
    "c++",
    "cargo",
    "cat",
    "cc",
    "cd",
    "cmp",
    "cp",
    "curl",
    "docker",
    "dpkg",
    "duckdb",
    "git",
    "make",
    "mkdir",
    "mypy",
    "node",
    "nix-build",
    "npm",
    "pip",
    "pytest",
    "python",
    "python3",
    "rattler-build",
    "rm",
    "runner",
    "sbatch",
    "sha256sum",
    "sinfo",
    "squeue",
    "ssh",
    "sudo",
    "tar",
    "twine",
];

/// A command of a page.
#[derive(Debug)]
pub(crate) struct Typed {
    pub line: usize,
    pub words: String,
    /// What the page shows below it: lines of a transcript.
    pub shown: Vec<String>,
    /// Whether it stands in a sentence.
    pub quoted: bool,
    /// Whether it goes on in the folder of the command before it.
    pub follows: bool,
}

/// The first word that is no assignment to a variable, without its folder, and how many follow.
fn program(words: &str) -> Option<(&str, usize)> {
    let mut words = words.split_whitespace().skip_while(|word| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    });
    let first = words.next()?;
    Some((first.rsplit('/').next()?, words.count()))
}

fn is_command(words: &str) -> bool {
    program(words).is_some_and(|(program, _)| PROGRAMS.contains(&program))
}

/// Where in a page a line is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Prose,
    /// In a fenced block of commands.
    Shell,
    /// In a fenced block of what a terminal shows.
    Terminal,
    /// In another fenced block.
    Code,
}

/// The commands of a page: indented lines, fenced blocks (`sh`, or `text` with prompts, or the
/// examples of a help), and what is quoted in a sentence.
pub(crate) fn commands(page: &str) -> Vec<Typed> {
    let mut reader = Reader::default();
    for (number, line) in page.lines().enumerate() {
        reader.read(number + 1, line);
    }
    reader.paragraph_ends();
    reader.found
}

/// A page that is being read.
struct Reader {
    place: Place,
    found: Vec<Typed>,
    /// Lines of a paragraph, from this line on.
    paragraph: (usize, String),
    /// Whether the line before was a command of the same block.
    goes_on: bool,
    /// The command whose transcript this is.
    prompted: Option<usize>,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            place: Place::Prose,
            found: Vec::new(),
            paragraph: (0, String::new()),
            goes_on: false,
            prompted: None,
        }
    }
}

impl Reader {
    fn read(&mut self, number: usize, line: &str) {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            self.paragraph_ends();
            self.goes_on = false;
            self.prompted = None;
            self.place = match (self.place, language) {
                (Place::Prose, "sh" | "bash" | "console") => Place::Shell,
                (Place::Prose, "text" | "") => Place::Terminal,
                (Place::Prose, _) => Place::Code,
                _ => Place::Prose,
            };
            return;
        }
        match self.place {
            Place::Prose if line.starts_with("    ") => self.indented(number, line.trim()),
            Place::Prose => self.prose(number, line),
            Place::Shell => self.command(number, line),
            Place::Terminal => self.terminal(number, line),
            Place::Code => (),
        }
    }

    fn indented(&mut self, number: usize, line: &str) {
        self.paragraph_ends();
        let unfinished = self.goes_on.then(|| self.found.last_mut()).flatten();
        if let Some(typed) = unfinished.filter(|typed| typed.words.ends_with('\\')) {
            typed.words = format!("{} {line}", typed.words.trim_end_matches('\\').trim_end());
        } else if is_command(line) {
            self.command(number, line);
        } else {
            self.goes_on = false;
        }
    }

    fn command(&mut self, number: usize, words: &str) {
        let words = words.trim().to_owned();
        let (line, follows) = (number, self.goes_on);
        let typed = Typed { line, words, shown: Vec::new(), quoted: false, follows };
        self.goes_on = true;
        self.found.push(typed);
    }

    /// A line after a prompt is a command, and so is an example of a help, and what follows
    /// `For bash: `. The others are shown by the command before.
    fn terminal(&mut self, number: usize, line: &str) {
        if let Some(words) = line.strip_prefix("$ ") {
            self.prompted = Some(self.found.len());
            return self.command(number, words);
        }
        let example = line.strip_prefix("  ").filter(|line| !line.starts_with(' '));
        let example =
            example.and_then(|line| line.split("  ").next()).filter(|line| is_command(line));
        let purpose = line.split_once(": ").filter(|_| self.prompted.is_none());
        let purpose = purpose.filter(|(what, words)| *what != "Usage" && is_command(words));
        let purpose = purpose.map(|(_, words)| words);
        if let Some(prompted) = self.prompted {
            self.found[prompted].shown.push(line.to_owned());
        }
        if let Some(words) = example.or(purpose) {
            self.command(number, words);
        }
    }

    fn prose(&mut self, number: usize, line: &str) {
        self.goes_on = false;
        if line.trim().is_empty() {
            return self.paragraph_ends();
        }
        if self.paragraph.1.is_empty() {
            self.paragraph.0 = number;
        }
        self.paragraph.1 += line;
        self.paragraph.1.push('\n');
    }

    fn paragraph_ends(&mut self) {
        let (first, text) = std::mem::take(&mut self.paragraph);
        let mut line = first;
        for (place, part) in text.split('`').enumerate() {
            let words = part.split_whitespace().collect::<Vec<_>>().join(" ");
            // `runner` and `cargo build` are names of commands.
            let least = if words.starts_with("runner ") { 1 } else { 2 };
            let is_whole = program(&words).is_some_and(|(_, count)| count >= least);
            if place % 2 == 1 && is_command(&words) && is_whole {
                self.goes_on = false;
                self.command(line, &words);
                self.goes_on = false;
                self.found.last_mut().expect("it was found").quoted = true;
            }
            line += part.matches('\n').count();
        }
    }
}

/// The command with words of the machine in place of those that stand for others: the first pair
/// that has such a word gives it.
///
/// # Panics
/// If a word in capitals has no other.
pub(crate) fn filled_in(words: &str, stand_ins: &[(&str, &str)]) -> String {
    let mut text = words.to_owned();
    for (word, other) in stand_ins {
        let joined = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
        let mut done = String::new();
        while let Some(at) = text.find(word) {
            let (before, rest) = (&text[..at], &text[at + word.len()..]);
            let is_part = word.starts_with(char::is_alphanumeric) && before.ends_with(joined)
                || word.ends_with(char::is_alphanumeric) && rest.starts_with(joined);
            done += before;
            done += if is_part { word } else { other };
            text = rest.to_owned();
        }
        text = done + &text;
    }
    text
}

#[test]
fn commands_are_found_wherever_they_stand() {
    let page = [
        "Say `runner check x.toml`, or\n`runner\nshow y`, `x` and `runner`:\n\n",
        "    cd a && runner x   # all\n    runner \\\n        y\n    library(arrow)\n\n",
        "```text\n$ runner z\nso\n…\n$ cat z\n```\n\n",
        "```text\nrunner is\n  runner init      write\n          runner no\n```\n\n",
        "```toml\nrunner x\n```\n\n```sh\nrunner serve\n```\n",
    ];
    let found = commands(&page.concat());
    let told = found.iter().map(|typed| (typed.line, &*typed.words, typed.follows));
    let due = [
        (1, "runner check x.toml", false),
        (2, "runner show y", false),
        (5, "cd a && runner x   # all", false),
        (6, "runner y", true),
        (11, "runner z", false),
        (14, "cat z", true),
        (19, "runner init", false),
        (28, "runner serve", false),
    ];
    assert_eq!(told.collect::<Vec<_>>(), due);
    assert_eq!(found[4].shown, ["so", "…"]);
    assert!(found.iter().map(|typed| typed.quoted).eq((0..8).map(|place| place < 2)));
    let stand_ins = [("NAME", "x"), (" …", "")];
    assert_eq!(
        filled_in("runner new/NAME $NAME NAMES NAME. …", &stand_ins),
        "runner new/x $NAME NAMES x."
    );
}
