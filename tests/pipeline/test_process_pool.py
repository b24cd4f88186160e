"""Work in several processes: in order, never far ahead, and a process that dies is said."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from autokb.core.errors import AutokbError
from autokb.pipeline.open_index import MORE_MEMORY
from autokb.pipeline.process_pool import AHEAD, process_pool


def doubled(number: int) -> int:
    return number * 2


def ending(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs: int) -> None:
    with process_pool(jobs) as each:
        assert list(each(doubled, range(20))) == [n * 2 for n in range(20)]
        assert list(each(doubled, [])) == []


def test_no_more_is_taken_than_there_is_work_for() -> None:
    taken: list[int] = []

    def things() -> Iterator[int]:
        for number in range(1_000):
            taken.append(number)
            yield number

    with process_pool(2) as each:
        assert next(each(doubled, things())) == 0
        assert len(taken) <= 2 * AHEAD


@pytest.mark.parametrize("remedy", [[], [MORE_MEMORY]])
def test_a_process_that_dies_ends_the_work_with_a_sentence_for_who_began_it(remedy: list[str]) -> None:
    """The service has no option --jobs."""
    with pytest.raises(AutokbError) as caught, process_pool(2, *remedy) as each:
        list(each(ending, range(9)))
    assert str(caught.value).endswith(f"; {remedy[0] if remedy else 'use --jobs 1'}.")
    assert ("--jobs" in str(caught.value)) == (not remedy)
