"""What is looked at in every reply before an agent sees it, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autokb.answering.strategies.passages import Place, StrategyPassage
from autokb.answering.strategies.strategy import WrittenReplies
from autokb.answering.suggest import Suggestion
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Message
from autokb.core.regex_timeout import SlowPatternError
from autokb.core.reply_rules import ReplyRules, count_words
from autokb.heuristics.replies.drafts import DraftedReply, Quoted, first_sentences
from autokb.heuristics.replies.facts import ungrounded
from autokb.heuristics.rules import find_breach
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules

JudgeRules = Callable[[Sequence[CheckRules]], Iterable[CheckedRules | None]]
WORDS_SHOWN = 60  # characters of what breaks a rule, in a reason


@dataclass(frozen=True, slots=True)
class Checked:
    """The replies that passed, and of each other one why it did not."""

    suggestions: tuple[Suggestion, ...]
    reasons: tuple[str, ...]


class _DroppedError(Exception):
    """Why a reply is not shown."""


# Complex: a reply is dropped by its own faults first, and by the judged rules only among those left.
def check_replies(
    written: WrittenReplies, messages: Sequence[Message], spec: DomainSpec, manners: ReplyRules, judge: JudgeRules
) -> Checked:
    """Return the replies that rest on lines of their passages and keep to manners, facts and rules.

    One with too many words is shortened by whole sentences. Rules with words to look for are looked for; where a domain
    has others, ``judge`` is asked about all replies at once.
    """
    said = "\n".join(message.text for message in messages)
    found: list[Suggestion] = []
    reasons: list[str] = []
    for number, reply in enumerate(written.replies, 1):
        try:
            found.append(_checked(reply, written.passages, said, spec, manners))
        except (_DroppedError, SlowPatternError) as error:
            reasons.append(f"Reply {number} is left out: {error}")
    if found and not all(rule.is_checked_offline for rule in spec.rules):
        verdicts = judge([_rules_request(one.text, spec) for one in found])
        broken = [_first_breach(verdict) for verdict in verdicts]
        reasons += [f"A reply is left out: {why}" for why in broken if why]
        found = [one for one, why in zip(found, broken, strict=True) if not why]
    return Checked(tuple(found), tuple(reasons))


# Complex: one line for each fault that drops a reply, in the order in which they are cheapest to find.
def _checked(
    reply: DraftedReply, passages: Sequence[StrategyPassage], said: str, spec: DomainSpec, manners: ReplyRules
) -> Suggestion:
    evidence = tuple(dict.fromkeys(place for quote in reply.quotes for place in places_of(quote, passages)))
    if not reply.quotes:
        raise _DroppedError("it rests on no line.")
    text = reply.text
    if count_words(text) >= manners.max_words and not (text := first_sentences(text, manners, spec.language)):
        raise _DroppedError(f"its first sentence has {manners.max_words} words or more, or one that is not to be used.")
    if manners.has_negative_words(text):
        raise _DroppedError("it has a word that is not to be used.")
    cited = [passages[n - 1] for n in dict.fromkeys(quote.passage for quote in reply.quotes)]
    material = "\n".join([*(f"{one.title}\n{one.given.text}" for one in cited), said])
    if doubt := ungrounded(text, material, spec.language):
        raise _DroppedError(f"{doubt}.")
    for rule in spec.rules:
        if words := find_breach(rule, text, spec.language):
            raise _DroppedError(f"it breaks the rule {rule.id} with “{' '.join(words.split())[:WORDS_SHOWN]}”.")
    solution = next((one.solution_id for one in cited if one.solution_id), None)
    return Suggestion(text, cited[0].source, evidence, solution, title=cited[0].given.title)


def places_of(quote: Quoted, passages: Sequence[StrategyPassage]) -> Iterator[Place]:
    """Give where a quote stands, one place for each step that it is of."""
    yield from passages[quote.passage - 1].evidence_of(quote.start, quote.end)


def _rules_request(text: str, spec: DomainSpec) -> CheckRules:
    return CheckRules(
        domain=spec.in_words,
        issue="",
        title="",
        steps=(text,),
        text=text,
        rules=spec.rules,
        language=spec.language,
    )


def _first_breach(verdict: CheckedRules | None) -> str:
    if verdict is None:
        return "nobody judged whether it keeps the rules."
    return next((f"it breaks the rule {v.rule}: {v.reason}" for v in verdict.verdicts if v.verdict == "broken"), "")
