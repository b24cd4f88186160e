"""The task that writes the solutions of nodes from the passages found for them (prompt G.9)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.core.attributes import as_lists
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.solutions.solution import Excerpt, Step, WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.heuristics.solutions.write import write_solutions
from autokb.tasks.issues.attribute_fields import attributes_tokens, describe_attributes
from autokb.tasks.issues.write_solutions.reply_reader import (
    MOST_SOLUTIONS,
    SolutionReader,
    asks_attributes,
    passage_key,
    passages_of,
    solution_type,
)
from autokb.tasks.prompts import examples, spelled_reply
from autokb.tasks.task import Read, ReplyError, Task

__all__ = ["TASK", "Excerpt", "Step", "WriteSolutions", "WrittenSolution", "WrittenSolutions"]


class WriteSolutionsTask(Task[WriteSolutions, WrittenSolutions]):
    """Which solutions do these passages hold for this node?

    The nodes of a tree share passages, and what serves several of them is written once: the reply's ``solutions`` come
    before its answers, which name the numbers of those that serve each node.
    """

    version = 5
    offline_revision = 4
    input = WriteSolutions
    output = WrittenSolutions
    most = 16  # nodes
    most_tokens, usual_tokens = 1_600, 210  # of a node's solutions: one or two with a few steps and their quotes
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
        return item.tree, item.domain, item.rules, tuple(item.configuration), item.with_attributes

    def values(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return domain, attributes and rules, which are the same for all, then passages and nodes."""
        first, passages = items[0], passages_of(items)
        numbers = {passage_key(excerpt): n for n, excerpt in enumerate(passages, 1)}
        return {
            "domain": first.domain,
            "attributes": describe_attributes(first.configuration),
            "with_attributes": asks_attributes(items),
            "rules": first.rules,
            "most": MOST_SOLUTIONS,
            "passages": [_passage_values(excerpt) for excerpt in passages],
            "issues": [_node_values(item, numbers) for item in items],
        }

    def examples(self, items: Sequence[WriteSolutions]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as this request wants its reply: with the solutions' attributes or without."""
        unwanted = set() if asks_attributes(items) else {"attributes"}
        shown = []
        for example in examples(self.package):
            solutions = [{n: v for n, v in s.items() if n not in unwanted} for s in example["reply"]["solutions"]]
            shown.append({**example, "reply": spelled_reply({**example["reply"], "solutions": solutions})})
        return shown

    def reply_fields(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return the field that comes before the answers: every solution once, whichever nodes it serves."""
        solution: Any = solution_type(items)
        many = Field(json_schema_extra={"maxItems": MOST_SOLUTIONS * len(items)})
        return {"solutions": Annotated[list[solution], many]}

    def entry(self, items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
        """Return the field of an entry: the ids of the solutions that serve a node, best first."""
        bounds: dict[str, Any] = {"minimum": 1, "maximum": MOST_SOLUTIONS * len(items)}
        number: Any = Annotated[int, Field(json_schema_extra=bounds)]
        return {"solutions": Annotated[list[number], Field(json_schema_extra={"maxItems": MOST_SOLUTIONS})]}

    def read_among(
        self, items: Sequence[WriteSolutions], position: int, entry: Any, fields: Mapping[str, Any]
    ) -> Read[WrittenSolutions]:
        """Turn the numbers that a node's entry names into its solutions, best first."""
        return SolutionReader(items, position).read(fields["solutions"], entry.solutions)

    def tokens(self, item: WriteSolutions) -> tuple[int, int]:
        """Return the tokens of a node's solutions: long quotes take most of them.

        A node alone (its solutions' attributes are then another question) has all it needs; those of a tree share most.
        """
        if not item.with_attributes:
            return self.most_tokens, self.usual_tokens
        most, usual = attributes_tokens(item.configuration)
        return MOST_SOLUTIONS * most + self.most_tokens, round((self.usual_tokens + usual) * self.unshared)


def _check_excerpt(item: WriteSolutions, number: int) -> None:
    if not 0 <= number < len(item.excerpts):
        raise ReplyError(f"There is no excerpt {number}; there are {len(item.excerpts)}, counted from 0.")


def _passage_values(excerpt: Excerpt) -> Mapping[str, Any]:
    """Return a passage as a person would see it, so that nothing is said to the model alone."""
    return {
        "title": visible(excerpt.title),
        "headings": " > ".join(map(visible, excerpt.headings)),
        "text": visible(excerpt.text),
    }


def _node_values(item: WriteSolutions, numbers: Mapping[tuple[str, int, str], int]) -> Mapping[str, Any]:
    found = dict.fromkeys(numbers[passage_key(excerpt)] for excerpt in item.excerpts)
    attributes = as_lists(item.attributes)
    return {
        "text": visible(item.issue),
        "attributes": "; ".join(f"{name}: {', '.join(values)}" for name, values in attributes.items()),
        "passages": ", ".join(map(str, found)) or "none",
    }


TASK = WriteSolutionsTask()
