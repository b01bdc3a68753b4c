//! Write problem plugins for `runner`: implement [`Plugin`] and [`Problem`], then [`export!`] the
//! plugin. No `unsafe` is needed.
//!
//! The underlying ABI is `include/runner_plugin.h`; [`abi`] mirrors it. `plugins/README.md` builds
//! a plugin step by step, and `plugins/onemax` is the smallest one.

pub mod abi;
mod description;
#[expect(
    unsafe_code,
    reason = "the C functions behind the table: the one place of the SDK that handles raw pointers"
)]
mod export;
mod parameter;
mod problem;
mod rng;

pub use description::Description;
pub use export::{Instance, table};
pub use parameter::{Parameter, Parameters, Value, Word};
pub use problem::{
    Crossover, Enumerate, Format, Gene, IsValid, Mutate, Number, Plugin, Problem, Render, Violation,
};
/// The crate whose traits draw numbers from a [`RowRng`]: `use runner_plugin::rand::RngExt;`.
pub use rand;
pub use rng::RowRng;

/// Exports a [`Plugin`] as this library's plugin: `export!(MyPlugin);`. Its version is that of the
/// crate, or the given one: `export!(MyPlugin, version = "3")`. Raise it whenever the same genome
/// could get a different fitness or the same seed a different genome.
///
/// The exported symbol has the same name in every plugin: a program can link only one plugin crate
/// and must load others as the runner does.
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        $crate::export!($plugin, version = env!("CARGO_PKG_VERSION"));
    };
    ($plugin:ty, version = $version:expr) => {
        /// The plugin's table, which the host looks for.
        #[allow(non_upper_case_globals, unsafe_code, reason = "the ABI's symbol")]
        #[unsafe(no_mangle)]
        pub static runner_plugin_table: $crate::abi::runner_plugin =
            $crate::table::<$plugin>($version);

        #[cfg(debug_assertions)]
        /// Says that the plugin was built without optimisation.
        #[allow(non_upper_case_globals, unsafe_code, reason = "the ABI's symbol")]
        #[unsafe(no_mangle)]
        pub static runner_plugin_debug: u8 = 1;
    };
}
