"""Problems that are classes or objects of the caller: written as files that `runner` can run."""

from __future__ import annotations

import inspect
import math
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import likeness, literal
from .byvalue import ByValue
from .failure import ConfigError, Fault
from .module import Module
from .source import NoSource

# Keys of the table [problem] that are not the problem's own.
KEYS = ("plugin", "interpreter", "version")
# Keys that a parameter may have.
KEY = re.compile("[a-z][a-z0-9_-]*")
SIMPLE = {bool: "Boolean", int: "Integer", float: "Real", str: "Text"}
WAY_OUT = """write the class to a file, by a first line in its cell, and name the file:
    %%writefile {file}.py
    problem={{"plugin": "{file}.py"}}
  there it is called Problem, and imports what it uses"""


def is_object(given: object) -> bool:
    """Whether a config's `problem` is a class or an object, or a table that names one."""
    if isinstance(given, Mapping):
        return "plugin" in given and is_object(given["plugin"])
    return given is not None and not isinstance(given, (str, os.PathLike))


def table(given: Any, folder: Path) -> dict[str, object]:
    """Writes the file of a problem into the folder, unless it is there, and returns the table
    [problem] that names it."""
    keys: dict[str, object] = {}
    if isinstance(given, Mapping):
        keys = {key: value for key, value in given.items() if key != "plugin"}
        given = given["plugin"]
    cls = given if isinstance(given, type) else type(given)
    _check(cls, given, keys)
    making = _making(cls, given)
    text, mark = _written(cls, making)
    name = _name(cls)
    path = folder / f"{name}-{mark}.py"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
        part.write_text(_identified(text, cls, name, mark), encoding="utf-8")
        part.replace(path)
    return {"plugin": path, **making.parameters, **keys}


def _check(cls: type, given: object, keys: Mapping[str, object]) -> None:
    if not any(callable(getattr(cls, call, None)) for call in ("fitness", "evaluate")):
        what = f"the class {cls.__name__}" if given is cls else repr(given)
        raise _error(
            f"{what:.200} is no problem: it has neither `fitness` nor `evaluate`",
            "give a class or an object with `describe` and `fitness`, a file, or a plugin's name",
        )
    if given is not cls or hasattr(cls, "parameters"):
        return
    missing = [one.name for one in _arguments(cls) or () if one.default is one.empty]
    if missing:
        raise _error(
            f"the problem {cls.__name__} takes {', '.join(missing)}, but a class was given",
            f"give an object, such as {cls.__name__}({', '.join(f'{one}=…' for one in missing)})",
        )


def _error(message: str, way_out: str) -> ConfigError:
    return ConfigError(2, [Fault(message, help=way_out)])


@dataclass(frozen=True)
class _Making:
    """How a worker makes the problem."""

    declared: Mapping[str, str] | None = None
    """Parameters that the class does not declare, each with its kind; None: those of the class."""
    parameters: dict[str, object] = field(default_factory=dict)
    """Values for the table [problem]."""
    fixed: dict[str, object] = field(default_factory=dict)
    """Further arguments of the constructor."""
    state: dict[str, object] | None = None
    """The object's attributes, where its constructor does not give them."""


def _making(cls: type, given: object) -> _Making:
    if given is cls:
        return _Making()
    if not hasattr(given, "__dict__"):
        raise _error(
            f"the problem {cls.__name__} has `__slots__`, so its state is not known",
            "leave them out",
        )
    state = dict(vars(given))
    arguments = _values(cls, state)
    if arguments is None or not _gives(cls, arguments, state):
        return _Making(declared={}, state=state)
    declares = getattr(cls, "parameters", None)
    if declares is not None:
        named = {key: value for key, value in arguments.items() if key in declares}
    else:
        named = {
            key: value
            for key, value in arguments.items()
            if key not in KEYS and KEY.fullmatch(key) and _is_for_a_config(value)
        }
    fixed = {key: value for key, value in arguments.items() if key not in named}
    kinds = None if declares is not None else {key: SIMPLE[type(named[key])] for key in named}
    return _Making(kinds, named, fixed)


def _is_for_a_config(value: object) -> bool:
    """Whether a config can have the value: its numbers are finite, of 64 bits; -0.0 becomes 0."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return False
    if isinstance(value, float):
        is_negative_zero = value == 0 and math.copysign(1, value) < 0
        if is_negative_zero or not math.isfinite(value):
            return False
    return type(value) in SIMPLE


def _arguments(cls: type) -> list[inspect.Parameter] | None:
    """Lists what the constructor takes by name; None: it takes more than that."""
    try:
        known = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError):
        return None
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return known if all(one.kind in by_name for one in known) else None


def _values(cls: type, state: Mapping[str, Any]) -> dict[str, object] | None:
    """Returns the constructor's arguments, which an object keeps under their names by custom."""
    found: dict[str, object] = {}
    for one in _arguments(cls) or ():
        key = next((key for key in (one.name, f"_{one.name}") if key in state), None)
        if key is None:
            return None
        value = state[key]
        # numpy's numbers are no keys of a config.
        simple = hasattr(value, "dtype") and not hasattr(value, "__len__")
        found[one.name] = value.item() if simple else value
    return None if _arguments(cls) is None else found


def _gives(cls: type, arguments: Mapping[str, object], state: Mapping[str, object]) -> bool:
    """Whether the constructor makes an object of the same state from these arguments."""
    try:
        again = vars(cls(**arguments))
    except Exception:  # whatever the class raises
        return False
    return likeness.digest(again) == likeness.digest(state)


def _written(cls: type, making: _Making) -> tuple[str, str]:
    """Returns the module's text, and its hash: as source, or else by value."""
    try:
        return _text(Module(), cls, making)
    except NoSource as error:
        reason = error
    try:
        return _text(ByValue(), cls, making)
    except NoSource as error:
        raise _error(
            f"the problem {cls.__name__} cannot be sent to the processes that run it: as source, "
            f"since {reason}; by value, since {error}",
            WAY_OUT.format(file=_name(cls).replace("-", "_")),
        ) from None


def _text(module: Module, cls: type, making: _Making) -> tuple[str, str]:
    module.define(cls.__name__, cls)
    module.settle()
    own = _with_parameters(module, cls.__name__, making)
    text = f"{module.text()}\n\n\n{own}"
    return text, module.mark(text)


def _with_parameters(module: Module, base: str, making: _Making) -> str:
    """Returns the class that a worker makes the problem of."""
    lines = [f"class Problem({base}):", f"    __doc__ = {base}.__doc__"]
    if making.declared is not None:
        for kind in making.declared.values():
            module.require(f"from runner import {kind}")
        pairs = ", ".join(f'"{key}": {kind}()' for key, kind in making.declared.items())
        lines.append(f"    parameters = {{{pairs}}}")
    if making.state is not None:
        state = module.together(making.state)
        lines += ["", "    def __init__(self):", f"        self.__dict__.update({state})"]
    elif making.fixed:
        pairs = ", ".join(f"{key}={module.value(one)}" for key, one in making.fixed.items())
        if literal.shares(making.fixed):
            pairs = f"**{module.together(making.fixed)}"
        lines += ["", "    def __init__(self, **values):"]
        lines.append(f"        super().__init__(**values, {pairs})")
    return "\n".join(lines) + "\n"


def _name(cls: type) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
    return re.sub(r"[^a-z0-9_-]", "", words).strip("-_") or "problem"


def _identified(text: str, cls: type, name: str, mark: str) -> str:
    # What the constructor takes is an object's own; a dataclass has its default as an attribute.
    taken = {one.name for one in _arguments(cls) or ()}
    is_named = "name" in vars(cls) and "name" not in taken
    has_version = hasattr(cls, "version") and "version" not in taken
    lines = "" if is_named else f'Problem.name = "{name}"\n'
    lines += "" if has_version else f'Problem.version = "{mark}"\n'
    return f'"""{cls.__name__}, written by runner_lab."""\n\n{text}\n\n{lines}'
