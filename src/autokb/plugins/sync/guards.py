"""Whether a new text is still that of its page: what tells a page that was rewritten from one that was replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from autokb.core.errors import BadInputError
from autokb.core.ids import digest
from autokb.stores.workspace_file import Staged
from autokb.text.words import split_words

LEAST_KEPT = 0.3  # share of the pairs of words of a text that a new one of the same page has at least
COPIED = 0.9  # share of the pairs of words of a copy that stand in the page that it is a copy of
SHRUNK = 0.2  # share of its characters with less of which a text is a remainder
LONG = 400  # characters; a shorter text that shrinks may be a sentence that was cut
FEW = 3  # pages of a source that may be something else before all of it is in doubt
FEW_SHARE = 0.05  # share of the pages of a large source, likewise
MANY_ALIKE = 3  # new pages with one text, which is a page of errors rather than three licences
REPLACED = (
    "{count:,} of {stored:,} pages are something else now: they keep their text, and nothing is removed. The first is "
    "{first} If the source has really changed, run autokb sync with --source {name} and --accept."
)


def is_another(old: str, new: str) -> bool:
    """Return whether a text has next to nothing of the one before it."""
    return is_remainder(old, new) or _share(old, new) < LEAST_KEPT


def is_copy(text: str, whole: str) -> bool:
    """Return whether a page holds what this text says."""
    return _share(text, whole) >= COPIED


def is_remainder(old: str, new: str) -> bool:
    """Return whether a long text shrank to a fraction."""
    return len(old) >= LONG and len(new) < SHRUNK * len(old)


def shrunk(old: str, new: str) -> str:
    """Return the words for a text that shrank to a fraction."""
    return f"shrank from {len(old):,} to {len(new):,} characters."


def are_too_many(count: int, stored: int) -> bool:
    """Return whether so many pages of a source are something else that the source itself is at fault."""
    return count > max(FEW, FEW_SHARE * stored) or count * 2 > stored


def text_mark(text: str) -> str:
    """Return what tells texts apart, whatever their white space is."""
    return digest(" ".join(text.split()))


class ReplacedFiles:
    """Which changed documents of a folder keep their text, as ``add`` asks it; ``kept`` is how many did."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.kept = 0

    # Complex: a file is compared with what it was, with what other files became and with what others are.
    def __call__(self, old: Mapping[str, Staged], changed: Sequence[Staged]) -> dict[str, str]:
        """Return why some keep their text, by id (BadInputError: so many that the folder is at fault)."""
        roots = {one.root for one in changed}
        now = {id_: text_mark(_text(one)) for id_, one in old.items() if one.root in roots}
        now |= {one.id: text_mark(_text(one)) for one in changed}
        places: defaultdict[str, set[str]] = defaultdict(set)
        for id_, mark in now.items():
            places[mark].add(id_)
        reasons = {}
        for one in changed:
            before, text, others = _text(old[one.id]), _text(one), places[now[one.id]] - {one.id}
            if is_remainder(before, text):
                reasons[one.id] = shrunk(before, text)
            elif others and is_another(before, text):
                reasons[one.id] = same_text(others)
        if reasons and are_too_many(len(reasons), len(now)):
            first = next(f"{id_}, which {reason}" for id_, reason in reasons.items())
            raise BadInputError(REPLACED.format(count=len(reasons), stored=len(now), first=first, name=self._name))
        self.kept = len(reasons)
        return reasons


def same_text(others: Iterable[str]) -> str:
    """Return the words for a page with the text of others."""
    return f"has the same text as {min(others)}."


def _text(staged: Staged) -> str:
    return str(staged.body["text"])


def _share(part: str, whole: str) -> float:
    """Return the share of the pairs of words of a text that stand in another one."""
    pairs = _pairs(part)
    return len(pairs & _pairs(whole)) / len(pairs) if pairs else 1.0


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(("", *split_words(text).folded)))
