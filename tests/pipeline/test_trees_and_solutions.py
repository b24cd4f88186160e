"""What a build makes of stubs, and of manuals that tell their readers apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.sources import Fields

DOMAIN = """
name: kettles
description: Help with an electric kettle
attributes:
  os: {values: [Android, iOS, Windows], synonyms: {iOS: [iphone]}}
"""
MANUAL = """# The kettle is not found by its app

## First steps

1. Hold the button of the kettle for five seconds, until its lamp blinks.
2. Stand beside the kettle with the app open.

## On Android

1. Open Settings, Apps, Kettle and allow nearby devices.
2. Open the app and search for the kettle again.

## On an iPhone

1. Open Settings, Privacy, Bluetooth and allow the Kettle app.
2. Open the app and search for the kettle again.
"""
LIMESCALE = """# Limescale

1. Fill the kettle with water and half a cup of vinegar.
2. Wait for an hour, then pour everything away.
"""
ISSUES = [
    {"id": "a", "title": "Stub", "text": "The app does not find my kettle when it searches for it."},
    {"id": "b", "title": "White crust", "text": "There is limescale at the bottom of the kettle, how do I remove it?"},
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("kettles")
    (folder / "manuals").mkdir()
    (folder / "manuals" / "app.md").write_text(MANUAL, encoding="utf-8")
    (folder / "manuals" / "limescale.md").write_text(LIMESCALE, encoding="utf-8")
    (folder / "issues.jsonl").write_text("\n".join(map(json.dumps, ISSUES)), encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(folder / "domain.yaml"))
    kb.add([folder / "manuals"])
    kb.add([folder / "issues.jsonl"], "issues", Fields(id="id", title="title", text="text"))
    assert not kb.build().failures
    return kb


def _titles(kb: SupportKB) -> dict[str, set[str]]:
    """Return the first lines of the solutions of each node, by its text."""
    nodes = [node for tree in kb.views.show().trees for node in (tree, *tree.children)]
    return {n.text: {s.text.split("\n")[0] for s in kb.views.show_issue(n.id).solutions or ()} for n in nodes}


def test_a_manual_that_tells_its_readers_apart_gives_children_that_nobody_reported(kb: SupportKB) -> None:
    titles = _titles(kb)
    (parent,) = (text for text in titles if "find" in text and "(" not in text)
    found = "The kettle is not found by its app"
    assert titles[parent] == set()
    assert titles[f"{parent} (Android)"] == {f"{found}: On Android"}
    assert titles[f"{parent} (iOS)"] == {f"{found}: On an iPhone"}


def test_passages_are_searched_with_what_the_customers_wrote(kb: SupportKB) -> None:
    titles = _titles(kb)
    assert titles["White crust"] == {"Limescale"}


CRUST = {"id": "b", "title": "White crust", "text": "There is limescale at the bottom, how do I remove it?"}
CHALK = {"id": "c", "title": "Chalk", "text": "My tea tastes of chalk, white flakes of lime float in it."}


def _limescale_kb(folder: Path, *issues: dict[str, str]) -> SupportKB:
    folder.mkdir()
    (folder / "app.md").write_text(MANUAL, encoding="utf-8")
    (folder / "limescale.md").write_text(LIMESCALE, encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(folder / "domain.yaml"))
    kb.add([folder / "app.md", folder / "limescale.md"])
    return _add_issues(kb, folder, *issues)


def _add_issues(kb: SupportKB, folder: Path, *issues: dict[str, str]) -> SupportKB:
    for issue in issues:
        file = folder / f"{issue['id']}.jsonl"
        file.write_text(json.dumps({"title": "", "resolved_by": "", **issue}), encoding="utf-8")
        kb.add([file], "issues", Fields(id="id", title="title", text="text", resolved_by="resolved_by"))
    assert not kb.build().failures
    return kb


def test_a_tree_that_is_joined_brings_what_people_decided(tmp_path: Path) -> None:
    alone = {name: _limescale_kb(tmp_path / name, issue) for name, issue in (("b", CRUST), ("c", CHALK))}
    roots = {name: kb.views.show().trees[0].id for name, kb in alone.items()}
    gone, kept = sorted(roots, key=roots.__getitem__, reverse=True)
    kb = alone[gone]
    (before,) = kb.views.show_issue(roots[gone]).solutions or ()
    kb.curation.reject([before.id], author="ann")
    _add_issues(kb, tmp_path / gone, CRUST if kept == "b" else CHALK)
    (tree,) = kb.views.show().trees
    assert tree.id == roots[kept]
    (after,) = kb.views.show_issue(tree.id).solutions or ()
    assert (after.text, after.status) == (before.text, "rejected")
    raw = [r for line in exported_lines(kb, tmp_path) if (r := json.loads(line))["kind"] == "raw_issue"]
    assert {r["issue"] for r in raw} == {roots[kept]}
    assert len({r["seed"] for r in raw}) == 2, "clusters are frozen"


WHITE = {"id": "w", "text": "Kettle problem: white limescale in the kettle", "resolved_by": "limescale.md"}
SEARCH = {"id": "s", "text": "Kettle trouble after a month: app", "resolved_by": "app.md"}


def test_a_cluster_whose_issues_other_documents_answer_grows_two_trees(tmp_path: Path) -> None:
    kb = _limescale_kb(tmp_path / "kettles", WHITE, SEARCH)
    whole = _limescale_kb(tmp_path / "whole", *({**issue, "resolved_by": ""} for issue in (WHITE, SEARCH)))
    lines = [json.loads(line) for line in exported_lines(kb, tmp_path)]
    raw = {r["id"]: r for r in lines if r["kind"] == "raw_issue"}
    assert len({r["seed"] for r in raw.values()}) == 1, "clusters are frozen"
    trees = {tree.id: tree for tree in kb.views.show().trees}
    assert {r["issue"] for r in raw.values()} == trees.keys() and len(trees) == 2
    (undivided,) = whole.views.show().trees
    assert undivided.id in trees, "the seed's part keeps the tree's id"
    first = {i: (kb.views.show_issue(r["issue"]).solutions or ())[0].text.split("\n")[0] for i, r in raw.items()}
    assert first["w"] == "Limescale"
    assert first["s"].startswith("The kettle is not found by its app")


def test_after_changes_to_documents_split_trees_are_those_of_a_fresh_build(tmp_path: Path) -> None:
    changed = _limescale_kb(tmp_path / "changed", WHITE, SEARCH)
    manual = tmp_path / "changed" / "limescale.md"
    manual.write_text("# Something else\n\n1. Polish the lid.\n2. Dry it.\n", encoding="utf-8")
    changed.add([manual])
    changed.build()
    manual.write_text(LIMESCALE, encoding="utf-8")
    changed.add([manual])
    changed.build()
    fresh = _limescale_kb(tmp_path / "fresh", WHITE, SEARCH)
    assert exported_lines(changed, tmp_path) == exported_lines(fresh, tmp_path)


def exported_lines(kb: SupportKB, folder: Path) -> list[str]:
    kb.export(folder / "export.jsonl")
    return (folder / "export.jsonl").read_text(encoding="utf-8").splitlines()


ACID = """# Remove lime from the bottom

1. Boil a litre of water with two spoons of citric acid.
2. Pour it away and rinse twice.
"""
NO_VINEGAR = """
rules:
  - {id: no-vinegar, text: Recommend no vinegar., forbid: [vinegar]}
"""


def test_what_a_rule_forbids_is_on_record_and_the_first_that_is_allowed_is_shown(tmp_path: Path) -> None:
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals" / "limescale.md").write_text(LIMESCALE, encoding="utf-8")
    (tmp_path / "manuals" / "acid.md").write_text(ACID, encoding="utf-8")
    (tmp_path / "domain.yaml").write_text(DOMAIN + NO_VINEGAR, encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    kb.add([tmp_path / "manuals"])
    issue = {**CRUST, "text": "There is limescale at the bottom of the kettle, how do I remove the limescale?"}
    _add_issues(kb, tmp_path, issue)
    (tree,) = kb.views.show().trees
    of_node = kb.views.show_issue(tree.id).solutions or ()
    assert {s.text.split("\n")[0]: s.status for s in of_node} == {
        "Limescale": "withheld",
        "Remove lime from the bottom": "displayed",
    }


def test_a_node_that_the_manuals_do_not_answer_shows_nothing(tmp_path: Path) -> None:
    bill = {"id": "z", "title": "Two bills", "text": "I was sent two bills for my kettle, please refund one of them."}
    kb = _limescale_kb(tmp_path / "kettles", CRUST, bill)
    shown = {text: titles for text, titles in _titles(kb).items() if "bill" in text.casefold()}
    assert set(map(frozenset, shown.values())) <= {frozenset()}
    assert _titles(kb)["White crust"] == {"Limescale"}


def test_a_child_shows_only_what_holds_for_all_of_its_customers(tmp_path: Path) -> None:
    folder = tmp_path / "kettles"
    folder.mkdir()
    domain = DOMAIN + "  model: {values: [Pico, Grande]}\n"
    steps = "1. Open the app on Android and unlock the Pico's lid.\n2. Press the lid down.\n"
    manual = f"# The lid does not close\n\n## Pico on Android\n\n{steps}"
    (folder / "lid.md").write_text(manual, encoding="utf-8")
    (folder / "domain.yaml").write_text(domain, encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(folder / "domain.yaml"))
    kb.add([folder / "lid.md"])
    reports = [
        {"id": "a", "title": "Lid does not close", "text": "The lid of my kettle does not close any more."},
        {"id": "b", "title": "Lid does not close", "text": "The lid does not close any more, I use Android."},
    ]
    _add_issues(kb, folder, *reports)
    nodes = [node for tree in kb.views.show().trees for node in (tree, *tree.children)]
    showing = [node for node in nodes if kb.views.show_issue(node.id).solutions]
    assert [(list(n.attributes["os"]), list(n.attributes["model"])) for n in showing] == [(["Android"], ["Pico"])]
