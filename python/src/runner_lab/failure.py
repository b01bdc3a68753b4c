"""What the program says when something is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """A mistake in a config or a flag, with its place; lines and columns count from 1."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    label: str | None = None
    rule: str | None = None
    help: str | None = None
    key: str | None = None
    """Path of the key in a config that is a dict, such as `operators[1].selection.size`."""

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Fault:
        """Of an event `error` or `warning` (docs/events.md)."""
        known: dict[str, Any] = {name: event.get(name) for name in cls.__dataclass_fields__}
        return cls(**known)

    def __str__(self) -> str:
        text = self.message
        if self.file is not None:
            place = [self.file, self.line, self.column]
            text += "\n  at " + ":".join(str(part) for part in place if part is not None)
            text += f" ({self.label})" if self.label else ""
        elif self.key is not None:
            text += f"\n  at {self.key}" + (f" ({self.label})" if self.label else "")
        text += f"\n  rule: {self.rule}" if self.rule else ""
        text += f"\n  help: {self.help}" if self.help else ""
        return text


class RunnerWarning(UserWarning):
    """Something may be wrong, such as trials that failed."""


class RunnerError(Exception):
    """The program ended without doing what it was asked for."""

    def __init__(self, code: int, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.code = code
        """Its exit code."""
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[Any, ...]:
        """Makes it again from its arguments, as `pickle` and `copy` do."""
        return type(self), (self.code, self.faults), self.__dict__


class ConfigError(RunnerError):
    """A config, or a call, is wrong; nothing was run."""


class PluginError(RunnerError):
    """A plugin could not be used."""


class ResultsError(RunnerError):
    """Results could not be read or written."""


KINDS: dict[int, type[RunnerError]] = {2: ConfigError, 3: PluginError, 4: ResultsError}


def error(code: int, faults: Sequence[Fault]) -> RunnerError:
    """The exception for an exit code."""
    if not faults:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        faults = [Fault(f"runner ended with {how} and without a message")]
    return KINDS.get(code, RunnerError)(code, faults)
