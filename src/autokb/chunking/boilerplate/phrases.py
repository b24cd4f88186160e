"""Phrases that give boilerplate away, by what it is for."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What a kind of boilerplate says: ``opening`` at the beginning of a text, ``anywhere`` in it.

    ``hints`` are there to save time: nothing is found anywhere in a text that holds none of them.
    """

    opening: str = ""
    anywhere: str = ""
    hints: tuple[str, ...] = ()


# All in small letters; so are the texts that are looked at.
_KINDS = {
    "a link to another part of the page": _Phrases(
        anywhere=r"(?:skip|jump|go|back|return) to (?:the )?(?:main |page )?"
        r"(?:content|navigation|top|search|menu|footer)",
        hints=("p to ", "go to ", "back to ", "return to "),
    ),
    "a cookie notice": _Phrases(
        anywhere=r"\bcookies?\b.{0,80}\b(?:accept|agree|consent|polic|settings)|\b(?:accept|we use|manage) "
        r"(?:all )?cookies?\b|\bgdpr\b",
        hints=("cookie", "gdpr"),
    ),
    "an invitation to subscribe": _Phrases(
        anywhere=r"\bnewsletter|\bsubscribe\b|sign(?:ing)? ?up (?:for|to|now|today|here)\b|"
        r"\bin your inbox\b|e-?mail updates|daily edition|never miss|breaking news alert|"
        r"get the latest .{0,40}(?:inbox|e-?mail|delivered|phone)",
        hints=(
            *("newsletter", "subscribe", "up for", "up to", "up now", "up today", "up here", "inbox", "mail updates"),
            *("daily edition", "never miss", "breaking news", "get the latest "),
        ),
    ),
    "sharing and social networks": _Phrases(
        opening=r"\W*(?:share|tweet|pin it|print|like|follow)\W*$|\W*share (?:on|via)\b|"
        r"\W*(?:(?:facebook|twitter|pinterest|instagram|whatsapp|linkedin|reddit|tumblr|youtube|flipboard|telegram|"
        r"print|e-?mail|copy link|rss)\W*)+$",
        anywhere=r"\bshare this\b|(?:follow|like|find|join) (?:us|me|him|her) on\b|"
        r"follow [@\w .]{2,40} on (?:twitter|facebook|instagram)",
        hints=("share this", " us on", " me on", " him on", " her on", "on twitter", "on facebook", "on instagram"),
    ),
    "legal notices": _Phrases(
        opening=r"\W*©|\W*(?:your )?(?:privacy (?:policy|notice)|terms (?:of (?:use|service)|and conditions|"
        r"& conditions))",
        anywhere=r"\bcopyright\b.{0,60}(?:\d{4}|reserved)|all rights reserved|©\s*\d{4}|do not sell my",
        hints=("copyright", "all rights", "©", "do not sell"),
    ),
    "an advertisement": _Phrases(
        opening=r"\W*advertise?ments?\W*$|\W*sponsored\b",
        anywhere=r"continue reading below|affiliate (?:link|commission)|"
        r"earn (?:an? )?(?:small )?(?:affiliate )?commission|(?:receive|earn) compensation|our advertisers|"
        r"advertise with",
        hints=("reading below", "affiliate ", "commission", " compensation", "our advertisers", "advertise with"),
    ),
    "related pages": _Phrases(
        opening=r"\W*(?:related|recommended|trending|more (?:from|on|in|like|news|stories|about|articles)|"
        r"most (?:read|popular|viewed|recent|commented)|you (?:may|might|could) (?:also )?(?:like|enjoy|be interested)|"
        r"read (?:more|next|also|the full)|see (?:also|more)|also (?:read|see|on)|up next|latest (?:news|stories|posts|"
        r"articles)|popular (?:posts|stories|now)|don['’]?t miss|what to read next|editors?['’]? picks?|top stories|"
        r"recent (?:posts|articles|comments)|check out)\b.{0,80}$",
    ),
    "comments": _Phrases(
        opening=r"\W*comments?\W*(?:\(?\d*\)?)?$",
        anywhere=r"leave a (?:reply|comment)|post a comment|\d+ comments?\b|log ?in to (?:comment|reply|post)|"
        r"join the (?:conversation|discussion)|e-?mail address will not be published|add a comment|"
        r"view (?:all )?comments|(?:submit|write) (?:a|your) letter|letters? to the editor",
        hints=("comment", "leave a reply", "in to reply", "in to post", "join the ", "mail address will", "letter"),
    ),
    "a question about the page": _Phrases(
        anywhere=r"was this (?:\w+ ){0,3}(?:helpful|useful)|did this (?:\w+ ){0,3}help|rate this|"
        r"how helpful|(?:give|send|leave) feedback|report (?:a|an|this) (?:problem with this page|typo|ad)|"
        r"found a typo|(?:like|what (?:do )?you think (?:of|about)) (?:this|the|our) (?:article|recipe|post|page)\W*\?",
        hints=("was this ", "did this ", "rate this", "how helpful", " feedback", "report ", "found a typo", "?"),
    ),
    "ways to reach people": _Phrases(
        opening=r"\W*(?:contact|chat with|call|talk to|ask) (?:us|an? (?:expert|agent)|support)\b.{0,60}$",
        anywhere=r"request a call|call ?back request|live chat|chat now|need (?:more )?help\?",
        hints=("request a call", "back request", "live chat", "chat now", "help?"),
    ),
    "an appeal for support": _Phrases(
        opening=r"\W*(?:please )?(?:help|support) us\b",
        anywhere=r"we need your help|\bdonate\b|become a (?:member|patron|supporter)",
        hints=("need your help", "donate", "become a "),
    ),
    "an account": _Phrases(
        opening=r"\W*(?:log ?in|sign ?in|log ?out|register|create (?:an )?account|my account|sign ?up|"
        r"forgot .{0,20}password)\b.{0,40}$",
        anywhere=r"already (?:a|have an?) (?:member|subscriber|account)",
        hints=("already ",),
    ),
    "turning pages": _Phrases(
        opening=r"(?!\+)\W*(?:(?:previous|next|prev|older|newer|first|last|page|of|\d{1,3}|[«»‹›<>→←|…])\s+){2,}"
        r"\W*$|\W*(?:previous|next|prev|older|newer)\W*(?:post|page|article|story|entry|chapter)?s?\W*$|"
        r"\W*(?:previous|next) (?:post|page|article|story|entry|chapter)\b.{0,80}$",
    ),
}
_OPENINGS = {kind: re.compile(words.opening) for kind, words in _KINDS.items() if words.opening}
_ANY_OPENING = re.compile("|".join(words.opening for words in _KINDS.values() if words.opening))
_ANYWHERE = {kind: re.compile(words.anywhere) for kind, words in _KINDS.items() if words.anywhere}
_HINTS = [(hint, kind) for kind, words in _KINDS.items() for hint in words.hints]
_CREDIT = re.compile(r"\W*(?:photo|image|picture|photograph|credit|getty|file photo|courtesy)\b.{0,80}$", re.IGNORECASE)
_CREDIT_AT_END = re.compile(r"\((?:photo|image|credit)\b[^)]*\)\W*$", re.IGNORECASE)
_OF_SECTIONS = frozenset(
    {"an invitation to subscribe", "an advertisement", "related pages", "comments", "a question about the page"}
)
LONGEST = 45  # words: a longer text that names such a thing is about it


def boilerplate_kind(words: str, count: int) -> str:
    """Return what a short text of a page is for, when that is boilerplate; else nothing."""
    if not 0 < count <= LONGEST:
        return ""
    text = _small(words)
    hinted = {kind for hint, kind in _HINTS if hint in text}
    if not hinted and not _ANY_OPENING.match(text):
        return ""
    for kind in _KINDS:
        if kind in _OPENINGS and _OPENINGS[kind].match(text):
            return kind
        if kind in hinted and _ANYWHERE[kind].search(text):
            return kind
    return ""


def _small(words: str) -> str:
    """Return words in small letters; letters that others are taken for where case says nothing become these."""
    if not words.isascii():
        words = words.replace("İ", "i").replace("ı", "i").replace("ſ", "s")
    return words.lower()


def names_section(kind: str) -> bool:
    """Return whether a heading of this kind makes boilerplate of what is under it; "YouTube" may be an app."""
    return kind in _OF_SECTIONS


def is_credit(words: str, count: int) -> bool:
    """Return whether a short text only names whose picture it is."""
    if not 0 < count <= LONGEST:
        return False
    return _CREDIT.match(words) is not None or ("(" in words and _CREDIT_AT_END.search(words) is not None)
