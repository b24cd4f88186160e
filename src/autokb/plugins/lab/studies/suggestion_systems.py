"""What suggests replies in an evaluation: the product, the incumbent, short answers, each as a function of a case."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.answering.answer import Answer, ShownPassage
from autokb.answering.strategies.passages import StrategyPassage, passages_of
from autokb.answering.suggest import MOST_SUGGESTIONS, Suggested, Suggestion, suggestions_from
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.core.nouns import Conversation, Evidence, Hit
from autokb.core.ranking import best_first
from autokb.core.reply_rules import read_reply_rules
from autokb.core.spending import Spending
from autokb.core.vectors import Vectors
from autokb.heuristics.conversations.read_turn import read_turn
from autokb.heuristics.conversations.reply_pairs import ReplyPair, reply_pairs
from autokb.pipeline.model_choice import lacks_model
from autokb.pipeline.open_index import OpenIndex
from autokb.pipeline.stages import Stages
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.experiment import Offer, System
from autokb.plugins.lab.evaluation.system_names import AUTOKB, GOLD, INCUMBENT, SHORT_ANSWERS
from autokb.plugins.lab.studies.draft_cases import case_id
from autokb.retrieval.index import beginning
from autokb.retrieval.search import search
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace
from autokb.suggesting.beside import Beside
from autokb.suggesting.suggest import refusal_of, suggest
from autokb.suggesting.suggest_by_strategy import STRATEGIES, suggest_by_strategy
from autokb.suggesting.suggestion_models import SuggestionModels
from autokb.tasks.answers.short_answer.task import TASK as SHORT_ANSWER
from autokb.tasks.answers.short_answer.task import AnswerShortly
from autokb.tasks.task import NEEDS_MODEL, Task


@dataclass(frozen=True, slots=True)
class PastReply:
    """The pair whose question is most like one, and how much: the cosine of the two."""

    pair: ReplyPair
    similarity: float


def nearest_replies(
    pairs: Sequence[ReplyPair],
    vectors: Vectors,
    question: NDArray[np.float32],
    most: int = 1,
    apart_from: str | None = None,
) -> tuple[PastReply, ...]:
    """Return ``most`` different past replies, those to the questions most like this one, nearest first.

    ``vectors`` has a row for the question of each pair; all are unit vectors of one encoder. ``apart_from`` names the
    question's own conversation, which it is not compared with. Of equals the first counts.
    """
    rows = [n for n, pair in enumerate(pairs) if pair.conversation != apart_from]
    similarities = (vectors[rows] @ question).astype(np.float64)
    found: dict[str, PastReply] = {}
    for place in best_first(similarities, len(rows)):
        pair = pairs[rows[int(place)]]
        found.setdefault(" ".join(pair.reply.split()), PastReply(pair, float(similarities[place])))
        if len(found) == most:
            break
    return tuple(found.values())


BUDGET_REACHED = "The budget is reached; what was paid for is kept: run it again with a higher --budget to go on."
# Each strategy with one passage, with three (tables 5 and 9 of the paper), and with the case's own documents.
STRATEGY_SYSTEMS: Mapping[str, tuple[str, int | None]] = {
    name: (strategy, passages)
    for strategy in STRATEGIES
    for name, passages in ((f"{strategy}@1", 1), (f"{strategy}@3", 3), (strategy + GOLD, None))
}
ANSWER_STAGE = "answer"
# How many passages a short answer is looked for in; None are the case's own documents.
PASSAGES_OF: Mapping[str, int | None] = dict(zip(SHORT_ANSWERS, (1, 3, None), strict=True))

LEAVE_ONE_OUT = (
    "The workspace has no chats: the incumbent chooses among the replies of the other cases of the file, those that "
    "came later too. Add past conversations (--as chats) for an incumbent that knows no case."
)


@dataclass(frozen=True)
class SuggestionSystems:
    """Makes systems over one workspace.

    ``stages`` answer tasks and give texts their vectors; the strategies of ``suggest`` have sessions of their own.
    ``budget`` (USD) is for what these ask. Systems that ``check_models`` refuses are not asked.
    """

    opened: OpenIndex
    beside: Sequence[Beside]
    cases: Sequence[Case]
    conversations: Sequence[Conversation]
    stages: Stages
    budget: float | None = None
    held: ExitStack = field(default_factory=ExitStack)
    spent: list[Spending] = field(default_factory=list)

    def system(self, name: str) -> System:
        """Return a system by its name; what it needs in memory is made here, not at the first case."""
        if name == INCUMBENT:
            return self._incumbent()
        if name in SHORT_ANSWERS:
            return self._short_answers(PASSAGES_OF[name])
        if name in STRATEGY_SYSTEMS:
            return self._strategy(*STRATEGY_SYSTEMS[name])
        return {AUTOKB: self._autokb, AUTOKB + GOLD: self._autokb_on_gold}[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the incumbent."""
        return () if self.conversations else (LEAVE_ONE_OUT,)

    def _autokb(self, case: Case) -> Offer:
        return as_offer(suggest(self.opened, case.messages, self.beside))

    def _strategy(self, strategy: str, passages: int | None) -> System:
        """Return what a strategy writes from so many passages, of the case's documents where it is None.

        Its requests are those of the settings' model; offline ``plain`` is the words of what is known.
        """
        kept = SuggestionModels(self.opened.by_language.workspace, self.opened.file)
        self.held.callback(kept.close)

        def offer(case: Case) -> Offer | None:
            if passages is None and not case.documents:
                return None
            models = kept if self.budget is None else replace(kept, budget=self._left())

            def look_up(_question: str, most: int) -> Sequence[StrategyPassage]:
                return passages_of(self._gold_answer(case), most)

            found = suggest_by_strategy(
                self.opened,
                case.messages,
                strategy=strategy,
                passages=passages or MOST_SUGGESTIONS,
                models=models,
                beside=self.beside if passages else (),
                retrieve=None if passages else look_up,
            )
            self.spent.append(found.spent)
            return as_offer(found)

        return offer

    def _left(self) -> float:
        """Return what is left of the budget (StoppedOnPurposeError where it is used up)."""
        left = (self.budget or 0.0) - sum(one.cost or 0.0 for one in (self.stages.spending(), *self.spent))
        if left <= 0:
            raise StoppedOnPurposeError(BUDGET_REACHED)
        return left

    def _autokb_on_gold(self, case: Case) -> Offer | None:
        """Suggest from the case's documents alone, whatever the gate says: the best of what they can show."""
        if not case.documents:
            return None
        spec = self.opened.index.spec
        rules = read_reply_rules(spec.reply)
        answer = self._gold_answer(case)
        found = suggestions_from(answer, rules, refusal_of(rules, spec, answer.reason), spec=spec)
        return Offer(found, not found)

    def _gold_answer(self, case: Case) -> Answer:
        """Return what the case's documents can show, the nearest to its question first."""
        index = self.opened.index
        spec = index.spec
        rows_of = index.candidates.rows_of
        turn = read_turn(case.messages, spec.language)
        rows = [int(row) for document in case.documents for row in rows_of.get(document, ())]
        scores = index.score(turn.text).scores[rows]
        best = [index.candidates.rows[rows[n]].solution for n in best_first(scores, len(rows))]
        passages = tuple(ShownPassage(s.evidence[0].document, "", s) for s in best if s.evidence)
        documents = tuple(Hit(document, 1.0) for document in case.documents)
        shown = tuple(passage.solution for passage in passages)
        return Answer(
            query=turn.text,
            attributes={},
            outcome="answered",
            question=None,
            matches=(),
            passages=passages,
            documents=documents,
            shown=shown,
        )

    def _short_answers(self, most: int | None) -> System:
        """Return what answers in a few words of so many passages, of the case's documents where it is None."""
        index = self.opened.index
        spec, published = index.spec, read_published(self.opened.file)
        chunks = {chunk.id: chunk for chunk in published.chunks}
        documents = published.kb.documents

        def offer(case: Case) -> Offer | None:
            question = read_turn(case.messages, spec.language).text
            if most is None:
                found = [d for name in case.documents if (d := documents.get(name)) is not None]
                if not found:
                    return None
                passages = [(document.id, document.text) for document in found]
            else:
                best = search(index.chunks, index.embed_questions([beginning(question)])[0], question).best_chunks(most)
                passages = [(chunks[hit.chunk].document, chunks[hit.chunk].text) for hit in best]
            item = AnswerShortly(question, tuple(text for _, text in passages), spec.language)
            before, started = self.stages.spending(), time.perf_counter()
            (reply,) = self.stages.run(ANSWER_STAGE, SHORT_ANSWER, [item], [case.id])
            seconds, spent = time.perf_counter() - started, self.stages.spending() - before
            if reply is None or not reply.answer:
                return Offer((), True, seconds, spent)
            document = documents[passages[reply.passage - 1][0]]
            quote = item.passages[reply.passage - 1][reply.start : reply.end]
            start = document.text.find(quote)
            evidence = (Evidence(document.id, start, start + len(quote), quote),) if start >= 0 else ()
            return Offer((Suggestion(reply.answer, "passage", evidence),), False, seconds, spent)

        return offer

    def _incumbent(self) -> System:
        """Return what gives the replies to the nearest past questions, never those of the same conversation."""
        language = self.opened.index.spec.language
        pairs = list(self._pairs(language))
        vectors = self.stages.embed([beginning(pair.question) for pair in pairs])
        asked = {case.id: beginning(read_turn(case.messages, language).text) for case in self.cases}
        questions = dict(zip(asked, self.stages.embed(list(asked.values())), strict=True))

        def offer(case: Case) -> Offer:
            own = case.id.rpartition(":")[0] if self.conversations else case.id
            found = nearest_replies(pairs, vectors, questions[case.id], MOST_SUGGESTIONS, own)
            return Offer(tuple(Suggestion(one.pair.reply, "ticket") for one in found), not found, cites=False)

        return offer

    def _pairs(self, language: str) -> Iterator[ReplyPair]:
        """Give past questions with their replies: of the chats, else of the cases."""
        if not self.conversations:
            for case in self.cases:
                if case.reply:
                    yield ReplyPair(read_turn(case.messages, language).text, case.reply, case.id, len(case.messages))
        for conversation in self.conversations:
            # By the id in the cases of draft-cases a case finds its own conversation.
            yield from reply_pairs(replace(conversation, id=case_id("chat", conversation.id)), language)


def check_models(workspace: Workspace, names: Sequence[str]) -> None:
    """Refuse systems that ask what only a model can answer where the settings name none (BadInputError)."""
    for name in names:
        tasks: Sequence[Task[Any, Any]] = (SHORT_ANSWER,) if name in SHORT_ANSWERS else ()
        if name in STRATEGY_SYSTEMS:
            tasks = STRATEGIES[STRATEGY_SYSTEMS[name][0]].tasks
        if lacks_model(workspace.settings, workspace.mode, tasks, ANSWER_STAGE):
            raise BadInputError(NEEDS_MODEL.format(what=f"The system {name}"))


def as_offer(suggested: Suggested) -> Offer:
    """Return what was suggested as evaluations count it: small talk is friendly, and no help."""
    helps = [one for one in suggested.suggestions if one.source not in ("refusal", "small_talk")]
    refuses = suggested.outcome == "abstains" or not helps
    return Offer(suggested.suggestions, refuses, suggested.seconds, suggested.spent, fell_back=bool(suggested.fallback))
