"""A module of source: definitions of a notebook or a script, with all that they use."""

from __future__ import annotations

import base64
import builtins
import importlib.util
import inspect
import io
import os
import pickle
import pickletools
import sys
from hashlib import blake2b
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from . import likeness, literal, source
from .source import NoSource

# Both are in every interpreter that runs a problem, or in every wheel.
OURS = ("runner", "runner_lab")
# Characters of the longest literal. To compile one takes a hundred times the memory of its value.
LONG = 100_000
OTHER = "is another value when its source is executed again"


class Module:
    """The text of a module that grows by what is defined in it."""

    def __init__(self) -> None:
        self._imports: dict[str, None] = {}
        self._values: list[str] = []
        self._definitions: list[str] = []
        self._bound: dict[str, Any] = {}
        self._copied: dict[str, Any] = {}
        self._deferred = False
        self._digests: dict[str, str] = {}

    def text(self) -> str:
        """Returns imports, values and definitions."""
        future = "from __future__ import annotations" if self._deferred else ""
        parts = [future, "\n".join(sorted(self._imports)), "\n".join(self._values)]
        return "\n\n".join(part for part in parts if part) + "".join(
            f"\n\n\n{one.rstrip()}" for one in self._definitions
        )

    def settle(self) -> None:
        """Executes the module once elsewhere, and adds the values of what is another one there than
        in memory. Refuses what cannot be written so."""
        changed = self._changed()
        if not changed:
            return
        self._definitions += [self._set(name, part) for name, part in changed]
        for name, part in self._changed():
            raise NoSource(f"{_called(name, part)} {OTHER}")

    def _changed(self) -> list[tuple[str, str]]:
        if not self._copied:
            return []
        here = likeness.of(self._copied)
        try:
            there = likeness.elsewhere(self.text(), self._copied)
        except likeness.Failed as error:
            raise NoSource(f"its source cannot be executed again: {error}") from None
        return [
            (name, part)
            for name, parts in here.items()
            for part in sorted(parts.keys() | there[name].keys())
            if parts.get(part) != there[name].get(part)
        ]

    def _set(self, name: str, part: str) -> str:
        """Returns the line that gives an attribute, or a function's defaults, the value of now."""
        thing, path = self._copied[name], name
        if part:
            if part not in vars(thing):
                raise NoSource(f"its member {part} was removed after the class was defined")
            thing, path = vars(thing)[part], f"{name}.{part}"
        if isinstance(thing, (staticmethod, classmethod)):
            thing, path = thing.__func__, f"vars({name})[{part!r}].__func__"
        if isinstance(thing, FunctionType):
            defaults, named = self.value(thing.__defaults__), self.value(thing.__kwdefaults__)
            return f"{path}.__defaults__ = {defaults}\n{path}.__kwdefaults__ = {named}"
        try:
            return f"{path} = {self.value(thing)}"
        except NoSource as error:
            raise NoSource(
                f"{_called(name, part)} {OTHER}, and {error}"
            ) from None

    def mark(self, text: str) -> str:
        """Returns the text's hash, which differs in no other process."""
        for expression, digest in self._digests.items():
            text = text.replace(expression, digest)
        return blake2b(text.encode(), digest_size=4).hexdigest()

    def require(self, line: str) -> None:
        """Adds an import."""
        self._imports[line] = None

    def define(self, name: str, thing: Any) -> None:
        """Binds a name to a thing, and before or after it the names that it uses."""
        if name in self._bound:
            if self._bound[name] is not thing:
                raise NoSource(f"{name} stands for two things in two modules")
            return
        self._bound[name] = thing
        try:
            self._define(name, thing)
        except NoSource as error:
            words = str(error)
            raise NoSource(words if words.startswith("`") else f"`{name}`: {words}") from None

    def _define(self, name: str, thing: Any) -> None:
        if isinstance(thing, ModuleType):
            module = thing.__name__
            if not importable(module):
                raise NoSource(f"the module {module} is one of yours")
            self.require(f"import {module}" if name == module else f"import {module} as {name}")
        elif _is_defined(thing) and not importable(thing.__module__):
            self._copy(name, thing)
        elif _is_defined(thing) and _is_at_the_top(thing):
            own: str = thing.__name__
            alias = "" if name == own else f" as {name}"
            self.require(f"from {thing.__module__} import {own}{alias}")
        else:
            self._values.append(f"{name} = {self.value(thing)}")

    def _copy(self, name: str, thing: Any) -> None:
        known = source.of(thing, name)
        refuse_imports(compile(known.text, "<problem>", "exec", dont_inherit=True))
        self._deferred |= known.deferred
        own = getattr(thing, "__name__", name)
        names = vars(sys.modules[thing.__module__]) if isinstance(thing, type) else _globals(thing)
        self._use(known.text, known.early, names, name, own)
        self._definitions.append(known.text)
        self._copied[name] = thing
        if own not in (name, "<lambda>"):
            self._definitions.append(f"{name} = {own}")
        self._use(known.text, known.late, names, name, own)

    def _use(
        self, text: str, used: tuple[str, ...], names: dict[str, Any], name: str, own: str
    ) -> None:
        for one in used:
            # What is in neither is missing in the original too.
            special = one.startswith("__") and one != "__file__"
            if one in (name, own) or one not in names or special:
                continue
            thing = names[one]
            if getattr(builtins, one, self) is thing:
                continue
            self.define(one, thing)
            if isinstance(thing, ModuleType):
                for below in source.submodules(text, one, thing.__name__):
                    self.require(f"import {below}")

    def value(self, value: Any) -> str:
        """Returns an expression of a value: a short literal, or else a pickle if it needs none of
        the caller's own definitions."""
        try:
            written = literal.text(value)
        except (TypeError, RecursionError):
            return self._pickled(value)
        if len(written) > LONG:
            return self._pickled(value)
        if "numpy." in written and literal.names_numpy(written):
            self.require("import numpy")
        return written

    def together(self, values: dict[str, Any]) -> str:
        """Returns an expression of a dict. Values of it that hold one thing still do."""
        if literal.shares(values):
            return self._pickled(values)
        return "{" + ", ".join(f"{key!r}: {self.value(one)}" for key, one in values.items()) + "}"

    def _pickled(self, value: Any) -> str:
        try:
            data = io.BytesIO()
            _Foreign(data, protocol=4).dump(value)
            pickle.loads(data.getvalue())
        except Exception as error:  # whatever a class's own methods raise
            kind = type(value).__name__
            raise NoSource(f"a value of {kind} cannot be written: {error}") from None
        self.require("import base64")
        self.require("import pickle")
        made = f'pickle.loads(base64.b64decode("{base64.b64encode(data.getvalue()).decode()}"))'
        # Sets have another order in each process; the names are those of modules and classes too.
        words = {one for _, one, _ in pickletools.genops(data.getvalue()) if isinstance(one, str)}
        self._digests[made] = likeness.digest([value, sorted(words)])
        return made


def _called(name: str, part: str) -> str:
    return f"`{name}.{part}`" if part else f"`{name}`"


class _Foreign(pickle.Pickler):
    """Pickles what libraries define, and refuses the rest."""

    def reducer_override(self, thing: Any) -> Any:
        kind = thing if _is_defined(thing) else type(thing)
        if not importable(kind.__module__ or "builtins"):
            raise pickle.PicklingError(f"{kind.__name__} is defined in {kind.__module__}")
        return NotImplemented


def _is_defined(thing: Any) -> bool:
    """Whether a thing is a class or a function, perhaps wrapped by a decorator."""
    return isinstance(thing, (type, FunctionType)) or bool(
        callable(thing)
        and isinstance(getattr(thing, "__module__", None), str)
        and isinstance(getattr(thing, "__name__", None), str)
    )


def _is_at_the_top(thing: Any) -> bool:
    """Whether its module has it under its name."""
    return getattr(sys.modules.get(thing.__module__), thing.__name__, None) is thing


def _globals(function: Any) -> dict[str, Any]:
    names = inspect.unwrap(function).__globals__
    assert isinstance(names, dict)
    return names


def importable(module: str) -> bool:
    """Whether a module comes with Python or with an installed package. All others are the caller's
    own, also those that a new interpreter finds: they may be edited at any time."""
    top = module.partition(".")[0]
    place = _place(top)
    return top in OURS or (top != "__main__" and place is not None and _is_installed(place))


def refuse_imports(code: CodeType) -> None:
    """Refuses a code that imports a module of the caller's own: it would not go along."""
    for name in source.imports(code):
        top = name.partition(".")[0]
        is_there = top in sys.modules or _place(top) is not None
        if not top or (is_there and not importable(name)):
            raise NoSource(f"it imports {name} within a function; import it at the top instead")


def _place(top: str) -> Path | None:
    """Returns the file or the folder of a module, if there is one."""
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):  # it was made by hand
            return None
        if spec is None:
            return None
        if spec.origin in ("built-in", "frozen"):
            return Path(os.__file__)
        file = spec.origin or next(iter(spec.submodule_search_locations or ()), None)
    return None if file is None else Path(os.path.abspath(file))


def _is_installed(place: Path) -> bool:
    """Whether a file lies where Python or an installer puts it."""
    if "site-packages" in place.parts or "dist-packages" in place.parts:
        return True
    folders = list(place.parents)
    if Path(os.path.abspath(os.__file__)).parent in folders:
        return True
    # Folders of `pip install --target`.
    return any(next(folder.glob("*.dist-info"), None) is not None for folder in folders[:2])
