"""``autokb trends`` and ``digest``: increases, and what happened since a day."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from autokb.cli.commands import Folder, Json

if TYPE_CHECKING:
    from autokb.plugins.insight.digest import Digest
    from autokb.plugins.insight.trends import Trends


def trends(
    workspace: Folder,
    weeks: Annotated[
        int | None, typer.Option(metavar="N", help="The last N whole weeks (4) beside those before.")
    ] = None,
    until: Annotated[str, typer.Option(metavar="DAY", help="The last day that counts, if not yesterday.")] = "",
    json: Json = False,
) -> None:
    """Show what customers ask more than before, new topics since the last build, and the effect of solutions."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.insight.trend_views import trends_view

    found = cast("Trends", SupportKB.open(workspace).usage.trends(weeks, until))
    emit(json, found.as_json(), lambda: trends_view(workspace, found))


def digest(
    workspace: Folder,
    since: Annotated[str, typer.Option(metavar="DAY", help="The first day that counts.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the page there.")] = None,
    json: Json = False,
) -> None:
    """Write one page of Markdown: what rose, what is new and unanswered, what builds changed, what helped."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, write_markdown
    from autokb.core.files import write_file

    found = cast("Digest", SupportKB.open(workspace).usage.digest(since))
    if out is not None:
        write_file(out, found.markdown)
    if json or out is not None:
        emit(json, found.as_json(), lambda: f"Written to {out}.")
    else:
        write_markdown(found.markdown.rstrip("\n"))
