//! Command line: commands and their arguments. `commands` runs them.

#[macro_use]
mod message;

mod arguments;
pub mod commands;
mod failure;
mod faults;
pub(crate) mod progress;
mod words;

pub(crate) use failure::{Failure, Message};
pub(crate) use faults::Faults;
pub use words::parse;

use arguments::{
    CertifyArguments, ChallengeArguments, CheckArguments, CompareArguments, ConformanceArguments,
    DiffArguments, ExportArguments, GateArguments, ImportArguments, InitArguments, LaunchArguments,
    MergeArguments, NewArguments, OperatorsArguments, PackArguments, PlotArguments,
    PluginsArguments, PowerArguments, RankArguments, ReplayArguments, ReportArguments,
    RoundArguments, RunArguments, RuntimesArguments, SampleArguments, SchemaArguments,
    ServeArguments, ShowArguments, StatusArguments, SubmitArguments, SuiteArguments,
    TargetArguments, TuneArguments, VerifyArguments, WorkerArguments,
};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  runner init                                    write an experiment file to start from
  runner configs/*.toml                          run experiments; tables go to results/
  runner configs/onemax.toml --repeats 50        run one with fewer trials
  runner check configs/*.toml                    validate, count trials, estimate the time
  runner tune tuning.toml                        search for good settings of keys
  runner show results/eight-queens               print the summary again
  runner replay results/eight-queens roulette 7  run one trial again, with its boards
  runner verify results/eight-queens             check the tables by running trials again
  runner compare results/eight-queens            which arm is better, by how much, how certain
  runner plot results/eight-queens               draw plots, as SVG and PNG
  runner report results/*                        write everything to one HTML page
  runner pack results/eight-queens               pack an experiment to archive and publish it
  runner submit slurm --shards 20 x.toml         run an experiment on a Slurm cluster
  runner status results/x --watch                see how far it is
  runner serve                                   watch searches and browse results in a browser
  runner operators selection                     list selections with parameters and sources
  runner certify tournament                      test an operator against its source
  runner sample chess960 -n 3                    draw three Chess960 start positions
  runner sample chess960 --number 518            print the classical start position

Exit codes:
  0 success; 1 finished, but some trials failed; 2 wrong usage or invalid config;
  3 a plugin could not be used; 4 results could not be read or written; 5 tasks wait or run;
  6 too few trials for a gate to tell; 130 interrupted (finished trials are saved)";

/// Runs experiments in evolutionary search: TOML in, success rates in Parquet out.
///
/// An experiment file names a problem (a plugin), operator sets and the number of seeded trials.
/// The runner checks every file first, runs the trials on all cores, and writes the tables to
/// results/NAME/. The same file gives the same bytes, whatever the number of threads and however
/// often the run was interrupted.
#[derive(Debug, Parser)]
#[command(name = "runner", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
}

// Only the requested command is built (`defer`). Documentation on the structure of its arguments
// would then replace the documentation here, so these structures have none.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Validate experiment files; print arms, trials and estimated time
    ///
    /// Runs one trial of each arm as a smoke test and writes nothing. Long trials and large sweeps
    /// are cut short and estimated.
    Check(CheckArguments),
    /// Search the ranges of a table [tune] for good settings
    ///
    /// Runs iterations: settings race each other, and the next are drawn around those that are
    /// left. At the end, the best and the file's own settings are compared by fresh trials. The
    /// same command continues a tuning that was interrupted.
    Tune(TuneArguments),
    /// Run one trial for a configurator: irace, ParamILS or SMAC
    ///
    /// Takes the words that the configurator gives its target runner, and prints the cost in the
    /// form that it reads. The same words give the same cost. Nothing is written.
    Target(TargetArguments),
    /// List the available problem plugins with their parameters
    Plugins(PluginsArguments),
    /// List the operators with parameters, defaults, encodings and sources
    Operators(OperatorsArguments),
    /// Test that the operators do what their sources say
    Certify(CertifyArguments),
    /// Test that a plugin keeps the rules of the plugin interface
    #[command(after_help = "Without --set, parameters have their defaults. Each check runs in a \
        process of its own: one that crashes has failed, one that hangs is unfinished.")]
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
    /// Run a suite, a benchmark with a name and a version, and write its page
    ///
    /// Runs the experiments of the suite that are not finished, takes in results of others, and
    /// writes DIR/NAME.html: ranks over functions with critical differences, distributions over
    /// targets, and the ERT of every algorithm on every function, which DIR/NAME.csv also has. The
    /// page needs no other files and no network. The same command continues a suite that was
    /// interrupted.
    Suite(Box<SuiteArguments>),
    /// Print how many evaluations a success takes, and whether restarts would help
    ///
    /// A trial cut off by a budget might have succeeded later; one that got stuck never does (Aalen
    /// and Johansen). Restarts are proposed only if trials that did not choose the cut-off show a
    /// gain.
    Runtimes(RuntimesArguments),
    /// Calculate how many trials a comparison needs, before running any
    // Old name of the command.
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
    /// Pack a finished experiment into one zip file, to archive and publish it
    ///
    /// The file has the experiment file, the tables, run.toml, the plugins, the report with its
    /// Methods section and a README; its metadata is an RO-Crate 1.2, as archives such as Zenodo
    /// take it. The same results give the same bytes.
    Pack(PackArguments),
    /// Serve a page on this machine: watch searches live, repeat them, browse results
    ///
    /// Prints the address. Searches of the page run in processes of their own and end with it. The
    /// page needs no network.
    Serve(ServeArguments),
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
    /// Check that the figures of every arm meet conditions, by their intervals
    ///
    /// An arm passes if the whole interval of the figure meets the condition, and fails if none of
    /// it does. Failed trials count against both. Use it as a gate in continuous integration.
    #[command(
        after_help = "Exit codes: 0 all arms pass; 1 an arm fails; 6 none fails, but of some it \
        cannot be told."
    )]
    Gate(GateArguments),
    /// Merge the shards of an experiment
    ///
    /// The tables are identical to the byte to those of a single run of the whole experiment
    /// (except timings). The shards are kept.
    Merge(MergeArguments),
    /// Submit the shards of experiments or tunings to a batch system, and their merge
    ///
    /// With slurm: for each experiment a job array, and a job that merges the shards once all are
    /// done; for a tuning the array alone. The other engines write what to type or apply. All files
    /// are checked before anything is submitted. Scripts, logs and job numbers go to
    /// DIR/NAME.submission/.
    Submit(SubmitArguments),
    /// Show how far a submitted experiment is: its shards, success rates so far, what to do
    ///
    /// Looks at the folders of the shards and, with Slurm, at the queue.
    #[command(
        after_help = "Exit codes: 0 the tables are complete; 1 shards failed or are missing, \
        and nothing goes on by itself; 5 tasks wait or run."
    )]
    Status(StatusArguments),
    /// Run trials of an experiment again and compare them with its table
    ///
    /// Uses the config and versions of the last run in run.toml. Says which trials differ, and why.
    /// If it is a file that runner pack wrote, every byte is checked first. It is unpacked to a
    /// temporary folder, and its plugin is loaded only with --trust.
    Verify(VerifyArguments),
    /// Run a published experiment here, and compare its results hash
    ///
    /// Every finished experiment has a results hash: below its table, in run.toml and in the
    /// report. The same hash means the same values of all trials. With --against, names the
    /// trials that differ and likely causes; with --sample, runs only some of them. Ends with
    /// exit code 1 if anything differs.
    Challenge(ChallengeArguments),
    /// Run one trial again, with every improvement and its board
    Replay(ReplayArguments),
    /// Draw genomes from a plugin and render them
    Sample(SampleArguments),
    /// Print the JSON Schema of experiment files, or a reference of their keys
    ///
    /// For editors: run runner schema > runner.schema.json, and begin a file with the line
    /// #:schema ./runner.schema.json.
    Schema(SchemaArguments),
    /// Write an experiment file to start from, or the repository of a study
    ///
    /// Asks for problem, question and budget. Flags answer these in advance, and --yes takes the
    /// defaults. Nothing is overwritten.
    Init(InitArguments),
    /// Create a problem plugin that builds, passes its test and runs
    New(NewArguments),
    /// Take in a round of a submitted experiment, and submit the next or write the tables (started
    /// by the jobs of runner submit)
    #[command(hide = true)]
    Round(RoundArguments),
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
    /// Write the man pages, one for each command
    ///
    /// Where man looks for them: runner man ~/.local/share/man/man1
    Man {
        /// Folder for the pages; it is created if it is not there
        #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
        folder: std::path::PathBuf,
    },
}
