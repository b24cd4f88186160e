"""How each kind of finding is found, from what is published and what people decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from itertools import chain, combinations, product
from math import ceil

from autokb.core.attributes import Match, compare
from autokb.core.decisions import KEPT, Decided
from autokb.core.domain import ENGLISH
from autokb.core.findings import FindingKind, FindingStatus
from autokb.core.forest import Forest
from autokb.core.ids import digest, short_id
from autokb.core.nouns import Decision, Document, Evidence, Issue, Passage, Solution
from autokb.core.results import Result
from autokb.core.solution_text import solution_title
from autokb.core.vectors import Vectors
from autokb.heuristics.contradictions import find_disagreement
from autokb.issues.joining import near_pairs
from autokb.issues.same_problem import NEAR_PARENTS
from autokb.tasks.issues.find_disagreement.task import FindDisagreement, FoundDisagreement, GivenSteps
from autokb.text.words import content_words
from autokb.views.solutions_in_memory import AllSolutions

SAME_HEADINGS = (
    0.5  # share of the words of two titles with headings that both have, from which on they name one problem
)
MOST_ALIKE = 300  # sections whose headings share a word that is rare in them: 45,000 pairs, a second's work
# Pairs that a model is asked about, those most alike: some 50 requests. Only their answers are looked up, as a lookup
# needs what the model reads of a pair: 0.5 ms each, with every page.
MOST_JUDGED = 300
MOST_PLACES = 20  # of one finding that are told


@dataclass(frozen=True, slots=True)
class FindingPlace(Result):
    """Where something stands: in a document, a solution or a node.

    Where there is an ``end``, ``quote`` is exactly ``text[start:end]`` of the document. What is gone by now has no
    ``title``, and is no solution or node.
    """

    quote: str
    document: str = ""
    title: str = ""
    start: int = 0
    end: int = 0
    solution: str = ""
    issue: str = ""


@dataclass(frozen=True, slots=True)
class Finding(Result):
    """Content that needs attention; its id stays while what it is about stays as it is.

    ``reported`` counts the raw issues of the problem that it is about, or what else says how many readers it reaches.
    ``author`` and ``date`` are those of who settled it.
    """

    id: str
    kind: str
    text: str
    places: tuple[FindingPlace, ...]
    reported: int = 0
    status: FindingStatus = "open"
    author: str = ""
    date: str = ""


@dataclass(frozen=True)
class Known:
    """What findings are looked for in.

    ``dates`` say by document when it changed last. ``roots`` are row by row those of ``vectors``, which are of their
    names; one without a known vector has no row. ``judged`` is what a model answered on the pairs that it would be
    asked about now.
    """

    found: AllSolutions
    documents: Mapping[str, Document]
    dates: Mapping[str, date]
    today: date
    stale_after: int
    roots: Sequence[Issue]
    vectors: Vectors
    passages: Sequence[Passage] = ()
    language: str = ENGLISH
    judged: Mapping[FindDisagreement, FoundDisagreement] = field(default_factory=dict)

    @cached_property
    def displayed(self) -> list[Solution]:
        """The solutions that readers see, in the order of their ids."""
        return [self.found.decided.solutions[i] for i in self.found.displayed_ids]

    @cached_property
    def forest(self) -> Forest[Issue]:
        """The nodes as trees."""
        return Forest(self.found.issues.values())

    def reported(self, *issues: str) -> int:
        """Return how many raw issues nodes have."""
        return sum(len(self.found.issues[i].raw_issues) for i in set(issues) if i in self.found.issues)

    def place(self, solution: Solution, evidence: Evidence | None) -> FindingPlace:
        """Return the place that a step of a solution comes from; a step of a person has none but the solution."""
        if evidence is None:
            return FindingPlace(solution.text, solution=solution.id, issue=solution.issue_id)
        title = self.found.built.titles.get(evidence.document, "")
        where = (evidence.document, title, evidence.start, evidence.end)
        solutions = self.found.decided.solutions
        if solution.id not in solutions:  # it is a section, which a solution may show
            solution = self.shown_at.get((evidence.document, evidence.start), solution)
        known = solution.id if solution.id in solutions else ""
        return FindingPlace(evidence.quote, *where, solution=known, issue=solution.issue_id)

    @cached_property
    def shown_at(self) -> Mapping[tuple[str, int], Solution]:
        """The first solution that shows each place of a document, by where it begins."""
        return {(e.document, e.start): solution for solution in reversed(self.displayed) for e in solution.evidence}


def _finding(
    kind: FindingKind, text: str, places: Sequence[FindingPlace], said: Sequence[str], reported: int = 0
) -> Finding:
    """Make a finding; ``said`` is what its id is made of beside its kind: ids, and the words that it is about."""
    return Finding(short_id("finding", kind, *said), kind, text, tuple(places[:MOST_PLACES]), reported)


# -- approvals --------------------------------------------------------------------------------------------------------


def changed_sources(known: Known) -> Iterator[Finding]:
    """Give the texts that a person approved or edited whose source says otherwise by now, or is gone."""
    decided = known.found.decided
    for i, solution in decided.solutions.items():
        if solution.status not in ("rejected", "hidden") and decided.source_changed(i):
            base, by = decided.base[i], _changed_since(decided, i)
            places = [known.place(base, evidence) for evidence in base.evidence] or [known.place(base, None)]
            text = f"Its source has changed since {_whose(by)}."
            said = (i, by.shown, by.text, "\n".join(by.steps), base.text, *base.steps)
            yield _finding("source_changed", text, places, said, known.reported(solution.issue_id))
    yield from _gone_sources(known)


def _changed_since(decided: Decided, solution: str) -> Decision:
    """Return the decision whose source has changed: the edit, but for one by which a build keeps an approved text."""
    edit, verdict = decided.edits.get(solution), decided.verdicts.get(solution)
    if edit is None or (edit.reason == KEPT and verdict is not None):
        return verdict or decided.edits[solution]
    return edit


def _gone_sources(known: Known) -> Iterator[Finding]:
    """Give what people decided to show and whose solution is gone, of each solution what was decided last."""
    taken: dict[str, list[Decision]] = defaultdict(list)
    for one in sorted(known.found.decided.orphans, key=lambda one: one.number):
        if not (one.undone or one.dismissed):
            taken[one.solution_id or one.id].append(one)
    for some in taken.values():
        last = some[-1]
        if last.what in ("approved", "edited", "written"):
            by = next((one for one in reversed(some) if one.author), last)  # not a text that a build has kept
            title = known.found.built.titles.get(last.origin.document, "")
            node = last.origin.tree if last.origin.tree in known.found.issues else ""
            place = FindingPlace(last.text or "\n".join(last.steps), last.origin.document, title, issue=node)
            yield _finding(
                "source_changed",
                f"Its source is gone since {_whose(by)}.",
                [place],
                ("gone", last.solution_id, last.shown, last.text),
            )


def _whose(decision: Decision) -> str:
    verb = {"approved": "approved", "written": "wrote"}.get(decision.what, "edited")
    return " ".join(filter(None, (decision.author or "somebody", f"{verb} it", decision.date[:10])))


# -- sources ----------------------------------------------------------------------------------------------------------


def outdated_sources(known: Known) -> Iterator[Finding]:
    """Give the documents that nobody has changed for longer than ``stale_after``; one without a date is none."""
    oldest = known.today.toordinal() - known.stale_after  # which may lie before the year 1
    cited = _citations(known)
    for i, document in known.documents.items():
        day = known.dates.get(i)
        if day is not None and day.toordinal() < oldest:
            text = f"It was last changed on {day.isoformat()}, more than {known.stale_after} days ago."
            place = FindingPlace(document.title, i, document.title)
            yield _finding("outdated", text, [place], (i, digest(document.text), day.isoformat()), cited[i])


def _citations(known: Known) -> Counter[str]:
    """Count by document the displayed solutions that cite it."""
    return Counter(document for s in known.displayed for document in {e.document for e in s.evidence})


# -- problems ---------------------------------------------------------------------------------------------------------


def contradictions(known: Known) -> Iterator[Finding]:
    """Give pairs of what answers one problem, for customers that may be the same, whose steps disagree.

    Where a model has judged a pair that is among those that it would be asked about now, it is as the model says.
    """
    seen: set[str] = set()
    for one, other in _candidates(known):
        if (found := _contradiction(known, one, other)) is not None and found.id not in seen:
            seen.add(found.id)  # several nodes may show the same
            yield found


def pairs_to_judge(known: Known) -> list[FindDisagreement]:
    """Return the pairs that a model is asked about, each once, those that share most of their words first."""
    alike: dict[FindDisagreement, float] = {}
    words_of = cache(lambda steps: content_words("\n".join(steps), known.language))
    for one, other in _candidates(known):
        words, others = words_of(one.steps), words_of(other.steps)
        if one.steps != other.steps and (shared := len(words & others)):
            alike.setdefault(_pair(one, other, known.language)[0], shared / len(words | others))
    return sorted(alike, key=lambda pair: -alike[pair])[:MOST_JUDGED]


def _candidates(known: Known) -> Iterator[tuple[Solution, Solution]]:
    """Give pairs of what answers one problem and the same customer may be told.

    One problem are solutions of one tree, or of trees that are near; and what stands under headings that say the same,
    for a section that no solution shows answers too.
    """
    for one, other in chain(_of_one_tree(known), _under_like_headings(known)):
        if not _is_for_others(one, other):
            yield one, other


def _pair(one: Solution, other: Solution, language: str) -> tuple[FindDisagreement, Solution, Solution]:
    """Return what a model is asked about two, and both in the order in which it is: that of their texts."""
    first, second = sorted((one, other), key=lambda s: (s.text, s.id))
    mine, theirs = (GivenSteps(solution_title(s), s.steps) for s in (first, second))
    return FindDisagreement(mine, theirs, language), first, second


def _of_one_tree(known: Known) -> Iterator[tuple[Solution, Solution]]:
    of_tree: dict[str, list[Solution]] = defaultdict(list)
    for solution in known.displayed:
        if solution.issue_id in known.forest.nodes:
            of_tree[known.forest.root(solution.issue_id).id].append(solution)
    for some in of_tree.values():
        yield from combinations(some, 2)
    for first, second, _ in near_pairs(known.vectors, NEAR_PARENTS):
        yield from product(of_tree[known.roots[first].id], of_tree[known.roots[second].id])


def _under_like_headings(known: Known) -> Iterator[tuple[Solution, Solution]]:
    """Give pairs of sections, and of solutions and sections, whose headings or problems share half of their words.

    They are of two documents: the sections of one are its author's cases.
    """
    issues, shown = known.found.issues, known.displayed
    texts = [(p.solution, " ".join(p.headings)) for p in known.passages]
    texts += [(s, issues[s.issue_id].text) for s in shown if s.issue_id in issues]
    named = [(solution, content_words(text, known.language)) for solution, text in texts]
    for first, second in _sharing_a_word([words for _, words in named]):
        (one, words), (other, others) = named[first], named[second]
        if _have_two_authors(one, other) and len(words & others) >= SAME_HEADINGS * len(words | others):
            yield one, other


def _have_two_authors(one: Solution, other: Solution) -> bool:
    return {e.document for e in one.evidence}.isdisjoint(e.document for e in other.evidence)


def _sharing_a_word(named: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Return each two that may share ``SAME_HEADINGS`` of their words: those share one of the rarest of both.

    As Chaudhuri, Ganti and Kaushik 2006 (A Primitive Operator for Similarity Joins) have it. A word that is among the
    rarest of too many names no problem (Solution), and to compare all that it heads would take minutes.
    """
    count = Counter(word for words in named for word in words)
    holders: dict[str, list[int]] = defaultdict(list)
    for n, words in enumerate(named):
        rarest = sorted(words, key=lambda word: (count[word], word))
        for word in rarest[: len(rarest) - ceil(SAME_HEADINGS * len(rarest)) + 1]:
            holders[word].append(n)
    some = (alike for alike in holders.values() if len(alike) <= MOST_ALIKE)
    return sorted({pair for alike in some for pair in combinations(alike, 2)})


def _contradiction(known: Known, one: Solution, other: Solution) -> Finding | None:
    reason, steps = _disagreement(known, one, other)
    if not reason:
        return None
    places = [_place_of_step(known, s, n) for s, n in steps]
    said = sorted(f"{p.document or p.solution}\n{p.quote}" for p in places)
    return _finding("contradiction", reason, places, said, known.reported(one.issue_id, other.issue_id))


def _place_of_step(known: Known, solution: Solution, n: int) -> FindingPlace:
    """Return where a step stands; the evidence of steps that a person edited is that of the built ones."""
    built = known.found.decided.base.get(solution.id, solution)
    if solution.steps == built.steps and n < len(solution.evidence):
        return known.place(solution, solution.evidence[n])
    return FindingPlace(solution.steps[n], solution=solution.id, issue=solution.issue_id)


def _disagreement(known: Known, one: Solution, other: Solution) -> tuple[str, list[tuple[Solution, int]]]:
    """Return in which way two disagree, and in which step of each; nothing where they do not."""
    if known.judged:
        pair, first, second = _pair(one, other, known.language)
        if (judged := known.judged.get(pair)) is not None:
            return judged.reason, [(first, judged.first - 1), (second, judged.second - 1)]
    found = find_disagreement(one.steps, other.steps, known.language)
    return ("", []) if found is None else (found.reason, [(one, found.step), (other, found.other)])


def _is_for_others(one: Solution, other: Solution) -> bool:
    """Return whether no customer is told both."""
    return compare(one.attributes, other.attributes, [*one.attributes, *other.attributes]) is Match.CONFLICT


FINDERS: Mapping[FindingKind, Callable[[Known], Iterator[Finding]]] = {
    "source_changed": changed_sources,
    "outdated": outdated_sources,
    "contradiction": contradictions,
}
