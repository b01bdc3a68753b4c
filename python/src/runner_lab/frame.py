"""Tables as data frames: those of polars or pandas, whichever is there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module, util
from io import StringIO
from pathlib import Path
from typing import Any

# A data frame of a library that is not known when this is written: its own types say more.
Frame = Any

LIBRARIES = ("polars", "pandas")


def read(
    path: Path, library: str | None = None, columns: Sequence[str] | None = None
) -> Frame:
    """A Parquet file, or some columns of it, as a data frame."""
    chosen = None if columns is None else list(columns)
    return import_module(library or _present()).read_parquet(path, columns=chosen)


def chosen(frame: Frame, columns: Sequence[str] | None) -> Frame:
    """Some columns of a data frame; None: all."""
    return frame if columns is None else frame[list(columns)]


def scan(path: Path) -> Frame:
    """A Parquet file as a lazy frame of polars."""
    return import_module("polars").scan_parquet(path)


def read_csv(text: str, library: str | None = None) -> Frame:
    """A table that the program printed as a data frame."""
    name = library or _present()
    module = import_module(name)
    if name != "polars":
        return module.read_csv(StringIO(text))
    # It takes the first rows for all, and seeds for numbers with a sign.
    seeds = {"seed": module.UInt64}
    return module.read_csv(StringIO(text), infer_schema_length=None, schema_overrides=seeds)


def _present() -> str:
    for library in LIBRARIES:
        if util.find_spec(library) is not None:
            return library
    raise ModuleNotFoundError(
        "tables need polars or pandas: pip install runner-lab[polars], or runner-lab[pandas]"
    )
