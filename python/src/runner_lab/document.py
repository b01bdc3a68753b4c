"""Python values as TOML. Written in one line each: tables inline, so that the program's `--set`
reads them too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real

from .failure import ConfigError, Fault


def value(given: object) -> str:
    """A value of a config as TOML."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, (str, os.PathLike)):
        return _text(os.fspath(given))
    if isinstance(given, Integral):
        return str(int(given))
    if isinstance(given, Real):
        return repr(float(given))
    if isinstance(given, Mapping):
        return "{ " + ", ".join(_pairs(given)) + " }" if given else "{}"
    if isinstance(given, Set):
        raise _error(f"a config holds no set, which has no order; give a list: {given!r:.200}")
    # What numpy has of its own, an array without dimensions too.
    item = getattr(given, "item", None)
    if callable(item) and getattr(given, "shape", ()) == ():
        return value(item())
    if isinstance(given, Iterable):
        return "[" + ", ".join(value(item) for item in given) + "]"
    raise _error(f"a config holds no {type(given).__name__}: {given!r:.200}")


def config(given: Mapping[str, object]) -> str:
    """A whole config."""
    return "".join(f"{pair}\n" for pair in _pairs(given))


def path(given: Mapping[str, object], line: int, column: int) -> str | None:
    """The path of what a config's file has at a place, such as `operators[1].selection.size`."""
    pairs = [(key, item) for key, item in given.items() if item is not None]
    if not 1 <= line <= len(pairs):
        return None
    key, item = pairs[line - 1]
    return _path_within(key, item, column - 1 - len(f"{_text(key)} = "))


def _path_within(path: str, item: object, place: int) -> str:
    """The path of what the text of a value has at a place, from 0; below 0 it is the key's."""
    if place < 0 or not isinstance(item, (Mapping, list, tuple)):
        return path
    is_table = isinstance(item, Mapping)
    parts = item.items() if isinstance(item, Mapping) else enumerate(item)
    place -= len("{ ") if is_table else len("[")
    for name, one in parts:
        if one is None:
            continue
        text = f"{_text(name)} = " if is_table else ""
        length = len(text) + len(value(one))
        if place < length:
            inner = f"{path}.{name}" if is_table else f"{path}[{name}]"
            return _path_within(inner, one, place - len(text))
        place -= length + len(", ")
    return path


def _pairs(given: Mapping[str, object]) -> list[str]:
    """What is None is left out: TOML has no such value."""
    return [f"{_text(key)} = {value(item)}" for key, item in given.items() if item is not None]


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise _error(f"a config holds text, not {type(given).__name__}: {given!r:.200}")
    if any("\ud800" <= letter <= "\udfff" for letter in given):
        raise _error(f"a config holds text of Unicode, without surrogates: {given!r:.200}")
    # JSON's escapes are TOML's, but for this character, which TOML wants escaped.
    return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")


def _error(message: str) -> ConfigError:
    values = "texts, numbers, booleans, lists and dicts, and its keys are texts"
    return ConfigError(2, [Fault(message, rule=f"values of a config are {values}")])
