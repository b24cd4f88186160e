"""A small knowledge base written by hand, line by line, about a made-up lawn robot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DOMAIN = """\
name: lawn
description: A made-up lawn robot and its app.
attributes:
  model: {kind: closed, values: [Hopper, Glider, Badger]}
  os: {kind: closed, values: [Android, iOS], synonyms: {iOS: [iphone, ipad]}, implies: {iOS: {device: [Phone, Tablet]}}}
  device: {kind: closed, values: [Phone, Tablet, Laptop], synonyms: {Phone: [iphone], Tablet: [ipad]}}
rules:
  - {id: no-support, text: Do not send the customer to support., patterns: ['call (our|customer) support']}
"""
DOCUMENTS = {
    "app/pairing.md": (
        "Pair the robot with the app",
        "# Pair the robot with the app\n\n## On Android\n\n1. Turn on Location in the Android settings.\n"
        "2. Open the app and tap Add robot.\n\n## On an iPhone or iPad\n\n"
        "1. Allow Bluetooth for the app in the iOS settings.\n2. Hold the iPhone close to the robot and tap Join.\n\n"
        "On an iPad, turn the tablet upright before you tap Join.\n\nRestart the robot if pairing fails.\n",
    ),
    "blades.md": (
        "Change the blades",
        "# Change the blades\n\nHopper: loosen the three screws and turn the blades over.\n\n"
        "Glider: pull the blade disc off and click a new one on.\n\nWear gloves. Call our support for a Badger.\n",
    ),
    "charging.md": (
        "Charging 🔋",
        "# Charging 🔋\n\nWipe the two contacts of the dock with a dry cloth.\n\nPlug the dock into another socket.\n",
    ),
    "rain.md": ("Rain sensor", "# Rain sensor\n\nDry the rain sensor and start the robot again on its own buttons.\n"),
    "garage.md": (
        "Garage roof",
        "# Garage roof\n\nScrew the garage roof to the dock so that the sun spares the robot.\n",
    ),
}
RAW = {
    "r1": ("my robot will not pair with the app on my phone", "2025-01-03", ["app/pairing.md"]),
    "r2": ("iphone cannot find the robot when pairing", "2025-02-11", ["pairing"]),
    "r3": ("pairing fails with the android app", "2025-02-12", []),
    "r4": ("the blades tear the grass instead of cutting", "2025-03-01", ["blades.md"]),
    "r5": ("blunt blades on my Hopper", "", []),
    "r6": ("the battery does not charge in the dock", "2025-04-09", ["charging.md"]),
    "r7": ("robot stops as soon as it rains", "2025-05-20", ["rain.md"]),
    "r8": ("do you sell pizza", "", []),
}
TREES = {
    "pair": ("connection", "r1", "The robot does not pair with the app"),
    "blades": ("cutting", "r4", "The blades do not cut the grass cleanly"),
    "charge": ("power", "r6", "The battery does not charge in the dock"),
    "rain": ("weather", "r7", "The robot stops in the rain"),
}
LANDED = {"r1": "pair", "r2": "pair", "r3": "pair", "r4": "blades", "r5": "blades", "r6": "charge", "r7": "rain"}
# id: (tree, text, attributes)
CHILDREN: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    "pair-ios": ("pair", "The robot does not pair with the app on an iPhone or iPad", {"os": ["iOS"]}),
    "pair-ipad": ("pair", "The robot does not pair with an iPad", {"os": ["iOS"], "device": ["Tablet"]}),
    "pair-android": ("pair", "The robot does not pair with an Android phone", {"os": ["Android"]}),
    "blades-hopper": ("blades", "The Hopper's blades do not cut cleanly", {"model": ["Hopper"]}),
    "blades-both": ("blades", "The Hopper or Glider cuts badly", {"model": ["Glider", "Hopper"]}),
    "charge-glider": ("charge", "The Glider does not charge in its dock", {"model": ["Glider"]}),
    "rain-noapp": ("rain", "The robot stops in the rain, used without an app", {"os": ["NONE"]}),
}
# id: (issue, title, document, quotes, attributes, status)
SOLUTIONS: dict[str, tuple[str, str, str, list[str], dict[str, list[str]], str]] = {
    "s-pair": ("pair", "Restart", "app/pairing.md", ["Restart the robot if pairing fails."], {}, "displayed"),
    "s-ios": (
        "pair-ios",
        "Pair the robot with the app",
        "app/pairing.md",
        ["Allow Bluetooth for the app in the iOS settings.", "Hold the iPhone close to the robot and tap Join."],
        {"os": ["iOS"]},
        "displayed",
    ),
    "s-ipad": (
        "pair-ipad",
        "iPad",
        "app/pairing.md",
        ["On an iPad, turn the tablet upright before you tap Join."],
        {"os": ["iOS"], "device": ["Tablet"]},
        "approved",
    ),
    "s-android": (
        "pair-android",
        "Android",
        "app/pairing.md",
        ["Turn on Location in the Android settings.", "Open the app and tap Add robot."],
        {"os": ["Android"]},
        "repaired",
    ),
    "s-hopper": (
        "blades-hopper",
        "Turn the blades over",
        "blades.md",
        ["Hopper: loosen the three screws and turn the blades over."],
        {"model": ["Hopper"]},
        "displayed",
    ),
    "s-gloves": ("blades-both", "Gloves", "blades.md", ["Wear gloves."], {"model": ["Glider", "Hopper"]}, "displayed"),
    "s-support": ("blades", "Badger", "blades.md", ["Call our support for a Badger."], {}, "withheld"),
    "s-contacts": (
        "charge",
        "Clean the contacts",
        "charging.md",
        ["Wipe the two contacts of the dock with a dry cloth."],
        {},
        "displayed",
    ),
    "s-contacts-glider": (
        "charge-glider",
        "Clean the contacts",
        "charging.md",
        ["Wipe the two contacts of the dock with a dry cloth."],
        {"model": ["Glider"]},
        "displayed",
    ),
    "s-socket": ("charge", "=Socket", "charging.md", ["Plug the dock into another socket."], {}, "rejected"),
    "s-rain": ("rain", "Dry it", "rain.md", ["Dry the rain sensor"], {}, "displayed"),
    "s-noapp": (
        "rain-noapp",
        "Dry it",
        "rain.md",
        ["Dry the rain sensor and start the robot again on its own buttons."],
        {"os": ["NONE"]},
        "displayed",
    ),
}
NAMES = ("model", "os", "device")


def lines() -> list[dict[str, Any]]:
    """Return every line, in the order of kinds that a reader would write them in."""
    found: list[dict[str, Any]] = [{"kind": "setting", "id": "domain", "yaml": DOMAIN}]
    found += [{"kind": "document", "id": i, "title": t, "text": text} for i, (t, text) in DOCUMENTS.items()]
    found += [{"kind": "theme", "id": f"t-{n}", "name": n} for n in sorted({t for t, _, _ in TREES.values()})]
    found += [_raw(i, *given) for i, given in RAW.items()]
    for tree, (theme, raw, text) in TREES.items():
        found.append({"kind": "seed", "id": f"seed-{tree}", "raw_issue": raw, "theme": f"t-{theme}"})
        found.append(
            {
                "kind": "issue",
                "id": tree,
                "text": text,
                "parent_id": None,
                "attributes": _whole({}),
                "seed": f"seed-{tree}",
            }
        )
    for i, (tree, text, values) in CHILDREN.items():
        found.append({"kind": "issue", "id": i, "text": text, "parent_id": tree, "attributes": _whole(values)})
    found += [_solution(i, *given) for i, given in SOLUTIONS.items()]
    edit = {"solution_id": "s-rain", "text": "Dry it\nDry the rain sensor well.", "author": "ann", "date": "2026-01-02"}
    found.append({"kind": "edit", "id": "edit-1", **edit})
    return found


def _whole(values: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: values.get(name, ["Any"]) for name in NAMES}


def _raw(raw_id: str, text: str, date: str, helped: list[str]) -> dict[str, Any]:
    tree = LANDED.get(raw_id)
    place = (
        {"theme": f"t-{TREES[tree][0]}", "seed": f"seed-{tree}", "issue": tree} if tree else {"reason": "Off topic."}
    )
    return {"kind": "raw_issue", "id": raw_id, "text": text, "date": date, "resolved_by": helped, **place}


def _solution(
    solution_id: str,
    issue: str,
    title: str,
    document: str,
    quotes: list[str],
    values: dict[str, list[str]],
    status: str,
) -> dict[str, Any]:
    numbered = [f"{n}. {q}" for n, q in enumerate(quotes, 1)] if len(quotes) > 1 else quotes
    broken = status == "withheld"
    return {
        "kind": "solution",
        "id": solution_id,
        "issue_id": issue,
        "text": "\n".join([title, *numbered]),
        "steps": quotes,
        "attributes": _whole(values),
        "evidence": [_evidence(document, q) for q in quotes],
        "status": status,
        "reason": "It sends the customer to support." if broken else "",
        "rules": [{"rule": "no-support", "verdict": "broken" if broken else "kept", "reason": "by its pattern"}],
    }


def _evidence(document: str, words: str) -> dict[str, Any]:
    """Return where words stand in a document, with the number of their item, as a build cites an item."""
    text = DOCUMENTS[document][1]
    start, end = text.index(words), text.index(words) + len(words)
    start -= 3 if text[:start].endswith(". ") and text[start - 3].isdigit() else 0
    return {"document": document, "start": start, "end": end, "quote": text[start:end]}


def write(path: Path, found: Iterable[Mapping[str, Any]] | None = None) -> Path:
    """Write lines as JSONL, those of the whole knowledge base without others."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (lines() if found is None else found))
    path.write_text(text, encoding="utf-8")
    return path
