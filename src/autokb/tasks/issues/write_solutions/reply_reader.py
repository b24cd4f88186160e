"""From what a model wrote to solutions of one node: the numbers that a step names become quotes of the passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, WrapValidator

from autokb.core.attributes import ANY, Attributes, Match, Values, as_lists, compare
from autokb.core.nouns import Span
from autokb.core.reply import LeftOut
from autokb.core.step_numbers import find_loss, shown_name, step_numbers
from autokb.heuristics.grounding.support import unsupported
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.solutions.audience import adapt_to_node, audience_reader
from autokb.heuristics.solutions.instructions import is_generic
from autokb.heuristics.solutions.solution import Excerpt, Step, WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.tasks.asking import validation_message
from autokb.tasks.issues.attribute_fields import attributes_type, read_values
from autokb.tasks.issues.write_solutions.passages import numbered_places, own_places, passage_key
from autokb.tasks.places import StepPlace
from autokb.tasks.task import Read
from autokb.tasks.wire import wire
from autokb.text.markdown import section_at, sections
from autokb.text.plain_text import plain_text

MOST_SOLUTIONS = 4  # of one node
MOST_SOLUTIONS_ALONE = 5  # of a node that is asked about alone, as in the paper
MOST_STEPS = 40  # of a solution
MOST_PLACES = 8  # of a step
LONGEST_TITLE = 120  # characters
LONGEST_QUOTE = 900  # characters; places that are longer together are steps of their own
LONGEST_REASONING = 2_000  # characters of a scratchpad
LONGEST_TEXT = 500  # characters of a step in the model's own words
FOR_OTHERS = "it is written for others than this issue is about"


# -- what a model writes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A part of a reply that does not read; what is beside it still counts."""

    id: int | None
    reason: str


def asks_attributes(items: Sequence[WriteSolutions]) -> bool:
    """Return whether a model says for whom each solution holds; else that is another question."""
    return items[0].with_attributes and bool(items[0].configuration)


def most_solutions(items: Sequence[WriteSolutions]) -> int:
    """Return how many solutions one of these nodes can have."""
    return MOST_SOLUTIONS if items[0].with_attributes else MOST_SOLUTIONS_ALONE


def solution_type(items: Sequence[WriteSolutions]) -> Any:
    """Return the type of a solution for these nodes.

    Only the JSON schema bounds its parts: one that does not read costs itself, not the reply that other nodes share.
    """
    last = max(len(numbered_places(items)), 1)
    number: Any = Annotated[int, _in_schema(minimum=1, maximum=last)]
    step: Any = wire(
        "Step",
        places=Annotated[list[number], _in_schema(minItems=1, maxItems=MOST_PLACES)],
        text=Annotated[str, _in_schema(maxLength=LONGEST_TEXT)],
    )
    fields: dict[str, Any] = {
        "id": Annotated[int, _in_schema(minimum=1, maximum=most_solutions(items) * len(items))],
        "title": Annotated[str, _in_schema(minLength=1, maxLength=LONGEST_TITLE)],
    }
    if asks_attributes(items):
        fields["attributes"] = attributes_type(items[0].configuration, 1)
    fields["steps"] = Annotated[
        list[Annotated[step, WrapValidator(_or_unreadable)]], _in_schema(minItems=1, maxItems=MOST_STEPS)
    ]
    return Annotated[wire("Solution", **fields), WrapValidator(_or_unreadable)]


def _in_schema(**schema: Any) -> Any:
    """Say something in the JSON schema that is checked later, part by part."""
    return Field(json_schema_extra=schema)


def _or_unreadable(value: Any, handler: Any) -> Any:
    try:
        return handler(value)
    except ValidationError as error:
        number = value.get("id") if isinstance(value, dict) else None
        return Unreadable(number if isinstance(number, int) else None, validation_message(error))


# -- what is read from it


class _Unusable(Exception):
    """A part that cannot be used; ``repairable`` when a model can mend it by looking again."""

    def __init__(self, reason: str, *, repairable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.repairable = repairable


@dataclass(frozen=True, slots=True)
class _ReadSteps:
    """The steps of a draft that have a true quote, by what they were narrowed, and why others are left out."""

    steps: tuple[Step, ...]
    narrowed: frozenset[str]
    reasons: tuple[str, ...]
    loss: str = ""  # why what is left helps nobody


class SolutionReader:
    """Reads the solutions of one node of a request; what is not used is recorded with its reason."""

    def __init__(self, items: Sequence[WriteSolutions], position: int) -> None:
        self._item = items[position]
        self._audience = audience_reader(self._item.configuration, self._item.language)
        self._node = self._audience.with_implied_values(self._item.attributes)  # with what follows from what it fixes
        self._own = {passage_key(e): n for n, e in reversed(list(enumerate(self._item.excerpts)))}
        numbered = numbered_places(items)
        self._places = numbered | own_places(self._item, numbered)
        self._left_out: list[LeftOut] = []
        self._complaints: list[str] = []

    def read(self, drafts: Sequence[Any], numbers: Sequence[int]) -> Read[WrittenSolutions]:
        """Return the drafts with these numbers as solutions, in this order."""
        written: list[WrittenSolution] = []
        ids = {draft.id for draft in drafts}
        for number in dict.fromkeys(numbers):
            try:
                if number not in ids and ids.intersection(numbers):
                    raise _Unusable("there is no such solution")
                written.append(self._solution(_draft(drafts, number), written))
            except _Unusable as unusable:
                self._leave_out(f"Solution {number}", unusable)
        answer = WrittenSolutions(solutions=tuple(written), left_out=tuple(self._left_out))
        return Read(answer, complaints=tuple(self._complaints))

    def _leave_out(self, part: str, unusable: _Unusable) -> None:
        self._left_out.append(LeftOut(part=part, reason=unusable.reason))
        if unusable.repairable:
            self._complaints.append(f"{part}: {unusable.reason}.")

    def _solution(self, draft: Any, before: Sequence[WrittenSolution]) -> WrittenSolution:
        """Return a draft as a solution of the node; with no step that can be used it is withheld."""
        cited = self._cited_excerpts(draft)
        read = self._steps(draft)
        number = _named_after(read.steps, cited)
        excerpt = self._item.excerpts[number]
        headings = _headings(excerpt, read.steps[0].start if read.steps else 0)
        attributes = self._attributes(draft, read)
        status, hindrance = self._status(read, attributes)
        texts = [step.text for step in read.steps]
        if status != "withheld" and any(texts == [step.text for step in other.steps] for other in before):
            raise _Unusable("it says the same as another solution of this issue")
        same_place = [self._item.excerpts[b.excerpt].document for b in before if b.headings == headings]
        return WrittenSolution(
            excerpt=number,
            title=self._title(draft, read.steps, headings, excerpt),
            headings=headings,
            which=same_place.count(excerpt.document),
            steps=tuple(s.model_copy(update={"excerpt": None}) if s.excerpt == number else s for s in read.steps),
            attributes=as_lists(attributes),
            similarity=round(max(map(self._similarity, read.steps), default=0.0), 4),
            status=status,
            reason=" ".join((*hindrance, *read.reasons)),
        )

    def _status(
        self, read: _ReadSteps, attributes: Attributes
    ) -> tuple[Literal["displayed", "repaired", "withheld"], tuple[str, ...]]:
        """Return whether a solution can be shown, and what hinders it."""
        if not read.steps:
            return "withheld", ("No step of it can be used.",)
        if compare(attributes, self._item.attributes, self._audience.names) is Match.CONFLICT:
            return "withheld", ("It holds for other values than the issue's.",)
        if read.loss:
            return "withheld", (read.loss,)
        return "repaired" if read.reasons else "displayed", ()

    def _cited_excerpts(self, draft: Any) -> list[int]:
        """Return the node's excerpts that a solution cites; one that cites only those of other nodes is not its own."""
        named = (n for step in draft.steps if not isinstance(step, Unreadable) for n in step.places)
        excerpts = [self._own.get(passage_key(self._places[n].excerpt)) for n in named if n in self._places]
        own = [number for number in excerpts if number is not None]
        if excerpts and not own:
            raise _Unusable("what it says was not found for this issue")
        return own

    def _steps(self, draft: Any) -> _ReadSteps:
        steps: list[Step] = []
        narrowed: set[str] = set()
        reasons: list[str] = []
        cited: list[str] = []  # what the manual says at each place, a number where nobody knows
        kept: list[int] = []
        others: list[int] = []
        for number, written in enumerate(draft.steps, 1):
            part = f"Solution {draft.id}, step {number}"
            try:
                text, quotes = self._quotes(written, part)
            except _Unusable as unusable:
                self._leave_out(part, unusable)
                reasons.append(f"Left out the model’s step {number}: {unusable.reason}.")
                cited.append("1. ")
                continue
            for quote in quotes:
                cited.append(quote.excerpt.text[slice(*quote.span)])
                try:
                    step, step_narrowed = self._step(text, quote, part)
                except _Unusable as unusable:
                    self._leave_out(part, unusable)
                    name = shown_name(step_numbers([""], cited[-1:])[0], plain_text(cited[-1], images=False))
                    reasons.append(f"Left out {name}: {unusable.reason}.")
                    others += [len(cited) - 1] if unusable.reason == FOR_OTHERS else []
                else:
                    kept.append(len(cited) - 1)
                    steps.append(step)
                    narrowed |= step_narrowed
        some = [n for n, step in zip(kept, steps, strict=True) if self._is_for_some(step)]
        loss = find_loss(step_numbers([""] * len(cited), cited), kept, others, some)
        return _ReadSteps(tuple(steps), frozenset(narrowed), tuple(reasons), loss)

    def _quotes(self, written: Any, part: str) -> tuple[str, list[StepPlace]]:
        """Return the model's own words for a step and the places of its quotes.

        Places that follow each other are one quote; those that are apart are never joined, each is a step of its own.
        """
        if isinstance(written, Unreadable):
            raise _Unusable(f"it does not read ({written.reason})", repairable=True)
        unknown = [n for n in written.places if n not in self._places]
        places = [self._places[n] for n in dict.fromkeys(written.places) if n in self._places]
        if not places:
            named = f"there is no place {unknown[0]}" if unknown else "it names no place"
            raise _Unusable(f"{named}; the passages have 1 to {len(self._places)}", repairable=True)
        if unknown:
            self._leave_out(f"{part}, place {unknown[0]}", _Unusable("there is no such place"))
        quotes = _join(places)
        text = " ".join(visible(written.text).split())
        if text and len(quotes) > 1:
            self._leave_out(f"{part}, its own words", _Unusable("its places are apart; they are shown instead"))
            text = ""
        return text, quotes

    def _step(self, text: str, place: StepPlace, part: str) -> tuple[Step, frozenset[str]]:
        """Return a step with its quote, in the model's words where the quote supports them."""
        number, span = self._own.get(passage_key(place.excerpt)), place.span
        if number is None:
            raise _Unusable("its lines were not found for this issue", repairable=True)
        excerpt = self._item.excerpts[number]
        headings = _headings(excerpt, span[0])
        if self._audience.excludes(self._audience_at(excerpt, headings, span), self._node):
            raise _Unusable(FOR_OTHERS)
        reads = adapt_to_node(excerpt.text, span, excerpt.switches, self._node, self._audience)
        plain = visible(reads.text)
        if not any(c.isalnum() for c in plain):
            raise _Unusable(FOR_OTHERS if reads.narrowed else "its quote holds no words")
        if text:
            around = "\n".join((excerpt.title, *headings))
            doubt = unsupported(text, plain, around, language=self._item.language)
            doubt = "it is too long" if len(text) > LONGEST_TEXT else doubt
            if doubt:
                self._leave_out(f"{part}, its own words", _Unusable(f"{doubt}; the quote is shown instead"))
                text = ""
        quote = excerpt.text[span[0] : span[1]]
        return Step(text=text or plain, start=span[0], end=span[1], quote=quote, excerpt=number), reads.narrowed

    def _audience_at(self, excerpt: Excerpt, headings: Sequence[str], span: Span) -> Attributes:
        """Return for whom a place is written, by the conditional parts around it, its headings and its title."""
        audience: dict[str, frozenset[str]] = {}
        around = [s for s in reversed(excerpt.switches) if s.start <= span[0] and s.end >= span[1]]
        sources = [self._audience.of_conditional(conditional) for conditional in around]
        for source in (*sources, *map(self._audience.of_text, (*reversed(headings), excerpt.title))):
            for name, values in source.items():
                audience.setdefault(name, values)
        return audience

    # Complex: what the model says, what places say and what the node says are weighed value by value.
    def _attributes(self, draft: Any, read: _ReadSteps) -> Attributes:
        """Return for whom a solution holds: what the model says, narrowed to what its places say."""
        given = getattr(draft, "attributes", None)
        named = {} if given is None else read_values(given, self._item.configuration)
        audiences = [self._audience_of(step) for step in read.steps]
        found: dict[str, frozenset[str]] = {}
        for name, attribute in self._item.configuration.items():
            supported = frozenset(self._supported_values(name, named.get(name, ["Any"]), read.steps))
            values = attribute.normal(supported) or ANY
            if values == ANY:
                values = _one_audience([audience.get(name, ANY) for audience in audiences], name in named)
            if values == ANY and name in read.narrowed and name in self._node:
                values = self._node[name]
            found[name] = values
        return {**found, **{n: v for n, v in self._audience.with_implied_values(found).items() if found.get(n) == ANY}}

    def _audience_of(self, step: Step) -> Attributes:
        excerpt = self._item.excerpts[step.excerpt or 0]
        place = (step.start, step.end)
        return self._audience.with_implied_values(self._audience_at(excerpt, _headings(excerpt, step.start), place))

    def _is_for_some(self, step: Step) -> bool:
        switches = self._item.excerpts[step.excerpt or 0].switches
        return bool(self._audience_of(step)) or self._audience.is_for_some(step.text, (step.start, step.end), switches)

    def _supported_values(self, name: str, values: Sequence[str], steps: Sequence[Step]) -> Iterator[str]:
        """Give the values; an open one as the node spells it, and only where the passages or the node name it."""
        attribute = self._item.configuration[name]
        spelled = {v.casefold(): v for v in (*attribute.examples, *self._item.attributes.get(name, ()))}
        text = " ".join(self._item.excerpts[s.excerpt or 0].text for s in steps).casefold()
        for value in sorted(values):
            if attribute.kind == "closed" or value in ("Any", "NONE") or value.casefold() in spelled:
                yield spelled.get(value.casefold(), value)
            elif value.casefold() in text:
                yield value

    def _title(self, draft: Any, steps: Sequence[Step], headings: Sequence[str], excerpt: Excerpt) -> str:
        """Return the model's title where the passages carry it, else the heading over the first step."""
        title = " ".join(visible(draft.title).split()).rstrip(" .:")
        if not (doubt := self._title_doubt(title, steps, headings, excerpt)):
            return title
        self._leave_out(f"Solution {draft.id}, its title", _Unusable(f"{doubt}; a heading is shown"))
        *above, heading = (excerpt.title, *headings)
        if is_generic(heading, self._item.language) and above and above[-1] not in ("", heading):
            return f"{above[-1]}: {heading}"
        return heading or (above[-1] if above else "")

    def _title_doubt(self, title: str, steps: Sequence[Step], headings: Sequence[str], excerpt: Excerpt) -> str:
        if not title:
            return "it is empty"
        cited = dict.fromkeys((excerpt, *(self._item.excerpts[step.excerpt or 0] for step in steps)))
        read = (part for e in cited for part in (e.title, *e.headings, plain_text(e.text, images=False)))
        source = "\n".join((*headings, *read))
        configured = (f"{name} {' '.join(a.values)}" for name, a in self._item.configuration.items())
        around = "\n".join((self._item.domain, *configured))
        too_long = "it is too long" if len(title) > LONGEST_TITLE else ""
        return unsupported(title, source, around, whole=False, language=self._item.language) or too_long

    def _similarity(self, step: Step) -> float:
        """Return the best cosine of the windows that a step's quote is in."""
        windows = self._item.excerpts[step.excerpt or 0].windows
        return max((cosine for start, end, cosine in windows if start < step.end and end > step.start), default=0.0)


def _one_audience(of_steps: Sequence[Values], is_for_all: bool) -> Values:
    """Return the one audience that steps are written for, else any.

    Where the model says that a solution ``is_for_all``, a step of it for some makes it no solution for these alone.
    """
    some = {values for values in of_steps if values != ANY}
    return some.pop() if len(some) == 1 and not (is_for_all and ANY in of_steps) else ANY


def _named_after(steps: Sequence[Step], cited: Sequence[int]) -> int:
    """Return the excerpt that a solution is named after: its first true step's, else the first that it cites."""
    found = next((n for n in (*(step.excerpt for step in steps), *cited) if n is not None), None)
    if found is None:
        raise _Unusable("no step of it names a place in the passages")
    return found


def _join(places: Sequence[StepPlace]) -> list[StepPlace]:
    """Return the places, those that follow each other and are one step together as one."""
    joined: list[StepPlace] = []
    for place in places:
        before = joined[-1] if joined else None
        if before and before.goes_on_in(place) and place.span[1] - before.span[0] <= LONGEST_QUOTE:
            joined[-1] = StepPlace(place.excerpt, (before.span[0], place.span[1]))
        else:
            joined.append(place)
    return joined


def _draft(drafts: Sequence[Any], number: int) -> Any:
    found = [draft for draft in drafts if draft.id == number]
    if len(found) != 1:
        raise _Unusable(f"there are {len(found)} solutions with this id; give one", repairable=True)
    if isinstance(found[0], Unreadable):
        raise _Unusable(f"it does not read ({found[0].reason})", repairable=True)
    return found[0]


def _headings(excerpt: Excerpt, start: int) -> tuple[str, ...]:
    """Return the headings over a place of an excerpt, those above the excerpt first."""
    found = sections(excerpt.text)
    return (*excerpt.headings, *found[section_at(found, start)].headings)
