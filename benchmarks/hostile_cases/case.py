"""One hostile case: what it writes, the commands that meet it, and what must be true afterwards."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
FINISHED, FAILED, BAD_INPUT, CAN_GO_ON = 0, 1, 2, 3  # exit statuses of every command


@dataclass(frozen=True, slots=True)
class Command:
    """The words of one command; ``{here}`` is the case's folder. Without ``on_terminal`` it is given ``--json``."""

    words: str
    on_terminal: bool = False
    as_nobody: bool = False  # a user without rights, where the benchmark runs as root

    def split(self, here: Path) -> list[str]:
        """Return the words, with the folder in them."""
        return [word.replace("{here}", str(here)) for word in shlex.split(self.words)]


@dataclass(frozen=True, slots=True)
class Answered:
    """How one command ended; ``answer`` is its JSON, empty where it was none."""

    words: str
    status: int | None  # None: it was killed after the longest time
    answer: dict[str, Any]
    out: str
    err: str
    seconds: float
    processor: float  # seconds of the processor, of all its processes: what a busy machine does not change
    megabytes: float


Check = Callable[[Path, Sequence[Answered]], str]


def accept_all(_here: Path, _answered: Sequence[Answered]) -> str:
    """Complain of nothing."""
    return ""


@dataclass(frozen=True)
class Case:
    """One hostile case.

    ``make`` writes what is hostile below the case's folder, in which ``kb`` is a copy of the workspace ``base``.
    ``check`` returns a complaint, empty where all is well. ``then`` gives further commands by how the first ended.
    ``heavy`` ones are no part of the quick form.
    """

    group: str
    name: str
    make: Callable[[Path], object]
    commands: tuple[Command, ...]
    base: str
    exits: frozenset[int] = frozenset({FINISHED, BAD_INPUT})
    check: Check = accept_all
    then: Callable[[Path, Answered], tuple[Command, ...]] = lambda _here, _first: ()
    meanwhile: Callable[[Path], AbstractContextManager[object]] = lambda _here: nullcontext()
    heavy: bool = False


def write_parts(path: Path, *parts: bytes | Iterable[bytes]) -> Path:
    """Write a file from parts, a repeated one piece by piece: the memory of this process is that of its children."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for part in parts:
            if isinstance(part, bytes):
                file.write(part)
            else:
                file.writelines(part)
    return path


def many(piece: bytes, count: int) -> Iterable[bytes]:
    """Repeat a piece without having all of it in memory."""
    at_once = max(1, min(count, 65_536 // max(len(piece), 1)))
    block = piece * at_once
    for _ in range(count // at_once):
        yield block
    yield piece * (count % at_once)
