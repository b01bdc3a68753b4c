//! Write problem plugins for `runner`: implement [`Plugin`] and [`Problem`], then [`export!`] the
//! plugin. No `unsafe` is needed. A plugin may also have operators for the problems of others: see
//! [`Operator`] and [`export_operators!`].
//!
//! The underlying ABI is `include/runner_plugin.h`; [`abi`] mirrors it. `plugins/README.md` builds
//! a plugin step by step, and `plugins/onemax` is the smallest one.

pub mod abi;
mod conflicts;
pub mod data;
mod description;
#[cfg(target_arch = "x86_64")]
mod eight_rows;
#[expect(unsafe_code, reason = "the frame of the C functions: raw pointers, as in `export`")]
mod entry;
#[expect(
    unsafe_code,
    reason = "the C functions behind the table: with those of operators the one place of the SDK \
        that handles raw pointers"
)]
mod export;
#[cfg(target_arch = "x86_64")]
mod four_rows;
mod mixed;
#[expect(
    unsafe_code,
    reason = "the C functions of moves and conflicts: raw pointers, as in `export`"
)]
mod move_calls;
mod moves;
mod operator;
#[expect(unsafe_code, reason = "the C functions of operators: raw pointers, as in `export`")]
mod operator_calls;
mod parameter;
mod problem;
#[expect(unsafe_code, reason = "genes of the C interface: raw pointers, as in `export`")]
mod raw_genes;
mod rng;
mod row_rngs;
mod search;
#[expect(unsafe_code, reason = "the C functions of algorithms: raw pointers, as in `export`")]
mod search_calls;
mod vectors;

pub use conflicts::{ConflictCalls, Conflicting, ConflictingGenome, Construct};
pub use description::{Description, Noise};
pub use export::{Instance, operators_table, table};
pub use mixed::{MixedGene, MixedKind};
pub use moves::{Incremental, MoveCalls, MoveKinds, Moves, Number as StateNumber};
pub use operator::{
    CrossoverOperator, DeclaredOperator, Domain, Encoding, MutationOperator, Operator, Population,
    SelectionOperator,
};
pub use parameter::{Parameter, Parameters, Value, Word};
pub use problem::{
    Crossover, Enumerate, Format, Gene, IsValid, Mutate, NoisyFitness, Number, Plugin, Problem,
    Render, Violation,
};
/// The crate whose traits draw numbers from a [`RowRng`]: `use runner_plugin::rand::RngExt;`.
pub use rand;
pub use rng::RowRng;
pub use row_rngs::RowRngs;
pub use search::{AlgorithmOperator, AskTell, Batch};
pub use vectors::{Vectors, vectors};

/// Exports a [`Plugin`] as this library's plugin: `export!(MyPlugin);`. Its version is that of the
/// crate, or the given one: `export!(MyPlugin, version = "3")`. Raise it whenever the same genome
/// could get a different fitness or the same seed a different genome.
///
/// The exported symbol has the same name in every plugin: a program can link only one plugin crate
/// and must load others as the runner does.
///
/// With operators besides the problem:
/// `export!(MyPlugin, operators = [DeclaredOperator::crossover::<MyCrossover>()]);`
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        $crate::export!($plugin, version = env!("CARGO_PKG_VERSION"), operators = []);
    };
    ($plugin:ty, version = $version:expr) => {
        $crate::export!($plugin, version = $version, operators = []);
    };
    ($plugin:ty, operators = [$($operator:expr),* $(,)?]) => {
        $crate::export!(
            $plugin,
            version = env!("CARGO_PKG_VERSION"),
            operators = [$($operator),*]
        );
    };
    ($plugin:ty, version = $version:expr, operators = [$($operator:expr),* $(,)?]) => {
        $crate::export_table!($crate::table::<$plugin>($version, const { &[$($operator),*] }));
    };
}

/// Exports operators as this library's plugin, which has no problem. Its version is that of the
/// crate: raise it whenever the same call could get another answer.
///
/// ```
/// use runner_plugin::{DeclaredOperator, Domain, Gene, MutationOperator, Operator};
/// use runner_plugin::{Parameters, RowRng};
///
/// struct Reverse;
///
/// impl Operator for Reverse {
///     const NAME: &'static str = "reverse";
///     const SUMMARY: &'static str = "The whole genome is reversed.";
///     fn create(_: &Parameters, _: &Domain) -> Result<Self, String> {
///         Ok(Reverse)
///     }
/// }
///
/// impl MutationOperator for Reverse {
///     fn mutate<G: Gene>(&self, _: &mut RowRng, genome: &mut [G]) -> Result<(), String> {
///         genome.reverse();
///         Ok(())
///     }
/// }
///
/// runner_plugin::export_operators!(
///     name = "reversals",
///     summary = "Genomes back to front.",
///     operators = [DeclaredOperator::mutation::<Reverse>()],
/// );
/// ```
#[macro_export]
macro_rules! export_operators {
    (name = $name:expr, summary = $summary:expr, operators = [$($operator:expr),* $(,)?] $(,)?) => {
        $crate::export_operators!(
            name = $name,
            summary = $summary,
            version = env!("CARGO_PKG_VERSION"),
            operators = [$($operator),*],
        );
    };
    (
        name = $name:expr, summary = $summary:expr, version = $version:expr,
        operators = [$($operator:expr),* $(,)?] $(,)?
    ) => {
        $crate::export_table!($crate::operators_table(
            $name,
            $summary,
            $version,
            const { &[$($operator),*] },
        ));
    };
}

/// Exports a table: what the other macros end in.
#[doc(hidden)]
#[macro_export]
macro_rules! export_table {
    ($table:expr) => {
        /// The plugin's table, which the host looks for.
        #[allow(non_upper_case_globals, unsafe_code, reason = "the ABI's symbol")]
        #[unsafe(no_mangle)]
        pub static runner_plugin_table: $crate::abi::runner_plugin = $table;

        #[cfg(debug_assertions)]
        /// Says that the plugin was built without optimisation.
        #[allow(non_upper_case_globals, unsafe_code, reason = "the ABI's symbol")]
        #[unsafe(no_mangle)]
        pub static runner_plugin_debug: u8 = 1;
    };
}
