"""Names by which documents distinguish customers (``Hopper: loosen the screws``) and which issues name too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import cache

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.grouping import grouped
from autokb.heuristics.spec.families import DraftingWords
from autokb.text.lexicons import alternation, word_lists
from autokb.text.words import Words

FEWEST_IN_DOCUMENT = 2  # labels of one document by which it distinguishes customers
FEWEST_DOCUMENTS = 2  # that must do so by a label: the colours of one lamp occur in one only
FEWEST_ISSUES = 2  # that must name a label


@cache
def _label(language: str) -> re.Pattern[str]:
    known = word_lists(DraftingWords, language)
    determiner = rf"(?:(?:{alternation(known.label_determiners)})\s+)?"
    return re.compile(
        rf"^[\s#>*_\-\d.)]*(?:(?:{alternation(known.label_prepositions)})\s+{determiner})?[*_]{{0,2}}"
        r"([A-Z][A-Za-z0-9-]{2,24})[*_]{0,2}(?::(?=[\s*_])|,\s|\s*$)",
        re.MULTILINE,
    )


def _labels_beside(document: str, reported: Collection[str], language: str) -> dict[str, list[str]]:
    """Return the labels of a document that issues name too, folded, with their spellings; none where it has but one."""
    labels = grouped((label.casefold(), label) for label in _label(language).findall(document))
    named = {folded: forms for folded, forms in labels.items() if folded in reported}
    return named if len(named) >= FEWEST_IN_DOCUMENT else {}


def label_family(
    issues: Sequence[Words], documents: Sequence[str], known: Collection[str], language: str = ENGLISH
) -> tuple[Attribute, ...]:
    """Return one attribute of the labels that occur side by side in a document and in issues; none without two."""
    in_issues = Counter(word for text in issues for word in set(text.folded))
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    in_documents: Counter[str] = Counter()
    taken = {*word_lists(DraftingWords, language).words_of_no_label, *known}
    reported = {word for word, count in in_issues.items() if count >= FEWEST_ISSUES} - taken
    for document in documents:
        for folded, forms in _labels_beside(document, reported, language).items():
            in_documents[folded] += 1
            spellings[folded].update(forms)
    often = [forms for label, forms in spellings.items() if in_documents[label] >= FEWEST_DOCUMENTS]
    values = sorted(forms.most_common(1)[0][0] for forms in often)
    return (Attribute("variant", "closed", tuple(values)),) if len(values) > 1 else ()
