//! Designs: a sweep by the rows of a table that another program wrote.

use crate::util::{Sandbox, root, rows};

const CONFIG: &str = r#"
repeats = 3
[problem]
plugin = "nqueens"
[[operators]]
name      = "ga"
selection = { kind = "tournament", size = 2 }
mutation  = "reset"
[[operators]]
name      = "drawn"
algorithm = "random-search"
[stop]
evaluations = 300
[sweep]
"#;

const GRID: &str = "\"problem.n\" = [6, 8]\n\"operators.population\" = [10, 20]\n\
    \"operators.ga.mutation.rate\" = [0.25, 0.5]\n";

/// The grid as R writes it, with the names of its rows and numbers in its own ways.
const AS_R: &str = "\"\",\"problem.n\",\"operators.population\",\"operators.ga.mutation.rate\"\r\n\
    \"1\",6,10,0.25\r\n\"2\",6,10,.5\r\n\"3\",6,20,25e-2\r\n\"4\",6.0,20,0.5\r\n\
    \"5\",8,10,0.25\r\n\"6\",8,1e1,0.5\r\n\"7\",8,20,0.25\r\n\"8\",8,20,5e-1\r\n";

/// Runs an experiment with this sweep, and gives what its tables hold.
fn tables(sandbox: &Sandbox, name: &str, sweep: &str) -> Vec<Vec<u8>> {
    sandbox.write(&format!("{name}/x.toml"), format!("{CONFIG}{sweep}"));
    sandbox.run(&[&format!("{name}/x.toml"), "--out", name]).code(0);
    ["trials", "summary"].map(|table| sandbox.read(&format!("{name}/x/{table}.parquet"))).into()
}

/// Paths in the table of an extended file are relative to that file, as all of its paths are.
#[test]
fn files_that_rows_name_are_beside_the_file_that_names_the_table() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/x.cnf", "p cnf 3 2\n1 2 0\n-1 3 0\n");
    sandbox.write("x.cnf", "p cnf 5 4\n1 2 0\n-1 3 0\n4 0\n-4 5 0\n");
    sandbox.write("sub/d.csv", "problem.file,operators.population\nx.cnf,10\nx.cnf,20\n");
    let base = "repeats = 3\n[problem]\nplugin = \"maxsat\"\n[[operators]]\n\
        population = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n\
        [stop]\nevaluations = 300\n";
    let from = "[sweep]\nfrom = \"d.csv\"\n";
    sandbox.write("sub/x.toml", format!("{base}{from}"));
    sandbox.write("x.toml", "extends = \"sub/x.toml\"\n");
    sandbox.run(&["sub/x.toml", "--out", "alone"]).code(0);
    sandbox.run(&["x.toml", "--out", "extended"]).code(0);
    let tables = |out: &str| {
        ["trials", "summary"].map(|table| sandbox.read(&format!("{out}/x/{table}.parquet")))
    };
    assert!(tables("alone") == tables("extended"));
    sandbox.run(&["verify", "extended/x", "--all"]).code(0);
    // A plugin of an operator, too.
    sandbox.write("sub/op.csv", "operators.mutation\n\"{ plugin = \"\"own.py\"\" }\"\n");
    sandbox.write("sub/y.toml", format!("{base}{}", from.replace("d.csv", "op.csv")));
    sandbox.write("sub/own.py", "raise ValueError(\"not yet\")\n");
    sandbox.write("y.toml", "extends = \"sub/y.toml\"\nproblem.file = \"sub/x.cnf\"\n");
    let told = sandbox.run(&["check", "y.toml"]).code(3).stderr;
    assert!(told.contains("sub/own.py") && told.contains("--> sub/op.csv:2:1"), "{told}");
}

/// Rows that are the combinations of a grid make its arms: to the byte, from CSV and Parquet.
#[test]
fn a_design_that_is_a_grid_makes_the_arms_of_the_grid() {
    let sandbox = Sandbox::new();
    let grid = tables(&sandbox, "grid", GRID);
    sandbox.write("csv/design.csv", AS_R);
    assert!(tables(&sandbox, "csv", "from = \"design.csv\"\n") == grid, "CSV");
    // Written by Pandas, with numbers as SciPy has them and an index.
    let design = std::fs::read(root().join("tests/fixtures/designs/grid.parquet")).expect("it");
    sandbox.write("parquet/of/design.parquet", design);
    assert!(tables(&sandbox, "parquet", "from = \"of/design.parquet\"\n") == grid, "Parquet");
    // Only two of its columns, beside a list: every row with every value.
    sandbox.write("product/two.csv", "problem.n;operators.population\n6;10\n6;20\n8;10\n8;20\n");
    let rate = "from = \"two.csv\"\n\"operators.ga.mutation.rate\" = [0.25, 0.5]\n";
    assert!(tables(&sandbox, "product", rate) == grid, "product");
}

/// Trials are replayed, shards merged and runs continued as with any sweep.
#[test]
fn results_need_the_table_no_more() {
    let sandbox = Sandbox::new();
    sandbox.write("base.toml", format!("{CONFIG}from = \"design.csv\"\n"));
    let design = "problem.n,operators.population\n6,11\n7,24\n9,16\n";
    sandbox.write("design.csv", design);
    sandbox.write("mine/x.toml", "extends = \"../base.toml\"\n");
    sandbox.run(&["mine/x.toml", "--isolation", "process"]).code(0);
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["mine/x.toml", "--shard", shard, "--out", "parts"]).code(0);
    }
    let parts = ["parts/x.shard-1-of-2", "parts/x.shard-2-of-2"];
    sandbox.run(&[&["merge", "--out", "parts"], &parts[..]].concat()).code(0);
    assert!(sandbox.read("parts/x/trials.parquet") == sandbox.read("results/x/trials.parquet"));
    let labels = || -> Vec<String> {
        let rows = rows(&sandbox, &["results/x"]);
        rows.iter().map(|row| row["arm"].as_str().expect("a label").to_owned()).collect()
    };
    assert_eq!(labels()[1], "ga problem.n=7 operators.population=24");
    // One more row, and the others are there.
    sandbox.write("design.csv", format!("{design}10,30\n"));
    sandbox.run(&["mine/x.toml"]).code(0).warns("18 of them already done");
    assert_eq!(labels().len(), 8);
    // A swept key that is set is no more swept: rows that then are the same are one.
    sandbox.run(&["check", "base.toml", "--set", "problem.n=8"]).code(0).says("8 arms");
    sandbox.write("design.csv", "problem.n,operators.population\n6,11\n7,11\n");
    sandbox.run(&["check", "base.toml", "--set", "problem.n=8"]).code(0).says("2 arms");
    std::fs::remove_file(sandbox.path("design.csv")).expect("a file");
    std::fs::remove_dir_all(sandbox.path("mine")).expect("a folder");
    sandbox.run(&["verify", "results/x", "--all"]).code(0).says("24 of 24 trials");
}

/// What a design tells, by its text.
fn told(sweep: &str, design: &[u8], words: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{CONFIG}{sweep}"));
    sandbox.write("d.csv", design);
    let ran = sandbox.run(&["check", "x.toml"]).code(2);
    for word in words {
        assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
    }
}

#[test]
fn a_fault_of_a_table_names_its_line_and_its_column() {
    let from = "from = \"d.csv\"\n";
    let table = |rows: &str| format!("problem.n,operators.population\n{rows}").into_bytes();
    told(from, b"problem.n\n", &["x.toml:15:8", "d.csv: it has no rows"]);
    told(from, b"problem.n\n6\n\xff\n", &["d.csv: line 3: byte 0xff is not UTF-8"]);
    told("from = \"e.csv\"\n", b"", &["e.csv: there is no such file"]);
    told("from = \".\"\n", b"", &["it is no file"]);
    told("from = 3\n", b"", &["`from` must be the path", "this is an integer"]);
    // Everything that keeps it from being a table, at once.
    told(
        from,
        b"problem.n,stop.evaluations,problem.n,,from\n6,,1,1,1\n6,NA,1,1,1\n\n6,5\n",
        &[
            "d.csv:1:28",
            "the column `problem.n` occurs twice",
            "a column without a name",
            "`from` is no key to sweep",
            "d.csv:2:3",
            "no value for `stop.evaluations`",
            "d.csv:3:3",
            "d.csv:5:1",
            "a row of 2 values, for 5 columns",
            "6 errors",
        ],
    );
    // Everything that is wrong with its values, at once.
    told(
        from,
        &table("6.5,10\n8.0,ten\n7,10\n\"7\",10.0\n9,-1\n"),
        &[
            "d.csv:2:1",
            "6.5,10",
            "its column",
            "`n` must be an integer",
            "round it to 7",
            "d.csv:3:5",
            "this is a string",
            "d.csv:5:2",
            "the sweep has `problem.n` = 7, `operators.population` = 10 twice",
            "d.csv:6:3",
            "raise it to at least",
        ],
    );
    told(from, b"problem.m\n6\n", &["d.csv:1:1", "there is no key `problem.m` to sweep"]);
    told(&format!("{from}problem.n = [6]\n"), &table("6,10\n"), &["`problem.n` is swept twice"]);
    let many: String = (0..100).map(|row| format!("6.{row}5,10\n")).collect();
    told(from, &table(&many), &["this applies to 95 more of the table's values", "5 errors"]);
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    let ran = sandbox.run(&["check", "x.toml", "--set", "sweep.from=d.csv"]).code(2);
    ran.warns("the rows of a sweep cannot be set");
}
