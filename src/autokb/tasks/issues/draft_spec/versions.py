"""Names with a number behind them: versions and models of one product that issues and documents tell apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from autokb.core.attributes import Values
from autokb.core.domain import Attribute
from autokb.text.lexicon import Words

_NUMBER = re.compile(r"(?=.*\d)[a-z]{0,2}\d{1,4}[a-z]{0,2}")
# Words that often have a number behind them and are no product.
_NO_PRODUCT = frozenset(
    """
    step steps page chapter section figure table port line row number no version release build option part error code
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday about after before than only over under around least most within for of in on at
    the and or is to a
    """.split()
)
SHORTEST = 3  # letters that a product's name has at least


def version_families(issues: Sequence[Words], documents: Sequence[Words]) -> tuple[Attribute, ...]:
    """Return an attribute for each name that stands with two different numbers in issues and in documents."""
    in_issues, in_documents = _named(issues), _named(documents)
    found = []
    for name in sorted(in_issues.keys() & in_documents.keys()):
        both = sorted(in_issues[name] & in_documents[name])
        if len(both) > 1:
            spelled = name[0].upper() + name[1:]
            found.append(Attribute(f"{name}_version", "closed", tuple(f"{spelled} {number}" for number in both)))
    return tuple(found)


def _named(texts: Sequence[Words]) -> dict[str, Values]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for name, number in _pairs(text):
            found[name].add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _pairs(text: Words) -> Iterator[tuple[str, str]]:
    for here in range(1, len(text.folded)):
        name, number = text.folded[here - 1], text.folded[here]
        if text.raw[here - 1][:1].isupper() and _is_product(name) and _follows(text, here):
            yield name, number


def _follows(text: Words, here: int) -> bool:
    return text.gaps[here] == " " and _NUMBER.fullmatch(text.folded[here]) is not None


def _is_product(name: str) -> bool:
    return name.isascii() and name.isalpha() and len(name) >= SHORTEST and name not in _NO_PRODUCT
