"""A module whose definitions are sent by value, by cloudpickle, where their source is not known."""

from __future__ import annotations

import base64
import importlib
import io
import pickletools
import platform
import sys
import threading
from hashlib import blake2b
from types import CodeType, ModuleType
from typing import Any

from .module import Module, importable, refuse_imports
from .source import NoSource

REGISTRY = threading.Lock()
CHECK = """if sys.version_info[:2] != {version}:
    raise ImportError(
        "this problem was written by Python {shown}, and is read by it alone"
    )"""


class ByValue(Module):
    """The text of a module with pickles of definitions. Only the Python version that wrote them can
    read them."""

    def __init__(self) -> None:
        super().__init__()
        try:
            self._cloudpickle = importlib.import_module("cloudpickle")
        except ModuleNotFoundError:
            raise NoSource("cloudpickle is not installed") from None
        for line in ("import base64", "import pickle", "import sys"):
            self.require(line)
        version = tuple(sys.version_info[:2])
        shown = ".".join(platform.python_version_tuple()[:2])
        self._values.append(CHECK.format(version=version, shown=shown))

    def define(self, name: str, thing: Any) -> None:
        """Binds a name to a thing."""
        self._values.append(f"{name} = {self._dumped(thing)}")

    def value(self, value: Any) -> str:
        """Returns an expression of a value, whatever it is."""
        try:
            return super().value(value)
        except NoSource:
            return self._dumped(value)

    def together(self, values: dict[str, Any]) -> str:
        """Returns an expression of a dict, whatever it holds."""
        try:
            return super().together(values)
        except NoSource:
            return self._dumped(values)

    def settle(self) -> None:
        """Pickles have the values of now."""

    def _dumped(self, thing: Any) -> str:
        own = [
            module
            for name, module in list(sys.modules.items())
            if isinstance(module, ModuleType)
            and module.__name__ == name != "__main__"
            and getattr(module, "__file__", None)
            and not importable(name)
        ]
        data = io.BytesIO()

        class Pickler(self._cloudpickle.CloudPickler):  # type: ignore[misc, name-defined]
            def reducer_override(self, thing: Any) -> Any:
                if isinstance(thing, CodeType):
                    refuse_imports(thing)
                return super().reducer_override(thing)

        # What is registered, and the marks of classes, hold for all threads.
        with REGISTRY:
            for module in own:
                self._cloudpickle.register_pickle_by_value(module)
            try:
                Pickler(data, protocol=4).dump(thing)
            except Exception as error:  # whatever a class's own methods raise
                raise NoSource(f"cloudpickle cannot write it: {error}") from None
            finally:
                for module in own:
                    self._cloudpickle.unregister_pickle_by_value(module)
            digest = self._digest(data.getvalue())
        text = f'pickle.loads(base64.b64decode("{base64.b64encode(data.getvalue()).decode()}"))'
        self._digests[text] = digest
        return text

    def _digest(self, data: bytes) -> str:
        """Hashes a pickle without what is new in each process: marks of classes and the names of
        cells, which code objects carry."""
        mangled = getattr(self._cloudpickle.cloudpickle, "_DYNAMIC_CLASS_TRACKER_BY_CLASS", {})
        passing = set(mangled.values())
        known = []
        for operation, argument, _ in pickletools.genops(data):
            if operation.name == "FRAME":
                continue
            if isinstance(argument, str) and (argument in passing or _is_cell(argument)):
                argument = ""
            known.append(f"{operation.name} {argument!r}")
        return blake2b("\n".join(known).encode(), digest_size=16).hexdigest()


def _is_cell(text: str) -> bool:
    return "ipykernel_" in text or "<ipython-input" in text
