"""What surrounds a page's text (scripts, menus, banners, footers) is dropped, with care not to drop the text itself."""

from __future__ import annotations

import re
from typing import Any

NEVER_TEXT = (
    *("script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "map", "audio", "video"),
    *("head", "title", "link", "meta", "base", "input", "select", "textarea", "datalist", "option", "optgroup"),
    *("frame", "frameset", "applet", "dialog"),
)
_ROLES = frozenset({"navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tooltip"})
_LANDMARKS = frozenset({"banner", "contentinfo", "complementary"})
# Words of class names and ids that mark furniture whatever it holds ...
NOISE_WORDS = re.compile(
    r"cookies?|consent|gdpr|newsletter|subscribe|advert|advertisement|ads|adsbygoogle|social|share|sharing|sharebar|"
    r"skip|skiplink|feedback|rating|disqus|paywall|popup|modal|overlay|cookiebanner|cookienotice"
)
# ... that mark it only when it is mostly links or next to nothing ...
LINK_WORDS = re.compile(
    r"nav|navbar|navigation|navheader|navfooter|navlinks|breadcrumbs?|menu|submenu|mainmenu|sidebar|sidenav|footer|"
    r"header|banner|related|toc|contents|pagination|pager|prevnext|prev|next|tags|topbar|masthead|copyright|legal|"
    r"minitoc|toolbar|links"
)
# ... and that say nothing. A name with any other word in it may be a heading's (id="share-your-screen").
NEUTRAL_WORDS = re.compile(
    r"box|bar|wrapper|wrap|container|block|widget|area|list|page|site|main|global|top|bottom|left|right|inner|outer|"
    r"primary|secondary|notice|buttons?|icons?|form|message|media|js|articles?|posts?|content|items?|row|col|group|[a-z]"
)
KEPT_ASIDES = re.compile(r"note|tip|warning|caution|important|admonition|info|hint|callout|step|example", re.I)
LETTERS = re.compile(r"[a-z]+")
_NAMED = frozenset({"div", "section", "ul", "ol", "p", "table", "header", "footer", "span", "dl", "td"})
_DROPPED = "autokb-dropped"
_TINY = 200


def drop_furniture(root: Any) -> None:
    """Take out of a parsed page what is no part of its text."""
    from lxml import etree

    etree.strip_elements(root, *NEVER_TEXT, with_tail=False)
    body = root.find("body")
    body = root if body is None else body
    lengths, links = text_lengths(body)
    whole = max(1, lengths[body])
    for element in body.iterdescendants():
        if isinstance(element.tag, str) and _is_furniture(element, lengths, links, whole):
            element.tag = _DROPPED
    etree.strip_elements(root, _DROPPED, with_tail=False)


def text_lengths(body: Any) -> tuple[dict[Any, int], dict[Any, int]]:
    """Return for each element the characters of its text and those inside links, in one walk from the leaves up."""
    lengths: dict[Any, int] = {}
    links: dict[Any, int] = {}
    for element in reversed(list(body.iter())):
        own = len((element.text or "").strip())
        linked = 0
        for child in element:
            own += lengths.get(child, 0) + len((child.tail or "").strip())
            linked += links.get(child, 0)
        lengths[element] = own
        links[element] = own if element.tag == "a" and element.get("href") else linked
    return lengths, links


def _is_furniture(element: Any, lengths: dict[Any, int], links: dict[Any, int], whole: int) -> bool:
    tag, role = element.tag, (element.get("role") or "").lower()
    length = lengths[element]
    # On a short page the menu may well be longer than the text; nothing that holds nearly all of it is furniture.
    nearly_all, most = length * 20 > whole * 19, length * 2 > whole
    if nearly_all:
        return False
    if tag == "nav" or role in _ROLES:
        return True
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return not most
    if tag == "button":
        return stands_alone(element)
    if tag == "aside" or role == "complementary":
        return not most and not KEPT_ASIDES.search(f"{element.get('class') or ''} {element.get('id') or ''}")
    if tag == "form":
        return not most and not holds_any(element, "ol", "h2", "h3")
    if tag == "footer" or role == "contentinfo":
        return not most and not is_inside(element, "blockquote")
    if tag == "header" or role in _LANDMARKS:
        return not most and not holds_any(element, "h1", "h2")
    return tag in _NAMED and _named_as_furniture(element, links[element] * 5 >= length * 2, length)


def _named_as_furniture(element: Any, is_linked: bool, length: int) -> bool:
    few = length < _TINY and not holds_any(element, "ol", "p", "h1", "h2", "h3", "pre")
    for name in f"{element.get('class') or ''} {element.get('id') or ''}".split():
        words = LETTERS.findall(name.lower())
        if not all(NOISE_WORDS.fullmatch(w) or LINK_WORDS.fullmatch(w) or NEUTRAL_WORDS.fullmatch(w) for w in words):
            continue
        if any(NOISE_WORDS.fullmatch(w) for w in words):
            return True
        if any(LINK_WORDS.fullmatch(w) for w in words) and (is_linked or few):
            return True
    return False


def holds_any(element: Any, *tags: str) -> bool:
    """Return whether an element holds one of some others, at any depth."""
    return next(element.iterdescendants(*tags), None) is not None


def is_inside(element: Any, tag: str) -> bool:
    """Return whether an element stands inside another, at any depth."""
    return next(element.iterancestors(tag), None) is not None


def stands_alone(button: Any) -> bool:
    """Return whether a button is a control of the page, no word of a sentence (Click <button>Save</button>)."""
    parent = button.getparent()
    around = (parent.text or "").strip() if parent is not None else ""
    before = button.getprevious()
    around += (button.tail or "").strip() + ((before.tail or "").strip() if before is not None else "")
    return not around
