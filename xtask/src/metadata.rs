//! Metadata of the workspace, from cargo: packages, what they depend on, the version.

use crate::{Outcome, process};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The system that releases are made for.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A package of the dependency graph.
pub(crate) struct Package {
    pub name: String,
    pub version: String,
    /// Its licence, in SPDX's words as far as it keeps to them.
    pub license: String,
    /// The folder of its sources.
    pub folder: PathBuf,
    /// Whether it is part of this workspace.
    pub ours: bool,
}

/// The workspace as cargo sees it.
pub(crate) struct Metadata {
    root: Value,
}

impl Metadata {
    pub(crate) fn read() -> Outcome<Self> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version=1", "--locked", "--filter-platform", TARGET]);
        Ok(Metadata { root: serde_json::from_slice(&process::output(&mut command)?)? })
    }

    /// The folder of the workspace.
    pub(crate) fn folder(&self) -> PathBuf {
        PathBuf::from(text(&self.root["workspace_root"]))
    }

    /// The version of `runner`.
    pub(crate) fn version(&self) -> Outcome<String> {
        let named = |package: &&Value| package["name"] == "runner" && package["source"].is_null();
        let package = array(&self.root["packages"]).iter().find(named);
        Ok(text(&package.ok_or("the workspace has no package `runner`")?["version"]))
    }

    /// The packages whose code is in the program and the shipped plugins: not those that only
    /// build them, such as macros, with all that only these need.
    pub(crate) fn linked(&self) -> Outcome<Vec<Package>> {
        let by_id = |values: &'static str, at: &Value| -> BTreeMap<String, Value> {
            array(&at[values]).iter().map(|value| (text(&value["id"]), value.clone())).collect()
        };
        let packages = by_id("packages", &self.root);
        let nodes = by_id("nodes", &self.root["resolve"]);
        let mut found = BTreeSet::new();
        let mut open: Vec<String> =
            array(&self.root["workspace_default_members"]).iter().map(text).collect();
        while let Some(id) = open.pop() {
            let is_macro = array(&packages[&id]["targets"])
                .iter()
                .any(|target| array(&target["kind"]).iter().any(|kind| kind == "proc-macro"));
            if is_macro || !found.insert(id.clone()) {
                continue;
            }
            let needed = |dependency: &&Value| {
                array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
            };
            let needs = array(&nodes[&id]["deps"]).iter().filter(needed);
            open.extend(needs.map(|dependency| text(&dependency["pkg"])));
        }
        let mut linked =
            found.iter().map(|id| package(&packages[id])).collect::<Outcome<Vec<_>>>()?;
        linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(linked)
    }
}

fn package(value: &Value) -> Outcome<Package> {
    let (name, version) = (text(&value["name"]), text(&value["version"]));
    let license = value["license"].as_str();
    Ok(Package {
        license: license.ok_or_else(|| format!("{name} {version} names no licence"))?.to_owned(),
        folder: Path::new(&text(&value["manifest_path"]))
            .parent()
            .ok_or("a manifest without a folder")?
            .to_owned(),
        ours: value["source"].is_null(),
        name,
        version,
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
