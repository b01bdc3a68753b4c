//! Files with a table [suite], and what is wrong with them.

use super::*;
use crate::config::Suite;

#[test]
fn a_key_of_a_suite_in_the_wrong_place_is_the_only_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("suite.toml");
    std::fs::write(folder.path().join("a.toml"), QUEENS).expect("a file");
    for (text, help) in [
        ("version = \"1\"\n[suite]\nexperiments = [\"a.toml\"]\n", "`version` belongs in [suite]"),
        ("[suite]\nverson = \"1\"\nexperiments = [\"a.toml\"]\n", "did you mean `version`?"),
        (
            "[suite]\nversion = \"1\"\nseed = 3\nexperiments = [\"a.toml\"]\n",
            "`seed` belongs in an experiment file, which `experiments` names",
        ),
    ] {
        std::fs::write(&file, text).expect("a file");
        let (faults, _) = Suite::read(&file).expect_err("a slip");
        let helps: Vec<Option<&str>> = faults.iter().map(|fault| fault.help.as_deref()).collect();
        assert_eq!(helps, [Some(help)], "{text}");
    }
}
