//! Searches side by side in a real browser: which of them the page says to be ahead.

use crate::browser::{opened, ready};
use crate::browser_watch::{encoded, full_speed};
use crate::serve::QUEENS;
use crate::util::Sandbox;
use serde_json::{Value, json};

/// The page names the arm that is ahead at equal evaluations, from courses made by hand.
#[test]
fn who_is_ahead_is_told_at_equal_evaluations() {
    let sandbox = Sandbox::new();
    let Some((_server, browser)) = opened(&sandbox, "/") else { return };
    let script = "const done = arguments[0]; import('/assets/ahead.js').then(({ aheadWords }) => {\
        const course = (label, points, ending = null) => ({ label, ending, \
            points: points.map(([evaluations, best_so_far, generation], place) => \
                ({ generation: generation ?? place, evaluations, best_so_far })), \
            now: { generation: points.at(-1)[2] ?? points.length - 1, \
                evaluations: points.at(-1)[0], best_so_far: points.at(-1)[1] } }); \
        const ended = (evaluations, at, best_fitness, violation = null) => ({ evaluations, \
            success: at !== null, evaluations_to_success: at, best_fitness, violation }); \
        const stale = { ...course('stale', [[10, 5], [20, 3]]), \
            now: { generation: -1, evaluations: 5, best_so_far: 9 } }; \
        const cut = course('cut', [[10, 5], [20, 4]], ended(25, null, 2)); \
        const broken = course('broken', [[10, null]], ended(25, null, 1, 7)); \
        const slow = course('slow', [[10, 5], [20, 3]]); \
        const fast = course('fast', [[10, 6], [20, 4], [30, 1]]); \
        const lost = course('lost', [[10, null], [20, null]]); \
        const thin = (label, last) => course(label, \
            [[100, 50, 0], [200, 40, 10], [300, last, 20], [400, 20, 30]]); \
        const late = (at) => course('late', [[100, 60, 0], [at, 35, 1]]); \
        const won = (at) => course('won', [[10, 5], [40, 0]], ended(40, at)); \
        done([[slow, fast], [slow, lost], [slow, course('twin', [[20, 3]])], \
            [course('gone', [[10, 2]], ended(10, null, 2)), slow], [won(35), slow], \
            [won(15), slow], [won(35), course('soon', [[9, 5], [20, 0]], ended(20, 12))], \
            [stale, fast], [cut, { ...stale, ending: ended(25, null, 3) }], [cut, broken], \
            [won(15), { ...won(15), label: 'twin' }, slow], [won(15), won(15)], \
            [thin('thin', 30), late(250)], [thin('thin', 40), late(250)], \
            [course('thin', [[10, 50, 0], [400, 20, 30]]), late(250)], \
            [slow, course('unborn', [[100, 1]])]\
        ].map(aheadWords)); }).catch((error) => done(String(error)))";
    let found = browser.async_script(script);
    let words = [
        "After 20 evaluations slow is ahead: 3; fast 4.",
        "After 20 evaluations slow is ahead: 3; lost no feasible genome.",
        "After 20 evaluations all are level: 3.",
        "After 20 evaluations gone is ahead: 2; slow 3.",
        "won succeeded at evaluation 35; slow has no success after 20. slow can still be ahead.",
        "won is ahead. won succeeded at evaluation 15; slow has no success after 20.",
        "soon is ahead. soon succeeded at evaluation 12; won succeeded at evaluation 35.",
        "After 20 evaluations stale is ahead: 3; fast 4.",
        "After 25 evaluations cut is ahead: 2; stale 3.",
        "After 25 evaluations cut is ahead: 2; broken no feasible genome.",
        "won and twin are ahead. won succeeded at evaluation 15; twin succeeded at evaluation 15; \
        slow has no success after 20.",
        "All are level. won succeeded at evaluation 15; won succeeded at evaluation 15.",
        // A long series lacks generations: between 200 and 300 evaluations thin had 40 to 30.
        "After 200 evaluations thin is ahead: 40; late 60.",
        "After 250 evaluations late is ahead: 35; thin 40.",
        "After 250 evaluations: late 35; thin between 20 and 50.",
        "",
    ];
    assert_eq!(found, json!(words));
    browser.no_errors();
}

/// Two searches whose budget ends within a generation.
const CUT: &str = r#"
name = "cut"
seed = 4
repeats = 2
[problem]
plugin = "continuous"
n = 4
function = "rastrigin"
[[operators]]
name = "annealing"
algorithm = "simulated-annealing"
mutation = "gaussian"
[[operators]]
name = "random"
algorithm = "random-search"
[stop]
fitness = 0.0001
evaluations = 3000
"#;

/// A budget that ends within a generation leaves no figure behind: all are those of the tables.
#[test]
fn the_figures_of_searches_that_are_cut_short_are_those_of_the_tables() {
    let sandbox = Sandbox::new();
    sandbox.write("cut.toml", CUT);
    sandbox.run(&["cut.toml"]).code(0);
    let rows = crate::util::rows(&sandbox, &["results/cut", "--trials"]);
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    browser.open(&format!("{}/#toml={}", server.address, encoded(CUT)));
    browser.until("it is shown", || browser.text("#from-address pre") == CUT);
    browser.click("#use-address");
    ready(&browser);
    full_speed(&browser);
    let facts = "return [...document.querySelectorAll('.facts')].map((one) => \
        [...one.querySelectorAll('dd')].slice(0, 3).map((fact) => fact.textContent))";
    let strips = "return [...document.querySelectorAll('.strip')].map((one) => one.ariaLabel)";
    for trial in 0..2 {
        browser.click(if trial == 0 { "#start" } else { "#next" });
        browser.until("it is this trial", || {
            let hash = browser.script("return location.hash");
            trial == 0 || hash.as_str().is_some_and(|hash| hash.starts_with("#trial=1&"))
        });
        browser.until_text("#state", "All have ended.");
        browser.until("who is ahead", || browser.text("#ahead").contains("ahead"));
        let [annealing, random] = ["annealing", "random"].map(|arm| {
            let of = |row: &&Value| row["trial"] == trial && row["operators"] == arm;
            rows.iter().find(of).expect("a trial")
        });
        assert!(annealing["best_fitness"].as_f64() < random["best_fitness"].as_f64());
        let ahead = browser.text("#ahead");
        assert!(ahead.starts_with("After 3,000 evaluations annealing is ahead: "), "{ahead}");
        let shown = browser.script(facts);
        for (place, row) in [annealing, random].into_iter().enumerate() {
            let best = row["best_fitness"].as_f64().expect("a number");
            let shown: Vec<f64> = (0..3)
                .map(|fact| shown[place][fact].as_str().unwrap_or_default().replace(',', ""))
                .map(|fact| fact.parse().expect("a number"))
                .collect();
            assert!((shown[0] - best).abs() < 0.01, "{shown:?} {row}");
            assert_eq!(json!(shown[1] as u64), row["generations"], "{row}");
            assert_eq!(json!(shown[2] as u64), row["evaluations"], "{row}");
            // The population is that of the last whole generation.
            let label = browser.script(strips)[place].to_string().replace(',', "");
            assert!(label.contains(&format!("generation {} best", row["generations"])), "{label}");
        }
    }
    browser.no_errors();
}

/// Arms of different problems are not compared, however their sweep is written.
#[test]
fn nobody_is_ahead_on_another_problem() {
    let sandbox = Sandbox::new();
    let Some((server, browser)) = opened(&sandbox, "/results") else { return };
    for (sweep, is_compared) in [
        ("\"problem.n\" = [6, 8]", false),
        ("problem.n = [6, 8]", false),
        ("problem = { n = [6, 8] }", false),
        ("operators.population = [20, 30]", true),
    ] {
        let text = format!("{QUEENS}[sweep]\n{sweep}\n");
        browser.open(&format!("{}/results", server.address));
        browser.open(&format!("{}/#toml={}", server.address, encoded(&text)));
        browser.until("it is shown", || browser.text("#from-address pre") == text);
        browser.click("#use-address");
        ready(&browser);
        full_speed(&browser);
        browser.click("#start");
        browser.until_text("#state", "All have ended.");
        // The line is written with the next picture of the curves.
        let drawn = "const done = arguments[0]; requestAnimationFrame(() => \
            requestAnimationFrame(() => done(document.querySelector('#ahead').textContent)))";
        let ahead = browser.async_script(drawn);
        assert_eq!(ahead != "", is_compared, "{sweep}: {ahead}");
    }
    browser.no_errors();
}
