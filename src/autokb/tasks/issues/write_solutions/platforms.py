"""For whom a part of a manual is written, and how it reads for one node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from autokb.core.attributes import ANY, Attributes, Match, compare
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.ids import canonical_json
from autokb.core.nouns import Span
from autokb.tasks.task import plain
from autokb.text.conditional_markup import Switch
from autokb.text.lexicon import settled, switch_attributes, text_attributes
from autokb.text.markdown import plain_text, sentences

SHORT = 60  # characters of a switched part that is named after its words and not before them
_CONDITION = re.compile(
    r"(?:[-*\d.)\s]*)((?:on|in|for|if|when|using|with|under|users? of)\b[^,:;.]{1,70}[,:]"
    r"|[^\s,:;.][^,:;.]{1,30}:(?=\s)|(?:on|for|under)(?:\s+[^\s,:;.]+){1,4})",
    re.IGNORECASE,
)
_HOLE = re.compile(r"\(\s*\)|\[\s*\]")
_LOOSE = re.compile(r"\s+(?=[,.;:!?)](?:\s|$))")


@dataclass(frozen=True, slots=True)
class _Configured:
    """A configuration that can be looked up by its one spelling."""

    key: str
    configuration: Mapping[str, Attribute] = field(compare=False)


class Reader:
    """Reads what headings, conditions and switches say, each text once."""

    def __init__(self, configuration: Mapping[str, Attribute]) -> None:
        self.spec = DomainSpec(name="", attributes=configuration)
        self.names = tuple(configuration)
        self.said = lru_cache(maxsize=20_000)(self._said)
        self.switched = lru_cache(maxsize=2_000)(self._switched)

    def _said(self, text: str) -> Attributes:
        return text_attributes(text, self.spec)

    def _switched(self, names: tuple[str, ...], negated: bool) -> Attributes:
        return switch_attributes(names, negated, self.spec)

    def condition(self, sentence: str) -> Attributes:
        """Return what the condition at the beginning of a sentence says: ``On Windows, ...``."""
        found = _CONDITION.match(sentence)
        return self.said(found.group(1)) if found else {}

    def settled(self, attributes: Attributes) -> Attributes:
        """Return what is said with what follows from it; Any says nothing."""
        return settled({n: v for n, v in attributes.items() if v != ANY}, self.spec.attributes)

    def against(self, part: Attributes, node: Attributes) -> bool:
        """Return whether a part is written for others than the node."""
        return bool(part) and compare(self.settled(part), node, self.names) is Match.CONFLICT


@lru_cache(maxsize=4)
def _reader(configured: _Configured) -> Reader:
    return Reader(configured.configuration)


def reader(configuration: Mapping[str, Attribute]) -> Reader:
    """Return the reader of a configuration, made once."""
    return _reader(_Configured(canonical_json(plain(configuration)), configuration))


@dataclass(frozen=True, slots=True)
class Tailored:
    """A step as one node reads it; ``narrowed`` names the attributes for which something was left out."""

    text: str
    narrowed: frozenset[str] = frozenset()


def tailored(text: str, span: Span, switches: Sequence[Switch], node: Attributes, read: Reader) -> Tailored:
    """Return the readable words of a span for a node: what is switched off for it is gone, alternatives are named.

    ``switches`` are those that do not go around the whole solution.
    """
    narrowed: set[str] = set()
    inside = [s for s in switches if s.start < span[1] and s.end > span[0]]
    markdown = _switched_text(text, span, inside, node, read, narrowed) if inside else text[span[0] : span[1]]
    markdown = _without_others(markdown, node, read, narrowed)
    words = plain_text(markdown, bullet="- ", images=False)
    words = _LOOSE.sub("", _HOLE.sub("", words)).removeprefix("- ").strip()
    if not any(c.isalnum() for c in words):
        return Tailored("", frozenset(narrowed))
    around = [s for s in inside if s.inner[0] <= span[0] and span[1] <= s.inner[1]]
    names = [f"({label(s)})" for s in around if set(read.switched(s.names, s.negated)) - set(node)]
    return Tailored(" ".join((*names, words)), frozenset(narrowed))


def _switched_text(
    text: str, span: Span, switches: Sequence[Switch], node: Attributes, read: Reader, narrowed: set[str]
) -> str:
    """Return the Markdown of a span with its switches decided for a node."""
    out: list[str] = []
    here = span[0]
    for number, switch in enumerate(switches):
        if switch.start < here and switch.end <= here:
            continue  # inside a part that is gone
        said = read.switched(switch.names, switch.negated)
        inner = (max(switch.inner[0], span[0]), min(switch.inner[1], span[1]))
        if read.against(said, node):
            _append(out, text[here : max(here, switch.start)])
            narrowed.update(read.settled(said))
            here = max(here, min(switch.end, span[1]))
        elif inner[0] == switch.inner[0] and inner[1] == switch.inner[1] and not _nested(switch, switches):
            _append(out, text[here : max(here, switch.start)])
            _append(out, _named(text, switch, switches, number, said, node, read))
            here = max(here, switch.end)
    _append(out, text[here : span[1]])
    return "".join(out)


def _nested(switch: Switch, switches: Sequence[Switch]) -> bool:
    return any(s is not switch and s.start >= switch.inner[0] and s.end <= switch.inner[1] for s in switches)


def _append(out: list[str], part: str) -> None:
    """Add a part; emphasis that holds nothing any more goes."""
    if out and part:
        for mark in ("**", "__", "*", "_", "`"):
            if out[-1].endswith(mark) and part.startswith(mark):
                out[-1], part = out[-1][: -len(mark)], part[len(mark) :]
                break
    if part:
        out.append(part)


def _named(
    text: str, switch: Switch, switches: Sequence[Switch], number: int, said: Attributes, node: Attributes, read: Reader
) -> str:
    """Return a switched part, with the names it is for where the node leaves open which one holds."""
    words = text[switch.inner[0] : switch.inner[1]]
    open_names = [n for n in said if n not in node]
    others = [s for s in switches if s is not switch and not read.against(read.switched(s.names, s.negated), node)]
    before = any(s.end <= switch.start and not text[s.end : switch.start].strip() for s in others)
    after = any(switch.end <= s.start and not text[switch.end : s.start].strip() for s in others)
    if not words.strip() or not (open_names or ((before or after) and not said)):
        return words
    names = label(switch)
    if len(words) > SHORT or "\n" in words:
        lead = len(words) - len(words.lstrip())
        return f"{words[:lead] or ' '}({names}) {words[lead:]}"
    named = f"{words.rstrip()} ({names})" + words[len(words.rstrip()) :]
    return f" / {named}" if before and number else named


def label(switch: Switch) -> str:
    """Return the names a switch is for, as the source has them."""
    return ("not " if switch.negated else "") + ", ".join(switch.names)


def _without_others(markdown: str, node: Attributes, read: Reader, narrowed: set[str]) -> str:
    """Leave out the sentences that begin with a condition the node does not meet."""
    if not node:
        return markdown
    gone: list[Span] = []
    for start, end in sentences(markdown):
        said = read.condition(plain_text(markdown[start:end], images=False))
        if said and read.against(said, node):
            gone.append((start, end))
            narrowed.update(read.settled(said))
    for start, end in reversed(gone):
        markdown = markdown[:start] + markdown[end:]
    return markdown
