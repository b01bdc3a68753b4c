//! Duplicates: what becomes of a genome that a trial evaluated before.

use crate::named;

named! {
    /// Rule for genomes that equal an earlier one of the trial.
    #[derive(Default)]
    pub enum Duplicates {
        /// Each is evaluated again.
        #[default]
        Allow = "allow",
        /// Children are drawn again until they are new, a limited number of times. What is known
        /// even then is not evaluated again.
        Avoid = "avoid",
        /// None is evaluated again: its fitness is that of the first time.
        Reuse = "reuse",
    }
}
