//! Trials of earlier runs that failed, crashed or timed out: kept, or run again.

use super::progress::Progress;
use super::{Missing, ResultsFolder, SessionError, SessionOptions, plugin_builds, tell};
use crate::plan::{Plan, ResultsSpec};
use crate::results::{FailedTrials, Opened, Store, refuse_pieces};
use crate::run::Observer;
use crate::system::notice::Level;
use crate::words::counted;

/// A results folder that was opened, and what it has.
pub(super) struct OpenOutcome {
    pub opened: Opened,
    pub folder: ResultsFolder,
    pub progress: Progress,
}

/// Opens the results folder. Failed trials are moved away if the options say so, after it is known
/// that others may be run in their place; otherwise the user hears of them.
///
/// # Errors
/// Returns an error if the folder cannot be opened, or another build of the plugin would run the
/// trials again and nobody accepted that.
pub(super) fn open(
    plan: &Plan,
    spec: &ResultsSpec,
    options: &SessionOptions,
    observer: &mut dyn Observer,
) -> Result<OpenOutcome, SessionError> {
    let found = open_with(plan, spec, options, FailedTrials::Keep, observer)?;
    let failed = found.progress.failed_before;
    let trials = counted(failed, "trial");
    let words = format!("{trials} of earlier runs failed, crashed or timed out");
    let shown = found.folder.shown.display();
    if !options.retry_failed {
        let notice = format!("{shown}: {words}; --retry-failed runs them again");
        tell(Level::Note, (failed > 0).then_some(notice).as_slice(), observer);
        return Ok(found);
    }
    if failed == 0 {
        let notice = format!(
            "{shown}: no trial of earlier runs failed, crashed or timed out, so --retry-failed has \
            nothing to run again"
        );
        let began = found.opened.finished.total() > 0;
        tell(Level::Note, began.then_some(notice).as_slice(), observer);
        return Ok(found);
    }
    if let Err(error) = check_builds(plan, &found, options) {
        found.opened.abandon()?;
        return Err(error);
    }
    // It holds the folder's lock.
    drop(found);
    open_with(plan, spec, options, FailedTrials::RunAgain, observer)
}

/// Checks whether this build of the plugin may run the failed trials again.
fn check_builds(
    plan: &Plan,
    found: &OpenOutcome,
    options: &SessionOptions,
) -> Result<(), SessionError> {
    let OpenOutcome { opened, folder, progress } = found;
    // Where all of them failed, nothing of another build stays.
    if progress.failed_before < opened.finished.total() {
        let all = Missing::all(plan, options.share.as_ref());
        plugin_builds::check(plan, opened, &all, folder, options)?;
    }
    Ok(())
}

fn open_with(
    plan: &Plan,
    spec: &ResultsSpec,
    options: &SessionOptions,
    failed: FailedTrials,
    observer: &mut dyn Observer,
) -> Result<OpenOutcome, SessionError> {
    if options.share.is_none() {
        refuse_pieces(&options.results.path.join(&plan.name))?;
    }
    let opened = Store::open_share(&options.results.path, spec, options.share.as_ref(), failed)?;
    let folder = options.results.holding(opened.store.folder());
    tell(Level::Note, &opened.notices, observer);
    let progress =
        Progress::read(plan, options.share.as_ref(), &opened.finished, opened.store.work())?;
    Ok(OpenOutcome { opened, folder, progress })
}
