"""A script that plays a model for the tasks of suggestions: right replies in the words of the passages shown to it.

A test replaces what one task replies: ``ScriptedSuggestions(write_replies=lambda user: ...)``, where a text that is no
JSON stands for itself and a Fault for what goes wrong. It says nothing of any model's quality.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from autokb.tasks.prompts import unescaped
from scripted_model import form_of
from stub_server import Fault

LEAD = "Happy to help: "
_PASSAGE = re.compile(r"<passage>\n<title>.*?</title>\n<text>\n(.*?)\n</text>", re.DOTALL)
_LINE = re.compile(r"^\[(\d+)\] (?:\d+\. |- )?(.*)$", re.MULTILINE)
_QUOTE = re.compile(r'<quote number="(\d+)">\n<title>.*?</title>\n<text>\n(.*?)\n</text>', re.DOTALL)
_MESSAGE = re.compile(r'<message from="customer">\n(.*?)\n</message>', re.DOTALL)
_POINT = re.compile(r'<point number="(\d+)">')
_DRAFT = re.compile(r"<draft>(.*?)</draft>", re.DOTALL)
Entry = Mapping[str, Any]
Replies = Callable[[str], "Entry | str | Fault"]


class ScriptedSuggestions:
    """Replies to chat completions; ``asked`` are the messages of each request by task, in their order."""

    def __init__(self, **replies: Replies) -> None:
        self._replies = replies
        self.asked: list[tuple[str, str]] = []

    def __call__(self, body: Mapping[str, Any]) -> str | Fault:
        """Return the reply to the body of a request."""
        task, user = _task_of(body), str(body["messages"][1]["content"])
        self.asked.append((task, user))
        return self.reply(body)

    def reply(self, body: Mapping[str, Any]) -> str | Fault:
        """Reply without a record of it."""
        task, user = _task_of(body), str(body["messages"][1]["content"])
        found = (self._replies.get(task) or getattr(self, f"_{task}"))(user)
        if isinstance(found, str | Fault):
            return found
        return json.dumps({"answers": [{"number": 1, **found}]}, ensure_ascii=False)

    @property
    def tasks(self) -> list[str]:
        """The tasks that were asked, a request each."""
        return [task for task, _ in self.asked]

    def _next_step(self, user: str) -> Entry:
        action = "answer" if "<search>" in user else "search"
        words = last_message(user) if action == "search" else ""
        return {"action": action, "words": words, "small_talk": "none"}

    def _write_replies(self, user: str) -> Entry:
        return {"replies": [reply(text, [n]) for n, text in first_lines(user)]}

    def _extract_quotes(self, user: str) -> Entry:
        return {"lines": [n for n, _ in first_lines(user)]}

    def _answer_from_quotes(self, user: str) -> Entry:
        quotes = [(int(n), unescaped(text)) for n, text in _QUOTE.findall(user)]
        return {"replies": [reply(text, [n]) for n, text in quotes[:3]]}

    def _draft_and_doubt(self, user: str) -> Entry:
        return {**self._write_replies(user), "points": ["The first step is the right one."]}

    def _verify_draft(self, user: str) -> Entry:
        feedback = [{"point": int(n), "holds": "yes", "why": "A passage says so."} for n in _POINT.findall(user)]
        drafts = len(_DRAFT.findall(user))
        return {"feedback": feedback, "replies": list(self._write_replies(user)["replies"])[:drafts]}

    def _check_rules(self, _user: str) -> Entry:
        return {"broken": [], "doubted": [], "kept": []}


def _task_of(body: Mapping[str, Any]) -> str:
    return form_of(body)[0].removeprefix("answers_").removeprefix("issues_")


def reply(text: str, lines: list[int]) -> dict[str, Any]:
    """Return a reply in a passage's own words behind a few friendly ones."""
    return {"text": f"{LEAD}{text}", "lines": lines}


def first_lines(user: str) -> list[tuple[int, str]]:
    """Return the first line of each passage of a prompt behind its number."""
    found = (_LINE.search(text) for text in _PASSAGE.findall(user))
    return [(int(line[1]), unescaped(line[2])) for line in found if line]


def last_message(user: str) -> str:
    """Return what the customer wrote last."""
    return unescaped(_MESSAGE.findall(user)[-1])


answer = ScriptedSuggestions().reply  # for a server of its own: --script tests/scripted_suggestions.py:answer
