"""How a model is asked for solutions: the nodes of a tree share passages, and what serves several is written once."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from autokb.core.attributes import as_lists
from autokb.tasks.asking import Asking
from autokb.tasks.grounded import visible
from autokb.tasks.issues.extract_attributes.attribute_fields import described, tokens_of
from autokb.tasks.issues.write_solutions.model_reading import read_solutions
from autokb.tasks.issues.write_solutions.model_shapes import MOST, entry, passages, place, shared
from autokb.tasks.issues.write_solutions.shapes import Excerpt, WriteSolutions
from autokb.tasks.prompts import Verbatim, examples

PACKAGE = "autokb.tasks.issues.write_solutions"
TOGETHER = 16  # nodes in one request
USUAL = 210  # tokens of a node's solutions: one or two with a few steps
OWN = 0.45  # of it that the other nodes of a tree do not have too


def values(items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
    """Return the template's variables; domain, attributes and rules stand first and are the same for all."""
    first = items[0]
    given = passages(items)
    with_attributes = first.with_attributes and bool(first.configuration)
    numbers = {place(e): n for n, e in enumerate(given, 1)}
    return {
        "domain": first.domain,
        "attributes": described(first.configuration),
        "with_attributes": with_attributes,
        "rules": first.rules,
        "most": MOST,
        "passages": [_shown(excerpt) for excerpt in given],
        "issues": [_asked(item, numbers) for item in items],
        "examples": [_example(one, with_attributes) for one in examples(PACKAGE)],
    }


def _example(example: Mapping[str, Any], with_attributes: bool) -> Mapping[str, Any]:
    """Return an example as this request wants its reply: with the solutions' attributes or without."""
    reply = example["reply"]
    solutions = [{n: v for n, v in s.items() if with_attributes or n != "attributes"} for s in reply["solutions"]]
    shown = json.dumps({**reply, "solutions": solutions}, ensure_ascii=False)
    return {"passages": example["passages"], "issues": example["issues"], "shown": Verbatim(shown)}


def _shown(excerpt: Excerpt) -> Mapping[str, Any]:
    """Return a passage as a person would see it, so that nothing is said to the model alone."""
    return {
        "title": visible(excerpt.title),
        "headings": " > ".join(map(visible, excerpt.headings)),
        "text": visible(excerpt.text),
    }


def _asked(item: WriteSolutions, numbers: Mapping[tuple[str, int, str], int]) -> Mapping[str, Any]:
    found = dict.fromkeys(numbers[place(excerpt)] for excerpt in item.excerpts)
    attributes = as_lists(item.attributes)
    return {
        "text": visible(item.issue),
        "attributes": "; ".join(f"{name}: {', '.join(values)}" for name, values in attributes.items()),
        "passages": ", ".join(map(str, found)) or "none",
    }


def tokens(item: WriteSolutions) -> tuple[int, int]:
    """Return the most and the usual number of tokens of a node's solutions: long quotes take most of them.

    A node alone (its solutions' attributes are then asked apart) has all it needs; those of a tree share most of it.
    """
    if not item.with_attributes:
        return 1_600, USUAL
    most, usual = tokens_of(item.configuration)
    return MOST * most + 1_600, round((USUAL + usual) * OWN)


def together(item: WriteSolutions) -> Hashable:
    """Nodes of one tree can share a request, within one domain and one manner of reply."""
    return item.tree, item.domain, item.rules, tuple(item.configuration), item.with_attributes


ASKING = Asking(PACKAGE, values, entry, read_solutions, tokens, together, TOGETHER, shared)
