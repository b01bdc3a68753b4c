"""Reads the tables of an experiment with DuckDB: SQL directly on the files.

    python examples/read_duckdb.py results/eight-queens
"""

import os
import sys

import duckdb

folder = sys.argv[1]
rows = duckdb.sql(
    f"""
    with again as (
        select
            arm_id,
            avg(success::int) as rate_again,
            sum(coalesce(evaluations_to_success, evaluations)) / nullif(count(*) filter (success), 0) as ert_again,
            median(evaluations_to_success) as median
        from '{folder}/trials.parquet'
        where outcome not in ('failed', 'crashed')  -- not part of any statistic
        group by arm_id
    )
    select arm, trials, success_rate, success_low, success_high, ert, median, rate_again, ert_again
    from '{folder}/summary.parquet' join again using (arm_id)
    """
)
print(rows.project("arm, trials, success_rate, success_low, success_high, ert, median"))

# Where no target says what success is, a rate is null.
rows = rows.filter("success_rate is not null")
for arm, _, rate, _, _, ert, _, rate_again, ert_again in rows.fetchall():
    assert abs(rate - rate_again) <= 1e-9, arm
    assert ert is ert_again or abs(ert - ert_again) <= 1e-9 * ert, arm

# Populations, where the trace has their genomes: how many different ones each trial ends with.
path = f"{folder}/generations.parquet"
if os.path.exists(path) and "genome" in duckdb.read_parquet(path).columns:
    last = f"select * from '{path}' qualify generation = max(generation) over (partition by arm_id, trial)"
    print(duckdb.sql(f"select arm_id, trial, count(distinct genome) as genomes from ({last}) group by all order by all"))
