"""Which broad themes issues have by their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autokb.heuristics.themes.find import MOST_THEMES, find_themes


def spread(groups: int, size: int, dimensions: int = 32, noise: float = 0.05) -> Any:
    """Unit vectors in clear groups, one group after the other."""
    random = np.random.default_rng(5)
    centres = np.linalg.qr(random.normal(size=(dimensions, dimensions)))[0][:groups]
    rows = np.repeat(centres, size, axis=0) + noise * random.normal(size=(groups * size, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_no_issues_have_no_theme_and_one_issue_has_one() -> None:
    assert find_themes((), np.zeros((0, 4))).themes == ()
    (theme,) = find_themes(("Pairing the earbuds fails",), np.eye(4)[:1]).themes
    assert theme.members == (0,)
    assert theme.name == "Earbuds and pairing"


@pytest.mark.parametrize("count", [2, 3, 14, 15, 16, 40])
def test_every_issue_is_in_one_theme_whatever_their_number(count: int) -> None:
    vectors = np.random.default_rng(1).normal(size=(count, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    reply = find_themes([f"Issue with part{n % 5} again" for n in range(count)], vectors)
    assert sorted(m for theme in reply.themes for m in theme.members) == list(range(count))


def test_the_same_text_a_thousand_times_is_one_theme() -> None:
    vectors = np.tile(np.eye(8)[0], (1000, 1))
    reply = find_themes(("Battery drains",) * 1000, vectors)
    assert [len(theme.members) for theme in reply.themes] == [1000]


def test_what_is_like_nothing_else_is_miscellaneous_and_last() -> None:
    rows = np.vstack([spread(4, 25, noise=0.02), -np.ones((1, 32)) / np.sqrt(32)])
    texts = (*(f"Broken {('screen', 'keyboard', 'speaker', 'camera')[n // 25]}" for n in range(100)), "Pizza")
    reply = find_themes(texts, rows)
    assert reply.themes[-1].members == (100,)
    assert reply.themes[-1].miscellaneous
    assert reply.themes[-1].name == "Miscellaneous"
    assert {theme.name for theme in reply.themes[:-1]} == {"Screen", "Keyboard", "Speaker", "Camera"}


def test_the_same_input_gives_the_same_themes() -> None:
    issues, vectors = [f"Part{n % 7} makes noise{n % 3}" for n in range(200)], spread(8, 25, noise=0.4)
    assert find_themes(issues, vectors) == find_themes(issues, vectors)


def test_four_thousand_issues_have_at_most_forty_themes() -> None:
    vectors = spread(30, 140, dimensions=64, noise=0.1)
    reply = find_themes([f"Topic{n // 140} fails" for n in range(4200)], vectors)
    assert 25 <= len(reply.themes) <= MOST_THEMES + 1
