//! Programs of Slurm that submit, cancel and report jobs.

use crate::cluster::ClusterError;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Default array size: Slurm's own default for `MaxArraySize`.
const USUAL_ARRAY: u64 = 1001;

/// Variables that select the Slurm cluster and do not belong to a job.
const SITE_VARIABLES: [&str; 3] = ["SLURM_CONF", "SLURM_CLUSTERS", "SLURM_CONF_SERVER"];

/// Job to submit.
pub(crate) struct SbatchArguments<'a> {
    pub experiment: &'a str,
    /// Description of the job, for errors.
    pub what: &'static str,
    pub script: PathBuf,
    /// The user's arguments. On the command line they override variables such as SBATCH_PARTITION,
    /// which override the script.
    pub arguments: &'a [String],
    /// Array that must succeed before the job starts; `None` if there is none.
    pub after: Option<u64>,
}

/// Runs a program of Slurm. Returns its standard output; the inner error has its message if it
/// failed.
fn ask(
    program: &'static str,
    arguments: &[String],
) -> Result<Result<String, String>, ClusterError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    if std::env::var_os("SLURM_JOB_ID").is_some() {
        // Variables of the job that runs this process must not reach other jobs.
        let own = std::env::vars_os().map(|(name, _)| name).filter(|name| {
            let name = name.to_string_lossy();
            name.starts_with("SLURM_") && !SITE_VARIABLES.contains(&name.as_ref())
        });
        own.for_each(|name| _ = command.env_remove(name));
    }
    let output = command.output();
    let output = output.map_err(|source| ClusterError::NoProgram {
        program,
        source,
        way_out: "run this where Slurm's commands are, such as on a login node, or use another \
            engine: runner submit print",
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(Ok(text(&output.stdout)));
    }
    let said = text(&output.stderr);
    Ok(Err(match said.is_empty() {
        true => format!("it ended with {}", output.status),
        false => said
            .lines()
            .map(|line| line.trim_start_matches("sbatch: error: "))
            .collect::<Vec<_>>()
            .join("; "),
    }))
}

/// Submits a script, and returns the number of the job.
pub(crate) fn sbatch(job: &SbatchArguments<'_>) -> Result<u64, ClusterError> {
    let mut words = vec!["--parsable".to_owned()];
    words.extend_from_slice(job.arguments);
    if let Some(array) = job.after {
        words.push(format!("--dependency=afterok:{array}"));
        words.push("--kill-on-invalid-dep=yes".to_owned());
    }
    words.push(job.script.to_string_lossy().into_owned());
    let said = ask("sbatch", &words)?.map_err(|said| ClusterError::Refused {
        program: "sbatch",
        what: job.what,
        experiment: job.experiment.to_owned(),
        said,
    })?;
    // On federated clusters the name of a cluster follows: 17;north.
    let number = said.lines().last().unwrap_or_default().split(';').next().unwrap_or_default();
    number.trim().parse().map_err(|_| ClusterError::Answer {
        program: "sbatch",
        said: said.clone(),
        expected: "the number of a job",
    })
}

/// Cancels a job.
///
/// # Errors
/// Returns an error if there is no `scancel`, or it fails; the error is a message.
pub(crate) fn cancel(job: u64) -> Result<(), String> {
    match ask("scancel", &[job.to_string()]) {
        Ok(answer) => answer.map(|_| ()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the greatest task number of an array at this site.
pub(crate) fn largest_array() -> u64 {
    let config = ask("scontrol", &["show".into(), "config".into()]);
    let config = config.ok().and_then(Result::ok).unwrap_or_default();
    let size = config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    });
    size.filter(|size| *size > 1).unwrap_or(USUAL_ARRAY) - 1
}

/// Returns the lines of `squeue` for these jobs; none if Slurm has forgotten them.
pub(super) fn lines_of_queue(jobs: &[u64]) -> Result<Vec<String>, ClusterError> {
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    let words = ["-h", "-r", "-t", "all", "-o", "%F|%K|%T|%r", "-j"].map(str::to_owned);
    let words = [&words[..], &[jobs.join(",")]].concat();
    match ask("squeue", &words)? {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        // Slurm forgets jobs some minutes after they end.
        Err(said) if said.contains("Invalid job id") => Ok(Vec::new()),
        Err(said) => Err(ClusterError::Silent { program: "squeue", said }),
    }
}

/// Returns the lines of the accounting; empty if the site has none.
pub(super) fn lines_of_accounting(jobs: &[u64]) -> Vec<String> {
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    let words = ["-n", "-P", "-X", "-o", "JobID,State", "-j"].map(str::to_owned);
    let answer = ask("sacct", &[&words[..], &[jobs.join(",")]].concat());
    let text = answer.ok().and_then(Result::ok).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
