"""Any sequence of edits, verdicts, undoing, rebuilds and changed sources: no hand edit is lost or overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.edit_sequences import NAMES, PLACES, Action, Ran, make_template, run_sequence
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ACTION = st.tuples(st.integers(0, len(NAMES) - 1), st.integers(0, len(PLACES) - 1), st.integers(0, 11))


def do(*names: str) -> list[Action]:
    """Return actions on the first place."""
    return [(NAMES.index(name), 0, 0) for name in names]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("edits"))


@pytest.fixture
def ran() -> Ran:
    return Ran()


@pytest.mark.slow
def test_no_hand_edit_is_lost_or_overwritten(template: Path, ran: Ran) -> None:
    @settings(
        max_examples=80,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(ACTION, min_size=5, max_size=10), st.integers(1, 2))
    def holds(actions: list[Action], approvals: int) -> None:
        before = len(ran.violations)
        run_sequence(template, template.parent / "kb", actions, ran, approvals=approvals)
        assert ran.violations[before:] == []

    holds()
    assert ran.edits > 20 and ran.actions["undo"] > 5  # else the sequences say little


@pytest.mark.parametrize(
    "names",
    [
        ("edit", "change", "rebuild", "undo", "rebuild"),
        ("edit", "move", "rebuild", "approve", "undo", "undo", "undo"),
        ("edit", "remove", "rebuild", "edit", "change", "rebuild", "undo"),
        ("edit", "change", "build_candidate", "edit", "publish", "roll_back", "undo", "rebuild", "undo"),
        ("approve", "change", "rebuild", "roll_back", "build_candidate", "hide", "publish", "undo", "roll_back"),
        ("approve", "edit", "approve", "undo", "undo", "restart", "undo"),
        ("reject", "import_again", "rethink", "roll_back", "undo", "import_again"),
        ("write", "shrink", "import_again", "publish", "grow", "rethink", "roll_back"),
        ("edit", "fail", "import_again", "fail", "rebuild", "discard"),
    ],
)
def test_sequences_that_meet_every_case(template: Path, ran: Ran, names: tuple[str, ...]) -> None:
    run_sequence(template, template.parent / "kb", do(*names), ran)
    assert ran.violations == []
