//! Files that first genomes are read from: CSV, Parquet, and the results of experiments.

use super::data_file::{self, NoData, damaged, is_parquet, unreadable};
use super::file_access::FileAccess;
use super::keys;
use crate::parquet::{Column, Frame, FrameError, ParquetReader, Reals, Texts, not_read};
use crate::plan::{ArmId, ArmKey, find_arm};
use crate::problem::MixedGene;
use crate::search::start::{GivenGenomes, named_value};
use crate::system::regular;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// Genomes as a file has them.
#[derive(Debug)]
pub(super) struct GenomeRows {
    pub rows: Vec<Vec<f64>>,
    /// Fitness of each genome; empty unless a column of it is asked for.
    pub fitness: Vec<f64>,
    /// Unit of the numbers in `places`: "line", "row" or "trial".
    unit: &'static str,
    /// Number of each genome's line, row or trial.
    places: Vec<u64>,
}

/// The tables of an experiment, and the columns of it that are read.
const TRIALS: &str = "trials.parquet";
const OF_TRIALS: [&str; 6] = ["arm", "arm_id", "operators", "trial", "best_fitness", "best"];
/// Column of the tables of problems with constraints.
const VIOLATION: &str = "best_violation";

impl GenomeRows {
    /// Returns the place of a genome: "line 3", "row 3" or "trial 3".
    pub(super) fn place(&self, row: usize) -> String {
        match self.places.get(row) {
            Some(place) => format!("{} {place}", self.unit),
            None => format!("row {}", row + 1),
        }
    }

    /// Genomes whose places are their numbers, from 1.
    pub(super) fn numbered(given: &GivenGenomes) -> Self {
        let (rows, fitness) = (given.rows().to_vec(), given.fitness().to_vec());
        GenomeRows { rows, fitness, unit: "row", places: Vec::new() }
    }

    /// Returns the first genomes, at most `most`.
    pub(super) fn truncated(mut self, most: usize) -> Self {
        self.rows.truncate(most);
        self.fitness.truncate(most);
        self
    }
}

/// Returns the genomes of a CSV file, or of a column of lists of a Parquet file, and the numbers of
/// the column `fitness`, if it is given. Rows without a list are left out. `genes`: those of mixed
/// genomes, whose choices may have names.
pub(super) fn read_file(
    path: &Path,
    (column, fitness): (&str, Option<&str>),
    files: FileAccess,
    genes: &[MixedGene],
) -> Result<GenomeRows, NoData> {
    if is_parquet(path) {
        let columns: Vec<&str> = [column].into_iter().chain(fitness).collect();
        let frames = frames(open(path, files)?, &columns, None)?;
        let (rows, places) = lists(&frames, column, genes)?;
        return Ok(GenomeRows {
            fitness: match fitness {
                Some(name) => numbers(&frames, name, &places)?,
                None => Vec::new(),
            },
            rows,
            unit: "row",
            places: places.into_iter().map(|place| place as u64 + 1).collect(),
        });
    }
    let bytes = open(path, files).and_then(|file| {
        regular::bytes(&file, regular::MOST_OF_DATA).map_err(|error| unreadable(&error))
    })?;
    let read = GivenGenomes::parse(String::new(), &bytes, fitness, genes);
    let as_what = if genes.is_empty() { "numbers" } else { "numbers, choices also by name" };
    let (given, places) = read.map_err(|error| {
        let help = "write a genome per line: its genes, as";
        NoData::new(error.to_string(), format!("{help} {as_what}, with commas between them"))
    })?;
    Ok(GenomeRows { unit: "line", places, ..GenomeRows::numbered(&given) })
}

/// Returns the best genome of each trial of an arm, the best one first: by violation, where the
/// problem has constraints, then by fitness; of equals, that of the first trial. Trials without one
/// are left out. `states` says whether their fitness is asked for.
///
/// # Errors
/// Returns an error if there is no finished experiment, or not the one arm that is meant.
pub(super) fn read_experiment(
    folder: &Path,
    (arm, states): (Option<&str>, bool),
    files: FileAccess,
) -> Result<GenomeRows, NoData> {
    let path = folder.join(TRIALS);
    if files == FileAccess::Any && !path.is_file() {
        return Err(NoData::new(
            "there is no finished experiment here: no trials.parquet",
            "give the results folder of an experiment that has run to its end, relative to this \
            file",
        ));
    }
    let frames = frames(open(&path, files)?, &OF_TRIALS, Some(VIOLATION))?;
    let id = the_arm(&frames, arm)?;
    let mut own: Vec<(f64, f64, u64, Vec<f64>)> = Vec::new();
    for frame in &frames {
        let ids = frame.column("arm_id").and_then(Column::str).map_err(damaged)?;
        let numbers = frame.column("trial").and_then(Column::u64).map_err(damaged)?;
        let fitness = frame.column("best_fitness").and_then(Column::f64).map_err(damaged)?;
        let violations = frame.column(VIOLATION).ok().map(Column::f64).transpose();
        let violations = violations.map_err(damaged)?;
        let (rows, places) = lists(std::slice::from_ref(frame), "best", &[])?;
        let trials = places.into_iter().zip(rows).filter_map(|(place, genome)| {
            let of_arm = ids.get(place) == Some(id.as_str());
            of_arm.then_some(())?;
            let violation = violations.as_ref().and_then(|all| all.get(place)).unwrap_or(0.0);
            Some((violation, fitness.get(place)?, numbers.get(place)?, genome))
        });
        own.extend(trials);
    }
    own.sort_by(|(violation, fitness, trial, _), other| {
        let by_figures = violation.total_cmp(&other.0).then(fitness.total_cmp(&other.1));
        by_figures.then(trial.cmp(&other.2))
    });
    let places = own.iter().map(|(_, _, trial, _)| *trial).collect();
    let fitness = own.iter().map(|(_, fitness, ..)| *fitness).collect();
    Ok(GenomeRows {
        rows: own.into_iter().map(|(.., genome)| genome).collect(),
        fitness: if states { fitness } else { Vec::new() },
        unit: "trial",
        places,
    })
}

/// Names of an arm: its id, label and operator set.
type Names = (ArmId, String, String);

/// Returns the names of all arms, in the order of their first rows.
fn arms(frames: &[Frame]) -> Result<Vec<Names>, FrameError> {
    let (mut arms, mut seen) = (Vec::new(), BTreeSet::new());
    for frame in frames {
        let text = |name: &str| frame.column(name).and_then(Column::str);
        let (ids, labels, operators) = (text("arm_id")?, text("arm")?, text("operators")?);
        for row in 0..frame.height() {
            let Some(id) = ids.get(row).and_then(ArmId::from_hex) else { continue };
            if seen.insert(id) {
                let of = |column: &Texts| column.get(row).unwrap_or_default().to_owned();
                arms.push((id, of(labels), of(operators)));
            }
        }
    }
    Ok(arms)
}

/// Returns the id of the arm that is meant.
fn the_arm(frames: &[Frame], wanted: Option<&str>) -> Result<String, NoData> {
    let arms = arms(frames).map_err(damaged)?;
    let keys = arms.iter().map(|(id, label, operators)| ArmKey { label, id: *id, operators });
    match (wanted, arms.as_slice()) {
        (Some(wanted), _) => match find_arm(keys, wanted) {
            Ok(place) => Ok(arms[place].0.to_string()),
            Err(error) => {
                Err(NoData::new(error.to_string(), "name one of these arms").of(&keys::START_ARM))
            }
        },
        (None, [(id, ..)]) => Ok(id.to_string()),
        (None, _) => {
            let labels: Vec<String> = keys.map(|key| format!("`{}`", key.label)).collect();
            Err(NoData::new(
                format!("this experiment has {} arms", arms.len()),
                format!("say which one with arm = …: {}", labels.join(", ")),
            ))
        }
    }
}

fn open(path: &Path, files: FileAccess) -> Result<File, NoData> {
    let help = "give a CSV or Parquet file; for a results folder, write experiment = … in place of \
        file";
    data_file::open(path, files, "first genomes", help)
}

/// Returns some columns of a Parquet file, and one that it may have, by row group.
fn frames(file: File, names: &[&str], optional: Option<&str>) -> Result<Vec<Frame>, NoData> {
    let reader = ParquetReader::open(file).map_err(damaged)?;
    if let Some((name, kind)) = reader.unread().find(|(name, _)| names.contains(name)) {
        return Err(damaged(not_read(name, kind)));
    }
    if let Some(missing) = names.iter().find(|name| !reader.schema().contains(name)) {
        let has: Vec<&str> = reader.schema().iter_names().map(|name| name.as_str()).collect();
        let (key, what) = match names.first() {
            Some(first) if first == missing => (&keys::START_COLUMN, "genomes"),
            _ => (&keys::START_FITNESS, "fitness"),
        };
        let help =
            format!("name the column of {what} with {} = …: it has {}", key.name, has.join(", "));
        return Err(NoData::new(format!("it has no column `{missing}`"), help).of(key));
    }
    let optional = optional.filter(|name| reader.schema().contains(name));
    let names: Vec<&str> = names.iter().copied().chain(optional).collect();
    (0..reader.groups()).map(|group| reader.group(group, Some(&names)).map_err(damaged)).collect()
}

/// Returns the numbers of a column in these rows, from 0.
fn numbers(frames: &[Frame], name: &str, rows: &[usize]) -> Result<Vec<f64>, NoData> {
    let mut numbers = Vec::new();
    for frame in frames {
        let column = frame.column(name).map_err(damaged)?;
        let wrong = |_| {
            let message = format!("its column `{name}` has {}", column.kind_in_words());
            NoData::new(message, "name a column of numbers with fitness = …")
        };
        let values = column.to_f64().map_err(wrong)?;
        let values = values.f64().map_err(damaged)?;
        numbers.extend((0..frame.height()).map(|row| values.get(row)));
    }
    let number = |row: &usize| {
        numbers[*row].filter(|number| number.is_finite()).ok_or_else(|| {
            let message = format!("row {}: `{name}` is missing, or no finite number", row + 1);
            NoData::new(message, "give every genome its fitness")
        })
    };
    rows.iter().map(number).collect()
}

/// Lists of numbers, and their rows.
type Lists = (Vec<Vec<f64>>, Vec<usize>);

/// Returns the lists of a column as numbers, and the rows that hold them, from 0. Lists of texts
/// have the choices of `genes` by name.
fn lists(frames: &[Frame], name: &str, genes: &[MixedGene]) -> Result<Lists, NoData> {
    let (mut rows, mut places, mut first) = (Vec::new(), Vec::new(), 0);
    for frame in frames {
        let column = frame.column(name).map_err(damaged)?;
        let values = column.list().and_then(|lists| Ok((GeneColumn::new(&lists.values)?, lists)));
        let (values, lists) = values.map_err(|_| {
            NoData::new(
                format!("its column `{name}` has {}, not lists of numbers", column.kind_in_words()),
                "name a column of lists with column = …",
            )
        })?;
        for row in 0..frame.height() {
            let Some(range) = lists.range(row) else { continue };
            let read = range.enumerate().map(|(locus, place)| values.get(place, locus, genes));
            let read: Result<Vec<f64>, (String, &str)> = read.collect();
            rows.push(read.map_err(|(what, help)| {
                NoData::new(format!("row {}: {what}", first + row + 1), help)
            })?);
            places.push(first + row);
        }
        first += frame.height();
    }
    Ok((rows, places))
}

/// Genes of the lists of a column.
enum GeneColumn {
    Numbers(Reals),
    Texts(Texts),
}

impl GeneColumn {
    fn new(values: &Column) -> Result<Self, FrameError> {
        match values.str() {
            Ok(texts) => Ok(GeneColumn::Texts(texts.clone())),
            Err(_) => Ok(GeneColumn::Numbers(values.to_f64()?.f64()?.clone())),
        }
    }

    /// Returns the gene `locus` of a genome, which is at a place of the column.
    ///
    /// # Errors
    /// Returns the fault and the way out if it is missing, or no value of such a gene.
    fn get(
        &self,
        place: usize,
        locus: usize,
        genes: &[MixedGene],
    ) -> Result<f64, (String, &'static str)> {
        let missing = || (format!("gene {} is missing", locus + 1), "give every gene a number");
        match self {
            GeneColumn::Numbers(numbers) => numbers.get(place).ok_or_else(missing),
            GeneColumn::Texts(texts) => {
                let value = named_value(texts.get(place).ok_or_else(missing)?, locus, genes);
                value.map_err(|what| (what, "give every gene a number, or a choice its name"))
            }
        }
    }
}
