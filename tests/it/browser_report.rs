//! The report in a real browser: on a phone, and on paper.

use crate::browser::Browser;
use crate::serve::QUEENS;
use crate::util::Sandbox;

/// Two operator sets on five sizes with three rates: thirty arms.
fn many(sandbox: &Sandbox) -> String {
    let swept = "[[operators]]\nname = \"uniform\"\npopulation = 20\nselection = \"uniform\"\n\
        crossover = \"one-point\"\nmutation = { kind = \"reset\", rate = 0.4 }\n[sweep]\n\
        \"problem.n\" = [5, 6, 7, 8, 9]\n\
        \"operators.tournament.mutation.rate\" = [0.1, 0.2, 0.4]\n\
        \"operators.uniform.mutation.rate\" = [0.1, 0.2, 0.4]\n\
        [output]\ntrace = \"best\"\n";
    sandbox.write("many.toml", format!("{QUEENS}{swept}").replace("\"watched\"", "\"many\""));
    sandbox.run(&["many.toml", "--repeats", "10"]).code(0);
    sandbox.run(&["report", "results/many"]).code(0);
    format!("file://{}", sandbox.path("results/many/report.html").display())
}

/// On a phone nothing is wider than the screen, arms are folded, and a key unfolds one.
#[test]
fn a_report_of_many_arms_is_read_on_a_phone() {
    let sandbox = Sandbox::new();
    let Some(browser) = Browser::start() else { return };
    let address = many(&sandbox);
    browser.size(1280, 900);
    browser.open(&address);
    let folded = "return document.querySelectorAll('.folds').length";
    assert_eq!(browser.script(folded), 0, "a desk's screen has room");
    browser.is_accessible("report");
    // The frame of the window takes some of its width: the page itself is to have 390 pixels.
    browser.phone();
    browser.open(&address);
    assert_eq!(browser.script("return innerWidth"), 390);
    let page = "const { scrollWidth, clientWidth, scrollHeight } = document.documentElement; \
        return [scrollWidth - clientWidth, scrollHeight]";
    let page = browser.script(page);
    assert_eq!(page[0], 0, "nothing is wider than the screen");
    let height = page[1].as_u64().expect("a height");
    assert!(height < 30_000, "{height} px");
    let shown = "const row = document.querySelector('.folds tbody tr'); \
        return [[...row.cells].filter((one) => one.checkVisibility()).length, row.cells.length]";
    let before = browser.script(shown);
    assert!(before[0].as_u64() < before[1].as_u64(), "{before}");
    browser.script("document.querySelector('.folds tbody button').focus()");
    browser.press(" ");
    browser.until("all cells", || {
        let now = browser.script(shown);
        now[0] == now[1]
    });
    let expanded = "return document.activeElement.getAttribute('aria-expanded')";
    assert_eq!(browser.script(expanded), "true");
    browser.is_accessible("report, on a phone");
    browser.no_errors();
}

/// Printed, the page is of A4, has all that is folded, and no figure or row needs two pages.
#[test]
fn a_report_is_printed_on_a4_without_cuts() {
    let sandbox = Sandbox::new();
    let Some(browser) = Browser::start() else { return };
    browser.open(&many(&sandbox));
    let pdf = browser.pdf();
    let boxes: Vec<&str> = pdf.split("/MediaBox [").skip(1).collect();
    assert!(boxes.len() > 3, "{} pages", boxes.len());
    for one in boxes {
        let size: Vec<f64> = one
            .split(']')
            .next()
            .into_iter()
            .flat_map(str::split_whitespace)
            .filter_map(|number| number.parse().ok())
            .collect();
        // A4 in points, 1/72 inch.
        assert!((size[2] - 595.0).abs() < 1.0 && (size[3] - 842.0).abs() < 1.0, "{size:?}");
    }
    // Printing opened what was folded.
    assert_eq!(browser.script("return document.querySelectorAll('details:not([open])').length"), 0);
    browser.print();
    // 297 mm less two margins of 14 mm, at 96 pixels per inch.
    let cut = "return [...document.querySelectorAll('figure, tbody tr')].filter((one) => \
        getComputedStyle(one).breakInside !== 'avoid' || \
        one.getBoundingClientRect().height > 269 / 25.4 * 96).length";
    assert_eq!(browser.script(cut), 0);
    // 210 mm less two margins of 12 mm.
    let wide = "return [...document.querySelectorAll('table, figure')].filter((one) => \
        one.getBoundingClientRect().width > 186 / 25.4 * 96 + 1).length";
    assert_eq!(browser.script(wide), 0);
    browser.no_errors();
}

/// The sizes below the answer are those of `runner compare`, and the page needs no network.
#[test]
fn a_report_says_by_how_much_how_certain_and_what_was_not_tested() {
    let sandbox = Sandbox::new();
    let random = "[[operators]]\nname = \"random\"\nalgorithm = \"random-search\"\n\
        population = 20\n";
    sandbox.write("race.toml", format!("{QUEENS}{random}").replace("= 30", "= 200"));
    sandbox.run(&["race.toml"]).code(0);
    sandbox.run(&["report", "results/watched"]).code(0);
    let page = sandbox.read("results/watched/report.html");
    let page = String::from_utf8(page).expect("UTF-8");
    let compared = sandbox.run(&["compare", "results/watched", "--json"]).code(0).stdout;
    let compared: serde_json::Value = serde_json::from_str(&compared).expect("JSON");
    let pair = &compared[0];
    let number = |key: &str| pair[key].as_f64().unwrap_or_else(|| panic!("{key}: {pair}"));
    let keys = ["difference", "difference_low", "difference_high"];
    let [value, low, high] = keys.map(|key| format!("{:+.3}", number(key)));
    let words = format!("success rates differ by {value} (95 % interval {low} to {high})");
    assert!(page.contains(&words), "{words}");
    let (answer, rest) = page.split_once("By how much").expect("sizes");
    assert!(answer.contains("is better than"), "the answer is first");
    let order = ["How certain", "tests, adjusted together (Holm)", "Not tested", "<svg", "<table"];
    let places = order.map(|part| rest.find(part).unwrap_or_else(|| panic!("no {part}")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(rest.find(">Times<") > rest.find(">Provenance<"), "times are last");
    for outside in ["src=\"http", "href=\"http://", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}
