"""A pseudo-terminal that stands behind standard output and standard error, and hostile words to print on it."""

from __future__ import annotations

import os
import re
import sys
import threading
import tty
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SAFE = "safe"  # the harmless word of a hostile text, which has to arrive
HOSTILE = (
    f"{SAFE}\x1b]52;c;aGk=\x07\x1b[58;5;7m\x1b[2J\x9b3;3H\x9d0;t\x9c\x90q\x00\x05\x08\x0b\x0c\x0e\x7f\x85\roverwritten"
    "\u202egnp\u202a\u202c\u2066x\u2067y\u2068\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\xad\u2028\u2029\u206a"
    "\U000e0041[link=https://h.example]l[/link]:bomb: end"
)
# What rich itself sends: colours, and for spinners and bars the cursor, a cleared line, a line up.
STYLING = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|2K|1A|\d+D)")
INVISIBLE = frozenset("\u061c\u200b\u200e\u200f\u2060\ufeff\xad\u2028\u2029\U000e0041")
BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a")


class Terminal:
    """What arrived at a terminal; whole once the terminal is closed."""

    def __init__(self) -> None:
        self.received = b""

    def text(self, *, moving: bool = False) -> str:
        """Return what was printed without rich's own styling; ``moving`` lines begin with a carriage return."""
        printed = self.received.decode("utf-8")
        assert "\x1b[58;5;7m" not in printed
        assert not re.search("\x1b(?!\\[)", printed)
        printed = STYLING.sub("", printed)
        return printed.replace("\r", "") if moving else printed

    def check(self, *, moving: bool = False) -> str:
        """Return the text after looking for whatever could steer a terminal in it."""
        text = self.text(moving=moving)
        steering = {c for c in text if unicodedata.category(c) in ("Cc", "Cs")} - {"\n", "\t"}
        found = steering | set(text) & (INVISIBLE | BIDIRECTIONAL)
        assert not found, (sorted(map(hex, map(ord, found))), text)
        return text


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 100) -> Iterator[Terminal]:
    """Stand behind standard output and standard error until the end of the block."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))  # rich asks the streams that the process began with
    monkeypatch.setenv("LINES", "40")
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    there = Terminal()
    reader = threading.Thread(target=_read, args=(ours, there))
    reader.start()
    with monkeypatch.context() as patched:
        out, err = (os.fdopen(os.dup(theirs), "w", encoding="utf-8", errors="replace") for _ in range(2))
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        try:
            yield there
        finally:
            out.close()
            err.close()
            os.close(theirs)
            reader.join()
            os.close(ours)


def _read(ours: int, there: Terminal) -> None:
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # how Linux says that nobody holds the other end any more
            return
        if not part:
            return
        there.received += part
