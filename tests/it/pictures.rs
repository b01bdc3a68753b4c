//! Pictures and the page: files that open, titles that say what they show, nothing that overlaps.

use crate::util::{Sandbox, document, sized};
use resvg::usvg::{self, Group, Node};
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

const SWEPT: &str = "seed = 4\nrepeats = 20\nbaseline = true\n[problem]\nplugin = \
    \"nqueens\"\n[[operators]]\nname = \"tournament of three\"\npopulation = 20\nselection = { \
    kind = \"tournament\", size = 3 }\nmutation = \"reset\"\n[stop]\ngenerations = \
    20\n[sweep]\n\"problem.n\" = [4, 6]\n\"operators.population\" = [10, 20, 40]\n[output]\ntrace \
    = \"population\"\n";

/// Reads an SVG as resvg does, with the letters it is drawn with.
fn parsed(svg: &str) -> usvg::Tree {
    let mut options =
        usvg::Options { font_family: "DejaVu Sans".to_owned(), ..usvg::Options::default() };
    Arc::make_mut(&mut options.fontdb).load_font_data(dejavu::sans::regular().to_vec());
    usvg::Tree::from_str(svg, &options).unwrap_or_else(|error| panic!("{error}\n{svg}"))
}

/// The words of a picture with the boxes around them: left, top, right, bottom.
fn words(group: &Group, found: &mut Vec<(String, [f32; 4])>) {
    for node in group.children() {
        match node {
            Node::Group(group) => words(group, found),
            Node::Text(text) => {
                let said: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                let bounds = text.abs_bounding_box();
                found.push((said, [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()]));
            }
            _ => {}
        }
    }
}

/// Asserts that all words lie in the picture, and none over another.
fn assert_readable(name: &str, svg: &str) {
    let tree = parsed(svg);
    let mut found = Vec::new();
    words(tree.root(), &mut found);
    assert!(found.len() > 4, "{name} has hardly any words: {found:?}");
    let size = tree.size();
    for (place, (said, [left, top, right, bottom])) in found.iter().enumerate() {
        let within = *left > -1.0
            && *top > -1.0
            && *right < size.width() + 1.0
            && *bottom < size.height() + 1.0;
        assert!(within, "{name}: {said:?} sticks out: {left} {top} {right} {bottom} of {size:?}");
        for (other, [l, t, r, b]) in &found[place + 1..] {
            // Boxes have room for letters that go higher or lower.
            let apart = right - 1.0 < *l || r - 1.0 < *left || bottom - 3.0 < *t || b - 3.0 < *top;
            assert!(apart, "{name}: {said:?} lies over {other:?}");
        }
    }
}

#[test]
fn pictures_open_and_their_words_do_not_overlap() {
    let sandbox = Sandbox::new();
    sandbox.write("swept.toml", SWEPT);
    sandbox.run(&["swept.toml"]).code(0);
    let ran = sandbox.run(&["plot", "results/swept", "--format", "svg"]).code(0);
    let names: BTreeSet<&str> = ran
        .stdout
        .lines()
        .filter_map(|path| path.rsplit('/').next()?.strip_suffix(".svg"))
        .collect();
    for kind in [
        "success-rate",
        "run-length",
        "fitness",
        "trial-",
        "targets",
        "ecdf",
        "ecdf-by-problem",
        "rate-by-problem.n",
        "ert-by-",
        "map-",
    ] {
        assert!(names.iter().any(|name| name.starts_with(kind)), "no {kind}\n{ran}");
    }
    for name in &names {
        let svg = String::from_utf8(sandbox.read(&format!("results/swept/plots/{name}.svg")))
            .expect("UTF-8");
        assert_readable(name, &svg);
        assert!(
            svg.contains("role=\"img\" aria-label=\"")
                && (svg.contains("trial") || svg.contains("Friedman")),
            "{name}\n{svg}"
        );
        if *name == "rate-by-problem.n" {
            assert!(svg.contains("n: number of queens, columns and rows"), "{svg}");
        }
    }
    let drawn = sandbox.run(&["plot", "results/swept", "--only", "rate-by-problem.n"]).code(0);
    assert_eq!(drawn.stdout.lines().count(), 2, "{drawn}");
    let pixels = sandbox.read("results/swept/plots/rate-by-problem.n.png");
    assert!(pixels.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Its width, of a paper's column at 400 dots an inch.
    assert_eq!(u32::from_be_bytes(pixels[16..20].try_into().expect("four bytes")), 3 * 494);
    sandbox
        .run(&["plot", "results/swept", "--terminal", "--only", "success-rate"])
        .code(0)
        .says("20 trials per arm");
    sandbox
        .run(&["plot", "results/swept", "--only", "nothing"])
        .code(2)
        .warns("no plot's name starts with `nothing`");
    sandbox.run(&["plot", "results/none"]).code(4).warns("does not exist");
    let only = sandbox
        .run(&["plot", "results/swept", "--only", "map", "--format", "svg", "--out", "maps"])
        .code(0);
    assert!(
        only.stdout.lines().all(|path| path.starts_with("maps/map-") && path.ends_with(".svg")),
        "{only}"
    );
}

#[test]
fn targets_and_profiles_are_drawn_over_problems() {
    let sandbox = Sandbox::new();
    let config = SWEPT.replace("[4, 6]", "[4, 5, 6]").replace("\"population\"\n", "\"best\"\n");
    sandbox.write("swept.toml", &config);
    sandbox.run(&["swept.toml"]).code(0);
    let said = [
        ("ecdf", "3 problems of equal weight; 20 trials per arm; read at the ends"),
        ("ecdf-by-problem", "20 trials per arm; read at the ends of generations"),
        ("profile", "3 problems; 20 trials per arm; ERT relative to the least of any set"),
    ];
    for (name, words) in said {
        sandbox.run(&["plot", "results/swept", "--only", name, "--format", "svg"]).code(0);
        let svg = String::from_utf8(sandbox.read(&format!("results/swept/plots/{name}.svg")))
            .expect("UTF-8");
        assert_readable(name, &svg);
        let label = svg.split_once("aria-label=\"").map_or("", |(_, label)| label);
        assert!(label.contains(words), "{name}\n{svg}");
    }
    // Two problems are too few for a profile.
    sandbox.write("two.toml", SWEPT);
    sandbox.run(&["two.toml"]).code(0);
    sandbox.run(&["plot", "results/two", "--only", "profile"]).code(2).warns("no plot's name");
}

#[test]
fn a_trial_is_drawn_with_its_boards() {
    let sandbox = Sandbox::new();
    sandbox.write("swept.toml", SWEPT);
    sandbox.run(&["swept.toml", "--progress", "none"]).code(0);
    let arm = "tournament of three problem.n=6 operators.population=20";
    let ran = sandbox.run(&["plot", "results/swept", "--trial", arm, "3", "--out", "."]).code(0);
    let path = ran.stdout.lines().next().expect("a path").trim_start_matches("./").to_owned();
    let svg = String::from_utf8(sandbox.read(&path)).expect("UTF-8");
    assert!(
        svg.matches("<image ").count() > 1 && svg.contains("generation 0") && svg.contains("seed "),
        "{svg}"
    );
    assert_readable("convergence", &svg);
    sandbox
        .run(&["plot", "results/swept", "--trial", arm, "x"])
        .code(2)
        .warns("must be a trial number");
    sandbox
        .run(&["plot", "results/swept", "--trial", "none", "3"])
        .code(2)
        .warns("there is no single arm called `none`");
}

/// One climb solves it soon, random search never; with `third`, mutation alone does too.
fn two_searches(third: &str) -> String {
    let arm = |name: &str, kind: &str| {
        format!("[[operators]]\nname = \"{name}\"\nalgorithm = \"{kind}\"\n")
    };
    let arms = arm("climb", "hill-climbing") + &arm("random", "random-search") + third;
    format!(
        "repeats = 20\n[problem]\nplugin = \"onemax\"\n{arms}[stop]\nevaluations = 9000\n\
        [sweep]\n\"problem.length\" = [60, 70]\n"
    )
}

#[test]
fn run_lengths_go_on_to_the_budget_and_arms_without_success_are_there() {
    let sandbox = Sandbox::new();
    sandbox.write("two.toml", two_searches("").replace("[60, 70]", "[60]"));
    sandbox.run(&["two.toml"]).code(0);
    sandbox.run(&["plot", "results/two", "--only", "run-length", "--format", "svg"]).code(0);
    let svg = String::from_utf8(sandbox.read("results/two/plots/run-length.svg")).expect("UTF-8");
    assert_readable("run-length", &svg);
    // The lines from the curves' ends to their labels.
    let ends: Vec<(f64, f64)> = svg
        .split("<polyline points=\"")
        .skip(1)
        .filter_map(|line| {
            let (x, y) = line.split(' ').next()?.split_once(',')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        })
        .collect();
    assert_eq!(ends.len(), 2, "{svg}");
    assert!(ends[1].0 == ends[0].0, "both at the budget: {ends:?}");
    assert!(ends[1].1 > ends[0].1 + 150.0, "1 and 0: {ends:?}");
    assert!(!svg.contains("bands") || svg.contains("fill-opacity"), "{svg}");
    let terminal = sandbox.run(&["plot", "results/two", "--terminal", "--only", "run"]).code(0);
    for (mark, name) in [("●", "climb"), ("■", "random")] {
        assert!(terminal.stdout.contains(&format!("{mark} {name}")), "{terminal}");
        assert!(terminal.stdout.matches(mark).count() > 2, "{mark} is on its curve\n{terminal}");
    }
}

/// Random search never solves it, and a climb only the shorter one.
#[test]
fn values_without_a_point_are_named_and_not_joined() {
    let sandbox = Sandbox::new();
    let config = two_searches("").replace("9000", "300").replace("[60, 70]", "[8, 9, 200]");
    sandbox.write("two.toml", config);
    let numbered = "repeats = 2\n[problem]\nplugin = \"bbob\"\nn = 2\n[[operators]]\nname = \
        \"cma\"\nalgorithm = \"cma-es\"\n[stop]\nfitness = 0.1\nevaluations = 900\n[sweep]\n\
        \"problem.function\" = [1, 2, 12]\n";
    sandbox.write("numbered.toml", numbered);
    sandbox.run(&["two.toml", "numbered.toml"]).code(0);
    let drawn = |experiment: &str, name: &str| {
        let folder = format!("results/{experiment}");
        sandbox.run(&["plot", &folder, "--only", name, "--format", "svg"]).code(0);
        let svg = sandbox.read(&format!("{folder}/plots/{name}.svg"));
        let svg = String::from_utf8(svg).expect("UTF-8");
        assert_readable(name, &svg);
        svg
    };
    let svg = drawn("two", "ert-by-problem.length");
    let label = svg.split_once("aria-label=\"").map_or("", |(_, label)| label);
    assert!(label.contains("never solved, not drawn: climb (at 200)"), "{svg}");
    let svg = drawn("numbered", "rate-by-problem.function");
    for tick in [">1<", ">2<", ">12<"] {
        assert!(svg.contains(tick), "{tick}\n{svg}");
    }
}

/// Continuous fitness is drawn as a distance, that of whole numbers as it is.
#[test]
fn fitness_close_to_the_ideal_is_on_a_logarithmic_axis() {
    let sandbox = Sandbox::new();
    let real = "repeats = 4\n[problem]\nplugin = \"bbob\"\nn = 2\n[[operators]]\nname = \"cma\"\n\
        algorithm = \"cma-es\"\n[stop]\nfitness = 1e-7\nevaluations = 2000\n[output]\ntrace = \
        \"best\"\n";
    sandbox.write("real.toml", real);
    sandbox.write("whole.toml", SWEPT);
    sandbox.run(&["real.toml", "whole.toml"]).code(0);
    for name in ["fitness", "targets", "trial-cma"] {
        sandbox.run(&["plot", "results/real", "--only", name, "--format", "svg"]).code(0);
        let svg = sandbox.read(&format!("results/real/plots/{name}.svg"));
        let svg = String::from_utf8(svg).expect("UTF-8");
        assert_readable(name, &svg);
        for words in ["distance to the ideal", ">1e-6<", ">1<"] {
            assert!(svg.contains(words), "{name}: {words}\n{svg}");
        }
    }
    sandbox.run(&["plot", "results/whole", "--only", "fitness", "--format", "svg"]).code(0);
    let svg = String::from_utf8(sandbox.read("results/whole/plots/fitness.svg")).expect("UTF-8");
    assert!(svg.contains("best fitness so far") && !svg.contains("distance"), "{svg}");
}

/// Several problems: a panel each, with one colour per operator set and one legend; the baseline is
/// grey.
#[test]
fn each_problem_has_a_panel() {
    let sandbox = Sandbox::new();
    let config = two_searches("").replace("repeats = 20", "repeats = 20\nbaseline = true");
    sandbox.write("two.toml", config + "[output]\ntrace = \"best\"\n");
    sandbox.run(&["two.toml"]).code(0);
    sandbox.run(&["plot", "results/two", "--format", "svg"]).code(0);
    for name in ["run-length", "fitness"] {
        let svg = sandbox.read(&format!("results/two/plots/{name}.svg"));
        let svg = String::from_utf8(svg).expect("UTF-8");
        assert_readable(name, &svg);
        for words in ["length 60", "length 70", "climb", "random", "evaluations, logarithmic"] {
            assert_eq!(svg.matches(&format!(">{words}<")).count(), 1, "{name}: {words}");
        }
        // A line per panel and in the legend.
        for colour in ["#0072b2", "#777777"] {
            assert!(svg.matches(&format!("stroke=\"{colour}\"")).count() >= 3, "{name}: {colour}");
        }
        let clips = svg.matches("<clipPath id=\"").count();
        let own = svg.split("<clipPath id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        assert_eq!(own.collect::<std::collections::BTreeSet<_>>().len(), clips, "{name}");
    }
    let terminal = sandbox.run(&["plot", "results/two", "--terminal", "--only", "run"]).code(0);
    terminal.says("length 60").says("length 70").says("● climb");
}

#[test]
fn arms_are_ranked_in_a_diagram_from_three_on() {
    let sandbox = Sandbox::new();
    sandbox.write("two.toml", two_searches(""));
    let third = "[[operators]]\nname = \"annealing\"\nalgorithm = \"simulated-annealing\"\n";
    sandbox.write("three.toml", two_searches(third));
    sandbox.run(&["two.toml", "three.toml"]).code(0);
    let name = "critical-difference";
    sandbox.run(&["plot", "results/two", "--only", name]).code(2).warns("no plot's name");
    sandbox.run(&["plot", "results/three", "--only", name]).code(0).says(name);
    let ranked = sandbox.run(&["rank", "results/two", "--plot", "drawn"]).code(0);
    ranked.warns("of two arms there is no diagram");
    for (experiment, drawn) in [("two", false), ("three", true)] {
        let folder = format!("results/{experiment}");
        sandbox.run(&["report", &folder]).code(0);
        let page = sandbox.read(&format!("{folder}/report.html"));
        let page = String::from_utf8(page).expect("UTF-8");
        assert!(page.contains("Ranks over problems"));
        assert_eq!(page.contains("CD = "), drawn, "{experiment}");
    }
}

/// The attributes `name="…"` of a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let opening = format!(" {name}=\"");
    page.match_indices(&opening)
        .filter_map(|(at, _)| page[at + opening.len()..].split('"').next())
        .collect()
}

#[test]
fn the_page_has_all_and_needs_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("swept.toml", format!("# Question\n#   Is <larger> better?\n\n{SWEPT}"));
    sandbox.write("chess.toml", document("configs/chess960-paper.toml"));
    sandbox.run(&["swept.toml", "chess.toml", "--repeats", "20"]).code(0);
    sandbox.run(&["report", "results/swept", "results/chess960-paper"]).code(0).says("report.html");
    let page = String::from_utf8(sandbox.read("results/report.html")).expect("UTF-8");
    for part in [
        "Is &lt;larger&gt; better?",
        "Results",
        "Comparisons",
        "Plots",
        "Best solutions",
        "Methods",
        " arms on the problem nqueens, with ",
        "Wilson",
        "xoshiro256++",
        "prefers-color-scheme: dark",
        "@media print",
        "data:image/svg+xml,",
        "aria-sort",
        "<b>arm</b> is an operator set",
        "<b>ERT</b>, the expected running time, is",
        "<b>Median best fitness</b> is the median of",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    // Nothing is fetched: links lead into the page, sources are in it.
    assert!(
        attributes(&page, "href").iter().all(|link| link.starts_with('#')),
        "{:?}",
        attributes(&page, "href")
    );
    assert!(attributes(&page, "src").iter().all(|source| source.starts_with("data:")));
    assert!(!page.contains("<link") && !page.contains("@import") && !page.contains("url(http"));
    let ids = attributes(&page, "id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "ids stand twice: {ids:?}");
    let regions = attributes(&page, "aria-label")
        .into_iter()
        .filter(|label| label.contains(" of "))
        .collect::<Vec<_>>();
    assert_eq!(regions.iter().collect::<BTreeSet<_>>().len(), regions.len(), "{regions:?}");
    sandbox.run(&["report", "nowhere"]).code(4).warns("does not exist");
    // One of several that is not there is not passed over.
    sandbox.run(&["report", "results/swept", "results/nowhere"]).code(4).warns("does not exist");
}

#[test]
fn the_page_of_fifty_arms_is_smaller_than_two_megabytes() {
    let sandbox = Sandbox::new();
    let sizes: Vec<String> = (4..29).map(|n| n.to_string()).collect();
    let many = SWEPT
        .replace("baseline = true\n", "")
        .replace("[4, 6]", &format!("[{}]", sizes.join(", ")))
        .replace("[10, 20, 40]", "[10, 20]");
    sandbox.write("many.toml", many);
    sandbox.run(&["many.toml", "--repeats", &sized(4, 20).to_string()]).code(0);
    sandbox.run(&["report", "results/many"]).code(0);
    let size = fs::metadata(sandbox.path("results/many/report.html")).expect("a page").len();
    assert!(size < 2_000_000, "{size}");
    // Thirty arms and more in one picture.
    sandbox.run(&["plot", "results/many", "--only", "success-rate", "--format", "svg"]).code(0);
    let svg =
        String::from_utf8(sandbox.read("results/many/plots/success-rate-1.svg")).expect("UTF-8");
    assert_readable("success-rate-1", &svg);
}

/// More operator sets than colours: each picture of eight of them has colours.
#[test]
fn targets_reached_by_many_sets_are_drawn_in_colours() {
    let sandbox = Sandbox::new();
    let set = |number: u64| {
        format!(
            "[[operators]]\nname = \"set {number}\"\npopulation = {}\nselection = \"uniform\"\n\
            mutation = \"bit-flip\"\n",
            4 + number
        )
    };
    let sets: String = (0..10).map(set).collect();
    sandbox.write(
        "many.toml",
        format!(
            "repeats = 5\n[problem]\nplugin = \"onemax\"\nlength = 20\n{sets}[stop]\nevaluations = \
            300\n[output]\ntrace = \"best\"\n"
        ),
    );
    sandbox.run(&["many.toml"]).code(0);
    sandbox.run(&["plot", "results/many", "--out", "plots"]).code(0);
    for (name, sets) in [("ecdf-1", 8), ("ecdf-2", 2)] {
        let svg = String::from_utf8(sandbox.read(&format!("plots/{name}.svg"))).expect("UTF-8");
        let colours = svg.split("stroke=\"#").skip(1).map(|rest| &rest[..6]);
        let colours: BTreeSet<&str> = colours.collect();
        assert!(colours.len() >= sets.min(7), "{name}: {colours:?}");
    }
}
