//! One test crate: it drives the real binary on the real plugins.

#[cfg(target_os = "linux")]
mod affinity;
mod algorithms;
mod analysis;
mod arms;
#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod browser_keys;
#[cfg(unix)]
mod browser_report;
#[cfg(unix)]
mod browser_results;
mod browser_side;
#[cfg(unix)]
mod browser_watch;
mod budget;
mod certify;
mod challenge;
mod check;
#[cfg(unix)]
mod checkpoints;
mod clusters;
mod compare;
mod conformance;
mod constraints;
mod converged;
mod damage;
mod data_files;
mod designs;
mod docs;
#[cfg(target_os = "linux")]
mod documents;
mod drawn;
mod duplicates;
#[cfg(target_os = "linux")]
mod elsewhere;
mod enough;
mod events;
mod exact;
mod export;
mod extends;
mod failures;
mod faults;
#[cfg(target_os = "linux")]
mod frames;
mod fuzz;
mod fuzz_data;
mod gate;
mod genomes;
#[cfg(target_os = "linux")]
mod given;
mod guide;
mod hidden;
mod hostile;
mod house;
mod import;
mod imported;
mod init;
mod install;
mod languages;
#[cfg(target_os = "linux")]
mod left_behind;
#[cfg(target_os = "linux")]
mod limits;
mod messages;
mod methods;
mod mixed;
mod mlflow;
mod moves;
mod narrow;
mod noise;
mod on_end;
mod operator_counts;
mod operator_plugins;
mod own_algorithms;
mod own_presets;
mod pack;
#[cfg(target_os = "linux")]
mod page_policy;
mod pictures;
#[cfg(target_os = "linux")]
mod pipelining;
mod problems;
mod python;
mod rank;
mod readers;
mod rearrangements;
mod reference;
mod reliability;
#[cfg(unix)]
mod repeats;
#[cfg(unix)]
mod requests;
mod retry;
mod run;
mod samples;
mod schema;
#[cfg(unix)]
mod serve;
mod shards;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(unix)]
mod silent;
mod sizes;
#[cfg(target_os = "linux")]
mod slurm;
#[cfg(target_os = "linux")]
mod slurm_cluster;
#[cfg(target_os = "linux")]
mod snapshots;
mod snippets;
mod spread;
mod start;
mod stopping;
#[cfg(unix)]
mod strangers;
mod streams;
#[cfg(unix)]
mod study;
#[cfg(unix)]
mod submit;
mod submit_again;
mod successes;
mod suite;
mod sweeps;
mod target;
#[cfg(target_os = "linux")]
mod time_limit;
#[cfg(target_os = "linux")]
mod toml_forms;
mod too_much;
mod trust;
mod tuning;
mod typed;
mod util;
mod vectors;
mod within;
#[cfg(unix)]
mod working_folder;
