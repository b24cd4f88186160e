"""Suggestions from past tickets: what a ticket about the same problem says of how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.answering.suggest import Suggestion
from autokb.app.ask_tickets import TicketAsking
from autokb.core.domain import ENGLISH
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.reply_excerpt import excerpt
from autokb.text.masking import mask
from autokb.tickets.answers import ENDINGS

# Chance of the same problem from which a ticket is suggested: an answer from tickets shows an agent which ticket it is
# of, a suggestion is sent with one key.
SAME_PROBLEM = 0.5
TICKETS_READ = 3  # the best for the question


def suggest_from_tickets(
    asking: TicketAsking, question: str, rules: ReplyRules, language: str = ENGLISH
) -> Iterator[Suggestion]:
    """Give what past tickets say of how the problem ended, nothing where none is likely to be about it.

    What holds personal data or secrets of another customer is left out. Nothing is asked of a model.
    """
    answer = asking.ask(question, TICKETS_READ)
    if answer.outcome != "answered" or (answer.match is not None and answer.match < SAME_PROBLEM):
        return
    for one in sorted(answer.evidence, key=lambda e: e.section not in ENDINGS):
        found = excerpt([one.quote], [one.quote], question, rules, language)
        if found is not None and not mask((found.text,)).originals:
            yield Suggestion(found.text, "ticket", (one,))
