"""What was added is listed, and taken out of the next build by its id, its path or its name."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.app.sources import ListedSource, Removed
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document
from autokb.sources import Fields
from autokb.stores.codecs import DOCUMENT
from autokb.stores.workspace import Workspace, create_workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile

MANY = 10_000


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    """A knowledge base with two folders, a file among each kind, and an import."""
    kb = SupportKB(create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN))
    write(tmp_path, "manuals/a.md", "manuals/sub/b.md", "manuals/sub/deep/c.md", "more/d e.md", "more/left-out.md")
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "i.csv").write_text("id,text\n7,it hums\n-8,it smells\n", encoding="utf-8")
    kb.add([tmp_path / "manuals"])
    kb.add([tmp_path / "more" / "d e.md"])
    kb.add([tmp_path / "issues" / "i.csv"], "issues")
    stage_import(kb, "kb.jsonl", "imported.md")
    return kb


def write(here: Path, *names: str) -> None:
    for name in names:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(f"# {name}\n\nWords of {name}.\n", encoding="utf-8")


def stage_import(kb: SupportKB, file_name: str, *ids: str) -> None:
    with kb.workspace.file() as file, file.transaction():
        file.stage("documents", [Staged(i, "", file_name, DOCUMENT.body(Document(i, i, "Words."))) for i in ids])


def ids(kb: SupportKB) -> set[str]:
    with kb.workspace.file() as file:
        return {place.id for place in file.staged_places()}


def lost(kb: SupportKB) -> list[tuple[str, str]]:
    found = kb.sources(losses=True).losses or ()
    return [(one.path, one.reason.partition(";")[0].partition(",")[0]) for one in found]


def test_what_was_not_read_is_kept_until_the_file_is_read_again_or_goes(kb: SupportKB, tmp_path: Path) -> None:
    assert lost(kb) == [] and kb.sources().losses is None and "losses" not in kb.sources().as_json()
    (tmp_path / "manuals" / "bad.xyz").write_text("x", encoding="utf-8")
    table = tmp_path / "issues" / "i.csv"
    table.write_text("id,text,text\n7,it hums,loudly\n-8,it smells,\n9,,\n", encoding="utf-8")
    kb.add([tmp_path / "manuals"])
    kb.add([table], "issues")
    said = [
        (str(tmp_path / "manuals" / "bad.xyz"), "has a file type that is not supported"),
        (f"{table}, header", "has several columns of the name text"),
        (f"{table}:4", "has an empty text (text)"),
    ]
    assert [path for path, _ in lost(kb)] == [path for path, _ in said] and lost(kb)[1:] == said[1:]
    table.write_text("id,text\n7,it hums\n-8,it smells\n", encoding="utf-8")
    kb.add([table], "issues")
    assert [path for path, _ in lost(kb)] == [said[0][0]], "the file was read again, whole"
    (tmp_path / "manuals").rename(tmp_path / "handbooks")
    kb.move_source(tmp_path / "manuals", tmp_path / "handbooks")
    assert [path for path, _ in lost(kb)] == [str(tmp_path / "handbooks" / "bad.xyz")]
    kb.remove([tmp_path / "handbooks"])
    assert lost(kb) == []


def test_dates_that_are_left_out_are_among_what_was_not_read(kb: SupportKB, tmp_path: Path) -> None:
    path = tmp_path / "dated.csv"
    path.write_text("id,text,date\na,it hums,03/04/2026\nb,it smells,04/05/2026\n", encoding="utf-8")
    done = kb.add([path], "issues").as_json()
    assert done["skipped"] == [] and done["notes"][0].startswith("2 dates could be two days")
    assert lost(kb) == [(str(path), "2 dates could be two days or are no dates")]


EVERYTHING = {"a.md", "sub/b.md", "sub/deep/c.md", "d e.md", "7", "-8", "imported.md"}


def test_folders_files_and_imports_are_listed_with_their_counts(kb: SupportKB, tmp_path: Path) -> None:
    assert ids(kb) == EVERYTHING
    assert kb.sources().sources == (
        ListedSource("folder", str(tmp_path / "manuals"), 3, 0, 0),
        ListedSource("file", str(tmp_path / "issues" / "i.csv"), 0, 2, 0),
        ListedSource("file", str(tmp_path / "more" / "d e.md"), 1, 0, 0),
        ListedSource("import", "kb.jsonl", 1, 0, 0),
    )
    kb.add([tmp_path / "issues"], "issues")  # what was added alone is a part of its folder now
    kb.add([tmp_path / "more"])
    assert [(s.kind, Path(s.path).name, s.documents, s.issues) for s in kb.sources().sources] == [
        ("folder", "issues", 0, 2),
        ("folder", "manuals", 3, 0),
        ("folder", "more", 2, 0),
        ("import", "kb.jsonl", 1, 0),
    ]


def test_a_folder_of_documents_and_of_issues_is_one_source(kb: SupportKB, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "issues" / "i.csv", tmp_path / "more" / "j.csv")
    (tmp_path / "more" / "j.csv").write_text("id,text\n9,it is loud\n", encoding="utf-8")
    kb.add([tmp_path / "more"])
    kb.add([tmp_path / "more"], "issues")
    assert ListedSource("folder", str(tmp_path / "more"), 2, 1, 0) in kb.sources().sources
    assert kb.remove([tmp_path / "more"]) == Removed(3, 2, 1, 0)


def test_an_empty_workspace_lists_nothing(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN))
    assert kb.sources().as_json() == {"sources": []}
    with pytest.raises(BadInputError):
        kb.remove(["a.md"])


def test_workspaces_of_before_list_what_can_be_known(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN))
    body = DOCUMENT.body(Document("x", "x", "Words."))
    with kb.workspace.file() as file, file.transaction():
        places = [("/m", "a.md"), ("/m", "b.md"), ("/deep", "sub/c.md"), ("/alone", "d.md"), ("", "")]
        file.stage("documents", [Staged(f"id{n}", *place, body) for n, place in enumerate(places)])
    assert [(s.kind, s.path, s.documents) for s in kb.sources().sources] == [
        ("folder", "/deep", 1),
        ("folder", "/m", 2),
        ("file", "/alone/d.md", 1),
        ("import", "import", 1),
    ]
    assert kb.remove(["id0"]).removed == 1
    assert ("folder", "/m", 1) in [(s.kind, s.path, s.documents) for s in kb.sources().sources]  # still a folder
    assert kb.remove(["import"]).removed == 1


NAMES = {
    "manuals": {"a.md", "sub/b.md", "sub/deep/c.md"},
    "manuals/": {"a.md", "sub/b.md", "sub/deep/c.md"},
    "./more/../manuals": {"a.md", "sub/b.md", "sub/deep/c.md"},
    "link": {"a.md", "sub/b.md", "sub/deep/c.md"},
    "manuals/sub": {"sub/b.md", "sub/deep/c.md"},
    "manuals/sub/b.md": {"sub/b.md"},
    "link/sub/b.md": {"sub/b.md"},
    "sub/b.md": {"sub/b.md"},  # an id
    "more/d e.md": {"d e.md"},
    "d e.md": {"d e.md"},
    "issues/i.csv": {"7", "-8"},
    "-8": {"-8"},
    "kb.jsonl": {"imported.md"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("gone", [False, True])
def test_what_a_name_removes(
    kb: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, gone: bool
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "manuals")
    if gone:
        for folder in ("manuals", "more", "issues"):
            shutil.rmtree(tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    done = kb.remove([name])
    assert done.removed == len(NAMES[name]) == done.documents + done.issues
    assert ids(kb) == EVERYTHING - NAMES[name]


def test_every_path_that_is_listed_removes_what_is_counted(kb: SupportKB, tmp_path: Path) -> None:
    for source in kb.sources().sources:
        counts = (source.documents, source.issues, source.tickets)
        assert kb.remove([source.path]) == Removed(sum(counts), *counts)
    assert ids(kb) == set()


@pytest.mark.parametrize("name", ["nowhere", "", " ", ".", "/", "..", "more", "more/left-out.md", "A.md", "manuals/su"])
def test_a_name_that_names_nothing_removes_nothing(
    kb: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError, match=r"Nothing was removed.*autokb sources") as refused:
        kb.remove(["a.md", name, "manuals"])
    assert repr(name) in str(refused.value) and refused.value.exit_status == 2
    assert ids(kb) == EVERYTHING


def test_an_empty_name_is_not_the_current_folder(
    kb: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "manuals")
    with pytest.raises(BadInputError):
        kb.remove([""])
    assert kb.remove(["."]).removed == 3


def test_an_id_counts_before_a_path_and_a_listed_name_before_another_path(
    kb: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage_import(kb, "kb.jsonl", "manuals")
    write(tmp_path, "other/kb.jsonl.md")
    (tmp_path / "kb.jsonl").write_text('{"id": "x", "text": "Words of x."}\n', encoding="utf-8")
    kb.add([tmp_path / "kb.jsonl"])
    monkeypatch.chdir(tmp_path)
    kb.remove(["manuals"])
    assert ids(kb) == EVERYTHING | {"x"}
    kb.remove(["kb.jsonl"])
    assert ids(kb) == EVERYTHING - {"imported.md"} | {"x"}
    kb.remove(["./kb.jsonl", "./manuals"])
    assert ids(kb) == {"d e.md", "7", "-8"}


def test_what_is_named_twice_goes_once_and_an_id_of_both_kinds_names_both(kb: SupportKB, tmp_path: Path) -> None:
    stage_import(kb, "kb.jsonl", "7")
    assert kb.remove(["7", "7", "a.md", str(tmp_path / "manuals")]) == Removed(5, 4, 1, 0)


def test_a_source_inside_another_one_is_its_own(kb: SupportKB, tmp_path: Path) -> None:
    write(tmp_path, "more/inner/x.md")
    kb.add([tmp_path / "more" / "inner"])
    kb.add([tmp_path / "more"])
    assert kb.remove([tmp_path / "more"]).removed == 2
    assert "x.md" in ids(kb)
    kb.add([tmp_path / "more"])
    assert kb.remove([tmp_path / "more" / "inner"]).removed == 1


def test_a_folder_that_was_removed_no_longer_names_what_lies_in_it(kb: SupportKB, tmp_path: Path) -> None:
    kb.remove([tmp_path / "manuals"])
    kb.add([tmp_path / "manuals" / "sub"])
    assert {"b.md", "deep/c.md"} <= ids(kb)
    kb.add([tmp_path / "manuals" / "a.md"])
    assert [(s.kind, s.path) for s in kb.sources().sources if "manuals" in s.path] == [
        ("folder", str(tmp_path / "manuals" / "sub")),
        ("file", str(tmp_path / "manuals" / "a.md")),
    ]


def test_a_renamed_folder_is_removed_by_its_old_path_and_by_its_new_one_once_it_was_added(
    kb: SupportKB, tmp_path: Path
) -> None:
    (tmp_path / "manuals").rename(tmp_path / "renamed")
    with pytest.raises(BadInputError):
        kb.remove([tmp_path / "renamed"])
    kb.add([tmp_path / "renamed"])
    with pytest.raises(BadInputError):
        kb.remove([tmp_path / "manuals"])
    assert kb.remove([tmp_path / "renamed"]).removed == 3


def test_a_file_that_was_added_as_a_link_is_removed_by_the_link(kb: SupportKB, tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(tmp_path / "more" / "left-out.md")
    kb.add([tmp_path / "link.md"])
    assert kb.remove([tmp_path / "link.md"]).removed == 1
    assert ids(kb) == EVERYTHING


def test_a_name_that_is_no_text_is_removed_as_it_is_typed_and_as_it_is_listed(kb: SupportKB, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    try:
        write(odd, "x.md")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    kb.add([odd])
    (listed,) = [s.path for s in kb.sources().sources if "odd" in s.path]
    assert kb.remove([odd]).removed == 1
    kb.add([odd])
    assert kb.remove([listed]).removed == 1


# -- the next build -------------------------------------------------------------------------------------------


def test_only_a_build_publishes_a_removal_and_what_comes_back_is_as_it_was(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN))
    for name, (_, text) in hand_made_kb.DOCUMENTS.items():
        write(tmp_path / "manuals", name)
        (tmp_path / "manuals" / name).write_text(text, encoding="utf-8")
    lines = [f"{i},{text},{';'.join(names)}" for i, (text, _, names) in hand_made_kb.RAW.items()]
    (tmp_path / "i.csv").write_text("\n".join(["id,text,resolved_by", *lines]), encoding="utf-8")
    kb.add([tmp_path / "manuals"])
    kb.add([tmp_path / "i.csv"], "issues")
    assert kb.build().solutions > 0
    before = exported(kb, tmp_path)
    assert b'"document":"rain.md"' in before  # a solution cites it
    kb.remove(["rain.md"])
    assert exported(kb, tmp_path) == before
    kb.build()
    assert b'"document":"rain.md"' not in exported(kb, tmp_path)
    kb.add([tmp_path / "manuals"])
    kb.build()
    assert exported(kb, tmp_path) == before


def test_everything_can_be_removed_and_built(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    kb.remove([s.path for s in kb.sources().sources])
    assert kb.build(force="ann").solutions == 0
    assert exported(kb, tmp_path).count(b'"kind":"document"') == 0


def exported(kb: SupportKB, here: Path) -> bytes:
    kb.export(here / "out.jsonl")
    return (here / "out.jsonl").read_bytes()


# -- many rows, and others at work ----------------------------------------------------------------------------


@pytest.fixture
def statements(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every statement that a connection runs from here on."""
    seen: list[str] = []
    opened = WorkspaceFile.__init__

    def traced(self: WorkspaceFile, *args: object, **options: object) -> None:
        opened(self, *args, **options)
        self._db.set_trace_callback(seen.append)

    monkeypatch.setattr(WorkspaceFile, "__init__", traced)
    yield seen


@pytest.mark.slow
def test_ten_thousand_rows_are_listed_and_removed_by_few_statements(kb: SupportKB, statements: list[str]) -> None:
    body = DOCUMENT.body(Document("x", "x", "Words."))
    with kb.workspace.file() as file, file.transaction():
        file.stage("documents", [Staged(f"many-{n}", "/gone/many", f"s{n % 99}/{n}.md", body) for n in range(MANY)])
    kb.remove(["many-0"])
    statements.clear()
    assert ("folder", "/gone/many", MANY - 1) in [(s.kind, s.path, s.documents) for s in kb.sources().sources]
    assert len(statements) < 20
    statements.clear()
    done = kb.remove([f"many-{n}" for n in range(1, MANY // 2)] + ["/gone/many/s1", "/gone/many/s2/2.md"])
    assert MANY // 2 < done.removed < MANY
    assert len(statements) < MANY / 100
    assert not any("body" in s for s in statements)


def _hold(folder: Path, held: multiprocessing.synchronize.Event, free: multiprocessing.synchronize.Event) -> None:
    from autokb.stores.workspace import open_workspace

    workspace = open_workspace(folder)
    with workspace.build_lock(), workspace.file() as file:
        file.finish("trees", {"key": "{}"})
        held.set()
        free.wait(60)
        file.finish("trees", {"key two": "{}"})


def test_a_build_at_work_does_not_hold_a_removal_up(kb: SupportKB) -> None:
    context = multiprocessing.get_context("spawn")
    held, free = context.Event(), context.Event()
    build = context.Process(target=_hold, args=(kb.workspace.folder, held, free))
    build.start()
    try:
        assert held.wait(60)
        assert kb.remove(["a.md"]).removed == 1
    finally:
        free.set()
        build.join(60)
    assert build.exitcode == 0
    assert ids(kb) == EVERYTHING - {"a.md"}


def test_a_removal_that_cannot_be_written_changes_nothing(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: Callable[..., None] = WorkspaceFile.note

    def fail(self: WorkspaceFile, key: str, value: str) -> None:
        noted(self, key, value)
        raise KeyboardInterrupt

    monkeypatch.setattr(WorkspaceFile, "note", fail)
    with pytest.raises(KeyboardInterrupt):
        kb.remove(["a.md", "7"])
    assert ids(kb) == EVERYTHING


@pytest.mark.parametrize("seed", range(5))
def test_after_any_sequence_one_file_is_staged_once_and_a_sync_gives_what_is_there(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    kb = SupportKB(create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN))
    top = tmp_path / "top"
    folders = [top, top / "a", top / "a" / "b", top / "a" / "b" / "c", top / "d"]
    files = [folder / f"{n}-{m}.md" for n, folder in enumerate(folders) for m in range(2)]
    for file in files:
        write(tmp_path, str(file.relative_to(tmp_path)))
    for _ in range(25):
        match chance.choice(["add", "add", "sync", "remove", "change", "delete"]):
            case "add" | "sync" as step:
                paths = [p for p in chance.sample(folders + files, chance.choice([1, 2])) if p.exists()]
                kb.add(paths, sync=step == "sync", yes=True)
            case "remove" if sources := kb.sources().sources:
                one = chance.choice(sources)
                assert kb.remove([one.path]).removed == one.documents
            case "change":
                chance.choice(files).write_text(f"# Title\n\n{chance.random()}\n", encoding="utf-8")
            case "delete":
                chance.choice(files).unlink(missing_ok=True)
        paths_of = staged_paths(kb)
        assert len(set(paths_of.values())) == len(paths_of)
    kb.add([top], sync=True, yes=True)
    assert sorted(staged_paths(kb).values()) == sorted(file for file in files if file.exists())


def staged_paths(kb: SupportKB) -> dict[str, Path]:
    with kb.workspace.file() as file:
        return {place.id: Path(place.root, place.relative) for place in file.staged_places()}


def test_a_moved_folder_is_the_same_source(kb: SupportKB, tmp_path: Path) -> None:
    before = kb.sources()
    folder = next(Path(one.path) for one in before.sources if one.kind == "folder")
    moved = tmp_path / "elsewhere" / "docs"
    moved.parent.mkdir()
    folder.rename(moved)
    after = kb.move_source(folder, moved)
    assert [(one.documents, one.issues) for one in after.sources] == [
        (one.documents, one.issues) for one in before.sources
    ]
    assert str(moved) in {one.path for one in after.sources} and str(folder) not in {one.path for one in after.sources}
    again = kb.add([moved], "documents")
    assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_a_moved_file_keeps_its_id_and_its_fields(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("n,words\n7,It hums\n", encoding="utf-8")
    kb.add([old], "issues", Fields(id="n", text="words"))
    old.rename(new)
    (source,) = kb.move_source(old, new).sources
    assert (source.kind, source.path, source.issues) == ("file", str(new), 1)
    again = kb.add([new], "issues", Fields(id="n", text="words"))
    assert (again.added, again.unchanged) == (0, 1)


def test_what_was_not_added_or_lies_nowhere_moves_nothing(kb: SupportKB, tmp_path: Path) -> None:
    before = kb.sources()
    folder = next(one.path for one in before.sources if one.kind == "folder")
    with pytest.raises(BadInputError, match="There is nothing at"):
        kb.move_source(folder, tmp_path / "nowhere")
    with pytest.raises(BadInputError, match="is no source"):
        kb.move_source(tmp_path / "nowhere", tmp_path)
    assert kb.sources() == before
