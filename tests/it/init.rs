//! `runner init`: what its answers become.

use crate::util::Sandbox;

fn written(sandbox: &Sandbox, file: &str) -> String {
    String::from_utf8(sandbox.read(file)).expect("UTF-8")
}

/// A key of `--set` has the form that it has in other commands, or the parameter's name alone.
#[test]
fn a_key_is_set_in_both_forms() {
    let sandbox = Sandbox::new();
    for (file, key, encoding) in
        [("a.toml", "n", "encoding"), ("b.toml", "problem.n", "problem.encoding")]
    {
        let (n, encoding) = (format!("{key}=3"), format!("{encoding}=permutation"));
        let start = ["init", file, "--yes", "--plugin", "nqueens", "--set", &n, "--set", &encoding];
        sandbox.run(&start).code(0);
        let text = written(&sandbox, file);
        assert!(text.contains("n        = 3 "), "{text}");
        assert!(text.contains("encoding = \"permutation\""), "{text}");
    }
    sandbox
        .run(&["init", "c.toml", "--yes", "--plugin", "nqueens", "--set", "problem.zz=3"])
        .code(2)
        .warns("zz");
}
