//! Problems: finding, loading and checking plugin libraries, and the safe handle that the rest of the runner uses.

mod description;
mod gene;

pub use description::{Bounds, Description, Encoding, GeneKind};
pub use gene::{Gene, Genome, Genomes};

// CONTRACT (being written): the API that the other modules may count on.
//
// pub struct Library;                       // a loaded plugin, shared as Arc, Debug
// impl Library {
//     pub fn load(path: &Path) -> Result<Arc<Library>, PluginError>;
//     pub fn name(&self) -> &str;  pub fn version(&self) -> &str;  pub fn summary(&self) -> &str;
//     pub fn parameters(&self) -> &[Parameter];
//     pub fn path(&self) -> &Path;
//     pub fn file_hash(&self) -> blake3::Hash;      // of the library file
//     pub fn abi(&self) -> (u32, u32);
//     pub fn is_debug_build(&self) -> bool;          // best effort
//     pub fn create(self: &Arc<Self>, values: &[Value]) -> Result<Problem, PluginError>;  // one value a parameter
// }
// pub struct Problem;                       // an instance; Send + Sync + Debug; destroyed on drop
// impl Problem {
//     pub fn library(&self) -> &Arc<Library>;
//     pub fn description(&self) -> &Description;
//     // genes: rows x genome_length; the number of rows is genes.len() / genome_length. Each checks the plugin's
//     // answer: status, NaN, fitness below the ideal, genes out of bounds, broken permutations.
//     pub fn sample<G: Gene>(&self, seed: &[u8; 32], first_row: u64, genes: &mut [G]) -> Result<(), CallError>;
//     pub fn evaluate<G: Gene>(&self, genes: &[G], fitness: &mut [f64]) -> Result<(), CallError>;
//     pub fn crossover<G: Gene>(&self, seed: &[u8; 32], first_row: u64, first: &[G], second: &[G], children: &mut [G]) -> Result<(), CallError>;
//     pub fn mutate<G: Gene>(&self, seed: &[u8; 32], first_row: u64, genes: &mut [G]) -> Result<(), CallError>;
//     pub fn is_valid<G: Gene>(&self, genes: &[G], valid: &mut [u8]) -> Result<(), CallError>;
//     pub fn render(&self, genome: &Genome, format: Format) -> Result<Option<String>, CallError>;
//     pub fn enumerate<G: Gene>(&self, first_number: u64, genes: &mut [G]) -> Result<(), CallError>;
//     pub fn number<G: Gene>(&self, genes: &[G], numbers: &mut [u64]) -> Result<(), CallError>;
// }
// pub enum Format { Line, Board, Svg }
// pub struct CallError { pub call: &'static str, pub message: String }   // Display: "plugin `x`: evaluate: message"
// pub enum PluginError { ... }              // thiserror; Display names the file, what is wrong, the way out
// pub struct SearchPath;                    // --plugin-dir dirs, RUNNER_PLUGIN_PATH, beside the exe, ../lib/runner/plugins
// impl SearchPath {
//     pub fn new(plugin_dirs: &[PathBuf]) -> Self;
//     pub fn dirs(&self) -> &[PathBuf];
//     pub fn find(&self, name: &str) -> Option<PathBuf>;     // platform file name
//     pub fn list(&self) -> Vec<PathBuf>;                    // every library there that exports the table, by name
// }
