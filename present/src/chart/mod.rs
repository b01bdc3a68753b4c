//! Charts of results, as SVG, PNG and text.

mod colour;
mod division;
mod draw;
mod ecdf;
mod ends;
mod first_trial;
mod fitness;
mod frame;
mod gallery;
mod heat;
mod marks;
mod model;
mod panels;
mod parts;
mod plain;
mod profile;
mod ranks;
mod rates;
mod run_length;
mod scene;
mod strand;
mod subject;
mod swept;
mod targets;
mod theme;
mod trajectory;
mod trial;
mod tuned;
mod words;

pub use draw::{png, text, themed};
pub use gallery::gallery;
pub use model::Chart;
pub use ranks::{LEVEL, ranking_of, ranks_chart};
pub use subject::{Against, Subject};
pub use trial::{Boards, board_uri, shown, trial_chart, trial_svg};
pub use tuned::tuned_charts;
