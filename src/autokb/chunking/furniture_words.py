"""Words that give page furniture away, by what it is for."""

from __future__ import annotations

import re

_KINDS = {
    "a link to another part of the page": r"(?:skip|jump|go|back|return) to (?:the )?(?:main |page )?"
    r"(?:content|navigation|top|search|menu|footer)",
    "a cookie notice": r"\bcookies?\b.{0,80}\b(?:accept|agree|consent|polic|settings)|\b(?:accept|we use|manage) "
    r"(?:all )?cookies?\b|\bgdpr\b",
    "an invitation to subscribe": r"\bnewsletter|\bsubscribe\b|sign(?:ing)? ?up (?:for|to|now|today|here)\b|"
    r"\bin your inbox\b|e-?mail updates|daily edition|never miss|breaking news alerts?|"
    r"get the latest .{0,40}(?:inbox|e-?mail|delivered|phone)",
    "sharing and social networks": r"^\W*(?:share|tweet|pin it|print|like|follow)\W*$|\bshare this\b|"
    r"^\W*share (?:on|via)\b|(?:follow|like|find|join) (?:us|me|him|her) on\b|follow [@\w .]{2,40} on (?:twitter|"
    r"facebook|instagram)|^\W*(?:(?:facebook|twitter|pinterest|"
    r"instagram|whatsapp|linkedin|reddit|tumblr|youtube|flipboard|telegram|print|e-?mail|copy link|rss)\W*)+$",
    "legal notices": r"^\W*©|\bcopyright\b.{0,60}(?:\d{4}|reserved)|all rights reserved|©\s*\d{4}|"
    r"^\W*(?:your )?(?:privacy (?:policy|notice)|terms (?:of (?:use|service)|and conditions|& conditions))|"
    r"do not sell my",
    "an advertisement": r"^\W*advertise?ments?\W*$|^\W*sponsored\b|continue reading below|"
    r"affiliate (?:link|commission)|earn (?:an? )?(?:small )?(?:affiliate )?commission|"
    r"(?:receive|earn) compensation|our advertisers|advertise with",
    "related pages": r"^\W*(?:related|recommended|trending|more (?:from|on|in|like|news|stories|about|articles)|"
    r"most (?:read|popular|viewed|recent|commented)|you (?:may|might|could) (?:also )?(?:like|enjoy|be interested)|"
    r"read (?:more|next|also|the full)|see (?:also|more)|also (?:read|see|on)|up next|latest (?:news|stories|posts|"
    r"articles)|popular (?:posts|stories|now)|don['’]?t miss|what to read next|editors?['’]? picks?|top stories|"
    r"recent (?:posts|articles|comments)|check out)\b.{0,80}$",
    "comments": r"leave a (?:reply|comment)|post a comment|\d+ comments?\b|^\W*comments?\W*(?:\(?\d*\)?)?$|"
    r"log ?in to (?:comment|reply|post)|join the (?:conversation|discussion)|e-?mail address will not be published|"
    r"add a comment|view (?:all )?comments|(?:submit|write) (?:a|your) letter|letters? to the editor",
    "a question about the page": r"was this (?:\w+ ){0,3}(?:helpful|useful)|did this (?:\w+ ){0,3}help|rate this|"
    r"how helpful|(?:give|send|leave) feedback|report (?:a|an|this) (?:problem with this page|typo|ad)|found a typo|"
    r"(?:like|what (?:do )?you think (?:of|about)) (?:this|the|our) (?:article|recipe|post|page)\W*\?",
    "ways to reach people": r"^\W*(?:contact|chat with|call|talk to|ask) (?:us|an? (?:expert|agent)|support)\b.{0,60}$|"
    r"request a call|call ?back request|live chat|chat now|need (?:more )?help\?",
    "an appeal for support": r"^\W*(?:please )?(?:help|support) us\b|we need your help|"
    r"\bdonate\b|become a (?:member|patron|supporter)",
    "an account": r"^\W*(?:log ?in|sign ?in|log ?out|register|create (?:an )?account|my account|sign ?up|"
    r"forgot .{0,20}password)\b.{0,40}$|already (?:a|have an?) (?:member|subscriber|account)",
    "turning pages": r"^(?!\+)\W*(?:(?:previous|next|prev|older|newer|first|last|page|of|\d{1,3}|[«»‹›<>→←|…])\s+){2,}"
    r"\W*$|^\W*(?:previous|next|prev|older|newer)\W*(?:post|page|article|story|entry|chapter)?s?\W*$|"
    r"^\W*(?:previous|next) (?:post|page|article|story|entry|chapter)\b.{0,80}$",
}
_WORDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _KINDS.items()}
_CREDIT = re.compile(
    r"^\W*(?:photo|image|picture|photograph|credit|getty|file photo|courtesy)\b.{0,80}$|"
    r"\((?:photo|image|credit)\b[^)]*\)\W*$",
    re.IGNORECASE,
)
_OF_SECTIONS = frozenset(
    {"an invitation to subscribe", "an advertisement", "related pages", "comments", "a question about the page"}
)
LONGEST = 45  # words: a longer text that names such a thing is about it


def furniture_kind(words: str, count: int) -> str:
    """Return what a short text of a page is for, when that is page furniture; else nothing."""
    if not 0 < count <= LONGEST:
        return ""
    return next((kind for kind, pattern in _WORDS.items() if pattern.search(words)), "")


def names_section(kind: str) -> bool:
    """Return whether a heading of this kind makes furniture of what stands under it; "YouTube" may be an app."""
    return kind in _OF_SECTIONS


def is_credit(words: str, count: int) -> bool:
    """Return whether a short text only names whose picture it is."""
    return 0 < count <= LONGEST and _CREDIT.search(words) is not None
