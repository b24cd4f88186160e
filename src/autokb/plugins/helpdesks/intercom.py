"""Intercom: what a user or an admin wrote comes in, a note goes out."""

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
    moment_of,
    part_of,
    text_of,
    why_wrong,
)
from autokb.plugins.helpdesks.html_text import as_html
from autokb.text.mail_html import text_of_html

VERSION = "2.11"  # of the interface, as its header names it
CREATED = "conversation.user.created"
TOPICS: Mapping[str, Role] = {
    CREATED: CUSTOMER,
    "conversation.user.replied": CUSTOMER,
    "conversation.admin.replied": AGENT,
}
AUTHORS: Mapping[Role, tuple[str, ...]] = {CUSTOMER: ("user", "lead", "contact"), AGENT: ("admin",)}


class Intercom:
    """Of version 2.11; a signature has no moment, so what is sent again is told by its id."""

    account_at: tuple[str, ...] = ("app_id",)

    def why_unsigned(self, headers: Mapping[str, str], token: str, body: bytes, secret: str, now: float) -> str:
        """Check ``sha1=`` and the HMAC of the body."""
        return why_wrong(headers.get("x-hub-signature", ""), f"sha1={hmac_of(secret, body, 'sha1').hex()}")

    def read(self, body: Any) -> ReceivedMessage | None:
        """Return how a conversation began, or the newest of its parts that the topic tells of."""
        topic, item = text_of(part_of(body, "topic")), part_of(body, "data", "item")
        role, conversation = TOPICS.get(topic), id_of(part_of(item, "id"))
        if role is None or not conversation:
            return None
        if topic == CREATED:
            return _message(part_of(item, "source"), conversation, role, part_of(item, "created_at"))
        parts = part_of(item, "conversation_parts", "conversation_parts")
        read = (_message(one, conversation, role, part_of(one, "created_at")) for one in _comments(parts))
        return max((one for one in read if one is not None), key=lambda one: one.said, default=None)

    def write(
        self, settings: HelpdeskSettings, token: str, conversation: str, text: str, *, to_customer: bool
    ) -> DeskRequest:
        """Return the request that adds a part: a note, or a comment for the customer."""
        part = {
            "message_type": "comment" if to_customer else "note",
            "type": "admin",
            "admin_id": settings.admin,
            "body": as_html(text),
        }
        return DeskRequest("POST", f"/conversations/{conversation}/reply", _headers(token), part)

    def look(self, settings: HelpdeskSettings, token: str, conversation: str, after: str) -> DeskRequest:
        """Return the request for a conversation with its newest parts."""
        return DeskRequest("GET", f"/conversations/{conversation}", _headers(token))

    def standing(self, answer: Any) -> Iterator[StandingText]:
        """Give the parts."""
        parts = part_of(answer, "conversation_parts", "conversation_parts")
        for one in parts if isinstance(parts, list) else ():
            yield StandingText(text_of_html(text_of(part_of(one, "body"))), moment_of(part_of(one, "created_at")) or 0)

    def look_up(self, settings: HelpdeskSettings, token: str, conversation: str) -> DeskRequest:
        """Return the request for a conversation."""
        return DeskRequest("GET", f"/conversations/{conversation}", _headers(token))

    def is_led(self, settings: HelpdeskSettings, answer: Any) -> bool:
        """Return whether a teammate other than the one who writes the notes is assigned."""
        if not isinstance(answer, Mapping) or "admin_assignee_id" not in answer:
            return True
        assigned = answer["admin_assignee_id"]
        return assigned not in (None, 0) and id_of(assigned) != settings.admin


def _comments(parts: Any) -> list[Any]:
    found = parts if isinstance(parts, list) else []
    return [one for one in found if part_of(one, "part_type") == "comment"]


def _message(part: Any, conversation: str, role: Role, at: Any) -> ReceivedMessage | None:
    ident, said = id_of(part_of(part, "id")), moment_of(at)
    if not ident or said is None or part_of(part, "author", "type") not in AUTHORS[role]:
        return None
    author = id_of(part_of(part, "author", "id")) if role == AGENT else ""
    return ReceivedMessage(ident, conversation, role, text_of_html(text_of(part_of(part, "body"))), said, author)


def _headers(token: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {token}", "intercom-version": VERSION}
