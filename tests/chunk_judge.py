"""A script that plays the judges of chunks: it follows marks in the texts, so that every figure can be worked out.

A chunk with "MENU" is noise, one with "..." is not complete, one with "MEANWHILE" switches, one with "BUY" is of no use
for the task. Of one with "ODD" the judge says what cannot be read. A chunk's relevance is the number of the question's
words in it, 4 at most.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from autokb.tasks.prompts import unescaped

Words = Callable[[str], dict[str, Any]]
MARKS: Mapping[str, tuple[str, bool]] = {
    "judges_noise": ("MENU", True),
    "judges_completeness": ("...", False),
    "judges_context_switch": ("MEANWHILE", True),
    "judges_task_relevance": ("BUY", False),
}


TASKS = frozenset({*MARKS, "judges_relevance", "probes_chunk_questions"})


def reply(body: Mapping[str, Any]) -> str:
    """Return the reply to a request of a task that judges chunks or asks about them."""
    return json.dumps(answers(body["response_format"]["json_schema"]["name"], str(body["messages"][1]["content"])))


def answers(name: str, user: str) -> dict[str, Any]:
    """Return what one of ``ROOMS`` is answered, by the user turn of its prompt."""
    chunks = [unescaped(text) for text in re.findall(r'<chunk number="\d+">\n(.*?)\n</chunk>', user, re.DOTALL)]
    if name == "probes_chunk_questions":
        return {"answers": [{"number": 1, "questions": _questions(chunks)}]}
    if name == "judges_relevance":
        found = re.search(r"<query>\n(.*?)\n</query>", user, re.DOTALL)
        return _each(chunks, lambda text: _score(unescaped(found.group(1)) if found else "", text))
    mark, present = MARKS[name]
    return _each(chunks, lambda text: {"verdict": "yes" if (mark in text) is present else "no"})


def _each(chunks: list[str], words: Words) -> dict[str, Any]:
    found = [{"number": n, **({"verdict": "perhaps"} if "ODD" in t else words(t))} for n, t in enumerate(chunks, 1)]
    return {"answers": found}


def _score(query: str, text: str) -> dict[str, Any]:
    words = set(re.findall(r"[a-z]+", query.casefold()))
    return {"reason": "Counted.", "score": min(4, len(words & set(re.findall(r"[a-z]+", text.casefold()))))}


def _questions(chunks: list[str]) -> list[str]:
    words = re.findall(r"[A-Za-z]{4,}", " ".join(chunks)) or ["nothing"]
    return [f"{way} {words[0]}?" for way in ("What is", "Where is", "Who made", "When came", "Why have")]
