"""Checks read from files, answers judged by them, and whether a version may take the place of another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from autokb.answering.answer import Answer, Outcome
from autokb.core.attributes import Attributes
from autokb.core.checks import Check, CheckResult, Refusal, Turned, turned
from autokb.core.document_names import DocumentNames, plain_title
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, Solution
from autokb.core.results import Result
from autokb.core.settings import GateSettings
from autokb.core.solution_text import solution_title
from autokb.core.test_sets import read_test_set
from autokb.pipeline.gate.trees import EXAMPLES, TreesFit
from autokb.stats.bootstrap import Interval
from autokb.stats.differences import paired_difference
from autokb.stats.shares import share
from autokb.text.markdown import section_at, sections

AMONG = 3  # the places in which somebody still looks
ABSTAINS: Outcome = "abstains"
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MEASURES: Mapping[str, str] = {"first": "Right first", "three": "Right among three", "outcome": "Outcome right"}
ROUNDING = 1e-9  # 0.8 - 0.78 is a little more than 0.02 in floating point
_EXAMPLE = '{"id": "pairing", "text": "It does not pair", "document": "pairing.md", "heading": "Pair again"}'
_TEXTS = ("document", "heading", "solution", "ticket", "outcome", "author")


@dataclass(frozen=True, slots=True)
class Measured(Result):
    """A share of checks with the ends of its 95 % interval (Wilson)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CheckRun(Result):
    """What the checks found; beside a candidate also what they find of what readers see.

    ``difference`` is the candidate's mean minus the readers', by pairs, with its 95 % interval; ``turned`` are the
    checks that were right there and are not here.
    """

    n: int
    first: Measured
    three: Measured
    outcome: Measured
    checks: tuple[CheckResult, ...]
    difference: Mapping[str, Interval] | None = None
    turned: tuple[Turned, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape; what compares is there where something was compared."""
        shape = Result.as_json(self)
        if self.difference is None:
            del shape["difference"], shape["turned"]
        return shape

    @property
    def wrong(self) -> list[CheckResult]:
        """The checks that are not right."""
        return [one for one in self.checks if not one.is_right]

    @property
    def figures(self) -> dict[str, float]:
        """What a version keeps of it."""
        return {"first": self.first.value, "outcome": self.outcome.value}


def read_check_file(path: Path, headings: Headings) -> tuple[Check, ...]:
    """Read checks from JSONL, or cases that ``draft-cases`` wrote (BadInputError names the line).

    Of a case's quote the heading above it is what is right.
    """
    return read_test_set(path, partial(read_check, headings=headings), "check", "checks", _EXAMPLE)


def read_check(record: Mapping[str, Any], where: str, headings: Headings | None = None) -> Check:
    """Read one check; ``where`` names its line in errors (BadInputError)."""
    if "question" in record and "text" not in record:
        record = _of_case(record, headings)
    check_id, text = record.get("id"), record.get("text")
    if isinstance(check_id, bool) or not isinstance(check_id, str | int) or not str(check_id).strip():
        raise BadInputError(f"{where} needs an id, for example {_EXAMPLE}")
    if not isinstance(text, str) or not text.strip():
        raise BadInputError(f"{where} needs a text, for example {_EXAMPLE}")
    attributes = _read_attributes(record.get("attributes"), where)
    check = Check(str(check_id).strip(), text, attributes, **_read_texts(record, where))
    if wrong := _contradiction(check):
        raise BadInputError(f"{where}: {wrong}")
    return check


def _read_texts(record: Mapping[str, Any], where: str) -> dict[str, str]:
    texts = {name: record.get(name) or "" for name in _TEXTS}
    if strange := [name for name, value in texts.items() if not isinstance(value, str)]:
        raise BadInputError(f"{where}: {strange[0]} must be a text, for example {_EXAMPLE}")
    return texts


def _read_attributes(given: Any, where: str) -> Attributes:
    values = {} if given is None else given
    if not isinstance(values, Mapping) or not all(isinstance(one, str | list | tuple) for one in values.values()):
        raise BadInputError(f'{where}: attributes must be an object of lists, for example {{"os": ["iOS"]}}.')
    return {str(name): frozenset([one] if isinstance(one, str) else map(str, one)) for name, one in values.items()}


def _contradiction(check: Check) -> str:
    """Say why a check cannot be right or wrong; nothing where it can."""
    outcome, place = check.outcome, check.names_a_place
    wrong = {
        f"outcome must be one of {', '.join(OUTCOMES)}, not {outcome!r}.": outcome not in ("", *OUTCOMES),
        "a heading needs its document.": check.heading and not check.document,
        "nothing says what is right; name a document, a solution, a ticket or an outcome.": not (place or outcome),
        "past tickets are asked by themselves; name a ticket, or a document or solution.": (
            check.ticket and (check.document or check.solution)
        ),
        "an answer that abstains shows nothing; name what is shown, or abstains.": place and outcome == ABSTAINS,
    }
    return next((sentence for sentence, is_so in wrong.items() if is_so), "")


def _of_case(case: Mapping[str, Any], headings: Headings | None) -> dict[str, Any]:
    """Return a case of ``draft-cases`` as a check: the place of its reply, or that there is no reply to it."""
    documents, evidence = case.get("documents") or [""], case.get("evidence") or [{}]
    outcome = "" if documents[0] else "answered" if case.get("reply") else ABSTAINS
    start = evidence[0].get("start") if isinstance(evidence[0], Mapping) else None
    above = headings.at(str(documents[0]), start) if headings is not None and isinstance(start, int) else ()
    heading = heading_path(above)
    return {"id": case.get("id"), "text": case["question"], "document": documents[0], "heading": heading} | (
        {"outcome": outcome} if outcome else {}
    )


class Headings:
    """Which headings a place in a document stands under; each document is read once."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._names = DocumentNames(documents.values())

    def resolve(self, name: str) -> str | None:
        """Return the id of the document that a check names, None where there is none."""
        return self._names.resolve(name)

    def at(self, document: str, position: int) -> tuple[str, ...]:
        """Return the title of a document and the headings above a place in it, the nearest last."""
        if (found := self._documents.get(document)) is None:
            return ()
        parts = sections(found.text)
        return (found.title, *parts[section_at(parts, position)].headings)

    def has(self, document: str, heading: str) -> bool:
        """Return whether a document has this heading, or this path of headings."""
        found = self._documents[document]
        return any(_stands_under(heading, (found.title, *one.headings)) for one in sections(found.text))


def heading_path(above: Sequence[str]) -> str:
    """Return the headings of a place below its document's title, as a check names them; pages repeat single ones."""
    return " > ".join(above[1:])


def judge(check: Check, answer: Answer, headings: Headings) -> CheckResult:
    """Say whether an answer has what a check names, first and among three, and whether it ends as it should.

    A check that names only how the question ends is right first where the outcome is right.
    """
    wanted = check.outcome
    outcome = answer.outcome == wanted if wanted else answer.outcome != ABSTAINS
    shown = answer.shown[:AMONG]
    title = ""
    if shown:
        places = {e.document: None for e in shown[0].evidence}
        title = ": ".join(filter(None, (", ".join(places), solution_title(shown[0]))))
    if not check.names_a_place:
        return CheckResult(check.id, outcome, outcome, outcome, answer.outcome, title)
    right = [is_named(check, one, headings) for one in shown]
    return CheckResult(check.id, right[:1] == [True], any(right), outcome, answer.outcome, title)


def judge_tickets(check: Check, outcome: str, tickets: Sequence[str]) -> CheckResult:
    """Say whether an answer from past ``tickets``, the best first, has the one that a check names."""
    right = outcome == check.outcome if check.outcome else outcome != ABSTAINS
    among = check.ticket in tickets[:AMONG]
    return CheckResult(check.id, tickets[:1] == [check.ticket], among, right, outcome, next(iter(tickets), ""))


def is_named(check: Check, solution: Solution, headings: Headings) -> bool:
    """Return whether a check names a solution, or the section that it is in."""
    if check.solution and solution.id == check.solution:
        return True
    document = headings.resolve(check.document)
    places = [one.start for one in solution.evidence if one.document == document]
    return document is not None and any(_stands_under(check.heading, headings.at(document, start)) for start in places)


def _stands_under(heading: str, above: Sequence[str]) -> bool:
    """Return whether a heading, or a path of headings, is among those above a place; no heading is above all."""
    wanted = plain_title(heading)
    return not wanted or wanted in map(plain_title, above) or wanted == plain_title(heading_path(above))


def run(results: Sequence[CheckResult], before: Sequence[CheckResult] | None = None) -> CheckRun:
    """Return the figures of one result a check, and beside those of the same checks ``before``."""
    columns = {name: [float(getattr(one, name)) for one in results] for name in MEASURES}
    first, three, outcome = (_measured(columns[name]) for name in MEASURES)
    found = CheckRun(len(results), first, three, outcome, tuple(results))
    if before is None:
        return found
    difference = {
        name: paired_difference(columns[name], [float(getattr(one, name)) for one in before]) for name in MEASURES
    }
    lost = turned({one.id: one for one in before}, results)
    return replace(found, difference=difference, turned=lost)


def _measured(column: Sequence[float]) -> Measured:
    found = share(int(sum(column)), len(column))
    assert found.value is not None and found.low is not None and found.high is not None
    return Measured(found.value, found.low, found.high)


@dataclass(frozen=True, slots=True)
class Compared:
    """The checks asked of a candidate, and of what readers see where anything is published.

    The fit of the trees of both is there where it was asked.
    """

    now: CheckRun
    before: CheckRun | None
    trees: TreesFit | None = None
    trees_before: TreesFit | None = None


def refuse(found: Compared, gate: GateSettings) -> Refusal | None:
    """Say why readers keep what they see: a share fell by more than its margin, or a check is wrong that must not be.

    Without anything published ``before`` no share can fall; a check that must stay right must be right then. One that
    is wrong for readers already keeps nothing back.
    """
    now, before = found.now, found.before
    known: dict[str, CheckResult] = {}
    reasons: list[str] = []
    if before is not None:
        known = {one.id: one for one in before.checks}
        reasons = [*_losses(before, now, gate), *_trees_lost(found, gate.trees)]
    broken = [Turned(one.id, known.get(one.id), one) for one in now.wrong if _must_be_right(one, known, gate)]
    reasons += [f"The check {one.id} must stay right, and is not: {_why(one.now)}" for one in broken]
    if not reasons:
        return None
    lost = turned(known, now.checks)
    more = tuple(one for one in broken if one.id not in {two.id for two in lost})
    return Refusal(tuple(reasons), (*lost, *more))


def _must_be_right(check: CheckResult, before: Mapping[str, CheckResult], gate: GateSettings) -> bool:
    """Return whether a check must be right, and was for readers if it was asked there."""
    return check.id in gate.must and (check.id not in before or before[check.id].is_right)


def _losses(before: CheckRun, now: CheckRun, gate: GateSettings) -> list[str]:
    """Say which shares fell by more than the gate lets them."""
    margins = {"first": gate.first, "outcome": gate.outcome}
    return [
        f"{MEASURES[name]} fell from {was:.3f} to {now.figures[name]:.3f}, by more than {margins[name]:g}."
        for name, was in before.figures.items()
        if was - now.figures[name] > margins[name] + ROUNDING
    ]


def _trees_lost(found: Compared, margin: float) -> list[str]:
    """Say that what trees show fits what customers wrote less often, with some of the texts that it fitted before.

    Only issues that both versions have count, so that a new one keeps nothing back.
    """
    if found.trees is None or found.trees_before is None:
        return []
    both = found.trees.known & found.trees_before.known
    now, before = found.trees.of(both), found.trees_before.of(both)
    if now.share is None or before.share is None or before.share - now.share <= margin + ROUNDING:
        return []
    examples = "; ".join(f'"{text}"' for text in now.turned(before)[:EXAMPLES])
    return [
        f"The share of the trees' solutions that fit their customers' issues fell from {before.share:.3f} to "
        f"{now.share:.3f}, by more than {margin:g}: they are for other customers, or about something else. "
        f"For example: {examples}."
    ]


def _why(result: CheckResult) -> str:
    return f"{result.answer}, first: {result.shown}" if result.shown else f"{result.answer}, nothing is shown."


def judge_all(checks: Sequence[Check], ask: Callable[[Check], Answer], headings: Headings) -> list[CheckResult]:
    """Ask each check's question and judge its answer."""
    return [judge(check, ask(check), headings) for check in checks]
