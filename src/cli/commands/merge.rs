//! `runner merge`: merges shards into the tables of one experiment.

use super::load::expanded;
use super::output::{line, put};
use crate::cli::Failure;
use crate::cli::arguments::MergeArguments;
use crate::exit::Exit;
use crate::present::summary::summary_table;
use crate::present::terminal;
use crate::results::{Merged, MergedForm, merge_shards};

pub(super) fn merge(arguments: &MergeArguments) -> Result<Exit, Failure> {
    let form = if arguments.partitioned { MergedForm::Pieces } else { MergedForm::Files };
    let shards = expanded(&arguments.shards);
    let Merged { folder, summary, notices } =
        merge_shards(&shards, &arguments.out, form, arguments.accept_plugin_change)?;
    notices.iter().for_each(|notice| message!("{notice}"));
    line!("{}", summary_table(&summary, terminal::width()).trim_end());
    let tables = if arguments.partitioned { "*/*.parquet" } else { "*.parquet" };
    line!("Tables: {}", folder.join(tables).display());
    put(&terminal::hash_line(&summary));
    let failed: u64 = summary.rows.iter().map(|row| row.figures.failures).sum();
    Ok(if failed > 0 { Exit::SomeFailed } else { Exit::Done })
}
