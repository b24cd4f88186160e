"""Names with a number behind them: versions and models of one product that issues and documents distinguish."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.spec.families import DraftingWords
from autokb.text.lexicons import word_lists
from autokb.text.words import Words

_VERSION = re.compile(r"(?=.*\d)[a-z]{0,2}\d{1,4}[a-z]{0,2}")
SHORTEST_NAME = 3  # letters of a product


def version_families(
    issues: Sequence[Words], documents: Sequence[Words], language: str = ENGLISH
) -> tuple[Attribute, ...]:
    """Return an attribute for each name that occurs with two different numbers in issues and in documents."""
    no_products = word_lists(DraftingWords, language).words_before_numbers
    in_issues, in_documents = _versions_by_name(issues, no_products), _versions_by_name(documents, no_products)
    found = []
    for name in sorted(in_issues.keys() & in_documents.keys()):
        versions = sorted(in_issues[name] & in_documents[name])
        if len(versions) > 1:
            product = name[0].upper() + name[1:]
            found.append(Attribute(f"{name}_version", "closed", tuple(f"{product} {number}" for number in versions)))
    return tuple(found)


def _versions_by_name(texts: Sequence[Words], no_products: frozenset[str]) -> dict[str, set[str]]:
    """Return the names that are written with a capital and have a number right behind them, folded."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for here in range(1, len(text.folded)):
            name, version = text.folded[here - 1], text.folded[here]
            if not text.raw[here - 1][:1].isupper() or text.gaps[here] != " " or not _VERSION.fullmatch(version):
                continue
            if name.isascii() and name.isalpha() and len(name) >= SHORTEST_NAME and name not in no_products:
                found[name].add(version)
    return found
