"""What a person sees in a terminal of checks and of what the gate refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from autokb.cli.one_line import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autokb.core.checks import CheckResult, Refusal, Turned
    from autokb.pipeline.gate.checks import CheckRun

TURNED_SHOWN = 5  # checks whose answers before and now are told


def show_run(found: CheckRun, candidate: bool) -> RenderableType:
    """Show the three shares, beside readers where a candidate was asked, and what is wrong or turned."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from autokb.pipeline.gate.checks import MEASURES

    beside = found.difference or {}
    table = Table("", "share", "95 %", *(["vs current", "95 %"] if beside else []), box=None)
    for name, words in MEASURES.items():
        one, change = getattr(found, name), beside.get(name)
        more = [f"{change.value:+.2f}", f"{change.low:+.2f} to {change.high:+.2f}"] if change else []
        table.add_row(words, f"{one.value:.2f}", f"{one.low:.2f} to {one.high:.2f}", *more)
    lines = [f"wrong: {one_line(one.id)}  {_got(one)}" for one in found.wrong]
    if beside:
        lines = [*turned_lines(found.turned)] or ["No check got worse."]
    elif candidate:
        lines.append("Nothing is published that it could be compared with.")
    return Group(Text(f"{found.n} checks"), table, *map(Text, lines))


def refusal_lines(refusal: Refusal) -> list[str]:
    """Say why the gate keeps readers where they are, and what turned, the first of many."""
    more = len(refusal.checks) - TURNED_SHOWN
    return [
        *(f"Not published: {reason}" for reason in refusal.reasons),
        *turned_lines(refusal.checks[:TURNED_SHOWN]),
        *([f"{more} more are worse; --json lists all"] if more > 0 else []),
    ]


def turned_lines(turned: Iterable[Turned]) -> list[str]:
    """Say of each check that turned what it got before and what it gets now."""
    lines = []
    for one in turned:
        was = _got(one.before) if one.before else "nothing was published"
        lines += [f"worse: {one_line(one.id)}", f"    before: {was}", f"    now:    {_got(one.now)}"]
    return lines


def _got(result: CheckResult) -> str:
    return f"{result.answer}, first: {one_line(result.shown)}" if result.shown else f"{result.answer}, nothing is shown"
