"""One client for a source: bounded bodies, retries, rate limits and redirects; what it cost is counted."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2

from autokb import __version__
from autokb.core.errors import AutokbError
from autokb.net.addresses import CheckedTransport, RefusedAddressError
from autokb.net.bounded_http import BYTES_READ, BoundedClient
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError

USER_AGENT = f"autokb/{__version__}"
MOST_BYTES = 50_000_000  # of one answer; a page of a hundred long tickets has some megabytes
SILENT_SECONDS = 30.0  # that a server may say nothing
LONGEST_REQUEST = 300.0  # seconds from the request to the last byte: a server that drips is given up
TRIES = 4  # of a request that fails in a way that may pass
LONGEST_PAUSE = 900.0  # seconds that a server may ask for; what asks for more is left for the next run
FIRST_PAUSE = 1.0  # seconds before the second try, doubled for each further one
MOST_REDIRECTS = 5
MOST_OF_RUN = 20_000_000_000  # bytes of all answers of one run, unpacked
_PASSING = frozenset({408, 425, 500, 502, 503, 504})  # statuses that may be another one a moment later
_YEARS = (1970, 9_000)  # of dates that are believed; time can be added to them and taken away
_LIMITED = frozenset({429, 503})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class FeedError(AutokbError):
    """A source cannot be read on; what was read of it is kept."""


class StatusError(FeedError):
    """A server answered, and will not give what was asked for."""


class SiteError(FeedError):
    """A server cannot be reached, or fails at whatever it is asked for."""


class RunOverError(FeedError):
    """A run came to its bounds, or is stopped: nothing more is asked for, and the next one goes on."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, read to its end."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    def moment(self) -> datetime:
        """Return when the server answered, by its own clock where it says."""
        return http_date(self.headers.get("date", "")) or datetime.now(UTC)


class Fetcher:
    """Fetches for one source, one request after the other; close it."""

    def __init__(
        self,
        networks: tuple[str, ...] = (),
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._transport = CheckedTransport(networks)
        self._client = BoundedClient(ReplyBound(MOST_BYTES), SILENT_SECONDS, transport=self._transport)
        self._headers = {"user-agent": USER_AGENT, **(headers or {})}
        self._has_secret = "authorization" in self._headers
        self._sleep = sleep
        self._check = check
        self._runner = asyncio.Runner()
        self.bytes = self.unpacked = 0

    @property
    def requests(self) -> int:
        """How many were sent."""
        return self._transport.requests

    def close(self) -> None:
        """Close the connections."""
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.close()

    def pause(self, seconds: float) -> None:
        """Wait, as a server asked for."""
        if seconds > 0:
            self._sleep(seconds)

    def get(
        self, url: str, headers: Mapping[str, str] | None = None, may_read: Callable[[str], bool] = lambda _url: True
    ) -> Reply:
        """Return the answer to a request, redirects followed; only what says that it is final is returned.

        A secret is sent to the host of ``url`` alone. ``may_read`` is asked of each address that a redirect names.
        Raises FeedError.
        """
        start = url
        # A condition that cannot be sent is none: a tag is what the server said it is.
        sent = {name: value for name, value in (headers or {}).items() if value.isascii() and value.isprintable()}
        for _ in range(MOST_REDIRECTS + 1):
            reply = self._try(url, sent)
            target = reply.headers.get("location", "")
            if reply.status not in _REDIRECTS or not target:
                return reply
            url = _joined(url, target)
            if self._has_secret and not same_origin(url, start):
                raise FeedError(f"{start} leads to {url}, another host, which is not given the secret.")
            if not may_read(url):
                raise FeedError(f"{start} leads to {url}, which robots.txt closes.")
        raise FeedError(f"{start} leads on and on.")

    def json(self, url: str, headers: Mapping[str, str] | None = None) -> tuple[Any, Reply]:
        """Return what an interface answers, and the whole answer; None where nothing changed (304)."""
        reply = self.get(url, {"accept": "application/json", **(headers or {})})
        if reply.status == 304:
            return None, reply
        if reply.status in (401, 403):
            raise FeedError(f"{url} refuses us ({reply.status}); see user and token_env of the source.")
        if reply.status != 200:
            raise StatusError(f"{url} answers with status {reply.status}.")
        try:
            return json.loads(reply.body), reply
        except (ValueError, RecursionError):
            raise FeedError(f"{url} sends no JSON that can be read, or not all of it.") from None

    # Complex: statuses, failed connections and what a server asks for lead to the same pause and the next try.
    def _try(self, url: str, headers: Mapping[str, str]) -> Reply:
        pause = FIRST_PAUSE
        for left in range(TRIES - 1, -1, -1):
            self._check()
            if self.unpacked > MOST_OF_RUN:
                raise RunOverError(f"It sent more than {MOST_OF_RUN:,} bytes; the next run goes on.")
            asked = None
            try:
                reply = self._runner.run(self._send(url, {**self._headers, **headers}))
                asked = asked_pause(reply)
                if reply.status not in _PASSING and asked is None:
                    return reply
                failed = f"answers with status {reply.status}"
            except RefusedAddressError as error:
                raise FeedError(f"{url} is refused: {error}.") from error
            except ReplyTooLongError as error:
                raise FeedError(f"{url} sends more than {MOST_BYTES:,} bytes.") from error
            except httpx2.UnsupportedProtocol as error:
                raise FeedError(f"{url} is no address that can be fetched ({error}).") from error
            except (httpx2.HTTPError, OSError, TimeoutError) as error:
                failed = f"cannot be read ({str(error).rstrip('.') or type(error).__name__})"
            except Exception as error:  # a server chooses where it leads: a port, a host or a letter that none has
                raise FeedError(f"{url} is no address that can be fetched ({error}).") from error
            if asked is not None and asked > LONGEST_PAUSE:
                raise SiteError(f"{url} asks to wait for {asked:.0f} seconds; the next run goes on.")
            if left:
                self._sleep(pause * (0.5 + random.random()) if asked is None else asked)
                pause *= 2
        raise SiteError(f"{url} {failed}, {TRIES} times.")

    async def _send(self, url: str, headers: Mapping[str, str]) -> Reply:
        async with asyncio.timeout(LONGEST_REQUEST):
            response = await self._client.get(url, headers=dict(headers))
        self.bytes += response.extensions.get(BYTES_READ, 0)
        self.unpacked += len(response.content)
        return Reply(url, response.status_code, {n.lower(): v for n, v in response.headers.items()}, response.content)


def _joined(url: str, target: str) -> str:
    """Return where an address leads (FeedError)."""
    try:
        return urljoin(url, target)
    except ValueError:
        raise FeedError(f"{url} leads to {target!r}, which is no address.") from None


# Complex: three ways in which servers say how long, two of them with a second spelling.
def asked_pause(reply: Reply) -> float | None:
    """Return for how many seconds a server asks to be left alone; None where it answered.

    By ``Retry-After`` (RFC 9110: seconds or a date), else by the moment that GitHub names when nothing is left.
    """
    spent = reply.status == 403 and reply.headers.get("x-ratelimit-remaining") == "0"
    if reply.status not in _LIMITED and not spent and not (reply.status == 403 and "retry-after" in reply.headers):
        return None
    after = reply.headers.get("retry-after", "").strip()
    if after.isascii() and after.isdigit() and len(after) < 10:
        return float(after)
    if moment := http_date(after):
        return max(0.0, (moment - reply.moment()).total_seconds())
    reset = reply.headers.get("x-ratelimit-reset", "")
    if reset.isascii() and reset.isdigit() and len(reset) < 12:
        return max(0.0, int(reset) - reply.moment().timestamp()) + 1
    return None if reply.status == 503 else FIRST_PAUSE * 10


def http_date(text: str) -> datetime | None:
    """Return a date of HTTP, or None; one that no clock shows is none."""
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def same_origin(one: str, two: str) -> bool:
    """Return whether two addresses are of one server; what is none is of no server."""
    try:
        a, b = urlsplit(one), urlsplit(two)
        return (a.scheme, a.hostname, a.port) == (b.scheme, b.hostname, b.port) and bool(a.hostname)
    except ValueError:
        return False
