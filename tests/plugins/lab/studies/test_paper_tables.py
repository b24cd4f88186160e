"""The tables of the papers: their shape, what is beside what, and what is missing with how to fill it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from test_evaluate import asked_of, items

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.domain import Rule
from autokb.core.errors import BadInputError
from autokb.core.nouns import DISPLAYED
from autokb.pipeline.model_choice import OFFLINE
from autokb.plugins.lab.evaluation.quality.annotation import sheet_items
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.studies import evaluate
from autokb.plugins.lab.studies.annotations import annotate
from autokb.plugins.lab.studies.papers import NOT_JUDGED, PAPERS, PaperRun, paper_tables
from autokb.plugins.lab.studies.papers.autokb import PAPER, cost_table, model_usd, people_usd, tables
from autokb.plugins.lab.studies.papers.autokb_agreement import agreement_table
from autokb.plugins.lab.studies.papers.autokb_figures import (
    MarkedWord,
    draw_beside,
    draw_tree,
    example_table,
    paraphrase_table,
    tree_table,
)
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge, Subject, open_subject
from autokb.plugins.lab.studies.papers.autokb_quality import quality_tables
from autokb.plugins.lab.studies.papers.autokb_retrieval import (
    NODE_RANKS,
    SYSTEMS,
    retrieval_tables,
    unfitting_paraphrases,
)
from autokb.plugins.lab.studies.papers.autokb_sheets import PaperSheets
from autokb.stores.staged import staged_documents
from autokb.stores.workspace import Workspace, open_workspace
from stub_server import StubServer


@pytest.fixture(scope="module")
def built(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers") / "kb"
    shutil.copytree(_built_headphones, folder)
    return folder


@pytest.mark.slow
def test_the_command_prints_the_shape_of_the_interface_and_the_same_bytes(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, pages = [], [tmp_path / "1.html", tmp_path / "2.html"]
    for page in pages:
        assert main(["evaluate", "paper", "autokb", str(hand_made.folder), "--json", "--html", str(page)]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] and pages[0].read_bytes() == pages[1].read_bytes()
    assert pages[0].read_text().count("data:image/svg+xml;base64,") == 2
    found = json.loads(printed[0])
    assert found["paper"] == "autokb" and found["tables"]
    for table in found["tables"]:
        assert {"name", "rows", "columns", "cells"} <= table.keys() <= {"name", "rows", "columns", "cells", "note"}
        assert len(table["cells"]) == len(table["rows"])
        assert all(len(row) == len(table["columns"]) for row in table["cells"])
        for cell in (cell for row in table["cells"] for cell in row):
            assert list(cell) == ["value", "low", "high", "paper", "missing"]
            assert (cell["value"] is None) == (cell["missing"] is not None)


def test_what_is_known_of_the_domain_stands_beside_the_papers(built: Path) -> None:
    statistics = next(tables(PaperRun([open_workspace(built)])))
    assert statistics.name.startswith("Table 1")
    raw, parents, children, solutions, *_ = statistics.cells[0]
    subject = open_subject(open_workspace(built))
    withheld = [one for one in subject.kb.solutions.values() if one.status not in DISPLAYED]
    assert raw.value == len(subject.raw_issues) > len({r for i in subject.kb.issues.values() for r in i.raw_issues})
    assert withheld and solutions.value == len(subject.kb.solutions) - len(withheld)
    assert (raw.paper, parents.paper, children.paper) == (265, 49, 482)
    assert isinstance(raw.value, int) and raw.value > 100


def test_bad_input_is_a_sentence(built: Path) -> None:
    with pytest.raises(BadInputError, match=", ".join(PAPERS)):
        paper_tables("lamps", [built])
    with pytest.raises(BadInputError, match="Name the workspaces"):
        paper_tables("autokb", [])


def test_a_reader_sees_ours_beside_theirs_and_why_something_is_missing() -> None:
    cells = ((Cell(0.5, 0.4, 0.6, 0.7), Cell(paper=3, missing="not judged")),)
    table = Table("Table 9: lamps", ("lamp",), ("light", "heat"), cells, note="It is dark.")
    assert table.lines == [("lamp", "0.500 [0.400, 0.600] (paper: 0.700)", "* (paper: 3)")]
    assert table.below == ["* not judged", "It is dark."]
    with pytest.raises(ValueError, match="not its cells"):
        Table("Table 9", ("a", "b"), ("c",), ((Cell(1),),))


# -- AutoKB, table 2 --------------------------------------------------------------------------------------------------


def test_retrieval_is_measured_by_what_a_question_was_made_from(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = open_subject(hand_made)
    increments, absolute, by_level, by_origin = retrieval_tables([subject])
    assert [row.rsplit(", ", 1)[1] for row in increments.rows] == list(SYSTEMS)
    assert increments.cells[0] == absolute.cells[0]  # the first row is absolute in both
    for place in range(len(NODE_RANKS)):
        raw, vanilla = (absolute.cells[row][place].value for row in (0, 2))
        assert increments.cells[2][place].value == pytest.approx(vanilla - raw)
    assert increments.cells[2][0].paper == 7.5 and by_level.cells[0][0].paper is None
    literal = next(n for n, row in enumerate(absolute.rows) if "algorithm 2 as printed" in row)
    assert {cell.paper for cell in absolute.cells[literal]} == {None}  # the paper prints none for it
    assert len(by_level.rows) == 5 * 3 and "asked by paraphrases of the chunks" in by_origin.name

    def worst_first(index: object, query_vector: object) -> object:  # a planted fault: the search is upside down
        knowledge = index.nodes.knowledge  # type: ignore[attr-defined]
        right = by_cosine(index, query_vector)  # type: ignore[arg-type]
        return lambda text: reversed([node for node in right(text) if node in knowledge.cited])

    by_cosine = evaluate._children_by_cosine
    monkeypatch.setattr(evaluate, "_children_by_cosine", worst_first)
    faulty, *_ = retrieval_tables([subject])
    assert faulty.cells[2][0].value < increments.cells[2][0].value
    assert faulty.cells[0] == increments.cells[0]
    assert "not reproduced" not in faulty.note  # what is below hybrid retrieval now is the other one


def test_paraphrases_that_no_longer_say_what_all_nodes_of_a_tree_fix_are_counted(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    assert unfitting_paraphrases(subject) == 0
    for_hoppers = {  # of two nodes, whose words name no model, each now is for one alone
        key: replace(issue, attributes={**issue.attributes, "model": frozenset({"Hopper"})})
        if key.startswith("rain")
        else issue
        for key, issue in subject.kb.issues.items()
    }
    faulty = replace(subject, kb=replace(subject.kb, issues=for_hoppers))
    assert unfitting_paraphrases(faulty) == pytest.approx(1 / 7)  # of the seven child issues one is of this tree


def test_what_the_paper_leaves_out_is_not_made_up(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    medical = replace(subject, spec=replace(subject.spec, name="medical"))
    _, ours, *_ = retrieval_tables([subject])
    _, theirs, *_ = retrieval_tables([medical])
    assert all(cell.paper is None for row in ours.cells for cell in row)
    assert [cell.paper for cell in theirs.cells[3]] == [72.0, 79.5, 89.5, 94.5]


# -- AutoKB, table 3 and figure 4 -------------------------------------------------------------------------------------


def solved(body: dict[str, Any]) -> dict[str, Any]:
    issues = items(body, "issue")
    steps = ["Contact our support", "Do it on an iPhone"]
    return {
        "answers": [{"number": n, "solutions": [{"title": "Help", "steps": steps}]} for n in range(1, len(issues) + 1)]
    }


def tables_of_quality(workspace: Workspace, judge: str = OFFLINE, budget: float | None = None) -> list[Table]:
    return tables_of(open_subject(workspace), PaperJudge(PaperRun([workspace], judge, budget)))


def tables_of(subject: Subject, judge: PaperJudge) -> list[Table]:
    return [*quality_tables([subject], judge, PaperSheets(judge.run, judge))]


def test_without_a_judge_there_is_no_first_row_and_absolute_values_say_the_rest(hand_made: Workspace) -> None:
    increments, absolute = tables_of_quality(hand_made)
    assert all(cell.value is None and "--judge MODEL" in (cell.missing or "") for cell in increments.cells[0])
    assert [cell.paper for cell in increments.cells[1]] == [22.9, 2.8, 0.22, None]
    unaided, raw, own = absolute.cells
    assert "--judge MODEL" in (unaided[1].missing or "") and "people" in (raw[0].missing or "")
    assert "--sheet" in (own[0].missing or "")
    report = evaluate.evaluate_workspace_quality(hand_made)
    assert own[1].value == pytest.approx(100 * (report.q_d.interval.value or 0))
    assert own[2].value == pytest.approx(report.q_m.interval.value) and raw[2].value is not None


def test_raw_chunks_are_judged_by_the_rules_and_values_in_their_own_words(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    rule = Rule("no-support", "Do not point to support.", forbid=("contact our support",))
    spec = replace(subject.spec, rules=(rule,))
    clean = replace(subject, spec=spec)
    first, *others = clean.chunks
    faulty = replace(clean, chunks=(replace(first, text=f"{first.text}\nContact our support."), *others))
    before, after = (tables_of(one, PaperJudge(PaperRun([])))[1].cells[1][1] for one in (clean, faulty))
    assert before.value is not None and after.value is not None
    assert after.value < before.value


def test_what_a_model_knows_is_the_first_row_and_is_asked_once(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(solved) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        subject = open_subject(workspace)
        judge = PaperJudge(PaperRun([workspace], "openai:scripted"))
        increments, absolute = tables_of(subject, judge)
        asked = server.requests
        figure = example_table(subject, judge)
        assert server.requests == asked > 0
    first, _, own = absolute.cells
    assert first[2].value is not None and increments.cells[0] == first
    assert increments.cells[2][2].value == pytest.approx(own[2].value - first[2].value)
    assert "people" in (increments.cells[2][0].missing or "")
    assert figure is not None and figure.rows == ("AutoKB", "Raw", "LLM-WK")
    assert "Contact our support" in str(figure.cells[2][0].value) and figure.cells[2][2].value is not None


def test_a_spent_budget_leaves_cells_open_and_not_the_tables(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(solved) as server:
        _, absolute = tables_of_quality(asked_of(hand_made, server, monkeypatch), "openai:scripted", 0.000001)
        assert server.requests == 0
    assert all((cell.missing or "").startswith("not judged: ") for cell in absolute.cells[0][1:])
    assert absolute.cells[2][2].value is not None


def test_an_example_says_in_words_what_a_solution_breaks(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    shown = example_table(subject, PaperJudge(PaperRun([])))
    assert shown is not None and shown.cells[0][1].value == "none" and ": " in str(shown.cells[0][2].value)
    words = str(shown.cells[1][0].value)[:20]
    spec = replace(subject.spec, rules=(Rule("r", "Never say so.", forbid=(words,)),))
    faulty = example_table(replace(subject, spec=spec), PaperJudge(PaperRun([])))
    assert faulty is not None and faulty.cells[1][1].value == "r: Never say so."
    (before,), (after,) = shown.pictures, faulty.pictures
    assert 'underline">support<' in before and 'underline">support<' not in after  # that rule is another one now
    assert f'underline">{words.split()[-1]}<' in after and 'font-weight="bold">iPad' not in before
    free = example_table(replace(subject, spec=replace(subject.spec, rules=())), PaperJudge(PaperRun([])))
    assert free is not None and 'font-weight="bold">iPad' in free.pictures[0]  # it names most values, and none breaks


def test_no_word_of_texts_side_by_side_becomes_markup_or_leaves_its_column() -> None:
    evil = "<script>alert('\u202e&')</script>"
    picture = draw_beside({evil: [[MarkedWord(evil, "broken"), MarkedWord("x" * 200)]] * 50})
    root = ElementTree.fromstring(picture)
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "rect", "text", "tspan"}
    assert "<script" not in picture and "\u202e" not in picture and "x" * 45 not in picture
    drawn = [text[0].text for text in root.findall("{*}text")]
    assert 20 < len(drawn) <= 30 and drawn[-1] == "…"


# -- AutoKB, table 6 and figures 1 to 3 -------------------------------------------------------------------------------


def test_one_node_is_said_in_other_words_level_by_level(hand_made: Workspace) -> None:
    shown = paraphrase_table(open_subject(hand_made))
    assert shown is not None and shown.rows[::5] == ("easy 1", "medium 1", "hard 1")
    said = [row[0].value for row in shown.cells if row[0].value]
    assert len(set(said)) == len(said) > 5
    assert shown.name.split("“")[1].split("”")[0] not in said


def test_a_tree_says_which_node_a_question_matches(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    shown = tree_table(subject)
    assert shown is not None and shown.pictures[0].startswith("<svg")
    matches = {row: str(cells[2].value) for row, cells in zip(shown.rows, shown.cells, strict=True)}
    question = shown.name.split("“")[1].rstrip("”")
    assert matches[question] == "exact match" and "SUBSET MATCH" in shown.pictures[0]
    without = {  # a planted fault: the child has lost what tells it from its parent
        key: replace(issue, attributes={}) if issue.text == question else issue
        for key, issue in subject.kb.issues.items()
    }
    faulty = tree_table(replace(subject, kb=replace(subject.kb, issues=without)))
    assert faulty is not None and faulty.cells != shown.cells


def test_no_word_of_a_picture_becomes_markup() -> None:
    evil = "<script>alert('\u202e&')</script>"
    picture = draw_tree(evil, [evil, evil], [evil, evil], ["subset match", "exact match"])
    root = ElementTree.fromstring(picture)
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "rect", "text", "line"}
    assert "<script" not in picture and "\u202e" not in picture


# -- AutoKB, appendices -----------------------------------------------------------------------------------------------


def test_the_papers_formula_gives_the_papers_cost() -> None:
    *steps, total, model, people, _ = (figure for (figure,) in PAPER.printed("costs").values())
    assert sum(steps) == total
    assert model_usd(sum(steps)) == pytest.approx(model)
    assert people_usd(265) == pytest.approx(people, abs=0.01)


def test_a_workspace_costs_by_its_own_counts_and_nothing_offline(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    shown = cost_table(subject)
    values = {row: [cell.value for cell in cells] for row, cells in zip(shown.rows, shown.cells, strict=True)}
    assert values["issue deduplication"] == [len(subject.raw_issues) + 1, 0]
    assert values["solution generation"] == [len(subject.kb.issues), 0]
    total = int(str(values["calls in all"][0]))
    assert total == sum(of[0] for of in list(values.values())[:5]) and "without a model" in shown.note
    assert values["model, USD"] == [pytest.approx(model_usd(total), abs=1e-4), 0.0]
    assert shown.cells[-1][1].missing == "nothing was spent, so there is no ratio"
    fewer = cost_table(replace(subject, kb=replace(subject.kb, solutions={})))
    assert fewer.cells[shown.rows.index("calls in all")][0].value == total - len(subject.kb.solutions)


def test_agreement_of_two_people_is_that_of_the_page_or_needs_people(hand_made: Workspace) -> None:
    def agreed() -> dict[str, tuple[Cell, ...]]:
        judge = PaperJudge(PaperRun([hand_made]))
        table = agreement_table([subject], judge, PaperSheets(judge.run, judge))
        return {row.partition(", ")[2]: cells for row, cells in zip(table.rows, table.cells, strict=True)}

    subject = open_subject(hand_made)
    empty = agreed()
    assert all("needs people" in (row[0].missing or "") and row[2].value == 0 for row in empty.values())
    assert {name: row[0].paper for name, row in empty.items() if row[0].paper} == {
        "rules by the model": 97.0,
        "attributes by the model": 94.0,
        "correct by two people": 97.0,
    }
    asked = sheet_items(subject.kb.solutions.values(), subject.kb.issues)
    for annotator in asked:
        for item in asked["2"]:
            annotate(hand_made, item.id, annotator, is_correct=annotator == "1")
    accuracy, _, compared = agreed()["correct by two people"]
    assert (accuracy.value, compared.value) == (0.0, len(asked["2"]))


@pytest.mark.slow
def test_the_chunkers_are_measured_on_the_files_that_the_documents_were_read_from(built: Path, tmp_path: Path) -> None:
    found = {table.name.partition(":")[0]: table for table in paper_tables("autochunker", [built]).tables}
    features = found["Table 1"]
    ours = dict(zip(features.columns, features.cells[features.rows.index("AutoChunker")], strict=True))
    assert ours["retrieval by context"].value == "no" and ours["retrieval by context"].paper == "yes"
    lgmgc = features.cells[features.rows.index("LGMGC")]
    assert all(cell.value is None and "not built here" in (cell.missing or "") for cell in lgmgc)
    judged = found["Table 2"]
    assert all(cell.missing == NOT_JUDGED and cell.paper is not None for row in judged.cells for cell in row)
    counted = found["Table 2, counted without a judge"]
    of_rows = dict(zip(counted.rows, counted.cells, strict=True))
    dropped = {row: cells[counted.columns.index("left out %")].value for row, cells in of_rows.items()}
    assert dropped["Recursive, Markdown"] == 0 and isinstance(dropped["AutoChunker, Markdown (by rules)"], float)
    assert "the paper's Support pages" in judged.name
    placed = found["Table 3, by places without a judge"]
    assert all(cell.value is None and "--cases FILE" in (cell.missing or "") for row in placed.cells for cell in row)
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    with pytest.raises(BadInputError, match="add them again"):
        paper_tables("autochunker", [kb.workspace.folder])


PAGE = """\
<html><body><nav><a href="/">Start</a> <a href="/kettles">Kettles</a></nav><main><h1>Kettle</h1>
<p>The kettle is made of steel and boils a litre of water within three minutes on any stove.</p>
<h2>Lime</h2><p>Lime is left by hard water. It settles on the bottom of the kettle and makes it loud and slow.</p>
<p>Vinegar takes the lime away when it is boiled once and left in the kettle for an hour.</p></main>
<footer>All words are free to use. <a href="/terms">Terms</a></footer></body></html>
"""


def test_a_wikipedia_stands_beside_its_own_column_and_places_are_measured(tmp_path: Path) -> None:
    folders = []
    for name in ("wikipedia", "kitchen"):
        page = tmp_path / f"about_{name}.html"
        page.write_text(PAGE, encoding="utf-8")
        kb = SupportKB.create(tmp_path / name)
        kb.add([page])
        with kb.workspace.file() as file:
            (document,) = staged_documents(file)
        folders.append(kb.workspace.folder)
    place = document.text.index("Vinegar")
    record = {
        "question": "What takes lime out of the kettle?",
        "document": "about_kitchen",
        "references": [{"start": place, "end": place + len("Vinegar takes the lime away")}],
    }
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(record), encoding="utf-8")
    found = paper_tables("autochunker", folders, cases=cases).tables
    by_kind = {kind: [t for t in found if t.name.startswith(kind)] for kind in ("Table 2: ", "Table 3: ", "Table 3, ")}
    printed = [
        [cell.paper for cell in table.cells[0]] for kind in ("Table 2: ", "Table 3: ") for table in by_kind[kind]
    ]
    assert printed == [
        [29.83, 18.45, 25.12, 82.54],
        [27.56, 15.36, 23.60, 84.38],
        [58.45, 48.92, 37.84],
        [60.75, 51.25, 39.15],
    ]
    without, placed = by_kind["Table 3, "]
    assert all(cell.missing for row in without.cells for cell in row)
    assert all(cells[placed.columns.index("recall@5 %")].value == 100 for cells in placed.cells)
    assert "of 1 questions" in placed.note
