"""Figures of a benchmark: shown as a table beside the last stored ones, written as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
WIDE = 120  # a name that is cut says nothing
LOCAL = RESULTS / "local"  # ignored by git: figures of a run that nobody decided to keep


@dataclass(frozen=True, slots=True)
class Figure:
    """One number and, where we promised one, the bound it keeps."""

    name: str
    value: float | None
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def aim(self) -> str:
        """The promise in words."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"

    @property
    def kept(self) -> bool | None:
        """Whether the promise is kept; None without one."""
        if self.value is None or not self.aim:
            return None
        return self.value <= self.at_most if self.at_most is not None else self.value >= (self.at_least or 0)


@dataclass(frozen=True, slots=True)
class Result:
    """What one benchmark found; ``detail`` is kept beside the figures (rankings are not)."""

    name: str
    figures: Sequence[Figure]
    detail: dict[str, Any] = field(default_factory=dict)


def show(result: Result) -> None:
    """Print the figures beside the last stored ones."""
    from rich.console import Console
    from rich.table import Table

    before = stored(result.name)
    table = Table(title=result.name, title_justify="left")
    for column in ("figure", "now", "stored", "unit", "aim", ""):
        table.add_column(column, justify="right" if column in ("now", "stored") else "left")
    for f in result.figures:
        kept = {None: "", True: "kept", False: "MISSED"}[f.kept]
        table.add_row(f.name, _words(f.value), _words(before.get(f.name)), f.unit, f.aim, kept)
    Console(width=max(Console().width, WIDE)).print(table)


def _words(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 10 else f"{value:.4g}"


def stored(name: str) -> dict[str, float | None]:
    """Return the figures that were stored last."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return {}
    return {f["name"]: f["value"] for f in json.loads(path.read_text(encoding="utf-8"))["figures"]}


def write(result: Result, *, keep: bool) -> Path:
    """Write the figures: to results/ where they are kept, else to results/local/."""
    folder = RESULTS if keep else LOCAL
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.name}.json"
    body = {
        "figures": [_body(f) for f in result.figures],
        "detail": result.detail,
        "run": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _body(figure: Figure) -> dict[str, Any]:
    value = figure.value if figure.value is None else round(figure.value, 6)
    body: dict[str, Any] = {"name": figure.name, "value": value, "unit": figure.unit}
    return body | ({"aim": figure.aim, "kept": figure.kept} if figure.aim else {})
