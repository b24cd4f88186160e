"""The review queue, a solution's history and what a build changed, on the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.cli.output import one_line
from autokb.cli.views import NOT_COUNTED, next_line, quoted, several
from autokb.core.changes import DocumentChange

if TYPE_CHECKING:
    from autokb.core.changes import Changes, SolutionChange
    from autokb.curation.review import ReviewPage
    from autokb.curation.solution_history import SolutionHistory

SHOWN = 160  # characters of a text
BEFORE = 40  # characters of a text that are shown before where it differs from another one
NAMED = 20  # changes of one kind that are shown; --json has more


# Complex: one line for each part that an item may have or lack.
def review_view(workspace: Path, page: ReviewPage) -> RenderableType:
    """Show items with their reasons, the highest impact first."""
    if not page.items:
        return Text("Nothing is to be reviewed.")
    lines: list[RenderableType] = []
    for item in page.items:
        lines.append(Text(f"{item.impact:>5}  {one_line(item.id)}  {one_line(item.issue, SHOWN)}", style="bold"))
        told = f"{several(item.reported, 'raw issue')}, asked {item.asked} times"
        lines.append(Text(f"       {told}"))
        lines += [Text(f"       {reason.kind}: {one_line(reason.text, SHOWN)}") for reason in item.reasons]
        text = item.solution.text if item.solution else item.edit.text if item.edit else ""
        lines.append(Text(f"       {one_line(text, SHOWN)}"))
        if item.source_text and item.source_text != text:
            lines.append(Text(f"       its source now: {one_line(item.source_text, SHOWN)}"))
        if item.edit and item.edit.offered_for:
            command = f"autokb approve {quoted(workspace)} {one_line(item.id)}"
            lines.append(next_line(f"       it fits {one_line(item.edit.offered_for)}: {command}", ""))
        if item.edit:
            command = f"autokb dismiss {quoted(workspace)} {one_line(item.id)}"
            lines.append(next_line(f"       to take it out of this list and keep it: {command}", ""))
            command = f"autokb edit {quoted(workspace)} SOLUTION FILE"
            lines.append(next_line(f"       to put its text on another solution: {command}", ""))
    lines.append(Text(f"What customers asked is counted by the service. {NOT_COUNTED}", "dim"))
    if page.next is not None:
        lines.append(next_line(f"More: autokb review {quoted(workspace)} --after {shlex.quote(page.next)}"))
    return Group(*lines)


def history_view(history: SolutionHistory) -> RenderableType:
    """Show what was done, the newest first."""
    if not history.items:
        return Text(f"Nobody has decided anything on {one_line(history.id)}.")
    lines: list[RenderableType] = []
    for entry in history.items:
        who = f" by {one_line(entry.author)}" if entry.author else ""
        undone = " (taken back since)" if entry.undone else ""
        lines.append(Text(f"{one_line(entry.date)}  {entry.what}{who}{undone}", style="bold"))
        before, after = _where_they_differ(entry.before or None, entry.after or None)
        for name, text in (("before", before), ("after", after), ("reason", one_line(entry.reason, SHOWN))):
            if text:
                lines.append(Text(f"  {name}: {text}"))
    return Group(*lines)


def changes_view(workspace: Path, changes: Changes) -> RenderableType:
    """Show what came, went and changed."""
    if changes.built_at is None:
        return Text(f"No build has noted what it changed yet; next: autokb build {quoted(workspace)}")
    return changes_text(f"What the build of {one_line(changes.built_at)} changed for readers:", changes)


def changes_text(head: str, changes: Changes) -> RenderableType:
    """Show what came, went and changed under a head line."""
    lines: list[RenderableType] = [Text(head)]
    of_solutions = ("added", "removed", "changed")  # names that do not say of what they are
    named = (
        (f"solutions {name}" if name in of_solutions else name.replace("_", " "), n)
        for name, n in changes.counts.items()
    )
    lines += [Text(f"  {one_line(name)}: {n}") for name, n in named if n]
    if not any(changes.counts.values()):
        lines.append(Text("  nothing"))
    for name, some in (("added", changes.added), ("removed", changes.removed), ("changed", changes.changed)):
        for one in some[:NAMED]:
            lines += _change_lines(name, one)
        if len(some) > NAMED:
            lines.append(Text(f"  and {len(some) - NAMED} more {name}; --json has them"))
    for page in changes.documents.changed[:NAMED]:
        if isinstance(page, DocumentChange):
            lines.append(Text(f"changed {one_line(page.document)}", style="bold"))
            lines += _texts_lines(page.text_before, page.text_after)
    return Group(*lines)


def _change_lines(name: str, one: SolutionChange) -> Iterator[Text]:
    what = f" ({', '.join(one.what)})" if one.what else ""
    yield Text(f"{name} {one_line(one.solution)}{what}", style="bold")
    if one.status_before != one.status_after:
        yield Text(f"  {one_line(one.status_before or 'not there')} -> {one_line(one.status_after or 'not there')}")
    if one.before != one.after:
        yield from _texts_lines(one.before, one.after)


def _texts_lines(was: str | None, is_now: str | None) -> Iterator[Text]:
    before, after = _where_they_differ(was, is_now)
    if before is not None:
        yield Text(f"  before: {before}")
    if after is not None:
        yield Text(f"  after: {after}")


def _where_they_differ(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Return two texts as lines, cut so that the first words in which they differ are shown."""
    if before is None or after is None:
        return before and one_line(before, SHOWN), after and one_line(after, SHOWN)
    old, new = " ".join(before.split()), " ".join(after.split())
    if old == new:
        return one_line(old, SHOWN), f"{one_line(new, SHOWN)} (only spaces and line breaks differ)"
    same = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = 0 if max(len(old), len(new)) <= SHOWN or same <= 2 * BEFORE else old.rfind(" ", 0, same - BEFORE) + 1
    return _from(old, start), _from(new, start)


def _from(text: str, start: int) -> str:
    return one_line(f"…{text[start:]}" if start else text, SHOWN)
