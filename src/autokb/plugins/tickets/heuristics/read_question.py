"""What a question says of which sections, and which sections it asks for, by the template's cues."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from autokb.core.ticket_answer import QuestionParts
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET
from autokb.plugins.tickets.heuristics.parse_sections import block_sections, known_headings, split_text

# Cosine of a question's beginning or end to a cue from which a question without any cue asks for its section: on the
# development questions, each without the cues it holds, two in three of those above are right, one in four just below.
SURE = 0.52
END_WORDS = (4, 6)  # of a question's beginning and end that are compared with cues: people ask there
# An apostrophe inside of a word begins and ends no quotation.
_MARKS = "\"'“”„»«‘’ "
_QUOTED = re.compile(r"""["“”„»«‘][^"“”„»«‘’\n]{8,300}["“”»«’]|(?<!\w)'(?:[^'\n]|\b'\b){8,300}'(?!\w)""")
_LINES_OF_A_TICKET = 4  # lines from which on a question is read like a ticket: its first line is the summary


def read_ticket_question(
    question: str,
    template: TicketTemplate,
    values: Mapping[str, Sequence[str]],
    nearness: Callable[[], Mapping[str, float]] = dict,
) -> QuestionParts:
    """Read a question about tickets.

    ``values`` are the known values of each section that only holds a field, ``nearness`` gives the cosine of the
    question's ends to the cues of each section, which counts where no cue is in the question.
    """
    question = question.strip()
    if reads_like_a_ticket(question):
        return QuestionParts(_entities_of_message(question, template), (), {})
    filters = find_filters(question, template, values)
    intents, rest = find_intents(question, template, filters)
    links = find_links(question, template)
    if not intents and not links and (near := nearness()):
        best = max(near, key=lambda name: near[name])
        intents = (best,) if near[best] >= SURE else ()
    entities = {}
    if summary := template.field_of.get("title"):
        entities[summary] = rest or question
    quoted = [found.group().strip(_MARKS) for found in _QUOTED.finditer(question)]
    if quoted and (described := template.field_of.get("description")):
        entities[described] = "\n".join(quoted)
    return QuestionParts(entities, intents, filters, links)


def reads_like_a_ticket(text: str) -> bool:
    """Return whether a text reports a problem at length, as a ticket does; what it names is then not what it asks."""
    return len(text.strip().split("\n")) >= _LINES_OF_A_TICKET or "```" in text


def question_ends(question: str) -> list[str]:
    """Return the beginnings and ends of a question, which are compared with cues where it holds none."""
    words = question.strip(" \n?.!").split()
    return list(dict.fromkeys(" ".join(part) for n in END_WORDS for part in (words[:n], words[-n:]) if part))


def cue_phrases(template: TicketTemplate) -> list[tuple[str, str]]:
    """Return the cues of a template with their sections, in its order."""
    return [(rule.name, cue) for rule in template.sections for cue in rule.cues]


# Complex: cues, phrases that are none and quotations compete for the same words.
def find_intents(question: str, template: TicketTemplate, filters: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Return the sections whose cues are in a question, and the question without these cues.

    The cue nearest to its beginning or end comes first: people ask there.

    A cue inside of a longer one of another section counts for that one alone: ``expected result`` is no ``result``. A
    cue behind ``with`` or ``of`` before a known value, as in "with priority high", asks for nothing, nor does one in
    quotation marks or in a phrase that the template says is none: their words stay.
    """
    found: list[tuple[int, int, str]] = []
    taken = [match.span() for match in _QUOTED.finditer(question)]
    for pattern, section in _cues(template):
        for match in pattern.finditer(question):
            start, end = match.span()
            if section in filters or any(a < end and start < b for a, b in taken):
                continue
            taken.append((start, end))
            if section:
                found.append((end - start, start, section))
    found.sort(key=lambda one: (min(one[1], len(question) - one[1] - one[0]), -one[0]))
    intents = tuple(dict.fromkeys(section for _, _, section in found))
    rest = question
    for start, end in sorted(((start, start + length) for length, start, _ in found), reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    return intents, " ".join(rest.split()).strip(" ?:,")


def find_links(question: str, template: TicketTemplate) -> tuple[str, ...]:
    """Return the kinds of links whose cues are in a question, in the order of the template."""
    return tuple(rule.name for rule in template.links if any(_as_words(cue).search(question) for cue in rule.cues))


def without_link_cues(question: str, template: TicketTemplate) -> str:
    """Return a question without the words that ask for links."""
    for cue in sorted((cue for rule in template.links for cue in rule.cues), key=len, reverse=True):
        question = _as_words(cue).sub(" ", question)
    return question


def find_filters(question: str, template: TicketTemplate, values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the values of fields that a question names beside them: ``with major priority``, ``priority: high``."""
    found: dict[str, str] = {}
    for section, known in values.items():
        names = "|".join(re.escape(name) for name in (section.replace("_", " "), *template[section].cues))
        for value in sorted(known, key=len, reverse=True):
            if not value or section in found:
                continue
            spelled = re.escape(value)
            beside = rf"(?<!\w)(?:(?:{names})\s*(?:is|=|:)?\s*[\"']?{spelled}|{spelled}[\"']?\s+(?:{names}))(?!\w)"
            if re.search(beside, question, re.IGNORECASE):
                found[section] = value
    return found


def _entities_of_message(message: str, template: TicketTemplate) -> dict[str, str]:
    """Return the sections of a message that is written like a ticket."""
    first, _, rest = message.partition("\n")
    found: dict[str, list[str]] = {}
    if summary := template.field_of.get("title"):
        found[summary] = [first.strip("#* ")]
    else:
        rest = message
    described = template.field_of.get("description", TICKET)
    for section, text in split_text(rest, described, known_headings(template), block_sections(template)):
        found.setdefault(section, []).append(text)
    found.pop(TICKET, None)
    return {section: "\n\n".join(texts) for section, texts in found.items()}


@lru_cache(maxsize=8)
def _cues(template: TicketTemplate) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns of all cues with their sections, the longest first; what is no cue has none ("")."""
    cues = {cue: rule.name for rule in reversed(template.sections) for cue in rule.cues}
    cues |= {phrase: "" for rule in template.sections for phrase in rule.not_cues}
    ordered = sorted(cues.items(), key=lambda one: (-len(one[0]), one[0]))
    return tuple((_as_words(cue), section) for cue, section in ordered)


def _as_words(cue: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(cue)}(?!\w)", re.IGNORECASE)
