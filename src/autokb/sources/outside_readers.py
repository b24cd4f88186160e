"""Files that a plug-in's function or a program of the settings (``convert:``) turns into Markdown or HTML.

Both run in the process that converts files, which bounds their time and memory (``subprocess_converter.py``); what
comes before the first line break of what it is sent says what reads the rest.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autokb.core.errors import AutokbError, UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.core.plugins import PluginError, installed, place_in, plugins, use
from autokb.sources.decoding import clean, decode, text_beside
from autokb.sources.files import FoundFile
from autokb.sources.formats import has_known_suffix, uncompressed
from autokb.sources.page import ConvertedFile, ConvertedRecords, first_heading

Kind = Literal["plugin", "command"]
LARGEST_OUTPUT = 20_000_000  # bytes that a program may write: four of each character of the longest document
PLACE = "{file}"  # stands in a command for the path of the file; without it the path is the last word
_NO_END = threading.TIMEOUT_MAX
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")  # variables; no key of a model is among them


def outside_reader(relative: str, commands: Mapping[str, Sequence[str]]) -> tuple[Kind, bytes] | None:
    """Return what is sent before a file of this name where the settings or a plug-in say what reads it.

    None where it is ours to read: a command of the settings stands before our own reader, and that before a plug-in's.
    """
    suffix = _suffix(relative)
    if command := commands.get(suffix):
        return "command", _head(suffix, *command)
    if has_known_suffix(relative) or (owner := plugins().formats.get(suffix)) is None:
        return None
    return "plugin", _head(owner, suffix)


def with_included(file: FoundFile, data: bytes) -> bytes:
    """Return a file that a plug-in reads, with the texts of the files in it that it says are to be read there."""
    suffix = _suffix(file.relative)
    owner = plugins().formats.get(suffix, "")
    code = installed(owner).includes.get(suffix) if owner else None
    if code is None:
        return data
    found = _called(owner, code, clean(decode(data)), partial(text_beside, file, suffixes=("",)))
    if not isinstance(found, str):
        raise PluginError(f"The plug-in {owner}: what it includes in {suffix} files is no text.")
    return found.encode("utf-8", "replace")


def has_outside_records(relative: str) -> bool:
    """Return whether a plug-in reads records of files of this name."""
    return _suffix(relative) in plugins().records


def before_records(relative: str, wanted: str) -> bytes:
    """Return what is sent before a file whose records a plug-in reads."""
    suffix = _suffix(relative)
    return _head(plugins().records[suffix], suffix, wanted)


def left_out(relative: str, parts: Sequence[str]) -> list[Skipped]:
    """Return a line about what is not read of a file that is.

    It is no ``file:line``: the rest was taken, so that --sync need not take its file for an unread one.
    """
    return [Skipped(f"{relative}, in part", f"is read without: {', '.join(parts)}.")] if parts else []


def _suffix(relative: str) -> str:
    return PurePosixPath(uncompressed(relative)).suffix.lower()


def _head(*words: str) -> bytes:
    return json.dumps(words).encode() + b"\n"


# -- in the process ----------------------------------------------------------------------------------------------


def read_by_plugin(sent: bytes) -> ConvertedFile | ConvertedRecords:
    """Return what a plug-in's function makes of a file (PluginError: it cannot be loaded)."""
    head, _, data = sent.partition(b"\n")
    owner, suffix, *wanted = json.loads(head)
    if wanted:
        records = _called(owner, installed(owner).records[suffix], data, *wanted)
        if not isinstance(records, ConvertedRecords) or not all(isinstance(one, Mapping) for _, one in records.records):
            raise PluginError(f"The plug-in {owner}: what it reads of {suffix} files is no ConvertedRecords.")
        return records
    found = _called(owner, installed(owner).formats[suffix], data)
    if not isinstance(found, str | ConvertedFile):
        raise PluginError(f"The plug-in {owner}: what it reads of {suffix} files is neither text nor a ConvertedFile.")
    return ConvertedFile(found, first_heading(found)) if isinstance(found, str) else found


def _called(owner: str, code: str, *given: Any) -> Any:
    """Call a reader; what one that is not ours raises names its plug-in, for the file may be whole."""
    try:
        return use(owner, code, "function or class")(*given)
    except (AutokbError, MemoryError, RecursionError):
        raise
    except Exception as error:
        if installed(owner).built_in:
            raise
        fails = f"makes the plug-in {owner} fail ({type(error).__name__}{place_in(error, code)})"
        remedy = "if it opens elsewhere, report it to the author of the plug-in."
        raise UnreadableFileError(f"{fails}; {remedy}") from error


def read_by_command(sent: bytes) -> ConvertedFile:
    """Return what a program writes for a file on standard output, as HTML where it begins so, else as Markdown.

    No shell reads the command. The file is a copy in a folder of its own, and the program inherits this process's
    limits; it ends with it, for it is of its session.
    """
    head, _, data = sent.partition(b"\n")
    suffix, *command = json.loads(head)
    text = run_program(command, data, suffix).decode("utf-8", "replace")
    if text.lstrip()[:100].lower().startswith(("<!doctype html", "<html")):
        from autokb.sources.html import html_page

        return html_page(text)
    return ConvertedFile(text, first_heading(text))


def run_program(command: Sequence[str], data: bytes, suffix: str, seconds: float = _NO_END) -> bytes:
    """Return what a program writes for a file; UnreadableFileError where it fails or needs more than ``seconds``."""
    with tempfile.TemporaryDirectory(prefix="autokb-") as folder:
        file = Path(folder, f"document{suffix}")
        file.write_bytes(data)
        words = [word.replace(PLACE, str(file)) for word in command]
        words += [] if any(PLACE in word for word in command) else [str(file)]
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        try:
            program = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=passed,
            )
        except OSError as error:
            raise UnreadableFileError(f"needs the program {words[0]!r} ({error.strerror}); install it.") from error
        timer = threading.Timer(seconds, program.kill)
        timer.daemon = True
        timer.start()
        with program:
            assert program.stdout is not None
            written = program.stdout.read(LARGEST_OUTPUT + 1)
            if len(written) > LARGEST_OUTPUT:
                program.kill()
                raise UnreadableFileError(f"makes {words[0]!r} write more than {LARGEST_OUTPUT:,} bytes; split it.")
        is_late = not timer.is_alive()
        timer.cancel()
    if is_late:
        raise UnreadableFileError(f"takes {words[0]!r} more than {seconds:g} seconds; split it.")
    if program.returncode:
        raise UnreadableFileError(f"makes {words[0]!r} end with status {program.returncode}; see what it says of it.")
    return written
