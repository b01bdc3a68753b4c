"""The program: where it is, and how it is asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from .failure import ConfigError, Fault, error

DISTRIBUTION = "runner-lab"


def find() -> Path:
    """The program: what RUNNER_PROGRAM names, else that of this wheel, else that on PATH."""
    named = os.environ.get("RUNNER_PROGRAM")
    shipped = None if named else _shipped()
    if shipped is not None:
        return shipped
    found = shutil.which(named or "runner")
    if found is None:
        message = (
            f"the environment variable RUNNER_PROGRAM names {named}, which is no program"
            if named
            else "there is no program `runner`"
        )
        way_out = "install the wheel of runner-lab, or name the program in RUNNER_PROGRAM"
        raise ConfigError(2, [Fault(message, help=way_out)])
    return Path(found)


def _shipped() -> Path | None:
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())).resolve() for file in files if file.name == "runner")
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def environment() -> dict[str, str]:
    """That of the program: problems in Python run in this interpreter's environment."""
    variables = dict(os.environ)
    if (Path(sys.prefix) / "bin" / "python").exists():
        variables["VIRTUAL_ENV"] = sys.prefix
    return variables


def call(*words: str | os.PathLike[str]) -> str:
    """What `runner WORDS…` prints to standard output, such as
    `call("sample", "chess960", "-n", "3")`.

    Raises RunnerError with its message if it fails.
    """
    return answer(words)


def answer(words: Sequence[str | os.PathLike[str]], **variables: str) -> str:
    """Returns what it prints, with these variables in its environment."""
    ended = subprocess.run(
        [find(), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**environment(), **variables},
        check=False,
    )
    if ended.returncode != 0:
        raise error(ended.returncode, _faults(_said(ended.stdout, ended.stderr)))
    return ended.stdout


def _said(answer: str, aside: str) -> str:
    """What a command that failed said. Those that find faults print them as their answer, and aside
    only their progress, notes and warnings."""
    if not answer.strip() or re.search(r"^error: ", aside, re.MULTILINE):
        return aside if aside.strip() else answer
    told = (line for line in aside.splitlines() if line.startswith(("note: ", "warning: ")))
    return "\n".join([answer.rstrip("\n"), *told])


def _faults(text: str) -> Sequence[Fault]:
    words = text.strip().removeprefix("error: ")
    return [Fault(words)] if words else []
