"""What is read of raw issues: what their writers say of the matter, without the rest of a mail and private data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from autokb.core.in_use import folded
from autokb.core.nouns import Document, RawIssue
from autokb.text.mail_parts import last_paragraph, without_mail_parts
from autokb.text.masking import in_words
from autokb.text.words import terms

REPEATED = "closing paragraphs that many mails share"
FEWEST_ISSUES = 3  # that say different things and end alike
FEWEST_CLOSING_WORDS = 8  # of such an end: fewer may be what several customers say


def told_issues(raw: Sequence[RawIssue], documents: Iterable[Document], language: str) -> tuple[list[RawIssue], str]:
    """Return raw issues with what is told in each, and the sentence that says what was left out of how many, or "".

    Only what is read changes, never what is stored. A word of the documents is no name of a person.
    """
    said = [without_mail_parts(one.text) for one in raw]
    texts, kinds = [text for text, _ in said], Counter(kind for _, parts in said for kind in parts)
    whole, texts = texts, _without_shared_ends(texts)
    kinds[REPEATED] = sum(left != text for left, text in zip(texts, whole, strict=True))
    known = frozenset(term for one in documents for term in terms(f"{one.title}\n{one.text}", language))
    told = [_told(one, text, language, known) for one, text in zip(raw, texts, strict=True)]
    return told, _sentence_of_left_out(+kinds, len(raw))


def _sentence_of_left_out(kinds: Mapping[str, int], issues: int) -> str:
    if not kinds:
        return ""
    left_out = ", ".join(f"{kind} of {count}" for kind, count in sorted(kinds.items()))
    return f"Of {issues} issues these were not read: {left_out}. What is stored stays whole."


def _told(issue: RawIssue, text: str, language: str, vocabulary: Container[str]) -> RawIssue:
    told = tuple(in_words((issue.title, text), language, vocabulary))
    return replace(issue, told=() if told == (issue.title, issue.text) else told)


def _without_shared_ends(texts: Sequence[str]) -> list[str]:
    shared = _shared_ends(texts)
    ends = map(last_paragraph, texts)
    return [
        text.rstrip().removesuffix(end).rstrip() if end and folded(end) in shared else text
        for text, end in zip(texts, ends, strict=True)
    ]


def _shared_ends(texts: Iterable[str]) -> set[str]:
    """Return the last paragraphs, folded, that end issues which differ otherwise; a question is none."""
    before = defaultdict[str, set[str]](set)
    for text in texts:
        end = last_paragraph(text)
        if "?" not in end and len(end.split()) >= FEWEST_CLOSING_WORDS:
            before[folded(end)].add(folded(text.rstrip().removesuffix(end)))
    return {end for end, others in before.items() if len(others - {""}) >= FEWEST_ISSUES}
