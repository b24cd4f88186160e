"""The way of a message: stored before it is acknowledged, worked on by one at a time, noted once, compared in the end.

Decision 64 says why a note stands once although a process may be killed at any moment.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import random
from threading import Lock, local
from typing import Any, Literal, Protocol
from uuid import uuid4

from autokb.answering.suggest import Suggested
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.helpdesk_settings import CUSTOMER as TO_CUSTOMER
from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.in_use import FeedbackVerdict, SuggestionSource
from autokb.core.nouns import AGENT, CUSTOMER, Message
from autokb.core.storable import without_half_escapes, without_surrogates
from autokb.helpdesks.helpdesk import ReceivedMessage, id_of, part_of
from autokb.helpdesks.kinds import helpdesk_of
from autokb.helpdesks.refused import (
    NO_JSON,
    NOT_NAMED,
    NOT_OURS,
    NOT_SET,
    OF_SIGNATURES,
    OTHER_SECRET,
    NotSignedError,
    RefusedWebhookError,
)
from autokb.helpdesks.sending import DeskClient, LaterError, RefusedError
from autokb.plugins.helpdesks.counted import RefusedWebhooks
from autokb.plugins.helpdesks.notes import mark_in, new_mark, note_of, offered_of, reply_of
from autokb.plugins.helpdesks.settings import HELPDESKS
from autokb.stores.hook_messages import (
    ACCEPTED,
    DONE,
    FAILED,
    OPEN,
    HookMessage,
    HookWork,
    OfferedText,
    claim_message,
    conversation_messages,
    count_states,
    forget_messages,
    keep_message,
    next_due,
    note_judged,
    update_message,
)
from autokb.stores.workspace import Workspace
from autokb.usage.sent_replies import documents_of, is_as_offered, verdict_of

KEPT_SECONDS = 30 * 86_400.0  # that a message is remembered: a month, many times as long as any helpdesk sends again
OLDEST_SECONDS = KEPT_SECONDS - 86_400.0  # what was said longer ago is not worked on: it may have been forgotten
LEASE = 180.0  # seconds for one try: two requests of 20 and a model's answer, and as much again
GIVE_UP = 86_400.0  # seconds after which what still fails is given up: a day
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 3_600.0  # seconds before a second try, twice as long before each further one
REPLY_WAITS = 120.0  # seconds that an agent's reply waits for a message that it overtook
REPLY_LOOKS = 2.0  # seconds between two looks for it
CUSTOMER_WITHIN = 600.0  # seconds after its message in which a reply may go to the customer; later an agent looks first
TEXT_CHARACTERS = 20_000  # of a message that are kept; a question has some hundred
NEWEST = 60  # messages of a conversation that are read
FORGET_EVERY = 3_600.0  # seconds between two cleanings up
Became = Literal["noted", "replied", "silent", "compared", "skipped", "failed", "postponed", "waits"]


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What became of one message; ``why`` is a sentence without a word of a customer. ``wait`` is for the next one."""

    helpdesk: str = ""
    became: Became | None = None
    why: str = ""
    wait: float | None = None  # seconds; None where nothing is to be done


class Suggests(Protocol):
    """``SupportKB.suggest``."""

    def __call__(self, messages: list[Message], *, conversation: str) -> Suggested:
        """Return the suggestions for a conversation."""
        ...


class GivesFeedback(Protocol):
    """``SupportKB.usage.give_feedback``."""

    def __call__(
        self,
        query: str,
        verdict: FeedbackVerdict,
        solution_id: str | None,
        text: str,
        *,
        documents: Sequence[str],
        source: SuggestionSource,
        conversation: str,
        author: str,
    ) -> object:
        """Store what became of a suggestion."""
        ...


class HelpdeskDesk:
    """The helpdesks of one workspace (thread-safe)."""

    def __init__(self, workspace: Callable[[], Workspace], suggest: Suggests, give_feedback: GivesFeedback) -> None:
        self._workspace, self._suggest, self._give_feedback = workspace, suggest, give_feedback
        self._refused = RefusedWebhooks(workspace)
        self._clients = local()
        self._forgot_at = 0.0
        self._cleaning = Lock()

    @property
    def settings(self) -> Mapping[str, HelpdeskSettings]:
        """The helpdesks that the settings name."""
        return self._workspace().settings.helpdesks

    # -- what comes in -----------------------------------------------------------------------------

    def take(self, helpdesk: str, headers: Mapping[str, str], token: str, body: bytes) -> str:
        """Store the message of a webhook; returns taken, known, skipped or not_ours (NotSignedError).

        ``headers`` have names in lower case. It is on the disk when this returns. What was refused and accepted is
        counted, which ``work`` stores.
        """
        try:
            done = self._take(helpdesk, headers, token, body)
        except RefusedWebhookError as error:
            if helpdesk in HELPDESKS or helpdesk in self.settings:
                self._refused.count(helpdesk, error.why)
            raise
        except LaterError as error:  # a plug-in's helpdesk fails
            self._refused.count(helpdesk, str(error))
            raise NotSignedError(str(error)) from None
        self._refused.count(helpdesk, NOT_OURS if done == "not_ours" else ACCEPTED)
        return done

    # Complex: each way to refuse a webhook has a reason of its own, and they are told in this order.
    def _take(self, helpdesk: str, headers: Mapping[str, str], token: str, body: bytes) -> str:
        settings, now = self.settings.get(helpdesk), time.time()
        if settings is None:
            raise NotSignedError(NOT_NAMED)
        secret = os.environ.get(settings.secret_env, "").strip()
        if not secret:
            raise NotSignedError(f"{settings.variable('secret_env')} {NOT_SET}")
        desk = helpdesk_of(helpdesk)
        if why := desk.why_unsigned(headers, token, body, secret, now):
            raise NotSignedError(why if why in OF_SIGNATURES else OTHER_SECRET)
        try:
            given = json.loads(without_half_escapes(body))
        except (ValueError, RecursionError):
            raise RefusedWebhookError("The body is not valid JSON.", NO_JSON) from None
        account, message = id_of(part_of(given, *desk.account_at)), desk.read(given)
        if account != settings.account and settings.account and (account or message):
            return "not_ours"  # also where nobody can tell whose message it is
        if message is None or _is_passed_over(message, now):
            return "skipped"
        text = without_surrogates(message.text).replace("\0", "\ufffd")[:TEXT_CHARACTERS]
        kept = HookMessage(
            helpdesk=helpdesk,
            id=message.id,
            conversation=message.conversation,
            role=message.role,
            said=message.said,
            work=HookWork(text, message.author, arrived=now),
            state=OPEN if text.strip() else DONE,
            due=now,
        )
        with self._workspace().file() as file, file.transaction():
            is_new = keep_message(file, kept)
        return "taken" if is_new else "known"

    # -- what is done with it ------------------------------------------------------------------------

    def work(self) -> WorkDone:
        """Do what is due for one message; call it again after ``wait`` seconds, or where a message was taken."""
        now = time.time()
        self._forget(now)
        rest = self._refused.keep(now)
        with self._workspace().file() as file:
            due = next_due(file)
            if due is None or due > now:
                return WorkDone(wait=_shorter(rest, None if due is None else due - now))
            with file.transaction():
                message = claim_message(file, now, now + LEASE, uuid4().hex)
        if message is None:  # another was faster
            return WorkDone(wait=0.0)
        try:
            return self._note(message) if message.role == CUSTOMER else self._compare(message)
        except LaterError as error:
            unsure = replace(message.work, is_unsure=message.work.is_unsure or error.is_unsure)
            return self._postpone(replace(message, work=unsure), str(error), error.seconds)
        except RefusedError as error:
            return self._end(message, FAILED, "failed", str(error))
        except AutokbError as error:  # nothing is published yet, or the store is busy
            return self._postpone(message, type(error).__name__)
        except Exception:
            self._postpone(message, "a fault of ours")
            raise

    def waiting(self) -> dict[str, int]:
        """Return how many messages are open, done and failed."""
        with self._workspace().file() as file:
            return count_states(file)

    def close(self) -> None:
        """Close the connections of this thread."""
        if (client := getattr(self._clients, "client", None)) is not None:
            del self._clients.client
            client.close()

    def _client(self) -> DeskClient:
        if getattr(self._clients, "client", None) is None:
            self._clients.client = DeskClient()
        client: DeskClient = self._clients.client
        return client

    # Complex: what an earlier try may have done, what is found and how sure it is lead to one request.
    def _note(self, message: HookMessage) -> WorkDone:
        settings, token = self._reached(message)
        desk, work = helpdesk_of(message.helpdesk), message.work
        if work.is_unsure and (since := self._standing_since(message, settings, token)) is not None:
            work = replace(work, sent_at=since, is_unsure=False)
            return self._end(replace(message, work=work), DONE, "replied" if work.to_customer else "noted")
        if not work.sending or work.to_customer:  # what allowed a reply to the customer may have changed since
            found = self._suggest(self._said_until(message), conversation=conversation_of(message))
            if not found.suggestions:
                return self._end(message, DONE, "silent", found.reason or "")
            reply = self._for_customer(message, settings, token, found)
            work = replace(
                work,
                sending=reply or note_of(found, new_mark(), self._links(found)),
                to_customer=bool(reply),
                question=found.question,
                offered=offered_of(found),
            )
        request = desk.write(settings, token, message.conversation, work.sending, to_customer=work.to_customer)
        message = replace(message, work=replace(work, is_unsure=True), due=time.time() + LEASE)
        if not self._update(message):
            return WorkDone(message.helpdesk, "postponed", "another took it over", 0.0)
        try:
            _, at = self._client().send(settings, request)
        except LaterError as error:
            work = replace(message.work, is_unsure=error.is_unsure)
            return self._postpone(replace(message, work=work), str(error), error.seconds)
        except RefusedError as error:
            return self._end(message, FAILED, "failed", str(error))
        done = replace(message, work=replace(message.work, sent_at=at, is_unsure=False))
        return self._end(done, DONE, "replied" if work.to_customer else "noted")

    def _reached(self, message: HookMessage) -> tuple[HelpdeskSettings, str]:
        """Return how a message's helpdesk is reached (LaterError where nothing says it)."""
        settings = self.settings.get(message.helpdesk)
        if settings is None:
            raise LaterError(f"The settings name no {message.helpdesk}.", is_unsure=False)
        if not (token := os.environ.get(settings.token_env, "").strip()):
            raise LaterError(f"{settings.variable('token_env')} is not in the environment.", is_unsure=False)
        if not (token.isascii() and token.isprintable()):  # no header can hold it
            raise LaterError(f"{settings.token_env} holds characters that no token has.", is_unsure=False)
        return settings, token

    def _standing_since(self, message: HookMessage, settings: HelpdeskSettings, token: str) -> float | None:
        """Return since when the note on a message stands in its conversation; None where it does not."""
        desk, work = helpdesk_of(message.helpdesk), message.work
        request = desk.look(settings, token, message.conversation, message.id)
        answer, now = self._client().send(settings, request)
        for one in desk.standing(answer):
            if not work.to_customer and mark_in(work.sending) in one.text:
                return one.since or now
            if work.to_customer and one.since >= int(message.said) and is_as_offered(one.text, work.sending):
                return one.since
        return None

    def _conversation(self, message: HookMessage) -> list[HookMessage]:
        with self._workspace().file() as file:
            found = conversation_messages(file, message.helpdesk, message.conversation, NEWEST)
        return sorted(found, key=_place)

    def _said_until(self, message: HookMessage) -> list[Message]:
        """Return what was said in a conversation before a message, and the message, by their own moments."""
        said = []
        for one in self._conversation(message):
            if _place(one) < _place(message):
                said.append(Message(one.role, one.work.text))
                if one.work.to_customer and one.work.sent_at:
                    said.append(Message(AGENT, one.work.sending))
        return [*said, Message(CUSTOMER, message.work.text)]

    def _links(self, found: Suggested) -> dict[str, str]:
        """Return the addresses on the web of what is cited, by the ids of the documents."""
        cited = [document for one in found.suggestions for document in documents_of(one)]
        with self._workspace().file() as file:
            known = file.fields("document", "url", ids=cited)
        return {document: url for document, (url,) in known.items() if url.startswith(("https://", "http://"))}

    def _for_customer(self, message: HookMessage, settings: HelpdeskSettings, token: str, found: Suggested) -> str:
        """Return the reply to the customer, where the settings want one and nothing speaks against it; else nothing."""
        if settings.reply != TO_CUSTOMER or time.time() - message.said > CUSTOMER_WITHIN:
            return ""
        conversation = self._conversation(message)
        if any(_place(one) > _place(message) for one in conversation):
            return ""  # somebody has gone on
        reply = reply_of(found, settings.customer_from)
        if not reply or settings.reply_after_agent:
            return reply
        return "" if self._is_led(message, settings, token, conversation) else reply

    def _is_led(
        self, message: HookMessage, settings: HelpdeskSettings, token: str, conversation: Sequence[HookMessage]
    ) -> bool:
        """Return whether an agent has written in a conversation or is assigned to it (LaterError)."""
        asked = [one for one in conversation if one.role == CUSTOMER]
        written = [one for one in conversation if one.role == AGENT]
        if any(not any(_is_echo(one, by_agent) for one in asked) for by_agent in written):
            return True
        desk = helpdesk_of(message.helpdesk)
        try:
            record, _ = self._client().send(settings, desk.look_up(settings, token, message.conversation))
        except LaterError as error:
            raise LaterError(str(error), is_unsure=False, seconds=error.seconds) from None  # nothing was written
        except RefusedError:
            return True  # the helpdesk does not say who leads it
        return desk.is_led(settings, record)

    # -- what the agent makes of it --------------------------------------------------------------------

    # Complex: what a reply is to be compared with, and when, is decided by the same look at its conversation.
    def _compare(self, reply: HookMessage) -> WorkDone:
        """Compare an agent's reply with what stood there when it was written."""
        said = [one for one in self._conversation(reply) if one.role == CUSTOMER]
        if own := next((one for one in said if _is_echo(one, reply)), None):
            return self._compared(reply, own, "skipped")
        last = next((one for one in reversed(said) if _stood_before(one, reply)), None)
        may_come = last is None and time.time() - reply.work.arrived < REPLY_WAITS  # it may have overtaken its message
        if may_come or any(_is_under_way(one, reply) for one in said):
            return self._wait(reply)
        if last is None or last.work.judged_by not in ("", reply.id):  # nothing stood there, or a reply was faster
            return self._end(reply, DONE, "skipped")
        texts = [(one.text, one.whole) for one in last.work.offered]
        place, verdict = verdict_of(reply.work.text, texts, self._workspace().spec.language)
        self._give(last, last.work.offered[place], verdict, reply)
        return self._compared(reply, last, "compared")

    def _give(self, message: HookMessage, one: OfferedText, verdict: FeedbackVerdict, reply: HookMessage) -> None:
        def give(solution_id: str | None) -> None:
            self._give_feedback(
                message.work.question or message.work.text,
                verdict,
                solution_id,
                reply.work.text,
                documents=() if solution_id else one.documents,
                source=one.source,
                conversation=conversation_of(message),
                author=f"{reply.helpdesk}:{reply.work.author}" if reply.work.author else "",
            )

        try:
            give(one.solution_id)
        except BadInputError:
            if one.solution_id is None:
                raise
            give(None)  # a build since then has dropped the solution; its documents are known

    def _compared(self, reply: HookMessage, message: HookMessage, became: Became) -> WorkDone:
        with self._workspace().file() as file, file.transaction():
            note_judged(file, message.number, reply.id)
            update_message(file, replace(reply, state=DONE, due=time.time()))
        return WorkDone(reply.helpdesk, became, wait=0.0)

    def _wait(self, reply: HookMessage) -> WorkDone:
        """Look again soon: the note is under way, or the message has not come yet."""
        if time.time() - reply.work.arrived > GIVE_UP:
            return self._end(reply, DONE, "skipped")
        self._update(replace(reply, due=time.time() + REPLY_LOOKS))
        return WorkDone(reply.helpdesk, "waits", wait=0.0)

    # -- how it ends --------------------------------------------------------------------------------------

    def _end(self, message: HookMessage, state: Any, became: Became, why: str = "") -> WorkDone:
        work = replace(message.work, note=why if state == FAILED else "")
        self._update(replace(message, state=state, due=time.time(), work=work))
        return WorkDone(message.helpdesk, became, why if state == FAILED else "", 0.0)

    def _postpone(self, message: HookMessage, why: str, seconds: float | None = None) -> WorkDone:
        """Try a message again later; after a day it is given up."""
        now, work = time.time(), message.work
        if now - work.arrived > GIVE_UP:
            return self._end(message, FAILED, "failed", f"Given up after a day: {why}")
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(work.tries - 1, 20)) * (0.5 + random())
        wait = pause if seconds is None else min(seconds, GIVE_UP)
        self._update(replace(message, due=now + wait, work=replace(work, note=why)))
        return WorkDone(message.helpdesk, "postponed", why, 0.0)

    def _update(self, message: HookMessage) -> bool:
        with self._workspace().file() as file, file.transaction():
            return update_message(file, message)

    def _forget(self, now: float) -> None:
        """Forget what was done with a month ago, once an hour."""
        with self._cleaning:
            if now - self._forgot_at < FORGET_EVERY:
                return
            self._forgot_at = now
        with self._workspace().file() as file, file.transaction():
            forget_messages(file, now - KEPT_SECONDS)


def _shorter(one: float | None, other: float | None) -> float | None:
    return min((seconds for seconds in (one, other) if seconds is not None), default=None)


def conversation_of(message: HookMessage) -> str:
    """Return the id of a message's conversation, as feedback and outcomes know it."""
    return f"{message.helpdesk}:{message.conversation}"


def _place(message: HookMessage) -> tuple[float, int, str]:
    """Return what orders the messages of a conversation: their own moment, then their own id."""
    return message.said, len(message.id), message.id


def _is_passed_over(message: ReceivedMessage, now: float) -> bool:
    """Return whether a message is too old, or a customer's without a word; an agent's shows that an agent leads."""
    return message.said < now - OLDEST_SECONDS or (message.role == CUSTOMER and not message.text.strip())


def _is_under_way(message: HookMessage, reply: HookMessage) -> bool:
    """Return whether the note on a message that was said before a reply may come to stand yet."""
    return message.state == OPEN and message.said <= reply.said


def _stood_before(message: HookMessage, reply: HookMessage) -> bool:
    """Return whether a message's note stood when a reply was written."""
    work = message.work
    return message.said <= reply.said and 0 < work.sent_at <= reply.said and not work.to_customer


def _is_echo(message: HookMessage, reply: HookMessage) -> bool:
    """Return whether a reply is what was sent to the customer for a message, coming back by the agent's name."""
    work = message.work
    is_free = work.judged_by in ("", reply.id)
    return work.to_customer and is_free and is_as_offered(reply.work.text, work.sending)
