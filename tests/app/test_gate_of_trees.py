"""What trees show is looked at by the gate: whom it is for, and what it is about, by what customers wrote."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.core.results import CheckResult, Refusal
from autokb.core.settings import GateSettings
from autokb.core.vectors import Vectors
from autokb.evaluation.checks import Compared, refuse, run
from autokb.evaluation.trees import FEWEST, TreesFit, fit_of_trees
from autokb.pipeline.open_index import open_index
from autokb.stores.published import read_published

Records = dict[tuple[str, str], dict[str, object]]
CHECK = {"id": "silent", "text": "My left earbud has gone silent", "outcome": "answered"}
GATE = "gate: {max_loss: {first: 1, outcome: 1}}\n"


@pytest.fixture
def guarded(_built_headphones: Path, tmp_path: Path) -> SupportKB:
    folder = Path(shutil.copytree(_built_headphones, tmp_path / "kb"))
    (folder / "settings.yaml").write_text(GATE, encoding="utf-8")
    checks = folder / "checks.jsonl"
    checks.write_text(json.dumps(CHECK), encoding="utf-8")
    kb = SupportKB.open(folder)
    kb.checks.add(checks)
    return kb


def publish(kb: SupportKB, change: Callable[[Records], None]) -> Refusal | None:
    with kb.workspace.file() as file:
        found = {(kind, i): json.loads(body) for kind, i, body in file.lines()}
        change(found)
        with file.transaction():
            file.keep_candidate({key: canonical_json(body) for key, body in found.items()}, {"date": "", "by": "test"})
    return kb.versions.publish(author="Ada").refusal


def deal_out(found: Records, kind: str, *names: str) -> None:
    """Give records of a kind what others of it say."""
    keys = sorted(key for key in found if key[0] == kind)
    others = random.Random(1).sample(keys, len(keys))
    said = [{name: found[key][name] for name in names} for key in others]
    for key, values in zip(keys, said, strict=True):
        found[key] |= values


def say_more(found: Records) -> None:
    for (kind, _), body in found.items():
        if kind == "document":
            body["title"] = f"{body['title']} (read again)"


def test_nodes_for_other_customers_than_their_issues_are_kept_from_readers(guarded: SupportKB) -> None:
    refusal = publish(guarded, lambda found: deal_out(found, "issue", "attributes"))
    assert refusal is not None
    (reason,) = refusal.reasons
    assert reason.startswith("The share of the trees' solutions that fit") and 'For example: "' in reason
    forced = guarded.versions.publish(author="Ada", force=True)
    assert forced.published
    checks = guarded.versions.list().versions[-1].checks
    assert checks and checks.trees is not None and checks.trees < 0.8 and checks.forced


def test_solutions_about_something_else_are_kept_from_readers(guarded: SupportKB) -> None:
    refusal = publish(guarded, lambda found: deal_out(found, "solution", "text", "steps", "evidence"))
    assert refusal is not None and refusal.reasons[0].startswith("The share of the trees' solutions that fit")


def test_what_fits_as_before_is_published_with_its_share(guarded: SupportKB) -> None:
    assert publish(guarded, say_more) is None
    checks = guarded.versions.list().versions[-1].checks
    assert checks and checks.trees is not None and checks.trees > 0.9


def test_a_margin_of_one_lets_everything_pass(guarded: SupportKB) -> None:
    (guarded.workspace.folder / "settings.yaml").write_text(
        "gate: {max_loss: {first: 1, outcome: 1, trees: 1}}\n", encoding="utf-8"
    )
    kb = SupportKB.open(guarded.workspace.folder)
    assert publish(kb, lambda found: deal_out(found, "issue", "attributes")) is None


def test_a_paid_embedder_is_not_asked(guarded: SupportKB) -> None:
    def costs_money(_texts: Sequence[str]) -> Vectors:
        raise AssertionError("a text was embedded")

    with closing(open_index(guarded.workspace)) as opened:
        raw = read_published(opened.file).raw_issues
        found = fit_of_trees(replace(opened.index, embed_questions=costs_money), raw)
    assert len(found.by_issue) > 100


def test_few_issues_say_nothing() -> None:
    assert TreesFit({"a": (True,) * (FEWEST - 1)}, {}).share is None
    assert TreesFit({"a": (True,) * (FEWEST - 3), "b": (False,) * 3}, {}).share == 1 - 3 / FEWEST


def test_examples_are_issues_that_had_what_fits() -> None:
    texts = {"a": "The left\nearbud is silent", "b": "No sound", "c": "It hums", "d": "New"}
    before = TreesFit({"a": (True, True), "b": (False,), "c": (True,)}, texts)
    now = TreesFit({"a": (True, False), "b": (False,), "c": (True,), "d": (False,)}, texts)
    assert now.turned(before) == ["The left earbud is silent"]


def test_issues_that_one_version_alone_has_keep_nothing_back() -> None:
    right = run([CheckResult("silent", True, True, True, "answered", "")])
    before = TreesFit({"a": (True,) * FEWEST}, {"a": "It hums"})
    with_new_ones = TreesFit({**before.by_issue, "b": (False,) * FEWEST}, {"a": "It hums", "b": "New"})
    worse = TreesFit({"a": (True,) * (FEWEST - 2) + (False, False)}, {"a": "It hums"})
    assert refuse(Compared(right, right, with_new_ones, before), GateSettings()) is None
    refusal = refuse(Compared(right, right, worse, before), GateSettings())
    assert refusal is not None and '"It hums"' in refusal.reasons[0]
