"""A result as HTML for a notebook: figures in columns, and a picture. It needs no script, no
network and no style but its own. Colours are those of the page, so that a dark one shows it too."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Optional

from .picture import Picture

Row = Mapping[str, Any]

ROWS = 40
MISSING = "–"
RULE = "1px solid rgba(128, 128, 128, 0.6)"
CELL = "padding: 0.2em 0.6em; border: none; white-space: nowrap; background: transparent;"
TEXT = CELL + " text-align: left;"
FIGURE = CELL + " text-align: right; font-variant-numeric: tabular-nums;"


@dataclass(frozen=True)
class Column:
    """A column of figures, perhaps with an interval next to each."""

    heading: str
    key: str
    low: Optional[str] = None
    high: Optional[str] = None
    decimals: Optional[int] = None
    """None: as many as the greatest figure has within four digits."""
    of_failures: bool = False
    """Whether it is there only where trials failed."""




def text(words: str) -> str:
    """Lines as the terminal shows them."""
    return f"<pre>{escape(words)}</pre>"


COLUMNS = (
    Column("trials", "trials", decimals=0),
    Column("failed", "failures", decimals=0, of_failures=True),
    Column("success rate", "success_rate", "success_low", "success_high", 3),
    Column("rate if failures count", "success_bound_low", decimals=3, of_failures=True),
    Column("evaluations (median)", "evaluations_to_success_median"),
    Column("ERT", "ert", "ert_low", "ert_high"),
    Column("fitness (median)", "best_fitness_median"),
)


def html(title: str, rows: Sequence[Row], notes: Sequence[str], picture: Picture | None) -> str:
    """Returns the table of a summary's rows, with notes and a picture below."""
    parts = [f"<div><p><b>{escape(title)}</b></p>", _table(rows[:ROWS])]
    if len(rows) > ROWS:
        more = f"{len(rows) - ROWS:,} more arms are in <code>result.summary</code>."
        parts.append(f"<p>{more}</p>")
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    if picture is not None:
        # As a file in itself: names inside of one picture would be those of the next as well.
        data = base64.b64encode(picture.svg.encode()).decode()
        parts.append(
            f'<img alt="{escape(picture.name)}" style="max-width: 100%; background: white;" '
            f'src="data:image/svg+xml;base64,{data}"/>'
        )
    return "".join([*parts, "</div>"])


def _table(rows: Sequence[Row]) -> str:
    heads = [_head("arm", TEXT)]
    columns = [[_cell(row.get("arm"), TEXT) for row in rows]]
    failed = any(row.get("failures") for row in rows)
    for column in COLUMNS:
        if column.of_failures and not failed:
            continue
        heads.append(_head(column.heading, FIGURE))
        decimals = _decimals(column, rows)
        columns.append([_cell(_figure(row.get(column.key), decimals), FIGURE) for row in rows])
        if column.low is not None and column.high is not None:
            heads.append(_head(_level(rows), FIGURE))
            columns.append([_cell(_interval(column, row, decimals), FIGURE) for row in rows])
    if any(row.get("baseline_verdict") for row in rows):
        heads.append(_head("against baseline", TEXT))
        columns.append([_cell(row.get("baseline_verdict") or MISSING, TEXT) for row in rows])
    lines = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns))
    return (
        '<table style="border-collapse: collapse; color: inherit; background: transparent;">'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _head(text: str, style: str) -> str:
    return f'<th scope="col" style="{style} border-bottom: {RULE};">{escape(text)}</th>'


def _cell(text: object, style: str) -> str:
    return f'<td style="{style}">{escape(str(text))}</td>'


def _level(rows: Sequence[Row]) -> str:
    levels = [level for level in {row.get("confidence") for row in rows} if level is not None]
    return f"{100 * levels[0]:g} % interval" if len(levels) == 1 else "interval"


def _decimals(column: Column, rows: Sequence[Row]) -> int:
    """One number of decimals for a column, so that its points are below each other."""
    if column.decimals is not None:
        return column.decimals
    keys = [key for key in (column.key, column.low, column.high) if key is not None]
    figures = [row[key] for row in rows for key in keys if _is_figure(row.get(key))]
    estimates = [row[column.key] for row in rows if _is_figure(row.get(column.key))]
    greatest = max(map(abs, estimates), default=0)
    if greatest == 0 or all(value == int(value) for value in figures):
        return 0
    return max(0, 3 - math.floor(math.log10(greatest)))


def _is_figure(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _figure(value: Any, decimals: int) -> str:
    if value is None:
        return MISSING
    return f"{value:,.{decimals}f}" if _is_figure(value) else str(value)


def _interval(column: Column, row: Row, decimals: int) -> str:
    low, high = row.get(column.low or ""), row.get(column.high or "")
    if low is None and high is None:
        return MISSING
    if row.get("success_interval") == "exact":
        return "exact"
    return f"{_figure(low, decimals)} to {_figure(high, decimals)}"
