"""Requests to a helpdesk: to the address of the settings alone, no redirect followed, bounded in bytes and seconds."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx2

from autokb import __version__
from autokb.core.errors import AutokbError
from autokb.core.helpdesk_settings import HelpdeskSettings, required_of
from autokb.helpdesks.helpdesk import DeskRequest
from autokb.net.bounded_http import BoundedClient
from autokb.net.fetch import Reply, asked_pause
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError

MOST_BYTES = 20_000_000  # of an answer; a conversation of 500 parts has some megabytes
SILENT_SECONDS = 10.0  # that a helpdesk may say nothing
LONGEST_REQUEST = 20.0  # seconds from the request to the last byte
# What a wrong setting leads to as a rule; redirects do, too. It goes through when the setting is mended.
_OF_SETTINGS = frozenset({*range(300, 400), 401, 403, 404, 405})
_PASSING = frozenset({408, 425, 429, *_OF_SETTINGS})


class RefusedError(AutokbError):
    """A helpdesk will not do it, however often it is asked."""


class LaterError(AutokbError):
    """It may go through later: after ``seconds`` where the helpdesk said so; ``is_unsure`` whether it was done."""

    def __init__(self, sentence: str, *, is_unsure: bool, seconds: float | None = None) -> None:
        super().__init__(sentence)
        self.is_unsure = is_unsure
        self.seconds = seconds


class DeskClient:
    """Sends for one thread; close it in that thread."""

    def __init__(self) -> None:
        self._client = BoundedClient(ReplyBound(MOST_BYTES), SILENT_SECONDS)
        self._runner = asyncio.Runner()

    def close(self) -> None:
        """Close the connections."""
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.close()

    def send(self, settings: HelpdeskSettings, request: DeskRequest) -> tuple[Any, float]:
        """Return the JSON of an answer and its moment in seconds of Unix (RefusedError, LaterError)."""
        name = settings.name
        try:
            reply = self._runner.run(self._send(f"{settings.url}{request.path}", request))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise LaterError(f"{name} cannot be reached ({type(error).__name__}).", is_unsure=False) from error
        except ReplyTooLongError as error:
            raise LaterError(f"{name} sends more than {MOST_BYTES:,} bytes.", is_unsure=True) from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise LaterError(f"The url of {name} in the settings cannot be asked.", is_unsure=False) from error
        except (httpx2.HTTPError, OSError, TimeoutError) as error:
            raise LaterError(f"{name} did not answer ({type(error).__name__}).", is_unsure=True) from error
        said = f"{name} answers with status {reply.status}"
        if reply.status in _OF_SETTINGS:
            entries = " and ".join(dict.fromkeys(("url", *required_of(name))))
            said += f"; see {entries} in its settings, and whether its token is valid and may do this"
        if reply.status in _PASSING:
            raise LaterError(f"{said}.", is_unsure=reply.status == 408, seconds=asked_pause(reply))
        if reply.status >= 500:
            raise LaterError(f"{said}.", is_unsure=True, seconds=asked_pause(reply))
        if not 200 <= reply.status < 300:
            raise RefusedError(f"{said}.")
        return _json_of(reply), reply.moment().timestamp() if "date" in reply.headers else time.time()

    async def _send(self, url: str, request: DeskRequest) -> Reply:
        headers = {"user-agent": f"autokb/{__version__}", "accept": "application/json", **request.headers}
        async with asyncio.timeout(LONGEST_REQUEST):
            response = await self._client.request(request.method, url, headers=headers, json=request.json)
        return Reply(url, response.status_code, {n.lower(): v for n, v in response.headers.items()}, response.content)


def _json_of(reply: Reply) -> Any:
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        return None
