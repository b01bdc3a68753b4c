"""Share of the time that the workers of a cluster are busy, when they evaluate a slow fitness.

Starts Dask with 16 workers on this machine, which only wait, and runs examples/python/dask_fitness.py
with some numbers of trials at a time. Needs the package distributed.

    python benches/python/cluster.py target/release/runner
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNNER = str(Path(sys.argv[1]).resolve())
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/python/dask_fitness.py"
WORKERS, SECONDS, TRIALS, POPULATION, EVALUATIONS = 16, 0.05, 16, 32, 640

CONFIG = f"""
repeats = {TRIALS}
[problem]
plugin = "{EXAMPLE}"
interpreter = "{sys.executable}"
seconds = {SECONDS}
[[operators]]
preset = "simple-ga"
population = {POPULATION}
[stop]
evaluations = {EVALUATIONS}
on-success = "continue"
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        place = ["--scheduler-file", str(file), "--no-dashboard"]
        dask = [sys.executable, "-m", "dask"]
        processes = [
            subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *place], stderr=subprocess.DEVNULL)
        ]
        while not file.exists() or not file.read_text():
            time.sleep(0.1)
        threads = ["--nworkers", "2", "--nthreads", str(WORKERS // 2)]
        processes.append(
            subprocess.Popen([*dask, "worker", "--host", "127.0.0.1", *threads, *place], stderr=subprocess.DEVNULL)
        )
        address = json.loads(file.read_text())["address"]
        from distributed import Client

        with Client(address) as client:
            client.wait_for_workers(2)
        Path(folder, "x.toml").write_text(CONFIG)
        for jobs in (1, 2, 4):
            started = time.monotonic()
            command = [RUNNER, "x.toml", "--jobs", str(jobs), "--out", str(jobs), "--progress", "none"]
            environment = {**os.environ, "DASK_SCHEDULER_ADDRESS": address}
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - started
            busy = TRIALS * EVALUATIONS * SECONDS / (WORKERS * seconds)
            print(f"{jobs} trials at a time: {seconds:.1f} s, workers busy {100 * busy:.0f} % of it", flush=True)
        for process in reversed(processes):
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
