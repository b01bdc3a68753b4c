//! Parameter values from which an operator is made, and errors for invalid combinations.

use super::operator::Operator;
use super::schedule::Schedule;
use crate::problem::parameter::{Fallback, Parameter, Value};
use crate::problem::section::{Key, Section, Setting};
use crate::problem::{Description, PluginOperator};
use std::iter;

/// Constructor of an operator from its parameter values, for a population and a problem. Fills in
/// derived values and leaves out values that have no effect.
pub type Make<T> = fn(&mut Values, Context<'_>) -> Result<T, Complaint>;

/// Population and problem for which an operator is made.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Number of individuals.
    pub population: usize,
    /// Description of the problem.
    pub problem: &'a Description,
    /// Operator of a plugin to make; `None` if the operator is one of the registry.
    pub operator: Option<&'a PluginOperator>,
}

/// Converts a share of some individuals to whole ones, halves rounded up.
pub(super) fn whole_share(share: f64, individuals: usize) -> usize {
    (share * individuals as f64).round() as usize
}

impl<'a> Context<'a> {
    /// Creates a context for operators of the registry.
    #[must_use]
    pub fn new(population: usize, problem: &'a Description) -> Self {
        Context { population, problem, operator: None }
    }

    /// Converts a share of the population to whole individuals, halves rounded up.
    ///
    /// # Errors
    /// Returns an error for the parameter `share` if a share above 0 rounds to no individuals.
    pub fn whole_parents(&self, share: f64) -> Result<usize, Complaint> {
        let population = self.population;
        let count = whole_share(share, population);
        if count == 0 && share > 0.0 {
            return Err(Complaint::of(
                "share",
                format!("a share of {share} of a population of {population} rounds to no parents"),
                format!(
                    "choose a share of at least {}, or a larger population",
                    0.5 / population as f64
                ),
            ));
        }
        Ok(count)
    }

    /// Checks that fitness is at least 0, for operators that require it.
    ///
    /// # Errors
    /// Returns an error if the problem states an ideal below 0.
    pub fn require_nonnegative_fitness(&self, operator: &str, help: &str) -> Result<(), Complaint> {
        match self.problem.ideal {
            Some(ideal) if ideal < 0.0 => Err(Complaint::new(
                format!(
                    "`{operator}` needs fitness of at least 0, and the problem's ideal is {ideal}"
                ),
                help,
            )),
            _ => Ok(()),
        }
    }
}

/// Error for values that break a rule in combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Parameter that causes the error; `None` if it is the operator itself.
    pub key: Option<&'static str>,
    /// Description of the error, as a sentence without a full stop.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl Complaint {
    /// Creates an error about the operator itself.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: None, message: message.into(), help: help.into() }
    }

    /// Creates an error about one parameter.
    pub fn of(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: Some(key), ..Complaint::new(message, help) }
    }
}

/// Values of an operator's parameters, each within its range: given by the user, or else the
/// default. A derived default is missing until the constructor computes it.
#[derive(Clone, Debug)]
pub struct Values {
    operator: &'static Operator,
    /// One value per parameter; `None` if it is derived and not yet computed, or left out. The
    /// greatest value of a parameter that changes.
    values: Vec<Option<Value>>,
    /// One schedule per parameter; `None` if it does not change.
    schedules: Vec<Option<Schedule>>,
}

impl Values {
    /// Collects the values that `given` returns, or else the defaults.
    pub fn new(
        operator: &'static Operator,
        mut given: impl FnMut(&'static Parameter) -> Option<Value>,
    ) -> Self {
        let value = |parameter: &'static Parameter| {
            given(parameter).or_else(|| match &parameter.fallback {
                Fallback::Value(value) => Some(value.clone()),
                Fallback::Required | Fallback::Derived(_) => None,
            })
        };
        let schedules = vec![None; operator.parameters.len()];
        Values { operator, values: operator.parameters.iter().map(value).collect(), schedules }
    }

    /// Returns the values with this schedule for a parameter.
    #[must_use]
    pub fn with_schedule(mut self, key: &str, schedule: Schedule) -> Self {
        let place = self.place(key);
        self.values[place] = Some(Value::Real(schedule.greatest()));
        self.schedules[place] = Some(schedule);
        self
    }

    /// Returns the schedule of a parameter; `None` if the operator has no such parameter, or if it
    /// does not change.
    #[must_use]
    pub fn schedule(&self, key: &str) -> Option<Schedule> {
        let mut schedules = self.operator.parameters.iter().zip(&self.schedules);
        schedules.find(|(parameter, _)| parameter.key == key).and_then(|(_, schedule)| *schedule)
    }

    /// Returns the operator's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.operator.name
    }

    fn place(&self, key: &str) -> usize {
        let place = self.operator.parameters.iter().position(|parameter| parameter.key == key);
        place.unwrap_or_else(|| panic!("{} declares no parameter `{key}`", self.operator.name))
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.values[self.place(key)].as_ref()
    }

    /// Returns a real number; `None` if it is neither given nor has a constant default.
    #[must_use]
    pub fn given_real(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Real(number) => Some(*number),
            other => panic!("{} declares `{key}` real, and it is {other}", self.operator.name),
        }
    }

    /// Returns an integer of at least 0; `None` if it is neither given nor has a constant default.
    #[must_use]
    pub fn given_count(&self, key: &str) -> Option<usize> {
        match self.get(key)? {
            Value::Integer(number) => usize::try_from(*number).ok(),
            other => panic!("{} declares `{key}` integer, and it is {other}", self.operator.name),
        }
    }

    /// Returns a real number that has a constant default.
    #[must_use]
    pub fn real(&self, key: &str) -> f64 {
        self.given_real(key).expect("a parameter with a plain default has a value")
    }

    /// Returns an integer of at least 0 that has a constant default.
    #[must_use]
    pub fn count(&self, key: &str) -> usize {
        self.given_count(key).expect("a parameter with a plain default has a value")
    }

    /// Returns whether a Boolean parameter with a constant default is true.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Boolean(true))
    }

    /// Returns the name of a choice that has a constant default.
    #[must_use]
    pub fn choice(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Value::Text(word)) => word,
            other => panic!("{} declares `{key}` a choice, not {other:?}", self.operator.name),
        }
    }

    /// Returns the name of a choice; `None` if it is neither given nor has a constant default.
    #[must_use]
    pub fn given_choice(&self, key: &str) -> Option<&str> {
        self.get(key).map(|_| self.choice(key))
    }

    /// Sets a derived value.
    pub fn settle(&mut self, key: &str, value: Value) {
        let place = self.place(key);
        self.values[place] = Some(value);
    }

    /// Sets a derived integer.
    pub fn settle_count(&mut self, key: &str, count: usize) {
        self.settle(key, Value::Integer(count as i64));
    }

    /// Removes a value that has no effect given the others.
    pub fn leave_out(&mut self, key: &str) {
        let place = self.place(key);
        self.values[place] = None;
        self.schedules[place] = None;
    }

    /// Returns the operator's name as `kind` and the present values, in declaration order. Settings
    /// in tables show this section, and fingerprints cover it.
    #[must_use]
    pub fn section(self) -> Section {
        let name = Value::Text(self.operator.name.into());
        let kind = (Key::from("kind"), Setting::Value(name));
        iter::once(kind).chain(self.pairs()).collect()
    }

    /// Returns the section of the operator in this context: that of the plugin's operator, if there
    /// is one.
    #[must_use]
    pub fn section_in(self, context: Context<'_>) -> Section {
        match context.operator {
            Some(operator) => self.section_of_plugin(operator),
            None => self.section(),
        }
    }

    /// Returns the section for an operator of a plugin. It contains plugin, version and operator,
    /// the present values of the entry (such as its rate), and the values of the operator's own
    /// parameters.
    fn section_of_plugin(self, operator: &PluginOperator) -> Section {
        let (library, declared) = (operator.library(), operator.declared());
        let named = [
            ("plugin", library.name()),
            ("version", library.version()),
            ("operator", &declared.name),
        ];
        let value = |(key, value)| (key, Setting::Value(value));
        let named = named.map(|(key, text)| (Key::from(key), Value::Text(text.to_owned().into())));
        let keys = declared.parameters.iter().map(|parameter| parameter.key.clone());
        let own = keys.zip(operator.values().iter().map(Value::resolved));
        named.into_iter().map(value).chain(self.pairs()).chain(own.map(value)).collect()
    }

    /// Returns the present values and schedules with their keys.
    fn pairs(self) -> impl Iterator<Item = (Key, Setting)> {
        let keys = self.operator.parameters.iter().map(|parameter| parameter.key.clone());
        let settings = self.values.into_iter().zip(self.schedules);
        keys.zip(settings).filter_map(|(key, (value, schedule))| match schedule {
            Some(schedule) => Some((key, Setting::Section(schedule.section()))),
            None => Some((key, Setting::Value(value?))),
        })
    }
}
