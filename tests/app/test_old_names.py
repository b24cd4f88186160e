"""The methods that ``SupportKB`` had before it had namespaces still work, and say what they are called now."""

from operator import attrgetter
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.app.old_names import OLD_NAMES


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    return SupportKB.create(tmp_path / "kb", "headphones")


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_is_the_new_method(kb: SupportKB, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"SupportKB\.{name} is SupportKB\.{OLD_NAMES[name]} now"):
        old = getattr(kb, name)
    assert old == attrgetter(OLD_NAMES[name])(kb)


def test_lists_that_are_namespaces_now_still_list(kb: SupportKB) -> None:
    made = kb.keys.create("admin")
    with pytest.warns(DeprecationWarning, match=r"keys\.list\(\)"):
        assert [one.id for one in kb.keys().keys] == [made.id]
    with pytest.warns(DeprecationWarning, match=r"tickets\.list\(\)"):
        assert kb.tickets(limit=1) == kb.tickets.list(limit=1)


def test_what_never_was_a_method_is_none(kb: SupportKB) -> None:
    with pytest.raises(AttributeError, match="'SupportKB' object has no attribute 'show_all'"):
        kb.show_all  # noqa: B018
