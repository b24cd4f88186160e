"""Appendix B of the AutoKB paper: how often a judge says what people say, and two people the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.attributes import Attributes, from_lists
from autokb.core.domain import DomainSpec, Rule
from autokb.core.implications import without_left_open
from autokb.core.nouns import VerdictName
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.studies.evaluate import evaluate_workspace_quality
from autokb.plugins.lab.studies.papers import PaperTables
from autokb.plugins.lab.studies.papers.autokb_judge import STAGE, PaperJudge, Subject
from autokb.plugins.lab.studies.papers.autokb_quality import model_verdicts
from autokb.plugins.lab.studies.papers.autokb_sheets import (
    ATTRIBUTES,
    CORRECTNESS,
    GROUP,
    NEEDS_SHEET,
    RULES,
    FilledSheet,
    PaperSheets,
)
from autokb.stats.shares import agreement, clustered_share
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes, ExtractedAttributes

PAPER = PaperTables("autokb")
ALWAYS_THE_SAME = "both say the same of all, which chance explains too"
NOTHING_COMPARED = (
    "nothing that people answered can be compared; let both annotators answer, of the sheets of this build"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a person and a judge, or two people, say of the same; ``group`` is what it belongs to."""

    group: str
    one: Hashable
    other: Hashable


def agreement_table(subjects: Sequence[Subject], judge: PaperJudge, sheets: PaperSheets) -> Table:
    """Appendix B: accuracy beside people of the judge, and of what stands in for it offline; two people beside."""
    printed = PAPER.printed("agreement").items()
    beside = {f"{subject.name}, {row}": values for subject in subjects for row, values in printed}
    rows = [(f"{subject.name}, {name}", cells) for subject in subjects for name, cells in _rows(subject, judge, sheets)]
    return PAPER.table("agreement", rows, beside)


def _rows(subject: Subject, judge: PaperJudge, sheets: PaperSheets) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    rules, correct, attributes = sheets.rules(subject), sheets.correctness(subject), sheets.attributes(subject)
    read = _people_read(attributes, sheets, subject)
    yield "rules by the model", _cells(RULES, _rules_beside(rules, subject, judge) if rules else None)
    yield "rules by patterns", _cells(RULES, _rules_beside(rules, subject) if rules else None)
    yield "rules by two people", _cells(RULES, _two_people(rules))
    yield "attributes by the model", _cells(ATTRIBUTES, _attributes_beside(read, subject, judge) if read else None)
    yield "attributes read offline", _cells(ATTRIBUTES, _attributes_beside(read, subject) if read else None)
    yield "attributes by two people", _cells(ATTRIBUTES, _two_people(attributes))
    by_model = _correct_beside(correct, subject, judge, sheets) if correct else None
    yield "correct by the model", _cells(CORRECTNESS, by_model)
    yield "correct by two people", _two_on_correctness(correct, subject)


def _cells(sheet: str, compared: Sequence[Compared] | str | None) -> tuple[Cell, ...]:
    """Return accuracy with its interval, kappa and how many were compared; or what is missing and how to fill it."""
    if not compared or isinstance(compared, str):
        reason = NEEDS_SHEET[sheet] if compared is None else str(compared or NOTHING_COMPARED)
        return Cell(missing=reason), Cell(missing=reason), Cell(0)
    groups: dict[str, list[bool]] = {}
    for one in compared:
        groups.setdefault(one.group, []).append(one.one == one.other)
    found = clustered_share([(sum(same), len(same)) for same in groups.values()])
    _, kappa = agreement([(one.one, one.other) for one in compared])
    return Cell.of(found, percent=True), Cell.known(kappa, ALWAYS_THE_SAME), Cell(len(compared))


def _two_people(filled: FilledSheet[Any] | None) -> list[Compared] | None:
    """Return what both people answered; None without a sheet."""
    if filled is None:
        return None
    return [
        Compared(str(filled.hidden[item][GROUP]), *(given[annotator] for annotator in sorted(given)))
        for item, given in sorted(filled.answers.items())
        if len(given) > 1
    ]


def _two_on_correctness(filled: FilledSheet[bool] | None, subject: Subject) -> tuple[Cell, ...]:
    """Return how far two people agree on what is correct: by the sheet, else by the page of the sheet."""
    on_page = evaluate_workspace_quality(subject.workspace).agreement if filled is None else None
    if on_page is None or on_page.agreement is None:
        return _cells(CORRECTNESS, _two_people(filled))
    return Cell(100 * on_page.agreement), Cell.known(on_page.kappa, ALWAYS_THE_SAME), Cell(on_page.twice)


def _correct_beside(
    filled: FilledSheet[bool], subject: Subject, judge: PaperJudge, sheets: PaperSheets
) -> list[Compared] | str:
    verdicts = model_verdicts(subject, sheets, judge)
    if isinstance(verdicts, str):
        return verdicts
    return [
        Compared(str(filled.hidden[item][GROUP]), answer, verdicts[item])
        for item, given in sorted(filled.answers.items())
        if item in verdicts
        for answer in given.values()
    ]


# -- rules ------------------------------------------------------------------------------------------------------------


def _rules_beside(filled: FilledSheet[str], subject: Subject, judge: PaperJudge | None = None) -> list[Compared] | str:
    """Return whether people and the judge find a rule broken; without a judge what the patterns find."""
    hidden = {str(one[GROUP]): one for one in filled.hidden.values()}
    spec = subject.spec
    requests = [
        CheckRules(
            domain=spec.in_words,
            issue="",
            title=str(one["title"]),
            steps=tuple(one["steps"]),
            text=str(one["text"]),
            rules=spec.rules,
            language=spec.language,
        )
        for one in hidden.values()
    ]
    replies: Sequence[CheckedRules | None] | str = [CHECK_RULES.answer_offline(one) for one in requests]
    if judge is not None:
        replies = judge.ask(subject, STAGE, CHECK_RULES, requests, list(hidden))
    if isinstance(replies, str):
        return replies
    verdicts = {
        (solution, one.rule): one.verdict
        for solution, reply in zip(hidden, replies, strict=True)
        if reply is not None
        for one in reply.verdicts
    }
    return list(_compared_rules(filled, {rule.id: rule for rule in spec.rules}, verdicts))


def _compared_rules(
    filled: FilledSheet[str], rules: Mapping[str, Rule], verdicts: Mapping[tuple[str, str], VerdictName]
) -> Iterator[Compared]:
    """Give what is comparable: a rule that has other words now, and what nobody judged, is not."""
    for item, given in sorted(filled.answers.items()):
        solution, rule = str(filled.hidden[item][GROUP]), str(filled.hidden[item]["rule"])
        verdict = verdicts.get((solution, rule), "not judged")
        if verdict == "not judged" or rules[rule].text != filled.hidden[item]["rule_text"]:
            continue
        for answer in given.values():
            yield Compared(solution, answer == "broken", verdict in ("broken", "doubt"))


# -- attributes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PeopleRead:
    """What a person read in a text; ``asked`` are the attributes that they were asked for."""

    group: str
    text: str
    values: Attributes
    asked: tuple[str, ...]


def _people_read(
    filled: FilledSheet[tuple[str, ...]] | None, sheets: PaperSheets, subject: Subject
) -> list[PeopleRead] | None:
    """Return what people read, by text and annotator, on the sheet and in labels; None without either."""
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    texts: dict[str, str] = {}
    for item, given in (filled.answers if filled else {}).items():
        hidden = filled.hidden[item] if filled else {}
        group, name = str(hidden[GROUP]), str(hidden["attribute"])
        texts[group] = str(hidden["text"])
        for annotator, values in given.items():
            found.setdefault((group, annotator), {})[name] = values
    of_sheet = [
        PeopleRead(group, texts[group], from_lists({n: v for n, v in answers.items() if v}), tuple(answers))
        for (group, _), answers in sorted(found.items())
    ]
    names = tuple(subject.spec.attributes)
    labels = [PeopleRead(one.id, one.text, one.values, names) for one in sheets.labels(subject)]
    return [*of_sheet, *labels] or None


def _attributes_beside(
    read: Sequence[PeopleRead], subject: Subject, judge: PaperJudge | None = None
) -> list[Compared] | str:
    """Return the values that people and the judge read; without a judge what is read offline."""
    spec = subject.spec
    texts = list(dict.fromkeys(one.text for one in read))
    requests = [ExtractAttributes(text, "issue", spec.attributes, spec.language, spec.in_words) for text in texts]
    replies: Sequence[ExtractedAttributes | None] | str = [EXTRACT_ATTRIBUTES.answer_offline(one) for one in requests]
    if judge is not None:
        replies = judge.ask(subject, STAGE, EXTRACT_ATTRIBUTES, requests, [f"text {n + 1}" for n in range(len(texts))])
    if isinstance(replies, str):
        return replies
    by_judge = dict(zip(texts, replies, strict=True))
    return [
        Compared(one.group, _values(one.values, name, spec), _values(reply.as_attributes(), name, spec))
        for one in read
        if (reply := by_judge[one.text]) is not None
        for name in one.asked
        if name in spec.attributes
    ]


def _values(attributes: Attributes, name: str, spec: DomainSpec) -> tuple[str, ...]:
    """Return the values of an attribute, none where nothing is said; open ones in small letters."""
    known = {one: values for one, values in attributes.items() if one in spec.attributes}
    return tuple(sorted(value.casefold() for value in without_left_open(known, spec.attributes).get(name, ())))
