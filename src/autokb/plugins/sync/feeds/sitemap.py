"""Sitemaps (sitemaps.org): the addresses of a site with the dates of their last changes; indexes and gzip too."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from typing import Any
from urllib.parse import urldefrag, urlsplit

from lxml import etree

from autokb.core.nouns import Skipped
from autokb.net.fetch import MOST_BYTES, FeedError, Fetcher
from autokb.plugins.sync.feeds.robots import Robots
from autokb.plugins.sync.settings import MOST_ADDRESSES

MOST_SITEMAPS = 1_000  # that one index leads to
MOST_ELEMENTS = 1_000_000  # of one sitemap: an address has some four, and one for each of its pictures
LONGEST_ADDRESS = 4_096  # characters; what servers take at most
LONGEST_DATE = 64


def read_sitemap(url: str, fetcher: Fetcher, robots: Robots) -> tuple[dict[str, str], list[Skipped]]:
    """Return the addresses of a site, each with when it changed (nothing where the site does not say).

    Only those of the sitemap's own host count, as the protocol has it. Raises FeedError.
    """
    found: dict[str, str] = {}
    first_foreign, foreign = "", 0
    waiting, visited = [url], {url}
    while waiting:
        place = waiting.pop(0)
        reply = fetcher.get(place, may_read=robots.may_read)
        if reply.status != 200:
            raise FeedError(f"The sitemap {place} answers with status {reply.status}.")
        for kind, address, changed in _entries(_unpacked(reply.body, place), place):
            if urlsplit(address).hostname != urlsplit(url).hostname:
                first_foreign, foreign = first_foreign or address, foreign + 1
            elif kind == "url":
                found[address] = changed
            elif address not in visited:
                visited.add(address)
                waiting.append(address)
            if len(found) > MOST_ADDRESSES or len(visited) > MOST_SITEMAPS:
                most = f"{MOST_ADDRESSES:,} addresses or {MOST_SITEMAPS:,} sitemaps"
                raise FeedError(f"The sitemap {url} has more than {most}; make sources of its parts.")
    reason = f"is on another host than its sitemap ({foreign:,} such addresses); name them under urls."
    return found, [Skipped(first_foreign, reason)] if foreign else []


def _unpacked(body: bytes, place: str) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        packer = zlib.decompressobj(wbits=31)
        plain = packer.decompress(body, MOST_BYTES)
    except zlib.error:
        raise FeedError(f"The sitemap {place} is packed in a way that cannot be read, or cut.") from None
    if not packer.eof:
        raise FeedError(f"The sitemap {place} is cut, or has more than {MOST_BYTES:,} bytes.")
    return plain


# Complex: elements are read and let go one by one, for a small file unpacks to millions of them.
def _entries(data: bytes, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind (url or sitemap), address and date; a text has one address a line."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        yield from (("url", address, "") for address in _lines(data, place))
        return
    depth = 0
    texts: dict[str, str] = {}
    for event, name, element in _elements(data, place):
        depth += 1 if event == "start" else -1
        if event == "end" and depth == 2:
            texts[name] = (element.text or "").strip()
        elif event == "end" and depth == 1:
            if name in ("url", "sitemap") and (address := _address(texts.get("loc", ""))):
                yield name, address, texts.get("lastmod", "")[:LONGEST_DATE]
            texts = {}
            element.clear()
            while (before := element.getprevious()) is not None:
                element.getparent().remove(before)


def _elements(data: bytes, place: str) -> Iterator[tuple[str, str, Any]]:
    """Yield where each element of a sitemap starts and ends, and its name (FeedError)."""
    options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    options |= {"remove_comments": True, "remove_pis": True}
    try:
        for number, (event, element) in enumerate(etree.iterparse(BytesIO(data), events=("start", "end"), **options)):
            name = etree.QName(element).localname
            if number == 0 and name not in ("urlset", "sitemapindex"):
                raise FeedError(f"{place} is no sitemap: it is a document of {name}.")
            if number > 2 * MOST_ELEMENTS:
                raise FeedError(f"The sitemap {place} has more than {MOST_ELEMENTS:,} elements.")
            yield event, name, element
    except etree.XMLSyntaxError:
        raise FeedError(f"The sitemap {place} is no XML that can be read, or not all of it.") from None


def _lines(data: bytes, place: str) -> Iterator[str]:
    is_one = False
    for line in TextIOWrapper(BytesIO(data), "utf-8-sig", "replace"):
        if address := _address(line):
            is_one = True
            yield address
    if not is_one:
        raise FeedError(f"{place} is no sitemap: it has no address.")


def _address(text: str) -> str:
    """Return an address without what stands behind ``#``; nothing where it is none."""
    try:
        address = urldefrag(text.strip()).url
        is_one = address.startswith(("http://", "https://")) and len(address) <= LONGEST_ADDRESS
        is_one = is_one and bool(urlsplit(address).hostname) and urlsplit(address).port != 0
    except ValueError:
        return ""
    return address if is_one else ""
