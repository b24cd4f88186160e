"""The build as a whole: what is recomputed, what stays, and what a kill leaves."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError, WorkspaceBusyError
from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.pipeline.build_report import BuildReport
from autokb.sources import Fields
from autokb.views.kinds import SolutionView
from model_workspace import DOCUMENTS, DOMAIN

ISSUES = [
    ("k1", "App does not connect on my iPhone", "descaling.md"),
    ("k2", "The app can't connect to the kettle, Android phone", "app.md"),
    ("k3", "app won't connect android", "app.md"),
    ("k4", "iphone app doesnt find kettle", "app.md"),
    ("k5", "White flakes in the water", "descaling.md"),
    ("k6", "How do I remove lime scale", "descaling.md"),
    ("k7", "Water leaks from the bottom", "leaks.md"),
    ("k8", "kettle leaking water on the table", ""),
    ("k9", "It is very loud when boiling", "noise.md"),
    ("k10", "loud noise from my Smart kettle", ""),
]
FIELDS = Fields(id="id", text="text", resolved_by="resolved_by")
# Builds, and is killed when it tells for the n-th time how far it is.
KILLED = """
import os, signal, sys
from autokb.app import SupportKB
left = int(sys.argv[2])
def progress(stage, done, total):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
SupportKB.open(sys.argv[1]).build(progress=progress)
"""


def sources(folder: Path) -> Path:
    manuals = folder / "manuals"
    manuals.mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (manuals / name).write_text(text, encoding="utf-8")
    lines = (json.dumps({"id": i, "text": t, "resolved_by": r}) for i, t, r in ISSUES)
    (folder / "issues.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    return folder


def made(folder: Path, source: Path) -> SupportKB:
    kb = SupportKB.create(folder, str(source / "domain.yaml"))
    kb.add([source / "manuals"])
    kb.add([source / "issues.jsonl"], "issues", FIELDS)
    return kb


def exported(kb: SupportKB, target: Path) -> bytes:
    kb.export(target)
    return target.read_bytes()


def computed(built: BuildReport) -> int:
    return sum(int(stage.computed) for stage in built.stages.values())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[SupportKB, BuildReport, Path]:
    folder = tmp_path_factory.mktemp("kettles")
    kb = made(folder / "kb", sources(folder / "source"))
    return kb, kb.build(), folder


@pytest.fixture
def copy(built: tuple[SupportKB, BuildReport, Path], tmp_path: Path) -> tuple[SupportKB, Path]:
    """Return a workspace of one's own that is built already, and the folder of its sources."""
    _, _, folder = built
    shutil.copytree(folder / "source", tmp_path / "source")
    kb = made(tmp_path / "kb", tmp_path / "source")
    shutil.copy(folder / "kb" / "knowledge.db", tmp_path / "kb" / "knowledge.db")
    with kb.workspace.file() as file, file.transaction():  # the sources have moved with the copy
        file._db.execute(
            "UPDATE staged SET root = replace(root, ?, ?)", (str(folder.resolve()), str(tmp_path.resolve()))
        )
    return kb, tmp_path


def test_a_build_makes_trees_with_cited_solutions(built: tuple[SupportKB, BuildReport, Path]) -> None:
    kb, answer, _ = built
    assert answer.failures == ()
    assert answer.parents >= 3
    assert answer.solutions >= 4
    assert (answer.calls, answer.cost) == (0, 0.0)
    for tree in kb.views.show().trees:
        for node in (tree, *tree.children):
            for solution in kb.views.show_issue(node.id).solutions:
                assert len(solution.steps) == len(solution.evidence)
                for e in solution.evidence:
                    assert DOCUMENTS[e.document][e.start : e.end] == e.quote != ""


def test_every_raw_issue_is_in_a_tree_or_has_a_reason(built: tuple[SupportKB, BuildReport, Path]) -> None:
    kb, _, folder = built
    lines = [json.loads(line) for line in exported(kb, folder / "all.jsonl").decode().splitlines()]
    raw = {line["id"]: line for line in lines if line["kind"] == "raw_issue"}
    ids = {kind: {line["id"] for line in lines if line["kind"] == kind} for kind in ("theme", "seed", "issue")}
    assert set(raw) == {i for i, _, _ in ISSUES}
    for line in raw.values():
        assert line["theme"] in ids["theme"]
        assert line["seed"] in ids["seed"]
        assert line.get("issue") in ids["issue"] or line["reason"]


def test_no_displayed_solution_breaks_a_rule(built: tuple[SupportKB, BuildReport, Path]) -> None:
    kb, _, folder = built
    lines = [json.loads(line) for line in exported(kb, folder / "all.jsonl").decode().splitlines()]
    solutions = [line for line in lines if line["kind"] == "solution"]
    leaks = [s for s in solutions if any(e["document"] == "leaks.md" for e in s["evidence"])]
    assert {s["status"] for s in leaks} & {"repaired", "withheld"}
    shown = [s for s in solutions if s["status"] in ("displayed", "repaired")]
    assert not [s for s in shown if "contact our support" in s["text"].lower()]
    assert all(s["reason"] for s in solutions if s["status"] in ("repaired", "withheld"))


def test_a_second_build_recomputes_nothing(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    before = exported(kb, folder / "before.jsonl")
    again = kb.build()
    assert computed(again) == 0
    assert exported(kb, folder / "after.jsonl") == before


@pytest.mark.parametrize(
    "damage",
    [
        "'{'",
        "'null'",
        "'[]'",
        "'{}'",
        "5",
        "x'ff00'",
        "substr(reply, 1, length(reply) / 2)",
        "replace(reply, '\"t', '\"x')",
    ],
)
def test_damaged_results_are_worked_out_again(copy: tuple[SupportKB, Path], damage: str) -> None:
    kb, folder = copy
    before = exported(kb, folder / "before.jsonl")
    with kb.workspace.file() as file, file.transaction():
        file._db.execute(f"UPDATE work SET reply = {damage}")
    again = kb.build()
    assert computed(again) > 0 and again.failures == ()
    assert exported(kb, folder / "after.jsonl") == before
    assert computed(kb.build()) == 0


@pytest.mark.parametrize("chunker", ["fixed", "semantic"])
def test_a_workspace_of_an_earlier_encoder_is_read_and_its_next_build_embeds_it_anew(
    chunker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packaged encoder had the same weights and no integer products then (decision 067)."""
    monkeypatch.setenv("AUTOKB_CHUNKER", chunker)
    source = sources(tmp_path / "source")
    with monkeypatch.context() as earlier:
        earlier.setattr(PackagedEmbedder, "name", "packaged:all-MiniLM-L6-v2-int8:d954510c8f7f6b76")
        old = made(tmp_path / "old", source)
        old.build()
        before = exported(old, tmp_path / "old.jsonl")
    kb = SupportKB.open(tmp_path / "old")
    with pytest.raises(BadInputError, match=r"all-MiniLM-L6-v2-int8.*build the workspace again"):
        kb.ask("the app does not connect")
    assert exported(kb, tmp_path / "same.jsonl") == before
    built = kb.build()
    assert built.stages["embeddings"].computed > 0 and built.stages["fit"].computed > 0
    fresh = made(tmp_path / "fresh", source)
    fresh.build()
    assert exported(kb, tmp_path / "new.jsonl") == exported(fresh, tmp_path / "fresh.jsonl")
    asked = [one.ask("the app does not connect").as_json() | {"seconds": 0} for one in (kb, fresh)]
    assert asked[0] == asked[1]
    assert computed(kb.build()) == 0


def test_after_an_edited_document_the_kb_equals_a_fresh_build(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    page = folder / "source" / "manuals" / "noise.md"
    page.write_text(page.read_text() + "\n## Whistling\n\n1. Close the lid.\n2. Clean the spout.\n", encoding="utf-8")
    assert kb.add([folder / "source" / "manuals"]).updated == 1
    again = kb.build()
    assert again.stages["chunks"].computed == 1
    assert again.stages["attributes"].computed == 0
    fresh = made(folder / "fresh", folder / "source")
    fresh.build()
    assert exported(kb, folder / "kb.jsonl") == exported(fresh, folder / "fresh.jsonl")


def test_a_removed_document_takes_its_solutions_with_it(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    (folder / "source" / "manuals" / "leaks.md").unlink()
    assert kb.add([folder / "source" / "manuals"], sync=True).removed == 1
    kb.build()
    assert b"leaks.md" not in b"\n".join(
        line for line in exported(kb, folder / "kb.jsonl").splitlines() if b'"kind":"solution"' in line
    )


def test_themes_stay_when_issues_come_and_go_until_rethink(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    themes = kb.views.show().themes
    file = folder / "source" / "issues.jsonl"
    kept = [line for line in file.read_text().splitlines() if '"k9"' not in line]
    new = json.dumps({"id": "k11", "text": "kettle is leaking at the base", "resolved_by": "leaks.md"})
    file.write_text("\n".join([*kept, new]) + "\n", encoding="utf-8")
    added = kb.add([file], "issues", FIELDS, sync=True)
    assert (added.added, added.removed) == (1, 1)
    again = kb.build()
    assert again.stages["assign"].computed == 1
    assert "themes" not in again.stages
    assert set(kb.views.show().themes) <= set(themes)
    assert again.outdated == 0 and not any("--rethink" in note for note in again.notes), "1 of 10 is too few"
    cleaned = [line.replace('"text": "', '"text": "Hello, ', 1) for line in file.read_text().splitlines()[:2]]
    file.write_text("\n".join([*cleaned, *file.read_text().splitlines()[2:]]) + "\n", encoding="utf-8")
    assert kb.add([file], "issues", FIELDS).updated == 2
    told = kb.build()
    assert told.outdated == 3, "over all builds since the themes were made"
    assert any(note.startswith("3 raw issues were removed or changed") and "--rethink" in note for note in told.notes)
    assert kb.build().outdated == 3, "until somebody does it"
    rethought = kb.build(rethink=True)
    assert rethought.outdated == 0
    assert rethought.stages["themes"].computed == 1
    fresh = made(folder / "fresh", folder / "source")
    fresh.build()
    assert exported(kb, folder / "kb.jsonl") == exported(fresh, folder / "fresh.jsonl")


def test_a_second_build_at_once_is_refused_and_readers_go_on(copy: tuple[SupportKB, Path]) -> None:
    kb, _ = copy
    with kb.workspace.build_lock():
        with pytest.raises(WorkspaceBusyError, match="Another build"):
            kb.build()
        assert kb.ask("How do I remove lime scale?").matches


@pytest.mark.slow
def test_kill_9_anywhere_and_the_next_build_ends_the_same(
    built: tuple[SupportKB, BuildReport, Path], tmp_path: Path
) -> None:
    whole, _, folder = built
    expected = exported(whole, tmp_path / "expected.jsonl")
    kb = made(tmp_path / "kb", folder / "source")
    chance = random.Random(5)
    killed = 0
    for _ in range(6):
        command = [sys.executable, "-c", KILLED, str(tmp_path / "kb"), str(chance.randint(1, 9))]
        killed += subprocess.run(command).returncode == -signal.SIGKILL
    assert killed >= 3
    kb.build()
    assert exported(kb, tmp_path / "kb.jsonl") == expected


def test_a_build_without_issues_or_documents_is_empty_and_no_error(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb")
    answer = kb.build()
    assert (answer.parents, answer.solutions, answer.failures) == (0, 0, ())
    assert kb.views.show().trees == ()


def test_documents_alone_can_be_asked(tmp_path: Path) -> None:
    source = sources(tmp_path / "source")
    kb = SupportKB.create(tmp_path / "kb", str(source / "domain.yaml"))
    kb.add([source / "manuals"])
    kb.build()
    answer = kb.ask("How do I remove lime scale from my kettle?")
    assert (answer.outcome, answer.matches) == ("answered", ())
    assert answer.passages[0].document == answer.documents[0].id == "descaling.md"


def test_of_documents_alone_the_gate_reads_the_sections(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for n in range(12):
        text = (
            f"# Part {n} of the loom\n\nPart {n} holds the yarn.\n\n## Oil part {n}\n\n1. Oil part {n} once a week.\n"
        )
        (pages / f"{n:02}.md").write_text(text)
    kb = SupportKB.create(tmp_path / "kb")
    kb.add([pages])
    kb.build()
    lines = [json.loads(line) for line in exported(kb, tmp_path / "kb.jsonl").decode().splitlines()]
    gate = next(line for line in lines if (line["kind"], line["id"]) == ("setting", "gate"))
    assert gate["coefficients"]["issues"] > 1.0
    assert kb.ask("When do I oil part 3 of the loom?").outcome == "answered"


def test_edited_lines_and_peoples_verdicts_survive_a_build(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    lines = [json.loads(line) for line in exported(kb, folder / "kb.jsonl").decode().splitlines()]
    first, second = [line for line in lines if line["kind"] == "solution" and line["status"] == "displayed"][:2]
    first["text"], first["steps"] = "1. Edited by hand", ["Edited by hand"]
    second["status"], second["reason"] = "rejected", "wrong"
    (folder / "edited.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    kb.import_(folder / "edited.jsonl")
    kb.build()
    shown = {
        s.id: s for t in kb.views.show().trees for n in (t, *t.children) for s in kb.views.show_issue(n.id).solutions
    }
    assert shown[first["id"]].steps == ("Edited by hand",)
    assert (shown[second["id"]].status, shown[second["id"]].reason) == ("rejected", "wrong")


@pytest.mark.parametrize("line", ["chunker: other", "context: none", "embedder: other", "model: gpt"])
def test_a_setting_that_is_not_known_stops_the_build_before_anything_is_lost(
    copy: tuple[SupportKB, Path], line: str
) -> None:
    kb, folder = copy
    before = exported(kb, folder / "before.jsonl")
    (folder / "kb" / "settings.yaml").write_text(line + "\n", encoding="utf-8")
    changed = SupportKB.open(folder / "kb")
    for act in (changed.plan, changed.build):
        with pytest.raises(BadInputError, match=line.split(": ", 1)[1]):
            act()
    assert exported(kb, folder / "after.jsonl") == before


def test_the_index_is_loaded_again_only_after_a_change(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    kb.ask("loud kettle")
    index = kb._memory.held_index
    kb.ask("another question about leaks")
    assert kb._memory.held_index is index
    table = folder / "kb.csv"
    kb.export(table)
    table.write_text(table.read_text().replace("Press the seal", "Push the seal"), encoding="utf-8")
    assert kb.import_(table).taken >= 1
    kb.ask("another question about leaks")
    assert kb._memory.held_index is not index


def test_what_the_language_of_a_domain_lacks_is_said_once(tmp_path: Path) -> None:
    source = sources(tmp_path / "source")
    assert made(tmp_path / "english", source).build().notes == ()
    (source / "domain.yaml").write_text(f"language: de\n{DOMAIN}", encoding="utf-8")
    (note,) = made(tmp_path / "german", source).build().notes
    assert note.startswith("The domain's language is 'de', for which these are not there yet: ")


# -- decisions of people ----------------------------------------------------------------------------------------


def shown_solutions(kb: SupportKB) -> dict[str, SolutionView]:
    return {
        s.id: s for t in kb.views.show().trees for n in (t, *t.children) for s in kb.views.show_issue(n.id).solutions
    }


def test_a_rejection_survives_the_removal_and_return_of_its_document(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    manuals = folder / "source" / "manuals"
    rejected, approved = [
        s.id for s in shown_solutions(kb).values() if s.status == "displayed" and s.evidence[0].document == "app.md"
    ][:2]
    kb.curation.reject([rejected], author="ann")
    kb.curation.approve([approved])
    kb.build()
    assert {i: s.status for i, s in shown_solutions(kb).items() if i in (rejected, approved)} == {
        rejected: "rejected",
        approved: "approved",
    }
    page = (manuals / "app.md").read_text(encoding="utf-8")
    (manuals / "app.md").unlink()
    kb.add([manuals], sync=True)
    kb.build()
    assert rejected not in shown_solutions(kb)
    assert {v.solution_id for v in kb.views.show().orphaned_verdicts} == {rejected, approved}
    (manuals / "app.md").write_text(page, encoding="utf-8")
    kb.add([manuals])
    kb.build()
    back = shown_solutions(kb)
    assert (back[rejected].status, back[rejected].judged_by) == ("rejected", "ann")
    assert back[approved].status == "approved"
    assert kb.views.show().orphaned_verdicts == ()


def test_a_changed_page_leaves_a_rejection_and_takes_an_approval(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    page = folder / "source" / "manuals" / "leaks.md"
    first = next(s for s in shown_solutions(kb).values() if s.evidence[0].document == "leaks.md")
    kb.curation.approve([first.id])
    text = page.read_text(encoding="utf-8")
    quote = first.evidence[0].quote
    page.write_text(text.replace(quote, f"{quote} Then wait for one hour."), encoding="utf-8")
    kb.add([page.parent])
    kb.build()
    kept = shown_solutions(kb)[first.id]
    assert (kept.text, kept.status, kept.source_changed) == (first.text, "approved", True)
    kb.curation.undo(first.id)
    changed = shown_solutions(kb)[first.id]
    assert "one hour" in changed.text
    assert changed.status == first.status
    assert "changed since it was approved" in changed.reason
    kb.curation.reject([first.id])
    page.write_text(text, encoding="utf-8")
    kb.add([page.parent])
    kb.build()
    assert shown_solutions(kb)[first.id].status == "rejected"


def test_a_solution_by_hand_survives_builds_and_is_held_to_new_rules(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    (folder / "answer.md").write_text("# Wipe it\n\n- Wipe the bottom dry.\n- Screw it tight.\n", encoding="utf-8")
    tree = next(t for t in kb.views.show().trees if t.displayed)
    written = kb.curation.write(tree.id, folder / "answer.md", author="ann")
    kb.build()
    assert shown_solutions(kb)[written.id].status == "approved"
    assert shown_solutions(kb)[written.id].steps == ("Wipe the bottom dry.", "Screw it tight.")
    domain = kb.workspace.folder / "domain.yaml"
    rule = "  - {id: no-screws, text: Do not open the device., patterns: [screw]}\n"
    domain.write_text(domain.read_text(encoding="utf-8").replace("rules:\n", f"rules:\n{rule}"), encoding="utf-8")
    kb = SupportKB.open(kb.workspace.folder)
    kb.build()
    withheld = shown_solutions(kb)[written.id]
    assert withheld.status == "withheld"
    assert "no-screws" in withheld.reason


def test_an_edit_whose_heading_was_renamed_is_offered_and_can_be_put_there(copy: tuple[SupportKB, Path]) -> None:
    kb, folder = copy
    page = folder / "source" / "manuals" / "app.md"
    first = next(s for s in shown_solutions(kb).values() if "Connect on iPhone" in s.text)
    kb.export(folder / "kb.md")
    marked = (folder / "kb.md").read_text(encoding="utf-8")
    start = marked.index(f"<!-- solution {first.id} ")
    body = marked.index("\n", start) + 1
    end = marked.index("<!-- end -->", start)
    (folder / "kb.md").write_text(marked[:body] + "Wipe it.\n" + marked[end:], encoding="utf-8")
    assert kb.import_(folder / "kb.md").taken == 1
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("## Connect on iPhone", "## Pair it on iPhone"), encoding="utf-8")
    kb.add([page.parent])
    built = kb.build()
    assert any(n.startswith("1 approval or edit has lost its solution.") for n in built.notes)
    (lost,) = kb.views.show().orphaned_edits
    assert lost.offered_for in shown_solutions(kb)
    kb.curation.approve([lost.id])
    assert shown_solutions(kb)[lost.offered_for].text == "Wipe it."
