"""How much memory this process has, and how it gives back to the system what it has freed."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

STATM = Path("/proc/self/statm")  # Linux: pages, of which the second number are those in memory


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory, as the system counts them; 0 where it does not tell."""
    try:
        return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def give_back_memory() -> None:
    """Give what was freed back to the system, where its C library keeps it otherwise (glibc)."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


@cache
def _glibc() -> Any:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except (OSError, TypeError):
        return None
