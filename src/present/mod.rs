//! Presentation: what readers and other programs see of an experiment.

pub(crate) mod chart;
pub(crate) mod comparison;
pub(crate) mod data_table;
pub(crate) mod excerpt;
pub(crate) mod export;
pub(crate) mod format;
pub(crate) mod html;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod ranking;
pub(crate) mod row_writer;
pub(crate) mod terminal;
