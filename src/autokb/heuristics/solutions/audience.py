"""For whom a part of a manual is written, and how it reads for one node."""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from autokb.core.attributes import ANY, Attributes, Match, compare
from autokb.core.domain import ENGLISH, Attribute, DomainSpec
from autokb.core.implications import with_implied_values
from autokb.core.nouns import Span
from autokb.core.step_numbers import item_behind_lead, own_mark
from autokb.heuristics.solutions.words import ManualWords
from autokb.text.conditional_markup import Conditional
from autokb.text.lexicon import conditional_attributes, lexicon, text_attributes
from autokb.text.lexicons import alternation, language_data, word_lists
from autokb.text.markdown import code_within, parse_blocks
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.table_rows import table_head, with_rows_as_lines
from autokb.text.words import content_words, split_words

LONGEST_LABELLED = 60  # characters of a conditional part that is labelled behind it; a longer one is labelled in front
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_SPACE_BEFORE_MARK = re.compile(r"(?<!\s)\s++(?=[,.;:!?)](?:\s|$))")
_VERSION = re.compile(r"=?[a-z]+\d[\d.]*")
_PLATFORM_VERSION = re.compile(r"(?<=[a-z])(?:\d[\d.]*|vista|xp)$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTED = re.compile(r"^ {0,3}> ?", re.MULTILINE)
_EMPHASIS = ("**", "__", "*", "_", "`")


@cache
def _condition(language: str) -> re.Pattern[str]:
    """Return the pattern of a condition at the beginning of a sentence: ``On Windows, ...``, ``(Windows) ...``."""
    known = word_lists(ManualWords, language)
    return re.compile(
        rf"(?:[-*\d.)\s]*)((?:{alternation(known.condition_words)})\b[^,:;.]{{1,70}}[,:]"
        rf"|\([^()\n]{{1,40}}\)(?=\s)|[^\s,:;.][^,:;.]{{1,30}}:(?=\s)|(?:{alternation(known.short_condition_words)})(?:\s+[^\s,:;.]+){{1,4}})",
        re.IGNORECASE,
    )


@cache
def _label(language: str) -> re.Pattern[str]:
    """Return the pattern of a model named inside a sentence (``the switch of Lumo Over``), or of a value behind it.

    A name of two capitalised words is a model; one word (``the volume of Headphones``) is mostly of what all have.
    """
    known = word_lists(ManualWords, language)
    words, only = alternation(known.words_before_model), alternation(known.only_words)
    return re.compile(
        rf"\b(?:{words})\s((?-i:[^\W\d_a-z][^\s,:;.()]{{1,20}}\s[^\W\d_a-z][^\s,:;.()]{{1,20}}))"
        rf"|\(([^()\n]{{1,40}})\)[.!]?$|\b(?:{words})\s([^,:;.()]{{1,40}})\s(?:{only})[.!]?$",
        re.IGNORECASE,
    )


class AudienceReader:
    """Reads for whom headings, conditions and conditional parts are written, each text once."""

    def __init__(self, configuration: Mapping[str, Attribute], language: str) -> None:
        self.spec = DomainSpec(name="", attributes=configuration, language=language)
        self.names = tuple(configuration)
        self._of_text = lru_cache(maxsize=20_000)(lambda text: text_attributes(text, self.spec))
        self._of_names = lru_cache(maxsize=2_000)(lambda names, not_: conditional_attributes(names, not_, self.spec))

    def of_text(self, text: str) -> Attributes:
        """Return whom a heading or step names."""
        return self._of_text(text)

    def of_conditional(self, conditional: Conditional) -> Attributes:
        """Return whom a conditional part is for."""
        return self._of_names(conditional.names, conditional.negated)

    def values_of_name(self, name: str) -> tuple[str, ...]:
        """Return the values that one name of conditional markup stands for, in the domain's order."""
        found = self._of_names((name,), False)
        for attribute, values in found.items():
            known = self.spec.attributes[attribute].values
            return tuple(sorted(values, key=lambda v: (known.index(v) if v in known else len(known), v)))
        return ()

    def label_of_name(self, name: str) -> str:
        """Return what readers call one name of conditional markup: ``winxp`` is Windows XP."""
        version = _PLATFORM_VERSION.search(name)
        values = ", ".join(self.values_of_name(name))
        if not values or version is None:
            return values or name
        return f"{values} {version.group() if version.group()[0].isdigit() else version.group().capitalize()}"

    def of_condition(self, sentence: str) -> Attributes:
        """Return whom the condition at the beginning of a sentence names: ``On Windows, ...``."""
        found = _condition(self.spec.language).match(sentence)
        return self.of_text(found.group(1)) if found else {}

    def of_label(self, sentence: str) -> Attributes:
        """Return whom a sentence names behind its beginning: ``the switch of Lumo Over``, ``(Over only)``."""
        found = _label(self.spec.language).search(sentence)
        return self.of_text(next(filter(None, found.groups()))) if found else {}

    def is_for_some(self, words: str, span: Span, switches: Sequence[Conditional]) -> bool:
        """Return whether a step is for some only: by how its words open, or by conditional parts around most of it."""
        parts = (s for s in switches if 2 * (min(s.end, span[1]) - max(s.start, span[0])) > span[1] - span[0])
        return bool(self.of_condition(words)) or any(map(self.of_conditional, parts))

    def with_implied_values(self, attributes: Attributes) -> Attributes:
        """Return attributes with what follows from them; Any says nothing."""
        return with_implied_values({n: v for n, v in attributes.items() if v != ANY}, self.spec.attributes)

    def excludes(self, audience: Attributes, node: Attributes) -> bool:
        """Return whether a part for this audience is written for others than the node."""
        own = self.with_implied_values(audience)
        both = {name: own.get(name, values) & values for name, values in {**own, **node}.items()}
        return bool(audience) and (compare(own, node, self.names) is Match.CONFLICT or not self.spec.allows(both))


@lru_cache(maxsize=4)
def _made_reader(configuration: tuple[tuple[str, Attribute], ...], language: str) -> AudienceReader:
    return AudienceReader(dict(configuration), language)


def audience_reader(configuration: Mapping[str, Attribute], language: str = ENGLISH) -> AudienceReader:
    """Return the reader of a configuration, made once."""
    return _made_reader(tuple(configuration.items()), language)


def mask_values(heading: str, spec: DomainSpec) -> tuple[str, ...]:
    """Return the stems of a heading, each value that it names replaced by its attribute.

    ``Frothing with the steam wand`` and ``Frothing with the automatic carafe`` then read the same.
    """
    words = split_words(heading)
    mentions = lexicon(spec).mentions(words)
    named = {n for m in mentions for n in range(m.start, m.end)}
    other = (content_words(word, spec.language) for n, word in enumerate(words.folded) if n not in named)
    return tuple(sorted({f"<{m.attribute}>" for m in mentions}.union(*other)))


@dataclass(frozen=True, slots=True)
class TailoredText:
    """A step as one node reads it; ``narrowed`` names the attributes for which something was left out."""

    text: str
    narrowed: frozenset[str] = frozenset()


# Complex: the mark of an item, conditional parts and their labels are each taken off or named here.
def adapt_to_node(
    text: str, span: Span, switches: Sequence[Conditional], node: Attributes, reader: AudienceReader
) -> TailoredText:
    """Return the readable words of a span for a node: what is switched off for it is gone, alternatives are named.

    ``switches`` are those that do not go around the whole solution.
    """
    inside = [s for s in switches if s.start < span[1] and s.end > span[0]]
    tailoring = _Adapting(text, inside, node, reader)
    words = "\n".join(filter(None, tailoring.words_and_code(span))).strip()
    words = _ITEM.sub("", words, count=1) if own_mark(text[slice(*span)]) else words
    narrowed = frozenset(tailoring.narrowed)
    if not any(c.isalnum() for c in words):
        return TailoredText("", narrowed)
    around = [s for s in inside if s.inner[0] <= span[0] and span[1] <= s.inner[1]]
    names = [f"({conditional_label(s, reader)})" for s in around if reader.of_conditional(s).keys() - node.keys()]
    return TailoredText(" ".join((*names, words)), narrowed)


def conditional_label(conditional: Conditional, reader: AudienceReader) -> str:
    """Return whom a conditional part is for in words: ``{for win10,mac}`` is Windows 10, macOS."""
    words = word_lists(ManualWords, reader.spec.language)
    is_version = [reader.values_of_name(n) == () and _VERSION.fullmatch(n) is not None for n in conditional.names]
    labels = dict.fromkeys(
        _version_label(name, conditional, words) if versioned else reader.label_of_name(name)
        for name, versioned in zip(conditional.names, is_version, strict=True)
    )
    joined = ", ".join(labels)
    return (
        words.other_than.format(joined) if conditional.negated and words.other_than and not all(is_version) else joined
    )


def _version_label(name: str, conditional: Conditional, words: ManualWords) -> str:
    label = words.before_version if conditional.negated else words.from_version
    label = words.only_version if name.startswith("=") and not conditional.negated else label
    return label.format(name.lstrip("=abcdefghijklmnopqrstuvwxyz")) if label else name


@dataclass
class _Adapting:
    """A text on its way to one node; ``narrowed`` collects the attributes for which something was left out."""

    text: str
    switches: Sequence[Conditional]
    node: Attributes
    reader: AudienceReader
    narrowed: set[str] = field(default_factory=set)

    def words_and_code(self, span: Span) -> Iterator[str]:
        """Give what is read of a span, code with its lines as they are."""
        here = span[0]
        for start, end in code_within(self.text, span):
            yield self._words((here, start))
            around = (self.reader.of_conditional(s) for s in self.switches if s.start <= start < s.end)
            if not any(self.reader.excludes(audience, self.node) for audience in around):
                yield _code_lines(self.text, start, end)
            here = end
        yield self._words((here, span[1]))

    def _words(self, span: Span) -> str:
        markdown = self.decide_conditionals(span) if self.switches else self.text[span[0] : span[1]]
        markdown = _read_lead_with_item(self.without_other_conditions(markdown))
        markdown = with_rows_as_lines(_head_above(self.text, span[0]) + markdown)
        words = plain_text(markdown, marks=True, images=False)
        return _SPACE_BEFORE_MARK.sub("", _EMPTY_BRACKETS.sub("", words)).strip()

    def decide_conditionals(self, span: Span) -> str:
        """Return the Markdown of a span with its conditional parts decided for the node."""
        out: list[str] = []
        here = span[0]
        for number, conditional in enumerate(self.switches):
            if conditional.start < here and conditional.end <= here:
                continue  # inside a part that is gone
            audience = self.reader.of_conditional(conditional)
            if self.reader.excludes(audience, self.node):
                _append(out, self.text[here : max(here, conditional.start)])
                self.narrowed.update(self.reader.with_implied_values(audience))
                here = max(here, min(conditional.end, span[1]))
            elif self._is_whole_in(span, conditional):
                _append(out, self.text[here : max(here, conditional.start)])
                _append(out, self._labelled(conditional, number > 0))
                here = max(here, conditional.end)
        _append(out, self.text[here : span[1]])
        return "".join(out)

    def _is_whole_in(self, span: Span, conditional: Conditional) -> bool:
        """Return whether a conditional part lies inside a span and holds no other one."""
        start, end = conditional.inner
        holds_another = any(s is not conditional and s.start >= start and s.end <= end for s in self.switches)
        return span[0] <= start and end <= span[1] and not holds_another

    def _labelled(self, conditional: Conditional, follows_another: bool) -> str:
        """Return a conditional part, with the names it is for where the node leaves open which one holds."""
        words = self.text[conditional.inner[0] : conditional.inner[1]]
        before, after = self._alternatives_beside(conditional)
        audience = self.reader.of_conditional(conditional)
        leaves_open = audience.keys() - self.node.keys() or (not audience and (before or after))
        if not words.strip() or not leaves_open:
            return words
        names = conditional_label(conditional, self.reader)
        if len(words) > LONGEST_LABELLED or "\n" in words:
            lead = len(words) - len(words.lstrip())
            return f"{words[:lead] or ' '}({names}) {words[lead:]}"
        end = len(words.rstrip())
        labelled = f"{words[:end]} ({names}){words[end:]}"
        conjunction = min(language_data(self.reader.spec.language).alternative_conjunctions, default="/")
        return f" {conjunction} {labelled}" if before and follows_another else labelled

    def _alternatives_beside(self, conditional: Conditional) -> tuple[bool, bool]:
        """Return whether another part for the node comes right before, and right after, a conditional part."""
        others = [s for s in self.switches if s is not conditional]
        others = [s for s in others if not self.reader.excludes(self.reader.of_conditional(s), self.node)]
        before = any(s.end <= conditional.start and not self.text[s.end : conditional.start].strip() for s in others)
        after = any(conditional.end <= s.start and not self.text[conditional.end : s.start].strip() for s in others)
        return before, after

    def without_other_conditions(self, markdown: str) -> str:
        """Leave out the sentences that begin with a condition the node does not meet."""
        if not self.node:
            return markdown
        gone: list[Span] = []
        for start, end in sentences(markdown, language=self.reader.spec.language):
            audience = self.reader.of_condition(plain_text(markdown[start:end], images=False))
            if audience and self.reader.excludes(audience, self.node):
                gone.append((start, end))
                self.narrowed.update(self.reader.with_implied_values(audience))
        for start, end in reversed(gone):
            markdown = markdown[:start] + markdown[end:]
        return markdown


def _read_lead_with_item(markdown: str) -> str:
    """Return the words that lead over to a numbered list and its only item in one line."""
    item = item_behind_lead(markdown)
    return f"{markdown[: item.start()].rstrip()} {markdown[item.end() :]}" if item else markdown


def _head_above(text: str, place: int) -> str:
    """Return the head of a table that a place is in the middle of: a long table is several steps."""
    tables = _tables(text)
    above = tables[bisect_left(tables, (place, 0)) - 1 :][:1]
    return "".join(f"{table_head(text[start:end])}\n" for start, end in above if start < place < end)


@lru_cache(maxsize=8)
def _tables(text: str) -> list[Span]:
    return sorted((b.start, b.end) for b in parse_blocks(text) if b.kind == "table") if "|" in text else []


def _code_lines(text: str, start: int, end: int) -> str:
    """Return the lines of a code block without its fence, its indentation and the marks of a quote around it."""
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    code = _QUOTED.sub("", text[start:end]) if ">" in indent else text[start:end]
    lines = textwrap.dedent((indent if not indent.strip() else "") + code).split("\n")
    return "\n".join(line.rstrip() for line in lines if not _FENCE.match(line) and line.strip())


def _append(out: list[str], part: str) -> None:
    """Add a part; emphasis that holds nothing any more goes."""
    if out and part:
        for mark in _EMPHASIS:
            if out[-1].endswith(mark) and part.startswith(mark):
                out[-1], part = out[-1][: -len(mark)], part[len(mark) :]
                break
    if part:
        out.append(part)
