"""Work that is done in this process, one thing after the other."""

from __future__ import annotations

import pytest

from autokb.core.errors import BadInputError
from autokb.core.executor import LOCAL
from autokb.pipeline import executors
from autokb.pipeline.executors import check_executor, open_executor


def test_results_come_in_order_and_a_failure_is_its_own_things() -> None:
    done = list(LOCAL.map(lambda n: 6 // n, [1, 0, 3]))
    assert [one.value for one in done] == [6, None, 2]
    assert isinstance(done[1].error, ZeroDivisionError) and done[0].error is done[2].error is None
    with pytest.raises(ZeroDivisionError):
        done[1].get()


def test_nothing_is_worked_out_before_it_is_asked_for() -> None:
    worked: list[int] = []
    results = LOCAL.map(worked.append, range(5))
    assert worked == []
    next(results)
    assert worked == [0]


@pytest.mark.with_plugins
@pytest.mark.parametrize("name", ["dask", "ray://", "Ray", ""])
def test_an_executor_that_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(BadInputError, match="must be local, ray or ray://HOST:PORT"):
        check_executor(name)


def test_without_plugins_of_ours_there_is_the_local_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autokb.core.plugins.BUILT_IN", ())
    with pytest.raises(BadInputError, match="executor must be local, not"):
        check_executor("ray")
    check_executor("local")


@pytest.mark.with_plugins
def test_ray_that_is_not_installed_is_said_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "find_spec", lambda _name: None)
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[ray\]'"), open_executor("ray"):
        pass
    with open_executor("local") as executor:
        assert executor is LOCAL
