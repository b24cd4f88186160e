"""Lists become data frames: an entry a row, a field of the JSON a column."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.stores.workspace import Workspace


def lists_of(kb: SupportKB) -> dict[str, Any]:
    kb.usage.give_feedback("it does not charge", "helpful")
    return {
        "issues": kb.views.issues(),
        "solutions": kb.views.solutions(),
        "documents": kb.views.documents(),
        "feedback": kb.usage.feedback(),
        "review": kb.curation.review(),
        "suggested": kb.suggest("the battery does not charge in the dock"),
        "sources": kb.sources(),
        "versions": kb.versions.list(),
    }


def test_each_list_is_a_data_frame_of_its_json(hand_made: Workspace) -> None:
    pytest.importorskip("pandas", reason="the extra pandas is not installed")
    for name, found in lists_of(SupportKB(hand_made)).items():
        frame, shape = found.to_pandas(), found.as_json()[found.LIST]
        assert len(frame) == len(shape) > 0, name
        assert list(frame.columns) == list(shape[0])
        assert frame.iloc[0].to_dict().keys() == shape[0].keys()
        assert frame.iloc[-1, 0] == next(iter(shape[-1].values()))


def test_a_page_that_is_not_all_warns_of_it(hand_made: Workspace, recwarn: pytest.WarningsRecorder) -> None:
    pytest.importorskip("pandas", reason="the extra pandas is not installed")
    kb = SupportKB(hand_made)
    kb.views.issues().to_pandas()
    assert not [one for one in recwarn if one.category is UserWarning]
    with pytest.warns(UserWarning, match="These are 2 entries, and there are more"):
        assert len(kb.views.issues(limit=2).to_pandas()) == 2


def test_it_says_what_to_install(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[pandas\]'"):
        SupportKB(hand_made).views.issues().to_pandas()
