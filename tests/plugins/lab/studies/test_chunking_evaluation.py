"""``evaluate chunking`` over real files: offline, and with a scripted judge on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chunk_judge
from autokb.chunking.methods import METHODS
from autokb.core.errors import BadInputError
from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest, chunk_files
from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation, evaluate_chunking
from stub_server import StubServer

GUIDE = """\
# Kettle

The kettle boils a litre of water within three minutes.

## Descaling

1. Fill the kettle with vinegar.
2. Boil it once.
3. Rinse it twice.

## Noise

A loud kettle is scaled. MEANWHILE the shop opens at nine...
"""
OTHER = "# Toaster\n\nThe toaster browns bread.\n\n## Offers\n\nBUY the toaster now. MENU\n"
JUDGED = ("noise", "completeness", "context_switch", "task_relevance")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "kettle.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "docs" / "toaster.md").write_text(OTHER, encoding="utf-8")
    return tmp_path


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    with StubServer(chunk_judge.reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        monkeypatch.setenv("AUTOKB_BASE_URL", server.url)
        yield server


def evaluated(folder: Path, *methods: str, **wanted: Any) -> dict[str, Any]:
    evaluation = ChunkEvaluation(methods=methods or ("headings",), max_size=200, **wanted)
    return evaluate_chunking([folder / "docs"], evaluation).as_json()


def questions(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return file


def test_offline_every_method_is_counted_and_nothing_is_judged(folder: Path) -> None:
    answer = evaluated(folder, *METHODS)
    assert list(answer["methods"]) == list(METHODS)
    assert list(answer) == [
        *("methods", "documents", "questions", "failures", "calls", "cached", "tokens", "cost", "seconds")
    ]
    for body in answer["methods"].values():
        assert list(body) == ["chunks", "size", "tenets", "mechanical", "seconds"]
        assert body["chunks"] > 0
        assert {"mean", "p95"} <= body["size"].keys()
        assert {t: body["tenets"][t]["value"] for t in (*JUDGED, "wp@5")} == dict.fromkeys((*JUDGED, "wp@5"))
        assert body["tenets"]["noise"]["not_judged"] == body["chunks"]
        assert body["mechanical"]["dangling"]["n"] == body["chunks"]
        assert "retrieval" not in body
    assert (answer["calls"], answer["failures"], answer["documents"]) == (0, [], 2)


def test_what_is_evaluated_is_what_chunk_cuts(tmp_path: Path) -> None:
    notice = "Our shop in the old station is open from nine to five."
    for name in ("a", "b", "c"):
        seal = " ".join(f"The {name} seal is pressed into the lid at its side {side}." for side in range(9))
        (tmp_path / f"{name}.md").write_text(f"# Page {name}\n\n{seal}\n\n{notice}\n")
    cut = [result for result in chunk_files([tmp_path], ChunkRequest()) if isinstance(result, ChunkedDocument)]
    assert [n.text for result in cut for n in result.result.noise] == [notice] * 3
    answer = evaluate_chunking([tmp_path], ChunkEvaluation(("auto_chunker",))).as_json()
    body = answer["methods"]["auto_chunker"]
    kept = [len(chunk.text) for result in cut for chunk in result.result.chunks]
    assert (body["chunks"], body["size"]["mean"]) == (len(kept), pytest.approx(sum(kept) / len(kept)))


def test_two_files_of_one_name_are_said(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"The lid {name}.\n")
    answer = evaluate_chunking([tmp_path / "one", tmp_path / "two"], ChunkEvaluation(("fixed",))).as_json()
    assert answer["documents"] == 1
    (failure,) = answer["failures"]
    assert str(tmp_path / "two" / "a.md") in failure["reason"] and str(tmp_path / "one" / "a.md") in failure["reason"]


def test_headings_cut_no_list_that_fits_and_short_fixed_chunks_do(folder: Path) -> None:
    wanted = ChunkEvaluation(methods=("headings", "fixed"), max_size=120)
    found = evaluate_chunking([folder / "docs"], wanted).as_json()["methods"]
    assert found["headings"]["mechanical"]["cut_lists"]["value"] == 0.0
    assert found["fixed"]["mechanical"]["cut_lists"]["value"] == 1.0


def test_a_judge_says_what_share_of_the_chunks_is_noise(folder: Path, judge: StubServer) -> None:
    body = evaluated(folder, judge="openai:stub")["methods"]["headings"]
    # The chunks are: kettle, descaling, noise (the one that switches and breaks off), toaster, offers.
    assert body["chunks"] == 5
    assert {t: (body["tenets"][t]["value"], body["tenets"][t]["judged"]) for t in JUDGED} == {
        "noise": (1 / 5, 5),
        "completeness": (4 / 5, 5),
        "context_switch": (1 / 5, 5),
        "task_relevance": (4 / 5, 5),
    }


def test_an_unreadable_reply_is_counted_apart_and_named(folder: Path, judge: StubServer) -> None:
    (folder / "docs" / "odd.md").write_text("# Odd\n\nODD words.\n", encoding="utf-8")
    answer = evaluated(folder, judge="openai:stub")
    noise = answer["methods"]["headings"]["tenets"]["noise"]
    assert (noise["value"], noise["judged"], noise["unreadable"]) == (1 / 5, 5, 1)
    assert ("judge", "headings odd.md") in [(f["stage"], f["item"]) for f in answer["failures"]]


def test_a_model_makes_the_questions_and_scores_what_is_found(folder: Path, judge: StubServer) -> None:
    answer = evaluated(folder, "headings", "fixed", judge="openai:stub", asked=2)
    assert answer["questions"]["made"] == answer["questions"]["n"] > 0
    for body in answer["methods"].values():
        precision = body["tenets"]["wp@1"]
        assert precision["judged"] == answer["questions"]["n"]
        assert 0.0 < precision["value"] <= 1.0
    assert "wp@5+context" in answer["methods"]["headings"]["tenets"]
    assert "wp@5+context" not in answer["methods"]["fixed"]["tenets"]


def test_questions_with_places_measure_the_text_that_is_found(folder: Path) -> None:
    start = GUIDE.index("1. Fill")
    end = GUIDE.index("\n\n## Noise")
    places = [{"start": start, "end": end}]
    file = questions(folder, {"question": "How do I descale?", "document": "kettle", "references": places})
    found = evaluated(folder, questions=file)["methods"]["headings"]["retrieval"]
    # There are five chunks, so all of them are found; omega takes the chunk that holds the steps alone.
    section = end - GUIDE.index("## Descaling")
    assert found["recall@5"]["value"] == 1.0
    assert found["precision_omega"]["value"] == pytest.approx((end - start) / section)


def test_gold_texts_are_compared_word_by_word(folder: Path) -> None:
    gold = folder / "gold.jsonl"
    gold.write_text(json.dumps({"document": "toaster", "text": "Toaster The toaster browns bread"}), encoding="utf-8")
    found = evaluated(folder, "fixed", gold=gold)["methods"]["fixed"]["mechanical"]
    # kept: toaster the toaster browns bread offers buy the toaster now menu (11 words), 5 of them are the gold ones
    assert found["gold_precision"]["value"] == pytest.approx(5 / 11)
    assert found["gold_recall"]["value"] == 1.0


def test_a_ledger_pays_for_each_reply_once(folder: Path, judge: StubServer) -> None:
    first = evaluated(folder, judge="openai:stub", asked=1, ledger=folder / "ledger.db")
    asked = judge.requests
    again = evaluated(folder, judge="openai:stub", asked=1, ledger=folder / "ledger.db")
    assert first["calls"] == asked > 0
    assert (again["calls"], judge.requests) == (0, asked)
    assert again["methods"]["headings"]["tenets"] == first["methods"]["headings"]["tenets"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"methods": ("shredder",)}, "There is no chunker 'shredder'"),
        ({"questions": Path("none.jsonl")}, "cannot be read"),
        ({"gold": Path("none.jsonl")}, "cannot be read"),
    ],
)
def test_wrong_wishes_are_said(folder: Path, wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        evaluate_chunking([folder / "docs"], ChunkEvaluation(**wanted))


def test_gold_of_another_document_is_said(folder: Path) -> None:
    gold = folder / "gold.jsonl"
    gold.write_text('{"document": "teapot", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1 needs document"):
        evaluated(folder, gold=gold)


def test_nothing_to_cut_is_said(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(BadInputError, match="no document to cut"):
        evaluate_chunking([tmp_path], ChunkEvaluation())
