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
    reason = f"is on another host than its sitemap ({len(foreign):,} such addresses); name them under urls."
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
        yield from (("url", address, "") for address in _lines(data, place))
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        raise FeedError(f"The sitemap {place} is no XML that can be read, or not all of it.") from None
    if etree.QName(root).localname not in ("urlset", "sitemapindex"):
        raise FeedError(f"{place} is no sitemap: it is a document of {etree.QName(root).localname}.")
    for entry in root.iterchildren(tag=etree.Element):
        kind = etree.QName(entry).localname
        texts = {etree.QName(one).localname: (one.text or "").strip() for one in entry.iterchildren(tag=etree.Element)}
        address = _address(texts.get("loc", ""))
        if kind in ("url", "sitemap") and address:
            yield kind, address, texts.get("lastmod", "")


def _lines(data: bytes, place: str) -> list[str]:
    lines = data.decode("utf-8-sig", "replace").splitlines()
    if not (found := [address for line in lines if (address := _address(line))]):
        raise FeedError(f"{place} is no sitemap: it has no address.")
    return found


def _address(text: str) -> str:
    """Return an address without what stands behind ``#``; nothing where it is none."""
    try:
        address = urldefrag(text.strip()).url
        is_one = address.startswith(("http://", "https://")) and urlsplit(address).hostname
    except ValueError:
        return ""
    return address if is_one else ""
