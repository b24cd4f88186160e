"""How atoms are put together before parts are made of them."""

from __future__ import annotations

import pytest

from autokb.chunking.structure import packing
from autokb.chunking.structure.packing import Atom, Fragment, join_blank, join_tight

MANY = 500


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many fragments were put into each atom that was made."""
    made: list[int] = []

    def counted(fragments: tuple[Fragment, ...], tight: bool = False) -> Atom:
        made.append(len(fragments))
        return Atom(fragments, tight)

    monkeypatch.setattr(packing, "Atom", counted)
    return made


def atoms(tight: bool = False) -> list[Atom]:
    """Return atoms of one character and a blank each."""
    return [Atom((Fragment(0, 2 * n, 2 * n + 1, 1),), tight) for n in range(MANY)]


def test_marks_join_what_stands_before_them_and_are_copied_once(copied: list[int]) -> None:
    found = join_blank("a " + "* " * (MANY - 1), atoms(), 2 * MANY)
    assert [len(one.fragments) for one in found] == [MANY]
    assert sum(copied) <= 2 * MANY


def test_tight_atoms_are_copied_once(copied: list[int]) -> None:
    assert [len(one.fragments) for one in join_tight(atoms(tight=True), 2 * MANY)] == [MANY]
    assert sum(copied) <= 2 * MANY


def test_marks_join_while_they_fit() -> None:
    # A letter and two marks are five characters with their blanks; the next mark would be the seventh.
    assert [len(one.fragments) for one in join_blank("a * * * * * *", atoms()[:7], 5)] == [3, 3, 1]
