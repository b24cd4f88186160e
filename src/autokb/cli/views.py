"""What a person sees in a terminal: trees, answers and counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

COLOURS = {"answered": "green", "asks": "yellow", "abstains": "red"}
STATUS_COLOURS = {"displayed": "green", "approved": "green", "repaired": "yellow", "withheld": "red", "rejected": "red"}
SKIPPED_SHOWN = 20


def attributes_text(attributes: Mapping[str, list[str]]) -> Text:
    """Return the values that say something, coloured; nothing for Any."""
    said = [(n, v) for n, v in attributes.items() if v != ["Any"]]
    return Text("  ").join(Text(f"{n}={'|'.join(v)}", style="cyan") for n, v in said)


def added_view(workspace: Path, kind: str, done: Any) -> RenderableType:
    """Show what an ``add`` did and what to do next."""
    lines: list[RenderableType] = [
        Text(f"{kind}: {done.added} added, {done.updated} updated, {done.unchanged} unchanged, {done.removed} removed")
    ]
    lines += skipped_lines(done.skipped)
    if done.added or done.updated or done.removed:
        lines.append(Text(f"Next: autokb build {workspace}", style="dim"))
    return Group(*lines)


def skipped_lines(skipped: Any) -> list[RenderableType]:
    """Show each thing that was not taken with its reason, the first twenty in full."""
    lines: list[RenderableType] = [
        Text(f"  not taken: {s.path}: {s.reason}", style="yellow") for s in skipped[:SKIPPED_SHOWN]
    ]
    if len(skipped) > SKIPPED_SHOWN:
        lines.append(Text(f"  ... and {len(skipped) - SKIPPED_SHOWN} more; --json lists all", style="yellow"))
    return lines


def imported_view(workspace: Path, done: Any) -> RenderableType:
    """Show what an import took and what not."""
    return Group(Text(f"{done.taken} taken, {done.unchanged} as they were"), *skipped_lines(done.skipped))


def plan_view(planned: Mapping[str, Any]) -> RenderableType:
    """Show what a build would ask and cost."""
    seconds = planned["seconds"]
    time = f"about {seconds:.0f} s" if seconds is not None else "not known before the first build"
    return Text(
        f"{planned['documents']} documents, {planned['issues']} issues: {planned['calls']} requests to a model, "
        f"{money(planned['cost'])}, time {time}."
    )


def money(cost: float | None) -> str:
    """Return an amount, or say that it is not known."""
    return "cost unknown" if cost is None else f"${cost:.4f}"


def costs_view(spent: Mapping[str, Any]) -> RenderableType:
    """Show what was spent."""
    table = Table("stage", "calls", "from the ledger", "input tokens", "output tokens", "cost")
    for name, row in [*spent["stages"].items(), ("total", spent)]:
        tokens = row["tokens"]
        figures = (row["calls"], row["cached"], tokens["input"], tokens["output"])
        table.add_row(name, *map(str, figures), money(row["cost"]))
    return table


def build_view(workspace: Path, built: Mapping[str, Any]) -> RenderableType:
    """Show what a build made, what it cost and what failed."""
    table = Table("stage", "computed", "reused", "failed", "seconds", box=None)
    for name, row in built["stages"].items():
        table.add_row(name, str(row["computed"]), str(row["reused"]), str(row["failed"]), f"{row['seconds']:.1f}")
    made = ", ".join(f"{built[n]} {n}" for n in ("themes", "seeds", "parents", "children", "solutions", "withheld"))
    lines: list[RenderableType] = [
        table,
        Text(f"{made}; {built['calls']} requests, {money(built['cost'])}, {built['seconds']:.1f} s"),
    ]
    failures = built["failures"]
    lines += [Text(f"  failed: {f['stage']} {f['item']}: {f['reason']}", style="red") for f in failures[:SKIPPED_SHOWN]]
    if len(failures) > SKIPPED_SHOWN:
        lines.append(Text(f"  ... and {len(failures) - SKIPPED_SHOWN} more; --json lists all", style="red"))
    if not built["parents"]:
        lines.append(
            Text("No trees yet: add issues (autokb add WORKSPACE FILE --as issues) and build again.", style="yellow")
        )
    else:
        lines.append(Text(f'Next: autokb show {workspace}   or   autokb ask {workspace} "a question"', style="dim"))
    return Group(*lines)


def _label(node: Mapping[str, Any], style: str) -> Text:
    label = Text(_one_line(node["text"]), style=style)
    if len(words := attributes_text(node["attributes"])):
        label.append("  ").append_text(words)
    count = node["solutions"]
    label.append(f"  {count} solution{'' if count == 1 else 's'}", style="green" if count else "dim")
    return label.append(f"  {node['id']}", style="dim")


def _one_line(text: str, width: int = 100) -> str:
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1] + "…"


def tree_view(workspace: Path, shown: Mapping[str, Any]) -> RenderableType:
    """Show the trees under their themes."""
    if not shown["trees"]:
        staged = shown["staged"]
        words = f"{staged['documents']} documents and {staged['issues']} issues are added, none is published."
        return Text(f"{words} Next: autokb build {workspace}")
    root = Tree(Text(f"{shown['domain']}: {shown['trees_in_all']} trees, {shown['solutions']} solutions", style="bold"))
    themes: dict[str, Tree] = {}
    for tree in sorted(shown["trees"], key=lambda t: (t["theme"] or "", -t["raw_issues"])):
        theme = tree["theme"] or "no theme"
        branch = themes.get(theme) or themes.setdefault(theme, root.add(Text(theme, style="bold magenta")))
        parent = branch.add(_label(tree, "bold"))
        for child in tree["children"]:
            parent.add(_label(child, ""))
    if shown["trees_in_all"] > len(shown["trees"]):
        root.add(Text(f"... and {shown['trees_in_all'] - len(shown['trees'])} more trees", style="dim"))
    lost = shown["orphaned_edits"]
    notes = [
        Text(f"edit without its solution: {e['solution_id']}: {_one_line(e['text'])}", style="yellow") for e in lost
    ]
    return Group(root, *notes)


def issue_view(one: Mapping[str, Any]) -> RenderableType:
    """Show one issue with its solutions, each step beside its place in the source."""
    head = [Text(_one_line(one["text"], 400), style="bold"), attributes_text(one["attributes"])]
    head.append(Text(f"theme: {one['theme']}   told by {len(one['raw_issues'])} customers   {one['id']}", style="dim"))
    head += [Text(f"  “{_one_line(r['text'])}”", style="dim italic") for r in one["raw_issues"][:5]]
    return Group(*head, *(_solution_panel(s) for s in one["solutions"]))


def _solution_panel(solution: Mapping[str, Any]) -> Panel:
    status = solution.get("status", "displayed")
    body: list[RenderableType] = []
    evidence = solution["evidence"]
    for position, step in enumerate(solution["steps"]):
        body.append(Text(f"{position + 1}. {step}"))
        if position < len(evidence):
            e = evidence[position]
            body.append(Text(f"   {e['document']} [{e['start']}:{e['end']}]", style="dim"))
    if solution.get("reason"):
        body.append(Text(solution["reason"], style="yellow"))
    title = Text(_one_line(solution["text"].split("\n", 1)[0], 80))
    if len(words := attributes_text(solution["attributes"])):
        title.append("  ").append_text(words)
    subtitle = Text(f"{status}  {solution['id']}", style=STATUS_COLOURS.get(status, ""))
    return Panel(Group(*body), title=title, title_align="left", subtitle=subtitle, subtitle_align="right")


def answer_view(answer: Mapping[str, Any]) -> RenderableType:
    """Show an answer: outcome, question back, matches with steps and sources, further reading."""
    outcome = answer["outcome"]
    head = Text(outcome, style=f"bold {COLOURS[outcome]}")
    if len(words := attributes_text(answer["attributes"])):
        head.append("   understood: ").append_text(words)
    lines: list[RenderableType] = [head]
    if answer["question"]:
        lines.append(Text(answer["question"]["text"], style="bold yellow"))
    for match in answer["matches"]:
        issue = match["issue"]
        label = Text(_one_line(issue["text"]), style="bold")
        label.append(f"  {match['match']}, similarity {match['similarity']:.2f}", style="dim")
        lines.append(label)
        lines += [_solution_panel(s) for s in match["solutions"][:2]]
    if answer["documents"]:
        reading = ", ".join(d["document"] for d in answer["documents"])
        lines.append(Text(f"could also help: {reading}", style="dim"))
    return Group(*lines)
