"""What is lacking: questions that nobody could answer, issues without solution, documents that nothing cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil
from typing import Literal, TypeVar

from autokb.core.errors import BadInputError
from autokb.core.forest import Forest
from autokb.core.ids import short_id
from autokb.core.in_use import (
    RESOLVING,
    ClosedGap,
    Feedback,
    GapStatus,
    LoggedQuestion,
    folded,
    hashed_conversation,
    last_words,
)
from autokb.core.nouns import DISPLAYED
from autokb.core.results import Result
from autokb.stores.feedback import read_feedback
from autokb.stores.question_log import (
    count_lost,
    count_questions,
    read_closed_gaps,
    read_questions,
)
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.mail_parts import without_mail_parts
from autokb.text.words import split_words, terms
from autokb.usage.question_log import masked_beginning
from autokb.views.reader_labels import is_of_another_topic
from autokb.views.solutions_in_memory import AllSolutions, SolutionsInMemory
from autokb.views.theme_names import ThemeNames

MOST_LISTED = 1_000  # of each list
OTHER_WORDINGS = 3  # of a question that are shown beside the newest
# Share of the stems of two questions that both have (Jaccard): from here on they are one, asked in nearly the same
# words. What is asked in other words stays apart: to compare by meaning would embed the whole log with each look.
SAME_QUESTION = 0.75
# What is lacking: an answer, a better one, or nothing, where the question is about something else than the documents.
GapKind = Literal["unanswered", "unhelpful", "other_topic"]
_PLACEHOLDER = re.compile(r"<[a-z]+-\d+>")  # of what was masked

G = TypeVar("G", "Gap", "IssueGap", "DocumentGap")


@dataclass(frozen=True, slots=True)
class Gap(Result):
    """A question that nobody could answer, in its newest wording, with what it was joined with.

    ``asked`` counts how often, once a conversation: ``abstained`` where nothing was known, ``rejected`` where what was
    shown was rejected or did not help, and nothing else was used. ``solutions`` are those that were rejected.
    """

    id: str
    text: str
    asked: int
    abstained: int
    rejected: int
    first: str
    last: str
    reason: str
    wordings: tuple[str, ...]
    solutions: tuple[str, ...]
    status: GapStatus = "open"
    kind: GapKind = "unanswered"


@dataclass(frozen=True, slots=True)
class IssueGap(Result):
    """A node for which nothing is displayed, nor for one above or below it; ``withheld`` counts what could be.

    ``raw_issues`` is how many customers reported it, ``children`` how many nodes below it lack a solution with it.
    """

    id: str
    issue: str
    text: str
    theme: str
    raw_issues: int
    withheld: int
    children: int
    status: GapStatus = "open"


@dataclass(frozen=True, slots=True)
class DocumentGap(Result):
    """A document that no displayed solution cites; it may still answer as a passage."""

    id: str
    document: str
    title: str
    url: str
    status: GapStatus = "open"


@dataclass(frozen=True, slots=True)
class LogState(Result):
    """The log that gaps are read from: ``kept`` questions, the oldest of ``since``, and how many were ``lost``."""

    enabled: bool
    kept: int
    since: str
    lost: int


@dataclass(frozen=True, slots=True)
class Gaps(Result):
    """Three queues, each cut to what was asked for, with how many there are in all; ``closed`` counts what is not.

    Questions of other topics stand behind the others; ``kinds`` counts the questions of each kind.
    """

    questions: tuple[Gap, ...]
    questions_total: int
    issues: tuple[IssueGap, ...]
    issues_total: int
    documents: tuple[DocumentGap, ...]
    documents_total: int
    closed: int
    log: LogState
    kinds: Mapping[GapKind, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettledGap(Result):
    """What was said of a gap; ``changed`` is 0 where it was so before."""

    id: str
    status: GapStatus
    changed: int


@dataclass(frozen=True, slots=True)
class ForgottenQuestions(Result):
    """How many questions the log held."""

    forgotten: int


@dataclass(frozen=True, slots=True)
class _Wording:
    """A question as it was asked, masked; ``gap`` is the id of its words, whatever it is joined with."""

    text: str
    words: frozenset[str]
    gap: str


@dataclass(frozen=True, slots=True)
class _Asking:
    """One time that a question was not answered."""

    wording: _Wording
    date: str
    asker: str  # what tells askings apart: the conversation, else the entry
    reason: str = ""
    rejected: tuple[str, ...] | None = None  # the solutions, where it was answered and rejected


@dataclass
class AllGaps:
    """Everything open and closed, before it is cut."""

    questions: list[tuple[Gap, frozenset[str]]]  # with the ids of all its wordings
    issues: list[IssueGap]
    documents: list[DocumentGap]

    def status_of(self, gap: str) -> tuple[frozenset[str], GapStatus] | None:
        """Return the ids that are one with this one, and their status; None where there is no such gap."""
        for question, ids in self.questions:
            if gap in ids:
                return ids, question.status
        single = {one.id: one.status for one in self.issues} | {one.id: one.status for one in self.documents}
        return (frozenset({gap}), single[gap]) if gap in single else None


def find_gaps(
    workspace: Workspace, memory: SolutionsInMemory, limit: int, *, newest: bool = False, closed: bool = False
) -> Gaps:
    """Return what is lacking: the most asked first, or the newest; what is ``closed`` in place of what is open."""
    if not 1 <= limit <= MOST_LISTED:
        raise BadInputError(f"A list holds 1 to {MOST_LISTED:,} gaps, not {limit}.")
    with workspace.file() as file, file.snapshot():
        found = find_all_gaps(file, memory, workspace.spec.language)
        state = LogState(workspace.settings.log_questions, *count_questions(file), count_lost(file))
    questions = _of_status([gap for gap, _ in found.questions], closed)
    questions.sort(key=lambda gap: (gap.last, gap.asked) if newest else (gap.asked, gap.last), reverse=True)
    questions.sort(key=lambda gap: gap.kind == "other_topic")
    issues, documents = _of_status(found.issues, closed), _of_status(found.documents, closed)
    everything = len(found.questions) + len(found.issues) + len(found.documents)
    listed = len(questions) + len(issues) + len(documents)
    return Gaps(
        questions=tuple(questions[:limit]),
        questions_total=len(questions),
        issues=tuple(issues[:limit]),
        issues_total=len(issues),
        documents=tuple(documents[:limit]),
        documents_total=len(documents),
        closed=listed if closed else everything - listed,
        log=state,
        kinds=dict(Counter(gap.kind for gap in questions)),
    )


def _of_status(gaps: Iterable[G], closed: bool) -> list[G]:
    return [one for one in gaps if (one.status != "open") == closed]


def cluster_questions(asked: Iterable[LoggedQuestion], language: str) -> list[Gap]:
    """Return questions joined as gaps are, whatever was shown for them, and whether people closed one or not.

    The most asked come first, those of other topics last.
    """
    found = [_gap_of(group, {}) for group in _joined(_abstained(asked, language))]
    return sorted(found, key=lambda gap: (gap.kind == "other_topic", -gap.asked, gap.first, gap.id))


def forget_wordings() -> None:
    """Forget what was read of questions here."""
    _read_wording.cache_clear()


def find_all_gaps(file: WorkspaceFile, memory: SolutionsInMemory, language: str) -> AllGaps:
    """Return all gaps, open and closed."""
    closed = read_closed_gaps(file)
    askings = [*_abstained(read_questions(file, "abstains"), language), *_rejected(read_feedback(file), language)]
    known = memory.read(file)
    decided = known.decided
    cited = {e.document for s in decided.solutions.values() if s.status in DISPLAYED for e in s.evidence}
    groups = _joined(askings)
    idle = (
        DocumentGap(short_id("gap", "document", i), i, title, url)
        for i, (title, url) in file.fields("document", "title", "url").items()
        if i not in cited
    )
    return AllGaps(
        [(_gap_of(group, closed), frozenset(one.wording.gap for one in group)) for group in groups],
        [_with_status(one, closed) for one in _unsolved(file, known)],
        [_with_status(one, closed) for one in idle],
    )


def _with_status(gap: G, closed: Mapping[str, ClosedGap]) -> G:
    return replace(gap, status=closed[gap.id].status) if gap.id in closed else gap


def _abstained(log: Iterable[LoggedQuestion], language: str) -> Iterator[_Asking]:
    for one in log:
        asker = one.conversation or str(one.number)
        yield _Asking(_read_wording(one.text, language), one.date, asker, one.reason)


def _rejected(feedback: Iterable[Feedback], language: str) -> Iterator[_Asking]:
    """Give the questions that were answered by nothing that anybody used."""
    said: dict[tuple[str, str], list[Feedback]] = {}
    for one in last_words(feedback):
        said.setdefault((folded(one.query), one.conversation), []).append(one)
    for several in said.values():
        if any(one.verdict in RESOLVING for one in several):
            continue
        last = several[-1]
        solutions = tuple(dict.fromkeys(one.solution_id for one in several if one.solution_id))
        asker = hashed_conversation(last.conversation) or last.id
        yield _Asking(_read_wording(last.query, language, is_masked=False), last.date, asker, "", solutions)


@lru_cache(maxsize=20_000)  # some 30 MB; who closes gaps one by one has all of them read with each
def _read_wording(text: str, language: str, *, is_masked: bool = True) -> _Wording:
    """Read the words by which two questions are one; of one that has grammar alone, all of them."""
    text = without_mail_parts(text)[0]
    text = text if is_masked else masked_beginning(text, language)
    said = _PLACEHOLDER.sub(" ", text)
    words = frozenset(terms(said, language)) or frozenset(split_words(said).folded)
    return _Wording(text, words, short_id("gap", "question", *sorted(words)))


def _joined(askings: Iterable[_Asking]) -> list[list[_Asking]]:
    """Join questions that share nearly all of their words, each to the most asked one that it is like.

    Two such questions share a word among the rarest ones of both (Chaudhuri, Ganti and Kaushik 2006, A Primitive
    Operator for Similarity Joins), so that few are compared.
    """
    by_words: dict[frozenset[str], list[_Asking]] = {}
    for one in askings:
        by_words.setdefault(one.wording.words, []).append(one)
    holders = Counter(word for words in by_words for word in words)
    groups: dict[frozenset[str], list[_Asking]] = {}
    with_word: dict[str, list[frozenset[str]]] = {}
    for words in sorted(by_words, key=lambda words: (-len(by_words[words]), sorted(words))):
        rarest = sorted(words, key=lambda word: (holders[word], word))
        rarest = rarest[: len(rarest) - ceil(SAME_QUESTION * len(rarest)) + 1]
        candidates = {other for word in rarest for other in with_word.get(word, ())}
        near = {other: _alike(words, other) for other in candidates}
        home = max(near, key=lambda other: (near[other], sorted(other)), default=words)
        if near.get(home, 0.0) < SAME_QUESTION:
            home = words
            groups[home] = []
            for word in rarest:
                with_word.setdefault(word, []).append(words)
        groups[home] += by_words[words]
    return [sorted(group, key=lambda one: one.date) for group in groups.values()]


def _alike(words: frozenset[str], other: frozenset[str]) -> float:
    return len(words & other) / len(words | other)


# Complex: every field is a choice from the same group, newest first or last.
def _gap_of(group: Sequence[_Asking], closed: Mapping[str, ClosedGap]) -> Gap:
    """Return a question as a gap."""
    status, group = _status_of(group, closed)
    newest = group[-1].wording
    abstained = [one for one in group if one.rejected is None]
    rejected = [one for one in group if one.rejected is not None]
    reason = next((one.reason for one in reversed(group) if one.reason), "")
    kind: GapKind = "unanswered" if abstained else "unhelpful"
    if not rejected and is_of_another_topic(reason):
        kind = "other_topic"
    wordings = dict.fromkeys(one.wording.text for one in reversed(group) if one.wording.text != newest.text)
    return Gap(
        id=newest.gap,
        text=newest.text,
        asked=_count_askers(group),
        abstained=_count_askers(abstained),
        rejected=_count_askers(rejected),
        first=group[0].date,
        last=group[-1].date,
        reason=reason,
        wordings=tuple(wordings)[:OTHER_WORDINGS],
        solutions=tuple(dict.fromkeys(solution for one in rejected for solution in one.rejected or ())),
        status=status,
        kind=kind,
    )


def _status_of(group: Sequence[_Asking], closed: Mapping[str, ClosedGap]) -> tuple[GapStatus, Sequence[_Asking]]:
    """Return a question's status and the askings that count: what is done is open from the next time on."""
    said = [closed[one.wording.gap] for one in group if one.wording.gap in closed]
    if not said:
        return "open", group
    if any(one.status == "dismissed" for one in said):
        return "dismissed", group
    since = max(one.date for one in said)
    later = [one for one in group if one.date > since]
    return ("open", later) if later else ("done", group)


def _count_askers(askings: Iterable[_Asking]) -> int:
    return len({one.asker for one in askings})


# Complex: a node is a gap only if nothing above or below it helps, which one walk over the forest finds.
def _unsolved(file: WorkspaceFile, known: AllSolutions) -> list[IssueGap]:
    """Return the widest nodes for which nothing is displayed, those that most customers reported first."""
    forest, decided = Forest(known.issues.values()), known.decided
    solved = {s.issue_id for s in decided.solutions.values() if s.status in DISPLAYED} & set(forest.nodes)
    helped = set(solved)
    for node in solved:
        helped.update(one.id for one in forest.ancestors(node))
        helped.update(one.id for one in forest.subtree(node))
    withheld = Counter(s.issue_id for s in decided.solutions.values() if s.status not in DISPLAYED)
    themes = ThemeNames(file, of_many=True)
    found = []
    for issue in forest.nodes.values():
        if issue.id in helped or (issue.parent_id in forest.nodes and issue.parent_id not in helped):
            continue
        below = [one.id for one in forest.subtree(issue.id)]
        found.append(
            IssueGap(
                id=short_id("gap", "issue", issue.id),
                issue=issue.id,
                text=issue.text,
                theme=themes.of_issue(issue.id),
                raw_issues=len(issue.raw_issues),
                withheld=sum(withheld[one] for one in below),
                children=len(below) - 1,
            )
        )
    return sorted(found, key=lambda one: (-one.raw_issues, one.id))
