"""The response prediction paper's tables: measured offline, by a scripted model, and what is said to be missing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

import model_workspace
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import StoppedOnPurposeError
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.evaluation.retrieval.retrievers import FirstCosines
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.studies.papers import NOT_JUDGED, paper_tables
from autokb.plugins.lab.studies.papers.suggestions import NO_REPLIES, OTHER_ENCODERS, SHEET, cosine_picture
from blind_sheets import FULL, write
from scripted_suggestions import ScriptedSuggestions
from stub_server import StubServer

CHATS = [
    ("one", "the kettle leaks on the table", "Please press the seal back into its groove."),
    ("two", "my kettle is so loud", "Happy to help: please descale the kettle."),
]


@pytest.fixture(scope="module")
def kettles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace that was built offline: four manuals, ten issues, two of which name what resolved them."""
    folder = tmp_path_factory.mktemp("suggestion-paper")
    model_workspace.write_sources(folder / "source")
    issues = folder / "source" / "issues.jsonl"
    resolved = {"k5": "descaling.md", "k7": "leaks.md"}
    lines = [json.loads(line) for line in issues.read_text(encoding="utf-8").splitlines()]
    named = [line | {"resolved_by": resolved.get(line["id"], "")} for line in lines]
    issues.write_text("".join(f"{json.dumps(line)}\n" for line in named), encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(folder / "source" / "domain.yaml"))
    model_workspace.add_sources(kb, folder / "source")
    kb.build()
    return folder / "kb"


def cells_of(tables: list[Table], start: str) -> dict[str, dict[str, Cell]]:
    (table,) = (one for one in tables if one.name.startswith(f"{start}:"))
    return {
        row: dict(zip(table.columns, cells, strict=True)) for row, cells in zip(table.rows, table.cells, strict=True)
    }


@pytest.fixture(scope="module")
def offline(kettles: Path) -> list[Table]:
    return list(paper_tables("suggestions", [kettles]).tables)


def test_every_table_of_the_paper_is_there_and_every_empty_cell_says_how_to_fill_it(offline: list[Table]) -> None:
    starts = [re.match(r"(Table|Figure) \d+", table.name) for table in offline]
    assert [found[0] for found in starts if found] == [
        *("Table 1", "Table 2", "Figure 4", "Table 3", "Table 4", "Table 5", "Table 6"),
        *("Table 7", "Table 8", "Table 9", "Table 10", "Table 11"),
    ]
    for cell in (cell for table in offline for row in table.cells for cell in row):
        assert (cell.value is None) == (cell.missing is not None) and cell.missing != ""


def test_counts_and_lengths_of_what_there_is(offline: list[Table]) -> None:
    counts = cells_of(offline, "Table 1")
    assert counts["kettles: KB articles"]["total"] == Cell(4, paper=1205)
    history = counts["kettles: In domain Q/A from previous history"]
    assert history["total"] == Cell(10, paper=3000) and history["words of the response"].missing == NO_REPLIES
    words = sum(len(text.split()) for text in model_workspace.ISSUES.values()) / 10
    assert history["words of the article or query"].value == pytest.approx(words)
    drafted = counts["kettles: In domain Q/A from KB articles"]["total"].value
    assert isinstance(drafted, int) and drafted > 2
    sample = cells_of(offline, "Table 7")
    assert sample["kettles"]["unique documents"].value == 4 and sample["SQUAD"]["unique questions"].paper == 4994


def test_retrievers_by_the_own_encoder_alone(offline: list[Table]) -> None:
    over = cells_of(offline, "Table 2")
    assert over["kettles: packaged"]["embedding size"] == Cell(384)
    assert over["SBERT"]["R@1 %"] == Cell(paper=15.36, missing=OTHER_ENCODERS)
    recall = cells_of(offline, "Table 8")["kettles: packaged/exact"]
    assert recall["recall@5"].value == 1.0  # there are four documents
    near, far = (cells_of(offline, "Figure 4")[f"kettles: packaged, {kind}"] for kind in ("in domain", "off topic"))
    assert near["50%"].value > far["50%"].value  # type: ignore[operator]
    assert (near["at least 0.7, %"].paper, far["at least 0.7, %"].paper) == (88.96, 1.41)
    (picture,) = next(table for table in offline if table.name.startswith("Figure 4")).pictures
    assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_likeness_is_measured_offline_and_what_needs_a_judge_or_people_is_not(offline: list[Table]) -> None:
    automated = cells_of(offline, "Table 3")
    likeness = automated["Likeness of words, tf-idf"]
    assert likeness["improvement"].value == pytest.approx(likeness["AutoKB %"].value - likeness["incumbent %"].value)  # type: ignore[operator]
    assert automated["Accuracy"]["improvement"] == Cell(paper=10.15, missing=NOT_JUDGED)
    assert automated["AlignScore"]["AutoKB %"].value is not None
    assert "--similarity" in str(automated["Semantic similarity"]["improvement"].missing)
    assert cells_of(offline, "Table 4")["Preference"]["improvement %"] == Cell(paper=200.61, missing=SHEET)
    latency = cells_of(offline, "Table 6")
    assert latency["kettles: non-reAct"]["p95 s"].value > 0  # type: ignore[operator]
    assert "--judge MODEL" in str(latency["kettles: reAct"]["p50 s"].missing)
    assert {cell.missing for cell in cells_of(offline, "Table 5")["kettles: ReAct, K=3"].values()} == {NOT_JUDGED}


def test_the_page_is_the_same_each_time_and_leaves_out_seconds(kettles: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("one.html", "two.html"):
        assert main(["evaluate", "paper", "suggestions", str(kettles), "--html", str(tmp_path / name), "--json"]) == 0
        pages.append((tmp_path / name).read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "Table 5" in pages[0] and "Table 6" not in pages[0]


def judged_suggestions(body: dict[str, Any]) -> Any:
    """Write as the script does, and find correct what a model wrote."""
    form = body["response_format"]["json_schema"]["name"]
    if not form.startswith("judges_"):
        return ScriptedSuggestions().reply(body)
    user = body["messages"][1]["content"]
    if form == "judges_consistency":
        numbers = re.findall(r"<suggestion number=\"(\d+)\">", user)
        return {"answers": [{"number": int(n), "reason": "r", "verdict": "yes"} for n in numbers]}
    cases = re.findall(r"<case number=\"(\d+)\">(.*?)</case>", user, re.DOTALL)
    verdicts = [
        (int(n), "correct" if "Happy to help" in text.partition("<suggestion>")[2] else "unsure") for n, text in cases
    ]
    return {"answers": [{"number": n, "reason": "r", "verdict": verdict} for n, verdict in verdicts]}


def test_a_model_fills_what_it_can_within_its_budget(
    kettles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = Path(shutil.copytree(kettles, tmp_path / "kb"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with StubServer(judged_suggestions) as server:
        settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
        (kb / "settings.yaml").write_text(yaml.safe_dump(settings))
        with pytest.raises(StoppedOnPurposeError):
            paper_tables("suggestions", [kb], "openai:scripted", budget=0.0)
        tables = list(paper_tables("suggestions", [kb], "openai:scripted").tables)
    automated = cells_of(tables, "Table 3")
    assert automated["Accuracy"]["AutoKB %"].value == 0 and automated["Missing rate"]["AutoKB %"].value == 100
    assert automated["AlignScore"]["AutoKB %"].value == 100
    over = cells_of(tables, "Table 5")["kettles: ReAct, K=3"]
    assert over["accuracy %"].value == pytest.approx(0) and over["accuracy %"].paper == 7.08
    assert over["hallucination rate %"].missing == "there is nothing to measure"  # the plain one has none
    assert cells_of(tables, "Table 9")["k=3, kettles"]["accuracy %"].value > 0  # type: ignore[operator]
    gold = cells_of(tables, "Table 11")["kettles"]
    assert gold["CoVe accuracy %"].value > 0 and gold["baseline accuracy %"].value > 0  # type: ignore[operator]
    assert cells_of(tables, "Table 6")["kettles: reAct"]["p99 s"].value > 0  # type: ignore[operator]


def test_past_chats_are_the_cases_where_there_are_some(kettles: Path, tmp_path: Path) -> None:
    shutil.copytree(kettles, tmp_path / "kb")
    chats = [
        {"conversation": name, "messages": [{"role": "customer", "text": asked}, {"role": "agent", "text": said}]}
        for name, asked, said in CHATS
    ]
    (tmp_path / "chats.jsonl").write_text("".join(f"{json.dumps(chat)}\n" for chat in chats), encoding="utf-8")
    SupportKB.open(tmp_path / "kb").add([tmp_path / "chats.jsonl"], "chats")
    tables = list(paper_tables("suggestions", [tmp_path / "kb"]).tables)
    history = cells_of(tables, "Table 1")["kettles: In domain Q/A from previous history"]
    assert (history["total"].value, history["words of the response"].value) == (2, 7.5)
    assert cells_of(tables, "Table 7")["kettles"]["unique questions"].value == 2
    assert "No chats are added" not in next(table for table in tables if table.name.startswith("Table 3")).note


def test_what_people_judged_in_a_browser_fills_their_table(kettles: Path, tmp_path: Path) -> None:
    kb = Path(shutil.copytree(kettles, tmp_path / "kb"))
    sheet = write(kb, silent=True)
    items = json.loads(key_path(sheet).read_text("utf-8"))["items"]
    door = SupportKB.open(kb).evaluate
    for item, sides in items.items():
        ours, theirs = (next(s for s in "ab" if sides[s] == system) for system in ("autokb", "incumbent"))
        touch = {f"human_touch_{ours}": "no" if item == "c1" else "yes"}
        scores = {**touch, f"relevance_{ours}": "2", f"relevance_{theirs}": "2" if item == "c0" else "1"}
        door.judge_case("june", "ann", item, {**FULL, **scores, "preference": ours.upper()})
    tables = list(paper_tables("suggestions", [kb]).tables)
    found = cells_of(tables, "Table 4")
    relevance = found["Contextual Relevance"]  # the incumbent says nothing in the last case, so two are paired
    assert [relevance[name].value for name in ("AutoKB", "incumbent", "cases")] == [2.0, 1.5, 2]
    assert relevance["improvement %"].value == pytest.approx(100 / 3) and relevance["improvement %"].paper == 48.14
    assert relevance["p (paired t-test)"].value == pytest.approx(
        0.5
    )  # differences 0 and 1: t is 1 with one degree of freedom
    assert (found["Preference"]["AutoKB"].value, found["Preference"]["cases"].value) == (1.0, 3)
    assert found["Preference"]["improvement %"].missing == "there is nothing to measure"  # nobody prefers the other
    written = cells_of(tables, "Table 3")["AI-generated"]  # of two cases one of ours, none of the incumbent's
    assert [written[name].value for name in ("AutoKB %", "incumbent %", "improvement")] == [50, 0, -50]
    sheet.write_text(sheet.read_text("utf-8").replace("ann,A,", "ann,C,").replace("ann,B,", "ann,C,"), "utf-8")
    told = cells_of(list(paper_tables("suggestions", [kb]).tables), "Table 4")["Preference"]["improvement %"]
    assert "preference is 'C'" in str(told.missing)


def test_a_workspace_without_past_issues_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "manual").mkdir()
    (tmp_path / "manual" / "rain.md").write_text("# Dry the sensor\n\nWipe the sensor dry.\n", encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    kb.add([tmp_path / "manual"])
    kb.build()
    tables = list(paper_tables("suggestions", [tmp_path / "kb"]).tables)
    for start in ("Table 8", "Figure 4"):
        row = cells_of(tables, start)["headphones"]
        assert all("--resolved-by-field" in str(cell.missing) for cell in row.values())


def test_a_picture_escapes_its_words_and_scales_to_the_highest_bar() -> None:
    cosines = {"in_domain": FirstCosines(4, (), (0, 3, 1), {}), "off_topic": FirstCosines(2, (), (2, 0, 0), {})}
    drawn = cosine_picture("<a> & b", cosines, 0.5)
    assert "<a> & b" not in drawn and "&lt;a&gt; &amp; b" in drawn and "ours 0.5" in drawn
    heights = [float(h) for h in re.findall(r'<rect [^>]*width="160.0" height="([\d.]+)"', drawn)]
    assert heights == [0.0, 135.0, 45.0, 180.0, 0.0, 0.0]  # 3/4 and 1/4 of 4, 2 of 2
