"""Which format a file has: by its suffix before that of a compression, and without one by its first bytes."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

Format = Literal["html", "markdown", "text", "wiki", "docx", "pdf", "jsonl", "json", "csv", "tsv"]

_SUFFIXES: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".txt": "text",
    ".text": "text",
    ".wiki": "wiki",
    ".mediawiki": "wiki",
    ".docx": "docx",
    ".pdf": "pdf",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}


def uncompressed(relative: str) -> str:
    """Return a path without its compression suffix."""
    return relative[:-3] if relative.lower().endswith(".gz") else relative


def format_of(relative: str, data: bytes) -> Format | None:
    """Return the format of a file, or None for one we do not read."""
    suffix = PurePosixPath(uncompressed(relative)).suffix.lower()
    if suffix:
        return _SUFFIXES.get(suffix)
    head = data[:1024].lstrip().lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if head.startswith(b"pk\x03\x04"):
        return "docx"
    return "html" if head.startswith((b"<!doctype html", b"<html")) else "text"


def has_known_suffix(relative: str) -> bool:
    """Return whether a file of this name can be read at all, before it is opened."""
    suffix = PurePosixPath(uncompressed(relative)).suffix.lower()
    return not suffix or suffix in _SUFFIXES
