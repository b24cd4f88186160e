"""What one build changed for readers: what they could see before it beside what they can see after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from autokb.core.attributes import as_lists
from autokb.core.nouns import DISPLAYED, Document, Issue, Solution
from autokb.core.results import Result

MOST_NAMED = 500  # changes of one kind that are kept one by one; more than that nobody reads
TEXT_CHARACTERS = 10_000  # of a text that are kept
C = TypeVar("C")
Aspect = Literal["text", "status", "evidence", "attributes", "issue"]


@dataclass(frozen=True, slots=True)
class SolutionChange(Result):
    """A solution that readers see otherwise; what was not shown to them is None.

    ``status_before`` and ``status_after`` are None where it was not, or is no longer, in the knowledge base at all.
    """

    solution: str
    issue: str
    before: str | None
    after: str | None
    status_before: str | None
    status_after: str | None
    what: tuple[Aspect, ...] = ()


@dataclass(frozen=True, slots=True)
class IssueChange(Result):
    """A node that came (``before`` is None), went (``after`` is None) or has other words or attributes."""

    issue: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class DocumentChange(Result):
    """A document that came, went or has another text or title: before and after it is the title.

    ``text_before`` and ``text_after`` are the lines from the first to the last in which the texts differ; None where
    they are the same, or there is no other text to compare.
    """

    document: str
    before: str | None
    after: str | None
    text_before: str | None = None
    text_after: str | None = None


@dataclass(frozen=True, slots=True)
class Changed(Result):
    """Nodes or documents by what became of them."""

    added: tuple[IssueChange | DocumentChange, ...] = ()
    removed: tuple[IssueChange | DocumentChange, ...] = ()
    changed: tuple[IssueChange | DocumentChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes(Result):
    """What the last build changed for readers; ``built_at`` is None where none did since this is noted.

    A solution was added or removed where readers see it now and did not, or did and do not. ``counts`` are exact, also
    where there are more changes than are kept: ``left_out`` of them are not named.
    """

    built_at: str | None = None
    added: tuple[SolutionChange, ...] = ()
    removed: tuple[SolutionChange, ...] = ()
    changed: tuple[SolutionChange, ...] = ()
    issues: Changed = field(default_factory=Changed)
    documents: Changed = field(default_factory=Changed)
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Readable:
    """What readers may see at one moment, and the solutions that they do not."""

    solutions: Mapping[str, Solution]
    issues: Mapping[str, Issue]
    documents: Mapping[str, Document]


# Complex: what came, went and changed of three kinds is one comparison.
def compare(before: Readable, after: Readable, built_at: str) -> Changes:
    """Return what differs, everything in the order of ids."""
    added, removed, changed = _compare_solutions(before.solutions, after.solutions)
    issues = _sorted_out(
        (IssueChange(i, _cut(old), _cut(new)), _words_of(old) != _words_of(new))
        for i, old, new in _pairs(before.issues, after.issues)
    )
    documents = _sorted_out(
        (
            DocumentChange(
                i,
                None if old is None else old.title or i,
                None if new is None else new.title or i,
                *((None, None) if old is None or new is None else _differing_lines(old.text, new.text)),
            ),
            _page_of(old) != _page_of(new),
        )
        for i, old, new in _pairs(before.documents, after.documents)
    )
    lists: dict[str, list[SolutionChange] | tuple[IssueChange | DocumentChange, ...]] = {
        "added": added,
        "removed": removed,
        "changed": changed,
    }
    for name, found in (("issues", issues), ("documents", documents)):
        lists |= {f"{name}_added": found.added, f"{name}_removed": found.removed, f"{name}_changed": found.changed}
    return Changes(
        built_at=built_at,
        added=tuple(added[:MOST_NAMED]),
        removed=tuple(removed[:MOST_NAMED]),
        changed=tuple(changed[:MOST_NAMED]),
        issues=_shortened(issues),
        documents=_shortened(documents),
        counts={name: len(some) for name, some in lists.items()},
        left_out=sum(max(0, len(some) - MOST_NAMED) for some in lists.values()),
    )


def _compare_solutions(
    before: Mapping[str, Solution], after: Mapping[str, Solution]
) -> tuple[list[SolutionChange], list[SolutionChange], list[SolutionChange]]:
    """Return what readers see now and did not, what they did and do not, and what they see otherwise."""
    added, removed, changed = list[SolutionChange](), list[SolutionChange](), list[SolutionChange]()
    for i, old, new in _pairs(before, after):
        seen, sees = _displayed(old), _displayed(new)
        what = _differing(seen, sees) if seen and sees else ()
        if not what and bool(seen) == bool(sees):
            continue
        change = SolutionChange(
            solution=i,
            issue=(new or old).issue_id,  # type: ignore[union-attr]  # one of them is there
            before=_cut(seen),
            after=_cut(sees),
            status_before=old.status if old else None,
            status_after=new.status if new else None,
            what=what,
        )
        (changed if what else added if sees else removed).append(change)
    return added, removed, changed


def _displayed(solution: Solution | None) -> Solution | None:
    return solution if solution is not None and solution.status in DISPLAYED else None


def _pairs(before: Mapping[str, C], after: Mapping[str, C]) -> Iterable[tuple[str, C | None, C | None]]:
    for i in sorted(before.keys() | after.keys()):
        yield i, before.get(i), after.get(i)


def _sorted_out(found: Iterable[tuple[IssueChange | DocumentChange, bool]]) -> Changed:
    """Return what differs by what became of it."""
    changes = [change for change, differs in found if differs]
    return Changed(
        tuple(one for one in changes if one.before is None),
        tuple(one for one in changes if one.after is None),
        tuple(one for one in changes if one.before is not None and one.after is not None),
    )


def _shortened(found: Changed) -> Changed:
    return Changed(found.added[:MOST_NAMED], found.removed[:MOST_NAMED], found.changed[:MOST_NAMED])


def _words_of(issue: Issue | None) -> object:
    return issue and (issue.text, as_lists(issue.attributes), issue.parent_id)


def _page_of(document: Document | None) -> object:
    return document and (document.title, document.text, document.url)


def _differing(old: Solution, new: Solution) -> tuple[Aspect, ...]:
    """Return in what a solution that readers saw before and see now differs."""
    quotes = [[(e.document, e.quote) for e in one.evidence] for one in (old, new)]
    pairs: dict[Aspect, bool] = {
        "text": (old.text, old.steps) != (new.text, new.steps),
        "status": old.status != new.status,
        "evidence": quotes[0] != quotes[1],
        "attributes": as_lists(old.attributes) != as_lists(new.attributes),
        "issue": old.issue_id != new.issue_id,
    }
    return tuple(name for name, differs in pairs.items() if differs)


def _differing_lines(before: str, after: str) -> tuple[str | None, str | None]:
    """Return the lines from the first to the last in which two texts differ; None twice where none do."""
    if before == after:
        return None, None
    old, new = before.splitlines(), after.splitlines()
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    old, new = old[first:], new[first:]
    backwards = zip(reversed(old), reversed(new), strict=False)
    same = next((n for n, (a, b) in enumerate(backwards) if a != b), min(len(old), len(new)))
    texts = ("\n".join(lines[: len(lines) - same]) for lines in (old, new))
    was, is_now = map(_shortened_text, texts)
    return was, is_now


def _cut(one: Solution | Issue | None) -> str | None:
    return None if one is None else _shortened_text(one.text)


def _shortened_text(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS else f"{text[:TEXT_CHARACTERS]}…"
