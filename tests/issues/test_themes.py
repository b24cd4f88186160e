"""Themes are kept as data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from autokb.heuristics.themes.find import FoundTheme, FoundThemes, nearest_themes, similarity_floor
from autokb.issues.themes import FrozenThemes, as_json, freeze, from_json, questions, theme_id
from autokb.tasks.issues.assign_theme.task import TASK


def two_themes(count: int = 10) -> tuple[FoundThemes, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    tilt = np.linspace(-0.2, 0.2, count)
    rows = np.vstack([np.column_stack([np.cos(tilt), np.sin(tilt), 0 * tilt])] * 2)
    rows[count:] = rows[count:][:, [1, 0, 2]]
    sound = FoundTheme(name="Sound", members=tuple(range(count)))
    pairing = FoundTheme(name="Pairing", members=tuple(range(count, 2 * count)))
    return FoundThemes(themes=(sound, pairing)), rows


def assigned(rows: np.ndarray[tuple[int, int], np.dtype[np.float64]], themes: FrozenThemes) -> list[int]:
    texts = [f"issue {n}" for n in range(len(rows))]
    return [TASK.answer_offline(item).index for item in questions("domain", texts, texts, rows, themes)]


def test_new_issues_get_the_nearest_theme_and_strangers_the_miscellaneous_one() -> None:
    found, rows = two_themes()
    themes = freeze(found, rows)
    assert themes.names == ("Sound", "Pairing", "Miscellaneous")
    assert assigned(np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]), themes) == [0, 1, 2]
    assert assigned(np.zeros((0, 3)), themes) == []


def test_the_floor_lies_far_below_the_usual() -> None:
    found, rows = two_themes()
    alike = np.cos(np.linspace(-0.2, 0.2, 10))
    assert freeze(found, rows).floor == pytest.approx(0.8 * alike.mean(), abs=1e-6)
    mixed = np.array([1.0] * 10 + [0.4] * 10)
    assert similarity_floor(mixed) == pytest.approx(0.7 - 2.5 * 0.3)


def test_few_issues_say_nothing_about_far() -> None:
    found, rows = two_themes(5)
    assert freeze(found, rows).floor == -1.0


def test_a_found_miscellaneous_theme_is_the_one_that_is_kept() -> None:
    found, rows = two_themes()
    odd = FoundTheme(name="Miscellaneous: Pizza", members=(0,), miscellaneous=True)
    themes = freeze(FoundThemes(themes=(*found.themes, odd)), rows)
    assert themes.names == ("Sound", "Pairing", "Miscellaneous: Pizza")
    assert themes.miscellaneous == 2


def test_frozen_themes_survive_json() -> None:
    themes = freeze(*two_themes())
    assert from_json(json.loads(json.dumps(as_json(themes)))) == themes
    assert [noun.id for noun in themes.nouns()] == [theme_id(name) for name in themes.names]


def test_the_task_and_the_many_at_once_agree() -> None:
    themes = freeze(*two_themes())
    rows = np.random.default_rng(3).normal(size=(50, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    at_once = nearest_themes(rows, themes.matrix(), themes.floor, themes.miscellaneous)
    assert assigned(rows, themes) == list(at_once)
    assert len(set(at_once)) == 3


def test_another_subject_is_another_question() -> None:
    themes = freeze(*two_themes())
    row = [[1.0, 0.0, 0.0]]
    one, other = (questions("d", ["No sound on Mac"], [subject], row, themes)[0] for subject in ("No sound on", "No"))
    assert TASK.key(one) != TASK.key(other)
