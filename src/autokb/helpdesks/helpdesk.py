"""What each helpdesk says of itself: how its webhooks are signed and read, and how a note is written and found again.

This is the interface of helpdesks that plug-ins bring, too; ``autokb.testing.HelpdeskContract`` holds one to it.

A note or a reply is plain text everywhere here; each helpdesk turns it into what it takes, so that nothing in it is
active.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.nouns import AGENT, CUSTOMER, Role
from autokb.helpdesks.refused import LATE, NO_SIGNATURE, OTHER_SECRET

OLDEST_SIGNATURE = 300.0  # seconds between a signature's moment and ours, as Chatwoot and Zendesk advise; LATE names it
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")  # of messages and conversations: it stands in addresses and in notes
_LATEST = 32_503_680_000.0  # seconds of Unix, the year 3000: what says more does not count in seconds


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message of a customer or an agent; ``said`` is in seconds of Unix, by the helpdesk's clock.

    Its ``id`` is of no other message of the helpdesk: by it an event that is sent twice is told. The ``author`` is the
    id of an agent. Ids are as ``id_of`` gives them, moments as ``moment_of`` (ValueError).
    """

    id: str
    conversation: str
    role: Role
    text: str
    said: float
    author: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be stored and found again."""
        ids = (self.id, self.conversation, self.author or self.id)
        fits = all(one and id_of(one) == one for one in ids) and self.role in (AGENT, CUSTOMER)
        if not fits or not isinstance(self.text, str) or (moment_of(self.said) or -1) != self.said:
            raise ValueError("a message needs a role, a text, its moment, and ids of up to 100 letters and digits")


@dataclass(frozen=True, slots=True)
class DeskRequest:
    """A request to a helpdesk's interface; ``path`` begins behind the address of the settings."""

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)  # the token is among them
    json: Any = None

    def __post_init__(self) -> None:
        """Refuse a path that would lead to another host: the token goes to the address of the settings alone."""
        if not self.path.startswith("/"):
            raise ValueError("the path of a request must begin with /")


@dataclass(frozen=True, slots=True)
class StandingText:
    """A text that stands in a conversation, and since when, in seconds of Unix."""

    text: str
    since: float


class Helpdesk(Protocol):
    """One kind of helpdesk: a class that is made without arguments and keeps nothing between two calls.

    Signatures and tokens are of the secrets that the settings name; no token may stand in a path or a body.
    """

    account_at: tuple[str, ...]  # where a webhook's JSON names the account that it comes from

    def why_unsigned(self, headers: Mapping[str, str], token: str, body: bytes, secret: str, now: float) -> str:
        """Say why a webhook has no signature that counts, of the secret and of the last minutes; empty where it has.

        ``token`` is of its address, ``headers`` have names in lower case. What it says is one of the sentences of
        ``refused.OF_SIGNATURES``; anything but an empty text refuses the webhook.
        """
        ...

    def read(self, body: Any) -> ReceivedMessage | None:
        """Return the message of a webhook's JSON; None where it tells of anything else. It raises nothing."""
        ...

    def write(
        self, settings: HelpdeskSettings, token: str, conversation: str, text: str, *, to_customer: bool
    ) -> DeskRequest:
        """Return the request that writes an internal note, or a reply to the customer."""
        ...

    def look(self, settings: HelpdeskSettings, token: str, conversation: str, after: str) -> DeskRequest:
        """Return the request for what was written in a conversation ``after`` a message."""
        ...

    def standing(self, answer: Any) -> Iterator[StandingText]:
        """Give the texts of the answer to ``look``."""
        ...

    def look_up(self, settings: HelpdeskSettings, token: str, conversation: str) -> DeskRequest:
        """Return the request for a conversation's own record, which says who is assigned to it."""
        ...

    def is_led(self, settings: HelpdeskSettings, answer: Any) -> bool:
        """Return whether an agent leads a conversation, from the answer to ``look_up``; an unreadable one counts so."""
        ...


def hmac_of(secret: str, data: bytes, kind: str = "sha256") -> bytes:
    """Return the signature of data."""
    return hmac.new(secret.encode(), data, getattr(hashlib, kind)).digest()


def is_same(shown: str, wanted: str) -> bool:
    """Return whether two signatures are one, in a time that tells nothing of where they differ."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), wanted.encode())


def why_wrong(shown: str, wanted: str) -> str:
    """Say what is wrong with a signature; empty where nothing is."""
    if is_same(shown, wanted):
        return ""
    return OTHER_SECRET if shown else NO_SIGNATURE


def why_late(moment: float | None, now: float) -> str:
    """Say that a signature's moment does not count; empty where it does."""
    return "" if is_recent(moment, now) else LATE


def is_recent(moment: float | None, now: float) -> bool:
    """Return whether a signature's moment is of the last minutes, and not far ahead."""
    return moment is not None and abs(now - moment) <= OLDEST_SIGNATURE


def moment_of(value: Any) -> float | None:
    """Return seconds of Unix, given as such, as their digits or as a date of ISO 8601; None where it is none."""
    if isinstance(value, str):
        text = value.strip()
        if not text.isascii() or len(text) > 40:
            return None
        try:
            found = float(text) if text.isdigit() else _with_zone(datetime.fromisoformat(text)).timestamp()
        except (ValueError, OverflowError):
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = float(value) if abs(value) < _LATEST else math.nan
    else:
        return None
    return found if 0 <= found < _LATEST else None


def _with_zone(date: datetime) -> datetime:
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def id_of(value: Any) -> str:
    """Return an id as text; empty where it is none."""
    text = str(value) if type(value) in (str, int) and abs(_digits(value)) <= 100 else ""
    return text if _ID.fullmatch(text) else ""


def _digits(value: Any) -> int:
    return len(value) if isinstance(value, str) else int(value).bit_length() // 3


def part_of(value: Any, *path: str) -> Any:
    """Return what stands at a place of a JSON object; None where there is none."""
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def text_of(value: Any) -> str:
    """Return a text; empty where it is none."""
    return value if isinstance(value, str) else ""
