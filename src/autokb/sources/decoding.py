"""From a file to its bytes and its text, with a bound on both and no guess that is not confident."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
import zlib

from autokb.core.errors import UnreadableFileError
from autokb.core.storable import without_surrogates
from autokb.sources.files import FoundFile
from autokb.sources.whole_file import read_whole

# One file, compressed or not: beyond it a source is a data dump that should be split.
MAX_FILE_MEGABYTES = 100
MAX_FILE_BYTES = MAX_FILE_MEGABYTES * 1024 * 1024

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
            reason = f"has a byte order mark, but is no valid {encoding}; save it as UTF-8."
            raise UnreadableFileError(reason) from error
    sample = data[:_BINARY_SAMPLE_BYTES]
    control_characters = sum(sample.count(character) for character in _CONTROL_CHARACTERS)
    if b"\0" in data or control_characters * _BYTES_PER_CONTROL_CHARACTER > len(sample):
        raise UnreadableFileError("is binary, not text; give it the suffix of its real format.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return (_decode_as_declared(data) if markup else None) or _decode_by_guess(data)


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
