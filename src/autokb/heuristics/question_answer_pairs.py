"""A question and a short reply that a section of a manual holds: its heading, and the sentences that it begins with."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.domain import ENGLISH
from autokb.core.reply import Reply
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.reply_excerpt import stands_alone
from autokb.text.markdown import parse_blocks
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.words import content_words

FEWEST_WORDS = 3  # content words of a heading that says by itself what is asked; a shorter one has those above in front
KINDS = frozenset({"paragraph", "item"})  # blocks that hold sentences


class Pair(Reply):
    """A customer's question, the reply, and the words of the section that bear it out, verbatim."""

    question: str
    reply: str
    quote: str


def find_pair(headings: Sequence[str], text: str, rules: ReplyRules, language: str = ENGLISH) -> Pair | None:
    """Return the pair of a section, None where it begins with nothing that is a reply by itself.

    ``headings`` lead to the section, the document's title first; ``text`` is the section's Markdown. The reply are
    whole sentences of its first block with any, as many as the ``rules`` allow.
    """
    question = _question(headings, language)
    if not question:
        return None
    for block in parse_blocks(text):
        if block.kind not in KINDS:
            continue
        spans = sentences(text, block.start, block.end, language=language)
        reply, end = "", block.start
        for start, stop in spans:
            said = " ".join(filter(None, (reply, " ".join(plain_text(text[start:stop]).split()))))
            if not rules.fits(said):
                break
            reply, end = said, stop
        if reply and content_words(reply, language) and stands_alone(reply, language):
            return Pair(question=question, reply=reply, quote=text[spans[0][0] : end])
    return None


def _question(headings: Sequence[str], language: str) -> str:
    """Return the last heading, those above in front of one that says too little."""
    for first in range(len(headings) - 1, -1, -1):
        question = ": ".join(headings[first:])
        if len(content_words(question, language)) >= FEWEST_WORDS:
            return question
    return ": ".join(headings)
