"""Digests of classes and functions: of attributes, defaults, code, and variables of decorators.
They tell whether another process that executes the source again gets the same."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from enum import EnumMeta
from hashlib import blake2b
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range)
# Attributes that Python itself gives to classes.
MACHINERY = ("_abc_impl",)
METHODS = (FunctionType, staticmethod, classmethod, property)
# Flags of a function's code that say how it is called; others say where it is defined.
CALLED = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


class Failed(Exception):
    """Reason why a written module cannot be executed."""


def of(things: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Returns a digest for each attribute of each class, and for each function."""
    return {
        name: {part: digest(one) for part, one in _parts(thing)} for name, thing in things.items()
    }


def digest(thing: object) -> str:
    """Returns a digest that is the same in every process for things of the same values. One of a
    thing that is too deep for it is the same as no other."""
    try:
        text = _likeness(thing, {})
    except RecursionError:
        text = os.urandom(16).hex()
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def elsewhere(text: str, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Returns the digests of what a new interpreter gets by executing a module, as workers do."""
    return json.loads(_executed(text, tuple(names)))  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=64)
def _executed(text: str, names: tuple[str, ...]) -> str:
    folders = [str(Path(__file__).parents[1])]
    sdk = getattr(sys.modules.get("runner"), "__file__", None)
    folders += [os.path.dirname(os.path.abspath(sdk))] if sdk else []
    paths = os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as folder:
        written, told = Path(folder) / "problem.py", Path(folder) / "told.json"
        written.write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "-m", "runner_lab.likeness", written, told, *names],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"},
            check=False,
        )
        if not told.is_file():
            lines = ended.stderr.decode(errors="replace").strip().splitlines()
            raise Failed(lines[-1] if lines else f"it ended with exit code {ended.returncode}")
        return told.read_text(encoding="utf-8")


def _parts(thing: Any) -> Iterable[tuple[str, object]]:
    if not isinstance(thing, type):
        yield "", thing
        return
    if isinstance(thing, EnumMeta):
        members: Mapping[str, Any] = thing.__members__
        yield "", {name: one.value for name, one in members.items()}
        yield from ((name, one) for name, one in vars(thing).items() if isinstance(one, METHODS))
        return
    for name, member in vars(thing).items():
        dunder = name.startswith("__") and name.endswith("__")
        nested = isinstance(member, type) and member.__qualname__ == f"{thing.__qualname__}.{name}"
        if nested and not dunder:
            yield name, dict(_parts(member))
        elif name not in MACHINERY and (not dunder or isinstance(member, FunctionType)):
            yield name, member


def _likeness(thing: Any, seen: dict[int, tuple[int, Any]]) -> str:
    """A text that is the same for things of the same values."""
    kind = type(thing)
    if kind in ATOMS:
        return f"{kind.__name__} {thing!r}"
    if isinstance(thing, ModuleType):
        return f"module {thing.__name__}"
    if not _is_constant(thing):
        if id(thing) in seen:
            # Its place in the walk, so that two lists and one list twice differ.
            return f"again {seen[id(thing)][0]}"
        # Kept alive, so that no other thing has its number.
        seen[id(thing)] = (len(seen), thing)

    def all_of(many: Iterable[object]) -> str:
        return "(" + ", ".join(_likeness(one, seen) for one in many) + ")"

    if kind in (list, tuple):
        return kind.__name__ + all_of(thing)
    if kind in (dict, MappingProxyType):
        return kind.__name__ + all_of(pair for item in thing.items() for pair in item)
    if kind in (set, frozenset):
        return kind.__name__ + str(sorted(_likeness(one, dict(seen)) for one in thing))
    if isinstance(thing, type):
        return f"class {thing.__name__}"
    if isinstance(thing, (staticmethod, classmethod)):
        return kind.__name__ + _likeness(thing.__func__, seen)
    if isinstance(thing, (MethodType, BuiltinFunctionType)):
        if _is_of_its_module(thing):
            return f"function {thing.__name__}"
        function = getattr(thing, "__func__", None)
        return f"method {thing.__name__}" + all_of((function, thing.__self__))
    if isinstance(thing, property):
        return "property" + all_of((thing.fget, thing.fset, thing.fdel))
    if isinstance(thing, functools.cached_property):
        return "property" + _likeness(thing.func, seen)
    if isinstance(thing, functools.partial):
        return "partial" + all_of((thing.func, thing.args, thing.keywords))
    if isinstance(thing, FunctionType):
        held = [_content(cell) for cell in thing.__closure__ or ()]
        defaults = (thing.__defaults__, thing.__kwdefaults__)
        return f"function {thing.__name__}" + all_of((thing.__code__, *defaults, *held))
    if isinstance(thing, CodeType):
        return f"code {thing.co_name}" + all_of(_instructions(thing))
    if callable(thing) and hasattr(thing, "__wrapped__"):
        return f"{kind.__name__} of " + _likeness(inspect.unwrap(thing), seen)
    if hasattr(thing, "dtype") and hasattr(thing, "tobytes") and not thing.dtype.hasobject:
        data = blake2b(thing.tobytes(), digest_size=16).hexdigest()
        return f"{kind.__name__} {thing.dtype} {thing.shape} {data}"
    return f"{kind.__name__} " + all_of(_reduced(thing))


def _is_constant(thing: Any) -> bool:
    """Whether a copy is no other than the thing: tuples, code, and numbers of numpy."""
    if hasattr(thing, "dtype"):
        return not hasattr(thing, "__len__")
    return type(thing) in (tuple, frozenset, CodeType)


def _is_of_its_module(method: Any) -> bool:
    """Whether a method is a function of the module of its object, as `random.randint` is."""
    module = sys.modules.get(type(method.__self__).__module__)
    return getattr(module, method.__name__, None) is method


def _instructions(code: CodeType) -> Iterable[object]:
    """Returns what a code does; its lines and its place do not matter."""
    yield code.co_code
    yield code.co_flags & CALLED
    yield from (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    yield from (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
    yield code.co_consts


def _content(cell: Any) -> object:
    try:
        content = cell.cell_contents
    except ValueError:  # it is empty
        return None
    # `super` needs it; each class is looked at for itself.
    return content.__name__ if isinstance(content, type) else content


def _reduced(thing: Any) -> list[object]:
    """Lists the parts that pickle would write."""
    try:
        parts = thing.__reduce_ex__(4)
    except Exception:  # a lock, a connection: only its attributes are seen
        return [getattr(thing, "__dict__", None)]
    if isinstance(parts, str):
        return [parts]
    made, *rest = parts[:5]
    # Items come as iterators, behind the arguments and the state.
    items = [None if one is None else list(one) for one in rest[2:]]
    return [getattr(made, "__name__", None), *rest[:2], *items]


def _main() -> None:
    path, told, *names = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("problem", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["problem"] = module
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    made = json.dumps(of({name: vars(module)[name] for name in names}))
    Path(told).write_text(made, encoding="utf-8")
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    _main()
