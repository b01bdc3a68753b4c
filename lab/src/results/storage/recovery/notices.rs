//! Notices for the user about moved files, with the reasons.

use super::Recovery;
use super::rows::Keys;
use crate::plan::budget::without_budget;
use crate::plan::fingerprint::ArmId;
use crate::plan::resolved::{Settings, SettingsReader};
use crate::results::schema::columns::Table;
use crate::results::storage::folder::{PARTS, PLAN, TableSet};
use crate::results::storage::judge::Reason;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::reader::TableReader;
use crate::words::{count, counted, first_listed};
use std::sync::Arc;

impl Recovery<'_> {
    pub(super) fn count(&mut self, reason: Reason, trials: u64) {
        *self.moved.entry(reason).or_default() += trials;
    }

    /// Counts a trial of an arm that is not asked for.
    pub(super) fn count_trial(&mut self, arm: ArmId, reason: Reason) {
        self.count(reason, 1);
        if reason == Reason::Arm {
            self.gone_arms.insert(arm);
        }
    }

    /// Takes note of a set's trials that are not asked for.
    pub(super) fn count_stale(&mut self, set: &TableSet, keys: &Keys) {
        let origin = keys.metadata.origin();
        if origin.seed != self.spec.seed || origin.experiment != self.spec.experiment {
            self.foreign.entry(origin.to_string()).or_default().push(set.path(Table::Trials));
        }
        keys.stale.iter().for_each(|((arm, _), reason)| self.count_trial(*arm, *reason));
    }

    /// Adds one notice per reason.
    pub(super) fn summarise(&mut self) {
        if self.kept > 0 {
            let again = self.moved.get(&Reason::Budget).copied().unwrap_or(0);
            let (kept, again) = (counted(self.kept, "trial"), count(again));
            self.notices.push(format!(
                "the budget in [stop] changed: {kept} that ended before it are kept, \
                {again} are run again (stop.keep-ended)"
            ));
        }
        let hint = self.hint();
        let Some(folder) = self.superseded.made() else { return };
        let own = format!("this is `{}` with seed {}", self.spec.experiment, self.spec.seed);
        for (origin, paths) in &self.foreign {
            let paths = first_listed(paths.iter().map(|path| path.display()), 1);
            self.notices
                .push(format!("{paths}: from {origin}, but {own}; moved to {}", folder.display()));
        }
        for (reason, trials) in &self.moved {
            let why = match reason {
                Reason::Arm => {
                    let arms = first_listed(&self.gone_arms, 3);
                    format!("the config no longer has their arms ({arms}){hint}")
                }
                Reason::Seed => "the config gives them different seeds".to_owned(),
                Reason::Repeats if self.spec.limits.is_some() => {
                    "the stopping rule in `repeats` was satisfied by the trials before them"
                        .to_owned()
                }
                Reason::Repeats => {
                    format!("their numbers are not below repeats = {}", self.spec.repeats)
                }
                Reason::Trace => {
                    format!("they ran without {} and are run again", self.spec.trace.keys())
                }
                Reason::Budget => {
                    "they may be others within the budget that the config now has, and are run \
                    again (stop.keep-ended)"
                        .to_owned()
                }
                Reason::Retried => {
                    "they failed, crashed or timed out, and are run again (--retry-failed)"
                        .to_owned()
                }
            };
            let trials = counted(*trials, "trial");
            self.notices.push(format!("{trials} moved to {}: {why}", folder.display()));
        }
    }

    /// Returns a hint at the reason for which arms are gone: another version of a plugin, or a
    /// budget, with the key that would have kept some trials. The hint is empty if arms that are
    /// gone differ from the config's arms in other settings.
    fn hint(&self) -> &'static str {
        if self.gone_arms.is_empty() {
            return "";
        }
        let before = self.settings_before();
        let differ_alone_in = |free: &dyn Fn(&Settings) -> Settings| {
            let own: Vec<Settings> = self.spec.arms.iter().map(|arm| free(&arm.settings)).collect();
            let mut gone = before.iter().filter(|(id, _)| self.gone_arms.contains(id));
            gone.any(|(_, settings)| own.contains(&free(settings)))
        };
        let unnamed = |settings: &Settings| Settings { name: "".into(), ..settings.clone() };
        let of_any_budget = |settings: &Settings| {
            let stop = Arc::new(without_budget(&settings.stop));
            Settings { stop, ..unnamed(settings) }
        };
        if differ_alone_in(&unnamed) {
            return ", though it has arms with the same settings: another version of a plugin made \
                these trials";
        }
        match differ_alone_in(&of_any_budget) {
            true => {
                "; where only the budget in [stop] changes, keep-ended = true keeps the trials \
                that ended before it"
            }
            false => "",
        }
    }

    /// Returns the settings of the folder's present arms, from its plan or its summary. Files that
    /// cannot be read are skipped.
    fn settings_before(&self) -> Vec<(ArmId, Settings)> {
        let plan = self.home.join(PARTS).join(PLAN);
        if let Ok(Some(plan)) = PlanFile::read(&plan) {
            return plan.spec.arms.into_iter().map(|arm| (arm.id, arm.settings)).collect();
        }
        let path = TableSet::tables(self.folder).path(Table::Summary);
        let Ok(reader) = TableReader::open(&path, Table::Summary) else { return Vec::new() };
        let (mut settings, mut found) = (SettingsReader::default(), Vec::new());
        for group in 0..reader.groups() {
            let Ok(frame) = reader.group(group, Some(&["arm_id", "settings"])) else { continue };
            let texts = |name: &str| frame.column(name).and_then(|column| column.str().cloned());
            let (Ok(ids), Ok(texts)) = (texts("arm_id"), texts("settings")) else { continue };
            for row in 0..frame.height() {
                let read = texts.get(row).and_then(|text| settings.read(text));
                found.extend(ids.get(row).and_then(ArmId::from_hex).zip(read));
            }
        }
        found
    }
}
