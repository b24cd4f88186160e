"""How far some work is, as one line of a notebook's cell that is written anew."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from autokb.notebook.html import html


@dataclass(frozen=True)
class StageLine:
    """A stage, its items that are done, and all of its items."""

    stage: str
    done: int
    total: int

    @property
    def percent(self) -> int:
        """How much is done, of 100."""
        return 100 * self.done // max(self.total, 1)

    def __repr__(self) -> str:
        return f"{self.stage}: {self.done:,} of {self.total:,}"

    def _repr_html_(self) -> str:
        return html("progress", line=self)


_last: dict[str, Any] = {}  # the cell, its line and what stands there


def show_progress(stage: str, done: int, total: int) -> None:
    """Show in the cell of a notebook how far a stage is; elsewhere nothing, a terminal of IPython included."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    if not hasattr(shell, "kernel"):
        return
    line = StageLine(stage, done, total)
    if _last.get("cell") != shell.execution_count:
        from IPython.display import display

        _last.update(cell=shell.execution_count, line=display(line, display_id=True))
    elif _last["shown"] != (stage, line.percent):  # a build has thousands of items
        _last["line"].update(line)
    _last["shown"] = stage, line.percent
