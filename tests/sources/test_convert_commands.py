"""``convert:`` turns a file into Markdown or HTML by an outside program, within the bounds of our own readers."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from autokb.core.errors import BadEntryError
from autokb.core.settings import read_settings
from autokb.sources import read_documents, subprocess_converter
from autokb.sources.outside_readers import LARGEST_OUTPUT

MARKDOWN = "import sys; text = open(sys.argv[1]).read(); print('# Of a program\\n\\n' + text.upper())"
HTML = "print('<html><body><h1>A page</h1><p>It is long enough to stay.</p></body></html>')"


def command(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {{file}}"


def read(folder: Path, command: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    found = read_documents([folder], convert=read_settings({"convert": {".XYZ": command}}).convert)
    documents = [(one.item.id, one.item.title, one.item.text) for one in found.records]
    return documents, [(one.path, one.reason) for one in found.skipped]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.xyz").write_text("turn it", encoding="utf-8")
    return tmp_path / "given"


def test_a_program_writes_markdown_or_html(folder: Path) -> None:
    assert read(folder, command(MARKDOWN)) == ([("a.xyz", "Of a program", "# Of a program\n\nTURN IT\n")], [])
    ((_, title, text),), skipped = read(folder, command(HTML))
    assert (title, skipped) == ("A page", [])
    assert "It is long enough to stay." in text and "<" not in text


def test_without_a_place_for_it_the_file_is_the_last_word_and_no_shell_reads_the_command(folder: Path) -> None:
    words = command("import sys; print(sys.argv[1:-1], open(sys.argv[-1]).read())").replace(" {file}", " '$HOME; ls'")
    ((_, _, text),), _ = read(folder, words)
    assert text.startswith("['$HOME; ls'] turn it")


def test_a_program_gets_no_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ((_, _, text),), _ = read(folder, command("import os; print(sorted(os.environ))"))
    assert "OPENAI" not in text and "PATH" in text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit(3)", "end with status 3"),
        ("", "holds no text"),
        (f"print('x' * {LARGEST_OUTPUT + 10})", "write more than 20,000,000 bytes"),
        ("b = bytearray(8 * 1024**3)", "end with status 1"),
    ],
)
def test_one_that_fails_or_has_no_end_is_a_reason_and_the_other_files_are_read(
    folder: Path, code: str, reason: str
) -> None:
    (folder / "b.md").write_text("# B\n\nTurn it.\n", encoding="utf-8")
    documents, skipped = read(folder, command(code))
    assert [one[0] for one in documents] == ["b.md"]
    ((path, said),) = skipped
    assert path == "a.xyz" and reason in said


def test_one_that_is_not_installed_is_named(folder: Path) -> None:
    _, skipped = read(folder, "no-such-program-here {file}")
    assert skipped == [("a.xyz", "needs the program 'no-such-program-here' (No such file or directory); install it.")]


@pytest.mark.slow
def test_one_that_hangs_is_killed_with_all_that_it_started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_converter, "_WAITING", 2)
    pids = folder.parent / "pids"
    code = (
        "import os, subprocess, sys, time; child = subprocess.Popen(['sleep', '600']); "
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}'); time.sleep(600)"
    )
    monkeypatch.setattr(subprocess_converter, "longest_seconds", lambda _kind, _data: 2)
    _, skipped = read(folder, command(code))
    assert skipped == [("a.xyz", "takes more than 2 seconds to read; save it anew, or split it.")]
    for pid in map(int, pids.read_text(encoding="utf-8").split()):
        for _ in range(100):
            if not _runs(pid):
                break
            time.sleep(0.05)
        assert not _runs(pid), "the program, or what it started, was left"


def _runs(pid: int) -> bool:
    """Return whether a process is there and no zombie, which nobody waits for in a container."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "given", [{".xyz": ""}, {"xyz": "cat"}, {".xyz": "cat 'a"}, {".xyz": ["cat"]}, {".a/b": "cat"}]
)
def test_what_is_no_command_for_a_suffix_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(
        BadEntryError,
        match=r"convert: \.xyz must be a command, such as: pandoc|convert: a name must be a suffix such as \.rst",
    ):
        read_settings({"convert": given})
