"""For whom a part of a manual is written, and how it reads for one node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from autokb.core.attributes import ANY, Attributes, Match, compare
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.ids import canonical_json
from autokb.core.keys import key_json
from autokb.core.nouns import Span
from autokb.text.conditional_markup import Switch
from autokb.text.lexicon import settled, switch_attributes, text_attributes
from autokb.text.markdown import plain_text, sentences

LONGEST_LABELLED = 60  # characters of a switched part that is labelled behind it; a longer one is labelled in front
_CONDITION = re.compile(
    r"(?:[-*\d.)\s]*)((?:on|in|for|if|when|using|with|under|users? of)\b[^,:;.]{1,70}[,:]"
    r"|[^\s,:;.][^,:;.]{1,30}:(?=\s)|(?:on|for|under)(?:\s+[^\s,:;.]+){1,4})",
    re.IGNORECASE,
)
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[,.;:!?)](?:\s|$))")
_EMPHASIS = ("**", "__", "*", "_", "`")


@dataclass(frozen=True, slots=True)
class _Configured:
    """A configuration that can be looked up by its one spelling."""

    key: str
    configuration: Mapping[str, Attribute] = field(compare=False)


class AudienceReader:
    """Reads for whom headings, conditions and switches are written, each text once."""

    def __init__(self, configuration: Mapping[str, Attribute]) -> None:
        self.spec = DomainSpec(name="", attributes=configuration)
        self.names = tuple(configuration)
        self._of_text = lru_cache(maxsize=20_000)(lambda text: text_attributes(text, self.spec))
        self._of_names = lru_cache(maxsize=2_000)(lambda names, not_: switch_attributes(names, not_, self.spec))

    def of_text(self, text: str) -> Attributes:
        """Return whom a heading or step names."""
        return self._of_text(text)

    def of_switch(self, switch: Switch) -> Attributes:
        """Return whom a switched part is for."""
        return self._of_names(switch.names, switch.negated)

    def of_condition(self, sentence: str) -> Attributes:
        """Return whom the condition at the beginning of a sentence names: ``On Windows, ...``."""
        found = _CONDITION.match(sentence)
        return self.of_text(found.group(1)) if found else {}

    def settled(self, attributes: Attributes) -> Attributes:
        """Return attributes with what follows from them; Any says nothing."""
        return settled({n: v for n, v in attributes.items() if v != ANY}, self.spec.attributes)

    def excludes(self, audience: Attributes, node: Attributes) -> bool:
        """Return whether a part for this audience is written for others than the node."""
        return bool(audience) and compare(self.settled(audience), node, self.names) is Match.CONFLICT


@lru_cache(maxsize=4)
def _made_reader(configured: _Configured) -> AudienceReader:
    return AudienceReader(configured.configuration)


def audience_reader(configuration: Mapping[str, Attribute]) -> AudienceReader:
    """Return the reader of a configuration, made once."""
    return _made_reader(_Configured(canonical_json(key_json(configuration)), configuration))


@dataclass(frozen=True, slots=True)
class TailoredText:
    """A step as one node reads it; ``narrowed`` names the attributes for which something was left out."""

    text: str
    narrowed: frozenset[str] = frozenset()


def tailor(text: str, span: Span, switches: Sequence[Switch], node: Attributes, reader: AudienceReader) -> TailoredText:
    """Return the readable words of a span for a node: what is switched off for it is gone, alternatives are named.

    ``switches`` are those that do not go around the whole solution.
    """
    inside = [s for s in switches if s.start < span[1] and s.end > span[0]]
    tailoring = _Tailoring(text, inside, node, reader)
    markdown = tailoring.decide_switches(span) if inside else text[span[0] : span[1]]
    markdown = tailoring.without_other_conditions(markdown)
    words = plain_text(markdown, bullet="- ", images=False)
    words = _SPACE_BEFORE_MARK.sub("", _EMPTY_BRACKETS.sub("", words)).removeprefix("- ").strip()
    narrowed = frozenset(tailoring.narrowed)
    if not any(c.isalnum() for c in words):
        return TailoredText("", narrowed)
    around = [s for s in inside if s.inner[0] <= span[0] and span[1] <= s.inner[1]]
    names = [f"({switch_label(s)})" for s in around if reader.of_switch(s).keys() - node.keys()]
    return TailoredText(" ".join((*names, words)), narrowed)


def switch_label(switch: Switch) -> str:
    """Return the names a switch is for, as the source has them."""
    return ("not " if switch.negated else "") + ", ".join(switch.names)


@dataclass
class _Tailoring:
    """A text on its way to one node; ``narrowed`` collects the attributes for which something was left out."""

    text: str
    switches: Sequence[Switch]
    node: Attributes
    reader: AudienceReader
    narrowed: set[str] = field(default_factory=set)

    def decide_switches(self, span: Span) -> str:
        """Return the Markdown of a span with its switches decided for the node."""
        out: list[str] = []
        here = span[0]
        for number, switch in enumerate(self.switches):
            if switch.start < here and switch.end <= here:
                continue  # inside a part that is gone
            audience = self.reader.of_switch(switch)
            if self.reader.excludes(audience, self.node):
                _append(out, self.text[here : max(here, switch.start)])
                self.narrowed.update(self.reader.settled(audience))
                here = max(here, min(switch.end, span[1]))
            elif span[0] <= switch.inner[0] and switch.inner[1] <= span[1] and not self._holds_another(switch):
                _append(out, self.text[here : max(here, switch.start)])
                _append(out, self._labelled(switch, number > 0))
                here = max(here, switch.end)
        _append(out, self.text[here : span[1]])
        return "".join(out)

    def _holds_another(self, switch: Switch) -> bool:
        inner = switch.inner
        return any(s is not switch and s.start >= inner[0] and s.end <= inner[1] for s in self.switches)

    def _labelled(self, switch: Switch, follows_another: bool) -> str:
        """Return a switched part, with the names it is for where the node leaves open which one holds."""
        words = self.text[switch.inner[0] : switch.inner[1]]
        before, after = self._alternatives_beside(switch)
        audience = self.reader.of_switch(switch)
        leaves_open = audience.keys() - self.node.keys() or (not audience and (before or after))
        if not words.strip() or not leaves_open:
            return words
        names = switch_label(switch)
        if len(words) > LONGEST_LABELLED or "\n" in words:
            lead = len(words) - len(words.lstrip())
            return f"{words[:lead] or ' '}({names}) {words[lead:]}"
        end = len(words.rstrip())
        labelled = f"{words[:end]} ({names}){words[end:]}"
        return f" / {labelled}" if before and follows_another else labelled

    def _alternatives_beside(self, switch: Switch) -> tuple[bool, bool]:
        """Return whether another part for the node comes right before, and right after, a switched part."""
        others = [s for s in self.switches if s is not switch]
        others = [s for s in others if not self.reader.excludes(self.reader.of_switch(s), self.node)]
        before = any(s.end <= switch.start and not self.text[s.end : switch.start].strip() for s in others)
        after = any(switch.end <= s.start and not self.text[switch.end : s.start].strip() for s in others)
        return before, after

    def without_other_conditions(self, markdown: str) -> str:
        """Leave out the sentences that begin with a condition the node does not meet."""
        if not self.node:
            return markdown
        gone: list[Span] = []
        for start, end in sentences(markdown):
            audience = self.reader.of_condition(plain_text(markdown[start:end], images=False))
            if audience and self.reader.excludes(audience, self.node):
                gone.append((start, end))
                self.narrowed.update(self.reader.settled(audience))
        for start, end in reversed(gone):
            markdown = markdown[:start] + markdown[end:]
        return markdown


def _append(out: list[str], part: str) -> None:
    """Add a part; emphasis that holds nothing any more goes."""
    if out and part:
        for mark in _EMPHASIS:
            if out[-1].endswith(mark) and part.startswith(mark):
                out[-1], part = out[-1][: -len(mark)], part[len(mark) :]
                break
    if part:
        out.append(part)
