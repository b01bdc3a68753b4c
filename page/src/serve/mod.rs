//! The live page: what a browser asks for, and what it is sent. It runs no plugin itself: searches
//! run in processes of their own, and so do the checks of settings.

mod access;
mod app;
mod assets;
mod check;
mod connections;
mod error;
mod experiments;
mod form;
mod limits;
mod listing;
mod memory;
mod pages;
mod ready;
mod run;
mod runs;
mod save;
mod server;
mod stream;
mod view;

pub use app::{ServeOptions, unguessable};
pub use error::ServeError;
pub use server::serve;
