//! Every command of the documents is run, in the order of its page, or has its place in the list of
//! those that run elsewhere.

use crate::docs::blocks;
use crate::elsewhere::{is_a_test, runs_elsewhere, without_comment};
use crate::given::*;
use crate::house::files;
use crate::shell::{Shell, small};
use crate::typed::{Typed, commands, filled_in};
use crate::util::{Ran, document, has, root, sized};
use std::collections::BTreeSet;

/// What is done in the shell of a page, whose text it gets.
type Step = fn(&mut Shell, &str);

/// What a page supposes, and what it says of its commands beyond that they end with exit code 0.
#[derive(Clone, Copy)]
struct Page {
    path: &'static str,
    /// Writes the files that the page takes as given.
    prepare: Step,
    /// What a reader does before a command.
    before: &'static [(&'static str, Step)],
    /// Exit codes that are not 0.
    codes: &'static [(&'static str, i32)],
    /// What stands for placeholders, and what makes a command short, before those of all pages.
    stand_ins: &'static [(&'static str, &'static str)],
    /// Whether the transcripts show what the commands print here, but for lines with these words.
    shows: Option<&'static [&'static str]>,
    /// How wide the terminal is.
    columns: u32,
    /// Programs without which the page is not run.
    needs: &'static [&'static str],
}

/// Command of two processes that share a tuning.
const TWO_SHARDS: &str =
    "runner tune shared.toml --shard 2/2 & runner tune shared.toml --shard 1/2 && wait";

const PLAIN: Page = Page {
    path: "",
    prepare: usual,
    before: &[],
    codes: &[],
    stand_ins: &[],
    shows: None,
    columns: 96,
    needs: &[],
};

/// What stands for the placeholders of the pages.
const STAND_INS: &[(&str, &str)] = &[
    ("KEY=COLUMN,…", DEAP),
    (" …", ""),
    ("CONFIG…", "configs/study.toml"),
    ("NAME", "study"),
    ("OTHER", "other"),
    ("results/A results/B", "results/study results/other"),
    ("OLD NEW", "results/study results/study"),
    ("KEY", "n"),
    ("ARM", "'climb*6'"),
    ("TRIAL", "0"),
    ("FILE", "examples/deap_onemax.csv"),
    ("COMMAND", "check"),
    ("SHELL", "bash"),
    ("DIR", "manual"),
];

const DEAP: &str = "arm=algorithm,trial=run,success=solved,evaluations=nevals,fitness=zeros";

/// A test for each page, and the list of the pages.
macro_rules! pages {
    ($($test:ident: $page:expr;)*) => {
        const PAGES: &[Page] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                run(&$page);
            }
        )*
    };
}

pages! {
    the_commands_of_the_issues: Page {
        path: ".github/ISSUE_TEMPLATE/fault.md",
        prepare: |_, _| (),
        ..PLAIN
    };
    the_commands_of_the_pull_requests: Page {
        path: ".github/pull_request_template.md",
        prepare: |_, _| (),
        ..PLAIN
    };
    the_commands_of_contributing: Page {
        path: "CONTRIBUTING.md",
        stand_ins: &[("new NAME", "new yours")],
        ..PLAIN
    };
    the_commands_of_the_readme: Page {
        path: "README.md",
        stand_ins: &[
            ("runner init", INIT),
            ("new NAME", "new yours"),
            ("runner plot results", "runner plot --format svg results"),
            ("conformance PLUGIN", "conformance onemax --only rows"),
        ],
        ..PLAIN
    };
    the_commands_of_own_algorithms: Page {
        path: "docs/own-algorithms.md",
        prepare: |shell, page| shell.write("climb.py", &blocks(page, "python")[0]),
        needs: &["python3"],
        ..PLAIN
    };
    the_commands_of_noise: Page {
        path: "docs/noise.md",
        prepare: |shell, page| {
            shell.write("stock.py", &blocks(page, "python")[0]);
            let configs = blocks(page, "toml");
            shell.write("noisy.toml", small(&configs[0], 4));
            shell.write("stock.toml", small(&configs[1], 4));
        },
        needs: &["python3"],
        ..PLAIN
    };
    the_commands_of_searches: Page { path: "docs/searches.md", ..PLAIN };
    the_commands_of_problems: Page {
        path: "docs/problems.md",
        prepare: with_an_instance,
        ..PLAIN
    };
    the_commands_of_security: Page { path: "SECURITY.md", prepare: |_, _| (), ..PLAIN };
    the_commands_of_analysis: Page {
        path: "docs/analysis.md",
        prepare: with_named_configs,
        before: &[("runner merge --partitioned", |shell, _| in_two_shards(shell, "x.toml"))],
        codes: &[("runner gate results/NAME --at-least \"success_rate >= 0.9\"", 1)],
        stand_ins: &[
            ("merge --partitioned", PIECES),
            ("export --format ioh", "export --format ioh results/x"),
            // A picture of points takes long to draw where nothing is optimised.
            ("--repeats 200", "--repeats 20"),
            ("runner plot", "runner plot --format svg"),
        ],
        ..PLAIN
    };
    the_commands_of_commands: Page {
        path: "docs/commands.md",
        prepare: with_archive,
        before: &[
            ("runner tune tuning.toml", |shell, _| {
                shell.write("tuning.toml", &blocks(&document("docs/tuning.md"), "toml")[0]);
            }),
            ("runner status results/x --watch", |shell, _| _ = shell.run("queue").code(0)),
        ],
        stand_ins: &[("runner init", INIT)],
        ..PLAIN
    };
    the_commands_of_config: Page {
        path: "docs/config.md",
        stand_ins: &[("operators NAME", "operators tournament")],
        ..PLAIN
    };
    the_commands_of_events: Page { path: "docs/events.md", ..PLAIN };
    the_commands_of_exact_results: Page {
        path: "docs/exact-results.md",
        stand_ins: &[("--repeats 1000", "--repeats 3")],
        ..PLAIN
    };
    the_commands_of_published_results: Page {
        path: "docs/published-results.md",
        prepare: |_, _| (),
        ..PLAIN
    };
    the_commands_of_install: Page { path: "docs/install.md", prepare: with_archive, ..PLAIN };
    the_commands_of_live: Page { path: "docs/live.md", prepare: |_, _| (), ..PLAIN };
    the_commands_of_operators: Page {
        path: "docs/operators-certified.md",
        prepare: |_, _| (),
        ..PLAIN
    };
    the_commands_of_performance: Page {
        path: "docs/performance.md",
        prepare: |_, _| (),
        ..PLAIN
    };
    the_commands_of_programs: Page {
        path: "docs/programs.md",
        prepare: |shell, page| {
            shell.write("ones.py", &blocks(page, "python")[1]);
            shell.copy("examples");
        },
        before: &[("runner conformance plugins/partition/partition.py --set n=10", |shell, page| {
            shell.write("plugins/partition/partition.py", &blocks(page, "python")[0]);
            shell.replace("configs/partition.toml", "length = 20", "n = 20");
        })],
        stand_ins: &[("conformance ones.py", "conformance ones.py --only rows")],
        shows: Some(&[]),
        needs: &["python3"],
        ..PLAIN
    };
    the_commands_of_python: Page { path: "docs/python.md", ..PLAIN };
    the_commands_of_the_reference_systems: Page {
        path: "docs/reference-systems.md",
        stand_ins: &[("--repeats 20000", "--repeats 3"), ("--repeats 10000", "--repeats 3")],
        ..PLAIN
    };
    the_commands_of_releasing: Page { path: "docs/releasing.md", prepare: with_archive, ..PLAIN };
    the_commands_of_reliability: Page {
        path: "docs/reliability.md",
        prepare: with_failures,
        before: &[
            ("runner merge --accept-plugin-change", |shell, _| {
                in_two_shards(shell, "configs/study.toml");
            }),
            ("runner merge results/NAME.shard-*-of-10", with_other_shards),
            ("runner challenge queens.toml --hash r1-e9e47daf49dfd264b11e4652f1de1030", |shell, _| {
                shell.write("queens.toml", &blocks(&document("docs/tutorial.md"), "toml")[0]);
            }),
        ],
        codes: &[
            ("runner show results/NAME > /dev/full", 4),
            ("runner onemax.toml", 1),
        ],
        stand_ins: &[
            ("merge --accept-plugin-change", ACCEPTED),
            ("verify --all", "verify --all results/study"),
            ("X.toml", "x.toml"),
            ("runner onemax.toml --retry", "FAULTY_IS_MENDED=1 runner onemax.toml --retry"),
        ],
        shows: Some(&[]),
        ..PLAIN
    };
    the_commands_of_running: Page {
        path: "docs/running.md",
        prepare: with_first_genomes,
        before: &[
            ("runner x.toml", |shell, _| shell.write("x.toml", STUDY)),
            ("runner queens.toml", |shell, page| {
                shell.write("queens.toml", &blocks(page, "toml")[4]);
            }),
            ("runner check tuning.toml", |shell, page| {
                shell.write("tuning.toml", &blocks(page, "toml")[5]);
            }),
        ],
        codes: &[("runner queens.toml --arm 'tornament*'", 2)],
        // The time that it takes, and on how many threads.
        shows: Some(&["  8 arms x 500 trials"]),
        columns: 80,
        ..PLAIN
    };
    the_commands_of_suites: Page {
        path: "docs/suites.md",
        prepare: |shell, page| {
            let configs = blocks(page, "toml");
            shell.write("two.toml", small(&configs[0], 3));
            shell.write("suite.toml", &configs[1]);
            let theirs = configs[0].replace("\"two\"", "\"theirs\"").replace("= 3\n", "= 4\n");
            shell.write("theirs.toml", small(&theirs, 3));
            shell.run("runner theirs.toml --progress none").code(0);
        },
        ..PLAIN
    };
    the_commands_of_tuning: Page {
        path: "docs/tuning.md",
        prepare: |shell, page| shell.write("tuning.toml", &blocks(page, "toml")[0]),
        before: &[
            (TWO_SHARDS, |shell, page| {
                shell.write("shared.toml", &blocks(page, "toml")[0]);
            }),
            ("runner tune more.toml", |shell, page| {
            shell.write("more.toml", &blocks(page, "text")[1]);
        })],
        stand_ins: &[("runner plot", "runner plot --format svg")],
        shows: Some(&[]),
        ..PLAIN
    };
    the_commands_of_scale: Page {
        path: "docs/scale.md",
        prepare: with_a_queue,
        before: &[
            ("runner submit slurm --missing configs/NAME.toml", |shell, _| {
                shell.run("rm ~/queue/job-*").code(0);
            }),
            ("runner submit slurm --shards 6 queens.toml -- --time=10", |shell, _| {
                shell.run("rm -f ~/queue/job-*; echo 9 > ~/queue/next").code(0);
            }),
            ("cat results/queens.submission/logs/queens-9_3.log", |shell, _| {
                shell.run("queue").code(0);
            }),
            ("runner merge --partitioned", |shell, _| in_two_shards(shell, "x.toml")),
        ],
        codes: &[
            ("runner status results/queens", 5),
            ("runner status results/queens", 5),
        ],
        stand_ins: &[(" …", " --shards 20 x.toml"), ("merge --partitioned", PIECES)],
        ..PLAIN
    };
    the_commands_of_plugins: Page {
        path: "plugins/README.md",
        before: &[("cargo run --release -- configs/partition.toml", with_partition)],
        stand_ins: &[
            ("new NAME --c", "new ones --c"),
            ("new NAME --cpp", "new zeros --cpp"),
            ("NAME", "ones"),
            ("conformance partition", "conformance partition --only rows"),
        ],
        needs: &["python3", "make", "c++"],
        ..PLAIN
    };
    the_commands_of_teaching: Page {
        path: "docs/teaching.md",
        prepare: |shell, page| {
            shell.write_small_configs();
            let configs = blocks(page, "toml");
            let names = ["board.toml", "against.toml", "order.toml", "by-size.toml"];
            assert_eq!(configs.len(), names.len());
            names.iter().zip(configs).for_each(|(name, config)| shell.write(name, config));
        },
        // Lines of 4,000 trials.
        shows: Some(&["queens-notebook", "random-search"]),
        ..PLAIN
    };
    the_commands_of_papers: Page {
        path: "docs/papers.md",
        prepare: |shell, page| shell.write("study.toml", &blocks(page, "toml")[0]),
        stand_ins: &[("--study FOLDER", "--study other")],
        shows: Some(&[]),
        needs: &["make", "python3"],
        ..PLAIN
    };
    the_commands_of_results: Page { path: "results/README.md", ..PLAIN };
}

/// The page whose commands another test runs, with what they print.
const TUTORIAL: (&str, &str) = ("docs/tutorial.md", "the_tutorial_does_what_it_says");

/// Every page but the history.
pub(crate) fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    for path in files(root(), "md") {
        let path = path.strip_prefix(root()).expect("a file of the project");
        let name = path.to_str().expect("UTF-8").to_owned();
        // Parts of a page that stands elsewhere, and what an installed package has.
        let is_part = name.starts_with("lab/src/") || name.contains("node_modules");
        if name != "CHANGELOG.md" && !is_part {
            pages.push(name);
        }
    }
    pages
}

/// Runs the commands of a page.
fn run(page: &Page) {
    if !page.needs.iter().all(|program| has(program)) {
        return;
    }
    let text = document(page.path);
    let mut shell = Shell::new();
    (page.prepare)(&mut shell, &text);
    let (mut before, mut codes) = (page.before, page.codes);
    // What a sentence repeats is not run again.
    let mut seen = BTreeSet::new();
    for typed in commands(&text) {
        if let [(words, act), rest @ ..] = before
            && without_comment(&typed.words) == *words
        {
            shell.return_home();
            act(&mut shell, &text);
            before = rest;
        }
        let is_known = !seen.insert(typed.words.clone()) && typed.quoted;
        if is_known || runs_elsewhere(&typed.words) {
            continue;
        }
        let due = match codes {
            [(words, code), rest @ ..] if *words == without_comment(&typed.words) => {
                codes = rest;
                *code
            }
            _ => 0,
        };
        if !typed.follows {
            shell.return_home();
        }
        ends(page, &mut shell, &typed, due);
    }
    assert!(before.is_empty(), "{} has no command {}", page.path, before[0].0);
    assert!(codes.is_empty(), "{} has no command {:?}", page.path, codes[0]);
}

/// Runs a command, which ends with this exit code and shows what the page says.
fn ends(page: &Page, shell: &mut Shell, typed: &Typed, code: i32) {
    let mut words = filled_in(&filled_in(&typed.words, page.stand_ins), STAND_INS);
    // The engine's own tests run all certificates.
    if words == "runner certify" && sized(1, 0) == 1 {
        words.push_str(" replacement");
    }
    let ran = shell.run_within(page.columns, &words);
    let place = format!("{}:{}: {words}", page.path, typed.line);
    // `runner show` in a sentence is the name of a command.
    let is_name = typed.words.split(' ').count() == 2
        && ran.stderr.contains("the following required arguments were not provided");
    assert!(is_name || ran.code == Some(code), "{place}: due is exit code {code}\n{ran}");
    let Some(differ) = page.shows else { return };
    for line in &typed.shown {
        let shown = is_shown(&ran, line) || differ.iter().any(|words| line.contains(words));
        assert!(shown, "{place} does not print\n{line}\n{ran}");
    }
}

/// Whether a command prints a line, in which `…` stands for anything.
fn is_shown(ran: &Ran, line: &str) -> bool {
    let mut printed = ran.stdout.lines().chain(ran.stderr.lines());
    let is_it = |mut printed: &str| {
        line.trim_end().split('…').all(|part| {
            let rest = printed.split_once(part).map(|(_, rest)| rest);
            printed = rest.unwrap_or_default();
            rest.is_some()
        })
    };
    line == "…" || printed.any(is_it)
}

#[test]
fn every_page_with_commands_is_run() {
    let tested: BTreeSet<&str> = PAGES.iter().map(|page| page.path).chain([TUTORIAL.0]).collect();
    let found = pages();
    let due = found.iter().map(String::as_str);
    let due: BTreeSet<&str> = due.filter(|page| !commands(&document(page)).is_empty()).collect();
    assert_eq!(tested, due);
    assert!(is_a_test(TUTORIAL.1));
}

/// What stands for a placeholder is on its page.
#[test]
fn no_stand_in_is_left_over() {
    let found = pages().iter().flat_map(|page| commands(&document(page))).collect::<Vec<_>>();
    for (word, _) in STAND_INS {
        assert!(found.iter().any(|typed| typed.words.contains(word)), "no page has {word}");
    }
    for page in PAGES {
        let found = commands(&document(page.path));
        for (word, _) in page.stand_ins {
            let path = page.path;
            assert!(found.iter().any(|typed| typed.words.contains(word)), "{path} has no {word}");
        }
    }
}
