"""What a person sees in a terminal of what was added, built and spent."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autokb.cli.output import one_line
from autokb.core.nouns import Failure, Skipped

if TYPE_CHECKING:
    from autokb.app.add import Added
    from autokb.app.sources import Removed, Sources
    from autokb.core.checks import CheckResult, Refusal, Turned
    from autokb.exchange.imported import Imported
    from autokb.pipeline.build_report import BuildReport
    from autokb.pipeline.plan import Costs, Plan

CHOOSING = "answers/choose_answer"  # the task of which one request is one question
REASONING = "of which reasoning"  # a column, where a model reasons: tokens of the output that nobody sees
NOT_COUNTED = "Questions from the command line are not counted."
TURNED_SHOWN = 5  # checks whose answers before and now are told
SKIPPED_SHOWN = 20  # things that were not taken, or failed, that are named one by one


def quoted(workspace: Path) -> str:
    """Return a path as it is typed in a command."""
    return shlex.quote(str(workspace))


def next_line(words: str, style: str = "dim") -> Text:
    """Return a line with a command in it, which must not be broken if it is to be copied."""
    return Text(words, style=style, no_wrap=True, overflow="ignore")


def attributes_text(attributes: Mapping[str, Iterable[str]]) -> Text:
    """Return the values that say something, coloured; nothing for Any."""
    values = ((name, sorted(values)) for name, values in sorted(attributes.items()))
    return Text("  ").join(Text(f"{n}={'|'.join(v)}", style="cyan") for n, v in values if v != ["Any"])


def added_view(workspace: Path, kind: str, done: Added) -> RenderableType:
    """Show what an ``add`` did and what to do next."""
    lines: list[RenderableType] = [
        Text(f"{kind}: {done.added} added, {done.updated} updated, {done.unchanged} unchanged, {done.removed} removed")
    ]
    lines += _told_lines(kind, done)
    if done.dropped:
        spans = sum(count for _, count in done.dropped)
        lines.append(Text(f"  left out of web pages: {spans} spans (autokb chunk PAGE shows them)"))
    lines += [Text(f"    {count:4}  {reason}") for reason, count in done.dropped]
    if done.unresolved:
        named = ", ".join(f"{name} ({count})" for name, count in done.unresolved[:SKIPPED_SHOWN])
        words = (
            "templates, variables, icons and included files left out; write their words under templates: in "
            "domain.yaml and add again"
        )
        lines.append(Text(_one_line(f"  {words}: {named}"), style="yellow"))
    lines += skipped_lines(done.skipped)
    if done.gone:
        left = _one_line(f"  no longer there: {done.gone}, kept for now; --sync removes them: {done.left}")
        lines.append(Text(left, style="yellow"))
    if done.added or done.updated or done.removed:
        following = {"tickets": "tickets build {}", "chats": "draft-cases {} cases.jsonl"}.get(kind, "build {}")
        lines.append(next_line(f"Next: autokb {following.format(quoted(workspace))}"))
    return Group(*lines)


def _told_lines(kind: str, done: Added) -> Iterator[RenderableType]:
    if any(done.columns.values()):
        made = "; ids are FILE#N" if kind == "documents" and done.columns.get("id") == () else ""
        linked = f"; links by a document's title: {done.titles}" if done.titles else ""
        yield Text(_one_line(_columns_line(done.columns) + linked + made))
    yield from (Text(_one_line(f"  {note}"), style="yellow") for note in done.notes)


def _columns_line(columns: Mapping[str, Sequence[str]]) -> str:
    """Say which columns hold the parts of records, and which options name those that were not found."""
    found = {part: " or ".join(names[:SKIPPED_SHOWN]) for part, names in columns.items() if names}
    read = ", ".join(part if part == name else f"{part} from {name}" for part, name in found.items())
    missing = ", ".join(f"{part} (--{part.replace('_', '-')}-field)" for part, names in columns.items() if not names)
    return f"  read: {read}" + (f"; not found: {missing}" if missing else "")


def sources_view(workspace: Path, listed: Sources) -> RenderableType:
    """Show what was added and imported, each as it is typed to remove it."""
    name = quoted(workspace)
    if not listed.sources and not listed.losses:
        return Group(next_line(f"Nothing is added yet. Next: autokb add {name} FOLDER_OF_MANUALS"))
    lines = [next_line("kind    documents  issues  tickets  chats  path", "bold")]
    for one in listed.sources:
        counts = f"{one.documents:9}  {one.issues:6}  {one.tickets:7}  {one.chats:5}"
        lines.append(next_line(f"{one.kind:6}  {counts}  {shlex.quote(one.path)}", ""))
    if listed.losses is not None:
        lost = [_one_line(f"  not read: {one.path}: {one.reason}") for one in listed.losses]
        lines += [Text(line, style="yellow", overflow="fold") for line in lost or ["  Everything was read."]]
    return Group(*lines, next_line(f"To take one out of the next build: autokb remove {name} PATH"))


def removed_view(workspace: Path, done: Removed) -> RenderableType:
    """Show what a ``remove`` took out, and that a build publishes it."""
    counts = (
        (done.documents, "document"),
        (done.issues, "issue"),
        (done.tickets, "ticket"),
        (done.chats, "conversation"),
    )
    words = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)
    lines: list[RenderableType] = [Text(f"removed: {words}")]
    if done.documents or done.issues or done.tickets:
        build = "build" if done.documents or done.issues else "tickets build"
        lines.append(next_line(f"Next: autokb {build} {quoted(workspace)}"))
    return Group(*lines)


def _one_line(words: str) -> str:
    """Keep a file's name or a server's error from looking like a line of ours."""
    return words.replace("\r", " ").replace("\n", " ")


def skipped_lines(skipped: Sequence[Skipped]) -> list[RenderableType]:
    """Show each thing that was not taken with its reason, the first twenty in full."""
    return first_lines([_one_line(f"  skipped: {s.path}: {s.reason}") for s in skipped], "yellow")


def first_lines(lines: Sequence[str], style: str) -> list[RenderableType]:
    """Show the first twenty of such lines, and how many more there are."""
    shown: list[RenderableType] = [Text(line, style=style) for line in lines[:SKIPPED_SHOWN]]
    if len(lines) > SKIPPED_SHOWN:
        shown.append(Text(f"  ... and {len(lines) - SKIPPED_SHOWN} more; --json lists all", style=style))
    return shown


def imported_view(workspace: Path, done: Imported) -> RenderableType:
    """Show what an import took and what not."""
    lines: list[RenderableType] = [Text(note, style="yellow") for note in done.notes]
    lines.append(Text(f"{done.taken} taken, {done.unchanged} as they were"))
    lines += skipped_lines(done.skipped)
    if done.taken:
        lines.append(next_line(f"Next: autokb show {quoted(workspace)}"))
    return Group(*lines)


def several(count: int, word: str) -> str:
    """Return ``1 solution`` or ``2 solutions``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def plan_view(planned: Plan) -> RenderableType:
    """Show what a build would ask and cost."""
    time = "none" if planned.seconds is None else f"about {duration(planned.seconds)}"
    tickets = f", {several(planned.tickets, 'ticket')}" if planned.tickets else ""
    first = Text(
        f"{several(planned.documents, 'document')}, {several(planned.issues, 'issue')}{tickets}: "
        f"{several(planned.calls, 'request')} to a model, {money(planned.cost)}, time {time}."
    )
    if not any(mode.calls for mode in planned.modes.values()):
        return first
    hidden = planned.tokens.reasoning > 0
    table = Table("stage", "requests", "input tokens", "output tokens", *[REASONING] * hidden, "cost", box=None)
    for name, row in [*planned.stages.items(), ("total", planned)]:
        if row.calls:
            reasoning = [f"{row.tokens.reasoning:,}"] * hidden
            written = (f"{row.tokens.input:,}", f"{row.tokens.output:,}", *reasoning)
            table.add_row(name, f"{row.calls:,}", *written, money(row.cost))
    lines: list[RenderableType] = [first, table]
    if (sections := planned.stages.get("sections")) is not None and sections.calls:
        lines.append(Text("  sections are those of tickets, which autokb tickets build asks about", style="dim"))
    for mode, row in planned.modes.items():
        lines.append(Text(f"  {mode}: {row.calls:,} requests, {money(row.cost)}", style="dim"))
    lines.append(Text(f"  {planned.mode} as a batch: {money(planned.batch.cost)}", style="dim"))
    if paid := planned.paid.calls:
        lines.append(Text(f"  paid for already: {paid:,} requests, {money(planned.paid.cost)}", style="dim"))
    return Group(*lines)


def duration(seconds: float) -> str:
    """Return a time in the unit a person would use."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def money(cost: float | None) -> str:
    """Return an amount, or say that it is not known."""
    return "cost unknown" if cost is None else f"${cost:.4f}"


def costs_view(spent: Costs) -> RenderableType:
    """Show what was spent."""
    hidden = spent.tokens.reasoning > 0
    columns = ("calls", "from the ledger", "input tokens", "output tokens", *[REASONING] * hidden)
    table = Table("stage", *columns, "cost")
    for name, row in [*spent.stages.items(), ("total", spent)]:
        figures = (row.calls, row.cached, row.tokens.input, row.tokens.output, *[row.tokens.reasoning] * hidden)
        table.add_row(name, *map(str, figures), money(row.cost))
    if (lost := spent.in_flight).calls:
        figures = (lost.calls, 0, lost.tokens.input, lost.tokens.output, *[0] * hidden)
        table.add_row("in flight when it was killed, at most", *map(str, figures), money(lost.cost))
    if (asked := spent.tasks.get(CHOOSING)) is None or not asked.calls or asked.cost is None:
        return table
    each = Text(f"Choosing answers: ${asked.cost / asked.calls:.5f} a question, {several(asked.calls, 'question')}.")
    return Group(table, each)


def failure_lines(failures: Sequence[Failure]) -> list[RenderableType]:
    """Show each item that a build could not do with its reason, the first twenty in full."""
    return first_lines([_one_line(f"  failed: {f.stage} {f.item}: {f.reason}") for f in failures], "red")


def build_view(workspace: Path, built: BuildReport, candidate: bool = False) -> RenderableType:
    """Show what a build made, or what of it is a candidate, what it cost and what failed."""

    table = Table("stage", "computed", "reused", "failed", "seconds", box=None)
    for name, row in built.stages.items():
        table.add_row(name, str(row.computed), str(row.reused), str(row.failed), f"{row.seconds:.1f}")
    made = (
        f"{built.themes} themes, {built.seeds} seeds, {built.parents} parents, {built.children} children, "
        f"{built.solutions} solutions, {built.withheld} withheld"
    )
    lines: list[RenderableType] = [
        table,
        Text(f"{made}; {built.calls} requests, {money(built.cost)}, {built.seconds:.1f} s"),
    ]
    lines += [Text(f"  {note}", style="yellow") for note in built.notes]
    if left := built.left_out:
        lines.append(Text(f"  left out {len(left)} parts that a check refused; --json lists them", style="yellow"))
    lines += failure_lines(built.failures)
    if lost := built.unresolved_links:
        named = ", ".join(lost[:3]) + (" ..." if len(lost) > 3 else "")
        words = f"  not in the knowledge base, but named as what resolved issues: {named}; --json lists all {len(lost)}"
        lines.append(Text(f"{words}. A document is named by its id, file name, URL or title.", style="yellow"))
    if built.refusal:
        name = quoted(workspace)
        lines += map(Text, refusal_lines(built.refusal))
        lines.append(next_line(f'Next: autokb ask {name} "a question" --candidate   or   autokb discard {name}'))
    elif not built.parents and not candidate:
        chunks = built.stages["chunks"]
        what = "FILE --as issues" if chunks.computed + chunks.reused else "FOLDER_OF_MANUALS"
        lines.append(next_line(f"No trees yet. Next: autokb add {quoted(workspace)} {what}", "yellow"))
    elif candidate:
        name = quoted(workspace)
        lines.append(next_line(f'Next: autokb ask {name} "a question" --candidate   or   autokb publish {name}'))
    else:
        name = quoted(workspace)
        lines.append(next_line(f'Next: autokb show {name}   or   autokb ask {name} "a question"'))
    return Group(*lines)


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
        was = answer_of(one.before) if one.before else "nothing was published"
        lines += [f"worse: {one_line(one.id)}", f"    before: {was}", f"    now:    {answer_of(one.now)}"]
    return lines


def answer_of(result: CheckResult) -> str:
    """Say what a check's question got."""
    return f"{result.answer}, first: {one_line(result.shown)}" if result.shown else f"{result.answer}, nothing is shown"
