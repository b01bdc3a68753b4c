//! Trials of other programs: read by their rules, marked, and never run again.

use crate::docs::{blocks, is_in_the_analysis};
use crate::python::python;
use crate::util::{Ran, Sandbox, document, root, rows};
use serde_json::Value;

const MAP: &str =
    "arm=algorithm,trial=run,success=solved,evaluations=nevals,fitness=zeros,best=individual";

/// One of ours on the problem of the shipped file.
const OURS: &str = "name = \"ours\"\nrepeats = 40\nbaseline = true\n[problem]\nplugin = \
    \"onemax\"\nlength = 40\n[[operators]]\nname = \"ga\"\npopulation = 30\nselection = { kind = \
    \"tournament\", size = 3 }\nmutation = \"bit-flip\"\n[stop]\nevaluations = 900\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("deap.csv", document("examples/deap_onemax.csv"));
    sandbox
}

#[test]
fn a_table_of_another_program_is_a_results_folder() {
    let sandbox = sandbox();
    sandbox
        .run(&["import", "deap.csv", "--map", MAP])
        .code(0)
        .says("results/deap: 40 trials of 1 arm");
    let text = document("examples/deap_onemax.csv");
    let cells = || text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let solved = cells().filter(|cells| cells[3] == "True").count();
    assert!(solved > 5 && solved < 35, "{solved}");
    let spent: f64 = cells().map(|cells| cells[4].parse::<f64>().expect("a number")).sum();
    let row = &rows(&sandbox, &["results/deap"])[0];
    assert_eq!((&row["arm"], &row["trials"]), (&"DEAP eaSimple (imported)".into(), &40.into()));
    assert_eq!(row["successes"], solved);
    let ert = row["ert"].as_f64().expect("an ERT");
    assert!((ert - spent / solved as f64).abs() < 1e-9, "{ert}");
    let trials = rows(&sandbox, &["results/deap", "--trials"]);
    let first = cells().next().expect("a row");
    assert_eq!(trials[0]["seed"].to_string(), first[2]);
    assert_eq!(trials[0]["best_text"], first[6]);
    assert!(trials.iter().all(|row| row["success"] == (row["outcome"] == "solved")));
    // The same again, with the same bytes but for run.toml.
    let before = sandbox.read("results/deap/trials.parquet");
    sandbox.run(&["import", "deap.csv", "--map", MAP]).code(0);
    assert_eq!(sandbox.read("results/deap/trials.parquet"), before);
    // Parquet as well: that of the trials has columns of these names.
    sandbox
        .run(&["import", "results/deap/trials.parquet", "--map", "fitness=best_fitness"])
        .code(0)
        .says("results/trials: 40 trials of 1 arm");
    assert_eq!(rows(&sandbox, &["results/trials"])[0]["successes"], solved);
}

/// As pandas, Arrow and DuckDB write it: with snappy, where nobody says.
#[test]
fn parquet_of_other_programs_is_read() {
    let Some(python) = python("pyarrow") else { return };
    let sandbox = Sandbox::new();
    let script = "import pyarrow as a, pyarrow.parquet as p, sys\n\
        t = a.table({'arm': ['x', 'y'] * 500, 'success': [True, False, False, True] * 250, \
        'evaluations': range(1, 1001), 'best': [f'{n % 7}' for n in range(1000)]})\n\
        for c in sys.argv[1:]:\n\
        \x20   for v in '1.0', '2.0':\n\
        \x20       p.write_table(t, f'{c}-{v[0]}.parquet', compression=c, data_page_version=v, \
        row_group_size=300, data_page_size=64)\n";
    let (read, refused) = (["snappy", "zstd", "lz4", "none"], ["gzip", "brotli"]);
    let written = std::process::Command::new(python)
        .current_dir(sandbox.path(""))
        .args(["-c", script])
        .args(read.iter().chain(&refused))
        .status();
    assert!(written.expect("python starts").success());
    for file in read.iter().flat_map(|codec| [1, 2].map(|page| format!("{codec}-{page}"))) {
        sandbox.run(&["import", &format!("{file}.parquet")]).code(0).says("1,000 trials of 2 arms");
        let rows = rows(&sandbox, &[&format!("results/{file}")]);
        assert_eq!((&rows[0]["successes"], &rows[1]["successes"]), (&250.into(), &250.into()));
    }
    for codec in refused {
        sandbox
            .run(&["import", &format!("{codec}-1.parquet")])
            .code(2)
            .warns(&format!("compressed with {codec}, and what is read is zstd, snappy, lz4 or"));
    }
}

#[test]
fn imported_trials_are_marked_and_never_taken_for_ours() {
    let sandbox = sandbox();
    sandbox.run(&["import", "deap.csv", "--map", MAP]).code(0);
    sandbox
        .run(&["show", "results/deap"])
        .code(0)
        .says("Imported from deap.csv: runner did not run the trials of arms marked (imported).");
    let run = String::from_utf8(sandbox.read("results/deap/run.toml")).expect("UTF-8");
    for words in ["[imported]", "file = \"deap.csv\"", "rows = 40", "success=solved", "blake3 = "] {
        assert!(run.contains(words), "{words}\n{run}");
    }
    sandbox.run(&["report", "results/deap", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(page.contains("<strong>Imported:</strong>") && page.contains("deap.csv"));
    sandbox
        .run(&["plot", "results/deap"])
        .code(0)
        .warns("arms marked (imported) are from deap.csv");
    sandbox.run(&["runtimes", "results/deap"]).code(0).warns("runner did not run their trials");
    sandbox.write("deap.toml", OURS.replace("ours", "deap"));
    let words = "these trials were imported from deap.csv: runner did not run them";
    for arguments in [
        &["verify", "results/deap"][..],
        &["replay", "results/deap", "DEAP*", "0"],
        &["plot", "results/deap", "--trial", "DEAP*", "0"],
        &["merge", "results/deap", "--out", "merged"],
        &["deap.toml"],
    ] {
        let ran = sandbox.run(arguments).warns(words);
        assert!(![Some(0), None].contains(&ran.code), "{ran}");
    }
    // Nor is what a run made written over.
    sandbox.write("ours.toml", OURS);
    sandbox.run(&["ours.toml", "--progress", "none"]).code(0);
    let before = sandbox.read("results/ours/trials.parquet");
    sandbox
        .run(&["import", "deap.csv", "--map", MAP, "--name", "ours"])
        .code(2)
        .warns("this folder is there already and is no import; choose another name with --name");
    assert_eq!(sandbox.read("results/ours/trials.parquet"), before);
}

#[test]
fn imported_trials_stand_beside_ours_in_one_table() {
    let sandbox = sandbox();
    sandbox.write("ours.toml", OURS.replace("repeats", "pairing = \"common\"\nrepeats"));
    sandbox.run(&["ours.toml", "--progress", "none"]).code(0);
    let beside = ["--map", MAP, "--beside", "results/ours", "--name", "both"];
    sandbox
        .run(&[&["import", "deap.csv"], &beside[..]].concat())
        .code(0)
        .says("120 trials of 3 arms");
    let (ours, both) = (rows(&sandbox, &["results/ours"]), rows(&sandbox, &["results/both"]));
    let labels: Vec<&str> = both.iter().filter_map(|row| row["arm"].as_str()).collect();
    assert_eq!(labels, ["ga", "random-search", "DEAP eaSimple (imported)"]);
    for (one, other) in ours.iter().zip(&both) {
        for key in ["arm_id", "trials", "successes", "ert", "best_fitness_median"] {
            assert_eq!(one[key], other[key], "{key}");
        }
    }
    assert!(both.iter().all(|row| row["problem"] == "onemax"));
    let genomes = |folder| -> Vec<Value> {
        let trials = rows(&sandbox, &[folder, "--trials"]);
        trials.iter().take(80).map(|row| row["best"].clone()).collect()
    };
    assert!(genomes("results/ours") == genomes("results/both"), "best genomes");
    assert!(genomes("results/ours").iter().all(|best| !best.is_null()));
    let json = sandbox.run(&["compare", "results/both", "--json"]).code(0).stdout;
    let pairs: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(pairs.len(), 3);
    assert!(pairs.iter().all(|pair| pair["difference_interval"] == "newcombe"), "{json}");
    sandbox.run(&["report", "results/both", "--out", "report.html"]).code(0);
    sandbox
        .run(&["import", "deap.csv", "--map", MAP, "--beside", "results/both", "--name", "x"])
        .code(2)
        .warns("it was imported itself; name results of a runner experiment");
    // Of two problems it must be known which.
    sandbox.write("two.toml", OURS.replace("ours", "two") + "[sweep]\nproblem.length = [40, 60]\n");
    sandbox.run(&["two.toml", "--progress", "none"]).code(0);
    let two = ["--beside", "results/two", "--name", "third"];
    sandbox
        .run(&[&["import", "deap.csv", "--map", MAP], &two[..]].concat())
        .code(2)
        .warns("map the keys of [problem] that it sweeps over, such as --map problem.n=COLUMN");
    let text = document("examples/deap_onemax.csv");
    let longer = text.lines().enumerate();
    let longer = longer.map(|(line, text)| match line {
        0 => format!("{text},length\n"),
        line if line % 2 == 0 => format!("{text},40\n"),
        _ => format!("{text},60\n"),
    });
    sandbox.write("lengths.csv", longer.collect::<String>());
    let map = format!("{MAP},problem.length=length");
    sandbox.run(&[&["import", "lengths.csv", "--map", &map], &two[..]].concat()).code(0);
    let json =
        sandbox.run(&["compare", "results/third", "--within", "length", "--json"]).code(0).stdout;
    let pairs: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    let over = pairs.iter().filter(|pair| pair["within"] == "all").count();
    assert_eq!((pairs.len(), over), (9, 3), "{json}");
}

#[test]
fn trials_of_another_problem_do_not_stand_beside_ours() {
    let sandbox = sandbox();
    sandbox.write("ours.toml", OURS);
    sandbox.run(&["ours.toml", "--progress", "none"]).code(0);
    let table = |length: u64| {
        let row = format!("X,{length},0,500\n");
        format!("arm,problem.length,success,evaluations\n{}", row.repeat(30))
    };
    let own =
        rows(&sandbox, &["results/ours"])[0]["settings"].as_str().expect("settings").to_owned();
    let length = own.lines().find_map(|line| line.strip_prefix("length = ")).expect("a length");
    let length: u64 = length.parse().expect("a number");
    for (length, code) in [(length, 0), (500, 2)] {
        sandbox.write("x.csv", table(length));
        let ran = sandbox.run(&["import", "x.csv", "--beside", "results/ours"]).code(code);
        assert_eq!(ran.stderr.contains("with values that its problems have"), code == 2, "{ran}");
    }
}

#[test]
fn runs_come_back_from_the_format_of_iohprofiler() {
    let sandbox = Sandbox::new();
    let sweep = "[sweep]\nproblem.length = [16, 40]\n[output]\ntrace = \"best\"\n";
    sandbox.write("ours.toml", format!("{OURS}{sweep}"));
    sandbox.run(&["ours.toml", "--progress", "none"]).code(0);
    sandbox.run(&["export", "results/ours", "--format", "ioh"]).code(0);
    sandbox
        .run(&["import", "results/ours/ioh", "--name", "again"])
        .code(2)
        .warns("give the value from which on a run counts as successful: --target 0");
    sandbox
        .run(&["import", "results/ours/ioh", "--target", "nan"])
        .code(2)
        .warns("a finite number");
    sandbox.run(&["import", "results/ours/ioh", "--target", "0", "--name", "again"]).code(0);
    let (ours, again) = (rows(&sandbox, &["results/ours"]), rows(&sandbox, &["results/again"]));
    assert_eq!(again.len(), 4);
    for row in &ours {
        let name = format!("{} (imported)", row["operators"].as_str().expect("a name"));
        let same = |other: &&Value| {
            other["operators"] == name.as_str()
                && other["problem.dimension"] == row["problem.length"]
        };
        let other = again.iter().find(same).unwrap_or_else(|| panic!("{name}: {again:?}"));
        for key in ["trials", "successes", "ert", "evaluations_total", "best_fitness_median"] {
            assert_eq!(row[key], other[key], "{key} of {name}");
        }
    }
}

/// What IOHexperimenter logged, against what the search itself counted: see
/// `tests/fixtures/ioh/make.py`.
#[test]
fn runs_of_iohexperimenter_are_read_as_they_were() {
    let sandbox = Sandbox::new();
    let folder = root().join("tests/fixtures/ioh");
    let seen = document("tests/fixtures/ioh/seen.csv");
    for (name, target) in [("pbo", 16.0), ("bbob", 4.0)] {
        let data = folder.join(name).display().to_string();
        let target = target.to_string();
        sandbox.run(&["import", &data, "--target", &target]).code(0);
        let place = format!("results/{name}");
        let found = rows(&sandbox, &[&place, "--trials", "--rows", "1000"]);
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let seen: Vec<Vec<String>> =
            seen.lines().map(cells).filter(|cells| cells[0] == name).collect();
        assert_eq!((found.len(), seen.len()), (12, 12), "{name}");
        for (found, seen) in found.iter().zip(&seen) {
            let [_, function, dimension, evaluations, to_success, best] = &seen[..] else {
                panic!("{seen:?}")
            };
            let arm = found["arm"].as_str().expect("a label");
            let key = match name {
                "pbo" => format!("problem.name={function}"),
                _ => format!("problem.dimension={dimension}"),
            };
            assert!(arm.ends_with(&format!(" (imported) {key}")), "{arm}: {seen:?}");
            assert_eq!(found["evaluations"].to_string(), *evaluations, "{arm}: {seen:?}");
            let first = found["evaluations_to_success"].as_u64().map(|first| first.to_string());
            assert_eq!(first.unwrap_or_default(), *to_success, "{arm}: {seen:?}");
            assert_eq!(found["success"], !to_success.is_empty(), "{arm}: {seen:?}");
            assert!(found["evaluations_after_best"].is_null(), "{found}");
            // With all digits, of which the steps have ten decimals.
            let (found, best) = (found["best_fitness"].as_f64().expect("a fitness"), best.parse());
            let best: f64 = best.expect("a number");
            assert!((found - best).abs() <= 1e-15 * best.abs(), "{arm}: {found}, {seen:?}");
        }
    }
    let text = rows(&sandbox, &["results/pbo", "--trials"])[0]["best_text"].clone();
    assert_eq!(text, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
    // Between both roundings of its best value, 0.030145397007282998, the first run has none.
    let data = folder.join("bbob").display().to_string();
    let target = ["--target", "0.03014539700728", "--name", "close"];
    sandbox.run(&[&["import", &data], &target[..]].concat()).code(0);
    assert!(rows(&sandbox, &["results/close"]).iter().all(|row| row["successes"] == 0));
    // What its logger leaves behind at times.
    std::fs::create_dir_all(sandbox.path("none/data_f1_OneMax")).expect("a folder");
    sandbox
        .run(&["import", "none", "--target", "0"])
        .code(2)
        .warns("there is no IOHprofiler_*.json in it")
        .warns("where its logger's triggers leave out the first evaluation");
    sandbox.write("bad/IOHprofiler_f1.json", "{\"algorithm\": {\"name\": \"a \"b\"\"}}");
    sandbox
        .run(&["import", "bad", "--target", "0"])
        .code(2)
        .warns("it is no JSON")
        .warns("IOHexperimenter writes quotes in names and infinite values as they are");
}

#[test]
fn swept_keys_may_lie_within_slots() {
    let sandbox = Sandbox::new();
    let text = "rate,kind,solved,evals\n0.1,swap,1,5\n0.1,swap,0,9\n0.2,swap,1,7\n";
    sandbox.write("deep.csv", text);
    let map = |more: &str| format!("success=solved,evaluations=evals,{more}");
    let import = |more: &str| sandbox.run(&["import", "deep.csv", "--map", &map(more)]);
    import("operators.mutation.rate=rate,operators.mutation.kind=kind").code(0);
    let found = rows(&sandbox, &["results/deep"]);
    let labels: Vec<&str> = found.iter().filter_map(|row| row["arm"].as_str()).collect();
    assert_eq!(
        labels,
        ["0.1", "0.2"].map(|rate| {
            format!("deep (imported) operators.mutation.rate={rate} operators.mutation.kind=swap")
        })
    );
    let settings = found[1]["settings"].as_str().expect("settings");
    assert!(settings.contains("mutation = { rate = 0.2, kind = \"swap\" }"), "{settings}");
    sandbox.run(&["compare", "results/deep", "--within", "rate"]).code(2);
    sandbox.run(&["report", "results/deep", "--out", "report.html"]).code(0);
    // One that an operator set of this name has, too.
    import("operators.ga.mutation.rate=rate").code(0);
    for (more, words) in [
        (
            "operators.mutation=kind,operators.mutation.rate=rate",
            "lies within `operators.mutation`",
        ),
        ("problem.n.m=rate", "--map: `problem.n.m` is no swept key; write problem.PARAMETER"),
        ("operators.=rate", "`operators.` is no swept key"),
        ("operators.a b=rate", "each part of letters, digits, - and _"),
        ("stop.evaluations=rate", "`stop.evaluations` is no swept key"),
        ("problem.plugin=kind", "`problem.plugin` is no swept key; map the problem's name as"),
        ("operators.name=kind", "map the name of the operator set as `arm`"),
        ("problem=kind,problem.name=kind", "`problem` is the swept key `problem.name`; map one"),
    ] {
        import(more).code(2).warns(words);
    }
}

#[test]
fn a_folder_that_is_being_written_to_is_not_imported_into() {
    let sandbox = sandbox();
    sandbox.run(&["import", "deap.csv", "--map", MAP]).code(0);
    let before = sandbox.read("results/deap/run.toml");
    let lock = std::fs::File::options().write(true).open(sandbox.path("results/deap/.lock"));
    let lock = lock.expect("the lock");
    lock.lock().expect("nobody holds it");
    let import = || sandbox.run(&["import", "deap.csv", "--map", MAP]);
    import().code(4).warns("another run is writing to this folder (process ");
    assert_eq!(sandbox.read("results/deap/run.toml"), before);
    lock.unlock().expect("it was held");
    import().code(0);
    assert_ne!(sandbox.read("results/deap/run.toml"), before);
    // What is no results folder stays as it is; an empty one can be written to.
    sandbox.write("results/notes/notes.txt", "mine");
    let name = |name: &str| sandbox.run(&["import", "deap.csv", "--map", MAP, "--name", name]);
    name("notes").code(2).warns("this folder is there already and is no import");
    assert!(!sandbox.path("results/notes/.lock").exists());
    std::fs::create_dir_all(sandbox.path("results/empty")).expect("a folder");
    name("empty").code(0);
}

/// The commands of the section on imports, in their order, print what it shows.
#[test]
fn the_section_on_imports_is_a_transcript() {
    let sandbox = Sandbox::new();
    let told = document("docs/analysis.md");
    let section = told.split("## Results of other programs").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its end");
    sandbox.write("onemax-here.toml", &blocks(section, "toml")[0]);
    sandbox.write("examples/deap_onemax.csv", document("examples/deap_onemax.csv"));
    let text = section.replace(" \\\n", " ");
    let commands = text.lines().filter_map(|line| line.strip_prefix("    runner "));
    // The first one names what its files are.
    let commands: Vec<&str> = commands.filter(|command| !command.contains("FILE")).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        let data = root().join("tests/fixtures/ioh").display().to_string();
        let command = command.replace("tests/fixtures/ioh", &data);
        let words: Vec<&str> = command.split_whitespace().collect();
        if words[0] == "compare" {
            is_in_the_analysis(&sandbox, &words);
            continue;
        }
        let ran = sandbox.run(&words).code(0);
        if words[0] == "import" {
            assert!(section.contains(&format!("    {}", ran.stdout)), "{command}\n{ran}");
        }
    }
}

#[test]
fn every_cell_that_breaks_a_rule_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "bad.csv",
        "name,ok,evals,fit\na,yes,10,0\na,1,0,0\na,0,12.5,\n,true,3,nan\na,FALSE,7,1\n",
    );
    let import = |map: &str| sandbox.run(&["import", "bad.csv", "--map", map]).code(2);
    import("arm=name,success=ok,evaluations=evals,fitness=fit")
        .warns(
            "bad.csv, line 2: column `ok` is `yes`: success must be 0, 1, true or false; mend it",
        )
        .warns(
            "bad.csv, line 3: column `evals` is `0`: evaluations must be a whole number of at \
            least 1; mend it",
        )
        .warns("bad.csv, line 4: column `evals` is `12.5`")
        .warns("bad.csv, line 5: column `name` is ``: an arm must have a name; name it")
        .warns("bad.csv, line 5: column `fit` is `nan`: fitness must be a finite number");
    assert!(!sandbox.path("results").exists());
    import("success=ok")
        .warns("bad.csv: no column holds `evaluations`")
        .warns("map one: --map evaluations=COLUMN; the columns are name, ok, evals, fit");
    import("evaluations=evals").warns("or map `fitness`, with --target if trials can succeed");
    import("succes=ok").warns("there is no key `succes`; the keys are arm, problem, trial,");
    import("success=okay").warns("bad.csv has no column `okay`; its columns are name, ok");
    import("success").warns("`success` is no KEY=COLUMN, such as success=solved; write it so");
    import("success=ok,success=fit").warns("`success` is mapped twice; map it once");
    sandbox.write("twice.csv", "trial,success,evaluations\n3,1,5\n4,1,5\n3,0,5\n");
    sandbox.run(&["import", "twice.csv"]).code(2).warns(
        "twice.csv, line 4: trial 3 of `twice (imported)` is also at twice.csv, line 2: every \
        trial of an arm has a number of its own",
    );
    sandbox.write("both.csv", "success,evaluations,fitness\n1,5,0\n1,5,2\n0,9,0\n");
    sandbox
        .run(&["import", "both.csv", "--target", "0"])
        .code(2)
        .warns("line 3: column `success` is `1`: the fitness is above the target of --target")
        .warns("line 4: column `success` is `0`: the fitness reaches the target of --target");
    sandbox.run(&["import", "both.csv"]).code(0);
    sandbox.write("ragged.csv", "success,evaluations\n1\n");
    sandbox.run(&["import", "ragged.csv"]).code(2).warns(
        "ragged.csv, line 2: it has 1 values, and the first line has 2 columns; mend the line",
    );
    sandbox.write("empty.csv", "success,evaluations\n");
    sandbox.run(&["import", "empty.csv"]).code(2).warns("empty.csv: it has no trials");
    sandbox.write("text.md", "success,evaluations\n");
    sandbox.run(&["import", "text.md"]).code(2).warns("it must be a CSV file (.csv, .tsv or .txt)");
    sandbox.run(&["import", "none.csv"]).code(2).warns("none.csv: cannot be read");
    sandbox.run(&["import", "."]).code(2).warns("--name ``: it is to be the name of a folder");
}

/// To compare final fitness, neither evaluations nor a target are needed.
#[test]
fn final_fitness_alone_is_imported_and_compared() {
    let sandbox = Sandbox::new();
    let row = |trial: u32| format!("a,{}\nb,{}\n", trial % 7, 10 + trial % 5);
    let text: String = (0..20).map(row).collect();
    sandbox.write("fit.csv", format!("arm,fitness\n{text}"));
    sandbox.run(&["import", "fit.csv"]).code(0).says("results/fit: 40 trials of 2 arms");
    sandbox.run(&["compare", "results/fit"]).code(0).says("better");
    let show = sandbox.run(&["show", "results/fit"]).code(0).says("Success is not defined");
    let compare = sandbox.run(&["compare", "results/fit"]).code(0).says("Success is not defined");
    for ran in [show, compare] {
        assert!(!ran.stdout.contains("0.000") && !ran.stdout.contains("neither"), "{ran}");
    }
    // Where trials can succeed, what a success took is asked for.
    let import = sandbox.run(&["import", "fit.csv", "--target", "0", "--name", "x"]).code(2);
    import.warns("fit.csv: no column holds `evaluations`");
}

#[test]
fn columns_of_swept_keys_need_no_map() {
    let sandbox = sandbox();
    let table = "arm,problem.n,problem.note b,success,evaluations\na,1,x,1,10\na,2,y,0,2000\n";
    sandbox.write("keys.csv", table);
    sandbox.run(&["import", "keys.csv"]).code(0).says("2 trials of 2 arms");
    sandbox.run(&["show", "results/keys", "--csv"]).code(0).says("problem.n");
    // A column that is mapped to something else is not a key as well.
    sandbox.run(&["import", "keys.csv", "--out", "other", "--map", "seed=problem.n"]).code(0);
    let shown = sandbox.run(&["show", "other/keys", "--csv"]).code(0).stdout;
    assert!(!shown.contains("problem.n"), "{shown}");
    sandbox.run(&["import", "keys.csv", "--out", "own", "--map", "problem.size=problem.n"]).code(0);
    let shown = sandbox.run(&["show", "own/keys", "--csv"]).code(0).stdout;
    assert!(shown.contains("problem.size") && !shown.contains("problem.n,"), "{shown}");
    // Another file does not take the place of the first.
    sandbox.write("other.csv", table);
    let words = "results/keys: its trials were imported from keys.csv; give --name or --out";
    sandbox.run(&["import", "other.csv", "--name", "keys"]).code(2).warns(words);
    sandbox.run(&["import", "./keys.csv"]).code(0);
}

/// Narrow numbers, decimal numbers and categories are read; what is not read is named where it is
/// asked for, and never left out in silence.
#[test]
fn types_of_other_programs_are_read_or_named() {
    let Some(python) = python("pyarrow") else { return };
    let sandbox = Sandbox::new();
    let script = "
import datetime, decimal
import pyarrow as pa, pyarrow.parquet as pq
D = decimal.Decimal
def write(name, **columns):
    pq.write_table(pa.table(columns), name, store_decimal_as_integer=True)
fitness = [D('1.25'), D('0.10')]
day = datetime.date(2020, 1, 2)
write('trials.parquet', arm=pa.array(['a', 'b']).dictionary_encode(),
      success=pa.array([1, 0], pa.int8()), evaluations=pa.array([10, 60000], pa.uint16()),
      fitness=pa.array(fitness, pa.decimal128(3, 2)), day=pa.array([day, day]))
write('wide.parquet', success=[True, False], evaluations=[10, 20],
      fitness=pa.array(fitness, pa.decimal128(38, 2)))
design = {'problem.length': pa.array([10, 20], pa.decimal128(2, 0)),
          'operators.mutation.gene-rate': pa.array(fitness, pa.decimal128(3, 2))}
design['operators.mutation.gene-rate'] = pa.array([D('0.05'), D('0.10')], pa.decimal128(3, 2))
write('design.parquet', **design)
write('dated.parquet', **design, day=pa.array([day, day]))
";
    let mut command = std::process::Command::new(python);
    Ran::new(command.current_dir(sandbox.path("")).args(["-c", script])).code(0);
    sandbox.run(&["import", "trials.parquet"]).code(0).says("2 trials of 2 arms");
    let found = rows(&sandbox, &["results/trials", "--trials"]);
    let figures: Vec<_> =
        found.iter().map(|row| (&row["best_fitness"], &row["evaluations"])).collect();
    assert_eq!(figures, [(&1.25.into(), &10.into()), (&0.1.into(), &60000.into())]);
    let words = "its column `fitness` has decimal numbers of more than 64 bits, which are not read";
    sandbox.run(&["import", "wide.parquet"]).code(2).warns(words);
    let mapped = ["import", "trials.parquet", "--out", "other", "--map", "best=day"];
    sandbox.run(&mapped).code(2).warns("its column `day` has dates, which are not read");
    let config = |design: &str| {
        format!(
            "repeats = 1\n[problem]\nplugin = \"onemax\"\n[[operators]]\npopulation = 4\n\
            selection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 9\n\
            [sweep]\nfrom = \"{design}\"\n"
        )
    };
    sandbox.write("sweep.toml", config("design.parquet"));
    sandbox.run(&["sweep.toml"]).code(0);
    let arms: Vec<_> =
        rows(&sandbox, &["results/sweep"]).iter().map(|row| row["arm"].to_string()).collect();
    assert!(arms[0].contains("problem.length=10 operators.mutation.gene-rate=0.05"), "{arms:?}");
    assert!(arms[1].contains("problem.length=20 operators.mutation.gene-rate=0.1"), "{arms:?}");
    sandbox.write("dated.toml", config("dated.parquet"));
    sandbox.run(&["check", "dated.toml"]).code(2).warns("its column `day` has dates");
}
