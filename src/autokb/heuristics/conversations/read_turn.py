"""The customer's last message, read with what was said before: which question it asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autokb.core.domain import ENGLISH
from autokb.core.nouns import AGENT, CUSTOMER, Message
from autokb.heuristics.attributes.words import AttributeWords
from autokb.heuristics.conversations.small_talk import small_talk, wish_of, without_small_talk
from autokb.heuristics.conversations.words import pattern_of
from autokb.heuristics.solutions.instructions import is_question
from autokb.heuristics.subject_words import subject_stem, subject_words
from autokb.text.lexicons import word_lists
from autokb.text.sentences import sentences
from autokb.text.words import content_words

# Words that say what a message is about: with fewer it tells no whole problem, with fewer it leans on what it refers
# to. Chosen on the development conversations of ``python -m benchmarks conversations``.
FEW_WORDS, SOME_WORDS = 3, 6
SHORT_ANSWER = 8  # words of an answer to a question of the agent
MOST_BEFORE = 3  # messages of the customer that are read with the last one
SAID_CHARACTERS = 600  # of the end of a conversation: no more of a question is embedded (``EMBEDDED_CHARACTERS``)
FEWEST_OF_NEW = 5  # words of what a message asks behind its thanks: ``and on Android?`` goes on
TELLING_WORDS = 2  # that say what it is about: a message with fewer tells nothing of a problem
_WORD = re.compile(r"[^\W\d_]+")
# Where a message goes on to something else: ends of sentences, commas, ``and``, numbers of a list.
_PARTS = re.compile(r"[.!?;\n]+(?=\s|$)|,\s|\s+(?:\d\)|[-*•])\s+|(?<!\w)(?:and|und)(?!\w)")


@dataclass(frozen=True, slots=True)
class Turn:
    """The question that the last message asks.

    ``text`` is what is searched for: the last message alone, or behind the earlier ones that it goes on from.
    ``customer`` are those messages, and those that it answers or points back to, the last one last; a bare number that
    answers how old somebody is reads as an age.
    ``tried`` is what the agent wrote before, which did not help where the customer says so (``unsolved``).
    ``also`` are other ways to read it: the message alone, and with the messages right before it, as many as are
    embedded; there are none where it begins anew or asks for what is left. One that ``depends_on_context`` is about
    what was said even where the first way finds nothing; another may be off topic. ``small_talk`` is its kind where
    there is nothing to search for, ``wish`` that of something that steps seldom give, such as money back.
    """

    text: str
    customer: tuple[str, ...]
    tried: tuple[str, ...] = ()
    unsolved: bool = False
    small_talk: str | None = None
    also: tuple[str, ...] = ()
    depends_on_context: bool = False
    wish: str | None = None

    @property
    def begins_anew(self) -> bool:
        """Whether it is read by itself only, whatever was said before."""
        return not self.also and not self.depends_on_context


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """The words that tell which steps are done; ``reports`` where they are the customer's alone."""

    words: frozenset[str] = frozenset()
    reports: bool = False


NOTHING_SAID = SaidBefore()


def read_turn(messages: Sequence[Message], language: str = ENGLISH) -> Turn:
    """Read a conversation whose last message is the customer's."""
    last = messages[-1].text.strip()
    before = [m for m in messages[:-1] if m.text.strip()]
    tried = tuple(m.text for m in before if m.role == AGENT)
    if kind := small_talk(last, language):
        return Turn(last, (last,), tried, small_talk=kind)
    if not before:
        return Turn(last, (last,), wish=wish_of(last, language))
    if (new := _begun_anew(last, before, language)) is not None:
        return Turn(new, (new,), tried, wish=wish_of(new, language))
    alone = Turn(last, (last,), tried, also=(last, _end_of(before, last)))
    return _with_earlier(alone, messages, before, language)


def _with_earlier(alone: Turn, messages: Sequence[Message], before: Sequence[Message], language: str) -> Turn:
    """Return the last message, which begins nothing new, as it goes on from the customer's earlier ones, if it does."""
    last = alone.text
    earlier = [m.text.strip() for m in before if m.role == CUSTOMER and not small_talk(m.text, language)]
    if not earlier:
        return alone
    unsolved = _says(last, language, "unsolved")
    is_answer = _asks(before[-1]) and not is_question(without_small_talk(last, language), language)
    if not (unsolved or is_answer or points_back(last, language)):
        return alone
    return _going_on(alone, messages, earlier, language, unsolved=unsolved, is_answer=is_answer)


# Complex: what stands alone, what is solved but for a rest and what goes on are told apart one after the other.
def _going_on(
    alone: Turn, messages: Sequence[Message], earlier: Sequence[str], language: str, *, unsolved: bool, is_answer: bool
) -> Turn:
    """Return the last message together with what it depends on of the customer's ``earlier`` messages.

    ``alone`` is the last message read by itself. Where it needs no context, only ``customer`` and
    ``depends_on_context`` differ from it. After "solved, but ..." the text is what the agent's steps leave open;
    otherwise it is the problem, what was told about it since, and the last message.
    """
    last = alone.text
    rest = without_small_talk(last, language)
    problem = _problem_of(earlier, language)
    questions = {m.text.strip(): said.text for said, m in pairwise(messages) if _asks(said) and m.role == CUSTOMER}
    customer = tuple(_as_age(m, questions.get(m, ""), language) for m in (*problem, last))
    if not (unsolved or leans_on_before(last, language, is_answer=is_answer)):
        return replace(alone, customer=customer, depends_on_context=is_answer)
    if not unsolved and _says(last, language, "solved") and (left := _left_of(earlier, alone.tried, language)):
        return Turn("\n".join((*left, rest)), (*earlier, rest), alone.tried, depends_on_context=True)
    told = [problem[0], *(m for m in problem[1:] if m in questions or _is_about(m, language))]
    text = "\n".join((*(without_small_talk(message, language) for message in told), rest))
    return replace(alone, text=text, customer=customer, unsolved=unsolved, depends_on_context=True)


def _end_of(before: Sequence[Message], last: str) -> str:
    """Return the last text, and as many whole messages ``before`` it as fit into ``SAID_CHARACTERS``."""
    kept, length = [last], len(last)
    for message in reversed(before):
        length += 1 + len(message.text)
        if length > SAID_CHARACTERS:
            break
        kept.append(message.text)
    return "\n".join(reversed(kept))


def said_before(messages: Sequence[Message], language: str = ENGLISH) -> SaidBefore:
    """Return the words that tell which steps are done: all that was said but for the customer's questions.

    Before an agent wrote anything, only sentences count in which the customer says to have done something.
    """
    reports = all(message.role == CUSTOMER for message in messages)
    parts = ((m, m.text[start:end]) for m in messages for start, end in sentences(m.text, language=language))
    told = "\n".join(
        part
        for m, part in parts
        if m.role == AGENT or (_says(part, language, "reports") if reports else not is_question(part, language))
    )
    return SaidBefore(content_words(told, language), reports)


def leans_on_before(message: str, language: str = ENGLISH, *, is_answer: bool = False) -> bool:
    """Return whether a message says too little by itself; ``is_answer`` where the agent had asked something.

    Few words alone are no sign of it: ``how do birds sleep`` is off topic whatever was spoken of before.
    """
    rest = without_small_talk(message, language)
    about = len(set(subject_words(rest, language)))
    if not about or (is_answer and len(rest.split()) <= SHORT_ANSWER) or _says(rest, language, "corrections"):
        return True
    return about < SOME_WORDS and points_back(message, language)


def points_back(message: str, language: str = ENGLISH) -> bool:
    """Return whether a message has words that go on with what was said before, take it back or stand for it."""
    rest = without_small_talk(message, language)
    return (
        not subject_words(rest, language)
        or _says(rest, language, "corrections")
        or _says(message, language, "solved")
        or _continues(rest, language)
        or _refers(rest, language)
    )


def _begun_anew(last: str, before: Sequence[Message], language: str) -> str | None:
    """Return what a message asks that wishes or says to be about something new, or follows a goodbye; else None."""
    if wish_of(last, language):
        return last
    for start, _ in reversed(sentences(last, language=language)):
        if found := pattern_of("shifts", language).search(last, start):
            asked = " ".join(f"{last[start : found.start()]} {last[found.end() :]}".strip(" ,.:;!?–—-").split())
            return asked if _is_about(asked, language) else None
    is_closing = before[-1].role == AGENT and _says(before[-1].text, language, "closing_questions")
    goes_on = _says(last, language, "unsolved") or pattern_of("continuations", language).match(last)
    return last if is_closing and not goes_on else _behind_thanks(last, before, language)


# Complex: what is new is told by its words, their number, what was said before and what leans on it.
def _behind_thanks(last: str, before: Sequence[Message], language: str) -> str | None:
    """Return what a message asks behind the words that all is solved, if it is about nothing that was spoken of."""
    parts = [last[start:end] for start, end in sentences(last, language=language)]
    rest = " ".join(part for part in parts if "?" in part or not _says(part, language, "solved"))
    found = pattern_of("continuations", language).match(rest)
    asked = rest[found.end() :].lstrip(" ,") if found else rest
    stems = {subject_stem(word, language) for word in subject_words(asked, language)}
    spoken = {subject_stem(word, language) for m in before for word in subject_words(m.text, language)}
    is_own = len(asked.split()) >= FEWEST_OF_NEW and stems and not stems & spoken
    if rest == last or not is_own or _says(rest, language, "unsolved"):
        return None
    return None if leans_on_before(pattern_of("weak_references", language).sub(" ", asked), language) else asked


def _problem_of(earlier: Sequence[str], language: str) -> list[str]:
    """Return the customer's messages from the last one that can be read by itself on."""
    found: list[str] = []
    for message in reversed(earlier[-MOST_BEFORE:]):
        found.append(message)
        is_short = len(set(subject_words(message, language))) < FEW_WORDS
        if not is_short and not leans_on_before(message, language) and not _says(message, language, "unsolved"):
            break
    return found[::-1]


def _left_of(earlier: Sequence[str], advice: Sequence[str], language: str) -> list[str]:
    """Return the parts of the customer's messages that no advice was about, where some was about others.

    Who writes of two problems at once gets one of them solved first.
    """
    spoken = {subject_stem(word, language) for text in advice for word in subject_words(text, language)}
    left, settled = [], 0
    for part in (part for message in earlier for part in _PARTS.split(without_small_talk(message, language))):
        words = {subject_stem(word, language) for word in subject_words(part, language)}
        if words & spoken:
            settled += 1
        elif words:
            left.append(part.strip())
    return left if settled else []


def _is_about(message: str, language: str) -> bool:
    """Return whether a message says anything of a problem: ``ok doing that`` does not."""
    return len(set(subject_words(message, language))) >= TELLING_WORDS


def _as_age(answer: str, question: str, language: str) -> str:
    """Return an answer as an age where the question is how old somebody is."""
    known = word_lists(AttributeWords, language)
    asked = {word.casefold() for word in _WORD.findall(question)}
    ages = {phrase for phrase in known.age_phrases if phrase in asked} | (known.old_words & asked)
    return f"{known.age_phrases[0]} {answer}" if ages and known.age_phrases else answer


def _asks(message: Message) -> bool:
    return message.role == AGENT and message.text.rstrip().endswith("?")


def _says(message: str, language: str, name: str) -> bool:
    return pattern_of(name, language).search(message) is not None


def _continues(message: str, language: str) -> bool:
    """Return whether a sentence of a message begins as one that goes on."""
    pattern = pattern_of("continuations", language)
    return any(pattern.match(message, start) for start, _ in sentences(message, language=language))


def _refers(message: str, language: str) -> bool:
    rest = pattern_of("empty_references", language).sub(" ", message)
    return pattern_of("references", language).search(rest) is not None
