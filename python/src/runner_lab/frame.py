"""Tables as data frames: those of polars or pandas, whichever is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module, util
from io import StringIO
from pathlib import Path
from typing import Any

from .failure import ConfigError, Fault

# A data frame of a library that is not known when this is written: its own types say more.
Frame = Any

LIBRARIES = ("polars", "pandas")

# Kinds of the columns that tables of trials and of summaries have (results/README.md). Those of swept
# keys are of the kind of their values.
COLUMNS = {
    "text": """experiment arm arm_id problem operators outcome best_text error settings race
        success_interval baseline baseline_interval baseline_verdict baseline_ground""",
    "count": """trial seed generations evaluations evaluations_to_success evaluations_after_best
        evaluations_saved trials successes failures timed_out dropped_out_after evaluations_total
        baseline_open_failures""",
    "figure": """best_fitness best_violation best_standard_error success_rate success_low
        success_high confidence success_bound_low success_bound_high best_fitness_min
        best_fitness_q25 best_fitness_median best_fitness_q75 best_fitness_mean best_fitness_sd
        best_fitness_max evaluations_to_success_median evaluations_to_success_q25
        evaluations_to_success_q75 ert ert_low ert_high evaluations_after_best_median
        generations_median baseline_difference baseline_difference_low baseline_difference_high
        feasible_rate best_violation_median best_violation_max""",
    "truth": "success valid",
    "texts": "best_named",
}
KINDS = {column: kind for kind, columns in COLUMNS.items() for column in columns.split()}


def read(path: Path, library: str | None = None, columns: list[str] | None = None) -> Frame:
    """A Parquet file, or some columns of it, as a data frame."""
    name = _known(library)
    if name == "pandas":
        return _of_arrow(import_module("pyarrow.parquet").read_table(path, columns=columns))
    polars = import_module(name)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        # polars takes no such path.
        with path.open("rb") as file:
            return polars.read_parquet(file, columns=columns)
    return polars.read_parquet(path, columns=columns)


def chosen(frame: Frame, columns: list[str] | None) -> Frame:
    """Some columns of a data frame; None: all."""
    return frame if columns is None else frame[columns]


def scan(path: Path) -> Frame:
    """A Parquet file as a lazy frame of polars."""
    return import_module("polars").scan_parquet(path)


def of_json(text: str, names: Sequence[str], library: str | None = None) -> Frame:
    """A table that the program printed, a row on each line, as a data frame with the types of the
    finished table. `names` are its columns if it has no rows; those of swept keys and of the best
    genome are texts then."""
    # A text of a cell may have other ends of lines.
    rows = [line.strip().rstrip(",") for line in text.split("\n") if line.startswith("  {")]
    if rows:
        names = list(json.loads(rows[0]))
    if _known(library) == "polars":
        return _of_polars(import_module("polars"), rows, names)
    return _of_pyarrow(import_module("pyarrow"), [json.loads(row) for row in rows], names)


def _of_polars(polars: Any, rows: list[str], names: Sequence[str]) -> Frame:
    types = {
        "text": polars.String,
        "count": polars.UInt64,
        "figure": polars.Float64,
        "truth": polars.Boolean,
        "texts": polars.List(polars.String),
    }
    known = {column: types[KINDS[column]] for column in names if column in KINDS}
    if not rows:
        return polars.DataFrame(schema={**dict.fromkeys(names, polars.String), **known})
    frame = polars.read_ndjson(
        StringIO("\n".join(rows)), schema_overrides=known, infer_schema_length=None
    )
    if "best" in names and frame["best"].dtype != polars.List(polars.Float64):
        frame = frame.with_columns(polars.col("best").cast(polars.List(polars.UInt32)))
    return frame.select(names)


def _of_pyarrow(pyarrow: Any, rows: list[dict[str, Any]], names: Sequence[str]) -> Frame:
    types = {
        "text": pyarrow.string(),
        "count": pyarrow.uint64(),
        "figure": pyarrow.float64(),
        "truth": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
    }
    known = {column: types[KINDS[column]] for column in names if column in KINDS}
    if not rows:
        known = {**dict.fromkeys(names, pyarrow.string()), **known}
    columns = {
        name: pyarrow.array([row[name] for row in rows], known.get(name)) for name in names
    }
    if "best" in names and columns["best"].type == pyarrow.list_(pyarrow.int64()):
        columns["best"] = columns["best"].cast(pyarrow.list_(pyarrow.uint32()))
    return _of_arrow(pyarrow.table(columns))


def _of_arrow(table: Any) -> Frame:
    """Returns a table of pyarrow as a data frame of pandas, to which it gives no list of views."""
    pyarrow = import_module("pyarrow")
    for place, column in enumerate(table.schema):
        if str(getattr(column.type, "value_type", "")) == "string_view":
            texts = table[place].cast(pyarrow.list_(pyarrow.string()))
            table = table.set_column(place, column.name, texts)
    return table.to_pandas()


def _known(library: str | None) -> str:
    """Returns the library's name, or that of one that is there."""
    if library is None:
        return _present()
    if library not in LIBRARIES:
        way_out = f"give {' or '.join(LIBRARIES)}"
        raise ConfigError(2, [Fault(f"{library!r} is no library for tables", help=way_out)])
    return library


def _present() -> str:
    for library in LIBRARIES:
        if util.find_spec(library) is not None:
            return library
    raise ModuleNotFoundError(
        "tables need polars or pandas: pip install runner-lab[polars], or runner-lab[pandas]"
    )
