"""Running an experiment: a config in, a result out."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Union

from . import document
from .config import Experiment, OperatorSet, Stop
from .failure import ConfigError, Fault, ResultsError, RunnerWarning, error
from .problem import is_object, table
from .program import environment, find
from .progress import Bar
from .result import Result
from .settings import each, plain

Resolved = Union[str, "os.PathLike[str]", Mapping[str, object]]
Config = Union[Resolved, Experiment]

# Of an experiment that has no other name.
NAME = "experiment"
INTERRUPTED = 130
# Done, and done with trials that failed: both leave tables.
DONE = (0, 1)
# A note that the run stopped, or moved trials, is a warning here; not one of trials that are run
# again as asked, or that a stopping rule leaves out.
ASKED = r"\(`retry_failed=True`\)|the stopping rule in `repeats` was satisfied"
SERIOUS = re.compile(rf": stopped, because|moved to .*/superseded/(?!.*({ASKED}))")
# Advice of the program, and the same for a call.
ADVICE = (
    (re.compile(r"`runner [^`]* --retry-failed`"), "it again with `retry_failed=True`"),
    (re.compile(r"--retry-failed"), "`retry_failed=True`"),
    (re.compile(r"--keep-going"), "`keep_going=True`"),
    (
        re.compile(r"`runner tune [^`]*`"),
        '`runner.call("tune", file)`; `runner.save(config, file)` writes a config to a file',
    ),
)


def run(
    config: Config | None = None,
    *,
    problem: object = None,
    operators: Sequence[OperatorSet | Mapping[str, Any]] | None = None,
    stop: Stop | Mapping[str, Any] | None = None,
    name: str | None = None,
    repeats: object = None,
    seed: int | str | None = None,
    set: Mapping[str, object] | None = None,
    arms: Iterable[str] = (),
    out: str | os.PathLike[str] = "results",
    jobs: int | None = None,
    plugin_dirs: Iterable[str | os.PathLike[str]] = (),
    isolation: str | None = None,
    retry_failed: bool = False,
    keep_going: bool = False,
    progress: bool = True,
) -> Result:
    """Runs an experiment, or continues it, and returns its result.

    `config` is a file, or what it would hold as a dict or an `Experiment`, whose paths start from
    the current folder. `problem`, `operators`, `stop` and `name` are keys of it: what they give
    wins over `config`, which may then be missing. A problem may be a class or an object of the
    caller: its source goes to the folder of results. `set` changes keys, as in `{"problem.n": 12}`.
    The other arguments are the flags of the program with the same names.

    Raises ConfigError, PluginError or ResultsError with the program's message. Ctrl-C, or a
    notebook's interrupt, ends the trials that run; those that are done are kept, and the same call
    continues.
    """
    words = [f"--out={os.fspath(out)}", "--progress=json"]
    if repeats is not None:
        words += [_setting("repeats", repeats)]
    if seed is not None:
        words += [f"--seed={seed}"]
    if not isinstance(set or {}, Mapping):
        way_out = 'give a dict, such as {"problem.n": 12}'
        raise ConfigError(2, [Fault(f"`set` cannot be {set!r:.200}", help=way_out)])
    words += [_setting(key, value) for key, value in (set or {}).items()]
    words += [f"--arm={arm}" for arm in each(arms)]
    words += [f"--jobs={jobs}"] if jobs is not None else []
    words += [f"--plugin-dir={os.fspath(folder)}" for folder in each(plugin_dirs)]
    words += [f"--isolation={isolation}"] if isolation is not None else []
    words += ["--retry-failed"] if retry_failed else []
    words += ["--keep-going"] if keep_going else []
    parts = {"problem": problem, "operators": operators, "stop": stop, "name": name}
    whole = _whole(config, {key: part for key, part in parts.items() if part is not None})
    made: Path | None = None
    if isinstance(whole, Mapping):
        whole, made = _with_file(whole, Path(out))
    told = _Told()
    try:
        with _file(whole) as path, Bar(progress) as bar:
            _follow([os.fspath(find()), *words, "--", os.fspath(path)], told, bar)
    finally:
        if made is not None and told.experiment is None:
            _take_back(made)
    if isinstance(whole, Mapping):
        # The file of a dict is gone.
        told.faults = [_with_key(fault, path, whole) for fault in told.faults]
        told.warnings = [_with_key(fault, path, whole) for fault in told.warnings]
        told.notes = [note.replace(f"{path}: ", "") for note in told.notes]
    if told.experiment is None:
        raise error(told.code, told.faults)
    result = Result(Path(out) / told.experiment, notes=told.notes)
    result._hold()
    for fault in told.warnings:
        warnings.warn(str(fault), RunnerWarning, stacklevel=2)
    if told.code == INTERRUPTED:
        raise KeyboardInterrupt(f"interrupted; finished trials are in {result.folder}")
    if told.code not in DONE:
        raise error(told.code, told.faults)
    return result


def save(config: Mapping[str, object] | Experiment, path: str | os.PathLike[str]) -> Path:
    """Writes a config to a file, such as one for `call("tune", path)`, and returns its path.

    Paths in a file start from its folder. A problem that is a class or an object of the caller is
    written to the folder `problems` beside it.
    """
    file = Path(path)
    keys = _keys(config.to_dict() if isinstance(config, Experiment) else config)
    if is_object(keys.get("problem")):
        problem = table(keys["problem"], file.parent / "problems")
        plugin = os.path.relpath(str(problem["plugin"]), file.parent)
        keys["problem"] = {**problem, "plugin": plugin}
    with _written(file):
        file.write_text(document.config(keys), encoding="utf-8")
    return file


def _setting(key: str, given: object) -> str:
    """Returns the flag that sets a key. It would take a number that it cannot read for a text."""
    if given is None:
        fault = Fault(f"`{key}` cannot be set to None", help="give a value, or leave the key out")
        raise ConfigError(2, [fault])
    value = document.value(plain(given))
    is_large = isinstance(given, Integral) and not -(2**63) <= int(given) < 2**64
    if is_large or (isinstance(given, Real) and not math.isfinite(given)):
        fault = Fault(
            f"`{key}` = {value} is not allowed",
            rule="numbers are finite, and whole ones from -9223372036854775808 to "
            "18446744073709551615",
            help="give a number within these limits",
        )
        raise ConfigError(2, [fault])
    return f"--set={key}={value}"


def _whole(config: Config | None, parts: Mapping[str, object]) -> Resolved:
    """A config with the parts that are given besides."""
    if isinstance(config, Experiment):
        config = config.to_dict()
    if config is None or isinstance(config, Mapping):
        return {"name": NAME, **_keys({**(config or {}), **parts})}
    if not isinstance(config, (str, os.PathLike)):
        way_out = "give a file, a dict or an Experiment"
        raise ConfigError(2, [Fault(f"{config!r:.200} is no config", help=way_out)])
    if parts:
        fault = Fault(
            f"{', '.join(parts)} cannot be given besides the file {os.fspath(config)}",
            help="give keys of the file by `set`, or the whole config as a dict or an Experiment",
        )
        raise ConfigError(2, [fault])
    return config


def _keys(config: Mapping[str, object]) -> dict[str, object]:
    """Returns the keys of a config that are set, with dicts for its parts."""
    given = {key: plain(one) for key, one in config.items()}
    return {key: one for key, one in given.items() if one is not None}


def _with_file(
    config: Mapping[str, object], out: Path
) -> tuple[Mapping[str, object], Path | None]:
    """A config whose problem has a file, in the experiment's folder if it is an object, and the file
    if it is a new one."""
    given = config.get("problem")
    if not is_object(given):
        return config, None
    name = str(config["name"])
    if name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        fault = Fault(
            f"{name!r} is no name of an experiment",
            rule="it is the name of a folder below `out`",
            help='give a name such as "my-experiment"',
        )
        raise ConfigError(2, [fault])
    folder = out / name / "problems"
    try:
        before = _files(folder)
        problem = table(given, folder)
    except OSError as cause:
        way_out = "check the permissions, and that no file has the name of a folder"
        fault = Fault(f"the file of the problem cannot be written: {cause}", help=way_out)
        raise ResultsError(4, [fault]) from None
    path = Path(str(problem["plugin"]))
    return {**config, "problem": problem}, None if path.name in before else path


def _files(folder: Path) -> frozenset[str]:
    return frozenset(os.listdir(folder)) if folder.is_dir() else frozenset()


def _take_back(path: Path) -> None:
    """Removes a problem's file of which nothing was run, and its folders if nothing else is there."""
    path.unlink(missing_ok=True)
    for folder in (path.parent, path.parent.parent):
        try:
            folder.rmdir()
        except OSError:
            return


def _with_key(fault: Fault, path: Path, config: Mapping[str, object]) -> Fault:
    """A fault with the path of its key, if its place is in this file, which is that of a config."""
    fault = replace(fault, message=fault.message.replace(f"{path}: ", ""))
    if fault.file is None or Path(fault.file).name != path.name:
        return fault
    key = None
    if fault.line is not None:
        key = document.path(config, fault.line, fault.column or 1)
    return replace(fault, file=None, line=None, column=None, key=key)


def _is_advice(event: Mapping[str, Any]) -> bool:
    """Whether an event is a note, and no more than that."""
    return event["event"] == "note" and SERIOUS.search(event["message"]) is None


@dataclass
class _Told:
    """What the program told in a run."""

    code: int = 0
    experiment: str | None = None
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event["event"]
        if kind == "started":
            self.experiment = event["experiment"]
        elif kind == "error":
            # The last one only counts the others.
            if "errors" not in event:
                self.faults.append(Fault.of(event))
        elif kind == "warning" or (kind == "note" and not _is_advice(event)):
            self.warnings.append(Fault.of(event))
        elif _is_advice(event):
            self.notes.append(event["message"])


def _follow(words: list[str], told: _Told, bar: Bar) -> None:
    """Runs the program to its end."""
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=environment(),
    ) as process:
        assert process.stderr is not None
        try:
            _read(process.stderr, told, bar)
            told.code = process.wait()
        except BaseException:
            _end(process, told, bar)
            raise


def _end(process: subprocess.Popen[str], told: _Told, bar: Bar) -> None:
    """Has it keep what is done. A terminal gave it the interrupt already, and a second one would
    end it at once; asked to terminate, it ends in the same way."""
    assert process.stderr is not None
    process.send_signal(signal.SIGTERM)
    try:
        _read(process.stderr, told, bar)
        process.wait()
    except BaseException:
        process.kill()
        raise


def _read(lines: Iterable[str], told: _Told, bar: Bar) -> None:
    for line in lines:
        event = _event(line)
        if event is None:
            # A plugin's own words.
            bar.say(line.rstrip("\n"))
            continue
        told.take(event)
        bar.follow(event)
        if _is_advice(event):
            bar.say(event["message"])


def _event(line: str) -> Mapping[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    if not isinstance(event, dict) or "event" not in event:
        return None
    for key in ("message", "help"):
        if isinstance(event.get(key), str):
            event[key] = _for_a_call(event[key])
    return event


def _for_a_call(text: str) -> str:
    """Returns a text of the program with the arguments of `run` in place of flags."""
    for flags, arguments in ADVICE:
        text = flags.sub(arguments, text)
    return text


@contextmanager
def _file(config: Resolved) -> Iterator[Path]:
    """The config as a file. That of a dict lies in the current folder, where its paths start."""
    if not isinstance(config, Mapping):
        yield Path(config)
        return
    text, folder = document.config(config), Path.cwd()
    with _written(folder):
        file = tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="runner-", suffix=".toml", dir=folder
        )
    with file:
        with _written(folder):
            file.write(text)
            file.flush()
        yield Path(file.name)


@contextmanager
def _written(place: Path) -> Iterator[None]:
    """Turns an error of the system into one that says where the config was to be written."""
    try:
        yield
    except OSError as cause:
        way_out = "check that the folder is there, its permissions, and the disk's free space"
        fault = Fault(f"{place}: the config cannot be written: {cause.strerror}", help=way_out)
        raise ResultsError(4, [fault]) from None
