"""Models of several temperaments: what is paid for in one, two and three builds, and what is done or failed by name.

A temperament is one function more in ``TEMPERAMENTS``: it is given the request and the good reply to it. So far there
are those about hidden reasoning.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import make_workspace
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, serving, stub

BUILDS = 3
USUAL = "openai:gpt-5-mini"
PRICE = "{input: 0.25, output: 2.0}"  # USD a million tokens, of gpt-5-mini
ENDLESS = 10**9  # tokens
CHARACTERS_A_TOKEN = 4
Reply = Callable[[dict[str, Any], str], Any]


@dataclass(frozen=True, slots=True)
class Temperament:
    """How a model replies, and under which name it is asked."""

    reply: Reply
    model: str = USUAL


def reasons(body: dict[str, Any], good: str, tokens: int = 300, task: str = "", settled: int = 300) -> Any:
    """Reply after so many tokens of hidden reasoning at one task (any where none is named), ``settled`` elsewhere."""
    cap = next(body[name] for name in ("max_completion_tokens", "max_tokens") if name in body)
    named = body["response_format"]["json_schema"]["name"]
    hidden = min(cap, tokens if task in ("", named) else settled)
    is_whole = cap - hidden >= len(good) // CHARACTERS_A_TOKEN
    answer = json.loads(stub.completion(body, good if is_whole else "", "stop" if is_whole else "length"))
    answer["usage"]["completion_tokens"] += hidden
    answer["usage"]["completion_tokens_details"] = {"reasoning_tokens": hidden}
    return stub.body(json.dumps(answer))


def takes_no_effort(body: dict[str, Any], good: str) -> Any:
    """Refuse the parameter as servers do that do not know it."""
    if "reasoning_effort" in body:
        return stub.Fault("status", 400, content="Unrecognized request argument supplied: reasoning_effort")
    return reasons(body, good)


TEMPERAMENTS = {
    "reasons little": Temperament(reasons),
    "reasons much": Temperament(partial(reasons, tokens=3000)),
    "reasons without end at trees": Temperament(partial(reasons, tokens=ENDLESS, task="issues_grow_trees")),
    "reasons without end": Temperament(partial(reasons, tokens=ENDLESS)),
    "reasons unknown to anyone": Temperament(reasons, "openai:scripted"),
    "takes no effort": Temperament(takes_no_effort),
}


def run(options: argparse.Namespace) -> Result:
    """Build three times with each model."""
    issues = 20 if options.quick else 60
    figures: list[Figure] = []
    detail: dict[str, Any] = {}
    with folder() as place:
        needed = _builds(place / "good", Temperament(lambda _body, good: good, "openai:scripted"), issues)[0]["calls"]
        for name, temperament in TEMPERAMENTS.items():
            builds = detail[name] = _builds(place / name.replace(" ", "-"), temperament, issues)
            said = name.replace(" ", "_")
            paid = [sum(build["calls"] for build in builds[: n + 1]) for n in range(BUILDS)]
            figures += [Figure(f"{said}_paid_after_{n + 1}", calls, "calls") for n, calls in enumerate(paid)]
            figures += [
                Figure(f"{said}_paid_in_the_third_build", builds[2]["calls"], "calls", at_most=0),
                Figure(f"{said}_failures", builds[2]["failures"], "items"),
                Figure(f"{said}_cost", round(sum(build["cost"] for build in builds), 4), "USD"),
            ]
    return Result("temperaments", [Figure("calls_undisturbed", needed, "calls"), *figures], detail)


def _builds(workspace: Path, temperament: Temperament, issues: int) -> list[dict[str, Any]]:
    """Build a workspace of its own again and again; return what each build paid for and what it lists as failed."""
    model = ScriptedModel()
    make_workspace(workspace, issues)
    with serving(lambda body: temperament.reply(body, model(body))) as server:
        name = temperament.model.partition(":")[2]
        text = f"model: {temperament.model}\nbase_url: {server.url}\nprices: {{{name}: {PRICE}}}\n"
        (workspace / "settings.yaml").write_text(text, encoding="utf-8")
        found = []
        for _build in range(BUILDS):
            answer = autokb("build", workspace).answer
            hidden = answer["tokens"].get("reasoning", 0)
            listed = {"failures": len(answer["failures"]), "hidden_tokens": hidden}
            found.append({"calls": answer["calls"], "cost": answer["cost"], **listed})
    return found
