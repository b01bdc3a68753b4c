//! The keys of a suite's file.

use super::definitions::{ANY_NUMBER, TEXT, choice, key};
use super::{Form, Key, Table};
use crate::problem::parameter::{Fallback, Kind, Value};
use std::borrow::Cow;

pub(crate) static SUITE_NAME: Key = key(
    "name",
    TEXT,
    Fallback::Derived("the file's name without its extension"),
    "Name of the suite and of its files.",
);
pub(crate) static SUITE_VERSION: Key = key(
    "version",
    TEXT,
    Fallback::Required,
    "Results count for one version: give each change of the suite its own.",
);
pub(crate) static SUITE_EXPERIMENTS: Key = key(
    "experiments",
    Form::List("paths in quotes", Kind::Text),
    Fallback::Required,
    "Experiment files, or patterns such as `\"published/*.toml\"`, relative to the suite's file.",
);
pub(crate) static SUITE_RESULTS: Key = key(
    "results",
    Form::List("paths in quotes", Kind::Text),
    Fallback::Derived("none"),
    "Results of others: files of `runner pack`, or results folders.",
);
pub(crate) static SUITE_POOL: Key = key(
    "pool",
    Form::List("keys in quotes", Kind::Text),
    Fallback::Derived("none"),
    "Parameters of problems whose values are instances of one function, such as \
    `problem.instance`; their trials count together.",
);
pub(crate) static SUITE_BY: Key = key(
    "by",
    choice!("ert", "success-rate", "fitness"),
    Fallback::Derived("`\"ert\"` where every function has a target, otherwise `\"fitness\"`"),
    "Measure of the ranks.",
);
pub(crate) static SUITE_TARGETS: Key = key(
    "targets",
    Form::List("numbers", ANY_NUMBER),
    Fallback::Derived("the values that trials reached, at most 51"),
    "Fitness values that the distributions count, the same for every function.",
);
pub(crate) static SUITE_LEVEL: Key = key(
    "level",
    Form::Value(Kind::Real { low: 0.0, low_open: true, high: 0.5, high_open: false }),
    Fallback::Value(Value::Real(0.05)),
    "Significance level of the tests.",
);
pub(crate) static SUITE: Key = key(
    "suite",
    Form::Table(&SUITE_TABLE),
    Fallback::Required,
    "The suite; the file has no other table.",
);

/// The top of a suite's file.
pub(crate) static SUITE_TOP: Table = Table {
    key: "",
    name: "the top level of a suite",
    example: "",
    header: "the top of the file",
    doc: "",
    keys: &[&SUITE],
};
pub(crate) static SUITE_TABLE: Table = Table {
    key: "suite",
    name: "[suite]",
    example: "[suite] with name = \"mine\", version = \"1\" and experiments = [\"first.toml\"]",
    header: "[suite]",
    doc: "A benchmark: experiments under a name and a version, run by `runner suite`.",
    keys: &[
        &SUITE_NAME,
        &SUITE_VERSION,
        &SUITE_EXPERIMENTS,
        &SUITE_RESULTS,
        &SUITE_POOL,
        &SUITE_BY,
        &SUITE_TARGETS,
        &SUITE_LEVEL,
    ],
};
