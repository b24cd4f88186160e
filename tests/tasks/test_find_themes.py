"""The task that finds broad themes."""

from __future__ import annotations

import importlib.resources
from typing import Any

import numpy as np
import pytest
import yaml

from autokb.heuristics.themes.find import FoundTheme, FoundThemes
from autokb.tasks.issues.find_themes.task import TASK, FindThemes
from autokb.tasks.task import ReplyError


def examples() -> list[dict[str, Any]]:
    text = importlib.resources.files("autokb.tasks.issues.find_themes").joinpath("examples.yaml").read_text("utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text)
    return found


def spread(groups: int, size: int, dimensions: int = 32, noise: float = 0.05) -> Any:
    """Unit vectors in clear groups, one group after the other."""
    random = np.random.default_rng(5)
    centres = np.linalg.qr(random.normal(size=(dimensions, dimensions)))[0][:groups]
    rows = np.repeat(centres, size, axis=0) + noise * random.normal(size=(groups * size, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_the_examples_fall_into_their_themes_and_are_named_from_their_words() -> None:
    wanted = examples()
    issues = tuple(issue for theme in wanted for issue in theme["issues"])
    reply = TASK.answer_offline(FindThemes("headphones", issues, spread(len(wanted), 6)))
    assert sorted(theme.members for theme in reply.themes) == [tuple(range(n, n + 6)) for n in (0, 6, 12)]
    for theme in reply.themes:
        words = wanted[theme.members[0] // 6]["words"]
        assert any(word in theme.name.lower() for word in words), theme.name


def test_themes_are_named_from_the_subjects_of_the_issues() -> None:
    issues = tuple(f"Screen flickers on Windows {n}" for n in range(3))
    (theme,) = TASK.answer_offline(
        FindThemes("d", issues, np.tile(np.eye(4)[0], (3, 1)), ("Screen flickers",) * 3)
    ).themes
    assert "windows" not in theme.name.lower()
    assert "screen" in theme.name.lower()


@pytest.mark.parametrize(
    ("themes", "reason"),
    [
        ((), "no theme"),
        ((("A", (0,)), ("a", (1,))), "name of its own"),
        ((("A", (0,)), ("B", (0,))), "two themes"),
        ((("A", (0, 7)),), "not in the list"),
        ((("A", ()),), "at least one issue"),
    ],
)
def test_wrong_themes_are_refused(themes: tuple[tuple[str, tuple[int, ...]], ...], reason: str) -> None:
    reply = FoundThemes(themes=tuple(FoundTheme(name=name, members=members) for name, members in themes))
    with pytest.raises(ReplyError, match=reason):
        TASK.check(FindThemes("", ("one", "two")), reply)
