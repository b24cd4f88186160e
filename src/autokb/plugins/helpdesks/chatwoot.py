"""Chatwoot: ``message_created`` of a webhook or an agent bot comes in, a private note goes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.nouns import AGENT, CUSTOMER, Role
from autokb.helpdesks.helpdesk import (
    DeskRequest,
    ReceivedMessage,
    StandingText,
    hmac_of,
    id_of,
    is_same,
    moment_of,
    part_of,
    text_of,
    why_late,
    why_wrong,
)
from autokb.helpdesks.refused import NO_TOKEN
from autokb.text.inert_markdown import masked, unmasked

ROLES: Mapping[str, Role] = {"incoming": CUSTOMER, "outgoing": AGENT}
BOT = "AgentBot"  # the ``assignee_type`` of a conversation that a bot has


class Chatwoot:
    """Of the version 4 of Chatwoot; those before it sign nothing, so their address has the secret as ``token``."""

    account_at: tuple[str, ...] = ("account", "id")

    def why_unsigned(self, headers: Mapping[str, str], token: str, body: bytes, secret: str, now: float) -> str:
        """Check ``sha256=`` and the HMAC of the moment, a dot and the body; else the token of the address."""
        if (shown := headers.get("x-chatwoot-signature")) is None:
            return "" if is_same(token, secret) else NO_TOKEN
        stamp = headers.get("x-chatwoot-timestamp", "")
        wanted = hmac_of(secret, stamp.encode() + b"." + body).hex()
        return why_wrong(shown, f"sha256={wanted}") or why_late(moment_of(stamp), now)

    def read(self, body: Any) -> ReceivedMessage | None:
        """Return a message that is neither private nor a bot's."""
        role = ROLES.get(text_of(part_of(body, "message_type")))
        if part_of(body, "event") != "message_created" or role is None or part_of(body, "private") is True:
            return None
        if role == AGENT and part_of(body, "sender", "type") not in ("user", None):  # else the reply of a bot
            return None
        said = moment_of(part_of(body, "created_at"))
        ident, conversation = id_of(part_of(body, "id")), id_of(part_of(body, "conversation", "id"))
        if not ident or not conversation or said is None:
            return None
        author = id_of(part_of(body, "sender", "id")) if role == AGENT else ""
        return ReceivedMessage(ident, conversation, role, text_of(part_of(body, "content")), said, author)

    def write(
        self, settings: HelpdeskSettings, token: str, conversation: str, text: str, *, to_customer: bool
    ) -> DeskRequest:
        """Return the request that makes a message, private unless it is for the customer."""
        message = {"content": masked(text), "message_type": "outgoing", "private": not to_customer}
        return DeskRequest("POST", _messages(settings, conversation), _headers(token), message)

    def look(self, settings: HelpdeskSettings, token: str, conversation: str, after: str) -> DeskRequest:
        """Return the request for the hundred messages behind one."""
        return DeskRequest("GET", f"{_messages(settings, conversation)}?after={after}", _headers(token))

    def standing(self, answer: Any) -> Iterator[StandingText]:
        """Give the messages that went out."""
        found = part_of(answer, "payload")
        for one in found if isinstance(found, list) else ():
            if part_of(one, "message_type") in (1, "outgoing"):
                yield StandingText(
                    unmasked(text_of(part_of(one, "content"))), moment_of(part_of(one, "created_at")) or 0
                )

    def look_up(self, settings: HelpdeskSettings, token: str, conversation: str) -> DeskRequest:
        """Return the request for a conversation."""
        return DeskRequest("GET", _messages(settings, conversation).removesuffix("/messages"), _headers(token))

    def is_led(self, settings: HelpdeskSettings, answer: Any) -> bool:
        """Return whether an agent, not a bot, is assigned."""
        meta = part_of(answer, "meta")
        return not isinstance(meta, Mapping) or (bool(meta.get("assignee")) and meta.get("assignee_type") != BOT)


def _messages(settings: HelpdeskSettings, conversation: str) -> str:
    return f"/api/v1/accounts/{settings.account}/conversations/{conversation}/messages"


def _headers(token: str) -> Mapping[str, str]:
    return {"api_access_token": token}
