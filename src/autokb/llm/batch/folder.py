"""The folder of batch files: which files are whose, lines read one at a time, request files replaced whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.files import open_private
from autokb.llm.batch.readme import HEADING

LINES_MOST = 50_000  # of one file of requests; OpenAI takes no more
BYTES_MOST = 100_000_000  # of one file of requests; OpenAI takes 200 MB
OURS = re.compile(r"requests(-\d+)?\.jsonl")
README = "README.txt"
ASIDE = re.compile(r"\.(requests(-\d+)?\.jsonl|README\.txt)\.new")


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


def reply_state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes and times of the reply files: it changes when replies come."""
    if not folder.is_dir():
        return ()
    stats = [(path.name, path.stat()) for path in reply_files(folder)[0]]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


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


def split_into_files(lines: Iterable[tuple[str, int]]) -> list[list[int]]:
    """Return which lines go into which file, by their positions; each line comes as its model and its bytes.

    OpenAI takes no file with requests to several models.
    """
    files: list[list[int]] = []
    before, size = None, 0
    for position, (model, length) in enumerate(lines):
        if model != before or len(files[-1]) == LINES_MOST or size + length > BYTES_MOST:
            files.append([])
            before, size = model, 0
        files[-1].append(position)
        size += length
    return files


def request_file(number: int) -> str:
    """Return the name of a file of requests, from 1 on."""
    return "requests.jsonl" if number == 1 else f"requests-{number}.jsonl"


def write_requests(folder: Path, files: Sequence[Iterable[bytes]], readme: str) -> None:
    """Replace our request files by these, and what says how to use them; without requests neither is there.

    A reader sees each file old or new, never half. A README.txt that somebody else wrote stays.
    """
    wanted = {request_file(number): lines for number, lines in enumerate(files, 1)}
    try:
        if _is_ours(folder / README) and wanted:
            wanted[README] = [readme.encode()]
        for name, lines in wanted.items():
            _write_aside(folder / f".{name}.new", lines)
        for name in wanted:
            (folder / f".{name}.new").replace(folder / name)
        _remove_others(folder, set(wanted))
        _sync(folder)
    except OSError as error:
        raise BadInputError(
            f"{folder} could not be written ({error.strerror}). Nothing is lost: make the folder writable or free some "
            "disk space, and run the command again."
        ) from error


def _is_ours(readme: Path) -> bool:
    """Return whether a README.txt is one that we wrote, or none is there."""
    try:
        with readme.open("rb") as file:
            return file.read(len(HEADING)) == HEADING.encode()
    except FileNotFoundError:
        return True


def _write_aside(path: Path, lines: Iterable[bytes]) -> None:
    path.unlink(missing_ok=True)  # left by a run that was killed, perhaps readable to others
    with open_private(path, "wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _remove_others(folder: Path, keep: set[str]) -> None:
    for path in folder.iterdir():
        aside = ASIDE.fullmatch(path.name)  # left by a run that was killed
        old = OURS.fullmatch(path.name) or (path.name == README and _is_ours(path))
        if aside or (old and path.name not in keep):
            path.unlink()


def _sync(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
