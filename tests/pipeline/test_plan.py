"""A plan of a first build comes near what the build then asks, from the workspace's own clusters and documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.pipeline.build_report import BuildReport
from autokb.pipeline.plan import Plan
from model_workspace import DOCUMENTS, ISSUES, PRICES, made
from scripted_model import ScriptedModel
from stub_server import StubServer

NEAR = 0.25
PAID_EMBEDDER = f"{PRICES}embedder: openai:tiny\n"
# The same page, once with one way for everybody and once with one for each system and model.
ONE_WAY = "# Connect the app\n\nWhen the app does not connect to the kettle:\n\n1. Open the app.\n2. Tap Add kettle.\n"
WAYS = (
    "# Connect the app\n\nWhen the app does not connect to the kettle:\n\n"
    "## When the app does not connect on Android\n\n1. Open the app on the Android phone.\n2. Tap Add kettle.\n\n"
    "## When the app does not connect on iOS\n\n1. Open the app on the iPhone.\n2. Tap the kettle in the list.\n"
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A model with one or two children a tree and solutions a node."""
    with StubServer(ScriptedModel(lambda seed: 1 + len(seed) % 2, lambda issue: 1 + len(issue) % 2)) as running:
        yield running


def figures(found: Plan | BuildReport) -> dict[str, float]:
    return {"calls": found.calls, "input": found.tokens.input, "output": found.tokens.output}


def test_a_first_build_asks_what_was_planned_within_a_quarter(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url)
    planned = figures(kb.plan())
    assert server.requests == 0
    asked = figures(kb.build())
    assert planned == pytest.approx(asked, rel=NEAR)
    assert kb.plan().calls == 0


def test_paper_mode_is_planned_within_a_quarter(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url, mode="paper")
    planned = figures(kb.plan())
    asked = figures(kb.build())
    assert planned == pytest.approx(asked, rel=NEAR)


def test_rules_are_planned_for_each_text_once(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url)
    planned = kb.plan()
    kb.build()
    assert planned.stages["rules"].calls == kb.costs().stages["rules"].calls


def test_what_manuals_distinguish_is_planned_as_children(server: StubServer, tmp_path: Path) -> None:
    issues = {"k1": "The app does not connect to the kettle"}  # nobody said which phone
    others = {name: text for name, text in DOCUMENTS.items() if name != "app.md"}
    written = []
    for name, page in (("one", ONE_WAY), ("several", WAYS)):
        kb = made(tmp_path / name, server.url, documents={**others, "app.md": page}, issues=issues)
        written.append(kb.plan().stages["trees"].tokens.output)
    assert written[1] >= 1.5 * written[0]


def test_issues_are_grouped_before_a_paid_embedder_read_them(server: StubServer, tmp_path: Path) -> None:
    free = made(tmp_path / "free", server.url).plan()
    paid = made(tmp_path / "paid", server.url, settings=PAID_EMBEDDER).plan()
    assert server.requests == 0 and not server.embedded
    assert paid.stages["trees"].calls == free.stages["trees"].calls < len(ISSUES)
    assert paid.stages["embeddings"].tokens.input > 0 == free.stages["embeddings"].tokens.input


def test_a_build_encodes_nothing_that_its_plan_encoded(server: StubServer, tmp_path: Path) -> None:
    planned = made(tmp_path / "planned", server.url)
    planned.plan()
    after_plan = planned.build()
    alone = made(tmp_path / "alone", server.url).build()
    assert after_plan.stages["embeddings"].computed < alone.stages["embeddings"].computed / 2
