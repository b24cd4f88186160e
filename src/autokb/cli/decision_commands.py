"""``autokb approve``, ``reject``, ``hide``, ``edit``, ``undo``, ``dismiss`` and ``write``: what people decide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from autokb.app.namespaces.curation import Judged
    from autokb.views.kinds import SolutionView

Solutions = Annotated[list[str], typer.Argument(metavar="SOLUTION...", help="Ids, or the first letters of one each.")]
Solution = Annotated[str, typer.Argument(metavar="SOLUTION", help="An id, or its first letters.")]
Version = Annotated[
    str, typer.Option(metavar="V", help="The version that you read; where it has another one, nothing is changed.")
]
Author = Annotated[str, typer.Option(metavar="A", help="Who decides; kept with the decision and exported.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take the verdict back.")]


def _add_verdict(verb: str, words: str, example: str) -> None:
    @app.command(name=verb, help=words, epilog=f"Example: {example}")
    def judge(
        workspace: Folder, solutions: Solutions, author: Author = "", undo: Undo = False, json: Json = False
    ) -> None:
        from autokb.app import SupportKB
        from autokb.cli.output import emit

        judged: Judged = getattr(SupportKB.open(workspace).curation, verb)(solutions, author=author, undo=undo)
        head = f"{'No longer ' * judged.undone}{judged.verdict}: {judged.changed} of {len(judged.solutions)}"
        lines = (f"  {s.id}: {s.status}{f' ({s.reason})' if s.reason else ''}" for s in judged.solutions)
        emit(json, judged.as_json(), lambda: "\n".join((head, *lines)))


_add_verdict(
    "approve",
    "Approve solutions as their texts are now.\n\n"
    "The id of an edit that lost its solution gives the edit to the solution it is offered for.",
    "autokb approve kb solution-1234... --author ann",
)
_add_verdict(
    "reject",
    "Reject solutions: they are not shown until that is taken back, whatever is built or imported.",
    "autokb reject kb solution-1234...  and  autokb reject kb solution-1234... --undo",
)
_add_verdict("hide", "Hide solutions that are right, but not to be shown now.", "autokb hide kb solution-1234...")


@app.command(epilog="Example: autokb edit kb solution-1234... answer.md --author ann")
def edit(
    workspace: Folder,
    solution: Solution,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Its new text: a title, then the steps."),
    ] = None,
    step: Annotated[
        list[str] | None, typer.Option(metavar="STEP", help="A step; all of them in their order, in place of a file.")
    ] = None,
    version: Version = "",
    author: Author = "",
    json: Json = False,
) -> None:
    """Give a solution another text, or other steps; every build keeps it.

    A first line above numbered steps becomes the title. Where there is none, pages and autokb show put that of what was
    edited over the steps.
    """
    from autokb.app import SupportKB
    from autokb.app.namespaces.curation import read_text_file
    from autokb.cli.output import emit

    text = read_text_file(file) if file else ""
    edited = SupportKB.open(workspace).curation.edit(solution, text, step or (), author=author, version=version)
    reason = f" ({edited.reason})" if edited.reason else ""
    head = f"{edited.id}: {edited.status}{reason}" if edited.changed else f"{edited.id} has this text already."
    emit(json, edited.as_json(), lambda: f"{head}\n{edited.text}")


@app.command(epilog="Example: autokb undo kb solution-1234...")
def undo(workspace: Folder, solution: Solution, version: Version = "", author: Author = "", json: Json = False) -> None:
    """Take back the newest edit or verdict of a solution; again takes back the one before."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).curation.undo(solution, author=author, version=version)
    whose = "".join(f"{word}{value}" for word, value in ((" by ", done.undone_by), (", ", done.undone_at)) if value)
    reason = f" ({done.reason})" if done.reason else ""
    said = f"Taken back: {done.undone}{whose}.\n{done.id}: {done.status}{reason}\n{done.text}"
    emit(json, done.as_json(), lambda: said)


@app.command(epilog="Example: autokb dismiss kb edit-1234...  and  autokb dismiss kb edit-1234... --undo")
def dismiss(
    workspace: Folder,
    edit: Annotated[
        str, typer.Argument(metavar="EDIT", help="The id of an edit whose solution is gone, or its first letters.")
    ],
    author: Author = "",
    undo: Annotated[bool, typer.Option("--undo", help="Put it into the queue again.")] = False,
    json: Json = False,
) -> None:
    """Take an edit whose solution is gone out of the review queue; it is kept for when the solution returns."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).curation.dismiss_edit(edit, undo=undo, author=author)
    now = "out of the review queue" if done.dismissed else "in the review queue"
    emit(json, done.as_json(), lambda: f"{done.id} is {now} and kept for {done.solution_id}.\n{done.text}")


@app.command(epilog="Example: autokb write kb issue-1234... answer.md --author ann")
def write(
    workspace: Folder,
    issue: Annotated[str, typer.Argument(metavar="ISSUE", help="The id of an issue, or its first letters.")],
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Markdown: a heading as title, a list as steps."),
    ],
    author: Author = "",
    json: Json = False,
) -> None:
    """Write your own answer to an issue: approved, and kept by every build.

    A first line that is a heading becomes the title. It is answered and suggested like any other, as written by hand:
    it cites no document. It comes first for the issue and for all variants below it; write it on a variant if it holds
    only there.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    written = SupportKB.open(workspace).curation.write(issue, file, author=author)
    emit(json, written.as_json(), lambda: _written_view(workspace, written))


def _written_view(workspace: Path, written: SolutionView) -> str:
    from autokb.cli.views import quoted

    return (
        f"Wrote {written.id} ({written.status}, {len(written.steps)} steps).\n"
        f"Next: autokb show {quoted(workspace)} {written.issue_id}"
    )
