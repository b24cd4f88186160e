"""How much work something is, counted and not timed: the same on a busy machine as on an idle one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def python_lines(work: Callable[[], object]) -> int:
    """Return how many lines of Python some work runs: a loop counts for each of its rounds."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def builtin_calls(name: str, work: Callable[[], object]) -> int:
    """Return how often some work calls a built-in function or method of this name, such as a pattern's ``search``."""
    calls = 0

    def count(_frame: FrameType, event: str, function: Any) -> None:
        nonlocal calls
        calls += event == "c_call" and function.__name__ == name

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls
