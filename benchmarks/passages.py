"""Whether the passages that a model is shown for a node hold the sections that the node needs, and what they cost.

Thunderbird's tuning part is built offline, then a scripted model writes the solutions, so that its requests are those
of a real build. ``data/passage_needs.jsonl`` says which sections (document and heading, empty for what precedes the
first heading) 71 of its nodes need. A node is named by the raw issue that tells of it and the values it fixes; the
list was made by hand from what customers wrote and from the articles, before anybody looked at what is retrieved.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest import mock

from autokb.core.attributes import ANY, as_lists
from autokb.core.nouns import Issue
from autokb.issues.manuals import Manuals
from autokb.issues.same_problem import SameProblem
from autokb.pipeline.steps.solutions import PassageFinder
from autokb.tasks.prompts import unescaped
from autokb.text.markdown import sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import folder
from benchmarks.serving import ScriptedModel, serving

NEEDS = Path(__file__).parent / "data" / "passage_needs.jsonl"
TASK = "issues_write_solutions"
COVERAGE = 0.95
WHOLE = 0.9  # of a section's characters that stand in the request where the section does: a picture's caption may lack
TOKENS_BEFORE = 1_531_575  # input of the stage when five passages a node of 2,500 characters were shown as they stand
MOST_TOKENS = 1.2  # times as many
_PASSAGE = re.compile(r"<passage\b.*?</passage>", re.DOTALL)
_ISSUE = re.compile(r"<issue\b.*?</issue>", re.DOTALL)
_NUMBER = re.compile(r"^[ \t]*\[(\d+)\][ \t]", re.MULTILINE)

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """A node, named by a raw issue and the values it fixes, and the sections that it needs."""

    issue: str
    attributes: Mapping[str, Sequence[str]]
    sections: Sequence[Mapping[str, str]]

    def node(self, nodes: Sequence[Issue]) -> Issue | None:
        """Return the node among these: the one that fixes the same values, else the parent."""
        own = [node for node in nodes if self.issue in node.raw_issues]
        wanted = {name: list(values) for name, values in self.attributes.items()}
        same = [node for node in own if _fixed(node) == wanted]
        return next(iter([*same, *(node for node in own if node.parent_id is None)]), None)


def _fixed(node: Issue) -> dict[str, list[str]]:
    return as_lists({name: values for name, values in node.attributes.items() if values != ANY})


def needs() -> list[Need]:
    """Read what was listed by hand."""
    lines = NEEDS.read_text(encoding="utf-8").split("\n")
    return [Need(**json.loads(line)) for line in lines if line.strip()]


def run(_options: argparse.Namespace) -> Result:
    """Build offline, let a scripted model write the solutions, and look for the sections in its requests."""
    with folder() as place:
        workspace = place / "kb"
        _, history = split(thunderbird.issues(), tuning=True)
        thunderbird.stage(workspace, history)
        thunderbird.build(workspace)
        return measure(workspace)


def measure(workspace: Path) -> Result:
    """Let a scripted model write the solutions of a workspace that was built offline."""
    with serving(ScriptedModel()) as server:
        settings = (
            "model: offline\ntasks: {issues/write_solutions: 'openai:scripted'}\n"
            f"base_url: {server.url}\nprices: {{scripted: {{input: 0.25, output: 1.25}}}}\n"
        )
        (workspace / "settings.yaml").write_text(settings, encoding="utf-8")
        nodes, finder, same_problem, built = _build(workspace)
        documents = {document.id: document.text for document in finder.documents.values()}
        asked = [body for body in server.bodies if body["response_format"]["json_schema"]["name"] == TASK]
    shown = list(_shown(asked, nodes, documents))
    found = [share for _, shares in shown for share in shares]
    missing = [
        (need.issue, s)
        for need, shares in shown
        for s, share in zip(need.sections, shares, strict=True)
        if share < WHOLE
    ]
    characters = sum(len(message["content"]) for body in asked for message in body["messages"])
    covered = fmean(share >= WHOLE for share in found)
    figures = [
        Figure("sections_in_the_request", covered, f"of {len(found)} that {len(shown)} nodes need", at_least=COVERAGE),
        Figure("mean_share_of_a_section", fmean(found)),
        Figure(
            "headings_told_for_trees",
            fmean(_told(nodes, finder, same_problem)),
            "of the needed sections with a heading",
        ),
        Figure("requests", len(asked)),
        Figure("input_tokens", built.tokens.input, "tokens"),
        Figure("input_tokens_to_before", built.tokens.input / TOKENS_BEFORE, "ratio", at_most=MOST_TOKENS),
        Figure("output_tokens", built.tokens.output, "tokens"),
        Figure("characters_read", characters),
        Figure("solutions", built.solutions),
    ]
    return Result("passages", figures, {"missing": [f"{i}: {s['document']} > {s['heading']}" for i, s in missing]})


def _build(workspace: Path) -> tuple[list[Issue], PassageFinder, SameProblem, Any]:
    """Build; return the nodes as their solutions are asked for, before trees are joined, and what finds passages."""
    from autokb.app.support_kb import SupportKB
    from autokb.pipeline import build

    nodes: list[Issue] = []
    found: list[tuple[PassageFinder, SameProblem]] = []
    find = build.find_solutions

    def recorded(stages: Any, place: Any, finder: Any, same_problem: Any, grown: Any, *decisions: Any) -> Any:
        nodes.extend(grown.issues)
        found.append((finder, same_problem))
        return find(stages, place, finder, same_problem, grown, *decisions)

    with mock.patch.object(build, "find_solutions", recorded):
        built = SupportKB.open(workspace).build()
    return nodes, *found[0], built


def _told(nodes: Sequence[Issue], finder: PassageFinder, same_problem: SameProblem) -> Iterator[bool]:
    """Give for each needed section with a heading whether a model that grows its tree is told of it."""
    parents = {node.id: node for node in nodes if node.parent_id is None}
    manuals = Manuals(finder.corpus, finder.index.chunks.vectors.vectors, finder.passages)
    for need in needs():
        if (node := need.node(nodes)) is not None:
            parent = parents[node.parent_id or node.id]
            near = manuals.near(same_problem.vectors[parent.raw_issues[0]])
            told = {(p.solution.evidence[0].document, _letters(p.headings[-1])) for p in near}
            yield from ((s["document"], _letters(s["heading"])) in told for s in need.sections if s["heading"])


def _shown(
    asked: Sequence[Request], nodes: Sequence[Issue], documents: Mapping[str, str]
) -> Iterator[tuple[Need, list[float]]]:
    """Give for each need the share of each of its sections that stands in the node's request."""
    requests = [body["messages"][-1]["content"] for body in asked]
    issues = [[unescaped(issue) for issue in _ISSUE.findall(request)] for request in requests]
    for need in needs():
        node = need.node(nodes)
        asked_for = ((n, one) for n, own in enumerate(issues) for one in own if node and _is(node, one))
        number, issue = next(asked_for, (None, ""))
        words = "" if number is None else _shown_words(requests[number], issue)
        yield need, [_share(words, documents[s["document"]], s["heading"]) for s in need.sections]


def _is(node: Issue, asked: str) -> bool:
    values = "; ".join(f"{name}: {', '.join(values)}" for name, values in as_lists(node.attributes).items())
    return f"<text>{node.text}</text>" in asked and f"<attributes>{values}</attributes>" in asked


def _shown_words(request: str, issue: str) -> str:
    """Return the letters of the lines that an issue of a request was given: all where it names none."""
    passages = unescaped("\n\n".join(_PASSAGE.findall(request)))
    if ranges := re.search(r"<lines>(.*)</lines>", issue):
        own = {n for one in ranges[1].split(", ") for n in _range(one)}
        pieces = re.split(r"^(?=[ \t]*\[\d+\][ \t])", passages, flags=re.MULTILINE)
        passages = "".join(p for p in pieces if not (m := _NUMBER.match(p)) or int(m[1]) in own)
    return _letters(plain_text(_NUMBER.sub("", passages), images=False))


def _range(said: str) -> range:
    first, _, last = said.partition("-")
    return range(int(first), int(last or first) + 1)


def _share(words: str, text: str, heading: str) -> float:
    """Return the share of a section, by its letters, whose sentences stand among the words of a request."""
    found = sections(text)
    named = [s for s in found if (_letters(s.headings[-1]) == _letters(heading) if s.headings else not heading)]
    start, end = (named[0].start, named[0].own_end) if named else (0, 0)
    if heading and named:
        start = text.find("\n", start)
        end = named[0].end
    of_it = [_letters(plain_text(text[s:e], images=False)) for s, e in sentences(text, start, end)]
    whole = sum(map(len, of_it))
    return sum(len(one) for one in of_it if one in words) / whole if whole else 0.0


def _letters(text: str) -> str:
    """Return the letters of a text; a list's numbers read otherwise where its items are numbered."""
    return "".join(c for c in text.casefold() if c.isalpha())
