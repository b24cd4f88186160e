"""Reports of resolution times, knowledge from resolved tickets, and drafts of templates."""

from __future__ import annotations

from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.ticket_template import read_template
from autokb.core.yaml_text import parse_yaml
from autokb.stores.ticket_tables import read_field_values

HOURS = {"T-1": 2, "T-2": 4, "T-3": 9, "T-4": 1}


def records() -> list[dict[str, object]]:
    found = []
    for n, (key, hours) in enumerate(HOURS.items()):
        found.append(
            small_tickets.record(
                key,
                f"Problem number {n}",
                "h3. Customer impact\nMany.\n\nh3. Steps to reproduce\nPress it.",
                created=f"202{n}-01-01T00:00:00.000+0000",
                resolutiondate=f"202{n}-01-01T0{hours}:00:00.000+0000",
                resolution={"name": "Fixed"},
                priority={"name": "High" if n < 2 else "Low"},
                components=[{"name": "Camera"}, {"name": "Lens"}] if n == 0 else [],
                comments=["I see it too.", "Fixed by oiling the hinge."] if n < 3 else ["Closing."],
                links={"Duplicate": "T-1"} if n == 3 else {},
            )
        )
    return [*found, small_tickets.record("T-5", "Not yet done", "It waits.", priority={"name": "Low"})]


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    kb.add([small_tickets.write(tmp_path / "tickets.json", records())], "tickets")
    return kb


def test_times_of_groups_of_a_field(kb: SupportKB) -> None:
    kb.tickets.build()
    groups = kb.tickets.report("priority").groups
    assert {name: (g.n, g.unresolved, g.mean, g.p50) for name, g in groups.items()} == {
        "Low": (2, 1, 5.0, 5.0),
        "High": (2, 0, 3.0, 3.0),
    }
    assert groups["High"].intervals["mean"] == (2.0, 4.0)
    by_component = kb.tickets.report("component").groups
    assert {name: g.n for name, g in by_component.items()} == {"(none)": 3, "Camera": 1, "Lens": 1}
    assert by_component["Lens"].intervals["p90"] == (None, None)


def test_times_before_and_from_a_date(kb: SupportKB) -> None:
    kb.tickets.build()
    groups = kb.tickets.report("created<2022-01-01").groups
    assert {name: (g.n, g.mean) for name, g in groups.items()} == {
        "created before 2022-01-01": (2, 3.0),
        "created from 2022-01-01": (3 - 1, 5.0),
    }


def test_a_report_by_what_there_is_not_says_what_there_is(kb: SupportKB) -> None:
    with pytest.raises(BadInputError, match="No ticket is published yet"):
        kb.tickets.report("priority")
    kb.tickets.build()
    with pytest.raises(BadInputError, match=r"tickets have no such field; name one of .*priority"):
        kb.tickets.report("colour")
    with pytest.raises(BadInputError, match="no 'deleted'"):
        kb.tickets.report("deleted<2020-01-01")


def test_resolved_tickets_become_documents_and_raw_issues_that_they_resolve(kb: SupportKB) -> None:
    kb.tickets.build()
    fed = kb.tickets.ingest()
    assert (fed.documents, fed.issues, fed.removed) == (3, 4, 0)
    assert fed.left_out == {"not resolved": 1, "does not say how": 1}
    with kb.workspace.file() as file:
        documents = {s.id: s.body for s in file.staged("documents")}
        issues = {s.id: s.body for s in file.staged("issues")}
    assert set(documents) == {"T-1", "T-2", "T-3"}
    assert documents["T-1"]["text"].startswith("# Problem number 0\n\n## Answer\n\nFixed by oiling the hinge.\n\n")
    assert issues["T-4"]["resolved_by"] == ["T-1"]
    assert issues["T-2"]["resolved_by"] == ["T-2"]
    again = kb.tickets.ingest()
    assert (again.documents, again.issues, again.removed) == (3, 4, 0)
    assert [(s.kind, s.path) for s in kb.sources().sources if s.kind == "import"] == [("import", "tickets")]
    kb.remove(["tickets"])
    with kb.workspace.file() as file:
        assert not file.staged("documents")


def test_a_template_is_drafted_by_counting_and_reads_as_a_domain(kb: SupportKB) -> None:
    drafted = kb.tickets.draft_template()
    assert [(s["name"], s["parent"], s["headings"]) for s in drafted.sections] == [
        ("customer_impact", "description", ("customer impact",))
    ] or [(s["name"], s["parent"]) for s in drafted.sections] == [("customer_impact", "description")]
    data = parse_yaml(Path(drafted.file).read_text(encoding="utf-8"), "draft")
    template = read_template(data["tickets"])
    assert "customer_impact" in template
    assert template["customer_impact"].parent == "description"
    assert "4 of 5 tickets have this heading" in drafted.yaml
    assert template["steps_to_reproduce"].headings
    assert template.links


def test_without_tickets_there_is_nothing_to_draft_from(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    with pytest.raises(BadInputError, match="add tickets first"):
        kb.tickets.draft_template()
    with pytest.raises(BadInputError, match="No ticket is published yet"):
        kb.tickets.ingest()


def test_the_values_of_a_list_are_its_parts(kb: SupportKB) -> None:
    kb.tickets.build()
    with kb.workspace.file() as file:
        assert read_field_values(file, ["component"], {"component"}) == {"component": ["Camera", "Lens"]}
        assert read_field_values(file, ["component"]) == {"component": ["Camera, Lens"]}
