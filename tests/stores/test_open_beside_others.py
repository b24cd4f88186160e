"""A file that stays open here while it is opened again, and while another process opens, writes and closes it."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.stores.database import _in_use
from autokb.stores.workspace_file import WorkspaceFile

WRITES = """
import sys
from pathlib import Path
from autokb.stores.workspace_file import WorkspaceFile
file = WorkspaceFile(Path(sys.argv[1]))
with file.transaction():
    file.note("said", sys.argv[2])
file.close()
"""


def test_what_another_process_writes_is_seen_by_a_connection_that_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    stays = WorkspaceFile(path, create=True)
    for said in ("one", "two"):
        stays.meta("said")
        WorkspaceFile(path).close()  # which must not drop the locks of the one that stays
        subprocess.run([sys.executable, "-c", WRITES, str(path), said], check=True, timeout=60)
        assert stays.meta("said") == said
    with stays.transaction():
        stays.note("said", "here")
    stays.close()
    assert WorkspaceFile(path).meta("said") == "here"


def test_a_file_is_looked_at_again_when_nobody_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    gc.collect()  # what earlier tests left open counts no more from now on
    before = dict(_in_use)
    first, second = WorkspaceFile(path, create=True), WorkspaceFile(path)
    first.close()
    first.close()
    second.close()
    assert dict(_in_use) == before
    path.write_bytes(b"somebody else's " * 300)
    with pytest.raises(BadInputError, match="not made by autokb"):
        WorkspaceFile(path)
    assert dict(_in_use) == before
