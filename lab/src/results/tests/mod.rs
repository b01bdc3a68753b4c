//! The store as a whole: whatever happens to a run, its tables come out the same.

mod damage;
mod resuming;
mod tables;
