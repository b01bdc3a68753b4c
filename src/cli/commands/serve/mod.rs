//! `runner serve`: serves the live page.

#[cfg(not(all(unix, feature = "page")))]
mod disabled;
#[cfg(all(unix, feature = "page"))]
mod enabled;

#[cfg(not(all(unix, feature = "page")))]
pub(super) use disabled::serve;
#[cfg(all(unix, not(feature = "page")))]
pub(super) use disabled::serve_orders;
#[cfg(all(unix, feature = "page"))]
pub(super) use enabled::{serve, serve_orders};
