"""Reads the tables of an experiment with pandas.

    python examples/read_pandas.py results/eight-queens
"""

import os
import sys

import pandas as pd
import pyarrow.parquet

folder = sys.argv[1]
summary = pd.read_parquet(f"{folder}/summary.parquet")
trials = pd.read_parquet(f"{folder}/trials.parquet", columns=["arm_id", "outcome", "success", "evaluations", "evaluations_to_success"])

# The summary's figures, recomputed from the trials; failed trials are not part of any statistic.
trials = trials[~trials["outcome"].isin(["failed", "crashed"])]
trials["spent"] = trials["evaluations_to_success"].fillna(trials["evaluations"])
arms = trials.groupby("arm_id", sort=False)
again = pd.DataFrame(
    {
        "rate_again": arms["success"].mean(),
        "ert_again": arms["spent"].sum() / arms["success"].sum(),
        "median": arms["evaluations_to_success"].median(),
    }
)
both = summary.merge(again, left_on="arm_id", right_index=True)
print(both[["arm", "trials", "success_rate", "success_low", "success_high", "ert", "median"]].to_string(index=False))

# Where no target says what success is, a rate is missing.
both = both[both["success_rate"].notna()]
assert ((both["success_rate"] - both["rate_again"]).abs() <= 1e-9).all()
known = both[both["ert"].notna()]
assert ((known["ert"] - known["ert_again"]).abs() <= 1e-9 * known["ert"]).all()

# Populations, where the trace has their genomes: how many different ones each trial ends with.
path = f"{folder}/generations.parquet"
trial = ["arm_id", "trial"]
if os.path.exists(path) and "genome" in pyarrow.parquet.read_schema(path).names:
    generations = pd.read_parquet(path, columns=[*trial, "generation", "genome"])
    last = generations[generations["generation"] == generations.groupby(trial)["generation"].transform("max")]
    print(last.assign(genome=last["genome"].map(tuple)).groupby(trial, sort=False)["genome"].nunique())
