"""Lines that ask something of the reader instead of saying something: to share, subscribe, comment, donate."""

from __future__ import annotations

import re

SHARING = "sharing and social networks"
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
# What the reader is asked for, with some words that no other line of a page says. Both in small letters.
_INVITATIONS = {
    "an invitation to subscribe": re.compile(
        r"\bnewsletter|\bsubscribe\b|\bsign(?:ing)? ?up (?:for|to|now|today|here)\b|\bin your inbox\b"
    ),
    SHARING: re.compile(r"\bfollow\b.{1,60}\bon (?:twitter|facebook|instagram)|\b(?:follow|like|find|join) us on\b"),
    "an advertisement": re.compile(
        r"affiliate (?:link|commission)|our (?:advertisers|partners)\b|receive compensation"
    ),
    "legal notices": re.compile(r"all rights reserved|\bcopyright ©|©\s*\d{4}"),
    "comments": re.compile(r"(?:leave|post|add) a (?:reply|comment)|letters? to the editor"),
    "a question about the page": re.compile(r"was this .{0,30}(?:helpful|useful)"),
    "a cookie notice": re.compile(r"\bcookie (?:policy|settings|preferences)|we use cookies"),
    "an appeal for support": re.compile(r"\bdonate\b|\b(?:support|help) us\b|become a (?:member|patron|subscriber)"),
}
_OTHER_PART = re.compile(
    r"\W*(?:skip|jump|go|back|return) to (?:the )?(?:main |page )?(?:content|navigation|top|search|menu|footer)\W*"
)
_ADVERTISEMENT = re.compile(r"\W*(?:advertisements?|sponsored(?: content)?)\W*")


def empty_line(words: str) -> str:
    """Return what a line that says nothing of its own is for (sharing, an advertisement), nothing for any other."""
    words = words.casefold()
    if _SHARE_LINE.fullmatch(words):
        return SHARING
    if _OTHER_PART.fullmatch(words):
        return "a link to another part of the page"
    return "an advertisement" if _ADVERTISEMENT.fullmatch(words) else ""


def invitation(words: str) -> str:
    """Return what a short text asks of the reader, nothing where it asks nothing."""
    words = words.casefold()
    return next((kind for kind, pattern in _INVITATIONS.items() if pattern.search(words)), "")
