"""Plots, as SVG."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from .failure import ConfigError, Fault


@dataclass(frozen=True)
class Picture:
    """A plot. A notebook shows it."""

    name: str
    svg: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes it to a file, as SVG."""
        written = Path(path)
        if written.suffix.lower() not in ("", ".svg"):
            way_out = f'give a name such as "{written.with_suffix(".svg").name}"'
            fault = Fault(f"{written} is no name of a plot: plots are SVG", help=way_out)
            raise ConfigError(2, [fault])
        written.write_text(self.svg, encoding="utf-8")
        return written

    def _repr_svg_(self) -> str:
        return self.svg
