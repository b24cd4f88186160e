"""What commands write of customers' texts is their owner's alone, whatever the umask."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.cli import main
from autokb.exchange.export_kb import export_kb
from autokb.stores.workspace import Workspace, open_workspace


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.usefixtures("no_umask")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("export {kb} {here}/out.jsonl", "out.jsonl"),
        ("export {kb} {here}/out.md", "out.md"),
        ("export {kb} {here}/out.csv", "out.csv"),
        ("evaluate quality {kb} --sheet {here}/sheet.csv", "sheet.csv"),
        ("evaluate quality {kb} --report {here}/report.html", "report.html"),
        ("build {kb}", "kb/.build.lock"),
        ("draft-spec {kb}", "kb/domain.draft.yaml"),
    ],
)
def test_a_file_that_a_command_makes_is_private(words: str, name: str, hand_made: Workspace, tmp_path: Path) -> None:
    (hand_made.folder / ".build.lock").unlink()
    (tmp_path / "page.md").write_text("# Kettle\n\nFill it with water.\n", encoding="utf-8")
    command = words.format(kb=hand_made.folder, here=tmp_path)
    assert main(shlex.split(command)) == 0
    made = tmp_path / name
    assert made.stat().st_mode & 0o777 == 0o600
    made.chmod(0o644)  # somebody wants it to be read by others
    assert main(shlex.split(command)) == 0
    assert made.stat().st_mode & 0o777 == 0o644


def test_exports_to_one_name_at_once_are_never_read_in_part(hand_made: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "out" / "kb.jsonl"
    target.parent.mkdir()
    export_kb(hand_made, target)
    whole = target.read_bytes()
    failed = []

    def export() -> None:
        try:
            for _ in range(20):
                export_kb(open_workspace(hand_made.folder), target)
        except Exception as error:
            failed.append(error)

    writers = [threading.Thread(target=export) for _ in range(6)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert target.read_bytes() == whole
    assert failed == []
    assert list(target.parent.iterdir()) == [target]
