"""Progress: a bar on a terminal or in a notebook, fed by the program's events."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import util
from types import TracebackType
from typing import Any

from tqdm import tqdm


def _bar(**settings: Any) -> tqdm[Any]:
    """Makes a bar: in a notebook one of its own widgets, where they are installed."""
    kernel = sys.modules.get("IPython")
    shell = None if kernel is None else kernel.get_ipython()
    if hasattr(shell, "kernel") and util.find_spec("ipywidgets") is not None:
        from tqdm.notebook import tqdm_notebook

        return tqdm_notebook(**settings)
    return tqdm(**settings)


class Bar:
    """The trials of one experiment."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._bar: tqdm[Any] | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def follow(self, event: Mapping[str, Any]) -> None:
        """Shows what an event tells; others than those of progress are for others."""
        if event["event"] == "started" and self._shown:
            self._bar = _bar(
                desc=event["experiment"],
                total=event["trials_total"],
                initial=event["trials_done"],
                unit="trial",
                file=sys.stderr,
            )
        if self._bar is None:
            return
        if event["event"] == "advanced":
            self._bar.set_postfix_str(event["arm"], refresh=False)
        total, done = event.get("trials_total"), event.get("trials_done")
        if total is not None and total != self._bar.total:
            self._bar.total = total
            # A widget has a copy of it.
            if (widget := getattr(self._bar, "container", None)) is not None:
                widget.children[1].max = total
        if done is not None:
            self._bar.update(done - self._bar.n)

    def say(self, text: str) -> None:
        """A line beside the bar."""
        if self._shown:
            tqdm.write(text, file=sys.stderr)
