"""The task that finds broad themes."""

from __future__ import annotations

import importlib.resources
import time
from typing import Any

import numpy as np
import pytest
import yaml

from autokb.tasks.issues.find_themes.naming import name_themes, read_terms, stem
from autokb.tasks.issues.find_themes.reply import FoundTheme, FoundThemes
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


def test_no_issues_have_no_theme_and_one_issue_has_one() -> None:
    assert TASK.answer_offline(FindThemes("", (), np.zeros((0, 4)))).themes == ()
    (theme,) = TASK.answer_offline(FindThemes("", ("Pairing the earbuds fails",), np.eye(4)[:1])).themes
    assert theme.members == (0,)
    assert theme.name == "Earbuds and pairing"


@pytest.mark.parametrize("count", [2, 3, 14, 15, 16, 40])
def test_every_issue_is_in_one_theme_whatever_their_number(count: int) -> None:
    vectors = np.random.default_rng(1).normal(size=(count, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    reply = TASK.answer_offline(FindThemes("", tuple(f"Issue with part{n % 5} again" for n in range(count)), vectors))
    assert sorted(m for theme in reply.themes for m in theme.members) == list(range(count))


def test_the_same_text_a_thousand_times_is_one_theme() -> None:
    vectors = np.tile(np.eye(8)[0], (1000, 1))
    reply = TASK.answer_offline(FindThemes("", ("Battery drains",) * 1000, vectors))
    assert [len(theme.members) for theme in reply.themes] == [1000]


def test_what_is_like_nothing_else_is_miscellaneous_and_last() -> None:
    rows = np.vstack([spread(4, 25, noise=0.02), -np.ones((1, 32)) / np.sqrt(32)])
    texts = (*(f"Broken {('screen', 'keyboard', 'speaker', 'camera')[n // 25]}" for n in range(100)), "Pizza")
    reply = TASK.answer_offline(FindThemes("", texts, rows))
    assert reply.themes[-1].members == (100,)
    assert reply.themes[-1].miscellaneous
    assert reply.themes[-1].name == "Miscellaneous: Pizza"
    assert {theme.name for theme in reply.themes[:-1]} == {"Screen", "Keyboard", "Speaker", "Camera"}


def test_the_same_input_gives_the_same_themes() -> None:
    item = FindThemes("", tuple(f"Part{n % 7} makes noise{n % 3}" for n in range(200)), spread(8, 25, noise=0.4))
    assert TASK.answer_offline(item) == TASK.answer_offline(item)


def test_four_thousand_issues_take_seconds_and_at_most_forty_themes() -> None:
    vectors = spread(30, 140, dimensions=64, noise=0.1)
    start = time.process_time()
    reply = TASK.answer_offline(FindThemes("", tuple(f"Topic{n // 140} fails" for n in range(4200)), vectors))
    assert 25 <= len(reply.themes) <= 41
    assert time.process_time() - start < 60  # far above what it takes, far below what a quadratic step would


def test_names_leave_out_numbers_names_greetings_and_addresses() -> None:
    texts = [
        "Hi, thanks in advance! Printer paper jam 4711, write to joe@example.org",
        "Printer jam, regards user_12345",
    ]
    (name,) = name_themes([[read_terms(text) for text in texts]])
    assert "jam" in name.lower()
    assert not {"hi", "thanks", "regards", "joe", "4711", "example", "user_12345"} & set(name.lower().split())


def test_names_keep_the_way_a_word_is_written_and_differ() -> None:
    group = [read_terms("My IMAP folders vanish"), read_terms("The IMAP folder is gone")]
    names = name_themes([group, group])
    assert "IMAP" in names[0]
    assert len(set(names)) == 2


def test_a_name_leaves_out_the_product_and_forms_of_a_word_that_it_has() -> None:
    texts = ("Buds disconnect daily", "Connection of the buds breaks", "Buds disconnected, mic silent", "Connect buds")
    (name,) = name_themes([[read_terms(text) for text in texts]], "buds")
    assert "buds" not in name.lower()
    assert name.lower().count("connect") == 1


def test_themes_are_named_from_the_subjects_of_the_issues() -> None:
    issues = tuple(f"Screen flickers on Windows {n}" for n in range(3))
    (theme,) = TASK.answer_offline(
        FindThemes("d", issues, np.tile(np.eye(4)[0], (3, 1)), ("Screen flickers",) * 3)
    ).themes
    assert "windows" not in theme.name.lower()
    assert "screen" in theme.name.lower()


def test_a_stem_joins_the_forms_of_a_word() -> None:
    assert {stem(word) for word in ("crash", "crashes", "crashed", "crashing")} == {"crash"}
    assert {stem(word) for word in ("battery", "batteries")} == {"batter"}
    assert stem("status") == "status"


def test_a_blob_without_spaces_is_read_in_no_time() -> None:
    start = time.process_time()
    read_terms("a" * 700 + "/" + "b" * 5_000)
    assert time.process_time() - start < 2


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
