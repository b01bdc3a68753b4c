//! The results folder: files that appear whole or not at all, the journal, and recovery.

pub(crate) mod ahead;
pub(crate) mod atomic;
pub(crate) mod attempt;
pub(crate) mod checksum;
pub(crate) mod completeness;
pub(crate) mod entry;
pub(crate) mod finished;
pub(crate) mod folder;
pub(crate) mod frame;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod merge;
pub(crate) mod metadata;
pub mod output_folder;
pub(crate) mod plan_file;
pub(crate) mod provenance;
pub(crate) mod quarantine;
pub(crate) mod reader;
pub(crate) mod recovery;
pub(crate) mod round_file;
pub(crate) mod segment;
pub(crate) mod start_file;
pub(crate) mod store;
pub(crate) mod summary;
pub(crate) mod table_rows;
pub(crate) mod writer;
