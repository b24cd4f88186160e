"""``autokb review``, ``history`` and ``changes``: what to look at, what was done to a solution, what builds changed."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, app


@app.command(epilog="Example: autokb review kb --kind source_changed")
def review(
    workspace: Folder,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="One kind of reason: source_changed, edit_orphaned, withheld, disliked, doubt, rules, "
            "little_evidence, waiting or unreviewed.",
        ),
    ] = "",
    limit: Annotated[int, typer.Option(metavar="N", help="At most this many.")] = 20,
    after: Annotated[str, typer.Option(metavar="PLACE", help="Go on behind this: the page before's next.")] = "",
    json: Json = False,
) -> None:
    """List the solutions that a person should look at, the highest impact first.

    An approved text whose source has changed comes before all others, with what its source says now.

    The impact is (1 + raw issues behind the node + times asked) times the points of the reasons.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.review_views import review_view

    page = SupportKB.open(workspace).curation.review(limit, after, kind)
    emit(json, page.as_json(), lambda: review_view(workspace, page))


@app.command(epilog="Example: autokb history kb solution-1234...")
def history(
    workspace: Folder,
    solution: Annotated[str, typer.Argument(metavar="SOLUTION", help="Its whole id.")],
    json: Json = False,
) -> None:
    """Show who edited, judged and took back what of a solution, and what builds made of it."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.review_views import history_view

    found = SupportKB.open(workspace).curation.history(solution)
    emit(json, found.as_json(), lambda: history_view(found))


@app.command(epilog="Example: autokb changes kb")
def changes(workspace: Folder, json: Json = False) -> None:
    """Show what the last build changed for readers."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.review_views import changes_view

    found = SupportKB.open(workspace).views.changes()
    emit(json, found.as_json(), lambda: changes_view(workspace, found))
