"""The ask box that a team puts into its own help centre: without a key, without a script, for questions alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from fastapi import APIRouter, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response

from autokb.answering.answer import Answer
from autokb.answering.clarify import Clarification
from autokb.app import SupportKB
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.in_use import AskedBy
from autokb.core.nouns import Solution
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC
from autokb.core.settings import OFFLINE_MODEL
from autokb.core.solution_text import heading_of
from autokb.core.storable import without_surrogates
from autokb.views.reader_labels import Labels
from autokb.web.access import EMBED
from autokb.web.middleware import compute, in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render, said_in_box
from autokb.web.problems import NO_PATH, ProblemError, refusal_of
from autokb.web.rate_limit import LEAST_BURST
from autokb.web.routes import READER
from autokb.web.serving import Door, Serving, kb_of, path_of

SHOWN = 3  # solutions, the best of them in full
CHARACTERS = 2_000  # of a question; who has more to tell writes to the team
IPV6_NETWORK = 64  # bits that one customer of a provider has for itself
NOTHING_ASKED = "Write your question first."
TOO_MANY = "Too many questions came from your network. Ask again in {seconds}."
ASK = "/ask"  # for who has a key
NEITHER = "NONE"  # the value of who has something else; what holds for everybody answers
pages = APIRouter(include_in_schema=False)
_KNOWN = TypeAdapter(dict[str, list[str]])


@pages.get(EMBED)
async def box(request: Request) -> Response:
    """Show the box."""
    _check_embedded(request)
    return _show(request)


@pages.post(EMBED)
async def answer(
    request: Request, text: Text = "", known: Text = "{}", attribute: Text = "", value: Text = ""
) -> Response:
    """Answer a question, or one that was answered by a question back: ``attribute`` is ``value`` then."""
    kb = _check_embedded(request)
    question = without_surrogates(text.strip())[:CHARACTERS]
    if not question:
        return _show(request, notice=NOTHING_ASKED, status=422)
    if wait := _take(request, kb):
        seconds = math.ceil(wait)
        said = TOO_MANY.format(seconds=f"{seconds} second{'s' if seconds > 1 else ''}")
        refused = _show(request, question, notice=said, status=429)
        refused.headers["Retry-After"] = str(seconds)
        return refused
    # No model: who needs no key could spend the day's budget of all others.
    return await _answer(request, kb, question, known, "box", attribute=attribute, value=value, model=OFFLINE_MODEL)


@pages.get(ASK, dependencies=[READER])
async def ask_page(request: Request) -> Response:
    """Show readers and above the same box as a page of their own."""
    return _show(request)


@pages.post(ASK, dependencies=[READER])
async def ask(
    request: Request, text: Text = "", known: Text = "{}", attribute: Text = "", value: Text = ""
) -> Response:
    """Answer a question as ``/v1/ask`` does."""
    question = without_surrogates(text.strip())[:CHARACTERS]
    if not question:
        return _show(request, notice=NOTHING_ASKED, status=422)
    return await _answer(request, kb_of(request), question, known, "ask", attribute=attribute, value=value)


async def _answer(
    request: Request,
    kb: SupportKB,
    question: str,
    known: str,
    asked_by: AskedBy,
    *,
    attribute: str,
    value: str,
    model: str = "",
) -> Response:
    try:
        values = _KNOWN.validate_json(without_surrogates(known)) | ({attribute: [value]} if attribute else {})
        found: Answer = await compute(request, lambda: kb.ask(question, values, model=model, asked_by=asked_by))
        sources, labels = await in_thread(lambda: (_sources(kb, found), kb.views.labels()))
    except (ValidationError, BadInputError) as error:
        status = refusal_of(error, kb.workspace.folder).status if isinstance(error, BadInputError) else 422
        return _show(request, question, notice=said_in_box(status), status=status)
    return _show(request, question, found=found, sources=sources, labels=labels, known=values)


def _check_embedded(request: Request) -> SupportKB:
    """Return what answers (ProblemError 404 where nobody said that it may be shown elsewhere, or it is none)."""
    serving: Serving = request.scope["state"]["serving"]
    if serving.opened is None or not serving.opened.kb.workspace.settings.embed.origins:
        raise ProblemError(404, NO_PATH)
    return kb_of(request)


def _take(request: Request, kb: SupportKB) -> float:
    """Count a question of an address; returns the seconds to wait, 0 where it may be answered now."""
    door: Door = request.scope["state"]["door"]
    settings, limit = kb.workspace.settings.embed, door.of_addresses
    limit.a_minute, limit.least_burst = settings.a_minute, min(LEAST_BURST, settings.a_minute)
    return limit.take(_address(request, settings.proxies))


def _address(request: Request, proxies: int) -> str:
    """Return where a request comes from, as the last proxy that is trusted says, else as the connection does."""
    said = [one.strip() for line in request.headers.getlist("x-forwarded-for") for one in line.split(",")]
    address = request.client.host if request.client else ""
    if proxies and len(said) >= proxies:
        address = said[-proxies]
    with suppress(ValueError):
        found = ip_address(address)
        return str(ip_network((found, IPV6_NETWORK), strict=False) if isinstance(found, IPv6Address) else found)
    return ""  # a proxy that says no address has one bucket


def _sources(kb: SupportKB, found: Answer) -> dict[str, tuple[str, str]]:
    """Return titles and addresses of the documents that are named, by their ids."""
    cited = [evidence.document for solution in _best(found) for evidence in solution.evidence]
    named: dict[str, tuple[str, str]] = {}
    for document in dict.fromkeys([*cited, *(hit.id for hit in found.documents)]):
        with suppress(UnknownIdError):  # a build since then dropped it
            page = kb.views.view_document(document)
            is_link = page.url.startswith(("https://", "http://"))
            named[document] = (page.title or document, page.url if is_link else "")
    return named


def _best(found: Answer) -> Sequence[Solution]:
    return [one for one in found.shown if one.id not in found.far][:SHOWN]


def _why(found: Answer | None) -> str:
    """Say why there is no answer, as a customer reads it."""
    if found is not None and (found.withheld or found.reason == OFF_TOPIC):
        return found.for_customers().reason or OFF_TOPIC
    return LEFT_OPEN


def _choices(asked: Clarification, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what a question back may be answered with, each value with the words that the question has for it."""
    values = [(value, labels.get(value, value)) for value in asked.values if value != NEITHER]
    return [*values, (NEITHER, "None" if NEITHER in asked.values else "Something else")]


def _show(
    request: Request,
    text: str = "",
    *,
    found: Answer | None = None,
    sources: Mapping[str, tuple[str, str]] | None = None,
    labels: Labels | None = None,
    known: Mapping[str, Any] | None = None,
    notice: str = "",
    status: int = 200,
) -> Response:
    best, labels = [] if found is None else _best(found), labels or {}
    asked = None if found is None else found.question
    action = path_of(request.scope)
    return render(
        request,
        "ask.html" if action == ASK else "embed.html",
        status,
        action=action,
        text=text,
        characters=CHARACTERS,
        found=found,
        why=_why(found),
        shown=[(heading_of(one.text, one.steps), one) for one in best],
        choices=[] if asked is None else _choices(asked, labels.get(asked.attribute, {})),
        sources=sources or {},
        labels=labels,
        known=json.dumps(known or {}),
        notice=notice,
    )
