//! The pages: their frames; what is in them comes by their scripts.

use super::app::App;
use super::error::Refusal;
use super::experiment;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Html;
use maud::{DOCTYPE, Markup, html};
use std::sync::Arc;

/// Which page it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    Watch,
    Results,
    Experiment,
    Together,
}

impl Here {
    /// Name by which the page's keys are found.
    fn name(self) -> &'static str {
        match self {
            Here::Watch => "watch",
            Here::Results => "results",
            Here::Experiment => "experiment",
            Here::Together => "together",
        }
    }
}

fn frame(app: &App, here: Here, title: &str, script: &str, main: &Markup) -> Html<String> {
    let link = |to: Here, path: &str, words: &str| {
        let current = match here {
            Here::Experiment | Here::Together => (to == Here::Results).then_some("true"),
            _ => (here == to).then_some("page"),
        };
        html! { a href=(app.address(path)) aria-current=[current] { (words) } }
    };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · runner" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(app.address("/assets/style.css"));
                script type="module" src=(app.address(&format!("/assets/{script}"))) {}
                script type="module" src=(app.address("/assets/keys.js")) {}
            }
            body data-base=(app.options.base_path) data-page=(here.name()) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    strong { "runner" }
                    nav aria-label="Pages" {
                        (link(Here::Watch, "/", "Watch"))
                        (link(Here::Results, "/results", "Results"))
                    }
                    button type="button" id="keys-open" aria-haspopup="dialog"
                        aria-keyshortcuts="?" { "Keys" }
                }
                main id="main" tabindex="-1" { (main) }
                noscript { p { "This page needs JavaScript, which comes from this server alone." } }
            }
        }
    };
    Html(markup.into_string())
}

/// Watching and repeating searches.
pub(super) async fn watch(State(app): State<Arc<App>>) -> Html<String> {
    let main = html! {
        h1.hidden { "Watch a search" }
        div.bench id="bench" {
            div.controls id="controls" role="group" aria-label="Search controls" {}
            section.settings aria-labelledby="settings-title" {
                details id="settings-box" open {
                    summary { h2 id="settings-title" { "Settings" } }
                    div id="settings" { p.faint { "Looking for problems …" } }
                }
            }
            section.stage aria-labelledby="stage-title" {
                h2.hidden id="stage-title" { "Search" }
                div id="stage" {}
            }
        }
    };
    frame(&app, Here::Watch, "Watch", "watch.js", &main)
}

/// The experiments of the results folder.
pub(super) async fn results(State(app): State<Arc<App>>) -> Html<String> {
    let main = html! {
        h1 { "Results" }
        p.faint { "Experiments in " code { (app.options.out.display()) } }
        div id="results" { p.faint { "Reading …" } }
    };
    frame(&app, Here::Results, "Results", "results.js", &main)
}

/// Several experiments together, which the address names.
pub(super) async fn together(State(app): State<Arc<App>>) -> Html<String> {
    let main = html! {
        p.crumb { a href=(app.address("/results")) { "Results" } }
        h1 { "Experiments together" }
        div id="together" { p.faint { "Reading …" } }
    };
    frame(&app, Here::Together, "Experiments together", "together.js", &main)
}

/// One experiment, or the words that there is none of this name.
pub(super) async fn experiment(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> (StatusCode, Html<String>) {
    if let Err(Refusal { status, words }) = experiment::find(&app, &name).await {
        let main = html! {
            h1 { "Not here" }
            p { "The server answers: " (words) "." }
            p { a href=(app.address("/results")) { "All experiments" } }
        };
        return (status, frame(&app, Here::Results, "Not here", "keys.js", &main));
    }
    let main = html! {
        p.crumb { a href=(app.address("/results")) { "Results" } }
        h1 { (name) }
        div id="experiment" data-name=(name) { p.faint { "Reading …" } }
    };
    (StatusCode::OK, frame(&app, Here::Experiment, &name, "experiment.js", &main))
}
