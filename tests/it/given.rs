//! The files that the pages take as given, and what stands for commands that need more.

use crate::docs::blocks;
use crate::shell::{Shell, small};
use crate::util::document;

pub(crate) const STUDY: &str = r#"
repeats  = 4
baseline = true

[problem]
plugin = "nqueens"

[[operators]]
name       = "tournament"
population = 10
selection  = "tournament"
mutation   = "reset"

[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest" }

[stop]
evaluations = 300

[output]
trace = "best"

[sweep]
"problem.n" = [6, 8]
"#;

/// A folder with the configs of the project, small, and the results of three experiments.
pub(crate) fn usual(shell: &mut Shell, _: &str) {
    shell.write_small_configs();
    shell.write("eight-queens.toml", small(&blocks(&document("README.md"), "toml")[0], 20));
    shell.write("configs/study.toml", STUDY);
    shell.write("configs/mine.toml", STUDY);
    shell.write("x.toml", STUDY);
    shell.write("other.toml", format!("seed = 2\n{STUDY}"));
    shell.copy("examples");
    shell
        .run("runner eight-queens.toml configs/study.toml x.toml other.toml --progress none")
        .code(0);
}

/// What `cargo xtask dist` makes is there, with the program of the tests in it.
pub(crate) fn with_archive(shell: &mut Shell, page: &str) {
    usual(shell, page);
    let name = concat!("runner-", env!("CARGO_PKG_VERSION"), "-x86_64-linux");
    let build = format!(
        "mkdir -p {name}/bin bin ~/.local/share/bash-completion/completions
        ln -s \"$BUILT/runner\" bin && ln -s \"$BUILT/runner\" {name}/bin && cp -r configs {name}
        tar czf {name}.tar.gz {name} && rm -r {name} && sha256sum {name}.tar.gz > SHA256SUMS"
    );
    shell.run(&build).code(0);
}

/// The configs of the page, by their names.
pub(crate) fn with_named_configs(shell: &mut Shell, page: &str) {
    usual(shell, page);
    shell.copy("tests/fixtures/ioh");
    for config in blocks(page, "toml") {
        let table: toml::Table = config.parse().expect("a config");
        if let Some(name) = table.get("name").and_then(toml::Value::as_str) {
            // The one that stands beside trials of another program is shown in a transcript.
            let whole = name == "onemax-here";
            let config = if whole { config.clone() } else { small(&config, 4) };
            shell.write(&format!("{name}.toml"), config);
            if !whole {
                shell.run(&format!("runner {name}.toml --progress none")).code(0);
            }
        }
    }
}

pub(crate) fn in_two_shards(shell: &mut Shell, config: &str) {
    let run = format!("for i in 1 2; do runner {config} --shard $i/2 || exit; done");
    shell.run(&run).code(0);
}

/// A merge whose tables stay in pieces, of the shards in two.
pub(crate) const PIECES: &str = "merge --partitioned --out pieces 'results/x.shard-*-of-2'";

/// The results of a config as tables in pieces.
pub(crate) fn in_pieces(shell: &mut Shell, config: &str, out: &str) {
    in_two_shards(shell, config);
    let stem = config.trim_end_matches(".toml");
    let merge = format!("runner merge --partitioned --out {out} results/{stem}.shard-*-of-2");
    shell.run(&merge).code(0);
}

/// The shards of the study but the one that the page runs.
pub(crate) fn with_other_shards(shell: &mut Shell, _: &str) {
    let run = "for i in 1 2 4 5 6 7 8 9 10; do
        runner --shard $i/10 configs/study.toml --progress none || exit; done";
    shell.run(run).code(0);
}

/// Shards of the same plugin, which are merged as if it were another one.
pub(crate) const ACCEPTED: &str = "merge --accept-plugin-change 'results/study.shard-*-of-2'";

/// Of these 24 trials, 12 fail.
const FAILING: &str = r#"
seed      = 3
repeats   = 24
problem   = { plugin = "faulty", fault = "error-evaluate", length = 12, share = 0.01 }
operators = [{ population = 8, selection = "uniform", mutation = "bit-flip" }]
stop      = { generations = 10 }
"#;

/// A problem that fails in some trials.
pub(crate) fn with_failures(shell: &mut Shell, page: &str) {
    usual(shell, page);
    shell.write("onemax.toml", FAILING);
    shell.run("runner onemax.toml --progress none").code(1);
}

/// The instance and the config of the page on problems.
pub(crate) fn with_an_instance(shell: &mut Shell, page: &str) {
    usual(shell, page);
    shell.write("x.toml", &blocks(page, "toml")[0]);
    shell.write("ft06.txt", instance(page));
}

/// The instance of Fisher and Thompson, as the page on problems has it.
pub(crate) fn instance(page: &str) -> &str {
    let text = page.split("$ cat ft06.txt\n").nth(1).and_then(|rest| rest.split("```").next());
    text.expect("an instance")
}

/// The files of the page on running, one config after the other.
pub(crate) fn with_first_genomes(shell: &mut Shell, page: &str) {
    usual(shell, page);
    let configs = blocks(page, "toml");
    shell.write("x.toml", &configs[0]);
    let genomes = page.split("$ cat first.csv\n").nth(1).and_then(|rest| rest.split("```").next());
    shell.write("first.csv", genomes.expect("genomes"));
    shell.write("genomes.toml", &configs[2]);
    let set = |name: &str, size: u32| {
        format!(
            "[[operators]]\nname = \"{name}\"\npopulation = 10\nselection = {{ kind = \
            \"tournament\", size = {size} }}\nmutation = \"reset\"\n"
        )
    };
    let climb = |name: &str, step: &str| {
        format!(
            "[[operators]]\nname = \"{name}\"\nalgorithm = {{ kind = \"hill-climbing\", step = \
            \"{step}\" }}\n"
        )
    };
    let arms = [
        "repeats = 5\nbaseline = true\nproblem = { plugin = \"nqueens\", n = 6 }\nstop = { \
        evaluations = 100 }\n",
        &set("tournament-2", 2),
        &set("tournament-5", 5),
        &climb("climb", "steepest"),
        &climb("first-climb", "first-improvement"),
    ];
    shell.write("queens.toml", arms.concat());
}

/// An experiment that is small enough, in six shards of a queue whose next job is the ninth.
pub(crate) fn with_a_queue(shell: &mut Shell, page: &str) {
    usual(shell, page);
    shell.write("queens.toml", small(&blocks(page, "toml")[0], 12));
    let asks = STUDY.replace("repeats  = 4", "repeats = { half-width = 0.45, max = 100 }");
    shell.write("asks.toml", asks);
    shell.write("tuning.toml", &blocks(&document("docs/tuning.md"), "toml")[0]);
}

/// The plugin of the guide, which another test builds in Rust, in Python.
pub(crate) fn with_partition(shell: &mut Shell, page: &str) {
    let source = &blocks(&document("docs/programs.md"), "python")[0];
    shell.copy("tests/fixtures/c");
    let folder = "plugins/partition/target/release";
    shell.write(&format!("{folder}/partition.py"), source);
    shell.run(&format!("cp {folder}/partition.py ~/plugins")).code(0);
    shell.write("configs/partition.toml", blocks(page, "toml").last().expect("a config"));
}

/// What answers the questions that are asked on a terminal.
pub(crate) const INIT: &str = "runner init --yes --plugin onemax $(mktemp -u ~/XXXXXX.toml)";
