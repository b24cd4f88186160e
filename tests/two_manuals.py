"""A knowledge base of two manuals and what customers wrote, built from their texts."""

from __future__ import annotations

from pathlib import Path

from autokb.app import SupportKB


def build_two_manuals(place: Path, router: str, box: str, issues: str) -> Path:
    """Build a knowledge base in ``kb`` of a folder, from ``manuals`` and ``issues.csv`` that it writes there."""
    (place / "manuals").mkdir()
    (place / "manuals" / "router.md").write_text(router, encoding="utf-8")
    (place / "manuals" / "box.md").write_text(box, encoding="utf-8")
    (place / "issues.csv").write_text(issues, encoding="utf-8")
    kb = SupportKB.create(place / "kb")
    kb.add([place / "issues.csv"], "issues")
    kb.add([place / "manuals"])
    kb.build()
    kb.close()
    return place
