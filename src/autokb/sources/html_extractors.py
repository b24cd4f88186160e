"""What two extractors of articles keep of a page whose texts carry numbers."""

from __future__ import annotations

import logging
from typing import Any

from autokb.sources.html_marks import numbers_in


def kept_by_trafilatura(root: Any) -> set[int]:
    """Return the numbers of the texts that trafilatura keeps; none where it finds no article."""
    from lxml import etree
    from trafilatura import bare_extraction

    _silence()
    # It works on a copy of the tree; in any format but its own for Python it leaves the text unwritten.
    document = bare_extraction(root, include_comments=False, output_format="txt")
    body = getattr(document, "body", None)
    return set() if body is None else numbers_in(etree.tostring(body, encoding="utf-8", method="text"))


def kept_by_readability(root: Any) -> set[int]:
    """Return the numbers of the texts that readability keeps; none where it finds no article. Changes the tree.

    It is the port inside trafilatura: as one of two votes it is as good as readability-lxml, in a fifth of the time.
    """
    from trafilatura.readability_lxml import Document

    _silence()
    try:
        return numbers_in(Document(root).summary().encode())
    except (AttributeError, TypeError, ValueError, IndexError, KeyError, ZeroDivisionError, AssertionError):
        return set()  # a page that it was not made for costs one vote, not the page


def _silence() -> None:
    """Keep the library from writing to the terminal about pages that it cannot read."""
    logger = logging.getLogger("trafilatura")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
