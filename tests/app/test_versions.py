"""Versions: what readers saw before is a number away, what waits is seen by nobody, and decisions are of today."""

from __future__ import annotations

import copy
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.decisions import ISSUES, PAGES, Sources

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, ChangedMeanwhileError, HalfLostError
from autokb.core.ids import canonical_json
from autokb.core.nouns import DISPLAYED
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.stores.schema import SCHEMA_VERSION

OLD, NEW = "Descale it.", "Descale the kettle twice."
Shown = dict[str, tuple[str, str]]


def shown(kb: SupportKB) -> Shown:
    return {one.id: (one.text, one.status) for one in kb.views.solutions().items if one.status in DISPLAYED}


def says(kb: SupportKB, words: str) -> bool:
    return any(words in text for text, _ in shown(kb).values())


def numbers(kb: SupportKB) -> list[tuple[int, bool]]:
    return [(one.number, one.published) for one in kb.versions.list().versions]


class Kettles:
    """A workspace whose page on noise can be edited; ``built`` is one to copy, where it was built before."""

    def __init__(self, place: Path, built: Path | None = None) -> None:
        self.place = place
        self.sources = Sources(place / "source", copy.deepcopy(PAGES), dict(ISSUES))
        if built is None:
            self.kb = self.sources.make_workspace(place / "kb")
            self.kb.build()
        else:
            self.sources.write()
            shutil.copytree(built / "kb", place / "kb")
            self.kb = SupportKB.open(place / "kb")
            self.kb.move_source(built / "source" / "manuals", place / "source" / "manuals")
            self.kb.move_source(built / "source" / "issues.jsonl", place / "source" / "issues.jsonl")

    def edit(self, words: str) -> SupportKB:
        self.sources.pages["noise.md"][0][1] = words
        self.sources.add_to(self.kb)
        return self.kb


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Kettles(tmp_path_factory.mktemp("built"))
    made.kb.close()
    return made.place


@pytest.fixture
def kettles(tmp_path: Path, built: Path) -> Kettles:
    return Kettles(tmp_path, built)


def test_each_publication_is_a_version_and_an_unchanged_build_is_none(kettles: Kettles) -> None:
    kb = kettles.kb
    (first,) = kb.versions.list().versions
    assert (first.number, first.by, first.published, first.checks) == (1, "build", True, None)
    assert first.documents == len(PAGES) and first.solutions == len(shown(kb)) and first.date
    assert set(first.inputs) == {"documents", "issues", "domain", "settings"}
    kb.build()
    assert numbers(kb) == [(1, True)]
    kettles.edit(NEW).build()
    second = kb.versions.list().versions[1]
    assert numbers(kb) == [(1, False), (2, True)]
    changed = {name for name in first.inputs if first.inputs[name] != second.inputs[name]}
    assert changed == {"documents"}


def test_readers_see_an_earlier_version_at_once_and_the_next_build_takes_its_place(kettles: Kettles) -> None:
    kb = kettles.kb
    before = shown(kb)
    kettles.edit(NEW).build()
    after = shown(kb)
    assert after != before and says(kb, NEW)
    assert kb.versions.roll_back(1).as_json() == {"number": 1, "published": True}
    assert shown(kb) == before and numbers(kb) == [(1, True), (2, False)]
    assert not says(SupportKB.open(kettles.place / "kb"), NEW)
    told = kb.views.changes()
    assert [one.document for one in told.documents.changed] == ["noise.md"]
    report = kb.build()
    assert shown(kb) == after and numbers(kb) == [(1, False), (2, True)]
    assert "Readers had version 1 again since a rollback; they see version 2 now." in report.notes
    assert not any("rollback" in note for note in kb.build().notes)


def test_a_build_after_a_rollback_and_an_edit_is_a_new_version(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build()
    kb.versions.roll_back(1)
    kettles.edit("Descale it with vinegar.").build()
    assert numbers(kb) == [(1, False), (2, False), (3, True)] and says(kb, "vinegar") and not says(kb, NEW)
    for number, words in ((2, NEW), (3, "vinegar")):
        kb.versions.roll_back(number)
        assert says(kb, words)


def test_a_setting_that_is_published_after_a_rollback_brings_nothing_else_back(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build()
    kb.versions.roll_back(1)
    before = shown(kb)
    with kb.workspace.file() as file, file.transaction():  # as a calibration of the gate does
        settings = {("setting", name): canonical_json(body) for name, body in file.records("setting")}
        settings["setting", CALIBRATION] = canonical_json({"date": "2026-05-01"})
        file.publish(settings, ["setting"], kb.workspace.publication_by("gate"))
    assert shown(kb) == before and numbers(kb) == [(1, False), (2, False), (3, True)]
    kb.versions.roll_back(2)
    with kb.workspace.file() as file:
        assert file.record("setting", CALIBRATION) is None and file.newest("setting", CALIBRATION) is not None


def test_a_calibration_that_is_reset_after_a_rollback_stays_away(kettles: Kettles) -> None:
    kb = kettles.kb
    with kb.workspace.file() as file, file.transaction():
        settings = {("setting", name): canonical_json(body) for name, body in file.records("setting")}
        settings["setting", CALIBRATION] = canonical_json({"date": "2026-05-01"})
        file.publish(settings, ["setting"], kb.workspace.publication_by("gate"))
    kb.versions.roll_back(1)
    assert kb.evaluate.reset_gate().dropped
    with kb.workspace.file() as file:
        assert file.newest("setting", CALIBRATION) is None
    assert not kb.evaluate.reset_gate().dropped


def test_two_versions_are_compared_and_asked(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build()
    told = kb.versions.diff(1, 2)
    assert [one.document for one in told.documents.changed] == ["noise.md"] and told.built_at
    assert told.as_json()["counts"] == kb.views.changes().as_json()["counts"]
    back = kb.versions.diff(2, 1)
    assert {one.solution for one in back.removed} == {one.solution for one in told.added}
    assert not any(kb.versions.diff(2, 2).counts.values())
    earlier = SupportKB.open(kettles.place / "kb", shows=1)
    assert not says(earlier, NEW) and says(kb, NEW)
    assert NEW not in str(earlier.ask("my kettle is noisy").as_json())
    earlier.close()


def test_nobody_sees_a_candidate_until_it_is_published(kettles: Kettles) -> None:
    kb, before = kettles.edit(NEW), shown(kettles.kb)
    report = kb.build(candidate=True)
    assert any("autokb publish" in note for note in report.notes)
    assert shown(kb) == before and numbers(kb) == [(1, True), (2, False)]
    waiting = SupportKB.open(kettles.place / "kb", shows="candidate")
    assert says(waiting, NEW) and NEW in str(waiting.ask("my kettle is noisy").as_json())
    assert [one.document for one in kb.versions.diff(1, "candidate").documents.changed] == ["noise.md"]
    assert kb.versions.publish(author="ann").as_json() == {"number": 2, "published": True}
    assert says(kb, NEW) and numbers(kb) == [(1, False), (2, True)]
    assert kb.versions.list().versions[1].by == "build, published by ann"
    with pytest.raises(BadInputError, match="There is no candidate"):
        kb.versions.publish()
    kb.build()
    assert numbers(kb) == [(1, False), (2, True)]


def test_a_candidate_that_is_discarded_leaves_nothing(kettles: Kettles) -> None:
    kb, before = kettles.edit(NEW), shown(kettles.kb)
    kb.build(candidate=True)
    kb.versions.discard()
    assert shown(kb) == before and numbers(kb) == [(1, True)]
    with pytest.raises(BadInputError, match="There is no candidate"):
        kb.versions.discard()
    with pytest.raises(BadInputError, match="There is no candidate"):
        SupportKB.open(kettles.place / "kb", shows="candidate").views.show()


def test_a_candidate_stays_what_it_is_while_others_are_published(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build(candidate=True)
    waiting = shown(SupportKB.open(kettles.place / "kb", shows="candidate"))
    kettles.edit("Descale it with vinegar.").build()
    assert says(kb, "vinegar")
    assert shown(SupportKB.open(kettles.place / "kb", shows="candidate")) == waiting
    kb.versions.publish()
    assert shown(kb) == waiting and [number for number, _ in numbers(kb)] == [1, 2, 3]


def test_decisions_are_of_today_in_every_version(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build()
    noise = next(i for i, (text, _) in shown(kb).items() if NEW in text)
    leak = next(one.id for one in kb.views.solutions().items if one.evidence and one.evidence[0].document == "leaks.md")
    kb.curation.reject([leak], author="ann")
    kb.curation.approve([noise], author="ann")
    kb.versions.roll_back(1)
    assert kb.views.solution(leak).status == "rejected"
    assert shown(kb)[noise][0].count("twice") == 1, "an approved text stays, as an edit by nobody"
    kb.curation.edit(leak, "Dry it.", author="bob")
    kb.versions.roll_back(2)
    assert kb.views.solution(leak).text == "Dry it." and kb.views.solution(noise).status == "approved"
    assert says(kb, NEW)


def test_versions_beyond_those_kept_are_gone_from_the_file(kettles: Kettles) -> None:
    settings = kettles.place / "kb" / "settings.yaml"
    settings.write_text("keep_versions: 2\n", encoding="utf-8")
    kettles.kb = SupportKB.open(kettles.place / "kb")
    for words in ("Descale it with vinegar.", NEW):
        kettles.edit(words).build()
    assert numbers(kettles.kb) == [(2, False), (3, True)]
    with pytest.raises(BadInputError, match="no version 1"):
        kettles.kb.versions.roll_back(1)
    kettles.kb.versions.roll_back(2)
    assert says(kettles.kb, "vinegar")
    with sqlite3.connect(kettles.place / "kb" / "knowledge.db") as db:
        assert db.execute("SELECT count(*) FROM past_record WHERE until <= 2").fetchone() == (0,)
    db.close()


def test_a_workspace_of_before_opens_as_version_1(kettles: Kettles) -> None:
    before = shown(kettles.kb)
    kettles.kb.close()
    with sqlite3.connect(kettles.place / "kb" / "knowledge.db") as db:
        db.executescript(
            "DROP TABLE version; DROP TABLE past_record; DROP TABLE candidate;"
            "ALTER TABLE record DROP COLUMN since; UPDATE meta SET value = '8' WHERE key = 'schema';"
        )
    db.close()
    kb = SupportKB.open(kettles.place / "kb")
    (first,) = kb.versions.list().versions
    assert (first.number, first.by, first.published) == (1, "", True) and first.solutions == len(before)
    with kb.workspace.file() as file:
        assert file.meta("schema") == SCHEMA_VERSION
    kettles.edit(NEW).build()
    kb.versions.roll_back(1)
    assert shown(kb) == before


def test_a_process_that_dies_while_it_publishes_leaves_readers_where_they_were(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build(candidate=True)
    before, versions = shown(kb), numbers(kb)
    dies = (
        "import os, sys\n"
        "from autokb.app import SupportKB\n"
        "import autokb.pipeline.steps.publish as publish\n"
        "publish.keep_changes = lambda *some: os._exit(9)\n"
        "kb = SupportKB.open(sys.argv[1])\n"
        "kb.versions.publish() if sys.argv[2] == 'publish' else kb.versions.roll_back(1)\n"
    )
    for what in ("publish", "roll back"):
        ended = subprocess.run([sys.executable, "-c", dies, str(kettles.place / "kb"), what], env=dict(os.environ))
        assert ended.returncode == 9
        assert shown(kb) == before and numbers(kb) == versions
    kb.versions.publish()
    assert says(kb, NEW)


def test_what_is_not_there_is_named(kettles: Kettles) -> None:
    for act in (
        lambda: kettles.kb.versions.roll_back(7),
        lambda: kettles.kb.versions.diff(1, 7),
        lambda: kettles.kb.versions.diff("one", 1),
        lambda: kettles.kb.versions.diff("", 1),
        lambda: SupportKB.open(kettles.place / "kb", shows=7).views.show(),
    ):
        with pytest.raises(BadInputError, match=r"no version (7|one|'')"):
            act()


def test_what_no_version_needs_is_gone_from_the_file_after_a_vacuum(kettles: Kettles) -> None:
    (kettles.place / "kb" / "settings.yaml").write_text("keep_versions: 1\n", encoding="utf-8")
    kb = SupportKB.open(kettles.place / "kb")
    secret = "Descale it with the formula of Zanzibar."
    for words in (secret, OLD, NEW):
        kettles.edit(words)
        kb.build()
    before = shown(kb)
    done = kb.versions.vacuum(forget_work=True)
    assert done.bytes_after < done.bytes_before
    for path in kb.workspace.folder.glob("knowledge.db*"):
        assert b"Zanzibar" not in path.read_bytes()
    assert shown(SupportKB.open(kettles.place / "kb")) == before
    kb.build()
    assert shown(kb) == before and [number for number, _ in numbers(kb)] == [4]


def test_who_waits_for_a_rollback_reads_what_it_shows(kettles: Kettles) -> None:
    kb = kettles.edit(NEW)
    kb.build()
    with kb.workspace.file() as early:
        SupportKB.open(kettles.place / "kb").versions.roll_back(1)
        with early.transaction():
            inside = {body for kind, _, body in early.lines() if kind == "solution"}
        with early.snapshot():
            assert {body for kind, _, body in early.lines() if kind == "solution"} == inside
    assert inside and not any(NEW in body for body in inside)


# -- less than half of what readers see ---------------------------------------------------------------------


def shrunk(kettles: Kettles) -> SupportKB:
    """The same workspace with one page alone."""
    kettles.kb.remove([name for name in PAGES if name != "noise.md"])
    return kettles.kb


def test_sources_that_shrink_are_a_candidate_until_somebody_consents(
    kettles: Kettles, capsys: pytest.CaptureFixture[str]
) -> None:
    kb, folder = shrunk(kettles), str(kettles.place / "kb")
    before = shown(kb)
    assert main(["build", folder]) == 1
    assert "less than half" in capsys.readouterr().out
    kb = SupportKB.open(kettles.place / "kb")
    assert shown(kb) == before
    assert [(v.number, v.is_candidate) for v in kb.versions.list().versions] == [(1, False), (2, True)]
    refused = kb.versions.publish(author="ann")
    assert refused.refusal is not None
    assert any("Documents: 1 in place of" in reason for reason in refused.refusal.reasons)
    for author in ("", "   ", "\x1b"):
        assert main(["publish", folder, "--force", "--author", author]) == 2
        assert main(["build", folder, "--force", "--author", author]) == 2
        with pytest.raises(BadInputError, match="--author NAME"):
            kb.versions.publish(author=author, force=True)
    assert main(["publish", folder, "--force", "--author", " ann "]) == 0
    kb = SupportKB.open(kettles.place / "kb")
    now = kb.versions.list().versions[-1]
    assert (now.number, now.published, now.documents) == (2, True, 1)
    assert now.forced is not None and now.forced.by == "ann"
    assert now.forced.reasons == refused.refusal.reasons
    capsys.readouterr()
    assert main(["versions", folder]) == 0
    assert "let through by ann" in capsys.readouterr().out
    kb.build()  # an unchanged one loses nothing more
    assert numbers(kb) == [(1, False), (2, True)]


def test_a_build_may_be_forced_at_once_and_a_rollback_needs_no_consent(kettles: Kettles) -> None:
    kb = shrunk(kettles)
    assert kb.build(force="ann").refusal is None
    assert numbers(kb) == [(1, False), (2, True)]
    kb.versions.roll_back(1, author="bob")
    built = kb.build()  # would take readers back to version 2, of which no record is otherwise
    assert built.refusal is not None
    assert numbers(kb)[:2] == [(1, True), (2, False)]
    kb.versions.roll_back(2, author="bob")
    assert numbers(kb)[:2] == [(1, False), (2, True)]
    with pytest.raises(BadInputError, match="--author NAME"):
        kb.build(force=" ")


def test_an_import_in_place_of_everything_needs_consent_to_lose_half(kettles: Kettles, tmp_path: Path) -> None:
    kb = kettles.kb
    kb.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if '"kind": "solution"' not in line and '"kind":"solution"' not in line]
    assert len(kept) < len(lines)
    (tmp_path / "less.jsonl").write_text("".join(kept), encoding="utf-8")
    before = shown(kb)
    with pytest.raises(HalfLostError, match="Solutions: 0 in place of"):
        kb.import_(tmp_path / "less.jsonl", replace=True)
    assert shown(kb) == before
    folder = str(kettles.place / "kb")
    assert main(["import", folder, str(tmp_path / "less.jsonl"), "--replace"]) == 1
    assert main(["import", folder, str(tmp_path / "less.jsonl"), "--replace", "--force"]) == 2
    assert main(["import", folder, str(tmp_path / "less.jsonl"), "--replace", "--force", "--author", "ann"]) == 0
    assert SupportKB.open(kettles.place / "kb").versions.list().versions[-1].forced is not None


def test_rollbacks_and_discarded_candidates_are_on_record(kettles: Kettles, capsys: pytest.CaptureFixture[str]) -> None:
    kb, folder = kettles.edit(NEW), str(kettles.place / "kb")
    kb.build()
    assert main(["rollback", folder, "1", "--author", "ann"]) == 0
    kb.build(candidate=True)
    seen = kb.versions.list().versions[-1].date
    with pytest.raises(ChangedMeanwhileError):
        kb.versions.discard(author="bob", seen="2026-01-01T00:00:00+00:00")
    assert kb.versions.has_candidate
    kb.versions.discard(author="bob", seen=seen)
    told = [(one.what, one.number, one.before, one.by) for one in kb.versions.list().events]
    assert told == [("rolled back", 1, 2, "ann"), ("discarded", 3, 1, "bob")]
    capsys.readouterr()
    assert main(["versions", folder]) == 0
    out = capsys.readouterr().out
    assert "ann showed readers version 1 again, in place of version 2" in out
    assert "bob discarded the candidate for version 3" in out
