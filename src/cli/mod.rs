//! The command line: what can be asked for. `commands` does it.

pub mod commands;
mod failure;
pub mod progress;
mod values;
mod words;

pub use failure::{Failure, Faults, Message};
pub use words::parse;

use crate::plan::shard::Shard;
use crate::present::data_table::TableFormat;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  runner init                                    write an experiment file to start from
  runner configs/*.toml                          run experiments; tables land in results/
  runner configs/onemax.toml --repeats 50         the same with fewer trials
  runner check configs/*.toml                    validate, count trials, estimate the time
  runner show results/eight-queens               print the summary again
  runner replay results/eight-queens roulette 7  one trial again, with its boards
  runner verify results/eight-queens             are the tables what the trials give?
  runner compare results/eight-queens            which arm is better, by how much, how sure
  runner plot results/eight-queens               its pictures, as SVG and PNG
  runner report results/*                        all of it as one HTML page
  runner operators selection                     selections with their parameters and sources
  runner certify tournament                      is it what its source says?
  runner sample chess960 -n 3                    three Chess960 start positions
  runner sample chess960 --number 518            the classical one

Exit codes:
  0 done; 1 done, but some trials failed; 2 bad usage or config; 3 a plugin could not be used;
  4 results could not be read or written; 130 interrupted (what finished is saved)";

/// Runs experiments in evolutionary search: TOML in, success rates in Parquet out.
///
/// An experiment file names a problem (a plugin), operator sets and how many seeded trials to
/// repeat. The runner checks every file first, runs the trials on all cores, and writes the tables
/// to results/NAME/. The same file gives the same bytes, whatever the number of threads and however
/// often it was interrupted.
#[derive(Debug, Parser)]
#[command(name = "runner", version, after_help = EXAMPLES)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunArguments,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Validate experiment files; print arms, trials and estimated time
    ///
    /// Runs one trial of each arm as a smoke test and writes nothing. Long trials and large sweeps
    /// are cut short and estimated.
    Check(CheckArguments),
    /// List the problem plugins that can be found, with their parameters
    Plugins(PluginsArguments),
    /// List the operators with parameters, defaults, encodings and sources
    Operators(OperatorsArguments),
    /// Test that the operators do what their sources say
    Certify(CertifyArguments),
    /// Print the tables of an experiment, finished or still running
    Show(ShowArguments),
    /// Compare the arms of an experiment: difference, test, effect, verdict
    ///
    /// Every two arms of one problem, where that makes at most 60 pairs; otherwise each against the
    /// first of its problem in the file. With a second folder, the arms of the same settings in
    /// both, or else of the same label. p-values are adjusted for all comparisons together (Holm).
    Compare(CompareArguments),
    /// Print how many evaluations a success takes, and whether restarts would help
    ///
    /// A trial cut off by a budget may have succeeded later; one that got stuck never does (Aalen
    /// and Johansen). Restarts are proposed only where trials that did not choose the cut-off show
    /// a gain.
    Runtimes(RuntimesArguments),
    /// Say how many trials a comparison needs, before any is run
    Plan(PlanArguments),
    /// Draw an experiment: success rates, run lengths, fitness, sweeps, one trial
    ///
    /// Writes SVG and PNG files to FOLDER/plots, as wide as a paper's column, or prints to the
    /// terminal.
    Plot(PlotArguments),
    /// Write experiments as one HTML page, with comparisons and pictures
    ///
    /// Also with the boards of the best solutions, and a Methods section for a paper. The file
    /// needs nothing else, and no network.
    Report(ReportArguments),
    /// Write an experiment in the format of IOHanalyzer or COCO
    ///
    /// A folder for each algorithm: iohinspector and IOHanalyzer read the one, cocopp the other.
    Export(ExportArguments),
    /// Compare two runs of an experiment, and fail if an arm got worse
    ///
    /// Arms are matched by their settings, else by their label, with what differs named. Exit code
    /// 1 if an arm is what --fail-on names, or is gone, or has no trial that counts any more: a
    /// gate for continuous integration.
    Diff(DiffArguments),
    /// Put the shards of an experiment together
    ///
    /// Gives the tables that one run of the whole experiment gives, to the byte (but for timings).
    /// The shards stay.
    Merge(MergeArguments),
    /// Run trials of an experiment again and compare them with its table
    ///
    /// From what run.toml says of the last run. Says which trials differ, and why.
    Verify(VerifyArguments),
    /// Run one trial again, with every improvement and its board
    Replay(ReplayArguments),
    /// Draw genomes from a plugin and render them
    Sample(SampleArguments),
    /// Print the JSON Schema of experiment files, or a reference of their keys
    ///
    /// For editors: runner schema > runner.schema.json, and #:schema ./runner.schema.json as the
    /// first line of a file.
    Schema(SchemaArguments),
    /// Write an experiment file to start from
    ///
    /// On a terminal it asks for problem, question and budget; flags answer beforehand, and --yes
    /// takes the defaults. Nothing is overwritten.
    Init(InitArguments),
    /// Scaffold a problem plugin that builds, passes its test and runs
    New(NewArguments),
    #[command(hide = true)]
    Worker(WorkerArguments),
    /// Print a completion script for a shell
    ///
    /// For bash: runner completions bash > ~/.local/share/bash-completion/completions/runner
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Which experiments, and what to change in them.
#[derive(Debug, Args)]
pub struct ExperimentArguments {
    /// Experiment files (TOML)
    #[arg(value_name = "CONFIG", required = true, value_hint = ValueHint::FilePath)]
    pub configs: Vec<PathBuf>,
    /// Override a key of every file, such as problem.n=12 or operators.population=50 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Trials per arm, in place of the file's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub repeats: Option<String>,
    /// The experiment's seed, in place of the file's
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

/// Where plugins are looked for, besides the usual places.
#[derive(Debug, Args)]
pub struct PluginDirs {
    /// Look for plugins here first (repeatable); then RUNNER_PLUGIN_PATH, beside the program,
    /// ../lib/runner/plugins
    #[arg(long = "plugin-dir", value_name = "DIR", value_hint = ValueHint::DirPath, value_parser = values::folder)]
    pub plugin_dir: Vec<PathBuf>,
}

/// Where the plugin of results is looked for.
#[derive(Debug, Args)]
pub struct RecordedPluginArguments {
    #[command(flatten)]
    pub plugins: PluginDirs,
    /// Load the plugin's library that the results name, wherever it lies: only if you trust who
    /// made them
    #[arg(long)]
    pub trust: bool,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    /// Trials to run at once [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    pub jobs: Option<NonZeroUsize>,
    /// Folder for the results
    #[arg(long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// How to show progress (on standard error)
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    /// Run only part I of N, such as 3/10, into DIR/NAME.shard-I-of-N/; `runner merge` puts the
    /// parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Go on with trials that another build of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
}

/// Where plugins are loaded and trials run.
#[derive(Debug, Args)]
pub struct IsolationArguments {
    /// Where trials run: in threads, or in processes, so that a plugin that crashes or hangs costs
    /// one trial
    #[arg(long = "isolation", value_name = "WHERE", value_enum, default_value_t = IsolationMode::Thread)]
    pub mode: IsolationMode,
    /// Address space of each worker process, in MB (with --isolation process)
    #[arg(long, value_name = "MB", value_parser = values::megabytes, allow_negative_numbers = true)]
    pub worker_memory: Option<NonZeroU64>,
    /// How long a plugin may take to be loaded, and to make a problem (with --isolation process)
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub plugin_seconds: NonZeroU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsolationMode {
    /// All in this process: the fastest
    Thread,
    /// A process a worker
    Process,
}

#[derive(Debug, Args)]
pub struct WorkerArguments {
    #[arg(long)]
    pub memory: Option<NonZeroU64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// Bars on a terminal, plain lines elsewhere
    Auto,
    /// A bar for each running arm and one for all
    Bars,
    /// A line now and then
    Plain,
    /// A JSON object a line
    Json,
    /// Nothing
    None,
}

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Another one, whose arms of the same settings or label are compared with
    #[arg(value_name = "OTHER", value_hint = ValueHint::DirPath)]
    pub other: Option<PathBuf>,
    /// Compare each arm with this one alone (its label)
    #[arg(long, value_name = "ARM", conflicts_with = "other")]
    pub against: Option<String>,
    /// Compare every two arms of one problem, however many there are
    #[arg(long, conflicts_with_all = ["other", "against"])]
    pub all_pairs: bool,
    /// Compare trial k of one arm with trial k of the other; what arms of one experiment with
    /// pairing = "common" get unasked
    #[arg(long, conflicts_with = "unpaired")]
    pub paired: bool,
    /// Compare as if trials were independent, though they were made in pairs
    #[arg(long)]
    pub unpaired: bool,
    /// Compare arms of one label in two folders though they solve different problems
    #[arg(long, requires = "other")]
    pub across_problems: bool,
    #[command(flatten)]
    pub form: FormArguments,
}

/// In what form a table of figures is wanted.
#[derive(Debug, Args)]
pub struct FormArguments {
    /// Comma-separated values, all columns
    #[arg(long, group = "form")]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long, group = "form")]
    pub json: bool,
    /// A Markdown table, all columns
    #[arg(long, group = "form")]
    pub markdown: bool,
    /// A LaTeX tabular, all columns
    #[arg(long, group = "form")]
    pub latex: bool,
    /// Write all columns to a Parquet file too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub parquet: Option<PathBuf>,
}

impl FormArguments {
    /// None: a table for readers.
    #[must_use]
    pub fn format(&self) -> Option<TableFormat> {
        let forms = [
            (self.csv, TableFormat::Csv),
            (self.json, TableFormat::Json),
            (self.markdown, TableFormat::Markdown),
            (self.latex, TableFormat::Latex),
        ];
        forms.into_iter().find_map(|(asked, format)| asked.then_some(format))
    }
}

#[derive(Debug, Args)]
pub struct RuntimesArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub form: FormArguments,
}

#[derive(Debug, Args)]
pub struct PlanArguments {
    /// Two success rates that are to be told apart
    #[arg(long, num_args = 2, value_names = ["RATE", "RATE"], required = true)]
    pub detect: Vec<f64>,
    /// Probability that the difference is found
    #[arg(long, default_value_t = 0.9)]
    pub power: f64,
    /// Probability that a difference is found where there is none
    #[arg(long, default_value_t = 0.05)]
    pub level: f64,
    /// Comparisons made together, whose p-values are adjusted (Holm): each is planned at the level
    /// over their number
    #[arg(long, value_name = "N", default_value = "1")]
    pub comparisons: NonZeroU64,
    /// For trials in pairs (pairing = "common"): the share of pairs of which one trial alone
    /// succeeds
    #[arg(long, value_name = "SHARE")]
    pub discordant: Option<f64>,
}

#[derive(Debug, Args)]
pub struct PlotArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Only pictures whose names start so, such as success-rate
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Run one trial again and draw its convergence, with the board at each improvement
    #[arg(long, num_args = 2, value_names = ["ARM", "TRIAL"], conflicts_with = "only")]
    pub trial: Option<Vec<String>>,
    /// What fitness is drawn against; what a generation is differs between algorithms
    #[arg(long, value_enum, default_value_t = PlotX::Evaluations)]
    pub x: PlotX,
    /// Which files to write
    #[arg(long, value_enum, default_value_t = PlotFormat::Both, conflicts_with = "terminal")]
    pub format: PlotFormat,
    /// Folder for the files [default: FOLDER/plots]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "terminal")]
    pub out: Option<PathBuf>,
    /// Print the pictures, in place of writing files
    #[arg(long)]
    pub terminal: bool,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Folders of experiments, such as results/*
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// The file to write
    #[arg(long, short, value_name = "FILE", default_value = "report.html", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Whose format
    #[arg(long, value_enum)]
    pub format: ExportKind,
    /// Folder for the files [default: FOLDER/ioh or FOLDER/coco]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportKind {
    /// IOHprofiler's (IOHanalyzer, iohinspector)
    Ioh,
    /// COCO's (cocopp)
    Coco,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotFormat {
    Svg,
    Png,
    Both,
}

/// What fitness is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotX {
    Evaluations,
    Generations,
}

#[derive(Debug, Args)]
pub struct DiffArguments {
    /// Folder of the run that was
    #[arg(value_name = "OLD", value_hint = ValueHint::DirPath)]
    pub old: PathBuf,
    /// Folder of the run that is
    #[arg(value_name = "NEW", value_hint = ValueHint::DirPath)]
    pub new: PathBuf,
    /// When to end with exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
    /// Compare arms of one label though they solve different problems
    #[arg(long)]
    pub across_problems: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Never,
    /// A success rate is worse, or an arm is gone or has no trial that counts
    Worse,
    /// The same, or a success rate is better
    Changed,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Folders of shards, such as results/NAME.shard-*
    #[arg(value_name = "SHARD", required = true, value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
    /// Folder for the results
    #[arg(long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Trials to run again, chosen at random
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = values::at_least_one, allow_negative_numbers = true)]
    pub trials: u64,
    /// All trials
    #[arg(long, conflicts_with_all = ["trials", "seed"])]
    pub all: bool,
    /// Which trials are chosen
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Trials to run at once [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The arm: its label, its id, or the name of an operator set that makes one arm
    #[arg(value_name = "ARM")]
    pub arm: String,
    /// Number of the trial, from 0
    #[arg(value_name = "TRIAL", value_parser = values::trial, allow_negative_numbers = true)]
    pub trial: u64,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Trials to run at once, for the estimate [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    pub jobs: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub struct PluginsArguments {
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Every key with type, default and meaning, as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Only the parameters of this plugin (repeatable) [default: all that can be found]
    #[arg(long = "plugin", value_name = "PLUGIN")]
    pub plugin: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub struct OperatorsArguments {
    /// Only this slot (algorithm, scaling, selection, crossover, mutation, replacement), operator
    /// or preset
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct CertifyArguments {
    /// Only this operator, or the operators of this slot
    #[arg(value_name = "OPERATOR")]
    pub name: Option<String>,
    /// Where the random numbers start
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Result folders, such as results/eight-queens
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// The trials instead of the summary
    #[arg(long)]
    pub trials: bool,
    /// Comma-separated values, all columns
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long)]
    pub json: bool,
    /// At most this many rows of the trials table on a terminal
    #[arg(long, value_name = "N", default_value_t = 20, requires = "trials")]
    pub rows: usize,
}

#[derive(Debug, Args)]
pub struct SampleArguments {
    /// The plugin's name or a path to its library
    #[arg(value_name = "PLUGIN")]
    pub plugin: String,
    /// How many genomes to draw
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, value_parser = values::at_least_one, allow_negative_numbers = true)]
    pub count: u64,
    /// Where the random numbers start
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// The genome of this number, in place of drawn ones (518: the classical chess position)
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["count", "seed"])]
    pub number: Option<u64>,
    /// Check that each genome keeps the problem's rules; print those that do not, and how many do
    #[arg(long)]
    pub check: bool,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How to print a genome [default: board; with --check, only broken ones]
    #[arg(long, value_enum)]
    pub format: Option<SampleFormat>,
    /// Write a file for each genome into this folder, in place of printing them
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SampleFormat {
    /// One line of text (Unicode), and the genome's number where the plugin has numbers
    Line,
    /// Text of several lines
    Board,
    /// A picture (one on standard output; for more, --out)
    Svg,
    /// The genes as numbers
    Genes,
}

#[derive(Debug, Args)]
pub struct InitArguments {
    /// The file to write [default: PLUGIN-QUESTION.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The plugin's name or a path to its library
    #[arg(long, value_name = "PLUGIN")]
    pub plugin: Option<String>,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What the experiment is to answer
    #[arg(long, value_enum)]
    pub question: Option<Question>,
    /// Evaluations that a trial may spend
    #[arg(long, value_name = "N", value_parser = values::at_least_one, allow_negative_numbers = true)]
    pub evaluations: Option<u64>,
    /// Ask nothing: take the default for what no flag says
    #[arg(long, short)]
    pub yes: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// How often does a search solve the problem?
    Success,
    /// Which of two searches is better?
    Compare,
    /// How does the success rate change with the problem's size?
    Scale,
}

impl Question {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Question::Success => "success",
            Question::Compare => "compare",
            Question::Scale => "scale",
        }
    }
}

#[derive(Debug, Args)]
pub struct NewArguments {
    /// The plugin's name: lower-case letters, digits and underscores
    #[arg(value_name = "NAME")]
    pub name: String,
}
