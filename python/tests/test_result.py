"""Results: tables, comparisons, plots."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import runner_lab as runner


@pytest.fixture
def result() -> runner.Result:
    return runner.run("eight-queens.toml", set={"output.trace": "best"}, progress=False)


def test_the_tables_are_those_of_the_folder(result: runner.Result) -> None:
    assert result.summary["arm"].to_list() == ["tournament", "random search"]
    assert len(result.trials) == 40
    assert len(set(result.generations["arm_id"].to_list())) == 2
    assert result.read("timings").shape[0] > 0
    assert runner.Result("results/eight-queens").summary.equals(result.summary)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_tables_come_as_the_library_that_is_asked_for(result: runner.Result, library: str) -> None:
    pytest.importorskip(library)
    assert type(result.read("summary", library)).__module__.startswith(library)
    assert type(result.compare(library=library)).__module__.startswith(library)


def test_without_a_library_for_tables_the_way_out_is_named(
    result: runner.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install runner-lab\[polars\]"):
        _ = result.summary


def test_a_table_that_is_not_there_is_an_exception(result: runner.Result) -> None:
    with pytest.raises(runner.ResultsError, match="nosuch"):
        result.read("nosuch")
    with pytest.raises(runner.ResultsError, match="nowhere"):
        runner.Result("nowhere")


def test_a_comparison_is_a_table(result: runner.Result) -> None:
    table = result.compare()
    assert len(table) == 1
    assert table["first"].to_list() == ["tournament"]
    assert table["second"].to_list() == ["random search"]
    turned = result.compare(against="tournament", arms=["random search", "tournament"], top=1)
    assert turned["first"].to_list() == ["random search"]


def test_a_comparison_with_another_run(result: runner.Result) -> None:
    other = runner.run("eight-queens.toml", seed=7, out="other", progress=False)
    assert len(result.compare(other)) == 2


def test_a_plot_is_a_picture_that_a_notebook_shows(result: runner.Result, folder: Path) -> None:
    picture = result.plot("run-length")
    assert picture.name == "run-length"
    assert ElementTree.fromstring(picture._repr_svg_()).tag.endswith("svg")
    assert picture.save(folder / "a.svg").read_text() == picture.svg
    assert picture.name in [one.name for one in result.plots()]
    assert not (result.folder / "plots").exists(), "nothing is left in the results"


def test_a_plot_that_is_not_there_is_an_exception(result: runner.Result) -> None:
    with pytest.raises(runner.RunnerError, match="success-rate"):
        result.plot("nosuch")


def test_a_start_of_several_names_is_an_exception(result: runner.Result) -> None:
    with pytest.raises(runner.ConfigError, match="begins the names of several plots: trial-"):
        result.plot("trial")


def test_a_plot_is_saved_as_svg_alone(result: runner.Result, folder: Path) -> None:
    picture = result.plot("run-length")
    for name in ("plot.png", "plot.pdf"):
        with pytest.raises(runner.ConfigError, match="plots are SVG") as caught:
            picture.save(folder / name)
        assert "plot.svg" in (caught.value.faults[0].help or "")
        assert not (folder / name).exists()
    assert picture.save("plot.SVG").is_file() and picture.save("plot").is_file()


def test_a_library_for_tables_is_one_of_two(result: runner.Result) -> None:
    with pytest.raises(runner.ConfigError, match="'dask' is no library for tables"):
        result.read("trials", "dask")


def test_a_result_prints_its_summary(result: runner.Result) -> None:
    assert "tournament" in str(result)
    assert repr(result) == "Result('results/eight-queens')"


def test_a_notebook_shows_a_table_and_a_picture(result: runner.Result) -> None:
    html = result._repr_html_()
    assert "<script" not in html and "://" not in html
    shown = ElementTree.fromstring(html)
    cells = [["".join(cell.itertext()) for cell in row] for row in shown.iter("tr")]
    assert cells[0] == [
        *("arm", "trials", "success rate", "95 % interval", "evaluations (median)", "ERT"),
        *("95 % interval", "fitness (median)"),
    ]
    first = dict(zip(result.table.columns, result.table.rows()[0]))
    assert cells[1][:3] == ["tournament", "20", f"{first['success_rate']:.3f}"]
    assert cells[1][3] == f"{first['success_low']:.3f} to {first['success_high']:.3f}"
    for row in shown.iter("tr"):
        assert ["right" in cell.attrib["style"] for cell in row] == [False] + [True] * 7
    (image,) = shown.iter("img")
    kind, _, data = image.attrib["src"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == result.plot("run-length").svg


def shown(result: runner.Result) -> tuple[list[list[str]], list[str]]:
    """The cells of a result in a notebook, and the lines around its table."""
    page = ElementTree.fromstring(result._repr_html_())
    cells = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    return cells, ["".join(line.itertext()) for line in page.iter("p")]


def test_a_tuning_is_shown_and_has_its_settings() -> None:
    tuning = runner.Experiment(
        name="tuned",
        problem=runner.Problem("onemax", length=10),
        operators=[runner.OperatorSet(population=9, selection="uniform", mutation="bit-flip")],
        stop=runner.Stop(evaluations=200),
        tune=runner.Tune(budget=200, keys={"operators.population": runner.Range(from_=2, to=9)}),
    )
    runner.call("tune", runner.save(tuning, "tuning.toml"))
    result = runner.Result("results/tuned")
    assert result._repr_html_().startswith("<pre>") and "population" in result._repr_html_()
    assert result.complete and len(result.read("settings")) > 1
    with pytest.raises(runner.ResultsError, match="is a tuning, which has no table summary"):
        result.summary


FAILING = """
from runner import Bits


class Problem:
    def describe(self):
        return Bits(3, ideal=0, worst=3)

    def fitness(self, genome):
        assert sum(genome) > 1
        return 3 - sum(genome)
"""


def test_a_notebook_shows_failures_and_what_is_missing(folder: Path) -> None:
    pytest.importorskip("runner")
    (folder / "failing.py").write_text(FAILING)
    config = {
        "name": "failing",
        "problem": {"plugin": "failing.py"},
        "operators": [
            {"name": "first", "algorithm": "random-search"},
            {"name": "second", "algorithm": {"kind": "hill-climbing", "step": "steepest"}},
        ],
        "stop": {"evaluations": 2},
        "repeats": 40,
    }
    with pytest.warns(runner.RunnerWarning, match="failed"):
        part = runner.run(config, arms=["first"], progress=False)
    first = {column: part.summary[column].to_list()[0] for column in part.summary.columns}
    failures = 40 - first["trials"]
    cells, lines = shown(part)
    assert cells[0][1:6] == [
        *("trials", "failed", "success rate", "95 % interval", "rate if failures count"),
    ]
    assert cells[1][:4] == [
        *("first", str(first["trials"]), str(failures), f"{first['success_rate']:.3f}"),
    ]
    assert cells[1][5] == f"{first['successes'] / 40:.3f}"
    assert lines == [
        "failing",
        f"{failures} trials failed or crashed: see `error` in trials.parquet. Figures are computed "
        "from the trials that ran.",
        "Unfinished: 40 of 80 trials. Run the same command again to continue.",
    ]


def test_a_notebook_shows_no_failures_where_there_are_none(result: runner.Result) -> None:
    cells, lines = shown(result)
    assert "failed" not in cells[0] and lines == ["eight-queens"]


def test_the_table_has_the_columns_that_people_read(result: runner.Result) -> None:
    assert len(result.table.columns) == 10
    assert set(result.table.columns) < set(result.summary.columns)
    part = runner.run("eight-queens.toml", arms=["tournament"], out="part", progress=False)
    assert part.table.columns == result.table.columns


def test_large_tables_are_read_in_part(result: runner.Result) -> None:
    polars = pytest.importorskip("polars")
    lazy = result.scan("generations")
    assert isinstance(lazy, polars.LazyFrame)
    last = lazy.group_by("arm_id").agg(polars.col("evaluations").max()).collect()
    assert len(last) == 2
    assert result.read("trials", columns=["seed"]).columns == ["seed"]
    part = runner.run("eight-queens.toml", arms=["tournament"], out="part", progress=False)
    assert len(part.scan("trials").collect()) == 20


def test_a_report_is_one_page(result: runner.Result, folder: Path) -> None:
    assert "eight-queens" in result.report(folder / "report.html").read_text()


def unfinished(**more: Any) -> runner.Result:
    """The folder of `eight-queens` with a new run of one of its two arms."""
    runner.run("eight-queens.toml", arms=["random search"], progress=False, **more)
    return runner.Result("results/eight-queens")


def test_figures_of_an_older_experiment_are_never_given(result: runner.Result) -> None:
    assert result.complete
    again = unfinished(set={"problem.n": 5, "output.trace": "best"})
    assert not (again.folder / "summary.parquet").is_file(), "that of the older one"
    assert not again.complete
    assert again.summary["trials"].to_list() == again.table["trials"].to_list() == [0, 20]
    assert set(again.trials["arm"].to_list()) == {"random search"}
    assert {len(best) for best in again.trials["best"].to_list()} == {5}
    assert len(again.scan("trials").collect()) == 20
    for table in ("generations", "timings"):
        with pytest.raises(runner.ResultsError):
            again.read(table)


def test_tables_of_fewer_trials_are_not_those_of_a_run_that_was_begun(
    result: runner.Result,
) -> None:
    again = unfinished(repeats=30, set={"output.trace": "best"})
    assert (again.folder / "trials.parquet").is_file(), "that of 20 trials"
    assert not again.complete
    assert again.summary["trials"].to_list() == [20, 30]
    assert len(again.trials) == 50
    with pytest.raises(runner.ResultsError, match="that of an earlier run"):
        again.read("timings")
    with pytest.raises(runner.ResultsError, match="that of an earlier run"):
        again.scan("generations")


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_table_has_the_same_types_before_the_end(folder: Path, library: str) -> None:
    pytest.importorskip(library)
    # Labels that look like numbers, and a size that no trial solves.
    text = (folder / "eight-queens.toml").read_text()
    text = text.replace('"tournament"\npop', '"1"\npop').replace('"random search"', '"NA"')
    text = text.replace("n      = 8", "n      = 40")
    (folder / "labels.toml").write_text(text.replace('"eight-queens"', '"labels"'))
    runner.run("labels.toml", progress=False, arms=["1"])
    part = runner.Result("results/labels")
    assert not part.complete
    tables = {table: part.read(table, library) for table in ("summary", "trials")}
    whole = runner.run("labels.toml", progress=False)
    assert whole.complete
    for table, before in tables.items():
        after = whole.read(table, library)
        assert list(before.columns) == list(after.columns)
        assert before["arm"].to_list() == after["arm"].to_list()[: len(before)]
        if library == "polars":
            assert before.schema == after.schema
        else:
            assert before.dtypes.to_dict() == after.dtypes.to_dict()
        if table == "trials":
            assert before.equals(after[: len(before)])


MIXED = """
from runner import Choice, Integer, Mixed, Real


class Problem:
    def describe(self):
        return Mixed([Real(0, 1), Integer(-3, 9), Choice("a", "b")], ideal=-3)

    def fitness(self, genome):
        return genome[1]
"""


def test_pandas_reads_the_names_of_choices(folder: Path) -> None:
    pytest.importorskip("runner")
    pytest.importorskip("pandas")
    (folder / "mixed.py").write_text(MIXED)
    config = {
        "problem": {"plugin": "mixed.py"},
        "operators": [{"name": "first", "algorithm": "random-search"}],
        "stop": {"evaluations": 4},
        "repeats": 3,
        "output": {"trace": "genomes"},
    }
    result = runner.run(config, progress=False)
    trials = result.read("trials", "pandas")
    assert set(trials["best_named"].str[2]) <= {"a", "b"}
    assert list(result.read("generations", "pandas").columns) == result.generations.columns
    assert result.read("trials", "pandas", columns=["best_named"]).shape == (3, 1)


def test_a_table_without_rows_has_its_columns() -> None:
    frame = pytest.importorskip("runner_lab.frame")
    for library in ("polars", "pandas"):
        pytest.importorskip(library)
        assert list(frame.of_json("[]\n", ["arm", "seed"], library).columns) == ["arm", "seed"]


@pytest.fixture
def easy() -> runner.Result:
    return ones(8)


def ones(length: int, **more: Any) -> runner.Result:
    """Runs an experiment without a name."""
    search = {"name": "search", "algorithm": "random-search"}
    config = {"problem": {"plugin": "onemax", "length": length}, "operators": [search]}
    given: dict[str, Any] = {"stop": {"evaluations": 50}, "repeats": 5, **more}
    return runner.run(config, progress=False, **given)


@pytest.mark.parametrize("more", [{"seed": 2}, {"repeats": 6}, {"repeats": 4}])
def test_a_result_never_gives_figures_of_a_later_run(
    easy: runner.Result, more: dict[str, Any], recwarn: pytest.WarningsRecorder
) -> None:
    later = ones(8, **more)
    for read in (
        lambda: easy.summary,
        lambda: easy.trials,
        lambda: easy.read("timings"),
        lambda: easy.scan("trials"),
        lambda: str(easy),
        lambda: easy._repr_html_(),
        lambda: easy.plots(),
        lambda: easy.report("report.html"),
        lambda: easy.compare(),
        lambda: later.compare(easy),
    ):
        with pytest.raises(runner.ResultsError, match="a later run has left") as caught:
            read()
        assert caught.value.code == 4 and "`name`" in (caught.value.faults[0].help or "")
    assert not easy.complete
    assert later.complete and len(later.summary) == 1
    assert runner.Result(easy.folder).trials.equals(later.trials)


def test_a_result_stays_where_a_later_run_has_the_same_trials(easy: runner.Result) -> None:
    before = easy.trials
    assert ones(8).trials.equals(before)
    assert easy.complete and easy.trials.equals(before)


def test_a_result_before_the_end_goes_on_until_its_trials_are_moved() -> None:
    part = runner.run("eight-queens.toml", arms=["tournament"], progress=False)
    whole = runner.run("eight-queens.toml", progress=False)
    assert part.complete and part.trials.equals(whole.trials)
    part = runner.run("eight-queens.toml", arms=["tournament"], out="part", progress=False)
    with pytest.warns(runner.RunnerWarning, match="moved to"):
        runner.run("eight-queens.toml", arms=["tournament"], seed=3, out="part", progress=False)
    with pytest.raises(runner.ResultsError, match="a later run has left other trials"):
        _ = part.trials


def test_trials_that_are_moved_are_a_warning(easy: runner.Result) -> None:
    with pytest.warns(runner.RunnerWarning, match="5 trials moved to .*superseded/001"):
        later = ones(60)
    assert not any("superseded" in note for note in later.notes)


def test_a_result_is_not_compared_with_itself(easy: runner.Result) -> None:
    for same in (easy, runner.Result(easy.folder), "results/experiment"):
        with pytest.raises(runner.ConfigError, match="both results are those in"):
            easy.compare(same)
