"""Names that documents switch on (``Hopper: loosen the screws``, ``On the Glider, ...``) and that issues say too."""

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
_NO_NAME = frozenset(
    """
    note notes tip tips warning caution important info information hint example examples step steps remember result
    question questions answer answers problem solution cause causes why how what when where before after first second
    third then next also however otherwise finally optional optionally yes this that these those there here general
    overview introduction summary contents requirements settings troubleshooting default symptom symptoms treatment
    prevention diagnosis background advice
    """.split()
)
TOGETHER = 2  # labels of one document that make it a document that tells customers apart
DOCUMENTS = 2  # documents that must do so by a label: colours of one lamp stand in one only
ISSUES = 2  # issues that must say a label


def label_family(issues: Sequence[Words], documents: Sequence[str], known: Collection[str]) -> tuple[Attribute, ...]:
    """Return one attribute of the labels that stand side by side in a document and in issues; none without two."""
    said = Counter(word for text in issues for word in set(text.folded))
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spread: Counter[str] = Counter()
    for document in documents:
        own = Counter(label for label in _LABEL.findall(document) if _counts(label.casefold(), said, known))
        if len({label.casefold() for label in own}) >= TOGETHER:
            spread.update({label.casefold() for label in own})
            for label in own:
                found[label.casefold()][label] += own[label]
    often = [forms for label, forms in found.items() if spread[label] >= DOCUMENTS]
    spelled = sorted(forms.most_common(1)[0][0] for forms in often)
    return (Attribute("variant", "closed", tuple(spelled)),) if len(spelled) > 1 else ()


def _counts(label: str, said: Counter[str], known: Collection[str]) -> bool:
    return label not in _NO_NAME and label not in known and said[label] >= ISSUES
