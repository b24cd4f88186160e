"""What trees show is looked at by the gate: whom it is for, and what it is about, by what customers wrote."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.checks import CheckResult, Refusal
from autokb.core.ids import canonical_json
from autokb.core.settings import GateSettings
from autokb.core.vectors import Vectors
from autokb.pipeline.gate.checks import Compared, refuse, run
from autokb.pipeline.gate.trees import FEWEST, TreesFit, fit_of_trees
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


@pytest.mark.slow
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


def fit(texts: Mapping[str, str], **by_issue: tuple[bool, ...]) -> TreesFit:
    return TreesFit(by_issue, texts, frozenset(texts))


def test_few_issues_say_nothing() -> None:
    assert fit({}, a=(True,) * (FEWEST - 1)).share is None
    assert fit({}, a=(True,) * (FEWEST - 3), b=(False,) * 3).share == 1 - 3 / FEWEST


def test_examples_are_issues_that_were_not_shown_what_does_not_fit() -> None:
    texts = {"a": "The left\nearbud is silent", "b": "No sound", "c": "It hums", "d": "It rattles"}
    before = fit(texts, a=(True, True), b=(False,), c=(True,))
    now = fit(texts, a=(True, False), b=(False,), c=(True,), d=(False,))
    assert now.turned(before) == ["The left earbud is silent", "It rattles"]


def test_a_new_issue_keeps_nothing_back_but_one_that_was_shown_nothing_does() -> None:
    right = run([CheckResult("silent", True, True, True, "answered", "")])
    before = fit({"a": "It hums"}, a=(True,) * FEWEST)
    now = fit({"a": "It hums", "b": "It rattles"}, a=(True,) * FEWEST, b=(False,) * FEWEST)
    assert refuse(Compared(right, right, now, before), GateSettings()) is None
    before = replace(before, known=now.known)
    refusal = refuse(Compared(right, right, now, before), GateSettings())
    assert refusal is not None
    assert "fell from 1.000 to 0.500" in refusal.reasons[0] and refusal.reasons[0].endswith(
        'For example: "It rattles".'
    )
