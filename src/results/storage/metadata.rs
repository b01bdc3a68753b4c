//! What a table's file says of itself: which table it is, and of which experiment, build of the
//! plugin and trace.

use crate::plan::ResultsSpec;
use crate::plan::budget::Budget;
use crate::plan::settings::Trace;
use crate::plan::stopping::StoppingRule;
use crate::results::schema::columns::{FORMAT, GENOME, OLDEST, RACE, SWEPT_DOC, Table};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::checksum::Checksum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Where a file's rows come from. It lies under the file's checksum, so that no foreign file is
/// taken for one's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub experiment: String,
    pub seed: u64,
    /// The start of a BLAKE3 of the arms and of all that the tables say of them.
    pub plan: String,
    /// BLAKE3 of each library that made trials of the file; several only where a changed plugin was
    /// accepted.
    pub plugins: BTreeSet<String>,
    /// What the trials ran with, where their seeds do not follow from it: each is what it would be
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
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { experiment, seed, plan, .. } = self;
        write!(out, "the experiment `{experiment}` with seed {seed} and plan {plan}")
    }
}

/// What the file says of itself under the key `runner`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableMetadata {
    pub table: String,
    pub format: u32,
    pub version: String,
    /// What the trials' trace holds.
    pub trace: String,
    /// None in the files of runners that did not say.
    #[serde(default)]
    origin: Option<Origin>,
    /// Of a summary: the checksum of the trials that it sums up, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<String>,
    /// Of a summary: the question that ended the trials; none where their number was fixed
    /// beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<StoppingRule>,
    /// Results hash of the trials that a summary sums up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<String>,
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
        }
    }

    /// That of a file whose footer has these pairs.
    pub(crate) fn of<'a>(mut pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let (_, own) = pairs.find(|(key, _)| *key == "runner")?;
        let metadata: TableMetadata = serde_json::from_str(own).ok()?;
        (!metadata.is_known() || metadata.origin.is_some()).then_some(metadata)
    }

    /// Whether it is of a format that this runner reads.
    pub(crate) fn is_known(&self) -> bool {
        (OLDEST..=FORMAT).contains(&self.format)
    }

    pub(crate) fn origin(&self) -> &Origin {
        self.origin.as_ref().expect(
            "every file of this format has one: it was looked for when the metadata was read",
        )
    }

    /// The pairs that a file with this metadata has in its footer.
    pub(crate) fn key_values(&self, table: Table, schema: &TableSchema) -> Vec<(String, String)> {
        let race = if table == Table::Summary && schema.races() { RACE } else { &[] };
        let constrained = if schema.violations { table.violation_columns() } else { &[] };
        let traced = table == Table::Generations && schema.trace == Trace::Genomes;
        let genome = if traced { GENOME } else { &[] };
        let fixed = table.columns().iter().chain(race).chain(constrained).chain(genome);
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
