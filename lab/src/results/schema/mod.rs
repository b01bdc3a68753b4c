//! The schema of the tables: their columns, and rows to data frames and back.

pub mod columns;
pub(crate) mod entry_format;
pub(crate) mod gene_runs;
pub(crate) mod row;
pub(crate) mod summary;
pub(crate) mod table_schema;
