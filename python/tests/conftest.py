"""A folder of its own for each test, with an experiment in it."""

from __future__ import annotations

from pathlib import Path

import pytest

EIGHT_QUEENS = """
name    = "eight-queens"
seed    = 2026
repeats = 20

[problem]
plugin = "nqueens"
n      = 8

[[operators]]
name       = "tournament"
population = 50
selection  = { kind = "tournament", size = 3 }
crossover  = { kind = "one-point", rate = 0.9 }
mutation   = { kind = "reset", rate = 0.1 }

[[operators]]
name      = "random search"
algorithm = "random-search"

[stop]
evaluations = 2000
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder; `eight-queens.toml` is in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eight-queens.toml").write_text(EIGHT_QUEENS)
    return tmp_path
