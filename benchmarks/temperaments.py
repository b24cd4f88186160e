"""Models of several temperaments: what three builds pay for, what is done or failed by name, and what money is lost.

A temperament is one function more in ``TEMPERAMENTS``: it is given a request and the good reply to it. Those that
distort a reply walk it beside the request's JSON schema and know no task, so that they outlive a change of its shape.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import make_workspace
from benchmarks.malformed import find_unaccounted, read_records
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, serving, stub

BUILDS = 3
ISSUES, FEW_ISSUES = 20, 10  # of the headphones; up to 120 one reply gives all of them their themes
USUAL = "openai:gpt-5-mini"
PLAIN = "openai:scripted"  # a model that nobody knows to reason
PRICE = "{input: 0.25, output: 2.0}"  # USD a million tokens, of gpt-5-mini
ENDLESS = 10**9  # tokens
CHARACTERS_A_TOKEN = 4
SHORT_REPLY = 300  # tokens after which a server ends every reply, as one that is set up so does
REPAIR_MARK = " \t "  # white space behind the reply to a repair, by which its row of the ledger is known
Reply = Callable[[dict[str, Any], str], Any]
Schema = Mapping[str, Any]
Distort = Callable[[Any, Schema], Any]  # a part of a reply and its schema: what is written in its place


@dataclass(frozen=True, slots=True)
class Temperament:
    """How a model replies, and under which name it is asked."""

    reply: Reply
    model: str = PLAIN


# -- hidden reasoning


def reasons(body: dict[str, Any], good: str, tokens: int = 300, task: str = "", settled: int = 300) -> Any:
    """Reply after so many tokens of hidden reasoning at one task (any where none is named), ``settled`` elsewhere."""
    hidden = min(_cap(body), tokens if task in ("", _name(body)) else settled)
    is_whole = _cap(body) - hidden >= len(good) // CHARACTERS_A_TOKEN
    answer = json.loads(stub.completion(body, good if is_whole else "", "stop" if is_whole else "length"))
    answer["usage"]["completion_tokens"] += hidden
    answer["usage"]["completion_tokens_details"] = {"reasoning_tokens": hidden}
    return stub.body(json.dumps(answer))


def takes_no_effort(body: dict[str, Any], good: str) -> Any:
    """Refuse the parameter as servers do that do not know it."""
    if "reasoning_effort" in body:
        return stub.Fault("status", 400, content="Unrecognized request argument supplied: reasoning_effort")
    return reasons(body, good)


# -- replies that end early, or hold nothing


def ends_early(_body: dict[str, Any], good: str) -> Any:
    """End every reply after a few tokens, whatever cap was asked for."""
    most = SHORT_REPLY * CHARACTERS_A_TOKEN
    return good if len(good) <= most else stub.length(good[:most])


def repeats_itself(body: dict[str, Any], good: str) -> Any:
    """Fall into a loop in the middle of the reply, up to the cap."""
    begun = good[: len(good) // 2]
    return stub.length(begun + "and so on " * ((_cap(body) * CHARACTERS_A_TOKEN - len(begun)) // 10))


def refuses(body: dict[str, Any], good: str, one_in: int = 1) -> Any:
    """Refuse: each request, or one in so many; which, hangs on its first question, but themes are in no such share."""
    asked = hashlib.sha256(str(body["messages"][1]["content"]).encode()).digest()
    spared = asked[0] % one_in or (one_in > 1 and "themes" in _name(body))
    return good if spared else stub.refusal("I cannot help with that.")


# -- honest replies in odd clothes


def distorted(change: Distort, body: dict[str, Any], good: str) -> str:
    """Reply with every part of the good reply changed, from the innermost out."""
    schema = body["response_format"]["json_schema"]["schema"]
    return json.dumps(_changed(json.loads(good), schema, schema, change), ensure_ascii=False)


def _changed(value: Any, schema: Schema, whole: Schema, change: Distort) -> Any:
    if "$ref" in schema:
        return _changed(value, whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole, change)
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        value = {n: _changed(part, parts.get(n, {}), whole, change) for n, part in value.items()}
    elif isinstance(value, list):
        value = [_changed(part, schema.get("items", {}), whole, change) for part in value]
    return change(value, schema)


def write_tersely(value: Any, _schema: Schema) -> Any:
    """Leave out what is empty, but for an entry of which nothing would be left."""
    if not isinstance(value, dict):
        return value
    short = {n: part for n, part in value.items() if part not in ("", [])}
    return value if short.keys() == {"number"} else short


def chats(_body: dict[str, Any], good: str) -> str:
    """Put the reply into a code fence, with friendly words around it."""
    shown = json.dumps(json.loads(good), indent=2, ensure_ascii=False)
    before = "Sure! I have looked at everything {carefully}, also at the parts {for Android}. Here is the result:"
    return f"{before}\n\n```json\n{shown}\n```\n\nLet me know if I should explain any of my choices. {{:-)}}"


def copy_sloppily(value: Any, schema: Schema) -> Any:
    """Copy texts and names with typographic quotes and dashes, other white space, without markup and links."""
    if not isinstance(value, str) or not value:
        return value
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", value).replace("*", "").replace("`", "")
    text = re.sub(r'"([^"]*)"', "“\\1”", text).replace("'", "’").replace("-", "\u2011")
    text = text.replace(" ", "  ", 1)
    return f" {text.lower() if 'enum' in schema else text}\u00a0"


def count_wrongly(value: Any, schema: Schema) -> Any:
    """Name numbers twice and ones that are not there; where there are several entries, the last one is forgotten."""
    if isinstance(value, dict) and isinstance(value.get("answers"), list) and len(value["answers"]) > 1:
        return {**value, "answers": value["answers"][:-1]}
    if isinstance(value, list) and value and all(isinstance(part, int) for part in value):
        return [*value, value[0], 10 * schema.get("items", {}).get("maximum", 100) + 3]
    return value


GERMAN = {
    "the": "die", "a": "eine", "and": "und", "of": "von", "is": "ist", "not": "nicht", "no": "kein", "my": "mein",
    "with": "mit", "on": "auf", "in": "in", "to": "zu", "does": "tut", "sound": "Ton", "turn": "schalten",
    "connect": "verbinden", "cleaning": "Reinigung", "battery": "Akku", "charging": "Laden", "reset": "Zurücksetzen",
}  # fmt: skip


def write_in_german(value: Any, schema: Schema) -> Any:
    """Write every text that is no fixed name in another language."""
    if not isinstance(value, str) or not value or "enum" in schema or schema.get("maxLength", 100) <= 60:
        return value
    words = re.sub(r"[A-Za-z]+", lambda word: GERMAN.get(word[0].lower(), word[0]), value)
    return f"Hier geht es um {words}"


def add_what_nobody_asked(value: Any, schema: Schema) -> Any:
    """Add fields to every object, and an entry about an item that is not there."""
    if not isinstance(value, dict):
        return value
    more = {"confidence": 0.93, "explanation": "I thought that this may be of help.", "tags": ["helpful"]}
    if isinstance(value.get("answers"), list):
        extra = {**value["answers"][0], "number": len(value["answers"]) + 1}
        return {
            "thoughts": "Let me go through them one by one.",
            **value,
            "answers": [*value["answers"], extra],
            **more,
        }
    return {**value, **{n: v for n, v in more.items() if n not in schema.get("properties", {})}}


def write_strings(value: Any, _schema: Schema) -> Any:
    """Write numbers as strings, and null in place of empty lists."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if value == [] else value


def _cap(body: Mapping[str, Any]) -> int:
    return int(next(body[name] for name in ("max_completion_tokens", "max_tokens") if name in body))


def _name(body: Mapping[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


WELL_BEHAVED = "well-behaved"
TEMPERAMENTS = {
    WELL_BEHAVED: Temperament(lambda _body, good: good),
    "terse": Temperament(partial(distorted, write_tersely)),
    "chatty": Temperament(chats),
    "copies sloppily": Temperament(partial(distorted, copy_sloppily)),
    "counts wrongly": Temperament(partial(distorted, count_wrongly)),
    "writes German": Temperament(partial(distorted, write_in_german)),
    "adds what nobody asked": Temperament(partial(distorted, add_what_nobody_asked)),
    "writes strings": Temperament(partial(distorted, write_strings)),
    "ends early": Temperament(ends_early),
    "repeats itself": Temperament(repeats_itself),
    "refuses": Temperament(refuses),
    "refuses one in five": Temperament(partial(refuses, one_in=5)),
    "reasons little": Temperament(reasons, USUAL),
    "reasons much": Temperament(partial(reasons, tokens=3000), USUAL),
    "reasons without end at trees": Temperament(partial(reasons, tokens=ENDLESS, task="issues_grow_trees"), USUAL),
    "reasons without end": Temperament(partial(reasons, tokens=ENDLESS), USUAL),
    "reasons unknown to anyone": Temperament(reasons),
    "takes no effort": Temperament(takes_no_effort, USUAL),
}


def run(options: argparse.Namespace) -> Result:
    """Build three times with each model."""
    figures: list[Figure] = []
    detail: dict[str, Any] = {}
    with folder() as place:
        make_workspace(place / "whole", FEW_ISSUES if options.quick else ISSUES)
        for name, temperament in TEMPERAMENTS.items():
            shutil.copytree(place / "whole", place / "kb")
            found = detail[name] = _play(place / "kb", temperament)
            shutil.rmtree(place / "kb")
            figures += _figures(name.replace(" ", "_").replace("-", "_"), found, detail[WELL_BEHAVED])
    return Result("temperaments", figures, detail)


def _figures(name: str, found: Mapping[str, Any], good: Mapping[str, Any]) -> list[Figure]:
    paid = found["paid_in_build"]
    cost = found["cost"]
    return [
        *(Figure(f"{name}_paid_in_build_{n}", calls, "calls") for n, calls in enumerate(paid[:-1], 1)),
        Figure(f"{name}_paid_in_build_{BUILDS}", paid[-1], "calls", at_most=0),
        Figure(f"{name}_failures", found["failures"][-1], "items"),
        Figure(f"{name}_neither_done_nor_failed", found["unaccounted"], "items", at_most=0),
        Figure(f"{name}_repairs_a_reply", round(found["repairs"] / max(sum(paid) - found["repairs"], 1), 4), "share"),
        Figure(f"{name}_nodes_kept", round(found["nodes"] / max(good["nodes"], 1), 4), "share"),
        Figure(f"{name}_solutions_kept", round(found["solutions"] / max(good["solutions"], 1), 4), "share"),
        Figure(f"{name}_cost", round(cost, 4), "USD"),
        Figure(f"{name}_lost", round(found["lost"], 4), "USD"),
    ]


class _Model:
    """A scripted model with a temperament; the replies to repairs are marked and counted."""

    def __init__(self, temperament: Temperament) -> None:
        self._good = ScriptedModel()
        self._temperament = temperament
        self.repairs: Counter[str] = Counter()  # by task

    def __call__(self, body: dict[str, Any]) -> Any:
        reply = self._temperament.reply(body, self._good(body))
        if len(body["messages"]) == 2:
            return reply
        self.repairs[_name(body)] += 1
        return reply + REPAIR_MARK if isinstance(reply, str) else reply


def _play(workspace: Path, temperament: Temperament) -> dict[str, Any]:
    """Build a workspace again and again; return what each build paid for, and what is there in the end."""
    model = _Model(temperament)
    builds = []
    with serving(model) as server:
        name = temperament.model.partition(":")[2]
        text = f"model: {temperament.model}\nbase_url: {server.url}\nprices: {{{name}: {PRICE}}}\n"
        (workspace / "settings.yaml").write_text(text, encoding="utf-8")
        for _build in range(BUILDS):
            builds.append(autokb("build", workspace).answer)
    records = read_records(workspace)
    raw_issues = sum(record["kind"] == "raw_issue" for record in records)
    unaccounted = find_unaccounted(builds[-1], records, "economical", raw_issues)
    kinds = Counter(record["kind"] for record in records)
    shown = [r for r in records if r["kind"] == "solution" and r["status"] in ("displayed", "repaired")]
    reasons_given = Counter(f"{f['stage']}: {f['reason'][:160]}" for f in builds[-1]["failures"])
    return {
        "paid_in_build": [build["calls"] for build in builds],
        "failures": [len(build["failures"]) for build in builds],
        "reasons": dict(reasons_given.most_common(5)),
        "left_out": len(builds[-1]["left_out"]),
        "unaccounted": len(unaccounted),
        "repairs": sum(model.repairs.values()),
        "repairs_by_task": dict(sorted(model.repairs.items())),
        "trees": sum(r["kind"] == "issue" and not r.get("parent_id") for r in records),
        "nodes": kinds["issue"],
        "solutions": len(shown),
        "hidden_tokens": sum(build["tokens"].get("reasoning", 0) for build in builds),
        "cost": sum(build["cost"] for build in builds),
        "lost": _lost(workspace),
    }


def _lost(workspace: Path) -> float:
    """Return what was paid for replies that gave nothing, and for repairs."""
    with closing(sqlite3.connect(workspace / "knowledge.db")) as db:
        select = "SELECT coalesce(sum(cost), 0) FROM request WHERE state = 'unreadable' OR substr(text, -3) = ?"
        return float(db.execute(select, (REPAIR_MARK,)).fetchone()[0])
