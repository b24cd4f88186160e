"""The agent's page: a conversation on the left, what could be sent on the right."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from fastapi import APIRouter, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response

from autokb.answering.suggest import Suggestion
from autokb.core.attributes import as_lists
from autokb.core.errors import BadInputError
from autokb.core.in_use import FeedbackVerdict
from autokb.core.nouns import AGENT, CUSTOMER, Message
from autokb.core.roles import may
from autokb.core.storable import without_surrogates
from autokb.usage.sent_replies import is_as_offered, whole_of
from autokb.web.access import Caller, check_role
from autokb.web.middleware import compute, in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render
from autokb.web.problems import ProblemError
from autokb.web.routes import Editor, needs
from autokb.web.serving import kb_of, see_other

AGENTS = needs("agent")
UNREADABLE = "This page's own record of the conversation cannot be read; start a new conversation."
NOTHING_SENT = "Write a reply, or choose a suggestion, before you send."
NOTHING_SAID = "Write what the customer said first."
CONVERSATION_BYTES = 8  # random ones of the id of a conversation that is begun here
pages = APIRouter(include_in_schema=False, prefix="")


@dataclass(frozen=True, slots=True)
class KeptSuggestion:
    """A suggestion as the page keeps it until something is sent."""

    text: str
    source: str
    solution_id: str | None
    documents: tuple[str, ...]
    whole: str = ""  # all steps of the solution that the text is a part of
    start: int | None = None  # where the first document begins to say it


@dataclass(frozen=True, slots=True)
class ConversationState:
    """What the page knows of a conversation; it goes to the browser and comes back with every form.

    ``question`` is what was searched for, ``offered`` what was found for it and is not yet answered, ``understood``
    what was read of the attributes.
    """

    conversation: str
    messages: tuple[Message, ...] = ()
    question: str = ""
    offered: tuple[KeptSuggestion, ...] = field(default=())
    understood: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def as_text(self) -> str:
        """The hidden field of the forms."""
        return json.dumps(asdict(self), ensure_ascii=False)


_STATE = TypeAdapter(ConversationState)


@pages.get("/")
async def start(request: Request) -> Response:
    """Begin a conversation; who may only read goes to what there is to read."""
    caller: Caller | None = request.scope["state"]["caller"]
    if caller is not None and not may(caller.role, "agent"):
        return see_other("/knowledge")
    check_role(caller, "agent")
    return _show(request, ConversationState(secrets.token_hex(CONVERSATION_BYTES)))


@pages.post("/conversation/say", dependencies=[AGENTS])
async def say(request: Request, state: Text = "", text: Text = "", reply: Text = "") -> Response:
    """Take what the customer wrote, and suggest replies; one that is half written stays."""
    found = _read(state)
    if not text.strip():
        return _show(request, found, notice=NOTHING_SAID, reply=reply)
    return await _suggest(request, _with(found, Message(CUSTOMER, text.strip())), reply)


@pages.post("/conversation/choose", dependencies=[AGENTS])
async def choose(request: Request, state: Text, question: Text, value: Text, reply: Text = "") -> Response:
    """Take the answer to a question back that the agent knows, or was told."""
    found = _read(state)
    last = found.messages[-1] if found.messages else None
    asked = () if last and last.role == AGENT and last.text == question else (Message(AGENT, question),)
    kept = "" if reply.strip() == question else reply  # the question itself is asked by now
    return await _suggest(request, _with(found, *asked, Message(CUSTOMER, value)), kept)


@pages.post("/conversation/send", dependencies=[AGENTS])
async def send(request: Request, state: Text, reply: Text = "", chosen: Text = "", group: Text = "") -> Response:
    """Note what was sent, and what that makes of the suggestions."""
    found, caller = _read(state), request.scope["state"]["caller"]
    if not reply.strip():
        return _show(request, found, notice=NOTHING_SENT)
    place = _place(chosen, found)
    if found.offered:
        one = found.offered[place or 0]
        is_used = is_as_offered(reply, one.text, one.whole)
        verdict = "rejected" if place is None else "used" if is_used else "edited"
        await _note(request, found, one, cast(FeedbackVerdict, verdict), caller, group, sent=reply.strip())
    sent = replace(_with(found, Message(AGENT, reply.strip())), offered=(), question="")
    return _show(
        request, sent, notice="Copied, and noted what became of the suggestion." if found.offered else "Copied."
    )


@pages.post("/conversation/judge", dependencies=[AGENTS])
async def judge(request: Request, state: Text, place: Text, verdict: Text, group: Text = "") -> Response:
    """Note a thumb up or down for one suggestion."""
    found, caller = _read(state), request.scope["state"]["caller"]
    if verdict not in ("helpful", "unhelpful") or (judged := _place(place, found)) is None:
        raise ProblemError(422, UNREADABLE)
    one = found.offered[judged]
    await _note(request, found, one, cast(FeedbackVerdict, verdict), caller, group)
    may_check = verdict == "helpful" and bool(one.start is not None or one.solution_id)
    return render(request, "conversation_judged.html", verdict=verdict, place=judged, may_check=may_check)


@pages.post("/conversation/check")
async def check(request: Request, caller: Editor, state: Text, place: Text) -> Response:
    """Keep that a suggestion is right for what was asked, as a question that must stay right."""
    found = _read(state)
    if (chosen := _place(place, found)) is None:
        raise ProblemError(422, UNREADABLE)
    kb = kb_of(request)
    one = found.offered[chosen]
    where = {"document": one.documents[0], "start": one.start} if one.start is not None and one.documents else {}
    what: Any = where or {"solution": one.solution_id or ""}
    await in_thread(lambda: kb.checks.keep(found.question, **what, attributes=found.understood, author=caller.key))
    return render(request, "conversation_checked.html")


def _place(said: str, found: ConversationState) -> int | None:
    """Return which of the suggestions a form names; None where it names none, whatever it says."""
    return next((place for place in range(len(found.offered)) if said == str(place)), None)


async def _suggest(request: Request, state: ConversationState, reply: str) -> Response:
    kb = kb_of(request)

    def work() -> tuple[Any, tuple[str, str] | None]:
        found = kb.suggest(state.messages, conversation=state.conversation)
        return found, kb.differing_languages(found)

    found, languages = await compute(request, work)
    offered = tuple(_kept(s) for s in found.suggestions)
    understood = {name: tuple(values) for name, values in as_lists(found.attributes).items() if values != ["Any"]}
    now = replace(state, question=found.question, offered=offered, understood=understood)
    return _show(request, now, found=found, reply=reply, languages=languages)


def _kept(one: Suggestion) -> KeptSuggestion:
    evidence = one.as_json()["evidence"]
    start = next((place["start"] for place in evidence[:1] if "document" in place), None)
    return KeptSuggestion(one.text, one.source, one.solution_id, _documents(evidence), whole_of(one), start)


async def _note(
    request: Request,
    state: ConversationState,
    one: KeptSuggestion,
    verdict: FeedbackVerdict,
    caller: Caller | None,
    group: str,
    sent: str = "",
) -> None:
    kb = kb_of(request)
    source: Any = one.source

    def give(solution_id: str | None) -> None:
        kb.usage.give_feedback(
            state.question or state.messages[-1].text,
            verdict,
            solution_id,
            sent,
            documents=() if solution_id else one.documents,
            source=source,
            conversation=state.conversation,
            author=caller.key if caller else "",
            group=group.strip(),
        )

    try:
        await in_thread(lambda: give(one.solution_id))
    except BadInputError:
        if one.solution_id is None:
            raise
        await in_thread(lambda: give(None))  # a build since then has dropped the solution; its documents are known


def _show(
    request: Request,
    state: ConversationState,
    *,
    found: Any = None,
    notice: str = "",
    reply: str = "",
    languages: tuple[str, str] | None = None,
) -> Response:
    shown = [] if found is None else [one.as_json() for one in found.suggestions]
    return render(
        request,
        "conversation.html#conversation",
        state=state,
        found=found,
        shown=shown,
        documents=[_documents(one["evidence"]) for one in shown],
        narrower=[] if found is None else [found.is_narrower(one) for one in found.suggestions],
        understood={} if found is None else as_lists(found.attributes),
        languages=languages,
        notice=notice,
        reply=reply,
    )


def _read(text: str) -> ConversationState:
    try:
        return _STATE.validate_json(without_surrogates(text))
    except ValidationError as error:
        raise ProblemError(422, UNREADABLE) from error


def _with(state: ConversationState, *messages: Message) -> ConversationState:
    added = (replace(one, text=without_surrogates(one.text)) for one in messages)
    return replace(state, messages=(*state.messages, *added))


def _documents(evidence: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one["document"] if "document" in one else one["ticket"] for one in evidence))
