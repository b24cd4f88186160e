"""A question to the past tickets: tickets are found, the sub-graph is read, both answer, with evidence."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores, best_first
from autokb.core.results import Result
from autokb.core.storable import without_surrogates
from autokb.core.tickets import TEXT_FIELDS, TicketEvidence
from autokb.core.vectors import Vectors
from autokb.heuristics.tickets.answer_from import FromTickets, TicketPassage
from autokb.heuristics.tickets.read_question import QuestionParts, cue_phrases, question_ends
from autokb.pipeline.embedding import Encoder, encoder_name, read_embedder_name
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages, without_models
from autokb.pipeline.tickets import read_ticket_gate
from autokb.retrieval.gate import Gate
from autokb.retrieval.logistic import probability_of
from autokb.stores.database import failures_as_sentences
from autokb.stores.ticket_answers import AcceptedAnswer, read_accepted
from autokb.stores.ticket_tables import PublishedTicket, read_field_values, read_tickets
from autokb.tasks.task import In, Out, Task
from autokb.tasks.tickets.from_tickets.task import TASK as FROM_TICKETS
from autokb.tasks.tickets.parse_query.task import TASK as PARSE_QUERY
from autokb.tasks.tickets.parse_query.task import question_request
from autokb.tasks.tickets.write_cypher.task import TASK as WRITE_CYPHER
from autokb.ticket_answers.open_tickets import OpenTickets
from autokb.ticket_answers.subgraph import FoundTickets, Subgraph, SubgraphReader
from autokb.tickets.answers import (
    ENDINGS,
    comment_passages,
    comments_section,
    passages_of_rows,
    problem_of,
    state_of,
    text_passages,
    write_answer,
)
from autokb.tickets.cypher_port import CypherReader, RanCypher
from autokb.tickets.search import ScoredTickets, TicketQuestion, score_tickets

QUESTION_CHARACTERS = 100_000  # at most; nobody reads more
STAGE = "ask"
WITH_FILTERS = 60  # tickets that are looked through where the question names values of fields
COMMON_VALUES = 40  # of a field that a model is shown beside those in the question
# Chance of the same problem below which nothing is answered verbatim. Of 265 real duplicates, asked by their titles, 35
# are below it, and the first ticket was right for 4 of these (``python -m benchmarks ticket_answers``).
UNLIKELY = 0.35
PIECES_A_TICKET = 2  # that stand for it where it is found by its text
SAME_QUESTION = 0.6  # cosine from which an accepted question lifts its ticket, by up to 1
_KEY = re.compile(r"[^\s,;:!?()\[\]\"'<>]+")
_NUMBERED = re.compile(r"(?:#|\b(?:ticket|issue|vorgang)\s+(?:no\.?\s*|nr\.?\s*|#)?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UsedAnswer(Result):
    """A question that a person confirmed to be answered by a ticket, and how alike it is to this one."""

    ticket: str
    question: str
    author: str
    date: str
    similarity: float


@dataclass(frozen=True, slots=True)
class FoundTicket(Result):
    """A ticket that was found for a question, best first.

    ``state`` says in a few words how it stands, ``problem`` in the first sentences of its description what it reports.
    """

    id: str
    title: str
    score: float
    state: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HowRead(Result):
    """What a question was taken to say of sections, to ask for, to filter by, and which kinds of links to follow."""

    entities: Mapping[str, str] = field(default_factory=dict)
    intents: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TicketAnswer(Result):
    """An answer from past tickets, in Markdown, with its evidence.

    ``fallback`` says why it is from the tickets' text, or from another ticket than the best. ``reason`` says why there
    is none. ``match`` is the chance that the first of ``tickets`` is about the same problem, as the workspace's own
    links tell; None where it has too few, and where the question names a ticket. ``accepted`` are answers that people
    confirmed and that spoke for a ticket here; ``question`` is how the question was read.
    """

    outcome: str
    answer: str
    evidence: tuple[TicketEvidence, ...]
    fallback: str | None
    cypher: RanCypher | None
    seconds: float
    reason: str | None = None
    confidence: float = 0.0
    match: float | None = None
    tickets: tuple[FoundTicket, ...] = ()
    accepted: tuple[UsedAnswer, ...] = ()
    question: HowRead = field(default_factory=HowRead)


@dataclass(frozen=True)
class _GatedTickets(FoundTickets):
    """Beside the tickets the vector of the question, how sure it is that it is about them, and that the first is it."""

    vector: Vectors
    confidence: float
    match: float | None
    accepted: tuple[UsedAnswer, ...]

    def reason_to_abstain(self, *, chooses: bool) -> str:
        """Return why no ticket answers, whatever it says; one too unlike is no reason where a model ``chooses``."""
        if not self.ids:
            return "No ticket was found."
        if not self.named and self.confidence < 0.5:
            return "No past ticket is about this."
        if not chooses and self.match is not None and self.match < UNLIKELY:
            return "No past ticket is likely to be about the same problem."
        return ""


@dataclass
class TicketAnswerer:
    """Answers questions from published tickets in memory; made once for many questions."""

    opened: OpenTickets
    options: ModelOptions = field(default_factory=ModelOptions)
    _gate: Gate | None = None
    _values: Mapping[str, Sequence[str]] | None = None
    _cues: Vectors | None = None
    _accepted: dict[str, Vectors] = field(default_factory=dict)
    _cypher: CypherReader | None = None
    _encoder: Encoder | None = None  # of the question that is being answered, where its budget bounds the embedder too

    def __post_init__(self) -> None:
        """Ready what reads sub-graphs; no engine for Cypher is opened before a model is to write for it."""
        template = self.opened.index.template
        self._titles = template.field_of.get("title", "")
        environment = template.field_of.get("environment", "")
        self._unread = {self._titles, environment, *(rule.name for rule in template.sections if rule.blocks)}
        self._graph = SubgraphReader(self.opened)

    def ask(self, text: str, k: int = 5, *, cypher: bool = False, by_text: bool = False) -> TicketAnswer:
        """Answer a question; ``by_text`` answers from the nearest pieces of text alone, the baseline of benchmarks.

        ``cypher`` shows what is asked of the graph: the query of a model, where one writes it, else the plan.
        """
        started = time.perf_counter()
        if not text.strip():
            raise BadInputError("The question is empty; write what you want to know of past tickets.")
        question = without_surrogates(text[:QUESTION_CHARACTERS])
        with failures_as_sentences(self.opened.file.path), self._runner(cypher=cypher) as run:
            parts = self.read(question, run)
            found = self.find(question, parts, k)
            answer = self._answer(question, parts, found, k, run, cypher=cypher, by_text=by_text)
        return TicketAnswer(
            **{"cypher": None, "confidence": round(found.confidence, 4), **answer},  # type: ignore[arg-type]
            seconds=round(time.perf_counter() - started, 6),
            match=found.match,
            tickets=tuple(
                self._found(found.tickets[i], score) for i, score in zip(found.ids[:k], found.scores, strict=False)
            ),
            accepted=found.accepted,
            question=HowRead(dict(parts.entities), parts.intents, dict(parts.filters), parts.links),
        )

    def _found(self, published: PublishedTicket, score: float) -> FoundTicket:
        ticket = published.ticket
        problem = problem_of(published, self.opened.index.template, self.opened.workspace.spec.language)
        return FoundTicket(ticket.id, ticket.title, round(score, 4), state_of(ticket), problem)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return self.opened.embed(texts, self._encoder)

    # -- reading the question ----------------------------------------------------------------------

    def read(self, question: str, run: _Runner) -> QuestionParts:
        """Return what the question says and asks, by the model of the task, else by cues."""
        template = self.opened.index.template
        folded = question.casefold()
        values = {
            section: [value for value in known if value.casefold() in folded]
            for section, known in self._known_values().items()
        }
        if run.asks_model(PARSE_QUERY):
            values = {
                section: list(dict.fromkeys((*values[section], *known[:COMMON_VALUES])))
                for section, known in self._known_values().items()
            }
            if (read := run.run(PARSE_QUERY, question_request(question, template, values, None))) is not None:
                return read.parts()
        parts = PARSE_QUERY.answer_offline(question_request(question, template, values, None)).parts()
        if parts.intents or parts.links:
            return parts
        nearness = self._nearness(question)  # an embedding, needed where no cue is in the question
        return PARSE_QUERY.answer_offline(question_request(question, template, values, nearness)).parts()

    def _known_values(self) -> Mapping[str, Sequence[str]]:
        """Return the values of each section that only holds a field, the most common first."""
        if self._values is None:
            template = self.opened.index.template
            rules = [rule for rule in template.sections if rule.fields and not rule.embedded]
            lists = {rule.name for rule in rules if not TEXT_FIELDS.issuperset(rule.fields)}
            self._values = read_field_values(self.opened.file, [rule.name for rule in rules], lists)
        return self._values

    def _nearness(self, question: str) -> Mapping[str, float]:
        """Return how near the beginning or end of a question is to a cue of each section."""
        phrases = cue_phrases(self.opened.index.template)
        if "\n" in question.strip() or not phrases:
            return {}
        if self._cues is None:
            self._cues = self._cue_vectors([cue for _, cue in phrases])
        cosines = (self._cues @ self._embed(question_ends(question)).T).max(axis=1)
        found: dict[str, float] = {}
        for (name, _), cosine in zip(phrases, cosines.tolist(), strict=True):
            found[name] = max(cosine, found.get(name, -1.0))
        return found

    def _cue_vectors(self, cues: Sequence[str]) -> Vectors:
        """Return the vectors of cues, which the build has made unless the template is another since."""
        file, encoder = self.opened.file, encoder_name(self.opened.workspace.settings)
        vectors, missing = file.vectors(encoder, cues, file.dimensions(encoder))
        if missing:
            vectors[missing] = self._embed([cues[n] for n in missing])
        return vectors

    # -- finding tickets ---------------------------------------------------------------------------

    # Complex: named tickets need no gate; for others score, chance and accepted answers belong together.
    def find(self, question: str, parts: QuestionParts, k: int) -> _GatedTickets:
        """Return the tickets for a question: those that it names, else the nearest, lifted by accepted answers."""
        opened = self.opened
        named = self._named(question)
        vector = self._embed([question])[0]
        if named:
            tickets = read_tickets(opened.file, named)
            return _GatedTickets(
                ids=named,
                scores=(1.0,) * len(named),
                tickets=tickets,
                named=True,
                vector=vector,
                confidence=1.0,
                match=None,
                accepted=(),
            )
        components = opened.index.components_named(question)
        found = score_tickets(opened.index, TicketQuestion(question, vector, components))
        match = None if opened.fitted.match is None else opened.fitted.match.of(found)
        confidence = self._confidence(question, found)
        accepted = self._lift(vector, found.scores)
        confidence = max([confidence, *(one.similarity for one in accepted)])
        best = found.best(max(k, WITH_FILTERS if parts.filters else k))
        tickets = read_tickets(opened.file, [hit.id for hit in best])
        ids = tuple(hit.id for hit in best if hit.id in tickets)
        for one in accepted:
            if match is not None and ids[:1] == (one.ticket,):
                match = max(match, one.similarity)
        return _GatedTickets(
            ids=ids,
            scores=tuple(hit.score for hit in best),
            tickets=tickets,
            named=False,
            vector=vector,
            confidence=confidence,
            match=match,
            accepted=accepted,
        )

    def _confidence(self, question: str, found: ScoredTickets) -> float:
        """Return how likely a question is to be about what the tickets are about, from 0 to 1."""
        if self._gate is None:
            self._gate = read_ticket_gate(self.opened.file, self.opened.workspace, self.opened.index, self._embed)
        near, words = found.chunks.nearest, self._gate.words
        odds = self._gate.log_odds(near, near)
        if words is not None:
            unknown = self.opened.index.chunks.words.unknown_share(question)
            odds += words.log_odds(question, unknown, self.opened.workspace.spec.language)
        return probability_of(odds)

    def _named(self, question: str) -> tuple[str, ...]:
        """Return the tickets that a question names by their keys; a bare number counts behind # or ``ticket``."""
        rows = self.opened.index.rows
        found: dict[str, None] = {}
        for token in _KEY.finditer(question):
            name = token.group().strip(".*_`#")
            start = token.start() + token.group().find(name)
            is_number = name.isdecimal()
            if is_number and not _NUMBERED.search(question[:start]):
                continue
            for spelled in (name, name.upper()):
                if spelled in rows:
                    found.setdefault(spelled)
                    break
        return tuple(found)

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
        accepted = [one for one in read_accepted(self.opened.file) if one.ticket in self.opened.index.rows]
        new = [one.question for one in accepted if one.question not in self._accepted]
        if new:
            self._accepted |= zip(new, self._embed(new), strict=True)
        used: dict[str, tuple[float, AcceptedAnswer]] = {}
        for one in accepted:
            cosine = float(self._accepted[one.question] @ vector)
            if cosine >= SAME_QUESTION and cosine > used.get(one.ticket, (0.0, one))[0]:
                used[one.ticket] = cosine, one
        return used

    # -- answering ---------------------------------------------------------------------------------

    # Complex: the graph, a model's query and texts stand in for each other, each with its reason.
    def _answer(
        self,
        question: str,
        parts: QuestionParts,
        found: _GatedTickets,
        k: int,
        run: _Runner,
        *,
        cypher: bool,
        by_text: bool,
    ) -> dict[str, object]:
        chooses = run.asks_model(FROM_TICKETS)  # which of the tickets answer, or that none does
        if reason := found.reason_to_abstain(chooses=chooses):
            return {"outcome": "abstains", "answer": "", "evidence": (), "fallback": None, "reason": reason}
        ran: RanCypher | None = None
        reasons: list[str] = []
        if by_text:
            passages = self._nearest_pieces(found.vector, k)
        else:
            subgraph = self._graph.read(parts, found)
            if cypher and subgraph.plan is not None:
                write = partial(run.run, WRITE_CYPHER) if run.asks_model(WRITE_CYPHER) else None
                best = found.tickets[found.ids[0]].ticket
                ran, rows = self._open_cypher().read(question, best, subgraph.plan, write)
                subgraph = subgraph if rows is None else self._graph.with_rows(subgraph, rows)
            passages = self._passages(parts, found, k, subgraph, chooses=chooses)
            reasons += subgraph.fallback
        item = FromTickets(question, tuple(passages), self.opened.workspace.spec.language)
        reply = run.run(FROM_TICKETS, item) if passages else None
        if passages and reply is None:
            reply = FROM_TICKETS.answer_offline(item)
            reasons.append("The model gave no answer; the sections are verbatim.")
        shown: dict[str, object] = {"fallback": " ".join(reasons) or None, "cypher": ran}
        if reply is None or not reply.parts:
            reason = "The tickets that were found do not say what was asked."
            return {"outcome": "abstains", "answer": "", "evidence": (), "reason": reason, **shown}
        text, evidence = write_answer(reply, passages, self.opened.index.template)
        return {"outcome": "answered", "answer": text, "evidence": tuple(evidence), **shown}

    def _open_cypher(self) -> CypherReader:
        if self._cypher is None:
            from autokb.cypher.reader import EngineReader  # engines, guard and projection, which few questions need

            opened, workspace = self.opened, self.opened.workspace
            graph = workspace.settings.graph
            self._cypher = EngineReader(opened.file, opened.index.template, workspace.folder, graph, os.environ)
            opened.held.callback(self._cypher.close)
        return self._cypher

    # Complex: sections, comments and texts are added in the order in which they answer.
    def _passages(
        self, parts: QuestionParts, found: _GatedTickets, k: int, subgraph: Subgraph, *, chooses: bool
    ) -> list[TicketPassage]:
        """Return what the sub-graph gives, what comments tell of how it ended, and the texts that were found."""
        language = self.opened.workspace.spec.language
        tickets, asked = subgraph.tickets, subgraph.asked
        passages = passages_of_rows(subgraph.rows, tickets, asked, self.opened.index.template, language)
        tells_end = not asked or not ENDINGS.isdisjoint(asked)
        ended = list(tickets.values()) if passages else [found.tickets[found.ids[0]]]
        for published in ended if tells_end and not parts.links else ():
            shown = {(p.ticket, p.start) for p in passages if p.section == comments_section(published)}
            comments = comment_passages(published, asked, "outcome", language)
            passages += [p for p in comments if (p.ticket, p.start) not in shown]
        # A model may choose among all tickets; verbatim texts of another one would pass for the best one's.
        for ticket in found.ids[: k if chooses else 1]:
            passages += text_passages(found.tickets[ticket], self._pieces_of(ticket, found.vector), language)
        unique: dict[str, TicketPassage] = {}
        for passage in passages:
            unique.setdefault(passage.text, passage)  # clones of a ticket say the same
        return list(unique.values())

    def _pieces_of(self, ticket: str, vector: Vectors) -> list[tuple[str, int, int]]:
        """Return the places of a ticket's pieces that are nearest to the question."""
        index = self.opened.index
        place = index.pieces_of(ticket)
        own, cosines = index.pieces[place], index.chunks.vectors.vectors[place] @ vector
        pieces = [own[int(n)] for n in np.argsort(-cosines, kind="stable")]
        # Code, logs and lists of devices are near to much and tell little by themselves.
        told = [p for p in pieces if p.section not in self._unread] or pieces
        return [(p.section, p.start, p.end) for p in told if p.section != self._titles][:PIECES_A_TICKET]

    def _nearest_pieces(self, vector: Vectors, k: int) -> list[TicketPassage]:
        """Return the nearest pieces of all tickets, as a search over chunks of text does."""
        index = self.opened.index
        best = best_first(index.chunks.vectors.scores(vector), k)
        pieces = [index.pieces[int(n)] for n in best]
        tickets = read_tickets(self.opened.file, [p.ticket for p in pieces])
        language = self.opened.workspace.spec.language
        found = (text_passages(tickets[p.ticket], [(p.section, p.start, p.end)], language) for p in pieces)
        return [passage for some in found for passage in some]

    @contextmanager
    def _runner(self, *, cypher: bool) -> Iterator[_Runner]:
        """Give what answers tasks: offline at once, by a model through the workspace's ledger and budget.

        A budget bounds what an embedder over the network costs too.
        """
        workspace = self.opened.workspace
        named = {
            task.name: model_of(workspace.settings, workspace.mode, task.name, STAGE)
            for task in (PARSE_QUERY, FROM_TICKETS, *((WRITE_CYPHER,) if cypher else ()))
        }
        is_paid = read_embedder_name(workspace.settings.embedder).is_paid
        if set(named.values()) == {OFFLINE}:
            if not is_paid or self.options.budget is None:
                yield _Runner(named, None)
                return
            workspace = without_models(workspace)
        with open_stages(workspace, self.opened.file, options=self.options) as stages:
            self._encoder = stages.encoder if is_paid else None
            try:
                yield _Runner(named, stages)
            finally:
                self._encoder = None


@dataclass(frozen=True)
class _Runner:
    """Answers one item of a task."""

    models: Mapping[str, str]
    stages: Stages | None

    def asks_model(self, task: Task[In, Out]) -> bool:
        """Return whether a model answers the task."""
        return self.models[task.name] != OFFLINE

    def run(self, task: Task[In, Out], item: In) -> Out | None:
        """Return the answer, None where the model's reply was wrong; nothing of an offline answer is kept."""
        if self.stages is None or not self.asks_model(task):
            return task.answer_offline(item)
        (reply,) = self.stages.run(STAGE, task, [item], ["the question"])
        return reply
