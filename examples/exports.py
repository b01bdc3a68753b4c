"""Compares exported results with the tables they came from: expected running times and run-length
distributions of fitness 0, computed by iohinspector and by cocopp from the exported files, and from
summary.parquet and trials.parquet.

    pip install iohinspector cocopp six matplotlib scipy setuptools
    runner configs/chess960-paper.toml configs/onemax.toml configs/queens-by-size.toml
    for name in chess960-paper onemax queens-by-size; do
        runner export results/$name --format ioh; runner export results/$name --format coco
    done
    python examples/exports.py results/chess960-paper results/onemax results/queens-by-size

Prints a line per arm, and ends with code 1 if the relative difference of a figure exceeds 1e-9.
"""

import os
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import polars as pl

warnings.simplefilter("ignore")
BUDGETS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000]


def ours(folder):
    """For each arm: its row, the genome's length, the ERT, the shares solved within the budgets, and
    the numbers of evaluations of unsolved trials."""
    trials = pl.read_parquet(folder / "trials.parquet")
    figures = []
    for row in pl.read_parquet(folder / "summary.parquet").iter_rows(named=True):
        of_arm = trials.filter(pl.col("arm_id") == row["arm_id"])
        lengths = of_arm["evaluations_to_success"].to_numpy().astype(float)
        shares = [float(np.mean(lengths <= budget)) for budget in BUDGETS]
        unsolved = of_arm.filter(~pl.col("success"))["evaluations"].unique().to_list()
        figures.append((row, len(of_arm["best"][0]), row["ert"], shares, unsolved))
    return figures


def by_iohinspector(folder):
    import iohinspector
    from iohinspector.align import align_data

    manager = iohinspector.DataManager()
    manager.add_folders([str(path) for path in sorted((folder / "ioh").iterdir())])
    # The files hold the best so far. With monotonic=True, iohinspector 0.0.8 drops the first line of
    # a run that begins where the previous one ended, such as one that succeeds at once.
    data = manager.load(monotonic=False, include_meta_data=True)
    data = data.unique(["data_id", "raw_y"], keep="first", maintain_order=True)
    figures = {}
    for key, runs in data.group_by(["algorithm_name", "function_name", "dimension"]):
        # Runs without success count with the largest number of evaluations, which is also theirs.
        most = int(runs["evals"].max())
        aggregated = iohinspector.metrics.aggregate_running_time(
            runs, f_min=0.0, f_max=1.0, scale_f_log=False, eval_max=most, return_as_pandas=False
        )
        ert = aggregated.filter(pl.col("raw_y") == 0.0)["ERT"][0]
        aligned = align_data(
            runs.cast({"evaluations": pl.Int64}), BUDGETS, group_cols=["data_id"], x_col="evaluations", y_col="raw_y", silence_warning=True
        )
        solved = aligned.group_by("evaluations").agg((pl.col("raw_y") <= 0.0).mean()).sort("evaluations")
        figures[key] = (ert, solved["raw_y"].to_list())
    return figures


def by_cocopp(folder):
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        from cocopp.pproc import DataSetList

        figures = {}
        for info in sorted((folder / "coco").glob("*/*.info")):
            comments = [line.split(": ", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("%")]
            for one, function in zip(DataSetList([str(info)]), comments):
                lengths = np.asarray(one.detEvals([1e-8])[0], dtype=float)
                shares = [float(np.mean(lengths <= budget)) for budget in BUDGETS]
                figures[(one.algId, function, one.dim)] = (float(one.detERT([1e-8])[0]), shares)
    return figures


def plain(name):
    return "-".join(word for word in "".join(c if c.isalnum() or c in ".+" else "-" for c in name).split("-") if word)


def main():
    wrong = 0
    print("| experiment | arm | ERT, runner | iohinspector | cocopp | largest difference of the run-length distributions |")
    print("|---|---|---:|---:|---:|---:|")
    for folder in map(Path, sys.argv[1:]):
        ioh, coco = by_iohinspector(folder), by_cocopp(folder)
        for row, dimension, ert, shares, unsolved in ours(folder):
            # The arm's runs are those whose algorithm is its operator set and whose function name
            # contains its swept values.
            swept = [str(value) for key, value in row.items() if key.startswith("problem.") and value is not None and value != dimension]
            found = []
            for figures, name in ((ioh, lambda text: text), (coco, plain)):
                operators = row["operators"] if figures is ioh else row["operators"].replace(",", " ")
                keys = [key for key in figures if key[0] == operators and key[2] == dimension and all(name(word) in key[1] for word in swept)]
                assert len(keys) == 1, (row["arm"], keys)
                found.append(figures[keys[0]])
            infinite = [np.inf if value is None else value for value in (ert, found[0][0], found[1][0])]
            gap = max(abs(a - b) for _, other in found for a, b in zip(shares, other))
            same = all(value == infinite[0] or abs(value / infinite[0] - 1) < 1e-9 for value in infinite[1:]) and gap < 1e-9
            wrong += not same
            words = " | ".join(f"{value:.4f}" for value in infinite)
            print(f"| {folder.name} | {row['arm']} | {words} | {gap:.1g} |" + ("" if same else "  <-- differs"), f"{unsolved if not same else ''}")
    sys.exit(wrong > 0)


main()
