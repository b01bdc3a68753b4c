//! Metadata in a table's file: the table, and its experiment, builds of the plugin and trace.

use crate::plan::ResultsSpec;
use crate::plan::budget::Budget;
use crate::plan::settings::Trace;
use crate::plan::stopping::StoppingRule;
use crate::results::schema::columns::{
    BEST_NAMED, FORMAT, GENOME, GENOME_NAMED, OLDEST, OPERATOR_COUNTS, RACE, SAVED, STANDARD_ERROR,
    SWEPT_DOC, Table,
};
use crate::results::schema::gene_runs::GeneRun;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::checksum::Checksum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Origin of a file's rows. The file's checksum covers it, so that a file of another experiment is
/// not mistaken for one of this experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub experiment: String,
    pub seed: u64,
    /// The start of a BLAKE3 of the arms and of all that the tables say of them.
    pub plan: String,
    /// BLAKE3 of each library that made trials of the file; several only where a changed plugin was
    /// accepted.
    pub plugins: BTreeSet<String>,
    /// Budget of the trials, if their seeds do not depend on it. Each trial is as it would be
    /// within this budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The file that trials were imported from, which no runner ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
}

impl Origin {
    pub(crate) fn new(spec: &ResultsSpec, plugins: BTreeSet<String>) -> Self {
        Origin {
            experiment: spec.experiment.clone(),
            seed: spec.seed,
            plan: spec.digest(),
            plugins,
            budget: spec.budget(),
            imported: None,
        }
    }

    /// Returns whether the rows are of the same trials as those of another file, whichever builds
    /// of the plugin made them.
    pub(crate) fn is_of_plan_of(&self, other: &Origin) -> bool {
        let all = |origin: &Origin| Origin { plugins: BTreeSet::new(), ..origin.clone() };
        all(self) == all(other)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { experiment, seed, plan, .. } = self;
        write!(out, "the experiment `{experiment}` with seed {seed} and plan {plan}")
    }
}

/// Metadata of a file under the key `runner`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableMetadata {
    pub table: String,
    pub format: u32,
    pub version: String,
    /// Kind of the trials' trace.
    pub trace: String,
    /// `None` in the files of earlier runners, which did not write it.
    #[serde(default)]
    origin: Option<Origin>,
    /// Checksum of the trials that a summary describes, in hex; only in a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<String>,
    /// Question that ended the trials, only in a summary; `None` if their number was fixed
    /// beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<StoppingRule>,
    /// Results hash of the trials that a summary sums up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<String>,
    /// Genes of the arms' genomes, only in trials; none if no arm has choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub genes: Vec<GeneRun>,
}

impl TableMetadata {
    pub(crate) fn new(
        table: Table,
        trace: Trace,
        origin: Origin,
        trials: Option<Checksum>,
    ) -> Self {
        TableMetadata {
            table: table.as_str().to_owned(),
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            trace: trace.as_str().to_owned(),
            origin: Some(origin),
            trials: trials.map(|checksum| checksum.to_string()),
            ended_by: None,
            results: None,
            genes: Vec::new(),
        }
    }

    /// Returns the metadata of a file whose footer has these pairs.
    pub(crate) fn of<'a>(mut pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let (_, own) = pairs.find(|(key, _)| *key == "runner")?;
        let metadata: TableMetadata = serde_json::from_str(own).ok()?;
        (!metadata.is_known() || metadata.origin.is_some()).then_some(metadata)
    }

    /// Returns whether the format is one that this runner reads.
    pub(crate) fn is_known(&self) -> bool {
        (OLDEST..=FORMAT).contains(&self.format)
    }

    pub(crate) fn origin(&self) -> &Origin {
        self.origin.as_ref().expect(
            "every file of this format has one: it was looked for when the metadata was read",
        )
    }

    /// Returns the pairs that a file with this metadata has in its footer.
    pub(crate) fn key_values(&self, table: Table, schema: &TableSchema) -> Vec<(String, String)> {
        let race = if table == Table::Summary && schema.races() { RACE } else { &[] };
        let constrained = if schema.violations { table.violation_columns() } else { &[] };
        let is_traced = |has: fn(Trace) -> bool| table == Table::Generations && has(schema.trace);
        let genome = if is_traced(Trace::has_genomes) { GENOME } else { &[] };
        let counts: &[_] = if is_traced(Trace::has_operators) { &OPERATOR_COUNTS } else { &[] };
        let errors = table == Table::Trials && schema.standard_errors;
        let errors = errors.then_some(&STANDARD_ERROR);
        let saved = (table == Table::Trials && schema.saved).then_some(&SAVED);
        let best_named = (table == Table::Trials && schema.has_names()).then_some(&BEST_NAMED);
        let genome_named = (!genome.is_empty() && schema.has_names()).then_some(&GENOME_NAMED);
        let fixed = table.columns().iter().chain(race).chain(constrained).chain(errors);
        let fixed = fixed.chain(saved).chain(best_named);
        let fixed = fixed.chain(counts).chain(genome).chain(genome_named);
        let fixed = fixed.map(|column| (column.name, column.doc));
        let swept = schema
            .swept_keys
            .iter()
            .filter(|_| table.describes_arms())
            .map(|key| (key.as_str(), SWEPT_DOC));
        // By hand: the order of a JSON map's members depends on the features that serde_json is
        // built with.
        let member = |(name, doc)| {
            format!("{}:{}", serde_json::Value::from(name), serde_json::Value::from(doc))
        };
        let docs = fixed.chain(swept).map(member).collect::<Vec<String>>().join(",");
        let own = serde_json::to_string(self).expect("metadata of strings and integers is JSON");
        vec![("runner".to_owned(), own), ("columns".to_owned(), format!("{{{docs}}}"))]
    }
}
