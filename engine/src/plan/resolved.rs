//! Resolved settings: the complete settings of an arm, written as TOML and read back.

use super::settings::Pairing;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section, Setting};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Complete settings of an arm, as in the tables' column `settings`: a config of this one arm. Arms
/// share equal sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whether arms share their seeds.
    pub pairing: Pairing,
    /// Plugin, then its parameters.
    pub problem: Arc<Section>,
    /// Name of the operator set; it affects no trial.
    pub name: Arc<str>,
    /// Population, operator of each slot, and mix.
    pub operators: Arc<Section>,
    /// The stop rules.
    pub stop: Arc<Section>,
    /// Given genomes of the first population, by their hash; `None` if all are drawn.
    pub start: Option<Arc<Section>>,
}

const COMMON: &str = "pairing = \"common\"\n\n";
const PROBLEM: &str = "[problem]\n";
const OPERATORS: &str = "\n[[operators]]\n";
const STOP: &str = "\n[stop]\n";
const START: &str = "\n[start]\n";

/// Returns the text of settings in pieces, made from the texts of their sections. With an empty
/// `name`, it is the text that the fingerprint covers.
pub(super) fn pieces<'a>(
    pairing: Pairing,
    problem: &'a str,
    name: &'a str,
    operators: &'a str,
    stop: &'a str,
    start: &'a str,
) -> [&'a str; 10] {
    let pairing = if pairing == Pairing::Common { COMMON } else { "" };
    let given = if start.is_empty() { "" } else { START };
    [pairing, PROBLEM, problem, OPERATORS, name, operators, STOP, stop, given, start]
}

/// Returns the part of the text of settings that identifies the problem.
pub(super) fn problem_pieces(problem: &str) -> [&str; 2] {
    [PROBLEM, problem]
}

impl Settings {
    /// Returns the settings as a config.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let [problem, operators, stop] =
            [&self.problem, &self.operators, &self.stop].map(|section| section.to_string());
        let name = (Key::from("name"), Value::Text(self.name.to_string().into()));
        let name = Section::from_iter([name]);
        let start = self.start.as_ref().map(ToString::to_string).unwrap_or_default();
        pieces(self.pairing, &problem, &name.to_string(), &operators, &stop, &start).concat()
    }

    /// Returns a text that identifies the problem and whether its trials are paired. Arms with
    /// different texts cannot be compared.
    #[must_use]
    pub fn problem_toml(&self) -> String {
        pieces(self.pairing, &self.problem.to_string(), "", "", "", "")[..3].concat()
    }

    /// Returns the value of a key as a sweep names it, such as `problem.n` or
    /// `operators.selection.size`. `None` if the arm has no such setting. The value of an operator
    /// that is swept by its name is its `kind`.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&Value> {
        let (section, rest) = key.split_once('.')?;
        let mut section: &Section = match section {
            "problem" => &self.problem,
            "operators" => &self.operators,
            "stop" => &self.stop,
            _ => return None,
        };
        let mut steps = rest.split('.');
        loop {
            match (section.get(steps.next().unwrap_or("kind"))?, steps.clone().next()) {
                (Setting::Value(value), None) => return Some(value),
                (Setting::Value(_), Some(_)) => return None,
                (Setting::Section(inner), _) => section = inner,
            }
        }
    }

    /// Returns the fitness at which a trial succeeds; `None` if there is no target.
    #[must_use]
    pub fn target(&self) -> Option<f64> {
        self.stop.get("fitness")?.as_number()
    }

    /// Returns whether a trial can be successful. This is so if there is a target, or if another
    /// program reported the success of each trial. Such imported arms have no `on-success`.
    #[must_use]
    pub fn defines_success(&self) -> bool {
        self.target().is_some() || self.stop.get("on-success").is_none()
    }

    /// Returns the maximum number of evaluations of a trial; `None` if unlimited.
    #[must_use]
    pub fn evaluations(&self) -> Option<u64> {
        match self.stop.get("evaluations")? {
            Setting::Value(Value::Integer(count)) => u64::try_from(*count).ok(),
            _ => None,
        }
    }

    /// Returns the maximum number of seconds of a trial; `None` if unlimited.
    #[must_use]
    pub fn trial_seconds(&self) -> Option<f64> {
        self.stop.get("trial-seconds")?.as_number()
    }

    /// Returns every value as TOML by its full key, such as `operators.mutation.rate`. The operator
    /// set's name is left out.
    #[must_use]
    pub fn flat(&self) -> BTreeMap<String, String> {
        let mut flat = BTreeMap::new();
        if self.pairing == Pairing::Common {
            flat.insert("pairing".to_owned(), Value::Text("common".into()).to_string());
        }
        self.problem.flatten("problem", &mut flat);
        self.operators.flatten("operators", &mut flat);
        self.stop.flatten("stop", &mut flat);
        self.start.iter().for_each(|start| start.flatten("start", &mut flat));
        flat
    }
}

/// Reader of the settings of many arms. Sections with the same text are shared.
#[derive(Debug, Default)]
pub struct SettingsReader {
    sections: HashMap<String, Arc<Section>>,
    names: HashMap<String, Arc<str>>,
}

impl SettingsReader {
    /// Reads the text that [`Settings::to_toml`] returns; `None` if the text has another form.
    pub fn read(&mut self, text: &str) -> Option<Settings> {
        let (pairing, text) = match text.strip_prefix(COMMON) {
            Some(rest) => (Pairing::Common, rest),
            None => (Pairing::Independent, text),
        };
        let (problem, rest) = text.strip_prefix(PROBLEM)?.split_once(OPERATORS)?;
        let (operators, stop) = rest.split_once(STOP)?;
        let (stop, start) = match stop.split_once(START) {
            Some((stop, start)) => (stop, Some(self.section(start)?)),
            None => (stop, None),
        };
        let (name, operators) = operators.split_at(operators.find('\n')? + 1);
        Some(Settings {
            pairing,
            problem: self.section(problem)?,
            name: self.name(name)?,
            operators: self.section(operators)?,
            stop: self.section(stop)?,
            start,
        })
    }

    fn section(&mut self, lines: &str) -> Option<Arc<Section>> {
        if let Some(section) = self.sections.get(lines) {
            return Some(Arc::clone(section));
        }
        let section = Arc::new(Section::parse(lines)?);
        self.sections.insert(lines.to_owned(), Arc::clone(&section));
        Some(section)
    }

    fn name(&mut self, line: &str) -> Option<Arc<str>> {
        if let Some(name) = self.names.get(line) {
            return Some(Arc::clone(name));
        }
        let name = Arc::from(Section::parse(line)?.get("name")?.as_text()?);
        self.names.insert(line.to_owned(), Arc::clone(&name));
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<Settings> {
        SettingsReader::default().read(text)
    }

    const TEXT: &str = "pairing = \"common\"\n\n[problem]\nplugin = \"onemax\"\nn = 20\n\n\
        [[operators]]\nname = \"two\\nlines\"\npopulation = 10\nselection = { kind = \
        \"tournament\", size = 2 }\nmix = { clone = 0.5, crossover = 0.5, mutate = 0.0 }\n\n\
        [stop]\nfitness = 1e-7\non-success = \"stop\"\n";

    #[test]
    fn settings_are_read_as_they_are_written() {
        let settings = read(TEXT).expect("settings");
        assert_eq!(settings.to_toml(), TEXT);
        assert_eq!((settings.pairing, &*settings.name), (Pairing::Common, "two\nlines"));
        assert_eq!(settings.target(), Some(1e-7));
        let flat: Vec<String> =
            settings.flat().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(
            flat.join(" "),
            "operators.mix.clone=0.5 operators.mix.crossover=0.5 operators.mix.mutate=0.0 \
            operators.population=10 operators.selection.kind=\"tournament\" \
            operators.selection.size=2 pairing=\"common\" problem.n=20 problem.plugin=\"onemax\" \
            stop.fitness=1e-7 stop.on-success=\"stop\""
        );
        assert_eq!(
            settings.problem_toml(),
            "pairing = \"common\"\n\n[problem]\nplugin = \"onemax\"\nn = 20\n"
        );
    }

    #[test]
    fn arms_share_sections_of_the_same_text() {
        let mut reader = SettingsReader::default();
        let one = reader.read(TEXT).expect("settings");
        let other = reader.read(&TEXT.replace("n = 20", "n = 21")).expect("settings");
        assert!(Arc::ptr_eq(&one.operators, &other.operators));
        assert!(Arc::ptr_eq(&one.stop, &other.stop) && Arc::ptr_eq(&one.name, &other.name));
        assert_ne!(one.problem, other.problem);
    }

    #[test]
    fn other_texts_are_no_settings() {
        let broken = [
            String::new(),
            TEXT.replace("[stop]\n", "stop\n"),
            TEXT.replace("n = 20", "n = [20]"),
            TEXT.replace("n = 20", "n = "),
            TEXT.replace("name = ", "names = "),
            format!("seed = 1\n{TEXT}"),
        ];
        assert!(broken.iter().all(|text| read(text).is_none()));
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::Integer),
            any::<f64>().prop_filter("finite", |real| real.is_finite()).prop_map(Value::Real),
            any::<bool>().prop_map(Value::Boolean),
            any::<String>().prop_map(|text| Value::Text(text.into())),
        ]
    }

    fn section() -> impl Strategy<Value = Section> {
        let pairs = |values: Vec<Value>| {
            let keys = (0..).map(|place| Key::from(format!("key_{place}")));
            keys.zip(values).collect::<Section>()
        };
        let below = prop::collection::vec(value(), 0..3).prop_map(pairs);
        let setting =
            prop_oneof![value().prop_map(Setting::Value), below.prop_map(Setting::Section)];
        prop::collection::vec(setting, 0..4).prop_map(|settings| {
            let keys = (0..).map(|place| Key::from(format!("key-{place}")));
            keys.zip(settings).collect()
        })
    }

    proptest! {
        #[test]
        fn whatever_is_written_reads_back(
            problem in section(), operators in section(), stop in section(), name: String,
            start in prop::option::of(section().prop_filter("not empty", |start| {
                !start.to_string().is_empty()
            })),
        ) {
            let settings = Settings {
                pairing: Pairing::Independent,
                problem: problem.into(),
                name: name.into(),
                operators: operators.into(),
                stop: stop.into(),
                start: start.map(Arc::new),
            };
            let text = settings.to_toml();
            let again = read(&text).expect("settings");
            prop_assert_eq!(&again, &settings);
            prop_assert_eq!(again.to_toml(), text);
        }
    }
}
