"""Experiments in evolutionary search, from Python.

    import runner_lab as runner

    result = runner.run("eight-queens.toml", repeats=200, set={"problem.n": 10})
    result.summary                # a data frame of polars or pandas, whichever is there
    result.compare()
    result.plot("run-length")     # a notebook shows it

The program `runner` does the work; it is in the wheel. docs/python.md has the rest.
"""

from .config import (
    Budget,
    Experiment,
    Mix,
    Noise,
    OperatorSet,
    Output,
    Range,
    Repeats,
    Restarts,
    Schedule,
    Sharing,
    Start,
    Stop,
    Tune,
)
from .experiment import run, save
from .failure import ConfigError, Fault, PluginError, ResultsError, RunnerError, RunnerWarning
from .picture import Picture
from .program import call, find
from .result import Result
from .settings import Operator, OperatorPlugin, Problem

__all__ = [
    "Budget",
    "ConfigError",
    "Experiment",
    "Fault",
    "Mix",
    "Noise",
    "Operator",
    "OperatorPlugin",
    "OperatorSet",
    "Output",
    "Picture",
    "PluginError",
    "Problem",
    "Range",
    "Repeats",
    "Restarts",
    "Result",
    "ResultsError",
    "RunnerError",
    "RunnerWarning",
    "Schedule",
    "Sharing",
    "Start",
    "Stop",
    "Tune",
    "call",
    "find",
    "run",
    "save",
]
