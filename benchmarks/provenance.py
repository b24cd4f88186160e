"""Whether every quote stands at its offsets and no displayed step matches a rule's pattern, on all three domains."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from autokb.heuristics.rules import find_breach
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

SHIPPED = ("headphones", "medical")
ALL = (*SHIPPED, "thunderbird")


def run(options: argparse.Namespace) -> Result:
    """Build each domain, export it and look at every quote and every displayed step."""
    found: list[Figure] = []
    detail = {}
    for domain in SHIPPED if options.quick else ALL:
        with folder() as place:
            counts, examples = _look(_exported(place, domain), _rules(place / "kb"))
        found += _figures(domain, counts)
        detail[domain] = {"counts": counts, "wrong": examples}
    return Result("provenance", found, detail)


def _figures(domain: str, counts: dict[str, int]) -> list[Figure]:
    share = counts["quotes_found"] / counts["quotes"] if counts["quotes"] else None
    return [
        Figure(f"{domain}.solutions_displayed", counts["displayed"], at_least=1),
        Figure(f"{domain}.quotes", counts["quotes"], at_least=1),
        Figure(f"{domain}.quotes_at_their_place", share, "share", at_least=1),
        Figure(f"{domain}.displayed_breaking_a_pattern", counts["breaking"], at_most=0),
        Figure(f"{domain}.displayed_without_evidence", counts["without_evidence"], at_most=0),
    ]


def _exported(place: Path, domain: str) -> list[dict[str, Any]]:
    workspace, file = place / "kb", place / "kb.jsonl"
    if domain == "thunderbird":
        thunderbird.stage(workspace, thunderbird.issues())
    else:
        autokb("init", workspace, "--domain", domain, "--examples")
    thunderbird.build(workspace)
    autokb("export", workspace, file)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def _rules(workspace: Path) -> Any:
    from autokb.stores.workspace import open_workspace

    return open_workspace(workspace).spec.rules


def _look(lines: list[dict[str, Any]], rules: Any) -> tuple[dict[str, int], list[str]]:
    texts = {line["id"]: line["text"] for line in lines if line["kind"] == "document"}
    counts = dict.fromkeys(("displayed", "withheld", "quotes", "quotes_found", "breaking", "without_evidence"), 0)
    wrong = []
    for solution in (line for line in lines if line["kind"] == "solution"):
        shown = solution["status"] in ("displayed", "repaired", "approved")
        counts["displayed"] += shown
        counts["withheld"] += solution["status"] == "withheld"
        counts["without_evidence"] += shown and not solution["evidence"]
        for e in solution["evidence"]:
            stands = texts.get(e["document"], "")[e["start"] : e["end"]] == e["quote"] != ""
            counts["quotes"] += 1
            counts["quotes_found"] += stands
            if not stands:
                wrong.append(f"{solution['id']}: {e['document']} {e['start']}-{e['end']}")
        said = (solution["text"], *solution["steps"])
        if shown and any(find_breach(rule, text) for rule in rules for text in said):
            counts["breaking"] += 1
            wrong.append(f"{solution['id']}: breaks a rule's pattern")
    return counts, wrong[:20]
