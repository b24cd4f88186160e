"""The task that gives an issue its theme."""

from __future__ import annotations

import importlib.resources
from typing import Any

import numpy as np
import pytest
import yaml

from autokb.tasks.issues.assign_theme.task import TASK, AssignedTheme, AssignTheme
from autokb.tasks.task import ReplyError

FILE = importlib.resources.files("autokb.tasks.issues.assign_theme").joinpath("examples.yaml")


@pytest.mark.parametrize("example", yaml.safe_load(FILE.read_text("utf-8")), ids=lambda e: e["theme"])
def test_the_examples_get_their_theme(example: dict[str, Any]) -> None:
    themes = tuple(example["themes"])
    misc = themes.index("Miscellaneous") if "Miscellaneous" in themes else None
    item = AssignTheme("", example["issue"], themes, misc, 0.3, "", example["vector"], np.eye(len(themes))[:, :2])
    reply = TASK.answer_offline(item)
    assert (reply.theme, themes[reply.index]) == (example["theme"], example["theme"])


def test_other_centres_are_another_question_and_the_vector_is_not() -> None:
    one = AssignTheme("", "x", ("A",), None, 0.1, "f1", np.ones(2), np.ones((1, 2)))
    assert TASK.key(one) == TASK.key(AssignTheme("", "x", ("A",), None, 0.1, "f1", np.zeros(2), None))
    assert TASK.key(one) != TASK.key(AssignTheme("", "x", ("A",), None, 0.1, "f2", np.ones(2), np.ones((1, 2))))


def test_a_wrong_index_or_name_is_refused() -> None:
    item = AssignTheme("", "x", ("A", "B"))
    with pytest.raises(ReplyError, match="from 0 to 1"):
        TASK.check(item, AssignedTheme(index=2, theme="B"))
    with pytest.raises(ReplyError, match="is 'A'"):
        TASK.check(item, AssignedTheme(index=0, theme="B"))
