//! Simulated annealing with geometric cooling: one genome that also moves to worse neighbours. It
//! does so less often the lower the temperature is.
//!
//! Kirkpatrick, Gelatt and Vecchi (1983), doi:10.1126/science.220.4598.671.

use super::settings::SimulatedAnnealing;
use crate::problem::{Gene, Problem};
use crate::search::executor::Search;
use crate::search::halt::Halt;
use crate::search::local::Local;
use crate::search::metropolis::Metropolis;
use crate::search::mutants::Proposal;
use crate::search::plugin_operators::PluginOperators;
use crate::search::population::Population;
use crate::search::snapshot::Snapshot;
use crate::search::trial::Trial;

/// State of simulated annealing on genes of kind `G`. A generation is the moves at one temperature.
pub(crate) struct Annealing<'arm, G: Gene> {
    settings: &'arm SimulatedAnnealing,
    temperature: f64,
    rule: Metropolis,
    local: Local<'arm, G, Proposal<'arm>>,
}

impl<'arm, G: Gene> Annealing<'arm, G> {
    pub(crate) fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        settings: &'arm SimulatedAnnealing,
    ) -> Self {
        Annealing {
            settings,
            temperature: settings.temperature,
            rule: Metropolis::new(settings.moves),
            local: Local::proposing(problem, plugins, settings.mutation, true),
        }
    }
}

impl<G: Gene> Search for Annealing<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.temperature = self.settings.temperature;
        self.local.start(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Annealing { settings, temperature, rule, local } = self;
        let mut number = 0;
        while number < settings.moves {
            // Proposals that are known to be rejected change nothing.
            let passed = local.pass(trial, settings.moves - number, |proposal| {
                rule.rejects(proposal.worse, *temperature, proposal.chance)
            });
            trial.clock.evaluated(passed + 1)?;
            number += passed + 1;
            if number > settings.moves {
                break;
            }
            let worse = local.propose(trial)?;
            if rule.accepts(worse, *temperature, &mut trial.random) {
                local.accept(0)?;
            }
            if trial.solved().is_some() {
                break;
            }
        }
        *temperature *= settings.cooling;
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.temperature);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
