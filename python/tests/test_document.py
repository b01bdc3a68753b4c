"""Python values as TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner_lab import ConfigError, document


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (True, "true"),
        (3, "3"),
        (1e-5, "1e-05"),
        (float("inf"), "inf"),
        ('a "b"\n', '"a \\"b\\"\\n"'),
        ("grün \x7f", '"grün \\u007f"'),
        (Path("a/b.py"), '"a/b.py"'),
        ([1, [2.5, "x"]], '[1, [2.5, "x"]]'),
        (range(3), "[0, 1, 2]"),
        ({"kind": "one-point", "rate": 0.9}, '{ "kind" = "one-point", "rate" = 0.9 }'),
        ({}, "{}"),
    ],
)
def test_a_value_is_one_line(given: object, text: str) -> None:
    assert document.value(given) == text


def test_what_is_none_is_left_out() -> None:
    assert document.config({"a": 1, "b": None}) == '"a" = 1\n'


def test_what_toml_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="a config holds no object"):
        document.value({"a": object()})
    with pytest.raises(ConfigError, match="a config holds text, not int"):
        document.value({1: 2})
    with pytest.raises(ConfigError, match="a config holds no set, which has no order"):
        document.value({"a": {"x", "y"}})
    with pytest.raises(ConfigError, match="text of Unicode, without surrogates"):
        document.value("a\udcff")


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert document.value(numpy.arange(3)) == "[0, 1, 2]"
    assert document.value(numpy.float64(0.5)) == "0.5"
    assert document.value(numpy.array(5)) == "5"
    assert document.value(numpy.bool_(True)) == "true"
