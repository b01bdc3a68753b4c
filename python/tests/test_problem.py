"""Problems that are classes and objects of the caller."""

from __future__ import annotations

import importlib.util
import math
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module, reload
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

import runner_lab as runner
from runner_lab import problem as problem_file
from runner_lab import source
from runner_lab.byvalue import ByValue
from runner_lab.module import importable

# The wheel has it; in the repository it is in plugins/python.
sdk = pytest.importorskip("runner")
Bits, Integer = sdk.Bits, sdk.Integer

SHARE = Fraction(1, 2)
LIMITS = {"low": [0, 1.5], "high": (math.inf,)}


def distance(zeros: int) -> float:
    return halved(2 * zeros) if zeros < 1000 else distance(zeros - 1)


def halved(number: int) -> float:
    return float(number * SHARE) + min(LIMITS["low"])


class Described:
    n: int

    def describe(self) -> Any:
        return Bits(self.n, ideal=0, worst=2 * self.n)


class Ones(Described):
    """The zeros of a bit string."""

    def __init__(self, n: int) -> None:
        self.n = n

    def fitness(self, genome: list[int]) -> float:
        return distance(self.n - sum(genome))


class Weighted(Described):
    def __init__(self, weights: list[int], scale: float = 1.0) -> None:
        self._weights, self.scale = weights, scale
        self.n = len(weights)

    def fitness(self, genome: list[int]) -> float:
        return self.scale * sum(w for w, gene in zip(self._weights, genome) if not gene)


class Changed(Described):
    """An object whose constructor does not tell how it is made."""

    def __init__(self, size: int) -> None:
        self.n = size

    def fitness(self, genome: list[int]) -> float:
        return float(self.n - sum(genome))


class Declared(Described):
    name = "declared-ones"
    version = "7"
    parameters = {"n": Integer(9, low=1, high=100, doc="Bits.")}

    def __init__(self, n: int) -> None:
        self.n = n

    def fitness(self, genome: list[int]) -> float:
        return float(self.n - sum(genome))


def run(problem: object, **more: Any) -> runner.Result:
    return runner.run(
        problem=problem,
        operators=[{"name": "climb", "algorithm": {"kind": "hill-climbing", "step": "steepest"}}],
        **{"stop": {"evaluations": 500}, "repeats": 4, "progress": False, **more},
    )


def file(result: runner.Result) -> Path:
    (path,) = (result.folder / "problems").iterdir()
    return path


def settings(result: runner.Result) -> str:
    (text,) = result.summary["settings"].to_list()
    return str(text)


def test_an_object_runs_by_its_source_and_can_be_verified() -> None:
    result = run(Ones(12))
    assert result.summary["success_rate"].to_list() == [1.0]
    assert result.summary["problem"].to_list() == ["ones"]
    assert "n = 12" in settings(result)
    text = file(result).read_text()
    assert '"""The zeros of a bit string."""' in text and "def halved" in text
    assert "4 of 4 trials are the same" in runner.call("verify", result.folder)


def test_the_same_class_continues_its_results() -> None:
    first = run(Ones(12), name="ones")
    written = file(first).read_bytes()
    table = (first.folder / "trials.parquet").read_bytes()
    seeds = first.trials["seed"].to_list()
    again = run(Ones(12), name="ones", repeats=5)
    assert file(again).read_bytes() == written
    assert again.trials["seed"].to_list()[:4] == seeds
    assert not (again.folder / "superseded").exists()
    assert (run(Ones(12), out="other").folder / "trials.parquet").stat().st_size > 0
    assert (run(Ones(12), name="ones", out="other").folder / "trials.parquet").read_bytes() == table


def test_arguments_of_the_constructor_are_parameters() -> None:
    config = {"sweep": {"problem.n": [5, 6, 7]}}
    result = runner.run(
        config,
        problem=Ones(12),
        operators=[{"algorithm": "random-search"}],
        stop={"evaluations": 50},
        repeats=2,
        progress=False,
    )
    assert len(result.summary) == 3
    weighted = run(Weighted([3, 1, 2]), name="weighted", set={"problem.scale": 0.5})
    assert "scale = 0.5" in settings(weighted)
    assert "weights=[3, 1, 2]" in file(weighted).read_text()


def test_an_object_that_was_changed_runs_as_it_is() -> None:
    problem = Changed(5)
    problem.n = 8
    result = run(problem)
    assert len(result.trials["best"].to_list()[0]) >= 8
    assert "'n': 8" in file(result).read_text()


def test_a_class_runs_with_the_parameters_that_it_declares() -> None:
    result = run({"plugin": Declared, "n": 11})
    assert result.summary["problem"].to_list() == ["declared-ones"]
    assert "n = 11" in settings(result)
    assert "n = 9" in settings(run(Declared, name="default"))
    assert "n = 10" in settings(run(Declared(10), name="object"))
    with pytest.raises(runner.ConfigError, match=r"`n` = 200 is not allowed"):
        run(Declared(200))


@dataclass
class Item:
    weight: int
    text: str = """several
   
lines of numpy."""


class Filled(Described):
    def __init__(self, n: int) -> None:
        self.n = n
        self.items = [Item(1) for _ in range(n)]

    def fitness(self, genome: list[int]) -> float:
        assert "\n   \n" in self.items[0].text and not hasattr(genome, "dtype")
        return float(sum(one.weight for one, gene in zip(self.items, genome) if not gene))


def test_an_object_with_objects_of_yours_runs_as_it_is() -> None:
    filled = Filled(6)
    assert "n = 6" in settings(run(filled, name="filled"))
    filled.items[2].weight = 5
    pytest.importorskip("cloudpickle")
    changed = run(filled, name="changed")
    assert "pickle.loads" in file(changed).read_text()
    assert file(changed).name != file(run(Filled(6), name="anew")).name


def closed(step: int) -> type:
    class Closed(Described):
        def __init__(self, n: int) -> None:
            self.n = n

        def fitness(self, genome: list[int]) -> float:
            return (self.n - sum(genome)) / step

    return Closed


def test_a_class_without_source_of_its_own_goes_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "cloudpickle", None)
        with pytest.raises(runner.ConfigError) as caught:
            run(closed(2)(6))
    assert "it uses step of the function around it" in str(caught.value)
    assert "cloudpickle is not installed" in str(caught.value)
    assert "%%writefile closed.py" in str(caught.value)
    pytest.importorskip("cloudpickle")
    first = run(closed(2)(6), name="closed")
    assert first.summary["success_rate"].to_list() == [1.0]
    assert file(run(closed(2)(6), name="closed")) == file(first)
    assert file(run(closed(3)(6), name="three")).name != file(first).name


helpers: Any = None


class Helped(Ones):
    def fitness(self, genome: list[int]) -> float:
        return float(helpers.distance(self.n - sum(genome)))


def test_a_module_of_the_callers_folder_goes_by_value(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cloudpickle")
    (folder / "helpers_of_mine.py").write_text("STEP = 1\ndef distance(n):\n    return n * STEP\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setitem(globals(), "helpers", import_module("helpers_of_mine"))
    result = run(Helped(7))
    assert result.summary["success_rate"].to_list() == [1.0]
    assert "pickle.loads" in file(result).read_text()


class Slow:
    """A value that takes a while to be pickled."""

    def __reduce__(self) -> Any:
        time.sleep(0.02)
        return Slow, ()


class SlowlyHelped(Helped):
    def __init__(self, n: int, slow: Slow) -> None:
        self.n, self.slow = n, slow


def test_problems_are_sent_by_value_from_several_threads(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cloudpickle")
    (folder / "shared_helpers.py").write_text("def distance(n):\n    return n\n")
    monkeypatch.syspath_prepend(str(folder))
    module = import_module("shared_helpers")
    monkeypatch.setitem(globals(), "helpers", module)
    monkeypatch.setitem(sys.modules, "another_name", module)

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(lambda _: table(SlowlyHelped(4, Slow())), range(6)))) == 1


class Importing(Described):
    n = 4

    def fitness(self, genome: list[int]) -> float:
        import helpers_inside  # type: ignore[import-not-found]

        return float(helpers_inside.distance(sum(genome)))


class ImportingLibraries(Described):
    n = 4

    def fitness(self, genome: list[int]) -> float:
        import json

        try:
            import no_module_has_this_name  # type: ignore[import-not-found]
        except ImportError:
            no_module_has_this_name = json
        return float(no_module_has_this_name.loads("2"))


def test_an_import_of_your_own_within_a_function_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "helpers_inside.py").write_text("def distance(n):\n    return n\n")
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(runner.ConfigError, match="imports helpers_inside within a function"):
        run(Importing())
    assert not (folder / "results").exists()
    pytest.importorskip("cloudpickle")
    with pytest.raises(source.NoSource, match="imports helpers_inside within a function"):
        ByValue().define("Importing", Importing)
    assert fitness(ImportingLibraries()) == 2


def score(number: int) -> float:
    raise NotImplementedError


class Scored(Ones):
    def fitness(self, genome: list[int]) -> float:
        return score(self.n)


@pytest.mark.parametrize("other", ["lib", "environment/site-packages"])
def test_a_module_of_yours_is_written_down_where_a_new_interpreter_finds_one_of_its_name(
    other: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"scores_{other[:3]}"
    (folder / other).mkdir(parents=True)
    (folder / other / f"{name}.py").write_text("def score(number):\n    return 1000.0\n")
    monkeypatch.setenv("PYTHONPATH", str(folder / other), prepend=os.pathsep)
    mine = folder / "lib" / f"{name}.py"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("def score(number):\n    return 20.0 * number\n")
    monkeypatch.syspath_prepend(str(folder / "lib"))
    module = import_module(name)
    monkeypatch.setitem(globals(), "score", module.score)
    assert written(Scored(4))(4).fitness([]) == 80
    before = set((folder / "written").glob("*.py"))
    mine.write_text("def score(number):\n    return 300.0 * number\n")
    monkeypatch.setitem(globals(), "score", reload(module).score)
    assert written(Scored(4))(4).fitness([]) == 1200
    assert len(before ^ set((folder / "written").glob("*.py"))) == 1


@pytest.mark.parametrize(
    ("name", "known"),
    [("json", True), ("sys", True), ("pytest", True), ("runner", True), ("test_problem", False)],
)
def test_libraries_are_what_is_installed(name: str, known: bool) -> None:
    assert importable(name) == known


class Locked(Ones):
    def __init__(self, n: int, lock: object) -> None:
        self.n, self.lock = n, lock


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Locked(3, Lock()), "a value of lock cannot be written"),
        (lambda: Ones, "takes n, but a class was given"),
        (lambda: 17, "17 is no problem: it has neither `fitness` nor `evaluate`"),
    ],
)
def test_what_cannot_be_sent_is_refused_before_anything_runs(
    make: Callable[[], object], words: str, folder: Path
) -> None:
    with pytest.raises(runner.ConfigError, match=words) as caught:
        run(make())
    assert caught.value.faults[0].help
    assert not (folder / "results").exists()


def test_a_file_takes_no_object_besides() -> None:
    with pytest.raises(runner.ConfigError, match="problem cannot be given besides the file"):
        runner.run("eight-queens.toml", problem=Ones(3))


def test_a_method_that_was_set_later_is_refused_or_sent_by_value() -> None:
    class Patched(Described):
        n = 4

        def fitness(self, genome: list[int]) -> float:
            return 7.0

    source.of(Patched, "Patched")
    Patched.fitness = Ones.fitness  # type: ignore[method-assign, assignment]
    with pytest.raises(source.NoSource, match="its member fitness was set after"):
        source.of(Patched, "Patched")


SIZE = 8
STEP = 3


def scaled(number: int, step: int = STEP) -> int:
    return number * step


class Sized:
    size = SIZE
    twice = size * 2
    items = list(range(1, 4))
    drawn = [random.random() for _ in range(3)]
    pairs = [tuple(sorted([one, one + 1])) for one in (0, 0, 1) if one < STEP]

    def describe(self) -> Any:
        return Bits(self.size)

    def fitness(self, genome: list[int], step: int = STEP) -> float:
        return step * (sum(genome) + self.twice) + sum(self.items) + sum(self.drawn) + scaled(2)


def table(problem: object) -> Path:
    """The module that is written for a problem."""
    return Path(str(problem_file.table(problem, Path("written"))["plugin"]))


def written(problem: object) -> Any:
    """The class of the module that is written for a problem."""
    file = table(problem)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module.Problem


def test_values_that_the_source_would_not_give_again_are_those_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    monkeypatch.setitem(globals(), "SIZE", 5)
    monkeypatch.setitem(globals(), "STEP", 100)
    monkeypatch.setattr(Sized, "items", [10, 20, 30])
    monkeypatch.setattr(Sized, "pairs", [tuple([1, 2]) for _ in range(2)])
    problem = Sized()
    worker = written(problem)()
    assert (worker.size, worker.twice, worker.items) == (8, 16, [10, 20, 30])
    assert (worker.drawn, worker.pairs) == (Sized.drawn, Sized.pairs)
    assert worker.fitness([1] * 8) == problem.fitness([1] * 8)
    genes = run(problem, repeats=1).trials["best"].to_list()[0]
    assert len(genes) == 8


class Weight:
    def __init__(self, weight: int) -> None:
        self.weight = weight


class Counted(Described):
    n = 4
    item = Weight(STEP)

    def fitness(self, genome: list[int]) -> float:
        return sum(genome) / self.item.weight


def test_values_that_cannot_be_written_down_are_refused_or_sent_by_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "class Counted" in file(run(Counted(), name="as-it-was")).read_text()
    monkeypatch.setitem(globals(), "STEP", 7)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "cloudpickle", None)
        with pytest.raises(runner.ConfigError) as caught:
            run(Counted())
    assert "`Counted.item` is another value when its source is executed again" in str(caught.value)
    assert "%%writefile counted.py" in str(caught.value)
    pytest.importorskip("cloudpickle")
    result = run(Counted(), stop={"evaluations": 1}, repeats=1)
    (row,) = result.trials.select("best", "best_fitness").rows()
    assert row[1] == Counted().fitness(row[0])


class Shared:
    def __init__(self) -> None:
        self.first = [0]
        self.second = {"one": (self.first,)}
        self.rows = [[0] * 2] * 2
        self.now = time.perf_counter_ns()

    def describe(self) -> Any:
        return Bits(4)

    def fitness(self, genome: list[int]) -> float:
        return 0.0


def test_one_list_at_two_places_stays_one() -> None:
    worker = written(Shared())()
    assert worker.second["one"][0] is worker.first
    assert worker.rows[0] is worker.rows[1]


class Again(Described):
    n = 4

    def fitness(self, genome: list[int]) -> float:
        return float(sum(genome))


Earlier = Again


class Again(Again):  # type: ignore[no-redef]
    def fitness(self, genome: list[int]) -> float:
        return super().fitness(genome) + 1


def test_a_class_with_a_base_of_its_own_name_goes_by_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "cloudpickle", None)
        with pytest.raises(runner.ConfigError, match="its source cannot be executed again"):
            run(Again())
    pytest.importorskip("cloudpickle")
    result = run(Again(), repeats=1)
    assert result.trials["best_fitness"].to_list() == [1.0]


class Priced:
    """A problem with things that pickle refuses."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.price: Callable[[int], float] = lambda zeros: 0.0
        self.drawn: list[Weight] = []
        self.model = Model()

    def describe(self) -> Any:
        return Bits(self.n)

    def fitness(self, genome: list[int]) -> float:
        weights = [one.weight for one in self.drawn]
        return self.price(1) + self.model.read(1) + sum(weights)


class Model:
    def __init__(self, weight: int = 0) -> None:
        self.weight = weight
        self.unit: Callable[[int], int] = lambda number: number
        self.read = self.read_weight

    def read_weight(self, number: int) -> int:
        return self.unit(number * self.weight)


def price(problem: Priced) -> None:
    problem.price = lambda zeros: 1000.0 * zeros


def train(problem: Priced) -> None:
    problem.model.weight = 30


def replace(problem: Priced) -> None:
    problem.model.read = Model(40).read_weight


def draw(problem: Priced) -> None:
    problem.drawn = [Weight(3), Weight(4)]


def fitness(problem: object) -> float:
    """The fitness of any genome in a process of its own."""
    result = run(problem, stop={"evaluations": 1}, repeats=1)
    return float(result.trials["best_fitness"].to_list()[0])


@pytest.mark.parametrize("change", [price, train, replace, draw])
def test_state_that_the_constructor_does_not_give_goes_along(
    change: Callable[[Priced], None],
) -> None:
    pytest.importorskip("cloudpickle")
    assert fitness(Priced(4)) == 0
    problem = Priced(4)
    change(problem)
    assert fitness(problem) == problem.fitness([]) != 0


def test_what_cannot_be_compared_is_made_by_the_constructor() -> None:
    class Guarded(Ones):
        def __init__(self, n: int) -> None:
            self.n = n
            self.lock = Lock()

    assert list(written(Guarded(4)).parameters) == ["n"]


@dataclass
class Place:
    at: Any


class Tour(Described):
    def __init__(self, n: int) -> None:
        numpy = import_module("numpy")
        self.n = n
        self.places = [Place(numpy.random.rand(2)) for _ in range(n)]

    def describe(self) -> Any:
        return Bits(self.n)

    def fitness(self, genome: list[int]) -> float:
        return float(sum(one.at[0] for one in self.places))


def test_arrays_that_the_constructor_draws_are_those_in_memory() -> None:
    pytest.importorskip("numpy")
    pytest.importorskip("cloudpickle")
    problem = Tour(4)
    assert fitness(problem) == problem.fitness([])


ON_DISK = """
from enum import Enum
from runner import Bits

class Prices(Enum):
    LOW = 1

    def price(self):
        return self.value + 10

def scaled(number):
    return number + [one + 100 for one in (0,)][0]

half = lambda number: number + 1000

class Shop:
    n = 4

    def describe(self):
        return Bits(self.n)

    def fitness(self, genome):
        return Prices.LOW.price() + scaled(half(10000))
"""


@pytest.mark.parametrize("number", ["10", "100", "1000", "10000"])
def test_a_file_that_was_edited_since_runs_as_it_is_in_memory(
    number: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    name = f"shop_{number}"
    (folder / f"{name}.py").write_text(ON_DISK)
    shop = import_module(name).Shop()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "cloudpickle", None)
        assert written(shop)().fitness([]) == 11111
        (folder / f"{name}.py").write_text(re.sub(rf"\b{number}\b", f"2{number[1:]}", ON_DISK))
        with pytest.raises(runner.ConfigError, match="when its source is executed again"):
            written(shop)
    pytest.importorskip("cloudpickle")
    assert fitness(shop) == 11111


SESSION = """
import sys
from collections import defaultdict
from runner import Bits
from runner_lab import problem

class Graph:
    def __init__(self):
        self.near = defaultdict(set)
        self.near["anna"] |= {"ben", "carl", "dora", "emil"}
    def describe(self):
        return Bits(5)
    def fitness(self, genome):
        return 0

graph = Graph()
graph.more = len(sys.argv)
print(problem.table(graph, __import__("pathlib").Path("written"))["plugin"])
"""


def test_a_pickle_with_a_set_has_the_same_version_in_every_process(folder: Path) -> None:
    (folder / "session.py").write_text(SESSION)
    names = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "session.py"]
        names.add(subprocess.run(words, env=environment, check=True, stdout=-1, text=True).stdout)
    assert len(names) == 1
    (folder / "session.py").write_text(SESSION.replace("emil", "eva"))
    subprocess.run([sys.executable, "session.py"], check=True)
    assert len(list((folder / "written").iterdir())) == 2


@pytest.mark.parametrize("scale", [math.inf, -math.inf, -0.0, 1e300, 2.0**-40])
def test_an_argument_that_no_config_can_have_is_written_into_the_file(scale: float) -> None:
    worker = written(Weighted([1], scale))
    given = {} if math.isinf(scale) or scale == 0 else {"scale": scale}
    assert set(worker.parameters) == set(given)


class Capital(Described):
    def __init__(self, n: int, maxWeight: int, größe: int = 2) -> None:
        self.n, self.maxWeight, self.größe = n, maxWeight, größe

    def fitness(self, genome: list[int]) -> float:
        return float(self.maxWeight * self.größe)


@dataclass
class Titled(Described):
    n: int = 4
    name: str = "My Problem"
    version: int = 3

    def fitness(self, genome: list[int]) -> float:
        return float(self.name == "My Problem") + self.version


def test_arguments_may_have_any_name() -> None:
    capital = run(Capital(4, 3), repeats=1)
    assert capital.trials["best_fitness"].to_list() == [6.0]
    assert "n = 4" in settings(capital)
    titled = run(Titled(), repeats=1, name="titled")
    assert titled.summary["problem"].to_list() == ["titled"]
    assert titled.trials["best_fitness"].to_list() == [4.0]


class Forgetful(Described):
    n = 4

    def fitness(self, genome: list[int]) -> None:
        sum(genome)


class ForgetfulBatch(Forgetful):
    def evaluate(self, genomes: list[list[int]]) -> list[None]:
        return [None for _ in genomes]


@pytest.mark.parametrize(
    ("problem", "call"), [(Forgetful, "fitness"), (ForgetfulBatch, "evaluate")]
)
def test_a_fitness_without_a_value_is_no_number_to_numpy(problem: type, call: str) -> None:
    instance = sdk._Instance(problem, {}, pytest.importorskip("numpy"))
    with pytest.raises(sdk.Refused, match=f"{call} returned None, but a fitness is a number"):
        instance.evaluate(2, bytes(8))


def test_a_long_value_is_a_pickle() -> None:
    weights = list(range(20_000))
    worker = written(Weighted(weights))(scale=1.0)
    assert worker._weights == weights
    (path,) = Path("written").glob("*.py")
    assert "pickle.loads" in path.read_text()
    assert path.name != table(Weighted(weights[::-1])).name
    assert path.name == table(Weighted(weights[:])).name


class Salted(Described):
    n = 4

    def __init__(self, salt: int) -> None:
        self.salt = salt

    def fitness(self, genome: list[int]) -> float:
        return float(self.salt % 7 + sum(genome) - sum(genome))


def test_a_large_number_is_written_into_the_file() -> None:
    found = run(Salted(2**70 + 5), repeats=1).trials["best_fitness"].to_list()
    assert found == [float((2**70 + 5) % 7)]


def test_a_call_that_is_refused_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    call: dict[str, Any] = {"operators": [{"preset": "rls"}], "out": out, "progress": False}
    for name in ("../beside", str(tmp_path / "beside"), ".."):
        with pytest.raises(runner.ConfigError, match="is no name of an experiment"):
            runner.run(problem=Ones(8), name=name, stop={"evaluations": 50}, **call)
    with pytest.raises(runner.ConfigError, match="evaluatons") as caught:
        runner.run(problem=Ones(8), name="refused", stop={"evaluatons": 50}, **call)
    # The user has no file of a config.
    assert all(fault.file is None for fault in caught.value.faults)
    assert not list(out.glob("*"))
    assert not (tmp_path / "beside").exists()
    result = runner.run(problem=Ones(8), name="done", stop={"evaluations": 50}, **call)
    with pytest.raises(runner.ConfigError, match="evaluatons"):
        runner.run(problem=Ones(8), name="done", stop={"evaluatons": 50}, **call)
    assert file(result).is_file(), "of results that are there"
