"""Whether a reply names something that neither its passages nor the conversation name: numbers, addresses, menus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.heuristics.grounding.support import folded_name, unsupported_fact, unsupported_name
from autokb.text.languages import find_other_language
from autokb.text.lexicons import WordLists, word_lists
from autokb.text.words import content_words

POSSESSIVE = "'s"
_ARROW = re.compile(r"\s*[>→›»]\s*")  # between the names of a way through menus
_SENTENCE = re.compile(r"[^\n.!?]+")
_CAPITALISED = re.compile(r"(?<![\w'’&-])[^\W\d_a-z][^\W_]*(?:['’-][^\W_]+)*")
_OPENING = re.compile(r"(?:^|[.!?…:\n])[\W_]*$")  # what stands before the first word of a sentence


@dataclass(frozen=True, slots=True)
class ReplyWords(WordLists):
    """Words of replies; the YAML file says what each is for."""

    file: ClassVar[str] = "replies"

    only_names_have_capitals: bool = False
    capitals_of_grammar: frozenset[str] = frozenset()


def ungrounded(reply: str, material: str, language: str = ENGLISH) -> str:
    """Return what a reply names that its material does not, as a sentence, or nothing.

    Looked at are numbers, addresses, names in quotation marks or bold, the names of a way through menus
    (``File > Options``) and, in a language that writes names alone with a capital, such words within a sentence.
    """
    return (
        unsupported_fact(reply, material)
        or unsupported_name(reply, material)
        or _strange_menu(reply, material)
        or _strange_capital(reply, material, language)
    )


def _strange_menu(reply: str, material: str) -> str:
    folded = folded_name(material)
    for sentence in _SENTENCE.findall(reply):
        first, *others = _ARROW.split(sentence)
        if not others:
            continue
        # Words of the sentence may stand before the first name and behind the last one.
        names = [*first.split()[-1:], *others[:-1], *others[-1].split()[:1]]
        for name in names:
            if folded_name(name).strip(",;:") not in folded:
                return f"the menu {name[:60]!r} does not stand in its source"
    return ""


def _strange_capital(reply: str, material: str, language: str) -> str:
    words = word_lists(ReplyWords, language)
    if not words.only_names_have_capitals:
        return ""
    known = material.casefold().replace("’", "'")
    strange = []
    for found in _CAPITALISED.finditer(reply):
        folded = found.group().casefold().replace("’", "'")
        is_known = re.search(rf"(?<!\w){re.escape(folded.removesuffix(POSSESSIVE))}", known)
        if not (is_known or folded in words.capitals_of_grammar or _OPENING.search(reply[: found.start()])):
            strange.append(found.group())
    # The customer's language may be another one, in which any noun has a capital.
    if not strange or find_other_language(reply, language, content_words(material, language)):
        return ""
    return f"the name {strange[0][:60]!r} does not stand in its source"
