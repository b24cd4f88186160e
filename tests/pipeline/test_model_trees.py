"""Trees by a model in economical mode: shared requests, what the manuals distinguish, mixed clusters, doubles."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.pipeline.build_report import BuildReport
from autokb.tasks.prompts import unescaped
from model_workspace import DOCUMENTS, PRICES, add_sources, exported, made, reopened, write_sources
from scripted_model import ScriptedModel, form_of
from stub_server import StubServer

GROW, MERGE = "issues_grow_trees", "issues_merge_parents"
CLUSTER = re.compile(r'<cluster number="(\d+)">\n(.*?)\n</cluster>', re.DOTALL)
GROUP = re.compile(r'<group number="(\d+)">\n(.*?)\n</group>', re.DOTALL)
Reply = dict[str, Any]
Spoil = Callable[[Mapping[str, Any], Reply], Any]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key")


def serving(change: Spoil = lambda _body, reply: reply) -> StubServer:
    """Serve the scripted model, whose replies are changed."""
    model = ScriptedModel()

    def reply(body: dict[str, Any]) -> str:
        given = change(body, json.loads(model(body)))
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    return StubServer(reply)


def asked(server: StubServer, name: str) -> list[str]:
    """Return the user turns of the requests of a task."""
    return [str(body["messages"][1]["content"]) for body in server.bodies if form_of(body)[0] == name]


def clusters(server: StubServer) -> list[str]:
    return [unescaped(text) for turn in asked(server, GROW) for _, text in CLUSTER.findall(turn)]


def splitting(*words: str) -> Spoil:
    """Return a model that puts reports with one of these words into a tree of their own.

    The first report names the cluster and stays; which one that is depends on the processor's rounding.
    """

    def change(body: Mapping[str, Any], reply: Reply) -> Reply:
        if form_of(body)[0] != GROW:
            return reply
        texts = dict(CLUSTER.findall(body["messages"][1]["content"]))
        for answer in reply["answers"]:
            cluster = texts[str(answer["number"])].partition("\n<")[0]
            for word in words:
                own = [int(n) for n in re.findall(rf"^(\d+)\. .*{word}.*$", cluster, re.MULTILINE) if n != "1"]
                if own:
                    parent = {"text": f"All about the {word}", "attributes": [], "reports": own}
                    answer["trees"].append({"parent": parent, "children": []})
                    break
        return reply

    return change


def merging(*words: str) -> Spoil:
    """Return a model that takes all parents with one of these words for one problem."""

    def change(body: Mapping[str, Any], reply: Reply) -> Reply:
        if form_of(body)[0] != MERGE:
            return reply
        for number, group in GROUP.findall(body["messages"][1]["content"]):
            lines = re.findall(r"^(\d+)\. (.*)$", group, re.MULTILINE)
            same = [int(n) for n, text in lines if any(word in text.casefold() for word in words)]
            reply["answers"][int(number) - 1]["same"] = [same] if len(same) > 1 else []
        return reply

    return change


def records(kb: SupportKB, folder: Path) -> list[Reply]:
    return [json.loads(line) for line in exported(kb, folder / "kb.jsonl").decode().splitlines()]


def roots(kb: SupportKB) -> dict[str, str]:
    return {tree.text: tree.id for tree in kb.views.show().trees}


def test_all_seeds_of_a_small_workspace_share_one_request(tmp_path: Path) -> None:
    with serving() as server:
        built = made(tmp_path, server.url).build()
    assert built.failures == ()
    assert len(asked(server, GROW)) == 1
    assert len(clusters(server)) == built.seeds


def test_the_question_holds_headings_and_values_of_the_manuals_and_none_of_their_text(tmp_path: Path) -> None:
    with serving() as server:
        made(tmp_path, server.url).build()
    found = [text for text in clusters(server) if "<manuals>" in text and "connect" in text]
    assert any("- The kettle app > Connect on Android [os: Android]" in text for text in found)
    assert any("- The kettle app > Connect on iPhone [os: iOS" in text for text in found)
    assert not any("Tap Add kettle" in text for text in clusters(server))


def test_another_heading_asks_for_the_trees_again_and_another_text_does_not(tmp_path: Path) -> None:
    def rebuilt(kb: SupportKB, text: str) -> BuildReport:
        write_sources(tmp_path / "source", {**DOCUMENTS, "app.md": text})
        add_sources(kb, tmp_path / "source")
        return kb.build()

    with serving() as server:
        kb = made(tmp_path, server.url)
        kb.build()
        app = DOCUMENTS["app.md"]
        assert rebuilt(kb, app.replace("Tap Add kettle.", "Tap Add a kettle.")).stages["trees"].computed == 0
        before = len(asked(server, GROW))
        again = rebuilt(kb, app.replace("Connect on Android", "Connect an Android phone"))
        assert 0 < again.stages["trees"].computed < again.seeds
        (turn,) = asked(server, GROW)[before:]
        assert "Connect an Android phone" in turn


def test_a_mixed_cluster_grows_two_trees_that_stay_in_later_builds(tmp_path: Path) -> None:
    issues = {"k1": "Kettle problem: the kettle leaks water", "k2": "Kettle problem: loud noise of the kettle water"}
    with serving(splitting("noise", "leaks")) as server:
        kb = made(tmp_path, server.url, issues=issues)
        built = kb.build()
        assert (built.failures, built.seeds, built.parents) == ((), 1, 2)
        trees = {r["id"]: r for r in records(kb, tmp_path) if r["kind"] == "issue" and not r["parent_id"]}
        raw = {r["id"]: r for r in records(kb, tmp_path) if r["kind"] == "raw_issue"}
        texts = {trees[r["issue"]]["text"] for r in raw.values()}
        assert len(texts) == 2
        assert len(texts & {"All about the noise", "All about the leaks"}) == 1
        assert all(trees[r["issue"]]["raw_issues"] == [i] for i, r in raw.items())
        assert raw["k1"]["seed"] == raw["k2"]["seed"], "clusters are frozen"
        before = records(kb, tmp_path)
        assert (kb.build().calls, records(kb, tmp_path)) == (0, before)


def test_parents_that_are_one_problem_become_one_tree_before_solutions_are_written(tmp_path: Path) -> None:
    def solved(server: StubServer) -> set[str]:
        return {n for turn in asked(server, "issues_write_solutions") for n in re.findall(r"<text>(.*?)</text>", turn)}

    with serving() as server:
        assert made(tmp_path / "apart", server.url).build().failures == ()
        groups = [text for turn in asked(server, MERGE) for _, text in GROUP.findall(turn)]
        doubles = set(re.findall(r"^\d+\. (.*)$", groups[0], re.MULTILINE)[:2])
        assert len(doubles) == 2 and doubles <= solved(server)
    with serving(merging(*(text.casefold() for text in doubles))) as server:
        kb = made(tmp_path / "merged", server.url)
        assert kb.build().failures == ()
        assert len(doubles & solved(server)) == 1, "nothing was asked about what is no tree any more"
        raw = [r for r in records(kb, tmp_path) if r["kind"] == "raw_issue"]
        assert {r["issue"] for r in raw if "issue" in r} <= set(roots(kb).values())
        before = records(kb, tmp_path)
        assert (kb.build().calls, records(kb, tmp_path)) == (0, before)


@pytest.mark.parametrize("same", [[[1, 99]], [[1, 2], [2, 1]], "all"])
def test_a_wrong_reply_about_doubles_merges_nothing_and_is_named(tmp_path: Path, same: Any) -> None:
    def spoil(body: Mapping[str, Any], reply: Reply) -> Reply:
        if form_of(body)[0] == MERGE and broken:
            reply["answers"] = [{**answer, "same": same} for answer in reply["answers"]]
        return reply

    broken = True
    with serving(spoil) as server:
        kb = made(tmp_path, server.url)
        built = kb.build()
        assert built.failures and {f.stage for f in built.failures} == {"merge"}
        trees = len(roots(kb))
        broken = False
        assert kb.build().failures == ()
        assert len(roots(kb)) == trees


def test_paper_mode_and_trees_that_are_grown_offline_ask_neither(tmp_path: Path) -> None:
    with serving() as server:
        made(tmp_path / "paper", server.url, mode="paper").build()
        made(tmp_path / "offline", server.url, settings=PRICES + "tasks: {grow_tree: offline}\n").build()
        assert asked(server, GROW) == asked(server, MERGE) == []


def test_a_model_for_trees_answers_both_questions_for_them(tmp_path: Path) -> None:
    settings = PRICES + "tasks: {grow_tree: 'openai:strong'}\n"
    with serving() as server:
        made(tmp_path, server.url, settings=settings).build()
        reopened(tmp_path, server.url, settings, "paper").build()
        named = {form_of(body)[0]: body["model"] for body in server.bodies}
    assert (named[GROW], named["issues_grow_tree"], named[MERGE]) == ("strong", "strong", "stub")


@pytest.mark.slow
def test_a_build_killed_while_trees_are_asked_for_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    with serving() as server:
        whole = made(tmp_path / "whole", server.url)
        whole.build()
        needed = server.requests
    held = threading.Event()

    def hold(body: Mapping[str, Any], reply: Reply) -> Reply:
        if form_of(body)[0] == MERGE:
            held.wait()
        return reply

    with serving(hold) as server:
        kb = made(tmp_path, server.url)
        process = subprocess.Popen(
            [sys.executable, "-m", "autokb", "build", str(tmp_path / "kb"), "--json"],
            stdout=subprocess.DEVNULL,
            env=dict(os.environ),
        )
        while process.poll() is None and not asked(server, MERGE):
            threading.Event().wait(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        trees = len(asked(server, GROW))
        held.set()
        assert kb.build().failures == ()
        assert len(asked(server, GROW)) == trees, "no tree is paid for twice"
        assert server.requests <= needed + 1
    assert exported(kb, tmp_path / "a.jsonl") == exported(whole, tmp_path / "b.jsonl")


GERMAN = """
name: Wasserkocher
description: Hilfe zu einem Wasserkocher
language: de
attributes:
  modell: {values: [Reise, Küche], synonyms: {Reise: [Reisekocher], Küche: [Küchenkocher]}}
"""


def test_german_reports_are_shown_by_what_they_say_of_the_problem(tmp_path: Path) -> None:
    from autokb.sources import Fields

    source = tmp_path / "source"
    source.mkdir()
    (source / "domain.yaml").write_text(GERMAN, encoding="utf-8")
    (source / "lampe.md").write_text(
        "# Die rote Lampe blinkt\n\n## Am Reisekocher\n\n1. Drücken Sie den Knopf am Reisekocher.\n\n"
        "## Am Küchenkocher\n\n1. Ziehen Sie den Stecker.\n",
        encoding="utf-8",
    )
    text = "Guten Tag. Ich habe ihn seit zwei Wochen. Die rote Lampe blinkt und er wird nicht heiß. Viele Grüße, Anna"
    issue = {"id": "k1", "title": "Mein Reisekocher", "text": text}
    (source / "issues.jsonl").write_text(json.dumps(issue) + "\n", encoding="utf-8")
    with serving() as server:
        kb = SupportKB.create(tmp_path / "kb", str(source / "domain.yaml"))
        kb.add([source / "lampe.md"])
        kb.add([source / "issues.jsonl"], "issues", Fields(id="id", title="title", text="text"))
        built = reopened(tmp_path, server.url).build()
        (cluster,) = clusters(server)
    assert built.failures == () and built.parents == 1
    assert "Die rote Lampe blinkt und er wird nicht heiß." in cluster
    assert "Guten Tag" not in cluster and "Grüße" not in cluster
    assert "> Am Reisekocher [modell: Reise]" in cluster
