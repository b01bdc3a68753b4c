//! Pages without a mouse: keys and their list, the focus, and what a screen reader is told.

use crate::browser::{Browser, key, opened, ready};
use crate::serve::QUEENS;
use crate::util::Sandbox;
use serde_json::json;

/// Opens the list of keys by its key, and closes it by Escape.
fn has_its_keys(browser: &Browser, page: &str, keys: &[&str]) {
    let open = || browser.script("return document.querySelector('#keys').open") == true;
    browser.script("document.activeElement?.blur()");
    browser.press("?");
    browser.until("the list of keys", open);
    let listed = "return [...document.querySelectorAll('#keys kbd')].map((one) => one.textContent)";
    let listed = browser.script(listed);
    let listed: Vec<&str> =
        listed.as_array().expect("keys").iter().filter_map(|key| key.as_str()).collect();
    for key in keys.iter().chain(&["?", "Escape"]) {
        assert!(listed.contains(key), "{page}: {key} is not in {listed:?}");
    }
    let told = browser.told();
    for (role, name) in [("dialog", "Keys"), ("button", "Close")] {
        assert!(told.contains(&(role.to_owned(), name.to_owned())), "{page}: {told:?}");
    }
    browser.is_accessible(&format!("{page}, its keys"));
    browser.press(key::ESCAPE);
    browser.until("it is closed", || !open());
}

/// Every page is gone through by keys with a focus that is seen; it lists its keys; and a screen
/// reader is told what is on it.
#[test]
fn pages_are_used_by_keys_and_heard() {
    let sandbox = Sandbox::new();
    let random = "[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\n\
        population = 20\n[output]\ntrace = \"best\"\n";
    sandbox.write("watched.toml", format!("{QUEENS}{random}"));
    sandbox.run(&["watched.toml"]).code(0);
    sandbox.write("other.toml", format!("{QUEENS}{random}").replace("\"watched\"", "\"other\""));
    sandbox.run(&["other.toml"]).code(0);
    let Some((server, browser)) = opened(&sandbox, "/") else { return };
    ready(&browser);
    let reached = browser.tabs("watch");
    for id in ["start", "step", "restart", "next", "pace", "full", "repeat-start", "save"] {
        assert!(reached.iter().any(|one| one == id), "watch: {id} is not in {reached:?}");
    }
    has_its_keys(&browser, "watch", &["s", "n", "r", "t", "f", "0"]);
    // While the list is open, no key of the page acts.
    browser.press("?");
    browser.press("s");
    assert!(!browser.text("#state").contains("Running"), "{}", browser.text("#state"));
    browser.press(key::ESCAPE);
    browser.click("#step");
    browser.until_text("#state", "Paused after generation 0");
    let parts = [
        ("navigation", "Pages"),
        ("button", "Go on"),
        ("slider", "Speed"),
        ("combobox", "problem"),
        ("image", "Best board so far"),
        ("StaticText", "Paused after generation 0"),
    ];
    browser.tells("watch", &parts);

    browser.open(&format!("{}/results", server.address));
    browser.until_text("#results tbody", "finished");
    let reached = browser.tabs("results");
    for name in ["filter", "choose-all", "success rates", "watched", "other"] {
        assert!(reached.iter().any(|one| one == name), "results: {name} is not in {reached:?}");
    }
    has_its_keys(&browser, "results", &["/", "Space"]);
    browser.press("/");
    assert_eq!(browser.script("return document.activeElement.id"), "filter");
    browser.press("?");
    let typed = "return [document.querySelector('#filter').value, \
        document.querySelector('#keys').open]";
    assert_eq!(browser.script(typed), json!(["?", false]), "it is typed, and no key");
    browser.press(key::BACKSPACE);
    browser.until_text("#results tbody", "watched");
    let parts = [
        ("searchbox", "Show names and problems with"),
        ("checkbox", "Choose watched"),
        ("link", "other"),
        ("columnheader", "best fitness"),
        ("rowheader", "watched"),
        ("region", "Experiments"),
        ("StaticText", "2 of 2 folders"),
    ];
    browser.tells("results", &parts);
    // Two are chosen and opened by keys alone.
    for name in ["watched", "other"] {
        browser
            .script(&format!("document.querySelector(\"[aria-label='Choose {name}']\").focus()"));
        browser.press(" ");
    }
    browser.until_text("#chosen", "2 chosen");
    browser.script("document.querySelector('#together').focus()");
    browser.press(key::ENTER);
    browser.until_text("#ranked-title", "Ranks");
    browser.tabs("together");
    has_its_keys(&browser, "together", &[]);
    browser.tells("together", &[("heading", "watched compared with other"), ("region", "Ranks")]);

    browser.open(&format!("{}/results/watched", server.address));
    browser.until_text("#answer", "better");
    browser.until("plots", || {
        browser.script("return document.querySelectorAll('#plots img').length > 2") == true
    });
    let reached = browser.tabs("experiment");
    for id in ["replay-arm", "replay-trial", "replay-start", "report", "rewatch"] {
        assert!(reached.iter().any(|one| one == id), "experiment: {id} is not in {reached:?}");
    }
    has_its_keys(&browser, "experiment", &["←, →", "+, -"]);
    let parts = [
        ("heading", "Comparison"),
        ("image", "Success rate: watched"),
        ("rowheader", "tournament"),
        ("button", "Replay"),
        ("region", "Figures of the arms"),
        ("StaticText", "Finished: 60 trials of 2 arms"),
    ];
    browser.tells("experiment", &parts);

    browser.open(&format!("{}/api/experiments/watched/report", server.address));
    browser.tells("report", &[("navigation", "Contents"), ("heading", "Answer")]);
    browser.tabs("report");
    browser.is_accessible("report");
    browser.no_errors();
}

/// Nothing slides or fades for a reader who asks for less motion.
#[test]
fn nothing_moves_where_less_motion_is_asked_for() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/") else { return };
    browser.media("prefers-reduced-motion", "reduce");
    for path in ["/", "/results"] {
        browser.open(&format!("{}{path}", server.address));
        browser.until_text("h1", "");
        let moves = "return [...document.querySelectorAll('*')].filter((one) => { \
            const style = getComputedStyle(one); \
            return style.animationName !== 'none' || style.scrollBehavior === 'smooth' || \
                (style.transitionDuration !== '0s' && style.transitionProperty !== 'none'); \
            }).length + document.getAnimations().length";
        assert_eq!(browser.script(moves), 0, "{path}");
    }
}
