"""What a build changed for readers is told exactly, and what people decided is told what became of its source."""

from __future__ import annotations

import copy
from pathlib import Path

from benchmarks.decisions import DOMAIN, ISSUES, PAGES, Sources

from autokb.app import SupportKB
from autokb.core.nouns import DISPLAYED


def shown(kb: SupportKB) -> dict[str, tuple[str, str]]:
    return {one.id: (one.text, one.status) for one in kb.views.solutions().items if one.status in DISPLAYED}


def test_builds_tell_what_they_changed(tmp_path: Path) -> None:
    sources = Sources(tmp_path / "source", copy.deepcopy(PAGES), dict(ISSUES))
    kb = sources.make_workspace(tmp_path / "kb")
    assert kb.views.changes().built_at is None
    kb.build()
    told, first = kb.views.changes(), shown(kb)
    assert {one.solution: (one.after, one.status_after) for one in told.added} == first
    assert all(one.before is None and one.status_before is None for one in told.added)
    assert [one.document for one in told.documents.added] == sorted(PAGES)
    assert told.counts["added"] == len(first) and told.left_out == 0 and not told.removed and not told.changed

    (noise,) = [one for one in kb.views.solutions().items if one.evidence and one.evidence[0].document == "noise.md"][
        :1
    ]
    kb.curation.edit(noise.id, "Descale it.", author="ann")
    (leaks,) = [one for one in kb.views.solutions().items if one.evidence and one.evidence[0].document == "leaks.md"][
        :1
    ]
    sources.pages["noise.md"][0][1] = "Descale the kettle twice."
    sources.pages["leaks.md"][0][1] = "Empty the kettle now."
    del sources.pages["descaling.md"]
    sources.add_to(kb)
    domain = tmp_path / "kb" / "domain.yaml"
    domain.write_text(DOMAIN + "review: {approvals: 2, changed: show}\n", encoding="utf-8")
    kb = SupportKB.open(tmp_path / "kb")
    assert kb.curation.approve([leaks.id], author="ann").solutions[0].status == "approved"  # until the next build
    before = shown(kb)
    kb.build()
    told, after = kb.views.changes(), shown(kb)
    assert {one.solution: (one.before, one.status_before) for one in told.removed} == {
        i: said for i, said in before.items() if i not in after
    }
    assert {one.solution: (one.after, one.status_after) for one in told.added} == {
        i: said for i, said in after.items() if i not in before
    }
    for one in told.changed:
        assert ((one.before, one.status_before), (one.after, one.status_after)) == (
            before[one.solution],
            after[one.solution],
        )
    (leak,) = [one for one in told.changed if one.solution == leaks.id]
    assert {"text", "status", "evidence"} <= set(leak.what) and "Empty the kettle now." in (leak.after or "")
    texts = {one.document: (one.text_before, one.text_after) for one in told.documents.changed}
    assert texts["leaks.md"] == ("1. Empty the kettle.", "1. Empty the kettle now.")
    assert texts["noise.md"][1] == "1. Descale the kettle twice." and "descaling.md" not in texts
    assert {i for i in before.keys() & after.keys() if before[i] != after[i]} <= {one.solution for one in told.changed}
    assert [one.document for one in told.documents.removed] == ["descaling.md"]
    assert [one.document for one in told.documents.changed] == ["leaks.md", "noise.md"]

    assert kb.views.solution(noise.id).text == "Descale it." and kb.views.solution(noise.id).source_changed
    (anew, edited) = kb.curation.history(noise.id).items
    assert (anew.what, anew.before) == ("built anew", noise.text) and "twice" in (anew.after or "")
    assert (edited.what, edited.before, edited.after) == ("edited", noise.text, "Descale it.")
    assert kb.views.solution(leaks.id).approvals_needed == 2
    kb.build()
    assert kb.views.changes().counts == dict.fromkeys(told.counts, 0)
