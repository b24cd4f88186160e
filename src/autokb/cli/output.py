"""What goes where: the result on standard output, progress and messages on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def emit(as_json: bool, result: Any, view: Callable[[], Any]) -> None:
    """Print the result: one JSON object, or what a person reads."""
    if as_json:
        write_json(result)
        return
    from rich.console import Console

    shown = view()
    console = Console(highlight=False, soft_wrap=False)
    if isinstance(shown, str):
        console.print(shown, markup=False, soft_wrap=True)  # so that a command in it can be copied
    else:
        console.print(shown, crop=False)  # only lines with a command in them are longer than the terminal


def write_json(result: Any) -> None:
    """Write one object as one line; escaped where the encoding of standard output lacks a character."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(result, ensure_ascii=True)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def check_report(report: Path | None) -> None:
    """Refuse a report that cannot be written before any work is done for it (BadInputError)."""
    from autokb.core.errors import BadInputError

    if report is not None and (report.is_dir() or not report.parent.is_dir()):
        raise BadInputError(f"--report {report}: name a file in a folder that is there.")


def say(sentences: Iterable[str]) -> None:
    """Tell people something beside the result, on standard error."""
    for sentence in sentences:
        sys.stderr.write(sentence + "\n")


@contextmanager
def spinner(words: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal which file is being read; say nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _path: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(words) as status:
        yield lambda path: status.update(f"{words}: {escape(path)}")


@contextmanager
def stage_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Show one bar a stage on a terminal; say nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update
