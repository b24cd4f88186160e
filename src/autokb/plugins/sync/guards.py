"""Whether a new text is still that of its page: what tells a page that was rewritten from one that was replaced."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise

from autokb.core.errors import BadInputError
from autokb.core.ids import digest
from autokb.core.source_settings import SourceSettings
from autokb.feeds.items import Doubt
from autokb.stores.sync_state import Body
from autokb.stores.workspace_file import Staged
from autokb.text.words import split_words

LEAST_KEPT = 0.3  # share of the pairs of words of a text that a new one of the same page has at least
COPIED = 0.9  # share of the pairs of words of a copy that stand in the page that it is a copy of
SHRUNK = 0.2  # share of its characters with less of which a text is a remainder
LONG = 400  # characters; a shorter text that shrinks may be a sentence that was cut
FEW = 3  # pages of a source that may be something else before all of it is in doubt
FEW_SHARE = 0.05  # share of the pages of a large source, likewise
MANY_ALIKE = 3  # new pages with one text, of which one is taken at most
REPLACED = (
    "{count:,} of {stored:,} pages are something else now: they keep their text, and nothing is removed. The first is "
    "{first} If the source has really changed, run autokb sync with --source {name} and --accept."
)
ALIKE = "now has the same text as other pages, except for numbers and addresses."
BEHIND_SIGN_IN = "It is behind a sign-in: autokb reads what anybody can open. Make it public, or add an export of it."
NO_ITEM = Doubt("other", "")  # where a page asks to be none
UNDECIDED = Doubt("other", "")  # where it has another text, and the others of the listing tell whose
_NAMED = re.compile(r"[\d/@]")
Notes = Mapping[str, Body]  # what is known of the items of a source, by their keys


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


def template_mark(text: str) -> str:
    """Return what tells texts apart whatever numbers and addresses they name, as pages of one template do."""
    return digest(" ".join(word for word in text.split() if not _NAMED.search(word)))


def against_change(before: str, text: str, doubt: Doubt | None, *, accept: bool) -> Doubt | None:
    """Return what speaks against a text in place of the one that a document had."""
    is_other = not accept and before != text and is_another(before, text)
    if is_hidden(doubt) and not is_other:
        return NO_ITEM
    if not is_other:
        return None
    return doubt or (Doubt("other", shrunk(before, text)) if is_remainder(before, text) else UNDECIDED)


def is_hidden(doubt: Doubt | None) -> bool:
    """Return whether a page asks to be no document."""
    return doubt is not None and doubt.sign == "noindex"


def by_text(notes: Notes, waiting: Mapping[str, str]) -> Mapping[str, set[str]]:
    """Return the ids of documents by the marks of their texts, of those that wait by the text that they would have."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for key, one in notes.items():
        places[waiting.get(key, one["text"])].add(one["id"])
    return places


def not_taken(notes: Notes, waiting: Mapping[str, str], templates: Mapping[str, str], listing: int) -> dict[str, str]:
    """Return why pages with another text keep their own: others have it, too, or the source is at fault.

    ``waiting`` has the marks of the new texts, ``templates`` those without what pages of one template differ by.
    """
    places, alike = by_text(notes, waiting), Counter(templates.values())
    others = {key: places[mark] - {notes[key]["id"]} for key, mark in waiting.items()}
    words = {key: ALIKE for key, mark in templates.items() if alike[mark] > 1}
    words |= {key: same_text(found) for key, found in others.items() if found}
    are_held = are_too_many(kept_of(notes, listing) + len(words), count_documents(notes))
    return {**dict.fromkeys(waiting if are_held else (), "has another text now."), **words}


# Complex: a text is held against what was refused, what is new and what was there before.
def stand_ins(
    notes: Notes, waiting: Mapping[str, str], templates: Mapping[str, str], listing: int, refused: Container[str]
) -> dict[str, str]:
    """Return which new pages have a text that stands in for others, and why: it was refused, or many have it.

    Of many one is taken, unless they are most of what is new.
    """
    places = by_text(notes, waiting)
    earlier = {one["id"] for one in notes.values() if one["since"] != listing}  # other addresses of these are no news
    fresh = {k: one for k, one in notes.items() if one["since"] == listing and one["text"] and one["id"] not in earlier}
    words = {}
    for key, one in fresh.items():
        alike = places[one["text"]]
        is_first = len(alike) * 2 <= len(fresh) and one["id"] == min(alike)
        if one["text"] in refused or templates.get(key, "") in refused:
            words[key] = "has a text that stands in for other pages."
        elif len(alike) >= MANY_ALIKE and not is_first:
            words[key] = same_text(alike - {one["id"]})
    return words


# Complex: what is told of a source that had pages and of one that never had any is told apart once.
def hold(notes: Notes, listing: int, source: SourceSettings) -> str | None:
    """Return the error of a source that gives so much else in place of its pages that it is at fault itself."""
    met = {key: one for key, one in notes.items() if one["listing"] == listing}
    doubted = _doubted(met)
    kept, stored = _kept(doubted), count_documents(notes)
    shown = kept or doubted
    asks = {one["doubt"] for one in shown.values()} == {"sign_in"}
    first = next((f"{key}, which {one['reason']}" for key, one in shown.items()), "")
    if kept and are_too_many(len(kept), stored):
        said = REPLACED.format(count=len(kept), stored=stored, first=first, name=source.name)
        return f"It is behind a sign-in now. {said}" if asks else said
    if doubted and not stored and len(doubted) == len(met):
        return BEHIND_SIGN_IN if asks else f"None of its pages is taken. The first is {first}"
    return None


def kept_of(notes: Notes, listing: int) -> int:
    """Return how many documents have the text that they had, since a listing gave something else in their place."""
    return len(_kept(_doubted({key: one for key, one in notes.items() if one["listing"] == listing})))


def _doubted(notes: Notes) -> Notes:
    return {key: one for key, one in notes.items() if one["doubt"]}


def _kept(notes: Notes) -> Notes:
    return {key: one for key, one in notes.items() if one["id"]}


def count_documents(notes: Notes) -> int:
    """Return how many documents, or items of another kind, there are: several addresses may be of one."""
    return len({(one["kind"], one["id"]) for one in notes.values() if one["id"]})


class ReplacedFiles:
    """Which changed documents of a folder keep their text, as ``add`` asks it; ``kept`` is how many did."""

    def __init__(self, source: SourceSettings, *, accept: bool) -> None:
        self._name = source.name
        self._looks = source.as_kind == "documents" and not accept
        self.kept = 0

    # Complex: each changed file is compared with itself and with all others, and all of them with the folder.
    def __call__(self, old: Mapping[str, Staged], changed: Sequence[Staged]) -> dict[str, str]:
        """Return why some keep their text, by id (BadInputError: so many that the folder is at fault)."""
        if not self._looks:
            return {}
        roots = {one.root for one in changed}
        now = {id_: one for id_, one in old.items() if one.root in roots} | {one.id: one for one in changed}
        places = by_text({id_: {"id": id_, "text": template_mark(_text(one))} for id_, one in now.items()}, {})
        found = {one.id: _of_file(_text(old[one.id]), _text(one), places, one.id) for one in changed}
        reasons = {id_: reason for id_, reason in found.items() if reason}
        if reasons and are_too_many(len(reasons), len(now)):
            first = "{}, which {}".format(*next(iter(reasons.items())))
            raise BadInputError(REPLACED.format(count=len(reasons), stored=len(now), first=first, name=self._name))
        self.kept = len(reasons)
        return reasons


def _of_file(before: str, text: str, places: Mapping[str, set[str]], document: str) -> str:
    """Return why a file keeps the text that it had; nothing where it does not."""
    doubt, others = against_change(before, text, None, accept=False), places[template_mark(text)] - {document}
    if doubt is UNDECIDED:
        return same_text(others) if others else ""
    return doubt.words if doubt else ""


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
