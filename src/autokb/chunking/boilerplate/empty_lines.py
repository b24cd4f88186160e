"""Lines that say nothing of their own: they share the page, lead to a part of it, or announce an advertisement."""

from __future__ import annotations

import re

# A line of nothing but these words shares a page: "Share: Facebook Twitter". A network alone may be what a text is
# about, so that it takes another word of the line beside it.
_NETWORK = (
    "facebook|twitter|pinterest|instagram|whatsapp|linkedin|reddit|tumblr|youtube|flipboard|telegram|messenger|rss"
)
_BESIDE = (
    "share|shares|tweet|pin|like|follow|save|print|copy|link|e-?mail|sms|google|plus|"
    "x|it|us|me|this|with|on|via|by|to|and|or"
)
_SHARE_LINE = re.compile(
    rf"\W*(?:(?:tweet|pin it|share(?: (?:this|on|via))?(?: (?:article|page|post|story))?)\W*"
    rf"|(?:(?:{_BESIDE})\W+)*(?:{_NETWORK})\W*(?:\b(?:{_BESIDE}|{_NETWORK})\b\W*)+"
    rf"|(?:(?:{_BESIDE})\W+)+(?:{_NETWORK})\W*)"
)
_OTHER_PART = re.compile(
    r"\W*(?:skip|jump|go|back|return) to (?:the )?(?:main |page )?(?:content|navigation|top|search|menu|footer)\W*"
)
_ADVERTISEMENT = re.compile(r"\W*(?:advertisements?|sponsored(?: content)?)\W*")


def empty_line(words: str) -> str:
    """Return what a line that says nothing of its own is for (sharing, an advertisement), nothing for any other."""
    words = words.casefold()
    if _SHARE_LINE.fullmatch(words):
        return "sharing and social networks"
    if _OTHER_PART.fullmatch(words):
        return "a link to another part of the page"
    return "an advertisement" if _ADVERTISEMENT.fullmatch(words) else ""
