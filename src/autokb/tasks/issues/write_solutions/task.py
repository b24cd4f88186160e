"""The task that writes the solutions of nodes from the passages found for them (prompt G.9)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.core.attributes import as_lists
from autokb.core.domain import ENGLISH
from autokb.core.model_requests import CHARACTERS_A_TOKEN
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.heuristics.solutions.write import write_solutions
from autokb.tasks.issues.attribute_fields import attributes_tokens, describe_attributes
from autokb.tasks.issues.write_solutions.passages import (
    as_ranges,
    numbered_places,
    own_places,
    passages_of,
    read_apart,
)
from autokb.tasks.issues.write_solutions.reply_reader import (
    LONGEST_REASONING,
    SolutionReader,
    asks_attributes,
    most_solutions,
    solution_type,
)
from autokb.tasks.places import find_places, show_passages
from autokb.tasks.prompts import examples, spelled_reply
from autokb.tasks.task import Read, ReplyError, Task

REASONING_TOKENS = (500, 60)  # of a scratchpad for a node: the most, and the usual number


class WriteSolutionsTask(Task[WriteSolutions, WrittenSolutions]):
    """Which solutions do these passages hold for this node?

    The nodes of a tree share passages, other trees share some of them, and what serves several nodes is written once:
    the reply's ``solutions`` come before its answers, which name the numbers of those that serve each node. A step
    names the numbers of places in the passages, and its quote is cut out of the document there: a model copies nothing
    and can invent no quote.
    """

    version = 7
    offline_revision = 10
    input = WriteSolutions
    output = WrittenSolutions
    most = 16  # nodes
    most_tokens, usual_tokens = 1_200, 90  # of a node's solutions: one or two with a few steps
    around_tokens, step_tokens = 14, 7  # of a solution without its title, attributes and steps, and of a step
    named_tokens = 9  # of an entry: a node's number and those of its solutions
    unshared = 0.45  # of a node's solutions, which the other nodes of its tree do not have too

    def offline(self, item: WriteSolutions) -> WrittenSolutions:
        """Return the manuals' own steps around what was found."""
        return write_solutions(item)

    def check(self, item: WriteSolutions, reply: WrittenSolutions) -> None:
        """Refuse a solution without steps, a quote that is not in its excerpt, and attributes not configured."""
        for solution in reply.solutions:
            _check_excerpt(item, solution.excerpt)
            if not solution.steps and solution.status != "withheld":
                raise ReplyError(f"The solution {solution.title!r} has no steps; leave it out.")
            if solution.status != "displayed" and not solution.reason:
                raise ReplyError(f"The solution {solution.title!r} is {solution.status}; say why.")
            for step in solution.steps:
                _check_excerpt(item, solution.excerpt_of(step))
                text = item.excerpts[solution.excerpt_of(step)].text
                if not step.quote or text[step.start : step.end] != step.quote:
                    raise ReplyError(f"The quote {step.quote[:60]!r} does not stand at {step.start} to {step.end}.")
            if stray := sorted(set(solution.attributes) - set(item.configuration)):
                raise ReplyError(f"{stray[0]!r} is no attribute of this domain; it has {sorted(item.configuration)}.")

    def together(self, item: WriteSolutions) -> Hashable:
        """Nodes of one tree can share a request, within one domain and one manner of reply."""
        return item.tree, *_manner(item)

    def parts(self, item: WriteSolutions) -> Mapping[Hashable, int]:
        """Return the lines that a node's passages have: trees that read the same ones can share a request too."""
        manner = _manner(item)
        return {
            (manner, place.excerpt.document, place.excerpt.offset + place.span[0]): place.span[1] - place.span[0]
            for place in find_places(item.excerpts, item.language)
        }

    def values(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return domain, attributes and rules, which are the same for all, then passages and nodes."""
        first = items[0]
        return {
            "domain": first.domain,
            "attributes": describe_attributes(first.configuration),
            "with_attributes": asks_attributes(items),
            "rules": first.rules,
            "most": most_solutions(items),
            "scratchpad": first.scratchpad,
            "apart": read_apart(items),
            "passages": _passage_values(passages_of(items), first.language),
            "issues": _node_values(items),
        }

    def examples(self, items: Sequence[WriteSolutions]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as this request wants its reply: with attributes and a scratchpad or without."""
        unwanted = set() if asks_attributes(items) else {"attributes"}
        shown = []
        for example in examples(self.package):
            solutions = [{n: v for n, v in s.items() if n not in unwanted} for s in example["reply"]["solutions"]]
            reply = {**example["reply"], "solutions": solutions}
            if not items[0].scratchpad:
                del reply["reasoning"]
            excerpts = [Excerpt("", p["title"], (p["headings"],), p["text"]) for p in example["passages"]]
            passages = _passage_values(excerpts, ENGLISH)
            shown.append({**example, "passages": passages, "reply": spelled_reply(reply)})
        return shown

    def reply_fields(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return the fields before the answers: every solution once, whichever nodes it serves; the scratchpad."""
        solution: Any = solution_type(items)
        many = Field(json_schema_extra={"maxItems": most_solutions(items) * len(items)})
        fields: dict[str, Any] = {"solutions": Annotated[list[solution], many]}
        if items[0].scratchpad:
            reasoning = Field(json_schema_extra={"maxLength": LONGEST_REASONING})
            return {"reasoning": Annotated[str, reasoning], **fields}
        return fields

    def entry(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return the field of an entry: the ids of the solutions that serve a node, best first."""
        most = most_solutions(items)
        bounds: dict[str, Any] = {"minimum": 1, "maximum": most * len(items)}
        number: Any = Annotated[int, Field(json_schema_extra=bounds)]
        return {"solutions": Annotated[list[number], Field(json_schema_extra={"maxItems": most})]}

    def read_among(
        self, items: Sequence[WriteSolutions], position: int, entry: Any, fields: Mapping[str, Any]
    ) -> Read[WrittenSolutions]:
        """Turn the numbers that a node's entry names into its solutions, best first."""
        return SolutionReader(items, position).read(fields["solutions"], entry.solutions)

    def tokens(self, item: WriteSolutions) -> tuple[int, int]:
        """Return the tokens of a node's solutions.

        A node alone (its solutions' attributes are then another question) has all it needs; those of a tree share most.
        """
        reasoning = REASONING_TOKENS if item.scratchpad else (0, 0)
        if not item.with_attributes:
            return self.most_tokens + reasoning[0], self.usual_tokens + reasoning[1]
        most, usual = attributes_tokens(item.configuration)
        shared = round((self.usual_tokens + usual) * self.unshared)
        return most_solutions((item,)) * most + self.most_tokens + reasoning[0], shared + reasoning[1]

    def tokens_written(self, items: Sequence[WriteSolutions], answers: Sequence[WrittenSolutions | None]) -> float:
        """Return the tokens of a reply with the solutions of these answers, each written once, and their numbers."""
        first = items[0]
        found = {
            _cited(item, solution): solution
            for item, answer in zip(items, answers, strict=True)
            for solution in (answer.solutions if answer is not None else ())
        }
        attributes = attributes_tokens(first.configuration)[1] * 3 // 4 if asks_attributes(items) else 0
        written = sum(
            self.around_tokens + attributes + len(one.title) // CHARACTERS_A_TOKEN + len(one.steps) * self.step_tokens
            for one in found.values()
        )
        unknown = sum(self.tokens(item)[1] for item, one in zip(items, answers, strict=True) if one is None)
        reasoning = REASONING_TOKENS[1] if first.scratchpad else 0
        return written + unknown + len(items) * (self.named_tokens + reasoning)


def _cited(item: WriteSolutions, solution: WrittenSolution) -> tuple[Hashable, ...]:
    """Return where the steps of a solution stand in the documents."""
    cited = ((item.excerpts[solution.excerpt_of(step)], step) for step in solution.steps)
    return tuple((excerpt.document, excerpt.offset + step.start) for excerpt, step in cited)


def _check_excerpt(item: WriteSolutions, number: int) -> None:
    if not 0 <= number < len(item.excerpts):
        raise ReplyError(f"There is no excerpt {number}; there are {len(item.excerpts)}, counted from 0.")


def _passage_values(excerpts: Sequence[Excerpt], language: str) -> list[Mapping[str, Any]]:
    """Return passages as a person would see them, so that nothing is said to the model alone."""
    texts = show_passages(([one.text] for one in excerpts), language)
    return [
        {"title": visible(e.title), "headings": " > ".join(map(visible, e.headings)), "text": visible(text)}
        for e, text in zip(excerpts, texts, strict=True)
    ]


def _node_values(items: Sequence[WriteSolutions]) -> list[Mapping[str, Any]]:
    numbered = numbered_places(items) if read_apart(items) else {}
    return [
        {
            "text": visible(item.issue),
            "attributes": "; ".join(f"{name}: {', '.join(v)}" for name, v in as_lists(item.attributes).items()),
            "lines": as_ranges(list(own_places(item, numbered))),
        }
        for item in items
    ]


def _manner(item: WriteSolutions) -> tuple[Hashable, ...]:
    """Return what a request says once for all of its nodes."""
    return item.domain, item.rules, tuple(item.configuration), item.with_attributes, item.scratchpad


TASK = WriteSolutionsTask()
