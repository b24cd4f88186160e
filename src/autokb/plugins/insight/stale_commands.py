"""``autokb stale``: what needs attention, and what people say of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from autokb.cli.commands import Folder, Json
from autokb.cli.draft_commands import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from autokb.app.namespaces.curation import CurationNamespace
    from autokb.core.findings import FindingStatus
    from autokb.core.spending import Figures
    from autokb.plugins.insight.findings import Finding, FindingPlace
    from autokb.plugins.insight.judged_pairs import JudgedPairs
    from autokb.plugins.insight.stale import FindingSettled, Stale

SHOWN = 160  # characters of a quote


def stale(
    workspace: Folder,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="One kind: source_changed, outdated or contradiction.",
        ),
    ] = "",
    settled: Annotated[bool, typer.Option("--settled", help="What was settled, in place of what is open.")] = False,
    settle: Annotated[str, typer.Option(metavar="ID", help="It is mended, or fine as it is.")] = "",
    dismiss: Annotated[str, typer.Option(metavar="ID", help="It is no finding.")] = "",
    join: Annotated[
        tuple[str, str],
        typer.Option(metavar="ISSUE ISSUE", help="Make the trees of two issues one, from the next build on."),
    ] = ("", ""),
    undo: Annotated[str, typer.Option(metavar="ID", help="Open a finding again.")] = "",
    author: Annotated[str, typer.Option(metavar="A", help="Who says so.")] = "",
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="First ask it about contradictions: openai:NAME, anthropic:NAME, ...")
    ] = "",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Show content that needs attention, or keep what a person says of a finding."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    told: dict[FindingStatus, str] = {"settled": settle, "dismissed": dismiss, "open": undo}
    given = [(status, finding) for status, finding in told.items() if finding]
    _refuse_two_things(len(given) + any(join), model, budget)
    curation = SupportKB.open(workspace, model=model).curation
    if any(join):
        done = cast("FindingSettled", curation.join_trees(*join, author=author))
    elif given:
        status, finding = given[0]
        done = cast("FindingSettled", curation.settle_finding(finding, status, author=author))
    else:
        judged = {"judged": _judge(curation, budget).as_json()} if model else {}
        found = cast("Stale", curation.stale(kind, settled=settled))
        emit(json, found.as_json() | judged, lambda: _view(workspace, found, settled))
        return
    emit(json, done.as_json(), lambda: f"{done.id} is {done.status}{'' if done.changed else ', as it was'}.")


def _refuse_two_things(said: int, model: str, budget: float | None) -> None:
    from autokb.core.errors import BadInputError

    if said > 1:
        raise BadInputError("Give one of --settle, --dismiss, --join and --undo at a time.")
    if said and (model or budget is not None):
        raise BadInputError("--settle, --dismiss, --join and --undo go without --model and --budget.")
    if budget is not None and not model:
        raise BadInputError("--budget goes with --model: nobody else is asked.")


def _judge(curation: CurationNamespace, budget: float | None) -> JudgedPairs:
    """Ask the model about contradictions; say before what is to be asked, and after what became of it."""
    from autokb.cli.output import one_line, say, stage_bars
    from autokb.cli.views import money, several

    def told(pairs: int, figures: Figures) -> None:
        say([f"To ask about: {several(pairs, 'pair')} in {several(figures.calls, 'request')}, {money(figures.cost)}."])

    with stage_bars() as progress:
        judged = cast("JudgedPairs", curation.judge_contradictions(budget=budget, progress=progress, told=told))
    say(f"Not judged: {one_line(failure.item, SHOWN)}: {one_line(failure.reason)}" for failure in judged.failures)
    say([f"{judged.disagree} of {several(judged.pairs, 'pair')} disagree; it cost {money(judged.spending.cost)}."])
    return judged


def _view(workspace: Path, found: Stale, settled: bool) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from autokb.cli.output import one_line
    from autokb.cli.views import next_line, quoted

    lines: list[RenderableType] = []
    for one in found.findings:
        by = f"  ({one.status} {one_line(one.author)} {one_line(one.date[:10])})" if one.status != "open" else ""
        lines.append(Text(f"{one_line(one.id)}  {one.kind}  {one_line(one.text, SHOWN)}{by}"))
        lines += [Text(f"    {line}", "dim") for line in _places(one)]
    if not lines:
        lines.append(Text("Nothing is settled." if settled else "Nothing is left to look at."))
    lines.append(Text(""))
    lines.append(Text("Open: " + ", ".join(f"{kind} {count:,}" for kind, count in found.counts.items()), "dim"))
    lines.append(Text("--settle ID: fixed, or fine as it is.  --dismiss ID: a false alarm.", "dim"))
    lines.append(next_line(f"Next: autokb stale {quoted(workspace)} --settle ID --author NAME"))
    return Group(*lines)


def _places(one: Finding) -> Iterator[str]:
    from autokb.cli.output import one_line

    for place in one.places:
        quote = one_line(place.quote, SHOWN)
        yield f"{one_line(_where(place))}: {quote}"


def _where(place: FindingPlace) -> str:
    if place.end:
        return f"{place.document} {place.start}-{place.end}"
    return place.document or place.solution or place.issue
