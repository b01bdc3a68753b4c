//! The live page: what a browser asks for, and what it is sent. It runs no plugin itself: searches
//! run in processes of their own, and so do the checks of settings.

mod access;
mod app;
mod aside;
mod assets;
mod check;
mod connections;
mod error;
mod experiment;
mod experiments;
mod form;
mod limits;
mod listing;
mod memory;
mod pages;
mod ready;
mod run;
mod run_request;
mod runs;
mod save;
mod server;
mod stream;
mod token;
mod view;

pub use app::ServeOptions;
pub use error::ServeError;
pub use server::serve;
pub use token::unguessable;
