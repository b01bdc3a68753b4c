"""Python values as Python source that makes them again, the same text for the same value."""

from __future__ import annotations

import ast
import math
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from .source import parse

ATOMS = (type(None), bool, int, str, bytes)
# Things that a copy is no other than.
STATELESS = (type, FunctionType, BuiltinFunctionType, ModuleType, Enum)


def text(value: Any) -> str:
    """Returns an expression of the value; raises TypeError if there is none, or if a list is at two
    places in it. Arrays need the name `numpy`."""
    if shares(value):
        raise TypeError("it holds one thing at two places")
    return _text(value)


def shares(value: Any) -> bool:
    """Whether something that can be changed is at two places in a value."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        inside: list[Any] = []
        if kind in (tuple, frozenset):
            waiting += one
            continue
        if kind in (*ATOMS, float, complex, range) or isinstance(one, STATELESS):
            continue
        if isinstance(one, (list, set)):
            inside += one
        elif isinstance(one, dict):
            inside += [*one.keys(), *one.values()]
        if hasattr(one, "dtype") and not hasattr(one, "__len__"):
            continue
        if hasattr(one, "__dict__"):
            inside += vars(one).values()
        elif not isinstance(one, (list, set, dict, bytearray)) and kind.__module__ != "numpy":
            # Fractions, dates and the like do not change.
            continue
        if id(one) in seen:
            return True
        seen.add(id(one))
        waiting += inside
    return False


def _text(value: Any) -> str:
    kind = type(value)
    if kind in ATOMS:
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if kind is list:
        return "[" + ", ".join(map(_text, value)) + "]"
    if kind is tuple:
        return "(" + "".join(f"{_text(item)}, " for item in value).strip() + ")"
    if kind is dict:
        return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items()) + "}"
    if kind in (set, frozenset):
        # Their own order differs from process to process.
        return f"{kind.__name__}([" + ", ".join(sorted(map(_text, value))) + "])"
    if kind is range:
        return repr(value)
    if kind.__module__ == "numpy":
        return _of_numpy(value)
    raise TypeError(f"{kind.__name__} has no literal")


def names_numpy(text: str) -> bool:
    """Whether an expression needs the name `numpy`."""
    names = (node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name))
    return "numpy" in names


def _of_numpy(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"{type(value).__name__} has no literal")
    if type(value).__name__ == "ndarray":
        made = f'numpy.array({_text(value.tolist())}, "{dtype.str}")'
        return made if value.size else f"{made}.reshape({value.shape})"
    if callable(getattr(value, "item", None)) and not hasattr(value, "__len__"):
        return f'numpy.dtype("{dtype.str}").type({_text(value.item())})'
    raise TypeError(f"{type(value).__name__} has no literal")
