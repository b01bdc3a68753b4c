"""Reads the tables of an experiment with Polars.

    python examples/read_polars.py results/eight-queens
"""

import os
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

# Populations, where the trace has their genomes: how many different ones each trial ends with.
generations = pl.scan_parquet(f"{folder}/generations.parquet") if os.path.exists(f"{folder}/generations.parquet") else None
if generations is not None and "genome" in generations.collect_schema():
    last = generations.filter(pl.col("generation") == pl.col("generation").max().over("arm_id", "trial"))
    genome = pl.col("genome").cast(pl.List(pl.String)).list.join(" ")
    print(last.group_by("arm_id", "trial", maintain_order=True).agg(genome.n_unique()).collect())

# Where no target says what success is, a rate is null.
both = both.filter(pl.col("success_rate").is_not_null())
for figure in ("success_rate", "ert"):
    here, there = both[figure].fill_null(-1), both[f"{figure}_again"].fill_null(-1)
    assert ((here - there).abs() <= 1e-9 * here.abs()).all(), figure
