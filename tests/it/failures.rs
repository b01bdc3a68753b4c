//! Trials that fail hide nothing.

use crate::util::{Sandbox, root, rows};

/// One arm that solves nearly every trial that runs; `share` of its genomes cannot be evaluated.
fn config(share: f64) -> String {
    format!(
        "repeats = 60\n[problem]\nplugin = \"faulty\"\nfault = \"error-evaluate\"\nlength = \
        10\nshare = {share}\n[[operators]]\nname = \"search\"\npopulation = 10\nselection = {{ \
        kind = \"tournament\", size = 2 }}\nmutation = \"bit-flip\"\n[stop]\nevaluations = 4000\n"
    )
}

#[test]
fn a_gate_does_not_open_because_trials_failed() {
    let sandbox = Sandbox::new();
    for (out, share, code) in [("old", 0.0, 0), ("some", 0.02, 1), ("all", 1.0, 1)] {
        sandbox.write("gate.toml", config(share));
        sandbox.run(&["gate.toml", "--out", out]).code(code);
    }
    let failures = &rows(&sandbox, &["some/gate"])[0]["failures"];
    assert!((10..=55).contains(&failures.as_u64().expect("a count")), "{failures}");
    let diff = |new: &str, fail_on: &str| {
        // Another share is another problem; the search is the same.
        let new = format!("{new}/gate");
        sandbox.run(&["diff", "old/gate", &new, "--across-problems", "--fail-on", fail_on])
    };
    diff("old", "changed").code(0);
    for fail_on in ["worse", "changed"] {
        diff("some", fail_on).code(1).says("1 may be worse, given their failed trials");
        diff("all", fail_on).code(1).says("1 without usable trials");
    }
    diff("some", "never").code(0).says(" failed").says("0 worse, 0 better");
    diff("all", "never").code(0).warns("all 60 failed or crashed");
}

/// The C fixture whose best fitness misses its ideal; its folder.
fn rounding(sandbox: &Sandbox, folder: &str, old_header: bool) {
    std::fs::create_dir_all(sandbox.path(folder)).expect("a folder");
    let name = format!("{}rounding{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    let header = if old_header { "tests/fixtures/c/abi-1.0" } else { "plugins/sdk/include" };
    compiler.arg("-I").arg(root().join(header)).arg("-o").arg(sandbox.path(folder).join(name));
    let built =
        compiler.arg(root().join("tests/fixtures/c/rounding.c")).output().expect("a C compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// 50 trials of a search that finds the best fitness, which lies so far below the ideal.
fn near(below: &str, more: &str) -> String {
    format!(
        "repeats = 50\nbaseline = true\n[problem]\nplugin = \"rounding\"\nbelow = \
        {below}\n{more}\n[[operators]]\nname = \"search\"\npopulation = 6\nselection = {{ kind = \
        \"tournament\", size = 2 }}\nmutation = \"bit-flip\"\nreplacement = {{ kind = \"elitism\", \
        count = 1 }}\n[stop]\nevaluations = 300\n"
    )
}

#[test]
fn a_fitness_one_unit_in_the_last_place_below_the_ideal_is_a_success() {
    for old_header in [false, true] {
        let sandbox = Sandbox::new();
        rounding(&sandbox, "plugins", old_header);
        for (place, below) in
            ["0.0", "5.6e-17", "-5.6e-17", "1e-10", "-1e-10"].into_iter().enumerate()
        {
            sandbox.write("near.toml", near(below, ""));
            let out = format!("out{place}");
            sandbox.run(&["--plugin-dir", "plugins", "near.toml", "--out", &out]).code(0);
            let summary = rows(&sandbox, &[&format!("{out}/near")]);
            let search = &summary[0];
            assert!(search["failures"] == 0 && search["trials"] == 50, "{below}: {search}");
            assert!(search["successes"].as_u64() > Some(40), "{below}: {search}");
            assert_eq!(search["success_bound_low"], search["success_rate"]);
            // The best fitness is kept as it is.
            let best = 0.3 - below.parse::<f64>().expect("a number");
            assert_eq!(search["best_fitness_min"].as_f64(), Some(best), "{below}");
        }
        // An explicit target is met exactly or not at all.
        sandbox.write("near.toml", near("-1e-10", ""));
        let exact = [
            "--plugin-dir",
            "plugins",
            "near.toml",
            "--out",
            "exact",
            "--set",
            "stop.fitness=0.30000000005",
        ];
        sandbox.run(&exact).code(0);
        assert_eq!(rows(&sandbox, &["exact/near"])[0]["successes"], 0);
    }
}

#[test]
fn trials_that_fail_are_seen_in_the_rate_the_verdict_and_the_closing_words() {
    let sandbox = Sandbox::new();
    rounding(&sandbox, "plugins", false);
    // Exact by its own word, so that every trial that finds the best fails; one that does not is
    // unsuccessful.
    sandbox.write("near.toml", near("5.6e-17", "tolerance = 0.0"));
    let ran = sandbox
        .run(&["--plugin-dir", "plugins", "near.toml", "--set", "stop.evaluations=40"])
        .code(1);
    let ran = ran
        .says("rate if")
        .says("32 trials failed or crashed")
        .warns("below 0.3, which the plugin states as the ideal, by ")
        .warns("more than its tolerance 0;")
        .warns("trials of `search` failed")
        .warns("and no verdict is given that the failures could turn");
    assert!(!ran.stdout.contains("better"), "{ran}");
    let summary = rows(&sandbox, &["results/near"]);
    let search = &summary[0];
    let (trials, failures) = (
        search["trials"].as_u64().expect("a count"),
        search["failures"].as_u64().expect("a count"),
    );
    assert!(failures > 5 && trials > 0 && trials + failures == 50, "{search}");
    assert_eq!(search["success_bound_low"].as_f64(), Some(0.0));
    assert_eq!(search["success_bound_high"].as_f64(), Some(failures as f64 / 50.0));
    let verdict = search["baseline_verdict"].as_str().unwrap_or("unclear");
    assert!(["unclear", "open"].contains(&verdict), "{search}");
    let compared = sandbox.run(&["compare", "results/near"]).code(0);
    assert!(
        !compared.stdout.contains("better") && !compared.stdout.contains("worse"),
        "{compared}"
    );
    sandbox.run(&["show", "results/near"]).code(0).says("rate if");
    sandbox
        .run(&["runtimes", "results/near"])
        .code(0)
        .warns("trials of `search` failed; the figures are computed from the others");
    sandbox
        .run(&["export", "results/near", "--format", "ioh"])
        .code(0)
        .warns("trials of `search` failed, and are left out");
    sandbox
        .run(&["report", "results/near", "--out", "page.html", "--plugin-dir", "plugins"])
        .code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    assert!(
        page.contains("Rate if failures count")
            && page.contains("whatever the failed trials would have done"),
        "the page names failures"
    );
}

#[test]
fn what_ran_looks_better_but_failures_could_turn_it() {
    let sandbox = Sandbox::new();
    // The climb solves each trial that runs, random search few; both meet genomes that cannot be
    // evaluated.
    sandbox.write(
        "arms.toml",
        "repeats = 50\nbaseline = true\n[problem]\nplugin = \"faulty\"\nfault = \
        \"error-evaluate\"\nlength = 8\nshare = 0.05\n[[operators]]\nname = \"climb\"\nalgorithm = \
        { kind = \"hill-climbing\", step = \"steepest\" }\n[stop]\nevaluations = 60\n",
    );
    for (share, code, verdict) in [("0.0", 0, "better"), ("0.05", 1, "open")] {
        let ran = sandbox
            .run(&["arms.toml", "--out", share, "--set", &format!("problem.share={share}")])
            .code(code);
        let summary = rows(&sandbox, &[&format!("{share}/arms")]);
        let climb = &summary[0];
        assert!(climb["success_rate"].as_f64() > Some(0.7), "{ran}");
        assert!(climb["baseline_difference_low"].as_f64() > Some(0.0), "{ran}");
        assert_eq!(climb["baseline_verdict"], verdict, "{ran}\n{climb}");
        let failures = summary.iter().map(|row| row["failures"].as_u64()).sum::<Option<u64>>();
        let open = failures.filter(|_| verdict == "open");
        assert_eq!(climb["baseline_open_failures"].as_u64(), open, "{ran}\n{climb}");
        assert_eq!(ran.stdout.contains("better"), code == 0, "{ran}");
        let compared = sandbox.run(&["compare", &format!("{share}/arms")]).code(0);
        assert_eq!(compared.stdout.contains("better"), code == 0, "{compared}");
        let json = sandbox.run(&["compare", &format!("{share}/arms"), "--json"]).code(0).stdout;
        let compared: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(compared[0]["verdict"], verdict, "{json}");
        assert_eq!(compared[0]["open_failures"].as_u64(), open, "{json}");
        // The same arms on six problems, ranked.
        let lengths = format!("{share}-ranked");
        let sweep = std::fs::read_to_string(sandbox.path("arms.toml")).expect("a config")
            + "[sweep]\n\"problem.length\" = [8, 9, 10, 11, 12, 13]\n";
        sandbox.write("ranked.toml", sweep);
        sandbox
            .run(&["ranked.toml", "--out", &lengths, "--set", &format!("problem.share={share}")])
            .code(code);
        let json = sandbox.run(&["rank", &format!("{lengths}/ranked"), "--json"]).code(0).stdout;
        let ranked: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(
            (&ranked[0]["first"], &ranked[0]["verdict"]),
            (&"climb".into(), &verdict.into())
        );
        let shown = sandbox.run(&["rank", &format!("{lengths}/ranked")]).code(0);
        assert_eq!(shown.stdout.contains("could turn it"), verdict == "open", "{shown}");
    }
}

#[test]
fn repeats_that_end_with_an_answer_do_not_take_one_from_failures() {
    let sandbox = Sandbox::new();
    let config = config(0.02).replace("repeats = 60", "repeats = { half-width = 0.1, max = 120 }");
    sandbox.write("ask.toml", config);
    sandbox.run(&["ask.toml", "--out", "whole", "--set", "problem.share=0.0"]).code(0);
    let ran = sandbox.run(&["ask.toml"]).code(1).says("The success rates are uncertain because of");
    let (whole, open) = (&rows(&sandbox, &["whole/ask"])[0], &rows(&sandbox, &["results/ask"])[0]);
    let all = |row: &serde_json::Value| {
        row["trials"].as_u64().unwrap_or(0) + row["failures"].as_u64().unwrap_or(0)
    };
    assert!(all(whole) < 120 && all(open) == 120, "{whole} {open}");
    // The interval holds the bounds.
    let end = |name: &str| open[name].as_f64().expect("a number");
    assert!(
        end("success_low") <= end("success_bound_low")
            && end("success_bound_high") <= end("success_high"),
        "{ran}"
    );
}

/// A climb that gets stuck never succeeds: its median is infinite, not what the lucky ones needed.
#[test]
fn stuck_searches_are_not_taken_for_ones_that_were_cut_off() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "climb.toml",
        "repeats = 200\n[problem]\nplugin = \"nqueens\"\nn = 8\n[[operators]]\nname = \
        \"climb\"\nalgorithm = { kind = \"hill-climbing\", step = \"steepest\", sideways = 0, \
        restarts = false }\n[stop]\nevaluations = 100000\n",
    );
    sandbox.run(&["climb.toml"]).code(0);
    let row = |folder: &str| {
        let json = sandbox.run(&["runtimes", folder, "--json"]).code(0).stdout;
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
        rows[0].clone()
    };
    let climb = row("results/climb");
    assert!(climb["median"].is_null() && climb["stuck"].as_u64() > Some(100), "{climb}");
    let shares = climb["success_share"].as_f64().expect("a share")
        + climb["stuck_share"].as_f64().expect("a share");
    assert!((shares - 1.0).abs() < 1e-12, "{climb}");
    sandbox.run(&["runtimes", "results/climb"]).code(0).says("∞");
    // The same cut off by a budget: what would have come is unknown.
    sandbox.run(&["climb.toml", "--out", "cut", "--set", "stop.evaluations=60"]).code(0);
    let cut = row("cut/climb");
    assert!(
        cut["median"].is_null() && cut["stuck"] == 0 && cut["successes"].as_u64() < Some(50),
        "{cut}"
    );
    sandbox.run(&["runtimes", "cut/climb"]).code(0).says("> 60");
}

/// Stacks of 200 TiB, which no system gives: every thread is refused.
#[cfg(target_os = "linux")]
#[test]
fn where_there_are_no_threads_commands_do_without_or_say_so() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.toml",
        "repeats = 20\n[problem]\nplugin = \"onemax\"\n[[operators]]\npopulation = 10\n\
        selection = \"tournament\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 5\n",
    );
    sandbox.run(&["a.toml", "--progress", "none"]).code(0);
    let run = |arguments: &[&str], code: i32| {
        let mut command = sandbox.command();
        command.env("RUST_MIN_STACK", (200_u64 << 40).to_string()).args(arguments);
        let ran = crate::util::Ran::new(&mut command).code(code);
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        assert!(!ran.stderr.contains("a plugin that corrupts"), "{ran}");
        ran
    };
    run(&["show", "results/a"], 0);
    run(&["report", "results/a"], 0);
    run(&["check", "a.toml"], 0);
    for (arguments, code, words) in [
        (&["a.toml", "--out", "b"][..], 3, "cannot be started: Resource temporarily unavailable"),
        (&["verify", "results/a"], 4, "cannot be started: Resource temporarily unavailable"),
        (&["check", "a.toml", "--isolation", "process"], 3, "no thread can be started"),
        (&["a.toml", "--progress", "json", "--on-end", "true"], 0, "`true` cannot be run"),
    ] {
        let ran = run(arguments, code);
        assert!(ran.stderr.contains(words), "{arguments:?}: {ran}");
    }
    let ran = run(&["conformance", "onemax", "--only", "threads", "--json"], 3);
    assert!(ran.stdout.contains("no thread can be started"), "{ran}");
}
