"""Exports that earlier versions wrote are read: each fixture was written by the last program of its schema.

All were made of one page and four issues of the shipped domain of headphones: a text edited in the Markdown, one
solution approved, one rejected, and from version 3 on one written by hand. Versions 3 to 6 wrote the same lines.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from autokb.app import SupportKB

FIXTURES = Path(__file__).parent / "fixtures"
ADDED = " Then restart the phone."  # to the first text
DECIDED = {  # the lines of decisions: edits, verdicts, solutions by hand; versions 1 and 2 told verdicts by the status
    1: (1, 0, 0),
    2: (1, 0, 0),
    3: (1, 2, 1),
    7: (1, 2, 1),
    8: (2, 2, 1),
}


def taken(tmp_path: Path, version: int) -> SupportKB:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    done = kb.import_(FIXTURES / f"version_{version}.jsonl")
    assert done.skipped == ()
    return SupportKB.open(tmp_path / "kb")


@pytest.mark.parametrize(("version", "decided"), DECIDED.items())
def test_an_earlier_export_is_taken_whole_and_shows_what_people_decided(
    tmp_path: Path, version: int, decided: tuple[int, int, int]
) -> None:
    lines = [json.loads(line) for line in (FIXTURES / f"version_{version}.jsonl").read_text("utf-8").splitlines()]
    kinds = Counter(line["kind"] for line in lines)
    by_hand = [line["id"] for line in lines if "by_hand" in line]
    assert (kinds["edit"], kinds["verdict"], len(by_hand)) == decided
    kb = taken(tmp_path, version)
    shown = {one.id: one for one in kb.views.solutions().items}
    assert {i: one.status for i, one in shown.items()} == {
        line["id"]: line["status"] for line in lines if line["kind"] == "solution"
    }
    assert {one.verdict for one in shown.values()} == {None, "approved", "rejected"}
    assert [one.id for one in shown.values() if one.by_hand] == by_hand
    edits = {line["solution_id"]: line for line in lines if line["kind"] == "edit"}
    assert {i for i, one in shown.items() if one.edited_at is not None} == edits.keys()
    assert any(one.text.endswith(ADDED) for one in shown.values())
    for i, line in edits.items():
        assert line["text"] in ("", shown[i].text) if "text" in line else line["steps"] == list(shown[i].steps)


def _without_fitted(text: str) -> list[str]:
    """Return the lines of an export but for what is fitted anew, for an earlier encoder, of its tickets."""
    return [line for line in text.split("\n") if '"id":"tickets","kind":"setting"' not in line]


@pytest.mark.parametrize("version", DECIDED)
def test_what_was_taken_is_exported_and_read_again(tmp_path: Path, version: int) -> None:
    kb = taken(tmp_path, version)
    kb.export(tmp_path / "one.jsonl")
    other = SupportKB.create(tmp_path / "other", "headphones")
    assert other.import_(tmp_path / "one.jsonl").skipped == ()
    other.export(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    if version > 2:  # before, no line told the verdicts nor what was built
        then = (FIXTURES / f"version_{version}.jsonl").read_text("utf-8")
        assert _without_fitted((tmp_path / "one.jsonl").read_text("utf-8")) == _without_fitted(then)


@pytest.mark.parametrize("version", DECIDED)
def test_it_tells_nothing_new_where_it_was_taken_before(tmp_path: Path, version: int) -> None:
    kb = taken(tmp_path, version)
    assert kb.import_(FIXTURES / f"version_{version}.jsonl").taken == 0
    for suffix in ("md", "csv"):
        done = kb.import_(FIXTURES / f"version_{version}.{suffix}")
        assert (done.taken, done.unchanged) == (0, len(kb.views.solutions().items))


@pytest.mark.parametrize("suffix", ["md", "csv"])
@pytest.mark.parametrize("version", DECIDED)
def test_a_text_changed_in_an_earlier_file_for_people_is_an_edit(tmp_path: Path, version: int, suffix: str) -> None:
    kb = taken(tmp_path, version)
    text = (FIXTURES / f"version_{version}.{suffix}").read_bytes().decode()
    (tmp_path / f"changed.{suffix}").write_bytes(text.replace(ADDED, " Then wait.", 1).encode())
    assert kb.import_(tmp_path / f"changed.{suffix}").taken == 1
    assert [one.id for one in kb.views.solutions().items if one.text.endswith(" Then wait.")]
