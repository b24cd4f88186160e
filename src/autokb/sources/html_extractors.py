"""What an extractor of articles keeps of a page whose texts carry numbers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from autokb.sources.html_marks import numbers_in

_TOO_LITTLE = 0.2  # share of the characters of running text: with less, the precise mode missed the article
_FAR_MORE = 2  # times: as much more must the default mode keep to be heard then


def kept_by_trafilatura(root: Any, lengths: Sequence[int]) -> set[int]:
    """Return the numbers of the texts that trafilatura keeps, none where it finds no article.

    Its precise mode votes; where that keeps next to nothing and its default mode far more, the default mode does.
    ``lengths`` are the characters of each numbered text, 0 for one in a link or in an area such as a menu.
    """
    kept = _kept(root, precise=True)
    characters = sum(lengths[number] for number in kept)
    if characters >= _TOO_LITTLE * sum(lengths):
        return kept
    others = _kept(root, precise=False)
    return others if sum(lengths[number] for number in others) > _FAR_MORE * characters else kept


def _kept(root: Any, *, precise: bool) -> set[int]:
    from lxml import etree
    from trafilatura import bare_extraction

    logger = logging.getLogger("trafilatura")
    if not logger.handlers:  # else it writes to the terminal about pages that it cannot read
        logger.addHandler(logging.NullHandler())
    # It works on a copy of the tree; in any format but its own for Python it leaves the text unwritten.
    document = bare_extraction(root, include_comments=False, favor_precision=precise, output_format="txt")
    body = getattr(document, "body", None)
    return set() if body is None else numbers_in(etree.tostring(body, encoding="utf-8", method="text"))
