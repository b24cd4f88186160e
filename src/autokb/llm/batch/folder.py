"""The folder of batch files: which files are whose, lines read one at a time, request files replaced whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.private_files import open_private

LINES_MOST = 50_000  # of one file of requests; OpenAI takes no more
BYTES_MOST = 100_000_000
OURS = re.compile(r"requests(-\d+)?\.jsonl")
ASIDE = re.compile(r"\.requests(-\d+)?\.jsonl\.new")


def usable(folder: Path) -> Path:
    """Return the folder, made where only its last part is missing; BadInputError says why it cannot be used."""
    try:
        folder.mkdir(exist_ok=True)
        return folder
    except OSError as error:
        raise BadInputError(
            f"{folder} cannot be used as the folder of batch files ({error.strerror}); give a folder, or make it first."
        ) from error


def reply_files(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the reply files in the order of their names, and the names that are neither replies nor ours."""
    files = sorted(path for path in folder.glob("*.jsonl") if path.is_file() and not path.name.startswith("."))
    replies = [path for path in files if not path.name.startswith("requests")]
    skipped = [p.name for p in files if p.name.startswith("requests") and not OURS.fullmatch(p.name)]
    return replies, skipped


def read_lines(path: Path, most: int) -> Iterator[tuple[int, bytes, bool]]:
    """Yield number, bytes and whether a newline ends it, of each line that is not blank.

    A line that is too long is cut off behind its first byte over ``most``, and read on in pieces of that size.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(most + 1):
            number += 1
            ended = line.endswith(b"\n")
            while not ended and (rest := file.readline(most + 1)):
                ended = rest.endswith(b"\n")
            if line.strip():
                yield number, line, ended


def write_requests(folder: Path, lines: Iterable[bytes]) -> None:
    """Replace our request files by these lines; no line, no file. A reader sees each file old or new, never half."""
    try:
        written = _write_aside(folder, lines)
        for path in written:
            path.replace(path.with_name(path.name.removeprefix(".").removesuffix(".new")))
        _remove_others(folder, len(written))
        _sync(folder)
    except OSError as error:
        raise BadInputError(
            f"{folder} could not be written ({error.strerror}). Nothing is lost: make the folder writable or free some "
            "disk space, and run the command again."
        ) from error


def _name(part: int) -> str:
    return "requests.jsonl" if part == 1 else f"requests-{part}.jsonl"


def _write_aside(folder: Path, lines: Iterable[bytes]) -> list[Path]:
    written: list[Path] = []
    for part, some in groupby(_numbered(lines), key=itemgetter(0)):
        path = folder / f".{_name(part)}.new"
        written.append(path)
        path.unlink(missing_ok=True)  # left by a run that was killed, perhaps readable to others
        with open_private(path, "wb") as file:
            file.writelines(line for _, line in some)
            file.flush()
            os.fsync(file.fileno())
    return written


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each line with the number of the file that it goes into."""
    part, count, size = 1, 0, 0
    for line in lines:
        if count and (count == LINES_MOST or size + len(line) > BYTES_MOST):
            part, count, size = part + 1, 0, 0
        count += 1
        size += len(line)
        yield part, line


def _remove_others(folder: Path, parts: int) -> None:
    keep = {_name(part) for part in range(1, parts + 1)}
    for path in folder.iterdir():
        aside = ASIDE.fullmatch(path.name)  # left by a run that was killed
        if aside or (OURS.fullmatch(path.name) and path.name not in keep):
            path.unlink()


def _sync(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
