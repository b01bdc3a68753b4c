//! `runner tune`: a whole tuning, the same bytes whatever interrupts it, and its refusals.

use crate::util::{Sandbox, column, sized, wait_for_lock};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

/// The (1+1) EA on OneMax: rates near 1/30 are good, and 0.3 is not.
const ONEMAX: &str = r#"
seed = 5

[problem]
plugin = "onemax"
length = 30

[[operators]]
name        = "ea"
population  = 1
selection   = "uniform"
mutation    = { kind = "bit-flip", rate = 1.0, gene-rate = 0.3 }
replacement = "plus"

[stop]
evaluations = 2000

[tune]
budget       = 600
test-repeats = 60

[tune.keys]
"operators.mutation.gene-rate" = { from = 0.002, to = 0.5, course = "geometric" }
"#;

/// Its tuned key.
const KEY: &str = "operators.mutation.gene-rate";

/// Returns the same tuning with fewer trials.
pub(crate) fn short() -> String {
    let short = ONEMAX.replace("budget       = 600", "budget       = 250");
    short.replace("test-repeats = 60", "test-repeats = 10")
}

/// Returns the record and every table of a tuning but the times, by their paths.
pub(crate) fn tables(sandbox: &Sandbox, out: &str) -> Vec<(String, Vec<u8>)> {
    let folder = sandbox.path(format!("{out}/tuning"));
    let mut found = Vec::new();
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder of the tuning")
        .map(|entry| entry.expect("a name").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    // A process that has just begun may have claimed its shard.
    names.retain(|name| !name.starts_with('.'));
    names.retain(|name| {
        name != "survivors.toml" && !name.ends_with(".digest") && !name.contains(".round-")
    });
    for name in names {
        let files = match name.ends_with(".parquet") || name.ends_with(".toml") {
            true => vec![name],
            false => ["trials", "summary"].map(|table| format!("{name}/{table}.parquet")).into(),
        };
        for file in files {
            let bytes = sandbox.read(&format!("{out}/tuning/{file}"));
            found.push((file, bytes));
        }
    }
    found
}

#[test]
fn a_tuning_finds_a_good_rate_and_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", ONEMAX);
    let ran = sandbox.run(&["check", "tuning.toml"]).code(0);
    assert!(ran.stdout.contains("tunes `operators.mutation.gene-rate`"), "{ran}");
    let ran = sandbox.run(&["tune", "tuning.toml", "--progress", "none"]).code(0);
    assert!(ran.stdout.contains("the file's own is worse than"), "{ran}");
    let rate =
        ran.stdout.lines().find_map(|line| line.split_once("gene-rate = ")?.1.strip_suffix(" }"));
    let rate: f64 = rate.expect("the best settings").parse().expect("a number");
    // Whatever the seed: outside of this, the expected time is more than twice as long.
    assert!((0.005..0.12).contains(&rate), "{rate}\n{ran}");
    // The lines can be pasted; each iteration is an experiment.
    let pasted = ONEMAX.split("[tune]").next().expect("an experiment");
    sandbox.write("pasted.toml", pasted.replace("gene-rate = 0.3", &format!("gene-rate = {rate}")));
    sandbox.run(&["check", "pasted.toml"]).code(0);
    for experiment in ["iteration-1", "test"] {
        sandbox.run(&["verify", &format!("results/tuning/{experiment}")]).code(0);
        sandbox.run(&["compare", &format!("results/tuning/{experiment}")]).code(0);
    }
    let shown = sandbox.run(&["show", "results/tuning", "--sort", "mean_cost", "--json"]).code(0);
    let settings: Vec<serde_json::Value> = serde_json::from_str(&shown.stdout).expect("JSON");
    assert!(
        settings.len() > 10
            && settings[0]["mean_cost"].as_f64() < settings[5]["mean_cost"].as_f64()
    );
    let best =
        settings.iter().find(|one| one["operators.mutation.gene-rate"].as_f64() == Some(rate));
    assert_eq!(best.expect("the best setting")["standing"], "survived");
    sandbox.run(&["plot", "results/tuning", "--terminal"]).code(0);
    // Next to others, a tuning is left out with a word.
    let both = ["show", "results/tuning", "results/tuning/test"];
    sandbox.run(&both).code(0).warns("only folders of experiments count here: results/tuning");
    // Whoever reads the report of the whole needs no other file.
    sandbox.run(&["report", "results/tuning"]).code(0);
    let page = String::from_utf8(sandbox.read("results/tuning/report.html")).expect("text");
    for words in [
        "the file&#39;s own is worse than",
        "Against own",
        "{ from = 0.002, to = 0.5, course = &quot;geometric&quot; }",
        "with a budget of 600 trials for all iterations",
        "the seed 5. ",
        "at a confidence of 95&nbsp;%",
        "by at most 60 trials of each per instance",
        "We varied <em>",
        "López-Ibáñez",
        "length 30",
        "budget       = 600",
    ] {
        let words = words.replace("&nbsp;", " ").replace("<em>", "").replace("&#39;", "'");
        let page = page.replace("<em>", "").replace("</em>", "").replace("&#39;", "'");
        assert!(page.contains(&words), "{words}");
    }
    // The settings of the file have a key of their own to vary, which is no variation.
    assert!(!page.contains("operators.population over"), "the settings of the file");
    let ran = sandbox.run(&["report", "--checklist", "results/tuning"]).code(4);
    ran.warns("each folder in it is an experiment").warns("did you mean results/tuning/test?");
    let record: toml::Table = String::from_utf8(sandbox.read("results/tuning/tuning.toml"))
        .expect("text")
        .parse()
        .expect("TOML");
    assert_eq!(record["budget"]["trials"].as_integer(), Some(600), "{record}");
    assert_eq!(record["config"].as_str(), Some(ONEMAX), "{record}");
    assert_eq!(record["settings"].as_integer(), Some(settings.len() as i64), "{record}");
    // A tuning of an older runner has no record; the same command writes one.
    std::fs::remove_file(sandbox.path("results/tuning/tuning.toml")).expect("the record");
    sandbox.run(&["report", "results/tuning"]).code(4).warns("give the command that tuned again");
    sandbox.run(&["tune", "tuning.toml", "--progress", "none"]).code(0);
    sandbox.run(&["report", "results/tuning"]).code(0);
    let arm = format!("ea operators.mutation.gene-rate={rate}");
    sandbox.run(&["replay", "results/tuning/test", &arm, "0"]).code(0);
}

#[test]
fn jobs_processes_and_a_time_limit_change_no_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", ONEMAX);
    let arguments = |out: &'static str| ["tune", "tuning.toml", "--progress", "none", "--out", out];
    sandbox.run(&[&arguments("one")[..], &["--jobs", "1"]].concat()).code(0);
    let expected = tables(&sandbox, "one");
    assert!(expected.len() >= 7, "{}", expected.len());
    let limited = [&arguments("two")[..], &["--jobs", "2", "--time-limit", "0.000000001"]].concat();
    let ran = sandbox.run(&limited).code(130);
    assert!(ran.stderr.contains("The time limit is reached in iteration-1"), "{ran}");
    sandbox.run(&[&arguments("two")[..], &["--jobs", "2"]].concat()).code(0);
    assert!(tables(&sandbox, "two") == expected, "two jobs");
    // Nothing is missing any more.
    sandbox.run(&limited).code(0);
    sandbox.run(&[&arguments("three")[..], &["--isolation", "process"]].concat()).code(0);
    assert!(tables(&sandbox, "three") == expected, "processes");
    // Another seed is another tuning.
    sandbox.run(&[&arguments("four")[..], &["--seed", "6"]].concat()).code(0);
    assert!(tables(&sandbox, "four") != expected);
}

/// Kills at random moments until the tuning ends; any moment must do.
#[cfg(unix)]
#[test]
fn a_killed_tuning_goes_on_to_the_same_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", ONEMAX);
    let arguments = |out: &'static str| ["tune", "tuning.toml", "--progress", "none", "--out", out];
    sandbox.run(&arguments("whole")).code(0);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let (mut kills, wanted) = (0, sized(2, 20));
    while kills < wanted {
        for tried in 1.. {
            let mut command = sandbox.command();
            command.args(arguments("cut")).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().expect("the binary starts");
            let longest = 200_000 + 50_000 * tried * tried;
            std::thread::sleep(Duration::from_micros(random.random_range(0..longest)));
            if let Some(status) = child.try_wait().expect("a child") {
                assert_eq!(status.code(), Some(0));
                break;
            }
            child.kill().expect("it was still running");
            child.wait().expect("a child");
            kills += 1;
            for entry in std::fs::read_dir(sandbox.path("cut/tuning")).into_iter().flatten() {
                wait_for_lock(&entry.expect("a name").path());
            }
        }
        assert!(tables(&sandbox, "cut") == tables(&sandbox, "whole"));
        std::fs::remove_dir_all(sandbox.path("cut")).expect("a folder");
    }
}

/// Two processes; three of which the first and the last are killed once they have begun, and
/// started again or not; and two of three, of which the first does not run at all.
#[cfg(unix)]
#[test]
fn shards_have_the_bytes_of_one_process_though_some_are_killed() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", short());
    let line = ["tune", "tuning.toml", "--progress", "none", "--jobs", "1", "--out"];
    sandbox.run(&[&line[..], &["whole"]].concat()).code(0);
    let spawn = |out: &str, shard: String| {
        let mut command = sandbox.command();
        // A limit, so that a process that waits in vain ends with another code.
        let more = [out, "--shard", shard.as_str(), "--time-limit", "10m"];
        command.args([&line[..], &more].concat()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the binary starts")
    };
    let (none, ends) = (&[][..], &[0, 2][..]);
    let cases =
        [(1..=2, none, true), (1..=3, ends, true), (1..=3, ends, false), (2..=3, none, true)];
    for (place, (shards, killed, again)) in cases.into_iter().enumerate() {
        let (out, of) = (format!("case-{place}"), shards.end());
        let shard = |number: usize| spawn(&out, format!("{number}/{of}"));
        let mut children: Vec<_> = shards.clone().map(shard).collect();
        for killed in killed {
            let begun = sandbox.path(format!("{out}/tuning/iteration-1"));
            while !begun.exists() && children[0].try_wait().expect("a child").is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let child = &mut children[*killed];
            child.kill().expect("a child");
            child.wait().expect("a child");
            if again {
                *child = shard(killed + 1);
            }
        }
        let is_killed = |place: usize| killed.contains(&place) && !again;
        let left = children.into_iter().enumerate().filter(|(place, _)| !is_killed(*place));
        for (_, mut child) in left {
            assert_eq!(child.wait().expect("a child").code(), Some(0));
        }
        assert!(tables(&sandbox, &out) == tables(&sandbox, "whole"), "case {place}");
        assert_eq!(
            sandbox.read(&format!("{out}/tuning/survivors.toml")),
            sandbox.read("whole/tuning/survivors.toml")
        );
    }
    // A shard alone does its part and waits, and the number of shards stays.
    let alone = |more: &[&str]| sandbox.run(&[&line[..], &["alone"], more].concat());
    alone(&["--shard", "1/2", "--time-limit", "0.5s"]).code(130).warns("The time limit is reached");
    alone(&["--shard", "2/3"]).code(2).warns("is in a round of 2 shards; give --shard I/2");
    // A process on another machine may be alive, whatever its lock says; its successor is sure.
    let claim = sandbox.path("alone/tuning/.shard-1-of-2");
    assert!(!claim.exists(), "a process that ends gives its shard back");
    let words = "shard 1/2: process 1 on another machine, since 2026-01-01T00:00:00Z (0)";
    std::fs::write(&claim, words).expect("a file");
    let mut second = sandbox.command();
    second.args([&line[..], &["alone", "--shard", "2/2", "--time-limit", "90s"]].concat());
    let mut second = second.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let said = BufReader::new(second.stderr.take().expect("its messages"));
    let waits = |line: String| line.contains(": waits for shard 1 of 2");
    assert!(said.lines().map_while(Result::ok).any(waits), "it does not wait");
    second.kill().expect("it was still running");
    second.wait().expect("a child");
    alone(&["--shard", "1/2"]).code(0);
    assert!(tables(&sandbox, "alone") == tables(&sandbox, "whole"), "one process");
    alone(&["--shard", "2/2"]).code(0);
    assert!(!claim.exists());
}

/// Instances, conditions, forbidden combinations and invalid ones: a size above the population.
#[test]
fn a_tuning_of_several_keys_on_several_instances_tries_only_what_is_valid() {
    let sandbox = Sandbox::new();
    let config = r#"
[problem]
plugin = "nqueens"
[[operators]]
name       = "ga"
population = 10
selection  = "tournament"
mutation   = "reset"
[stop]
evaluations = 200
[tune]
budget       = { evaluations = 250000 }
cost         = "fitness"
test-repeats = 20
confidence   = 0.9
train        = { "problem.n" = [6, 8] }
test         = { "problem.n" = [7, 9, 10] }
forbid       = [{ "operators.selection" = "uniform", "operators.population" = { to = 5 } }]
[tune.keys]
"operators.population"     = { from = 2, to = 20 }
"operators.selection"      = ["tournament", "uniform"]
"operators.selection.size" = { from = 2, to = 12, when = { operators.selection = "tournament" } }
"#;
    sandbox.write("tuning.toml", config);
    let ran = sandbox.run(&["tune", "tuning.toml", "--progress", "none"]).code(0);
    assert!(ran.stdout.contains("confidence 90 %"), "{ran}");
    let show = ["show", "results/tuning/iteration-1", "--json"];
    let arms: Vec<serde_json::Value> =
        serde_json::from_str(&sandbox.run(&show).code(0).stdout).expect("JSON");
    assert!(arms.len() >= 12 && arms.len().is_multiple_of(2), "{}", arms.len());
    for arm in &arms {
        let selection = arm["operators.selection"].as_str();
        let size = arm["operators.selection.size"].as_u64();
        // The file's own tournament has the size by default.
        let is_own = arm["operators.population"] == 10 && size.is_none();
        assert!(is_own || size.is_some() == (selection == Some("tournament")), "{arm}");
        if selection == Some("uniform") {
            assert!(arm["operators.population"].as_u64() > Some(5), "{arm}");
        }
    }
    // Drawn again, the table has equal pictures.
    let plot = |out: &str| {
        let line = ["plot", "results/tuning", "--format", "svg", "--out", out];
        let shown = sandbox.run(&line).code(0).stdout;
        ["tuned-settings", "tuned-importance"].map(|name| {
            assert!(shown.contains(&format!("{out}/{name}.svg\n")), "{shown}");
            sandbox.read(&format!("{out}/{name}.svg"))
        })
    };
    let [settings, importance] = plot("plots");
    assert!(plot("again") == [settings.clone(), importance.clone()], "other bytes");
    let (settings, importance) =
        (String::from_utf8_lossy(&settings), String::from_utf8_lossy(&importance));
    assert!(settings.contains("<circle") && settings.contains(">tournament<"), "{settings}");
    assert!(importance.contains("functional ANOVA"), "{importance}");
}

/// If every setting has a trial without a feasible genome, no mean cost is finite. Trials that
/// the clock ended are told.
#[test]
fn infinite_costs_and_the_clock_are_told_of_a_tuning() {
    let sandbox = Sandbox::new();
    let text = |problem: &str, stop: &str| {
        format!(
            "seed = 3\n[problem]\n{problem}\n[[operators]]\nname = \"ga\"\npopulation = \
            4\nselection = \"tournament\"\nmutation = \"reset\"\nreplacement = \
            \"plus\"\n[stop]\n{stop}\n[tune]\nbudget = 150\ncost = \"fitness\"\n\
            test-repeats = 10\n[tune.keys]\n\"operators.population\" = {{ from = 2, to = 9 }}\n"
        )
    };
    let coloring = "plugin = \"coloring\"\ngraph = \"queen5_5\"\ncolors = 5";
    sandbox.write("none.toml", text(coloring, "evaluations = 20"));
    sandbox.run(&["tune", "none.toml", "--progress", "none"]).code(0);
    for flags in [&["--latex"][..], &["--trials"], &["--times"], &["--arm", "ga"]] {
        let refused = sandbox.run(&[&["show", "results/none"], flags].concat()).code(2);
        refused.warns(&format!("{}: results/none is a tuning", flags[0]));
    }
    sandbox.run(&["plot", "results/none", "--arm", "ga"]).code(2).warns("--arm: results/none is a");
    sandbox.run(&["check", "none.toml", "--repeats", "3"]).code(2).warns("--repeats 3: none.toml");
    let refused = sandbox.run(&["plot", "results/none"]).code(4);
    refused.warns("there is nothing to draw: no setting has a finite mean cost");
    // A file that is damaged is written anew by the command that tuned.
    for file in ["tuning.toml", "settings.parquet"] {
        sandbox.write(&format!("results/none/{file}"), "damaged = [");
        let command = if file == "tuning.toml" { "report" } else { "show" };
        let refused = sandbox.run(&[command, "results/none"]).code(4);
        refused.warns(&format!("none/{file}: this file cannot be read")).warns("give the command");
        sandbox.run(&["tune", "none.toml", "--progress", "none"]).code(0);
        sandbox.run(&[command, "results/none"]).code(0);
    }
    let clock = "evaluations = 100000000\ntrial-seconds = 0.001";
    sandbox.write("clock.toml", text("plugin = \"nqueens\"\nn = 200", clock));
    let ran = sandbox.run(&["tune", "clock.toml", "--progress", "none"]).code(0);
    ran.says("trials reached the limit trial-seconds: on another machine");
}

/// A file in another folder that a tuning extends names files of data. Those of the same names
/// beside the tuning are others.
#[test]
fn a_tuning_takes_files_from_where_the_file_says_that_names_them() {
    const BASE: &str = r#"
name = "pack"
seed = 3
[problem]
plugin = "knapsack"
file   = "k.txt"
[[operators]]
name       = "ga"
population = 4
selection  = "tournament"
mutation   = "bit-flip"
[stop]
evaluations = 60
[tune]
budget       = 150
cost         = "fitness"
test-repeats = 10
train        = { "problem.file" = ["k.txt", "l.txt"] }
[tune.keys]
"operators.population" = { from = 2, to = 9 }
"#;
    let sandbox = Sandbox::new();
    let items = |worth: u32| {
        let items: String = (1..9).map(|size| format!("{} {size}\n", worth * size)).collect();
        format!("8 20\n{items}")
    };
    sandbox.write("base/base.toml", BASE);
    sandbox.write("base/k.txt", items(7));
    sandbox.write("base/l.txt", items(9));
    sandbox.write("own/pack.toml", "extends = \"../base/base.toml\"\nname = \"pack\"\n");
    sandbox.run(&["check", "own/pack.toml"]).code(0);
    sandbox.write("own/k.txt", items(1));
    let shown = |file: &str, out: &str| {
        sandbox.run(&["tune", file, "--out", out, "--progress", "none"]).code(0);
        sandbox.run(&["show", &format!("{out}/pack"), "--csv"]).code(0).stdout
    };
    assert_eq!(shown("own/pack.toml", "extended"), shown("base/base.toml", "plain"));
}

/// The setting of the file has one of the two values, so one setting is left to try.
/// Failed trials have no cost. That there are some must be seen in the result, its table and the
/// exit code.
#[test]
fn failed_trials_of_a_tuning_are_reported() {
    let sandbox = Sandbox::new();
    let text = |share: &str| {
        format!(
            "seed = 3\n[problem]\nplugin = \"faulty\"\nfault = \"nan\"\nlength = 16\nshare = \
            {share}\n[[operators]]\nname = \"ga\"\npopulation = 4\nselection = \
            \"tournament\"\nmutation = {{ kind = \"bit-flip\", gene-rate = 0.1 }}\n\
            replacement = \"plus\"\n[stop]\nevaluations = 60\n[tune]\nbudget = \
            300\ntest-repeats = 20\n[tune.keys]\n\"operators.mutation.gene-rate\" = {{ from = \
            0.01, to = 0.5 }}\n"
        )
    };
    sandbox.write("some.toml", text("0.004"));
    sandbox.write("all.toml", text("1.0"));
    let tune = |file: &str| sandbox.run(&["tune", file, "--progress", "none"]);
    let ran = tune("some.toml").code(1).says(" failed in the iterations, and ").says("  failed  ");
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("To see why: runner show results/some/test --trials"), "{ran}");
    let shown = sandbox.run(&["show", "results/some", "--json"]).code(0);
    let settings: Vec<Value> = serde_json::from_str(&shown.stdout).expect("JSON");
    for column in ["failures", "test_failures"] {
        let failed = |row: &Value| row[column].as_u64().unwrap_or(0);
        assert!(settings.iter().map(failed).sum::<u64>() > 0, "{column}: {shown}");
    }
    let ran = tune("all.toml").code(1).says("No settings could be compared, because all trials");
    assert!(!ran.stdout.contains("best"), "{ran}");
}

#[test]
fn a_space_of_two_settings_is_one_iteration() {
    let sandbox = Sandbox::new();
    let (before, _) = ONEMAX.split_once("[tune.keys]").expect("its keys");
    let keys = "[tune.keys]\n\"operators.mutation.gene-rate\" = [0.03, 0.3]\n";
    sandbox.write("tuning.toml", format!("{before}{keys}"));
    let ran = sandbox.run(&["tune", "tuning.toml", "--progress", "none"]).code(0);
    assert!(ran.stdout.contains("The best setting is 1;"), "{ran}");
    assert!(ran.stdout.contains("Tried: 2 settings in 1 iteration,"), "{ran}");
    let rates = column(&sandbox.path("results/tuning/settings.parquet"), KEY);
    assert!(rates == [0.03], "{rates:?}");
    // The race decided how many trials its comparison has, and no text says otherwise.
    assert!(ran.stdout.contains("\nCompared at the end: "), "{ran}");
    sandbox.run(&["report", "results/tuning"]).code(0);
    sandbox.run(&["report", "--checklist", "results/tuning/test"]).code(0);
    sandbox.run(&["report", "results/tuning/test"]).code(0);
    let text = |file: &str| {
        String::from_utf8(sandbox.read(&format!("results/tuning/test/{file}"))).expect("UTF-8")
    };
    assert!(text("checklist.md").contains("The race of a tuning decided it"));
    let page = text("report.html");
    assert!(page.contains("The arms are settings of a tuning, which raced"));
    assert!(!page.contains("With the files that it names, as the runner read them.</p>"));
}

/// A comparison has no trials, and nothing to verify, if each other setting dropped out.
#[test]
fn a_comparison_without_trials_is_verified() {
    let sandbox = Sandbox::new();
    let (before, _) = ONEMAX.split_once("[tune.keys]").expect("its keys");
    sandbox.write("tuning.toml", format!("{before}[tune.keys]\n\"{KEY}\" = [0.45, 0.5]\n"));
    let own = ["--set", "operators.mutation.gene-rate=0.02", "--progress", "none"];
    let ran = sandbox.run(&[&["tune", "tuning.toml"], &own[..]].concat()).code(0);
    ran.says("The best setting is the file's own; each other one dropped out");
    sandbox.run(&["verify", "results/tuning"]).code(0).says("test:\nno trials");
}

/// All settings that the file gives are in the first look, so that the budget pays for them.
#[test]
fn given_settings_need_a_budget() {
    let sandbox = Sandbox::new();
    let (before, keys) = ONEMAX.split_once("[tune.keys]").expect("its keys");
    let given: String = (0..70).map(|at| format!("{{ \"{KEY}\" = 0.1{at:02} }},\n")).collect();
    sandbox.write("tuning.toml", format!("{before}initial = [\n{given}]\n[tune.keys]{keys}"));
    let told = sandbox.run(&["check", "tuning.toml"]).code(2);
    let told = told.warns("the first look at the 71 settings that the file gives takes 710");
    told.warns("raise it to 710, or give fewer in `initial`");
    let budget = ["--set", "tune.budget=710"];
    let told = sandbox.run(&[&["check", "tuning.toml"], &budget[..]].concat()).code(0);
    told.says("the first with up to 71 settings");
}

/// A setting whose rivals all failed was compared with none, and is not called the best.
#[test]
fn no_setting_is_the_best_of_failed_trials() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "half.py",
        "from runner import Bits\n\n\nclass Problem:\n    def describe(self):\n        return \
        Bits(20, ideal=0, worst=20)\n\n    def fitness(self, genome):\n        if sum(genome) == \
        13 and genome[0]:\n            raise ValueError(\"thirteen\")\n        return 20 - \
        sum(genome)\n",
    );
    sandbox.write(
        "h.toml",
        "seed = 11\n[problem]\nplugin = \"half.py\"\n[[operators]]\npopulation = 1\n\
        selection = \"uniform\"\nmutation = { kind = \"bit-flip\", rate = 1.0, gene-rate = 0.3 }\n\
        replacement = \"plus\"\n[stop]\nevaluations = 150\n[tune]\nbudget = 130\n\
        test-repeats = 10\n[tune.keys]\n\
        \"operators.mutation.gene-rate\" = { from = 0.001, to = 0.5 }\n",
    );
    let ran = sandbox.run(&["tune", "h.toml", "--progress", "none"]).code(1);
    let ran = ran.says("is compared with no other, because all trials of those left failed");
    assert!(!ran.stdout.contains("best"), "{ran}");
}

/// Settings that a race leaves are compared at the end, also if it could have left a single one.
#[test]
fn two_settings_that_a_race_does_not_tell_apart_are_both_compared() {
    let sandbox = Sandbox::new();
    let (before, _) = ONEMAX.split_once("[tune.keys]").expect("its keys");
    // The population is 1 in the file; 0.3 and 0.3001 are the same for a few trials.
    let keys = format!("[tune.keys]\n\"{KEY}\" = [0.3, 0.3001]\n");
    sandbox.write("tuning.toml", format!("{before}{keys}").replace("= 600", "= 130"));
    let ran = sandbox.run(&["tune", "tuning.toml", "--progress", "none"]).code(0);
    let ran = ran.says("cannot be told apart; the file's own is among them");
    assert!(!ran.stdout.contains("best"), "{ran}");
}

#[test]
fn a_larger_budget_is_refused_and_another_tuning_begins_with_the_survivors() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", ONEMAX);
    let tune = |file: &str, more: &[&str]| {
        sandbox.run(&[&["tune", file, "--progress", "none"], more].concat())
    };
    tune("tuning.toml", &[]).code(0);
    let before = tables(&sandbox, "results");
    tune("tuning.toml", &["--set", "tune.budget=900"])
        .code(4)
        .warns("results/tuning: it has other settings")
        .warns("extend its survivors.toml");
    // These would go on with the same settings at first, and race them otherwise.
    for other in ["tune.confidence=0.5", "tune.budget=801"] {
        tune("tuning.toml", &["--set", other])
            .code(4)
            .warns("results/tuning: it has other settings");
    }
    assert!(tables(&sandbox, "results") == before, "what there was has changed");
    let survivors = String::from_utf8(sandbox.read("results/tuning/survivors.toml")).expect("text");
    let found: Vec<&str> = survivors
        .lines()
        .filter_map(|line| line.strip_prefix("\"operators.mutation.gene-rate\" = "))
        .collect();
    assert!(!found.is_empty() && survivors.starts_with("seed = "), "{survivors}");
    let more = "extends = [\"tuning.toml\", \"results/tuning/survivors.toml\"]\nname = \"more\"\n";
    sandbox.write("more.toml", more);
    sandbox.run(&["check", "more.toml"]).code(0);
    tune("more.toml", &[]).code(0);
    let shown = sandbox.run(&["show", "results/more", "--csv"]).code(0).stdout;
    // They are the first settings after that of the file.
    for (number, value) in found.iter().enumerate() {
        let row = format!("\n{},1,,{value},", number + 1);
        assert!(shown.contains(&row), "no {row:?} in {shown}");
    }
    let rows = shown.lines().count();
    let old = sandbox.run(&["show", "results/tuning", "--csv"]).code(0).stdout;
    assert!(rows > 15 && shown != old, "{shown}");
    for (settings, words) in [
        ("{ \"operators.mutation.gene-rate\" = 0.7 }", "is not one of its values"),
        ("{ \"operators.mutation.rate\" = 0.7 }", "which is no tuned key"),
        ("{}", "has no `operators.mutation.gene-rate`"),
    ] {
        sandbox.write(
            "wrong.toml",
            ONEMAX.replace("[tune]\n", &format!("[tune]\ninitial = [{settings}]\n")),
        );
        tune("wrong.toml", &[]).code(2).warns(words).warns("nothing was run");
    }
}

#[test]
fn an_experiment_and_a_tuning_do_not_share_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", short());
    let (experiment, _) = ONEMAX.split_once("[tune]").expect("a table");
    sandbox.write("tuning-too.toml", format!("name = \"tuning\"\nrepeats = 3\n{experiment}"));
    let (run, tune) = (["tuning-too.toml"], ["tune", "tuning.toml"]);
    sandbox.run(&run).code(0);
    sandbox.run(&tune).code(4).warns("this folder has an experiment").warns("--out");
    sandbox.run(&["show", "results/tuning"]).code(0).says("Results: r1-");
    let elsewhere = ["--out", "elsewhere"];
    sandbox.run(&[&tune[..], &elsewhere].concat()).code(0);
    sandbox.run(&[&run[..], &elsewhere].concat()).code(4).warns("this folder has a tuning");
}

#[test]
fn a_tuning_is_refused_where_it_cannot_run() {
    let sandbox = Sandbox::new();
    sandbox.write("tuning.toml", ONEMAX);
    let ran = sandbox.run(&["tuning.toml"]).code(2);
    assert!(ran.stderr.contains("run it by `runner tune tuning.toml`"), "{ran}");
    let ran = sandbox.run(&["tune", "tuning.toml", "--set", "tune.budget=9"]).code(2);
    assert!(ran.stderr.contains("is too small") && ran.stderr.contains("nothing was run"), "{ran}");
    let ran = sandbox.run(&["tune", "missing.toml"]).code(2);
    assert!(ran.stderr.contains("missing.toml"), "{ran}");
    assert!(!sandbox.path("results").exists());
}
