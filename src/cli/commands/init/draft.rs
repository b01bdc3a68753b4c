//! Text of an experiment file: a search that fits the problem, a question, a budget.

use crate::cli::arguments::Question;
use crate::operators::operator::Slot;
use crate::problem::parameter::{Kind, Value};
use crate::problem::{Description, Encoding, Library, Problem};
use crate::search::registry::find;
use crate::words::{count, listed};
use std::fmt::Write;
use std::iter;
use std::sync::Arc;

/// Population size, if the budget allows for ten generations.
const POPULATION: u64 = 50;
/// Number of compared sizes.
const SIZES: usize = 4;

/// Settings of a config to draft.
pub(super) struct Draft<'a> {
    /// Name of the plugin, or path to its library.
    pub plugin: String,
    pub library: &'a Arc<Library>,
    pub values: &'a [Value],
    pub problem: &'a Problem,
    pub question: Question,
    pub evaluations: u64,
}

/// A search: its name, its description, and the lines of its table.
struct Search {
    name: &'static str,
    words: &'static str,
    lines: Vec<String>,
}

/// Sweep of a scaling question.
struct Swept {
    key: String,
    values: Vec<i64>,
    /// Keys that grow in proportion, with as many values.
    along: Vec<(String, Vec<i64>)>,
}

impl Swept {
    fn keys(&self) -> impl Iterator<Item = &str> {
        iter::once(&self.key).chain(self.along.iter().map(|(key, _)| key)).map(String::as_str)
    }

    fn contains(&self, key: &str) -> bool {
        self.keys().any(|one| one == key)
    }

    /// Returns the lines of the section `[sweep]`.
    fn lines(&self) -> Vec<String> {
        let along = self.along.iter().map(|(key, values)| (key, values));
        let all = iter::once((&self.key, &self.values)).chain(along);
        let mut lines: Vec<String> = all
            .map(|(key, values)| {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("\"{key}\" = [{}]", values.join(", "))
            })
            .collect();
        if !self.along.is_empty() {
            let keys: Vec<String> = self.keys().map(|key| format!("\"{key}\"")).collect();
            lines.push(format!("together = [{}]", keys.join(", ")));
        }
        lines
    }
}

impl Draft<'_> {
    /// Returns the text of the file.
    ///
    /// # Errors
    /// Returns an error if two searches are to be compared and only one fits the problem; the error
    /// is a message.
    pub(super) fn text(&self) -> Result<String, String> {
        let searches = self.searches()?;
        let swept = self.swept();
        let mut text = String::new();
        let mut line = |line: &str| {
            writeln!(text, "{line}").expect("a String takes all that is written to it")
        };
        line("#:schema ./runner.schema.json\n");
        line("# Question");
        line(&self.question_words(&searches, swept.as_ref()));
        line(
            "#\n# Every key: `runner schema --markdown`. Searches to choose from: `runner \
            operators`.\n",
        );
        line("seed     = 1");
        line(&self.repeats_line(&searches));
        line("baseline = true   # also run random search with the same budget\n");
        line("[problem]");
        self.problem_lines(swept.as_ref(), &mut line);
        for search in &searches {
            line("\n[[operators]]");
            search.lines.iter().for_each(|one| line(one));
        }
        line("\n[stop]");
        self.stop_lines(swept.as_ref(), &mut line);
        if let Some(swept) = &swept {
            line("\n[sweep]");
            swept.lines().iter().for_each(|one| line(one));
        }
        Ok(text)
    }

    /// Returns the question that the experiment answers, as comments.
    fn question_words(&self, searches: &[Search], swept: Option<&Swept>) -> String {
        let (plugin, budget) = (self.library.name(), count(self.evaluations));
        let first = searches[0].words;
        if !self.has_ideal() {
            return self.question_by_fitness(searches, swept);
        }
        match (self.question, swept) {
            (Question::Success, _) => format!(
                "#   How often does {first} solve `{plugin}` within {budget} evaluations, and does \
                it beat\n#   random search?"
            ),
            (Question::Compare, _) => format!(
                "#   Which solves `{plugin}` more often within {budget} evaluations: {first}\n#   \
                or {}?",
                searches[1].words
            ),
            (Question::Scale, Some(swept)) if swept.key.starts_with("problem.") => format!(
                "#   How does the success rate of {first} on `{plugin}` change with\n#   {}, when \
                every size gets {budget} evaluations?",
                key_words(swept)
            ),
            (Question::Scale, _) => format!(
                "#   How does the success rate of {first} on `{plugin}` change with its budget of\n\
                #   evaluations? (No parameter of the problem is its size.)"
            ),
        }
    }

    /// Returns the question if nothing counts as success yet.
    fn question_by_fitness(&self, searches: &[Search], swept: Option<&Swept>) -> String {
        let (plugin, budget) = (self.library.name(), count(self.evaluations));
        let first = searches[0].words;
        let keys = swept.map(key_words).unwrap_or_default();
        match self.question {
            Question::Success => format!(
                "#   How good are the genomes of `{plugin}` that {first} finds within\n#   \
                {budget} evaluations, and does it beat random search?"
            ),
            Question::Compare => format!(
                "#   Which finds better genomes of `{plugin}` within {budget} evaluations: \
                {first}\n#   or {}?",
                searches[1].words
            ),
            Question::Scale => format!(
                "#   How does the fitness that {first} finds on `{plugin}` change with\n#   \
                {keys}?"
            ),
        }
    }

    /// Returns whether the problem states what counts as success.
    fn has_ideal(&self) -> bool {
        self.problem.description().ideal.is_some()
    }

    fn repeats_line(&self, searches: &[Search]) -> String {
        if !self.has_ideal() {
            return "repeats  = 100".to_owned();
        }
        match self.question {
            Question::Success => {
                "repeats  = 500   # or, until its interval is no wider than 0.04: \
                { half-width = 0.02, max = 100000 }"
                    .to_owned()
            }
            Question::Compare => {
                let (one, other) = (searches[0].name, searches[1].name);
                format!(
                    "repeats  = {{ decide = [\"{one}\", \"{other}\"], max = 5000 }}   # until the \
                    better is known"
                )
            }
            Question::Scale => "repeats  = 100".to_owned(),
        }
    }

    fn problem_lines(&self, swept: Option<&Swept>, line: &mut impl FnMut(&str)) {
        let pairs = self.library.parameters().iter().zip(self.values);
        let stated: Vec<_> =
            pairs.filter(|(parameter, value)| parameter.is_stated(value)).collect();
        let width = stated
            .iter()
            .map(|(one, _)| one.key.chars().count())
            .max()
            .unwrap_or(0)
            .max("plugin".len());
        line(&format!("{:width$} = {}", "plugin", Value::Text(self.plugin.clone().into())));
        for (parameter, value) in stated {
            let value = value.written();
            let key = format!("problem.{}", parameter.key);
            let is_swept = swept.is_some_and(|swept| swept.contains(&key));
            if !is_swept {
                let doc = parameter.doc.replace(char::is_control, " ");
                let comment = if doc.is_empty() { doc } else { format!("   # {doc}") };
                line(&format!("{:width$} = {value}{comment}", parameter.key));
            }
        }
    }

    fn stop_lines(&self, swept: Option<&Swept>, line: &mut impl FnMut(&str)) {
        let Description { ideal, encoding, .. } = self.problem.description();
        match (ideal, encoding) {
            (Some(ideal), Encoding::Real | Encoding::Mixed) => {
                let target = Value::Real(ideal + 0.01);
                line(&format!(
                    "fitness     = {target}   # solved; real numbers hardly ever hit the ideal, \
                    {ideal}"
                ));
            }
            (Some(_), _) => {}
            (None, _) => line(
                "# fitness   = …   # what counts as solved: the problem states no ideal. Without \
                this, fitness is compared",
            ),
        }
        if swept.is_none_or(|swept| !swept.contains("stop.evaluations")) {
            line(&format!(
                "evaluations = {}   # per trial; a trial ends earlier if it is solved",
                self.evaluations
            ));
        }
    }

    /// Returns what a scaling question sweeps: the first integer parameter that changes the length
    /// of the genomes, with those that have to grow with it, or else the budget.
    fn swept(&self) -> Option<Swept> {
        if self.question != Question::Scale {
            return None;
        }
        let most = i64::try_from(self.evaluations).unwrap_or(i64::MAX / 2).max(4);
        let budget = || Swept {
            key: "stop.evaluations".into(),
            values: vec![most / 4, most / 2, most, most.saturating_mul(2)],
            along: Vec::new(),
        };
        let places = 0..self.values.len();
        Some(places.into_iter().find_map(|place| self.sizes(place)).unwrap_or_else(budget))
    }

    /// Returns the sizes that this parameter makes, with what grows along; `None` if it is no size.
    fn sizes(&self, place: usize) -> Option<Swept> {
        let size = self.integer(place)?;
        let along = self.along(place);
        let at = |other: i64| -> Option<Vec<(usize, i64)>> {
            let grown = |place: usize| {
                let grown = i128::from(self.integer(place)?) * i128::from(other) / i128::from(size);
                Some((place, i64::try_from(grown).ok()?))
            };
            iter::once(place).chain(along.iter().copied()).map(grown).collect()
        };
        let makes = |other: i64| {
            // A file of data may give the size in its place.
            at(other).and_then(|values| self.made(&values)).is_some_and(|made| {
                let (made, own) = (made.description(), self.problem.description());
                let is_sized = other == size || made.genome_length != own.genome_length;
                made.encoding == own.encoding && is_sized
            })
        };
        let mut sizes: Vec<i64> = Vec::new();
        // Doubled sizes come first. Other multiples follow, for problems that allow only some
        // sizes, such as squares. Halves come last.
        let larger =
            [1, 2, 4, 8].into_iter().chain(3..=16).filter_map(|times| size.checked_mul(times));
        for size in larger.chain([size / 2, size / 4]) {
            if sizes.len() < SIZES && !sizes.contains(&size) && makes(size) {
                sizes.push(size);
            }
        }
        sizes.sort_unstable();
        let values: Vec<Vec<(usize, i64)>> = sizes.iter().filter_map(|size| at(*size)).collect();
        let of = |column: usize, place: usize| {
            let key = format!("problem.{}", self.library.parameters()[place].key);
            (key, values.iter().map(|row| row[column].1).collect::<Vec<i64>>())
        };
        let (key, values) = of(0, place);
        let along = (1..).zip(along.iter()).map(|(column, place)| of(column, *place)).collect();
        (values.len() > 1).then_some(Swept { key, values, along })
    }

    /// Returns the integer parameters that have to grow with the size at this place. If the worst
    /// fitness stays the same in a problem of twice the size, it is not the size that the fitness
    /// counts: a parameter that doubles the worst fitness says how much it counts.
    fn along(&self, place: usize) -> Vec<usize> {
        let doubled = |place: usize| {
            let twice = self.integer(place)?.checked_mul(2)?;
            self.made(&[(place, twice)])?.description().worst
        };
        let Some(worst) = self.problem.description().worst.filter(|worst| *worst > 0.0) else {
            return Vec::new();
        };
        if doubled(place) != Some(worst) {
            return Vec::new();
        }
        let others = (0..self.values.len()).filter(|other| *other != place);
        others.filter(|other| doubled(*other) == Some(2.0 * worst)).collect()
    }

    /// Returns the value of an integer parameter above 0.
    fn integer(&self, place: usize) -> Option<i64> {
        match (&self.library.parameters()[place].kind, &self.values[place]) {
            (Kind::Integer { .. }, Value::Integer(value)) if *value > 0 => Some(*value),
            _ => None,
        }
    }

    /// Returns the problem with other values at these places, if there is one.
    fn made(&self, others: &[(usize, i64)]) -> Option<Problem> {
        let mut values = self.values.to_vec();
        for (place, other) in others {
            let kind = &self.library.parameters()[*place].kind;
            values[*place] = kind.check(&Value::Integer(*other)).ok()?;
        }
        self.library.create(&values).ok()
    }

    /// Returns the searches of the question.
    fn searches(&self) -> Result<Vec<Search>, String> {
        let problem = self.problem.description();
        let (usual_crossover, usual_mutation) = match problem.encoding {
            Encoding::Bits => ("uniform", "bit-flip"),
            Encoding::Integer => ("uniform", "reset"),
            Encoding::Permutation => ("order", "swap"),
            Encoding::Real => ("sbx", "polynomial"),
            Encoding::Mixed => ("uniform", "mixed"),
            Encoding::Opaque => ("problem", "problem"),
        };
        // An operator of the problem itself fits best.
        let crossover = first_fitting(Slot::Crossover, &["problem", usual_crossover], problem);
        let mutation = first_fitting(Slot::Mutation, &["problem", usual_mutation], problem);
        let mut searches = Vec::new();
        let population = (self.evaluations / 10).clamp(2, POPULATION);
        let table = |name: &str| {
            vec![
                format!("name        = \"{name}\""),
                format!("population  = {population}"),
                "selection   = { kind = \"tournament\", size = 2 }".to_owned(),
            ]
        };
        let mutates = |mutation: &str| format!("mutation    = \"{mutation}\"");
        if let Some(crossover) = crossover {
            let mut lines = table("genetic");
            lines.push(format!("crossover   = {{ kind = \"{crossover}\", rate = 0.9 }}"));
            lines.extend(mutation.map(mutates));
            lines.push("replacement = { kind = \"elitism\", count = 1 }".into());
            searches.push(Search { name: "genetic", words: "a genetic algorithm", lines });
        }
        if let Some(mutation) = mutation {
            let mut lines = table("mutation only");
            lines.push(mutates(mutation));
            lines.push(format!("replacement = {{ kind = \"plus\", offspring = {population} }}"));
            searches.push(Search {
                name: "mutation only",
                words: "an evolutionary search with mutation only",
                lines,
            });
        }
        let lines =
            vec!["name      = \"random search\"".into(), "algorithm = \"random-search\"".into()];
        searches.push(Search { name: "random search", words: "random search", lines });
        let wanted = if self.question == Question::Compare { 2 } else { 1 };
        if searches.len() < wanted {
            return Err(format!(
                "only random search works on the plugin `{}`: its encoding is {}, and it provides \
                neither crossover nor mutation; ask another question, such as --question success",
                self.library.name(),
                problem.encoding
            ));
        }
        searches.truncate(wanted);
        Ok(searches)
    }
}

/// Returns the names of the swept keys, as in "`problem.variables` and `problem.clauses`".
fn key_words(swept: &Swept) -> String {
    let keys: Vec<String> = swept.keys().map(|key| format!("`{key}`")).collect();
    listed(&keys, "and")
}

/// Returns the first of these operators that works on the problem.
fn first_fitting(
    slot: Slot,
    names: &[&'static str],
    problem: &Description,
) -> Option<&'static str> {
    names
        .iter()
        .copied()
        .find(|name| find(slot, name).is_some_and(|operator| operator.fits(slot, problem).is_ok()))
}
