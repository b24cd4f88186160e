"""A question to the past tickets: tickets are found, the sub-graph is read, both answer, with evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores
from autokb.core.storable import without_surrogates
from autokb.core.ticket_answer import FoundTicket, QuestionParts, RanCypher, TicketAnswer, UsedAnswer
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import read_embedder_name
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages, without_models
from autokb.plugins.tickets.answers.open_tickets import OpenTickets
from autokb.plugins.tickets.answers.subgraph import FoundTickets, Subgraph, SubgraphReader
from autokb.plugins.tickets.graph.answers import TicketTexts, is_long_section, state_of, write_answer
from autokb.plugins.tickets.graph.cypher_port import CypherReader
from autokb.plugins.tickets.graph.plan import ENDINGS
from autokb.plugins.tickets.graph.search import ScoredTickets, TicketQuestion, score_tickets
from autokb.plugins.tickets.heuristics.answer_from import FromTickets, TicketPassage
from autokb.plugins.tickets.heuristics.read_question import cue_phrases, question_ends, reads_like_a_ticket
from autokb.plugins.tickets.tasks.from_tickets.task import TASK as FROM_TICKETS
from autokb.plugins.tickets.tasks.parse_query.task import TASK as PARSE_QUERY
from autokb.plugins.tickets.tasks.parse_query.task import question_request
from autokb.plugins.tickets.tasks.write_cypher.task import TASK as WRITE_CYPHER
from autokb.retrieval.logistic import probability_of
from autokb.stores.database import failures_as_sentences
from autokb.stores.ticket_answers import AcceptedAnswer, read_accepted
from autokb.stores.ticket_tables import PublishedTicket
from autokb.tasks.task import In, Out, Task
from autokb.text.mail_parts import without_mail_parts

QUESTION_CHARACTERS = 100_000  # at most; nobody reads more
STAGE = "tickets"  # of the ledger: not "ask", whose spending counts against the day's budget for questions
WITH_FILTERS = 60  # tickets that are looked through where the question names values of fields
COMMON_VALUES = 40  # of a field that a model is shown beside those in the question
# Chance of the same problem below which nothing is answered verbatim. Of 265 real duplicates, asked by their titles, 35
# are below it, and the first ticket was right for 4 of these (``python -m benchmarks ticket_answers``).
UNLIKELY = 0.35
PIECES_A_TICKET = 2  # that stand for it where it is found by its text
SAME_QUESTION = 0.6  # cosine from which an accepted question lifts its ticket, by up to 1


@dataclass(frozen=True, slots=True)
class Gathered:
    """The passages that may answer, best first, why they are not what was asked for, and what the graph was asked."""

    passages: Sequence[TicketPassage]
    fallback: tuple[str, ...] = ()
    cypher: RanCypher | None = None


@dataclass(frozen=True)
class QuestionTasks:
    """The tasks of a question, answered: offline at once, by a model through the workspace's ledger and budget.

    Without ``stages`` no model is asked.
    """

    stages: Stages | None = None

    def asks_model(self, task: Task[In, Out]) -> bool:
        """Return whether a model answers the task."""
        return self.stages is not None and self.stages.asks_model(task, STAGE)

    def run(self, task: Task[In, Out], item: In) -> Out | None:
        """Return the answer, None where the model's reply was wrong; nothing of an offline answer is kept."""
        if self.stages is None or not self.asks_model(task):
            return task.answer_offline(item)
        (reply,) = self.stages.run(STAGE, task, [item], ["the question"])
        return reply


@dataclass(frozen=True)
class TicketQuestionRun:
    """One question on its way: what it says, the tickets for it, the sub-graph, and the answer with its evidence.

    ``k`` bounds the tickets. ``cypher`` has the graph asked in Cypher, None where nobody wants to see it.
    """

    opened: OpenTickets
    tasks: QuestionTasks
    question: str
    k: int = 5
    cypher: CypherReader | None = None

    def answer(self) -> TicketAnswer:
        """Answer the question; a ticket that it names and that there is not is never answered from another one."""
        template, language = self.opened.index.template, self._language
        named = self.opened.ids.named_in(self.question, template, language)
        known = tuple(one.ticket for one in named if one.ticket is not None)
        unknown = tuple(one.spelled for one in named if one.ticket is None)
        if unknown and not known and not reads_like_a_ticket(self.question):
            return TicketAnswer(reason=no_such_tickets(unknown))
        parts = self.read()
        found = self.find(parts, known)
        shown = TicketAnswer(
            confidence=round(found.confidence, 4),
            match=found.match,
            tickets=tuple(self._found(found.tickets[i], found.scores[i]) for i in found.ids[: self.k]),
            accepted=found.accepted,
            question=parts,
        )
        if reason := self._reason_to_abstain(found):
            return replace(shown, reason=reason)
        return self._answered(shown, self.gather(parts, found), unknown)

    def _reason_to_abstain(self, found: FoundTickets) -> str:
        """Return why no ticket answers, whatever it says; a model chooses among tickets that are hardly alike."""
        if not found.ids:
            return "No ticket was found."
        if not found.named and found.confidence < 0.5:
            return "No past ticket is about this."
        if found.match is not None and found.match < UNLIKELY and not self.tasks.asks_model(FROM_TICKETS):
            return "No past ticket is likely to be about the same problem."
        return ""

    def _answered(self, shown: TicketAnswer, gathered: Gathered, unknown: Sequence[str]) -> TicketAnswer:
        """Return the answer that the passages give, verbatim where a model's reply cannot be used."""
        passages, reasons = gathered.passages, [*gathered.fallback]
        if unknown:
            reasons.insert(0, no_such_tickets(unknown))
        item = FromTickets(self.question, tuple(passages), self._language)
        reply = self.tasks.run(FROM_TICKETS, item) if passages else None
        if passages and reply is None:
            reply = FROM_TICKETS.answer_offline(item)
            reasons.append("The model gave no answer; the sections are verbatim.")
        shown = replace(shown, fallback=" ".join(reasons) or None, cypher=gathered.cypher)
        if reply is None or not reply.parts:
            return replace(shown, reason="The tickets that were found do not say what was asked.")
        text, evidence = write_answer(reply, passages, self.opened.index.template)
        return replace(shown, outcome="answered", answer=text, evidence=tuple(evidence))

    def _found(self, published: PublishedTicket, score: float) -> FoundTicket:
        ticket = published.ticket
        problem = self._texts(published).problem(self.opened.index.template.field_of.get("description", ""))
        return FoundTicket(ticket.id, ticket.title, round(score, 4), state_of(ticket), problem)

    def _texts(self, published: PublishedTicket) -> TicketTexts:
        return TicketTexts(published, self._language)

    @property
    def _language(self) -> str:
        return self.opened.workspace.spec.language

    # -- reading the question ----------------------------------------------------------------------

    def read(self) -> QuestionParts:
        """Return what the question says and asks, by the model of the task, else by cues."""
        question, template, known = self.question, self.opened.index.template, self.opened.field_values
        folded = question.casefold()
        values = {section: [value for value in some if value.casefold() in folded] for section, some in known.items()}
        if self.tasks.asks_model(PARSE_QUERY):
            values = {n: list(dict.fromkeys((*values[n], *some[:COMMON_VALUES]))) for n, some in known.items()}
            if (read := self.tasks.run(PARSE_QUERY, question_request(question, template, values))) is not None:
                return read.parts()
        return PARSE_QUERY.answer_offline(question_request(question, template, values, self._nearness)).parts()

    def _nearness(self) -> Mapping[str, float]:
        """Return how near the beginning or end of the question is to a cue of each section."""
        phrases = cue_phrases(self.opened.index.template)
        if "\n" in self.question.strip() or not phrases:
            return {}
        cosines = (self.opened.cue_vectors @ self.opened.embed(question_ends(self.question)).T).max(axis=1)
        found: dict[str, float] = {}
        for (name, _), cosine in zip(phrases, cosines.tolist(), strict=True):
            found[name] = max(cosine, found.get(name, -1.0))
        return found

    # -- finding tickets ---------------------------------------------------------------------------

    def find(self, parts: QuestionParts, named: tuple[str, ...] = ()) -> FoundTickets:
        """Return the tickets for the question: those that it names, else the nearest, lifted by accepted answers."""
        opened, question = self.opened, self.question
        vector = opened.embed([question])[0]
        if named:
            return FoundTickets(opened.read(named), dict.fromkeys(named, 1.0), vector, named=True)
        components = opened.index.components_named(question)
        found = score_tickets(opened.index, TicketQuestion(question, vector, components))
        match = None if opened.fitted.match is None else opened.fitted.match.of(found)
        confidence = self._confidence(found)
        accepted = self._lift(vector, found.scores)
        scores = {hit.id: hit.score for hit in found.best(max(self.k, WITH_FILTERS if parts.filters else self.k))}
        tickets = opened.read(scores)
        alike = {one.ticket: one.similarity for one in accepted}
        if match is not None:
            match = max(match, alike.get(next(iter(tickets), ""), 0.0))
        confidence = max(confidence, *alike.values(), 0.0)
        return FoundTickets(tickets, scores, vector, confidence=confidence, match=match, accepted=accepted)

    def _confidence(self, found: ScoredTickets) -> float:
        """Return how likely the question is to be about what the tickets are about, from 0 to 1."""
        gate, near = self.opened.gate, found.chunks.nearest
        odds = gate.log_odds(near, near)
        if gate.words is not None:
            unknown = self.opened.index.chunks.words.unknown_share(self.question)
            odds += gate.words.log_odds(self.question, unknown, self._language)
        return probability_of(odds)

    def _lift(self, vector: Vectors, scores: Scores) -> tuple[UsedAnswer, ...]:
        """Add to the scores what accepted answers to questions like this one say; return those that count."""
        used = self._accepted_like(vector)
        for ticket, (cosine, _) in used.items():
            scores[self.opened.index.rows[ticket]] += (cosine - SAME_QUESTION) / (1 - SAME_QUESTION)
        best = sorted(used.values(), key=lambda one: -one[0])
        return tuple(UsedAnswer(a.ticket, a.question, a.author, a.date, round(c, 4)) for c, a in best)

    def _accepted_like(self, vector: Vectors) -> Mapping[str, tuple[float, AcceptedAnswer]]:
        """Return by ticket its accepted answer whose question has the highest cosine with this one, and that cosine.

        Only cosines of ``SAME_QUESTION`` or more count; a ticket without one is left out. ``vector`` has unit length.
        """
        opened, vectors = self.opened, self.opened.accepted_vectors
        accepted = [one for one in read_accepted(opened.file) if one.ticket in opened.index.rows]
        if new := [one.question for one in accepted if one.question not in vectors]:
            vectors.update(zip(new, opened.embed(new), strict=True))
        used: dict[str, tuple[float, AcceptedAnswer]] = {}
        for one in accepted:
            cosine = float(vectors[one.question] @ vector)
            if cosine >= SAME_QUESTION and cosine > used.get(one.ticket, (0.0, one))[0]:
                used[one.ticket] = cosine, one
        return used

    # -- gathering what answers --------------------------------------------------------------------

    def gather(self, parts: QuestionParts, found: FoundTickets) -> Gathered:
        """Return what the sub-graph gives, by the plan or a model's query, with the texts that were found."""
        reader = SubgraphReader(self.opened)
        subgraph = reader.read(parts, found)
        ran: RanCypher | None = None
        if self.cypher is not None:
            write = partial(self.tasks.run, WRITE_CYPHER) if self.tasks.asks_model(WRITE_CYPHER) else None
            ran, rows = self.cypher.read(self.question, found.best.ticket, subgraph.plan, write)
            subgraph = subgraph if rows is None else reader.with_rows(subgraph, rows)
        return Gathered(self._passages(parts, found, subgraph), subgraph.fallback, ran)

    def _passages(self, parts: QuestionParts, found: FoundTickets, subgraph: Subgraph) -> list[TicketPassage]:
        """Return what the sub-graph gives, what comments tell of how it ended, and the texts that were found."""
        passages = [passage for one in subgraph.tickets.values() for passage in self._asked_of(one, subgraph)]
        if not parts.links and self._asks_for_outcome(subgraph.asked):
            ended = list(subgraph.tickets.values()) if passages else [found.best]
            passages = [passage for one in ended for passage in self._with_outcome(one, passages, subgraph.asked)]
        # A model may choose among all tickets; verbatim texts of another one would pass for the best one's.
        for ticket in found.ids[: self.k if self.tasks.asks_model(FROM_TICKETS) else 1]:
            passages += self._texts(found.tickets[ticket]).around(self._nearest_places(ticket, found.vector))
        unique: dict[str, TicketPassage] = {}
        for passage in passages:
            unique.setdefault(passage.text, passage)  # clones of a ticket say the same
        return list(unique.values())

    def _asked_of(self, one: PublishedTicket, subgraph: Subgraph) -> Iterator[TicketPassage]:
        """Give what the sub-graph has of a ticket, as it was asked for."""
        asked, template = subgraph.asked, self.opened.index.template
        names = [row.section for row in subgraph.rows if row.ticket == one.ticket.id and row.text.strip()]
        if not asked:  # the state says what fields hold
            names = [name for name in names if is_long_section(template, name)]
        return self._texts(one).sections(sorted(names, key=[*asked, *names].index), asked)

    @property
    def _stated(self) -> set[str]:
        """The sections of fields that say whether a ticket ended."""
        field_of = self.opened.index.template.field_of
        return {field_of[name] for name in ("status", "resolution") if name in field_of}

    def _asks_for_outcome(self, asked: Sequence[str]) -> bool:
        return not asked or not self._stated.union(ENDINGS).isdisjoint(asked)

    def _with_outcome(
        self, one: PublishedTicket, passages: Sequence[TicketPassage], asked: Sequence[str]
    ) -> list[TicketPassage]:
        """Return the passages of a ticket with the comments that tell how it ended.

        These come before the fields that say that it did, which the heading of a ticket says too.
        """
        told = self._texts(one).outcomes(asked, "outcome")
        own = [p for p in passages if p.ticket == one.ticket.id]
        fields = [p for p in own if told and p.section in self._stated]
        return [*(p for p in own if p not in fields), *told, *fields]

    def _nearest_places(self, ticket: str, vector: Vectors) -> list[tuple[str, int]]:
        """Return where a ticket's pieces that are nearest to the question begin, each a section and a start."""
        index, template = self.opened.index, self.opened.index.template
        place, title = index.pieces_of(ticket), template.field_of.get("title", "")
        own, cosines = index.pieces[place], index.chunks.vectors.vectors[place] @ vector
        pieces = [own[int(n)] for n in np.argsort(-cosines, kind="stable")]
        # Code, logs and lists of devices are near to much and tell little by themselves.
        unread = {title, template.field_of.get("environment", ""), *(r.name for r in template.sections if r.blocks)}
        told = [p for p in pieces if p.section not in unread] or pieces
        return [(p.section, p.start) for p in told if p.section != title][:PIECES_A_TICKET]


@dataclass(frozen=True)
class TicketAnswerer:
    """Answers questions from published tickets in memory; made once for many questions, which threads may ask.

    ``kind`` is how each is answered; experiments have another. No model is asked unless it ``asks_models``.
    """

    opened: OpenTickets
    kind: type[TicketQuestionRun] = TicketQuestionRun
    asks_models: bool = True
    _opening: Lock = field(default_factory=Lock, repr=False, compare=False)

    def ask(self, text: str, k: int = 5, *, cypher: bool = False, budget: float | None = None) -> TicketAnswer:
        """Answer a question; ``k`` bounds the tickets, ``budget`` what models and a paid embedder cost, in USD.

        ``cypher`` shows what is asked of the graph: the query of a model, where one writes it, else the plan.
        """
        started = time.perf_counter()
        if not text.strip():
            raise BadInputError("The question is empty; write what you want to know of past tickets.")
        question, _ = without_mail_parts(without_surrogates(text[:QUESTION_CHARACTERS]))
        with failures_as_sentences(self.opened.file.path), self._open_models(budget, cypher=cypher) as (opened, tasks):
            answer = self.kind(opened, tasks, question, k, self._open_cypher() if cypher else None).answer()
        return replace(answer, seconds=round(time.perf_counter() - started, 6))

    def _open_cypher(self) -> CypherReader:
        with self._opening:  # one engine for all questions
            return self._cypher

    @cached_property
    def _cypher(self) -> CypherReader:
        # Engine, guard and projection, which few questions need.
        from autokb.plugins.tickets.cypher.ladybug import LadybugGraph
        from autokb.plugins.tickets.cypher.reader import EngineReader

        opened = self.opened
        graph = LadybugGraph(opened.file, opened.index.template, opened.workspace.folder)
        opened.held.callback(graph.close)
        return EngineReader(graph)

    @contextmanager
    def _open_models(self, budget: float | None, *, cypher: bool) -> Iterator[tuple[OpenTickets, QuestionTasks]]:
        """Give the tickets as one question asks them, and what answers its tasks.

        A budget bounds what an embedder over the network costs too: such a question has a view of its own.
        """
        opened, workspace = self.opened, self.opened.workspace
        tasks = (PARSE_QUERY, FROM_TICKETS, *((WRITE_CYPHER,) if cypher else ()))
        models = {model_of(workspace.settings, workspace.mode, task.name, STAGE) for task in tasks}
        is_bounded = budget is not None and read_embedder_name(workspace.settings.embedder).is_paid
        is_offline = models == {OFFLINE} or not self.asks_models
        if is_offline and not is_bounded:
            yield opened, QuestionTasks()
            return
        asked = without_models(workspace) if is_offline else workspace
        with open_stages(asked, opened.file, options=ModelOptions(budget)) as stages:
            yield replace(opened, bounded=stages.encoder) if is_bounded else opened, QuestionTasks(stages)


def no_such_tickets(ids: Sequence[str]) -> str:
    """Say that there are no tickets with these ids."""
    return f"There is no ticket {' and no '.join(ids)} here."
