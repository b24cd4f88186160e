"""Where a quote stands in a passage: letter by letter, save that white space is white space."""

from __future__ import annotations

import re

from autokb.core.nouns import Span


def find_quote(text: str, quote: str) -> Span | None:
    """Return where a quote stands, None where it does not, and for one that has no letter or digit."""
    words = quote.split()
    if not any(c.isalnum() for c in quote):
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return None if found is None else found.span()
