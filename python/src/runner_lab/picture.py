"""Plots, as SVG."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Picture:
    """A plot. A notebook shows it."""

    name: str
    svg: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes it to a file."""
        written = Path(path)
        written.write_text(self.svg, encoding="utf-8")
        return written

    def _repr_svg_(self) -> str:
        return self.svg
