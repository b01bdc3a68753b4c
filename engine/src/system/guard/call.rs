//! Calls of plugins.

macro_rules! calls {
    ($($call:ident $name:literal),*) => {
        /// Call of a plugin.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Call {
            $(#[doc = concat!("`", $name, "`.")] $call),*
        }

        impl Call {
            const ALL: &[Call] = &[$(Call::$call),*];

            /// Returns the name of the call, as in the header of the plugin interface.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Call::$call => $name),*
                }
            }
        }
    };
}

calls! {
    Load "load", Create "create", Describe "describe", Destroy "destroy", Sample "sample",
    Evaluate "evaluate", Crossover "crossover", Mutate "mutate", IsValid "is_valid",
    Render "render", Enumerate "enumerate", Number "number",
    EvaluateConstrained "evaluate_constrained", Select "select", BuildState "build_state",
    EvaluateMoves "evaluate_moves", ApplyMove "apply_move", Conflicts "conflicts",
    Construct "construct", Begin "begin", Ask "ask", Tell "tell", End "end",
    EvaluateNoisy "evaluate_noisy", State "state", Restore "restore"
}

/// Number of bits of a call in a word; the bits above are the plugin.
const BITS: u32 = 8;

/// Returns the word for a call of the plugin with this number. It is not 0.
pub(super) fn word(plugin: u32, call: Call) -> u32 {
    plugin << BITS | (call as u32 + 1)
}

/// Returns the number of the plugin and the call in a word; `None` outside of calls.
pub(super) fn of_word(word: u32) -> Option<(u32, Call)> {
    let place = (word & ((1 << BITS) - 1)).checked_sub(1)?;
    Call::ALL.get(place as usize).map(|call| (word >> BITS, *call))
}
