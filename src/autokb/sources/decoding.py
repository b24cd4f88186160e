"""From a file to its bytes and its text, with a bound on both and no guess that is not confident."""

from __future__ import annotations

import codecs
import contextlib
import errno
import gzip
import io
import os
import re
import stat
import time
import zlib
from pathlib import Path

from autokb.core.errors import UnreadableFileError
from autokb.core.storable import without_surrogates
from autokb.sources.files import FoundFile

# Seconds that a file must have been left alone before it is read, by what is known of those who write it.
_QUIET_SECONDS = {
    False: 0.02,  # nobody has it open for writing: two ticks of the clock that file systems date changes by
    None: 0.25,  # unknown (another's file, a network share, not Linux): programs write their next piece sooner
    True: 10.0,  # somebody has it open for writing: longer than a download that still goes on pauses
}
_PATIENCE_SECONDS = 2.0  # for one file; a person adds again what takes longer to be written
_POLL_SECONDS = 0.02  # between two looks at a file that is being written
_BEING_WRITTEN = "is being written by another program; add it again when that has ended."


class _ChangedError(Exception):
    """The file is being written."""


def read_whole(path: Path, most: int) -> bytes | None:
    """Return the bytes of a regular file, None for one of more than ``most``.

    A file that changes while it is read, was changed a moment ago or is open for writing is waited for and read again;
    UnreadableFileError says so when that does not end. A program that closes a half-written file and goes on later
    cannot be told from one that is done. Raises OSError where the file cannot be opened.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return _read_once(path, most)
        except _ChangedError:
            if time.monotonic() > deadline:
                raise UnreadableFileError(_BEING_WRITTEN) from None
            time.sleep(_POLL_SECONDS)


def _read_once(path: Path, most: int) -> bytes | None:
    # A pipe that took the file's place would let an opening without O_NONBLOCK wait for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFileError("is no regular file (a pipe, socket or device); save it as a file.")
        age = time.time() - before.st_mtime  # negative where the file's clock is ahead of ours; then it says nothing
        if 0 <= age < _QUIET_SECONDS[True] and age < _QUIET_SECONDS[_is_open_for_writing(descriptor)]:
            raise _ChangedError
        data = b"" if before.st_size > most else stream.read(most + 1)
        after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _ChangedError
    return None if max(before.st_size, len(data)) > most else data


def _is_open_for_writing(descriptor: int) -> bool | None:
    """Return whether any process has the file open for writing, None where the system does not say.

    Linux gives a read lease to the owner of a file that nobody has open for writing. It is given back at once, and
    should somebody open the file in between, the signal about it is one that is ignored.
    """
    try:
        import fcntl
        import signal

        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (ImportError, AttributeError):
        return None
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False


# One file, compressed or not: beyond it a source is a data dump that should be split.
MAX_FILE_MEGABYTES = 100
MAX_FILE_BYTES = MAX_FILE_MEGABYTES * 1024 * 1024

MOST_INCLUDED = 2_000_000  # characters of other files in one: pages that name each other would grow without an end
DEEPEST_FILE = 5  # files in each other
_INCLUDED = (".md", ".mdx", ".markdown", ".txt")  # suffixes of files that others may hold
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# No text has them; tab, line ends, form feed and escape (of terminals) do occur.
_CONTROL_CHARACTERS = bytes(b for b in range(32) if b not in b"\t\n\r\f\x1b")
_BINARY_SAMPLE_BYTES = 65_536  # at the beginning, looked through for control characters
# One control character in so many bytes makes a file binary.
_BYTES_PER_CONTROL_CHARACTER = 50
_META_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:-]{2,40})", re.IGNORECASE)
# What browsers read these as (WHATWG Encoding Standard): where Latin-1 has control characters, pages have quotes.
_WIDER = dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii"), "cp1252")
_DECLARATION_BYTES = 4096  # at the beginning, where a page names its encoding
# charset-normalizer's "chaos": the share of oddities that the best guess leaves.
_MAX_CHAOS = 0.05
_GUESS_BYTES = 1 << 20  # that an encoding is guessed from


def read_bytes(file: FoundFile) -> bytes:
    """Return a file's bytes, decompressed when its name ends with .gz; UnreadableFileError says what to do."""
    try:
        data = read_whole(file.path, MAX_FILE_BYTES)
    except OSError as error:
        raise UnreadableFileError(f"cannot be read ({error.strerror}); check its permissions.") from error
    if data is None:
        raise UnreadableFileError(f"is larger than {MAX_FILE_MEGABYTES} MB; split it into smaller files.")
    if file.relative.lower().endswith(".gz"):
        data = _decompress(data)
    if not data.strip():
        raise UnreadableFileError("is empty; leave it out or fill it.")
    return data


def _decompress(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            plain = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"is no whole gzip file ({error}); compress it again.") from error
    if len(plain) > MAX_FILE_BYTES:
        raise UnreadableFileError(f"unpacks to more than {MAX_FILE_MEGABYTES} MB; split it into smaller files.")
    return plain


def decode(data: bytes, *, markup: bool = False) -> str:
    """Return the text of a file: UTF-8, a byte order mark, what HTML declares (``markup``), else a confident guess."""
    if encoding := bom_encoding(data):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            reason = f"has a byte order mark, but is not valid {encoding}; save it as UTF-8."
            raise UnreadableFileError(reason) from error
    sample = data[:_BINARY_SAMPLE_BYTES]
    control_characters = sum(sample.count(character) for character in _CONTROL_CHARACTERS)
    if b"\0" in data or control_characters * _BYTES_PER_CONTROL_CHARACTER > len(sample):
        raise UnreadableFileError("is binary, not text; give it the suffix of its real format.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return (_decode_as_declared(data) if markup else None) or _decode_by_guess(data)


def text_beside(file: FoundFile, name: str, suffixes: tuple[str, ...] = _INCLUDED) -> str | None:
    """Return the text of the file that another one names, from its folder or one above it that was added, else None.

    Hidden files are not read, nor others than of these ``suffixes``, and none where the file was added alone.
    """
    root, name = os.path.realpath(file.root), name.removeprefix("@site").lstrip("/")
    may_read = file.root and not file.is_alone and name.lower().endswith(suffixes)
    for folder in file.path.parents if may_read else ():
        path = os.path.realpath(folder / name)
        if not folder.is_relative_to(file.root):
            break
        relative = os.path.relpath(path, root)
        is_shown = not any(part.startswith(".") for part in Path(relative).parts)
        if is_shown and os.path.isfile(path):  # noqa: PTH113
            with contextlib.suppress(UnreadableFileError):
                return decode(read_bytes(FoundFile(root, relative))).removeprefix("\ufeff")
    return None


def bom_encoding(data: bytes) -> str | None:
    """Return the encoding that a byte order mark announces."""
    return next((name for bom, name in _BOMS if data.startswith(bom)), None)


def _decode_as_declared(data: bytes) -> str | None:
    if found := _META_CHARSET.search(data[:_DECLARATION_BYTES]):
        declared = found.group(1).decode("ascii")
        for encoding in (_WIDER.get(declared.lower(), declared), declared):
            with contextlib.suppress(LookupError, UnicodeDecodeError):
                return data.decode(encoding)
    return None


def _decode_by_guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_GUESS_BYTES]).best()
    if best is not None and best.chaos <= _MAX_CHAOS:
        try:
            return data.decode(best.encoding)
        except UnicodeDecodeError:
            pass
    raise UnreadableFileError("has an encoding that cannot be told; save it as UTF-8.")


def clean(text: str) -> str:
    r"""Return the text with ``\n`` as its only line end, and without NUL, lone surrogates and byte order marks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\ufeff", "")
    text = text.replace("\x0c", "\n").replace("\x0b", "\n")
    return without_surrogates(text)
