"""A reply that was paid for is found again: the keys of all samples and examples are those that earlier versions made.

A key changes only with what a model reads or may write. Where that is meant, the lines of that task, and no others, are
written anew: ``AUTOKB_REWRITE_GOLDEN=1 pytest tests/tasks/contracts/test_ledger_keys.py``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from samples import SAMPLES

from autokb.core.ids import digest
from autokb.core.model_requests import ModelReply
from autokb.pipeline.request_batching import item_key
from autokb.tasks.asking import repair_request, request_for
from autokb.tasks.task import Task

GOLDEN = Path(__file__).with_name("ledger_keys.json")
MODEL = "openai:gpt-5-mini"
EMBEDDED = ("The left earbud stays silent", "Keeps disconnecting")


def keys(task: Task[Any, Any], items: Sequence[Any]) -> dict[str, Any]:
    """Return the keys of a request, of its repair and second attempt, and of each item's stored answer."""
    request = request_for(task, items, MODEL)
    repair = repair_request(request, ModelReply("nonsense", 1, 1), "It is no JSON object.")
    return {
        "request": request.key,
        "bounded": request_for(task, items, MODEL, 300).key,
        "again": request.tried_again(1).key,
        "repair": repair.key,
        "items": [item_key(task, MODEL, task.turns((one,))) for one in items],
    }


@cache
def found() -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, make in SAMPLES.items():
        sample = make()
        asked = [sample.items, *(items for items, _ in sample.shown)]
        known[name] = [keys(sample.task, items) for items in asked]
    known["embedding"] = digest("embed", "openai:text-embedding-3-small", *EMBEDDED)
    return known


@pytest.mark.parametrize("name", [*sorted(SAMPLES), "embedding"])
def test_the_keys_of_paid_replies_are_those_of_before(name: str) -> None:
    now = found()
    if os.environ.get("AUTOKB_REWRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert now[name] == json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
