//! Results in a real browser: the list of experiments, and the page of one.

use crate::browser::{Browser, opened, ready};
use crate::serve::{QUEENS, Server};
use crate::util::Sandbox;
use fantoccini::key::Key;
use serde_json::{Value, json};
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
    let tab = String::from(char::from(Key::Tab));
    // From the top: the skip link, two pages, the filter, the table's region, its headings, a row.
    let mut steps = 0;
    while browser.script("return document.activeElement.textContent") != "watched" {
        browser.press(&tab);
        steps += 1;
        assert!(steps < 20, "the row is never reached");
    }
    browser.press(&String::from(char::from(Key::Enter)));
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
    let left = String::from(char::from(Key::Left));
    browser.press(&left);
    browser.until("the step before", || caption() != last);
    browser.is_accessible("experiment");
    browser.picture("experiment");
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
            "return [document.querySelectorAll('#results thead th')[1].ariaSort, \
            ...[...document.querySelectorAll('#results tbody th')].map((one) => one.textContent)]",
        )
    };
    assert_eq!(said(), json!(["descending", "newest", "middle", "oldest"]));
    for _ in 0..2 {
        browser.script("document.querySelectorAll('#results thead button')[1].click()");
        assert_eq!(said(), json!(["ascending", "oldest", "middle", "newest"]));
        browser.script("document.querySelectorAll('#results thead button')[1].click()");
        assert_eq!(said(), json!(["descending", "newest", "middle", "oldest"]));
    }
    browser.script("document.querySelectorAll('#results thead button')[0].click()");
    assert_eq!(said(), json!(["none", "middle", "newest", "oldest"]));
    browser.no_errors();
}
