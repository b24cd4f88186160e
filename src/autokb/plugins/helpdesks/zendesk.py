"""Zendesk: a comment that was added comes in, an internal comment goes out."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.nouns import AGENT, CUSTOMER
from autokb.helpdesks.helpdesk import (
    DeskRequest,
    ReceivedMessage,
    StandingText,
    hmac_of,
    id_of,
    moment_of,
    part_of,
    text_of,
    why_late,
    why_wrong,
)
from autokb.plugins.helpdesks.html_text import as_html
from autokb.text.mail_html import text_of_html

ADDED = "zen:event-type:ticket.comment_added"
YES, NO = (True, "true"), (False, "false")  # as an event has them, and as a trigger's template writes them


class Zendesk:
    """Of the event schema 2022-11-06, or a trigger whose template writes the same fields."""

    account_at: tuple[str, ...] = ("account_id",)

    def why_unsigned(self, headers: Mapping[str, str], token: str, body: bytes, secret: str, now: float) -> str:
        """Check the HMAC of the moment and the body, in base 64."""
        stamp = headers.get("x-zendesk-webhook-signature-timestamp", "")
        wanted = base64.b64encode(hmac_of(secret, stamp.encode() + body)).decode()
        return why_wrong(headers.get("x-zendesk-webhook-signature", ""), wanted) or why_late(moment_of(stamp), now)

    def read(self, body: Any) -> ReceivedMessage | None:
        """Return a public comment."""
        comment, author = part_of(body, "event", "comment"), part_of(body, "event", "comment", "author")
        is_staff, said = part_of(author, "is_staff"), moment_of(part_of(body, "time"))
        ident, ticket = id_of(part_of(comment, "id")), id_of(part_of(body, "detail", "id"))
        if part_of(body, "type") != ADDED or part_of(comment, "is_public") not in YES or is_staff not in (*YES, *NO):
            return None
        if not ident or not ticket or said is None:
            return None
        role, text = (AGENT if is_staff in YES else CUSTOMER), text_of(part_of(comment, "body"))
        return ReceivedMessage(ident, ticket, role, text, said, id_of(part_of(author, "id")) if role == AGENT else "")

    def write(
        self, settings: HelpdeskSettings, token: str, conversation: str, text: str, *, to_customer: bool
    ) -> DeskRequest:
        """Return the request that adds a comment, which is internal unless it is for the customer."""
        comment = {"html_body": as_html(text), "public": to_customer}
        path = f"/api/v2/tickets/{conversation}.json"
        return DeskRequest("PUT", path, _headers(settings, token), {"ticket": {"comment": comment}})

    def look(self, settings: HelpdeskSettings, token: str, conversation: str, after: str) -> DeskRequest:
        """Return the request for the newest comments of a ticket."""
        path = f"/api/v2/tickets/{conversation}/comments.json?sort_order=desc"
        return DeskRequest("GET", path, _headers(settings, token))

    def standing(self, answer: Any) -> Iterator[StandingText]:
        """Give the comments."""
        found = part_of(answer, "comments")
        for one in found if isinstance(found, list) else ():
            text = text_of_html(text_of(part_of(one, "html_body"))) or text_of(part_of(one, "body"))
            yield StandingText(text, moment_of(part_of(one, "created_at")) or 0)

    def look_up(self, settings: HelpdeskSettings, token: str, conversation: str) -> DeskRequest:
        """Return the request for a ticket."""
        return DeskRequest("GET", f"/api/v2/tickets/{conversation}.json", _headers(settings, token))

    def is_led(self, settings: HelpdeskSettings, answer: Any) -> bool:
        """Return whether an agent is assigned."""
        ticket = part_of(answer, "ticket")
        return not isinstance(ticket, Mapping) or ticket.get("assignee_id", True) is not None


def _headers(settings: HelpdeskSettings, token: str) -> Mapping[str, str]:
    shown = base64.b64encode(f"{settings.user}/token:{token}".encode()).decode()
    return {"authorization": f"Basic {shown}"}
