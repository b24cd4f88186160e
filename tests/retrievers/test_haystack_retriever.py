"""The Haystack component works in a pipeline, whose file holds no key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="the extra haystack is not installed")

from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.telemetry import _telemetry
from haystack.utils import Secret

from autokb.app import SupportKB
from autokb.retrievers.haystack import AutokbRetriever
from autokb.retrievers.sections import API_KEY, Sections
from served_workspace import served

QUESTION = "no sound although connected"
OURS = ["autokb.retrievers.haystack"]


def test_these_tests_report_nothing_to_anybody() -> None:
    assert _telemetry.telemetry is None


def test_a_document_has_source_place_audience_and_score(folder: str, url: str) -> None:
    sections = Sections(folder).find(QUESTION, {"os": "iOS"}, 3)
    given = AutokbRetriever(folder, 3).run(QUESTION, attributes={"os": ["iOS"]})["documents"]
    assert [(one.id, one.content, one.score) for one in given] == [(s.id, s.text, s.score) for s in sections]
    assert {"source", "start", "end", "audience", "issue"} <= set(given[0].meta)
    assert given == AutokbRetriever(url, attributes={"os": ["iOS"]}).run(QUESTION, top_k=3)["documents"]


def test_a_pipeline_is_what_its_file_says(folder: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", AutokbRetriever(folder, 2, {"os": ["Android"]}))
    pipeline.add_component(
        "prompt", PromptBuilder("{% for one in documents %}[{{ one.meta.source }}] {{ one.content }}\n{% endfor %}")
    )
    pipeline.connect("retriever.documents", "prompt.documents")
    prompt = pipeline.run({"retriever": {"query": QUESTION}})["prompt"]["prompt"]
    assert prompt.count("[no-sound.html]") == 2
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=OURS)
    assert again.run({"retriever": {"query": QUESTION}})["prompt"]["prompt"] == prompt
    assert API_KEY in pipeline.dumps()


def test_a_key_never_stands_in_a_file(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY, "secret-key")
    assert "secret-key" not in str(AutokbRetriever(url).to_dict())
    for key in ("secret-key", Secret.from_token("secret-key")):
        with pytest.raises(ValueError, match="Cannot serialize"):
            AutokbRetriever(url, api_key=key).to_dict()


def test_a_key_may_be_given_as_text(_built_headphones: Path, tmp_path: Path) -> None:
    kb = SupportKB.open(shutil.copytree(_built_headphones, tmp_path / "kb"))
    with served(kb.workspace.folder) as address:
        key = kb.keys.create("reader").key
        assert AutokbRetriever(address, 1, api_key=key).run(QUESTION)["documents"]
