"""Suggestions written by a strategy; whatever goes wrong with a model, the knowledge base's own words stand in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from autokb.answering.strategies.checks import check_replies
from autokb.answering.strategies.paper_strategies import (
    chain_of_thought,
    chain_of_verification,
    plain,
    query_rewriting,
    react,
)
from autokb.answering.strategies.passages import StrategyPassage, near_passages, passages_of
from autokb.answering.strategies.strategy import Retrieve, Said, Strategy, WrittenReplies
from autokb.answering.suggest import MOST_SUGGESTIONS, Suggested, Suggestion, different_helps
from autokb.core.errors import BadInputError
from autokb.core.nouns import Message
from autokb.core.spending import NOTHING_SPENT
from autokb.heuristics.replies.drafts import Drafting, ReplyStyle, draft_verbatim
from autokb.pipeline.model_choice import lacks_model
from autokb.pipeline.open_index import OpenIndex
from autokb.suggesting.beside import Beside
from autokb.suggesting.choosing_model import ChoosingModel
from autokb.suggesting.suggest import ReadConversation, read_conversation, refusal_of, suggest
from autokb.suggesting.suggestion_models import STAGE, Answering, SuggestionModels
from autokb.tasks.answers.answer_from_quotes.task import TASK as ANSWER_FROM_QUOTES
from autokb.tasks.answers.draft_and_doubt.task import TASK as DRAFT_AND_DOUBT
from autokb.tasks.answers.extract_quotes.task import TASK as EXTRACT_QUOTES
from autokb.tasks.answers.next_step.task import TASK as NEXT_STEP
from autokb.tasks.answers.verify_draft.task import TASK as VERIFY_DRAFT
from autokb.tasks.answers.write_replies.task import TASK as WRITE_REPLIES
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.task import NEEDS_MODEL, Task


@dataclass(frozen=True, slots=True)
class NamedStrategy:
    """A strategy and the tasks that it asks."""

    write: Strategy
    tasks: tuple[Task[Any, Any], ...]


PLAIN = "plain"
STRATEGIES: Mapping[str, NamedStrategy] = {
    PLAIN: NamedStrategy(plain, (WRITE_REPLIES,)),
    "react": NamedStrategy(react, (NEXT_STEP, WRITE_REPLIES)),
    "chain_of_thought": NamedStrategy(chain_of_thought, (EXTRACT_QUOTES, ANSWER_FROM_QUOTES)),
    "chain_of_verification": NamedStrategy(chain_of_verification, (DRAFT_AND_DOUBT, VERIFY_DRAFT)),
    "query_rewriting": NamedStrategy(query_rewriting, (NEXT_STEP, WRITE_REPLIES)),
}
PASSAGES = (1, 3)  # that a strategy is shown
NO_HELP = "The model found nothing that answers in what it was shown."
NO_REPLY = "The model wrote no reply from what was found."


# Complex: each way that needs no strategy is left first, with its own reason.
def suggest_by_strategy(
    opened: OpenIndex | None,
    messages: Sequence[Message],
    *,
    strategy: str = PLAIN,
    passages: int = 3,
    models: SuggestionModels,
    beside: Sequence[Beside] = (),
    retrieve: Retrieve | None = None,
    own_words: bool = False,
    chooser: ChoosingModel | None = None,
) -> Suggested:
    """Return what an agent could send next, written by a strategy from at most so many passages.

    ``models`` answer tasks as the settings say, and stay open; where all are offline, ``plain`` is the words of what is
    known, and so is a strategy that a model is missing for (``fallback`` says so) and any with ``own_words``, for which
    no model is asked. A ``chooser`` chooses among what is found for the last message. ``retrieve`` stands for the
    search, as in runs on a given document; what is known ``beside`` has more passages where the knowledge base has too
    few. Raises BadInputError for an unknown strategy, and where the last message is not the customer's.
    """
    if strategy not in STRATEGIES:
        raise BadInputError(f"There is no strategy {strategy!r}; choose one of: {', '.join(STRATEGIES)}.")
    if passages not in PASSAGES:
        raise BadInputError(f"A strategy is shown {' or '.join(map(str, PASSAGES))} passages, not {passages}.")
    started = time.perf_counter()
    chosen = STRATEGIES[strategy]
    if own_words or (strategy == PLAIN and retrieve is None and not models.asks_models(chosen.tasks)):
        return suggest(opened, messages, beside, None if own_words else chooser)
    if lacks_model(models.workspace.settings, models.workspace.mode, chosen.tasks, STAGE):
        needs = NEEDS_MODEL.format(what=f"The strategy {strategy}")
        return replace(suggest(opened, messages, beside, chooser), strategy=strategy, fallback=needs)
    reading = read_conversation(opened, messages, beside, chooser)
    found, spent = reading.small_talk(), NOTHING_SPENT
    if found is None:
        if retrieve is None:
            reading.answer()  # before the time of the model begins: the first question in a language loads its encoder
        with models.answering((*chosen.tasks, CHECK_RULES)) as answering:
            look_up = retrieve or partial(_look_up, reading)
            found = _suggest(reading, chosen.write, answering, passages, look_up, is_given=retrieve is not None)
            spent = answering.spent
    return replace(found, strategy=strategy, spent=spent, seconds=round(time.perf_counter() - started, 6))


# Complex: what a model wrote is checked, and each way in which nothing is left has another reply.
def _suggest(
    reading: ReadConversation, write: Strategy, answering: Answering, most: int, retrieve: Retrieve, *, is_given: bool
) -> Suggested:
    spec = reading.spec
    house = ReplyStyle(spec.in_words, reading.rules, tuple(rule.text for rule in spec.rules), spec.language)
    said = Said(tuple(replace(message, date="") for message in reading.messages), reading.turn.text)
    written = write(said, retrieve, answering.ask, house, most)
    if written.small_talk is not None and (talk := reading.small_talk(written.small_talk)) is not None:
        return talk
    if written.refuses and not answering.reasons:
        return _declined(reading, None if is_given else reading.answer().reason)
    checked = check_replies(written, said.messages, spec, reading.rules, partial(answering.ask_all, CHECK_RULES))
    back = () if is_given else reading.question_back()
    helps = tuple(different_helps((*back, *checked.suggestions), reading.tried, spec.language))[:MOST_SUGGESTIONS]
    fallback = None
    if len(helps) == len(back):
        fallback = " ".join(dict.fromkeys([*answering.reasons, *checked.reasons] or [NO_REPLY]))
        helps = _verbatim(reading, written, house) if is_given else reading.own_words().suggestions
    if is_given:
        found = Suggested("answered" if helps else "abstains", helps, reading.turn.text)
    else:
        found = reading.suggested(helps)
    return replace(found, passages=len(written.passages), fallback=fallback)


def _declined(reading: ReadConversation, reason: str | None) -> Suggested:
    """Return the house's reply that declines, where its own rules allow it."""
    refusal = refusal_of(reading.rules, reading.spec, reason)
    replies = (Suggestion(refusal, "refusal"),) if reading.rules.fits(refusal) else ()
    return Suggested("abstains", replies, reading.turn.text, reason or NO_HELP)


def _look_up(reading: ReadConversation, question: str, most: int) -> Sequence[StrategyPassage]:
    """Return the passages for a question: solutions, sections, what is beside them, and what the gate refused."""
    answer = reading.answer(question)
    found = list(passages_of(answer, most))
    if len(found) < most:
        found += islice((more for one in reading.beside for more in one.passages(question)), most - len(found))
    return found or near_passages(answer, most)


def _verbatim(reading: ReadConversation, written: WrittenReplies, house: ReplyStyle) -> tuple[Suggestion, ...]:
    """Return what of the passages can be sent as it stands."""
    drafted = draft_verbatim(
        Drafting(tuple(reading.messages), tuple(p.given for p in written.passages), house, reading.turn.text)
    )
    own = replace(written, replies=drafted.replies)
    checked = check_replies(
        own, reading.messages, reading.spec, reading.rules, partial(map, CHECK_RULES.answer_offline)
    )
    return tuple(different_helps(checked.suggestions, reading.tried, reading.spec.language))[:MOST_SUGGESTIONS]
