//! Results in a real browser: the list of experiments, and the page of one.

use crate::browser::{key, opened, ready};
use crate::serve::QUEENS;
use crate::util::{Ran, Sandbox};
use serde_json::json;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Whether pictures are there, whole.
const DRAWN: &str = "const all = [...document.querySelectorAll('#plots > .pictures img')]; \
    return all.length > 0 && all.every((one) => one.naturalWidth > 0)";

/// Two operator sets of which one is better, on boards of several sizes.
fn race(name: &str, repeats: u64, more: &str) -> String {
    let random = "[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\n\
        population = 20\n";
    let text = QUEENS.replace("watched", name).replace("= 30", &format!("= {repeats}"));
    format!("{text}{random}{more}")
}

/// A run that goes on until this value is dropped.
struct Endless(Child);

impl Endless {
    fn begin(sandbox: &Sandbox, name: &str) -> Self {
        sandbox.write(&format!("{name}.toml"), race(name, 100_000_000, ""));
        let mut command = sandbox.command();
        command.args([&format!("{name}.toml"), "--jobs", "1"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Endless(child.expect("the binary starts"))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Nothing is pressed: the answer is that of `runner compare`, above the pictures and the table.
#[test]
fn an_experiment_opens_with_its_answer_and_its_pictures() {
    let sandbox = Sandbox::new();
    let swept = "[sweep]\n\"problem.n\" = [6, 8]\n[output]\ntrace = \"best\"\n";
    sandbox.write("race.toml", race("race", 100, swept));
    sandbox.run(&["race.toml"]).code(0);
    let Some((_server, browser)) = opened(&sandbox, "/results/race") else { return };
    browser.until("plots", || browser.script(DRAWN) == true);
    let answer = "return [...document.querySelectorAll('#answer .answer')]\
        .map((one) => one.textContent).join(' ')";
    let answer = browser.script(answer);
    let compared = sandbox.run(&["compare", "results/race"]).code(0).stdout;
    let (lines, _) = compared.split_once("\n\n").expect("an answer above the table");
    let lines = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(answer, json!(lines), "{compared}");
    let places = "const top = (css) => document.querySelector(css).getBoundingClientRect().top; \
        return ['#answer', '#plots', '#arms', '#comparison', '#replay-start'].map(top)";
    let places: Vec<f64> = serde_json::from_value(browser.script(places)).expect("places");
    assert!(places.is_sorted(), "{places:?}");
    let pictures = "return [...document.querySelectorAll('#plots > .pictures img')]\
        .map((one) => one.alt)";
    let pictures = browser.script(pictures).to_string();
    for title in ["Success rate: race", "Run-length distribution: race", "Best fitness so far"] {
        assert!(pictures.contains(title), "{title}: {pictures}");
    }
    let aligned = "return [...document.querySelectorAll('#arms tr td')]\
        .every((one) => getComputedStyle(one).textAlign === 'right')";
    assert_eq!(browser.script(aligned), true);
    assert_eq!(browser.script("return document.querySelectorAll('#arms .bar').length"), 4);
    browser.is_accessible("experiment, with its answer");
    browser.picture("experiment");
    browser.no_errors();
}

/// A link to a replay runs the arm that it names, also where the page does not list it, or none.
#[test]
fn a_link_to_a_replay_runs_no_other_arm() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", race("queens", 4, ""));
    let many =
        race("many", 1, "[sweep]\n\"operators.population\" = { from = 2, to = 602, step = 1 }\n");
    sandbox.write("many.toml", many.replace("generations = 60", "generations = 1"));
    sandbox.run(&["queens.toml"]).code(0);
    sandbox.run(&["many.toml"]).code(0);
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    let open = |name: &str, arm: &str, trial: u64| {
        let link = format!("{}/results/{name}?arm={arm}&trial={trial}", server.address);
        browser.open(&link);
        browser.until_text("#replay-state", "This trial came with the address of this page");
        browser.click("#replay-start");
    };
    let seed_of = |name: &str, arm: &str, trial: u64| {
        let folder = format!("results/{name}");
        let rows = crate::util::rows(&sandbox, &[&folder, "--trials", "--rows", "5000"]);
        let of = |row: &&serde_json::Value| row["arm"] == arm && row["trial"] == trial;
        rows.iter().find(of).expect("the trial")["seed"].to_string()
    };
    // The page lists 1,000 of 1,202 arms.
    let label = |size: u64| format!("tournament operators.population={size}");
    browser.open(&format!("{}/results/many", server.address));
    let count = "return document.querySelectorAll('#replay-arm option').length";
    browser.until("the arms", || browser.script(count) == 1_000);
    let listed = "return [...document.querySelectorAll('#replay-arm option')]\
        .map((one) => one.value)";
    let listed: Vec<String> = serde_json::from_value(browser.script(listed)).expect("labels");
    let size = (2..=602).find(|size| !listed.contains(&label(*size))).expect("one not listed");
    open("many", &label(size).replace(' ', "+").replace('=', "%3D"), 0);
    browser.until_text("#replay-state", "It is the trial of the tables");
    let said = browser.text("#replay-state");
    assert!(said.contains(&format!("Seed {}.", seed_of("many", &label(size), 0))), "{said}");
    // No such arm: nothing runs, and the address stays.
    open("queens", "nosuch", 3);
    browser.until_text("#replay-state", "there is no single arm called `nosuch`");
    assert_eq!(browser.script("return document.querySelector('.replay').hidden"), true);
    assert_eq!(browser.script("return location.search"), "?arm=nosuch&trial=3");
    browser.choose("#replay-arm", "random");
    browser.click("#replay-start");
    browser.until_text("#replay-state", "It is the trial of the tables");
    let said = browser.text("#replay-state");
    assert!(said.contains(&format!("Seed {}.", seed_of("queens", "random", 3))), "{said}");
}

/// A best genome that is infeasible is told as `runner replay` tells it; made by hand.
#[test]
fn what_is_infeasible_has_its_violation_on_the_page() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/results") else { return };
    let script = "const done = arguments[0]; import('/assets/replay.js').then(({ Replay }) => {\
        const replay = new Replay('x'); const ending = { words: 'Over.', best_fitness: 7, \
            violation: 12, evaluations: 200, success: false }; \
        const said = (ending) => { replay.take({ ending, same: true, improvements: 6, steps: [], \
            seed: '1' }); return replay.words.textContent; }; \
        done([said(ending), said({ ...ending, violation: 0 })]); \
        }).catch((error) => done(String(error)))";
    let found = browser.async_script(script);
    let words = |best: &str| {
        format!(
            "Seed 1. Over. Best fitness {best} after 6 improvements. 200 evaluations. It is the \
            trial of the tables, field by field."
        )
    };
    assert_eq!(found, json!([words("7, violation 12"), words("7")]));
    browser.no_errors();
}

/// A page of a run says how far it is and how long it takes, with intervals for every look.
#[test]
fn a_run_is_followed_with_intervals_that_hold_at_every_look() {
    let sandbox = Sandbox::new();
    let run = Endless::begin(&sandbox, "endless");
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    browser.until("it has begun", || sandbox.path("results/endless/parts/plan.json").exists());
    browser.open(&format!("{}/results/endless", server.address));
    browser.until_text("#experiment-state", "Running: 0 %, about ");
    browser.until_text("#experiment-state", " left. ");
    browser.until("plots", || browser.script(DRAWN) == true);
    let alt = "return document.querySelector('#plots img').alt";
    assert!(browser.script(alt).to_string().contains("confidence sequence"));
    assert_eq!(server.json("/api/experiments/endless")["method"], "confidence sequence");
    // No test of hypotheses is made unasked before all trials are there.
    let answer = browser.text("#answer");
    assert!(answer.contains("tournament: success rate 0."), "{answer}");
    assert!(!answer.contains("better"), "{answer}");
    browser.click("#compare");
    browser.until_text("#comparison", "So far: ");
    let before = browser.text("#experiment-state");
    browser.until("it goes on", || browser.text("#experiment-state") != before);
    drop(run);
    browser.until_text("#experiment-state", "Not finished: ");
    browser.no_errors();
}

#[test]
fn results_are_browsed_by_keys_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("watched.toml", format!("{QUEENS}[sweep]\n\"problem.n\" = [6, 8, 10]\n"));
    sandbox.run(&["watched.toml"]).code(0);
    let Some((_server, browser)) = opened(&sandbox, "/results") else { return };
    browser.until_text("#results tbody", "finished");
    assert!(browser.text("#results .help").contains("An arm is an operator set"));
    browser.is_accessible("results");
    browser.picture("results");
    let tab = key::TAB;
    // From the top: the skip link, two pages, the filter, the table's region, its headings, a row.
    let mut steps = 0;
    while browser.script("return document.activeElement.textContent") != "watched" {
        browser.press(tab);
        steps += 1;
        assert!(steps < 20, "the row is never reached");
    }
    browser.press(key::ENTER);
    browser.until_text("#experiment-state", "Finished: 90 trials of 3 arms. Results: r1-");
    let words = browser.text("#experiment .words");
    for word in ["arm", "expected evaluations", "ERT", "best fitness", "median fitness"] {
        assert!(words.contains(word), "{word}: {words}");
    }
    browser.until_text("#comparison", "nothing to compare");
    browser.until("plots", || browser.script(DRAWN) == true);
    let display = "return getComputedStyle(document.querySelector('.replay')).display";
    assert_eq!(browser.script(display), "none", "there is nothing to replay yet");
    browser.click("#replay-start");
    browser.until_text("#replay-state", "It is the trial of the tables");
    let caption = || browser.text(".replay figcaption");
    let last = caption();
    let left = key::LEFT;
    browser.press(left);
    browser.until("the step before", || caption() != last);
    browser.is_accessible("experiment");
    browser.picture("replay");
    // Sorting stays while the page is fed.
    browser.script("document.querySelectorAll('#experiment thead button')[1].click()");
    browser.script("document.querySelectorAll('#experiment thead button')[1].click()");
    let first = || browser.script("return document.querySelector('#arms td').textContent");
    assert_eq!(first(), "10");
    sandbox.run(&["watched.toml", "--repeats", "40"]).code(0);
    browser.until_text("#experiment-state", "120 trials");
    assert_eq!(first(), "10");
    browser.no_errors();
}

/// A column names its true order: the newest results come first, as "descending".
#[test]
fn the_list_of_results_says_in_which_order_it_is() {
    let sandbox = Sandbox::new();
    let moment = |days: u64| std::time::UNIX_EPOCH + Duration::from_secs(86_400 * days);
    for (name, day) in [("middle", 20_000), ("newest", 20_001), ("oldest", 19_999)] {
        sandbox.write(&format!("results/{name}/note.txt"), "");
        let folder = std::fs::File::open(sandbox.path("results").join(name)).expect("a folder");
        folder.set_modified(moment(day)).expect("its time");
    }
    let Some((_server, browser)) = opened(&sandbox, "/results") else { return };
    browser.until_text("#results tbody", "oldest");
    let said = || {
        browser.script(
            "return [document.querySelector('#results thead th:last-child').ariaSort, \
            ...[...document.querySelectorAll('#results tbody th')].map((one) => one.textContent)]",
        )
    };
    assert_eq!(said(), json!(["descending", "newest", "middle", "oldest"]));
    for _ in 0..2 {
        browser.click("#results thead th:last-child button");
        assert_eq!(said(), json!(["ascending", "oldest", "middle", "newest"]));
        browser.click("#results thead th:last-child button");
        assert_eq!(said(), json!(["descending", "newest", "middle", "oldest"]));
    }
    browser.click("#results thead button");
    assert_eq!(said(), json!(["none", "middle", "newest", "oldest"]));
    browser.no_errors();
}

const NAMES: &str = "return [...document.querySelectorAll('#results tbody th')]\
    .map((one) => one.textContent)";

/// Names are in the order that people expect, what is looked for is in the address, and folders
/// come and go while the page is open.
#[test]
fn the_list_is_looked_through_by_its_address_and_follows_the_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", race("exp-9", 3, ""));
    sandbox.run(&["a.toml"]).code(0);
    for name in ["exp-48", "exp-100", "other"] {
        let to = sandbox.path(format!("results/{name}"));
        crate::util::copy(&sandbox.path("results/exp-9"), &to);
    }
    let path = "/results?filter=EXP&sort=name&order=ascending";
    let Some((server, browser)) = opened(&sandbox, path) else { return };
    let names = |wanted: &[&str]| {
        browser.until(&format!("{wanted:?}"), || browser.script(NAMES) == json!(wanted));
    };
    names(&["exp-9", "exp-48", "exp-100"]);
    browser.until_text("#results tbody", "finished");
    let cells = "return [...document.querySelectorAll('#results tbody tr:first-child td')]\
        .map((one) => one.textContent)";
    let rates: Vec<f64> = crate::util::rows(&sandbox, &["results/exp-9"])
        .iter()
        .map(|row| row["success_rate"].as_f64().expect("a rate"))
        .collect();
    let (least, greatest) = (rates[0].min(rates[1]), rates[0].max(rates[1]));
    let span = match least < greatest {
        true => format!("{least:.3} to {greatest:.3}"),
        false => format!("{least:.3}"),
    };
    browser.until("the first is read", || browser.script(cells)[1] == "finished");
    let read = browser.script(cells);
    for (at, words) in [(2, "nqueens"), (3, "2"), (4, "6"), (5, span.as_str())] {
        assert_eq!(read[at], words, "{read}");
    }
    assert!(read[8].as_str().expect("a date").starts_with("20"), "{read}");
    // A problem is found as a name is; the address keeps it, and brings it back.
    browser.fill("#filter", "nqueens");
    names(&["exp-9", "exp-48", "exp-100", "other"]);
    browser.fill("#filter", "exp-4");
    names(&["exp-48"]);
    browser.until_text("#count", "1 of 4 folders");
    browser.script("location.reload()");
    names(&["exp-48"]);
    assert_eq!(browser.script("return location.search.includes('filter=exp-4')"), true);
    browser.open(&format!("{}{path}", server.address));
    // New, changed and removed folders are seen without a reload.
    sandbox.write("b.toml", race("exp-10", 2, ""));
    sandbox.run(&["b.toml"]).code(0);
    names(&["exp-9", "exp-10", "exp-48", "exp-100"]);
    let trials = "return [...document.querySelectorAll('#results tbody tr')]\
        .map((one) => one.children[5].textContent)";
    browser.until("trials", || browser.script(trials) == json!(["6", "4", "6", "6"]));
    sandbox.run(&["b.toml", "--repeats", "5"]).code(0);
    browser.until("more trials", || browser.script(trials) == json!(["6", "10", "6", "6"]));
    std::fs::remove_dir_all(sandbox.path("results/exp-48")).expect("it is removed");
    names(&["exp-9", "exp-10", "exp-100"]);
    browser.no_errors();
}

/// Two are compared as `runner compare` does, and several are ranked as `runner rank` does.
#[test]
fn chosen_experiments_are_compared_and_ranked() {
    let sandbox = Sandbox::new();
    for size in [5, 6, 7, 8] {
        let text = race(&format!("n{size}"), 60, "").replace("n = 8", &format!("n = {size}"));
        sandbox.write("a.toml", text);
        sandbox.run(&["a.toml"]).code(0);
    }
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    browser.until_text("#results tbody", "n8");
    let link = "return document.querySelector('#together').checkVisibility()";
    browser.click("[aria-label='Choose n7']");
    assert_eq!(browser.script(link), false, "one is not compared");
    browser.click("[aria-label='Choose n8']");
    browser.until_text("#chosen", "2 chosen");
    browser.is_accessible("results, two chosen");
    browser.click("#together");
    browser.until_text("#compared", "different problems in the two runs");
    browser.is_accessible("two experiments together");
    browser.open(&format!("{}/results", server.address));
    browser.until_text("#results tbody", "n8");
    browser.click("#choose-all");
    browser.until_text("#chosen", "4 chosen");
    browser.click("#together");
    let ranked = sandbox.run(&["rank", "results/n5", "results/n6", "results/n7", "results/n8"]);
    let (answer, _) = ranked.stdout.split_once("\n\n").expect("an answer above the table");
    browser.until_text("#ranked .answer", &answer.split_whitespace().collect::<Vec<_>>().join(" "));
    browser.until_text("#ranked table", "tournament");
    browser.is_accessible("experiments together");
    browser.picture("together");
    // An experiment and itself: no difference, in the words of the command.
    browser.open(&format!("{}/together?of=n8&of=n8", server.address));
    let compared = sandbox.run(&["compare", "results/n8", "results/n8"]).code(0).stdout;
    let (answer, _) = compared.split_once("\n\n").expect("an answer above the table");
    browser.until_text("#compared", &answer.split_whitespace().collect::<Vec<_>>().join(" "));
    browser.no_errors();
}

/// The page has the warnings of the commands, in the same words.
#[test]
fn experiments_together_have_the_warnings_of_the_commands() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", race("a", 40, ""));
    sandbox.run(&["a.toml"]).code(0);
    crate::util::copy(&sandbox.path("results/a"), &sandbox.path("results/copy"));
    let other = race("other", 40, "").replace("n = 8", "n = 6");
    sandbox.write("other.toml", other.replace("name = \"random\"", "name = \"chance\""));
    sandbox.run(&["other.toml"]).code(0);
    let more = "[[operators]]\nname = \"more\"\nalgorithm = \"random-search\"\n";
    sandbox.write("b.toml", race("b", 40, more));
    sandbox.run(&["b.toml", "--shard", "1/2"]).code(0);
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    let said = |command: &str, names: &[&str], code: i32| {
        let mut run = sandbox.command();
        run.arg(command).args(names.iter().map(|name| format!("results/{name}")));
        let ran = Ran::new(run.env("COLUMNS", "1000")).code(code);
        let lines = ran.stderr.lines().filter(|line| !line.starts_with("error: "));
        lines.map(|line| line.replace("results/", "")).collect::<Vec<String>>()
    };
    let remarks = |part: &str, names: &[&str]| -> Vec<String> {
        let of: Vec<String> = names.iter().map(|name| format!("of={name}")).collect();
        browser.open(&format!("{}/together?{}", server.address, of.join("&")));
        browser.until_text("#ranked", "Ranks of the arms");
        let found = browser.script(&format!(
            "return [...document.querySelectorAll('#together > .remark, {part} > .remark')]\
                .map((one) => one.textContent)"
        ));
        serde_json::from_value(found).expect("texts")
    };
    for (command, part, names, code, words) in [
        ("rank", "#ranked", &["a", "copy"][..], 0, "are the same problem: it counts twice"),
        ("rank", "#ranked", &["a", "copy"][..], 0, "2 problems are too few"),
        (
            "rank",
            "#ranked",
            &["a", "other"][..],
            2,
            "`random` is left out: it did not search other",
        ),
        (
            "compare",
            "#compared",
            &["a", "b.shard-1-of-2"][..],
            0,
            "b.shard-1-of-2: shard 1 of 2, of 40 trials",
        ),
        (
            "compare",
            "#compared",
            &["a", "b.shard-1-of-2"][..],
            0,
            "is in b.shard-1-of-2 and not in a",
        ),
    ] {
        let due = said(command, names, code);
        assert!(due.iter().any(|line| line.contains(words)), "{words}: {due:?}");
        assert_eq!(remarks(part, names), due, "{command} {names:?}");
    }
    browser.is_accessible("experiments together, with warnings");
    browser.no_errors();
}

/// The page shows a hundred rows at a time, whatever is in the folder, and reads all of them.
#[test]
fn thousands_of_experiments_are_sorted_and_found() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", race("a", 2, ""));
    sandbox.run(&["a.toml"]).code(0);
    sandbox.write("b.toml", race("zz", 3, ""));
    sandbox.run(&["b.toml"]).code(0);
    let copies = crate::util::sized(400, 5_000);
    for copy in 1..=copies {
        let to = sandbox.path(format!("results/a-{copy}"));
        crate::util::copy(&sandbox.path("results/a"), &to);
    }
    // An unreadable table costs its own line.
    sandbox.write("results/a-7/summary.parquet", "no table");
    let Some((_server, browser)) = opened(&sandbox, "/results?sort=name&order=ascending") else {
        return;
    };
    browser.until("a hundred rows", || {
        browser.script("return document.querySelectorAll('#results tbody tr').length") == 100
    });
    // All have been read once the count says no more.
    let shown = match copies + 2 {
        few @ ..1_000 => few.to_string(),
        many => format!("{},{:03}", many / 1_000, many % 1_000),
    };
    let all = format!("{shown} of {shown} folders");
    // However long that takes in all, the count goes on.
    let mut count = browser.text("#count");
    while count != all {
        browser.until("the count goes on", || browser.text("#count") != count);
        count = browser.text("#count");
    }
    browser.script("document.querySelectorAll('#results thead button')[4].click()");
    browser.script("document.querySelectorAll('#results thead button')[4].click()");
    let first = "return document.querySelector('#results tbody th').textContent";
    browser.until("zz, which has the most trials, is the first", || browser.script(first) == "zz");
    // By name, a-7 comes first.
    browser.script("document.querySelectorAll('#results thead button')[0].click()");
    browser.fill("#filter", "a-7");
    browser.until_text("#results tbody", "summary.parquet");
    browser.until_text("#results tbody", "finished");
    browser.no_errors();
}

/// A sweep comes along to the page "Watch", and is watched arm by arm.
#[test]
fn watching_the_settings_of_a_sweep_keeps_the_sweep() {
    let sandbox = Sandbox::new();
    let text = race("swept", 4, "[sweep]\n\"problem.n\" = [5, 6]\n");
    sandbox.write("swept.toml", &text);
    sandbox.run(&["swept.toml"]).code(0);
    let Some((_server, browser)) = opened(&sandbox, "/results/swept") else { return };
    browser.until_text("#experiment-state", "Finished: 16 trials of 4 arms");
    browser.click("#rewatch");
    ready(&browser);
    browser.until("4 arms", || {
        browser.script("return document.querySelectorAll('.lane').length") == 4
    });
    let kept = browser.text("#toml");
    assert!(kept.contains("\"problem.n\" = [5, 6]"), "{kept}");
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 0");
    browser.no_errors();
}
