//! Pictures: results as charts; charts as SVG, PNG and text.

mod chart;
mod draw;
mod fitness;
mod frame;
mod gallery;
mod heat;
mod plain;
mod rates;
mod run_length;
mod scene;
mod swept;
mod targets;
mod trial;
mod way;

pub use chart::{Axis, Body, Cells, Chart, Curve, Dot, Shape};
pub use draw::{png, svg, text, themed};
pub use gallery::{Against, Subject, gallery};
pub use trial::{Boards, board_uri, shown, trial_chart, trial_svg};
