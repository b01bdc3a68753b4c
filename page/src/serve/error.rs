//! Errors that keep the page from being served, and refusals of requests.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::net::SocketAddr;

/// Reason why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not of this machine.
    #[error("{address}: cannot be listened to: {error}")]
    Listen {
        /// Address that was asked for.
        address: SocketAddr,
        /// Error of the system.
        error: std::io::Error,
    },
    /// The system gives no thread or no timer.
    #[error("the server cannot be started: {0}")]
    Start(std::io::Error),
    /// Worker processes cannot be had.
    #[error("{0}")]
    Worker(String),
}

/// An answer to a request that cannot be met: a status, and words for the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub status: StatusCode,
    pub words: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Refusal { status, words: words.into() }
    }

    /// Not found.
    pub(super) fn missing(words: impl Into<String>) -> Self {
        Refusal::new(StatusCode::NOT_FOUND, words)
    }

    /// Refuses a request that breaks a rule.
    pub(super) fn wrong(words: impl Into<String>) -> Self {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    /// Refuses a request that failed on the server.
    pub(super) fn failed(words: impl ToString) -> Self {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, words.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.words }))).into_response()
    }
}
