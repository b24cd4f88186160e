"""What an approval is worth once its source has changed, and what readers see before anybody approved."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from autokb.app import SupportKB
from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError

PAGE = "# Lamp stays dark\n\n1. Switch the lamp off at the wall for {} seconds.\n2. Screw the bulb in firmly.\n"
OTHER = "# Lamp flickers\n\n1. Replace the dimmer of the lamp by another one.\n"
DOMAIN = {"name": "lamps", "description": "Lamps for the desk."}


def built(folder: Path, **review: object) -> SupportKB:
    """Build a knowledge base of one page and some reports, with a way of reviewing."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "lamp.md").write_text(PAGE.format(10), encoding="utf-8")
    (folder / "docs" / "flicker.md").write_text(OTHER, encoding="utf-8")
    (folder / "issues.csv").write_text("id,text\n1,My lamp stays dark\n2,The lamp stays dark\n", encoding="utf-8")
    domain = folder / "domain.yaml"
    domain.write_text(yaml.safe_dump({**DOMAIN, "review": review} if review else DOMAIN), encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(domain))
    kb.add([folder / "docs"], "documents")
    kb.add([folder / "issues.csv"], "issues")
    kb.build()
    return kb


def rewritten(kb: SupportKB, seconds: int) -> SupportKB:
    """Build again with another number of seconds in the page."""
    docs = kb.workspace.folder.parent / "docs"
    (docs / "lamp.md").write_text(PAGE.format(seconds), encoding="utf-8")
    kb.add([docs], "documents")
    kb.build()
    return kb


def approve(kb: SupportKB) -> str:
    """Approve what a customer of a dark lamp is shown."""
    solution = kb.ask("my lamp stays dark").matches[0].solutions[0].id
    kb.curation.approve([solution], author="ann")
    return solution


def test_readers_keep_what_was_approved_and_it_heads_the_queue_with_both_texts(tmp_path: Path) -> None:
    kb = built(tmp_path)
    solution = approve(kb)
    rewritten(kb, 90)
    shown = kb.views.solution(solution)
    assert (shown.status, "for 10 seconds" in shown.text, shown.judged_by) == ("approved", True, "ann")
    assert "for 10 seconds" in kb.ask("my lamp stays dark").shown[0].text
    (item,) = kb.curation.review(kind="source_changed").items
    assert kb.curation.review().items[0].id == item.id == solution
    assert item.source_text is not None and "for 90 seconds" in item.source_text
    assert item.solution is not None and "for 10 seconds" in item.solution.text
    assert "approved by ann" in item.reasons[0].text
    rewritten(kb, 95)
    assert "for 10 seconds" in kb.views.solution(solution).text  # and again


def test_a_reviewer_approves_the_old_text_again_or_takes_the_new_one(tmp_path: Path) -> None:
    kb = built(tmp_path)
    solution = approve(kb)
    rewritten(kb, 90)
    assert kb.curation.approve([solution], author="bob").changed == 1
    assert kb.curation.review(kind="source_changed").items == ()
    assert "for 10 seconds" in kb.views.solution(solution).text
    rewritten(kb, 91)
    assert [one.id for one in kb.curation.review(kind="source_changed").items] == [solution]
    kb.curation.undo(solution)
    kb.curation.undo(solution)
    shown = kb.views.solution(solution)
    assert "for 91 seconds" in shown.text and shown.status == "displayed"


@pytest.mark.parametrize(("changed", "status"), [("withdraw", "withheld"), ("show", "displayed")])
def test_a_team_may_show_none_of_it_or_the_new_text(tmp_path: Path, changed: str, status: str) -> None:
    kb = built(tmp_path, changed=changed)
    solution = approve(kb)
    rewritten(kb, 90)
    shown = kb.views.solution(solution)
    assert (shown.status, "for 90 seconds" in shown.text) == (status, True)
    (item,) = kb.curation.review(kind="source_changed").items
    assert item.id == solution and kb.curation.review().items[0].id == solution
    kb.curation.approve([solution], author="bob")
    assert kb.views.solution(solution).status == "approved"


def test_what_nobody_approved_can_be_held_back(tmp_path: Path) -> None:
    kb = built(tmp_path, show="approved")
    (item,) = (one for one in kb.curation.review().items if one.solution and "stays dark" in one.solution.text)
    assert [reason.kind for reason in item.reasons][-1] == "unreviewed"
    assert all(not match.solutions for match in kb.ask("my lamp stays dark").matches)
    kb.curation.approve([item.id], author="ann")
    assert [s.id for s in kb.ask("my lamp stays dark").matches[0].solutions] == [item.id]


def test_a_domain_says_so_in_known_words() -> None:
    with pytest.raises(BadInputError, match="changed must be keep, withdraw or show, not 'drop'"):
        read_domain({**DOMAIN, "review": {"changed": "drop"}})
    with pytest.raises(BadInputError, match="show must be all or approved, not True"):
        read_domain({**DOMAIN, "review": {"show": True}})
