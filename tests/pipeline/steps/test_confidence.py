"""The confidence in whole messages is held against the workspace's own outcomes, where it has enough of them."""

from __future__ import annotations

import json
from pathlib import Path

from autokb.app import SupportKB
from autokb.retrieval.recalibration import FEWEST, UNCHANGED, Recalibration
from autokb.sources.reading import Fields
from autokb.stores.published import read_published

STORY = (
    "Hello, my grandmother bought the kettle last spring in the market beside the old church and was happy until "
    "Sunday, when visitors came, the kitchen was full, somebody spilled milk and since then the kettle does not heat."
)


def built(folder: Path, texts: list[str]) -> SupportKB:
    """Build two pages with issues, each resolved by one of them."""
    kb = SupportKB.create(folder / "kb")
    (folder / "heat.md").write_text(
        "# The kettle does not heat\n\n1. Push the plug in.\n2. Press the switch until it clicks.\n", encoding="utf-8"
    )
    (folder / "lid.md").write_text("# The lid does not open\n\n1. Press the button beside the lid.\n", encoding="utf-8")
    kb.add([folder / "heat.md", folder / "lid.md"])
    if texts:
        lines = [json.dumps({"id": str(n), "text": t, "resolved_by": "lid.md"}) for n, t in enumerate(texts)]
        (folder / "issues.jsonl").write_text("\n".join(lines), encoding="utf-8")
        kb.add([folder / "issues.jsonl"], "issues", Fields(resolved_by="resolved_by"))
    kb.build()
    return kb


def recalibration(kb: SupportKB) -> Recalibration:
    with kb.workspace.file() as file:
        found = read_published(file).settings.get("message_confidence")
    return Recalibration(**found) if found else UNCHANGED


def test_short_issues_with_outcomes_leave_messages_as_they_are(tmp_path: Path) -> None:
    texts = [f"the lid does not open, report {n} of this week" for n in range(FEWEST)]
    assert recalibration(built(tmp_path, texts)) == UNCHANGED


def test_messages_that_another_page_helped_lower_the_confidence(tmp_path: Path) -> None:
    kb = built(tmp_path, [f"{STORY} This is report {n} of this week." for n in range(FEWEST + 5)])
    fitted = recalibration(kb)
    assert fitted.issues == FEWEST + 5
    assert fitted.of(2.0, 1.0) < 0.3 < UNCHANGED.of(2.0, 1.0)
