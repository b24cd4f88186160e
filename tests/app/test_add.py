"""Adding sources twice, changed, moved, removed, unreadable, and wrong ones."""

from __future__ import annotations

import gzip
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

import hand_made_kb
from autokb.app import SupportKB
from autokb.app.add import Added, Kind
from autokb.cli.views import added_view
from autokb.core.errors import BadInputError
from autokb.sources import Fields
from autokb.sources.reading import RECORDS_A_STEP
from autokb.stores.staged import EARLIER, staged_raw_issues
from autokb.stores.workspace import Workspace, create_workspace
from autokb.stores.workspace_file import Staged


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of Markdown files: name to words."""

    def make(name: str, **files: str) -> Path:
        for file, words in files.items():
            path = tmp_path / name / f"{file.replace('__', '/')}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {file}\n\n{words}\n", encoding="utf-8")
        return tmp_path / name

    return make


def counts(done: Added) -> tuple[int, int, int, int]:
    return done.added, done.updated, done.unchanged, done.removed


def documents(workspace: Workspace) -> dict[str, str]:
    with workspace.file() as file:
        return {s.id: s.body["text"] for s in file.staged("documents")}


def issues(workspace: Workspace) -> dict[str, dict]:
    with workspace.file() as file:
        return {s.id: dict(s.body) for s in file.staged("issues")}


def test_adding_again_changes_nothing_and_a_changed_file_updates(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one", sub__b="two")
    assert counts(SupportKB(workspace).add([manuals])) == (2, 0, 0, 0)
    assert counts(SupportKB(workspace).add([manuals])) == (0, 0, 2, 0)
    folder("m", a="new words")
    assert counts(SupportKB(workspace).add([manuals])) == (0, 1, 1, 0)
    assert "new words" in documents(workspace)["a.md"]
    assert set(documents(workspace)) == {"a.md", "sub/b.md"}


def test_the_answer_has_the_contract_s_names(workspace: Workspace, folder: Callable, tmp_path: Path) -> None:
    manuals = folder("m", a="one")
    (manuals / "empty.md").write_text("")
    shown = SupportKB(workspace).add([manuals]).as_json()
    assert list(shown) == ["added", "updated", "unchanged", "removed", "skipped"]
    (skipped,) = shown["skipped"]
    assert skipped["path"] == "empty.md" and "empty" in skipped["reason"]


def test_only_sync_removes_what_is_gone(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one", b="two")
    SupportKB(workspace).add([manuals])
    (manuals / "b.md").unlink()
    assert counts(SupportKB(workspace).add([manuals])) == (0, 0, 1, 0)
    assert counts(SupportKB(workspace).add([manuals], sync=True)) == (0, 0, 1, 1)
    assert set(documents(workspace)) == {"a.md"}


def test_sync_of_one_folder_or_file_leaves_the_others(workspace: Workspace, folder: Callable) -> None:
    one, two = folder("one", a="one", b="two"), folder("two", c="three", d="four")
    SupportKB(workspace).add([one, two])
    (two / "d.md").unlink()
    assert SupportKB(workspace).add([one], sync=True).removed == 0
    assert SupportKB(workspace).add([one / "a.md"], sync=True).removed == 0
    assert set(documents(workspace)) == {"a.md", "b.md", "c.md", "d.md"}


def test_sync_of_documents_leaves_issues(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one")
    (manuals / "asked.txt").write_text("It rains\n")
    SupportKB(workspace).add([manuals / "asked.txt"], "issues")
    (manuals / "asked.txt").unlink()
    SupportKB(workspace).add([manuals], sync=True)
    assert len(issues(workspace)) == 1
    assert SupportKB(workspace).add([manuals], "issues", sync=True).removed == 1


@pytest.mark.parametrize("spoilt", [b"", b"\x00\x01\x02" * 400, b"# A\n" + b"\xff\xfe\xfd" * 9 + b"\x81"])
def test_a_file_that_cannot_be_read_now_is_not_removed(workspace: Workspace, folder: Callable, spoilt: bytes) -> None:
    manuals = folder("m", a="one", b="two")
    SupportKB(workspace).add([manuals])
    (manuals / "b.md").write_bytes(spoilt)
    done = SupportKB(workspace).add([manuals], sync=True)
    assert done.removed == 0
    if done.skipped:  # some garbage reads as text of an old encoding
        assert "two" in documents(workspace)["b.md"]


def test_what_lies_behind_a_folder_or_link_that_cannot_be_opened_is_not_removed(
    workspace: Workspace, folder: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    manuals = folder("m", a="one", sub__b="two", sub__deep__c="three")
    (manuals / "link.md").symlink_to(manuals.parent / "target.md")
    (manuals.parent / "target.md").write_text("# Far\n\nAway.\n")
    SupportKB(workspace).add([manuals])
    (manuals.parent / "target.md").unlink()
    opened = Path.iterdir

    def closed(path: Path):  # root may open everything, so the closed folder is played
        if path.name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path)

    monkeypatch.setattr(Path, "iterdir", closed)
    done = SupportKB(workspace).add([manuals], sync=True)
    assert (done.unchanged, done.removed) == (1, 0)
    assert {s.path for s in done.skipped} == {"sub", "link.md"}


def test_a_bad_line_keeps_what_its_file_held(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text('{"id": "x", "text": "One"}\n{"id": "y", "text": "Two"}\n')
    SupportKB(workspace).add([file])
    file.write_text('{"id": "x", "text": "One"}\n{"id": "y", \n')
    done = SupportKB(workspace).add([file], sync=True)
    assert (done.unchanged, done.removed, done.skipped[0].path) == (1, 0, "d.jsonl:2")
    file.write_text('{"id": "x", "text": "One"}\n')
    assert SupportKB(workspace).add([file], sync=True).removed == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_two_folders_with_other_content_under_one_name_are_refused(
    workspace: Workspace, folder: Callable, at_once: bool
) -> None:
    one, two = folder("one", page="first"), folder("two", page="second", other="x")
    if not at_once:
        SupportKB(workspace).add([one])
    with pytest.raises(BadInputError, match=r"page\.md lies in .* with different content.* rename") as refused:
        SupportKB(workspace).add([one, two] if at_once else [two])
    assert refused.value.exit_status == 2
    assert set(documents(workspace)) == (set() if at_once else {"page.md"})  # nothing was added
    (one / "page.md").unlink()
    assert SupportKB(workspace).add([one, two] if at_once else [two]).added + (not at_once) == 2
    assert "second" in documents(workspace)["page.md"]


def test_the_same_file_in_two_folders_is_one_document(workspace: Workspace, folder: Callable) -> None:
    one, two = folder("one", page="same"), folder("two", page="same")
    assert counts(SupportKB(workspace).add([one])) == (1, 0, 0, 0)
    assert counts(SupportKB(workspace).add([two])) == (0, 0, 1, 0)
    assert SupportKB(workspace).add([one, two]).unchanged == 1


def test_a_moved_folder_takes_its_documents_along(workspace: Workspace, folder: Callable) -> None:
    one = folder("one", page="same", gone="old")
    SupportKB(workspace).add([one])
    two = one.rename(one.with_name("two"))
    assert SupportKB(workspace).add([two]).unchanged == 2
    (two / "gone.md").unlink()
    assert SupportKB(workspace).add([two], sync=True).removed == 1


def test_a_compressed_twin_is_the_same_document(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", page="words")
    SupportKB(workspace).add([manuals])
    (manuals / "page.md.gz").write_bytes(gzip.compress((manuals / "page.md").read_bytes()))
    both = SupportKB(workspace).add([manuals], sync=True)
    assert counts(both) == (0, 0, 1, 0)
    (manuals / "page.md").unlink()
    assert counts(SupportKB(workspace).add([manuals], sync=True)) == (0, 0, 1, 0)
    (manuals / "page.md.gz").unlink()
    folder("m", other="x")
    assert counts(SupportKB(workspace).add([manuals], sync=True)) == (1, 0, 0, 1)


def test_a_compressed_page_in_another_folder_is_refused_too(workspace: Workspace, folder: Callable) -> None:
    one, two = folder("one", page="first"), folder("two", other="x")
    (two / "page.md.gz").write_bytes(gzip.compress(b"# page\n\nsecond\n"))
    SupportKB(workspace).add([one])
    with pytest.raises(BadInputError, match="different content"):
        SupportKB(workspace).add([two])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("i.csv", "nr,msg,when,doc\n7,The robot stops,2025-02-03,rain.md;garage.md\n"),
        ("i.jsonl", '{"nr": 7, "msg": "The robot stops", "when": "2025-02-03", "doc": ["rain.md", "garage.md"]}\n'),
    ],
)
def test_issues_with_named_fields(workspace: Workspace, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    fields = Fields(text="msg", id="nr", date="when", resolved_by="doc")
    assert counts(SupportKB(workspace).add([tmp_path / name], "issues", fields)) == (1, 0, 0, 0)
    (body,) = [issues(workspace)["7"]]
    assert (body["text"], body["date"], body["resolved_by"]) == (
        "The robot stops",
        "2025-02-03",
        ["rain.md", "garage.md"],
    )
    (tmp_path / name).write_text(content.replace("stops", "halts"))
    assert counts(SupportKB(workspace).add([tmp_path / name], "issues", fields)) == (0, 1, 0, 0)


def test_issues_from_nested_records_and_from_text(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text(
        '{"id": "n1", "post": {"body": "No sound"}, "gold": [{"slug": "a"}, {"slug": "b"}]}\n'
    )
    SupportKB(workspace).add([tmp_path / "n.jsonl"], "issues", Fields(text="post.body", resolved_by="gold[].slug"))
    assert issues(workspace)["n1"]["resolved_by"] == ["a", "b"]
    (tmp_path / "t.txt").write_text("It rains\n\nIt rains\nIt snows\n")
    assert counts(SupportKB(workspace).add([tmp_path / "t.txt"], "issues")) == (3, 0, 0, 0)
    assert counts(SupportKB(workspace).add([tmp_path / "t.txt"], "issues")) == (0, 0, 3, 0)


@pytest.mark.parametrize("option", ["text", "title", "id", "date", "resolved_by"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("i.csv", "id,message,day\n1,Hello there,2025-02-03\n"),
        ("i.jsonl", '{"id": "1", "message": "Hello there", "day": "2025-02-03"}\n'),
    ],
)
def test_a_misspelt_field_takes_nothing_and_names_the_fields(
    workspace: Workspace, tmp_path: Path, name: str, content: str, option: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInputError, match=rf"{name} has the field 'mesage' that --{option.replace('_', '-')}") as no:
        SupportKB(workspace).add([tmp_path / name], "issues", Fields(**{"text": "message", option: "mesage"}))
    assert "id, message, day" in str(no.value) and "Nothing was added" in str(no.value)
    assert issues(workspace) == {}


@pytest.mark.parametrize("option", ["text", "title", "id"])
def test_a_misspelt_field_of_documents_takes_nothing(workspace: Workspace, tmp_path: Path, option: str) -> None:
    (tmp_path / "d.jsonl").write_text('{"id": "1", "body": "The blades are sharp."}\n')
    with pytest.raises(BadInputError, match="id, body"):
        SupportKB(workspace).add([tmp_path], "documents", Fields(**{"text": "body", option: "bdoy"}))
    assert documents(workspace) == {}


def test_a_field_that_some_records_have_is_spelt_right(workspace: Workspace, tmp_path: Path) -> None:
    lines = '{"id": "1", "text": "No sound"}\n{"id": "2", "text": "It hums", "day": "2025-02-03", "gold": []}\n'
    (tmp_path / "i.jsonl").write_text(lines)
    (tmp_path / "other.csv").write_text("id,text\n3,It rains in\n")
    fields = Fields(date="day", resolved_by="gold[].slug")
    assert counts(SupportKB(workspace).add([tmp_path], "issues", fields))[0] == 3


def test_a_missing_path_adds_nothing_at_all(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one")
    with pytest.raises(BadInputError, match="does not exist"):
        SupportKB(workspace).add([manuals, manuals / "nowhere"])
    assert documents(workspace) == {}


def test_names_that_are_no_text_do_not_end_the_command(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one")
    try:
        (manuals / "a.md").rename(manuals / os.fsdecode(b"\xff\xfe.md"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    done = SupportKB(workspace).add([manuals])
    assert done.added + len(done.skipped) == 1
    assert counts(SupportKB(workspace).add([manuals], sync=True))[3] == 0


def test_a_file_read_by_other_fields_gives_nothing_any_more_of_what_it_gave_before(
    workspace: Workspace, tmp_path: Path
) -> None:
    path, beside = tmp_path / "issues.csv", tmp_path / "beside.csv"
    path.write_text("nr,text,reply\n7,it hums,oil it\n8,it rains in,\n", encoding="utf-8")
    beside.write_text("text\nit smells\n", encoding="utf-8")
    SupportKB(workspace).add([path, beside], "issues")
    again = SupportKB(workspace).add([path], "issues", Fields(id="nr"))
    assert (counts(again), again.gone) == ((2, 0, 0, 2), 0)
    (note,) = again.notes
    told = "Issues of issues.csv that have other ids than before"
    assert note.startswith(f"{told}: 2 (the ids were read with no --id-field).")
    assert {"7", "8"} < set(issues(workspace)) and len(issues(workspace)) == 3
    # a row without the field is skipped, and what it gave by another one is gone all the same
    done = SupportKB(workspace).add([path], "issues", Fields(id="nr", text="reply"))
    assert done.notes == (), "it has other texts"
    assert (counts(done), len(done.skipped)) == ((0, 1, 0, 1), 1)
    assert issues(workspace)["7"]["text"] == "oil it"
    done = SupportKB(workspace).add([path], "issues")
    assert (counts(done), len(issues(workspace)), done.notes) == ((2, 0, 0, 1), 3, ())
    SupportKB(workspace).add([path], "issues", Fields(id="nr"))
    (note,) = SupportKB(workspace).add([path], "issues").notes
    assert note.startswith(f"{told}: 2 (the ids were read with --id-field nr).")
    path.write_text("nr,text\n7,it hums\n9,it smells\n", encoding="utf-8")
    (note,) = SupportKB(workspace).add([path], "issues", Fields(id="nr")).notes
    assert note.startswith(f"{told}: 1 ("), "a new export has other rows, too"


@pytest.mark.parametrize("kind", ["issues", "documents"])
def test_ids_that_some_records_lack_take_nothing_away(workspace: Workspace, tmp_path: Path, kind: Kind) -> None:
    path, beside = tmp_path / "i.jsonl", tmp_path / "beside.jsonl"
    rows = ('{"id": "1", "ref": "a", "text": "it hums"}', '{"id": "2", "ref": "", "text": "it smells"}')
    path.write_text("\n".join(rows))
    SupportKB(workspace).add([path], kind)
    with pytest.raises(BadInputError, match=r"i\.jsonl was added under other ids before, ") as e:
        SupportKB(workspace).add([path], kind, Fields(id="ref"))
    assert "i.jsonl:2 has no id at 'ref'" in str(e.value) and f"autokb remove {workspace.folder} {path}" in str(e.value)
    held = issues if kind == "issues" else documents
    assert set(held(workspace)) == {"1", "2"}
    shutil.copy(path, beside)
    done = SupportKB(workspace).add([beside], kind, Fields(id="ref"))
    assert (counts(done), [s.path for s in done.skipped]) == ((1, 0, 0, 0), ["beside.jsonl:2"])
    path.write_text("\n".join(rows).replace('""', '"b"'))
    assert counts(SupportKB(workspace).add([path], kind, Fields(id="ref"))) == (1, 0, 1, 2)


def test_links_by_a_title_are_counted(workspace: Workspace, folder: Callable, tmp_path: Path) -> None:
    SupportKB(workspace).add([folder("m", blades="They are sharp.", dock="Set it straight.")])
    path = tmp_path / "i.jsonl"
    path.write_text(
        '{"text": "it hums", "resolved_by": ["Blades", "dock", "blades.md", "Rain"]}\n'
        '{"text": "it stops", "resolved_by": "https://example.org/dock"}\n{"text": "it cuts", "resolved_by": "DOCK"}\n'
    )
    assert SupportKB(workspace).add([path], "issues").titles == 2


def test_rows_that_a_file_lost_stay_until_a_sync(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    path.write_text("number,text\n7,it hums\n8,it rains in\n", encoding="utf-8")
    SupportKB(workspace).add([path], "issues", Fields(id="number"))
    path.write_text("number,text\n7,it hums\n", encoding="utf-8")
    again = SupportKB(workspace).add([path], "issues", Fields(id="number"))
    assert (counts(again), again.gone) == ((0, 0, 1, 0), 1)
    done = SupportKB(workspace).add([path], "issues", Fields(id="number"), sync=True)
    assert (counts(done), done.gone) == ((0, 0, 1, 1), 0)


def test_documents_read_by_other_fields_replace_those_of_before(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"slug": "blades", "body": "They are sharp."}\n')
    SupportKB(workspace).add([path])
    assert set(documents(workspace)) == {"blades"}
    path.write_text('{"nr": "4", "slug": "blades", "body": "They are sharp."}\n')
    done = SupportKB(workspace).add([path], "documents", Fields(id="nr"))
    assert counts(done) == (1, 0, 0, 1)
    assert set(documents(workspace)) == {"4"}
    (note,) = done.notes
    assert note.startswith("Documents of d.jsonl that have other ids than before: 1 (the ids were read with no --id-")
    path.write_text('{"nr": "5", "body": "They are sharp."}\n{"nr": "4", "body": "They are blunt."}\n')
    assert SupportKB(workspace).add([path], "documents", Fields(id="nr")).notes == (), "an id of before is still there"


@pytest.mark.parametrize("kind", ["documents", "issues"])
def test_an_empty_folder_is_said(workspace: Workspace, folder: Callable, tmp_path: Path, kind: Kind) -> None:
    empty = tmp_path / "empty"
    (empty / "inside").mkdir(parents=True)
    (empty / ".hidden.md").write_text("# Hidden")
    full = folder("m", a="one")
    (full / "i.csv").write_text("text\nit hums\n")
    done = SupportKB(workspace).add([empty, full], kind)
    assert [s.path for s in done.skipped if "no file to read" in s.reason] == [str(empty)]
    assert done.added == 1


def test_a_long_reading_tells_how_far_it_is(workspace: Workspace, folder: Callable, tmp_path: Path) -> None:
    told: list[str] = []
    SupportKB(workspace).add([folder("m", a="one", b="two")], progress=told.append)
    assert told == ["1 of 2, a.md", "2 of 2, b.md"]
    rows = 2 * RECORDS_A_STEP + 1
    (tmp_path / "i.csv").write_text("text\n" + "".join(f"it hums {n} times\n" for n in range(rows)))
    told.clear()
    SupportKB(workspace).add([tmp_path / "i.csv"], "issues", progress=told.append)
    assert told == ["1 of 1, i.csv", "1 of 1, i.csv, record 1,000 of 2,001", "1 of 1, i.csv, record 2,000 of 2,001"]
    (tmp_path / "p.html").write_text("<html><body><main><h1>Blades</h1><p>They are sharp.</p></main></body></html>")
    told.clear()
    SupportKB(workspace).add([tmp_path / "p.html"], progress=told.append)
    assert told[-1] == "menus and the like left out, 1 of 1, p.html"


# -- the same file by several names ---------------------------------------------------------------------------


def test_a_folder_by_another_spelling_is_the_same_folder(
    workspace: Workspace, folder: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    manuals = folder("m", a="one", sub__b="two")
    SupportKB(workspace).add([manuals])
    link = manuals.with_name("link")
    link.symlink_to(manuals)
    monkeypatch.chdir(manuals.parent)
    for spelling in ("m", "m/", "./m/../m/.", "link", "link/", str(manuals) + "/"):
        assert counts(SupportKB(workspace).add([Path(spelling)], sync=True)) == (0, 0, 2, 0), spelling
    folder("m", a="changed")
    assert counts(SupportKB(workspace).add([link])) == (0, 1, 1, 0)
    other_case = manuals.with_name("M")
    if other_case.exists():  # on a file system that takes both for one name
        folder("m", a="changed again")
        assert counts(SupportKB(workspace).add([other_case], sync=True)) == (0, 1, 1, 0)


def test_what_lies_in_an_added_folder_keeps_its_id_when_it_is_added_alone(
    workspace: Workspace, folder: Callable
) -> None:
    manuals = folder("m", a="one", sub__b="two", sub__deep__c="three")
    SupportKB(workspace).add([manuals])
    folder("m", sub__b="changed", sub__new="four")
    assert counts(SupportKB(workspace).add([manuals / "sub" / "b.md"])) == (0, 1, 0, 0)
    assert counts(SupportKB(workspace).add([manuals / "sub"])) == (1, 0, 2, 0)
    assert set(documents(workspace)) == {"a.md", "sub/b.md", "sub/deep/c.md", "sub/new.md"}
    (manuals / "sub" / "deep" / "c.md").unlink()
    assert counts(SupportKB(workspace).add([manuals / "sub"], sync=True)) == (0, 0, 2, 1)
    assert counts(SupportKB(workspace).add([manuals], sync=True)) == (0, 0, 3, 0)


@pytest.mark.parametrize("first", ["m/sub", "m/sub/b.md"])
def test_what_was_added_alone_keeps_its_id_when_the_folder_above_is_added(
    workspace: Workspace, folder: Callable, first: str
) -> None:
    manuals = folder("m", a="one", sub__b="two")
    SupportKB(workspace).add([manuals.parent / first])
    assert counts(SupportKB(workspace).add([manuals])) == (1, 0, 1, 0)
    assert set(documents(workspace)) == {"a.md", "b.md"}
    folder("m", sub__b="changed")
    assert counts(SupportKB(workspace).add([manuals])) == (0, 1, 1, 0)
    (manuals / "sub" / "b.md").unlink()
    assert counts(SupportKB(workspace).add([manuals], sync=True, yes=True)) == (0, 0, 1, 1)


def test_a_file_beside_one_that_was_added_alone_is_named_by_itself(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one", sub__b="two")
    SupportKB(workspace).add([manuals / "a.md"])
    SupportKB(workspace).add([manuals / "sub"])  # the folder above was never added, only one of its files
    assert set(documents(workspace)) == {"a.md", "b.md"}


def test_what_cannot_be_opened_in_a_folder_inside_an_added_one_is_not_removed(
    workspace: Workspace, folder: Callable
) -> None:
    manuals = folder("m", a="one", sub__b="two", sub__c="three")
    SupportKB(workspace).add([manuals])
    (manuals / "sub" / "b.md").write_bytes(b"")
    done = SupportKB(workspace).add([manuals / "sub"], sync=True)
    assert (done.removed, [s.path for s in done.skipped]) == (0, ["sub/b.md"])


def test_copies_that_change_alike_are_no_different_files(workspace: Workspace, folder: Callable) -> None:
    one, two = folder("one", page="same"), folder("two", page="same")
    SupportKB(workspace).add([one])
    folder("one", page="new"), folder("two", page="new")
    assert counts(SupportKB(workspace).add([two])) == (0, 1, 0, 0)


# -- ids of issues ---------------------------------------------------------------------------------------------


def test_an_id_of_issues_that_another_file_gave_is_refused_unless_it_is_to_be_updated(
    workspace: Workspace, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("id,text\n7,it hums\n8,it rains in\n")
    second.write_text("id,text\n7,it smells\n9,it is loud\n")
    SupportKB(workspace).add([first], "issues")
    with pytest.raises(
        BadInputError, match=r"'7' in .*b\.csv .*a\.csv.*--update.*--id-field.*Nothing was added"
    ) as refused:
        SupportKB(workspace).add([second], "issues")
    assert refused.value.exit_status == 2
    assert set(issues(workspace)) == {"7", "8"}
    assert counts(SupportKB(workspace).add([second], "issues", update=True)) == (1, 1, 0, 0)
    assert issues(workspace)["7"]["text"] == "it smells"
    with pytest.raises(BadInputError, match="--update"):  # the first one is the other file now
        SupportKB(workspace).add([first], "issues")
    second.unlink()
    assert counts(SupportKB(workspace).add([first], "issues")) == (0, 1, 1, 0)


def test_the_same_issue_of_two_files_is_one_and_made_ids_belong_to_no_file(
    workspace: Workspace, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("id,text,date\n7,it hums,2025-01-01\n")
    second.write_text(first.read_text())
    SupportKB(workspace).add([first], "issues")
    assert counts(SupportKB(workspace).add([second], "issues")) == (0, 0, 1, 0)
    first.write_text("text,date\nit smells,2025-01-01\n")
    second.write_text("text,date\nit smells,2025-02-02\n")
    SupportKB(workspace).add([first], "issues")
    assert counts(SupportKB(workspace).add([second], "issues")) == (0, 1, 0, 0)


# -- imports ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relative", ["", "kb.jsonl"])
def test_a_file_takes_the_place_of_what_was_imported_with_its_id(
    workspace: Workspace, folder: Callable, monkeypatch: pytest.MonkeyPatch, relative: str
) -> None:
    manuals = folder("m", a="one", b="two")
    SupportKB(workspace).add([manuals])
    with workspace.file() as file, file.transaction():
        imported = [Staged(s.id, "", relative, s.body) for s in file.staged("documents")]
        file.stage("documents", imported)
    monkeypatch.chdir(folder("here", x="elsewhere"))
    Path("kb.jsonl").write_text("the imported file, in the folder that the command is typed in")
    folder("m", b="changed")
    assert counts(SupportKB(workspace).add([manuals])) == (0, 1, 1, 0)
    (manuals / "a.md").unlink()
    assert counts(SupportKB(workspace).add([manuals], sync=True)) == (0, 0, 1, 1)


def test_a_file_takes_an_imported_issue_s_id(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.file() as file, file.transaction():
        file.stage("issues", [Staged("7", "", "kb.jsonl", {"text": "it hums"})])
    path = tmp_path / "a.csv"
    path.write_text("id,text\n7,it smells\n")
    assert counts(SupportKB(workspace).add([path], "issues")) == (0, 1, 0, 0)


# -- a share that is not mounted --------------------------------------------------------------------------------


def test_a_sync_of_a_folder_without_any_file_needs_a_yes(workspace: Workspace, folder: Callable) -> None:
    share, other = folder("share", a="one", sub__b="two"), folder("other", c="three")
    SupportKB(workspace).add([share, other])
    shutil.rmtree(share)
    share.mkdir()
    for paths in ([share], [other, share]):
        with pytest.raises(BadInputError, match=r"share .*\(2\).*mounted.*--yes.*Nothing was changed") as refused:
            SupportKB(workspace).add(paths, sync=True)
        assert refused.value.exit_status == 2
    assert counts(SupportKB(workspace).add([share])) == (0, 0, 0, 0)  # without a sync nothing would go
    assert set(documents(workspace)) == {"a.md", "sub/b.md", "c.md"}
    assert SupportKB(workspace).add([share], sync=True, yes=True).removed == 2
    assert SupportKB(workspace).add([share], sync=True).removed == 0  # nothing is left to lose


def test_a_share_inside_an_added_folder_is_not_emptied_without_a_yes(workspace: Workspace, folder: Callable) -> None:
    manuals = folder("m", a="one", share__b="two")
    SupportKB(workspace).add([manuals / "share"])
    SupportKB(workspace).add([manuals])
    (manuals / "share" / "b.md").unlink()
    with pytest.raises(BadInputError, match=r"m/share .*--yes"):
        SupportKB(workspace).add([manuals], sync=True)
    assert SupportKB(workspace).add([manuals], sync=True, yes=True).removed == 1


def test_a_sync_of_a_folder_that_is_gone_is_refused_even_with_a_yes(workspace: Workspace, folder: Callable) -> None:
    share = folder("share", a="one")
    SupportKB(workspace).add([share])
    shutil.rmtree(share)
    with pytest.raises(BadInputError, match="does not exist"):
        SupportKB(workspace).add([share], sync=True, yes=True)
    assert set(documents(workspace)) == {"a.md"}


def test_templates_of_a_wiki_are_read_by_the_domain_or_left_out_with_a_warning(tmp_path: Path) -> None:
    domain = f'{hand_made_kb.DOMAIN}\ntemplates:\n  options TB: "Choose {{menu Settings}}."\n'
    workspace = create_workspace(tmp_path / "kb", domain)
    page = tmp_path / "wiki" / "start.wiki"
    page.parent.mkdir()
    page.write_text("= Start =\n# [[T:options TB]]\n# [[T:Other]] Wait.\n", encoding="utf-8")
    done = SupportKB(workspace).add([page.parent])
    assert done.unresolved == (("Other", 1),) and "unresolved" not in done.as_json()
    with workspace.file() as file:
        (staged,) = file.staged("documents")
    assert staged.body["text"] == "# Start\n\n1. Choose **Settings**.\n2. Wait.\n"


def test_issues_that_lose_what_helped_are_said(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "issues.csv"
    path.write_text("id,text,article\n7,it hums,oil\n8,it rains in,dry\n9,it is cold,\n", encoding="utf-8")
    assert SupportKB(workspace).add([path], "issues", Fields(resolved_by="article")).notes == ()
    (note,) = SupportKB(workspace).add([path], "issues").notes
    assert note.startswith("Issues that said before what helped, and say nothing now: 2.") and "--resolved-by" in note
    assert SupportKB(workspace).add([path], "issues").notes == (), "it is said once"


# -- notes on what was replaced and left ------------------------------------------------------------------------


def test_what_a_file_no_longer_has_is_named(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "i.csv"
    path.write_text("id,title,text\n1,Hum,it hums\n2,,it rains\n3,Cold,it is cold\n4,Hot,it is hot\n5,,x\n")
    SupportKB(workspace).add([path], "issues")
    path.write_text("id,title,text\nA1,Hum,it hums\nA2,,it rains\n3,Cold,it is cold\n4,Hot,it is hot\n5,,x\n")
    done = SupportKB(workspace).add([path], "issues")
    assert (done.gone, done.left) == (2, "1 (Hum), 2 (it rains)")
    console = Console(width=100, file=io.StringIO())
    console.print(added_view(workspace.folder, "issues", done))
    told = "  no longer there: 2, kept for now; --sync removes them: 1 (Hum), 2 (it rains)"
    assert told in console.file.getvalue().splitlines()
    assert "left" not in done.as_json()
    path.write_text("id,title,text\nB1,Hum,it hums\n")
    done = SupportKB(workspace).add([path], "issues")
    assert (done.gone, done.left.count(","), done.left[-1]) == (7, 3, "…"), "three of them are enough"
    assert SupportKB(workspace).add([path], "issues", sync=True).left == ""


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("issues", "id,text\n7,it hums\n8,it rains in\n", "id,text\n7,it hums loudly\n"),
        ("tickets", "id,title,status\n7,it hums,open\n8,it stops,open\n", "id,title,status\n7,it hums,closed\n"),
        ("chats", "conversation,role,text\n7,customer,hm\n", "conversation,role,text\n7,customer,hello\n"),
    ],
)
def test_an_older_file_that_undoes_a_correction_is_said(
    workspace: Workspace, tmp_path: Path, kind: Kind, old: str, new: str
) -> None:
    stale, corrected = tmp_path / "a.csv", tmp_path / "b.csv"
    stale.write_text(old), corrected.write_text(new)
    assert SupportKB(workspace).add([stale], kind).notes == ()
    assert SupportKB(workspace).add([corrected], kind, update=True).notes == ()
    (note,) = SupportKB(workspace).add([stale], kind, update=True).notes
    assert note.startswith(f"{kind.capitalize()} that are again as they were before a later change: 1; if ")
    assert "--update" in note and ": 7 (" in note
    assert SupportKB(workspace).add([corrected], kind, update=True).notes == (), (
        "what the note says to do is no going back"
    )
    assert counts(SupportKB(workspace).add([corrected], kind, update=True))[1:3] == (0, 1)
    moved = tmp_path / "moved" / "b.csv"
    moved.parent.mkdir()
    shutil.move(corrected, moved)
    SupportKB(workspace).add([moved], kind)
    assert SupportKB(workspace).add([stale], kind, update=True).notes != (), "it is known where the file was moved, too"


def test_what_an_add_knows_of_a_record_is_bounded_and_no_part_of_it(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for number in range(30):
        path.write_text(f"id,text\n7,it hums {number}\n")
        assert SupportKB(workspace).add([path], "issues").notes == ()
    with workspace.file() as file:
        (staged,) = file.staged("issues")
        (issue,) = staged_raw_issues(file)
    assert len(staged.body[EARLIER]) == 10 and issue.text == "it hums 29"


def test_names_of_documents_that_are_not_there_are_said(workspace: Workspace, folder: Callable, tmp_path: Path) -> None:
    path = tmp_path / "i.csv"
    path.write_text("id,text,resolved_by\n1,a,Pairng\n2,b,Pairing\n3,c,Pairng\n4,d,dock.html;x;y\n5,e,\n")
    assert SupportKB(workspace).add([path], "issues").notes == (), "the documents may still come"
    SupportKB(workspace).add([folder("m", Pairing="Hold the button.")])
    (note,) = SupportKB(workspace).add([path], "issues").notes
    assert note.startswith(
        "Named as what resolved issues, but no document added so far: 4 (Pairng, dock.html, x, …). Add those documents"
    )
    path.write_text("id,text,resolved_by\n1,a,Pairing\n")
    assert SupportKB(workspace).add([path], "issues").notes == ()


def test_columns_with_the_name_of_an_attribute_are_said_to_be_not_used(workspace: Workspace, tmp_path: Path) -> None:
    name = next(iter(workspace.spec.attributes))
    path = tmp_path / "i.csv"
    path.write_text(f"id,message,{name.upper()},agent\n1,Hello there,x,ann\n", encoding="utf-8")
    done = SupportKB(workspace).add([path], "issues")
    told = [note for note in done.notes if note.startswith("Not used: ")]
    assert len(told) == 1 and told[0].startswith(f"Not used: {name.upper()}. ")
    assert set(issues(workspace)["1"]) == {"text", "title", "date", "resolved_by"}
    read = SupportKB(workspace).add([path], "issues", Fields(title=name.upper()))
    assert not any(note.startswith("Not used: ") for note in read.notes), "the title was read from it"
