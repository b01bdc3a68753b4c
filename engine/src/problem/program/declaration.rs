//! JSON declarations of programs and JSON descriptions of their problems.

use crate::problem::boundary::{is_key, is_name, listed};
use crate::problem::declared::Declared;
use crate::problem::declared_operator::{DeclaredOperator, OperatorKind, RESERVED};
use crate::problem::description::{Description, Encoding, GeneKind};
use crate::problem::host::Described;
use crate::problem::mixed::{MixedGene, MixedKind};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::system::guard::Call;
use runner_plugin::abi;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::PathBuf;

/// Word of a program, among its optional calls, that `evaluate` gives the noiseless fitness.
const NOISELESS: &str = "noiseless";
/// Optional calls of a problem in a program.
const CALLS: [Call; 9] = [
    Call::Sample,
    Call::Crossover,
    Call::Mutate,
    Call::IsValid,
    Call::Render,
    Call::Enumerate,
    Call::Number,
    Call::EvaluateConstrained,
    Call::EvaluateNoisy,
];

/// Answer to `Hello`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    protocol: u64,
    name: String,
    version: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    parameters: Vec<RawParameter>,
    /// Whether the program has a problem; `None` means that it has one.
    problem: Option<bool>,
    #[serde(default)]
    operators: Vec<RawOperator>,
    /// Language and its version.
    #[serde(default)]
    about: String,
    /// Other files of the program, relative to its folder.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// Whether the program supports the request for its memory blocks.
    #[serde(default)]
    pub memory: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOperator {
    kind: String,
    name: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    source: String,
    /// Names of the supported encodings; empty for all encodings.
    #[serde(default)]
    encodings: Vec<String>,
    #[serde(default)]
    parameters: Vec<RawParameter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParameter {
    key: String,
    kind: String,
    #[serde(default)]
    doc: String,
    default: Option<serde_json::Value>,
    low: Option<serde_json::Number>,
    high: Option<serde_json::Number>,
    #[serde(default)]
    choices: Vec<String>,
    #[serde(default)]
    later: bool,
}

/// Answer to `Create`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Created {
    encoding: String,
    gene: String,
    length: u64,
    #[serde(default)]
    low: Vec<f64>,
    #[serde(default)]
    high: Vec<f64>,
    ideal: Option<f64>,
    worst: Option<f64>,
    tolerance: Option<f64>,
    space_size: Option<u64>,
    /// Genes of a mixed genome.
    #[serde(default)]
    genes: Vec<RawGene>,
    /// Optional calls that the instance supports.
    #[serde(default)]
    has: Vec<String>,
}

/// Gene of a mixed genome.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGene {
    kind: String,
    #[serde(default)]
    name: String,
    low: Option<f64>,
    high: Option<f64>,
    #[serde(default)]
    choices: Vec<String>,
}

impl Hello {
    /// Checks the program's declaration and converts it.
    ///
    /// # Errors
    /// Returns the rule that it violates.
    pub(super) fn declared(&self) -> Result<Declared, String> {
        if self.protocol != super::frame::PROTOCOL {
            return Err(format!(
                "it speaks version {} of the protocol, but this runner version {}",
                self.protocol,
                super::frame::PROTOCOL
            ));
        }
        if !is_name(&self.name) {
            return Err(format!(
                "its name is `{}`, but a name is 1 to 64 lower-case letters, digits, `-` and \
                `_`: give it one with `name` (of a problem in Python, name = \"…\" in its class; \
                without one, the name is that of the file)",
                self.name
            ));
        }
        if self.version.trim().is_empty() {
            return Err("its version is empty".to_owned());
        }
        let mut operators: Vec<DeclaredOperator> = Vec::new();
        for raw in &self.operators {
            let operator = raw.checked()?;
            operator.check_new(&operators)?;
            operators.push(operator);
        }
        let has_problem = self.problem.unwrap_or(true);
        if !has_problem && operators.is_empty() {
            return Err("it has neither a problem nor operators".to_owned());
        }
        Ok(Declared {
            name: self.name.clone(),
            version: self.version.clone(),
            summary: self.summary.clone(),
            parameters: checked(&self.parameters, &["plugin", "interpreter"])?,
            has_problem,
            operators,
            abi: (self.protocol as u32, 0),
            debug_build: false,
            language: Some(self.about.clone()).filter(|about| !about.is_empty()),
            files: self.files.clone(),
        })
    }
}

/// Checks parameters: keys must be distinct and not reserved.
fn checked(raw: &[RawParameter], reserved: &[&str]) -> Result<Vec<Parameter>, String> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for raw in raw {
        let parameter = raw.checked(reserved)?;
        if parameters.iter().any(|other| other.key == parameter.key) {
            return Err(format!("it declares the parameter `{}` twice", raw.key));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

impl RawOperator {
    fn checked(&self) -> Result<DeclaredOperator, String> {
        let RawOperator { name, summary, source, .. } = self;
        if !is_name(name) {
            return Err(format!(
                "its operator is called `{name}`, but a name is 1 to 64 lower-case letters, \
                digits, `-` and `_`"
            ));
        }
        let found = OperatorKind::parse(&self.kind);
        let kind = found.ok_or_else(|| {
            format!(
                "its operator `{name}` is of the unknown kind `{}`; there are selection, \
                crossover, mutation and algorithm",
                self.kind
            )
        })?;
        let encoding = |word: &String| {
            let found = Encoding::parse(word);
            found.ok_or_else(|| format!("its {kind} `{name}` names the unknown encoding `{word}`"))
        };
        let parameters = checked(&self.parameters, &RESERVED)
            .map_err(|rule| format!("of its {kind} `{name}`, {rule}"))?;
        Ok(DeclaredOperator {
            kind,
            name: name.clone(),
            summary: summary.clone(),
            source: source.clone(),
            encodings: self.encodings.iter().map(encoding).collect::<Result<_, _>>()?,
            parameters,
        })
    }
}

impl RawParameter {
    fn checked(&self, reserved: &[&str]) -> Result<Parameter, String> {
        let RawParameter { key, doc, .. } = self;
        if !is_key(key) || reserved.contains(&key.as_str()) {
            return Err(format!(
                "its parameter `{key}` has no good name: a key is lower-case words joined by `-` \
                or `_`, and not {}",
                listed(reserved)
            ));
        }
        let kind = self.kind()?;
        let fallback = match &self.default {
            None => Fallback::Required,
            Some(default) => {
                let value = match default {
                    serde_json::Value::Bool(value) => Some(Value::Boolean(*value)),
                    serde_json::Value::String(text) => Some(Value::Text(text.clone().into())),
                    serde_json::Value::Number(number) => number
                        .as_i64()
                        .map(Value::Integer)
                        .or_else(|| number.as_f64().map(Value::Real)),
                    _ => None,
                };
                let value = value.ok_or_else(|| {
                    format!("the default of `{key}` is {default}, which is no value of a parameter")
                })?;
                if kind == Kind::File && value != Value::Text("".into()) {
                    return Err(format!(
                        "the default of `{key}` is {value}, but a file has no default but none, \
                        an empty text"
                    ));
                }
                Fallback::Value(
                    kind.check(&value)
                        .map_err(|rule| format!("the default of `{key}`, {value}, {rule}"))?,
                )
            }
        };
        let (key, doc, later) = (key.clone().into(), doc.clone().into(), self.later);
        Ok(Parameter { key, kind, fallback, doc, later, varies: false })
    }

    fn kind(&self) -> Result<Kind, String> {
        let key = &self.key;
        let empty = || format!("the range of `{key}` is empty");
        Ok(match self.kind.as_str() {
            "integer" => {
                let number = |number: &Option<serde_json::Number>, open| match number {
                    None => Ok(open),
                    Some(number) => number.as_i64().ok_or_else(|| {
                        format!("a bound of `{key}` is {number}, but must be a whole number")
                    }),
                };
                let (low, high) = (number(&self.low, i64::MIN)?, number(&self.high, i64::MAX)?);
                if low > high {
                    return Err(empty());
                }
                Kind::Integer { low, high }
            }
            "real" => {
                let number = |number: &Option<serde_json::Number>, open: f64| {
                    number.as_ref().and_then(serde_json::Number::as_f64).unwrap_or(open)
                };
                let (low, high) = (number(&self.low, f64::MIN), number(&self.high, f64::MAX));
                if low > high {
                    return Err(empty());
                }
                Kind::real(low, high)
            }
            "boolean" => Kind::Boolean,
            "text" => Kind::Text,
            "file" => Kind::File,
            "choice" => {
                let words: Vec<Cow<'static, str>> =
                    self.choices.iter().map(|word| word.clone().into()).collect();
                let repeated = (1..words.len()).any(|at| words[..at].contains(&words[at]));
                if words.is_empty() || repeated || words.iter().any(|word| word.is_empty()) {
                    return Err(format!(
                        "the choices of `{key}` must be words, at least one and each once"
                    ));
                }
                Kind::Choice(words.into())
            }
            other => {
                return Err(format!(
                    "`{key}` is a parameter of the unknown kind `{other}`; there are integer, \
                    real, boolean, choice, text and file"
                ));
            }
        })
    }
}

/// Checks that each word is one of those allowed. An unknown one may be a slip: the problem would
/// run without this call.
fn check_optional(has: &[String], allowed: &[&str]) -> Result<(), String> {
    match has.iter().find(|word| !allowed.contains(&word.as_str())) {
        None => Ok(()),
        Some(word) => Err(format!("`has` names `{word}`, but a call is {}", listed(allowed))),
    }
}

/// Answer to `CreateOperator`.
#[derive(Default, Deserialize)]
pub(super) struct CreatedOperator {
    /// Optional calls.
    #[serde(default)]
    has: Vec<String>,
}

impl CreatedOperator {
    /// Reads the answer and returns the optional calls. Operators of older programs answer with
    /// nothing, or with JSON of any kind.
    pub(super) fn read(answer: &[u8]) -> Result<Vec<String>, String> {
        let CreatedOperator { has } = serde_json::from_slice(answer).unwrap_or_default();
        check_optional(&has, &[Call::State.name()])?;
        Ok(has)
    }
}

impl RawGene {
    /// Converts the gene at this position; its values are checked later.
    fn described((locus, raw): (usize, &RawGene)) -> Result<MixedGene, String> {
        let bound = |bound: Option<f64>| {
            bound.ok_or_else(|| format!("gene {locus} is {} without low and high", raw.kind))
        };
        let kind = match raw.kind.as_str() {
            "real" => MixedKind::Real { low: bound(raw.low)?, high: bound(raw.high)? },
            "integer" => MixedKind::Integer { low: bound(raw.low)?, high: bound(raw.high)? },
            "choice" => MixedKind::Choice(raw.choices.clone()),
            "bit" => MixedKind::Bit,
            other => {
                return Err(format!(
                    "gene {locus} is of the unknown kind `{other}`; there are real, integer, \
                    choice and bit"
                ));
            }
        };
        Ok(MixedGene { name: raw.name.clone(), kind })
    }

    /// Returns the gene in the format of requests to operators.
    fn json(gene: &MixedGene) -> serde_json::Value {
        let name = &gene.name;
        match &gene.kind {
            MixedKind::Real { low, high } => {
                serde_json::json!({ "kind": "real", "name": name, "low": low, "high": high })
            }
            MixedKind::Integer { low, high } => {
                serde_json::json!({ "kind": "integer", "name": name, "low": low, "high": high })
            }
            MixedKind::Choice(words) => {
                serde_json::json!({ "kind": "choice", "name": name, "choices": words })
            }
            MixedKind::Bit => serde_json::json!({ "kind": "bit", "name": name }),
        }
    }
}

impl Created {
    /// Returns the optional calls.
    pub(super) fn optional(&self) -> Result<&[String], String> {
        let names = CALLS.map(Call::name);
        check_optional(&self.has, &[&names[..], &[NOISELESS]].concat())?;
        Ok(&self.has)
    }

    /// Returns the code of the noise, which the optional calls state.
    fn noise(&self) -> u64 {
        let has = |call: &str| self.has.iter().any(|has| has == call);
        match (has(Call::EvaluateNoisy.name()), has(NOISELESS)) {
            (false, _) => abi::RUNNER_EXACT,
            (true, false) => abi::RUNNER_NOISY,
            (true, true) => abi::RUNNER_NOISELESS,
        }
    }

    /// Converts the description and checks it as far as calls require.
    ///
    /// # Errors
    /// Returns the rule that it violates.
    pub(super) fn described(&self) -> Result<Described, String> {
        let encoding = match self.encoding.as_str() {
            "integer" => abi::RUNNER_ENCODING_INTEGER,
            "permutation" => abi::RUNNER_ENCODING_PERMUTATION,
            "bits" => abi::RUNNER_ENCODING_BITS,
            "real" => abi::RUNNER_ENCODING_REAL,
            "opaque" => abi::RUNNER_ENCODING_OPAQUE,
            "mixed" => abi::RUNNER_ENCODING_MIXED,
            other => return Err(format!("the encoding is `{other}`, which is unknown")),
        };
        let gene = match self.gene.as_str() {
            "u8" => GeneKind::U8,
            "u16" => GeneKind::U16,
            "u32" => GeneKind::U32,
            "f64" => GeneKind::F64,
            other => return Err(format!("the kind of gene is `{other}`, which is unknown")),
        };
        if self.length == 0 || self.length > u64::from(u32::MAX) {
            return Err(format!("the genome length is {}, outside 1 to {}", self.length, u32::MAX));
        }
        let bounds = (self.low.len(), self.high.len());
        if bounds.0 != bounds.1 || !(bounds.0 <= 1 || bounds.0 as u64 == self.length) {
            return Err(format!(
                "there are {} lower and {} upper bounds for {} genes; give none, one, or one per \
                gene",
                bounds.0, bounds.1, self.length
            ));
        }
        Ok(Described {
            encoding,
            gene,
            genome_length: self.length as usize,
            low: self.low.clone(),
            high: self.high.clone(),
            ideal: self.ideal.unwrap_or(f64::NAN),
            worst: self.worst.unwrap_or(f64::NAN),
            space_size: self.space_size.unwrap_or(0),
            tolerance: self.tolerance.unwrap_or(f64::NAN),
            state_size: 0,
            move_kinds: 0,
            noise: self.noise(),
            mixed: self
                .genes
                .iter()
                .enumerate()
                .map(RawGene::described)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Formats the request body of `CreateOperator` as JSON.
pub(super) fn operator_as_json(
    operator: &DeclaredOperator,
    values: &[Value],
    problem: &Description,
) -> String {
    let (low, high) = problem.bounds.ends();
    let mut asked = serde_json::json!({
        "kind": operator.kind.as_str(),
        "name": operator.name,
        "parameters": values_by_key(&operator.parameters, values),
        "problem": {
            "encoding": problem.encoding.as_str(),
            "gene": problem.gene.as_str(),
            "length": problem.genome_length,
            "low": low,
            "high": high,
            "ideal": problem.ideal,
            "worst": problem.worst,
        },
    });
    let genes = problem.bounds.mixed();
    if !genes.is_empty() {
        asked["problem"]["genes"] = genes.iter().map(RawGene::json).collect();
    }
    asked.to_string()
}

/// Formats the values of parameters as JSON for `Create`.
pub(super) fn values_as_json(parameters: &[Parameter], values: &[Value]) -> String {
    values_by_key(parameters, values).to_string()
}

fn values_by_key(parameters: &[Parameter], values: &[Value]) -> serde_json::Value {
    let value = |value: &Value| match value {
        Value::Integer(number) => serde_json::Value::from(*number),
        Value::Real(number) => serde_json::Value::from(*number),
        Value::Boolean(value) => serde_json::Value::from(*value),
        Value::Text(text) => serde_json::Value::from(text.as_ref()),
        Value::File(file) => serde_json::Value::from(file.path.as_str()),
    };
    let all: serde_json::Map<String, serde_json::Value> = parameters
        .iter()
        .zip(values)
        .map(|(parameter, one)| (parameter.key.to_string(), value(one)))
        .collect();
    serde_json::Value::from(all)
}
