//! Watching searches in a real browser: by clicks and keys, as a person uses it.

use crate::browser::{Browser, key, opened, ready};
use crate::python::python;
use crate::serve::{QUEENS, SHOP, Server, shop_of};
use crate::util::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

const POPULATION: &str = "[data-path='operators.0.population']";

/// The steps of the page "8 Queens Solver": its user sets population and mutation rate; a field
/// that holds no number disables the start button and says why; the best board and its clashes are
/// shown; `r` begins anew; there is a full screen.
#[test]
fn the_simulator_of_8_queens_is_here() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    // Before the start: few fields, and the button is near.
    let shown = "return [...document.querySelectorAll('#settings input, #settings select')]\
        .filter((one) => one.checkVisibility()).length";
    let shown = browser.script(shown).as_u64().expect("a number");
    assert!((6..=10).contains(&shown), "{shown} fields");
    let tab = key::TAB;
    let mut steps = 0;
    while browser.script("return document.activeElement.id") != "start" {
        browser.press(tab);
        steps += 1;
        assert!(steps <= 10, "Start is not within ten tabs");
    }
    // Help is there when it is asked for.
    let help =
        "return document.querySelector(\"[data-field='problem.n'] .help\").checkVisibility()";
    assert_eq!(browser.script(help), false);
    browser.click("[data-field='problem.n'] .ask");
    assert_eq!(browser.script(help), true);
    browser.is_accessible("watch, before the start");
    browser.click("[data-field='problem.n'] .ask");
    browser.picture("watch-ready");
    // Nonsense in a field: the button is dead, and says why.
    browser.fill(POPULATION, "many");
    browser.until("Start is disabled", || browser.is_disabled("#start"));
    browser.until_text("[data-field='operators.0.population'] .fault", "population");
    browser.is_accessible("watch, with a fault");
    browser.picture("watch-fault");
    browser.fill(POPULATION, "40");
    ready(&browser);
    assert!(browser.text("#toml").contains("population  = 40"), "{}", browser.text("#toml"));
    browser.fill("[data-path='operators.0.mutation.rate']", "0.2");
    ready(&browser);
    // Step by step, from the first population on.
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 0");
    assert_eq!([browser.fact("population"), browser.fact("evaluations")], ["40", "40"]);
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 1");
    assert_eq!(browser.fact("evaluations"), "80");
    browser.until("individuals are drawn", || {
        browser.script("return document.querySelectorAll('#boards img').length") == 12
    });
    // Children of this generation with their parents, in words and as genes.
    let births = "return [...document.querySelectorAll('.births li')].map((one) => \
        [one.querySelector('.words').textContent, one.querySelectorAll('.step img').length, \
        one.querySelectorAll('.at-cut').length])";
    let births = browser.script(births);
    let births = births.as_array().expect("children");
    assert_eq!(births.len(), 6);
    for (place, birth) in births.iter().enumerate() {
        let words = birth[0].as_str().expect("words");
        assert!(words.starts_with(&format!("Child {}. Gene", place + 1)), "{words}");
        assert!(words.contains("the others parent B's (fitness "), "{words}");
        // Two parents and the child; once more where a gene mutated. The cut is in the first three.
        let mutates = words.contains(" Mutation: gene ");
        assert_eq!((&birth[1], &birth[2]), (&json!(3 + u32::from(mutates)), &json!(3)), "{words}");
    }
    // The success of operators in words; the picture follows with each generation.
    let success =
        || browser.script("return document.querySelector('#success canvas').ariaLabel").to_string();
    assert!(success().contains("in generation 1, children that are better than each"));
    assert!(success().contains("by crossover ") && success().contains(" by both "));
    browser.is_accessible("watch, paused");
    browser.picture("watch-paused");
    browser.script("document.querySelector('#happens-title').scrollIntoView()");
    browser.picture("watch-births");
    browser.script("scrollTo(0, 0)");
    // The curve says in words what it shows; zoom stays while the search goes on.
    let label =
        || browser.script("return document.querySelector('#curve').getAttribute('aria-label')");
    assert!(label().as_str().expect("words").contains("in generation 1 the best fitness"));
    browser.script("document.querySelector('#curve').focus()");
    browser.press("+");
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 2");
    assert!(label().as_str().expect("words").contains("Shown are generations 2.5 to 7.5"));
    browser.script("document.querySelector('#curve').focus()");
    browser.press("0");
    assert!(!label().as_str().expect("words").contains("Shown are"));
    // The board of the best so far is a picture with words.
    let words = browser.script("return document.querySelector('#board img').alt");
    assert!(words.as_str().expect("words").starts_with("Best board so far: "), "{words}");
    // `r` begins anew, wherever the focus is. At one generation a second, it does not end here.
    set_pace(&browser, "1");
    browser.script("document.activeElement.blur()");
    browser.press("r");
    browser.until_text("#state", "Running");
    browser.press("s");
    browser.until_text("#state", "Paused");
    // As fast as it goes, it ends.
    full_speed(&browser);
    browser.click("#start");
    browser.until_text("#state", "Best fitness 0");
    browser.until_text("#state", "Success at evaluation");
    // The page names the evaluation of the success and the number of all evaluations.
    let all = browser.fact("evaluations");
    assert!(browser.text("#state").contains(&format!("; {all} evaluated in all.")), "{all}");
    browser.picture("watch-ended");
    // A change makes a fresh run; nothing is dead.
    browser.fill(POPULATION, "41");
    ready(&browser);
    browser.click("#start");
    browser.until("it ran", || browser.fact("population") == "41");
    // On a projector the board takes most of the height.
    let projector = json!({
        "width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": false,
    });
    browser.tools("Emulation.setDeviceMetricsOverride", projector);
    browser.click("#full");
    browser.until("full screen", || {
        browser.script("return document.fullscreenElement?.id ?? ''") == "bench"
    });
    let sides = "const { width, height, bottom } = \
        document.querySelector('#board').getBoundingClientRect(); \
        return Math.min(width, height) >= 800 && bottom <= innerHeight";
    browser.until("a large board, all of it on the screen", || browser.script(sides) == true);
    browser.is_accessible("watch, full screen");
    browser.no_errors();
}

/// Each included problem can be searched as soon as it is chosen: neither the target nor the
/// operators of the problem before are left.
#[test]
fn a_problem_that_is_chosen_can_be_searched() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    let choice = "[data-path='problem.plugin']";
    let names = "return [...document.querySelectorAll(\"[data-path='problem.plugin'] option\")]\
        .filter((one) => !one.textContent.includes('cannot be used')).map((one) => one.value)";
    let names = browser.script(names);
    let names: Vec<&str> =
        names.as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        // From 8 queens, as the page begins.
        browser.choose("[data-path='ready']", "0");
        ready(&browser);
        browser.choose(choice, name);
        browser.until(&format!("{name} can be searched"), || {
            !browser.is_disabled("#start") && browser.text("#toml").contains(&format!("\"{name}\""))
        });
        assert!(name == "nqueens" || !browser.text("#toml").contains("fitness"), "{name}");
    }
    browser.no_errors();
}

/// Moves the speed control to its end.
pub(crate) fn full_speed(browser: &Browser) {
    set_pace(browser, "pace.max");
}

/// Moves the slider of the speed to a position, which is an expression of the page.
fn set_pace(browser: &Browser, position: &str) {
    browser.script(&format!(
        "const pace = document.querySelector('#pace'); pace.value = {position}; \
        pace.dispatchEvent(new Event('input'))"
    ));
}

/// Sets up a search that has not ended however long a test looks: without elitism, roulette is far
/// from reaching the optimum of a thousand bits.
fn set_up_an_endless_search(browser: &Browser) {
    ready(browser);
    browser.choose("[data-path='problem.plugin']", "onemax");
    browser.until_text("#toml", "plugin = \"onemax\"");
    browser.choose("[data-path='operators.0.preset']", "simple-ga");
    browser.until_text("#toml", "bit-flip");
    ready(browser);
    browser.fill("[data-path='problem.length']", "1000");
    browser.fill("[data-path='stop.generations']", "1000000000");
    browser.fill("[data-path='stop.fitness']", "");
    ready(browser);
}

/// "Next trial" has another seed, "Restart" the same one; at single steps each press is a
/// generation; whatever the speed is, a pause draws the best individuals.
#[test]
fn a_lesson_goes_step_by_step_and_from_trial_to_trial() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    set_up_an_endless_search(&browser);
    set_pace(&browser, "pace.min");
    assert_eq!(browser.text("#pace-words"), "single steps");
    browser.click("#start");
    browser.until_text("#state", "Paused after generation 0.");
    let seed = browser.fact("seed");
    browser.click("#start");
    browser.until_text("#state", "Paused after generation 1.");
    browser.click("#next");
    browser.until("the next trial", || browser.fact("trial") == "1");
    browser.until_text("#state", "Paused after generation 0.");
    let other = browser.fact("seed");
    assert_ne!(other, seed);
    assert_eq!(browser.script("return location.hash.startsWith('#trial=1&')"), true);
    browser.click("#restart");
    browser.until_text("#state", "Paused after generation 0.");
    assert_eq!([browser.fact("trial"), browser.fact("seed")], ["1".to_owned(), other]);
    let last = browser.script("return Number(document.querySelector('#pace').max)");
    for position in 1..=last.as_u64().expect("a number") {
        set_pace(&browser, &position.to_string());
        browser.click("#start");
        browser.until_text("#state", "Running");
        browser.click("#start");
        browser.until_text("#state", "Paused");
        browser.until("the best individuals", || {
            browser.script("return document.querySelectorAll('#boards figure').length") == 12
        });
    }
    browser.no_errors();
}

/// The news of a search at full speed come faster than such a browser draws them.
#[test]
fn a_browser_much_slower_than_its_search_answers_to_its_user() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    set_up_an_endless_search(&browser);
    set_pace(&browser, "pace.max");
    browser.tools("Emulation.setCPUThrottlingRate", json!({ "rate": 4 }));
    browser.click("#start");
    browser.until_text("#state", "Running");
    browser.click("#start");
    browser.until_text("#state", "Paused");
    browser.no_errors();
}

#[test]
fn settings_can_be_taken_away_and_come_back_by_the_address() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    browser.choose("[data-path='problem.plugin']", "onemax");
    browser.until_text("#toml", "plugin = \"onemax\"");
    browser.choose("[data-path='operators.0.preset']", "simple-ga");
    browser.until_text("#toml", "bit-flip");
    ready(&browser);
    browser.script("document.querySelector(\"[data-name='trials']\").open = true");
    browser.fill("[data-path='trial']", "none");
    browser.until_text("[data-field='trial'] .fault", "a whole number");
    assert!(browser.is_disabled("#start"));
    browser.fill("[data-path='trial']", "3");
    browser.fill("[data-path='seed']", "1844674407370955161");
    // The caret stays where it is when the fields are drawn anew.
    let caret = browser.script(
        "const seed = document.querySelector(\"[data-path='seed']\"); seed.focus(); \
        seed.setSelectionRange(4, 4); \
        const list = document.querySelector(\"[data-path='operators.0.preset']\"); \
        list.dispatchEvent(new Event('change', { bubbles: true })); \
        const now = document.activeElement; return [now === seed, now.selectionStart]",
    );
    assert_eq!(caret, json!([false, 4]));
    browser.fill("[data-path='seed']", "18446744073709551615");
    browser.until_text("#toml", "seed    = 18446744073709551615");
    ready(&browser);
    browser.fill("#save-name", "taken");
    browser.click("#save");
    browser.until_text("#kept", "runner ./taken.toml");
    // The saved experiment gives the trial that was watched.
    browser.click("#restart");
    full_speed(&browser);
    browser.until_text("#state", "Best fitness");
    sandbox.run(&["taken.toml", "--repeats", "4"]).code(0);
    let rows = crate::util::rows(&sandbox, &["results/queens-simulator", "--trials"]);
    assert_eq!(browser.fact("trial"), "3");
    assert_eq!(browser.fact("seed"), rows[3]["seed"].to_string());
    let state = browser.text("#state").replace(',', "");
    let fitness = rows[3]["best_fitness"].as_f64().expect("a number");
    assert!(state.contains(&format!("Best fitness {fitness}")), "{state}");
    // The address brings all of it back.
    let (text, address) = (browser.text("#toml"), browser.script("return location.href"));
    browser.open(&format!("{}/results", server.address));
    browser.open(address.as_str().expect("an address"));
    ready(&browser);
    assert_eq!(browser.text("#toml"), text);
    assert_eq!(browser.script("return document.querySelector(\"[data-path='trial']\").value"), "3");
    browser.no_errors();
}

/// A text as an address has it.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Another trial than the address names would be taken for it.
#[test]
fn an_address_with_a_trial_that_there_cannot_be_is_refused() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    for (number, trial) in ["2.5", "-1", "9007199254740993", "x"].into_iter().enumerate() {
        // Settings that were used before are used without a question.
        let text = format!(
            "[problem]\nplugin = \"nqueens\"\n[[operators]]\nalgorithm = \"random-search\"\n\
            [stop]\nevaluations = {}\n",
            100 + number
        );
        browser.open(&format!("{}/results", server.address));
        browser.open(&format!("{}/#trial={trial}&toml={}", server.address, encoded(&text)));
        browser.until("it is shown", || browser.text("#from-address pre") == text);
        browser.click("#use-address");
        browser.until_text("[role='alert']", &format!("The address names trial {trial}, but"));
    }
}

/// Integers that JSON's readers round are kept, wherever they are; a text of digits is a text.
#[test]
fn large_integers_of_an_experiment_are_kept() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    let text = "name = \"90071992547409931\"\nseed = 18446744073709551615\n[problem]\n\
        plugin = \"landscapes\"\nn = 16\ninstance = 9007199254740993\n[[operators]]\n\
        population = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n[stop]\n\
        generations = 3\nevaluations = 9007199254740993\n[sweep]\n\
        \"problem.instance\" = [9007199254740993, 5]\n";
    browser.open(&format!("{}/#toml={}", server.address, encoded(text)));
    browser.until("it is shown", || browser.text("#from-address pre") == text);
    browser.click("#use-address");
    ready(&browser);
    let kept = browser.text("#toml");
    let kept: Vec<String> = kept.lines().map(|line| line.replace(' ', "")).collect();
    for line in [
        "name=\"90071992547409931\"",
        "seed=18446744073709551615",
        "instance=9007199254740993",
        "evaluations=9007199254740993",
        "\"problem.instance\"=[9007199254740993,5]",
    ] {
        assert!(kept.iter().any(|one| one == line), "{line}: {kept:#?}");
    }
    browser.no_errors();
}

/// A sweep has no fields: the page keeps it, in its order, and what is saved has the same trials.
#[test]
fn sweeps_are_kept_when_settings_are_saved() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/") else { return };
    let sweep = "[sweep]\n\"problem.n\" = [8, 6]\n\"operators.tournament.population\" = \
        { from = 10, to = 20, step = 10 }\n[output]\ntrace = \"best\"\n";
    let text = format!("{QUEENS}{sweep}");
    sandbox.write("swept.toml", &text);
    browser.open(&format!("{}/results", server.address));
    browser.open(&format!("{}/#toml={}", server.address, encoded(&text)));
    browser.until("it is shown", || browser.text("#from-address pre") == text);
    browser.click("#use-address");
    ready(&browser);
    browser.until_text("#which", "all 4, side by side");
    assert_eq!(browser.script("return document.querySelectorAll('.lane').length"), 4);
    browser.fill("#save-name", "kept");
    browser.click("#save");
    browser.until_text("#kept", "runner ./kept.toml");
    for (file, out) in [("swept.toml", "given"), ("kept.toml", "saved")] {
        sandbox.run(&[file, "--repeats", "3", "--out", out]).code(0);
    }
    let trials = |out: &str| {
        crate::util::rows(&sandbox, &[&format!("{out}/watched"), "--trials", "--rows", "100"])
    };
    let mut both = [trials("given"), trials("saved")];
    for trial in both.iter_mut().flatten() {
        let trial = trial.as_object_mut().expect("a row");
        trial.retain(|key, _| !key.contains("second") && key != "worker");
    }
    assert_eq!(both[0].len(), 12);
    assert_eq!(both[0], both[1]);
    browser.click("#remove-sweep");
    browser.until("one arm", || {
        browser.script("return document.querySelectorAll('.lane').length") == 1
    });
    browser.no_errors();
}

#[test]
fn operators_of_plugins_are_chosen_in_the_form() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    let names = "return [...document.querySelector(\"[data-path='problem.plugin']\").options]\
        .map((one) => one.value).includes('breeding')";
    assert_eq!(browser.script(names), false, "it has no problem");
    browser.choose("[data-path='problem.plugin']", "onemax");
    browser.choose("[data-path='operators.0.preset']", "simple-ga");
    browser.until_text("#toml", "bit-flip");
    browser.choose("[data-path='operators.0.crossover']", "breeding/mix");
    browser.until_text("#toml", "crossover   = { plugin = \"breeding\", operator = \"mix\" }");
    ready(&browser);
    browser.fill("[data-path='operators.0.crossover.rate']", "0.7");
    browser.until_text("#toml", "operator = \"mix\", rate = 0.7 }");
    ready(&browser);
    full_speed(&browser);
    browser.click("#start");
    browser.until_text("#state", "Best fitness");
    // The address brings the operator back.
    browser.script("location.reload()");
    ready(&browser);
    let chosen = "return document.querySelector(\"[data-path='operators.0.crossover']\").value";
    assert_eq!(browser.script(chosen), "breeding/mix");
    browser.no_errors();
}

#[test]
fn files_of_data_are_chosen_in_the_form() {
    let sandbox = Sandbox::new();
    sandbox.write("configs/shop.txt", SHOP);
    sandbox.write("configs/broken.txt", SHOP.replace("2 2 2", "2 2 two"));
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    browser.open(&format!("{}/#toml={}", server.address, encoded(&shop_of(""))));
    browser.until("it is shown", || browser.text("#from-address pre") == shop_of(""));
    browser.click("#use-address");
    ready(&browser);
    let options = "return [...document.querySelector(\"[data-path='problem.file']\").options]\
        .map((one) => one.textContent)";
    assert_eq!(browser.script(options), json!(["no file", "broken.txt", "shop.txt"]));
    browser.choose("[data-path='problem.file']", "broken.txt");
    browser.until_text(
        "[data-field='problem.plugin'] .fault",
        "broken.txt, line 2: the time of operation 3 of job 1",
    );
    assert!(browser.is_disabled("#start"));
    browser.picture("watch-broken-file");
    browser.choose("[data-path='problem.file']", "shop.txt");
    browser.until_text("#toml", "file   = \"shop.txt\"");
    ready(&browser);
    full_speed(&browser);
    browser.click("#start");
    browser.until_text("#state", "Best fitness");
    browser.click("[data-field='problem.file'] .ask");
    browser.is_accessible("watch, a file of data");
    browser.picture("watch-file");
    // A file that comes later is offered when the window is used again; one that is gone is not.
    sandbox.write("configs/later.txt", SHOP);
    std::fs::remove_file(sandbox.path("configs/broken.txt")).expect("the file");
    browser.script("window.dispatchEvent(new Event('focus'))");
    browser.until("the other files are offered", || {
        browser.script(options) == json!(["no file", "later.txt", "shop.txt"])
    });
    assert!(browser.text("#toml").contains("file   = \"shop.txt\""));
    browser.choose("[data-path='problem.file']", "later.txt");
    browser.until_text("#toml", "file   = \"later.txt\"");
    browser.no_errors();
}

/// A set that is added is valid and unlike the others; all start from the same genomes, and run
/// side by side on common axes.
#[test]
fn operator_sets_run_side_by_side_from_the_same_starts() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    let lanes = || browser.script("return document.querySelectorAll('.lane').length");
    for count in 2..=6 {
        browser.click("#add-set");
        browser
            .until(&format!("{count} sets"), || lanes() == count && !browser.is_disabled("#start"));
        assert_eq!(browser.text("#other-faults"), "");
    }
    assert_eq!(browser.script("return document.querySelector('#add-set')"), Value::Null);
    assert!(browser.text("#toml").contains("pairing = \"common\""));
    let labels = "return new Set([...document.querySelectorAll('.lane h3')]\
        .map((one) => one.textContent)).size";
    assert_eq!(browser.script(labels), 6);
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 0.");
    // Boards of one size, with equal genomes, have equal pictures.
    let pictures = "return [...document.querySelectorAll('.lane .strip')].slice(0, 2)\
        .map((one) => one.toDataURL())";
    let pictures = browser.script(pictures);
    assert_eq!(pictures[0], pictures[1]);
    assert_eq!(
        browser.script("return document.querySelectorAll('.success:not([hidden])').length"),
        0
    );
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 1.");
    let labels = "return [...document.querySelectorAll('.success canvas')].filter((one) => \
        one.checkVisibility() && one.ariaLabel.startsWith('Success of operators of ')).length";
    assert_eq!(browser.script(labels), 6);
    browser.is_accessible("watch, side by side");
    browser.picture("watch-side-by-side");
    full_speed(&browser);
    browser.click("#start");
    browser.until_text("#state", "All have ended.");
    browser.until("who is ahead", || browser.text("#ahead").contains("ahead"));
    // The one that is ahead was the first to succeed.
    let words = browser.text("#ahead").replace(',', "");
    let found: Vec<u64> = words
        .split("succeeded at evaluation ")
        .skip(1)
        .map(|part| part.chars().take_while(char::is_ascii_digit).collect::<String>())
        .map(|digits| digits.parse().expect("a number"))
        .collect();
    assert!(!found.is_empty() && found.is_sorted(), "{words}");
    // One of them alone, and fewer of them.
    browser.choose("#watched", "1");
    browser.until("one lane", || lanes() == 1);
    browser.choose("#watched", "");
    browser.until("all lanes", || lanes() == 6);
    browser.script("document.querySelector('fieldset[data-set=\"5\"] .quiet').click()");
    browser.until("five sets", || lanes() == 5);
    browser.no_errors();
}

/// Spans of generations with the shares of better children, from counts made by hand.
#[test]
fn the_success_of_operators_is_that_of_spans_of_generations() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    let script = "const done = arguments[0]; import('/assets/success.js').then(({ spansOf }) => {\
        const point = (generation) => ({ generation, evaluations: 10 * generation + 10, \
            children: generation === 0 ? null : [4 * generation, generation, 0, 0, \
            generation, generation > 60 ? generation - 60 : 0, 9] }); \
        const points = (count) => Array.from({ length: count }, (_, place) => point(place)); \
        const of = ({ from, to, first, last, shares }) => [from, to, first, last, ...shares]; \
        const long = spansOf(points(64), 'generation'); \
        done([spansOf(points(1), 'generation').length, spansOf(points(3), 'evaluations').map(of), \
            spansOf(points(3).map((one) => ({ ...one, children: null })), 'evaluations').length, \
            long.length, of(long[0]), of(long.at(-1)), long.at(-1).counts]); \
        }).catch((error) => done(String(error)))";
    let found = browser.async_script(script);
    let spans = [json!([10, 20, 1, 1, 0.25, null, 0]), json!([20, 30, 2, 2, 0.25, null, 0])];
    // 63 generations make spans of four, and seven are the last.
    let (first, last) = (json!([0, 4, 1, 4, 0.25, null, 0]), json!([56, 63, 57, 63, 0.25, null]));
    assert_eq!((&found[0], &found[1], &found[2]), (&json!(0), &json!(spans), &json!(0)));
    assert_eq!((&found[3], &found[4], &found[6]), (&json!(15), &first, &json!([28, 0, 7])));
    let of_last = found[5].as_array().expect("a span");
    assert_eq!(of_last[..6], last.as_array().expect("a span")[..]);
    assert!((of_last[6].as_f64().expect("a share") - 3.0 / 7.0).abs() < 1e-12);
    browser.no_errors();
}

/// Without a target there is no success rate, no interval and no picture of it; another
/// experiment on the same page has them again.
#[test]
fn repeats_without_a_target_have_no_success_rates() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    let text = "[problem]\nplugin = \"tsp\"\n[[operators]]\npopulation = 10\nselection = \
        \"uniform\"\nmutation = \"swap\"\n[stop]\nevaluations = 200\n";
    let shown = "return [...document.querySelectorAll('#repeat .pictures figcaption, \
        #repeat th[scope=col], #repeat-rows td, #repeat-undefined')]\
        .filter((one) => one.checkVisibility()).map((one) => one.textContent.slice(0, 22))";
    let repeated = |trials: &str, done: &str| {
        ready(&browser);
        browser.fill("#repeat-count", trials);
        browser.click("#repeat-start");
        browser.until_text("#repeat-state", done);
        browser.script(shown)
    };
    browser.open(&format!("{}/#toml={}", server.address, encoded(text)));
    browser.until("it is shown", || browser.text("#from-address pre") == text);
    browser.click("#use-address");
    let undefined = repeated("20", "All 20 trials are done");
    let first = ["Success is not defined", "operator set", "trials", "failed", "20", "0"];
    assert_eq!(undefined, json!([&first[..], &["Final fitness of the t"]].concat()));
    browser.is_accessible("watch, repeated without a target");
    browser.fill("[data-path='stop.fitness']", "9");
    let defined = repeated("21", "All 21 trials are done");
    let defined = defined.as_array().expect("texts");
    for words in ["successes", "success rate", "95 % interval", "0.000", "Success rate so far, w"] {
        assert!(defined.contains(&json!(words)), "{words}: {defined:?}");
    }
    assert!(!defined.contains(&json!(first[0])), "{defined:?}");
    browser.no_errors();
}

#[test]
fn two_operator_sets_race_and_the_verdict_is_said() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    browser.choose("[data-path='ready']", "5");
    browser.until_text("#toml", "queens-race-of-two");
    ready(&browser);
    browser.fill("#repeat-count", "60");
    browser.click("#repeat-start");
    browser.until_text("#repeat-state", "All 120 trials are done");
    assert_eq!(browser.script("return document.querySelectorAll('#repeat-rows tr').length"), 2);
    let verdict = browser.text("#verdicts");
    assert!(verdict.contains("tournament") && verdict.contains("against"), "{verdict}");
    browser.is_accessible("watch, repeated");
    browser.script("document.querySelector('#repeat-title').scrollIntoView()");
    browser.picture("repeat");
    browser.fill("#repeat-count", "none");
    browser.click("#repeat-start");
    browser.until_text("#repeat-state", "The number of trials");
    browser.no_errors();
}

/// Numbers on the axes are short in the way of the pictures, and all of each is seen.
#[test]
fn the_numbers_on_the_axes_are_whole() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    let script = "const done = arguments[0]; import('/assets/plot.js').then(({ Plot, short }) => {\
        const canvas = document.createElement('canvas'); canvas.style.width = '300px'; \
        document.body.append(canvas); const plot = new Plot(canvas, 'trials', 'rate'); \
        const ends = []; const write = plot.pen.fillText.bind(plot.pen); \
        plot.pen.fillText = (text, x, y) => { \
            const half = plot.pen.measureText(text).width / 2; \
            if (plot.pen.textAlign === 'center') ends.push([text, x + half]); \
            write(text, x, y); }; \
        plot.frame([0, 1000], [0, 1]); plot.frame([0, 1000000], [0, 1]); \
        const numbers = [0, 9000, 10000, 50000, 12500, -20000, 1e6, 2.5e6, 3e9, 4e12, 0.25]; \
        done({ ends, width: canvas.clientWidth, short: numbers.map(short) }); \
        }).catch((error) => done(String(error)))";
    let found = browser.async_script(script);
    let short = ["0", "9,000", "10k", "50k", "12.5k", "-20k", "1M", "2.5M", "3G", "4T", "0.25"];
    assert_eq!(found["short"], json!(short), "{found}");
    let width = found["width"].as_f64().expect("a width");
    let ends = found["ends"].as_array().expect("labels");
    for text in ["1,000", "1M"] {
        assert!(ends.iter().any(|end| end[0] == text), "{text}: {found}");
    }
    assert!(ends.iter().all(|end| end[1].as_f64().is_some_and(|at| at <= width)), "{found}");
    browser.no_errors();
}

/// A page of another port that sends whoever comes to this address.
fn redirecting(to: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            _ = lines.find(String::is_empty);
            let answer = format!(
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\
                Connection: close\r\n\r\n"
            );
            _ = (&stream).write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/")
}

/// A problem that leaves a file when it is made: the page's form asks each plugin what it is, and
/// makes no problem.
const MARKING: &str = r#"
from runner import Bits, Text


class Problem:
    parameters = {"mark": Text()}

    def __init__(self, mark):
        open(mark, "w").close()

    def describe(self):
        return Bits(4, ideal=0, worst=4)

    def fitness(self, genome):
        return float(sum(genome))
"#;

/// Another site sends its visitors to the page, with an experiment whose plugin the page may open.
#[test]
fn what_another_site_put_into_the_address_runs_after_a_button_is_pressed() {
    if python("sys").is_none() {
        return;
    }
    let Some(browser) = Browser::start() else { return };
    let sandbox = Sandbox::new();
    sandbox.write("plugins/marking.py", MARKING);
    let server = Server::start(&sandbox, &["--plugin-dir", "plugins"]);
    let (one, two) = (sandbox.path("one"), sandbox.path("two"));
    for mark in [&one, &two] {
        let text = format!(
            "[problem]\nplugin = \"marking\"\nmark = {mark:?}\n[[operators]]\npopulation = 10\n\
            selection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 5\n"
        );
        browser.open(&redirecting(format!("{}/#toml={}", server.address, encoded(&text))));
        browser.until_text("#from-address pre", "plugin = \"marking\"");
        assert!(browser.script("return location.origin") == json!(server.address));
        // Whatever the page asked for was asked before this.
        assert_eq!(server.post("/api/check", &json!({ "text": QUEENS })).0, 200);
        assert!(!mark.exists(), "it ran before the button was pressed");
        browser.no_errors();
        if mark == &one {
            browser.click("#use-address");
            browser.until("it is checked", || mark.exists());
            ready(&browser);
        }
    }
    browser.click("#leave-address");
    ready(&browser);
    assert!(!two.exists(), "it ran without being wanted");
    assert_eq!(browser.script("return location.hash.includes('marking')"), false);
}

/// A plugin draws a board with scripts in it: none runs.
#[test]
fn a_board_with_scripts_is_a_picture() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    browser.choose("[data-path='problem.plugin']", "faulty");
    browser.choose("[data-path='problem.fault']", "hostile");
    browser.until_text("#toml", "hostile");
    browser.choose("[data-path='operators.0.preset']", "simple-ga");
    ready(&browser);
    browser.click("#step");
    browser.until_text("#state", "Paused");
    assert_eq!(browser.script("return document.querySelectorAll('#board script').length"), 0);
    browser.until("a picture", || {
        browser.script("return document.querySelector('#board img') !== null") == true
    });
    browser.no_errors();
}
