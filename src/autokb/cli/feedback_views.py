"""Feedback on the terminal."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.cli.one_line import one_line
from autokb.cli.views import next_line, quoted, several

if TYPE_CHECKING:
    from autokb.usage.feedback import FedFeedback, FeedbackPage, GivenFeedback, UndoneFeedback

SHOWN = 160  # characters of a question or a reply


def given_sentence(given: GivenFeedback) -> str:
    """Say what was stored."""
    one = given.feedback
    known = "" if given.changed else " already"
    cited = f", which cites {', '.join(map(one_line, one.documents))}" if one.documents else ""
    return f"{one.id} is{known} stored: {one.verdict}{cited}."


def page_view(workspace: Path, page: FeedbackPage) -> RenderableType:
    """Show feedback, newest last, with what was sent in the place of what was suggested."""
    if not page.items:
        return Text("There is no feedback.")
    lines: list[RenderableType] = []
    for one in page.items:
        who = " ".join(filter(None, map(one_line, (one.date[:10], one.author, one.group))))
        about = one_line(one.solution_id or one.source or "no solution")
        lines.append(Text(f"{one.id}  {one.verdict:<9} {about}  {who}".rstrip(), style="bold"))
        if one.conversation:
            lines.append(Text(f"  conversation: {one_line(one.conversation, SHOWN)}"))
        lines.append(Text(f"  asked: {one_line(one.query, SHOWN)}"))
        if one.text:
            lines.append(Text(f"  sent: {one_line(one.text, SHOWN)}"))
    if page.next is not None:
        more = f"autokb feedback list {quoted(workspace)} --after {shlex.quote(page.next)}"
        lines.append(next_line(f"More: {more}"))
    return Group(*lines)


def undone_sentence(done: UndoneFeedback) -> str:
    """Say what was taken back."""
    unstaged = " Its question is no resolved one any more." if done.unstaged else ""
    return f"{done.id} was taken back.{unstaged}"


def fed_view(workspace: Path, fed: FedFeedback) -> str:
    """Say what counts now."""
    left_out = "".join(f"\nLeft out: {n} of which it {reason}" for reason, n in fed.left_out.items())
    return (
        f"{several(fed.issues, 'resolved question')} from feedback ({fed.added} new, {fed.removed} removed): history "
        f"from now on.{left_out}\nNext: autokb build {quoted(workspace)} makes issues of them; "
        f"autokb remove {quoted(workspace)} feedback takes them out again."
    )
