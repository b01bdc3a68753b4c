//! Pictures: results as charts; charts as SVG, PNG and text.

mod draw;
mod fitness;
mod frame;
mod gallery;
mod heat;
mod model;
mod plain;
mod rates;
mod run_length;
mod scene;
mod swept;
mod targets;
mod trajectory;
mod trial;

pub use draw::{png, svg, text, themed};
pub use gallery::{Against, Subject, gallery};
pub use model::{Axis, Body, Cells, Chart, Curve, Dot, Shape};
pub use trial::{Boards, board_uri, shown, trial_chart, trial_svg};
