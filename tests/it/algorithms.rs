//! Algorithms other than the evolutionary one, on the real plugins.

use crate::util::{Sandbox, column, document, root, rows, sized};
use serde_json::Value;

/// Runs a config of these operator sets and lines below on 8 queens, and gives the trials.
fn trials(top: &str, operators: &[&str], below: &str) -> Vec<Value> {
    let sandbox = Sandbox::new();
    let sets: String = operators.iter().map(|set| format!("[[operators]]\n{set}\n")).collect();
    sandbox.write("a.toml", format!("{top}\n[problem]\nplugin = \"nqueens\"\n{sets}{below}\n"));
    sandbox.run(&["a.toml"]).code(0);
    rows(&sandbox, &["results/a", "--trials"])
}

fn count(trials: &[Value], of: impl Fn(&Value) -> bool) -> f64 {
    trials.iter().filter(|trial| of(trial)).count() as f64
}

fn number(trial: &Value, key: &str) -> f64 {
    trial[key].as_f64().unwrap_or_else(|| panic!("no {key} in {trial}"))
}

/// Russell and Norvig (2021), section 4.1: steepest climbs of 8 queens succeed in 14 % of all
/// cases, after 4 steps, and are stuck after 3 in the others; with up to 100 sideways moves in a
/// row 94 % succeed, after 21 steps, or 64. Their shares are rounded: ours may differ by that
/// rounding and 5 standard deviations, a false alarm in 6e-7 each. Their steps with sideways moves
/// depend on how these are counted: ours (18.9 and 61.2 of 50,000) may differ by 15 % besides.
#[test]
fn climbs_succeed_as_often_as_the_textbook_says() {
    let climbs = trials(
        "repeats = 3000",
        &[
            "algorithm = { kind = \"hill-climbing\", restarts = false }",
            "algorithm = { kind = \"hill-climbing\", sideways = 100, restarts = false }",
        ],
        "[stop]\nevaluations = 1000000",
    );
    let (plain, sideways) = climbs.split_at(3000);
    for (climbs, share, steps, stuck) in [(plain, 0.14f64, 4.0, 3.0), (sideways, 0.94, 21.0, 64.0)]
    {
        let solved = count(climbs, |trial| trial["outcome"] == "solved");
        assert_eq!(solved + count(climbs, |trial| trial["outcome"] == "stagnated"), 3000.0);
        let reach = 0.005 + 5.0 * (share * (1.0 - share) / 3000.0).sqrt();
        assert!((solved / 3000.0 - share).abs() < reach, "{solved} of 3000 are not {share}");
        for (outcome, published) in [("solved", steps), ("stagnated", stuck)] {
            let of: Vec<f64> = climbs
                .iter()
                .filter(|trial| trial["outcome"] == outcome)
                .map(|trial| number(trial, "generations"))
                .collect();
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            let variance =
                of.iter().map(|steps| (steps - mean).powi(2)).sum::<f64>() / of.len() as f64;
            let counted = if published > 10.0 { 0.15 * published } else { 0.5 };
            let reach = counted + 5.0 * (variance / of.len() as f64).sqrt();
            assert!(
                (mean - published).abs() < reach,
                "{outcome} after {mean} steps, not {published}"
            );
        }
    }
    // The first board, then all 56 neighbours at every step; the last step of a stuck climb finds
    // none.
    for trial in plain {
        let looks =
            number(trial, "generations") + f64::from(u8::from(trial["outcome"] == "stagnated"));
        assert_eq!(number(trial, "evaluations"), 1.0 + 56.0 * looks, "{trial}");
    }
}

#[test]
fn restarts_and_annealing_solve_and_stop_at_the_solution() {
    let all = trials(
        "repeats = 200",
        &[
            "algorithm = \"hill-climbing\"",
            "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\" }",
            "algorithm = { kind = \"simulated-annealing\", cooling = 0.995, moves = 56 }",
            "algorithm = { kind = \"simulated-annealing\", temperature = 0.5, cooling = 1 \
            }\nmutation = \"reset\"",
        ],
        "[stop]\nevaluations = 1000000",
    );
    assert_eq!(count(&all, |trial| trial["outcome"] == "solved"), 800.0);
    for trial in &all[200..] {
        // One neighbour at a time: nothing is evaluated after the solution.
        assert_eq!(trial["evaluations"], trial["evaluations_to_success"], "{trial}");
    }
}

/// Against the traces, on a problem with moves: the last improvement lies in the generation in
/// which the best so far last fell. Generations of one evaluation say it exactly.
#[test]
fn evaluations_after_the_best_are_those_after_the_last_improvement() {
    let sandbox = Sandbox::new();
    let sets = [
        "population = 10\nselection = \"tournament\"\nmutation = \"reset\"",
        "algorithm = \"hill-climbing\"",
        "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\" }",
        "algorithm = { kind = \"simulated-annealing\", cooling = 0.9, moves = 1 }",
        "algorithm = \"random-search\"",
    ];
    let sets: String = sets.iter().map(|set| format!("[[operators]]\n{set}\n")).collect();
    let top = "repeats = 20\n[output]\ntrace = \"best\"\n[problem]\nplugin = \"nqueens\"\n";
    sandbox.write("a.toml", format!("{top}{sets}[stop]\nevaluations = 700\n"));
    sandbox.run(&["a.toml"]).code(0);
    let traced = |name| column(&sandbox.path("results/a/generations.parquet"), name).into_iter();
    let mut steps: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for ((generation, evaluations), best) in
        traced("generation").zip(traced("evaluations")).zip(traced("best_so_far"))
    {
        if generation == 0.0 {
            steps.push((Vec::new(), Vec::new()));
        }
        let (all, bests) = steps.last_mut().expect("a trial begins with generation 0");
        all.push(evaluations);
        bests.push(best);
    }
    let trials = rows(&sandbox, &["results/a", "--trials"]);
    assert_eq!((trials.len(), steps.len()), (100, 100));
    let (mut late, mut exact) = (0, 0);
    for (trial, (evaluations, bests)) in trials.iter().zip(&steps) {
        let (all, after) = (number(trial, "evaluations"), number(trial, "evaluations_after_best"));
        let best = number(trial, "best_fitness");
        // Beyond the last row there is a generation that was cut off.
        let place = bests.iter().position(|one| *one == best).unwrap_or(bests.len());
        let from = if place == 0 { 0.0 } else { evaluations[place - 1] };
        let to = evaluations.get(place).copied().unwrap_or(all);
        assert!(from < all - after && all - after <= to, "{trial}: {from} {to}");
        late += usize::from(after > 0.0);
        exact += usize::from(to - from == 1.0);
    }
    assert!(late > 20 && exact > 10, "{late} {exact}");
    for (arm, row) in rows(&sandbox, &["results/a"]).iter().enumerate() {
        let own = trials[20 * arm..20 * arm + 20].iter();
        let mut own: Vec<f64> = own.map(|one| number(one, "evaluations_after_best")).collect();
        own.sort_by(f64::total_cmp);
        assert_eq!(number(row, "evaluations_after_best_median"), 0.5 * (own[9] + own[10]), "{row}");
    }
    sandbox.run(&["verify", "results/a", "--all"]).code(0);
}

/// Each board is a solution with probability 92 / 8^8. Within 5 standard deviations: a false alarm
/// in 6e-7.
#[test]
fn random_search_is_as_lucky_as_it_should_be() {
    let repeats = sized(700, 2_000);
    let luck = trials(
        &format!("repeats = {repeats}"),
        &["algorithm = \"random-search\""],
        "[stop]\nevaluations = 20050",
    );
    let expected = 1.0 - (1.0 - 92.0 / 16_777_216.0f64).powi(20_050);
    let found = count(&luck, |trial| trial["success"] == true) / repeats as f64;
    assert!(
        (found - expected).abs() < 5.0 * (expected * (1.0 - expected) / repeats as f64).sqrt(),
        "{found}, not {expected}"
    );
    for trial in &luck {
        let (outcome, evaluations) = (&trial["outcome"], number(trial, "evaluations"));
        // Batches of 100; the budget cuts the last one short.
        match outcome.as_str() {
            Some("solved") => {
                assert!(evaluations % 100.0 == 0.0 || evaluations == 20_050.0, "{trial}")
            }
            Some("evaluations") => {
                assert_eq!((evaluations, number(trial, "generations")), (20_050.0, 199.0))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn exhaustive_search_goes_through_the_whole_space_once() {
    // A target that no board reaches: 4! permutations, 3^3 boards.
    let sandbox = Sandbox::new();
    let config = |problem: &str| {
        format!(
            "repeats = 1\n[problem]\n{problem}\n[[operators]]\nalgorithm = \
            \"exhaustive\"\npopulation = 10\n[stop]\nfitness = -1\n[output]\ntrace = \
            \"population\"\n"
        )
    };
    for (name, problem, size, least) in [
        ("permutations", "plugin = \"nqueens\"\nn = 4\nencoding = \"permutation\"", 24.0, 2),
        ("rows", "plugin = \"nqueens\"\nn = 4", 256.0, 2),
        ("ranks", "plugin = \"chess960\"", 960.0, 1),
    ] {
        sandbox.write(&format!("{name}.toml"), config(problem));
        sandbox.run(&[format!("{name}.toml")]).code(0);
        let trial = &rows(&sandbox, &[&format!("results/{name}"), "--trials"])[0];
        assert_eq!(trial["outcome"], "exhausted");
        assert_eq!(number(trial, "evaluations"), size);
        let fitness = column(&sandbox.path(format!("results/{name}/generations.parquet")), "best");
        assert_eq!(fitness.len() as f64, size);
        // 2 boards of 4 queens are solutions; 1 rank of 960 is the classical one.
        assert_eq!(fitness.iter().filter(|fitness| **fitness == 0.0).count(), least, "{name}");
    }
}

#[test]
fn paired_trials_start_alike_in_every_arm_of_a_problem() {
    let sandbox = Sandbox::new();
    let config = |pairing: &str| {
        format!(
            "repeats = 20\npairing = \"{pairing}\"\nbaseline = true\n[problem]\nplugin = \
            \"nqueens\"\n[[operators]]\npopulation = 50\nselection = \"uniform\"\nmutation = \
            \"reset\"\n[[operators]]\npopulation = 80\nselection = {{ kind = \"tournament\", size \
            = 2 }}\nmutation = \"swap\"\n[[operators]]\nalgorithm = \
            \"simulated-annealing\"\n[stop]\ngenerations = 3\n[output]\ntrace = \"population\"\n"
        )
    };
    for (pairing, alike) in [("independent", false), ("common", true)] {
        sandbox.write(&format!("{pairing}.toml"), config(pairing));
        sandbox.run(&[format!("{pairing}.toml")]).code(0);
        let path = sandbox.path(format!("results/{pairing}/generations.parquet"));
        let [fitness, generation, trial] =
            ["best", "generation", "trial"].map(|name| column(&path, name));
        // Arm by arm, trial by trial: the fitness of the initial populations.
        let mut starts: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut last = (f64::NAN, f64::NAN);
        for ((fitness, generation), trial) in fitness.into_iter().zip(generation).zip(trial) {
            if generation == 0.0 {
                if last != (trial, generation) {
                    starts.push((trial, Vec::new()));
                }
                starts.last_mut().expect("just pushed").1.push(fitness);
            }
            last = (trial, generation);
        }
        let arms: Vec<&[(f64, Vec<f64>)]> = starts.chunks_exact(20).collect();
        assert!(arms.len() >= 4, "{} arms", arms.len());
        for other in &arms[1..] {
            let same = (0..20).filter(|trial| {
                let (first, second) = (&arms[0][*trial].1, &other[*trial].1);
                let common = first.len().min(second.len());
                first[..common] == second[..common]
            });
            let same = same.count();
            // Of independent starts, those of one individual alone agree now and then.
            assert!(
                if alike { same == 20 } else { same < 12 },
                "{pairing}: {same} of 20 starts are the same"
            );
        }
    }
}

/// Of random boards of 12 queens 14,200 in 12^12 are solutions: that luck or the arm without use
/// find one is a matter of 1 in 200.
#[test]
fn the_summary_says_which_arms_beat_luck() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.toml",
        "repeats = 300\nbaseline = true\n[problem]\nplugin = \"nqueens\"\nn = \
        12\n[[operators]]\nname = \"climbs\"\nalgorithm = \"hill-climbing\"\n[[operators]]\nname = \
        \"no use\"\npopulation = 10\nselection = \"uniform\"\nmutation = { kind = \"reset\", \
        gene-rate = 1, value = \"any\" }\n[stop]\nevaluations = 5000\n",
    );
    let ran = sandbox.run(&["a.toml"]).code(0).says("against").says("better").says("cannot tell");
    ran.warns("`no use`: no test shows that it is better than random search");
    let summary = rows(&sandbox, &["results/a"]);
    let baseline = &summary[2];
    assert_eq!(
        (&baseline["arm"], &baseline["baseline"]),
        (&Value::from("random-search"), &Value::Null)
    );
    for (row, verdict) in summary[..2].iter().zip(["better", "unclear"]) {
        assert_eq!(
            (&row["baseline"], &row["baseline_verdict"]),
            (&baseline["arm_id"], &Value::from(verdict))
        );
        let difference = number(row, "success_rate") - number(baseline, "success_rate");
        assert!((number(row, "baseline_difference") - difference).abs() < 1e-12);
        assert!(
            number(row, "baseline_difference_low") < difference
                && difference < number(row, "baseline_difference_high")
        );
    }
    sandbox.run(&["show", "results/a"]).code(0).says("better");
}

/// One question has one verdict: the summary's, and that of `compare`, by any criterion, for
/// independent and for paired trials.
#[test]
fn the_verdict_against_the_baseline_is_that_of_compare() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.toml",
        "baseline = true\n[problem]\nplugin = \"nqueens\"\nn = 6\n[[operators]]\nname = \
        \"climbs\"\nalgorithm = \"hill-climbing\"\n[[operators]]\nname = \"annealing\"\nalgorithm \
        = \"simulated-annealing\"\n[[operators]]\nname = \"small\"\npopulation = 4\nselection = \
        \"uniform\"\nmutation = { kind = \"reset\", gene-rate = 0.3 }\n[stop]\nevaluations = 60\n",
    );
    let mut seen = std::collections::BTreeSet::new();
    for (repeats, pairing, n) in [
        (10, "independent", "problem.n=6"),
        (60, "independent", "problem.n=6"),
        (60, "common", "problem.n=6"),
        (40, "independent", "problem.n=30"),
        (40, "common", "problem.n=30"),
    ] {
        let set = [format!("pairing=\"{pairing}\""), format!("repeats={repeats}")];
        let name = format!("{repeats}{pairing}{}", n.len());
        sandbox
            .run(&["a.toml", "--out", &name, "--set", &set[0], "--set", &set[1], "--set", n])
            .code(0);
        let folder = format!("{name}/a");
        let summary = rows(&sandbox, &[&folder]);
        let all = sandbox.run(&["compare", &folder, "--json"]).code(0);
        let against = sandbox.run(&["compare", &folder, "--against", "random-search", "--json"]);
        for ran in [all, against.code(0)] {
            let compared: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
            for row in summary.iter().filter(|row| !row["baseline"].is_null()) {
                let is_it =
                    |one: &&Value| one["first"] == row["arm"] && one["second"] == "random-search";
                let one = compared.iter().find(is_it).expect("the comparison");
                assert_eq!(row["baseline_verdict"], one["verdict"], "{row}\n{one}");
                assert_eq!(row["baseline_ground"], one["ground"], "{row}\n{one}");
                assert_eq!(row["baseline_difference"], one["difference"], "{row}\n{one}");
                seen.insert((one["verdict"].to_string(), one["ground"].to_string()));
            }
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
    sandbox.run(&["report", "60common11/a", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    assert!(page.contains("tests against baselines"), "the family of baselines is named");
}

/// The rate of a search that draws no random number is exact, whichever search that is: its trials
/// are the same whatever the seed, and those of all others are not.
#[test]
fn the_figures_of_a_search_without_chance_are_exact() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["operators", "algorithm"]).code(0).stdout;
    let name = |line: &str| Some(line.strip_prefix("  ")?.split_once(": ")?.0.to_owned());
    let is_name = |word: &String| word.bytes().all(|letter| letter == b'-' || letter > b' ');
    let names = list.lines().filter_map(name).filter(is_name);
    let names: Vec<String> = names.filter(|name| name != "source").collect();
    assert!(names.len() >= 5, "{names:?}");
    let mut exact = 0;
    for name in &names {
        let more = match name.as_str() {
            "evolutionary" | "islands" | "cellular" => {
                "population = 4\nselection = \"uniform\"\nmutation = \"bit-flip\"\n"
            }
            "simulated-annealing" | "threshold-accepting" | "late-acceptance" => {
                "mutation = \"bit-flip\"\n"
            }
            "deterministic-crowding" => "population = 4\nmutation = \"bit-flip\"\n",
            "differential-evolution" | "jade" | "shade" | "particle-swarm" => "population = 5\n",
            _ => "",
        };
        let problem = match name.as_str() {
            "differential-evolution"
            | "jade"
            | "shade"
            | "l-shade"
            | "cma-es"
            | "one-plus-one-es"
            | "particle-swarm" => "plugin = \"continuous\"\nn = 3",
            "min-conflicts" => "plugin = \"nqueens\"",
            "conflict-minimization" => "plugin = \"nqueens\"\nencoding = \"permutation\"",
            _ => "plugin = \"onemax\"\nlength = 10",
        };
        sandbox.write(
            "a.toml",
            format!(
                "repeats = 12\n[problem]\n{problem}\n[[operators]]\n\
                algorithm = \"{name}\"\n{more}[stop]\nevaluations = 300\n"
            ),
        );
        let ran = sandbox.run(&["a.toml", "--out", name]).code(0);
        let folder = format!("{name}/a");
        let trials = rows(&sandbox, &[&folder, "--trials"]);
        let figures = |row: &Value| format!("{} {}", row["evaluations"], row["best_fitness"]);
        let same = trials.iter().all(|row| figures(row) == figures(&trials[0]));
        let row = rows(&sandbox, &[&folder]).remove(0);
        assert_eq!(row["success_interval"] == "exact", same, "{name}: {row}");
        let words = ran.stderr.contains("all 12 trials of an arm will be the same");
        assert_eq!(words && ran.stdout.contains(" exact "), same, "{name}\n{ran}");
        exact += u32::from(same);
    }
    assert_eq!(exact, 1);
    sandbox.run(&["report", "exhaustive/a", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    assert!(page.contains("[exact]") && !page.contains("Wilson"), "the page says what is exact");
}

/// Every config that ships passes the check and asks for a baseline, but where random search is all
/// that it has.
#[test]
fn every_config_that_ships_is_good_and_has_a_baseline_or_says_why_not() {
    let sandbox = Sandbox::new();
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("configs")).expect("the configs") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let text = document(&format!("configs/{name}"));
        for part in ["# Question\n", "# Expect\n", "# Source\n"] {
            assert!(text.contains(part), "{name} lacks the part {part}");
        }
        let no_search =
            ["\"random-search\"", "\"exhaustive\""].iter().any(|word| text.contains(word));
        let excused = text.contains("#   No baseline: ");
        assert!(
            no_search || excused || text.contains("baseline = true"),
            "{name} has no baseline, and does not say why"
        );
        let path = path.to_str().expect("UTF-8");
        checked += 1;
        // Another test runs all of them.
        if sized(0, 1) == 0 {
            continue;
        }
        // A trial of each of its 550 arms takes a debug build a minute.
        let shorter = ["--set", "stop.evaluations=500"];
        let shorter = if name == "pbo-suite.toml" { &shorter[..] } else { &[] };
        sandbox.run(&[&["check", path], shorter].concat()).code(0).says("valid");
    }
    assert!(checked >= 12, "{checked} configs");
}

/// The exact expectations of the (1+1) evolutionary algorithm on OneMax and LeadingOnes of 100 bits
/// (docs/exact-results.md). Means of 100 trials within 5 of their standard deviations, about 350
/// and 1,550 a trial: a false alarm in 1e-6.
#[test]
fn one_plus_one_needs_the_evaluations_of_theory() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", document("configs/pbo.toml"));
    let words = ["sweep.problem.problem=[\"one-max\", \"leading-ones\"]", "baseline=false"];
    sandbox.run(&["a.toml", "--set", words[0], "--set", words[1]]).code(0);
    let trials = rows(&sandbox, &["results/pbo", "--trials"]);
    for (problem, due, deviation) in [("one-max", 1070.5, 350.0), ("leading-ones", 8574.4, 1550.0)]
    {
        let own = trials
            .iter()
            .filter(|trial| trial["operators"] == "(1+1)" && trial["problem.problem"] == problem);
        let evaluations: Vec<f64> =
            own.map(|trial| number(trial, "evaluations_to_success")).collect();
        let mean = evaluations.iter().sum::<f64>() / evaluations.len() as f64;
        assert_eq!(evaluations.len(), 100);
        assert!((mean - due).abs() < 5.0 * deviation / 10.0, "{problem}: {mean}, not {due}");
    }
}

#[test]
fn real_genes_are_searched_by_every_algorithm_that_fits() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", document("configs/continuous.toml"));
    sandbox.run(&["a.toml", "--repeats", "3", "--set", "stop.evaluations=2000"]).code(0);
    let annealing = "seed = 1\nrepeats = 20\nbaseline = true\n[problem]\nplugin = \
        \"continuous\"\nn = 2\n[[operators]]\nname = \"annealing\"\nalgorithm = { kind = \
        \"simulated-annealing\", moves = 20 }\n[stop]\nfitness = 0.01\ngenerations = 500\n";
    sandbox.write("b.toml", annealing);
    sandbox.run(&["b.toml"]).code(0);
    let summary = rows(&sandbox, &["results/b"]);
    assert_eq!(number(&summary[0], "success_rate"), 1.0, "{summary:?}");
    sandbox
        .run(&["sample", "continuous", "--set", "function=rosenbrock", "--set", "n=1"])
        .code(3)
        .warns("choose n = 2");
    sandbox
        .run(&["sample", "pbo", "--set", "problem=ising-torus", "--set", "n=50"])
        .code(3)
        .warns("choose 49 or 64");
}
