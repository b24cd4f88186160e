"""Sitemaps (sitemaps.org): the addresses of a site with the dates of their last changes; indexes and gzip too."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from urllib.parse import urldefrag, urlsplit

from lxml import etree

from autokb.core.nouns import Skipped
from autokb.core.source_settings import MOST_ADDRESSES
from autokb.feeds.fetch import MOST_BYTES, FeedError, Fetcher
from autokb.feeds.robots import Robots

MOST_SITEMAPS = 1_000  # that one index leads to


def read_sitemap(url: str, fetcher: Fetcher, robots: Robots) -> tuple[dict[str, str], list[Skipped]]:
    """Return the addresses of a site, each with when it changed (nothing where the site does not say).

    Only those of the sitemap's own host count, as the protocol has it. Raises FeedError.
    """
    found: dict[str, str] = {}
    foreign: list[str] = []
    waiting, visited = [url], {url}
    while waiting:
        place = waiting.pop(0)
        reply = fetcher.get(place, may_read=robots.may_read)
        if reply.status != 200:
            raise FeedError(f"The sitemap {place} answers with status {reply.status}.")
        for kind, address, changed in _entries(_unpacked(reply.body, place), place):
            if urlsplit(address).hostname != urlsplit(url).hostname:
                foreign.append(address)
            elif kind == "url":
                found[address] = changed
            elif address not in visited:
                visited.add(address)
                waiting.append(address)
        if len(found) > MOST_ADDRESSES or len(visited) > MOST_SITEMAPS:
            most = f"{MOST_ADDRESSES:,} addresses or {MOST_SITEMAPS:,} sitemaps"
            raise FeedError(f"The sitemap {url} has more than {most}; make sources of its parts.")
    reason = f"is of another host than its sitemap, as {len(foreign)} are; name it under urls."
    return found, [Skipped(foreign[0], reason)] if foreign else []


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


def _entries(data: bytes, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind (url or sitemap), address and date; a text has one address a line."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        for line in data.decode("utf-8", "replace").splitlines():
            if line.strip().startswith(("http://", "https://")):
                yield "url", urldefrag(line.strip()).url, ""
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        raise FeedError(f"The sitemap {place} is no XML that can be read, or not all of it.") from None
    for entry in root.iterchildren(tag=etree.Element):
        kind = etree.QName(entry).localname
        texts = {etree.QName(one).localname: (one.text or "").strip() for one in entry.iterchildren(tag=etree.Element)}
        address = urldefrag(texts.get("loc", "")).url
        if kind in ("url", "sitemap") and address.startswith(("http://", "https://")):
            yield kind, address, texts.get("lastmod", "")
