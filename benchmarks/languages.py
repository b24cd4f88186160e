"""Questions in German, French and Spanish over English documents, beside the same questions in English.

``python -m benchmarks languages`` asks two shipped domains with and without the extra ``multilingual``, which must be
installed, and measures the detector of languages, the first foreign question and a build.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.answering.ask import answer_scored
from autokb.llm.embedders.multilingual import EXTRA, PACKAGE, is_installed
from autokb.pipeline.open_index import OpenIndex, open_index
from autokb.retrieval.index import QuestionIndex
from autokb.stats.bootstrap import mean_interval
from autokb.text.languages import LANGUAGE_NAMES, find_other_language
from benchmarks.answers import BASES, DATA, QUESTIONS, SHIPPED, Base, Gold, grade, questions
from benchmarks.figures import Figure, Result
from benchmarks.running import Ran, autokb, folder

LANGUAGES = ("de", "fr", "es")
DEPTH = 5
AIM = 0.433  # German pages first: what the encoder found alone, before it was built in
FOREIGN, ENGLISH = "Mein linker Kopfhörer lädt nicht mehr", "my left earbud does not charge any more"
RUNS = 5  # of a command whose time is given
GRADED = ("first_shown_right", "one_of_first_three_right", "outcome_right")
Values = dict[str, list[float]]


@dataclass(frozen=True)
class QuestionMatch:
    """A base with its questions in all languages."""

    base: Base
    opened: OpenIndex
    golds: Sequence[Gold]


def run(options: argparse.Namespace) -> Result:
    """Build the two domains, ask everything and time the commands."""
    if not is_installed():
        raise SystemExit(f"The benchmark of languages needs the extra: {EXTRA}")
    golds = [{**g, "wrong": [], "attributes": {}} for g in _read(QUESTIONS / "languages.jsonl")]
    detail: dict[str, Any] = {}
    with folder() as place:
        found = list(_build_figures(place))
        asked = []
        for name in SHIPPED:
            base = Base(name, place / name)
            own = [g for g in golds if g["base"] == name]
            asked.append(QuestionMatch(base, open_index(base.kb.workspace), own))
        found += _answer_figures(asked, detail)
        found += _off_topic_figures(asked, detail)
        found += _detector_figures([one.opened.index for one in asked], detail)
        found += _question_figures(place / SHIPPED[0])
    return Result("languages", found, detail)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


@contextmanager
def _without_extra() -> Iterator[None]:
    """Make Python not find the extra, as where it is not installed."""
    before = sys.modules.get(PACKAGE)
    sys.modules[PACKAGE] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[PACKAGE]
        if before is not None:
            sys.modules[PACKAGE] = before


def _means(prefix: str, values: Values, detail: dict[str, Any], aims: Mapping[str, float]) -> Iterator[Figure]:
    for name, some in values.items():
        interval = mean_interval(some)
        detail[f"{prefix}.{name}"] = {**interval.as_json(), "n": len(some)}
        unit = f"of {len(some)} [{interval.low:.2f}, {interval.high:.2f}]"
        yield Figure(f"{prefix}.{name}", interval.value, unit, at_least=aims.get(name))


# -- answers ------------------------------------------------------------------------------------------------------


def _answer_figures(asked: Sequence[QuestionMatch], detail: dict[str, Any]) -> Iterator[Figure]:
    """Give what each language finds with and without the extra, and what the second encoder would find in English."""
    foreign: Values = {}
    for language in ("en", *LANGUAGES):
        with _without_extra():
            without = _ask(asked, language)
        found = _ask(asked, language)
        yield from _means(f"{language}.without", without, detail, {})
        yield from _means(f"{language}.with", found, detail, {"page_first": AIM} if language == "de" else {})
        if language != "en":
            foreign = {name: [*foreign.get(name, ()), *values] for name, values in found.items()}
    yield from _means("foreign.with", foreign, detail, {})
    second = {one.base.name: one.opened.by_language.index_for(FOREIGN)[0] for one in asked}
    yield from _means("en.by_the_second_encoder", _find(asked, "en", lambda one, _q: second[one.base.name]), detail, {})
    differing = 0
    for one, gold in _questions(asked, "en"):
        with _without_extra():
            before = one.opened.ask(gold["question"])
        differing += one.opened.ask(gold["question"]) != before
    yield Figure("en.answers_that_the_extra_changes", float(differing), "of 24", at_most=0)


def _questions(asked: Sequence[QuestionMatch], language: str) -> Iterator[tuple[QuestionMatch, Gold]]:
    return ((one, gold) for one in asked for gold in one.golds if gold["language"] == language)


def _ask(asked: Sequence[QuestionMatch], language: str) -> Values:
    """Return what is found and what is shown of all questions in a language."""
    found = _find(asked, language, lambda one, question: one.opened.by_language.index_for(question)[0])
    for one, gold in _questions(asked, language):
        if gold["outcome"] == "answered":
            values = grade(one.base, gold, one.opened.ask(gold["question"]).as_json()).values
            for name in GRADED:
                found.setdefault(name, []).append(float(values[name] or 0.0))
    return found


def _find(
    asked: Sequence[QuestionMatch], language: str, index_for: Callable[[QuestionMatch, str], QuestionIndex]
) -> Values:
    """Return which pages are found, refused or not, and which questions are not refused."""
    found: Values = {name: [] for name in ("page_first", "page_in_five", "passed", "off_topic_refused")}
    for one, gold in _questions(asked, language):
        index = index_for(one, gold["question"])
        scored = index.score(gold["question"])
        passed = answer_scored(index, scored).outcome != "abstains"
        if gold["outcome"] == "abstains":
            found["off_topic_refused"].append(float(not passed))
            continue
        right = {section["document"] for section in gold["sections"]}
        pages = [hit.id for hit in scored.documents.best(DEPTH)]
        found["page_first"].append(float(pages[0] in right))
        found["page_in_five"].append(float(bool(right.intersection(pages))))
        found["passed"].append(float(passed))
    return found


def _off_topic_figures(asked: Sequence[QuestionMatch], detail: dict[str, Any]) -> Iterator[Figure]:
    """Give what is refused of questions that are off topic for both bases, and of what is right in the other base."""
    others = _read(DATA / "languages" / "off_topic.jsonl")
    refused: Values = {f"{kind}_refused": [] for kind in ("far", "near", "other_base")}
    for one in asked:
        for question in others:
            refused[f"{question['kind']}_refused"].append(_refuses(one, question["question"]))
        for other in asked:
            if other is not one:
                golds = (g for g in other.golds if g["language"] in LANGUAGES and g["outcome"] == "answered")
                refused["other_base_refused"] += [_refuses(one, gold["question"]) for gold in golds]
    yield from _means("off_topic.with", refused, detail, {"far_refused": 0.9})


def _refuses(one: QuestionMatch, question: str) -> float:
    return float(one.opened.ask(question).outcome == "abstains")


# -- the detector -------------------------------------------------------------------------------------------------


def _detector_figures(indexes: Sequence[QuestionIndex], detail: dict[str, Any]) -> Iterator[Figure]:
    """Count questions in English that are taken for another language, and those in others that are recognised."""
    english = [g["question"] for name in BASES for g in questions(name) if g["part"] == "tune"]
    english += [g["question"] for g in _read(QUESTIONS / "languages.jsonl") if g["language"] == "en"]
    wrong = [q for q in english if any(_language(q, index) for index in indexes)]
    detail["detector.english_taken_for_another"] = wrong
    yield Figure("detector.english_taken_for_another", float(len(wrong)), f"of {len(english)}", at_most=0)
    short = _read(DATA / "languages" / "short_questions.jsonl")
    for language in dict.fromkeys(g["language"] for g in short):
        own = [g["question"] for g in short if g["language"] == language]
        found = [_language(q, indexes[0]) or "en" for q in own]
        right = sum(one == language for one in found)
        detail[f"detector.short.{language}"] = {q: one for q, one in zip(own, found, strict=True) if one != language}
        yield Figure(f"detector.short.{LANGUAGE_NAMES[language].lower()}", right / len(own), f"of {len(own)}")
    long = [(g["language"], g["question"]) for g in _read(QUESTIONS / "languages.jsonl") if g["language"] != "en"]
    long += [(g["language"], g["question"]) for g in _read(DATA / "languages" / "off_topic.jsonl")]
    right = sum(all(_language(q, index) == language for index in indexes) for language, q in long)
    yield Figure("detector.whole_questions", right / len(long), f"of {len(long)}")


def _language(question: str, index: QuestionIndex) -> str | None:
    return find_other_language(question, index.spec.language, index.chunks.words.vocabulary)


# -- time, memory, disk -------------------------------------------------------------------------------------------


def _build_figures(place: Path) -> Iterator[Figure]:
    for name in SHIPPED:
        plain, both = place / f"{name}-plain", place / name
        for folder_ in (plain, both):
            autokb("init", folder_, "--domain", name, "--examples")
        yield from _compared(f"build.{name}", autokb("build", plain, without=PACKAGE), autokb("build", both))
        yield Figure(f"build.{name}.again", autokb("build", both).seconds, "s, with, nothing changed")
        sizes = [(at / "knowledge.db").stat().st_size / 1e6 for at in (plain, both)]
        yield Figure(f"build.{name}.more_on_disk", sizes[1] - sizes[0], f"MB, without {sizes[0]:.1f}")


def _question_figures(workspace: Path) -> Iterator[Figure]:
    """Give a whole process that is asked one question, the fastest time and the most memory of some."""
    for name, question in (("english", ENGLISH), ("german", FOREIGN)):
        runs = [autokb("ask", workspace, question, without=PACKAGE) for _ in range(RUNS)]
        with_extra = [autokb("ask", workspace, question) for _ in range(RUNS)]
        yield from _compared(f"ask.{name}", *(Ran({}, min(r.seconds for r in some), max(r.megabytes for r in some))
                                              for some in (runs, with_extra)))  # fmt: skip


def _compared(name: str, without: Ran, both: Ran) -> Iterator[Figure]:
    yield Figure(f"{name}.seconds", both.seconds, f"s, without {without.seconds:.2f}")
    yield Figure(f"{name}.memory", both.megabytes, f"MiB, without {without.megabytes:.0f}")
