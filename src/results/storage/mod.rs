//! The results folder: files that appear whole or not at all, the journal, and recovery.

pub(crate) mod file;
pub(crate) mod finished;
pub(crate) mod folder;
pub(crate) mod journal;
pub(crate) mod label;
pub(crate) mod merge;
pub mod outlet;
pub(crate) mod plan_file;
pub(crate) mod provenance;
pub(crate) mod reader;
pub(crate) mod regular;
pub(crate) mod roll;
pub(crate) mod seal;
pub(crate) mod store;
pub(crate) mod summary;
pub(crate) mod triage;
