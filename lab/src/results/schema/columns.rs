//! The tables and their columns: the one list that the files' metadata and `results/README.md` both
//! follow.

use runner_engine::named;

named! {
    /// The tables of a results folder.
    pub enum Table {
        /// A row per arm.
        Summary = "summary",
        /// A row per trial.
        Trials = "trials",
        /// A row per recorded generation.
        Generations = "generations",
        /// Wall times, a row per trial.
        Timings = "timings",
    }
}

/// A column that every experiment has; swept keys come on top, one column each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the column.
    pub name: &'static str,
    /// Contents of the column, with type, unit and the meaning of null.
    pub doc: &'static str,
}

/// Documentation of a swept key's column.
pub(crate) const SWEPT_DOC: &str = "swept key: the value that the arm has for it";

/// Raised when a column changes its meaning or its type, or a file says otherwise what it is. Since
/// 2, files name their experiment and the builds of the plugin. Since 3, verdicts are words of a
/// list and not sentences, and there is no success rate without a target. Since 4, verdicts against
/// baselines are those of `runner compare`. Since 5, Polars itself writes the files. Since 6,
/// trials have the evaluations after their best. Since 7, summaries have quartiles and standard
/// deviation of the best fitness.
pub(crate) const FORMAT: u32 = 7;

/// The oldest format that is still read.
pub(crate) const OLDEST: u32 = 2;

/// Column of the summary that tables of format 2 lack.
pub(crate) const OPEN_FAILURES: &str = "baseline_open_failures";
/// Column of the summary that tables of formats 2 and 3 lack.
pub(crate) const CRITERION: &str = "baseline_ground";
/// Columns of trials and summary that tables of formats 2 to 5 lack.
pub(crate) const AFTER_BEST: &str = "evaluations_after_best";
pub(crate) const MEDIAN_AFTER_BEST: &str = "evaluations_after_best_median";
/// Columns of the summary that tables of formats 2 to 6 lack.
pub(crate) const FITNESS_Q25: &str = "best_fitness_q25";
pub(crate) const FITNESS_Q75: &str = "best_fitness_q75";
pub(crate) const FITNESS_DEVIATION: &str = "best_fitness_sd";

/// Returns whether tables of this format have the column.
pub(crate) fn has_column(format: u32, name: &str) -> bool {
    match name {
        OPEN_FAILURES => format >= 3,
        CRITERION => format >= 4,
        AFTER_BEST | MEDIAN_AFTER_BEST => format >= 6,
        FITNESS_Q25 | FITNESS_Q75 | FITNESS_DEVIATION => format >= 7,
        _ => true,
    }
}

const EXPERIMENT: Column = Column { name: "experiment", doc: "String. The experiment's name." };
const ARM: Column = Column {
    name: "arm",
    doc: "String. The arm's readable label, unique within the experiment: the operator set's name, \
        then the swept values.",
};
const ARM_ID: Column = Column {
    name: "arm_id",
    doc: "String. 16 hex digits: the start of the arm's fingerprint. The same arm has the same id \
        in every experiment.",
};
const PROBLEM: Column = Column { name: "problem", doc: "String. The problem's plugin." };
const OPERATORS: Column = Column { name: "operators", doc: "String. The operator set's name." };
const TRIAL: Column =
    Column { name: "trial", doc: "UInt64. The trial's number within its arm, from 0." };

const SUMMARY: &[Column] = &[
    EXPERIMENT,
    ARM,
    ARM_ID,
    PROBLEM,
    OPERATORS,
    Column {
        name: "trials",
        doc: "UInt64. Trials that ran to an end of their own, or out of time; failed and crashed \
            ones are in `failures`.",
    },
    Column {
        name: "successes",
        doc: "UInt64. Trials whose best fitness reached the target; 0 if there is none.",
    },
    Column {
        name: "failures",
        doc: "UInt64. Trials that failed or crashed; no other column counts them but the bounds of \
            the success rate and the verdict.",
    },
    Column {
        name: "timed_out",
        doc: "UInt64. Trials among `trials` that ran into the limit of seconds: the one outcome \
            that depends on the machine.",
    },
    Column {
        name: "success_rate",
        doc: "Float64. `successes` / `trials`: of the trials that ran, without `failures`; null \
            without trials, and, like the columns up to `success_bound_high`, where no trial can \
            succeed because the problem states no ideal and the experiment no target.",
    },
    Column {
        name: "success_low",
        doc: "Float64. Lower end of the interval of the success rate, made as `success_interval` \
            says.",
    },
    Column { name: "success_high", doc: "Float64. Upper end of that interval." },
    Column {
        name: "success_interval",
        doc: "String. How that interval was made: `wilson` for a number of trials fixed \
            beforehand, `confidence-sequence` where outcomes decided the number (`repeats` as a \
            question), `inverse-sampling` where a number of successes did and no trial failed, \
            `exact` where the search draws no random number, so that all trials are the \
            same and both ends are the rate.",
    },
    Column {
        name: "confidence",
        doc: "Float64. Level of that interval and of that of `baseline_difference`, such as 0.95.",
    },
    Column {
        name: "success_bound_low",
        doc: "Float64. Success rate if every failure counted as unsuccessful: `successes` / \
            (`trials` + `failures`). The lower worst-case bound (Horowitz and Manski 2000); \
            `success_rate` where nothing failed.",
    },
    Column {
        name: "success_bound_high",
        doc: "Float64. Success rate if every failure counted as successful: the upper worst-case \
            bound.",
    },
    Column {
        name: "best_fitness_min",
        doc: "Float64. Least best fitness of the trials; the lower the better.",
    },
    Column {
        name: FITNESS_Q25,
        doc: "Float64. Lower quartile (type 7) of the best fitness of the trials.",
    },
    Column { name: "best_fitness_median", doc: "Float64. Median best fitness of the trials." },
    Column {
        name: FITNESS_Q75,
        doc: "Float64. Upper quartile (type 7) of the best fitness of the trials.",
    },
    Column { name: "best_fitness_mean", doc: "Float64. Mean best fitness of the trials." },
    Column {
        name: FITNESS_DEVIATION,
        doc: "Float64. Standard deviation of the best fitness of the trials (the divisor is their \
            number minus 1); null with fewer than two.",
    },
    Column { name: "best_fitness_max", doc: "Float64. Greatest best fitness of the trials." },
    Column { name: "evaluations_total", doc: "UInt64. Fitness values computed by all trials." },
    Column {
        name: "evaluations_to_success_median",
        doc: "Float64. Median evaluations until success, of the successes alone; null if there are \
            none.",
    },
    Column {
        name: "evaluations_to_success_q25",
        doc: "Float64. Lower quartile (type 7) of the evaluations until success, of the successes \
            alone.",
    },
    Column {
        name: "evaluations_to_success_q75",
        doc: "Float64. Upper quartile (type 7) of the evaluations until success, of the successes \
            alone.",
    },
    Column {
        name: "ert",
        doc: "Float64. Expected running time in evaluations: those of successes until they \
            succeeded and all of the others, / `successes`; null without a success.",
    },
    Column {
        name: "ert_low",
        doc: "Float64. Lower end of the ERT's 95 % bootstrap-t interval; null if fewer than six \
            trials succeeded, or all alike.",
    },
    Column {
        name: "ert_high",
        doc: "Float64. Upper end of the ERT's 95 % bootstrap interval; null if the trials set no \
            upper bound (too few succeeded).",
    },
    Column {
        name: MEDIAN_AFTER_BEST,
        doc: "Float64. Median of the trials' `evaluations_after_best`; null if none has it.",
    },
    Column {
        name: "generations_median",
        doc: "Float64. Median number of generations of the trials.",
    },
    Column {
        name: "baseline",
        doc: "String. `arm_id` of the random search that the arm is measured against; null if it \
            has none.",
    },
    Column {
        name: "baseline_difference",
        doc: "Float64. `success_rate` minus the baseline's, over pairs of trials where these are \
            compared; null without a baseline.",
    },
    Column {
        name: "baseline_difference_low",
        doc: "Float64. Lower end of the interval of that difference, made as `baseline_interval` \
            says, at the level `confidence`.",
    },
    Column { name: "baseline_difference_high", doc: "Float64. Upper end of that interval." },
    Column {
        name: "baseline_interval",
        doc: "String. How that interval was made: `newcombe` (independent arms), `tango` (pairs of \
            trials, `pairing = \"common\"`), or where outcomes decided the number of trials \
            `confidence-sequence` or `paired-confidence-sequence`.",
    },
    Column {
        name: "baseline_verdict",
        doc: "String. Whether the arm is `better` or `worse` than its baseline, by the tests of \
            `runner compare`, with the p-values of all arms against their baselines adjusted \
            together; `unclear` if no test finds a difference; `open` if one does, but failed \
            trials could change the verdict. Null if these arms have more than 4,194,304 trials \
            together.",
    },
    Column {
        name: CRITERION,
        doc: "String. What that verdict rests on: `success-rate`, `evaluations` or \
            `final-fitness`; null if it is `unclear` or `open`.",
    },
    Column {
        name: OPEN_FAILURES,
        doc: "UInt64. Failed trials of both arms that leave the verdict open; null if it is not \
            `open`.",
    },
    Column {
        name: "settings",
        doc: "String. The resolved arm as TOML, every default written out.",
    },
];

/// Further columns of the summary if arms race, after `timed_out`.
pub(crate) const RACE: &[Column] = &[
    Column {
        name: "race",
        doc: "String. What became of the arm in its race: `best` (the only one left), `dropped \
            out` (worse beyond doubt) or `not told apart` (one of several left at the maximum of \
            trials); null while it races.",
    },
    Column {
        name: "dropped_out_after",
        doc: "UInt64. Trials, failed ones too, after which it dropped out; null if it did not.",
    },
];

/// Further columns of the summary if the problem has constraints, after `best_fitness_max`.
const SUMMARY_VIOLATIONS: &[Column] = &[
    Column {
        name: "feasible_rate",
        doc: "Float64. Share of the trials whose best genome is feasible, so that it keeps the \
            problem's constraints; `best_fitness_min` to `best_fitness_max` are of these alone. \
            Null without trials.",
    },
    Column {
        name: "best_violation_median",
        doc: "Float64. Median violation of the trials' best genomes; 0 is feasible.",
    },
    Column {
        name: "best_violation_max",
        doc: "Float64. Greatest violation of the trials' best genomes.",
    },
];

/// Further columns of the trials if the problem has constraints, after `best_fitness`.
const TRIALS_VIOLATIONS: &[Column] = &[Column {
    name: "best_violation",
    doc: "Float64. Violation of the best genome, whose fitness is `best_fitness`: 0 if it is \
        feasible. A feasible genome is better than any other; of others the one with the least \
        violation, then the least fitness, is the best. Null if the trial failed before its first \
        evaluation.",
}];

/// Column of the trials if an arm evaluates each genome several times, after `best_fitness`.
pub(crate) const STANDARD_ERROR: Column = Column {
    name: "best_standard_error",
    doc: "Float64. Standard error of `best_fitness`, where that is the mean of several noisy \
        evaluations of the best genome; null where it is the noiseless fitness, or of one \
        evaluation.",
};

/// Column of the trials if an arm remembers genomes, after `evaluations`.
pub(crate) const SAVED: Column = Column {
    name: "evaluations_saved",
    doc: "UInt64. Number of these evaluations that were not made, because the fitness of the same \
        genome was known (`duplicates`); null where each is made.",
};

/// Column of the trials if a gene of an arm is a choice, after `best`.
pub(crate) const BEST_NAMED: Column = Column {
    name: "best_named",
    doc: "List of String. The values of `best`: choices by name, others as numbers, each exactly; \
        null if `best` is, or is not mixed.",
};

/// Further columns of the generations if the problem has constraints, at the end.
const GENERATIONS_VIOLATIONS: &[Column] = &[
    Column {
        name: "best_violation",
        doc: "Float64. Violation of the generation's best genome, whose fitness is `best`, or of \
            the individual; 0 is feasible. `worst` is then the fitness of the worst genome: that \
            of the greatest violation.",
    },
    Column {
        name: "feasible_share",
        doc: "Float64. Share of the generation's genomes that are feasible; of the individual, 0 \
            or 1.",
    },
    Column {
        name: "violation_so_far",
        doc: "Float64. Violation of the best genome of this and all earlier generations, whose \
            fitness is `best_so_far`.",
    },
];

const TRIALS: &[Column] = &[
    EXPERIMENT,
    ARM,
    ARM_ID,
    PROBLEM,
    OPERATORS,
    TRIAL,
    Column {
        name: "seed",
        doc: "UInt64. The seed that every random number of the trial derives from.",
    },
    Column {
        name: "outcome",
        doc: "String. Why the trial ended: solved, generations, evaluations, stagnated, converged, \
            exhausted, failed, timed-out or crashed.",
    },
    Column { name: "success", doc: "Boolean. Whether the best fitness reached the target." },
    Column {
        name: "best_fitness",
        doc: "Float64. Least fitness seen; null if the trial failed before its first evaluation.",
    },
    Column {
        name: "generations",
        doc: "UInt64. Generations completed; the initial population is generation 0.",
    },
    Column { name: "evaluations", doc: "UInt64. Fitness values computed." },
    Column {
        name: "evaluations_to_success",
        doc: "UInt64. Fitness values computed up to and with the first that reached the target; \
            null without success.",
    },
    Column {
        name: AFTER_BEST,
        doc: "UInt64. Fitness values computed after the last improvement of the best fitness: 0 if \
            the last one improved it. Null if the trial has no best, was imported, or ran before \
            tables had this column.",
    },
    Column {
        name: "valid",
        doc: "Boolean. Whether the best genome keeps the problem's rules; null if the plugin has \
            none.",
    },
    Column {
        name: "best",
        doc: "List of UInt32, or of Float64 for real genes. The best genome; null if the trial \
            failed before it had one.",
    },
    Column {
        name: "best_text",
        doc: "String. The plugin's one-line rendering of the best genome; null if it has none.",
    },
    Column { name: "error", doc: "String. What went wrong, in words; null if nothing did." },
];

const GENERATIONS: &[Column] = &[
    ARM_ID,
    TRIAL,
    Column {
        name: "generation",
        doc: "UInt64. The generation's number; the initial population is 0.",
    },
    Column {
        name: "evaluations",
        doc: "UInt64. Fitness values computed up to the end of the generation.",
    },
    Column {
        name: "best",
        doc: "Float64. Least fitness in the generation; of the individual, when the whole \
            population is traced.",
    },
    Column {
        name: "mean",
        doc: "Float64. Mean fitness of the generation; of the individual, when the whole \
            population is traced.",
    },
    Column {
        name: "worst",
        doc: "Float64. Greatest fitness in the generation; of the individual, when the whole \
            population is traced.",
    },
    Column {
        name: "best_so_far",
        doc: "Float64. Least fitness of this and all earlier generations of the trial.",
    },
];

/// Further column of the generations if the trace has genomes.
pub(crate) const GENOME: &[Column] = &[Column {
    name: "genome",
    doc: "List of UInt32, or of Float64 for real genes. The individual's genes.",
}];

/// Column of the generations if the trace has genomes and a gene of an arm is a choice, after
/// `genome`.
pub(crate) const GENOME_NAMED: Column = Column {
    name: "genome_named",
    doc: "List of String. The values of `genome`: choices by name, others as numbers, each \
        exactly; null if it is not mixed.",
};

/// Further columns of the generations if the trace counts children by operators, before the genome.
pub static OPERATOR_COUNTS: [Column; 7] = [
    Column {
        name: "crossed",
        doc: "UInt64. Children of the generation that crossover made and that were not chosen for \
            mutation; 0 in an initial population. Null, as are the columns up to `cloned`, for an \
            algorithm that does not count children.",
    },
    Column {
        name: "crossed_better",
        doc: "UInt64. Number of these that are better than both parents, by the rule of the arm \
            for constraints and by the fitness that the search saw.",
    },
    Column {
        name: "mutated",
        doc: "UInt64. Copies of one parent that were chosen for mutation, even if that left all \
            genes as they were.",
    },
    Column {
        name: "mutated_better",
        doc: "UInt64. Number of these that are better than the parent.",
    },
    Column {
        name: "crossed_mutated",
        doc: "UInt64. Children that crossover made and that were chosen for mutation.",
    },
    Column {
        name: "crossed_mutated_better",
        doc: "UInt64. Number of these that are better than both parents.",
    },
    Column {
        name: "cloned",
        doc: "UInt64. Children that are copies of one parent and cannot be better. With the three \
            kinds before, these are all children of the generation.",
    },
];

const TIMINGS: &[Column] = &[
    ARM_ID,
    TRIAL,
    Column {
        name: "seconds",
        doc: "Float64. Wall time of the trial, less what it waited for a program that served \
        another trial.",
    },
    Column { name: "worker", doc: "UInt32. Number of the worker that ran it, from 0." },
];

impl Table {
    /// Returns the name of the table's file in the results folder.
    pub(crate) fn file_name(self) -> String {
        format!("{}.parquet", self.as_str())
    }

    /// Returns the table's columns in order. In summary and trials, the swept keys follow
    /// `operators`.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Table::Summary => SUMMARY,
            Table::Trials => TRIALS,
            Table::Generations => GENERATIONS,
            Table::Timings => TIMINGS,
        }
    }

    /// Returns the table's further columns if the problem has constraints.
    pub(crate) fn violation_columns(self) -> &'static [Column] {
        match self {
            Table::Summary => SUMMARY_VIOLATIONS,
            Table::Trials => TRIALS_VIOLATIONS,
            Table::Generations => GENERATIONS_VIOLATIONS,
            Table::Timings => &[],
        }
    }

    /// Returns whether the table has the arm's label and the swept keys.
    pub(crate) fn describes_arms(self) -> bool {
        matches!(self, Table::Summary | Table::Trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the part of results/README.md under a table's heading.
    fn section(table: Table) -> String {
        let readme = std::fs::read_to_string(crate::test_size::repository("results/README.md"))
            .expect("results/README.md is there");
        let heading = format!("## {}", table.file_name());
        let start = readme
            .find(&heading)
            .unwrap_or_else(|| panic!("results/README.md has no heading {heading}"));
        let rest = &readme[start + heading.len()..];
        rest[..rest.find("\n## ").unwrap_or(rest.len())].to_owned()
    }

    #[test]
    fn readme_lists_every_column_with_its_doc() {
        for table in Table::ALL {
            let section = section(table);
            let race = match table {
                Table::Summary => RACE,
                Table::Generations => &[GENOME[0], GENOME_NAMED],
                Table::Trials => &[STANDARD_ERROR, SAVED, BEST_NAMED],
                Table::Timings => &[],
            };
            let counts: &[Column] =
                if table == Table::Generations { &OPERATOR_COUNTS } else { &[] };
            let rows: Vec<String> = table
                .columns()
                .iter()
                .chain(race)
                .chain(counts)
                .chain(table.violation_columns())
                .map(|column| format!("| `{}` | {} |", column.name, column.doc))
                .collect();
            for row in &rows {
                assert!(
                    section.contains(row),
                    "results/README.md lacks this line under {table}:\n{row}\nAll:\n{}",
                    rows.join("\n")
                );
            }
        }
    }
}
