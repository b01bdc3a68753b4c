"""Parts of a config as objects: tables with fixed keys, and those whose keys a plugin or an
operator decides."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Union


class Part:
    """A table of a config."""

    def to_dict(self) -> dict[str, object]:
        """Returns the table's keys as a file has them, without those that are not set."""
        raise NotImplementedError


@dataclass
class Table(Part):
    """A table whose keys are fields: `test_repeats` is `test-repeats`, `from_` is `from`."""

    def to_dict(self) -> dict[str, object]:
        given = {key(field.name): plain(getattr(self, field.name)) for field in fields(self)}
        return {name: value for name, value in given.items() if value is not None}


class Free(Part):
    """A table with one fixed key and any others."""

    _first: str

    def __init__(self, first: object, /, **parameters: object) -> None:
        self.first = first
        self.parameters = parameters

    def to_dict(self) -> dict[str, object]:
        # Parameters in Python may have underscores; those of libraries and of operators have none.
        is_named = isinstance(self.first, (str, os.PathLike))
        is_python = not is_named or str(self.first).endswith(".py")
        named = ((name if is_python else key(name), one) for name, one in self.parameters.items())
        rest = {name: plain(value) for name, value in named if value is not None}
        return {self._first: self.first, **rest}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        more = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({self.first!r}{more})"


class Operator(Free):
    """An operator by its name with its parameters: `Operator("tournament", size=3)`. Names and
    parameters are in docs/config.md, and `runner operators` prints them."""

    _first = "kind"


class OperatorPlugin(Free):
    """An operator of a plugin: `OperatorPlugin("ops.py", operator="best-half")`."""

    _first = "plugin"


AnyOperator = Union[Operator, OperatorPlugin, Mapping[str, Any]]


class Problem(Free):
    """A problem by its plugin with its parameters: `Problem("nqueens", n=8)`. The plugin is a name,
    the path of a file, or a class of yours."""

    _first = "plugin"


def each(given: Any) -> list[Any]:
    """Returns what is given as a list; a text or a path is one element."""
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def key(name: str) -> str:
    """Returns the key of a file for a name in Python."""
    return name.rstrip("_").replace("_", "-")


def plain(value: object) -> object:
    """Returns a value in which parts are dicts."""
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
