"""Personal data and secrets in a text become placeholders before a model reads it, or words before a person does.

The placeholders are put back in a model's reply; the words (``[address]``, ``[name]``) stay, for what many may see.

The patterns are our own: a false alarm takes a version, a hash or a line of a stack trace out of what a model reads, so
each is as narrow as what it looks for allows (decision 031 has what was measured and which libraries were weighed).
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.text.lexicons import alternation, word_lists
from autokb.text.person_names import NameCues, mask_names

FEWEST_CARD_DIGITS = 13  # of a payment card (ISO/IEC 7812: 13 to 19 in use)
FEWEST_PHONE_DIGITS, MOST_PHONE_DIGITS = 7, 15  # of a national number, and ITU E.164's most
SHORTEST_RANDOM = 32  # characters of a string that is a secret by its looks alone
FEWEST_BITS = 4.2  # a character of such a string: identifiers of people's making repeat themselves more
FEWEST_CHANGES = 0.25  # of its neighbouring characters are of another class; words in camel case change less often
REMEMBERED = 40_000  # characters of a text whose findings are kept for the next time: of 64 such, 3 MB at most
MOST_WORDS = 0.15  # of its characters stand in runs of five small letters: the names of a C++ linker have more
_END = r"(?![\w@])"
_EMAIL = re.compile(
    r"(?<![\w.%+/-])(?!git@|ssh@)[A-Za-z0-9][\w.%+-]{0,63}@(?!\dx\.)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+"
    r"(?!(?:png|jpe?g|gif|svg|js|jar|apk|so|dll|exe|zip)\b)[A-Za-z]{2,24}(?![\w@-])"
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_JWT = re.compile(rf"(?<![\w-])eyJ[\w-]{{8,}}\.[\w-]{{8,}}(?:\.[\w-]{{8,}})?{_END}")
_BEARER = re.compile(r"(?i)\b(?:bearer|basic)\s+(?P<secret>(?=[\w.~+/-]*\d)[\w.~+/-]{16,}={0,2})")
# The prefixes that providers give their keys so that they are found: Amazon, GitHub, GitLab, Slack, Google, Stripe ...
_PREFIXED = re.compile(
    r"(?<![\w-])(?:(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}|gh[pousr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|"
    r"xox[abeoprs]-[\w-]{10,}|AIza[\w-]{35}|ya29\.[\w-]{20,}|[rsp]k_(?:live|test)_\w{16,}|sk-(?:[\w]+-)*\w{20,}|"
    r"SG\.[\w-]{16,}\.[\w-]{16,}|npm_\w{36}|AC[0-9a-f]{32}|EAA[A-Za-z0-9]{40,})" + _END
)
# What stands behind a label: passwords of any form, keys and tokens that hold a digit. A run of word characters and
# hyphens is tried from its beginning alone, and no lookahead goes beyond what is taken: else long runs take quadratic
# time.
_LABELLED = re.compile(
    r"(?i)(?<![\w.])(?:(?:pass(?:word|wd|phrase)|pwd)[\"']?\s*(?:=|:)\s*[\"']?(?P<word>(?!/)(?=[^\s\"'<>&,;(){}\[\]]*\w)[^\s\"'<>&,;(){}\[\]]{4,})|"
    r"(?<!-)(?:[\w-]*(?:api|access|auth|secret|client|private|license|app)[_ -]?(?:key|token|secret|guid)|"
    r"[\w-]*token|secret)"
    r"[\"']?\s*(?:=>|=|:)\s*[\"']?(?P<key>(?=[\w.~+/-]*\d)[\w~+/-][\w.~+/-]{11,}={0,2}))"
)
_CARD = re.compile(
    r"(?<![\w.-])(?:[3-6]\d{3})(?:(?P<gap>[ -]?)\d{4}(?:(?P=gap)\d{4})(?:(?P=gap)\d{1,7})|[ -]\d{6}[ -]\d{5})"
    r"(?![\w-]|\.\d)"
)
# With a country code; with brackets or three groups in the American way; or any behind a word that says so.
_PHONE = re.compile(
    r"(?<![\w.:/+-])(?:\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,6}|(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}|"
    r"(?:1[ -])?\d{3}-\d{3}-\d{4})(?![\d:_]|[.-]\d)"
)
_LABELLED_PHONE = re.compile(
    r"(?i)\b(?:phone|tel|telephone|telefon|mobile|cell|fax|handy|call me (?:at|on)|whatsapp)(?:\s?(?:no|number|nr|#))?"
    r"[ .:]{1,3}(?P<number>\+?\(?\d[\d ()-]{5,22}\d)(?![\d/:]|[.-]\d)"
)
_RANDOM = re.compile(rf"(?<![\w/.+=@-])[A-Za-z0-9][A-Za-z0-9+_-]{{{SHORTEST_RANDOM - 1},}}={{0,2}}(?![\w/.@-])")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORD = re.compile(r"[a-z]{5,}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F-]+")
_DATE_LIKE = re.compile(r"\d{4}-\d\d-\d\d")
_PLACEHOLDER = re.compile(r"<(?:email|phone|card|secret|iban|number)-[1-9]\d*>")
_HIDDEN = re.compile(r"<(email|phone|card|secret|iban|number|name)-[1-9]\d*>")
# An account (ISO 13616): a country, two check digits, 11 to 30 characters in groups of four or none.
_IBAN = re.compile(r"(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])")
Found = tuple[int, int, str]  # start, end, kind


@dataclass(frozen=True)
class Masking:
    """Texts with placeholders such as ``<email-1>``, and what each placeholder stands for."""

    texts: tuple[str, ...]
    originals: Mapping[str, str]

    def restore(self, text: str) -> str:
        """Put back what was masked, wherever a placeholder stands in a text."""
        return _PLACEHOLDER.sub(lambda found: self.originals.get(found.group(), found.group()), text)

    def hide(self, text: str) -> str:
        """Put the placeholders of this request for what they stand for into another text of it."""
        if not self.originals:
            return text
        names = {original: name for name, original in self.originals.items()}
        longest_first = "|".join(re.escape(original) for original in sorted(names, key=len, reverse=True))
        return re.sub(longest_first, lambda found: names[found.group()], text)


def mask(texts: Sequence[str], published: Iterable[str] = ()) -> Masking:
    """Return the texts of one request masked; one thing has one placeholder in all of them, counted by kind.

    What stands in texts that are ``published`` anyway (a manual's hotline, its example address) is left as it is. A
    placeholder that a text holds already is never given to anything.
    """
    public = {text[start:end] for text in published for start, end, _ in find_private(text)}
    given: dict[tuple[str, str], str] = {}
    held = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    counts: Counter[str] = Counter()

    def placeholder(kind: str, original: str) -> str:
        if (kind, original) not in given:
            while True:
                counts[kind] += 1
                name = f"<{kind}-{counts[kind]}>"
                if name not in held:
                    break
            given[kind, original] = name
        return given[kind, original]

    masked = []
    for text in texts:
        parts, end = [], 0
        for first, last, kind in find_private(text):
            if text[first:last] in public:
                continue
            parts += [text[end:first], placeholder(kind, text[first:last])]
            end = last
        masked.append("".join([*parts, text[end:]]))
    return Masking(tuple(masked), {name: original for (_, original), name in given.items()})


def mask_for_people(
    texts: Sequence[str], language: str = ENGLISH, vocabulary: Container[str] = frozenset()
) -> list[str]:
    """Return texts that customers wrote as others may see them: masked together, names of people too (``<name-1>``).

    Every view and export goes through here or ``in_words``. ``vocabulary`` is what ``find_names`` takes.
    """
    return [mask_names(text, language, vocabulary) for text in mask(texts).texts]


def in_words(texts: Sequence[str], language: str = ENGLISH, vocabulary: Container[str] = frozenset()) -> list[str]:
    """Return texts masked for people with a word in brackets for each placeholder: ``[address]``, ``[name]``.

    Lines that are made of them have no hole. Placeholders of an earlier masking become words as well.
    """
    words = word_lists(NameCues, language).stand_ins
    masked = mask_for_people(texts, language, vocabulary)
    return [_HIDDEN.sub(lambda found: words[found[1]], text) for text in masked]


def find_private(text: str) -> Sequence[Found]:
    """Return what is masked in a text, in order, by its kind; nothing overlaps.

    The kinds are ``email``, ``phone``, ``card``, ``iban``, ``secret`` and ``number``, of orders and customers.
    """
    return _find_private_once(text) if len(text) <= REMEMBERED else _find_all(text)


# A request is masked when it is made and when its reply is read, and its system turn is that of all of its task.
@lru_cache(maxsize=64)
def _find_private_once(text: str) -> tuple[Found, ...]:
    return tuple(_find_all(text))


def _find_all(text: str) -> list[Found]:
    found: list[Found] = []
    for kind, find in _FINDERS:
        for start, end in find(text):
            at = bisect_left(found, (start,))
            if (at == 0 or found[at - 1][1] <= start) and (at == len(found) or end <= found[at][0]):
                found.insert(at, (start, end, kind))
    return found


def _find_secrets(text: str) -> Iterator[Span]:
    for pattern in (_PRIVATE_KEY, _JWT, _PREFIXED):
        yield from (one.span() for one in pattern.finditer(text))
    yield from (one.span("secret") for one in _BEARER.finditer(text))
    for one in _LABELLED.finditer(text):
        name = "word" if one["word"] else "key"
        start, end = one.span(name)
        if name == "key" or text[start - 1] in "\"'" or not _is_code(one["word"]):
            yield start, start + len(text[start:end].rstrip("."))
    yield from (one.span() for one in _RANDOM.finditer(text) if is_random(one.group()))


def _is_code(word: str) -> bool:
    """Return whether what stands behind ``password:`` is a name in a program, not a password: Ti.UI.TextField, true."""
    return bool(re.fullmatch(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+\.?|[A-Za-z_$]+\.?", word))


# Complex: the docstring's rule is one formula of three measures over the same characters.
def is_random(text: str) -> bool:
    """Return whether a long string looks drawn by lot: not hexadecimal (a hash, an id), not words put together."""
    bare = text.rstrip("=")
    kinds = (str.isupper, str.islower, str.isdigit)
    if _HEX.fullmatch(bare) or _UUID.search(bare) or not all(any(map(kind, bare)) for kind in kinds):
        return False
    classes = [next((n for n, kind in enumerate(kinds) if kind(c)), 3) for c in bare]
    changes = sum(a != b for a, b in itertools.pairwise(classes)) / len(bare)
    bits = -sum(n / len(bare) * math.log2(n / len(bare)) for n in Counter(bare).values())
    words = sum(map(len, _WORD.findall(bare))) / len(bare)
    return changes >= FEWEST_CHANGES and bits >= FEWEST_BITS and words <= MOST_WORDS


def _find_ibans(text: str) -> Iterator[Span]:
    for one in _IBAN.finditer(text):
        account = one.group().replace(" ", "")
        if int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1:
            yield one.span()


def _find_numbers(text: str) -> Iterator[Span]:
    yield from (one.span("number") for one in _labelled_number().finditer(text))


@cache
def _labelled_number() -> re.Pattern[str]:
    """Return the pattern of what stands behind "order number" and its like: letters and digits, four at least."""
    labels = alternation(sorted(word_lists(NameCues).number_labels, key=len, reverse=True))
    return re.compile(
        rf"(?i)\b(?:{labels})(?:[ :.#=-]{{1,3}}| is | ist | lautet )"
        r"(?P<number>(?=[A-Z-]{0,6}\d)[A-Z0-9](?:-?[A-Z0-9]){3,30}(?: \d{3,4}\b)*)(?![\w-])"
    )


def _find_emails(text: str) -> Iterator[Span]:
    yield from (one.span() for one in _EMAIL.finditer(text))


def _find_cards(text: str) -> Iterator[Span]:
    for one in _CARD.finditer(text):
        digits = [int(c) for c in one.group() if c.isdigit()]
        if len(digits) >= FEWEST_CARD_DIGITS and len(set(digits)) > 1 and _passes_luhn(digits):
            yield one.span()


def _passes_luhn(digits: Sequence[int]) -> bool:
    """Return whether the check digit of a card number is right (ISO/IEC 7812-1, annex B)."""
    doubled = [d if n % 2 == 0 else sum(divmod(2 * d, 10)) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _find_phones(text: str) -> Iterator[Span]:
    for pattern, group in ((_PHONE, 0), (_LABELLED_PHONE, "number")):
        for one in pattern.finditer(text):
            number = one[group]
            digits = sum(c.isdigit() for c in number)
            if FEWEST_PHONE_DIGITS <= digits <= MOST_PHONE_DIGITS and not _DATE_LIKE.search(number):
                yield one.span(group)


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[Span]]], ...] = (
    ("secret", _find_secrets),
    ("email", _find_emails),
    ("iban", _find_ibans),
    ("card", _find_cards),
    ("number", _find_numbers),
    ("phone", _find_phones),
)
