"""The results of an experiment: its tables, and what the program makes of them."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import frame, overview
from .failure import ConfigError, Fault, ResultsError, RunnerError
from .frame import Frame
from .picture import Picture
from .program import answer, call
from .settings import each

# The tables that the program prints before they are written, each with the flags for it.
PRINTED: dict[str, list[str]] = {"summary": [], "trials": ["--trials"]}
# Tables that every run writes anew at its end.
OF_A_RUN = ("summary", "trials", "generations", "timings")

# Columns of the summary that people read.
READ = (
    "arm",
    "trials",
    "success_rate",
    "success_low",
    "success_high",
    "evaluations_to_success_median",
    "ert",
    "ert_low",
    "ert_high",
    "best_fitness_median",
)
# Plots, of which the first that there is stands for all: what was swept, then what was reached.
STANDING = ("map-", "rate-by-", "run-length", "fitness", "success-rate")


class Result:
    """A folder of results. `Result("results/eight-queens")` opens one that is there, whatever is in
    it. The result of a run is of that run alone: where a later one has left others in the folder,
    it gives no figures any more."""

    def __init__(self, folder: str | os.PathLike[str], *, notes: Sequence[str] = ()) -> None:
        self.folder = Path(folder)
        """Where the tables are."""
        self.notes = tuple(notes)
        """What the program advised in this run."""
        self._held: tuple[str | None, frozenset[str]] | None = None
        if not self.folder.is_dir():
            raise ResultsError(4, [Fault(f"there are no results in {self.folder}")])

    def _hold(self) -> None:
        """Binds it to the trials that are in the folder now."""
        self._held = self._mark()

    def _mark(self) -> tuple[str | None, frozenset[str]]:
        """Identifies the trials in the folder: their hash if the run has ended, and what runs moved
        out of it."""
        log, moved = self.folder / "run.toml", self.folder / "superseded"
        text = log.read_text(encoding="utf-8") if log.is_file() else ""
        found = re.search(r'^results = "(.*)"$', text.partition("[[runs]]")[0], re.MULTILINE)
        names = os.listdir(moved) if moved.is_dir() else ()
        return found and found[1], frozenset(names)

    def _is_replaced(self) -> bool:
        """Whether a later run has left other trials in the folder. A run that has not ended may go
        on, as long as nothing of it was moved away."""
        if self._held is None:
            return False
        held, now = self._held, self._mark()
        return held[0] != now[0] if held[0] is not None else not now[1] <= held[1]

    def _place(self) -> Path:
        """Returns the folder, if its trials are those of this result."""
        if self.folder.is_dir() and self._is_replaced():
            fault = Fault(
                f"a later run has left other trials in {self.folder}: those of this result are no "
                "longer there",
                help="use the result of the later run, or `Result(folder)` for what is there now; "
                "with a `name` of its own, each experiment keeps its folder",
            )
            raise ResultsError(4, [fault])
        return self.folder

    def __repr__(self) -> str:
        return f"Result({os.fspath(self.folder)!r})"

    def __str__(self) -> str:
        return call("show", self._place()).rstrip("\n")

    def _is_tuning(self) -> bool:
        return (self.folder / "settings.parquet").is_file()

    def _repr_html_(self) -> str:
        if self._is_tuning():
            return overview.text(str(self))
        rows = json.loads(call("show", self._place(), "--json"))
        name = rows[0]["experiment"] if rows else self.folder.name
        # At this width a note is one line below the table.
        table = answer(["show", self._place()], COLUMNS="65535")
        notes = [line for line in table.rpartition("──")[2].splitlines() if line.endswith(".")]
        return overview.html(name, rows, notes, self._standing())

    def _standing(self) -> Picture | None:
        """The plot that shows most at a glance; None: there is nothing to draw."""
        for start in STANDING:
            try:
                pictures = self.plots(start)
            except RunnerError:
                continue
            if pictures:
                return pictures[0]
        return None

    @property
    def complete(self) -> bool:
        """Whether all trials are done and the tables written."""
        names = ("settings",) if self._is_tuning() else ("trials", "summary")
        tables = (self._table(table) for table in names)
        return not self._is_replaced() and None not in tables

    def _table(self, table: str) -> Path | None:
        """The file of a table, or the folder of its pieces. None: it is not there, or is that of an
        earlier run, as the tables are that lie beside the parts of a run that has not ended."""
        parts = self.folder / "parts"
        if table in OF_A_RUN and parts.is_dir() and any(parts.iterdir()):
            return None
        path = self.folder / f"{table}.parquet"
        if path.is_file():
            # Without its trials a summary is that of other trials, which were moved.
            whole = table != "summary" or self._table("trials") is not None
            return path if whole else None
        return self.folder / table if any(self.folder.glob(f"{table}/{table}-*.parquet")) else None

    def read(
        self, table: str, library: str | None = None, columns: Sequence[str] | None = None
    ) -> Frame:
        """A table, such as `"timings"`, as a data frame of `"polars"` or `"pandas"`; with `columns`
        only these of it."""
        chosen = None if columns is None else each(columns)
        self._place()
        if table in OF_A_RUN and self._is_tuning():
            way_out = 'read("settings") has the settings, and Result(folder / "test") the comparison'
            fault = Fault(f"{self.folder} is a tuning, which has no table {table}", help=way_out)
            raise ResultsError(4, [fault])
        path = self._table(table)
        if path is not None:
            whole = frame.read(path, library, chosen)
            # A run may have begun meanwhile.
            if self._table(table) is not None:
                return whole
        # Of what is not finished, the program prints what there is.
        if table in PRINTED:
            text = call("show", self._place(), "--json", *PRINTED[table])
            names: list[str] = []
            if text.strip() == "[]":
                names = call("show", self._place(), "--csv", *PRINTED[table]).strip().split(",")
            return frame.chosen(frame.of_json(text, names, library), chosen)
        if table in OF_A_RUN and (self.folder / f"{table}.parquet").is_file():
            fault = Fault(
                f"the table {table} in {self.folder} is that of an earlier run: the one that was "
                "begun after it has not ended",
                help="run the experiment to its end",
            )
            raise ResultsError(4, [fault])
        raise ResultsError(4, [Fault(f"there is no table {self.folder / table}.parquet")])

    def scan(self, table: str) -> Frame:
        """A table as a lazy frame of polars, which reads what is asked for when it is collected."""
        self._place()
        path = self._table(table)
        return self.read(table, "polars").lazy() if path is None else frame.scan(path)

    @property
    def summary(self) -> Frame:
        """A row for each arm: success rate, its interval, ERT, and more."""
        return self.read("summary")

    @property
    def table(self) -> Frame:
        """A row for each arm with the ten columns of the summary that people read."""
        return self.read("summary", columns=READ)

    @property
    def trials(self) -> Frame:
        """A row for each trial."""
        return self.read("trials")

    @property
    def generations(self) -> Frame:
        """A row for each generation, where the config has a trace: `output = {"trace": "best"}`."""
        return self.read("generations")

    def compare(
        self,
        other: Result | str | os.PathLike[str] | None = None,
        *,
        against: str | None = None,
        within: Iterable[str] = (),
        arms: Iterable[str] = (),
        all_pairs: bool = False,
        sort: str | None = None,
        top: int | None = None,
        library: str | None = None,
    ) -> Frame:
        """Which arm is better, by how much, and how certain that is: a row for each comparison.

        The arguments are the flags of `runner compare`.
        """
        words: list[str | os.PathLike[str]] = ["compare", self._place()]
        if other is not None:
            words.append(self._apart(other))
        words += [f"--against={against}"] if against is not None else []
        words += [f"--within={key}" for key in each(within)]
        words += [f"--arm={arm}" for arm in each(arms)]
        words += ["--all-pairs"] if all_pairs else []
        words += [f"--sort={sort}"] if sort is not None else []
        words += [f"--top={top}"] if top is not None else []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "comparison.parquet"
            call(*words, f"--parquet={path}")
            return frame.read(path, library)

    def _apart(self, other: Result | str | os.PathLike[str]) -> Path:
        """Returns the folder of another result, which has to be another one."""
        folder = other._place() if isinstance(other, Result) else Path(other)
        if folder.exists() and folder.samefile(self.folder):
            fault = Fault(
                f"both results are those in {folder}",
                help="give the result of another folder, or none to compare the arms of this one",
            )
            raise ConfigError(2, [fault])
        return folder

    def plots(self, start: str = "", *, arms: Iterable[str] = ()) -> list[Picture]:
        """Every plot whose name starts so, in the order of their names."""
        words: list[str | os.PathLike[str]] = ["plot", self._place(), "--format=svg"]
        words += [f"--only={start}"] if start else []
        words += [f"--arm={arm}" for arm in each(arms)]
        with tempfile.TemporaryDirectory() as folder:
            call(*words, f"--out={folder}")
            files = sorted(Path(folder).glob("*.svg"))
            return [Picture(file.stem, file.read_text(encoding="utf-8")) for file in files]

    def plot(self, name: str, *, arms: Iterable[str] = ()) -> Picture:
        """The plot of this name, or the only one whose name starts so."""
        found = self.plots(name, arms=arms)
        exact = [picture for picture in found if picture.name == name]
        if len(exact or found) != 1:
            names = ", ".join(picture.name for picture in found)
            raise ConfigError(2, [Fault(f"`{name}` begins the names of several plots: {names}")])
        return (exact or found)[0]

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes everything to one HTML page (`runner report`)."""
        call("report", self._place(), f"--out={os.fspath(path)}")
        return Path(path)
