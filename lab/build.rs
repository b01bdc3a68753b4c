//! Tells the program its git revision, where it is built from a checkout.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        String::from_utf8(output.stdout)
            .ok()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    };
    // Without git or a checkout the program says that it does not know its revision.
    if let Some(revision) = git(&["rev-parse", "HEAD"]) {
        println!("cargo::rustc-env=RUNNER_GIT_REVISION={revision}");
        for file in ["HEAD", "logs/HEAD"] {
            if let Some(path) = git(&["rev-parse", "--git-path", file]) {
                println!("cargo::rerun-if-changed={path}");
            }
        }
    }
}
