"""What a web page says of itself: its own address, that it is not to be indexed, and that it stands in for another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import yaml

from autokb.feeds.items import Doubt, Sign
from autokb.net.fetch import Reply
from autokb.plugins.sync.feeds.robots import AGENT
from autokb.sources.decoding import decode
from autokb.sources.html_tree import html_bytes, parsed_html

LOOKED_AT = 500_000  # bytes of a page; none that stands in for another is longer
SHORT = 400  # characters beside links and forms; what stands in for a page says no more
BRIEF = 150  # characters with which a page says nothing but its title
BARE = 20  # characters with which a form is all that there is
AT_ONCE = 10.0  # seconds to a refresh; a page that leads away later is there to be read, and then signs people out
WHAT: Mapping[Sign, str] = {
    "sign_in": "a sign-in page",
    "consent": "a page that asks for consent",
    "not_found": "a 'not found' page",
    "unavailable": "a page that says that the site cannot be read now",
}
_USUAL_PORTS = (None, 80, 443)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$")
_PRINT_PARTS = ("print", "printable", "printer-friendly")
_PRINT_QUERY = {"print", "printable", "printview", "printer-friendly", "print-preview"}
_PRINT_VALUES = {"view", "layout", "format", "mode", "output"}
_SPLIT = re.compile(r"\s+[-–—:•·]\s+|\s*[|»]\s*")
_ENDS = " \t\n.!?…:,'\"“”„’*#-–"
_REFRESH = re.compile(r"\s*(\d{1,9}(?:\.\d*)?)\s*[;,]\s*(?:url\s*=)?\s*[\"']?([^\"']+)", re.IGNORECASE)
_SCRIPTED = re.compile(r"\blocation(?:\.href)?\s*(?:=\s*|\.(?:replace|assign)\(\s*)[\"']([^\"'\\]+)[\"']")
_LINK = re.compile(r"<([^>]*)>\s*;[^,<]*?rel\s*=\s*\"?[^\",;]*\bcanonical\b", re.IGNORECASE)
_NEVER = "(?!)"  # the pattern of nothing
_ASIDE = ("nav", "header", "footer", "aside", "dialog")  # where a form is there on every page
_SAY_NOTHING = ("a", "script", "style", "noscript", "template", "button", "label", "select", "textarea", "title", "h1")


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What a page says of itself; ``refresh`` is the address that it leads to by itself.

    ``top`` is its only h1, and ``text`` what it says beside links and forms; it is None of what is no HTML.
    """

    canonical: str = ""
    noindex: bool = False
    refresh: str = ""
    titles: frozenset[str] = frozenset()
    top: str = ""
    asks_password: bool = False
    text: str | None = None

    @property
    def is_short(self) -> bool:
        """Whether there is next to nothing to read on it."""
        return self.text is not None and len(self.text) < SHORT


# Complex: each is said in one place of an answer or of its page, and the tree is read once.
def signs_of(reply: Reply, *, is_html: bool) -> PageSigns:
    """Return what an answer says of itself (UnreadableFileError)."""
    headers = reply.headers
    linked = _LINK.search(headers.get("link", ""))
    canonical = _joined(reply.url, linked[1]) if linked else ""
    noindex = _forbids(headers.get("x-robots-tag", ""))
    root = parsed_html(html_bytes(decode(reply.body[:LOOKED_AT], markup=True))) if is_html else None
    if root is None:
        return PageSigns(canonical, noindex)
    base = _joined(reply.url, next(iter(root.xpath("//base/@href")), ""))
    if hrefs := root.xpath("//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href"):
        canonical = _joined(base, hrefs[0].strip())
    for meta in root.iter("meta"):
        name, said = str(meta.get("name", "")).casefold(), str(meta.get("content", ""))
        noindex = noindex or (name in ("robots", AGENT) and _forbids(said))
    titles, top = _titles(root)
    asks = any(_is_seen(one) for one in root.iter("input") if str(one.get("type", "")).casefold() == "password")
    refresh, scripted = _refresh(root), _SCRIPTED.search(" ".join(root.xpath("//script/text()")))
    text = _text(root)
    if not refresh and len(text) < BRIEF and scripted:
        refresh = scripted[1]
    leads = _joined(base, refresh)
    return PageSigns(canonical, noindex, leads, titles=titles, top=top, asks_password=asks, text=text)


def doubt_of(asked: str, final: str, page: PageSigns) -> Doubt | None:
    """Return what speaks against a page: it is another page than the one that was asked for."""
    final = (page.refresh if page.is_short else "") or final
    is_other = plain_address(final) != plain_address(asked)
    for sign in WHAT if page.is_short else ():
        if signs := _signs_of_stand_in(sign, final if is_other else "", page):
            words = f"leads to {final}, {WHAT[sign]}." if is_other else f"shows {WHAT[sign]}."
            return Doubt(sign, words, signs > 1 or page.noindex)
    if page.noindex:
        return Doubt("noindex", "asks not to be indexed (noindex).", is_certain=True)
    return Doubt("elsewhere", f"leads to {final}.", final == page.refresh) if is_other else None


def _signs_of_stand_in(sign: Sign, final: str, page: PageSigns) -> int:
    """Return how much speaks for it that a page stands in for another, of a kind: a title, an address, a form.

    Where there is nothing else on it, that is one thing more.
    """
    stand_in = _stand_ins()[sign]
    is_titled, is_coded = (any(map(one.fullmatch, page.titles)) for one in (stand_in.titles, stand_in.codes))
    leads, asks = bool(stand_in.paths.search(_path(final))), sign == "sign_in" and page.asks_password
    if is_coded and not (is_titled or leads):
        return 1 + _is_of_server(stand_in, page)
    said = (is_titled or is_coded) + leads + asks
    least = BARE if asks else 0 if sign == "sign_in" else BRIEF
    return said and said + (len(page.text or "") < least)


def _is_of_server(stand_in: _StandIn, page: PageSigns) -> bool:
    """Return whether a code is a server's, not a device's: the page says nothing else, or a word of servers."""
    text = page.text or ""
    says_nothing = not text and stand_in.codes.fullmatch(page.top) is not None
    return says_nothing or stand_in.words.search(" ".join((*page.titles, text.casefold()))) is not None


def plain_address(url: str, *, printed: bool = False) -> str:
    """Return an address in the form that all spellings of it share, if ``printed`` its print page, too."""
    try:
        parts = urlsplit(url)
        port = "" if parts.port in _USUAL_PORTS else f":{parts.port}"
        host = (parts.hostname or "").removeprefix("www.") + port
    except ValueError:
        return url
    names = [name for name in _INDEX.sub("", parts.path).split("/") if name]
    query = sorted(parse_qsl(parts.query, keep_blank_values=True))
    if printed:
        names = [name for name in names if name.casefold() not in _PRINT_PARTS]
        query = [(name, value) for name, value in query if not _prints(name.casefold(), value.casefold())]
    return f"{host}/{'/'.join(names)}?{urlencode(query)}"


def is_print_page(url: str) -> bool:
    """Return whether an address is that of a page to print."""
    return plain_address(url) != plain_address(url, printed=True)


def is_same_site(one: str, two: str) -> bool:
    """Return whether two addresses are of one site, with and without www, by http and by https."""
    return plain_address(one).partition("/")[0] == plain_address(two).partition("/")[0]


def _prints(name: str, value: str) -> bool:
    return name in _PRINT_QUERY or (name in _PRINT_VALUES and value in _PRINT_PARTS)


def _joined(base: str, address: str) -> str:
    """Return where a link of a page leads; nothing where that is no web address."""
    try:
        found = urljoin(base, address.strip())
        return found.partition("#")[0] if urlsplit(found).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path.casefold()
    except ValueError:
        return ""


def _forbids(said: str) -> bool:
    """Return whether rules for robots ask that a page be no document; a rule may begin with whom it is for."""
    is_ours = True
    for rule in said.casefold().split(","):
        name, colon, rest = rule.partition(":")
        if colon and not name.strip().startswith(("max-", "unavailable_after")):
            is_ours, rule = name.strip() in (AGENT, "robots", "*"), rest
        if is_ours and rule.strip() in ("noindex", "none"):
            return True
    return False


def _titles(root: Any) -> tuple[frozenset[str], str]:
    """Return the title, its parts and the only h1 of a page as the patterns of titles are written; and this h1."""
    words = [" ".join(one.text_content().split()) for one in root.iter("title")][:1]
    tops = [" ".join(one.text_content().split()) for one in root.iter("h1")]
    found = [*words, *(part for one in words for part in _SPLIT.split(one)), *(tops if len(tops) == 1 else [""])]
    folded = [one.casefold().strip(_ENDS) for one in found]
    return frozenset(folded), folded[-1]


def _is_seen(element: Any) -> bool:
    """Return whether a field is of the page itself, not of its head, its foot or a window that opens over it."""
    return not any(
        one.tag in _ASIDE
        or "hidden" in one.attrib
        or one.get("role") == "dialog"
        or one.get("aria-hidden") == "true"
        or "display:none" in one.get("style", "").replace(" ", "")
        for one in (element, *element.iterancestors())
    )


def _refresh(root: Any) -> str:
    """Return the address that a page leads to by itself within seconds."""
    for meta in root.iter("meta"):
        found = _REFRESH.match(str(meta.get("content", "")))
        if found and str(meta.get("http-equiv", "")).casefold() == "refresh" and float(found[1]) <= AT_ONCE:
            return found[2].strip()
    return ""


def _text(root: Any) -> str:
    """Return the text that a page has beside its title, menus, links and labels, which it loses."""
    from lxml import etree

    etree.strip_elements(root, *_SAY_NOTHING, *_ASIDE, with_tail=False)
    return " ".join(root.text_content().split())


class _StandIn(NamedTuple):
    """The patterns of what stands in for a page."""

    titles: re.Pattern[str]
    paths: re.Pattern[str]
    codes: re.Pattern[str]
    words: re.Pattern[str]


@cache
def _stand_ins() -> Mapping[Sign, _StandIn]:
    """Return the patterns by what stands in for a page."""
    data = yaml.safe_load(files("autokb.plugins.sync.feeds").joinpath("stand_ins.yaml").read_text("utf-8"))
    return {
        sign: _StandIn(
            *(re.compile("|".join(f"(?:{one})" for one in found.get(name, [_NEVER]))) for name in _StandIn._fields)
        )
        for sign, found in data.items()
    }
