"""Links inside an added folder: what leads out of it is read where a person asks for that, and only there."""

from __future__ import annotations

import os
from contextlib import chdir
from pathlib import Path

import pytest

from autokb.sources import Reading, read_documents, read_issues
from autokb.sources.files import find_files

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a manual, and links to a file and a folder that lie elsewhere, and to its own file."""
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere" / "secret.md").write_text("# Secret\n")
    (tmp_path / "elsewhere" / "deep" / "other.md").write_text("# Other\n")
    added = tmp_path / "added"
    added.mkdir()
    (added / "own.md").write_text("# Own\n")
    (added / "same.md").symlink_to("own.md")
    (added / "file.md").symlink_to(tmp_path / "elsewhere" / "secret.md")
    (added / "sub").symlink_to(tmp_path / "elsewhere")
    (added / "up.md").symlink_to("../elsewhere/secret.md")
    return added


def ids(reading: Reading) -> set[str]:  # type: ignore[type-arg]
    return {record.item.id for record in reading.records}


def test_links_out_of_the_folder_are_named_and_not_read(folder: Path) -> None:
    reading = read_documents([folder])
    assert ids(reading) == {"own.md", "same.md"}
    assert {s.path for s in reading.skipped} == {"file.md", "sub", "up.md"}
    assert all("--follow-links" in s.reason for s in reading.skipped)


def test_links_out_of_the_folder_are_read_where_that_is_asked_for(folder: Path) -> None:
    reading = read_documents([folder], follow_links=True)
    assert ids(reading) == {"own.md", "same.md", "file.md", "up.md", "sub/deep/other.md"}
    assert reading.skipped == ()  # sub/secret.md was read already, by a link with a name of its own


def test_a_path_that_is_itself_a_link_was_named_by_a_person(folder: Path) -> None:
    assert ids(read_documents([folder / "file.md"])) == {"file.md"}
    assert ids(read_documents([folder / "sub"])) == {"secret.md", "deep/other.md"}


def test_a_folder_that_is_reached_by_a_link_holds_its_own_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "name").symlink_to(folder)
    assert ids(read_documents([tmp_path / "name"])) == {"own.md", "same.md"}


def test_issues_follow_the_same_rule(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text("It leaks\n")
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "issues.txt").symlink_to(tmp_path / "all.txt")
    assert read_issues([tmp_path / "added"]).records == ()
    assert len(read_issues([tmp_path / "added"], follow_links=True).records) == 1


def test_links_that_circle_outside_end(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "one" / "two").symlink_to(tmp_path / "two")
    (tmp_path / "two" / "one").symlink_to(tmp_path / "one")
    found, skipped = find_files([tmp_path / "one"], follow_links=True)
    assert [file.relative for file in found] == ["one.md", "two/two.md"]
    assert [(s.path, "read already" in s.reason) for s in skipped] == [("two/one", True)]


def test_folders_deeper_than_a_path_may_be_are_named_and_the_others_read(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("# Own\n")
    with chdir(tmp_path):
        for _ in range(60):
            Path("d" * 100).mkdir()
            os.chdir("d" * 100)
    reading = read_documents([tmp_path])
    assert ids(reading) == {"own.md"}
    (skipped,) = reading.skipped
    assert "File name too long" in skipped.reason
