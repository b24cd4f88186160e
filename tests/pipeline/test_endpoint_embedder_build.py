"""A build whose vectors come from an endpoint: each text is asked for once, counted, and tied to its embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.spending import Tokens
from autokb.sources import Fields
from stub_server import Fault, StubServer, status

DOMAIN = "name: kettles\nattributes:\n  kind: {kind: closed, values: [Glass, Steel]}\n"
SETTINGS = "embedder: openai:tiny{dimensions}\nbase_url: {url}\nretries: 1\n"
DOCUMENT = "# Leaks {n}\n\nIf kettle {n} leaks:\n\n1. Press seal {n} into the lid.\n2. Close the lid.\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
    with StubServer() as running:
        yield running


@pytest.fixture
def folder(server: StubServer, tmp_path: Path) -> Path:
    """A workspace with forty documents and forty issues, not built yet."""
    (tmp_path / "docs").mkdir()
    for n in range(40):
        (tmp_path / "docs" / f"leak-{n}.md").write_text(DOCUMENT.format(n=n), encoding="utf-8")
    lines = (json.dumps({"id": f"k{n}", "text": f"Kettle {n} leaks"}) + "\n" for n in range(40))
    (tmp_path / "issues.jsonl").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    kb.add([tmp_path / "docs"], "documents")
    kb.add([tmp_path / "issues.jsonl"], "issues", fields=Fields(id="id", text="text"))
    write_settings(tmp_path / "kb", server)
    return tmp_path / "kb"


def write_settings(folder: Path, server: StubServer, dimensions: str = "") -> None:
    """Name the stub as the embedder's endpoint."""
    (folder / "settings.yaml").write_text(SETTINGS.format(dimensions=dimensions, url=server.url), encoding="utf-8")


def asked(server: StubServer) -> list[str]:
    """Every text that was sent, in order."""
    return [text for body in server.embedded for text in body["input"]]


def test_each_text_is_asked_for_once_and_counted(folder: Path, server: StubServer) -> None:
    built = SupportKB.open(folder).build()
    texts = asked(server)
    assert len(texts) == len(set(texts)) > 80
    assert {"Kettle 0 leaks", "Kettle 39 leaks"} <= set(texts)
    assert built.stages["embeddings"].computed == len(texts)
    assert built.calls == len(server.embedded)
    assert built.tokens == Tokens(sum(sum(map(len, b["input"])) // 4 for b in server.embedded), 0)
    assert built.cost is None  # nobody knows what this model costs
    again = SupportKB.open(folder).build()
    assert (again.calls, again.stages["embeddings"].computed, asked(server)) == (0, 0, texts)
    found = SupportKB.open(folder).ask("Kettle 7 leaks")
    assert asked(server) == [*texts, "Kettle 7 leaks"]
    assert len(found.matches) <= 5


def test_no_node_is_kept_silent_by_a_probability_that_was_not_fitted_on_its_vectors(folder: Path) -> None:
    kb = SupportKB.open(folder)
    assert kb.build().solutions > 0
    nodes = [node for tree in kb.views.show().trees for node in (tree, *tree.children)]
    assert all(kb.views.show_issue(node.id).solutions for node in nodes if node.parent_id is None)


@pytest.mark.slow
def test_a_plan_asks_nothing(folder: Path, server: StubServer) -> None:
    SupportKB.open(folder).plan()
    assert server.embedded == []


def test_what_was_embedded_before_an_endpoint_broke_is_not_asked_for_again(folder: Path, server: StubServer) -> None:
    def broken(_body: object) -> Fault | None:
        return status(500) if len(server.embedded) > 2 else None

    server.embed = broken
    with pytest.raises(AutokbError, match="What was embedded before is kept"):
        SupportKB.open(folder).build()
    kept = [text for body in server.embedded[:2] for text in body["input"]]
    server.embed = None
    server.embedded.clear()
    SupportKB.open(folder).build()
    assert len(kept) > 32 and asked(server)
    assert set(kept).isdisjoint(asked(server))


def test_a_refused_key_ends_the_build_at_once(folder: Path, server: StubServer) -> None:
    server.embed = lambda _body: status(401)
    with pytest.raises(BadInputError, match="OPENAI_API_KEY was refused"):
        SupportKB.open(folder).build()
    assert len(server.embedded) == 1


def test_a_question_is_not_answered_with_another_embedders_gate(folder: Path, server: StubServer) -> None:
    SupportKB.open(folder).build()
    write_settings(folder, server, "?dimensions=8")
    with pytest.raises(BadInputError, match=r"encoder openai:tiny, not openai:tiny\?dimensions=8"):
        SupportKB.open(folder).ask("Kettle 7 leaks")
