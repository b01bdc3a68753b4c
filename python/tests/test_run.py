"""Running: files, dicts, what changes them, and what is wrong with them."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import runner_lab as runner

QUEENS: dict[str, object] = {
    "repeats": 5,
    "problem": {"plugin": "nqueens", "n": 6},
    "operators": [{"name": "climb", "algorithm": {"kind": "hill-climbing", "step": "steepest"}}],
    "stop": {"evaluations": 500},
}

ONES = '''
"""The zeros of a bit string."""

import sys

from runner import Bits, Integer


class Problem:
    parameters = {"n": Integer(20, low=1, high=100, doc="Bits.")}

    def __init__(self, n):
        self.n = n

    def describe(self):
        return Bits(self.n, ideal=0, worst=self.n)

    def fitness(self, genome):
        with open("interpreter.txt", "w") as file:
            file.write(sys.prefix)
        return self.n - sum(genome)
'''


def test_a_file_runs_with_what_is_set() -> None:
    result = runner.run("eight-queens.toml", repeats=7, seed=3, set={"problem.n": 6}, jobs=1)
    assert result.folder == Path("results/eight-queens")
    assert result.summary["trials"].to_list() == [7, 7]
    assert set(result.trials["problem.n"].to_list() if "problem.n" in result.trials.columns else [6]) == {6}
    again = runner.run("eight-queens.toml", repeats=7, seed=3, set={"problem.n": 6}, out="again")
    assert (again.folder / "trials.parquet").read_bytes() == (result.folder / "trials.parquet").read_bytes()


def test_only_some_arms_run() -> None:
    result = runner.run("eight-queens.toml", arms=["tournament"], progress=False)
    assert not result.complete
    assert set(result.trials["arm"].to_list()) == {"tournament"}
    assert result.summary["trials"].to_list() == [20, 0]
    seeds = result.trials["seed"].to_list()
    complete = runner.run("eight-queens.toml", progress=False)
    assert complete.complete
    assert complete.trials["seed"].to_list()[:20] == seeds


def test_a_text_is_one_element_of_a_list(folder: Path) -> None:
    result = runner.run("eight-queens.toml", arms="random search", plugin_dirs=str(folder))
    assert set(result.trials["arm"].to_list()) == {"random search"}
    assert list(result.read("trials", columns="seed").columns) == ["seed"]
    (plot,) = result.plots("success-rate", arms="random search")
    assert plot.svg == result.plots("success-rate", arms=["random search"])[0].svg
    sizes = {"problem.n": [5, 6]}
    swept = runner.run("eight-queens.toml", set={"sweep": sizes}, out="swept", progress=False)
    one, two = swept.compare(within="problem.n"), swept.compare(within=["problem.n"])
    assert one["first"].to_list() == two["first"].to_list()
    assert len(swept.compare(arms="*n=5")) == 1 < len(one)


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), float("nan"), 2**64, -(2**63) - 1])
def test_a_number_that_no_config_has_is_named(number: float) -> None:
    for given in ({"repeats": number}, {"set": {"stop.fitness": number}}):
        with pytest.raises(runner.ConfigError, match=f"` = {number} is not allowed") as caught:
            runner.run("eight-queens.toml", **given)
        assert "numbers are finite" in (caught.value.faults[0].rule or "")


def test_a_dict_is_a_config(folder: Path) -> None:
    result = runner.run({"name": "six", **QUEENS})
    assert result.folder == Path("results/six")
    assert result.summary["arm"].to_list() == ["climb"]
    assert [path.name for path in folder.glob("*.toml")] == ["eight-queens.toml"], "it is removed"
    assert runner.run(QUEENS).folder == Path("results/experiment")


def test_a_problem_in_python_runs_in_this_interpreter(folder: Path) -> None:
    (folder / "ones.py").write_text(ONES)
    result = runner.run({**QUEENS, "problem": {"plugin": "ones.py", "n": 12}})
    assert result.summary["success_rate"].to_list() == [1.0]
    assert (folder / "interpreter.txt").read_text() == sys.prefix


def test_a_wrong_config_is_an_exception_with_the_place_and_the_way_out() -> None:
    with pytest.raises(runner.ConfigError) as caught:
        runner.run("eight-queens.toml", set={"problem.n": 0})
    (fault,) = caught.value.faults
    assert (caught.value.code, fault.file) == (2, "the command line")
    assert fault.message == "`n` = 0 is not allowed"
    assert fault.help == "raise it to at least 1"
    assert "rule: `n` must be an integer from 1 to 8388608" in str(caught.value)
    assert not Path("results").exists()


def fails(name: str) -> None:
    runner.run(f"{name}.toml", progress=False)


def test_an_error_passes_from_one_process_to_another() -> None:
    with ProcessPoolExecutor(1) as pool:
        error = pool.submit(fails, "nowhere").exception()
        assert pool.submit(fails, "eight-queens").exception() is None
    assert isinstance(error, runner.RunnerError) and "nowhere.toml" in str(error)
    fault = runner.Fault("wrong", file="a.toml", line=1, help="right")
    for first in (runner.ConfigError(2, [fault]), error):
        for again in (copy.copy(first), pickle.loads(pickle.dumps(first))):
            assert type(again) is type(first) and str(again) == str(first)
            assert (again.code, again.faults) == (first.code, first.faults)


def test_a_file_that_is_not_there_is_an_exception() -> None:
    with pytest.raises(runner.RunnerError, match="nowhere.toml"):
        runner.run("nowhere.toml")


def test_a_name_that_is_none_is_a_missing_one() -> None:
    for _ in range(2):
        result = runner.run({"name": None, **QUEENS}, progress=False)
        assert result.folder == Path("results/experiment")
    assert not (result.folder / "superseded").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"set": {"problem.n": None}}, "`problem.n` cannot be set to None"),
        ({"set": {"problem.n": Decimal(3)}}, "a config holds no Decimal"),
        ({"set": ["problem.n=6"]}, "`set` cannot be"),
        ({"repeats": object()}, "a config holds no object"),
        ({"config": [1]}, "is no config"),
        ({"config": b"eight-queens.toml"}, "is no config"),
        ({"config": {**QUEENS, "stop": {1: 2}}}, "a config holds text, not int"),
    ],
)
def test_an_argument_of_another_type_is_a_wrong_config(given: Any, message: str) -> None:
    with pytest.raises(runner.ConfigError, match=message) as caught:
        runner.run(**{"config": "eight-queens.toml", **given})
    assert caught.value.faults[0].help or caught.value.faults[0].rule
    assert not Path("results").exists()


class Zeros:
    def describe(self) -> Any:
        return pytest.importorskip("runner").Bits(4, ideal=0, worst=4)

    def fitness(self, genome: list[int]) -> float:
        return 4 - sum(genome)


def test_a_call_without_a_run_leaves_no_file_of_the_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("runner")
    given: dict[str, Any] = {"problem": Zeros(), "stop": {"evaluations": 50}, "progress": False}
    with pytest.raises(runner.ConfigError, match="a config holds no object"):
        runner.run(operators=[{"algorithm": object()}], **given)
    with monkeypatch.context() as changed:
        changed.setenv("RUNNER_PROGRAM", "/nowhere/runner")
        with pytest.raises(runner.ConfigError):
            runner.run(operators=[{"algorithm": "random-search"}], **given)
    assert not Path("results/experiment").exists()
    Path("results").mkdir(exist_ok=True)
    Path("results/file").touch()
    with pytest.raises(runner.ResultsError, match="the file of the problem cannot be written"):
        runner.run(operators=[{"algorithm": "random-search"}], name="file", **given)


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNNER_PROGRAM", "/nowhere/runner")
    for call in (lambda: runner.run("eight-queens.toml"), lambda: runner.call("plugins")):
        with pytest.raises(runner.ConfigError, match="RUNNER_PROGRAM names /nowhere/runner"):
            call()


def test_a_plugin_that_is_not_there_is_an_exception() -> None:
    with pytest.raises(runner.PluginError, match="nosuch"):
        runner.run({**QUEENS, "problem": {"plugin": "nosuch"}})


def test_a_warning_of_the_program_is_one_of_python() -> None:
    with pytest.warns(runner.RunnerWarning, match="never makes a child"):
        runner.run("eight-queens.toml", set={"stop.evaluations": 20})


FAILING = """
from runner import Bits


class Problem:
    def describe(self):
        return Bits(3, ideal=0, worst=3)

    def fitness(self, genome):
        raise ValueError("not yet")
"""


def test_a_run_that_stopped_is_a_warning_with_the_way_out(folder: Path) -> None:
    (folder / "failing.py").write_text(FAILING)
    config: dict[str, object] = {**QUEENS, "problem": {"plugin": "failing.py"}, "repeats": 1000}
    with pytest.warns(runner.RunnerWarning) as caught:
        result = runner.run(config, jobs=1, progress=False)
    (stopped,) = [str(one.message) for one in caught if "stopped" in str(one.message)]
    assert stopped.endswith(
        "trials failed; correct the cause and run it again with `retry_failed=True`, or give "
        "`keep_going=True` to run the others too"
    )
    assert result.notes == () and not result.complete
    with pytest.warns(runner.RunnerWarning, match="failed: 1,000 trials"):
        assert runner.run(config, jobs=1, keep_going=True, progress=False).complete
    (folder / "failing.py").write_text(FAILING.replace('raise ValueError("not yet")', "return 0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert runner.run({**config, "repeats": 3}, out="other", progress=False).complete


def test_trials_in_excess_of_a_stopping_rule_are_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rule = runner.Repeats(max=30, successes=2)
        result = runner.run("eight-queens.toml", repeats=rule, jobs=2, progress=False)
    assert result.complete


def test_trials_that_are_run_again_as_asked_are_no_warning(folder: Path) -> None:
    (folder / "failing.py").write_text(
        FAILING.replace("raise ValueError", 'open("there")\n        return 0  #')
    )
    config = {**QUEENS, "problem": {"plugin": "failing.py"}}
    with pytest.warns(runner.RunnerWarning, match="failed: 5 trials"):
        runner.run(config, progress=False, keep_going=True)
    (folder / "there").touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = runner.run(config, progress=False, retry_failed=True)
    assert result.summary["failures"].to_list() == [0]
    assert any("`retry_failed=True`" in note for note in result.notes), result.notes


def test_progress_is_shown_and_can_be_silenced(capfd: pytest.CaptureFixture[str]) -> None:
    runner.run("eight-queens.toml")
    shown = capfd.readouterr()
    assert "eight-queens: 100%" in shown.err
    assert "40/40" in shown.err
    assert shown.out == ""
    runner.run("eight-queens.toml", out="again", progress=False)
    assert capfd.readouterr() == ("", "")


def test_any_command_can_be_called() -> None:
    genes = runner.call("sample", "chess960", "--number", "518", "--format", "genes")
    assert genes == "1 2 3 4 5 3 2 1\n"
    with pytest.raises(runner.ConfigError, match="chekc"):
        runner.call("chekc", "x.toml")
    result = runner.run("eight-queens.toml", progress=False)
    with pytest.raises(runner.RunnerError, match="random search") as caught:
        runner.call("gate", result.folder, "--at-least", "success_rate >= 0.999")
    assert caught.value.code == 1


FAULTY = """
import random

from runner import Bits


class Problem:
    def describe(self):
        return Bits(8, ideal=0)

    def fitness(self, genome):
        return random.random()
"""


def test_the_answer_of_a_command_that_finds_faults_is_the_exception(folder: Path) -> None:
    """Not its progress, which takes a second to appear."""
    pytest.importorskip("runner")
    (folder / "faulty.py").write_text(FAULTY)
    with pytest.raises(runner.RunnerError) as caught:
        runner.call("conformance", "faulty.py", "--seconds", "2")
    said = str(caught.value)
    assert "repeatable" in said and "failed" in said and not said.startswith("checking")


def test_a_config_that_cannot_be_written_is_told_with_its_place(folder: Path) -> None:
    with pytest.raises(runner.ResultsError, match="no/such/x.toml: the config cannot be written"):
        runner.save({"name": "x"}, "no/such/x.toml")


def test_the_shipped_plugins_are_found() -> None:
    listed = runner.call("plugins")
    for name in ("chess960", "coloring", "continuous", "edges", "nqueens", "onemax", "pbo"):
        assert name in listed
