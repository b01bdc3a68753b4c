//! Presentation: output of an experiment for readers and other programs.

pub(crate) mod answer;
pub(crate) mod arms;
pub(crate) mod chart;
pub(crate) mod comparison;
pub(crate) mod excerpt;
pub(crate) mod export;
pub(crate) mod format;
pub(crate) mod html;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod pairs;
pub(crate) mod ranking;
pub(crate) mod references;
pub(crate) mod report;
pub(crate) mod summary;
pub(crate) mod terminal;
pub(crate) mod times;
