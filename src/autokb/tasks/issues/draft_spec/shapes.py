"""What the task is asked, what it answers, and what makes an answer wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from autokb.tasks.reply import LeftOut, Reply, ReplyError

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
RULE_ID = re.compile(r"[a-z][a-z0-9-]{0,39}")
MOST_ATTRIBUTES = 10
MOST_VALUES = 20
MOST_WORDS = 12  # synonyms of a value
MOST_EXAMPLES = 12
MOST_RULES = 10
LONGEST_VALUE = 60
LONGEST_TEXT = 300
UNWANTED = frozenset(
    {"any", "none", "n/a", "unknown", "unspecified", "not specified", "not applicable", "all", "other"}
)


@dataclass(frozen=True, slots=True)
class DraftSpec:
    """What is known of a domain: sampled issues, titles and openings of documents, and what is configured already.

    ``attributes`` are names with their values or examples, ``rules`` ids with their texts.
    """

    domain: str
    issues: tuple[str, ...]
    documents: tuple[tuple[str, str], ...]
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


class Synonyms(Reply):
    """Other words for one value."""

    value: str
    words: tuple[str, ...]


class DraftedAttribute(Reply):
    """One proposed attribute; ``issues`` are the numbers (from 1) of the sampled issues that show it."""

    name: str
    kind: Literal["closed", "open"]
    values: tuple[str, ...] = ()
    synonyms: tuple[Synonyms, ...] = ()
    examples: tuple[str, ...] = ()
    why: str
    issues: tuple[int, ...] = ()


class DraftedRule(Reply):
    """One proposed rule; a model gives no patterns, as a pattern it made up would judge unseen."""

    id: str
    text: str
    why: str
    patterns: tuple[str, ...] = ()


class DraftedSpec(Reply):
    """Attributes and rules for a person to edit, and what of a reply was not taken."""

    attributes: tuple[DraftedAttribute, ...]
    rules: tuple[DraftedRule, ...]
    left_out: tuple[LeftOut, ...] = ()


def check(item: DraftSpec, reply: DraftedSpec) -> None:
    """Refuse what ``domain.yaml`` could not take: wrong or doubled names and values, Any, NONE, a lonely value."""
    _distinct("attribute", [*(name for name, _ in item.attributes), *(a.name for a in reply.attributes)])
    _distinct("rule", [*(rule for rule, _ in item.rules), *(r.id for r in reply.rules)])
    for attribute in reply.attributes:
        _check_attribute(attribute, len(item.issues))
    for rule in reply.rules:
        if not RULE_ID.fullmatch(rule.id) or not rule.text.strip():
            raise ReplyError(f"The rule {rule.id!r} needs an id of small letters and hyphens, and a text.")


def _check_attribute(attribute: DraftedAttribute, issues: int) -> None:
    if not NAME.fullmatch(attribute.name):
        raise ReplyError(f"The attribute {attribute.name!r} needs a name of small letters and underscores.")
    listed = attribute.values if attribute.kind == "closed" else attribute.examples
    if len(listed) < 2:
        raise ReplyError(f"{attribute.name}: give at least two values; one alone tells nothing apart.")
    _distinct(f"value of {attribute.name}", listed)
    if unwanted := [v for v in listed if v.casefold() in UNWANTED or not v.strip()]:
        raise ReplyError(f"{attribute.name}: {unwanted[0]!r} is no value; Any and NONE are understood already.")
    if stray := {s.value for s in attribute.synonyms} - set(listed):
        raise ReplyError(f"{attribute.name}: {sorted(stray)[0]!r} has synonyms but is none of its values.")
    _distinct(f"synonym of {attribute.name}", [w for s in attribute.synonyms for w in s.words])
    if any(not 1 <= number <= issues for number in attribute.issues):
        raise ReplyError(f"{attribute.name}: the issues have the numbers 1 to {issues}.")


def _distinct(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise ReplyError(f"The {what} {name!r} stands twice; give it once.")
        seen.add(name.casefold())
