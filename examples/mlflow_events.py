"""Logs the events of a run to MLflow while it goes on: a run per arm, and below it one per trial.

    runner configs/onemax.toml --progress json --generation-events 10 2>&1 >/dev/null |
        python examples/mlflow_events.py sqlite:///mlflow.db --trials 5

Trials have a metric per figure of their generations, over evaluations. Arms have their success rate
over trials. Only the first trials of each arm are logged (--trials, 10 by default). Messages and
lines that are no events go to standard error. Needs the package `mlflow`; for a store of files or a
server, `mlflow-skinny` is enough.
"""

import argparse
import json
import sys
import time

from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient

# Figures of a generation, as in docs/events.md.
FIGURES = ("best", "mean", "worst", "best_so_far", "best_violation", "feasible_share", "violation_so_far", "diversity")
# MLflow takes at most 1,000 metrics at a time.
AT_ONCE = 900


class Experiment:
    """An experiment of a run, with its MLflow runs by arm and by arm and trial."""

    def __init__(self, client: MlflowClient, name: str) -> None:
        self.client = client
        found = client.get_experiment_by_name(name)
        self.id = found.experiment_id if found else client.create_experiment(name)
        self.runs: dict[tuple, str] = {}
        self.waiting: dict[str, list[Metric]] = {}

    def run(self, *key: object) -> str:
        """Returns the MLflow run of an arm, or of an arm and a trial, and makes it if it is new."""
        if key not in self.runs:
            arm, *trial = key
            tags = {"mlflow.parentRunId": self.run(arm)} if trial else {}
            name = f"{arm}, trial {trial[0]}" if trial else str(arm)
            run = self.client.create_run(self.id, run_name=name, tags=tags).info.run_id
            params = [Param("arm", str(arm))] + [Param("trial", str(number)) for number in trial]
            self.client.log_batch(run, params=params)
            self.runs[key] = run
        return self.runs[key]

    def log(self, run: str, step: int, figures: dict[str, float]) -> None:
        now = int(time.time() * 1000)
        waiting = self.waiting.setdefault(run, [])
        waiting += [Metric(name, float(value), now, step) for name, value in figures.items()]
        if len(waiting) >= AT_ONCE:
            self.flush(run)

    def flush(self, run: str) -> None:
        metrics = self.waiting.pop(run, [])
        for first in range(0, len(metrics), AT_ONCE):
            self.client.log_batch(run, metrics=metrics[first : first + AT_ONCE])

    def end(self, status: str) -> None:
        for run in self.runs.values():
            self.flush(run)
            self.client.set_terminated(run, status)


def events():
    """Yields the events of standard input."""
    for line in sys.stdin:
        try:
            event = json.loads(line)
            is_event = isinstance(event, dict) and "event" in event
        except ValueError:
            is_event = False
        if not is_event:
            print(line, end="", file=sys.stderr)
        elif "message" in event:
            print(f"{event['event']}: {event['message']}", file=sys.stderr)
        else:
            yield event


def main() -> None:
    parser = argparse.ArgumentParser(description="Logs the events of a run to MLflow.")
    parser.add_argument("store", help="such as sqlite:///mlflow.db, or the address of a server")
    parser.add_argument("--trials", type=int, default=10, metavar="N", help="trials to log per arm")
    arguments = parser.parse_args()
    client = MlflowClient(tracking_uri=arguments.store)
    experiment = None
    for event in events():
        kind = event["event"]
        if kind == "started":
            experiment = Experiment(client, event["experiment"])
        elif kind == "generation" and event["trial"] < arguments.trials:
            figures = {name: event[name] for name in FIGURES if event.get(name) is not None}
            experiment.log(experiment.run(event["arm"], event["trial"]), event["evaluations"], figures)
        elif kind == "advanced":
            ran = event["trials"] - event["failures"]
            figures = {"successes": event["successes"], "failures": event["failures"]}
            if ran:
                figures["success_rate"] = event["successes"] / ran
            experiment.log(experiment.run(event["arm"]), event["trials"], figures)
        elif kind == "ended":
            experiment.end("KILLED" if event["interrupted"] else "FINISHED")
            experiment = None
    if experiment is not None:
        # The program ended before it could say so.
        experiment.end("FAILED")


main()
