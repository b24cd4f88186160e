"""``autokb draft-cases``: questions with their replies, for a person to read and complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, Model

if TYPE_CHECKING:
    from autokb.plugins.lab.studies.draft_cases import DraftedCases

Budget = Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Ask for no more than this much money.")]


def draft_cases(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSONL file that is not there yet.")],
    source: Annotated[
        str, typer.Option("--from", help="chats, or documents: a task makes questions of them.")
    ] = "chats",
    out_of_domain: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSONL with id and text: questions that are to be refused.")
    ] = None,
    model: Model = "",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Write questions with their replies, of added chats or documents, as cases for a test set; private data masked."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.core.errors import BadInputError
    from autokb.plugins.lab.studies.draft_cases import CASE_SOURCES

    named = next((known for known in CASE_SOURCES if known == source), None)
    if named is None:
        raise BadInputError(f"--from takes {' or '.join(CASE_SOURCES)}, not {source!r}.")
    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        drafted = kb.evaluate.draft_cases(file, named, out_of_domain, budget=budget, progress=progress)
    emit(json, drafted.as_json(), lambda: _cases_view(drafted))


def _cases_view(drafted: DraftedCases) -> str:
    """Show how many cases there are and table 1 of the paper, and say what to do with them."""
    from autokb.cli.views import several

    counts = drafted.statistics
    rows = (
        ("documents", counts.documents),
        ("questions", counts.questions),
        ("replies", counts.replies),
        ("out of domain", counts.out_of_domain),
    )
    table = "\n".join(
        f"  {name:<14}{count.n:>7}{'–' if count.mean_words is None else f'{count.mean_words:.1f}':>9} words"
        for name, count in rows
    )
    origin = f" in {several(drafted.conversations, 'conversation')}" if drafted.conversations else ""
    failed = "".join(f"\nNot made: {failure.item}: {failure.reason}" for failure in drafted.failures)
    documents = "" if drafted.conversations == 0 else ", and name in documents the pages that answer each"
    return (
        f"Found {several(drafted.cases, 'case')}{origin}, questions and replies by {drafted.made_by}:\n{table}\n"
        f"E-mail addresses, phone numbers, cards and secrets masked: {drafted.masked}; names of people are not found."
        f"{failed}\nWrote {drafted.file}. Next: read it{documents}."
    )
