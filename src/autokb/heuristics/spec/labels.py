"""Names by which documents distinguish customers (``Hopper: loosen the screws``) and which issues name too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from autokb.core.domain import Attribute
from autokb.text.lexicon import Words

_LABEL = re.compile(
    r"^[\s#>*_\-\d.)]*(?:(?:On|For|With|In)\s+(?:the\s+|an?\s+|your\s+)?)?[*_]{0,2}"
    r"([A-Z][A-Za-z0-9-]{2,24})[*_]{0,2}(?::(?=[\s*_])|,\s|\s*$)",
    re.MULTILINE,
)
_NO_LABELS = frozenset(
    """
    note notes tip tips warning caution important info information hint example examples step steps remember result
    question questions answer answers problem solution cause causes why how what when where before after first second
    third then next also however otherwise finally optional optionally yes this that these those there here general
    overview introduction summary contents requirements settings troubleshooting default symptom symptoms treatment
    prevention diagnosis background advice
    """.split()
)
FEWEST_IN_DOCUMENT = 2  # labels of one document by which it distinguishes customers
FEWEST_DOCUMENTS = 2  # that must do so by a label: the colours of one lamp occur in one only
FEWEST_ISSUES = 2  # that must name a label


def label_family(issues: Sequence[Words], documents: Sequence[str], known: Collection[str]) -> tuple[Attribute, ...]:
    """Return one attribute of the labels that occur side by side in a document and in issues; none without two."""
    in_issues = Counter(word for text in issues for word in set(text.folded))
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    in_documents: Counter[str] = Counter()
    for document in documents:
        labels = Counter(_LABEL.findall(document))
        taken = {*_NO_LABELS, *known}
        named = {
            label: n
            for label, n in labels.items()
            if label.casefold() not in taken and in_issues[label.casefold()] >= FEWEST_ISSUES
        }
        folded = {label.casefold() for label in named}
        if len(folded) >= FEWEST_IN_DOCUMENT:
            in_documents.update(folded)
            for label, n in named.items():
                spellings[label.casefold()][label] += n
    often = [forms for label, forms in spellings.items() if in_documents[label] >= FEWEST_DOCUMENTS]
    values = sorted(forms.most_common(1)[0][0] for forms in often)
    return (Attribute("variant", "closed", tuple(values)),) if len(values) > 1 else ()
