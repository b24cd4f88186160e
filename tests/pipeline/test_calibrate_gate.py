"""Calibrating the gate of a workspace: what later questions, builds, exports and imports make of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autokb.app.support_kb import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.settings import AnswerSettings
from autokb.pipeline.calibrate_gate import GateCalibration
from autokb.pipeline.open_index import open_index
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from gate_questions import IN_DOMAIN, OUT_OF_DOMAIN, write_questions

NOW = "2026-01-31T10:00:00+00:00"
OURS = "my robot has lost its pairing"
OTHERS = "tell me a story"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    ours = write_questions(tmp_path / "ours.jsonl", IN_DOMAIN)
    return ours, write_questions(tmp_path / "others.jsonl", OUT_OF_DOMAIN)


@pytest.fixture(scope="module")
def _calibrated(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GateCalibration]:
    folder = tmp_path_factory.mktemp("calibrated")
    shutil.copytree(_imported, folder / "kb")
    ours = write_questions(folder / "ours.jsonl", IN_DOMAIN)
    others = write_questions(folder / "others.jsonl", OUT_OF_DOMAIN)
    return folder / "kb", SupportKB.open(folder / "kb").evaluate.calibrate_gate(ours, others)


@pytest.fixture
def calibrated(_calibrated: tuple[Path, GateCalibration], tmp_path: Path) -> Workspace:
    """A workspace of one's own, the hand-made one whose gate was calibrated."""
    shutil.copytree(_calibrated[0], tmp_path / "calibrated")
    return open_workspace(tmp_path / "calibrated")


def outcomes(workspace: Workspace) -> tuple[str, str]:
    kb = SupportKB(workspace)
    try:
        return kb.ask(OURS).outcome, kb.ask(OTHERS).outcome
    finally:
        kb.close()


def exported(workspace: Workspace, to: Path) -> dict[tuple[str, str], dict[str, Any]]:
    SupportKB(workspace).export(to)
    lines = [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()]
    return {(line["kind"], line["id"]): line for line in lines}


def test_the_answer_has_the_shape_of_the_contract(_calibrated: tuple[Path, GateCalibration]) -> None:
    answer = _calibrated[1].as_json()
    assert list(answer)[:5] == ["threshold", "encoder", "date", "in_domain", "out_of_domain"]
    assert 0 < answer["threshold"] < 1 and answer["encoder"].startswith("packaged:")
    for side in ("in_domain", "out_of_domain"):
        assert list(answer[side])[:2] == ["n", "passing"] and answer[side]["n"] == 24
        assert sum(answer[side]["histogram"]) == 24
    assert answer["in_domain"]["passing"] >= 23 and answer["out_of_domain"]["passing"] == 0
    assert answer["in_domain"]["passing_by_cosine"] >= answer["in_domain"]["passing"]
    json.dumps(answer, allow_nan=False)


def test_questions_are_judged_by_it_from_now_on_whatever_the_caution(
    hand_made: Workspace, files: tuple[Path, Path]
) -> None:
    cautious = replace(hand_made, settings=replace(hand_made.settings, answer=AnswerSettings(1.0)))
    careless = replace(hand_made, settings=replace(hand_made.settings, answer=AnswerSettings(0.0)))
    kb = SupportKB(cautious)
    kb.ask(OURS)  # an index that was opened before
    found = kb.evaluate.calibrate_gate(*files)
    assert kb.ask(OTHERS).reason == "Nothing here is about that."
    kb.close()
    assert outcomes(cautious) == outcomes(careless) == ("answered", "abstains")
    opened = open_index(hand_made)
    assert opened.index.calibration is not None and opened.index.calibration.threshold == found.threshold
    assert kb.suggest(OTHERS).outcome == "abstains"
    opened.close()
    kb.close()


def test_a_build_keeps_it_and_another_import_has_it(
    hand_made: Workspace, calibrated: Workspace, tmp_path: Path
) -> None:
    before = exported(hand_made, tmp_path / "before.jsonl")
    after = exported(calibrated, tmp_path / "after.jsonl")
    line = after.pop(("setting", "calibration"))
    assert after == before
    assert line["in_domain"]["n"] == 24 and len(line["in_domain"]["sha256"]) == 64 and line["encoder"] and line["date"]
    SupportKB(calibrated).build()
    assert exported(calibrated, tmp_path / "built.jsonl")["setting", "calibration"] == line
    other = create_workspace(tmp_path / "other", "name: other\n")
    SupportKB(other).import_(tmp_path / "after.jsonl")
    assert exported(other, tmp_path / "other.jsonl")["setting", "calibration"] == line
    assert outcomes(other) == ("answered", "abstains")


def test_a_reset_brings_the_gate_of_the_build_back(
    hand_made: Workspace, calibrated: Workspace, _calibrated: tuple[Path, GateCalibration], tmp_path: Path
) -> None:
    before = exported(hand_made, tmp_path / "before.jsonl")
    kb = SupportKB(calibrated)
    date = _calibrated[1].date
    assert kb.evaluate.reset_gate().as_json() == {"dropped": True, "date": date}
    assert kb.evaluate.reset_gate().as_json() == {"dropped": False, "date": None}
    assert exported(calibrated, tmp_path / "after.jsonl") == before


def of_another_encoder(workspace: Workspace) -> None:
    with workspace.file() as file, file.transaction():
        settings = {("setting", name): json.dumps(body) for name, body in file.records("setting")}
        calibration = json.loads(settings["setting", "calibration"])
        settings["setting", "calibration"] = json.dumps({**calibration, "encoder": "openai:other"})
        file.publish(settings, ["setting"])


def test_another_encoder_is_refused_until_it_is_calibrated_anew_or_reset(
    calibrated: Workspace, files: tuple[Path, Path]
) -> None:
    of_another_encoder(calibrated)
    with pytest.raises(BadInputError, match=r"for the encoder openai:other, not packaged:.*gate calibrate.*gate reset"):
        SupportKB(calibrated).ask(OURS)
    assert isinstance(SupportKB(calibrated).evaluate.calibrate_gate(*files), GateCalibration)
    assert outcomes(calibrated) == ("answered", "abstains")
    of_another_encoder(calibrated)
    SupportKB(calibrated).evaluate.reset_gate()
    assert outcomes(calibrated)[0] == "answered"


@pytest.mark.parametrize(
    ("ours", "others", "sentence"),
    [
        (IN_DOMAIN[:19], OUT_OF_DOMAIN, "ours.jsonl has 19 different questions; a calibration needs at least 20"),
        (IN_DOMAIN, OUT_OF_DOMAIN[:3] * 20, "others.jsonl has 3 different questions"),
        (IN_DOMAIN, [*OUT_OF_DOMAIN, IN_DOMAIN[4].upper() + " "], "The question 'pairing .*' is in both files; leave"),
        (IN_DOMAIN, [*OUT_OF_DOMAIN, *IN_DOMAIN], "is in both files, as are 23 others; leave each in one"),
        ([*IN_DOMAIN, " "], OUT_OF_DOMAIN, "ours.jsonl, line 25 needs a text"),
        ([], OUT_OF_DOMAIN, "ours.jsonl holds no queries"),
    ],
)
def test_bad_files_are_refused_with_a_sentence(
    hand_made: Workspace, tmp_path: Path, ours: list[str], others: list[str], sentence: str
) -> None:
    files = write_questions(tmp_path / "ours.jsonl", ours), write_questions(tmp_path / "others.jsonl", others)
    with pytest.raises(BadInputError, match=sentence):
        SupportKB(hand_made).evaluate.calibrate_gate(*files)
    opened = open_index(hand_made)
    assert opened.index.calibration is None
    opened.close()


def test_a_damaged_calibration_in_an_export_is_not_taken(calibrated: Workspace, tmp_path: Path) -> None:
    lines = exported(calibrated, tmp_path / "kb.jsonl")
    lines["setting", "calibration"]["threshold"] = 7
    (tmp_path / "kb.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines.values()), encoding="utf-8")
    other = create_workspace(tmp_path / "other", "name: other\n")
    (skipped,) = SupportKB(other).import_(tmp_path / "kb.jsonl").skipped
    assert "calibration's threshold must be a probability" in skipped.reason
    assert ("setting", "calibration") not in exported(other, tmp_path / "other.jsonl")


def test_vectors_of_another_length_are_refused_when_asked(calibrated: Workspace) -> None:
    with calibrated.file() as file, file.transaction():
        settings = {("setting", name): json.dumps(body) for name, body in file.records("setting")}
        calibration = json.loads(settings["setting", "calibration"])
        settings["setting", "calibration"] = json.dumps({**calibration, "vector": [1.0, 2.0]})
        file.publish(settings, ["setting"])
    with pytest.raises(BadInputError, match="weights for vectors of 2 numbers"):
        SupportKB(calibrated).ask(OURS)
