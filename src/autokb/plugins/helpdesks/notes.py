"""What goes back to a helpdesk: the suggestions with their sources for the agent, or one of them for the customer."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from autokb.answering.suggest import Suggested, Suggestion
from autokb.stores.hook_messages import OfferedText
from autokb.text.control_characters import replace_controls
from autokb.usage.sent_replies import documents_of, whole_of
from autokb.views.reader_labels import how_sure

SOURCES = 3  # documents that are named below a suggestion
CITED = ("solution", "passage")  # what may go to a customer: in the words of documents, and not of another's ticket


def new_mark() -> str:
    """Return a random last line for one note, which no customer can know: 64 bits in hexadecimal."""
    return f"(autokb {secrets.token_hex(8)})"


def mark_in(note: str) -> str:
    """Return the mark of a note, which is its last line."""
    return note.rpartition("\n")[2]


def note_of(found: Suggested, mark: str, links: Mapping[str, str]) -> str:
    """Return a note as plain text that ends in its mark; ``links`` are the addresses of documents by their ids."""
    many = len(found.suggestions) > 1
    parts = [_shown(one, f"({place})" if many else "", links) for place, one in enumerate(found.suggestions, 1)]
    return "\n\n".join([_heading(found, many), *parts, mark])


def _heading(found: Suggested, many: bool) -> str:
    if found.warning:
        return found.warning
    is_help = any(one.is_help for one in found.suggestions)
    if found.outcome == "asks":
        return "Ask the customer first:"
    if found.outcome == "abstains":
        return f"Not sure enough to suggest {'a reply; nearest is' if is_help else 'an answer; to hand it on'}:"
    said = "Suggested replies, the first" if many else "Suggested reply,"
    return f"{said} {how_sure(found.confidence, found.chosen_by)}:" if is_help else "Suggested reply:"


def reply_of(found: Suggested, least: float) -> str:
    """Return what may go to the customer without an agent, as plain text; empty where nothing may."""
    one = found.suggestions[0] if found.suggestions else None
    is_sure = found.outcome == "answered" and found.confidence >= least
    return _complete(one) if one and is_sure and one.source in CITED and one.evidence else ""


def offered_of(found: Suggested) -> tuple[OfferedText, ...]:
    """Return the suggestions as they are kept until the agent has replied."""
    return tuple(
        OfferedText(one.text, whole_of(one), one.source, one.solution_id, documents_of(one))
        for one in found.suggestions
    )


def _shown(one: Suggestion, number: str, links: Mapping[str, str]) -> str:
    places = [", ".join(filter(None, (name, links.get(name)))) for name in documents_of(one)[:SOURCES]]
    if one.is_by_hand:
        places = ["written by hand"]
    title = f"“{' '.join(one.title.split())}”, " if one.title else ""
    past = "past ticket " if one.source == "ticket" else ""
    below = f"\nSource: {title}{past}{'; '.join(places)}" if places else ""
    text = _complete(one)
    above = "" if not number else f"{number}\n" if "\n" in text else f"{number} "  # steps have numbers of their own
    return f"{above}{text}{replace_controls(below)}"


def _complete(one: Suggestion) -> str:
    """Return all steps, of which the text may be the first few: a note has no button that shows the others."""
    return replace_controls(whole_of(one) or one.text)
