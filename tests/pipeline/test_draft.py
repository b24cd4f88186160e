"""A draft beside domain.yaml: it reads, it keeps what is there, and it never writes over a person's work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.app.create import create
from autokb.core.domain import read_domain
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.yaml_text import parse_yaml
from autokb.pipeline.draft_spec import DRAFT_FILE, draft_spec
from autokb.pipeline.model_session import ModelOptions
from autokb.stores.workspace import Workspace, open_workspace
from stub_server import StubServer

DOMAIN = """\
name: lumo
description: "Headphones: on & off"
attributes:
  # a person's own remark
  wing: {kind: closed, values: [Yes, No, 1.10], implies: {Yes: {os: [iOS]}}}
  os: {kind: closed, values: [Android, iOS, Windows, Mac]}
rules:
  - Be kind.
  - {id: no-support, text: 'No: never', patterns: ['call\\s+#us']}
reply: {max_words: 30}
"""


@pytest.fixture
def filled(headphones: Workspace) -> Workspace:
    """A workspace with a domain of its own and the documents and issues of the headphones."""
    (headphones.folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    return open_workspace(headphones.folder)


def asked_of(workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
    (workspace.folder / "settings.yaml").write_text(yaml.safe_dump(settings))
    return open_workspace(workspace.folder, model="openai:scripted")


def test_the_draft_has_what_domain_yaml_has_and_the_proposals_behind_it(filled: Workspace) -> None:
    answer = draft_spec(filled).as_json()
    text = (filled.folder / DRAFT_FILE).read_text(encoding="utf-8")
    assert (answer["file"], answer["yaml"]) == (str(filled.folder / DRAFT_FILE), text)
    read, own = read_domain(parse_yaml(text, DRAFT_FILE)), read_domain(parse_yaml(DOMAIN, "domain.yaml"))
    assert list(read.attributes) == ["wing", "os", "headphone_type", "device", "connectivity"]
    assert {name: read.attributes[name] for name in own.attributes} == dict(own.attributes)
    assert read.rules[:2] == own.rules
    assert [rule.id for rule in read.rules[2:]] == ["no-service-centre", "no-manual", "no-secrets"]
    assert (read.description, read.reply) == (own.description, own.reply)
    assert "  # Named so often: Wired in 21 issues and 10 documents" in text
    assert (filled.folder / "domain.yaml").read_text(encoding="utf-8") == DOMAIN
    assert (answer["made_by"], answer["model"], answer["calls"], answer["cost"]) == (
        "counting words",
        "offline",
        0,
        0.0,
    )
    assert answer["sample"] == {"issues": 203, "documents": 18}
    assert [a["name"] for a in answer["attributes"]] == ["headphone_type", "device", "connectivity"]
    assert answer["attributes"][0]["synonyms"]["Earphone"] == ["earphones"]


def test_a_draft_that_somebody_edited_stays_and_the_next_gets_a_number(filled: Workspace) -> None:
    first = Path(draft_spec(filled).file)
    assert Path(draft_spec(filled).file) == first  # unchanged: replaced
    edited = first.read_text(encoding="utf-8").replace("Earphone", "Ear phone")
    first.write_text(edited, encoding="utf-8")
    second = Path(draft_spec(filled).file)
    assert (second.name, first.read_text(encoding="utf-8")) == ("domain.draft-2.yaml", edited)
    second.write_bytes(b"\xff no text")
    assert Path(draft_spec(filled).file).name == "domain.draft-3.yaml"
    assert second.read_bytes() == b"\xff no text"


def test_an_accepted_draft_leaves_nothing_to_propose(filled: Workspace) -> None:
    drafted = draft_spec(filled).as_json()
    (filled.folder / "domain.yaml").write_text(drafted["yaml"], encoding="utf-8")
    again = draft_spec(open_workspace(filled.folder)).as_json()
    assert (again["attributes"], again["rules"]) == ([], [])


def test_without_sources_there_is_nothing_to_draft_from(tmp_path: Path) -> None:
    create(tmp_path / "kb")
    with pytest.raises(BadInputError, match="autokb add"):
        draft_spec(open_workspace(tmp_path / "kb"))
    assert not (tmp_path / "kb" / DRAFT_FILE).exists()


HOSTILE = "It differs.\nattributes: {}\n---\n# \u2028 - {id: evil}"


def test_a_model_drafts_within_its_sample_and_nothing_it_says_leaves_its_place(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bud = {"name": "tip", "why": HOSTILE, "issues": [2, 1], "kind": "closed", "examples": []}
    bud |= {"values": ["Foam: soft", "#Silicone", "Any"], "synonyms": [{"value": "#Silicone", "words": ["- rubber"]}]}
    rule = {"id": "no-water", "text": "No water: never\n- {id: x}", "why": HOSTILE}
    reply = {"answers": [{"number": 1, "attributes": [bud], "rules": [rule]}]}
    with StubServer(lambda _body: reply) as server:
        answer = draft_spec(asked_of(filled, server, monkeypatch), options=ModelOptions(budget=1.0)).as_json()
        assert server.requests == 2  # the unwanted value was worth one repair
        again = draft_spec(asked_of(filled, server, monkeypatch)).as_json()
        assert (server.requests, again["calls"]) == (2, 0)  # paid for once
    assert (answer["made_by"], answer["model"], answer["calls"]) == ("model", "openai:scripted", 2)
    assert answer["tokens"]["input"] > 1_000 and 0 < answer["cost"] < 1.0
    assert answer["sample"] == {"issues": 150, "documents": 18}
    (tip,) = answer["attributes"]
    assert (tip["values"], tip["synonyms"]) == (["Foam: soft", "#Silicone"], {"#Silicone": ["- rubber"]})
    assert len(tip["issues"]) == 2 and all(number.startswith("H0") for number in tip["issues"])
    assert answer["left_out"] == ["tip: 'Any' is no value; Any and NONE are understood already"]
    read = read_domain(parse_yaml(answer["yaml"], DRAFT_FILE))
    assert list(read.attributes) == ["wing", "os", "tip"]
    assert [r.id for r in read.rules] == ["rule-1", "no-support", "no-water"]
    assert read.rules[2].text == "No water: never - {id: x}"


def test_a_model_reads_a_sample_of_bounded_size(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"answers": [{"number": 1, "attributes": [], "rules": []}]}
    with StubServer(lambda _body: nothing) as server:
        draft_spec(asked_of(filled, server, monkeypatch))
        (body,) = server.bodies
    user = body["messages"][-1]["content"]
    issues = user.split("<issues>\n")[1].split("\n</issues>")[0].split("\n")
    assert len(issues) == 150 and all(len(line) < 420 for line in issues)
    assert len(user) < 75_000


def test_no_draft_is_a_failure_with_its_reason(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _body: "I would rather not.") as server, pytest.raises(AutokbError, match="no JSON object"):
        draft_spec(asked_of(filled, server, monkeypatch))
    assert not (filled.folder / DRAFT_FILE).exists()


def test_the_answer_is_json(filled: Workspace) -> None:
    answer: dict[str, Any] = draft_spec(filled).as_json()
    assert json.loads(json.dumps(answer)) == answer
