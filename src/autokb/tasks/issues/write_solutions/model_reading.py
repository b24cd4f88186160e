"""From what a model wrote to solutions of one node: every step stands on a quote, or it is left out with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autokb.core.attributes import ANY, Attributes, Match, as_lists, compare
from autokb.core.nouns import Span
from autokb.tasks.grounded import unsupported, visible
from autokb.tasks.issues.write_solutions.language import generic
from autokb.tasks.issues.write_solutions.model_shapes import (
    LONGEST_QUOTE,
    LONGEST_TEXT,
    LONGEST_TITLE,
    Spoiled,
    attributes_of,
    passages,
    place,
)
from autokb.tasks.issues.write_solutions.platforms import Reader, reader, tailored
from autokb.tasks.issues.write_solutions.quotes import find, widened
from autokb.tasks.issues.write_solutions.shapes import Excerpt, Step, WriteSolutions, Written, WrittenSolutions
from autokb.tasks.reply import LeftOut
from autokb.text.markdown import section_at, sections

OTHERS = "it is written for others than this issue is about"


class _Refused(Exception):
    """A part that cannot be used; ``repairable`` when a model can mend it by looking again."""

    def __init__(self, reason: str, *, repairable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.repairable = repairable


@dataclass
class Reading:
    """What is read for one node, and what of it is not used."""

    items: Sequence[WriteSolutions]
    position: int
    left_out: list[LeftOut] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @cached_property
    def item(self) -> WriteSolutions:
        """Return the node."""
        return self.items[self.position]

    @cached_property
    def read(self) -> Reader:
        """Return the reader of the domain's configuration."""
        return reader(self.item.configuration)

    @cached_property
    def node(self) -> Attributes:
        """Return what the node fixes, with what follows from it."""
        return self.read.settled(self.item.attributes)

    @cached_property
    def given(self) -> Mapping[int, tuple[Excerpt, int | None]]:
        """Return the passages of the request by number, each with its place among the node's own excerpts."""
        own = {place(e): n for n, e in reversed(list(enumerate(self.item.excerpts)))}
        return {n: (e, own.get(place(e))) for n, e in enumerate(passages(self.items), 1)}

    def refuse(self, part: str, refused: _Refused) -> None:
        """Record a part that is not used."""
        self.left_out.append(LeftOut(part=part, reason=refused.reason))
        if refused.repairable:
            self.complaints.append(f"{part}: {refused.reason}.")


def read_solutions(
    items: Sequence[WriteSolutions], position: int, entry: Any, shared: Mapping[str, Any]
) -> tuple[WrittenSolutions, tuple[str, ...]]:
    """Turn the numbers that a node's entry names into its solutions, best first."""
    reading = Reading(items, position)
    written: list[Written] = []
    for number in dict.fromkeys(entry.solutions):
        try:
            solution = _solution(reading, _draft(shared["solutions"], number), written)
        except _Refused as refused:
            reading.refuse(f"Solution {number}", refused)
        else:
            written.append(solution)
    return WrittenSolutions(solutions=tuple(written), left_out=tuple(reading.left_out)), tuple(reading.complaints)


def _draft(drafts: Sequence[Any], number: int) -> Any:
    found = [draft for draft in drafts if draft.id == number]
    if len(found) != 1:
        raise _Refused(f"there are {len(found)} solutions with this id; give one", repairable=True)
    if isinstance(found[0], Spoiled):
        raise _Refused(f"it does not read ({found[0].reason})", repairable=True)
    return found[0]


def _solution(reading: Reading, draft: Any, before: Sequence[Written]) -> Written:
    """Return a draft as a solution of the node; with no true step it is withheld."""
    steps, narrowed, reasons = _steps(reading, draft)
    own = [s.excerpt for s in steps if s.excerpt is not None] or [_cited(reading, draft)]
    excerpt = reading.item.excerpts[own[0]]
    headings = _headings(excerpt, steps[0].start if steps else 0)
    attributes = _attributes(reading, draft, steps, narrowed)
    status: Any = "repaired" if reasons else "displayed"
    if not steps:
        status, reasons = "withheld", ["No step of it has a true quote.", *reasons]
    elif compare(attributes, reading.item.attributes, reading.read.names) is Match.CONFLICT:
        status, reasons = "withheld", ["It holds for other values than the issue's.", *reasons]
    elif any(_said(steps) == _said(other.steps) for other in before):
        raise _Refused("it says the same as another solution of this issue")
    return Written(
        excerpt=own[0],
        title=_title(reading, draft, steps, headings, excerpt),
        headings=headings,
        which=sum(b.headings == headings and _document(reading, b) == excerpt.document for b in before),
        steps=tuple(step.model_copy(update={"excerpt": None}) if step.excerpt == own[0] else step for step in steps),
        attributes=as_lists(attributes),
        similarity=round(max((_nearness(reading.item, step) for step in steps), default=0.0), 4),
        status=status,
        reason=" ".join(reasons),
    )


def _said(steps: Sequence[Step]) -> list[str]:
    return [step.text for step in steps]


def _document(reading: Reading, written: Written) -> str:
    return reading.item.excerpts[written.excerpt].document


def _cited(reading: Reading, draft: Any) -> int:
    """Return the node's excerpt that a solution without true steps is named after."""
    for step in draft.steps:
        found = None if isinstance(step, Spoiled) else reading.given.get(step.passage)
        if found and found[1] is not None:
            return found[1]
    raise _Refused("no step of it has a true quote in a passage that was found for this issue")


def _steps(reading: Reading, draft: Any) -> tuple[list[Step], frozenset[str], list[str]]:
    """Return the steps that stand on a quote, the attributes they were narrowed by, and why others are left out."""
    steps: list[Step] = []
    narrowed: set[str] = set()
    reasons: list[str] = []
    for number, one in enumerate(draft.steps, 1):
        part = f"Solution {draft.id}, step {number}"
        try:
            step, fixed = _step(reading, one, part)
        except _Refused as refused:
            reading.refuse(part, refused)
            reasons.append(f"Left out step {number}: {refused.reason}.")
        else:
            steps.append(step)
            narrowed |= fixed
    return steps, frozenset(narrowed), reasons


def _step(reading: Reading, draft: Any, part: str) -> tuple[Step, frozenset[str]]:
    if isinstance(draft, Spoiled):
        raise _Refused(f"it does not read ({draft.reason})", repairable=True)
    own, span = _place(reading, draft)
    excerpt = reading.item.excerpts[own]
    headings = _headings(excerpt, span[0])
    if reading.read.against(_for_whom(reading.read, excerpt, headings, span), reading.node):
        raise _Refused(OTHERS)
    reads = tailored(excerpt.text, span, excerpt.switches, reading.node, reading.read)
    plain = visible(reads.text)
    if not any(c.isalnum() for c in plain):
        raise _Refused(OTHERS if reads.narrowed else "its quote holds no words")
    text = " ".join(visible(draft.text).split())
    if text and (reason := _doubt(text, plain, (excerpt.title, *headings))):
        reading.refuse(f"{part}, its own words", _Refused(f"{reason}; the quote is shown instead"))
        text = ""
    quote = excerpt.text[span[0] : span[1]]
    return Step(text=text or plain, start=span[0], end=span[1], quote=quote, excerpt=own), reads.narrowed


def _doubt(text: str, quote: str, around: Sequence[str]) -> str:
    return "it is too long" if len(text) > LONGEST_TEXT else unsupported(text, quote, "\n".join(around))


def _place(reading: Reading, draft: Any) -> tuple[int, Span]:
    """Return where a quote stands: in the cited passage, else in another of the node's own."""
    if len(draft.quote) > LONGEST_QUOTE:
        raise _Refused(f"its quote is longer than {LONGEST_QUOTE} characters; quote this step only", repairable=True)
    cited = reading.given.get(draft.passage)
    everywhere = ([cited] if cited else []) + sorted(reading.given.values(), key=lambda found: found[1] is None)
    foreign = False
    for excerpt, own in everywhere:
        if (span := find(draft.quote, excerpt.text)) and own is not None:
            return own, widened(excerpt.text, span)
        foreign = foreign or span is not None
    if foreign:
        raise _Refused("its passage was not found for this issue")
    raise _Refused(f"its quote {draft.quote[:60]!r} stands in no passage; copy it word for word", repairable=True)


def _headings(excerpt: Excerpt, start: int) -> tuple[str, ...]:
    """Return the headings over a place of an excerpt, those above the excerpt first."""
    found = sections(excerpt.text)
    return (*excerpt.headings, *found[section_at(found, start)].headings)


def _for_whom(read: Reader, excerpt: Excerpt, headings: Sequence[str], span: Span) -> Attributes:
    """Return for whom a place is written, by the switches around it, its headings and its title."""
    said: dict[str, frozenset[str]] = {}
    around = [s for s in reversed(excerpt.switches) if s.start <= span[0] and s.end >= span[1]]
    sources = [read.switched(s.names, s.negated) for s in around]
    for source in (*sources, *(read.said(text) for text in (*reversed(headings), excerpt.title))):
        for name, values in source.items():
            said.setdefault(name, values)
    return said


def _attributes(reading: Reading, draft: Any, steps: Sequence[Step], narrowed: frozenset[str]) -> Attributes:
    """Return for whom a solution holds: what the model says, narrowed to what its places say."""
    read, item = reading.read, reading.item
    given = attributes_of(draft, item.configuration)
    said = [_said_at(reading, step) for step in steps]
    found: dict[str, frozenset[str]] = {}
    for name, attribute in item.configuration.items():
        values = attribute.normal(frozenset(_shown(reading, name, given.get(name, ANY), steps))) or ANY
        places = {place[name] for place in said if place.get(name, ANY) != ANY}
        if values == ANY and len(places) == 1:
            (values,) = places
        if values == ANY and name in narrowed and name in reading.node:
            values = reading.node[name]
        found[name] = values
    return {**found, **{n: v for n, v in read.settled(found).items() if found.get(n) == ANY}}


def _said_at(reading: Reading, step: Step) -> Attributes:
    excerpt = reading.item.excerpts[step.excerpt or 0]
    headings = _headings(excerpt, step.start)
    return reading.read.settled(_for_whom(reading.read, excerpt, headings, (step.start, step.end)))


def _shown(reading: Reading, name: str, values: frozenset[str], steps: Sequence[Step]) -> Iterator[str]:
    """Give the values; an open one as the node spells it, and only where the passages or the node name it."""
    attribute = reading.item.configuration[name]
    spelled = {v.casefold(): v for v in (*attribute.examples, *reading.item.attributes.get(name, ()))}
    text = " ".join(reading.item.excerpts[s.excerpt or 0].text for s in steps).casefold()
    for value in sorted(values):
        if attribute.kind == "closed" or value in ("Any", "NONE") or value.casefold() in spelled:
            yield spelled.get(value.casefold(), value)
        elif value.casefold() in text:
            yield value


def _title(reading: Reading, draft: Any, steps: Sequence[Step], headings: Sequence[str], excerpt: Excerpt) -> str:
    """Return the model's title where the steps and headings carry it, else the heading over the first step."""
    title = " ".join(visible(draft.title).split()).rstrip(" .:")
    source = "\n".join((excerpt.title, *headings, *(step.quote for step in steps)))
    configured = (f"{name} {' '.join(a.values)}" for name, a in reading.item.configuration.items())
    around = "\n".join((reading.item.domain, *configured))
    reason = "it is empty" if not title else unsupported(title, source, around, whole=False)
    if not reason and len(title) <= LONGEST_TITLE:
        return title
    reading.refuse(f"Solution {draft.id}, its title", _Refused(f"{reason or 'it is too long'}; a heading is shown"))
    heading = headings[-1] if headings else excerpt.title
    above = headings[-2] if len(headings) > 1 else excerpt.title
    return f"{above}: {heading}" if generic(heading) and above and above != heading else heading or above


def _nearness(item: WriteSolutions, step: Step) -> float:
    """Return the best cosine of the windows that a step's quote stands in."""
    windows = item.excerpts[step.excerpt or 0].windows
    return max((cosine for start, end, cosine in windows if start < step.end and end > step.start), default=0.0)
