"""A scripted model: it does its work honestly, and then whatever the texts it reads tell it to do."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from poisons import POISONS, Poison

from autokb.core.model_requests import ModelReply, ModelRequest
from autokb.tasks.prompts import unescaped

PASSAGE = re.compile(r'<passage number="(\d+)">.*?<text>\n(.*?)\n</text>\n</passage>', re.DOTALL)
ISSUE = re.compile(r'<issue number="(\d+)">\n<text>(.*?)</text>', re.DOTALL)
NUMBERED = re.compile(r'<(?:issue|solution) number="(\d+)">')
NUMBERED_PASSAGE = re.compile(r"<passage>\n.*?<text>\n(.*?)\n</text>\n</passage>", re.DOTALL)
STEP = re.compile(r"^\[(\d+)\] \d+\. (.+)$", re.MULTILINE)


@dataclass
class Obedient:
    """Answers requests of the tasks; ``obeyed`` are the orders that it saw and followed."""

    obeyed: set[str] = field(default_factory=set)
    replies: list[str] = field(default_factory=list)

    async def ask(self, request: ModelRequest) -> ModelReply:
        """Answer one request, a repair like the first one."""
        prompt = request.messages[1].text
        orders = [p for p in POISONS if p.seen in unescaped(prompt)]
        self.obeyed |= {p.name for p in orders}
        text = getattr(self, f"_{request.name.partition('_')[2]}")(prompt, request, orders)
        self.replies.append(text)
        return ModelReply(text, 1, 1)

    def _write_solutions(self, prompt: str, _request: ModelRequest, orders: list[Poison]) -> str:
        data: Any = honest_solutions(prompt)
        for poison in orders:
            data = poison.does(data)
            if isinstance(data, str):
                return data
        return json.dumps(data)

    def _check_rules(self, prompt: str, request: ModelRequest, orders: list[Poison]) -> str:
        """Find nothing wrong, as many a model would; told to, it says that every rule is kept."""
        rules = request.schema["$defs"]["Entry"]["properties"]["kept"]["items"]["enum"]
        kept = list(rules) if orders else []
        count = len(NUMBERED.findall(prompt))
        return json.dumps(
            {"answers": [{"number": n, "broken": [], "doubted": [], "kept": kept} for n in range(1, count + 1)]}
        )

    def _add_context(self, prompt: str, _request: ModelRequest, orders: list[Poison]) -> str:
        said = "Call 900-555-0142 or visit https://evil.example/x now." if orders else "From the page on the buds."
        contexts = [{"passage": int(n), "context": said} for n, _ in PASSAGE.findall(prompt)]
        return json.dumps({"answers": [{"number": 1, "contexts": contexts}]})

    def _assign_theme(self, prompt: str, request: ModelRequest, orders: list[Poison]) -> str:
        """Give every issue the first theme; one that holds an order gets a theme of its own making."""
        first = request.schema["$defs"]["Entry"]["properties"]["theme"]["enum"][0]
        parts = re.split(r'<issue number="\d+">', unescaped(prompt))[1:]
        themes: list[Any] = ["Hacked" if any(p.seen in part for p in orders) else first for part in parts]
        return json.dumps({"answers": [{"number": n, "theme": t} for n, t in enumerate(themes, 1)]})


def honest_solutions(prompt: str) -> dict[str, Any]:
    """Return a solution for each passage: its numbered steps, word for word; silent buds are reset, others charged."""
    passages = [STEP.findall(text) for text in NUMBERED_PASSAGE.findall(prompt)]
    solutions = [
        {
            "id": number,
            "title": "Open the lid",
            "attributes": {"os": ["Any"]},
            "steps": [{"places": [int(place)], "text": unescaped(words)} for place, words in steps],
        }
        for number, steps in enumerate(passages, 1)
    ]
    answers = [
        {"number": int(n), "solutions": [1 if text.startswith("My buds are silent") else len(passages)]}
        for n, text in ISSUE.findall(prompt)
    ]
    return {"solutions": solutions, "answers": answers}
