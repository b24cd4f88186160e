"""Private files are 0600 from their first moment, whatever the umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.core.files import make_private, open_private, replace_private

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


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_is_the_owners_alone(tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_bytes(b"old")
    (tmp_path / "shared.md").chmod(0o644)
    for name in ("shared.md", "new.md"):
        replace_private(tmp_path / name, b"new")
        assert (tmp_path / name).read_bytes() == b"new"
    assert permissions(tmp_path / "shared.md") == 0o644
    assert permissions(tmp_path / "new.md") == 0o600


STOPPED = """
import resource, sys
from pathlib import Path
from autokb.core.files import replace_private

def interrupt(event, arguments):
    if event == "os.rename":
        raise KeyboardInterrupt

if sys.argv[2] == "Ctrl-C":
    sys.addaudithook(interrupt)
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
replace_private(Path(sys.argv[1]), b"new" * 1000)
"""


@pytest.mark.parametrize("why", ["Ctrl-C", "full disk"])
def test_what_is_stopped_leaves_the_old_file_and_nothing_beside_it(why: str, tmp_path: Path) -> None:
    (tmp_path / "kb.md").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", STOPPED, str(tmp_path / "kb.md"), why], capture_output=True, text=True)
    assert ("KeyboardInterrupt" if why == "Ctrl-C" else "File too large") in done.stderr
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("kb.md", b"old")]


WRITER = """
import sys
from pathlib import Path
from autokb.core.files import replace_private

for _ in range(100):
    replace_private(Path(sys.argv[1]), sys.argv[2].encode() * 100_000)
"""


def test_a_reader_never_sees_a_part_whoever_else_writes_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "kb.md"
    replace_private(path, b"0" * 100_000)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), letter]) for letter in "abcd"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes()
        assert len(content) == 100_000 and len(set(content)) == 1
        seen.add(content[:1])
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    assert len(seen) > 1, "nothing was written meanwhile"
    assert list(tmp_path.iterdir()) == [path]
