"""A real notebook: cells in a kernel."""

from __future__ import annotations

from importlib import util
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    "import numpy as np\nimport runner_lab as runner\nfrom dataclasses import dataclass\n"
    "from runner import Bits\n\nCAPACITY = 9",
    "@dataclass\nclass Item:\n    weight: int\n    value: int",
    "ITEMS = [(2, 3), (3, 4), (4, 5), (5, 8)]\n\ndef items():\n"
    "    return [Item(*pair) for pair in ITEMS]",
    '''class Knapsack:
    """What fits into it."""

    def __init__(self, capacity=CAPACITY):
        self.capacity = capacity

    def describe(self):
        return Bits(4, ideal=-13, worst=0)

    def evaluate(self, genomes):
        every = items()
        weight = genomes @ np.array([one.weight for one in every])
        value = genomes @ np.array([one.value for one in every])
        return np.where(weight <= self.capacity, -value, 0)''',
    '''result = runner.run(problem=Knapsack(), operators=[{"algorithm": "exhaustive"}],
                    stop={"evaluations": 16}, repeats=2, name="cells")
result''',
    "print(sorted(path.name for path in (result.folder / 'problems').iterdir()))",
]


def execute(folder: Path) -> list[list[dict[str, Any]]]:
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    where = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(book, kernel_name="python3", resources=where).execute()
    return [cell.outputs for cell in book.cells]


def test_a_class_in_a_cell_runs_and_continues_in_another_kernel(folder: Path) -> None:
    first = execute(folder)
    shown = first[4][-1]["data"]["text/html"]
    shows = [list(output.get("data", ())) for output in first[4]]
    if util.find_spec("ipywidgets") is not None:
        assert "application/vnd.jupyter.widget-view+json" in shows[0], "a bar of the notebook's own"
    assert "<td" in shown and "data:image/svg+xml" in shown
    table = (folder / "results" / "cells" / "trials.parquet").read_bytes()
    second = execute(folder)
    assert second[5] == first[5]
    assert (folder / "results" / "cells" / "trials.parquet").read_bytes() == table
    assert not (folder / "results" / "cells" / "superseded").exists()
