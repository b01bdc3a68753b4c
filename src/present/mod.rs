//! Presentation: what readers and other programs see of an experiment.

pub mod chart;
pub mod comparison;
pub mod data_table;
pub mod export;
pub mod format;
pub mod html;
pub mod names;
pub mod terminal;
