"""Converting what hostile bytes could blow up in a process apart, so that it can neither hang us nor eat the memory.

One process lives through many files, since to start one costs more than most pages. It is ended and another started
when a file takes too long; when its memory is used up it ends itself.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import IO, Any, Literal

from autokb.core.errors import AutokbError, UnreadableFileError
from autokb.core.marks import Mark
from autokb.sources.page import ConvertedFile, ConvertedRecords

# page: a web page with marks; html: a piece that is all text; ocr: a PDF with the
# command that reads its pictures; plugin, command: outside_readers.py
_PAGES = ("page", "html")
Kind = Literal["pdf", "ocr", "docx", "page", "html", "plugin", "command"]

# Seconds are of the processor, so that a busy machine reads what an idle one does.
# All web pages known to us take less than one, and one of 5 MB that people could have written takes three.
LONGEST_PAGE_SECONDS = 10
# A manual of a thousand pages takes about two minutes and has some megabytes; a small file that needs long is a bomb.
LONGEST_FILE_SECONDS = 300
_LEAST_FILE_SECONDS = 15
_BYTES_A_SECOND = 8_000
_WAITING = 3  # times as long by the clock: for machines that are busy, or do not count a process's time
_MEMORY_OF_A_FILE = 4 * 1024**3  # bytes
_MEMORY_OF_A_PAGE = 1536 * 1024**2
# A process that needed more than this at its most ends after its answer: what it does not give back is not kept.
_RESTART_BYTES = 512 * 1024**2
_START = "from autokb.sources.subprocess_converter import main; main()"
# What people call the reader of each kind, and where it is.
_READERS: Mapping[Kind, tuple[str, str]] = {
    "pdf": ("PDF", "pdf:pdf_to_markdown"),
    "ocr": ("PDF", "pdf:pdf_with_ocr"),
    "docx": ("DOCX", "docx:docx_to_markdown"),
    "page": ("HTML", "html:page_in_bytes"),
    "html": ("HTML", "html:html_in_bytes"),
    "plugin": ("plug-in's", "outside_readers:read_by_plugin"),
    "command": ("command's", "outside_readers:read_by_command"),
}
_NUMBER_BYTES = 8  # of each number and each name between the two processes
_MOST_ANSWERED = 400_000_000  # bytes: four times the largest file, for other letters than ours take six each
_TOO_MUCH = "is nested too deeply or unpacks to too much; save it anew."
_OVER_TIME = -24  # exit status of a process that the system ended with SIGXCPU
_DYING_SECONDS = 10.0  # the longest that a process whose output has ended may take to end itself


def convert_in_subprocess(kind: Kind, data: bytes) -> ConvertedFile:
    """Return the page that a PDF, DOCX or HTML holds; UnreadableFileError says why there is none."""
    answer = _answer_of_process(kind, data)
    marks = tuple(Mark(start, end, mark) for start, end, mark in answer["marks"])
    text, title, url, left_out = (answer[name] for name in ("text", "title", "url", "left_out"))
    return ConvertedFile(str(text), str(title), str(url), marks, left_out=tuple(left_out))


def records_in_subprocess(data: bytes) -> ConvertedRecords:
    """Return the records that a plug-in reads of a file; UnreadableFileError says why there are none."""
    answer = _answer_of_process("plugin", data)
    return ConvertedRecords(tuple((line, record) for line, record in answer["records"]), tuple(answer["left_out"]))


def _answer_of_process(kind: Kind, data: bytes) -> dict[str, Any]:
    with _lock:
        answer = _converter.convert(kind, data)
    if reason := answer.get("error"):
        raise UnreadableFileError(str(reason))
    return answer


class TakesTooLongError(UnreadableFileError):
    """What was to be converted takes longer than anything that people write."""


def longest_seconds(kind: Kind, data: bytes) -> int:
    """Return how long the conversion may take."""
    if kind in _PAGES:
        return LONGEST_PAGE_SECONDS
    if kind == "ocr":
        return LONGEST_FILE_SECONDS
    return min(LONGEST_FILE_SECONDS, _LEAST_FILE_SECONDS + len(data) // _BYTES_A_SECOND)


class _Converter:
    """The process that converts, started on first use and after each end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def convert(self, kind: Kind, data: bytes) -> dict[str, Any]:
        """Return the answer of the process; UnreadableFileError says how it ended without one."""
        process = self._process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        seconds = longest_seconds(kind, data)
        gave_up = threading.Event()

        def give_up() -> None:
            gave_up.set()
            _kill(process)

        timer = threading.Timer(seconds * _WAITING, give_up)
        timer.daemon = True
        timer.start()
        try:
            _send(process.stdin, seconds.to_bytes(_NUMBER_BYTES, "big") + kind.encode().ljust(_NUMBER_BYTES) + data)
            answer: dict[str, Any] = json.loads(_receive(process.stdout))
        except (OSError, EOFError, ValueError) as error:
            if self.end(_DYING_SECONDS) == _OVER_TIME or gave_up.is_set():
                reason = f"takes more than {seconds} seconds to read; save it anew, or split it."
                raise TakesTooLongError(reason) from error
            raise UnreadableFileError(
                f"makes the {_READERS[kind][0]} reader fail; open it and save it anew."
            ) from error
        except BaseException:
            self.end()  # Ctrl-C: its answer to this file must not be taken for one to the next
            raise
        finally:
            timer.cancel()
        if answer.get("ends"):
            self.end()
        return answer

    @staticmethod
    def _start() -> subprocess.Popen[bytes]:
        # In a session of its own Ctrl-C does not reach it; its input ends with us, and it with its input.
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end(self, patience: float = 0.0) -> int:
        """End the process, if there is one, after so many seconds in which it may end itself; return its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        _kill(process)
        with contextlib.suppress(OSError), process:  # what was not sent yet cannot be flushed any more
            pass
        return process.wait()

    def forget(self) -> None:
        """Let a process that was forked off start its own."""
        self._process = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with all that it started, which is of its session."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


_lock = threading.Lock()
_converter = _Converter()
atexit.register(_converter.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_converter.forget)


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(_NUMBER_BYTES, "big"))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    length = int.from_bytes(_read(stream, _NUMBER_BYTES), "big")
    return _read(stream, length)


def _read(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


# -- in the process ----------------------------------------------------------------------------------------------


def main() -> None:
    """Answer what comes by standard input until it ends; what the libraries print goes to standard error."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    memory_at_start = _most_memory_used()  # which is that of the process that started this one, where it was more
    while True:
        try:
            asked = _receive(source)
        except EOFError:
            return
        seconds = int.from_bytes(asked[:_NUMBER_BYTES], "big")
        kind: Any = asked[_NUMBER_BYTES : 2 * _NUMBER_BYTES].decode().strip()
        answer = _answer(kind, asked[2 * _NUMBER_BYTES :], seconds)
        answer["ends"] = _most_memory_used() > max(memory_at_start, _RESTART_BYTES)
        sent = json.dumps(answer).encode()
        _send(target, sent if len(sent) <= _MOST_ANSWERED else json.dumps({"error": _TOO_MUCH, "ends": True}).encode())
        if answer["ends"]:
            return


def _limit(seconds: int, memory: int) -> None:
    """Have the system end this process when the next file takes more of the processor, and refuse it more memory."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds + 1
    for limit, most in ((resource.RLIMIT_CPU, until), (resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _most_memory_used() -> int:
    """Return the most bytes of memory that this process had at a time, 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _answer(kind: Kind, data: bytes, seconds: int) -> dict[str, Any]:
    try:
        # To import it takes a slow machine longer than a page, and is no part of a file's time.
        convert = pkgutil.resolve_name(f"autokb.sources.{_READERS[kind][1]}")
        _limit(seconds, _MEMORY_OF_A_PAGE if kind in _PAGES else _MEMORY_OF_A_FILE)
        page = convert(data)
    except AutokbError as error:
        return {"error": str(error)}
    except (MemoryError, RecursionError):
        return {"error": _TOO_MUCH}
    except Exception as error:
        # Whatever a parser of foreign bytes throws is about those bytes, and the other files go on.
        return {"error": f"is damaged ({type(error).__name__}); open it and save it anew."}
    if isinstance(page, ConvertedRecords):
        return {"records": page.records, "left_out": page.left_out}
    marks = [(mark.start, mark.end, mark.kind) for mark in page.marks]
    return {"text": page.text, "title": page.title, "url": page.url, "marks": marks, "left_out": page.left_out}
