"""Reads the tables of an experiment with Polars.

    python examples/read_polars.py results/eight-queens
"""

import sys

import polars as pl

folder = sys.argv[1]
summary = pl.read_parquet(f"{folder}/summary.parquet")
trials = pl.scan_parquet(f"{folder}/trials.parquet")

# The summary's figures, recomputed from the trials; failed trials are not part of any statistic.
again = (
    trials.filter(~pl.col("outcome").is_in(["failed", "crashed"]))
    .group_by("arm_id")
    .agg(
        success_rate=pl.col("success").mean(),
        ert=(pl.coalesce("evaluations_to_success", "evaluations").sum() / pl.col("success").sum()).replace(float("inf"), None),
        median=pl.col("evaluations_to_success").median(),
    )
    .collect()
)
both = summary.join(again, on="arm_id", suffix="_again", maintain_order="left")
print(both.select("arm", "trials", "success_rate", "success_low", "success_high", "ert", "median"))

for figure in ("success_rate", "ert"):
    here, there = both[figure].fill_null(-1), both[f"{figure}_again"].fill_null(-1)
    assert ((here - there).abs() <= 1e-9 * here.abs()).all(), figure
