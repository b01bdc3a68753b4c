//! Reports: what the user sees of results.
