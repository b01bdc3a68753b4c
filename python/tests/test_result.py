"""Results: tables, comparisons, plots."""

from __future__ import annotations

from pathlib import Path
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


def test_a_result_prints_its_summary(result: runner.Result) -> None:
    assert "tournament" in str(result)
    shown = result._repr_html_()
    assert shown.startswith("<pre>") and "tournament" in shown
    assert repr(result) == "Result('results/eight-queens')"


def test_a_report_is_one_page(result: runner.Result, folder: Path) -> None:
    assert "eight-queens" in result.report(folder / "report.html").read_text()
