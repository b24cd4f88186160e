"""The task that gives each passage of a document the context it misses when it is read alone (prompt G.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.contexts import PassageAlone, passage_contexts
from autokb.heuristics.grounding.support import unsupported_fact
from autokb.heuristics.grounding.visible import visible
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import number_to, wire
from autokb.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class AddContext:
    """Passages in reading order that need context.

    ``document``: all passages of the document at once, or of a part of a long one; ``previous`` is then the passage
    before the part. ``chained``: one passage, and in ``previous`` the one before it with its own context (None at the
    start of the document). ``woven`` is chained too, and the context is the passage in short with what it misses woven
    in, as the paper has it: it is searched, never shown or quoted.
    """

    variant: Literal["document", "chained", "woven"]
    title: str
    passages: tuple[PassageAlone, ...]
    previous: PassageAlone | None = None
    language: str = only_if_other_than(ENGLISH)


class AddedContext(Reply):
    """The context of each passage, in their order; a passage that misses nothing has an empty one."""

    contexts: tuple[str, ...]


class AddContextTask(Task[AddContext, AddedContext]):
    """Which context does this passage miss? A request is about one document, or one passage of it."""

    offline_revision = 1
    input = AddContext
    output = AddedContext
    # Of one context: a short sentence, or the paper's two or three.
    longest: ClassVar[Mapping[str, int]] = {"document": 200, "chained": 450, "woven": 450}
    unreadable_characters = 2_000  # from here on a context is an error; one that is a little too long is cut

    def offline(self, item: AddContext) -> AddedContext:
        """Give title, headings and the sentence that introduces what goes on here."""
        return AddedContext(contexts=passage_contexts(item.title, item.passages, item.previous, item.language))

    def check(self, item: AddContext, reply: AddedContext) -> None:
        """Refuse a reply that has not one context for each passage."""
        if len(reply.contexts) != len(item.passages):
            raise ReplyError(
                f"There are {len(item.passages)} passages but {len(reply.contexts)} contexts; give one for each."
            )

    def values(self, items: Sequence[AddContext]) -> Mapping[str, Any]:
        """Return what the prompt says of one document."""
        item = items[0]
        return {
            "variant": item.variant,
            "longest": self.longest[item.variant],
            "title": visible(item.title),
            "previous": None if item.previous is None else _as_people_see(item.previous),
            "passages": [_as_people_see(passage) for passage in item.passages],
        }

    def examples(self, items: Sequence[AddContext]) -> Sequence[Mapping[str, Any]]:
        """Return the examples of this variant."""
        return [example for example in super().examples(items) if example["input"]["variant"] == items[0].variant]

    def entry(self, items: Sequence[AddContext]) -> Mapping[str, Any]:
        """Return the fields of an entry: a context for each passage of the document."""
        most = max(len(item.passages) for item in items)
        longest = max(self.longest[item.variant] for item in items)
        # The schema asks for short contexts; one that is a little longer is cut at a sentence and costs no repair.
        bounds = Field(max_length=self.unreadable_characters, json_schema_extra={"maxLength": longest})
        one: Any = wire("Context", passage=number_to(most), context=Annotated[str, bounds])
        least = min(len(item.passages) for item in items)
        return {"contexts": Annotated[list[one], Field(min_length=least, max_length=most)]}

    def read(self, item: AddContext, entry: Any) -> Read[AddedContext]:
        """Read the contexts; one that its document does not carry stays empty and is worth a repair."""
        written = {one.passage: one.context for one in entry.contexts}
        wanted = range(1, len(item.passages) + 1)
        if set(written) != set(wanted) or len(entry.contexts) != len(wanted):
            raise ReplyError(f"Give exactly one context for each of the passages 1 to {len(wanted)}.")
        source = _source(item)
        foreign = {n: reason for n in wanted if (reason := unsupported_fact(written[n], source))}
        contexts = tuple(self._usable(written[n], item.passages[n - 1], source, item) for n in wanted)
        complaints = tuple(f"Passage {n}: {reason}; add no fact." for n, reason in foreign.items())
        return Read(AddedContext(contexts=contexts), complaints=complaints)

    def _usable(self, context: str, passage: PassageAlone, source: str, item: AddContext) -> str:
        """Return a context in one line and cut to size; nothing where it adds a fact or repeats the passage."""
        context = " ".join(visible(context).split())
        repeats = " ".join(context.casefold().split()) in " ".join(passage.text.casefold().split())
        if repeats or unsupported_fact(context, source):
            return ""
        longest = self.longest[item.variant]
        if len(context) <= longest:
            return context
        ends = [end for _, end in sentences(context, language=item.language) if end <= longest]
        return context[: ends[-1]] if ends else context[:longest].rpartition(" ")[0]

    def tokens(self, item: AddContext) -> tuple[int, int]:
        """Return the tokens of a document's contexts, at most and usually."""
        longest, many = self.longest[item.variant], len(item.passages)
        return 32 + many * (longest + 24), 16 + many * (22 + longest // 8)


def _as_people_see(passage: PassageAlone) -> Mapping[str, Any]:
    """Return a passage as a person would see it, so that nothing is said to the model alone."""
    return {
        "text": visible(passage.text),
        "context": visible(passage.context),
        "headings": " > ".join(map(visible, passage.headings)),
    }


def _source(item: AddContext) -> str:
    """Return all that a context can be taken from."""
    around = (item.previous, *item.passages) if item.previous else item.passages
    return "\n".join((item.title, *(part for p in around for part in (*p.headings, p.context, p.text))))


TASK = AddContextTask()
