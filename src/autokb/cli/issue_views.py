"""Trees, issues, answers and suggestions in a terminal: each step beside its place in the source."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from autokb.cli.output import one_line
from autokb.cli.views import attributes_text, next_line, quoted, several
from autokb.core.nouns import Evidence, Solution
from autokb.core.solution_text import heading_of, is_source_of, listed_title
from autokb.core.step_numbers import marked, step_numbers
from autokb.views.reader_labels import for_whom, how_sure, outcome_label

if TYPE_CHECKING:
    from autokb.answering.answer import Answer, WrittenReply
    from autokb.answering.explain import ExplainedIssue, Explanation
    from autokb.answering.suggest import Suggested, Suggestion
    from autokb.core.tickets import TicketEvidence
    from autokb.views.kinds import IssueView, SolutionView
    from autokb.views.show import ShownKB

COLOURS = {"answered": "green", "asks": "yellow", "abstains": "red"}
STATUS_COLOURS = {"displayed": "green", "approved": "green", "repaired": "yellow", "withheld": "red", "rejected": "red"}
TITLE = 80  # characters of a solution's title
QUOTED = 5  # raw issues of a node, and issues of an explanation, that are shown
WARNING = 400  # characters of the heading of an emergency
SHOWN = 3  # solutions of an answer that are shown in full


def short(issue_id: str) -> str:
    """Return the first letters of an id that we made, which are enough to name it."""
    return issue_id.removeprefix("issue-")[:8] if issue_id.startswith("issue-") else issue_id


# Complex: the picture has themes, trees and children, each with something that only it shows.
def tree_view(workspace: Path, shown: ShownKB) -> RenderableType:
    """Show the trees under their themes, and what people decided of solutions that are gone."""
    lost = _orphans(workspace, shown)
    if not shown.trees:
        return Group(_nothing_yet(workspace, shown), *lost)
    counts = f"{several(shown.trees_in_all, 'tree')}, {several(shown.solutions, 'solution')}"
    root = Tree(Text(f"{shown.domain}: {counts}", style="bold"), guide_style="dim")
    themes: dict[str, Tree] = {}
    for tree in sorted(shown.trees, key=lambda t: (t.theme or "", -t.reported)):
        theme = tree.theme or "no theme"
        branch = themes.get(theme) or themes.setdefault(theme, root.add(Text(theme, style="bold magenta")))
        below = sum(child.displayed or 0 for child in tree.children)
        parent = branch.add(_label(tree, tree.attributes, "bold", below))
        if tree.depends_on:
            parent.add(Text(depends_line(tree), style="dim"))
        for child in tree.children:
            fixed = {n: v for n, v in child.attributes.items() if v != tree.attributes.get(n)}
            parent.add(_label(child, fixed, ""))
    if more := shown.trees_in_all - len(shown.trees):
        root.add(Text(f"... and {several(more, 'more tree')}", style="dim"))
    example = short(shown.trees[0].id)
    return Group(root, *lost, next_line(f"One issue with its sources: autokb show {quoted(workspace)} {example}"))


def _orphans(workspace: Path, shown: ShownKB) -> list[Text]:
    lines = []
    for edit in shown.orphaned_edits:
        dismissed = ", dismissed" if edit.dismissed else ""
        words = f"edit without its solution{dismissed}: {edit.solution_id}: {one_line(edit.text)}"
        lines.append(Text(words, style="yellow"))
        if edit.offered_for:
            words = f"  it fits {short(edit.offered_for)}; autokb approve {quoted(workspace)} {edit.id} puts it there"
            lines.append(next_line(words, "yellow"))
    for verdict in shown.orphaned_verdicts:
        lines.append(Text(f"{verdict.verdict}, and gone for now: {verdict.solution_id}", style="yellow"))
        if verdict.offered_for:
            lines.append(next_line(f"  the same steps stand in {short(verdict.offered_for)} now", "yellow"))
    return lines


def _nothing_yet(workspace: Path, shown: ShownKB) -> Text:
    staged = shown.staged
    counts = f"{several(staged['documents'], 'document')} and {several(staged['issues'], 'issue')}"
    if not (staged["documents"] or staged["issues"]):
        return next_line(f"Nothing is added yet. Next: autokb add {quoted(workspace)} FOLDER_OF_MANUALS", "")
    if shown.documents and not staged["issues"]:
        counts = several(shown.documents, "document")
        return next_line(f"{counts} and no issues. Next: autokb add {quoted(workspace)} FILE --as issues", "")
    return next_line(f"{counts} are added, no tree is published. Next: autokb build {quoted(workspace)}", "")


def _label(node: IssueView, attributes: Mapping[str, list[str]], style: str, below: int = 0) -> Text:
    """Return a node's line; one that has no solution says how many its children have."""
    label = Text(one_line(node.text), style=style)
    if len(values := attributes_text(attributes)):
        label.append("  ").append_text(values)
    count = node.displayed or 0
    words = several(count, "solution") if count or not below else f"{several(below, 'solution')} below"
    label.append(f"  {words}", style="green" if count or below else "dim")
    return label.append(f"  {short(node.id)}", style="dim")


def issue_view(one: IssueView) -> RenderableType:
    """Show one issue with its solutions, its children and what customers wrote."""
    reported = one.raw_issues
    facts = [one.id, *([f"theme: {one.theme}"] if one.theme else [])]
    head = [Text(one_line(one.text, 400), style="bold")]
    if len(words := attributes_text(one.attributes)):
        head.append(words)
    head.append(Text("   ".join(facts), style="dim"))
    if reported:
        head.append(Text(f"told by {several(len(reported), 'customer')}:", style="dim"))
        head += [Text(f"  “{one_line(r.text, 90)}”", style="dim italic") for r in reported[:QUOTED]]
    if len(reported) > QUOTED:
        head.append(Text(f"  ... and {len(reported) - QUOTED} more", style="dim"))
    below = [Text.assemble("  ", _child(c)) for c in one.children]
    if below:
        below.insert(0, Text(depends_line(one), style="dim"))
    solutions = [solution_panel(s) for s in one.solutions]
    depends = "No solution for everybody; what helps depends on the case, see below." if below else "No solution."
    none = [] if solutions else [Text(depends, style="yellow")]
    return Group(*head, *solutions, *none, *below)


def depends_line(one: IssueView) -> str:
    """Return the line that says what the children of an issue depend on."""
    return f"depends on {', '.join(one.depends_on).replace('_', ' ')}:"


def _child(child: IssueView) -> Text:
    label = Text(one_line(child.text)).append("  ").append_text(attributes_text(child.attributes))
    return label.append(f"  {short(child.id)}", style="dim")


def solution_panel(solution: SolutionView) -> Panel:
    """Show a solution's steps with their sources, its status, who edited it, and why."""
    body: list[RenderableType] = [_steps(solution)]
    if solution.evidence:
        body.insert(0, Text(_where(solution), style="bold"))
    if len(words := attributes_text(solution.attributes)):
        body.insert(0, words)
    if solution.edited_at is not None:
        changed = "; what it was edited from has changed since" if solution.source_changed else ""
        edited = f"edited{by_and_when(solution.edited_by, solution.edited_at)}{changed}"
        body.append(Text(edited, style="yellow"))
    if solution.reason:
        body.append(Text(solution.reason, style="yellow"))
    below = Text.assemble((solution.status, STATUS_COLOURS.get(solution.status, "")), "  ", (solution.id, "dim"))
    return _panel(solution.heading, body, below)


def _panel(heading: str, body: Sequence[RenderableType], below: Text) -> Panel:
    return Panel(
        Group(*body),
        title=Text(one_line(heading, TITLE)) if heading else None,
        title_align="left",
        subtitle=below,
        subtitle_align="right",
        border_style="dim",
    )


def by_and_when(author: str | None, date: str | None) -> str:
    """Return who decided and when, as far as it is known."""
    return "".join(f"{word}{value}" for word, value in ((" by ", author), (", ", date)) if value)


# Complex: a row has a mark, a step and a place, and each of them is only there under a condition.
def _steps(solution: SolutionView | Solution) -> Table:
    """Show steps with their places, which name the document where it is not the only one, named above them."""
    steps, evidence = solution.steps or (solution.text,), solution.evidence
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")  # a command that is cut cannot be copied
    beside = _sources_by_step(steps, evidence)
    is_named = len({one.document for one in evidence}) == 1
    numbers = step_numbers(steps, [one.quote for one in evidence])
    for n, number in enumerate(numbers):
        if n and number is None and numbers[n - 1] is None:
            table.add_row()  # paragraphs have nothing else that tells them apart
        text = Text(steps[n])
        if (source := beside.get(n)) is not None:
            text.append(f"  {_offsets(source) if is_named else _place(source)}", style="dim")
        table.add_row(marked(number, "").rstrip() if len(steps) > 1 else "", text)
    if rest := [_place(one) for one in evidence if one not in beside.values()]:
        table.add_row("", Text("\n".join(("sources:", *rest)), style="dim"))
    elif not evidence:
        table.add_row("", Text("written by hand", style="dim"))
    return table


def _sources_by_step(steps: Sequence[str], evidence: Sequence[Evidence]) -> dict[int, Evidence]:
    """Return the source of each step that has one of its own: an edit may say something else."""
    if len(steps) != len(evidence):
        return {}
    return {n: one for n, one in enumerate(evidence) if is_source_of(one.quote, steps[n])}


def _place(evidence: Evidence) -> str:
    return f"{evidence.document} {_offsets(evidence)}"


def _offsets(evidence: Evidence) -> str:
    return f"[{evidence.start}:{evidence.end}]"


# Complex: one condition for each part that an answer may lack, in the order of the screen.
def answer_view(workspace: Path, answer: Answer) -> RenderableType:
    """Show an answer: how sure it is, a question back, what is best read first with its sources, further reading."""
    lines: list[RenderableType] = [_head(answer)]
    if question := answer.question:
        lines.append(Text(question.text, style="bold yellow"))
        option = shlex.quote(f"{question.attribute}={question.values[0]}")
        lines.append(Text(f"  ask again with --attribute {option}", style="dim"))
    if answer.reason:
        lines.append(Text(f"{answer.reason} {_advice(answer)}".rstrip()))
    if telling := answer.telling:
        lines.append(
            Text.assemble(("Best sentence: ", "dim"), (telling.text, "bold"), (f"  {_place(telling.evidence)}", "dim"))
        )
    if answer.reply:
        lines += _reply(answer.reply)
    lines += map(_answer_panel, answer.shown[:SHOWN])
    if more := answer.shown[SHOWN:]:
        lines.append(Text("more solutions:", style="dim"))
        lines += [Text(f"  {_listed(solution)}", style="dim") for solution in more]
    if answer.reading and answer.reading.note:
        lines.append(Text(f"answered without {answer.reading.name}: {answer.reading.note}", style="dim"))
    if not answer.warning and (reading := _further_reading(answer)):
        lines.append(Text(f"See also: {', '.join(reading)}", style="dim"))
    if answer.explanation:
        lines += _explanation(workspace, answer.explanation)
    return Group(*lines)


def _head(answer: Answer) -> Text:
    """Say how sure an answer is, of an emergency what to do at once, and what was understood."""
    label = answer.warning or outcome_label(answer.outcome, answer.confidence, answer.chosen_by)
    head = Text(one_line(label, WARNING), style="bold red" if answer.warning else f"bold {COLOURS[answer.outcome]}")
    if answer.outcome == "answered" and not answer.warning:
        head.append(f"   {how_sure(answer.confidence, answer.chosen_by)}", style="not bold")
    if len(words := attributes_text(answer.attributes)):
        head.append("   understood: ", style="not bold").append_text(words)
    return head


def _reply(reply: WrittenReply) -> Iterator[RenderableType]:
    """Show a written reply with the places that it stands on below it, or why there is none."""
    if reply.text is None:
        yield Text(f"no written reply: {reply.writing.note}", style="dim")
        return
    places = dict.fromkeys(_place(quote) for sentence in reply.sentences for quote in sentence.quotes)
    sources = Text("\n".join(places) or "written by hand", style="dim")
    yield Panel(Group(Text(reply.text, style="bold"), sources), title=Text("reply"), title_align="left")


def _answer_panel(solution: Solution) -> Panel:
    """Show a solution under its section's heading, with the document and for whom it is."""
    above = Text(_where(solution), style="bold")
    if who := for_whom(solution.attributes):
        above.append(f"   {who}", style="not bold cyan")
    body: list[RenderableType] = [above, _steps(solution)]
    if solution.status == "repaired":
        body.append(Text("Some steps of the document are left out here.", style="yellow"))
    return _panel(heading_of(solution.text, solution.steps), body, Text(solution.id, style="dim"))


def _listed(solution: Solution) -> str:
    title = one_line(listed_title(solution.text, solution.steps), TITLE)
    return one_line(f"{title}, {_where(solution)}")


def _where(solution: SolutionView | Solution) -> str:
    """Return the documents that a solution is from."""
    documents = dict.fromkeys(e.document for e in solution.evidence)
    return ", ".join(documents) or "written by hand"


def _further_reading(answer: Answer) -> list[str]:
    """Return the documents near the question that nothing shown is from."""
    shown = [s for match in answer.matches for s in match.solutions] + [p.solution for p in answer.passages]
    cited = {evidence.document for solution in shown for evidence in solution.evidence}
    return [hit.id for hit in answer.documents if hit.id not in cited]


def _advice(answer: Answer) -> str:
    """Say what to do about an answer that abstains, where its reason does not."""
    if answer.outcome != "abstains" or answer.unread or answer.withheld:
        return ""
    return f"Ask in other words, or {'read what could help' if answer.documents else 'add a document'}."


# Complex: the table needs the features that are used, and each row notes the issue that the list below it shows.
def _explanation(workspace: Path, why: Explanation) -> list[RenderableType]:
    """Show what each feature added to the score of the best candidates, and the issues that they are shown through."""
    used = [n for n in range(len(why.features)) if any(candidate.values[n] for candidate in why.candidates)]
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", expand=True)
    for name in ("", "score", *(why.features[n] for n in used)):
        words = name.split("_")
        widest = max(len("-0.0"), *map(len, words))
        table.add_column("\n".join(words), justify="right", vertical="top", no_wrap=True, min_width=widest)
    table.add_column("heading, document", no_wrap=True, overflow="ellipsis", ratio=1)
    issues: dict[str, tuple[ExplainedIssue, list[str]]] = {}
    for rank, one in enumerate(why.candidates, 1):
        parts = (f"{round(why.weights[why.features[n]] * one.values[n], 1) + 0:.1f}" for n in used)  # + 0: no -0.0
        document = one.document if one.fits else f"for others: {one.document}"
        place = Text.assemble(one.heading, (f"\n{document}", "dim"))
        table.add_row(f"{rank}", f"{one.score:.1f}", *parts, place, style="" if one.fits else "dim")
        if one.issue:
            issues.setdefault(one.issue.id, (one.issue, []))[1].append(f"{rank}")
    sure = why.probabilities
    found = f"answerable: {sure.answerable:.2f}; the best is right: {sure.first_right:.2f}"
    lines: list[RenderableType] = [Text("\nwhy: weight x value of each feature", style="bold"), table, Text(found)]
    if why.reader:
        note = f" and counts nothing: {why.reader.note}" if why.reader.note else ""
        lines.append(Text(f"reranker {why.reader.name}: took {1000 * why.reader.seconds:.0f} ms{note}"))
    if issues:
        lines.append(Text(f"issues that show them (autokb show {quoted(workspace)} ISSUE):", style="dim"))
        lines += (_issue(issue, ranks) for issue, ranks in list(issues.values())[:QUOTED])
    return lines


def _issue(issue: ExplainedIssue, ranks: Sequence[str]) -> Text:
    similarity = min(1.0, max(0.0, issue.similarity))
    label = Text(f"  {', '.join(ranks)}: {one_line(issue.text, 60)}")
    return label.append(f"  {issue.match}, similarity {similarity:.2f}  {short(issue.id)}", style="dim")


# Complex: a condition for each part that suggestions may lack, in the order of the screen.
def suggestions_view(suggested: Suggested) -> RenderableType:
    """Show each reply with a number and where it is from."""
    is_help = suggested.outcome == "answered" and suggested.suggestions and suggested.suggestions[0].is_help
    label = (
        outcome_label(suggested.outcome, suggested.confidence, suggested.chosen_by) if is_help else suggested.outcome
    )
    head = Text(
        suggested.warning or label, style="bold red" if suggested.warning else f"bold {COLOURS[suggested.outcome]}"
    )
    if is_help and not suggested.warning:
        head.append(f"   {how_sure(suggested.confidence, suggested.chosen_by)}", style="default not bold")
    lines: list[RenderableType] = [head]
    if suggested.reason:
        lines.append(Text(suggested.reason, style="dim"))
    for number, one in enumerate(suggested.suggestions, 1):
        lines.append(Text(f"{number}  {_above(one)}", style="dim"))
        lines.append(Padding(Text(one.text), (0, 0, 0, 3)))
    if suggested.fallback:
        lines.append(Text(f"In the knowledge base's own words: {suggested.fallback}", style="yellow"))
    if suggested.spent.calls:
        spent = suggested.spent
        cost = "" if spent.cost is None else f", {spent.cost:.4f} USD"
        lines.append(Text(f"{suggested.strategy}: {spent.calls} requests{cost}", style="dim"))
    if not suggested.suggestions:
        lines.append(Text("Nothing that is known can be sent as it is; autokb ask shows all of it."))
    return Group(*lines)


def _above(one: Suggestion) -> str:
    """Return the heading and document of a suggestion and for whom it is; what is of no section is named."""
    title = one.title or ("" if one.source in ("solution", "passage") else one.source.replace("_", " "))
    places = ["written by hand"] if one.is_by_hand else dict.fromkeys(map(_source, one.evidence))
    return ", ".join(one_line(part) for part in (title, *places, for_whom(one.attributes)) if part)


def _source(evidence: Evidence | TicketEvidence) -> str:
    return evidence.document if isinstance(evidence, Evidence) else evidence.ticket
