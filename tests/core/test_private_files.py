"""Private files are 0600 from their first moment, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.core.private_files import make_private, open_private

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_that_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    make_private(tmp_path / "one.db")
    with open_private(tmp_path / "two.jsonl", "wb") as file:
        file.write(b"{}\n")
        assert permissions(tmp_path / "two.jsonl") == 0o600
    with open_private(tmp_path / "three.csv", encoding="utf-8", newline="") as text:
        text.write("é\r\n")
    assert permissions(tmp_path / "one.db") == permissions(tmp_path / "three.csv") == 0o600
    assert (tmp_path / "two.jsonl").read_bytes() == b"{}\n"
    assert (tmp_path / "three.csv").read_bytes() == "é\r\n".encode()


def test_a_file_that_is_there_keeps_content_and_permissions(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    path.write_bytes(b"shared")
    path.chmod(0o640)
    make_private(path)
    assert path.read_bytes() == b"shared"
    with open_private(path, "ab"):
        pass
    assert permissions(path) == 0o640
