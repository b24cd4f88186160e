"""``robots.txt`` as RFC 9309 has it: the group of our name or of all, the longest rule that fits, ``*`` and ``$``.

The reader of the standard library takes ``*`` for a letter and the first rule that fits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from autokb.feeds.fetch import Fetcher, SiteError

AGENT = "autokb"
MOST_BYTES = 512_000  # of the file; the RFC asks for 500 KiB at least
LONGEST_DELAY = 60.0  # seconds between two requests, whatever the file asks for


@dataclass
class Rules:
    """What one file says to us: patterns that open or close paths, and seconds between requests."""

    rules: list[tuple[str, bool]] = field(default_factory=list)
    delay: float = 0.0

    def may_read(self, url: str) -> bool:
        """Return whether an address is open: by the longest pattern that fits, and open where two are as long."""
        parts = urlsplit(url)
        path = _plain(f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}")
        fitting = [(len(pattern), is_open) for pattern, is_open in self.rules if _fits(pattern, path)]
        return path == "/robots.txt" or max(fitting, default=(0, True))[1]


# Complex: a group is known to be over only when the next one begins.
def read_rules(text: str) -> Rules:
    """Read a file; what is no rule is skipped."""
    ours, of_all = Rules(), Rules()
    groups: list[Rules] = []
    found_ours = in_rules = False
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = name.casefold()
        if name == "user-agent":
            groups = [] if in_rules else groups
            in_rules = False
            if value.casefold().partition("/")[0] == AGENT:
                found_ours = True
                groups.append(ours)
            elif value == "*":
                groups.append(of_all)
        elif name in ("allow", "disallow"):
            in_rules = True
            if value:
                for group in groups:
                    group.rules.append((_plain(value), name == "allow"))
        elif name == "crawl-delay":
            in_rules = True
            for group in groups:
                group.delay = _seconds(value)
    return ours if found_ours else of_all


def _seconds(text: str) -> float:
    try:
        return min(LONGEST_DELAY, max(0.0, float(text)))
    except ValueError:
        return 0.0


def _plain(path: str) -> str:
    """Return a path in one spelling, whichever of its letters were escaped."""
    return quote(unquote(path), safe="/*$?=&;:,+!'()@~%")


def _fits(pattern: str, path: str) -> bool:
    """Return whether a pattern fits the beginning of a path, with ``$`` at its end the whole; in linear time."""
    whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not whole or path == first
    at = len(first)
    *middle, last = rest
    for part in middle:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return path.endswith(last) and len(path) - len(last) >= at if whole else path.find(last, at) >= 0


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
            self._rules[place] = read_rules(text)
        return self._rules[place]

    def may_read(self, url: str) -> bool:
        """Return whether an address is open."""
        return self.of(url).may_read(url)
