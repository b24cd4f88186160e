"""``robots.txt`` as RFC 9309 has it: the group of our name or of all, the longest rule that fits, ``*`` and ``$``.

protego reads it, whose patterns are searched in linear time; the reader of the standard library takes ``*`` for a
letter and the first rule that fits.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import urlsplit

from protego import Protego

from autokb.net.fetch import Fetcher, SiteError

AGENT = "autokb"
MOST_BYTES = 512_000  # of the file; the RFC asks for 500 KiB at least
LONGEST_DELAY = 60.0  # seconds between two requests, whatever the file asks for
_VERSION = re.compile(rf"(?im)^([ \t]*user-agent[ \t]*:[ \t]*{AGENT})/.*$")  # no part of a name, and often written
logging.getLogger("protego").addHandler(logging.NullHandler())  # it logs every line that is no rule


class Rules:
    """What one file says to us: which addresses are open, and the seconds between requests."""

    def __init__(self, text: str) -> None:
        self._read = Protego.parse(_VERSION.sub(r"\1", text))
        asked = self._read.crawl_delay(AGENT) or 0.0
        self.delay = min(LONGEST_DELAY, asked) if asked > 0 else 0.0

    def may_read(self, url: str) -> bool:
        """Return whether an address is open: by the longest pattern that fits, and open where two are as long."""
        return urlsplit(url).path == "/robots.txt" or self._read.can_fetch(url, AGENT)


class Robots:
    """The rules of each server that a source meets, read once a run."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._rules: dict[tuple[str, str], Rules] = {}

    def of(self, url: str) -> Rules:
        """Return the rules of an address's server; one without the file opens all (FeedError where it fails)."""
        parts = urlsplit(url)
        place = (parts.scheme, parts.netloc)
        if place not in self._rules:
            reply = self._fetcher.get(f"{parts.scheme}://{parts.netloc}/robots.txt")
            if reply.status >= 500:  # RFC 9309: as if it closed all
                raise SiteError(f"{reply.url} answers with status {reply.status}.")
            text = reply.body[:MOST_BYTES].decode("utf-8-sig", "replace") if reply.status == 200 else ""
            self._rules[place] = Rules(text)
        return self._rules[place]

    def may_read(self, url: str) -> bool:
        """Return whether an address is open."""
        return self.of(url).may_read(url)
