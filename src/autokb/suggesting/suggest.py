"""Suggestions for a live conversation: its last message is read with what was said before, and answered shortly."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autokb.answering.answer import Answer
from autokb.answering.suggest import HELPS, Suggested, Suggestion, suggestions_from
from autokb.core.attributes import Values
from autokb.core.domain import ENGLISH, DomainSpec
from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.nouns import AGENT, CUSTOMER, Message
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC, ReplyRules, read_reply_rules
from autokb.core.storable import without_surrogates
from autokb.heuristics.attributes.extract import stated_attributes
from autokb.heuristics.conversations.read_turn import Turn, read_turn, said_before
from autokb.heuristics.conversations.small_talk import fulfils, small_talk_reply
from autokb.heuristics.conversations.words import ConversationWords
from autokb.pipeline.open_index import QUESTION_CHARACTERS, OpenIndex
from autokb.sources.chats import read_conversation_file, read_message
from autokb.suggesting.beside import Beside
from autokb.suggesting.choosing_model import ChoosingModel
from autokb.text.languages import LANGUAGE_NAMES, find_other_language
from autokb.text.lexicons import word_lists
from autokb.text.mail_parts import without_mail_parts

LOOKED_THROUGH = 8  # matches and documents of the answer that three different suggestions are chosen from
MOST_MESSAGES = 200  # the last ones are read
Given = Sequence[Message | Mapping[str, str]] | str  # a conversation, as a program passes it
PASS_MESSAGES = (
    'Pass the customer\'s text, or a list of Message("customer", TEXT) and Message("agent", TEXT) of autokb.app, or of '
    'objects such as {"role": "customer", "text": TEXT}.'
)
NO_TICKET = "No past ticket is about this, and no knowledge base is built."


def suggest(
    opened: OpenIndex | None,
    messages: Sequence[Message],
    beside: Sequence[Beside] = (),
    chooser: ChoosingModel | None = None,
) -> Suggested:
    """Return what an agent could send next, in the words of what is known.

    What is known ``beside`` it adds what it has, first where that is likelier to be about the same problem than the
    knowledge base is to be right; one of the two must be there. A ``chooser`` chooses among what the knowledge base
    finds. Raises BadInputError where the last message is not the customer's.
    """
    started = time.perf_counter()
    reading = read_conversation(opened, messages, beside, chooser)
    found = reading.small_talk() or reading.own_words()
    return replace(found, seconds=round(time.perf_counter() - started, 6))


def read_conversation(
    opened: OpenIndex | None,
    messages: Sequence[Message],
    beside: Sequence[Beside] = (),
    chooser: ChoosingModel | None = None,
) -> ReadConversation:
    """Read a conversation (BadInputError where the last message is not the customer's)."""
    if not messages or messages[-1].role != CUSTOMER or not messages[-1].text.strip():
        raise BadInputError("The last message must be the customer's, with a text; put it at the end.")
    spec = opened.index.spec if opened is not None else beside[0].workspace.spec
    said = [(m, without_surrogates(m.text[:QUESTION_CHARACTERS])) for m in messages[-MOST_MESSAGES:]]
    cleaned = [replace(m, text=without_mail_parts(text)[0]) for m, text in said]
    turn = read_turn(cleaned, spec.language)
    return ReadConversation(opened, beside, spec, cleaned, turn, chooser)


@dataclass(frozen=True)
class ReadConversation:
    """A conversation and what its last message asks; each question is answered once."""

    opened: OpenIndex | None
    beside: Sequence[Beside]
    spec: DomainSpec
    messages: Sequence[Message]
    turn: Turn
    chooser: ChoosingModel | None = None
    _answers: dict[str, Answer] = field(default_factory=dict)

    @cached_property
    def rules(self) -> ReplyRules:
        """What the domain says of replies."""
        return read_reply_rules(self.spec.reply)

    @cached_property
    def stated(self) -> Mapping[str, Values]:
        """What the customer stated of attributes."""
        return attributes_of(self.turn, self.spec)

    @property
    def tried(self) -> Sequence[str]:
        """What the agent wrote before where it did not help."""
        return self.turn.tried if self.turn.unsolved else ()

    @property
    def _said(self) -> str:
        """All that the customer said."""
        return "\n".join(message.text for message in self.messages if message.role == CUSTOMER)

    def small_talk(self, kind: str | None = None) -> Suggested | None:
        """Return the short human reply where there is nothing to look up, as read here or of a ``kind`` given."""
        if (kind := kind or self.turn.small_talk) is None:
            return None
        reply = Suggestion(small_talk_reply(kind, self.spec.language), "small_talk")
        return Suggested("answered", (reply,), self.turn.text)

    def answer(self, question: str = "") -> Answer:
        """Answer what the conversation asks, else a question given."""
        question = question or self.turn.text
        if question not in self._answers:
            self._answers[question] = self._ask(question)
        return self._answers[question]

    # Complex: each reason to ask again, or not to answer, is another condition on what was found.
    def _ask(self, question: str) -> Answer:
        if self.opened is None:
            return Answer(question, {}, "abstains", reason=NO_TICKET)
        is_last = question == self.turn.text
        answer = self.opened.ask(
            question,
            self.stated,
            LOOKED_THROUGH,
            said=self._said,
            also=self.turn.also if is_last else (),
            choosing=self.chooser.choosing(self.messages) if self.chooser is not None and is_last else None,
        )
        if is_last and self._leaves_wish_open(answer):
            return replace(answer, outcome="abstains", question=None, reason=LEFT_OPEN, confidence=0.0)
        is_read = answer.reading is not None and answer.reading.note is None  # a model has read all that was said
        if answer.outcome == "abstains" and self.turn.depends_on_context and is_last and not is_read:
            return self.answer("\n".join(m.text for m in self.messages))  # what was said last may only be chat
        return answer

    def _leaves_wish_open(self, answer: Answer) -> bool:
        wish, first = self.turn.wish, " ".join(solution.text for solution in answer.shown[:1])
        return wish is not None and not answer.urgent and not fulfils(first, wish, self.spec.language)

    def own_words(self) -> Suggested:
        """Return what of the answers can be sent as it stands, with what is known beside them."""
        asked = (self.turn.text, self.rules, self.spec.language)
        return self.suggested(self._offered(other for one in self.beside for other in one.suggestions(*asked)))

    def question_back(self) -> tuple[Suggestion, ...]:
        """Return the question that the agent should ask, where there is one."""
        return tuple(one for one in self._offered() if one.source == "question")

    def _offered(self, others: Iterable[Suggestion] = ()) -> tuple[Suggestion, ...]:
        asked = [m.text for m in self.messages if m.role == AGENT and m.text.rstrip().endswith("?")]
        answer = self.answer()
        # What was said of something else before tells no step of this.
        said = said_before(self.messages[-1:] if self.turn.begins_anew else self.messages, self.spec.language)
        refusal = refusal_of(self.rules, self.spec, answer.reason)
        return suggestions_from(
            answer, self.rules, refusal, self.tried, self.spec, asked=asked, said=said, others=others
        )

    def suggested(self, found: tuple[Suggestion, ...]) -> Suggested:
        """Return suggestions under the outcome of the answer, or what they make of it."""
        answer, sources = self.answer(), {one.source for one in found}
        outcome = answer.outcome
        helps = not sources.isdisjoint(HELPS)
        if (outcome == "asks" and "question" not in sources and found) or (outcome == "abstains" and helps):
            outcome = "answered"
        reason = answer.reason if outcome == answer.outcome else None
        chosen_by = answer.chosen_by if found and found[0].source in ("solution", "passage") else ""
        seen = Suggested(outcome, found, self.turn.text, reason, answer.confidence, attributes=answer.attributes)
        warning = answer.warning if found else ""
        return replace(seen, reading=answer.reading, chosen_by=chosen_by, warning=warning)


def differing_languages(opened: OpenIndex, found: Suggested) -> tuple[str, str] | None:
    """Return the names of the customer's language and of that of the suggestions where they differ.

    A model may have written in the customer's; the knowledge base's own words are in that of the documents.
    """
    spec, vocabulary = opened.index.spec, opened.index.chunks.words.vocabulary
    helps = [one for one in found.suggestions if one.is_help]
    asked = find_other_language(found.question, spec.language, vocabulary) if helps else None
    if asked is None or asked == find_other_language(helps[0].text, spec.language, vocabulary):
        return None
    return LANGUAGE_NAMES[asked], LANGUAGE_NAMES[spec.language]


def join_messages(given: Given, chat: Path | str | None) -> list[Message]:
    """Return the messages of a file, where there is one, with those given behind them; a text is the customer's.

    Raises BadInputError where something given is no message.
    """
    before = [] if chat is None else read_conversation_file(Path(chat)).messages
    if isinstance(given, str):
        return [*before, *([Message(CUSTOMER, given)] if given.strip() else [])]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise BadInputError(f"The messages are of the type {type(given).__name__}. {PASS_MESSAGES}")
    return [*before, *(_message(one, place) for place, one in enumerate(given, 1))]


def _message(one: object, place: int) -> Message:
    if isinstance(one, Message):
        return one
    if not isinstance(one, Mapping):
        raise BadInputError(f"Message {place} is of the type {type(one).__name__}. {PASS_MESSAGES}")
    try:
        return read_message(one)
    except UnreadableFileError as error:
        raise BadInputError(f"Message {place} is wrong: the conversation {error} {PASS_MESSAGES}") from error


def attributes_of(turn: Turn, spec: DomainSpec) -> Mapping[str, Values]:
    """Return what the customer's messages state of attributes where there are several; a later one takes back."""
    if len(turn.customer) < 2:
        return {}
    stated: dict[str, Values] = {}
    for message in turn.customer:
        stated |= stated_attributes(message, spec.attributes, spec.language)
    return stated


def refusal_of(rules: ReplyRules, spec: DomainSpec, reason: str | None) -> str:
    """Return what to reply where there is no answer for a reason: nothing is about that, or it is left open."""
    said = word_lists(ConversationWords, spec.language).replies or word_lists(ConversationWords, ENGLISH).replies
    if reason == OFF_TOPIC:
        return rules.refusal or said["off_topic"].format(name=spec.name)
    return rules.unanswered or said["unanswered"].format(name=spec.name)
