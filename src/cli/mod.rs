//! The command line: what can be asked for. `commands` does it.

#[macro_use]
mod message;

pub mod commands;
mod failure;
mod faults;
pub(crate) mod progress;
mod values;
mod words;

pub(crate) use failure::{Failure, Message};
pub(crate) use faults::Faults;
pub use words::parse;

use crate::plan::shard::Shard;
use crate::present::data_table::TableFormat;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  runner init                                    write an experiment file to start from
  runner configs/*.toml                          run experiments; tables go to results/
  runner configs/onemax.toml --repeats 50        run one with fewer trials
  runner check configs/*.toml                    validate, count trials, estimate the time
  runner show results/eight-queens               print the summary again
  runner replay results/eight-queens roulette 7  run one trial again, with its boards
  runner verify results/eight-queens             check the tables by running trials again
  runner compare results/eight-queens            which arm is better, by how much, how certain
  runner plot results/eight-queens               draw plots, as SVG and PNG
  runner report results/*                        write everything to one HTML page
  runner operators selection                     list selections with parameters and sources
  runner certify tournament                      test an operator against its source
  runner sample chess960 -n 3                    draw three Chess960 start positions
  runner sample chess960 --number 518            print the classical start position

Exit codes:
  0 success; 1 finished, but some trials failed; 2 wrong usage or invalid config;
  3 a plugin could not be used; 4 results could not be read or written;
  130 interrupted (finished trials are saved)";

/// Runs experiments in evolutionary search: TOML in, success rates in Parquet out.
///
/// An experiment file names a problem (a plugin), operator sets and the number of seeded trials.
/// The runner checks every file first, runs the trials on all cores, and writes the tables to
/// results/NAME/. The same file gives the same bytes, whatever the number of threads and however
/// often the run was interrupted.
#[derive(Debug, Parser)]
#[command(name = "runner", version, after_help = EXAMPLES)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Validate experiment files; print arms, trials and estimated time
    ///
    /// Runs one trial of each arm as a smoke test and writes nothing. Long trials and large sweeps
    /// are cut short and estimated.
    Check(CheckArguments),
    /// List the available problem plugins with their parameters
    Plugins(PluginsArguments),
    /// List the operators with parameters, defaults, encodings and sources
    Operators(OperatorsArguments),
    /// Test that the operators do what their sources say
    Certify(CertifyArguments),
    /// Test that a plugin keeps the rules of the plugin interface
    #[command(after_help = "Without --set, parameters have their defaults. Each check runs in a \
        process of its own; one that crashes or hangs has failed.")]
    Conformance(ConformanceArguments),
    /// Print the tables of an experiment, finished or still running
    Show(ShowArguments),
    /// Compare the arms of an experiment: difference, test, effect, verdict
    ///
    /// Compares every two arms of one problem if that makes at most 60 pairs; otherwise each arm
    /// against the first of its problem in the file. With a second folder, compares arms with the
    /// same settings in both, then arms with the same label. p-values are adjusted for all
    /// comparisons together (Holm). With --within KEY, compares operator sets at each value of a
    /// swept key, and over all values (Mantel and Haenszel).
    Compare(CompareArguments),
    /// Rank arms over several problems: mean ranks, critical difference, diagram
    ///
    /// Each experiment is a problem, and so is each value that it sweeps of a key of [problem].
    /// Arms are matched by the names of their operator sets. Tests: Friedman, Nemenyi, and Wilcoxon
    /// with Holm's adjustment.
    Rank(RankArguments),
    /// Print how many evaluations a success takes, and whether restarts would help
    ///
    /// A trial cut off by a budget might have succeeded later; one that got stuck never does (Aalen
    /// and Johansen). Restarts are proposed only if trials that did not choose the cut-off show a
    /// gain.
    Runtimes(RuntimesArguments),
    /// Calculate how many trials a comparison needs, before running any
    // Its old name; `plan` is what is run.
    #[command(alias = "plan")]
    Power(PowerArguments),
    /// Plot an experiment: success rates, run lengths, fitness, sweeps, one trial
    ///
    /// Writes SVG and PNG files, as wide as a column of a paper, to FOLDER/plots, or prints to the
    /// terminal.
    Plot(PlotArguments),
    /// Write experiments to one HTML page, with comparisons and plots
    ///
    /// The page also has the boards of the best solutions and a Methods section for a paper. It
    /// needs no other files and no network.
    Report(ReportArguments),
    /// Write an experiment in the format of IOHanalyzer or COCO
    ///
    /// Writes a folder for each algorithm. iohinspector and IOHanalyzer read the IOH format, cocopp
    /// reads the COCO format.
    Export(ExportArguments),
    /// Import trials that another program ran: CSV, Parquet or IOHprofiler
    ///
    /// Makes a results folder that show, compare, rank, plot and report read. Its arms are marked
    /// (imported). Columns: arm, problem, trial, seed, success (0, 1, true, false), evaluations
    /// (until success; of an unsuccessful trial its budget), fitness, best (the genome as text),
    /// and swept keys such as problem.n. Columns of these names need no --map.
    Import(ImportArguments),
    /// Compare two runs of an experiment, and fail if an arm got worse
    ///
    /// Arms are matched by their settings, then by their label; differences are listed. Ends with
    /// exit code 1 if the condition of --fail-on is met. Use it as a gate in continuous
    /// integration.
    Diff(DiffArguments),
    /// Merge the shards of an experiment
    ///
    /// The tables are identical to the byte to those of a single run of the whole experiment
    /// (except timings). The shards are kept.
    Merge(MergeArguments),
    /// Run trials of an experiment again and compare them with its table
    ///
    /// Uses the config and versions of the last run in run.toml. Says which trials differ, and why.
    Verify(VerifyArguments),
    /// Run one trial again, with every improvement and its board
    Replay(ReplayArguments),
    /// Draw genomes from a plugin and render them
    Sample(SampleArguments),
    /// Print the JSON Schema of experiment files, or a reference of their keys
    ///
    /// For editors: run runner schema > runner.schema.json, and begin a file with the line
    /// #:schema ./runner.schema.json.
    Schema(SchemaArguments),
    /// Write an experiment file to start from
    ///
    /// Asks for problem, question and budget. Flags answer these in advance, and --yes takes the
    /// defaults. Nothing is overwritten.
    Init(InitArguments),
    /// Create a problem plugin that builds, passes its test and runs
    New(NewArguments),
    #[command(hide = true)]
    Worker(WorkerArguments),
    /// Become a program that ends with the process that started it (started by the program itself)
    #[command(hide = true)]
    Launch(LaunchArguments),
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
pub(crate) struct ExperimentArguments {
    /// Experiment files (TOML)
    #[arg(value_name = "CONFIG", required = true, value_hint = ValueHint::FilePath)]
    pub configs: Vec<PathBuf>,
    /// Override a key of every file, such as problem.n=12 or operators.population=50 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Trials per arm; overrides the file
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub repeats: Option<String>,
    /// The experiment's seed; overrides the file
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

/// Where plugins are looked for, besides the usual places.
#[derive(Debug, Args)]
pub(crate) struct PluginDirs {
    /// Look for plugins here first (repeatable); then in RUNNER_PLUGIN_PATH, the program's folder,
    /// and ../lib/runner/plugins
    #[arg(
        long = "plugin-dir", value_name = "DIR", value_hint = ValueHint::DirPath,
        value_parser = values::folder
    )]
    pub plugin_dir: Vec<PathBuf>,
}

/// Where the plugin of results is looked for.
#[derive(Debug, Args)]
pub(crate) struct RecordedPluginArguments {
    #[command(flatten)]
    pub plugins: PluginDirs,
    /// Load the plugin library that the results name, wherever it is; use this only if you trust
    /// whoever made them
    #[arg(long)]
    pub trust: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    /// Trials to run at once [default: one per core]
    #[arg(
        long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true
    )]
    pub jobs: Option<NonZeroUsize>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// How to show progress (on standard error)
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    /// Run only shard I of N, such as 3/10, into DIR/NAME.shard-I-of-N/; `runner merge` merges the
    /// shards
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub arms: ArmArguments,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Continue with trials that another build of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
    /// When an experiment ends, run this by `sh -c`; RUNNER_NAME, RUNNER_FOLDER, RUNNER_OUTCOME and
    /// RUNNER_EXIT_CODE say which and how
    #[arg(long, value_name = "COMMAND")]
    pub on_end: Option<String>,
    /// Run trials again that failed, crashed or timed out in an earlier run; their rows move to
    /// superseded/
    #[arg(long, conflicts_with = "arms")]
    pub retry_failed: bool,
}

/// Which arms are meant.
#[derive(Debug, Default, Args)]
pub struct ArmArguments {
    /// Only these arms: a label, an id, the name of an operator set, or a pattern of labels with *
    /// and ? (repeatable)
    #[arg(long = "arm", value_name = "PATTERN")]
    pub arms: Vec<String>,
}

/// Where plugins are loaded and trials run.
#[derive(Debug, Args)]
pub(crate) struct IsolationArguments {
    /// Where trials run: in threads, or in processes, where a plugin that crashes or hangs costs
    /// only one trial
    #[arg(
        long = "isolation", value_name = "WHERE", value_enum,
        default_value_t = IsolationMode::Thread
    )]
    pub mode: IsolationMode,
    /// Address space of each worker process, in MB (with --isolation process)
    #[arg(long, value_name = "MB", value_parser = values::megabytes, allow_negative_numbers = true)]
    pub worker_memory: Option<NonZeroU64>,
    /// How long a plugin may take to load, and to create a problem (with --isolation process)
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub plugin_seconds: NonZeroU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsolationMode {
    /// All trials in this process: the fastest
    Thread,
    /// A separate process per worker
    Process,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    #[arg(long)]
    pub memory: Option<NonZeroU64>,
    /// Write messages as JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LaunchArguments {
    /// The process that started this one
    #[arg(long)]
    pub parent: u32,
    /// The program and its arguments
    #[arg(required = true, last = true)]
    pub words: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Bars on a terminal, plain lines elsewhere
    Auto,
    /// A bar for each running arm and one for all
    Bars,
    /// A line from time to time
    Plain,
    /// JSON lines: every message as an event (docs/events.md)
    Json,
    /// No progress
    None,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Another folder: compare arms with the same settings or label
    #[arg(value_name = "OTHER", value_hint = ValueHint::DirPath)]
    pub other: Option<PathBuf>,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Compare each arm only with this one: its label, its id, or the name of an operator set that
    /// makes one arm
    #[arg(long, value_name = "ARM", conflicts_with = "other")]
    pub against: Option<String>,
    /// Compare every two arms of one problem, however many there are
    #[arg(long, conflicts_with_all = ["other", "against"])]
    pub all_pairs: bool,
    /// Compare trial k of one arm with trial k of the other; the default for arms of one experiment
    /// with pairing = "common"
    #[arg(long, conflicts_with = "unpaired")]
    pub paired: bool,
    /// Compare paired trials as if they were independent
    #[arg(long)]
    pub unpaired: bool,
    /// Compare arms with the same label in two folders even if they solve different problems
    #[arg(long, requires = "other")]
    pub across_problems: bool,
    /// Compare operator sets at each value of this swept key, and over all of its values
    /// (repeatable); the rows have the order of the file
    #[arg(long, value_name = "KEY", conflicts_with = "other")]
    pub within: Vec<String>,
    #[command(flatten)]
    pub sort: SortArguments,
    #[command(flatten)]
    pub form: FormArguments,
}

/// In which order rows are wanted, and how many.
#[derive(Debug, Default, Args)]
pub(crate) struct SortArguments {
    /// Sort the rows by a column, by its name in --csv, from the least; with :desc after the name
    /// from the greatest, such as difference:desc
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// Only the first rows
    #[arg(long, value_name = "N")]
    pub top: Option<NonZeroUsize>,
}

/// In what form a table of figures is wanted.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Comma-separated values, all columns
    #[arg(long, group = "form")]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long, group = "form")]
    pub json: bool,
    /// A Markdown table, all columns
    #[arg(long, group = "form")]
    pub markdown: bool,
    /// A LaTeX table for papers: the columns that the terminal shows, with booktabs
    #[arg(long, group = "form")]
    pub latex: bool,
    /// Also write all columns to a Parquet file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub parquet: Option<PathBuf>,
}

impl FormArguments {
    /// Whether it is for readers in the terminal.
    #[must_use]
    pub(crate) fn is_for_the_terminal(&self) -> bool {
        self.format().is_none() && !self.latex
    }

    /// None: a table for readers, in the terminal or as LaTeX.
    #[must_use]
    pub(crate) fn format(&self) -> Option<TableFormat> {
        let forms = [
            (self.csv, TableFormat::Csv),
            (self.json, TableFormat::Json),
            (self.markdown, TableFormat::Markdown),
        ];
        forms.into_iter().find_map(|(asked, format)| asked.then_some(format))
    }
}

#[derive(Debug, Args)]
pub(crate) struct RankArguments {
    /// Folders of experiments
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// What arms are ranked by on each problem
    #[arg(long, value_enum, default_value_t = RankBy::SuccessRate)]
    pub by: RankBy,
    /// Also write the critical-difference diagram to this folder, as SVG and PNG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub form: FormArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// The share of trials that succeed
    SuccessRate,
    /// The expected running time in evaluations; arms that never succeed tie
    Ert,
    /// The median of the trials' best fitness
    Fitness,
}

#[derive(Debug, Args)]
pub(crate) struct RuntimesArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub sort: SortArguments,
    #[command(flatten)]
    pub form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PowerArguments {
    /// Two success rates to tell apart
    #[arg(long, num_args = 2, value_names = ["RATE", "RATE"], required = true)]
    pub detect: Vec<f64>,
    /// Probability of finding the difference
    #[arg(long, default_value_t = 0.9)]
    pub power: f64,
    /// Probability of finding a difference where there is none
    #[arg(long, default_value_t = 0.05)]
    pub level: f64,
    /// Number of comparisons whose p-values are adjusted together (Holm): each is planned at the
    /// level divided by this number
    #[arg(long, value_name = "N", default_value = "1")]
    pub comparisons: NonZeroU64,
    /// For paired trials (pairing = "common"): the share of pairs in which exactly one trial
    /// succeeds
    #[arg(long, value_name = "SHARE")]
    pub discordant: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Only plots whose names start with this, such as success-rate
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Run one trial again and draw its convergence, with the board at each improvement
    #[arg(
        long, num_args = 2, value_names = ["ARM", "TRIAL"], conflicts_with_all = ["only", "arms"]
    )]
    pub trial: Option<Vec<String>>,
    /// What fitness is plotted against; a generation means different things in different algorithms
    #[arg(long, value_enum, default_value_t = PlotX::Evaluations)]
    pub x: PlotX,
    /// Which files to write
    #[arg(long, value_enum, default_value_t = PlotFormat::Both, conflicts_with = "terminal")]
    pub format: PlotFormat,
    /// Folder for the files [default: FOLDER/plots]
    #[arg(
        long, short, value_name = "DIR", value_hint = ValueHint::DirPath,
        conflicts_with = "terminal"
    )]
    pub out: Option<PathBuf>,
    /// Print the plots instead of writing files
    #[arg(long)]
    pub terminal: bool,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Folders of experiments, such as results/*
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// The file to write
    #[arg(
        long, short, value_name = "FILE", default_value = "report.html",
        value_hint = ValueHint::FilePath
    )]
    pub out: PathBuf,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    pub format: ExportKind,
    /// Folder for the files [default: FOLDER/ioh or FOLDER/coco]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A CSV file (.csv, .tsv, .txt), a Parquet file, or a folder in IOHprofiler's format
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub file: PathBuf,
    /// Which column holds what, such as success=solved,evaluations=nevals (repeatable); several
    /// columns for arm make its name together
    #[arg(long, value_name = "KEY=COLUMN", value_delimiter = ',')]
    pub map: Vec<String>,
    /// A trial is successful if its fitness is at most this, where no column says (IOHprofiler: at
    /// least this, if the function is maximised)
    #[arg(long, value_name = "FITNESS", allow_negative_numbers = true)]
    pub target: Option<f64>,
    /// The experiment's name [default: the file's]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Results of a run: its arms stand in the new folder too, beside the imported ones
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub beside: Option<PathBuf>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportKind {
    /// IOHprofiler (IOHanalyzer, iohinspector)
    Ioh,
    /// COCO (cocopp)
    Coco,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotFormat {
    Svg,
    Png,
    Both,
}

/// What fitness is plotted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotX {
    Evaluations,
    Generations,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// Old results folder
    #[arg(value_name = "OLD", value_hint = ValueHint::DirPath)]
    pub old: PathBuf,
    /// New results folder
    #[arg(value_name = "NEW", value_hint = ValueHint::DirPath)]
    pub new: PathBuf,
    /// When to end with exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
    /// Compare arms with the same label even if they solve different problems
    #[arg(long)]
    pub across_problems: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Never,
    /// If an arm is or may be worse, is gone, or has no usable trials
    Worse,
    /// Also if an arm is better
    Changed,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// Folders of shards, such as results/NAME.shard-*
    #[arg(value_name = "SHARD", required = true, value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// Merge trials that different builds of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Trials to run again, chosen at random
    #[arg(
        long, short = 'n', value_name = "N", default_value_t = 100,
        value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub trials: u64,
    /// All trials
    #[arg(long, conflicts_with_all = ["trials", "seed"])]
    pub all: bool,
    /// Seed for the choice of trials
    #[arg(
        long, value_name = "SEED", default_value_t = 0, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Trials to run at once [default: one per core]
    #[arg(
        long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true
    )]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
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
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Trials to run at once, for the estimate [default: one per core]
    #[arg(
        long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true
    )]
    pub jobs: Option<NonZeroUsize>,
    /// Show at most this many arms of each experiment
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub rows: usize,
}

#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Print every key with its type, default and meaning, as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Only the parameters of this plugin (repeatable) [default: all available plugins]
    #[arg(long = "plugin", value_name = "PLUGIN")]
    pub plugin: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub(crate) struct OperatorsArguments {
    /// Only this slot (algorithm, scaling, selection, crossover, mutation, replacement), operator
    /// or preset
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CertifyArguments {
    /// Only this operator, or the operators of this slot
    #[arg(value_name = "OPERATOR")]
    pub name: Option<String>,
    /// Seed of the random numbers
    #[arg(
        long, value_name = "SEED", default_value_t = 1, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Result folders, such as results/eight-queens
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Print the trials instead of the summary
    #[arg(long, conflicts_with_all = ["sort", "top", "latex"])]
    pub trials: bool,
    /// Print how long the trials took: seconds per trial and per evaluation, and on which machine
    #[arg(long, conflicts_with_all = ["trials", "latex"])]
    pub times: bool,
    #[command(flatten)]
    pub sort: SortArguments,
    /// Comma-separated values, all columns
    #[arg(long, conflicts_with_all = ["json", "latex"])]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long, conflicts_with = "latex")]
    pub json: bool,
    /// A LaTeX table for papers, with booktabs; the best arm of each problem is bold
    #[arg(long)]
    pub latex: bool,
    /// Show at most this many rows of the trials table
    #[arg(long, value_name = "N", default_value_t = 20, requires = "trials")]
    pub rows: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ConformanceArguments {
    /// The plugin's name, or a path to its library or Python file
    #[arg(value_name = "PLUGIN")]
    pub plugin: String,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Only this check (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub only: Vec<String>,
    /// How long a check may take
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub seconds: NonZeroU32,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    /// Run the one check of --only in this process
    #[arg(long, hide = true)]
    pub here: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// The plugin's name or a path to its library
    #[arg(value_name = "PLUGIN")]
    pub plugin: String,
    /// How many genomes to draw
    #[arg(
        long, short = 'n', value_name = "N", default_value_t = 1,
        value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub count: u64,
    /// Seed of the random numbers
    #[arg(
        long, value_name = "SEED", default_value_t = 0, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Take the genome with this number instead of drawing (518: the classical chess position)
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["count", "seed"])]
    pub number: Option<u64>,
    /// Check each genome against the problem's rules; print the invalid ones and the number of
    /// valid ones
    #[arg(long)]
    pub check: bool,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How to print a genome [default: board; with --check, only invalid ones]
    #[arg(long, value_enum)]
    pub format: Option<SampleFormat>,
    /// Write a file for each genome into this folder instead of printing them
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleFormat {
    /// One line of text (Unicode), and the genome's number if the plugin numbers its genomes
    Line,
    /// Several lines of text
    Board,
    /// An image (only one on standard output; for more, use --out)
    Svg,
    /// The genes as numbers
    Genes,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The file to write [default: PLUGIN-QUESTION.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The plugin's name or a path to its library
    #[arg(long, value_name = "PLUGIN")]
    pub plugin: Option<String>,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What the experiment should answer
    #[arg(long, value_enum)]
    pub question: Option<Question>,
    /// Budget of evaluations per trial
    #[arg(
        long, value_name = "N", value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub evaluations: Option<u64>,
    /// Ask nothing: use defaults for everything that no flag sets
    #[arg(long, short)]
    pub yes: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Question {
    /// How often does a search solve the problem?
    Success,
    /// Which of two searches is better?
    Compare,
    /// How does the success rate change with the problem's size?
    Scale,
}

impl Question {
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Question::Success => "success",
            Question::Compare => "compare",
            Question::Scale => "scale",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The plugin's name: lower-case letters, digits and underscores
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A problem in Python: a file, a config and a test in the folder NAME
    #[arg(long, group = "language")]
    pub python: bool,
    /// A plugin in C: source, Makefile, config and test in the folder NAME
    #[arg(long, group = "language")]
    pub c: bool,
    /// A plugin in C++17: source, Makefile, config and test in the folder NAME
    #[arg(long, group = "language")]
    pub cpp: bool,
}
