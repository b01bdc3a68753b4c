//! Names of other tools for the keys of an experiment, so that their users learn our names. The
//! tools are DEAP, pymoo, Nevergrad, SciPy, pycma, irace, IOHexperimenter and COCO.

/// Our key, and the words of others for it, in lower case and without `-` and `_`.
const NAMES: [(&str, &str); 10] = [
    (
        "evaluations",
        "maxevals maxeval maxevaluations nevals neval nevaluations evals budget maxfes fes nfe \
        nfev maxfev maxfevals maxfunevals maxfuncalls maxexperiments",
    ),
    (
        "generations",
        "ngen ngens gens maxgen maxgens maxgenerations ngenerations iterations maxiter \
        maxiterations niter niterations epochs",
    ),
    ("population", "popsize populationsize npop mu nindividuals individuals np"),
    ("offspring", "lambda noffspring noffsprings noffspringmax nchildren"),
    ("seed", "seeds randomseed randomstate rng rngseed"),
    (
        "repeats",
        "runs nruns repeat nrepeats repetitions reps replicates trials ntrials nexperiments",
    ),
    (
        "rate",
        "cxpb mutpb pc pm prob probability crossoverrate mutationrate crossoverprobability \
        mutationprobability",
    ),
    ("trial-seconds", "timeout maxtime timelimit walltime maxseconds seconds"),
    ("stagnation", "patience earlystopping maxstagnation tolstagnation noimprove"),
    ("fitness", "target ftarget targetfitness goal fitnessthreshold optimum"),
];

/// Returns our key for another tool's name.
pub(super) fn ours(name: &str) -> Option<&'static str> {
    let plain: String =
        name.chars().filter(|c| !"-_ .".contains(*c)).flat_map(char::to_lowercase).collect();
    NAMES.iter().find(|(_, names)| names.split(' ').any(|name| name == plain)).map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_one_name_and_no_name_has_two_meanings() {
        assert_eq!(ours("max_evals"), Some("evaluations"));
        assert_eq!(ours("pop-size"), Some("population"));
        assert_eq!(ours("RandomState"), Some("seed"));
        assert_eq!(ours("evaluations"), None);
        let mut all: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(all.iter().all(|name| ours(name).is_some()));
    }
}
