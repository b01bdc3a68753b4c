"""Python values as Python source that makes them again, the same text for the same value."""

from __future__ import annotations

import ast
import math
from typing import Any

ATOMS = (type(None), bool, int, str, bytes)


def text(value: Any) -> str:
    """Returns an expression of the value; raises TypeError if there is none. Arrays need the name
    `numpy`."""
    kind = type(value)
    if kind in ATOMS:
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if kind is list:
        return "[" + ", ".join(map(text, value)) + "]"
    if kind is tuple:
        return "(" + "".join(f"{text(item)}, " for item in value).strip() + ")"
    if kind is dict:
        return "{" + ", ".join(f"{text(key)}: {text(item)}" for key, item in value.items()) + "}"
    if kind in (set, frozenset):
        # Their own order differs from process to process.
        return f"{kind.__name__}([" + ", ".join(sorted(map(text, value))) + "])"
    if kind is range:
        return repr(value)
    if kind.__module__ == "numpy":
        return _of_numpy(value)
    raise TypeError(f"{kind.__name__} has no literal")


def names_numpy(text: str) -> bool:
    """Whether an expression needs the name `numpy`."""
    names = (node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
    return "numpy" in names


def _of_numpy(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"{type(value).__name__} has no literal")
    if type(value).__name__ == "ndarray":
        made = f'numpy.array({text(value.tolist())}, "{dtype.str}")'
        return made if value.size else f"{made}.reshape({value.shape})"
    if callable(getattr(value, "item", None)) and not hasattr(value, "__len__"):
        return f'numpy.dtype("{dtype.str}").type({text(value.item())})'
    raise TypeError(f"{type(value).__name__} has no literal")
