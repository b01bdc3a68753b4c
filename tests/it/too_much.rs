//! Inputs that are too large: each is refused with its limit, before it takes much time or memory.

use crate::util::{Ran, Sandbox, eventually, sized};
use runner::words::count;

const CONFIG: &str = "[problem]\nplugin = \"onemax\"\n[[operators]]\npopulation = 4\nselection = \
                      \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 8\n";

#[test]
fn more_arms_than_the_limit_are_refused_with_their_number() {
    let sandbox = Sandbox::new();
    let arms = sized(120_000, 1_000_000);
    let lengths: Vec<String> = (1..=arms).map(|length| length.to_string()).collect();
    let swept = format!("{CONFIG}[sweep]\n\"problem.length\" = [{}]\n", lengths.join(","));
    sandbox.write("a.toml", &swept);
    let beyond = arms - 100_000;
    let words = format!(
        "this experiment has more than 100,000 arms: up to {}, {} beyond the limit",
        count(arms),
        count(beyond)
    );
    for command in [&["check", "a.toml"][..], &["a.toml"]] {
        let ran = sandbox.run(command).code(2).warns(&words);
        assert!(ran.stderr.len() < 2_000, "{} bytes", ran.stderr.len());
    }
    // The same in a folder of results.
    sandbox.write("b.toml", format!("{CONFIG}[sweep]\n\"problem.length\" = [8, 9]\n"));
    sandbox.run(&["b.toml"]).code(0);
    let recorded = String::from_utf8(sandbox.read("results/b/run.toml")).expect("UTF-8");
    let few = "[8, 9]";
    assert!(recorded.contains(few), "{recorded}");
    let many = recorded.replace(few, &format!("[{}]", lengths.join(",")));
    sandbox.write("results/b/run.toml", many);
    for command in [&["verify", "results/b"][..], &["replay", "results/b", "operators-1", "0"]] {
        let ran = sandbox.run(command);
        assert!(ran.code.is_some_and(|code| code > 1) && ran.stderr.contains(&words), "{ran}");
    }
}

#[cfg(unix)]
#[test]
fn a_page_has_the_same_limit() {
    let sandbox = Sandbox::new();
    let server = crate::serve::Server::start(&sandbox, &[]);
    let text =
        format!("{CONFIG}[sweep]\nproblem.length = {{ from = 1, to = 200_000, step = 1 }}\n");
    let question = serde_json::json!({ "text": text });
    // On a busy machine a check may also be told that it took too long.
    eventually("the limit is named", || {
        let (status, answer) = server.post("/api/check", &question);
        assert_eq!(status, 200, "{answer}");
        answer.to_string().contains("100,000 beyond the limit")
    });
}

#[test]
fn keys_and_chains_of_files_have_a_depth() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", CONFIG);
    let deep = vec!["a"; 20_000].join(".");
    let set = format!("{deep}=1");
    let ran = sandbox.run(&["check", "a.toml", "--set", &set]).code(2);
    let ran = ran.warns("the key has 20000 levels").warns("a key has at most 16 levels");
    assert!(ran.stderr.len() < 1_000, "{} bytes", ran.stderr.len());
    for number in 0..2_000 {
        let text = format!("extends = \"{}.toml\"\n", number + 1);
        sandbox.write(&format!("chain/{number}.toml"), text);
    }
    sandbox.write("chain/2000.toml", CONFIG);
    sandbox.run(&["check", "chain/0.toml"]).code(2).warns("at most 32 files");
    sandbox.run(&["check", "chain/1980.toml"]).code(0);
    // Each of 20 files extends the next twice: read once each, and not a million times.
    for number in 0..20 {
        let name = format!("{}.toml", number + 1);
        let text = format!("extends = [\"{name}\", \"../twice/{name}\"]\n");
        sandbox.write(&format!("twice/{number}.toml"), text);
    }
    sandbox.write("twice/20.toml", CONFIG);
    sandbox.run(&["check", "twice/0.toml"]).code(0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_experiment_file_is_a_file_of_some_size() {
    let sandbox = Sandbox::new();
    sandbox.run(&["check", "/dev/zero"]).code(2).warns("this is a device");
    let sparse = std::fs::File::create(sandbox.path("sparse.toml")).expect("a file");
    sparse.set_len(20 << 30).expect("a file without blocks");
    sandbox.run(&["check", "sparse.toml"]).code(2).warns("more than 16777216 bytes");
    // A pipe has no size before it is read.
    sandbox.write("a.toml", CONFIG);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "head -c 100000000 /dev/zero | \"$0\" check /dev/stdin"]);
    shell.arg(sandbox.command().get_program()).current_dir(sandbox.path("."));
    Ran::new(&mut shell).code(2).warns("more than 16777216 bytes");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "cat a.toml | \"$0\" check /dev/stdin"]);
    shell.arg(sandbox.command().get_program()).current_dir(sandbox.path("."));
    Ran::new(&mut shell).code(0);
}

#[test]
fn a_message_names_some_of_many_columns() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(1_000);
    let columns: Vec<String> = (0..200_000).map(|column| format!("column-{column}")).collect();
    let row = vec!["1"; 200_001].join(",");
    sandbox.write("wide.csv", format!("{long},{}\n{row}\n", columns.join(",")));
    for arguments in [&[][..], &["--map", "success=none"]] {
        let command = ["import", "wide.csv", "--name", "wide"];
        let ran = sandbox.run(&[&command, arguments].concat()).code(2);
        let ran = ran.warns("column-10 and 199,989 more");
        assert!(ran.stderr.len() < 3_000, "{} bytes", ran.stderr.len());
    }
}
