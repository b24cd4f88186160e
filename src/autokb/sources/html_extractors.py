"""What two extractors of articles keep of a page whose texts carry numbers."""

from __future__ import annotations

import logging
from typing import Any

from autokb.sources.html_marks import numbers_in


def kept_by_trafilatura(root: Any) -> set[int]:
    """Return the numbers of the texts that trafilatura keeps; none where it finds no article. Changes the tree."""
    from lxml import etree
    from trafilatura import bare_extraction

    _silence("trafilatura")
    document = bare_extraction(root, include_comments=False, include_tables=True)
    body = getattr(document, "body", None)
    return set() if body is None else numbers_in(etree.tostring(body, encoding="unicode", method="text"))


def kept_by_readability(root: Any) -> set[int]:
    """Return the numbers of the texts that readability keeps; none where it finds no article. Changes the tree."""
    from readability import Document
    from readability.readability import Unparseable

    _silence("readability.readability")
    try:
        return numbers_in(Document(root).summary(html_partial=True))
    except Unparseable:
        return set()


def _silence(name: str) -> None:
    """Keep a library from writing to the terminal about pages that it cannot read."""
    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
