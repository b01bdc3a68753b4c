"""Configs as objects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import runner_lab as runner

FOLDER = Path(__file__).resolve().parent.parent

EXPERIMENT = runner.Experiment(
    name="six-queens",
    problem=runner.Problem("nqueens", n=6),
    repeats=runner.Repeats(max=40, half_width=0.2),
    operators=[
        runner.OperatorSet(
            name="tournament",
            population=20,
            selection=runner.Operator("tournament", size=3),
            crossover=runner.Operator("one-point", rate=0.9),
            mutation=runner.Operator("reset", gene_rate=0.1),
            restarts=runner.Restarts(stagnation=20),
        ),
        runner.OperatorSet(name="random", algorithm="random-search"),
    ],
    sweep={"problem.n": runner.Range(from_=5, to=6, step=1)},
    stop=runner.Stop(evaluations=500, keep_ended=True),
    output=runner.Output(trace="best"),
)


def test_objects_are_the_keys_of_a_file() -> None:
    assert EXPERIMENT.to_dict() == {
        "name": "six-queens",
        "problem": {"plugin": "nqueens", "n": 6},
        "repeats": {"max": 40, "half-width": 0.2},
        "operators": [
            {
                "name": "tournament",
                "population": 20,
                "selection": {"kind": "tournament", "size": 3},
                "crossover": {"kind": "one-point", "rate": 0.9},
                "mutation": {"kind": "reset", "gene-rate": 0.1},
                "restarts": {"stagnation": 20},
            },
            {"name": "random", "algorithm": "random-search"},
        ],
        "sweep": {"problem.n": {"from": 5, "to": 6, "step": 1}},
        "stop": {"evaluations": 500, "keep-ended": True},
        "output": {"trace": "best"},
    }


def test_an_experiment_runs_as_its_dict_does() -> None:
    stop = runner.Stop(evaluations=300)
    first = runner.run(EXPERIMENT, stop=stop, repeats=3, progress=False)
    given = {**EXPERIMENT.to_dict(), "stop": {"evaluations": 300}}
    second = runner.run(given, out="again", repeats=3, progress=False)
    assert len(first.summary) == 4
    for table in ("trials", "summary", "generations"):
        name = f"{table}.parquet"
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()


def test_parts_stand_for_what_they_are() -> None:
    assert runner.Problem("ones.py", n_items=3).to_dict() == {"plugin": "ones.py", "n_items": 3}
    assert runner.Problem("chess960", open_squares=3).to_dict()["open-squares"] == 3
    for path in ("ones.py", Path("ones.py")):
        assert "n_items" in runner.Problem(path, n_items=3).to_dict()
        assert "step_size" in runner.OperatorPlugin(path, step_size=0.2).to_dict()
    for path in ("libones.so", Path("libones.so")):
        assert "n-items" in runner.Problem(path, n_items=3).to_dict()
        assert "step-size" in runner.OperatorPlugin(path, step_size=0.2).to_dict()
    assert repr(runner.Operator("tournament", size=3)) == "Operator('tournament', size=3)"
    assert runner.Operator("swap") == runner.Operator("swap") != runner.Operator("insert")
    rule = runner.Repeats(max=30, successes=2)
    assert runner.run("eight-queens.toml", repeats=rule, progress=False).complete


OPERATORS = """
from runner import Mutation, Real


class Jump(Mutation):
    encodings = ["bits"]
    parameters = {"step_size": Real(0.5, low=0, high=1, doc="How far.")}

    def mutate(self, genome, rng):
        return [gene ^ (rng.random() < self.step_size) for gene in genome]
"""


def test_a_parameter_of_an_operator_in_python_keeps_its_name(folder: Path) -> None:
    pytest.importorskip("runner")
    (folder / "ops.py").write_text(OPERATORS)
    jump = runner.OperatorPlugin("ops.py", operator="jump", step_size=0.25)
    result = runner.run(
        problem=runner.Problem("onemax", length=20),
        operators=[runner.OperatorSet(population=5, selection="uniform", mutation=jump)],
        stop=runner.Stop(evaluations=100),
        repeats=2,
        progress=False,
    )
    assert "step_size = 0.25" in result.summary["settings"].to_list()[0]


def test_a_config_is_saved_as_a_file(folder: Path) -> None:
    path = runner.save(EXPERIMENT, folder / "saved.toml")
    assert path == folder / "saved.toml"
    first = runner.run(path, repeats=2, out="first", progress=False)
    second = runner.run(EXPERIMENT, repeats=2, out="second", progress=False)
    assert first.folder == Path("first/six-queens")
    table = "trials.parquet"
    assert (first.folder / table).read_bytes() == (second.folder / table).read_bytes()
    assert "name" not in runner.save({"repeats": 3}, "part.toml").read_text()


class Zeros:
    def __init__(self, n: int) -> None:
        self.n = n

    def describe(self) -> Any:
        return pytest.importorskip("runner").Bits(self.n, ideal=0, worst=self.n)

    def fitness(self, genome: list[int]) -> float:
        return self.n - sum(genome)


def test_a_problem_is_saved_beside_a_config(folder: Path) -> None:
    pytest.importorskip("runner")
    (folder / "below").mkdir()
    search = {"algorithm": "random-search"}
    config = {"problem": Zeros(5), "operators": [search], "stop": {"evaluations": 9}, "repeats": 2}
    path = runner.save(config, "below/zeros.toml")
    (plugin,) = (folder / "below" / "problems").iterdir()
    assert f'"plugin" = "problems/{plugin.name}"' in path.read_text()
    assert runner.run(path, progress=False).folder == Path("results/zeros")


def test_a_tuning_is_run_from_a_file() -> None:
    tuning = runner.Experiment(
        name="population",
        problem=runner.Problem("onemax", length=10),
        operators=[runner.OperatorSet(population=9, selection="uniform", mutation="bit-flip")],
        stop=runner.Stop(evaluations=200),
        tune=runner.Tune(budget=200, keys={"operators.population": runner.Range(from_=2, to=9)}),
    )
    with pytest.raises(runner.ConfigError, match="this file is a tuning") as caught:
        runner.run(tuning)
    assert caught.value.faults[0].help == (
        'run it by `runner.call("tune", file)`; `runner.save(config, file)` writes a config to a '
        "file"
    )
    assert "settings.parquet" in runner.call("tune", runner.save(tuning, "tuning.toml"))


def test_a_wrong_key_is_found_where_it_is_written() -> None:
    with pytest.raises(TypeError, match="evalutions"):
        runner.Stop(evalutions=5)  # type: ignore[call-arg]


def test_a_fault_of_a_dict_names_the_path_of_its_key(folder: Path) -> None:
    good = {"preset": "rls", "name": "good, { name = 1 }"}
    wrong = {
        "name": "wrong",
        "label": None,
        "population": 20,
        "selection": {"kind": "tournament", "size": 0},
        "mutation": "bit-flip",
    }
    stop = {"evaluations": 500}
    problem = {"plugin": "onemax", "length": 20}
    with pytest.raises(runner.ConfigError) as caught:
        runner.run(problem=problem, operators=[good, wrong], stop=stop, progress=False)
    (fault,) = caught.value.faults
    assert (fault.key, fault.file) == ("operators[1].selection.size", None)
    assert "at operators[1].selection.size (out of range)" in str(fault)
    problem = {"plugin": "onemax", "lenght": 20}
    with pytest.raises(runner.ConfigError) as caught:
        runner.run(problem=problem, operators=[good], stop=stop, progress=False)
    assert caught.value.faults[0].key == "problem.lenght"
    with pytest.raises(runner.ConfigError, match="`problem.length` cannot be set to None"):
        runner.run(operators=[good], stop=stop, set={"problem.length": None}, progress=False)


def test_the_classes_are_those_of_the_schema() -> None:
    subprocess.run([sys.executable, FOLDER / "generate_config.py", "--check"], check=True)
    schema = json.loads((FOLDER.parent / "configs" / "runner.schema.json").read_text())
    keys = {field.replace("_", "-") for field in runner.Experiment.__dataclass_fields__}
    assert keys == set(schema["properties"])
