"""A file that another program writes is read whole or named; half of one never comes out."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autokb.core.errors import UnreadableFileError
from autokb.sources import decoding, read_documents, read_issues
from autokb.sources.decoding import read_whole

# Writes the file again and again in place, half of it first; the pause is longer than a reader needs.
WRITER = """
import sys, time
path, pause = sys.argv[1], float(sys.argv[2])
texts = [open(name, "rb").read() for name in sys.argv[3:]]
print("ready", flush=True)
while True:
    for text in texts:
        with open(path, "wb") as stream:
            stream.write(text[: len(text) // 2])
            stream.flush()
            time.sleep(pause)
            stream.write(text[len(text) // 2 :])
        time.sleep(pause * 4)
"""


@contextmanager
def rewritten(path: Path, contents: list[bytes], pause: float) -> Iterator[None]:
    """Have another process write these contents into a file in turn."""
    names = []
    for number, content in enumerate(contents):
        name = path.with_name(f".content-{number}")
        name.write_bytes(content)
        names.append(str(name))
    path.write_bytes(contents[0])
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(pause), *names], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_written_all_the_time_is_never_half(tmp_path: Path, packed: bool) -> None:
    texts = [f"# Manual {n}\n\n{'Press the seal. ' * 2_000}\n\nEnd {n}.\n" for n in range(3)]
    contents = [gzip.compress(t.encode()) if packed else t.encode() for t in texts]
    path = tmp_path / ("manual.md.gz" if packed else "manual.md")
    read = 0
    with rewritten(path, contents, 0.01):
        for number in range(10_000):
            reading = read_documents([path])
            assert all(record.item.text in texts for record in reading.records)
            assert all("is being written" in skipped.reason for skipped in reading.skipped)
            read += len(reading.records)
            if read and number >= 40:
                break
    assert read  # between two writings there is time to read


@pytest.mark.slow
def test_a_file_that_is_open_for_writing_is_named_and_read_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "issues.txt"
    with path.open("w") as stream:
        stream.write("It leaks\nIt does not ")
        stream.flush()
        (skipped,) = read_issues([path]).skipped
        assert skipped.path == "issues.txt" and "being written by another program; add it again" in skipped.reason
        stream.write("close\n")
    assert [r.item.text for r in read_issues([path]).records] == ["It leaks", "It does not close"]


def test_a_file_that_was_left_open_long_ago_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with path.open("w") as stream:
        stream.write("It leaks\n")
        stream.flush()
        os.utime(path, (1_700_000_000, 1_700_000_000))
        assert read_whole(path, 100) == b"It leaks\n"


@pytest.mark.slow
def test_what_the_system_does_not_tell_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "_is_open_for_writing", lambda descriptor: None)
    texts = [(f"{n}" * 9_000).encode() for n in range(3)]
    path = tmp_path / "a.txt"
    with rewritten(path, texts, 0.02), pytest.raises(UnreadableFileError, match="is being written"):
        read_whole(path, 100_000)
    assert read_whole(path, 100_000) is not None


def test_no_pipe_is_waited_for_and_a_large_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableFileError, match="no regular file"):
        read_whole(tmp_path / "pipe", 10)
    (tmp_path / "a.txt").write_bytes(b"x" * 11)
    assert read_whole(tmp_path / "a.txt", 10) is None
    assert read_whole(tmp_path / "a.txt", 11) == b"x" * 11
