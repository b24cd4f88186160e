"""One request in five goes wrong in every way we know: each item is done or listed, and later builds heal the rest."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import make_workspace, read_export
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, serving, set_model, stub

SHARE = 0.2
MOST_BUILDS = 15
SETTINGS = "timeout: 5\nretries: 2\n"


class Trouble:
    """A model of which a share of the replies goes wrong; which ones hangs on the request and how often it came."""

    def __init__(self, model: ScriptedModel, share: float) -> None:
        self.model = model
        self.share = share
        self.asked = 0
        self.kinds: Counter[str] = Counter()
        self._times: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> Any:
        """Reply, or do one of the things that go wrong."""
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self._times[digest] += 1
        self.asked += 1
        dice = random.Random(f"{digest} {self._times[digest]}")
        good = self.model(body)
        if dice.random() >= self.share:
            return good
        kind = dice.choice(KINDS)
        self.kinds[kind] += 1
        return _spoiled(kind, good, body)


SENT = {
    "time-out": stub.HANG,
    "reset": stub.RESET,
    "429": stub.status(429),
    "429 with retry-after": stub.status(429, 0.05),
    "500": stub.status(500),
    "body cut": stub.CUT,
    "body that is no JSON": stub.GARBAGE,
    "refusal": stub.refusal("I cannot help with that."),
    "empty": "",
    "prose": "Sure! Here is what I found: the issues are mostly about sound, and I hope that this helps.",
    "no object": "[1, 2, 3]",
    "very long": '{"answers": [' + '{"number": 1, "why": "because"}, ' * 20_000,
}
KINDS = (
    *SENT,
    "cut short",
    "schema",
    "wrong type",
    "wrong value",
    "doubled name",
    "an entry missing",
    "an entry twice",
)
VALUE = re.compile(r'"theme": "[^"]*"|: \["[^"]*"\]|"places": \[\d+')  # the first of a reply that an enumeration bounds


def _spoiled(kind: str, good: str, body: Mapping[str, Any]) -> Any:
    """Return a reply with what is wrong with it."""
    reply = json.loads(good)
    match kind:
        case "cut short":
            return stub.length(good[: len(good) * 2 // 3])
        case "schema":
            return json.dumps(body["response_format"]["json_schema"]["schema"])
        case "wrong value":
            return VALUE.sub(lambda found: re.sub(r'"[^"]*"(?=\]?$)|\d+$', '"no such value"', found[0]), good, count=1)
        case "wrong type":
            return re.sub(r'"number": \d+', '"number": "the first"', good, count=1)
        case "doubled name":
            return '{"answers": [], ' + good[1:]
        case "an entry missing":
            return json.dumps({**reply, "answers": reply["answers"][1:]})
        case "an entry twice":
            return json.dumps({**reply, "answers": [*reply["answers"], reply["answers"][0]]})
    return SENT[kind]


def run(options: argparse.Namespace) -> Result:
    """Build in both modes until nothing is missing, and account for every item after each build."""
    modes = ("economical",) if options.quick else ("economical", "paper")
    trouble = Trouble(ScriptedModel(), SHARE)
    with folder() as place:
        found = {mode: _mode(place / mode, mode, trouble, 20 if options.quick else 60) for mode in modes}
    figures = [
        Figure("share_spoiled", sum(trouble.kinds.values()) / trouble.asked, "share"),
        Figure("kinds_seen", len(trouble.kinds), "kinds", at_least=None if options.quick else len(KINDS)),
    ]
    for mode, (builds, figured) in found.items():
        figures += [
            Figure(f"{mode}_silent_losses", sum(build["silent"] for build in builds), "items", at_most=0),
            Figure(f"{mode}_listed_in_the_first_build", builds[0]["failures"], "items"),
            Figure(f"{mode}_builds_until_nothing_is_missing", len(builds), "builds", at_most=MOST_BUILDS - 1),
            Figure(f"{mode}_lines_unlike_undisturbed", figured["different"], "lines", at_most=0),
            Figure(f"{mode}_calls_undisturbed", figured["needed"], "calls"),
            Figure(f"{mode}_calls_in_all", figured["paid"], "calls"),
        ]
    detail = {
        "builds": {mode: builds for mode, (builds, _) in found.items()},
        "kinds": dict(sorted(trouble.kinds.items())),
    }
    return Result("malformed", figures, detail)


def _mode(place: Path, mode: str, trouble: Trouble, issues: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Build one workspace undisturbed and one with trouble; return the latter's builds and how both compare."""
    place.mkdir()
    spoiled, whole = place / "spoiled", place / "whole"
    make_workspace(spoiled, issues)
    shutil.copytree(spoiled, whole)
    with serving(trouble.model) as server:
        set_model(whole, server.url, SETTINGS)
        needed = autokb("build", whole, "--mode", mode).answer["calls"]
    with serving(trouble) as server:
        set_model(spoiled, server.url, SETTINGS)
        builds = _builds(spoiled, mode, issues)
    paid = autokb("costs", spoiled).answer["calls"]
    different = _different(spoiled, whole, builds[-1]["items_left_out"])
    return builds, {"needed": needed, "paid": paid, "different": different}


def _builds(workspace: Path, mode: str, issues: int) -> list[dict[str, Any]]:
    """Build until nothing is missing, and say what each build listed and what of its items nobody accounts for."""
    builds: list[dict[str, Any]] = []
    while len(builds) < MOST_BUILDS and (not builds or builds[-1]["failures"]):
        answer = autokb("build", workspace, "--mode", mode).answer
        silent = find_unaccounted(answer, read_records(workspace), mode, issues)
        for loss in silent:
            print(f"Build {len(builds) + 1}: {loss}")
        listed = {name: len(answer[name]) for name in ("failures", "left_out")}
        builds.append({**listed, "silent": len(silent), "calls": answer["calls"], "cached": answer["cached"]})
    builds[-1]["items_left_out"] = sorted({part["item"] for part in answer["left_out"]})
    return builds


def read_records(workspace: Path) -> list[dict[str, Any]]:
    """Return the lines of a knowledge base's export."""
    return [json.loads(line) for line in read_export(workspace).decode().split("\n") if line]


def find_unaccounted(
    answer: Mapping[str, Any], records: Sequence[Mapping[str, Any]], mode: str, issues: int
) -> list[str]:
    """Return a line for everything that is neither done nor listed."""
    failed = Counter(f["stage"] for f in answer["failures"])
    listed = {f["item"] for f in answer["failures"]}
    kinds = Counter(r["kind"] for r in records)
    contexts = sum(len(r["chunks"]) if mode == "paper" else 1 for r in records if r["kind"] == "document")
    expected = {"context": contexts, "attributes": issues, "themes": 1, "assign": issues}
    solutions = [r for r in records if r["kind"] == "solution"]
    # Nodes and solutions of trees that were joined were asked about too, and are no lines of their own.
    least = {"solutions": kinds["issue"], "rules": sum(bool(s["rules"]) for s in solutions) + failed["rules"]}
    shown = [s["id"] for s in solutions if s["status"] in ("displayed", "repaired") and not s["rules"]]
    found = [f"{solution} is shown, and no rule was checked" for solution in shown]
    for stage, count in answer["stages"].items():
        items = count["computed"] + count["reused"] + count["failed"]
        if count["failed"] != failed[stage]:
            found.append(f"{stage}: {count['failed']} items failed, {failed[stage]} are listed")
        if items != expected.get(stage, items) and not (stage == "assign" and failed["themes"]):
            found.append(f"{stage}: {items} items are accounted for, not {expected[stage]}")
        if items < least.get(stage, 0):
            found.append(f"{stage}: {items} items are accounted for, less than {least[stage]}")
    seeds = {r["id"]: r["raw_issue"] for r in records if r["kind"] == "seed"}
    clusters: dict[str, set[str]] = {}
    for raw in records:
        if raw["kind"] == "raw_issue" and "seed" in raw:
            clusters.setdefault(raw["seed"], {seeds[raw["seed"]]}).add(raw["id"])
    for raw in records:
        near = clusters.get(raw.get("seed", ""), {raw["id"]}) if raw["kind"] == "raw_issue" else set()
        if near and not raw.get("issue") and not raw.get("reason") and not (near | {"all raw issues"}) & listed:
            found.append(f"{raw['id']} is in no tree, and nothing says why")
    return found


def _different(spoiled: Path, whole: Path, left_out: Collection[str]) -> int:
    """Return how many lines two knowledge bases do not share; those of a tree with a part left out are listed."""
    ones, others = ({(r["kind"], r["id"]): r for r in read_records(w)} for w in (spoiled, whole))
    known = {**others, **ones}
    unlike = [known[key] for key in known if ones.get(key) != others.get(key)]
    if not left_out:
        return len(unlike)
    seeds = {r["id"]: r["raw_issue"] for r in known.values() if r["kind"] == "seed"}
    listed = {r["seed"] for r in known.values() if r["kind"] == "issue" and {r["id"], seeds[r["seed"]]} & set(left_out)}
    of = {r["id"]: r["seed"] for r in known.values() if r["kind"] == "issue"}
    trees = [r for r in unlike if r["kind"] in ("issue", "solution")]
    return sum(of.get(r.get("issue_id", r["id"])) not in listed for r in trees)
