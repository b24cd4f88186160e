"""RTF: its words by striprtf, which knows no headings; cells of a row stand behind one another."""

from __future__ import annotations

import re

from autokb.core.errors import UnreadableFileError
from autokb.sources.decoding import clean
from autokb.sources.page import ConvertedFile, as_paragraph, counted, table_to_markdown

_PICTURE, _OBJECT = re.compile(rb"\\pict\b"), re.compile(rb"\\object\b")
_BULLET = re.compile(r"[\u2022\u00b7\u25aa\u25cf][ \t]+")


def read_rtf(data: bytes) -> ConvertedFile:
    """Return the words of a text, its tables as tables."""
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError as error:
        raise UnreadableFileError("needs a library for RTF: pip install 'autokb[office]'.") from error

    if not data.lstrip().startswith(b"{\\rtf"):
        raise UnreadableFileError("is no RTF; give it the suffix of its real format.")
    if not data.rstrip(b"\0\r\n\t ").endswith(b"}"):
        raise UnreadableFileError("is no whole RTF file; open it and save it anew.")
    text = clean(rtf_to_text(data.decode("latin-1"), errors="replace"))
    pictures, objects = len(_PICTURE.findall(data)), len(_OBJECT.findall(data))
    left_out = (*counted(pictures, "picture"), *counted(objects, "embedded object"))
    return ConvertedFile(_as_markdown(text), left_out=left_out)


def _as_markdown(text: str) -> str:
    parts: list[str] = []
    rows: list[list[str]] = []
    for line in (*text.split("\n"), ""):
        if line.rstrip().endswith("|") and line.count("|") > 1:
            rows.append([cell.strip() for cell in line.rstrip()[:-1].split("|")])
            continue
        if rows:
            parts.append(table_to_markdown(rows))
            rows = []
        if line.strip():
            words = line.strip()
            parts.append(f"- {words[found.end() :]}" if (found := _BULLET.match(words)) else as_paragraph(words))
    return "\n\n".join(parts)
