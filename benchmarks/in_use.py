"""What the figures of use and the gaps cost with a full log, and pages while a later build is loaded, 7,000 solutions.

The log is full (10,000 questions), each question has feedback and each conversation an arm and an outcome; all of it is
made up by lot. Times are of the processor, in one process: the first call reads what later ones have in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import get_args

from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.core.in_use import (
    ARMS,
    AssignedArm,
    ConversationOutcome,
    Feedback,
    FeedbackVerdict,
    LoggedQuestion,
    feedback_id,
    hashed_conversation,
)
from autokb.pipeline.steps.publish import KINDS
from autokb.stores.feedback import replace_all_feedback
from autokb.stores.outcomes import keep_arms, keep_outcome
from autokb.stores.published import read_decided
from autokb.stores.question_log import MOST_QUESTIONS, keep_questions
from benchmarks import scale_data
from benchmarks.figures import Figure, Result
from benchmarks.running import folder
from benchmarks.solution_pages import publish_workspace

WORDS, SEED, SALT = 12, 4, "spring"
FIRST_DAY, BETWEEN = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=13)
OUTCOMES = {"answered": 6, "asks": 1, "abstains": 3}  # of questions, by their shares of ten
PAGE = 100  # solutions


def run(options: argparse.Namespace) -> Result:
    """Publish the knowledge base, fill its tables of use, and time who looks at them."""
    with folder() as place:
        workspace = publish_workspace(place / "kb")
        (workspace / "settings.yaml").write_text(f"experiment: {{share: 0.5, salt: {SALT}}}\n")
        fill(workspace, MOST_QUESTIONS // 10 if options.quick else MOST_QUESTIONS)
        found = [*_figures_of_use(workspace), *_later_build(workspace)]
    found.append(Figure("load_average", os.getloadavg()[0]))
    return Result("in_use", found)


def fill(workspace: Path, count: int) -> None:
    """Store so many questions, each of a conversation of its own, with feedback, arm and outcome."""
    kb, dice = SupportKB.open(workspace), random.Random(SEED)
    with kb.workspace.file() as file:
        base = read_decided(file).base
        ids = sorted(base)
        asked, given, arms, ended = [], [], [], []
        for n, text in enumerate(scale_data.questions(WORDS, count)):
            chat, date = f"chat-{n}", (FIRST_DAY + n * BETWEEN).isoformat(timespec="seconds")
            shown = dice.sample(ids, 3)
            (outcome,) = dice.choices(list(OUTCOMES), list(OUTCOMES.values()))
            nodes = tuple(dict.fromkeys(base[i].issue_id for i in shown))
            question = LoggedQuestion(text, outcome, "suggest", date, "en", "", (), nodes, tuple(shown))
            asked.append(replace(question, conversation=hashed_conversation(chat)))
            one = base[shown[0]]
            verdict: FeedbackVerdict = dice.choice(get_args(FeedbackVerdict))
            cited = tuple(dict.fromkeys(e.document for e in one.evidence))
            who = {"author": f"agent-{n % 40}", "group": f"group-{n % 12}", "date": date}
            said = Feedback("", text, verdict, one.id, one.text, one.text, cited, "solution", chat, **who)
            given.append(replace(said, id=feedback_id(said)))
            arms.append(AssignedArm(chat, SALT, dice.choice(ARMS), date))
            seconds = dice.lognormvariate(5, 1)
            ended.append(ConversationOutcome(chat, dice.random() < 0.7, dice.random() < 0.2, seconds, date))
        with file.transaction():
            keep_questions(file, asked)
            replace_all_feedback(file, given)
            keep_arms(file, arms)
            for how in ended:
                keep_outcome(file, how)


def _figures_of_use(workspace: Path) -> Iterator[Figure]:
    kb = SupportKB.open(workspace)
    looks: dict[str, Callable[[], object]] = {
        "in_use": kb.usage.in_use,
        "gaps": kb.usage.gaps,
        "review": lambda: kb.curation.review(PAGE),
        "solutions": lambda: kb.views.solutions(PAGE),
    }
    for name, look in looks.items():
        for call in ("first", "second"):
            yield Figure(f"{name}.{call}", _processor(look), "ms")
    kb.close()


def _later_build(workspace: Path) -> Iterator[Figure]:
    """Give what readers wait for when a build has changed one solution, and while it is loaded beside."""
    kb = SupportKB.open(workspace)
    kb.views.load(follows=True)
    solution = kb.views.solutions(1).items[0].id
    looks: dict[str, Callable[[], object]] = {
        "solutions": lambda: kb.views.solutions(PAGE),
        "review": lambda: kb.curation.review(PAGE),
        "known_solution": lambda: kb.views.known_solution(solution),
        "search": lambda: kb.views.search("folder"),
    }
    for look in looks.values():
        look()
    _publish_changed(workspace, solution, "one")
    for name, look in looks.items():
        yield Figure(f"later_build.first_{name}", _processor(look), "ms")
    yield Figure("later_build.load", _processor(lambda: kb.views.load(follows=True)), "ms")
    for name, look in looks.items():
        yield Figure(f"loaded_build.first_{name}", _processor(look), "ms")
    kb.curation.approve([solution], author="benchmark")
    for name, look in looks.items():
        yield Figure(f"verdict.next_{name}", _processor(look), "ms")
    _publish_changed(workspace, solution, "two")
    loading, waited = Thread(target=lambda: kb.views.load(follows=True)), []
    loading.start()
    while loading.is_alive():
        started = time.perf_counter()
        kb.views.known_solution(solution), kb.views.solutions(PAGE)
        waited.append((time.perf_counter() - started) * 1000)
    yield Figure("while_loading.longest_read", max(waited), "ms on the clock")
    kb.close()


def _publish_changed(workspace: Path, solution: str, word: str) -> None:
    with SupportKB.open(workspace).workspace.file() as file:
        records = {(kind, i): body for kind, i, body in file.lines() if kind in KINDS}
        body = json.loads(records["solution", solution])
        records["solution", solution] = canonical_json({**body, "text": f"{body['text']} {word}"})
        with file.transaction():
            file.publish(records, KINDS)


def _processor(work: Callable[[], object]) -> float:
    """Return the milliseconds of the processor that some work takes in this thread."""
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1000
