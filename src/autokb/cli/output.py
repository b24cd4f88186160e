"""What goes where: the result on standard output, progress and messages on standard error.

Everything that a person gets to see passes ``for_terminal`` here, by ``say``, ``GuardedStream`` or ``HarmlessConsole``;
no other file of the command line writes to a stream.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from autokb.text.control_characters import escape_json, for_terminal

if TYPE_CHECKING:
    from autokb.cli.console import HarmlessConsole

LINE = 70  # characters of a text that stands in a line among others


def make_console(*, stderr: bool = False) -> HarmlessConsole:
    """Return the console that views are printed on."""
    from autokb.cli.console import HarmlessConsole

    return HarmlessConsole(stderr=stderr)


def emit(as_json: bool, result: Any, view: Callable[[], Any]) -> None:
    """Print the result: one JSON object, or what a person reads."""
    if as_json:
        write_json(result)
        return
    shown = view()
    console = make_console()
    if isinstance(shown, str):
        console.print(shown, soft_wrap=True)  # so that a command in it can be copied
    else:
        console.print(shown, crop=False)  # only lines with a command in them are longer than the terminal


def write_json(result: Any) -> None:
    """Write one object as one line."""
    sys.stdout.write(json_line(result) + "\n")
    sys.stdout.flush()


def json_line(value: Any) -> str:
    """Return JSON in one line; escaped where it could steer a terminal, or standard output lacks a character."""
    text = escape_json(json.dumps(value, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True)
    return text


def copy_json(file: TextIO) -> None:
    """Write out a file that was made of ``json_line``."""
    while part := file.read(1 << 20):  # characters; the whole may be larger than the memory
        sys.stdout.write(part)
    sys.stdout.flush()


def write_markdown(text: str) -> None:
    """Write Markdown: as it is for another program, harmless on a terminal."""
    sys.stdout.write((for_terminal(text) if sys.stdout.isatty() else text) + "\n")


def check_report(report: Path | None) -> None:
    """Refuse a report that cannot be written before any work is done for it (BadInputError)."""
    from autokb.core.errors import BadInputError

    if report is not None and (report.is_dir() or not report.parent.is_dir()):
        raise BadInputError(f"--report {report}: name a file in a folder that is there.")


def say(sentences: Iterable[str]) -> None:
    """Tell people something beside the result, on standard error."""
    for sentence in sentences:
        sys.stderr.write(for_terminal(sentence) + "\n")


class GuardedStream:
    """Standard error for everybody else: what Python and libraries write there steers no terminal either."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # the name by which consoles of rich find it

    def write(self, text: str) -> int:
        """Write a text, made harmless."""
        self.rich_proxied_file.write(for_terminal(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def spinner(words: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal which file is being read; say nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _path: None
        return
    from rich.text import Text

    with make_console(stderr=True).status(Text(words)) as status:
        yield lambda path: status.update(Text(" ".join(f"{words}: {path}".split())))


@contextmanager
def stage_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Show one bar a stage on a terminal; say nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    name = TextColumn("{task.description:<12}", markup=False)
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update


def one_line(text: str, width: int = LINE) -> str:
    """Return a text as one line, cut where it is too long."""
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1].rstrip() + "…"
