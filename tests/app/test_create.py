"""A new workspace is made whole or not at all, and what a killed ``init`` left is completed by the next."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.app.create import create
from autokb.core.errors import BadInputError
from autokb.stores.workspace import open_workspace

# Makes the same workspace again and again, each time in a process that kills itself further on: at the n-th of the
# system calls that change what is on the disk. The first and the last steps, which make the folder and put its files in
# their places, are all taken, and of those between them, which add one file after the other, every third.
KILLED = """
import os, signal, sys
from pathlib import Path
from autokb.app.create import create

STEPS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "sqlite3.connect"}
base = Path(sys.argv[1])

def made(name, killed_at=None):
    child = os.fork()
    if not child:
        done = 0

        def count(event, arguments):
            nonlocal done
            if event in STEPS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT):
                done += 1
                if done == killed_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        create(base / name, "medical", examples=True)
        steps = done
        (base / "steps").write_text(str(steps))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

if made("whole"):
    sys.exit(1)
last = int((base / "steps").read_text())
for step in range(1, last + 1):
    if (step < 12 or step > last - 8 or step % 3 == 0) and made(f"killed-{step}", step) != -signal.SIGKILL:
        sys.exit(1)
"""
LIMITED = """
import resource, sys
from autokb.cli import main
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(main(sys.argv[1:]))
"""


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_a_folder_that_is_a_workspace_is_refused_with_how_to_open_it(tmp_path: Path) -> None:
    create(tmp_path / "kb")
    with pytest.raises(BadInputError, match=r"is a workspace already; .*in Python: SupportKB\.open"):
        create(tmp_path / "kb")


@pytest.mark.slow
def test_init_completes_what_a_killed_one_left_whichever_step_it_reached(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reached = [folder for folder in sorted(tmp_path.iterdir()) if folder.name.startswith("killed-")]
    assert len(reached) > 8
    whole = 0
    for folder in reached:
        try:
            created = create(folder, "medical", examples=True)
        except BadInputError as error:  # the kill came after the last file was in its place
            assert "is a workspace already" in str(error)
            whole += 1
        else:
            assert (created.documents, created.issues) == (16, 147)
        with open_workspace(folder).file() as file:
            assert (len(file.staged("documents")), len(file.staged("issues"))) == (16, 147)
    assert whole < len(reached) / 2


@pytest.mark.parametrize("limit", [0, 4096, 80_000])  # the files of the workspace need more
def test_init_on_a_full_disk_leaves_nothing_half_made(limit: int, tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    words = ["init", str(folder), "--domain", "medical", "--examples"]
    done = subprocess.run([sys.executable, "-c", LIMITED, str(limit), *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and "ree some disk space" in done.stderr
    assert names(tmp_path) == []
    assert create(folder, "medical", examples=True).documents == 16
    assert names(folder) == [".build.lock", "domain.yaml", "knowledge.db", "settings.yaml"]


def test_init_on_a_full_disk_leaves_a_folder_that_was_there_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "manual.md").write_text("# Manual\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "1000", "init", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert set(names(tmp_path)) <= {".build.lock", "manual.md"}
    create(tmp_path)


def test_init_uses_the_domain_that_stands_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "domain.yaml").write_text("name: mine\nrules: [Never shout.]\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"has a domain\.yaml of its own"):
        create(tmp_path, "medical")
    assert names(tmp_path) == ["domain.yaml"]
    assert create(tmp_path).domain == "mine"
    assert open_workspace(tmp_path).spec.rules[0].text == "Never shout."


def test_a_workspace_without_its_domain_is_not_made_anew(tmp_path: Path) -> None:
    create(tmp_path / "kb", "medical")
    (tmp_path / "kb" / "domain.yaml").unlink()
    for attempt in (lambda: create(tmp_path / "kb"), lambda: open_workspace(tmp_path / "kb")):
        with pytest.raises(BadInputError, match=r"domain\.yaml is gone; put a copy back") as gone:
            attempt()
    (command,) = re.findall(r"\((echo .*)\)", str(gone.value))
    subprocess.run(command, shell=True, check=True)
    assert open_workspace(tmp_path / "kb").spec.name == "NAME"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_the_database_and_the_lock_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        create(tmp_path / "kb")
        with open_workspace(tmp_path / "kb").file() as file, file.transaction():
            file.note("a", "b")
            modes = {p.name: p.stat().st_mode & 0o777 for p in (tmp_path / "kb").iterdir()}
    finally:
        os.umask(before)
    private = {"knowledge.db", "knowledge.db-wal", "knowledge.db-shm", ".build.lock"}
    assert {name for name, mode in modes.items() if mode == 0o600} == private
