//! Values: what an operator is made from, and what to say where it cannot be made.

use super::registry::Operator;
use crate::problem::parameter::{Fallback, Parameter, Value};
use crate::problem::section::{Key, Section};
use crate::problem::{Description, PluginOperator};
use std::iter;

/// Makes an operator from its parameters' values for a population and a problem. Works out the
/// values that follow from the rest, and leaves out those that mean nothing.
pub type Make<T> = fn(&mut Values, Context<'_>) -> Result<T, Complaint>;

/// What operators are made for.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Individuals.
    pub population: usize,
    /// What the problem says of itself.
    pub problem: &'a Description,
    /// The operator of a plugin that is meant; none: one of the registry.
    pub operator: Option<&'a PluginOperator>,
}

impl<'a> Context<'a> {
    /// For operators of the registry.
    #[must_use]
    pub fn new(population: usize, problem: &'a Description) -> Self {
        Context { population, problem, operator: None }
    }

    /// A share of the population in whole individuals, halves rounded up.
    ///
    /// # Errors
    /// A share above 0 that comes to nobody; it blames the parameter `share`.
    pub fn whole_parents(&self, share: f64) -> Result<usize, Complaint> {
        let population = self.population;
        let count = (share * population as f64).round() as usize;
        if count == 0 && share > 0.0 {
            return Err(Complaint::of(
                "share",
                format!("a share of {share} of a population of {population} rounds to no parents"),
                format!(
                    "choose a share of at least {}, or a larger population",
                    1.0 / population as f64
                ),
            ));
        }
        Ok(count)
    }

    /// For operators that make sense only where fitness is at least 0.
    ///
    /// # Errors
    /// If the problem states an ideal below 0.
    pub fn demand_fitness_from_zero(&self, operator: &str, help: &str) -> Result<(), Complaint> {
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

/// A rule that a combination of values breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The parameter to blame; none: the operator itself.
    pub key: Option<&'static str>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// The way out.
    pub help: String,
}

impl Complaint {
    /// Of the operator itself.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: None, message: message.into(), help: help.into() }
    }

    /// Of one parameter.
    pub fn of(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: Some(key), ..Complaint::new(message, help) }
    }
}

/// The values of an operator's parameters, each within its range: what the user gave, else the
/// default. A default that follows from the rest is missing until the constructor works it out.
#[derive(Clone, Debug)]
pub struct Values {
    operator: &'static Operator,
    /// One per parameter.
    values: Vec<Option<Value>>,
}

impl Values {
    /// What `given` gives, else the defaults.
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
        Values { operator, values: operator.parameters.iter().map(value).collect() }
    }

    /// The operator's name.
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

    /// A real number, where it is given or has a plain default.
    #[must_use]
    pub fn given_real(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Real(number) => Some(*number),
            other => panic!("{} declares `{key}` real, and it is {other}", self.operator.name),
        }
    }

    /// An integer of at least 0, where it is given or has a plain default.
    #[must_use]
    pub fn given_count(&self, key: &str) -> Option<usize> {
        match self.get(key)? {
            Value::Integer(number) => usize::try_from(*number).ok(),
            other => panic!("{} declares `{key}` integer, and it is {other}", self.operator.name),
        }
    }

    /// A real number that has a plain default.
    #[must_use]
    pub fn real(&self, key: &str) -> f64 {
        self.given_real(key).expect("a parameter with a plain default has a value")
    }

    /// An integer of at least 0 that has a plain default.
    #[must_use]
    pub fn count(&self, key: &str) -> usize {
        self.given_count(key).expect("a parameter with a plain default has a value")
    }

    /// Whether a parameter with a plain default holds.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Boolean(true))
    }

    /// The name of a choice that has a plain default.
    #[must_use]
    pub fn choice(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Value::Text(word)) => word,
            other => panic!("{} declares `{key}` a choice, not {other:?}", self.operator.name),
        }
    }

    /// The name of a choice, where it is given or has a plain default.
    #[must_use]
    pub fn given_choice(&self, key: &str) -> Option<&str> {
        self.get(key).map(|_| self.choice(key))
    }

    /// Sets a value that follows from the rest.
    pub fn settle(&mut self, key: &str, value: Value) {
        let place = self.place(key);
        self.values[place] = Some(value);
    }

    /// The same for an integer.
    pub fn settle_count(&mut self, key: &str, count: usize) {
        self.settle(key, Value::Integer(count as i64));
    }

    /// Leaves out a value that means nothing beside the others.
    pub fn leave_out(&mut self, key: &str) {
        let place = self.place(key);
        self.values[place] = None;
    }

    /// The operator's name as `kind` and the values that are there, in the order of the
    /// declaration: what the tables' settings show and what fingerprints cover.
    #[must_use]
    pub fn section(self) -> Section {
        let kind = (Key::from("kind"), Value::Text(self.operator.name.into()));
        iter::once(kind).chain(self.pairs()).collect()
    }

    /// The same of an operator of a plugin: plugin, version and operator, the values that are here
    /// (how often it is used), and those of its own parameters.
    #[must_use]
    pub fn section_of_plugin(self, operator: &PluginOperator) -> Section {
        let (library, declared) = (operator.library(), operator.declared());
        let named = [
            ("plugin", library.name()),
            ("version", library.version()),
            ("operator", &declared.name),
        ];
        let named = named.map(|(key, text)| (Key::from(key), Value::Text(text.to_owned().into())));
        let keys = declared.parameters.iter().map(|parameter| parameter.key.clone());
        let own = keys.zip(operator.values().iter().cloned());
        named.into_iter().chain(self.pairs()).chain(own).collect()
    }

    /// The values that are there, by their keys.
    fn pairs(self) -> impl Iterator<Item = (Key, Value)> {
        let keys = self.operator.parameters.iter().map(|parameter| parameter.key.clone());
        keys.zip(self.values).filter_map(|(key, value)| Some((key, value?)))
    }
}
