"""Suggestions from past tickets: what a ticket about the same problem says of how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autokb.answering.strategies.passages import StrategyPassage, passage_of_text
from autokb.answering.suggest import Suggestion
from autokb.core.domain import ENGLISH
from autokb.core.reply_rules import ReplyRules
from autokb.core.ticket_answer import TicketAnswer
from autokb.core.tickets import TicketEvidence
from autokb.heuristics.conversations.reply_excerpt import excerpt
from autokb.heuristics.conversations.words import ConversationWords
from autokb.heuristics.solutions.instructions import instructs
from autokb.plugins.tickets.answers.ask_tickets import TicketAnswerer
from autokb.plugins.tickets.answers.open_tickets import open_tickets
from autokb.plugins.tickets.graph.answers import COMMENTS, fixed_in
from autokb.stores.workspace import Workspace
from autokb.text.lexicons import word_lists
from autokb.text.masking import mask
from autokb.text.sentences import sentences

# Chance of the same problem from which a ticket is suggested: an answer from tickets shows an agent which ticket it is
# of, a suggestion is sent with one key.
SAME_PROBLEM = 0.5
TICKETS_READ = 3  # the best for the question
HELPFUL = ("workaround", "fix")  # sections that tell a customer what to do
_NOT_SENT = re.compile(r"[{}]|\w\(\)|</?\w|;$|(?<!\w)@\w", re.MULTILINE)  # code, and people who are spoken to


class PastTickets:
    """The published tickets as what is known beside the knowledge base: the port ``autokb.suggesting.beside.Beside``.

    ``asking`` answers by the models of the settings.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.opened = workspace, open_tickets(workspace)
        self.file, self.close = self.opened.file, self.opened.close
        self.asking = TicketAnswerer(self.opened)
        self._offline = TicketAnswerer(self.opened, asks_models=False)

    def suggestions(self, question: str, rules: ReplyRules, language: str = ENGLISH) -> Iterator[Suggestion]:
        """Give what a customer can do, nothing where no ticket is likely to be about the same problem.

        That is a workaround or fix, a comment from its first instruction on, and the versions that the best ticket was
        fixed in. What holds code, names, or personal data or secrets of another customer, is left out.
        """
        answer = self._offline.ask(question, TICKETS_READ)
        for one in _helpful(answer):
            text = one.quote if one.section in HELPFUL else _from_instruction(one.quote, language)
            found = excerpt([text], [text], question, rules, language) if text else None
            if found is not None and _can_be_sent(found.text):
                yield Suggestion(found.text, "ticket", (one,), chance=answer.match)
        if _is_likely(answer):
            yield from self._fixed(answer, rules, language)

    def passages(self, question: str) -> Iterator[StrategyPassage]:
        """Give the same parts of tickets whole, as passages that a model may write from."""
        for one in _helpful(self._offline.ask(question, TICKETS_READ)):
            if _can_be_sent(one.quote):
                yield passage_of_text(one, "ticket")

    def found(self, question: str) -> tuple[str, list[str]]:
        """Return the outcome of an answer, and the tickets that were found, the best first."""
        answer = self._offline.ask(question)
        return answer.outcome, [one.id for one in answer.tickets]

    def _fixed(self, answer: TicketAnswer, rules: ReplyRules, language: str) -> Iterator[Suggestion]:
        """Give the versions that the best ticket was fixed in as a reply."""
        ticket = answer.tickets[0].id
        published = self.opened.read([ticket])[ticket]
        name = self.opened.index.template.field_of.get("fix_versions", "")
        section = next((one for one in published.sections if one.section == name and one.text), None)
        reply = word_lists(ConversationWords, language).replies.get("fixed")
        if section is None or reply is None or not (versions := fixed_in(published.ticket)):
            return
        text = reply.format(versions=", ".join(versions))
        if rules.fits(text):
            place = TicketEvidence(ticket, name, 0, len(section.text), section.text)
            yield Suggestion(text, "ticket", (place,), chance=answer.match)


def _can_be_sent(text: str) -> bool:
    return not _NOT_SENT.search(text) and not mask((text,)).originals


def _is_likely(answer: TicketAnswer) -> bool:
    return answer.outcome == "answered" and (answer.match is None or answer.match >= SAME_PROBLEM)


def _helpful(answer: TicketAnswer) -> list[TicketEvidence]:
    kept = [one for one in answer.evidence if _is_likely(answer) and one.section in (*HELPFUL, COMMENTS)]
    return sorted(kept, key=lambda one: one.section == COMMENTS)


def _from_instruction(comment: str, language: str) -> str:
    """Return a comment from the first sentence on that tells its reader what to do, nothing where none does."""
    spans = sentences(comment, language=language)
    return next((comment[start:] for start, end in spans if instructs(comment[start:end], language)), "")
