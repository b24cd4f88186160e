"""What is known of a domain, and the attributes and rules that are proposed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.reply import LeftOut, Reply

MOST_ATTRIBUTES = 10  # of a proposal; a person has to read them all
MOST_VALUES = 20  # of an attribute
MOST_SYNONYMS = 12  # of a value


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
    language: str = only_if_other_than(ENGLISH)


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
