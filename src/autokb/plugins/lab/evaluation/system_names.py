"""The names of the systems that can be evaluated; light, since the command line reads it at its start."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autokb.core.errors import BadInputError

RAW = "raw"  # vectors and BM25 over whole chunks, fused 1:1: the baseline of all differences
RAW_WITH_CONTEXT = "raw+cc"  # the same over chunks with their context in front
BM25 = "bm25"
VECTORS = "vectors"
AUTOKB = "autokb"  # by the document score
AUTOKB_ANSWER = "autokb+hr"  # as ``documents`` of ``ask`` does, without a stronger reader
READER = "autokb+reader"  # the same with the reader of the settings, where they name one
CHILDREN = "children"  # by cosine over the texts of child issues alone: AutoKB of the paper, without hybrid retrieval
LITERAL = "literal"  # by algorithm 2 of the paper as printed
NO_HISTORY = "+nohistory"  # behind a name: without what resolved earlier questions
LLM_ONLY = "llm-wk"  # by what a model knows itself; it costs requests, so it is asked only by name

FREE_SYSTEMS = (
    RAW,
    RAW_WITH_CONTEXT,
    BM25,
    VECTORS,
    AUTOKB,
    AUTOKB_ANSWER,
    AUTOKB + NO_HISTORY,
    AUTOKB_ANSWER + NO_HISTORY,
    CHILDREN,
    LITERAL,
)
SYSTEMS = (*FREE_SYSTEMS, READER, LLM_ONLY)

TICKET_TEXT = "text"  # chunks of whole tickets, one vector each: the ticket paper's baseline, and that of differences
TICKET_BM25 = "bm25"
TICKET_FUSED = "fused"  # both, 1:1
TICKET_VOTES = "votes"  # what a question says of each section beside the tickets' own, the best piece of each
TICKET_VOTES_SUM = "votes+sum"  # the same with all pieces added up, the formula of the paper as printed
TICKET_VOTES_BM25 = "votes+bm25"
TICKET_VOTES_LINKS = "votes+bm25+links"
TICKET_WORDING = "tickets+wording"  # the one in use without what only a ticket has: components, dates, links
TICKETS = "tickets"  # the one in use
TICKET_SYSTEMS = (
    TICKET_TEXT,
    TICKET_BM25,
    TICKET_FUSED,
    TICKET_VOTES,
    TICKET_VOTES_SUM,
    TICKET_VOTES_BM25,
    TICKET_VOTES_LINKS,
    TICKET_WORDING,
    TICKETS,
)
# Systems that suggest replies, beside AUTOKB: what ``suggest`` gives, without a model.
INCUMBENT = "incumbent"  # what agents replied to the past questions that are nearest: the baseline of differences
SHORT_ANSWER = "short_answer"  # fewer than ten words of the passages, or that there is no answer
GOLD = "+gold"  # behind a name: the case's own documents in the place of what is found (tables 10 and 11 of the paper)
SHORT_ANSWERS = (
    f"{SHORT_ANSWER}@1",
    f"{SHORT_ANSWER}@3",
    SHORT_ANSWER + GOLD,
)  # from one passage, three, the right ones
USUAL = (AUTOKB, INCUMBENT)
SUGGESTION_SYSTEMS = (AUTOKB, AUTOKB + GOLD, INCUMBENT, *SHORT_ANSWERS)

# A misspelt variant is a system too, so that it is refused as one and not taken for a folder.
_WORD = re.compile(
    rf"(?:{'|'.join(dict.fromkeys(s.partition('+')[0] for s in (*SYSTEMS, *TICKET_SYSTEMS)))})(?:\+[a-z]+)*(?:,.*)?"
)


def choose_systems(names: Sequence[str], *, has_reader: bool = False) -> list[str]:
    """Return the systems of these names, or all that ask no model; an unknown name is refused (BadInputError).

    The one with a reader is among all of them where the settings name one.
    """
    return known_names(names, SYSTEMS) or [*FREE_SYSTEMS, *([READER] if has_reader else [])]


def choose_ticket_systems(names: Sequence[str]) -> list[str]:
    """Return the systems that rank tickets by these names, or all of them; an unknown one is refused."""
    return known_names(names, TICKET_SYSTEMS) or list(TICKET_SYSTEMS)


def choose_suggestion_systems(names: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Return the systems of these names, the two usual ones without any; an unknown name is refused (BadInputError).

    ``more`` are those that whoever asks knows beside them.
    """
    return list(dict.fromkeys(known_names(names, (*SUGGESTION_SYSTEMS, *more)))) or list(USUAL)


def known_names(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the names, all of which are known (BadInputError)."""
    for name in names:
        if name not in known:
            raise BadInputError(f"{name!r} is no system; the systems are {', '.join(known)}.")
    return list(names)


def names_systems(word: str) -> bool:
    """Return whether a word of the command line names a system, or several with commas between them."""
    return _WORD.fullmatch(word) is not None
