//! The files of the page, which the program carries within itself.

use super::error::Refusal;
use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// Name, type and content.
const ASSETS: [(&str, &str, &str); 31] = [
    ("style.css", CSS, include_str!("assets/style.css")),
    ("address.js", JS, include_str!("assets/address.js")),
    ("ahead.js", JS, include_str!("assets/ahead.js")),
    ("births.js", JS, include_str!("assets/births.js")),
    ("controls.js", JS, include_str!("assets/controls.js")),
    ("convergence.js", JS, include_str!("assets/convergence.js")),
    ("keep.js", JS, include_str!("assets/keep.js")),
    ("keys.js", JS, include_str!("assets/keys.js")),
    ("lane.js", JS, include_str!("assets/lane.js")),
    ("panel.js", JS, include_str!("assets/panel.js")),
    ("rivals.js", JS, include_str!("assets/rivals.js")),
    ("sets.js", JS, include_str!("assets/sets.js")),
    ("side.js", JS, include_str!("assets/side.js")),
    ("strip.js", JS, include_str!("assets/strip.js")),
    ("success.js", JS, include_str!("assets/success.js")),
    ("watch.js", JS, include_str!("assets/watch.js")),
    ("form.js", JS, include_str!("assets/form.js")),
    ("settings.js", JS, include_str!("assets/settings.js")),
    ("toml.js", JS, include_str!("assets/toml.js")),
    ("api.js", JS, include_str!("assets/api.js")),
    ("plot.js", JS, include_str!("assets/plot.js")),
    ("dom.js", JS, include_str!("assets/dom.js")),
    ("repeat.js", JS, include_str!("assets/repeat.js")),
    ("together.js", JS, include_str!("assets/together.js")),
    ("results.js", JS, include_str!("assets/results.js")),
    ("experiment.js", JS, include_str!("assets/experiment.js")),
    ("arms.js", JS, include_str!("assets/arms.js")),
    ("comparison.js", JS, include_str!("assets/comparison.js")),
    ("pictures.js", JS, include_str!("assets/pictures.js")),
    ("rows.js", JS, include_str!("assets/rows.js")),
    ("replay.js", JS, include_str!("assets/replay.js")),
];

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// A file by its name.
pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let found = ASSETS.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| Refusal::missing("there is no such file"))?;
    Ok(([(CONTENT_TYPE, *kind)], *text).into_response())
}
